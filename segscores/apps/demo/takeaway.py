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
    """Return the command that reads and scores as the page does; `more` are options beside those of the page."""
    command = COMMANDS[task]
    options = {**command_columns(inputs), **inputs.explicit, **more}
    files = {}
    for name, path in inputs.names.items():
        # The option with the file of the box; empty for a positional argument.
        option = inputs.boxes[name].option
        if not option:
            files[name] = _argument_of(inputs, name)
        elif command.options[option].kind.takes_several:
            options[option] = (*options.get(option, ()), path)
        else:
            options[option] = path
    own_options = {name: options[name] for name in options if name in command.options}
    return command_line(Request(command, files, own_options))


def _argument_of(inputs: Inputs, name: str) -> str:
    """Return the path of a file, with the name of the system unless its path is the name."""
    path = inputs.names[name]
    if not inputs.boxes[name].is_named:
        return path
    system = inputs.files[name].name
    # A name that begins with a hyphen would be a flag.
    can_stand_before_path = not re.search(r"^-|[=/*?\[\]]", system)
    if can_stand_before_path and system != path:
        return f"{system}={path}"
    return path


def command_columns(inputs: Inputs) -> dict[str, Any]:
    """Return the options of the command for the columns of tables, such as `{"columns": (None, "a", "b")}`.

    None stands for the usual name of the reference's column. Columns with the usual names are not named.
    """
    columns = {name: file.column for name, file in inputs.files.items() if file.column}
    reference = columns.get("reference")
    if reference == "reference":
        reference = None
    members = {name for name, box in inputs.boxes.items() if box.option == "committee"}
    predictions = tuple(dict.fromkeys(columns[name] for name in columns if name not in {"reference", *members}))
    if predictions == ("prediction",):
        predictions = ()
    committee = tuple(columns[name] for name in columns if name in members)
    options: dict[str, Any] = {}
    if reference or predictions:
        options["columns"] = (reference, *predictions)
    # Without the option, members are in the column `prediction`.
    if set(committee) - {"prediction"}:
        options["committee_column"] = committee
    return options


def python_of(inputs: Inputs, code: Mapping[str, str], *functions: str, **more: Any) -> str:
    """Return Python code that calls functions of the package.

    `code` has the code of each argument, such as {"references": "['a b']"}; `more` are options beside those of the page.
    """
    calls = ""
    for name in functions:
        options = inputs.options_of(getattr(segscores, name), **more)
        calls += f"result = {python_call(name, code, options)}\nprint(result)\n"
    program = f"import segscores\n\n{calls}".rstrip("\n")
    if "pathlib." in calls:
        program = f"import pathlib\n\n{program}"
    return program


def code_of(inputs: Inputs, name: str) -> str:
    """Return Python code for the content of a box: a literal if the texts are short, or a call that reads the file.

    `name` is that of a box, or stands for a column of the table of the reference, which has no box of its own.
    """
    # The texts of all boxes together: then all of them are literals, or none is.
    are_short = sum(len(file.contents) for file in inputs.held.values()) <= _QUOTED
    if name in inputs.parsed:
        # A box without utterances, such as a word list, which was parsed to a value of Python: `['dog', 'cat']`.
        return repr(inputs.parsed[name]) if are_short else f"pathlib.Path({inputs.names[name]!r})"
    if are_short and inputs.are_lines:
        return repr(all_lines(inputs.held[name]))
    # The path comes from `files`, because a column has no file in `names`.
    file = inputs.files[name]
    (path,) = file.paths
    if is_table(path):
        return f"segscores.open_source({str(path)!r}, column={file.column!r})"
    return f"pathlib.Path({str(path)!r})"
