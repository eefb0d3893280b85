"""Options, and the kinds of their values: what an option accepts in Python, how a command line writes it, what messages say.

A kind checks values of Python (`check`), reads a text of a command line (`parse`), and writes it again: every value is
`parse(text)` for each text of `write(value)`.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

from ..support.messages import Named, OptionError, OptionTypeError, Setting, literal
from ..support.names import suggestion
from ..support.quoting import clipped, described, shortened

#: Texts of a command line that messages show without quotation marks.
_NUMBER = re.compile(r"-?[\d.]+")


class UnfitError(Exception):
    """A value that is not of a kind.

    Args:
        hint: what to say after what was expected and received.
        is_type: whether it is of a wrong type.
        part: the value, if it is an item of what was given.
    """

    def __init__(self, hint: str = "", *, is_type: bool = False, part: Any = ...) -> None:
        super().__init__(hint)
        self.hint, self.is_type, self.part = hint, is_type, part


class Kind:
    """The values of an option.

    Attributes:
        expected: in words that follow "expected".
        expected_text: the same for the texts of a command line, where they differ from the values.
        annotation: the type in Python.
        types: of values.
        metavar: the name of a value in the command's help.
        choices: all values, if they can be listed.
        is_list: whether a digest stands for the value in signatures and tallies.
        is_repeatable: whether the flag may be given several times.
    """

    expected = expected_text = ""
    annotation, metavar = "str", "VALUE"
    types: type = object
    choices: tuple[str, ...] = ()
    is_list = is_repeatable = False

    def check(self, value: Any) -> Any:
        """The value in its one form. Raises UnfitError."""
        if not isinstance(value, self.types) or (isinstance(value, bool) and self.types in (Real, Integral)):
            raise UnfitError(is_type=True)
        return self.fit(value)

    def fit(self, value: Any) -> Any:
        """A value of the types in its one form. Raises UnfitError."""
        return value

    def parse(self, text: str) -> Any:
        """The value that a text of a command line means. Raises UnfitError."""
        return self.check(text)

    def write(self, value: Any) -> list[str]:
        """The texts of a command line that mean the value: one for each time that the flag is given."""
        return [str(value)]


class Anything(Kind):
    """What only the function that takes it can check, such as an object of another library."""

    annotation = "Any"


class Choice(Kind):
    """One of a few names.

    >>> Choice("micro", "macro").expected
    '"micro" or "macro"'
    """

    types = str

    def __init__(self, *choices: str) -> None:
        self.choices = choices
        quoted = [f'"{choice}"' for choice in choices]
        self.expected = " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))
        self.expected_text = self.expected.replace('"', "")
        self.metavar = "{" + ",".join(choices) + "}"

    def fit(self, value: Any) -> str:
        if value not in self.choices:
            raise UnfitError(suggestion(value, self.choices))
        return str(value)


class Number(Kind):
    """A number in a range, whose ends belong to it unless it is open."""

    annotation, metavar, types = "float", "NUMBER", Real

    def __init__(self, expected: str, low: float, high: float, *, is_open: bool = False, nan: bool = False) -> None:
        self.expected, self.low, self.high, self.is_open, self.nan = expected, low, high, is_open, nan

    def fit(self, value: Any) -> float:
        # Not math.isnan, which fails for very large integers: only nan differs from itself.
        if self.nan and value != value:  # noqa: PLR0124
            return math.nan
        if not (self.low < value < self.high if self.is_open else self.low <= value <= self.high):
            is_percent = self.is_open and self.high == 1 and 1 < value < 100
            raise UnfitError(f" Did you mean {float(value) / 100!r}?" if is_percent else "")
        return float(value)

    def parse(self, text: str) -> float:
        try:
            return self.fit(float(text))
        except ValueError:
            raise UnfitError from None

    def write(self, value: float) -> list[str]:
        return [repr(value)]


class Whole(Kind):
    """A whole number in a range."""

    annotation, metavar, types = "int", "NUMBER", Integral

    def __init__(self, least: int, most: int, what: str = "a whole number") -> None:
        self.least, self.most, self.expected = least, most, f"{what} from {least} to {most}"

    def fit(self, value: Any) -> int:
        if not self.least <= value <= self.most:
            raise UnfitError
        return int(value)

    def parse(self, text: str) -> int:
        # Not int() alone, which takes "1_000" and the digits of other scripts.
        if not text.removeprefix("-").isdecimal() or not text.isascii():
            raise UnfitError
        # Python reads no integer of more than 4,300 digits.
        return self.fit(int(text) if len(text) < 4000 else math.inf)


class Either(Kind):
    """A value of another kind, or what a word of the command line stands for: itself, or None."""

    def __init__(self, other: Kind, word: str, *, is_none: bool = False) -> None:
        self.other, self.word, self.value = other, word, None if is_none else word
        self.expected, self.expected_text = (
            f"{other.expected}, or {literal(self.value)}",
            f"{other.expected}, or {word}",
        )
        self.metavar, self.annotation = (
            f"{other.metavar}|{word}",
            f"{other.annotation} | {'None' if is_none else 'str'}",
        )

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
    """Whether; the flag has no value."""

    annotation, expected, types = "bool", "True or False", bool

    def write(self, value: bool) -> list[str]:
        return [""] if value else []


class Text(Kind):
    """A text that is not empty, such as the name of a column, a score or a file."""

    types = str

    def __init__(self, expected: str, metavar: str = "NAME", *, may_be_empty: bool = False) -> None:
        self.expected, self.metavar, self.may_be_empty = expected, metavar, may_be_empty

    def fit(self, value: Any) -> str:
        if not value and not self.may_be_empty:
            raise UnfitError
        return str(value)


class Output(Text):
    """The name of a file to write, with one of some endings."""

    def __init__(self, *endings: str) -> None:
        *others, last = endings
        super().__init__(f"a name that ends in {', '.join(others)} or {last}", f"FILE{'|'.join(endings)}")
        self.endings = endings

    def fit(self, value: Any) -> str:
        if not super().fit(value).lower().endswith(self.endings):
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
    """Several values of a kind. One text may stand for a list of it; the flag is given once for each.

    Args:
        each: the kind of each.
        separator: between values in one text of a command line.
        is_ordered: whether the order matters, which a set does not have.
    """

    is_repeatable = True

    def __init__(self, each: Kind, *, separator: str = "", metavar: str = "", is_ordered: bool = False) -> None:
        self.each, self.separator, self.is_ordered = each, separator, is_ordered
        self.expected, self.expected_text = each.expected, each.expected_text
        self.metavar, self.annotation = metavar or each.metavar, f"{each.annotation} | Sequence[{each.annotation}]"

    def check(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str):
            return (self.each.check(value),)
        is_list = isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping))
        if not is_list or (self.is_ordered and isinstance(value, Set)):
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

    >>> columns = Sides(Text("the name of a column"), metavar="REFERENCE[,PREDICTION…]")
    >>> columns.parse(',"a,b",c'), columns.write((None, "a,b", "c"))
    ((None, 'a,b', 'c'), [',"a,b",c'])
    """

    is_repeatable = False

    def __init__(self, each: Kind, *, metavar: str, most: float = math.inf) -> None:
        super().__init__(each, separator=",", metavar=metavar, is_ordered=True)
        self.most = most
        self.expected_text = f"{each.expected_text or each.expected}, as {metavar}"

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


