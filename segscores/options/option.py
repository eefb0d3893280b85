"""Options, and the kinds of their values: what an option accepts in Python, how a command line writes it, what messages say.

A kind checks values of Python (`check`), reads a text of a command line (`parse`), and writes it again: every value is
`parse(text)` for each text of `write(value)`.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from .messages import Named, OptionError, OptionTypeError, Setting, literal
from .quoting import clipped, described, shortened
from .suggestions import suggestion

#: Texts of a command line that messages show without quotation marks.
_NUMBER = re.compile(r"-?[\d.]+")
#: Rules that define ids by a column, or by a number. Python reads no integer of more than 4,300 digits.
_ID_RULE = re.compile(r"column:.+|every:[1-9][0-9]{,999}", re.DOTALL)


class UnfitError(ValueError):
    """A value that is not of a kind, with what to say after it; perhaps of a wrong type, or a part of what was given."""

    def __init__(self, hint: str = "", *, is_type: bool = False, part: Any = ...) -> None:
        super().__init__(hint)
        self.hint, self.is_type, self.part = hint, is_type, part


class Kind:
    """The values of an option. A text of a command line means no value where `parse` raises a ValueError."""

    expected = ""  #: in words that follow "expected"
    expected_text = ""  #: the same for the texts of a command line, where more than quotation marks differ
    metavar = "VALUE"  #: the name of a value in the command's help
    types: type = object  #: of values
    none_hint = ""  #: what to say if None is received, or "none" on a command line
    choices: tuple[str, ...] = ()  #: all values, if they can be listed
    is_list = False  #: whether a digest stands for the value in signatures and tallies
    is_repeatable = False  #: whether the flag may be given several times
    takes_several = False  #: whether several values may follow a flag, or none: then the task says what stands for them

    def check(self, value: Any) -> Any:
        """The value in its one form. Raises UnfitError."""
        if not isinstance(value, self.types) or (isinstance(value, bool) and self.types in (Real, Integral)):
            raise UnfitError(self.none_hint if value is None else "", is_type=True)
        return self.fit(value)

    def fit(self, value: Any) -> Any:
        """A value of the types in its one form. Raises UnfitError."""
        return value

    def parse(self, text: str) -> Any:
        """The value that a text of a command line means."""
        return self.check(text)

    def write(self, value: Any) -> list[str]:
        """The texts of a command line that mean the value: one for each time that the flag is given."""
        return [str(value)]


class Choice(Kind):
    """One of a few names."""

    types = str

    def __init__(self, *choices: str) -> None:
        self.choices, self.metavar = choices, "{" + ",".join(choices) + "}"
        *others, last = (f'"{choice}"' for choice in choices)
        self.expected = " or ".join(filter(None, [", ".join(others), last]))

    def fit(self, value: Any) -> str:
        if value not in self.choices:
            raise UnfitError(suggestion(value, self.choices))
        return str(value)


class Number(Kind):
    """A number in a range, whose ends belong to it unless it is open."""

    metavar, types = "NUMBER", Real
    number: type[float] = float

    def __init__(self, expected: str, low: float, high: float, *, is_open: bool = False, nan: bool = False) -> None:
        self.expected, self.low, self.high, self.is_open, self.nan = expected, low, high, is_open, nan

    def fit(self, value: Any) -> float:
        # Not math.isnan, which fails for very large integers: only nan differs from itself.
        if self.nan and value != value:  # noqa: PLR0124
            return math.nan
        if not (self.low < value < self.high if self.is_open else self.low <= value <= self.high):
            is_percent = self.is_open and self.high == 1 and 1 < value < 100
            raise UnfitError(f" Did you mean {float(value) / 100!r}?" if is_percent else "")
        return self.number(value)

    def parse(self, text: str) -> float:
        return self.fit(float(text))


class Whole(Number):
    """A whole number in a range."""

    types, number = Integral, int

    def __init__(self, low: int, high: int, what: str = "a whole number") -> None:
        super().__init__(f"{what} from {low} to {high}", low, high)

    def parse(self, text: str) -> float:
        # Not int() alone, which takes "1_000" and the digits of other scripts.
        if not re.fullmatch("-?[0-9]{1,999}", text):
            raise UnfitError
        return self.fit(int(text))


class Either(Kind):
    """A value of another kind, or what a word of the command line stands for: itself, or None."""

    def __init__(self, other: Kind, word: str, *, is_none: bool = False) -> None:
        self.other, self.word, self.value = other, word, None if is_none else word
        self.expected = f"{other.expected}, or {literal(self.value)}"
        self.expected_text, self.metavar = f"{other.expected}, or {word}", f"{other.metavar}|{word}"

    def check(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            if value != self.value:
                raise UnfitError(suggestion(value, [self.word]))
            return value
        return self.other.check(value)

    def parse(self, text: str) -> Any:
        return self.value if text == self.word else self.other.parse(text)

    def write(self, value: Any) -> list[str]:
        return [self.word] if value == self.value else self.other.write(value)


class Switch(Kind):
    """Whether; the flag has no value, and a field of the page yes or no."""

    expected, expected_text, types = "True or False", "yes or no", bool

    def parse(self, text: str) -> bool:
        if text not in ("", "yes", "no"):
            raise UnfitError
        return text != "no"

    def write(self, value: bool) -> list[str]:
        return [""] if value else []


class Text(Kind):
    """A text of at least so many characters, such as the name of a column, a score or a file, with one of some endings."""

    types = str

    def __init__(self, expected: str, metavar: str = "NAME", endings: tuple[str, ...] = ("",), least: int = 1) -> None:
        self.expected, self.metavar, self.endings, self.least = expected, metavar, endings, least

    def fit(self, value: Any) -> str:
        if len(value) < self.least or not value.lower().endswith(self.endings):
            raise UnfitError
        return str(value)


class Token(Kind):
    """A token of units text."""

    expected, metavar, types = "a token without whitespace", "TOKEN", str

    def fit(self, value: Any) -> str:
        if value.split() != [value]:
            raise UnfitError
        if "\0" in value:
            raise UnfitError(" It has a NUL character (U+0000), which no text has.")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise UnfitError(" It has a lone surrogate, which no text has.")
        return str(value)


class Many(Kind):
    """Several values of a kind. One text may stand for a list of it; the flag is given once for each, or has several with a
    separator between: then their order matters, which a set does not have.
    """

    is_repeatable = True

    def __init__(self, each: Kind, metavar: str = "", *, separator: str = "", takes_several: bool = False) -> None:
        self.each, self.separator, self.takes_several = each, separator, takes_several
        self.expected, self.metavar = each.expected, metavar or each.metavar

    def check(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str):
            return (self.each.check(value),)
        is_list = isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping))
        if not is_list or (self.separator and isinstance(value, Set)):
            raise UnfitError(is_type=True)
        return tuple(map(self._part, value))

    def _part(self, value: Any) -> Any:
        try:
            return self.each.check(value)
        except UnfitError as unfit:
            raise UnfitError(unfit.hint, is_type=unfit.is_type, part=value) from None

    def parse(self, text: str) -> tuple[Any, ...]:
        parts = [part.strip() for part in text.split(self.separator)] if self.separator else [text]
        return tuple(map(self.each.parse, parts))

    def write(self, value: Any) -> list[str]:
        texts = [text for each in ((value,) if isinstance(value, str) else value) for text in self.each.write(each)]
        return [self.separator.join(texts)] if self.separator and texts else texts


class Sides(Many):
    """A value for the reference, and one or more for the predictions, of which an empty one is not given (None).

    A value of a command line that has a comma or a quotation mark stands in quotation marks, as in CSV.

    >>> columns = Sides(Text("the name of a column"), "REFERENCE[,PREDICTION…]")
    >>> columns.parse(',"a,b",c'), columns.write((None, "a,b", "c"))
    ((None, 'a,b', 'c'), [',"a,b",c'])
    """

    is_repeatable = False

    def __init__(self, each: Kind, metavar: str, *, most: float = math.inf) -> None:
        super().__init__(each, metavar, separator=",")
        self.most, self.expected_text = most, f"{each.expected}, as {metavar}".replace('"', "")

    def check(self, value: Any) -> tuple[Any, ...]:
        found = tuple(None if part is None else self._part(part) for part in value)
        if not any(found) or len(found) > self.most or (None in found[1:] and self.most > 2):
            raise UnfitError
        return found

    def parse(self, text: str) -> tuple[Any, ...]:
        try:
            parts = next(csv.reader([text], strict=True)) if '"' in text else text.split(",")
        except csv.Error:
            raise UnfitError from None
        return self.check([self.each.parse(part) if part else None for part in parts])

    def write(self, value: Any) -> list[str]:
        texts = ["" if part is None else self.each.write(part)[0] for part in value]
        quoted = ['"' + text.replace('"', '""') + '"' if set('",\r\n') & set(text) else text for text in texts]
        return [",".join(quoted)]


class File(str):
    """The name of a file that stands for its contents on a command line."""


class Words(Kind):
    """Words or segments: an iterable in Python, a file on the command line."""

    metavar, is_list = "FILE", True
    expected, expected_text = "a list of words", "the name of a file"

    def check(self, value: Any) -> Any:
        # An iterator can be read once only.
        return list(value) if isinstance(value, Iterator) else value

    def parse(self, text: str) -> File:
        if not text:
            raise UnfitError
        return File(text)


@dataclass(frozen=True)
class IdRule:
    """How a command line defines the ids of utterances: "newdoc", the documents of a CoNLL-U reference; "column", ids in a column
    of the reference's table; "every", so many consecutive utterances; or a further word of the option.
    """

    form: str
    given: str = ""  #: the name of the column, or the number of utterances

    def __str__(self) -> str:
        return f"{self.form}:{self.given}" if self.given else self.form


class Ids(Kind):
    """An id of each utterance: ids in Python; on the command line a file of them, or a rule, which may be a further word."""

    expected = "ids, one for each utterance"

    def __init__(self, *words: str) -> None:
        self.words = ("newdoc", *words)
        *forms, last = (*self.words, "column:NAME", "every:N")
        self.metavar = "|".join(["FILE", *forms, last])
        self.expected_text = f"the name of a file, {', '.join(forms)} or {last}"

    def parse(self, text: str) -> Any:
        form, _, given = text.partition(":")
        if text in self.words or _ID_RULE.fullmatch(text):
            return IdRule(form, given)
        if not text or form in ("every", "column"):
            raise UnfitError(" A file of such a name is ./NAME." if given else "")
        return File(text)


@dataclass(frozen=True)
class Need:
    """Another option, which must be given too."""

    other: str  #: its name
    say: str = ""  #: why, in words that follow the name of the option and a colon; by default what the other option is
    add: Any = None  #: the value of the other option that the message suggests
    is_exact: bool = False  #: whether no other value will do


@dataclass(frozen=True, eq=False)
class Option(Named):
    """An option: the same for all tasks that have it. None is a value where it is the default."""

    name: str  #: the keyword argument
    kind: Kind  #: its values
    help: str  #: its meaning: a phrase that continues the name and a colon
    default: Any = None  #: the value where it is not given
    default_help: str = ""  #: the default in words, where None stands for it
    flag: str = ""  #: of the command line, where it is not the name with hyphens
    flag_value: str = "{}"  #: how the command line writes a value, if it is for one side of the flag
    short: str = ""  #: a flag of one letter
    is_required: bool = False  #: whether the command line must have it
    is_flag: bool = False  #: whether only the command has it, so that Python's messages leave out hints at it
    section: str = "scores"  #: of the command's help
    need: Need | None = None  #: what it goes with
    formats: tuple[str, ...] = ()  #: the text formats that it is for, and `table.LISTS`; empty: all
    groups: tuple[str, ...] = ()  #: the score groups that it changes
    adds: bool = False  #: whether it adds its groups to the default scores, which are scored only with it
    signature: str = ""  #: its field in the signature, which options may share, if it has not the option's name
    takes_corpus: bool = False  #: whether a list may be segmented text, with several words in a line or lists of words
    from_reference: bool = False  #: whether None stands for a value computed from the whole reference

    @property
    def field(self) -> str:
        """Its field in the signature."""
        return self.signature or self.name

    def set(self, value: Any) -> Setting:
        """The option with a value, for a message."""
        return Setting(self, value)

    def check(self, value: Any) -> Any:
        """The value in its one form. Raises OptionTypeError or OptionError."""
        if value is None and self.default is None:
            return None
        try:
            return self.kind.check(value)
        except UnfitError as unfit:
            received = value if unfit.part is ... else unfit.part
            expected = f": expected {self.kind.expected}, received "
            if unfit.is_type:
                raise OptionTypeError(self, f"{expected}{described(received)}.{unfit.hint}") from None
            raise OptionError(self, f"{expected}{shortened(received)}.{unfit.hint}") from None

    def parse(self, text: str) -> Any:
        """The value that a text of a command line means. Raises OptionError."""
        try:
            return self.kind.parse(text)
        except ValueError as error:
            expected = self.kind.expected_text or self.kind.expected.replace('"', "")
            received = "nothing" if not text else clipped(text) if _NUMBER.fullmatch(text) else shortened(text)
            hint = error.hint if isinstance(error, UnfitError) else self.kind.none_hint if text == "none" else ""
            raise OptionError(self, f": expected {expected}, received {received}.{hint}") from None


def check_options(given: Mapping[str, Any], known: Mapping[str, Option | None]) -> dict[str, Any]:
    """The values of options in their one form; one whose `Option` is None is checked by the function that has it."""
    for name in given:
        if name not in known:
            hint = f"{suggestion(name, known)} The options are {', '.join(known)}."
            raise OptionTypeError(f"unknown option {name!r}.{hint}")
    options = {name: known[name] for name in given}
    return {name: given[name] if option is None else option.check(given[name]) for name, option in options.items()}


def check_needs(given: Mapping[str, Any], values: Mapping[str, Any], known: Mapping[str, Option]) -> None:
    """Check that every given option that goes with another has it, among all values, such as those from loading a metric, unless
    the task has no such option. A default asks for nothing.
    """
    for name, value in given.items():
        option = known[name]
        is_plain = isinstance(value, (str, int, float, tuple))
        is_empty = value is None or (hasattr(value, "__len__") and not len(value))
        if is_empty or (is_plain and value == option.default) or option.need is None or option.need.other not in known:
            continue
        other, add = known[option.need.other], option.need.add
        found = values.get(other.name)
        if found != add if option.need.is_exact else found is None:
            if add is None:
                raise OptionError(option, ": it goes with ", other, f", {other.help}.")
            raise OptionError(option, f": {option.need.say}: add ", other.set(add), ".")


def implied_format(options: Mapping[str, Any]) -> str:
    """The format that other options mean where none is given; empty if they mean none."""
    is_separated = options.get("separator") is not None or options.get("markup", "units") != "units"
    return "separated" if is_separated else "syllables" if options.get("joiner") is not None else ""
