"""The result of a task: tables for people, rows and a record for programs, and the signature.

Conventions
-----------
- A cell holds a value, not a text. Only `rendering` knows how numbers, undefined scores, intervals and marks look.
- In a table, a plain value stands for its cell, and a plain name for its column.
- LaTeX is for a page of print: a table leaves out the columns that are details there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..options.optional import require

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Values:
    """A base of dataclasses with `eq=False`: two are equal if their fields are, where nan equals nan.

    `dataclass` itself writes a method that, from Python 3.13 on, finds nan unequal to itself.
    """

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        # Compare texts, in which nan equals nan. `asdict` makes dicts of nested results too: the text of a result itself is a
        # table of rounded numbers. numpy would round numbers, and write the first and last three of many.
        with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
            return type(other) is type(self) and repr(asdict(self)) == repr(asdict(other))  # type: ignore[call-overload]


@dataclass(frozen=True)
class Cell:
    """A value, with what a table shows beside it."""

    value: float | str | None  #: None for an empty cell
    interval: tuple[float, float] | None = None
    mark: str = ""  #: "best", "tied" if it is not distinguishable from the best, or empty
    is_defined: bool = True  #: False for 0/0: tables show a dash, programs read the value
    form: str = ".4f"  #: the format of a float
    is_share: bool = False  #: True if it can be in percent


@dataclass(frozen=True)
class Column:
    """A column of a table; the first column and columns of text are at the left."""

    name: str
    is_detail: bool = False
    is_text: bool = False
    has_keys: bool = False  #: True if its cells are keys of scores, which some formats write in words


@dataclass(frozen=True)
class Note:
    """A note in the line below the tables."""

    text: str  #: a template: `{best}` stands for the sign of the best, `{}` for a name or a number
    names: Sequence[str | Cell] = ()  #: names from the user, which the format escapes, and numbers of tables
    is_detail: bool = False  #: True if it explains columns that are details


@dataclass(frozen=True)
class Table:
    """Rows of cells, as long as the columns."""

    columns: Sequence[str | Column]
    rows: Iterable[Sequence[Any]]
    #: The titles above the names of the columns after the first, such as "prediction", as rows; empty if they can't be rows.
    heading_of_systems: str = ""
    is_wide: bool = False  #: True if these columns become rows by default

    @classmethod
    def of(cls, rows: Sequence[DataclassInstance]) -> Table:
        """Return a table with a row for each dataclass; a field whose name ends in `_p` is a p-value."""
        names = _field_names(rows)

        def cell(name: str, value: Any) -> Any:
            """Return the cell of a field: text as it is, and a number with four decimals, or two digits of a p-value."""
            if isinstance(value, str):
                return value
            return Cell(value, form=".2g" if name.endswith("_p") else ".4f")

        return cls(names, [[cell(name, getattr(row, name)) for name in names] for row in rows])

    @classmethod
    def of_fields(cls, rows: Sequence[DataclassInstance]) -> Table:
        """Return a table for programs with a row for each dataclass."""
        names = _field_names(rows)
        return cls(names, [[getattr(row, name) for name in names] for row in rows])

    @property
    def all_columns(self) -> list[Column]:
        """The columns, with a `Column` for each plain name."""
        return [column if isinstance(column, Column) else Column(column) for column in self.columns]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.all_columns]

    def values(self) -> Iterator[list[Any]]:
        """Yield the values of the cells, row by row."""
        for row in self.rows:
            yield [cell.value if isinstance(cell, Cell) else cell for cell in row]


def _field_names(rows: Sequence[DataclassInstance]) -> list[str]:
    """Return the names of the fields of dataclasses of one class, of which there is at least one."""
    first, *_ = rows
    return [field.name for field in fields(first)]


@dataclass(frozen=True)
class Result:
    """The tables, notes and rows that a task shows, with a record for JSON."""

    tables: Sequence[Table]  #: for people; tables without rows are left out, if there are others
    notes: Sequence[Note] = ()  #: they explain the tables
    record: Mapping[str, Any] | None = None  #: for JSON; None for a list of the rows
    data: Table | None = None  #: the rows for programs; None if they are the rows of the first table
    signature: str = ""  #: how the scores were computed; may be empty
    answer: Note | None = None  #: what the tables say, in a sentence on a line of its own

    @property
    def rows(self) -> Table:
        """The rows for programs."""
        if self.data is None:
            first_table, *_ = self.tables
            return first_table
        return self.data

    def to_frame(self) -> Any:
        """Return the rows for programs as a data frame of pandas."""
        require("pandas", "to_frame")
        import pandas as pd  # type: ignore[import-untyped,unused-ignore]

        return pd.DataFrame(list(self.rows.values()), columns=self.rows.names)
