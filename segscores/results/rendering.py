"""The formats of results: tables for people, Markdown, LaTeX, HTML; CSV and JSON.

Conventions
-----------
- Tables round to 4 decimals, percent to 2, p-values to 2 digits; an undefined number is a dash. CSV and JSON have every digit;
  JSON has null for nan.
- Markdown, LaTeX and HTML name scores in words (`registry.heading_of`); the table of a terminal, CSV and JSON have the keys.
- Every format escapes names, which come from the user. In CSV an apostrophe precedes what a spreadsheet would run.
- In CSV the signature is the last column, equal in every row, so that the other columns have only numbers.
- Characters that the output cannot encode are written as escapes, so that columns stay aligned.
"""

from __future__ import annotations

import codecs
import io
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from itertools import compress
from typing import Any, NamedTuple

from ..options.layouts import check_layout
from ..options.messages import OptionError
from ..options.option import check_options
from ..options.quoting import printable
from ..options.table import OPTIONS
from ..scoring.measures.registry import heading_of
from .json_text import as_json, ascii_json
from .outputs import csv_cell
from .result import Cell, Column, Note, Result, Table

#: The version of the schema of JSON. It rises when a field is renamed, removed or given another meaning.
JSON_SCHEMA = 1

#: The sign for an undefined number.
UNDEFINED = "–"

#: Code points that no text contains: they stand before and after emphasised text in a cell until the format is applied.
_BEGIN_EMPHASIS = "\ufdd0"
_END_EMPHASIS = "\ufdd1"
#: By format, what is written before and after emphasised text.
_EMPHASIS_OF = {
    "table": ("", "*"),
    "markdown": ("**", "**"),
    "latex": (r"\textbf{", "}"),
    "html": ("<strong>", "</strong>"),
}
#: The signs that Markdown would read as markup in a cell; an underscore within a word is no markup.
_MARKDOWN = r"[\\`*<|~]|\](?=\()|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])"
#: The signs that LaTeX would read as commands, or not print, each with the code that prints it.
LATEX = (
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {sign: f"\\ensuremath{{{sign}}}" for sign in "<>"}
    | {"^": r"\^{}", "~": r"\textasciitilde{}", "\\": r"\textbackslash{}", "|": r"\textbar{}"}
    | {"†": r"\textdagger{}", "−": "$-$"}
)
#: After the end of a row LaTeX takes these for arguments, `\\*` and `\\[2pt]`, and after a rule booktabs takes `\midrule[1pt]`.
#: Both look for them through spaces and line ends (`\@ifnextchar` of the LaTeX kernel).
_LATEX_ARGUMENT = r"^([*\[])"


class _Layout(NamedTuple):
    """The look of tables: the values of the options `format`, `percent` and `systems`."""

    output_format: str
    percent: bool
    systems: str  #: "columns" or "rows"

    def shows(self, part: Column | Note) -> bool:
        """Return True for a column or a note that is no detail, or if there is room for details."""
        # A page of print is narrow, and systems as rows have a column for each score.
        has_room = self.output_format != "latex" and self.systems != "rows"
        return has_room or not part.is_detail


def render(
    result: Result, form: str = "table", encoding: str = "utf-8", *, percent: bool = False, systems: str | None = None
) -> str:
    """Write a result in a format, with options `percent` and `systems`, for an output of this encoding; CSV is always UTF-8."""
    check_layout(form, percent=percent, systems=systems)
    if form == "csv":
        return _csv(result)
    if form == "json":
        is_utf8 = codecs.lookup(encoding).name == "utf-8"
        return _json(result) if is_utf8 else ascii_json(_json(result))
    # Leave out tables without rows, which would be a header alone. If no table has rows, write the first one.
    tables = [table for table in result.tables if table.rows] or result.tables[:1]
    if systems == "rows" and not any(table.heading_of_systems for table in tables):
        raise OptionError(OPTIONS["systems"].set(systems), ": the columns of this result are no systems: leave it out.")
    if systems is None:
        systems = "rows" if any(table.is_wide for table in tables) else "columns"
    layout = _Layout(form, percent, systems)
    footer = _footer(result, layout)
    if form == "html":
        texts_of_tables = [_texts(table, layout).lines for table in tables]
        page = _template().render(tables=texts_of_tables, footer=footer)
        emphasised = _emphasise(page, form).rstrip("\n")
        return emphasised.encode(encoding, "xmlcharrefreplace").decode(encoding)
    shown = "\n\n".join(_table(table, layout, encoding) for table in tables)
    if form == "latex":
        # The footer is a comment.
        return "\n".join([shown, *(f"% {line}" for line in footer)])
    return "\n\n".join([shown, *footer])


