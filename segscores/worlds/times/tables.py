"""Tables of times: CSV with commas or semicolons, and TSV."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...kernel.record import record
from ...options.messages import Message
from ...options.quoting import listed_names, shortened
from ...options.table import OPTIONS
from .intervals import Intervals
from .rows import Row, are_whole, by_name, columns, is_time
from .tiers import choose_tier, is_usual_tier
from .timed_file import Floats, TimedFile, is_name_of_time, time_names

#: The names of columns with labels, the best first.
_LABELS = (
    *("label", "word", "text", "phone", "phoneme", "token", "char", "name", "mark", "annotation"),
    *("labels", "words", "phones", "transcript", "transcription", "orthography", "segment", "syllable", "sentence"),
    *("content", "value"),
)
#: The names of columns with the parts of a word.
_PARTS_OF_WORDS = ("phone", "phoneme", "phones", "char", "syllable")
#: The names of columns with the recording of each row.
_FILES = (
    *("file", "filename", "file_name", "recording", "audio", "path", "file_path", "filepath", "begin file"),
    *("audio_file", "audio_path", "audio_filepath", "wav", "wav_file", "bundle", "clip"),
)
#: The names of columns that number rows as often as they name recordings.
_IDS = ("utterance", "utt", "utterance_id", "utt_id", "id", "name")
#: The names of columns that may have tiers: `_has_tiers` looks at their values.
_TIERS = ("tier", "tiername", "tier_name", "type")
_SPEAKERS = ("speaker", "speaker_id", "speakerid", "participant")
#: The columns in which Raven names the view in which a row is a selection.
_VIEWS = ("view",)
_DELIMITERS = "\t,;"
#: A comma between digits, with the end of the cell after them: `0,5;`.
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d+\s*[;\t])")
#: A first line that names the delimiter for Excel.
_LINE_OF_EXCEL = re.compile(r"\Asep=.[ \t]*\n")
_REMEDY_OF_QUOTES = 'A label with a mark stands in quotes, with the mark twice: """oh".'
#: The name of the recording that the whole file is.
_WHOLE_FILE = ""


@record
class _Columns:
    """The places of the columns of a table; None for a column that it does not have."""

    start: int
    last: int  #: the place of the ends, or of the durations
    label: int | None = None
    file: int | None = None  #: the place of the names of recordings
    ids: int | None = None  #: the place of values that name recordings, or number rows
    has_durations: bool = False


def parse_table(text: str, tier: str | None = None) -> TimedFile:
    """Read a table: columns by name (start, end or duration, label, file), or without a header a start, an end and a label."""
    # The first line of Excel stays as a blank one, so that the numbers of lines do.
    text = _LINE_OF_EXCEL.sub("\n", text)
    first_line, _, _ = text.lstrip("\n").partition("\n")
    # The delimiter is the one that occurs most often. In 0,5;1,0;dog the commas are decimal, and do not count.
    delimiter = max(_DELIMITERS, key=_DECIMAL_COMMA.sub("", first_line).count)
    rows = _rows_of(text, delimiter)
    if not rows:
        return _of_columns(rows, _Columns(start=0, last=1))
    first_row, *others = rows
    start = _first_pair_of_times(first_row.fields)
    if start is None:
        return _with_header(first_row.fields, others, tier)
    _refuse_decimal_commas(rows, start, delimiter)
    if _numbers_rows(rows, start):
        # 1,0.4,0.7,dog
        start += 1
    label, note = _label_beside_times(rows, start)
    table = _of_columns(rows, _Columns(start=start, last=start + 1, label=label))
    return replace(table, notes=note)


