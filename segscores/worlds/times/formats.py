"""Files of times: from the text of a file to the intervals of its recordings by name, "" for the one that a file is.

Conventions
-----------
- A TextGrid is read as Praat does: strings in double quotes and numbers after whitespace are data, `!` begins a comment, all else
  is comment too. Numbers of intervals are not trusted. The duration is that of the tier.
- Text is UTF-8 or UTF-16, with or without a mark, or else Windows Latin-1, as in Praat.
- Labels have no whitespace around them. Labels of silence in one format alone, as `h#` in TIMIT, are empty labels here.

Errors name the line or the tier; the caller adds the file.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Mask
from ...options.messages import OptionError
from ...options.quoting import is_number, shortened
from ...options.suggestions import suggestion
from ...options.table import OPTIONS
from ...reading.json_values import json_value
from .intervals import Intervals

Floats = npt.NDArray[np.float64]
Recordings = dict[str, Intervals]

_TOKEN = re.compile(r'("(?:[^"]|"")*")|(?<!\S)([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|![^\n]*')
_NUMBER = re.compile(r"([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?:(%)|/(\+?\d+(?:\.\d*)?))?(?![xX])")
#: The number of data of an interval, and of a point, in a TextGrid.
_TIER_KINDS = {"IntervalTier": 3, "TextTier": 2}
_USUAL_TIERS = ("words", "word")
#: The most tiers that a message lists.
_MOST_LISTED = 20

#: The names of columns and of keys.
_COLUMNS = {
    "start": ("start", "onset", "begin", "tmin", "xmin", "start_time", "begin_time"),
    "end": ("end", "offset", "stop", "tmax", "xmax", "end_time"),
    "label": ("label", "word", "text", "phone", "phoneme", "token", "char"),
    "file": ("file", "filename", "recording", "utterance", "audio", "name", "id", "utt"),
    "duration": ("duration",),
}
_LISTS = ("words", "word_segments", "word")

_TIMIT_SILENCE = ("h#", "pau", "epi")
#: HTK counts in 100 ns.
_HTK_RATE = 10_000_000
#: Integers whose last is at least 10 ms in this unit are taken for HTK's.
_HTK_LEAST = 100_000


def decode(data: bytes) -> str:
    """Return the text of a file, with one kind of line end."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data[:64]:
        text = data.decode("utf-16-be" if data[:1] == b"\0" else "utf-16-le", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


class _Tier(NamedTuple):
    """A tier: its name, the step between its intervals, or points, and the places of its header, its data and its end."""

    name: str
    step: int
    header: int
    first: int
    stop: int


def parse_textgrid(text: str, tier: str | None) -> Recordings:
    """Read a TextGrid of the long or the short form: the chosen tier of intervals."""
    if text.startswith("ooBinaryFile"):
        raise ValueError("a binary TextGrid; expected text: Save as text file… in Praat.")
    tokens, strings = _praat_data(text)
    if "TextGrid" not in strings[:3]:
        raise ValueError('the first lines lack the class "TextGrid".')
    is_string = np.array([token == '"' for token in tokens], bool)
    numbers = np.cumsum(is_string) - 1  # the number of the string at each place
    next_strings = {step: _NextStrings(is_string, step) for step in _TIER_KINDS.values()}
    tiers: list[_Tier] = []
    # The place of the first string that is a kind of tiers; without one, the end.
    kinds = [place for place in np.flatnonzero(is_string).tolist() if strings[numbers[place]] in _TIER_KINDS]
    at = kinds[0] if kinds else len(tokens)
    while at < len(tokens):
        # "IntervalTier" "words" 0 2.3 2 0 1.1 "the" 1.1 2.3 "dog": two strings, and the data from the sixth place on.
        is_tier = is_string[at : at + 2].all() and strings[numbers[at]] in _TIER_KINDS
        if not is_tier:
            raise ValueError(f"expected a tier after {tiers[-1].name if tiers else 'the header'}.")
        step = _TIER_KINDS[strings[numbers[at]]]
        first = at + 5
        # Where a time of an interval or point is due, a string begins the next tier.
        stop = next_strings[step].find(first)
        tiers.append(_Tier(strings[numbers[at + 1]].strip(), step, at, first, stop))
        at = stop
    names = [tier.name for tier in tiers]
    chosen = tiers[choose_tier(tier, names, [tier.step == 3 for tier in tiers])]
    run = slice(chosen.first, chosen.stop)
    is_whole = (chosen.stop - chosen.first) % 3 == 0 and chosen.first <= len(tokens)
    if not is_whole or not is_string[run][2::3].all() or is_string[run][1::3].any():
        expected = "expected a start, an end and a label of each interval. Is the file cut short?"
        raise ValueError(f"tier {chosen.name!r}: {expected}")
    # Each interval has three data: a start, an end and a label.
    starts = _praat_numbers(tokens[chosen.first : chosen.stop : 3])
    ends = _praat_numbers(tokens[chosen.first + 1 : chosen.stop : 3])
    duration = float(_praat_numbers(tokens[chosen.header + 3 : chosen.header + 4])[0])
    before = int(numbers[chosen.first - 1]) + 1
    labels = [label.strip() for label in strings[before : before + len(starts)]]
    return {"": Intervals(starts, ends, labels, duration)}


class _NextStrings:
    """The places of strings among the data of a TextGrid, by their remainders by a step."""

    def __init__(self, is_string: Mask, step: int) -> None:
        places = np.flatnonzero(is_string)
        self.end = len(is_string)
        self.step = step
        self.places = [places[places % step == remainder] for remainder in range(step)]

    def find(self, first: int) -> int:
        """Return the first place of a string that is a number of steps after `first`, or the end of the data."""
        places = self.places[first % self.step]
        at = int(np.searchsorted(places, first))
        if at == len(places):
            return max(self.end, first)
        return int(places[at])


def _praat_data(text: str) -> tuple[list[str], list[str]]:
    """Return the data of a text file of Praat (numbers as text, and `"` for each string), and the strings."""
    pieces = text.split('"')
    # xmin = 0 "the" xmax = 1 "dog": inside of quotes are `the` and `dog`.
    outside = pieces[::2]
    inside = pieces[1::2]
    if any("!" in piece for piece in outside):
        # A comment may have quotes: look at each sign.
        pairs = [pair for pair in _TOKEN.findall(text) if pair != ("", "")]
        strings = [string[1:-1].replace('""', '"') for string, _ in pairs if string]
        return [number or '"' for _, number in pairs], strings
    if not all(outside[1:-1]):
        # Two strings with nothing between them are one string with a doubled quote.
        parts = [inside[:1]]
        kept = outside[:1]
        for between, string in zip(outside[1:], inside[1:], strict=False):
            if between:
                kept.append(between)
                parts.append([string])
            else:
                parts[-1].append(string)
        outside = [*kept, outside[-1]]
        inside = ['"'.join(strings) for strings in parts]
    return [token for token in ' " '.join(outside).split() if token[0] in '"0123456789+-'], inside


def _praat_numbers(tokens: Sequence[str]) -> Floats:
    """Return numbers, also percents and fractions; what follows one up to the next whitespace is comment, as in `0.5s`."""
    try:
        return np.array(tokens, np.float64)
    except ValueError:
        matches = [_NUMBER.match(token) for token in tokens]
        if None in matches:
            raise ValueError(f"expected a time, received {shortened(tokens[matches.index(None)])}.") from None
        return np.array([_praat_number(match) for match in matches if match], np.float64)


def _praat_number(match: re.Match[str]) -> float:
    """Return the value of a number, a percent or a fraction."""
    number, percent, denominator = match.groups()
    if percent:
        return float(number) / 100
    return float(number) / float(denominator or 1)


def _fitting_tiers(tier: str | None, names: Mapping[int, str]) -> list[int]:
    """Return the tiers that fit in the best way, from the names of tiers by their index."""
    wanted: Sequence[str] = _USUAL_TIERS
    if tier is not None:
        wanted = [tier.lower()]
    endings_of_speakers = tuple(f" - {name}" for name in wanted)
    best_first = [
        [at for at, name in names.items() if name == tier],
        [at for at, name in names.items() if name.lower() in wanted],
        [at for at, name in names.items() if name.lower().endswith(endings_of_speakers)],
        [at for at in names if str(at + 1) == tier],
    ]
    for fitting in best_first:
        if fitting:
            return fitting
    if tier is None and len(names) == 1:
        return [*names]
    return []


def choose_tier(tier: str | None, names: Sequence[str], have_intervals: Sequence[bool]) -> int:
    """Return the index of a tier of intervals: of this name, in any case, also after a speaker's as in `Ann - words`, or of
    this number from 1; by default the only one, or `words`.
    """
    usable = [at for at, has_intervals in enumerate(have_intervals) if has_intervals]
    fitting = _fitting_tiers(tier, {at: names[at] for at in usable})
    if len(fitting) == 1:
        return fitting[0]
    shown = [repr(names[at]) for at in usable[:_MOST_LISTED]]
    more = ""
    if len(usable) > len(shown):
        more = f" and {len(usable) - len(shown)} more"
    listed = f" The tiers of intervals are {', '.join(shown) or 'none'}{more}."
    if tier is None:
        expected = "expected one tier of intervals, or one that is called words: choose it with "
        raise OptionError(expected, OPTIONS["tier"], f".{listed}")
    if fitting:
        raise OptionError(OPTIONS["tier"].set(tier), f" fits several tiers.{listed} A number chooses one.")
    hint = suggestion(tier, [names[at] for at in usable])
    if tier in names or str(tier) in map(str, range(1, len(names) + 1)):
        hint = " It is a tier of points, which have no duration."
    raise OptionError(OPTIONS["tier"], f": there is no tier {tier!r} of intervals.{listed}{hint}")


def parse_ctm(text: str, _: str | None = None) -> Recordings:
    """Read NIST's CTM: recording, channel, start, duration, word, and perhaps a confidence; `;;` begins a comment."""
    lines = _lines(text, 4, "a recording, a channel, a start, a duration and a word")
    starts, durations = _columns(lines, 2, 3)
    has_channels = len({fields[1] for _, fields in lines}) > 1
    names = [" ".join(fields[: 1 + has_channels]) for _, fields in lines]
    # A line without a word has four fields.
    labels = ["".join(fields[4:5]) for _, fields in lines]
    return _by_name(names, starts, starts + durations, labels)


def parse_lines(text: str, _: str | None = None, *, samples: float = 0) -> Recordings:
    """Read lines of a start, an end and perhaps a label, with a name before them as ZeroSpeech has them, or of a CTM.

    Whole numbers are samples, if `samples` is their number per second, or HTK's units of 100 ns, if the last is large.
    """
    lines = _lines(text, 2, "a start, an end and a label")
    first = next((fields for _, fields in lines), [])
    if len(first) > 4 and not is_number(first[0]) and all(map(is_number, first[2:4])):
        return parse_ctm(text)
    has_names = bool(lines) and not (is_number(first[0]) and not _is_fourth(first))
    starts, ends = _columns(lines, has_names, 1 + has_names)
    labels = [" ".join(fields[2 + has_names :]) for _, fields in lines]
    if samples:
        labels = ["" if label in _TIMIT_SILENCE else label for label in labels]
    if has_names:
        return _by_name([fields[0] for _, fields in lines], starts, ends, labels)
    if not any(labels) and not samples:
        labels = []
    is_whole = all("".join(fields[:2]).isdigit() for _, fields in lines)
    is_large = len(ends) > 0 and ends[-1] >= _HTK_LEAST
    per_second: float = 1
    if is_whole and samples:
        per_second = samples
    elif is_whole and is_large:
        per_second = _HTK_RATE
    return {"": Intervals(starts, ends, labels, per_second=per_second)}


def _is_fourth(fields: Sequence[str]) -> bool:
    """Return whether a line of four fields begins with the name of a recording that is a number."""
    has_times = len(fields) == 4 and all(map(is_number, fields[:3]))
    return has_times and float(fields[1]) <= float(fields[2]) < float(fields[0])


def parse_table(text: str, _: str | None = None) -> Recordings:
    """Read a table with commas or tabs: columns by name (start, end or duration, label, file), or start, end and label."""
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    lines = csv.reader(io.StringIO(text), delimiter=delimiter)
    rows = [(number, row) for number, row in enumerate(lines, 1) if any(row)]
    places = {"start": 0, "end": 1, "label": 2}
    if rows and not is_number(rows[0][1][0]):
        header = [name.strip().lower() for name in rows.pop(0)[1]]
        named = {kind: next((name for name in names if name in header), None) for kind, names in _COLUMNS.items()}
        places = {kind: header.index(name) for kind, name in named.items() if name is not None}
        if "start" not in places or not {"end", "duration"} & {*places}:
            raise ValueError(f"its columns are {', '.join(header)}; expected start, and end or duration.")
    last = places.get("end", places.get("duration", 1))
    for number, row in rows:
        if len(row) <= max(places["start"], last):
            raise ValueError(f"line {number}: received {len(row)} columns; expected a start and an end.")
    starts, ends = _columns(rows, places["start"], last)
    if "end" not in places:
        durations = ends
        ends = starts + durations
    labels: list[str] = []
    if "label" in places:
        label = places["label"]
        # A short row has no label.
        labels = ["".join(row[label : label + 1]).strip() for _, row in rows]
    if not any(labels):
        labels = []
    names = [""] * len(rows)
    if "file" in places:
        names = [row[places["file"]] for _, row in rows]
    return _by_name(names, starts, ends, labels)


def parse_json(text: str, tier: str | None = None) -> Recordings:
    """Read JSON of MFA and praatio, or of Whisper, WhisperX, NeMo and others: the objects with a start and an end.

    Of several lists it is the one called `words`, or the last; words without times are left out.
    """
    value = json_value(text)
    if isinstance(value, Mapping) and isinstance(value.get("tiers"), Mapping):
        names = [*value["tiers"]]
        entries = value["tiers"][names[choose_tier(tier, names, [True] * len(names))]]["entries"]
        starts = _times_of([entry[0] for entry in entries])
        ends = _times_of([entry[1] for entry in entries])
        labels = [str(entry[2]).strip() for entry in entries]
        return {"": Intervals(starts, ends, labels, value.get("end"))}
    lists: dict[str, list[Mapping[str, Any]]] = {}
    for name, item in _timed_items(value, "items"):
        lists.setdefault(name, []).append(item)
    if not lists:
        raise ValueError("no objects with a start and an end; expected words with times.")
    names = [*lists]
    if tier is None:
        tier = next((name for name in _LISTS if name in names), names[-1])
    items = lists[names[choose_tier(tier, names, [True] * len(names))]]
    starts = _times_of([_first(item, "start") for item in items])
    ends = _times_of([_first(item, "end") for item in items])
    return {"": Intervals(starts, ends, [str(_first(item, "label") or "").strip() for item in items])}


def _times_of(values: Sequence[Any]) -> Floats:
    """Return the times of a JSON file, which may be numbers or text."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        bad = next(value for value in values if not _is_time(value))
        raise ValueError(f"expected a time, received {shortened(json.dumps(bad))}.") from None


def _is_time(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _timed_items(value: Any, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects with a start and an end, each with the name of its list."""
    if isinstance(value, Mapping):
        if _first(value, "start") is not None and _first(value, "end") is not None:
            yield name, value
        for key, item in value.items():
            yield from _timed_items(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _timed_items(item, name)


def _first(item: Mapping[str, Any], kind: str) -> Any:
    return next((item[name] for name in _COLUMNS[kind] if item.get(name) is not None), None)


def _lines(text: str, least: int, expected: str) -> list[tuple[int, list[str]]]:
    """Return the fields of each line with its number, without blank lines and comments."""
    lines = [(number, line.split()) for number, line in enumerate(text.split("\n"), 1) if not line.startswith(";;")]
    lines = [(number, fields) for number, fields in lines if fields]
    for number, fields in lines:
        if len(fields) < least:
            raise ValueError(f"line {number}: received {shortened(' '.join(fields))}; expected {expected}.")
    return lines


def _columns(lines: Sequence[tuple[int, Sequence[str]]], *places: int) -> list[Floats]:
    try:
        return [np.array([fields[at] for _, fields in lines], np.float64) for at in places]
    except (ValueError, IndexError):
        _require_times(lines, places)
        raise


def _require_times(lines: Sequence[tuple[int, Sequence[str]]], places: Sequence[int]) -> None:
    """Raise an error for the first field that is no time."""
    for number, fields in lines:
        for at in places:
            received = "nothing"
            if at < len(fields):
                received = fields[at]
            if not is_number(received):
                raise ValueError(f"line {number}: expected a time, received {shortened(received)}.") from None


def _by_name(names: Sequence[str], starts: Floats, ends: Floats, labels: Sequence[str]) -> Recordings:
    """Return the intervals of each recording by name; the rows of a recording need not be consecutive."""
    distinct, owners = np.unique(np.array(names, object), return_inverse=True)
    order = np.argsort(owners, kind="stable")
    # names b a b: the order is 1 0 2, and the rows of a and b stop before 1 and 3.
    stops = np.cumsum(np.bincount(owners, minlength=len(distinct))).tolist()
    ordered: list[str] = []
    if labels:
        ordered = [labels[at] for at in order.tolist()]
    return {
        name: Intervals(starts[order[first:stop]], ends[order[first:stop]], ordered[first:stop])
        for name, first, stop in zip(distinct.tolist(), [0, *stops], stops, strict=False)
    }
