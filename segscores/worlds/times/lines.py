"""Lines of times: NIST's CTM and RTTM, TIMIT, ZeroSpeech, HTK and its MLF, Audacity, mir_eval, and labels of ESPS.

Lines that begin with `#` or `;;` are comments, and lines that begin with a backslash are the frequencies of Audacity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...options.quoting import is_number, shortened
from .intervals import Intervals
from .rows import Row, by_name, columns, is_time, split_lines
from .tables import is_table, parse_table
from .tiers import choose_tier
from .timed_file import TimedFile

#: The labels of silence of TIMIT and Festival.
_TIMIT_SILENCE = ("h#", "pau", "epi")
_RTTM = re.compile(
    r"\s*(;;.*\n\s*)*(SPEAKER|SPKR-INFO|LEXEME|NON-LEX|NON-SPEECH|SEGMENT|NOSCORE|NO_RT_METADATA)\s+\S+\s+\S+\s"
)
#: The types of lines in RTTM that have times, and the place of their labels.
_RTTM_LABELS = {"SPEAKER": 7, "LEXEME": 5}
#: Matches the last line of the header of ESPS.
_ESPS_HEADER = re.compile(r"(?m)^#[ \t]*$")
#: HTK's times are multiples of a millisecond, in units of 100 ns.
HTK_STEP = 10_000
#: The beginning of a master label file of HTK.
MLF_MARK = "#!MLF!#"
_COMMENTS = ("#", ";;", "\\")


def parse_ctm(text: str, _: str | None = None) -> TimedFile:
    """Read NIST's CTM: recording, channel, start, duration, word, and perhaps a confidence; `;;` begins a comment."""
    rows = split_lines(text, 4, "a recording, a channel, a start, a duration and a word", (";;",))
    for number, fields in rows:
        if fields[2] == "*":
            sign = "".join(fields[4:5])
            problem = (
                f"line {number}: {sign} of CTM begins or ends alternatives, which are not read; expected one wording."
            )
            raise ValueError(f"{problem} Delete the other ones, and the lines with *.")
    starts, durations = columns(rows, 2, 3)
    has_channels = len({fields[1] for _, fields in rows}) > 1
    names = [" ".join(fields[: 1 + has_channels]) for _, fields in rows]
    # A line without a word has four fields.
    labels = ["".join(fields[4:5]) for _, fields in rows]
    return TimedFile(by_name(names, starts, starts + durations, labels), "s")


def refuse_stm(_: str, __: str | None = None) -> TimedFile:
    """Raise an error for NIST's STM."""
    raise ValueError("this is STM of NIST, which has times of turns and none of words; expected words, as in CTM.")


def parse_rttm(text: str, tier: str | None = None) -> TimedFile:
    """Read NIST's RTTM: the turns of speakers, whose labels are the speakers, or the words."""
    rows = split_lines(text, 5, "a type, a recording, a channel, a start and a duration", (";;",))
    kinds = [kind for kind in _RTTM_LABELS if any(fields[0] == kind for _, fields in rows)]
    if not kinds:
        raise ValueError("RTTM without lines of the type SPEAKER or LEXEME; expected turns or words with times.")
    kind = kinds[0]
    if len(kinds) > 1 or tier is not None:
        kind = kinds[choose_tier(tier, kinds, [True] * len(kinds))]
    rows = [(number, fields) for number, fields in rows if fields[0] == kind]
    starts, durations = columns(rows, 3, 4)
    place = _RTTM_LABELS[kind]
    labels = ["".join(fields[place : place + 1]) for _, fields in rows]
    names = [fields[1] for _, fields in rows]
    return TimedFile(by_name(names, starts, starts + durations, labels), "s", has_tiers=True)


def parse_mlf(text: str, _: str | None = None) -> TimedFile:
    """Read a master label file of HTK: the name of each recording in a line, its labels as in its own file, and a period."""
    rows = split_lines(text, 1, "a label, or the name of a recording", ())
    every: list[str] = []
    names: list[str] = []  # of the recording of each label
    labelled: list[Row] = []
    name = ""
    for number, fields in rows[1:]:
        line = " ".join(fields)
        if not name:
            name = _recording_of(line)
            every.append(name)
        elif line == ".":
            name = ""
        elif line != "///":  # before the next of several transcriptions
            if len(fields) < 3 or not (is_time(fields[0]) and is_time(fields[1])):
                expected = "expected a start, an end and a label of HTK; labels alone are no times."
                raise ValueError(f"line {number}: received {shortened(line)}; {expected}")
            labelled.append((number, fields))
            names.append(name)
    starts, ends = columns(labelled, 0, 1)
    recordings = by_name(names, starts, ends, [fields[2] for _, fields in labelled])
    return TimedFile({name: recordings.get(name, Intervals()) for name in every}, "100ns")