class Tabular(ABC):
    """An object that a terminal, `print` and a notebook show as its `result()`."""

    @abstractmethod
    def result(self) -> Result:
        """Return the tables of this object."""

    def to_frame(self) -> Any:
        """Return the rows for programs as a data frame of pandas."""
        return self.result().to_frame()

    def render(self, form: str = "table", *, percent: bool = False, systems: str | None = None) -> str:
        """Write the text that the command prints with the options `format`, `percent` and `systems`.

        Raises:
            TypeError, ValueError: a bad value, or one that the format does not have.
        """
        check_options({"format": form, "percent": percent, "systems": systems}, OPTIONS)
        return render(self.result(), form, percent=percent, systems=systems)

    def __repr__(self) -> str:
        return render(self.result())

    def _repr_html_(self) -> str:
        return render(self.result(), "html")


def _csv(result: Result) -> str:
    """Write the rows for programs as CSV, with the signature in the last column if there is one."""
    import csv

    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    header = list(result.rows.names)
    if result.signature:
        header.append("signature")
    writer.writerow(map(csv_cell, header))
    # `values` makes a new list of each row.
    for row in result.rows.values():
        if result.signature:
            row.append(result.signature)
        writer.writerow(map(csv_cell, row))
    return output.getvalue().rstrip("\n")


def _json(result: Result) -> str:
    """Write the record as JSON, or a list of the rows for programs if there is no record; each with the signature."""
    signed = {}
    if result.signature:
        signed["signature"] = result.signature
    if result.record is None:
        names = result.rows.names
        return as_json([dict(zip(names, row, strict=True)) | signed for row in result.rows.values()])
    record: dict[str, Any] = {"schema": JSON_SCHEMA}
    # The reference comes before the signature.
    if "reference" in result.record:
        record["reference"] = result.record["reference"]
    return as_json({**record, **signed, **result.record})


@cache
def _template() -> Any:
    """Return the template of HTML, which needs jinja2."""
    from jinja2 import Environment, PackageLoader

    loader = PackageLoader("segscores.results")
    return Environment(loader=loader, autoescape=True, trim_blocks=True).get_template("result.html")


def _footer(result: Result, layout: _Layout) -> list[str]:
    """Return the answer, the notes, and the signature, if there are any; in a terminal each note has a line."""
    footer = []
    if result.answer is not None:
        footer.append(f"{_note_text(result.answer, layout)}.")
    notes = []
    if layout.percent:
        notes.append("scores in percent")
    notes += [_note_text(note, layout) for note in result.notes if layout.shows(note)]
    if notes and layout.output_format == "table":
        footer.append("\n".join(f"{note}." for note in notes))
    elif notes:
        footer.append(f"{'; '.join(notes)}.")
    signature = result.signature
    if signature:
        if layout.output_format == "markdown":
            # A fence must be longer than any run of backticks within.
            fence = "``" if "`" in signature else "`"
            signature = f"{fence}{signature}{fence}"
        footer.append(f"signature: {signature}")
    return footer


def _note_text(note: Note, layout: _Layout) -> str:
    """Return a note with its names, and with the words for the sign of the best."""
    names = []
    for name in note.names:
        # A number of the tables is a cell.
        text = _one_line(name) if isinstance(name, str) else _text_of(name, layout)
        if layout.output_format == "markdown":
            text = escape_markdown(text)
        names.append(text)
    best = "* best" if layout.output_format == "table" else "bold: best"
    return note.text.format(*names, best=best)


