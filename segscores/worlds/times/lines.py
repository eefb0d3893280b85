"""Lines of times: NIST's CTM and RTTM, TIMIT, ZeroSpeech, HTK and its MLF, Audacity, mir_eval, and labels of ESPS.

Lines that begin with `#` or `;;` are comments, and lines that begin with a backslash are the frequencies of Audacity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...options.quoting import is_number, shortened
from .intervals import Intervals
from .rows import Row, are_whole, by_name, columns, in_seconds, is_time, split_lines
from .tables import is_table, parse_table
from .tiers import choose_tier
from .timed_file import TimedFile

#: The labels of silence of TIMIT and Festival.
_TIMIT_SILENCE = ("h#", "pau", "epi")
#: Matches the first line of RTTM that is no comment.
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
#: The beginnings of lines that are no intervals.
_COMMENTS = ("#", ";;", "\\")


def parse_ctm(text: str, _tier: str | None = None) -> TimedFile:
    """Read NIST's CTM: recording, channel, start, duration, word, and perhaps a confidence; `;;` begins a comment."""
    expected = "a recording, a channel, a start, a duration and a word"
    rows = split_lines(text, least=4, expected=expected, comments=(";;",))
    for row in rows:
        if row.field(2) == "*":
            # No start, as in `a1 1 * * <ALT_BEGIN>`.
            problem = f"{row.field(4)} of CTM begins or ends alternatives, which are not read; expected one wording."
            raise ValueError(f"line {row.number}: {problem} Delete the other ones, and the lines with *.")
    # a01 1 0.50 0.40 dog: the fields 0 to 4.
    starts, durations = columns(rows, 2, 3)
    names = [row.field(0) for row in rows]
    channels = [row.field(1) for row in rows]
    if len({*channels}) > 1:
        # Each channel is a recording, with its own words at the same times.
        names = [f"{name} {channel}" for name, channel in zip(names, channels, strict=True)]
    # A line without a word has four fields, and so a blank label.
    labels = [row.field(4) for row in rows]
    if rows and all(_has_confidence_first(row) for row in rows):
        shown = shortened(" ".join(rows[0].fields))
        raise ValueError(
            f"line {rows[0].number}: received {shown}; expected {expected}, with its confidence behind the word."
        )
    # NIST's times are seconds with decimals: whole numbers alone may be frames or milliseconds.
    is_whole = all(row.field(2).isdecimal() and row.field(3).isdecimal() for row in rows)
    unit = "" if rows and is_whole else "s"
    return TimedFile(by_name(names, starts, starts + durations, labels), unit=unit, is_whole=is_whole)


def _has_confidence_first(row: Row) -> bool:
    """Return whether a line of CTM has a share in place of a word, and a word behind it: `a01 1 0.50 0.40 0.98 dog`."""
    is_share = re.fullmatch(r"[01]\.\d+", row.field(4)) is not None
    return is_share and row.field(5)[:1].isalpha()


def refuse_stm(_text: str, _tier: str | None = None) -> TimedFile:
    """Raise an error for NIST's STM."""
    raise ValueError("this is STM of NIST, which has times of turns and none of words; expected words, as in CTM.")


def parse_rttm(text: str, tier: str | None = None) -> TimedFile:
    """Read NIST's RTTM: the turns of speakers, whose labels are the speakers, or the words. The types of lines are its tiers."""
    expected = "a type, a recording, a channel, a start and a duration"
    rows = split_lines(text, least=5, expected=expected, comments=(";;",))
    types_of_lines = {row.field(0) for row in rows}
    types = [line_type for line_type in _RTTM_LABELS if line_type in types_of_lines]
    if not types:
        raise ValueError("RTTM without lines of the type SPEAKER or LEXEME; expected turns or words with times.")
    # Turns of speakers come before words.
    chosen, *_ = types
    if len(types) > 1 or tier is not None:
        chosen = types[choose_tier(tier, types, have_intervals=[True] * len(types))]
    # SPEAKER a01 1 0.50 0.40 <NA> <NA> ann: the fields 0 to 7.
    rows = [row for row in rows if row.field(0) == chosen]
    names = [row.field(1) for row in rows]
    starts, durations = columns(rows, 3, 4)
    labels = [row.field(_RTTM_LABELS[chosen]) for row in rows]
    return TimedFile(by_name(names, starts, starts + durations, labels), unit="s", has_tiers=True)


