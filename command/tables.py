"""Results as text: tables, JSON, CSV, Markdown, LaTeX."""

from __future__ import annotations

__all__ = ["FORMATS", "TABLE_STYLES", "Result", "format_cells", "format_results", "format_rows"]

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

#: The formats that are tables for people, as tabulate calls them.
TABLE_STYLES = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}


@dataclass(frozen=True)
class Result:
    """What one prediction scored.

    Attributes:
        prediction: its name.
        scores: by key, in order.
        counts: by column; empty where they were not asked for.
    """

    prediction: str
    scores: dict[str, float]
    counts: dict[str, int] = field(default_factory=dict)


def format_results(results: Sequence[Result], reference: str, form: str) -> str:
    """The results in one of FORMATS: one row a score, one column a prediction.

    Tables round to 4 decimals; JSON and CSV give every digit.
    """
    return FORMATS[form](results, reference)


def _as_json(results: Sequence[Result], reference: str) -> str:
    predictions = []
    for result in results:
        # JSON has no nan.
        scores = {key: None if math.isnan(value) else value for key, value in result.scores.items()}
        entry: dict[str, object] = {"prediction": result.prediction, "scores": scores}
        if result.counts:
            entry["counts"] = result.counts
        predictions.append(entry)
    return json.dumps({"reference": reference, "predictions": predictions}, indent=2, ensure_ascii=False)


def _as_csv(results: Sequence[Result], _: str) -> str:
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(["score", *(result.prediction for result in results)])
    writer.writerows(_rows(results, repr))
    return output.getvalue().rstrip("\n")


def format_cells(names: Sequence[str], rows: Sequence[Sequence[str]], form: str) -> str:
    """A table for people: the first column to the left, the others to the right.

    Args:
        names: of the columns.
        rows: the cells.
        form: a key of `TABLE_STYLES`.
    """
    from tabulate import tabulate

    header = [" ".join(name.split()) for name in names]
    if form == "markdown":
        header, *rows = ([cell.replace("|", "\\|") for cell in row] for row in (header, *rows))
    alignment = ("left", *["right"] * (len(header) - 1))
    table: str = tabulate(rows, header, tablefmt=TABLE_STYLES[form], disable_numparse=True, colalign=alignment)
    # tabulate escapes for LaTeX what means something there, but for this.
    return table.replace("|", "\\textbar{}") if form == "latex" else table


def _tabulated(form: str) -> Callable[[Sequence[Result], str], str]:
    def format_table(results: Sequence[Result], _: str) -> str:
        rows = _rows(results, lambda value: f"{value:.4f}")
        return format_cells(["score", *(result.prediction for result in results)], rows, form)

    return format_table


def _rows(results: Sequence[Result], format_score: Callable[[float], str]) -> list[list[str]]:
    scores = [[key, *(format_score(result.scores[key]) for result in results)] for key in results[0].scores]
    counts = [[column, *(str(result.counts[column]) for result in results)] for column in results[0].counts]
    return scores + counts


#: How results can be printed.
FORMATS: dict[str, Callable[[Sequence[Result], str], str]] = {
    "table": _tabulated("table"),
    "json": _as_json,
    "csv": _as_csv,
    "markdown": _tabulated("markdown"),
    "latex": _tabulated("latex"),
}


def format_rows(rows: Sequence[DataclassInstance], form: str) -> str:
    """Rows as text: one line a row, one column a field.

    Tables round to 4 decimals, p-values to 2 digits; JSON and CSV give every digit.

    Args:
        rows: at least one, dataclasses all of one class; the first field is the name of the row.
        form: `"table"`, `"json"`, `"csv"`, `"markdown"` or `"latex"`.
    """
    names = [field.name for field in fields(rows[0])]
    if form == "json":
        return json.dumps([_without_nan(asdict(row)) for row in rows], indent=2, ensure_ascii=False)
    if form == "csv":
        output = io.StringIO()
        writer = csv.writer(output, lineterminator="\n")
        writer.writerows([names, *(asdict(row).values() for row in rows)])
        return output.getvalue().rstrip("\n")
    cells = [[_format_cell(name, value) for name, value in asdict(row).items()] for row in rows]
    return format_cells(names, cells, form)


def _without_nan(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no nan."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}


def _format_cell(name: str, value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.2g}" if name.endswith("_p") else f"{value:.4f}"
    return str(value)