def _recording_of(line: str) -> str:
    """Return the recording of the pattern of a label file.

    >>> _recording_of('"*/ann/a01.lab"')
    'a01'
    """
    return line.strip('"').replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or line.strip('"*/')


def parse_lines(text: str, tier: str | None = None) -> TimedFile:
    """Read lines of a start, an end and perhaps a label, with a name before them as ZeroSpeech has them; a CTM or RTTM."""
    if _RTTM.match(text):
        return parse_rttm(text, tier)
    if is_table(text):
        return parse_table(text, tier)
    header = _ESPS_HEADER.search(text)
    if header is not None and _has_colours(text[header.end() :]):
        return _parse_esps(text, header.end())
    rows = split_lines(text, 2, "a start, an end and a label", _COMMENTS)
    first = next((fields for _, fields in rows), [])
    if len(first) > 4 and not is_time(first[0]) and all(map(is_time, first[2:4])):
        return parse_ctm(text)
    has_names = bool(rows) and not (is_time(first[0]) and not _is_fourth(first))
    starts, ends = columns(rows, has_names, 1 + has_names)
    labels = [" ".join(fields[2 + has_names :]) for _, fields in rows]
    is_whole = bool(rows) and all("".join(fields[has_names : 2 + has_names]).isdigit() for _, fields in rows)
    if has_names:
        return TimedFile(by_name([fields[0] for _, fields in rows], starts, ends, labels), is_whole=is_whole)
    is_of_htk = is_whole and (bool(np.all(ends % HTK_STEP == 0)) or _have_scores(rows))
    if is_of_htk:
        # As HTK writes them: a start, an end, a label, and perhaps its score and labels of other levels.
        labels = ["".join(fields[2:3]) for _, fields in rows]
    return TimedFile({"": Intervals(starts, ends, labels)}, is_whole=is_whole)


def parse_timit(text: str, tier: str | None = None) -> TimedFile:
    """Read `.phn` and `.wrd` of TIMIT, whose whole numbers are samples; other numbers are seconds."""
    timed = parse_lines(text, tier)
    if timed.is_whole:
        timed.unit = "samples"
    for name, intervals in timed.recordings.items():
        timed.recordings[name] = Intervals(intervals.starts, intervals.ends, _without_silence(intervals.labels))
    return timed


def _parse_esps(text: str, begin: int) -> TimedFile:
    """Read labels of ESPS, xwaves, Festival and Buckeye: after a line `#` an end, a colour and a label, up to a semicolon."""
    # Blank lines in place of the header keep the numbers of lines.
    body = "\n" * text.count("\n", 0, begin) + text[begin:]
    rows = split_lines(body, 2, "an end, a colour and a label", ())
    (ends,) = columns(rows, 0)
    labels = [" ".join(fields[2:]).partition(";")[0].strip() for _, fields in rows]
    starts = np.append(0.0, ends)[: len(ends)]
    return TimedFile({"": Intervals(starts, ends, _without_silence(labels))}, "s", has_labels=any(labels))


def _without_silence(labels: Sequence[str]) -> list[str]:
    return ["" if label in _TIMIT_SILENCE else label for label in labels]


def _has_colours(body: str) -> bool:
    """Return whether lines have numbers of colours in place of ends: whole numbers, which do not increase."""
    rows = [line.split() for line in body.split("\n") if line.strip()]
    if len(rows) < 2 or not all(len(fields) > 1 and fields[1].isdigit() for fields in rows):
        return False
    colours = [int(fields[1]) for fields in rows]
    return any(np.diff(colours) <= 0)


def _have_scores(rows: Sequence[Row]) -> bool:
    """Return whether every line has a fourth field that is a score: a number with a point or a sign."""
    fourths = [fields[3] if len(fields) > 3 else "" for _, fields in rows]
    return all(is_number(fourth) and not fourth.isdigit() for fourth in fourths)


def _is_fourth(fields: Sequence[str]) -> bool:
    """Return whether a line of four fields begins with the name of a recording that is a number."""
    has_times = len(fields) == 4 and all(map(is_number, fields[:3]))
    return has_times and float(fields[1]) <= float(fields[2]) < float(fields[0])
