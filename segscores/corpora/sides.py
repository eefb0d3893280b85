"""Sides of a comparison: the reference and the predictions, each a file or several.

Conventions
-----------
- A side is a file, or several: those of a pattern in the order of their names. Sides of the same number of files pair file by
  file, so that a file that lacks a line is named; others pair as if each side were one file.
- Of a table a column is read. Where no files with predictions are named, they are columns of the reference's tables.
"""

from __future__ import annotations

__all__ = ["Side", "Sides"]

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .names import expand, is_conllu, is_table

if TYPE_CHECKING:
    from ..reading.texts import TextForm
    from ..scoring.options import Plan


@dataclass(frozen=True)
class Side:
    """The reference or a prediction.

    Attributes:
        name: as results call it.
        paths: its files.
        column: where they are tables.
        given: the path or pattern, as it was given; empty for a column of the reference's table.
        form: how text is read; None for that of all sides.
        joins_units: whether the units of a word in units text are joined, since another side has no such units.
    """

    name: str
    paths: tuple[str, ...]
    column: str = ""
    given: str = ""
    form: TextForm | None = None
    joins_units: bool = False

    @property
    def label(self) -> str:
        """What messages about the side as a whole call it."""
        return self.given or self.name

    @classmethod
    def of(cls, path: str, column: str = "", *, name: str = "") -> Side:
        """The side that is a file, or those that a pattern matches.

        Args:
            path: of the file, or the pattern.
            column: where it is a table.
            name: the path if it is empty.

        Raises:
            ValueError: no file matches the pattern, or the path is empty.
        """
        if not path:
            raise ValueError("received an empty name: expected that of a file. Is a variable of the shell empty?")
        return cls(name or path, tuple(expand(path)), column, path)


@dataclass(frozen=True)
class Sides:
    """All sides, and how they are read.

    Attributes:
        sides: the reference, then the predictions.
        plan: of the scoring.
        text_format: `"words"`, `"units"` or `"conllu"`; a name that ends in `.conllu` is CoNLL-U whatever this says.
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
        """Whether the sides have as many files."""
        return len({len(side.paths) for side in self.sides}) == 1

    @property
    def paths(self) -> list[str]:
        """All files."""
        return [path for side in self.sides for path in side.paths]
