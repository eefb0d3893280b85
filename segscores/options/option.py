"""Options: what an option says about itself, how its values are checked, and which options go together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from .kinds import Kind, UnfitError
from .messages import NamedOption, OptionError, OptionTypeError, Setting
from .quoting import clipped, described, shortened
from .suggestions import suggestion

#: Texts of a command line that messages show without quotation marks.
_NUMBER = re.compile(r"-?[\d.]+")


@dataclass(frozen=True, eq=False)
class Need:
    """Another option, or one of several, without which an option has no meaning."""

    other: str  #: its name
    say: str = ""  #: the reason, to follow the name of the option and a colon
    add: Any = None  #: the value that the message suggests; without one, the message has the help of the other option
    is_exact: bool = False  #: whether no other value is allowed
    alternatives: tuple[str, ...] = ()  #: options that may take its place
    or_value: Mapping[str, Any] = field(default_factory=dict)  #: options that may take its place with these values
    when: tuple[str, ...] = ()  #: the values that need it; empty: all

    def is_met(self, values: Mapping[str, Any]) -> bool:
        """Return whether the options have the value of the other one, or of one that may take its place."""
        if self.is_exact:
            # No other option and no other value will do.
            return bool(values.get(self.other) == self.add)
        has_option = any(values.get(name) is not None for name in (self.other, *self.alternatives))
        has_value = any(values.get(name) == value for name, value in self.or_value.items())
        return has_option or has_value


@dataclass(frozen=True, eq=False)
class Option(NamedOption):
    """An option: the same for all tasks that have it. None is a value where it is the default."""

    name: str  #: the keyword argument
    kind: Kind  #: its values
    help: str  #: its meaning: a phrase that continues the name and a colon
    default: Any = None  #: the value where it is not given
    default_help: str = ""  #: the default in words, where None stands for it
    flag: str = ""  #: the flag of the command line, where it is not the name with hyphens
    flag_value: str = "{}"  #: how the command line has a value: `,{}` of an option for the second of two sides
    short: str = ""  #: a flag of one letter
    is_required: bool = False  #: whether the command line must have it
    is_flag: bool = False  #: whether only the command has it, so that Python's messages leave out hints at it
    section: str = "scores"  #: the section of the command's help
    is_rare: bool = False  #: whether it is rarely needed, so that `--help` only names it
    need: Need | None = None  #: the option that it goes with
    excludes: Mapping[str, str] = field(default_factory=dict)  #: the options that it does not go with, and why
    refused_by: tuple[str, ...] = ()  #: the names of scores with which it is an error, the group first
    formats: tuple[str, ...] = ()  #: the text formats that it is for, and `table.LISTS`; empty: all
    topic: str = ""  #: what it is about: an `OptionSet` has all options of a topic
    groups: tuple[str, ...] = ()  #: the score groups that it changes
    adds: bool = False  #: whether it adds its groups to the default scores, which are scored only with it
    signature: str = ""  #: its field in the signature, which options may share, if it has not the option's name
    none_is: Any = None  #: the value that None stands for where units are compared
    of_worlds: tuple[str, ...] = ()  #: the worlds whose utterances are compared with it, whatever is scored
    takes_corpus: bool = False  #: whether a list may be segmented text, with several words in a line or lists of words
    #: what to pass where the whole reference is not known, if None stands for a value computed from it; empty for other options
    from_reference: str = ""

    @property
    def field(self) -> str:
        """Its field in the signature."""
        return self.signature or self.name

    @property
    def annotation(self) -> str:
        """The type of what functions accept, in the words of type checkers."""
        return self._or_none(self.kind.annotation)

    @property
    def checked(self) -> str:
        """The type of a checked value, in the words of type checkers."""
        return self._or_none(self.kind.checked or self.kind.annotation)

    def _or_none(self, annotation: str) -> str:
        """Return a type with None, if None is the default and the type lacks it."""
        if self.default is not None or annotation == "Any" or annotation.endswith(" | None"):
            return annotation
        return f"{annotation} | None"

    def used(self, value: Any) -> Any:
        """Return the value with which a group counts: what None stands for, if it is None."""
        return self.none_is if value is None else value

    def set(self, value: Any) -> Setting:
        """Return the option with a value, for a message."""
        return Setting(self, value)

    def check(self, value: Any) -> Any:
        """Return the value in its canonical form, or raise OptionTypeError or OptionError."""
        if value is None and self.default is None:
            return None
        try:
            return self.kind.check(value)
        except UnfitError as unfit:
            # The bad item of a list, or the whole value.
            received = value if unfit.item is ... else unfit.item
            expected = f": expected {self.kind.expected}, received "
            if unfit.is_type:
                raise OptionTypeError(self, f"{expected}{described(received)}.{unfit.hint}") from None
            raise OptionError(self, f"{expected}{shortened(received)}.{unfit.hint}") from None

    def parse(self, text: str) -> Any:
        """Parse the text of a value on the command line, or raise OptionError."""
        try:
            return self.kind.parse(text)
        except UnfitError as unfit:
            hint = unfit.hint
        except ValueError:
            # A number that Python cannot read; "none" stands for None.
            hint = self.kind.none_hint if text == "none" else ""
        expected = self.kind.expected_text or self.kind.expected.replace('"', "")
        raise OptionError(self, f": expected {expected}, received {_received(text)}.{hint}")


def _received(text: str) -> str:
    """Return a text of a command line as messages show it: numbers stand without quotation marks.

    >>> _received("1.5"), _received("a"), _received("")
    ('1.5', "'a'", 'nothing')
    """
    if not text:
        return "nothing"
    if _NUMBER.fullmatch(text):
        return clipped(text)
    return shortened(text)


#: By score, the format that its files have if their lines fit it, though nothing else shows it.
_LIKELY_FORMATS = {
    "sigmorphon": "sigmorphon",
    **dict.fromkeys(("morfessor", "bpr", "bpr_precision", "bpr_recall", "bpr_fscore"), "alternatives"),
}


#: The attributes that differ in a variant of an option.
Changes = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class OptionSet:
    """The options of a function: all of some topics, and others by name."""

    meaning: str  #: a sentence, for the docstring of its class in `keywords`
    topics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  #: other options
    without: tuple[str, ...] = ()  #: options of the topics that it does not have
    changes: Mapping[str, Changes] = field(default_factory=dict)  #: what differs from the table, by name

    def has(self, option: Option) -> bool:
        """Return whether an option of the table is one of the set."""
        is_of_topic = option.topic in self.topics and option.name not in self.without
        return is_of_topic or option.name in self.names

    def variant(self, option: Option) -> Option:
        """Return an option of the table as the set has it."""
        changes = self.changes.get(option.name)
        if changes:
            return replace(option, **changes)
        return option


class Selection(NamedTuple):
    """A name that selects scores of several groups."""

    keys: tuple[str, ...]
    implied: Mapping[str, Any] = MappingProxyType({})  #: the options that the name implies


def check_options(values: Mapping[str, Any], options: Mapping[str, Option | None]) -> dict[str, Any]:
    """Return options with values in their canonical form; None in `options` marks one whose value its function checks."""
    for name in values:
        if name not in options:
            hint = f"{suggestion(name, options)} The options are {', '.join(options)}."
            raise OptionTypeError(f"unknown option {name!r}.{hint}")
    checked = {}
    for name, value in values.items():
        option = options[name]
        checked[name] = value if option is None else option.check(value)
    return checked


def is_asked(option: Option, value: Any) -> bool:
    """Return whether a value asks for something: None, a default and an empty list do not."""
    is_empty = value is None or (hasattr(value, "__len__") and not len(value))
    # `==` compares an array item by item; and no default is an array.
    may_be_default = isinstance(value, (str, int, float, tuple))
    is_default = may_be_default and value == option.default
    return not is_empty and not is_default


def check_needs(
    explicit: Mapping[str, Any], options: Mapping[str, Option], *, values: Mapping[str, Any] | None = None
) -> None:
    """Check that every explicit option has the one that it goes with, if the task has that, and none that it excludes.

    `explicit` has the options that were given, and `options` those of the task. `values` has the values
    of all options: those given, the defaults, and those from loading a metric. None stands for the explicit options alone.
    A default asks for nothing.
    """
    if values is None:
        values = explicit
    for name, value in explicit.items():
        option = options[name]
        goes_with_any = option.need is None and not option.excludes
        if goes_with_any or not is_asked(option, value):
            continue
        if option.excludes:
            _check_excluded(option, values, options)
        if option.need is not None:
            _check_need(option, option.need, value, values, options)


def _check_excluded(option: Option, values: Mapping[str, Any], options: Mapping[str, Option]) -> None:
    """Check that no option is given that the option does not go with."""
    for excluded, reason in option.excludes.items():
        default = options[excluded].default
        # An option that nobody gave has the default itself.
        is_given = values.get(excluded, default) is not default
        if is_given:
            raise OptionError(option, " does not go with ", options[excluded], f": {reason}.")


def _check_need(
    option: Option, need: Need, value: Any, values: Mapping[str, Any], options: Mapping[str, Option]
) -> None:
    """Check that an option with this value has the option that it needs.

    An example is "seed: it is for intervals: add confidence=0.95."
    """
    task_has_other = need.other in options
    value_needs_it = not need.when or value in need.when
    if not task_has_other or not value_needs_it or need.is_met(values):
        return
    other = options[need.other]
    if need.add is None:
        # No value can be suggested, such as a list of words.
        raise OptionError(option, ": it goes with ", other, f", {other.help}.")
    alternatives: list[object] = [options[name] for name in need.alternatives]
    alternatives += [options[name].set(wanted) for name, wanted in need.or_value.items()]
    or_alternatives: list[object] = []
    for alternative in alternatives:
        or_alternatives += [" or ", alternative]
    raise OptionError(option, f": {need.say}: add ", other.set(need.add), *or_alternatives, ".")


def implied_format(options: Mapping[str, Any]) -> str:
    """Return the format that the other options imply if no format is named; empty if they imply none."""
    # A separator, or markup that is dropped, is of separated text, unless another format is named; and so on.
    has_separator = options.get("separator") is not None
    has_markup = options.get("markup", "units") != "units"
    if has_separator or has_markup:
        return "separated"
    if options.get("joiner") is not None:
        return "syllables"
    return ""


def likely_format(values: Mapping[str, Any]) -> str:
    """Return the format that files likely have where nothing shows a format, by the scores; empty if the scores do not say it.

    >>> likely_format({"scores": ("token", "bpr")})
    'alternatives'
    """
    scores = values.get("scores", ())
    names = (scores,) if isinstance(scores, str) else scores
    for name in names:
        if name in _LIKELY_FORMATS:
            return _LIKELY_FORMATS[name]
    return ""
