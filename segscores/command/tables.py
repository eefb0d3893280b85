"""Results as text: tables, JSON, CSV, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..kernel.json_text import as_json
from ..sources.names import printable
from ..sources.outputs import csv_cell
from .printing import as_printed

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from _typeshed import DataclassInstance

#: The version of the schema of JSON. It rises when a field is renamed, removed or given another meaning.
JSON_SCHEMA = 1

#: The sign in tables for a score whose denominator is 0.
UNDEFINED = "–"

TABLE_STYLES = ("table", "markdown", "latex")

# Code points that no text contains; they mark an emphasised part of a cell until the format is applied.
_EMPHASIS = "\ufdd0", "\ufdd1"
# What Markdown would read as markup in a cell; an underscore within a word is none.
_MARKDOWN = re.compile(r"[\\`*<|~]|\](?=\()|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
# What LaTeX would read as a command in a cell, or would not print.
_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {
        "^": r"\^{}",
        "~": r"\textasciitilde{}",
        "\\": r"\textbackslash{}",
        "<": r"\ensuremath{<}",
        ">": r"\ensuremath{>}",
    }
    | {"|": r"\textbar{}", "†": r"\textdagger{}", "±": r"$\pm$"}
)
_EMPHASIS_OF = {"table": ("", "*"), "markdown": ("**", "**"), "latex": ("\\textbf{", "}")}


@dataclass(frozen=True)
class Result:
    """The scores of one prediction.

    Attributes:
        counts: by column; empty if not requested.
        intervals: the low and the high end, by key; empty if not requested.
        path: of its file, or a pattern; empty for a column of a table, and if there is no prediction.
        undefined: the keys whose denominator is 0. Tables show a dash in their place, JSON lists them.
    """

    prediction: str
    scores: dict[str, float]
    counts: dict[str, int] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    path: str = ""
    undefined: Sequence[str] = ()

    def with_ends(self) -> dict[str, float]:
        """The scores, those with an interval followed by `<key>_low` and `<key>_high`."""
        scores = {}
        for key, value in self.scores.items():
            scores[key] = value
            if key in self.intervals:
                scores[f"{key}_low"], scores[f"{key}_high"] = self.intervals[key]
        return scores


def add_format_argument(parser: ArgumentParser) -> None:
    """Add the option on the format of the output."""
    text = "output format (default: %(default)s)"
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help=text)


def format_results(
    results: Sequence[Result],
    reference: str,
    form: str,
    signature: str = "",
    further: Mapping[str, object] = MappingProxyType({}),
) -> str:
    """The results in one of FORMATS: one row per score, one column per prediction.

    Tables round to 4 decimals and have the signature below. JSON and CSV give every digit, and the ends of intervals as
    separate scores. In CSV the signature is the last column, equal in every row, so the other columns have only numbers.
    """
    return (
        _as_json(results, reference, signature, further)
        if form == "json"
        else FORMATS[form](results, reference, signature)
    )


def with_signature(table: str, signature: str, form: str, notes: Sequence[str] = ()) -> str:
    """A table for people, followed by notes and the signature of its scores; empty strings are left out."""
    if form == "latex":
        lines = [*notes, f"signature: {signature}"] if signature else notes
        return "\n".join((table, *(f"% {line}" for line in lines)))
    if form == "markdown":
        # The fence is longer than any inside.
        fence = "``" if "`" in signature else "`"
        signature = signature and f"{fence}{signature}{fence}"
    paragraphs = [*notes, f"signature: {signature}"] if signature else notes
    return "\n\n".join((table, *paragraphs))


def json_document(
    reference: str,
    signature: str,
    predictions: Sequence[Mapping[str, object]],
    further: Mapping[str, object] = MappingProxyType({}),
) -> str:
    """The JSON that `score`, `compare` and `errors` print, as `output.schema.json` describes it."""
    signed = {"signature": signature} if signature else {}
    return as_json({"schema": JSON_SCHEMA, "reference": reference, **signed, "predictions": predictions, **further})


def _as_json(
    results: Sequence[Result], reference: str, signature: str, further: Mapping[str, object] = MappingProxyType({})
) -> str:
    predictions = []
    for result in results:
        path = {"path": result.path} if result.path else {}
        counts = {"counts": result.counts} if result.counts else {}
        undefined = {"undefined": list(result.undefined)}
        scores = {"scores": result.with_ends()}
        predictions.append({"prediction": result.prediction, **path, **scores, **undefined, **counts})
    return json_document(reference, signature, predictions, further)


def _as_csv(results: Sequence[Result], _: str, signature: str) -> str:
    columns = [result.with_ends() for result in results]
    scores = [[key, *(repr(column[key]) for column in columns)] for key in columns[0]]
    return format_csv(
        ["score", *(result.prediction for result in results)], [*scores, *_count_rows(results)], signature
    )


def format_csv(names: Sequence[str], rows: Iterable[Iterable[object]], signature: str = "") -> str:
    """A table as CSV."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    signed, column = ([signature], ["signature"]) if signature else ([], [])
    writer.writerow(map(csv_cell, [*names, *column]))
    writer.writerows(map(csv_cell, [*row, *signed]) for row in rows)
    return output.getvalue().rstrip("\n")