def _table(table: Table, layout: _Layout, encoding: str) -> str:
    """Return a table as text, in one of the formats that align columns."""
    output_format = layout.output_format
    texts = _texts(table, layout)
    lines = texts.lines
    if output_format == "markdown":
        lines = [list(map(escape_markdown, line)) for line in lines]

    def written(text: str) -> str:
        """Return a text as the output writes it: with emphasis, and escapes for what the encoding lacks."""
        return _emphasise(text, output_format).encode(encoding, "backslashreplace").decode(encoding)

    if output_format != "latex":
        # Before columns are padded, because escapes are wider than the characters that they stand for. `_latex` writes the
        # emphasis last, because it would escape the braces.
        lines = [list(map(written, line)) for line in lines]
    # Text stands at the left, numbers at the right.
    sides = ["l" if index == 0 or column.is_text else "r" for index, column in enumerate(texts.columns)]
    lines = _pad(lines, sides)
    if output_format == "latex":
        return _latex(lines, sides)
    if output_format == "markdown":
        return _markdown(lines)
    return _plain(lines)


def _latex(lines: list[list[str]], sides: Sequence[str]) -> str:
    """Return the table with the header and the rows in `lines`, for the package booktabs; `sides` is `l` or `r` for a column."""
    rows = []
    for line in lines:
        cells = ["".join(LATEX.get(character, character) for character in text) for text in line]
        row = re.sub(_LATEX_ARGUMENT, r"{\1}", " & ".join(cells))
        rows.append(f" {row} \\\\")
    header, *others = rows
    begin = r"\begin{tabular}{" + "".join(sides) + "}"
    table = [begin, r"\toprule", header, r"\midrule", *others, r"\bottomrule", r"\end{tabular}"]
    return _emphasise("\n".join(table), "latex")


def _markdown(lines: list[list[str]]) -> str:
    """Return the table of Markdown with the header and the rows in `lines`, whose texts are padded."""
    names, *_ = lines
    header, *rows = [f"| {' | '.join(line)} |" for line in lines]
    rule = "|".join("-" * (len(name) + 2) for name in names)  # as wide as the name and the spaces around it
    return "\n".join([header, f"|{rule}|", *rows])


def _plain(lines: list[list[str]]) -> str:
    """Return the table of a terminal with the header and the rows in `lines`, whose texts are padded."""
    names, *_ = lines
    header, *rows = ["  ".join(line).rstrip() for line in lines]
    rule = "  ".join("-" * len(name) for name in names)
    return "\n".join([header, rule, *rows])


def _pad(lines: list[list[str]], sides: Sequence[str]) -> list[list[str]]:
    """Pad the texts of each column to one width, on the side that `sides` has for it, `l` or `r`.

    The first line is the header: a column is at least two characters wider than its name.
    """
    padded_columns = []
    for side, (name, *texts) in zip(sides, _transposed(lines), strict=True):
        width = max([len(name) + 2, *map(len, texts)])
        pad = str.ljust if side == "l" else str.rjust
        padded_columns.append([pad(text, width) for text in (name, *texts)])
    return _transposed(padded_columns)