def parse_mlf(text: str, _tier: str | None = None) -> TimedFile:
    """Read a master label file of HTK: the name of each recording in a line, its labels as in its own file, and a period."""
    rows = split_lines(text, least=1, expected="a label, or the name of a recording", comments=())
    names: dict[str, None] = {}  # in their order
    labelled: list[Row] = []
    names_of_labelled: list[str] = []
    name = ""  # of the recording whose labels follow; empty where the next name is due
    after_mark = rows[1:]  # the first line is MLF_MARK
    for row in after_mark:
        line = " ".join(row.fields)
        if not name:
            name = _name_in(row)
            if name in names:
                raise ValueError(f"line {row.number}: two recordings are called {name}; expected different names.")
            names[name] = None
        elif line == ".":
            name = ""
        elif line != "///":  # which stands between several transcriptions of a recording
            _require_label(row)
            labelled.append(row)
            names_of_labelled.append(name)
    starts, ends = columns(labelled, 0, 1)
    recordings = by_name(names_of_labelled, starts, ends, [row.field(2) for row in labelled])
    # A recording without a label is empty.
    return TimedFile(
        {name: recordings.get(name, Intervals()) for name in names}, unit="100ns", notes=_notes_of_levels(labelled)
    )


def _name_in(row: Row) -> str:
    """Return the recording that a line names; raise an error for a line that has none, as a label without a recording."""
    line = " ".join(row.fields)
    name = _recording_of(line)
    is_blank = name in ("", ".")
    is_label = len(row.fields) > 2 and all(map(is_time, row.fields[:2]))
    if is_blank or is_label:
        raise ValueError(
            f'line {row.number}: received {shortened(line)}; expected the name of a recording, such as "*/a01.lab".'
        )
    return name


def _require_label(row: Row) -> None:
    """Raise an error if a line of HTK has no start, end and label."""
    if len(row.fields) < 3 or not all(map(is_time, row.fields[:2])):
        received = shortened(" ".join(row.fields))
        expected = "expected a start, an end and a label of HTK; labels alone are no times."
        raise ValueError(f"line {row.number}: received {received}; {expected}")


def _notes_of_levels(rows: Sequence[Row]) -> list[str]:
    """Return a note if only some lines of HTK have a second label, as the first phones of words have the word."""
    # 4000000 4500000 dh -81.5 the: a score may stand between the labels.
    higher = [next((field for field in row.fields[3:] if not is_number(field)), "") for row in rows]
    first = next(filter(None, higher), "")
    if not first or all(higher):
        return []
    return [f"some lines have a second label, such as {shortened(first)}; the first label of each line is read."]


def _recording_of(line: str) -> str:
    """Return the recording of the pattern of a label file: its name without folders and ending.

    >>> _recording_of('"*/ann/a01.lab"'), _recording_of('"*/a01"')
    ('a01', 'a01')
    """
    path = line.strip('"').replace("\\", "/")
    file_name = path.rpartition("/")[2]
    stem = file_name.rpartition(".")[0]
    return stem or line.strip('"*/')


def parse_lines(text: str, tier: str | None = None) -> TimedFile:
    """Read lines of a start, an end and perhaps a label, before which a name may stand, as in files of ZeroSpeech.

    Lines of RTTM, CTM and ESPS, and tables, are recognised and read as what they are.
    """
    if _RTTM.match(text):
        return parse_rttm(text, tier)
    if is_table(text):
        return parse_table(text, tier)
    header = _ESPS_HEADER.search(text)
    if header is not None and _has_colours(text[header.end() :]):
        return _parse_esps(text, header.end())
    rows = split_lines(text, least=2, expected="a start, an end and a label", comments=_COMMENTS)
    if not rows:
        return TimedFile({"": Intervals()})  # one recording, which is empty
    if _are_of_frames(rows):
        raise ValueError(
            "each line is a name and whole numbers, as Kaldi writes a label for each frame; expected times. Convert it with "
            "ali-to-phones --ctm-output."
        )
    if _looks_like_ctm(rows[0].fields):
        return parse_ctm(text)
    return _of_rows(rows)


def _are_of_frames(rows: Sequence[Row]) -> bool:
    """Return whether lines are a name and the labels of frames, which are whole numbers, and not equally many."""
    first_name, *first_labels = rows[0].fields
    may_be_times = len(first_labels) < 4 or is_time(first_name)
    if may_be_times or len({len(row.fields) for row in rows}) == 1:
        return False
    return all("".join(row.fields[1:]).isdecimal() for row in rows)


