"""Dictionary: segments that could be words, and scores over their occurrences that are not words.

Conventions
-----------
- A candidate is an occurrence in the text, within one utterance, of a segment of the dictionary: a span (start, end).
  Occurrences may overlap and nest, and each counts.
- Positive segments of a side, PS, are the candidates that are words on that side: both ends are word boundaries, without a
  boundary between them. Negative segments, NS, are the other candidates.
- A word outside the dictionary is not a candidate and is not counted.
- Where the units differ (`on_mismatch="align"`), the text is the reference's, and a predicted word is a word of it
  if none of its units is edited.
- A segment is a sequence of units: a string whose characters are the units, or, for units text, a string of units separated by
  whitespace. The unit of the text decides between the two. In units text ignored tokens are no units of a segment either.
- Acceptable segments are never negatives (the silver standard): an occurrence that is a word counts among the positives
  as usual, and any other occurrence is not counted. So acceptable segments do not change TPR and PPV. To accept other
  segmentations of a word, list their parts, and the word itself, which is a negative segment of a prediction that
  divides it. An acceptable segment outside the dictionary has no candidates and changes nothing.
- Each segment is prepared as the text is (`normalize`, `subword_marks`). Digests are of the segments before that.

- Swapping the sides swaps TPR with PPV and TNR with NPV.

Source
------
Jiang et al. (2011), "Evaluation via Negativa of Chinese Word Segmentation for Information Retrieval", PACLIC: the
definitions, with Tables 1 and 3, and the silver standard among its conclusions. Table 1 follows from the definitions.
Table 3 does not: 18 of its 32 fractions differ, 14 of them in value; the tests list them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.aligned import AlignedPrediction
from ...kernel.arrays import (
    Bytes,
    Positions,
    binary_slices,
    bools_of,
    int64_array,
    lengths_of,
    numbers_of,
    offsets_of,
    places_in,
)
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, quotients
from ...kernel.segmentation import SPACE, Segmentation, begins_character
from ...options.errors import text_problem
from ...options.messages import OptionError
from ...options.quoting import described
from ...options.table import OPTIONS
from ...reading.formats.registry import joins_units
from ...reading.preparation import Stage, segments_in_text, stages_of
from ...reading.reading import Reading
from ...reading.texts import joined_segment
from ...reading.word_lists import words_alone
from ..digest import digest_of_text
from .group import Key, ScoreGroup, columns_named, keep_last, listed

Codes = npt.NDArray[np.int32]
Kinds = npt.NDArray[np.uint8]

#: The kinds of a window of the text: no segment, a segment, or an acceptable segment.
_NO_SEGMENT = 0
_SEGMENT = 1
_ACCEPTABLE = 2

_UNICODE_SIZE = 0x110000

_POSITIVE = "dictionary_positive"
_NEGATIVE = "dictionary_negative"
_QUOTIENTS = {
    "dictionary_tpr": (f"{_POSITIVE}_matched", f"{_POSITIVE}_reference"),
    "dictionary_ppv": (f"{_POSITIVE}_matched", f"{_POSITIVE}_predicted"),
    "dictionary_tnr": (f"{_NEGATIVE}_matched", f"{_NEGATIVE}_reference"),
    "dictionary_npv": (f"{_NEGATIVE}_matched", f"{_NEGATIVE}_predicted"),
}
dictionary_scores = partial(quotients, _QUOTIENTS)

_compiling = threading.Lock()


class Dictionary:
    """Segments that could be words, and acceptable segments among them, in any order; duplicates count once.

    >>> Dictionary(dictionary=["狗", ""])
    Traceback (most recent call last):
    ...
    ValueError: dictionary, segment 1: '' is blank; expected at least one unit.
    """

    def __init__(
        self,
        *,
        dictionary: Iterable[str],
        acceptable: Iterable[str] = (),
        stages: tuple[Stage, ...] = (),
        ignored_tokens: Sequence[str] = (),
        joins_units: bool = False,
    ) -> None:
        self._ignored_tokens = frozenset(ignored_tokens)
        self._segments = _read_segments(dictionary, "dictionary", self._ignored_tokens, joins_units)
        self._acceptable = _read_segments(acceptable, "acceptable", self._ignored_tokens, joins_units)
        if not len(self._segments):
            raise OptionError(OPTIONS["dictionary"], ": it is empty; expected at least one segment.")
        #: The digests of the segments and of the acceptable segments, in any order; None if there are none.
        self.digests = {"dictionary": _digest(self._segments), "acceptable": _digest(self._acceptable)}
        self._stages = stages
        self._indexes: dict[str, _Index] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: all but the indexes, which are faster to rebuild than to copy."""
        return self.__dict__ | {"_indexes": {}}

    def find(self, text: Segmentation) -> Iterator[tuple[int, Positions, Kinds]]:
        """Yield every occurrence of a segment, within an utterance or across several, for each length in units that has one.

        They are the indexes of the units at which they start, increasing, and the kind of each, a segment (1) or an acceptable
        one (2). Time is linear in the text times the number of distinct lengths, plus the logarithm of the longest: see `_Index`.
        """
        if text.text is None:
            remedy = "pass strings or lists of words, or leave the dictionary out."
            raise ValueError(f"dictionary scores need the text, which labels do not contain: {remedy}")
        index = self._index(text.unit)
        return index.find(index.number_units(text.text))

    def _index(self, unit: str) -> _Index:
        """Return the index for texts with this unit, which the first of them makes."""
        with _compiling:  # pieces of a corpus come from several threads
            if unit not in self._indexes:
                segments = self._as_in_text(self._segments, unit).unique()
                acceptable = pc.is_in(segments, value_set=self._as_in_text(self._acceptable, unit))
                kinds = np.where(bools_of(acceptable), _ACCEPTABLE, _SEGMENT).astype(np.uint8)
                self._indexes[unit] = _compile(segments, kinds, unit)
            return self._indexes[unit]

    def _as_in_text(self, segments: list[str], unit: str) -> pa.LargeBinaryArray:
        """Return segments as they occur in the text of a `Segmentation`."""
        if unit == "token":
            segments = [joined_segment(segment, self._ignored_tokens, " ") for segment in segments]
        return segments_in_text(segments, unit, self._stages)


