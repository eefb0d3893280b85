"""Runs command lines in this process."""

from segscores.apps.command.cli import command_parser
from segscores.apps.command.flags import Flags
from segscores.options.messages import OptionError


def run_command(*arguments: object) -> None:
    """Run a command line; errors are raised with the words that the script prints."""
    try:
        options = command_parser().parse_args(list(map(str, arguments)))
        options.run(options)
    except OptionError as error:
        raise OptionError(error.message.shown(Flags())) from None
