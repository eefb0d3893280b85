"""The options that define how utterances are read, and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypedDict

from ..kernel.errors import text_problem
from ..kernel.integers import check_integer
from ..kernel.names import check_choice, check_names
from ..kernel.quoting import described, shortened
from .normalization import check_normalize
from .readers import DEFAULT_WORD_BOUNDARY, LABEL_SCHEMES

TEXT_FORMATS = ("units", "words", "conllu")
_FORMAT_OPTIONS = ("text_format", "reference_format", "prediction_format")

if TYPE_CHECKING:
    from typing_extensions import Unpack


class TextOptions(TypedDict, total=False):
    """The options of a `Reading` that leaves units as they are, as keyword arguments."""

    text_format: str
    word_boundary: str
    ignored_tokens: Sequence[str]
    label_scheme: str | None


class SideOptions(TextOptions, total=False):
    """The options of text on two sides, each of which may have its own format."""

    reference_format: str | None
    prediction_format: str | None


class ReadingOptions(SideOptions, total=False):
    """The options of a `Reading` as keyword arguments."""

    normalize: str | None
    ignore_index: int | None


@dataclass(frozen=True)
class Reading:
    """How utterances are read. `Reading.of` makes a `Reading` from a user's options, and checks them.

    Attributes:
        text_format: the format of strings, `"units"` or `"words"`, or of files, which may have `"conllu"`.
        reference_format, prediction_format: the format of one side; None for `text_format`.
        word_boundary: the token between words in units text.
        ignored_tokens: tokens of units text to drop.
        label_scheme: the meaning of integers or tags, a name from LABEL_SCHEMES, or None.
        normalize: a Unicode normalisation form for both sides and the lists of words or segments, or None.
        ignore_index: the label that marks positions of the reference to ignore, such as -100; they are dropped on both
            sides.
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
        ValueError: unknown text_format 'word': expected 'units', 'words' or 'conllu'. Did you mean 'words'?
        """
        check_names(options, READING_OPTION_NAMES)
        ignored = options.get("ignored_tokens", ())
        if not isinstance(ignored, Iterable):
            raise TypeError(f"ignored_tokens: expected a list of tokens, received {shortened(ignored)}.")
        options["ignored_tokens"] = (ignored,) if isinstance(ignored, str) else tuple(ignored)
        reading = cls(**options)  # type: ignore[arg-type]
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


READING_OPTION_NAMES = tuple(field.name for field in fields(Reading))


def _check(reading: Reading) -> None:
    check_choice("label_scheme", reading.label_scheme, (*LABEL_SCHEMES, None))
    check_normalize(reading.normalize, reading.words_known)
    for option in _FORMAT_OPTIONS:
        given = getattr(reading, option)
        if given is not None or option == "text_format":
            check_choice(option, given, TEXT_FORMATS)
    check_tokens(reading.word_boundary, reading.ignored_tokens)
    if reading.ignore_index is not None:
        check_integer("ignore_index", reading.ignore_index, least=-(1 << 63), most=(1 << 63) - 1, what="an integer")
        if reading.label_scheme not in ("start", "end"):
            tags = (
                " Tags are strings: drop the masked positions from both sides before. A Trainer's arrays of class ids, with "
                "-100, are what as_compute_metrics(id2label=...) takes."
            )
            raise ValueError(
                f'ignore_index is for lists of integers: it needs label_scheme="start" or "end", received '
                f"{reading.label_scheme!r}.{'' if reading.label_scheme is None else tags}"
            )
        if reading.ignore_index in (0, 1):
            raise ValueError(
                f"ignore_index={reading.ignore_index} is a label of the scheme: expected another integer, such as -100."
            )
    has_tokens = reading.ignored_tokens or reading.word_boundary != DEFAULT_WORD_BOUNDARY
    if has_tokens and "units" not in reading.formats:
        raise ValueError(
            'word_boundary and ignored_tokens are for text_format="units"; in text_format="words" whitespace '
            "separates the words."
        )


def check_tokens(word_boundary: str, ignored_tokens: Sequence[str]) -> None:
    """Check the tokens of units text that are no units."""
    _check_token("word_boundary", word_boundary)
    for token in ignored_tokens:
        _check_token("ignored_tokens", token)
    if word_boundary in ignored_tokens:
        raise ValueError(f"{word_boundary!r} is both word_boundary and one of ignored_tokens: it can't be dropped.")


def _check_token(option: str, token: object) -> None:
    if not isinstance(token, str):
        raise TypeError(f"{option}: expected a string, received {described(token)}.")
    if token.split() != [token]:
        raise ValueError(f"{option}: expected a token without whitespace, received {shortened(token)}.")
    if problem := text_problem(token):
        raise ValueError(f"{option}: {token!r} {problem}.")
