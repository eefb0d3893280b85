"""The parser of the command's arguments: its errors take one line, and suggest the nearest option."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, takewhile
from typing import Any, NoReturn

from ...options.gone import SUBCOMMANDS
from ...options.quoting import printable, shell_words
from ...options.tasks import COMMANDS, flag_of
from .flags import read_flags
from .printing import print_out

#: The similarity of names, as difflib counts it, from which one is likely meant: --tier is no likely meaning of --quiet (.62).
_LIKELY = 0.65
#: That of names of one letter more or less, such as --score and --scores.
_ONE_LETTER_OFF = 0.9


class _Formatter(argparse.HelpFormatter):
    """The format of help, in which a line never ends within the name of an option, such as `--text-format`."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Return the lines of the help of an argument."""
        import textwrap

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Return a paragraph: the description of the command, or of a section."""
        import textwrap

        lines = textwrap.wrap(
            " ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
        return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """The parser of the command or of a subcommand. Options can't be shortened."""

    def __init__(self, *, arguments: Callable[[Parser], None] | None = None, **options: Any) -> None:
        # A command line runs one subcommand: only the parser of that one is completed.
        is_complete = arguments is None
        super().__init__(**options, allow_abbrev=False, add_help=is_complete, formatter_class=_Formatter)
        #: The function that adds the arguments, which is called when they are first needed; None after that.
        self._add_arguments = arguments
        #: The options that `--help` only names.
        self.rare: list[argparse.Action] = []
        #: The words of the command line, for suggestions.
        self._words: Sequence[str] = ()

    @property
    def subcommands(self) -> dict[str, Parser]:
        """The parsers of the subcommands by their names; none in the parser of a subcommand."""
        for action in self._actions:
            # The subcommands are the choices of the only argument whose choices are parsers.
            if isinstance(action.choices, dict):
                return action.choices
        return {}

    def complete(self) -> Parser:
        """Add the arguments, unless they were added, and return the parser."""
        add_arguments = self._add_arguments
        if add_arguments is None:
            return self
        self._add_arguments = None
        self.add_argument("-h", "--help", action="help", help="show this help message and exit")
        add_arguments(self)
        if self.rare:
            self.add_argument("--help-all", action=Print, nargs=0, help="describe all options")
        # segscores score REFERENCE [NAME=]PREDICTION … [options]
        usage = ["%(prog)s"]
        for action in self._actions:
            if action.option_strings:
                continue
            usage.append(str(action.metavar))
            if action.nargs in ("+", "*"):
                usage.append("…")
        self.usage = " ".join([*usage, "[options]"])
        return self

    def format_help(self) -> str:
        """Return the help, after the arguments were added."""
        self.complete()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Print one line to standard error, and exit with status 2."""
        line = printable(message)
        if not line.endswith("."):
            line += "."
        self.exit(2, f"{self.prog}: error: {line}{self._suggestion(message)} See {self.prog} --help.\n")

    def _suggestion(self, message: str) -> str:
        """Suggest the nearest known name, if the message is about an unknown name, or how the value of a flag is written."""
        flag_without_value = re.match(r"argument \S*?(--[^\s/]+): expected one argument", message)
        if flag_without_value is not None:
            return self._negative_value(flag_without_value[1])
        unknown_flag = re.search(r"unrecognized arguments: (--[^\s=]+)", message)
        if unknown_flag is not None:
            flag = unknown_flag[1]
            tasks = [task.name for task in COMMANDS.values() if flag in map(flag_of, task.options.values())]
            if not tasks:
                return _nearest(flag, self._option_string_actions)
            # An option of this subcommand may be misspelt as one of another: --score for --scores.
            did_you_mean = _nearest(flag, self._option_string_actions, at_least=_ONE_LETTER_OFF)
            return f"{did_you_mean} {flag} is an option of segscores {', '.join(tasks)}."
        unknown_command = re.match(r"argument COMMAND: invalid choice: '([^']*)'", message)
        if unknown_command is None:
            return ""
        name = unknown_command[1]
        if name in SUBCOMMANDS:
            # It was a subcommand of an earlier version.
            return f" {name}: {SUBCOMMANDS[name]}"
        return _nearest(name, self.subcommands)

    def _negative_value(self, flag: str) -> str:
        """Return a sentence on the number after a flag, such as -2,-1, which argparse takes for a flag; empty without one."""
        for word, next_word in pairwise(self._words):
            if word == flag and re.match(r"-[\d.]", next_word):
                return f" A value that begins with - stands after =: {flag}={shell_words([next_word])}."
        return ""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments and the values of options; a subcommand rejects unknown arguments itself."""
        self.complete()
        self._words = args or ()
        parsed, unknown = super().parse_known_args(args, namespace)
        is_subcommand = " " in self.prog  # such as `segscores score`
        if is_subcommand:
            if unknown:
                self.error(self._rejection(unknown))
            read_flags(parsed)
        return parsed, unknown

    def _rejection(self, unknown: Sequence[str]) -> str:
        """Describe the arguments that no option or position takes."""
        positional = [action for action in self._actions if not action.option_strings]
        has_unknown_flag = any(argument.startswith("-") for argument in unknown)
        if not positional or has_unknown_flag:
            return f"unrecognized arguments: {' '.join(unknown)}"
        problem_of_list = self._values_apart(unknown)
        if problem_of_list:
            return problem_of_list
        *_, last = positional
        if last.nargs == "+":
            return f"{' '.join(unknown)}: name every {last.metavar} side by side, all before or all after the options"
        return f"expected one {last.metavar}, received also {' '.join(unknown)}"

    def _values_apart(self, unknown: Sequence[str]) -> str:
        """Describe the values of a list between which a space stands in place of a comma, such as `--scores token type`.

        The text is empty if the arguments are files, or do not follow such a list.
        """
        # In `gold.txt --scores token type` the word `type` is unknown. Before it stand the flag of a list and its value `token`.
        words_before = list(takewhile(lambda word: word != unknown[0], self._words))
        places_of_flags = [place for place, word in enumerate(words_before) if word.startswith("-")]
        has_files = any(map(os.path.exists, unknown))
        if not places_of_flags or has_files:
            return ""
        last_flag, *values = words_before[places_of_flags[-1] :]
        if not self._takes_list(last_flag):
            return ""
        joined = ",".join(value.strip(",") for value in [*values, *unknown])
        return f"{' '.join(unknown)}: {last_flag} takes one list with commas and without spaces: {last_flag} {joined}"

    def _takes_list(self, flag: str) -> bool:
        """Return whether a flag is of an option whose values stand in one list with commas."""
        options = [option for option in self.get_default("task").options.values() if flag_of(option) == flag]
        return any(getattr(option.kind, "separator", "") == "," for option in options)

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002
        """Print the help, which only names the rare options; raise an error if it can't be written."""
        self.complete()
        print_out(self._short_help().removesuffix("\n"))

    def _short_help(self) -> str:
        """Return the help, which only names the rare options."""
        if not self.rare:
            return self.format_help()
        texts = [action.help for action in self.rare]
        for action in self.rare:
            action.help = argparse.SUPPRESS
        names = ", ".join(action.option_strings[-1] for action in self.rare)
        self.add_argument_group("more options (--help-all describes them)", names)
        short_help = self.format_help()
        # The parser reads other command lines of the process too.
        self._action_groups.pop()
        for action, text in zip(self.rare, texts, strict=True):
            action.help = text
        return short_help


def _nearest(name: str, known: Iterable[str], *, at_least: float = _LIKELY) -> str:
    """Return a sentence that suggests the known name that is nearest; empty if none is near.

    `at_least` is the similarity of a near name, from 0 to 1.
    """
    import difflib

    for nearest in difflib.get_close_matches(name, known, n=1, cutoff=at_least):
        return f" Did you mean {nearest}?"
    return ""


class Print(argparse.Action):
    """The action of `--version`, which has a constant, and of `--help-all`."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the constant, or the help of all options, and exit."""
        print_out(self.const or parser.format_help().removesuffix("\n"))
        parser.exit()