def tally_dictionary(comparison: Comparison, dictionary: Dictionary) -> dict[str, npt.NDArray[np.int64]]:
    """Count positive and negative segments of both sides in each utterance.

    The naive equivalent, for one utterance of units `u` and the sets of spans of its words:
    `candidates = {(i, j) for i in range(n) for j in range(i + 1, n + 1) if u[i:j] in segments}`, then
    `reference & candidates` and `{(i, j) for i, j in candidates - reference if u[i:j] not in acceptable}`, and likewise
    for the prediction.
    """
    reference = comparison.reference
    occurrences = dictionary.find(reference)
    text = reference.require_text()
    positions = np.append(_unit_starts(text, reference.unit), len(text))
    reference_lengths = _word_lengths(reference, positions)
    predicted_lengths = _word_lengths(comparison.prediction, positions)
    utterance_count = len(reference.utterance_ends)
    utterance_of_unit = np.repeat(np.arange(utterance_count), reference.utterance_units)
    # The axes: the utterance, then 1 if the occurrence is acceptable, a predicted word, a reference word.
    tallied = np.zeros((utterance_count, 2, 2, 2), np.int64)
    for length, starts, kinds in occurrences:
        utterances = utterance_of_unit[starts]
        # The index in the flat table: utterance 1, acceptable, not predicted, a reference word is 8 + 4 + 0 + 1.
        cells = utterances * 8
        cells += (kinds == _ACCEPTABLE) * 4
        cells += (predicted_lengths[starts] == length) * 2
        cells += reference_lengths[starts] == length
        if length > 1:
            # An occurrence across utterances is none.
            ends_in = utterance_of_unit[starts + (length - 1)]
            cells = cells[utterances == ends_in]
        tallied += np.bincount(cells, minlength=tallied.size).reshape(tallied.shape)
    # By utterance, then 1 for a predicted word and 1 for a reference word. Acceptable segments are no negatives.
    of_all = tallied.sum(axis=1)
    not_acceptable = tallied[:, 0]
    positive = Counts(
        matched=of_all[:, 1, 1], predicted=of_all[:, 1, :].sum(axis=1), reference=of_all[:, :, 1].sum(axis=1)
    )
    negative = Counts(
        matched=not_acceptable[:, 0, 0],
        predicted=not_acceptable[:, 0, :].sum(axis=1),
        reference=not_acceptable[:, :, 0].sum(axis=1),
    )
    return {**positive.columns(_POSITIVE), **negative.columns(_NEGATIVE)}


