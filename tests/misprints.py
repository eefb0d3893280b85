"""Messages that read badly with the names of a surface, such as of one that leaves their hints out."""

import re
import shlex

from segscores.apps.command.cli import command_parser
from segscores.apps.command.flags import Flags
from segscores.apps.demo.remedies import ControlNames
from segscores.apps.demo.tabs import TABS
from segscores.options.messages import Message, OptionNames, message_of
from segscores.options.tasks import COMMANDS

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


def misprints(line: str) -> list[tuple[str, str]]:
    """The messages of a command line in which the punctuation is wrong, each with the surface."""
    message = message_in_fragments(line)
    if message is None:
        return []
    texts = {surface: message.shown(names) for surface, names in SURFACES.items()}
    return [(surface, text) for surface, text in texts.items() if MISPRINT.search(text)]