class Paths(Many):
    """Files, several after one flag or none: then the task says what stands for them."""

    def __init__(self, metavar: str) -> None:
        super().__init__(Text("the name of a file", metavar))


@dataclass(frozen=True)
class File:
    """A file of a command line that stands for its contents."""

    path: str

    def __str__(self) -> str:
        return self.path


class Words(Kind):
    """Words or segments: an iterable in Python, a file on the command line."""

    annotation, metavar, is_list = "Iterable[Any] | None", "FILE", True
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
    """How a command line defines the ids of utterances.

    Attributes:
        form: `"newdoc"`, the documents of a CoNLL-U reference; `"column"`, ids in a column of the reference's table;
            `"every"`, so many consecutive utterances; or a further word of the option.
        given: the name of the column, or the number of utterances.
    """

    form: str
    given: str = ""

    def __str__(self) -> str:
        return f"{self.form}:{self.given}" if self.given else self.form


class Ids(Kind):
    """An id of each utterance: ids in Python; on the command line a file of them, or what defines them.

    Args:
        words: further words that define ids.

    >>> kind = Ids()
    >>> kind.parse("ids.txt"), kind.parse("every:10")
    (File(path='ids.txt'), IdRule(form='every', given='10'))
    """

    annotation, expected = "Any", "ids, one for each utterance"

    def __init__(self, *words: str) -> None:
        self.words = ("newdoc", *words)
        forms = [*self.words, "column:NAME", "every:N"]
        self.metavar = "|".join(["FILE", *forms])
        self.expected_text = f"the name of a file, {', '.join(forms[:-1])} or {forms[-1]}"

    def parse(self, text: str) -> Any:
        form, _, given = text.partition(":")
        is_count = given.isascii() and given.isdecimal() and len(given) < 4000 and int(given) > 0
        if text in self.words or (form == "column" and given) or (form == "every" and is_count):
            return IdRule(form, given)
        if not text or form in ("every", "column"):
            raise UnfitError(" A file of such a name is ./NAME." if given else "")
        return File(text)


@dataclass(frozen=True)
class Need:
    """What an option goes with.

    Attributes:
        other: the name of the other option, which must be given too.
        say: why, in words that follow the name of the option and a colon; by default what the other option is.
        add: the value of the other option that the message suggests.
        is_exact: whether no other value will do.
    """

    other: str
    say: str = ""
    add: Any = None
    is_exact: bool = False