def emphasised(text: str) -> str:
    """A part of a cell that `format_cells` shows in bold, or with an asterisk after it in formats without bold."""
    return text.join(_EMPHASIS)


def escape_markdown(text: str) -> str:
    """A text in which nothing is Markdown's markup."""
    return _MARKDOWN.sub(r"\\\g<0>", text)


def format_cells(names: Sequence[str], rows: Sequence[Sequence[str]], form: str) -> str:
    """A table for people: the first column to the left, the others to the right."""
    header = [printable(" ".join(name.split())) for name in names]
    if form == "markdown":
        header, *rows = ([escape_markdown(cell) for cell in row] for row in (header, *rows))
    if form != "latex":
        # Escapes are wider than the characters that they stand for.
        header, *rows = ([as_printed(_emphasise(cell, form)) for cell in row] for row in (header, *rows))
    table = draw_table(header, rows, form, "l" + "r" * (len(header) - 1))
    return _emphasise(table, form) if form == "latex" else table


def draw_table(header: Sequence[str], rows: Sequence[Sequence[str]], form: str, alignment: str) -> str:
    """A table of cells that are text already.

    Args:
        alignment: for each column `l` or `r`.
    """
    lines = [list(header), *([cell.strip() for cell in row] for row in rows)]
    widths = [max([len(name) + 2, *map(len, column)]) for name, *column in zip(*lines, strict=True)]
    pad = {"l": str.ljust, "r": str.rjust}
    lines = [
        [pad[side](cell, width) for side, cell, width in zip(alignment, line, widths, strict=True)] for line in lines
    ]
    if form == "table":
        head, *body = ("  ".join(line).rstrip() for line in lines)
        return "\n".join([head, "  ".join("-" * width for width in widths), *body])
    if form == "markdown":
        head, *body = (f"| {' | '.join(line)} |" for line in lines)
        return "\n".join([head, f"|{'|'.join('-' * (width + 2) for width in widths)}|", *body])
    head, *body = (f" {' & '.join(cell.translate(_LATEX) for cell in line)} \\\\" for line in lines)
    begin, end = f"\\begin{{tabular}}{{{alignment}}}", "\\end{tabular}"
    return "\n".join([begin, "\\toprule", head, "\\midrule", *body, "\\bottomrule", end])


def _emphasise(text: str, form: str) -> str:
    for mark, written in zip(_EMPHASIS, _EMPHASIS_OF[form], strict=True):
        text = text.replace(mark, written)
    return text


def _as_table(form: str) -> Callable[[Sequence[Result], str, str], str]:
    def format_table(results: Sequence[Result], _: str, signature: str) -> str:
        scores = [[key, *(_format_score(result, key) for result in results)] for key in results[0].scores]
        names = ["score", *(result.prediction for result in results)]
        return with_signature(format_cells(names, [*scores, *_count_rows(results)], form), signature, form)

    return format_table


def _format_score(result: Result, key: str) -> str:
    interval = f" [{result.intervals[key][0]:.4f}, {result.intervals[key][1]:.4f}]" if key in result.intervals else ""
    return UNDEFINED if key in result.undefined else f"{result.scores[key]:.4f}{interval}"


def _count_rows(results: Sequence[Result]) -> list[list[str]]:
    return [[column, *(str(result.counts[column]) for result in results)] for column in results[0].counts]


FORMATS: dict[str, Callable[[Sequence[Result], str, str], str]] = {
    "table": _as_table("table"),
    "json": _as_json,
    "csv": _as_csv,
    "markdown": _as_table("markdown"),
    "latex": _as_table("latex"),
}


def format_rows(rows: Sequence[DataclassInstance], form: str, signature: str = "") -> str:
    """Rows as text: one line per row, one column per field.

    Tables round to 4 decimals, p-values to 2 digits; JSON and CSV give every digit. The signature is below a table, and is
    the last field of every row in CSV and JSON.

    Args:
        rows: at least one dataclass, all of the same class; the first field is the name of the row.
    """
    names = [field.name for field in fields(rows[0])]
    if form == "json":
        signed = {"signature": signature} if signature else {}
        return as_json([asdict(row) | signed for row in rows])
    if form == "csv":
        return format_csv(names, (asdict(row).values() for row in rows), signature)
    cells = [[_format_cell(name, value) for name, value in asdict(row).items()] for row in rows]
    return with_signature(format_cells(names, cells, form), signature, form)


def _format_cell(name: str, value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.2g}" if name.endswith("_p") else f"{value:.4f}"
    return str(value)