def _looks_like_ctm(fields: Sequence[str]) -> bool:
    """Return whether a line is one of CTM, such as `a01 1 0.50 0.40 dog`: the third and fourth fields are its times.

    The name and the channel may be whole numbers, as in `2347 1 0.50 0.40 dog`: a start is less than its end.
    """
    has_times = len(fields) > 4 and all(map(is_time, fields[2:4]))
    if not has_times:
        return False
    name, channel = fields[:2]
    may_be_interval = is_time(name) and is_time(channel)
    if not may_be_interval:
        return True
    return channel.isdecimal() and float(in_seconds(name)) >= int(channel)


def _of_rows(rows: Sequence[Row]) -> TimedFile:
    """Read lines of a start, an end and perhaps a label, before which a name may stand; the first line shows whether one does.

    `is_whole` of the result says that all times are whole numbers, whose unit is unknown.
    """
    first_fields = rows[0].fields
    has_names = not is_time(first_fields[0]) or _begins_with_numeric_name(first_fields)
    # `0.5 0.9 dog`, or `a01 0.5 0.9 dog`.
    start_place = 1 if has_names else 0
    end_place = start_place + 1
    starts, ends = columns(rows, start_place, end_place)
    labels = [" ".join(row.fields[end_place + 1 :]) for row in rows]
    notes: list[str] = []
    is_whole = are_whole(rows, start_place, end_place)
    if has_names:
        return TimedFile(by_name([row.field(0) for row in rows], starts, ends, labels), is_whole=is_whole)
    # HTK's times are multiples of its step, in units of 100 ns, or a score follows the label.
    is_of_htk = is_whole and (bool(np.all(ends % HTK_STEP == 0)) or _have_scores(rows))
    if is_of_htk:
        # As HTK writes them: a start, an end, a label, and perhaps its score and labels of other levels.
        labels = [row.field(2) for row in rows]
        notes = _notes_of_levels(rows)
    return TimedFile({"": Intervals(starts, ends, labels)}, is_whole=is_whole, notes=notes)


def parse_timit(text: str, tier: str | None = None) -> TimedFile:
    """Read `.phn` and `.wrd` of TIMIT, whose whole numbers are samples; other numbers are seconds."""
    timed = parse_lines(text, tier)
    if timed.is_whole:
        timed.unit = "samples"
    for name, intervals in timed.recordings.items():
        timed.recordings[name] = Intervals(intervals.starts, intervals.ends, _without_silence(intervals.labels))
    return timed


def _parse_esps(text: str, begin: int) -> TimedFile:
    """Read labels of ESPS, xwaves, Festival and Buckeye: an end, a colour and a label, up to a semicolon.

    `begin` is the place in the text after the line `#`, which ends the header.
    """
    # Blank lines in place of the header keep the numbers of lines.
    body = "\n" * text.count("\n", 0, begin) + text[begin:]
    rows = split_lines(body, least=2, expected="an end, a colour and a label", comments=())
    (ends,) = columns(rows, 0)
    # Each label begins where the one before it ends: ends 0.5 0.9, starts 0 0.5.
    starts = np.append(0.0, ends)[: len(ends)]
    labels = [" ".join(row.fields[2:]).partition(";")[0].strip() for row in rows]
    # Labels of silence are blank by now, but a file that has no others has labels too.
    return TimedFile({"": Intervals(starts, ends, _without_silence(labels))}, unit="s", has_labels=any(labels))


def _without_silence(labels: Sequence[str]) -> list[str]:
    """Return the labels with blank ones for silence."""
    return ["" if label in _TIMIT_SILENCE else label for label in labels]


def _has_colours(body: str) -> bool:
    """Return whether the second fields of lines are the colours of ESPS, as in `0.5 121 dog`, and not ends.

    Colours are whole numbers. Unlike ends, they do not increase from each line to the next.
    """
    lines = [line.split() for line in body.split("\n") if line.strip()]
    if len(lines) < 2 or not all(len(fields) > 1 and fields[1].isdigit() for fields in lines):
        return False
    colours = [int(fields[1]) for fields in lines]
    return any(np.diff(colours) <= 0)


def _have_scores(rows: Sequence[Row]) -> bool:
    """Return whether the fourth field of every line is a score: a number with a point or a sign, as in `0 900 a -12.5`."""
    fourths = [row.field(3) for row in rows]
    return all(is_number(fourth) and not fourth.isdigit() for fourth in fourths)


def _begins_with_numeric_name(fields: Sequence[str]) -> bool:
    """Return whether a line begins with the name of a recording that is a number, as in `1034 0.5 0.9 dog`.

    Of its four fields, the second and the third are then a start and an end. The first is greater than both, so that it is no
    start.
    """
    has_three_numbers = len(fields) == 4 and all(map(is_number, fields[:3]))
    if not has_three_numbers:
        return False
    name, start, end = (float(field) for field in fields[:3])
    return start <= end < name
