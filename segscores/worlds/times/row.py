"""The row of times of recordings, whose files `recordings` opens."""

from __future__ import annotations

import re

from ...reading.form import RECORDED
from ...reading.formats.format import Evidence, Folder, Format

#: Matches the beginning of a TextGrid, of a CTM, or of lines with a start and an end in seconds.
_TIMES = re.compile(
    r'\s*(File type = )?"ooTextFile( short)?"\s+(Object class = )?"TextGrid"|ooBinaryFile.TextGrid|#!MLF!#\s|'
    r"((\S+[ \t]+\S+[ \t]+)?\d+\.\d+[ \t]+\d+\.\d+([ \t]+\S+)*[ \t]*(\n\s*|\Z))+\Z"
)

#: The usual names of columns with the starts, and with the ends or durations, of intervals.
_STARTS = ("start", "onset", "begin", "tmin", "xmin", "start_time", "begin_time")
_ENDS = ("end", "offset", "stop", "tmax", "xmax", "end_time", "duration")


def find_evidence(text: str) -> Evidence | None:
    """Find the times at the beginning of a text."""
    if _TIMES.match(text):
        return Evidence("its times")
    names = {cell.strip(' "').lower() for cell in re.split(r"[\t,;]", text.partition("\n")[0])}
    if not names.isdisjoint(_STARTS) and not names.isdisjoint(_ENDS):
        return Evidence("its columns of times")
    return None


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
