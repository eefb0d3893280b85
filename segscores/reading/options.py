"""How utterances are read, from the options that define it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..options.keywords import ReadingOptions
from ..options.option import check_options
from ..options.table import OPTIONS, options_in
from ..support.messages import OptionError
from .readers import DEFAULT_WORD_BOUNDARY

if TYPE_CHECKING:
    from typing_extensions import Unpack


_KNOWN = options_in(ReadingOptions)


@dataclass(frozen=True)
class Reading:
    """How utterances are read. `Reading.of` makes a `Reading` from a user's options, and checks them.

    The attributes are the options of these names, which `options.table` describes.
    """

    text_format: str = "units"
    reference_format: str | None = None
    prediction_format: str | None = None
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: tuple[str, ...] = ()
    label_scheme: str | None = None
    normalize: str | None = None
    ignore_index: int | None = None

    @classmethod
    def of(cls, **options: Unpack[ReadingOptions]) -> Reading:
        """Check options, and make a `Reading` of them.

        Args:
            **options: the attributes; `ignored_tokens` may be one token, or any iterable of them.

        >>> Reading.of(text_format="word")
        Traceback (most recent call last):
        ...
        segscores.support.messages.OptionError: text_format: expected "units", "words" or "conllu", received 'word'. Did you \
mean 'words'?
        """
        return cls.of_checked(check_options(options, _KNOWN))

    @classmethod
    def of_checked(cls, options: Mapping[str, Any]) -> Reading:
        """The `Reading` of options whose values are checked, after a check that they go together."""
        reading = cls(**options)
        _check(reading)
        return reading

    @property
    def words_known(self) -> bool:
        """Whether the input has the text of the words; labels have not."""
        return self.label_scheme is None

    @property
    def formats(self) -> tuple[str, str]:
        """The format of the references, and that of the predictions."""
        return self.reference_format or self.text_format, self.prediction_format or self.text_format

    @property
    def has_formats(self) -> bool:
        """Whether a side has its own format, so that strings may pair with lists of words."""
        return self.reference_format is not None or self.prediction_format is not None

    def of_side(self, text_format: str) -> Reading:
        """How a side of this format is read; tokens of units text are for units text alone."""
        if text_format == "units" or not self.has_formats:
            return self if text_format == self.text_format else replace(self, text_format=text_format)
        return replace(self, text_format=text_format, word_boundary=DEFAULT_WORD_BOUNDARY, ignored_tokens=())


def joins_units(formats: Sequence[str]) -> list[bool]:
    """Which sides' units are joined, so that units are characters everywhere: those of units text, if another side is not.

    >>> joins_units(["units", "words"]), joins_units(["units", "units"])
    ([True, False], [False, False])
    """
    are_units = [each == "units" for each in formats]
    return [each and not all(are_units) for each in are_units]


READING_OPTION_NAMES = tuple(_KNOWN)


def _check(reading: Reading) -> None:
    """Check that the options go together."""
    _check_distinct(reading.word_boundary, reading.ignored_tokens)
    if reading.normalize is not None and not reading.words_known:
        raise OptionError(
            OPTIONS["normalize"].set(reading.normalize), ": it needs text, which labels do not contain: leave it out."
        )
    has_tokens = reading.ignored_tokens or reading.word_boundary != DEFAULT_WORD_BOUNDARY
    if has_tokens and "units" not in reading.formats:
        boundary, ignored = OPTIONS["word_boundary"], OPTIONS["ignored_tokens"]
        units, words = map(OPTIONS["text_format"].set, ("units", "words"))
        raise OptionError(
            boundary, " and ", ignored, " are for ", units, "; in ", words, " whitespace separates the words."
        )
    if reading.ignore_index is None:
        return
    ignored = OPTIONS["ignore_index"]
    if reading.label_scheme not in ("start", "end"):
        tags = (
            " Tags are strings: drop the masked positions from both sides before. A Trainer's arrays of class ids, with -100, "
            "are what as_compute_metrics(id2label=...) takes."
        )
        received = f' or "end", received {reading.label_scheme!r}.{"" if reading.label_scheme is None else tags}'
        raise OptionError(
            ignored, " is for lists of integers: it needs ", OPTIONS["label_scheme"].set("start"), received
        )
    if reading.ignore_index in (0, 1):
        raise OptionError(
            ignored.set(reading.ignore_index), " is a label of the scheme: expected another integer, such as -100."
        )


def check_tokens(word_boundary: str, ignored_tokens: Sequence[str]) -> None:
    """Check the tokens of units text that are no units."""
    OPTIONS["word_boundary"].check(word_boundary)
    OPTIONS["ignored_tokens"].check(ignored_tokens)
    _check_distinct(word_boundary, ignored_tokens)


def _check_distinct(word_boundary: str, ignored_tokens: Sequence[str]) -> None:
    if word_boundary in ignored_tokens:
        boundary, ignored = OPTIONS["word_boundary"], OPTIONS["ignored_tokens"]
        raise OptionError(f"{word_boundary!r} is both ", boundary, " and one of ", ignored, ": it can't be dropped.")
