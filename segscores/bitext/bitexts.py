"""Bitexts: readers and checks of the inputs of `alignment`.

Conventions
-----------
- An input is a list of bitexts, and an alignment of one is a list of bisegments, each `{"source": [0], "target": [0,
  1]}` or the pair `([0], [0, 1])`. Arrow columns, such as those of `bitexts_to_arrow`, are accepted too.
- A plain list of bisegments is the alignment of one bitext; its texts are then two lists of strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from ..reading.inputs import WORDS
from ..support.arrays import Positions
from ..support.quoting import described, shortened

SIDES = ("source", "target")

#: Segment numbers must be below this, so that segments can be numbered through all bitexts.
_MOST_SEGMENTS = 1 << 31

_EXPECTED = 'expected {"source": [numbers], "target": [numbers]} or a pair of lists of numbers'

# The text between the brackets is parsed later: a pattern for spaces and commas would take cubic time.
_LINE = re.compile(r"\s*\[([-\d\s,]*)\]\s*:\s*\[([-\d\s,]*)\]\s*(?::.*)?", re.ASCII)
_NUMBER = re.compile(r"\s*(-?\d{1,18})\s*", re.ASCII)

#: A column of alignments, one list of bisegments per bitext.
BISEGMENTS = pa.large_list(pa.struct([(side, pa.large_list(pa.int64())) for side in SIDES]))


class BisegmentError(ValueError):
    """An invalid bisegment: its place, and the problem."""

    def __init__(self, side: str, bitext: int, bisegment: int, problem: str) -> None:
        super().__init__(side, bitext, bisegment, problem)
        self.side = side
        self.bitext = bitext
        self.bisegment = bisegment
        self.problem = problem

    def __str__(self) -> str:
        return f"{_place(self.side, self.bitext, self.bisegment)}: {self.problem}"


def parse_bisegments(lines: Sequence[str], side: str) -> list[tuple[list[int], list[int]]]:
    """The bisegments of lines as vecalign writes them; a cost after a second colon is ignored.

    >>> parse_bisegments(["[0]:[0, 1]", "[1]:[]:0.3"], "references")
    [([0], [0, 1]), ([1], [])]
    """
    bisegments = []
    for index, line in enumerate(lines):
        found = _LINE.fullmatch(line)
        halves = [_numbers(half) for half in found.groups()] if found else [None, None]
        if halves[0] is None or halves[1] is None:
            raise BisegmentError(
                side,
                0,
                index,
                f"received {shortened(line)}; expected source and target segments, such as [0]:[0,1], or []:[2] if one side "
                f"is empty.",
            )
        bisegments.append((halves[0], halves[1]))
    return bisegments


def _numbers(text: str) -> list[int] | None:
    """The numbers between commas, with an optional final comma; None if the text has anything else."""
    pieces = text.split(",") if text.strip() else []
    if len(pieces) > 1 and not pieces[-1].strip():
        pieces.pop()
    found = [_NUMBER.fullmatch(piece) for piece in pieces]
    return [int(number[1]) for number in found if number] if all(found) else None


@dataclass(frozen=True)
class Alignment:
    """The alignments of one side, for all bitexts, as given.

    Attributes:
        owners: (n_bisegments,), the bitext of each bisegment, never decreasing.
        numbers, sizes: by SIDES the concatenated segment numbers of all bisegments, and how many each bisegment has.
    """

    side: str
    bitexts: int
    owners: Positions
    numbers: dict[str, Positions]
    sizes: dict[str, Positions]

    def to_arrow(self) -> pa.ChunkedArray:
        """A column of type BISEGMENTS, one list per bitext."""
        halves = [_as_lists(self.numbers[side], self.sizes[side]) for side in SIDES]
        bisegments = pa.StructArray.from_arrays(halves, fields=list(BISEGMENTS.value_type))
        counts = np.bincount(self.owners, minlength=self.bitexts)
        return pa.chunked_array([_as_lists(bisegments, counts)], BISEGMENTS)


@dataclass(frozen=True)
class Texts:
    """The segments of one side of all bitexts: how many each has (without texts, the highest number + 1), and their texts."""

    counts: Positions
    segments: list[str] | None

    def to_arrow(self) -> pa.ChunkedArray:
        """A column of lists of strings, one list per bitext, null where the texts are unknown."""
        if self.segments is None:
            return pa.chunked_array([pa.nulls(len(self.counts), WORDS)])
        return pa.chunked_array([_as_lists(pa.array(self.segments, pa.large_string()), self.counts)], WORDS)

    def lengths(self, measure: Callable[[str], int]) -> Positions:
        """The length of every segment in the measure."""
        assert self.segments is not None, "levels that need the texts are not tallied without them"
        return np.fromiter(map(measure, self.segments), np.int64, len(self.segments))


def read_bitexts(
    references: Any, predictions: Any, sources: Any, targets: Any
) -> tuple[Alignment, Alignment, Texts, Texts]:
    """Read and check the four inputs of `alignment.score_alignment`, which lists the errors."""
    if (sources is None) != (targets is None):
        raise ValueError("sources and targets go together: pass the texts of both sides, or neither.")
    named = {"references": references, "predictions": predictions}
    if sources is not None:
        named |= {"sources": sources, "targets": targets}
    listed = {name: _read_list(values, name) for name, values in named.items()}
    if _is_one_bitext(listed):
        listed = {name: [values] for name, values in listed.items()}
    counts = {name: len(values) for name, values in listed.items()}
    if len(set(counts.values())) > 1:
        received = " and ".join(f"{count} {name}" for name, count in counts.items())
        raise ValueError(f"{received}: expected one of each for every bitext.")
    if not listed["references"]:
        raise ValueError("there is nothing to score: expected at least one bitext, received none.")
    sides = [_read_alignment(listed[name], name) for name in ("references", "predictions")]
    if sources is None:
        source_texts, target_texts = (_count_named(sides, side) for side in SIDES)
    else:
        source_texts, target_texts = (_read_texts(listed[name], name) for name in ("sources", "targets"))
        for alignment in sides:
            _check_range(alignment, "source", source_texts)
            _check_range(alignment, "target", target_texts)
    return sides[0], sides[1], source_texts, target_texts


def bitexts_to_arrow(references: Any, predictions: Any, sources: Any, targets: Any) -> dict[str, pa.ChunkedArray]:
    """The four inputs as columns, checked: alignments of type BISEGMENTS, texts as lists of strings or null."""
    read: tuple[Alignment | Texts, ...] = read_bitexts(references, predictions, sources, targets)
    names = ("references", "predictions", "sources", "targets")
    return {name: each.to_arrow() for name, each in zip(names, read, strict=True)}


def _as_lists(values: pa.Array | Positions, sizes: Positions) -> pa.LargeListArray:
    return pa.LargeListArray.from_arrays(np.concatenate(([0], np.cumsum(sizes))), values)


def _is_one_bitext(listed: Mapping[str, list[Any]]) -> bool:
    """Whether the lists belong to one bitext: they hold bisegments and texts instead of lists of them."""
    firsts = {name: values[0] for name, values in listed.items() if values}
    texts = [firsts.pop(name) for name in ("sources", "targets") if name in firsts]
    return bool(firsts or texts) and all(map(_is_bisegment, firsts.values())) and all(isinstance(t, str) for t in texts)


def _is_bisegment(value: Any) -> bool:
    """Whether this is a bisegment rather than a list of them, whose items are not lists of numbers."""
    if isinstance(value, Mapping):
        return True
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(half, (list, tuple, Set, range, np.ndarray)) for half in value)
        and not any(isinstance(item, (list, tuple, Set, Mapping)) for half in value for item in half)
    )


def _read_list(values: Any, name: str) -> list[Any]:
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        listed: list[Any] = values.to_pylist()
        return listed
    if not _is_listing(values):
        raise TypeError(f"{name}: received {described(values)}; expected a list with one entry for every bitext.")
    return list(values)


def _is_listing(values: Any) -> bool:
    """Whether the values have an order, and are not one text."""
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping, Set))


def _read_alignment(bitexts: list[Any], side: str) -> Alignment:
    pairs: list[tuple[Any, Any]] = []
    counts: list[int] = []
    for index, bitext in enumerate(bitexts):
        if not _is_listing(bitext):
            hint = f" A single bitext goes in a list too: {side}=[[…]]." if isinstance(bitext, Mapping) else ""
            raise TypeError(
                f"{side}, bitext {index}: received {described(bitext)}; expected a list of bisegments.{hint}"
            )
        before = len(pairs)
        pairs += [_read_bisegment(bisegment, side, index, at) for at, bisegment in enumerate(bitext)]
        counts.append(len(pairs) - before)
    owners = np.repeat(np.arange(len(counts)), counts)
    halves = {name: [pair[half] for pair in pairs] for half, name in enumerate(SIDES)}
    sizes = {name: np.fromiter(map(len, half), np.int64, len(half)) for name, half in halves.items()}
    numbers = {name: _read_numbers(half, name, side, owners) for name, half in halves.items()}
    return Alignment(side, len(counts), owners, numbers, sizes)


def _read_bisegment(bisegment: Any, side: str, bitext: int, index: int) -> tuple[Any, Any]:
    if isinstance(bisegment, Mapping):
        if bisegment.keys() != set(SIDES):
            raise BisegmentError(side, bitext, index, f"received the keys {list(bisegment)}; {_EXPECTED}.")
        pair = bisegment["source"], bisegment["target"]
    elif isinstance(bisegment, (list, tuple)):
        if len(bisegment) != 2:
            raise BisegmentError(side, bitext, index, f"received {described(bisegment)}; {_EXPECTED}.")
        pair = bisegment[0], bisegment[1]
    else:
        raise TypeError(f"{_place(side, bitext, index)}: received {described(bisegment)}; {_EXPECTED}.")
    for name, half in zip(SIDES, pair, strict=True):
        if not isinstance(half, (list, tuple, Set, range)) and not (isinstance(half, np.ndarray) and half.ndim == 1):
            raise TypeError(
                f"{_place(side, bitext, index)}: the {name} is {described(half)}; expected a list of segment numbers."
            )
    return pair


def _read_numbers(lists: list[Any], name: str, side: str, owners: Positions) -> Positions:
    flat = list(chain.from_iterable(lists))
    if not all(_is_number_type(kind) for kind in set(map(type, flat))):
        _raise_odd_number(lists, name, side, owners, lambda number: not _is_number_type(type(number)))
    if flat and (min(flat) < 0 or max(flat) >= _MOST_SEGMENTS):
        _raise_odd_number(lists, name, side, owners, lambda number: not 0 <= number < _MOST_SEGMENTS)
    return np.fromiter(flat, np.int64, len(flat))


def _is_number_type(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and kind is not bool


def _raise_odd_number(
    lists: list[Any], name: str, side: str, owners: Positions, is_odd: Callable[[Any], bool]
) -> NoReturn:
    row, number = next((row, number) for row, numbers in enumerate(lists) for number in numbers if is_odd(number))
    bitext = int(owners[row])
    index = row - int(np.searchsorted(owners, bitext))
    if not _is_number_type(type(number)):
        raise TypeError(
            f"{_place(side, bitext, index)}: the {name} has the segment {described(number)}; expected an integer."
        )
    problem = f"the {name} has the segment number {number}; expected numbers from 0"
    raise BisegmentError(side, bitext, index, f"{problem}." if number < 0 else f"{problem}, below {_MOST_SEGMENTS}.")


def _check_range(alignment: Alignment, name: str, texts: Texts) -> None:
    rows = np.repeat(np.arange(len(alignment.owners)), alignment.sizes[name])
    counts = texts.counts[alignment.owners[rows]]
    outside = alignment.numbers[name] >= counts
    if not outside.any():
        return
    at = int(np.argmax(outside))
    number, count = int(alignment.numbers[name][at]), int(counts[at])
    bitext = int(alignment.owners[rows[at]])
    expected = f"expected numbers from 0 to {count - 1}" if count else f"the {name} has no segments"
    hint = " Are they counted from 1?" if count and number == count else ""
    raise BisegmentError(
        alignment.side,
        bitext,
        int(rows[at]) - int(np.searchsorted(alignment.owners, bitext)),
        f"the {name} segment {number} is out of range: {expected}.{hint}",
    )


def _count_named(sides: list[Alignment], name: str) -> Texts:
    """The number of segments by the highest segment number, if the texts are unknown."""
    counts = np.zeros(sides[0].bitexts, np.int64)
    for alignment in sides:
        np.maximum.at(counts, np.repeat(alignment.owners, alignment.sizes[name]), alignment.numbers[name] + 1)
    return Texts(counts, None)


def _read_texts(bitexts: list[Any], name: str) -> Texts:
    for index, texts in enumerate(bitexts):
        if not _is_listing(texts):
            hint = f" A single bitext goes in a list too: {name}=[[…]]." if isinstance(texts, str) else ""
            raise TypeError(
                f"{name}, bitext {index}: received {described(texts)}; expected a list of strings, one per segment.{hint}"
            )
    lists = [list(texts) for texts in bitexts]
    segments = list(chain.from_iterable(lists))
    if not all(issubclass(kind, str) for kind in set(map(type, segments))):
        index, at, text = next(
            (index, at, text)
            for index, texts in enumerate(lists)
            for at, text in enumerate(texts)
            if not isinstance(text, str)
        )
        raise TypeError(f"{name}, bitext {index}: segment {at} is {described(text)}; expected a string.")
    return Texts(np.fromiter(map(len, lists), np.int64, len(lists)), segments)


def _place(side: str, bitext: int, bisegment: int) -> str:
    return f"{side}, bitext {bitext}, bisegment {bisegment}"
