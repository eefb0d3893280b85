"""Signs of what numbers lines so plainly that two of them show it: `utt1` and `utt2`, `Sentence 1:` and `Sentence 2:`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .format import Evidence
from .signs import first_lines

_FEWEST = 2
#: A name or a sign, perhaps a space, a number and marks behind it.
_NUMBERED = re.compile(r"(?P<name>[^\s\d]{0,20})(?P<space> ?)(?P<number>\d{1,18})(?P<marks>[^\w\s]{0,2})")
#: A mark that stands apart behind a name and a number, as in `Line 1 - the dog`.
_MARKS_APART = frozenset({*":-–—|>)→", "->", "=>"})
_MARKS_BEHIND = frozenset(".:)]}>|-–—、．：）】")
#: Ids with several parts, of which the last one ends in digits: `fadg0_si1279`, `1089-134686-0001`, and without marks
#: `BAC009S0002W0122`. They have three digits or more, and six of them where no mark is.
_ID_OF_PARTS = re.compile(r"(?=(\D*\d){3})[A-Za-z0-9]+([-_.]+[A-Za-z0-9]+)*[-_]+[A-Za-z]*\d+")
_ID_WITHOUT_MARKS = re.compile(r"(?=(\D*\d){6})[A-Za-z]+\d+([A-Za-z]+\d+)+")
#: Ids without letters that are shorter may be years or dates, such as 1990-1991.
_FEWEST_WITHOUT_LETTERS = 10
#: A date or a time with seconds, as before the lines of a log.
_TIME_OF_LOG = re.compile(r"\W?(\d{4}-\d\d-\d\d|\d{1,2}:\d\d:\d\d)([T,.:]\S*)?\W?")
#: The name of a file of sound or of text, perhaps with its folders.
_FILE = re.compile(r"(?i)[^\s|]+\.(wav|flac|mp3|ogg|opus|m4a|sph|lab|txt|textgrid)")


def are_certain_ids(ids: Sequence[str]) -> bool:
    """Return whether first tokens are ids or names of files, two of which are enough to show it.

    >>> are_certain_ids(["utt1", "utt2"]), are_certain_ids(["fadg0_si1279", "mbpm0_sx317"]), are_certain_ids(["a.wav", "b.wav"])
    (True, True, True)
    >>> are_certain_ids(["3", "4"]), are_certain_ids(["F-16", "F-18"]), are_certain_ids(["1990-91", "1991-92"])
    (False, False, False)
    """
    if len(ids) < _FEWEST:
        return False
    if all(map(_TIME_OF_LOG.fullmatch, ids)):
        return True
    if len(set(ids)) < len(ids):
        return False
    if all(map(_FILE.fullmatch, ids)) or all(map(_ID_WITHOUT_MARKS.fullmatch, ids)):
        return True
    may_be_dates = any(len(id_) < _FEWEST_WITHOUT_LETTERS and not re.search("[A-Za-z]", id_) for id_ in ids)
    if not may_be_dates and all(map(_ID_OF_PARTS.fullmatch, ids)):
        return True
    counts = _counts_of_lines([_NUMBERED.fullmatch(id_) for id_ in ids])
    return bool(counts) and all(map(_has_name_or_mark, counts))


def _has_name_or_mark(match: re.Match[str]) -> bool:
    """Return whether a number has a name before it, as `utt1`, or a mark behind it, as `1.`; an amount (`$1`) has none."""
    has_name = any(map(str.isalpha, match["name"])) or match["name"] in ("#", "№")
    has_marks = match["marks"] != "" and _MARKS_BEHIND.issuperset(match["marks"])
    return has_marks or (has_name and not match["marks"])


def _counts_of_lines(matches: Sequence[re.Match[str] | None]) -> list[re.Match[str]]:
    """Return the matches if their numbers, with the same name and marks, count the lines from 0 or 1 on; else an empty list."""
    counts = [match for match in matches if match]
    frames = {(match["name"], match["space"], match["marks"]) for match in counts}
    if len(counts) < max(_FEWEST, len(matches)) or len(frames) > 1:
        return []
    numbers = [int(match["number"]) for match in counts]
    are_consecutive = all(right - left == 1 for left, right in pairwise(numbers))
    return counts if numbers[0] in (0, 1) and are_consecutive else []


def find_numbered_names(text: str) -> Evidence | None:
    """Find a name, a number that counts the lines, and a mark before each line, such as `Sentence 1:` or `Line 1 -`.

    >>> find_numbered_names("Sentence 1: the dog\\nSentence 2: a cat\\n").sign
    "line 1 is 'Sentence 1: the dog'"
    >>> find_numbered_names("Am 1. Mai\\nAm 2. Mai\\n") is None
    True
    """
    lines = first_lines(text)
    counts = _counts_of_lines([_NUMBERED.match(line.text.strip()) for line in lines])
    for match in counts:
        has_name = match["space"] != "" and any(map(str.isalpha, match["name"]))
        mark, *_ = [*match.string[match.end("number") :].split(), ""]
        if not has_name or mark not in _MARKS_APART:
            return None
    return Evidence(lines[0].sign, is_weak=True) if counts else None