def _transposed(lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return columns as lines, or lines as columns."""
    return [list(line) for line in zip(*lines, strict=True)]


class _Texts(NamedTuple):
    """The texts of a table."""

    columns: list[Column]  #: the columns that are shown
    lines: list[list[str]]  #: the header, then the rows


def _texts(table: Table, layout: _Layout) -> _Texts:
    """Return the texts of a table, without columns that the layout leaves out, and with systems as rows if the layout says so."""
    is_shown = list(map(layout.shows, table.all_columns))
    columns = list(compress(table.all_columns, is_shown))
    lines = [[_one_line(column.name) for column in columns]]
    for row in table.rows:
        cells = zip(columns, compress(row, is_shown), strict=True)
        texts = []
        for column, cell in cells:
            # People copy the keys of a terminal's table into options.
            is_in_words = column.has_keys and layout.output_format != "table"
            value = heading_of(cell) if is_in_words else cell
            texts.append(_text_of(value, layout))
        lines.append(texts)
    if table.heading_of_systems and layout.systems == "rows":
        # The columns "score" and "a", with the rows "pk" and "windowdiff", become the columns "system", "pk" and "windowdiff",
        # with the row "a".
        _, *systems_as_lines = _transposed(lines)
        _, *names_of_scores = [name for name, *_ in lines]
        header = [table.heading_of_systems, *names_of_scores]
        lines = [header, *systems_as_lines]
        columns = list(map(Column, header))
    return _Texts(columns, lines)


def _text_of(cell: Any, layout: _Layout) -> str:
    """Return a cell, or a plain value, as text: `0.8125`, in percent with an interval `81.25 [79.01, 83.40]`, or a dash."""
    if not isinstance(cell, Cell):
        cell = Cell(cell)
    if not cell.is_defined:
        return UNDEFINED
    if cell.value is None:
        return ""
    if not isinstance(cell.value, float):
        return printable(str(cell.value)).strip()
    text = _number_of_cell(cell.value, cell, layout)
    if cell.mark == "best":
        text = f"{_BEGIN_EMPHASIS}{text}{_END_EMPHASIS}"
    elif cell.mark == "tied":
        text = f"{text}†"
    # nan is a dash too, and has no interval.
    if cell.interval is None or text == UNDEFINED:
        return text
    low, high = cell.interval
    return f"{text} [{_number_of_cell(low, cell, layout)}, {_number_of_cell(high, cell, layout)}]"


def _number_of_cell(value: float, cell: Cell, layout: _Layout) -> str:
    """Return the value of a cell, or an end of its interval, as the layout shows it."""
    if layout.percent and cell.is_share:
        # A percent has two decimals fewer than a share: ".4f" becomes ".2f".
        text = rounded(100 * value, cell.form.replace(".4", ".2"))
    else:
        text = rounded(value, cell.form)
    if layout.output_format == "latex":
        # LaTeX would print "-" as a hyphen.
        text = text.replace("-", "−")
    return text


def _number(value: float, sign: bool = False, is_count: bool = False) -> str:
    """Return a number as pages show it; `sign` is True for a plus before positive numbers.

    >>> _number(0.5), _number(1234.5), _number(3.0, is_count=True), _number(-0.5, sign=True)
    ('0.5000', '1,234.5', '3', '−0.5000')
    >>> [_number(value) for value in (99.75, 100.0, 100.25, math.inf, -math.inf)]
    ['99.7500', '100.0', '100.2', '∞', '−∞']
    """
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    if is_count and value.is_integer():
        # Counts need no decimals, but their means and intervals have some.
        number_format = ",.0f"
    elif abs(value) >= 100:
        number_format = ",.1f"
    else:
        number_format = ".4f"
    if sign:
        number_format = f"+{number_format}"
    return rounded(value, number_format).replace("-", "−")


def _interval(ends: tuple[float, float] | None, sign: bool = False) -> str:
    """Return an interval as pages show it: "0.7901 to 0.8340"; a dash if there is none, or its ends are nan."""
    if ends is None:
        return UNDEFINED
    low, high = ends
    if math.isnan(low):
        return UNDEFINED
    return f"{_number(low, sign)} to {_number(high, sign)}"


def rounded(value: float, number_format: str) -> str:
    """Return a number in a format of Python, such as ".4f"; nan is a dash."""
    if math.isnan(value):
        return UNDEFINED
    return format(value, number_format)


#: The ways in which pages write numbers, by the names of the filters of their templates.
NUMBERS: dict[str, Callable[..., str]] = {
    "number": _number,
    "interval": _interval,
    "p_value": lambda value: rounded(value, ".3f" if value >= 0.001 else ".2g"),
    "rounded": rounded,
    "share": lambda share: rounded(share, ".1%").replace("%", " %"),
}


def escape_markdown(text: str) -> str:
    """Escape what Markdown would read as markup."""
    return re.sub(_MARKDOWN, r"\\\g<0>", text)


def _one_line(name: str) -> str:
    """Return a name in one line, without characters that control a terminal."""
    return printable(" ".join(name.split()))


def _emphasise(text: str, output_format: str) -> str:
    """Return a text with the emphasis of a format in place of the code points that stand for it."""
    begin, end = _EMPHASIS_OF[output_format]
    return text.replace(_BEGIN_EMPHASIS, begin).replace(_END_EMPHASIS, end)
