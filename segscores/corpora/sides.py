"""Sides of a comparison: the reference and the predictions, each of one or more files.

Conventions
-----------
- A side is one file, or the files of a pattern in the order of their names. Sides with equal numbers of files pair file
  by file, so that errors can name a file that lacks a line; others pair as if each side were one file.
- From a table one column is read. If no files of predictions are named, predictions are columns of the reference's
  tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..sources.names import expand, is_conllu, is_table

if TYPE_CHECKING:
    from ..reading.texts import TextForm
    from ..scoring.options import Plan


@dataclass(frozen=True)
class Side:
    """The reference or a prediction.

    Attributes:
        name: the name in results.
        paths: its files.
        column: the column, for tables. given: the original path or pattern; empty for a column of the reference's
            table.
        form: how to read text; None for the form of all sides.
        joins_units: whether to join the units of a word in units text, because another side has no such units.
    """

    name: str
    paths: tuple[str, ...]
    column: str = ""
    given: str = ""
    form: TextForm | None = None
    joins_units: bool = False

    @property
    def label(self) -> str:
        """The name of the whole side in messages."""
        return self.given or self.name

    @classmethod
    def of(cls, path: str, column: str = "", *, name: str = "") -> Side:
        """The side of a file, or of the files that match a pattern.

        Raises:
            ValueError: no file matches the pattern, or the path is empty.
        """
        if not path:
            raise ValueError("received an empty name: expected the name of a file. Is a variable of the shell empty?")
        return cls(name or path, tuple(expand(path)), column, path)


@dataclass(frozen=True)
class Sides:
    """All sides, and how to read them.

    Attributes:
        sides: the reference, then the predictions.
        plan: the plan of the scoring.
        text_format: `"words"`, `"units"` or `"conllu"`; a name that ends in `.conllu` always means CoNLL-U.
    """

    sides: tuple[Side, ...]
    plan: Plan
    text_format: str

    @classmethod
    def of(cls, sides: Sequence[Side], plan: Plan, text_format: str) -> Sides:
        """The sides of a scoring."""
        return cls(tuple(sides), plan, text_format)

    @property
    def is_conllu(self) -> bool:
        """Whether every file is CoNLL-U."""
        return all(
            is_conllu(path, self.format_of(side)) and not is_table(path) for side in self.sides for path in side.paths
        )

    def format_of(self, side: Side) -> str:
        """The text format of a side."""
        return self.text_format if side.form is None else side.form.text_format

    @property
    def pair_by_file(self) -> bool:
        """Whether the sides have equal numbers of files."""
        return len({len(side.paths) for side in self.sides}) == 1

    def groups(self) -> list[Sides]:
        """The files that pair one by one, as sides of one file each; all as one if the sides have different numbers of files."""
        if not self.pair_by_file:
            return [self]
        return [
            replace(
                self, sides=tuple(replace(side, paths=(path,)) for side, path in zip(self.sides, paths, strict=True))
            )
            for paths in zip(*(side.paths for side in self.sides), strict=True)
        ]

    @property
    def paths(self) -> list[str]:
        """All files."""
        return [path for side in self.sides for path in side.paths]
