"""Results as text: tables, JSON, CSV, Markdown, LaTeX."""

from __future__ import annotations

__all__ = ["FORMATS", "format_results"]

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


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


def _tabulated(style: str, escape: Callable[[str], str] = str) -> Callable[[Sequence[Result], str], str]:
    def format_table(results: Sequence[Result], _: str) -> str:
        from tabulate import tabulate

        names = ["score", *(escape(" ".join(result.prediction.split())) for result in results)]
        rows = _rows(results, lambda value: f"{value:.4f}")
        alignment = ("left", *["right"] * len(results))
        table: str = tabulate(rows, names, tablefmt=style, disable_numparse=True, colalign=alignment)
        return (
            table.replace("|", "\\textbar{}") if style.startswith("latex") else table
        )  # which tabulate does not escape

    return format_table


def _rows(results: Sequence[Result], format_score: Callable[[float], str]) -> list[list[str]]:
    scores = [[key, *(format_score(result.scores[key]) for result in results)] for key in results[0].scores]
    counts = [[column, *(str(result.counts[column]) for result in results)] for column in results[0].counts]
    return scores + counts


#: How results can be printed.
FORMATS: dict[str, Callable[[Sequence[Result], str], str]] = {
    "table": _tabulated("simple"),
    "json": _as_json,
    "csv": _as_csv,
    "markdown": _tabulated("github", lambda name: name.replace("|", "\\|")),
    "latex": _tabulated("latex_booktabs"),
}