def _unit_starts(text: Bytes, unit: str) -> Positions:
    """Return the byte at which each unit of a text begins."""
    if unit == "character":
        return np.flatnonzero(begins_character(text))
    # "ab c " has units that end at 3 and 5, and begin at 0 and 3.
    ends = np.flatnonzero(text == SPACE) + 1
    return np.concatenate((np.zeros(min(len(ends), 1), np.int64), ends[:-1]))


def _word_lengths(segmentation: Segmentation, positions: Positions) -> Codes:
    """Return for every unit the number of units of the word that begins with it; 0 where no word begins.

    `positions` are the bytes at which the units begin, and the end of the text.
    """
    if isinstance(segmentation, AlignedPrediction):
        # Words with an edit, or beside deleted units, do not follow each other without a gap.
        unedited = np.flatnonzero(~segmentation.edited)
        starts = segmentation.word_starts[unedited]
        ends = starts + lengths_of(segmentation.original.word_ends)[unedited]
        first_units, units_after = np.searchsorted(positions, (starts, ends))
        lengths = np.zeros(len(positions), np.int32)
        lengths[first_units] = units_after - first_units
        return lengths
    # Units at 0 1 4 of 6 bytes, and words that end at 4 and 6: the boundaries 0 2 3 give the lengths 2 0 1 0.
    is_boundary = np.zeros(int(positions[-1]) + 1, bool)
    is_boundary[0] = True
    is_boundary[segmentation.word_ends] = True
    boundaries = np.flatnonzero(is_boundary[positions])
    lengths = np.zeros(len(positions), np.int32)
    lengths[boundaries[:-1]] = np.diff(boundaries)
    return lengths


class _PairTable(NamedTuple):
    """Numbered pairs of integers, left · width + right, in which whole arrays are looked up."""

    pairs: Positions
    width: int

    def find(self, left: Codes, right: Codes) -> Codes:
        """Return the number of each pair, -1 for an unknown one."""
        wanted = int64_array(left.astype(np.int64) * self.width + right)
        return places_in(wanted, int64_array(self.pairs))


@dataclass(frozen=True)
class _Scale:
    """The windows and segments with lengths from one power of two up to the next."""

    size: int  #: the power of two
    #: the numbers of the windows of that size, by the numbers of their halves; None for single units
    halves: _PairTable | None
    kinds: Kinds  #: the kind of each such window
    longer: list[_LongerSegments]  #: the segments of each greater length


class _LongerSegments(NamedTuple):
    """The segments of a length between two powers of two."""

    length: int
    #: the numbers of the segments, by the numbers of their first and their last window, which overlap
    windows: _PairTable
    kinds: Kinds  #: the kind of each segment


@dataclass(frozen=True)
class _Index:
    """A dictionary over numbered units, by lengths.

    Windows of sizes 1, 2, 4, … are numbered by the numbers of their halves, if some segment needs them. A segment of a
    length between is identified by its first and its last window (Karp, Miller & Rosenberg, 1972). So a segment of any
    length needs at most one look-up per unit, and most of the text is discarded after the first sizes.
    """

    unit: str  #: `"character"` or `"token"`
    #: for characters, the number of each code point, -1 for one that no segment has; for tokens, their bytes, in the order of
    #: their numbers
    units: Any
    scales: list[_Scale]  #: for sizes 1, 2, 4, … up to the longest segment

    def number_units(self, text: Bytes) -> Codes:
        """Return the number of every unit of a text, -1 for one that no segment has."""
        if self.unit == "character":
            # An array with the number of each code point.
            return self.units[_code_points(text)]  # type: ignore[no-any-return]
        return places_in(_tokens(text), self.units)

    def find(self, codes: Codes) -> Iterator[tuple[int, Positions, Kinds]]:
        """Yield every occurrence of a segment in numbered units, as `Dictionary.find` does.

        `codes` are the numbers of the units, -1 for one that no segment has. In each scale they become those of the windows that
        begin at each unit.
        """
        # The units at which a numbered window of the current size begins.
        starts = np.flatnonzero(codes >= 0)
        for scale in self.scales:
            if scale.halves is not None:
                half = scale.size // 2
                starts = _followed(starts, codes, half)
                numbers = scale.halves.find(codes[starts], codes[starts + half])
                is_numbered = numbers >= 0
                starts = starts[is_numbered]
                codes = np.full(len(codes), -1, np.int32)
                codes[starts] = numbers[is_numbered]
            if not len(starts):
                return  # a longer segment would begin with one of these windows
            yield from _of_length(scale.size, starts, scale.kinds[codes[starts]])
            for longer in scale.longer:
                # A segment of 7 units has its last window of 4 units 3 units after its first.
                distance = longer.length - scale.size
                first_windows = _followed(starts, codes, distance)
                numbers = longer.windows.find(codes[first_windows], codes[first_windows + distance])
                is_segment = numbers >= 0
                yield from _of_length(longer.length, first_windows[is_segment], longer.kinds[numbers[is_segment]])


