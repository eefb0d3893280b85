"""Takeaway: what a visitor copies, which computes what the page shows."""

from __future__ import annotations

from typing import Any

from ..options.requests import Request, command_line, python_call
from ..options.tasks import COMMANDS
from ..report.page import CITATION, CODE
from ..sources.names import is_table
from .boxes import Inputs
from .tab import Tab, templates

#: The longest texts that Python code contains literally, in bytes; it reads longer ones from files.
QUOTED = 400


def takeaway(tab: Tab, inputs: Inputs) -> str:
    """The exports of a tab: files to download, and the command and the Python code that compute the same."""
    lines = tab.lines(inputs) if tab.lines else {}
    if tab.function and not tab.lines:
        lines = {"Command": command_of(tab, inputs), "Python": python_of(tab, inputs)}
    return templates().get_template("takeaway.html").render(tab=tab, lines=lines, citation=CITATION, code=CODE)


def command_of(tab: Tab, inputs: Inputs, task: str = "", **options: Any) -> str:
    """The subcommand that reads and scores as the page does."""
    reference, *predictions = inputs.paths.values()
    given = {**inputs.columns(), **inputs.given, **options}
    return command_line(
        Request(COMMANDS[task or tab.task], {"reference": reference, "predictions": predictions}, given)
    )


def python_of(tab: Tab, inputs: Inputs) -> str:
    """Python code that calls the function of the package."""
    code = {argument: code_of(inputs, box) for argument, box in tab.passed.items()}
    imports = "import pathlib\n\n" if any("pathlib" in each for each in code.values()) else ""
    return f"{imports}import segscores\n\nfound = {python_call(tab.function, code, inputs.options)}\nprint(found)"


def code_of(inputs: Inputs, box: str) -> str:
    """Python code for the utterances of a box: those of short texts, or what reads the file."""
    path, column = inputs.paths[box], inputs.files[box].column
    if sum(map(len, inputs.contents.values())) <= QUOTED and inputs.are_lines:
        return repr(inputs.contents[box].decode(errors="replace").splitlines())
    return f"segscores.open_source({path!r}, column={column!r})" if is_table(path) else f"pathlib.Path({path!r})"
