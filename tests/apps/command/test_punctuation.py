"""Messages read well with the names of every surface, also of those that leave their hints out."""

import re
import shlex
from collections.abc import Iterator

import pyarrow as pa
from pyarrow import parquet

from segscores.apps.command.cli import command_parser
from segscores.apps.command.flags import Flags
from segscores.apps.demo.remedies import ControlNames
from segscores.apps.demo.tabs import TABS
from segscores.options.messages import Message, OptionNames, message_of
from segscores.options.tasks import COMMANDS

from ...command_runs import write_files
from ...reading.sources.test_columns import BAD_JSON
from . import test_bad_files, test_messages

#: Two periods, or a space before one, at the end of a sentence.
MISPRINT = re.compile(r"[.\s]\.(?=\s|$)")

SURFACES: dict[str, OptionNames] = {
    "Python": OptionNames(),
    "the command": Flags(),
    **{f"segscores {name}": Flags(task) for name, task in COMMANDS.items()},
    **{f"the tab {name}": ControlNames(tab.controls) for name, tab in TABS.items()},
}


def message_in_fragments(line: str) -> Message | None:
    """The message of a command line that fails; None if its words are the same on every surface."""
    try:
        arguments = command_parser().parse_args(shlex.split(line))
        arguments.run(arguments)
    except (ValueError, TypeError) as error:
        message = message_of(error)
        return message if isinstance(message, Message) else None
    except (OSError, SystemExit):
        return None
    return None  # only the name of the output is wrong


def misprints(line: str) -> Iterator[tuple[str, str, str]]:
    """The messages of a command line in which the punctuation is wrong, each with the surface."""
    message = message_in_fragments(line)
    if message is not None:
        for surface, names in SURFACES.items():
            shown = message.shown(names)
            if MISPRINT.search(shown):
                yield line, surface, shown


def test_messages_on_options_read_well_on_every_surface() -> None:
    write_files(test_messages.FILES)
    assert [misprint for line in test_messages.MESSAGES for misprint in misprints(line)] == []


def test_messages_on_bad_files_read_well_on_every_surface() -> None:
    found: list[tuple[str, str, str]] = []
    for (line, name), rows in test_bad_files.BAD.items():
        for content, _ in rows:
            write_files({**test_bad_files.FILES, name: content})
            found += misprints(line)
    assert found == []


def test_messages_on_tables_read_well_on_every_surface() -> None:
    found: list[tuple[str, str, str]] = []
    for content, options, _ in BAD_JSON.values():
        write_files({"t.jsonl": content})
        found += misprints(shlex.join(["score", "t.jsonl", *options]))
    write_files({"t.csv": "reference,prediction\na b,a b\n", "unknown.csv": "x,y\na b,a b\n"})
    parquet.write_table(pa.table({"reference": ["a b"], "prediction": ["a b"]}), "t.parquet")
    for arguments in ("t.csv --columns ,predicted", "t.parquet --columns ,predicted", "unknown.csv unknown.csv"):
        found += misprints(f"score {arguments}")
    assert found == []
