"""The row of times of recordings, whose files `sources.recordings` opens."""

from __future__ import annotations

import re

from .format import Evidence, Format

#: Matches the beginning of a TextGrid, of a CTM, or of lines with a start and an end in seconds.
_TIMES = re.compile(
    r'\s*File type = "ooTextFile|((\S+[ \t]+\S+[ \t]+)?\d+\.\d+[ \t]+\d+\.\d+([ \t]+\S+)*[ \t]*(\n\s*|\Z))+\Z'
)


def find_evidence(text: str) -> Evidence | None:
    """Find the times at the beginning of a text."""
    if _TIMES.match(text):
        return Evidence("its times")
    return None


FORMAT = Format("times", has_times=True, evidence=find_evidence)
