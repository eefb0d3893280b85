"""The kinds of values: what an option accepts in Python, how a command line writes it, what messages say.

`write` writes a value as the texts of a command line, and `parse` reads each of these texts. So `parse` returns the value, or
of a list the part of it that the text has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any

from .messages import literal
from .suggestions import nearest, suggestion


class UnfitError(ValueError):
    """Raised by a `Kind` for a bad value; carries the hint to append and, for a list, the bad item."""

    def __init__(self, hint: str = "", *, is_type: bool = False, item: Any = ...) -> None:
        super().__init__(hint)
        self.hint = hint
        self.is_type = is_type  #: True if the type of the value is wrong, which the message then names
        self.item = item  #: the bad item of a list; `...` if the whole value is bad, as None may be an item


class Kind:
    """The values of an option. `parse` raises a ValueError for texts of a command line that are no value."""

    expected = ""  #: the values in words, to follow "expected"
    expected_text = ""  #: the same for the texts of a command line, where more than quotation marks differ
    metavar = "VALUE"  #: the name of a value in the command's help
    types: type = object  #: the type of a value
    annotation = "Any"  #: the same in the words of type checkers: what a function accepts
    checked = ""  #: the type of a checked value, where it is another one
    none_hint = ""  #: the hint where None is received, or "none" on a command line
    choices: tuple[str, ...] = ()  #: all values, if they can be listed
    is_word_list = False  #: whether the value is a list of words, for which its digest stands in signatures and tallies
    is_repeatable = False  #: whether the flag may be given several times
    takes_several = False  #: whether several values may follow a flag, or none, in which case the task has a default

    def check(self, value: Any) -> Any:
        """Return the value in its canonical form, or raise UnfitError."""
        # Python takes True for the number 1.
        is_bool_for_number = isinstance(value, bool) and self.types in (Real, Integral)
        if is_bool_for_number or not isinstance(value, self.types):
            raise UnfitError(self.none_hint if value is None else "", is_type=True)
        return self.fit(value)

    def fit(self, value: Any) -> Any:
        """Return a value of the right type in its canonical form, or raise UnfitError."""
        return value

    def parse(self, text: str) -> Any:
        """Parse the text of a value on the command line."""
        return self.check(text)

    def write(self, value: Any) -> list[str]:
        """Write the value as texts for the command line: one for each time that the flag is given."""
        return [str(value)]

    def sign(self, value: Any) -> list[str]:
        """Return the value as a signature shows it, in parts; a switch that is on, whose flag has no value, as "yes"."""
        return [text or "yes" for text in self.write(value)]


def items_of(value: Any) -> list[Any]:
    """Return the items of a list; raise an UnfitError for a value that is none, such as bytes or a dict."""
    if isinstance(value, (bytes, Mapping)):
        raise UnfitError(is_type=True)
    try:
        items = iter(value)
    except TypeError:
        # An array without dimensions has no items either, though its class says so.
        raise UnfitError(is_type=True) from None
    return list(items)


class Choice(Kind):
    """One of a few names. Old names still work, and no message or help has them."""

    types = str
    annotation = "str"

    def __init__(
        self,
        *choices: str,
        old: Sequence[str] = (),
        gone: Mapping[str, str] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.choices = choices
        self.old = old  # names that still work, for one minor release
        self.metavar = "{" + ",".join(choices) + "}"
        self.gone = gone or {}  # what takes the place of each removed name
        self.aliases = aliases or {}  # the choice that each other name of it stands for
        # `"micro", "macro" or "cluster"`
        *others, last = (f'"{choice}"' for choice in choices)
        self.expected = f"{', '.join(others)} or {last}" if others else last

    def fit(self, value: Any) -> str:
        """Return the choice that a name stands for, or an old name as it is; the hint for another name is the nearest choice."""
        if value in self.gone:
            raise UnfitError(f" {value} was removed: {self.gone[value]}.")
        if value in self.aliases:
            return self.aliases[value]
        if value not in (*self.choices, *self.old):
            raise UnfitError(suggestion(value, [*self.choices, *self.aliases]))
        return str(value)  # a string of numpy becomes one of Python


class Number(Kind):
    """A number in a range, whose ends belong to it unless it is open."""

    metavar = "NUMBER"
    types = Real
    annotation = "float"
    number: type[float] = float  #: the type of a checked value

    def __init__(
        self,
        expected: str,
        low: float,
        high: float,
        *,
        is_open: bool = False,
        nan: bool = False,
        keeps_whole: bool = False,
    ) -> None:
        self.expected = expected
        self.low = low
        self.high = high
        self.is_open = is_open  # True if the ends are not in the range
        self.nan = nan  # True if nan is a value
        self.keeps_whole = keeps_whole  # True if a whole number stays an integer

    def fit(self, value: Any) -> float:
        """Return the number as a float, or as an integer for whole numbers; for a confidence of 95 the hint is 0.95."""
        # Only nan differs from itself; math.isnan fails for very large integers.
        if self.nan and value != value:  # noqa: PLR0124
            return math.nan
        if not self._is_in_range(value):
            # An open range up to 1 is a confidence level.
            is_percent = self.is_open and self.high == 1 and 1 < value < 100
            hint = f" Did you mean {float(value) / 100!r}?" if is_percent else ""
            raise UnfitError(hint)
        if self.keeps_whole and value == int(value):
            return int(value)
        # -0.0 + 0 has no sign, so that equal values are one.
        return self.number(value) + 0

    def _is_in_range(self, value: Any) -> bool:
        """Return whether a number is in the range."""
        if self.is_open:
            return bool(self.low < value < self.high)
        return bool(self.low <= value <= self.high)

    def parse(self, text: str) -> float:
        """Parse a number; a ValueError of Python says that the text is none."""
        return self.fit(float(text))


class Whole(Number):
    """A whole number in a range."""

    types = Integral
    number = int
    annotation = "int"

    def __init__(self, low: int, high: int, noun: str = "a whole number") -> None:
        # Such as "a whole number of units from 0 to 9".
        super().__init__(f"{noun} from {low} to {high}", low, high)

    def parse(self, text: str) -> float:
        """Parse a number in ASCII digits."""
        # int() alone would also take "1_000" and the digits of other scripts. Of thousands of digits it has an error of its own.
        if not re.fullmatch("-?[0-9]{1,999}", text):
            raise UnfitError
        return self.fit(int(text))


class OrWord(Kind):
    """A value of another kind, which has no strings, or a word. If `is_none`, the word of a command line is None in Python.

    >>> level = OrWord(Number("a number between 0 and 1", 0, 1), "none", is_none=True)
    >>> level.parse("none"), level.parse("0.9"), level.write(None), level.check(None)
    (None, 0.9, ['none'], None)
    """

    def __init__(self, other: Kind, word: str, *, is_none: bool = False) -> None:
        self.other = other
        self.word = word  # the word on a command line
        self.value = None if is_none else word  # the same in Python
        self.expected = f"{other.expected}, or {literal(self.value)}"
        self.expected_text = f"{other.expected}, or {word}"
        self.metavar = f"{other.metavar}|{word}"
        self.annotation = f"{other.annotation} | {'None' if is_none else 'str'}"

    def check(self, value: Any) -> Any:
        """Return the word, or the value of the other kind. The hint for a string near the word is its value in Python."""
        # No value of the other kind is None or a string: such a value was meant as the word.
        if value is None or isinstance(value, str):
            if value != self.value:
                is_near = bool(nearest(value, [self.word]))
                raise UnfitError(f" Did you mean {self.value!r}?" if is_near else "")
            return value
        return self.other.check(value)

    def parse(self, text: str) -> Any:
        """Parse the word, or the text of a value of the other kind."""
        if text == self.word:
            return self.value
        return self.other.parse(text)

    def write(self, value: Any) -> list[str]:
        """Write the word, or the value of the other kind."""
        if value == self.value:
            return [self.word]
        return self.other.write(value)


class Switch(Kind):
    """True or False; the flag has no value, and a field of the page yes or no."""

    expected = "True or False"
    expected_text = "yes or no"
    types = bool
    annotation = "bool"

    def parse(self, text: str) -> bool:
        """Parse "yes" or "no" of the page; the empty text is the flag of a command line, which has no value."""
        if text not in ("", "yes", "no"):
            raise UnfitError
        return text != "no"

    def write(self, value: bool) -> list[str]:
        """Write the value as a command line has it: the flag, without a text, or no flag."""
        return [""] if value else []


class Text(Kind):
    """A text with one of several endings, such as the name of a column, a score or a file, that is not among the refused ones."""

    types = str
    annotation = "str"

    def __init__(
        self,
        expected: str,
        metavar: str = "NAME",
        *,
        endings: tuple[str, ...] = ("",),
        refused: tuple[str, ...] = ("",),
    ) -> None:
        self.expected = expected
        self.metavar = metavar
        self.endings = endings  # in lower case; the empty one, which every text has, if any ending will do
        self.refused = refused

    def fit(self, value: Any) -> str:
        """Return the text, unless it is refused or has another ending; `check` lets only strings in."""
        if value in self.refused or not value.lower().endswith(self.endings):
            raise UnfitError
        return str(value)  # a string of numpy becomes one of Python


class Token(Kind):
    """A token of units text."""

    expected = "a token without whitespace"
    metavar = "TOKEN"
    types = str
    annotation = "str"

    def fit(self, value: Any) -> str:
        """Return the token, which is neither blank nor has whitespace or characters that no text has."""
        # A token is the only part of itself between whitespace.
        has_whitespace_or_is_blank = value.split() != [value]
        if has_whitespace_or_is_blank:
            raise UnfitError
        if "\0" in value:
            raise UnfitError(" It has a NUL character (U+0000), which no text has.")
        # Python has these code points in strings, and UTF-8 cannot encode them.
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise UnfitError(" It has a lone surrogate, which no text has.")
        return str(value)

    def parse(self, text: str) -> str:
        r"""Parse a token, in which \u200b or \u200B stands for that character: so messages show characters that are not seen."""
        return self.fit(re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text))


class BoundaryToken(Token):
    r"""A token between words, or whitespace that is wider than that between units. A command line writes a tab as \t."""

    expected = "a token without whitespace, two spaces or a tab"

    def fit(self, value: Any) -> str:
        """Return the token, or the two spaces or the tab."""
        if value in ("  ", "\t"):
            return str(value)
        return super().fit(value)

    def parse(self, text: str) -> str:
        r"""Parse a token, in which \t stands for a tab."""
        return super().parse(text.replace(r"\t", "\t"))

    def write(self, value: str) -> list[str]:
        return [value.replace("\t", r"\t")]


class ListOf(Kind):
    """A list of values of a kind; one text stands for a list of one.

    On a command line the flag is given several times, or, with a separator, once with all values. Values with a separator have an
    order, as the names of scores do.

    >>> ListOf(Token()).write(["#", ";"]), ListOf(Token(), separator=",").write(["#", ";"])
    (['#', ';'], ['#,;'])
    """

    is_repeatable = True

    def __init__(self, item_kind: Kind, metavar: str = "", *, separator: str = "", takes_several: bool = False) -> None:
        self.item_kind = item_kind
        self.separator = separator  # between the values on a command line; empty for a flag for each
        self.takes_several = takes_several  # True if several values may follow a flag, such as files
        self.expected = item_kind.expected
        self.metavar = metavar or item_kind.metavar
        self.annotation = f"str | Sequence[{item_kind.annotation}]"
        self.checked = f"tuple[{item_kind.annotation}, ...]"

    def check(self, value: Any) -> tuple[Any, ...]:
        """Return the values as a tuple; a string is one of them."""
        if isinstance(value, str):
            return (self.item_kind.check(value),)
        return tuple(map(self._check_item, self._items(value)))

    def _items(self, value: Any) -> list[Any]:
        """Return the items of a list."""
        # A set would give its values in any order, and scores in the order of another run.
        has_order = bool(self.separator)
        if has_order and isinstance(value, Set):
            raise UnfitError(is_type=True)
        return items_of(value)

    def _check_item(self, value: Any) -> Any:
        """Return a value of the list in its canonical form; the error for a bad one names it."""
        try:
            return self.item_kind.check(value)
        except UnfitError as unfit:
            raise UnfitError(unfit.hint, is_type=unfit.is_type, item=value) from None

    def parse(self, text: str) -> tuple[Any, ...]:
        """Parse the text of one flag: one value, or all values with separators between them."""
        if not self.separator:
            return (self.item_kind.parse(text),)
        return tuple(self.item_kind.parse(item.strip()) for item in text.split(self.separator))

    def write(self, value: Any) -> list[str]:
        """Write each value as a text, or with a separator all values as one; no value is no text."""
        items = [value] if isinstance(value, str) else value
        texts: list[str] = []
        for item in items:
            texts += self.item_kind.write(item)
        if self.separator and texts:
            return [self.separator.join(texts)]
        return texts


class PerSide(ListOf):
    """A value for the reference, and one or more for the predictions; None stands for one that is left out.

    A value of a command line that has a comma or a quotation mark stands in quotation marks, as in CSV.

    >>> columns = PerSide(Text("the name of a column"), "REFERENCE[,PREDICTION…]")
    >>> columns.parse(',"a,b",c'), columns.write((None, "a,b", "c"))
    ((None, 'a,b', 'c'), [',"a,b",c'])
    >>> columns.write("gold")
    ['gold']
    """

    is_repeatable = False

    def __init__(self, item_kind: Kind, metavar: str, *, most: float = math.inf) -> None:
        super().__init__(item_kind, metavar, separator=",")
        self.annotation = f"str | Sequence[{item_kind.annotation} | None]"
        self.checked = f"tuple[{item_kind.annotation} | None, ...]"
        self.most = most  # the largest number of values: 2 if all predictions have the same one
        # A choice has its names in quotation marks, which a command line does not need: `words or units, as FORM[,FORM]`.
        expected_item = item_kind.expected.replace('"', "")
        self.expected_text = f"{expected_item}, as {metavar}"

    def check(self, value: Any) -> tuple[Any, ...]:
        """Return the values as a tuple; a string is the value of the reference, or of all sides."""
        items = [value] if isinstance(value, str) else self._items(value)
        values = tuple(map(self._check_item, items))
        # The column of the reference may be left out; of several predictions, each is named. `(None,)` stands for no values.
        _, *of_predictions = values or (None,)
        takes_several_predictions = self.most > 2
        lacks_prediction = None in of_predictions and takes_several_predictions
        if not any(values) or len(values) > self.most or lacks_prediction:
            raise UnfitError
        return values

    def _check_item(self, value: Any) -> Any:
        """Return a value in its canonical form; None stays None."""
        if value is None:
            return None
        return super()._check_item(value)

    def parse(self, text: str) -> tuple[Any, ...]:
        """Parse the values of all sides; between two commas there is nothing for a side that is left out."""
        values = [self.item_kind.parse(item) if item else None for item in self._split(text)]
        return self.check(values)

    def _split(self, text: str) -> list[str]:
        """Split a text at its commas, except those in quotation marks."""
        if '"' not in text:
            return text.split(",")
        import csv

        try:
            (row,) = csv.reader([text], strict=True)
        except csv.Error:
            raise UnfitError from None
        return row

    def write(self, value: Any) -> list[str]:
        """Write the values of all sides as one text, with commas between them."""
        values = (value,) if isinstance(value, str) else value
        return [",".join(map(self._write_item, values))]

    def _write_item(self, item: Any) -> str:
        """Return the text of a value, in quotation marks if it has a comma, a quotation mark or a line end."""
        if item is None:
            return ""
        # A value that is no list is one text.
        (text,) = self.item_kind.write(item)
        if set('",\r\n').isdisjoint(text):
            return text
        return '"' + text.replace('"', '""') + '"'
