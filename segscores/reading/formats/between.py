"""Signs that stand between all words, or between the morphs of words, in place of spaces or beside them.

Both sides have them in most places, where each counts as a right word, or as a unit.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

from .format import Evidence
from .signs import first_lines

_FEWEST_SIGNS = 4
#: The longest words between signs, in the mean of letters.
_LONGEST_WORDS = 8
#: A name in brackets, such as `<sep>`, or a run of signs.
_MARK = r"<\w+>|\[\w+\]|[^\w\s]+"
_FEWEST_PLUSES = 3


def find_separators(text: str) -> Evidence | None:
    """Find a sign between all words of each line, with spaces around it or without.

    >>> find_separators("我们 + 在 + 上海\\n他们 + 在 + 北京\\n").sign, find_separators("the-dog-barks\\nI-see-it\\n").sign
    ("line 1 is '我们 + 在 + 上海'", "line 1 is 'the-dog-barks'")
    >>> find_separators("x = a\\ny = b\\nz = c\\nx = b\\n") is None
    True
    """
    lines = first_lines(text)
    rows = [line.text.split() for line in lines]
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
