"""Bitexts: readers and checks of the inputs of `alignment`.

Conventions
-----------
- An input is a list of bitexts, and an alignment of one is a list of bisegments, each `{"source": [0], "target": [0,
  1]}` or the pair `([0], [0, 1])`. Arrow columns, such as those of `bitexts_to_arrow`, are accepted too.
- A plain list of bisegments is the alignment of one bitext; its texts are then two lists of strings. A path names a file of
  one bitext: bisegments as vecalign writes them, or segments, one per line. A list of paths has a file for each bitext.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from ...options.errors import FileError, counting_from
from ...options.quoting import described, shortened
from ...reading.inputs import WORDS
from ...reading.sources.names import Held, shown_name
from ...reading.sources.opening import all_lines

#: The numbers of the source segments, and of the target segments.
Bisegment: TypeAlias = tuple[list[int], list[int]]
#: The texts of the segments of one side of a bitext; None if they are unknown.
Texts: TypeAlias = list[str] | None

SIDES = ("source", "target")

#: Segment numbers must be below this.
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
        # An error that has its arguments can be pickled.
        super().__init__(side, bitext, bisegment, problem)
        self.side = side
        self.bitext = bitext
        self.bisegment = bisegment
        self.problem = problem

    def __str__(self) -> str:
        return f"{_place(self.side, self.bitext, self.bisegment)}: {self.problem}"

    def in_file(self, name: str) -> FileError:
        """Return the error of a file of one bitext, in which each bisegment is a line: `file, line 4: …`."""
        return FileError(f"{name}, line {self.bisegment + 1}: ", self.problem, counting=counting_from("line"))


def read_bisegments(path: str | Held) -> list[Bisegment]:
    """Read the bisegments in a file, one per line."""
    try:
        # The name of the side is in no error: the error of a file names the file.
        bisegments = parse_bisegments(all_lines(path, has_words=False), "references")
    except BisegmentError as error:
        raise error.in_file(shown_name(path)) from None
    if not bisegments:
        raise FileError(f"{shown_name(path)}: the file is empty; expected at least one line, such as [0]:[0,1].")
    return bisegments


def parse_bisegments(lines: Sequence[str], side: str) -> list[tuple[list[int], list[int]]]:
    """Parse bisegments as vecalign writes them; a cost after a second colon is ignored.

    >>> parse_bisegments(["[0]:[0, 1]", "[1]:[]:0.3"], "references")
    [([0], [0, 1]), ([1], [])]
    """
    bisegments = []
    for index, line in enumerate(lines):
        source = None
        target = None
        match = _LINE.fullmatch(line)
        if match:
            source = _numbers(match[1])
            target = _numbers(match[2])
        if source is None or target is None:
            expected = "expected source and target segments, such as [0]:[0,1], or []:[2] if one side is empty"
            # All lines are of one bitext, the first.
            raise BisegmentError(side, bitext=0, bisegment=index, problem=f"received {shortened(line)}; {expected}.")
        bisegments.append((source, target))
    return bisegments


def _numbers(text: str) -> list[int] | None:
    """Parse numbers between commas, with an optional final comma; None if the text has anything else."""
    if not text.strip():
        return []
    pieces = text.split(",")
    has_final_comma = len(pieces) > 1 and not pieces[-1].strip()
    if has_final_comma:
        pieces.pop()
    numbers = []
    for piece in pieces:
        match = _NUMBER.fullmatch(piece)
        if not match:
            return None
        numbers.append(int(match[1]))
    return numbers


class Bitexts(NamedTuple):
    """The inputs of a scoring, each with an item per bitext. Texts of segments that are unknown are None."""

    references: list[list[Bisegment]]
    predictions: list[list[Bisegment]]
    sources: list[Texts]
    targets: list[Texts]


def read_bitexts(references: Any, predictions: Any, sources: Any, targets: Any) -> Bitexts:
    """Read and check the four inputs of `alignment.score_alignment`, which lists the errors."""
    if (sources is None) != (targets is None):
        raise ValueError("sources and targets go together: pass the texts of both sides, or neither.")
    inputs = {"references": references, "predictions": predictions}
    if sources is not None:
        inputs |= {"sources": sources, "targets": targets}
    listed = _listed_by_bitext(inputs)
    counts = {name: len(values) for name, values in listed.items()}
    if len(set(counts.values())) > 1:
        received = " and ".join(f"{count} {name}" for name, count in counts.items())
        raise ValueError(f"{received}: expected one of each for every bitext.")
    if not listed["references"]:
        raise ValueError("there is nothing to score: expected at least one bitext, received none.")
    # Without texts, those of each bitext are unknown.
    source_texts: list[Texts] = [None] * counts["references"]
    target_texts: list[Texts] = [None] * counts["references"]
    if sources is not None:
        source_texts = _read_texts(listed["sources"], "sources")
        target_texts = _read_texts(listed["targets"], "targets")
    limits = [_lengths(source_texts), _lengths(target_texts)]
    return Bitexts(
        references=_read_alignments(listed["references"], "references", limits),
        predictions=_read_alignments(listed["predictions"], "predictions", limits),
        sources=source_texts,
        targets=target_texts,
    )


def _listed_by_bitext(inputs: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return a list for each input, with an item per bitext; those of one bitext may have no outer list."""
    listed = {name: _read_list(values, name) for name, values in inputs.items()}
    # `_read_list` has made a path a list of one bitext. A list in memory may be of bitexts, or be one bitext itself.
    in_memory = {name: values for name, values in listed.items() if not isinstance(inputs[name], os.PathLike)}
    # Their first items tell. Empty lists have none: beside a path, which is one bitext, they are one bitext too.
    has_path = len(in_memory) < len(listed)
    are_empty = not any(in_memory.values())
    if _is_one_bitext(in_memory) or (has_path and are_empty):
        listed |= {name: [values] for name, values in in_memory.items()}
    return listed


