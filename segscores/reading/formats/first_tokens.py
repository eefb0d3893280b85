"""Signs of a class, a name or numbers before the text of each line.

Both sides have the same ones, each of which counts as a right word. Ordinary lines may begin with few words too: these stand
elsewhere in the text, or do not recur.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain, pairwise

from ...kernel.record import record
from .format import Evidence
from .odd_lines import LATIN, OTHER, scripts_of
from .signs import Line, first_lines, first_rows

_FEWEST = 3
#: The fewest distinct lines that show labels: one that all lines share, one of a few on each line, one of a few small
#: numbers, or Latin letters before another script.
_FEWEST_WITH_ONE = 10
_FEWEST_WITH_FEW = 20
_FEWEST_WITH_NUMBERS = 6
_FEWEST_WITH_SIGNS = 5
_FEWEST_BEFORE_SCRIPT = 4
_MOST_CLASSES = 5
#: Signs that stand for classes, if several of them begin the lines.
_SIGNS = frozenset("+-*=<>✓✗✔✘√×")
#: Letters that are words of many languages.
_WORDS_OF_A_LETTER = frozenset("AEIOUY")
#: Articles and pronouns, with which lists of nouns and verbs begin each line: `der Hund`, `die Katze`.
_ARTICLES_AND_PRONOUNS = frozenset(
    {
        *("the", "a", "an", "i", "you", "he", "she", "it", "we", "they"),
        *("der", "die", "das", "ein", "eine", "ich", "du", "er", "sie", "es", "wir", "ihr"),
        *("le", "la", "les", "un", "une", "je", "tu", "il", "elle", "nous", "vous", "ils", "elles"),
        *("el", "los", "las", "una", "yo", "lo", "gli", "io", "lui", "um", "uma", "eu", "de", "het", "een"),
    }
)
_SEPARATORS = frozenset({"-", "–", "—", ":", "|", ">"})


@record
class _Lines:
    """The tokens of lines, each of which has two or more."""

    lines: Sequence[Line]
    rows: Sequence[Sequence[str]]

    @property
    def labels(self) -> list[str]:
        """The first tokens."""
        return [row[0] for row in self.rows]

    @property
    def recur(self) -> bool:
        """Return whether the first tokens are several, and one recurs."""
        return 1 < len(set(self.labels)) < len(self.rows)

    @property
    def stand_elsewhere(self) -> bool:
        """Return whether one of the first tokens stands elsewhere in a line too."""
        labels = set(self.labels)
        return any(not labels.isdisjoint(row[1:]) for row in self.rows)

    @property
    def has_small_letters(self) -> bool:
        """Return whether each line has a small letter behind its first token."""
        return all(any(map(str.islower, "".join(row[1:]))) for row in self.rows)


def find_classes(text: str) -> Evidence | None:
    """Find the label of a class, or the name of a speaker, before each line.

    >>> find_classes("POS the dog\\nNEG a cat\\nPOS it is\\n").sign, find_classes("NO dog\\nthe cat\\nNO cat\\n") is None
    ("line 1 is 'POS the dog'", True)
    """
    lines = first_lines(text)
    rows = first_rows(text)
    if len(lines) < _FEWEST or any(len(row) < 2 for row in rows):
        return None
    read = _Lines(lines, rows)
    if _are_labels(read) or _are_names(read):
        return Evidence(lines[0].sign, is_weak=True)
    return None


def find_classes_at_ends(text: str) -> Evidence | None:
    """Find labels of classes in Latin letters behind the text of each line, in which another script stands alone.

    >>> find_classes_at_ends("我们 去 pos\\n他们 在 neg\\n我 爱 pos\\n你 好 neg\\n").sign
    "line 1 is '我们 去 pos'"
    """
    rows = [row[::-1] for row in first_rows(text)]
    are_enough = len({*map(tuple, rows)}) >= _FEWEST_BEFORE_SCRIPT
    if not are_enough or any(len(row) < 2 for row in rows):
        return None
    read = _Lines(first_lines(text), rows)
    is_label = len(set(read.labels)) <= _MOST_CLASSES and not read.stand_elsewhere
    if is_label and _are_before_another_script(read):
        return Evidence(read.lines[0].sign, is_weak=True)
    return None


def _are_labels(read: _Lines) -> bool:
    """Return whether the first tokens are labels: `__label__x`, POS and NEG, C and E, 0 and 1, or few that stand nowhere else."""
    labels = set(read.labels)
    # The labels of fastText: __label__sport
    if all(label.startswith("__label__") for label in labels):
        return True
    if len(labels) > _MOST_CLASSES or read.stand_elsewhere:
        return False
    distinct_line_count = len({*map(tuple, read.rows)})
    if distinct_line_count >= _FEWEST_BEFORE_SCRIPT and _are_before_another_script(read):
        return True
    if not _ARTICLES_AND_PRONOUNS.isdisjoint(map(str.lower, labels)):
        return False
    # One label on all lines: `spam`. A sign alone, such as the dash of a dialogue, is none: `find_marks` finds those of lists.
    if len(labels) == 1:
        (label,) = labels
        return distinct_line_count >= _FEWEST_WITH_ONE and any(map(str.isalnum, label))
    each_recurs = all(read.labels.count(label) > 1 for label in labels)
    # Signs by turns, such as + and - before lines of two files.
    if distinct_line_count >= _FEWEST_WITH_SIGNS and each_recurs and _SIGNS.issuperset(labels):
        return True
    # Numbers of classes: 0, 1, -1
    are_numbers = all(re.fullmatch(r"[+-]?\d", label) for label in labels)
    if are_numbers:
        return distinct_line_count >= _FEWEST_WITH_NUMBERS
    # Capitals before ordinary text: POS and NEG
    if read.recur and read.has_small_letters and _are_capitals(labels):
        return True
    # Any other tokens, such as `spam` and `ham`, each on several lines.
    return distinct_line_count >= _FEWEST_WITH_FEW and each_recurs


def _are_before_another_script(read: _Lines) -> bool:
    """Return whether the first tokens alone have Latin letters, and one recurs, as names of speakers before Chinese text."""
    others = chain.from_iterable(row[1:] for row in read.rows)
    # Names of persons may begin each line of a text, but not the same ones.
    recur = len(set(read.labels)) < len(read.labels)
    return recur and scripts_of(read.labels) == {LATIN} and scripts_of([*others]) == {OTHER}


def _are_capitals(labels: Collection[str]) -> bool:
    """Return whether labels are capitals, such as POS and NEG, or letters of which one is no word, perhaps with a full stop."""
    letters = [label.removesuffix(".") for label in labels]
    are_capitals = all(re.fullmatch(r"[A-Z]+", letter) for letter in letters)
    lengths = {len(letter) > 1 for letter in letters}
    are_alike = len(lengths) == 1
    are_words_of_a_letter = _WORDS_OF_A_LETTER.issuperset(letters)
    return are_capitals and are_alike and not are_words_of_a_letter


def _are_names(read: _Lines) -> bool:
    """Return whether the first tokens are names that recur, with a colon or in brackets, or with a separator behind them."""
    if not read.recur:
        return False
    have_marks = all(
        re.fullmatch(r"\w[\w.-]*:|\(\w[\w.-]*\)|\[\w[\w.-]*\]|<\w[\w.-]*>", label) for label in read.labels
    )
    separators = {row[1] for row in read.rows}
    have_separators = len(separators) == 1 and not _SEPARATORS.isdisjoint(separators)
    return have_marks or have_separators


def find_two_numbers(text: str) -> Evidence | None:
    """Find two numbers, or a name and a place such as `Gen 1:1`, before each line.

    >>> find_two_numbers("0 40 the dog\\n41 70 a cat\\n71 90 it is\\n").sign
    "line 1 is '0 40 the dog'"
    """
    lines = first_lines(text)
    number = r"\d+(\.\d+)?"
    if len(lines) < 2 or not re.match(r"\s*\S+\s+\d", lines[0].text):
        return None
    matches = [re.match(rf"\s*(?P<first>{number})\s+(?P<second>{number})\s+\S", line.text) for line in lines]
    spans = [(float(match["first"]), float(match["second"])) for match in matches if match]
    are_spans = len(spans) == len(lines) and all(first < second for first, second in spans)
    # Two lines may begin with other numbers; two words of a recording follow each other.
    if len(lines) < _FEWEST:
        follow_each_other = are_spans and all(left[1] == right[0] for left, right in pairwise(spans))
        return Evidence(lines[0].sign, is_weak=True) if follow_each_other else None
    # The name of a book is a capital or begins with one, and `at 10:15` is a time.
    are_places = all(re.match(r"\s*[^\W\d_a-z]\w*\s+\d+:\d+\s+\S", line.text) for line in lines)
    if are_spans or are_places:
        return Evidence(lines[0].sign, is_weak=True)
    return None