def _label_beside_times(rows: Sequence[Row], start: int) -> tuple[int, list[str]]:
    """Return the place of the labels of rows without a header, whose times are at `start` and after it, and notes on it.

    The labels are the first text after the times, or else before them. Numbers are labels where there is no text, and text of
    which all rows have the same, such as a tier or a speaker, is none.
    """
    width = max(len(row.fields) for row in rows)
    after = range(start + 2, width)
    text_after = [place for place in after if _is_text(rows, place)]
    varied = [place for place in text_after if _differ(rows, place)]
    candidates = varied or text_after
    if candidates:
        label, *others = candidates
        if others:
            names = " and ".join(str(place + 1) for place in candidates)
            return label, [f"the columns {names} may have the labels; {label + 1} is read. A first row may name them."]
        return label, []
    # dog,0.5,1.2 and dog,0.5,1.2,0.93: after the times stands nothing, or a score.
    has_score = any("." in row.field(start + 2) for row in rows)
    if start > 0 and (start + 2 >= width or (has_score and _is_text(rows, start - 1))):
        return start - 1, []
    return start + 2, []


def _is_text(rows: Sequence[Row], place: int) -> bool:
    """Return whether a row has text at a place that is no time."""
    return any(row.field(place).strip() and not is_time(row.field(place)) for row in rows)


def _numbers_rows(rows: Sequence[Row], place: int) -> bool:
    """Return whether the fields at a place count the rows from 0 or 1, and two times follow them."""
    fields = [row.field(place).strip() for row in rows]
    count_rows = any(fields == [*map(str, range(first, first + len(rows)))] for first in (0, 1))
    have_times = all(is_time(row.field(place + 1)) and is_time(row.field(place + 2)) for row in rows)
    return len(rows) > 1 and count_rows and have_times


def _differ(rows: Sequence[Row], place: int) -> bool:
    """Return whether rows have different fields at a place."""
    return len({row.field(place) for row in rows}) > 1


def _refuse_decimal_commas(rows: Sequence[Row], start: int, delimiter: str) -> None:
    """Raise an error for rows such as 0,4,0,55,dog, in which two numbers with decimal commas have four cells."""
    if delimiter == "," and all(_has_four_whole_numbers(row, start) for row in rows):
        received = ",".join(rows[0].fields)
        raise ValueError(
            f"line {rows[0].number}: received {shortened(received)}, with four whole numbers: are they two with decimal commas? "
            f"Expected decimal points, or semicolons between cells."
        )


def _has_four_whole_numbers(row: Row, first: int) -> bool:
    """Return whether four cells from a place on have digits alone."""
    cells = row.fields[first : first + 4]
    return len(cells) == 4 and all(cell.strip().isdigit() for cell in cells)


