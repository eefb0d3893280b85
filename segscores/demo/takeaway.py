"""Takeaway: what a visitor copies, which computes what the page shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import segscores

from ..options.option import Paths
from ..options.requests import Request, command_line, python_call
from ..options.tasks import COMMANDS
from ..sources.names import is_table
from .boxes import Inputs

#: The longest texts that Python code contains literally, in bytes; it reads longer ones from files.
_QUOTED = 400
_IMPORTS = {
    "pathlib.": "import pathlib\n",
    "": "import segscores",
    "parse_bisegments(": "from segscores.bitext.bitexts import parse_bisegments",
    "parse_numbers(": "from segscores.reading.texts import parse_numbers",
}


def command_of(inputs: Inputs, task: str, **more: Any) -> str:
    """The subcommand that reads and scores as the page does."""
    known = COMMANDS[task]
    named: dict[str, str] = {}
    given: dict[str, Any] = {}
    for name, path in inputs.paths.items():
        box = inputs.boxes[name]
        if not box.option:
            named[name] = _argument(inputs, name)
        elif isinstance(known.options[box.option].kind, Paths):
            given[box.option] = (*given.get(box.option, ()), path)
        else:
            given[box.option] = path
    given |= {**command_columns(inputs), **inputs.given, **more}
    return command_line(Request(known, named, {name: given[name] for name in given if name in known.options}))


def _argument(inputs: Inputs, name: str) -> str:
    """A file as the command takes it, with the name of the system if the path does not say it."""
    path, file = inputs.paths[name], inputs.files.get(name)
    is_said = file is None or not inputs.boxes[name].is_named or file.name == path
    return path if file is None or is_said or re.search(r"[=/*?\[\]]", file.name) else f"{file.name}={path}"


def command_columns(inputs: Inputs) -> dict[str, Any]:
    """The options of the command for the columns of JSON lines; None stands for the usual name."""
    of_committee = {name for name, box in inputs.boxes.items() if box.option == "committee"}
    columns = {name: file.column for name, file in inputs.files.items() if file.column}
    predictions = tuple(dict.fromkeys(columns[name] for name in columns if name not in {"reference", *of_committee}))
    predictions = () if predictions == ("prediction",) else predictions
    reference = None if columns.get("reference") in (None, "reference") else columns["reference"]
    committee = tuple(columns[name] for name in columns if name in of_committee)
    found: dict[str, Any] = {"columns": (reference, *predictions)} if reference or predictions else {}
    return found | ({"committee_column": committee} if set(committee) - {"prediction"} else {})


def python_of(inputs: Inputs, code: Mapping[str, str], *functions: str, **more: Any) -> str:
    """Python code that calls functions of the package with the code of their arguments."""
    calls = ""
    for name in functions:
        function = getattr(segscores, name)
        calls += f"found = {python_call(name, code, inputs.options_of(function, **more))}\nprint(found)\n"
    imports = "\n".join(line for called, line in _IMPORTS.items() if called in calls)
    return f"{imports}\n\n{calls}".rstrip("\n")


def code_of(inputs: Inputs, name: str) -> str:
    """Python code for the content of a box: that of a short text, or what reads the file."""
    is_short = sum(map(len, inputs.contents.values())) <= _QUOTED
    lines = inputs.boxes[name].lines if name in inputs.boxes else None
    if lines:
        path = f"pathlib.Path({inputs.paths[name]!r})"
        return repr(inputs.parsed[name]) if is_short else lines.code.format(f'{path}.read_text("utf-8-sig")')
    if is_short and inputs.are_lines:
        return repr(inputs.contents[name].decode(errors="replace").splitlines())
    path, column = str(inputs.files[name].paths[0]), inputs.files[name].column
    return f"segscores.open_source({path!r}, column={column!r})" if is_table(path) else f"pathlib.Path({path!r})"
