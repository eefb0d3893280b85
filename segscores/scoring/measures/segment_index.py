"""The index of a dictionary, in which all occurrences of its segments in a text are found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel.arrays import (
    Bytes,
    Positions,
    binary_slices,
    code_points,
    int64_array,
    numbers_of,
    offsets_of,
    places_in,
    starts_of,
)
from ...kernel.record import record
from ...kernel.segmentation import SPACE, begins_character

Codes = npt.NDArray[np.int32]
Kinds = npt.NDArray[np.uint8]

#: The kinds of a window of the text: no segment, a segment, or an acceptable segment.
NO_SEGMENT = 0
SEGMENT = 1
ACCEPTABLE = 2

#: The number of code points of Unicode.
_UNICODE_SIZE = 0x110000


class Occurrences(NamedTuple):
    """The occurrences of the segments of one length."""

    length: int  #: in units
    starts: Positions  #: the indexes of the units at which they start, increasing
    kinds: Kinds  #: the kind of each: SEGMENT or ACCEPTABLE


def unit_starts(text: Bytes, unit: str) -> Positions:
    """Return the byte at which each unit of a text begins."""
    if unit == "character":
        return np.flatnonzero(begins_character(text))
    # "ab c " has units that end at 3 and 5, and begin at 0 and 3.
    ends = np.flatnonzero(text == SPACE) + 1
    return starts_of(ends)


class _PairTable(NamedTuple):
    """Numbered pairs of integers, left · width + right, in which whole arrays are looked up."""

    pairs: Positions
    width: int

    def find(self, left: Codes, right: Codes) -> Codes:
        """Return the number of each pair, -1 for an unknown one."""
        wanted = int64_array(left.astype(np.int64) * self.width + right)
        return places_in(wanted, int64_array(self.pairs))


@record
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


@record
class SegmentIndex:
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
            return self.units[code_points(text)]  # type: ignore[no-any-return]
        return places_in(_tokens(text), self.units)

    def find(self, codes: Codes) -> Iterator[Occurrences]:
        """Yield every occurrence of a segment in numbered units, for each length that has one.

        `codes` are the numbers of the units, -1 for one that no segment has. In each scale they become those of the windows that
        begin at each unit.
        """
        # The units at which a numbered window of the current size begins: of 1 unit in the first scale.
        starts = np.flatnonzero(codes >= 0)
        for scale in self.scales:
            if scale.halves is not None:
                # A window is numbered if both its halves are, and if a segment needs it.
                half = scale.size // 2
                starts = _followed(starts, codes, half)
                numbers = scale.halves.find(codes[starts], codes[starts + half])
                is_numbered = numbers >= 0
                starts = starts[is_numbered]
                codes = np.full(len(codes), -1, np.int32)
                codes[starts] = numbers[is_numbered]
            if not len(starts):
                return  # a longer segment would begin with one of these windows
            # Some of these windows are only parts of segments: their kind is NO_SEGMENT, and `_of_length` drops them.
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
    # Without the starts for which the text ends before that window.
    starts = starts[: np.searchsorted(starts, len(codes) - distance)]
    return starts[codes[starts + distance] >= 0]


def _of_length(length: int, starts: Positions, kinds: Kinds) -> Iterator[Occurrences]:
    """Yield the windows of a length that are segments, from their starts and kinds; nothing if none is."""
    is_segment = kinds != NO_SEGMENT
    if not is_segment.all():
        starts = starts[is_segment]
        kinds = kinds[is_segment]
    if len(starts):
        yield Occurrences(length, starts, kinds)


def compile_index(segments: pa.LargeBinaryArray, kinds: Kinds, unit: str) -> SegmentIndex:
    """Return the index of distinct segments as they occur in a text, with the kind of each."""
    # The bytes of all segments, one after the other, are a text too.
    _, _, values = segments.buffers()
    text = np.frombuffer(values, np.uint8)
    # In units: segments "ab", "c" begin at 0 and 2, and have the lengths 2 and 1.
    bounds = np.searchsorted(unit_starts(text, unit), offsets_of(segments))
    starts = bounds[:-1]
    lengths = np.diff(bounds)
    numbered = _numbered_units(text, unit)
    # The numbers of windows of the current size, which are from 0 to below `width`: first of units, windows of size 1.
    codes = numbered.codes
    width = numbered.unit_count
    # Lengths 1 2 3 4 7 8 have the exponents 0 1 1 2 2 3 of the largest window that fits.
    _, binary_exponents = np.frexp(lengths)
    exponents = binary_exponents - 1

    scales = []
    # `windows` are the starts of the windows of a size that segments need.
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
        # A segment of this size is one window; a longer one, up to the next size, has a first and a last window.
        kinds_of_windows = np.full(width, NO_SEGMENT, np.uint8)
        longer: list[_LongerSegments] = []
        for length, alike in _by_length(np.flatnonzero(exponents == exponent), lengths):
            if length == size:
                kinds_of_windows[codes[starts[alike]]] = kinds[alike]
            else:
                first_and_last_windows = _PairTable(_pairs(codes, starts[alike], length - size, width), width)
                longer.append(_LongerSegments(length, first_and_last_windows, kinds[alike]))
        scales.append(_Scale(size, halves, kinds_of_windows, longer))
    return SegmentIndex(unit, numbered.units, scales)


class _NumberedUnits(NamedTuple):
    """The distinct units of a text, numbered from 0."""

    codes: Codes  #: the number of each unit of the text
    unit_count: int  #: the number of distinct units
    units: Any  #: the distinct units with their numbers, in one of the two forms of `SegmentIndex.units`


def _numbered_units(text: Bytes, unit: str) -> _NumberedUnits:
    """Number the units of a text: those of "aba" have the numbers 0 1 0."""
    if unit == "character":
        distinct, numbers = np.unique(code_points(text), return_inverse=True)
        units = np.full(_UNICODE_SIZE, -1, np.int32)
        units[distinct] = np.arange(len(distinct), dtype=np.int32)
        return _NumberedUnits(numbers.astype(np.int32), len(distinct), units)
    encoded = _tokens(text).dictionary_encode()
    return _NumberedUnits(numbers_of(encoded.indices), len(encoded.dictionary), encoded.dictionary)


def _by_length(segments: Positions, lengths: Positions) -> Iterator[tuple[int, Positions]]:
    """Yield each length of the segments with the indexes of those that have it, the shortest first."""
    in_order = segments[np.argsort(lengths[segments], kind="stable")]
    distinct_lengths, firsts = np.unique(lengths[in_order], return_index=True)
    # `split` takes the places at which all parts but the first begin. Of no segments it returns one empty part, without a length.
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
        # So far the windows of the next larger size are marked, whose first halves begin where they do. A segment of 7 units from
        # 10 on has windows of size 4 at 10 and 13; these have halves at 10, 12 and 13, 15.
        is_needed[np.flatnonzero(is_needed) + size] = True
        is_needed[starts[is_in_scale]] = True
        is_needed[starts[is_in_scale] + lengths[is_in_scale] - size] = True
        needed.append(np.flatnonzero(is_needed))
    needed.reverse()
    return needed


def _pairs(codes: Codes, starts: Positions, distance: int, width: int) -> Positions:
    """Return the numbers of two windows that are `distance` apart as one number, as `_PairTable` has it.

    `starts` are the units at which the first windows begin. `width` is above every number: 10 · 2 + 7 for the numbers 2 and 7.
    """
    return codes[starts].astype(np.int64) * width + codes[starts + distance]


def _tokens(text: Bytes) -> pa.LargeBinaryArray:
    """Return every unit of a text of tokens with the space that ends it, without copying the text."""
    # The end of a unit is the start of the next one, and the last ends with the text: starts 0 3 of "ab c " give the ends 3 5.
    return binary_slices(text, np.append(unit_starts(text, "token"), len(text))[1:])
