"""The row of times of recordings, whose files `recordings` opens."""

from __future__ import annotations

import re

from ...reading.form import RECORDED
from ...reading.formats.format import Evidence, Folder, Format

#: Matches the beginning of a TextGrid, or of a master label file.
_MARK = re.compile(
    r'\s*(File type = )?"ooTextFile( short)?"\s+(Object class = )?"TextGrid"|ooBinaryFile.TextGrid|#!MLF!#\s'
)
#: A time in seconds.
_DECIMAL = re.compile(r"\d+\.\d+")

#: The usual names of columns with the starts, and with the ends or durations, of intervals.
_STARTS = ("start", "onset", "begin", "tmin", "xmin", "start_time", "begin_time")
_ENDS = ("end", "offset", "stop", "tmax", "xmax", "end_time", "duration")


def find_evidence(text: str) -> Evidence | None:
    """Find the times at the beginning of a text."""
    lines = [line for line in text.split("\n") if line.strip()]
    if _MARK.match(text) or (lines and all(map(_has_times, lines))):
        return Evidence("its times")
    names = {cell.strip(' "').lower() for cell in re.split(r"[\t,;]", text.partition("\n")[0])}
    if not names.isdisjoint(_STARTS) and not names.isdisjoint(_ENDS):
        return Evidence("its columns of times")
    return None


def _has_times(line: str) -> bool:
    """Return whether a line has two times: its first two fields, or, as in CTM, the two after the recording and the channel.

    >>> _has_times("0.50 0.90 dog"), _has_times("a01 1 0.50 0.40 dog"), _has_times("0 1 dog")
    (True, True, False)
    """
    fields = line.split()
    return any(len(pair) == 2 and all(map(_DECIMAL.fullmatch, pair)) for pair in (fields[:2], fields[2:4]))


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
