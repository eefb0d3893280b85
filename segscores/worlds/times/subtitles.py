"""Subtitles: SubRip, WebVTT and YouTube's SBV, whose cues are intervals.

The text of a cue is its label, without tags such as `<i>`. A cue of several words is one interval, which a note says.
"""

from __future__ import annotations

import html
import re

from .intervals import Intervals
from .timed_file import TimedFile

#: A time, with groups for its hours, minutes, seconds and decimals.
_TIME = r"(?:(\d+):)?(\d+):(\d\d)[.,](\d{1,3})"
#: A line with the times of a cue; settings of WebVTT may follow.
_TIMES = re.compile(rf"\s*{_TIME}(?:\s+-->\s+|,){_TIME}(?:\s.*)?")
#: A tag such as <i>, or one of SubStation such as {\an8}.
_TAG = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
#: The time of a word within a cue.
_INNER_TIME = re.compile(rf"<{_TIME}>")
_ARROW = "-->"
#: The first lines of WebVTT, and of SBV as aeneas writes it.
_BEGINNINGS = ("WEBVTT", "[SUBTITLE]")
#: The number of characters in which the first two lines end.
_HEAD = 1000


def is_subtitles(text: str) -> bool:
    """Return whether a text begins as subtitles do: with WEBVTT or [SUBTITLE], or a cue's times in the first two lines."""
    beginning = text.lstrip()[:_HEAD]
    # A number may stand above the times of the first cue.
    first_lines = beginning.split("\n")[:2]
    return beginning.startswith(_BEGINNINGS) or any(map(_TIMES.fullmatch, first_lines))


def parse_subtitles(text: str, _tier: str | None = None) -> TimedFile:
    """Read the cues of SubRip, WebVTT or SBV: a line with times, and lines of text up to a blank one."""
    starts: list[float] = []
    ends: list[float] = []
    cues: list[list[str]] = []
    is_in_cue = False
    for number, line in enumerate(text.split("\n"), 1):
        times = _TIMES.fullmatch(line)
        if times:
            # A line with times begins a cue, of which the lines up to a blank one are the text.
            if is_in_cue:
                _drop_number_of_next_cue(cues[-1])
            fields = times.groups()
            starts.append(_seconds(fields[:4]))
            ends.append(_seconds(fields[4:]))
            cues.append([])
            is_in_cue = True
        elif not line:
            # A line of spaces is a part of a cue, as of YouTube.
            is_in_cue = False
        elif is_in_cue:
            cues[-1].append(line)
        elif _ARROW in line:
            # The times of a cue cannot be read. Other lines before a cue, such as its number, are skipped.
            raise ValueError(
                f"line {number}: received {line.strip()!r}; expected times such as 00:00:01,500 --> 00:00:02,000."
            )
    if not cues and text.strip() and not text.lstrip().startswith(_BEGINNINGS):
        raise ValueError("it has no cues; expected lines such as 00:00:01,500 --> 00:00:02,000.")
    return _of_cues(starts, ends, ["\n".join(lines) for lines in cues])


def _drop_number_of_next_cue(lines: list[str]) -> None:
    """Remove, in place, the last line of a cue if it is a number: no blank line stands before the number of the next cue."""
    if lines and lines[-1].strip().isdigit():
        lines.pop()


def _of_cues(starts: list[float], ends: list[float], texts: list[str]) -> TimedFile:
    """Return the intervals of cues, with a note if cues have several words; raise an error if words within cues have times."""
    if any(map(_INNER_TIME.search, texts)):
        raise ValueError(
            "these subtitles have times of words within their cues, which repeat each other's text, as YouTube writes them; "
            "expected cues of text alone. Take the times of the words from a file of JSON."
        )
    labels = [" ".join(html.unescape(_TAG.sub("", text)).split()) for text in texts]
    timed = TimedFile({"": Intervals(starts, ends, labels)}, unit="s")
    long = sum(" " in label for label in labels)
    if long:
        timed.notes.append(
            f"subtitles: {long} of {len(labels)} cues have several words, and each cue is one interval, which is no word. Scores "
            f"compare the times of cues."
        )
    return timed


def _seconds(fields: tuple[str | None, ...]) -> float:
    """Return the time of hours, minutes, seconds and decimals.

    >>> _seconds(("1", "02", "03", "5"))
    3723.5
    """
    # There may be no hours.
    hours, minutes, seconds, decimals = fields
    whole_seconds = 3600 * int(hours or 0) + 60 * int(minutes or 0) + int(seconds or 0)
    # Decimals 5 are 500 milliseconds.
    milliseconds = int((decimals or "0").ljust(3, "0"))
    return (1000 * whole_seconds + milliseconds) / 1000
