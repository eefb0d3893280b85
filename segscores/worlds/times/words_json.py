"""JSON with times, as aligners and programs for speech recognition write it.

The tiers of MFA and praatio, or a list of objects with a start and an end. A list is known by its path, as `segments.words`. The
names of times are those of `timed_file`; of alternatives only the first, which is the best, is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...options.messages import OptionError
from ...options.quoting import listed_names, shortened
from ...options.table import OPTIONS
from ...reading.json_values import json_value, json_values
from .intervals import Intervals
from .points import intervals_between
from .rows import in_seconds
from .tiers import choose_tiers
from .timed_file import Floats, TimedFile, TimeNames, is_name_of_time, time_names

#: The names of lists of words, the first one preferred.
_WORDS = ("words", "word_segments", "word")
#: The names of lists of parts of words, which are read only if they are alone, or named.
_PARTS_OF_WORDS = ("tokens", "phones", "phonemes", "phone", "chars", "characters", "char", "syllables")
#: The names of lists in which programs write what they have heard; all of them empty are an empty recording.
_RESULTS = (
    *_WORDS,
    "segments",
    "chunks",
    "fragments",
    "result",
    "results",
    "items",
    "transcription",
    "utterances",
    "monologues",
)
#: Lists of results for the same words, the best first.
_ALTERNATIVES = ("alternatives", "nbest")
#: The keys with the recording of an object.
_FILES = ("file", "filename", "file_name", "audio", "audio_path", "audio_filepath", "path", "wav", "recording")
#: The keys of labels, the best first.
_LABELS = (
    "label",
    "word",
    "text",
    "phone",
    "phoneme",
    "token",
    "char",
    "content",
    "value",
    "segment",
    "lines",
    "labels",
    "transcript",
    "utf8",
    "name",
)
#: The types of objects that are no words, by the beginnings of their names.
_NO_WORDS = ("punct", "spacing", "audio_event")
#: The classes of tiers of points, in lower case.
_OF_POINTS = ("point", "points", "pointtier", "texttier")
#: The largest difference of times at which two lists have the same words, in seconds.
_SAME = 0.05


def parse_json(text: str, tier: str | None = None) -> TimedFile:
    """Read the tiers of MFA and praatio, or the words of Whisper, WhisperX, NeMo and others."""
    value = _json_of(text)
    if isinstance(value, Mapping) and isinstance(value.get("tiers"), (Mapping, list)):
        return _of_tiers(value, tier)
    found = _Lists()
    try:
        found.collect(value, ())
    except RecursionError:
        # Python reads JSON of more levels than a function may have calls within each other.
        raise ValueError("lists or objects are nested too deeply") from None
    found.drop_untimed()
    if not found.lists:
        return _without_times(value, found)
    chosen = found.lists[_choose(found, tier)]
    chosen.check_units()
    chosen.check_places()
    timed = chosen.read()
    # The option `tier` names a list.
    timed.has_tiers = True
    if tier is None:
        timed.notes += _doubts_of(chosen)
    return timed


def _json_of(text: str) -> Any:
    """Return the value of JSON text; of several values, such as JSON lines, their list."""
    try:
        return json_value(text, has_distinct_keys=True)
    except json.JSONDecodeError as error:
        values = json_values(text)
        if values is None:
            is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
            hint = "Is the file cut short?" if is_cut else "Expected a value of JSON."
            raise ValueError(f"broken JSON ({error}). {hint}") from None
        return values


def _of_tiers(value: Mapping[str, Any], tier: str | None) -> TimedFile:
    """Read the chosen tier of JSON of MFA and praatio.

    MFA has an object of tiers by their names, each with a `type`, and a `start` and an `end` of the recording. praatio has a list
    of tiers, each with a `name` and a `class`, and `xmin` and `xmax`.
    """
    tiers = value["tiers"]
    if isinstance(tiers, Mapping):
        tiers = [{**tier_of_name, "name": name} for name, tier_of_name in tiers.items()]
    have_intervals = [str(item.get("type", item.get("class"))).lower() not in _OF_POINTS for item in tiers]
    chosen = choose_tiers(tier, [str(item["name"]) for item in tiers], have_intervals)
    # None if the file has neither name. Intervals may do without; between points, an end is needed.
    begin = _time_or_none(value.get("start", value.get("xmin")))
    end = _time_or_none(value.get("end", value.get("xmax")))
    recordings = {}
    for speaker, index in chosen.index_of_speaker.items():
        entries = tiers[index]["entries"]
        if have_intervals[index]:
            recordings[speaker] = _intervals_of(entries, begin, end)
        else:
            # A point is a time and a label.
            times = _times([entry[0] for entry in entries])
            if end is None:
                raise ValueError(
                    "points without an end of the recording; expected its end beside the tiers, as end or xmax."
                )
            recordings[speaker] = intervals_between(times, begin or 0.0, end)
    return TimedFile(recordings, unit="s", speakers=chosen.speakers, has_tiers=True)


def _intervals_of(entries: Sequence[Any], begin: float | None, end: float | None) -> Intervals:
    """Return the intervals of a tier, of which each is a start, an end and a label."""
    starts = _times([entry[0] for entry in entries])
    ends = _times([entry[1] for entry in entries])
    labels = [str(entry[2]).strip() for entry in entries]
    return Intervals(starts, ends, labels, duration=end, begin=begin)


@dataclass
class _List:
    """The objects of a list that have times."""

    path: tuple[str, ...]  #: the keys that lead to the list: `("segments", "words")`
    items: list[Mapping[str, Any]] = field(default_factory=list)
    names: list[TimeNames] = field(default_factory=list)  #: the keys of times of each object
    untimed: int = 0  #: the number of its words without times

    @property
    def dotted(self) -> str:
        """The path as a person writes it: `segments.words`."""
        return ".".join(self.path)

    @property
    def name(self) -> str:
        """The last key of the path, in lower case."""
        return self.path[-1].lower()

    def labels(self) -> list[str]:
        """Return the labels of the objects."""
        other = self.other_label()
        if other:
            return [str(item.get(other) or "").strip() for item in self.items]
        return [_label_of(item) for item in self.items]

    def has_usual_labels(self) -> bool:
        """Return whether an object has a label under a usual key."""
        return any(map(_label_of, self.items))

    def other_label(self) -> str:
        """Return the only key with text, if no object has a label under a usual key; else nothing."""
        if self.has_usual_labels():
            return ""
        texts: dict[str, set[str]] = {}
        for item in self.items:
            for key, value in item.items():
                if isinstance(value, str) and not is_name_of_time(key):
                    texts.setdefault(key, set()).add(value)
        if len(self.items) > 1:
            # A key whose text never changes is no label.
            texts = {key: values for key, values in texts.items() if len(values) > 1}
        if len(texts) != 1:
            return ""
        (only,) = texts
        return only

    def are_parts_of_words(self) -> bool:
        """Return whether some labels begin with a space, as words do, and others with none, as in `do` and `g` of ` dog`."""
        texts = [str(item.get("text", item.get("token", ""))) for item in self.items]
        begin_with_space = [text.startswith((" ", "▁", "Ġ")) for text in texts[1:]]
        return any(begin_with_space) and not all(begin_with_space)

    def keep_best_names(self) -> None:
        """Count objects as words without times whose start has another name than that of others, such as `startOffset`."""
        names_of_starts = {names.start for names in self.names if "start" in names.start.lower()}
        if len(names_of_starts) < 2 or len({names.unit for names in self.names}) > 1:
            return
        best = min(names_of_starts, key=len)
        are_kept = [names.start == best for names in self.names]
        self.untimed += are_kept.count(False)
        self.items = [item for item, is_kept in zip(self.items, are_kept, strict=True) if is_kept]
        self.names = [names for names, is_kept in zip(self.names, are_kept, strict=True) if is_kept]

    def check_units(self) -> None:
        """Raise an error if the times of the objects have several units: a `start` beside a `startMs`."""
        units = [*dict.fromkeys(names.unit for names in self.names)]
        if len(units) > 1:
            shown = " and ".join(f"in {unit}" if unit else "without a unit" for unit in units)
            raise ValueError(f"the names of times in {self.dotted} are {shown}; expected times of one unit.")

    def check_places(self) -> None:
        """Raise an error if each object has a time beside its start and end: these are places in a text, as of Amazon Polly."""
        if all("time" in item for item in self.items):
            expected = "expected a start and an end in time: write the time as the start, and the next one as the end."
            raise ValueError(f"each object has a time beside its start and end, which are places in a text; {expected}")

    def read(self) -> TimedFile:
        """Return the intervals of the list, whose times have one unit."""
        # The values of starts, and those of ends or durations.
        first_values = [item[names.start] for item, names in zip(self.items, self.names, strict=True)]
        last_values = [item[names.last] for item, names in zip(self.items, self.names, strict=True)]
        starts = _times(first_values)
        lasts = _times(last_values)
        has_end = np.array([names.end != "" for names in self.names], bool)
        ends = np.where(has_end, lasts, starts + lasts)
        first_names = self.names[0]
        timed = TimedFile({"": Intervals(starts, ends, self.labels())}, unit=first_names.unit)
        timed.is_whole = all(isinstance(value, int) for value in first_values + last_values)
        if timed.is_whole and first_names.start == "start_offset":
            # Under this name transformers counts frames. Google has seconds there, which are text.
            timed.unit = "frames"
        return timed

    def has_same_words(self, other: _List) -> bool:
        """Return whether another list has the same words at the same times."""
        if self.labels() != other.labels():
            return False
        own = self.read().recordings[""]
        others = other.read().recordings[""]
        return np.allclose(own.starts, others.starts, rtol=0, atol=_SAME) and np.allclose(
            own.ends, others.ends, rtol=0, atol=_SAME
        )


class _Lists:
    """The lists of a JSON value that have objects with times, by their paths.

    Lists with the same path are one: those of `{"segments": [{"words": […]}, {"words": […]}]}` are `segments.words`.

    Attributes:
        lists: the lists by their paths.
        empty, filled: the paths of all lists that are empty, and of those that are not.
    """

    def __init__(self) -> None:
        self.lists: dict[tuple[str, ...], _List] = {}
        self.empty: list[tuple[str, ...]] = []
        self.filled: list[tuple[str, ...]] = []

    def collect(self, value: Any, path: tuple[str, ...]) -> None:
        """Add the lists in a value, to which a path of keys leads."""
        if isinstance(value, list):
            self._collect_list(value, path)
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                if isinstance(inner, Mapping):
                    # A single object with times is a list of one.
                    self._add(inner, (*path, key))
                self.collect(inner, (*path, key))

    def _collect_list(self, values: list[Any], path: tuple[str, ...]) -> None:
        """Add a list and the lists in it."""
        if values:
            self.filled.append(path)
        else:
            self.empty.append(path)
        # Only the first one of several wordings of the same speech is read.
        read = values[:1] if _is_called(path, _ALTERNATIVES) else values
        # Channels, and objects that name a file each, have words of their own at the same times.
        are_recordings = len(read) > 1 and (_is_called(path, ("channels",)) or _name_files(read))
        for number, item in enumerate(read):
            path_of_item = (*path, str(number)) if are_recordings else path
            if isinstance(item, Mapping):
                self._add(item, path_of_item)
            self.collect(item, path_of_item)

    def _add(self, item: Mapping[str, Any], path: tuple[str, ...]) -> None:
        """Add an object to the list of its path, if it has times; count it there if it is a word without times."""
        # The list that the whole value is gets a name for messages.
        path = path or ("items",)
        flat = _with_flat_times(item)
        names = time_names(name for name, value in flat.items() if value is not None)
        # Punctuation is no word, whether it has times or none.
        if str(item.get("type")).startswith(_NO_WORDS):
            return
        if names is None and _label_of(item) == "":
            return
        if path not in self.lists:
            self.lists[path] = _List(path)
        if names is None:
            self.lists[path].untimed += 1
        else:
            self.lists[path].items.append(flat)
            self.lists[path].names.append(names)

    def drop_untimed(self) -> None:
        """Drop lists without any times, and objects whose times are none: Gentle counts characters of some words."""
        for timed in self.lists.values():
            timed.keep_best_names()
        self.lists = {path: timed for path, timed in self.lists.items() if timed.items}


def _name_files(values: Sequence[Any]) -> bool:
    """Return whether objects with lists in them name several files."""
    files: set[str] = set()
    for value in values:
        if isinstance(value, Mapping) and any(isinstance(inner, list) for inner in value.values()):
            files.update(str(value[key]) for key in _FILES if isinstance(value.get(key), str))
    return len(files) > 1


def _is_called(path: tuple[str, ...], names: Sequence[str]) -> bool:
    """Return whether the list of a path has one of these names."""
    return bool(path) and path[-1].lower() in names


def _with_flat_times(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object whose times are values of their own, where a program nests them or calls them by other names.

    >>> _with_flat_times({"text": "dog", "timestamp": [0.5, 0.9]})
    {'text': 'dog', 'timestamp': [0.5, 0.9], 'start': 0.5, 'end': 0.9}
    """
    for name in ("timestamp", "timestamps"):
        pair = item.get(name)
        if isinstance(pair, list) and len(pair) == 2 and not any(isinstance(time, list) for time in pair):
            return {**item, "start": pair[0], "end": pair[1]}
    offsets = item.get("offsets")
    if isinstance(offsets, Mapping) and {"from", "to"} <= {*offsets}:
        # As whisper.cpp has it.
        return {**item, "start_ms": offsets["from"], "end_ms": offsets["to"]}
    for offset, duration in (("Offset", "Duration"), ("offsetInTicks", "durationInTicks")):
        if {offset, duration} <= {*item}:
            # As Azure has it, which also writes durations as text: PT0.4S.
            others = {key: value for key, value in item.items() if not key.lower().startswith(("offset", "duration"))}
            return {**others, "start_ticks": item[offset], "duration_ticks": item[duration]}
    return item


