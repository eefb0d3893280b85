"""Flags: options of the table on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ...options.file_kinds import PrintedFile
from ...options.kinds import Switch
from ...options.layouts import check_layout
from ...options.messages import NamedOption, OptionError, OptionNames, Setting, merged
from ...options.option import Option, check_needs
from ...options.quoting import shell_words, shortened
from ...options.table import OPTIONS
from ...options.tasks import Task, flag_of

#: The sections of the help, in order.
_SECTIONS = ("input", "scores", "intervals and tests", "output")


class Flags(OptionNames):
    """The names of options on the command line of a task, or of any task if it is unknown; options that it lacks keep Python's.

    >>> from segscores.options.table import OPTIONS
    >>> Flags().setting(OPTIONS["n_resamples"], 500)
    '--resamples 500'
    """

    def __init__(self, task: Task | None = None) -> None:
        #: The flags of the task; empty if the task is unknown.
        self._flags: set[str] = set()
        if task is not None:
            self._flags = set(map(flag_of, task.options.values()))

    def has(self, option: NamedOption) -> bool:
        """Return whether the task has the option; True if the task is unknown."""
        return not self._flags or flag_of(option) in self._flags

    def name(self, option: NamedOption) -> str:
        """Return the flag of an option: `--text-format`."""
        if not self.has(option):
            return super().name(option)
        return flag_of(option)

    def setting(self, option: NamedOption, value: Any) -> str:
        """Return an option with a value: `--text-format words`."""
        if not self.has(option):
            return super().setting(option, value)
        words: list[str] = []
        # The flag is given once for each text: `--ignored-tokens A --ignored-tokens B`. A switch that is on has one empty text.
        for written in option.kind.write(value):
            # The template is `{}`, or has the place of one of two sides: `,{}` makes `--text-format ,words` for the predictions.
            text = option.flag_value.format(written)
            if text.startswith("-"):
                # A value such as -100 would be read as a flag.
                words.append(f"{flag_of(option)}={_quoted(text)}")
                continue
            words.append(flag_of(option))
            if text:
                words.append(_quoted(text))
        return " ".join(words)

    def settings(self, settings: Sequence[Setting]) -> list[str]:
        """Return options with values: `--text-format words,units`, of which both sides have one flag."""
        by_flag: dict[str, list[Setting]] = {}
        for setting in settings:
            by_flag.setdefault(self.name(setting.option), []).append(setting)
        shown = []
        for flag, settings_of_flag in by_flag.items():
            if len(settings_of_flag) == 1:
                (only,) = settings_of_flag
                shown.append(self.setting(only.option, only.value))
                continue
            texts = []
            for setting in settings_of_flag:
                # An option of a side has one value.
                (written,) = setting.option.kind.write(setting.value)
                texts.append(setting.option.flag_value.format(written))
            shown.append(f"{flag} {_quoted(merged(texts))}")
        return shown


def _quoted(text: str) -> str:
    """Return a text as a word of a shell; a comma at its end is in quotes, as it looks like one of the message elsewhere.

    >>> _quoted("tagged,"), _quoted("words")
    ("'tagged,'", 'words')
    """
    quoted = shell_words([text])
    return f"'{text}'" if quoted == text.rstrip(",") + "," else quoted


def add_flags(parser: argparse.ArgumentParser, task: Task) -> list[argparse.Action]:
    """Add the flags of a task, in sections, and return those that are rarely needed.

    argparse only collects their texts: `read_flags` reads and checks them.
    """
    rare = []
    options = task.options.values()
    used = {option.section for option in options}
    sections = {name: parser.add_argument_group(name) for name in _SECTIONS if name in used}
    exclusive = None
    if task.one_of:
        # Exactly one of some options of the input is needed.
        exclusive = sections["input"].add_mutually_exclusive_group(required=True)
    for option in options:
        names = [flag_of(option)]
        if option.short:
            names.insert(0, option.short)
        section = sections[option.section]
        if exclusive is not None and option.name in task.one_of:
            section = exclusive
        action = section.add_argument(*names, dest=option.name, help=_help_of(option, task), **_keywords_of(option))
        if option.is_rare:
            rare.append(action)
    return rare


def _keywords_of(option: Option) -> dict[str, Any]:
    """Return the keywords of argparse for a flag. One that is written twice keeps both texts, so that `read_flags` sees them."""
    if isinstance(option.kind, Switch):
        # A switch adds an empty text each time.
        return {"action": "append_const", "const": ""}
    keywords: dict[str, Any] = {"metavar": option.kind.metavar, "required": option.is_required, "action": "append"}
    if option.kind.takes_several:
        keywords |= {"action": "extend", "nargs": "*"}
    return keywords


def _help_of(option: Option, task: Task) -> str:
    """Return the help of a flag: `the number of resamples; needs --confidence (default: 1000)`."""
    text = option.help
    if option.groups:
        relation = "adds" if option.adds else "for"
        text += f"; {relation} the scores {' and '.join(option.groups)}"
    if option.kind.is_repeatable:
        text += "; repeatable"
    if option.kind.is_word_list:
        text += "; one per line, or CoNLL-U (.conllu)"
    # `need.when` lists the values that need the other option. If only some do, the help of the option says so already.
    is_always_needed = option.need is not None and not option.need.when and option.need.other in task.options
    if option.need is not None and is_always_needed:
        text += f"; needs {_any_of([option.need.other, *option.need.alternatives], task)}"
        for name, value in option.need.or_value.items():
            text += f" or {flag_of(task.options[name])} {value}"
    if option.excludes:
        text += f"; not with {_any_of(option.excludes, task)}"
    default = option.default_help or _written_default(option)
    if default:
        text += f" (default: {default})"
    # argparse formats the help with %.
    return text.replace("%", "%%")


def _written_default(option: Option) -> str:
    """Return the default as the user would write it; empty if it means that the option is left out."""
    # 0.0 is a default to show, and equals False: so these are compared by `is`.
    if option.default is None or option.default is False or option.default == ():
        return ""
    return ",".join(option.kind.write(option.default))


def _any_of(names: Iterable[str], task: Task) -> str:
    """Return the flags of options in words: `--confidence or --by`."""
    return " or ".join(flag_of(task.options[name]) for name in names)


def read_flags(arguments: argparse.Namespace) -> None:
    """Replace the texts of the flags by their values, and flags that the user left out by their defaults; check them together.

    `explicit` in the arguments then has the values of the flags that the user wrote, by the names of the options.
    """
    explicit: dict[str, Any] = {}
    options: Mapping[str, Option] = arguments.task.options
    for name, option in options.items():
        # A list of a text for each time that the user wrote the flag; None if the user left it out.
        texts = getattr(arguments, name)
        if texts is None:
            setattr(arguments, name, option.default)
            continue
        # Before Python 3.13 argparse reads `--option=--` as an empty list.
        texts = [text if text != [] else "--" for text in texts]
        explicit[name] = _value_of(option, texts)
        setattr(arguments, name, explicit[name])
    arguments.explicit = explicit
    # An option that the user wrote may need another one, whose default will do.
    check_needs(explicit, options, values=vars(arguments))
    if "output" in explicit and "format" in options and "format" not in explicit:
        arguments.format = _format_of_output(options, explicit["output"])
    # Check that options on the look of tables come only with a format that has tables. Where the user left an option out, or the
    # subcommand lacks it, its default is checked, which goes with any format.
    layout = {name: explicit.get(name, OPTIONS[name].default) for name in ("percent", "systems")}
    check_layout(getattr(arguments, "format", "table"), **layout)


def _value_of(option: Option, texts: Sequence[str]) -> Any:
    """Return the value of a flag from its texts, one for each time that the user wrote it; some may be written only once."""
    if option.kind.is_repeatable:
        return tuple(chain.from_iterable(map(option.parse, texts)))
    if len(texts) > 1:
        # A switch has no texts to show.
        received = f"it {len(texts)} times"
        if any(texts):
            received = " and ".join(map(shortened, texts))
        raise OptionError(option, f": expected it once, received {received}: leave out all but one.")
    if isinstance(option.kind, Switch):
        return True
    return option.parse(*texts)


def _format_of_output(options: Mapping[str, Option], path: str) -> str:
    """Return the format that the name of an output ends in, if the task has it, or the usual one."""
    format_option = options["format"]
    output_kind = options["output"].kind
    # An output that is no printed result, such as a report, has no format.
    if isinstance(output_kind, PrintedFile):
        format_of_name = output_kind.format_of(path)
        if format_of_name in format_option.kind.choices:
            return format_of_name
        if format_of_name:
            endings = ", ".join(output_kind.endings_of(format_option.kind.choices))
            received = f": {path} ends as a file of another format; expected one of {endings}, or any name with "
            raise OptionError(options["output"], received, format_option, ".")
    return str(format_option.default)
