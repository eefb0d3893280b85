"""Signs that stand between all words, or between the morphs of words, in place of spaces or beside them.

Both sides have them in most places, where each counts as a right word, or as a unit.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

from ..boundary_tokens import may_be_boundary, may_have_boundaries
from .format import Evidence
from .signs import EASTERN, first_lines, first_rows

_FEWEST_SIGNS = 4
#: The longest words between signs, in the mean of letters.
_LONGEST_WORDS = 8
#: A name in brackets, such as `<sep>`, or a run of signs.
_MARK = r"<\w+>|\[\w+\]|[^\w\s]+"
_FEWEST_PLUSES = 3
#: Signs of sums, which have letters and numbers around them.
_OPERATORS = frozenset("+-*/=%^~")
_BRACKETS = frozenset("()[]{}")
#: The longest units, and the fewest in a word, in the mean.
_LONGEST_UNITS = 2.2
#: The longest units of eastern scripts, whose words are short: hardly more than a character.
_LONGEST_EASTERN_UNITS = 1.1
_FEWEST_UNITS = 1.5


def find_separators(text: str) -> Evidence | None:
    """Find a sign between all words of each line, with spaces around it or without.

    >>> find_separators("我们 + 在 + 上海\\n他们 + 在 + 北京\\n").sign, find_separators("the-dog-barks\\nI-see-it\\n").sign
    ("line 1 is '我们 + 在 + 上海'", "line 1 is 'the-dog-barks'")
    >>> find_separators("x = a\\ny = b\\nz = c\\nx = b\\n") is None
    True
    """
    lines = first_lines(text)
    rows = first_rows(text)
    if len(rows) < 2:
        return None
    sign_count = _spaced_signs(rows)
    if all(len(row) == 1 for row in rows):
        sign_count = _signs_within([token for (token,) in rows])
    if sign_count >= _FEWEST_SIGNS and 2 * sign_count >= 3 * len(rows):
        return Evidence(lines[0].sign, is_weak=True)
    return None


def _spaced_signs(rows: list[list[str]]) -> int:
    """Return how often the one sign occurs that is each second token of all rows; 0 if there is none."""
    # The first line shows, in most texts, that there is no such sign.
    first_row, *_ = rows
    if len(set(first_row[1::2])) > 1:
        return 0
    signs = set(chain.from_iterable(row[1::2] for row in rows))
    words = set(chain.from_iterable(row[::2] for row in rows))
    is_sign = len(signs) == 1 and all(re.fullmatch(_MARK, sign) for sign in signs)
    if not is_sign or not signs.isdisjoint(words):
        return 0
    return sum(len(row) // 2 for row in rows)


def _signs_within(tokens: list[str]) -> int:
    """Return how often the sign that is most frequent occurs between short words within tokens; 0 if it does not."""
    counts = Counter(re.findall(_MARK, "\n".join(tokens)))
    if not counts:
        return 0
    ((sign, _),) = counts.most_common(1)
    # A sign at an end of a token is between no words. With NULs in place of signs, `strip` takes off whole signs.
    words = [*chain.from_iterable(token.replace(sign, "\0").strip("\0").split("\0") for token in tokens)]
    are_words = all(re.search(r"[^\W\d]", word) for word in words)
    if not are_words or sum(map(len, words)) > _LONGEST_WORDS * len(words):
        return 0
    return len(words) - len(tokens)


def find_boundary_tokens(text: str) -> Evidence | None:
    """Find a token between words whose units, such as phones or letters, have spaces between them.

    >>> find_boundary_tokens("d ao g | b aa r k s\\nih t | ih z\\n").sign, find_boundary_tokens("dog - cat\\nit - is\\n") is None
    ("line 1 is 'd ao g | b aa r k s'", True)
    """
    if not may_have_boundaries(text):
        return None
    lines = first_lines(text)
    rows = first_rows(text)
    tokens = {*chain.from_iterable(rows)}
    candidates = sorted(filter(may_be_boundary, tokens - _OPERATORS))
    # Code has brackets: x = f ( a ) ;
    if not candidates or not _BRACKETS.isdisjoint(tokens):
        return None
    lines_with = {token: sum(token in row[1:-1] for row in rows) for token in candidates}
    token = max(candidates, key=lines_with.__getitem__)
    units = [unit for unit in chain.from_iterable(rows) if unit != token]
    word_count = sum(row.count(token) for row in rows) + len(rows)
    longest = _LONGEST_EASTERN_UNITS if re.search(EASTERN, text) else _LONGEST_UNITS
    are_short = sum(map(len, units)) <= longest * len(units)
    are_many = len(units) >= _FEWEST_UNITS * word_count
    are_mostly_between = 2 * lines_with[token] > len(rows) > 1
    if are_mostly_between and are_short and are_many:
        return Evidence(lines[0].sign, is_weak=True)
    return None


def find_pluses(text: str) -> Evidence | None:
    """Find `+` between the morphs of words, as Morfessor and FlatCat write it.

    >>> find_pluses("the dog bark + s\\nplay + er + s sing\\n").is_weak, find_pluses("x + y is 3 + 4\\nx + y\\nx + z\\n") is None
    (True, True)
    """
    if " + " not in text:
        return None
    lines = first_lines(text)
    with_plus = [line for line in lines if " + " in line.text]
    plus_count = sum(
        len(re.findall(r"[^\W\d_]{2} \+ (?=[^\W\d_])|[^\W\d_] \+ (?=[^\W\d_]{2})", line.text)) for line in with_plus
    )
    if plus_count >= _FEWEST_PLUSES:
        return Evidence(with_plus[0].sign, is_weak=True)
    return None