def _label_of(item: Mapping[str, Any]) -> str:
    """Return the label of an object; empty if it has none."""
    lower = {key.lower(): value for key, value in item.items()}
    for name in _LABELS:
        value = lower.get(name)
        if isinstance(value, list):
            # The parts of a word, or the lines of a text.
            separator = " " if name == "lines" else ""
            return separator.join(map(str, value)).strip()
        if value is not None and not isinstance(value, Mapping):
            return str(value).strip()
    alternatives = lower.get("alternatives")
    if isinstance(alternatives, list) and alternatives:
        best = alternatives[0]
        if isinstance(best, Mapping):
            return _label_of(best)
    return ""


def _without_times(value: Any, found: _Lists) -> TimedFile:
    """Return an empty recording if a program wrote that it heard nothing; else raise an error."""
    has_results = any(_is_called(path, _RESULTS) for path in found.filled)
    has_empty_results = value == [] or any(_is_called(path, _RESULTS) for path in found.empty)
    # As Vosk has it: {"text": ""}.
    is_blank_text = isinstance(value, Mapping) and value.get("text") == "" and not found.filled
    if is_blank_text or (has_empty_results and not has_results):
        return TimedFile({"": Intervals()}, unit="s")
    raise ValueError("no objects with a start and an end; expected words with times.")


