"""The cells of a printed table, in each format."""

import re


def markdown_cells(table: str) -> list[list[str]]:
    """The cells of a table in GitHub's Markdown, without the line below its header."""
    rows = [line for line in table.split("\n") if not re.fullmatch(r"[|:\- ]+", line)]
    cells = [re.split(r"(?<!\\)\|", row)[1:-1] for row in rows]
    return [[re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell.strip()) for cell in row] for row in cells]


def latex_cells(table: str) -> list[list[str]]:
    """The cells of a table in LaTeX, as written."""
    rows = [line.removesuffix("\\\\") for line in table.split("\n") if line.endswith("\\\\")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)&", row)] for row in rows]


def table_cells(table: str) -> list[list[str]]:
    """The cells of a plain table, whose columns the line of dashes marks."""
    header, dashes, *rows = table.split("\n")
    columns = [match.span() for match in re.finditer("-+", dashes)]
    return [[row[start:end].strip() for start, end in columns] for row in (header, *rows)]


CELLS = {
    "table": table_cells,
    "markdown": markdown_cells,
    "latex": lambda table: [[cell.replace("\\_", "_") for cell in row] for row in latex_cells(table)],
}