@dataclass(frozen=True, eq=False)
class Option(Named):
    """An option: the same for all tasks that have it.

    Attributes:
        name: the keyword argument.
        kind: its values.
        help: its meaning: a phrase that continues the name and a colon.
        default: the value where it is not given.
        default_help: the default in words, where None stands for it.
        takes_none: whether None may be passed; by default where None is the default.
        flag: of the command line, where it is not the name with hyphens.
        flag_value: how the command line writes a value, if it is for one side of the flag.
        short: a flag of one letter.
        is_required: whether the command line must have it.
        is_flag: whether only the command has it, so that Python's messages leave out hints at it.
        section: of the command's help.
        need: what it goes with.
        groups: the score groups that it changes.
        adds: whether it adds its groups to the default scores, which are scored only with it.
        signature: the key of its field in the signature; options with the same key share a field. Empty: no field.
        takes_corpus: whether a list may be segmented text, with several words in a line or lists of words.
        from_reference: whether None stands for a value computed from the whole reference.
    """

    name: str
    kind: Kind
    help: str
    default: Any = None
    default_help: str = ""
    takes_none: bool | None = None
    flag: str = ""
    flag_value: str = "{}"
    short: str = ""
    is_required: bool = False
    is_flag: bool = False
    section: str = "scores"
    need: Need | None = None
    groups: tuple[str, ...] = ()
    adds: bool = False
    signature: str = ""
    takes_corpus: bool = False
    from_reference: bool = False

    @property
    def annotation(self) -> str:
        """The type in Python."""
        is_none = self.default is None if self.takes_none is None else self.takes_none
        has_none = "None" in self.kind.annotation or self.kind.annotation == "Any"
        return f"{self.kind.annotation} | None" if is_none and not has_none else self.kind.annotation

    def set(self, value: Any) -> Setting:
        """The option with a value, for a message."""
        return Setting(self, value)

    def but(self, **changes: Any) -> Option:
        """A variant for a task."""
        return replace(self, **changes)

    def check(self, value: Any) -> Any:
        """The value in its one form.

        Raises:
            OptionTypeError, OptionError: a value of another type, or one that the option cannot have.

        >>> from .table import OPTIONS
        >>> OPTIONS["confidence"].check(95)
        Traceback (most recent call last):
        ...
        segscores.support.messages.OptionError: confidence: expected a number between 0 and 1, such as 0.95, received 95. \
Did you mean 0.95?
        """
        is_none = self.default is None if self.takes_none is None else self.takes_none
        if value is None and is_none:
            return None
        try:
            return self.kind.check(value)
        except UnfitError as unfit:
            received = value if unfit.part is ... else unfit.part
            if unfit.is_type:
                problem = f": expected {self.kind.expected}, received {described(received)}."
                raise OptionTypeError(self, problem) from None
            problem = f": expected {self.kind.expected}, received {shortened(received)}.{unfit.hint}"
            raise OptionError(self, problem) from None

    def parse(self, text: str) -> Any:
        """The value that a text of a command line means.

        Raises:
            OptionError: the text means no value of the option.
        """
        try:
            return self.kind.parse(text)
        except UnfitError as unfit:
            expected = self.kind.expected_text or self.kind.expected
            received = "nothing" if not text else clipped(text) if _NUMBER.fullmatch(text) else shortened(text)
            raise OptionError(self, f": expected {expected}, received {received}.{unfit.hint}") from None


def check_options(given: Mapping[str, Any], known: Mapping[str, Option | None]) -> dict[str, Any]:
    """The values of options in their one form; one whose `Option` is None is checked by the function that has it.

    Raises:
        OptionTypeError, OptionError: an unknown option, or a bad value.

    >>> from .table import OPTIONS
    >>> check_options({"textformat": "words"}, {"text_format": OPTIONS["text_format"]})
    Traceback (most recent call last):
    ...
    segscores.support.messages.OptionTypeError: unknown option 'textformat'. Did you mean 'text_format'? The options are \
text_format.
    """
    for name in given:
        if name not in known:
            hint = f"{suggestion(name, known)} The options are {', '.join(known)}."
            raise OptionTypeError(f"unknown option {name!r}.{hint}")
    checked = {}
    for name, value in given.items():
        option = known[name]
        checked[name] = value if option is None else option.check(value)
    return checked


def check_needs(given: Mapping[str, Any], values: Mapping[str, Any], known: Mapping[str, Option]) -> None:
    """Check that every given option that goes with another has it. A default asks for nothing.

    Args:
        given: the options of this call, which may not be useless.
        values: they and the others, such as those from loading a metric.
        known: the options of the task.
    """
    for name, value in given.items():
        option = known[name]
        is_plain = isinstance(value, (str, int, float, tuple))
        is_idle = (
            value is None or (is_plain and value == option.default) or (hasattr(value, "__len__") and not len(value))
        )
        if option.need is None or is_idle or option.need.other not in known:
            continue
        other = known[option.need.other]
        found = values.get(other.name)
        if found == option.need.add if option.need.is_exact else found is not None:
            continue
        if option.need.add is None:
            raise OptionError(option, ": it goes with ", other, f", {other.help}.")
        raise OptionError(option, f": {option.need.say}: add ", other.set(option.need.add), ".")


def implied_format(options: Mapping[str, Any]) -> str:
    """The format that other options mean where none is given; empty if they mean none.

    >>> implied_format({"joiner": "_"})
    'syllables'
    """
    is_separated = options.get("separator") is not None or options.get("markup", "units") != "units"
    return "separated" if is_separated else "syllables" if options.get("joiner") is not None else ""