def _choose(found: _Lists, tier: str | None) -> tuple[str, ...]:
    """Return the path of the list that is read: the one that is named; else one of words; else the only one with labels.

    If lists are within each other, as `segments` and `segments.tokens`, the innermost one is read.
    """
    paths = [*found.lists]
    if tier is not None:
        named = [path for path in paths if tier.lower() in (path[-1].lower(), ".".join(path).lower())]
        if not named:
            raise _ambiguous(found, f"there is no list {tier!r} with times:")
        return _only(found, named)
    labelled = [path for path in paths if found.lists[path].has_usual_labels()]
    if labelled:
        # Without any label, all lists remain.
        paths = labelled
    for name in _WORDS:
        of_words = [path for path in paths if _is_called(path, (name,))]
        if of_words:
            return _only(found, of_words)
    empty = [path for path in found.empty if _is_called(path, _WORDS)]
    if empty:
        first_empty, *_ = empty
        raise _ambiguous(found, f"the list {'.'.join(first_empty)} has no words, but others have times:")
    not_of_parts = [path for path in paths if not _is_called(path, _PARTS_OF_WORDS)]
    if not_of_parts:
        # Lists of parts of words are read where there is nothing else.
        paths = not_of_parts
    deepest = max(paths, key=len)
    if all(path == deepest[: len(path)] for path in paths):
        return deepest
    return _only(found, paths)


