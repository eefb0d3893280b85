"""Lines of text or of JSON, which are cut as bytes, and decoded by the thread that reads them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from ...kernel.arrays import Mask, Positions, start_of
from ...kernel.segmentation import NEWLINE
from ...options.errors import UtteranceError
from ..inputs import check_rows, read_column
from .json_lines import JsonColumns
from .opening import checked_utf8
from .source import Values


class Lines:
    """Lines of text or JSON: bytes of a file, which are not copied until a thread decodes them.

    `parse` decodes the columns of JSON lines; text is its own column. The ends of lines are computed when they are cut.
    """

    def __init__(
        self, data: bytes | memoryview, parse: JsonColumns | None = None, ends: Positions | None = None
    ) -> None:
        self._data = data
        self.kind = parse  #: the parser of JSON lines; None for text. Lines of one kind can be joined
        self._ends = ends  #: the place after the newline of each line, in bytes; None if they are not computed yet
        self._count = int(np.count_nonzero(self._is_newline)) if ends is None else len(ends)

    @property
    def _is_newline(self) -> Mask:
        """A mask of the bytes that are newlines."""
        return np.asarray(np.frombuffer(self._data, np.uint8) == NEWLINE)

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return len(self._data)

    def cut(self, start: int, stop: int) -> Lines:
        """Return the lines from `start` to before `stop`."""
        if self._ends is None:
            self._ends = np.flatnonzero(self._is_newline) + 1
        # Text "a\nb\nc\n": ends 2 4 6; the lines from 1 to before 3 are the bytes from 2 to before 6, with the ends 2 4.
        first_byte = start_of(self._ends, start)
        stop_byte = start_of(self._ends, stop)
        return Lines(memoryview(self._data)[first_byte:stop_byte], self.kind, self._ends[start:stop] - first_byte)

    @cached_property
    def _text(self) -> bytes:
        """The lines, which are checked to be UTF-8."""
        return checked_utf8(bytes(self._data))

    @cached_property
    def _columns(self) -> Sequence[pa.Array]:
        """The columns of JSON lines; text has none."""
        if self.kind is None:
            return ()
        return self.kind(self._text)

    def _column(self, parse: JsonColumns, column: int) -> pa.Array:
        """Return the column of this number of JSON lines."""
        try:
            return self._columns[column]
        except UtteranceError:
            # The error may be of another column. If it is, this one can be read alone, and the reader of the other names it.
            return parse.column(self._text, column)

    def decode(self, column: int, side: str, first_utterance: int) -> Values:
        """Return the bytes of lines of text, or the column of this number of JSON lines, which is checked."""
        if self.kind is None:
            return self._text  # text has one column
        array = self._column(self.kind, column)
        check_rows(array, side)
        return read_column(array, side, first_utterance)

    def raw(self, column: int) -> pa.Array:
        """Return the lines of text as strings, or the column of this number of JSON lines, which is not checked."""
        if self.kind is None:
            # Text has one column. A newline ends its last line, so that nothing is behind it.
            return pa.array(self._text.decode().split("\n")[:-1], pa.large_string())
        return self._column(self.kind, column)

    def join(self, others: Sequence[Any]) -> Lines:
        """Return these lines and others in order, as one batch."""
        return Lines(b"".join(batch._data for batch in (self, *others)), self.kind)