def _rows_of(text: str, delimiter: str) -> list[Row]:
    """Return the rows of a table that are not blank, each with the number of its first line."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    rows = []
    number = 1
    try:
        for fields in reader:
            row = Row(number, fields)
            # A row has several lines where a cell in quotes has them.
            number = reader.line_num + 1
            if any(map(str.strip, fields)):
                _check_quotes(row, delimiter)
                rows.append(row)
    except csv.Error:
        # A mark that nothing closes makes one cell of the rest of the file.
        received = f"a cell of more than {csv.field_size_limit():,} characters"
        question = "does a quotation mark open it, which nothing closes?"
        raise ValueError(f"line {number}: {received}: {question} {_REMEDY_OF_QUOTES}") from None
    return rows


def _check_quotes(row: Row, delimiter: str) -> None:
    """Raise an error if a cell has rows of times in it, as after the label `"oh`, whose quotation mark nothing closes."""
    for cell in row.fields:
        lines = cell.split("\n")
        if len(lines) > 1 and any(_first_pair_of_times(line.split(delimiter)) is not None for line in lines):
            received = f"a quotation mark opens a cell, which has the rows after it: {shortened(cell)}"
            raise ValueError(f"line {row.number}: {received}; expected a mark that closes it. {_REMEDY_OF_QUOTES}")


def _first_pair_of_times(fields: Sequence[str]) -> int | None:
    """Return the place of the first two neighbouring times of a row; None if it has none.

    >>> _first_pair_of_times(["f001", "0.0", "2.7", "dog"]), _first_pair_of_times(["start", "end"])
    (1, None)
    """
    for place, (left, right) in enumerate(pairwise(fields)):
        if is_time(left) and is_time(right):
            return place
    return None


def is_table(text: str) -> bool:
    """Return whether text is a table of times by its first line, `label<TAB>start<TAB>end` or `f001,0.0,2.7,dog`.

    Between tabs, the line has names of columns of times; between commas, two neighbouring times. Other tables are known
    by the ending of their file.
    """
    first_line, _, _ = text.lstrip("\n").partition("\n")
    has_names = "\t" in first_line and time_names(name.strip() for name in first_line.split("\t")) is not None
    # The two times are the first cells, or they follow one cell, an id or a label: three cells are enough to find them.
    first_cells = first_line.split(",")[:3]
    return has_names or _first_pair_of_times(first_cells) is not None


def _with_header(header: Sequence[str], rows: list[Row], tier: str | None) -> TimedFile:
    """Read the rows below a header; `tier` is a value of a column of tiers, or the name of a column of labels."""
    names = [name.strip() for name in header]
    lower = [name.lower() for name in names]
    times = time_names(names)
    if times is None:
        raise ValueError(f"its columns are {listed_names(lower)}; expected start, and end or duration.")
    for row in rows:
        # Such as the label `oh, no` without quotes: the part after the comma would be dropped.
        if any(map(str.strip, row.fields[len(header) :])):
            received = f"{len(row.fields)} cells, and the header has {len(header)}"
            raise ValueError(f"line {row.number}: {received}. A cell with a separator in it stands in quotes.")
    rows = _of_first_view(rows, _column(lower, _VIEWS))
    file = _column(lower, _FILES)
    notes = []
    if file is None:
        file = _column_of_recordings(
            lower, rows, names.index(times.start), names.index(times.last), has_ends=bool(times.end)
        )
        notes += [] if file is None else [f"the column {names[file]} is read as the names of recordings."]
    label, notes_of_label = _label_column(names, rows, file)
    notes += notes_of_label
    tier_column = _column(lower, _TIERS)
    has_tiers = False
    if tier_column is not None and _has_tiers(rows, tier_column, tier):
        # The option `tier` chooses rows.
        rows = _of_tier(rows, tier_column, tier)
        has_tiers = True
    elif tier is not None and tier.lower() in lower:
        # The option `tier` chooses the column of labels.
        label = lower.index(tier.lower())
        has_tiers = True
    if tier is not None:
        # The user has named what is read.
        notes = []
    if times.start == "tmin" and label is not None:
        # Praat calls the starts so.
        rows = [_without_question_mark(row, label) for row in rows]
    columns_by_name = _Columns(
        start=names.index(times.start),
        last=names.index(times.last),
        label=label,
        file=file,
        ids=_column_of_ids(lower, label),
        has_durations=not times.end,
    )
    table = _with_speakers(rows, columns_by_name, _column(lower, _SPEAKERS), is_of_one_tier=has_tiers)
    return replace(table, unit=times.unit, has_tiers=has_tiers, notes=notes)


def _column_of_recordings(
    header: Sequence[str], rows: Sequence[Row], start: int, last: int, *, has_ends: bool
) -> int | None:
    """Return the place of text that likely names recordings: by it rows do not overlap, which do in the table; else None."""
    if any(len(row.fields) <= max(start, last) for row in rows):
        # An error later says so.
        return None
    starts, lasts = columns(rows, start, last)
    ends = lasts if has_ends else starts + lasts
    if not _overlaps(Intervals(starts, ends)):
        return None
    for place, name in enumerate(header):
        is_of_other_kind = name in (*_LABELS, *_IDS, *_TIERS, *_SPEAKERS, *_VIEWS) or is_name_of_time(name)
        fields = _stripped_fields(rows, place)
        # Each recording has several rows, unlike each word.
        has_few = len({*fields}) <= len(rows) / 2 and "" not in fields
        if is_of_other_kind or not has_few or not _is_text(rows, place):
            continue
        recordings = by_name(fields, starts, ends, fields)
        if not any(_overlaps(recording) for recording in recordings.values()):
            return place
    return None


def _label_column(names: Sequence[str], rows: Sequence[Row], file: int | None) -> tuple[int | None, list[str]]:
    """Return the place of the labels, None if there are none, and notes on what was read of several, or by no usual name."""
    header = [name.lower() for name in names]
    known = [header.index(name) for name in _LABELS if name in header]
    varied = [place for place in known if _differ(rows, place)]
    if known:
        label, *_ = varied or known
        return label, _note_of_parts(header, rows, label)
    of_other_kinds = (*_FILES, *_IDS, *_TIERS, *_SPEAKERS, *_VIEWS)
    texts = []
    for place, name in enumerate(header):
        is_of_other_kind = name in of_other_kinds or is_name_of_time(name) or place == file
        is_varied = len(rows) == 1 or _differ(rows, place)
        if _is_text(rows, place) and is_varied and not is_of_other_kind:
            texts.append(place)
    if not texts:
        return None, []
    if len(texts) > 1:
        listed = listed_names([names[place] for place in texts])
        problem = "no column has a usual name of labels, so that the intervals have none: name one with "
        return None, [Message(problem, OPTIONS["tier"], f". They are {listed}.")]
    (label,) = texts
    return label, [f"the column {names[label]} is read as the labels."]


def _note_of_parts(header: Sequence[str], rows: Sequence[Row], label: int) -> list[str]:
    """Return a note if the labels are words, and each row is a part of one, as in a table of phones with their words."""
    parts = next((name for name in _PARTS_OF_WORDS if name in header), None)
    if parts is None or header[label] == parts:
        return []
    labels = [row.field(label) for row in rows]
    if not any(left == right for left, right in pairwise(labels)):
        return []
    read = f"the column {header[label]} is read as the labels, which repeat"
    return [Message(f"{read}: are the intervals those of {parts}? Name it with ", OPTIONS["tier"], ".")]


def _with_speakers(rows: list[Row], places: _Columns, speaker: int | None, *, is_of_one_tier: bool) -> TimedFile:
    """Read the recordings of rows: those that the rows name, or else the speakers, if they are kept apart.

    `speaker` is the place of the names of speakers; None if there are none.
    """
    table = _of_columns(rows, places)
    is_one_recording = [*table.recordings] == [_WHOLE_FILE]
    if speaker is None or not is_one_recording:
        return table
    # Read the rows again, as if the column of speakers named recordings.
    by_speaker = _of_columns(rows, replace(places, file=speaker, ids=None))
    if not _are_kept_apart(by_speaker, table.recordings[_WHOLE_FILE], is_of_one_tier=is_of_one_tier):
        return table
    return replace(by_speaker, speakers=frozenset(by_speaker.recordings))


def _column_of_ids(header: Sequence[str], label: int | None) -> int | None:
    """Return the place of the ids; None if there are none, or if they are the labels, as `name` may be."""
    without_label = ["" if place == label else name for place, name in enumerate(header)]
    return _column(without_label, _IDS)


def _are_kept_apart(by_speaker: TimedFile, whole: Intervals, *, is_of_one_tier: bool) -> bool:
    """Return whether each speaker of a table is a recording of its own. Speakers who take turns are one recording.

    Every row has to name a speaker. Then there is one speaker, or each has rows in the chosen tier, or they overlap in the table.
    """
    if "" in by_speaker.recordings:
        # A row names no speaker.
        return False
    return len(by_speaker.recordings) == 1 or is_of_one_tier or _overlaps(whole)


def _overlaps(intervals: Intervals) -> bool:
    """Return whether an interval begins before another one ends that began earlier."""
    order = np.argsort(intervals.starts, kind="stable")
    starts = np.asarray(intervals.starts)[order]
    ends = np.maximum.accumulate(np.asarray(intervals.ends)[order])
    return bool(np.any(starts[1:] < ends[:-1]))


def _of_first_view(rows: list[Row], column: int | None) -> list[Row]:
    """Return the rows of the first view, where Raven repeats each selection in each view; all rows if it does not.

    `column` is the place of the names of views; None if there is none.
    """
    if column is None:
        return rows
    views = [row.field(column).strip() for row in rows]
    counts = Counter(views)
    # Then each view has as many rows as any other; a table without rows has no view.
    repeats_each_selection = len({*counts.values()}) == 1
    if not repeats_each_selection:
        return rows
    first_view, *_ = views
    return [row for row, view in zip(rows, views, strict=True) if view == first_view]


def _of_columns(rows: list[Row], places: _Columns) -> TimedFile:
    """Read the recordings of rows below the header, or of all rows if there is none, from the columns at these places."""
    for row in rows:
        if len(row.fields) <= max(places.start, places.last):
            raise ValueError(f"line {row.number}: received {len(row.fields)} columns; expected a start and an end.")
    starts, last_times = columns(rows, places.start, places.last)
    ends = starts + last_times if places.has_durations else last_times
    names = _recordings_of_rows(rows, places, starts, ends)
    if not rows and places.file is None:
        # The file is one recording, which is empty.
        names = [_WHOLE_FILE]
    recordings = by_name(names, starts, ends, labels=_stripped_fields(rows, places.label))
    return TimedFile(recordings, is_whole=are_whole(rows, places.start, places.last))


def _recordings_of_rows(rows: Sequence[Row], places: _Columns, starts: Floats, ends: Floats) -> list[str]:
    """Return the name of the recording of each row."""
    if places.file is not None:
        return _stripped_fields(rows, places.file)
    # Without a column of ids these are blank: then the name of each row is that of the whole file.
    ids = _stripped_fields(rows, places.ids)
    if _are_row_numbers(ids, starts, ends):
        return [_WHOLE_FILE] * len(rows)
    return ids


def _stripped_fields(rows: Sequence[Row], place: int | None) -> list[str]:
    """Return the field of each row at a place; empty strings if there is no such column, or the row is short."""
    if place is None:
        return [""] * len(rows)
    return [row.field(place).strip() for row in rows]


def _without_question_mark(row: Row, place: int) -> Row:
    """Return a row with an empty field at this place if it has a question mark, which Praat writes for an empty label."""
    if row.field(place) != "?":
        return row
    return Row(row.number, [*row.fields[:place], "", *row.fields[place + 1 :]])


def _are_row_numbers(names: Sequence[str], starts: Floats, ends: Floats) -> bool:
    """Return whether each row has an id of its own, and the rows follow each other as those of one recording do."""
    return len({*names}) == len(names) and bool(np.all(starts[1:] >= ends[:-1]))


def _has_tiers(rows: list[Row], column: int, tier: str | None) -> bool:
    """Return whether the values of a column are tiers: one has the usual name of words, or the name `tier` that the user gave."""
    names = {row.field(column).strip().lower() for row in rows}
    return any(map(is_usual_tier, names)) or (tier is not None and tier.lower() in names)


def _of_tier(rows: list[Row], column: int, tier: str | None) -> list[Row]:
    """Return the rows of the chosen tier."""
    tiers = [row.field(column).strip() for row in rows]
    distinct = [*dict.fromkeys(tiers)]
    chosen = distinct[choose_tier(tier, distinct, have_intervals=[True] * len(distinct))]
    return [row for row, name in zip(rows, tiers, strict=True) if name == chosen]


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the place in the header of the first of these names that it has; None if it has none."""
    return next((header.index(name) for name in names if name in header), None)
