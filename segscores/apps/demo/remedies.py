"""Remedies: errors in the words of the page, and what mends them as buttons that set a control."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...options.messages import Message, NamedOption, OptionNames, Setting, merged, message_of


def label_of(name: str) -> str:
    """Return the label of the control of an option.

    >>> label_of("text_format")
    'Text format'
    """
    return name.replace("_", " ").capitalize()


class ControlNames(OptionNames):
    """The names of options on a tab. The settings that a message proposes are collected in `remedies`.

    >>> from segscores.options.table import OPTIONS
    >>> names = ControlNames(["normalize", "text_format"])
    >>> Message("normalise them, by ", OPTIONS["normalize"].set("NFC"), ".").shown(names)
    'normalise them, by Normalize: NFC.'
    >>> names.remedies
    {'normalize=NFC': 'Normalize: NFC'}
    """

    def __init__(self, controls: Collection[str]) -> None:
        self._controls = controls
        #: the labels of the buttons, by the control and its value: `normalize=NFC`
        self.remedies: dict[str, str] = {}

    def has(self, option: NamedOption) -> bool:
        """Return whether the tab has a control for the option."""
        return _control_of(option) in self._controls

    def name(self, option: NamedOption) -> str:
        """Return the label of the control: `Text format`."""
        return label_of(_control_of(option))

    def setting(self, option: NamedOption, value: Any) -> str:
        """Return a control with a value: `Text format: words`."""
        return self._offer(option, [_text_of(option, value)])

    def settings(self, settings: Sequence[Setting]) -> list[str]:
        """Return controls with values; the formats of both sides are one value of their control."""
        by_control: dict[str, list[Setting]] = {}
        for setting in settings:
            by_control.setdefault(_control_of(setting.option), []).append(setting)
        shown = []
        for settings_of_control in by_control.values():
            first_setting, *_ = settings_of_control
            texts = [_text_of(setting.option, setting.value) for setting in settings_of_control]
            shown.append(self._offer(first_setting.option, texts))
        return shown

    def _offer(self, option: NamedOption, texts: Sequence[str]) -> str:
        """Return a control with a value, and collect it as a remedy if the tab has the control.

        `texts` has the value, or a value for each side.
        """
        text = merged(texts)
        shown = f"{self.name(option)}: {text}"
        if self.has(option):
            self.remedies[f"{_control_of(option)}={text}"] = shown
        return shown


def shown_with_remedies(error: Exception, controls: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return an error in the words of a tab, and the labels of the buttons that mend it, by the settings of controls."""
    names = ControlNames(controls)
    message = message_of(error)
    if isinstance(message, Message):
        message = message.shown(names)
    return message, names.remedies


def _control_of(option: NamedOption) -> str:
    """Return the option whose control an option has: `text_format` for `reference_format`.

    Such an option of one side has the flag of both sides, and a value such as `{},` for it.
    """
    if option.flag_value == "{}":
        return option.name
    return option.flag.removeprefix("--").replace("-", "_")


def _text_of(option: NamedOption, value: Any) -> str:
    """Return a value as the field of a control has it.

    The field of a switch has `yes` or `no`. Any other field has what the command line has after the flag: `NFC`, or `,words`
    for the format of the prediction alone, whose `flag_value` is the template `,{}`.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    # Where the command line has a flag for each value, the field has the values with a space between them.
    return option.flag_value.format(" ".join(option.kind.write(value)))
