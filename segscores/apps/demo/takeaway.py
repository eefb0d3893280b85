"""Takeaway: the command and the code for a visitor to copy, which compute the results of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import segscores

from ...options.tasks import COMMANDS, Request, command_line, python_call
from ...reading.sources.names import is_table
from ...reading.sources.opening import all_lines
from .boxes import Inputs

#: The longest texts that Python code contains literally, in bytes; it reads longer ones from files.
_QUOTED = 400


def command_of(inputs: Inputs, task: str, **more: Any) -> str:
    """The subcommand that reads and scores as the page does."""
    command, files, options = COMMANDS[task], {}, {**command_columns(inputs), **inputs.explicit, **more}
    for name, path in inputs.names.items():
        option, file = inputs.boxes[name].option, inputs.files.get(name)
        if option:
            options[option] = (*options.get(option, ()), path) if command.options[option].kind.takes_several else path
        else:
            # With the name of the system, unless its path is the name.
            has_name = file and inputs.boxes[name].is_named and not re.search(r"[=/*?\[\]]", file.name)
            files[name] = f"{file.name}={path}" if file and has_name and file.name != path else path
    return command_line(Request(command, files, {name: options[name] for name in options if name in command.options}))


def command_columns(inputs: Inputs) -> dict[str, Any]:
    """The options of the command for the columns of JSON lines; None stands for the usual name."""
    columns = {name: file.column for name, file in inputs.files.items() if file.column}
    reference = None if columns.get("reference") == "reference" else columns.get("reference")
    members = {name for name, box in inputs.boxes.items() if box.option == "committee"}
    predictions = tuple(dict.fromkeys(columns[name] for name in columns if name not in {"reference", *members}))
    predictions = () if predictions == ("prediction",) else predictions
    committee = tuple(columns[name] for name in columns if name in members)
    options: dict[str, Any] = {"columns": (reference, *predictions)} if reference or predictions else {}
    return options | ({"committee_column": committee} if set(committee) - {"prediction"} else {})


def python_of(inputs: Inputs, code: Mapping[str, str], *functions: str, **more: Any) -> str:
    """Python code that calls functions of the package with the code of their arguments."""
    calls = ""
    for name in functions:
        options = inputs.options_of(getattr(segscores, name), **more)
        calls += f"result = {python_call(name, code, options)}\nprint(result)\n"
    imports = "import pathlib\n\n" if "pathlib." in calls else ""
    return f"{imports}import segscores\n\n{calls}".rstrip("\n")


def code_of(inputs: Inputs, name: str) -> str:
    """Python code for the content of a box: a literal for a short text, or a call that reads the file."""
    is_short = sum(len(file.contents) for file in inputs.held.values()) <= _QUOTED
    if name in inputs.parsed:
        return repr(inputs.parsed[name]) if is_short else f"pathlib.Path({inputs.names[name]!r})"
    if is_short and inputs.are_lines:
        return repr(all_lines(inputs.held[name]))
    path, column = str(inputs.files[name].paths[0]), inputs.files[name].column
    return f"segscores.open_source({path!r}, column={column!r})" if is_table(path) else f"pathlib.Path({path!r})"