def _only(found: _Lists, paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the first of the paths, if all their lists have the same words."""
    first, *others = paths
    if all(found.lists[first].has_same_words(found.lists[other]) for other in others):
        return first
    raise _ambiguous(found, "several lists have times, and their words differ; write a file of each recording, or")


def _ambiguous(found: _Lists, problem: str) -> OptionError:
    """Return the error of several lists of which none is chosen.

    `several lists have times, and their words differ; write a file of each recording, or name one with --tier. The lists are …`
    """
    listed = listed_names([timed.dotted for timed in found.lists.values()])
    return OptionError(f"{problem} name one with ", OPTIONS["tier"], f". The lists are {listed}.")


def _doubts_of(chosen: _List) -> list[str]:
    """Return what a person has to know about the list that is read."""
    doubts = []
    if chosen.untimed:
        doubts.append(
            f"{chosen.untimed} of {chosen.untimed + len(chosen.items)} words have no times, and are left out."
        )
    if chosen.other_label():
        doubts.append(f"the key {chosen.other_label()} is read as the labels.")
    if chosen.name not in _WORDS and chosen.are_parts_of_words():
        doubts.append(
            f"no list is called words, so the list {chosen.dotted} is read. Some labels begin with a space: are the others "
            "further parts of words?"
        )
    labels = [label for label in chosen.labels() if label]
    labels_of_several_words = sum(len(label.split()) > 1 for label in labels)
    if chosen.name not in _WORDS and labels_of_several_words > len(labels) / 2:
        doubts.append(
            f"no list is called words, so the list {chosen.dotted} is read, and most of its labels have several words: "
            "did the program write times of words?"
        )
    return doubts


def _times(values: Sequence[Any]) -> Floats:
    """Return times, which may be numbers, text, text in seconds such as `1.5s`, or objects of seconds and nanos."""
    try:
        times = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        times = None
    # Lists in place of times, as long as each other, make an array of two dimensions: `_time` refuses the first of them.
    if times is None or times.ndim > 1:
        return np.array([_time(value) for value in values], np.float64)
    return times


def _time_or_none(value: Any) -> float | None:
    """Return a time, or None where there is none."""
    return None if value is None else _time(value)


def _time(value: Any) -> float:
    """Return a time: a number, text that may end in `s` for seconds, or an object of seconds and nanos.

    >>> _time("1.5s"), _time({"seconds": 1, "nanos": 500_000_000})
    (1.5, 1.5)
    """
    if isinstance(value, Mapping) and {*value} <= {"seconds", "nanos"}:
        # As Google has it.
        return float(value.get("seconds", 0)) + float(value.get("nanos", 0)) / 1e9
    try:
        return float(in_seconds(value.removesuffix("s")) if isinstance(value, str) else value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"expected a time, received {shortened(json.dumps(value))}.") from None
