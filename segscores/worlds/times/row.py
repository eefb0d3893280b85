"""The row of times of recordings, whose files `recordings` opens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...reading.form import RECORDED
from ...reading.formats.format import Evidence, Folder, Format

#: Matches the beginning of a TextGrid, or of a master label file.
_MARK = re.compile(
    r'\s*(File type = )?"ooTextFile( short)?"\s+(Object class = )?"TextGrid"|ooBinaryFile.TextGrid|#!MLF!#\s'
)
#: A time in seconds, or of hours, minutes and seconds; and one that is no whole number: it has decimals, or hours.
_TIME = re.compile(r"(\d+:){0,2}\d+(\.\d+)?")
_CERTAIN_TIME = re.compile(r"(\d+:){0,2}\d+\.\d+|\d+:\d\d:\d\d")
#: The whitespace between fields, or the comma of a table; one with a space behind it is of a text.
_BETWEEN_FIELDS = re.compile(r"\s+|,")
#: The beginnings of lines of comments.
_COMMENTS = ("#", ";;")

#: The usual names of columns with the starts, and with the ends or durations, of intervals.
_STARTS = ("start", "onset", "begin", "tmin", "xmin", "start_time", "begin_time")
_ENDS = ("end", "offset", "stop", "tmax", "xmax", "end_time", "duration")


def find_evidence(text: str) -> Evidence | None:
    """Find the times at the beginning of a text."""
    if _MARK.match(text) or _have_times(text.split("\n")):
        return Evidence("its times")
    names = {cell.strip(' "').lower() for cell in re.split(r"[\t,;]", text.partition("\n")[0])}
    if not names.isdisjoint(_STARTS) and not names.isdisjoint(_ENDS):
        return Evidence("its columns of times")
    return None


def _have_times(lines: Sequence[str]) -> bool:
    """Return whether all lines have two times at the same place, and there is one such line at least.

    The place is the beginning of the line, or behind a recording, or, as in CTM, behind a recording and a channel.

    >>> _have_times(["0.50 0.90 dog"]), _have_times(["a01 0 0.4 a", "a01 0.4 0.9 b"]), _have_times(["a01 1 0.50 0.40 dog"])
    (True, True, True)
    >>> _have_times(["0.4,0.7,dog"]), _have_times(["0 1 dog"]), _have_times(["0.5 0.9 dog", "dog 0.9 1.5"])
    (True, False, False)
    """
    places = [0, 1, 2]
    line_count = 0
    for line in lines:
        if not line.strip() or line.startswith(_COMMENTS):
            continue
        fields = _BETWEEN_FIELDS.split(line.strip(), maxsplit=4)
        places = [place for place in places if _are_times(fields[place : place + 2])]
        if not places:
            return False
        line_count += 1
    return line_count > 0


def _are_times(pair: Sequence[str]) -> bool:
    """Return whether two fields are times, of which one is no whole number; an asterisk of CTM is a time that is not known."""
    if list(pair) == ["*", "*"]:
        return True
    return len(pair) == 2 and all(map(_TIME.fullmatch, pair)) and any(map(_CERTAIN_TIME.fullmatch, pair))


#: The endings of files that may be of text or of other data too, the more specific ones first.
DOUBTFUL = (".lab", ".json", ".csv", ".tsv", ".srt", ".vtt", ".txt")
_OF_TIMES_ALONE = (".textgrid", ".eaf", ".ctm", ".rttm", ".mlf", ".wrd", ".phn")
#: The endings, the most specific first.
FOLDER = Folder(
    endings=(*_OF_TIMES_ALONE, *DOUBTFUL),
    shown_by=(*_OF_TIMES_ALONE, ".lab", ".srt", ".vtt"),
    files=(".textgrid", ".ctm", ".rttm", ".mlf", ".eaf"),
)

FORMAT = Format("times", world_form=RECORDED, folder=FOLDER, evidence=find_evidence)