def _followed(starts: Positions, codes: Codes, distance: int) -> Positions:
    """Return the starts that have a numbered window `distance` units after them."""
    starts = starts[: np.searchsorted(starts, len(codes) - distance)]
    return starts[codes[starts + distance] >= 0]


def _of_length(length: int, starts: Positions, kinds: Kinds) -> Iterator[tuple[int, Positions, Kinds]]:
    """Yield the windows of a length that are segments, as `Dictionary.find` does; nothing if none is."""
    is_segment = kinds != _NO_SEGMENT
    if not is_segment.all():
        starts = starts[is_segment]
        kinds = kinds[is_segment]
    if len(starts):
        yield length, starts, kinds


def _compile(segments: pa.LargeBinaryArray, kinds: Kinds, unit: str) -> _Index:
    """Return the index of distinct segments as they occur in a text, with the kind of each."""
    # The bytes of all segments, one after the other, are a text too.
    _, _, values = segments.buffers()
    text = np.frombuffer(values, np.uint8)
    # In units: segments "ab", "c" begin at 0 and 2, and have the lengths 2 and 1.
    bounds = np.searchsorted(_unit_starts(text, unit), offsets_of(segments))
    starts = bounds[:-1]
    lengths = np.diff(bounds)
    # Number the units. `codes` are their numbers in the text, from 0 to below `width`.
    codes: Codes
    if unit == "character":
        distinct, numbers = np.unique(_code_points(text), return_inverse=True)
        codes = numbers.astype(np.int32)
        width = len(distinct)
        units = np.full(_UNICODE_SIZE, -1, np.int32)
        units[distinct] = np.arange(width, dtype=np.int32)
    else:
        encoded = _tokens(text).dictionary_encode()
        codes = numbers_of(encoded.indices)
        width = len(encoded.dictionary)
        units = encoded.dictionary
    # Lengths 1 2 3 4 7 8 have the exponents 0 1 1 2 2 3 of the largest window that fits.
    _, binary_exponents = np.frexp(lengths)
    exponents = binary_exponents - 1

    scales = []
    for exponent, windows in enumerate(_needed_windows(starts, lengths, exponents)):
        size = 2**exponent
        halves = None
        if exponent > 0:
            # Number the windows of this size by the numbers of their halves.
            pairs, numbers = np.unique(_pairs(codes, windows, size // 2, width), return_inverse=True)
            halves = _PairTable(pairs, width)
            codes = np.full(len(codes), -1, np.int32)
            codes[windows] = numbers
            width = len(pairs)
        scale = _Scale(size, halves, np.full(width, _NO_SEGMENT, np.uint8), [])
        for length, alike in _by_length(np.flatnonzero(exponents == exponent), lengths):
            if length == size:
                scale.kinds[codes[starts[alike]]] = kinds[alike]
            else:
                windows_of_longer = _pairs(codes, starts[alike], length - size, width)
                scale.longer.append(_LongerSegments(length, _PairTable(windows_of_longer, width), kinds[alike]))
        scales.append(scale)
    return _Index(unit, units, scales)


def _by_length(segments: Positions, lengths: Positions) -> Iterator[tuple[int, Positions]]:
    """Yield each length of the segments with the indexes of those that have it, the shortest first."""
    in_order = segments[np.argsort(lengths[segments], kind="stable")]
    distinct_lengths, firsts = np.unique(lengths[in_order], return_index=True)
    alike = np.split(in_order, firsts[1:])
    yield from zip(distinct_lengths.tolist(), alike, strict=False)


def _needed_windows(starts: Positions, lengths: Positions, exponents: npt.NDArray[np.int32]) -> list[Positions]:
    """Return the starts of the windows of sizes 1, 2, 4, … that segments need: first and last windows, and their halves."""
    # A segment of subword marks alone has no unit after the marks are dropped.
    if not len(lengths):
        return []
    needed: list[Positions] = []
    is_needed = np.zeros(int((starts + lengths).max()), bool)
    # From the largest size down, because windows need their halves.
    for exponent in range(int(exponents.max()), -1, -1):
        size = 2**exponent
        is_in_scale = exponents == exponent
        # A segment of 7 units from 10 on has windows of size 4 at 10 and 13; these have halves at 10, 12 and 13, 15.
        is_needed[np.flatnonzero(is_needed) + size] = True
        is_needed[starts[is_in_scale]] = True
        is_needed[starts[is_in_scale] + lengths[is_in_scale] - size] = True
        needed.append(np.flatnonzero(is_needed))
    needed.reverse()
    return needed


def _pairs(codes: Codes, starts: Positions, distance: int, width: int) -> Positions:
    """Return the numbers of two windows that are `distance` apart, as one number; `width` is above every number."""
    return codes[starts].astype(np.int64) * width + codes[starts + distance]


def _code_points(text: Bytes) -> npt.NDArray[np.uint32]:
    """Return the code point of each character of a text in UTF-8."""
    return np.frombuffer(text.tobytes().decode().encode("utf-32-le"), "<u4")


def _tokens(text: Bytes) -> pa.LargeBinaryArray:
    """Return every unit of a text of tokens with the space that ends it, without copying the text."""
    return binary_slices(text, np.append(_unit_starts(text, "token"), len(text))[1:])


def _digest(segments: list[str]) -> str | None:
    """Return a digest that identifies segments, in any order and with duplicates or without; None if there are none."""
    if not segments:
        return None
    # A line end separates segments, because no segment has one.
    return digest_of_text("\n".join(sorted(set(segments))))


def _read_segments(segments: Any, option: str, ignored_tokens: frozenset[str], joins_units: bool) -> list[str]:
    """Return the segments of an option, whose units are joined if the units of the text are."""
    strings = listed(segments, option, "expected a list of strings")
    for index, segment in enumerate(strings):
        if not isinstance(segment, str):
            hint = ""
            if isinstance(segment, (list, tuple)):
                hint = " Units are separated by spaces."
            raise TypeError(f"{option}, segment {index}: received {described(segment)}; expected a string.{hint}")
        problem = _problem(segment, ignored_tokens)
        if problem:
            raise ValueError(f"{option}, segment {index}: {segment!r} {problem}.")
    alone = words_alone(strings, option)
    if not joins_units:
        return alone
    return [joined_segment(segment, ignored_tokens) for segment in alone]


def _problem(segment: str, ignored_tokens: frozenset[str]) -> str:
    """Return what is wrong with a segment, such as "is blank; expected at least one unit"; empty if nothing is."""
    if not segment or segment.isspace():
        return "is blank; expected at least one unit"
    if ignored_tokens and ignored_tokens.issuperset(segment.split()):
        return "has only ignored tokens; expected at least one unit"
    if "\n" in segment or "\r" in segment:
        return "has a line end; expected segments without one: split a file with read().splitlines()"
    problem = text_problem(segment)
    if problem:
        return f"{problem}; expected Unicode text"
    return ""


_read = keep_last(Dictionary)


class _DictionaryGroup(ScoreGroup):
    def arguments(self, values: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
        """Return the dictionary, which is read as the words of the text are."""
        acceptable = values["acceptable"]
        if acceptable is None:
            acceptable = ()
        dictionary = _read(
            dictionary=values["dictionary"],
            acceptable=acceptable,
            stages=stages_of(reading, joins_units=False),
            ignored_tokens=reading.ignored_tokens,
            joins_units=joins_units(reading.formats)[0],
        )
        return {"dictionary": dictionary}


GROUP = _DictionaryGroup(
    name="dictionary",
    title="positive and negative segments",
    definition="Occurrences of dictionary segments in the text: positive segments (PS) are words of a side, negative "
    "segments (NS) are all other occurrences.",
    formula="tpr |PS∩PS'| / |PS|, ppv |PS∩PS'| / |PS'|, tnr |NS∩NS'| / |NS|, npv |NS∩NS'| / |NS'|, ' of the prediction",
    source="Jiang et al. (2011)",
    columns=(*columns_named(_POSITIVE), *columns_named(_NEGATIVE)),
    keys={
        "dictionary_tpr": Key("Positive segments found"),
        "dictionary_ppv": Key("Precision of positive segments"),
        "dictionary_tnr": Key("Negative segments found"),
        "dictionary_npv": Key("Precision of negative segments"),
    },
    needs=frozenset({"units", "words"}),
    tally=tally_dictionary,
    formulas=dictionary_scores,
)