def _lengths(texts: Iterable[Texts]) -> list[int | None]:
    """Return the number of segments of each text; None if it is unknown."""
    return [None if segments is None else len(segments) for segments in texts]


def bitexts_to_arrow(references: Any, predictions: Any, sources: Any, targets: Any) -> dict[str, pa.ChunkedArray]:
    """Check the four inputs and convert them to columns: alignments of type BISEGMENTS, texts as lists of strings or null."""
    bitexts = read_bitexts(references, predictions, sources, targets)
    return {
        "references": pa.chunked_array([_alignments_to_arrow(bitexts.references)]),
        "predictions": pa.chunked_array([_alignments_to_arrow(bitexts.predictions)]),
        "sources": pa.chunked_array([pa.array(bitexts.sources, WORDS)]),
        "targets": pa.chunked_array([pa.array(bitexts.targets, WORDS)]),
    }


def _alignments_to_arrow(alignments: Sequence[list[Bisegment]]) -> pa.Array:
    """Return a column of alignments of type BISEGMENTS."""
    rows = []
    for bisegments in alignments:
        rows.append([{"source": source, "target": target} for source, target in bisegments])
    return pa.array(rows, BISEGMENTS)


def _is_one_bitext(listed: Mapping[str, list[Any]]) -> bool:
    """Return True if the lists belong to one bitext: they hold bisegments and texts instead of lists of them.

    The first item of each list tells, such as `([0], [0])` of one bitext and `[([0], [0])]` of several. Empty lists do not.
    """
    first_items = {name: values[0] for name, values in listed.items() if values}
    if not first_items:
        return False
    for name, item in first_items.items():
        is_text = name in ("sources", "targets")
        fits = isinstance(item, str) if is_text else _is_bisegment(item)
        if not fits:
            return False
    return True


def _is_bisegment(value: Any) -> bool:
    """Return True for a bisegment, and False for a list of bisegments, such as `[([0], [0]), ([1], [1])]`.

    Both may be a list of two items. The items of a bisegment are lists of numbers, the items of a list of bisegments are not.
    """
    if isinstance(value, Mapping):
        return True
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_half, value))


def _is_half(value: Any) -> bool:
    """Return True for what may be the numbers of segments, though bad ones: a list without lists in it."""
    if not isinstance(value, (list, tuple, Set, range, np.ndarray)):
        return False
    return not any(isinstance(item, (list, tuple, Set, Mapping)) for item in value)


def _read_list(values: Any, name: str) -> list[Any]:
    """Return the items of an input: for a path this path, whose file is of one bitext."""
    if isinstance(values, os.PathLike):
        return [values]
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = values.to_pylist()
    if not _is_listing(values):
        hint = " To read a file, pass a pathlib.Path." if isinstance(values, str) else ""
        expected = f"expected a list with one entry for every bitext.{hint}"
        raise TypeError(f"{name}: received {described(values)}; {expected}")
    return list(values)


def _is_listing(values: Any) -> bool:
    """Return True if the values have an order, and are not one text."""
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping, Set))


def _read_alignments(bitexts: list[Any], side: str, limits: Sequence[Sequence[int | None]]) -> list[list[Bisegment]]:
    """Read the bisegments of each bitext of the input `side`.

    `limits` are the numbers of source segments of each bitext, and the numbers of target segments; None if they are unknown.
    """
    # Raise the error about a bitext that is no list before errors in others.
    for index, bitext in enumerate(bitexts):
        if not isinstance(bitext, os.PathLike) and not _is_listing(bitext):
            hint = f" A single bitext goes in a list too: {side}=[[…]]." if isinstance(bitext, Mapping) else ""
            raise TypeError(
                f"{side}, bitext {index}: received {described(bitext)}; expected a list of bisegments.{hint}"
            )
    alignments = []
    source_limits, target_limits = limits
    for index, bitext in enumerate(bitexts):
        limits_of_bitext = (source_limits[index], target_limits[index])
        with _naming_file(bitext):
            bisegments = read_bisegments(os.fspath(bitext)) if isinstance(bitext, os.PathLike) else bitext
            alignment = []
            for number, bisegment in enumerate(bisegments):
                alignment.append(_read_bisegment(bisegment, limits_of_bitext, _BisegmentPlace(side, index, number)))
        alignments.append(alignment)
    return alignments


@contextmanager
def _naming_file(bitext: Any) -> Iterator[None]:
    """Name the file and the line in an error about a bisegment of a bitext that is a path."""
    try:
        yield
    except BisegmentError as error:
        if not isinstance(bitext, os.PathLike):
            raise
        raise error.in_file(os.fspath(bitext)) from None


class _BisegmentPlace(NamedTuple):
    """The place of a bisegment, for errors: `references, bitext 0, bisegment 3`."""

    side: str
    bitext: int
    bisegment: int

    def __str__(self) -> str:
        return _place(self.side, self.bitext, self.bisegment)


def _read_bisegment(bisegment: Any, limits: tuple[int | None, int | None], place: _BisegmentPlace) -> Bisegment:
    """Read a bisegment, a mapping or a pair; `limits` are the numbers of source and target segments, None if unknown."""
    if isinstance(bisegment, Mapping):
        if bisegment.keys() != set(SIDES):
            raise BisegmentError(*place, f"received the keys {list(bisegment)}; {_EXPECTED}.")
        bisegment = bisegment["source"], bisegment["target"]
    if not isinstance(bisegment, (list, tuple)):
        raise TypeError(f"{place}: received {described(bisegment)}; {_EXPECTED}.")
    if len(bisegment) != 2:
        raise BisegmentError(*place, f"received {described(bisegment)}; {_EXPECTED}.")
    source, target = bisegment
    source_limit, target_limit = limits
    return _read_half(source, "source", source_limit, place), _read_half(target, "target", target_limit, place)


def _read_half(half: Any, name: str, limit: int | None, place: _BisegmentPlace) -> list[int]:
    """Read the numbers of the source or of the target segments, as `name` says; `limit` is the number of all, None if unknown."""
    is_vector = isinstance(half, np.ndarray) and half.ndim == 1
    if not is_vector and not isinstance(half, (list, tuple, Set, range)):
        raise TypeError(f"{place}: the {name} is {described(half)}; expected a list of segment numbers.")
    for number in half:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{place}: the {name} has the segment {described(number)}; expected an integer.")
        if not 0 <= number < _MOST_SEGMENTS:
            # The error of a negative number names the lower limit alone.
            most = "" if number < 0 else f", below {_MOST_SEGMENTS}"
            raise BisegmentError(*place, f"the {name} has the segment number {number}; expected numbers from 0{most}.")
        if limit is not None and number >= limit:
            expected = f"the {name} has no segments."
            if limit > 0:
                expected = f"expected numbers from 0 to {limit - 1}."
                if number == limit:
                    expected += " Are they counted from 1?"
            raise BisegmentError(*place, f"the {name} segment {number} is out of range: {expected}")
    return list(map(int, half))


def _read_texts(bitexts: list[Any], name: str) -> list[Texts]:
    """Read the texts of the segments of each bitext; `name` is that of the argument."""
    checked: list[Texts] = []
    for index, bitext in enumerate(bitexts):
        texts = all_lines(os.fspath(bitext)) if isinstance(bitext, os.PathLike) else bitext
        if not _is_listing(texts):
            hint = f" A single bitext goes in a list too: {name}=[[…]]." if isinstance(texts, str) else ""
            raise TypeError(
                f"{name}, bitext {index}: received {described(texts)}; expected a list of strings, one per segment.{hint}"
            )
        segments = list(texts)
        for number, text in enumerate(segments):
            if not isinstance(text, str):
                raise TypeError(f"{name}, bitext {index}: segment {number} is {described(text)}; expected a string.")
        checked.append(segments)
    return checked


def _place(side: str, bitext: int, bisegment: int) -> str:
    """Return the place of a bisegment, for errors: `references, bitext 0, bisegment 3`."""
    return f"{side}, bitext {bitext}, bisegment {bisegment}"
