"""Reading: the checked options of how utterances are read.

The options of `options.table` say how strings, lists and labels become segmentations. `formats` reads text, `readers` lists,
`labels` labels.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..options.keywords import ReadingOptions, Unpack
from ..options.messages import OptionError
from ..options.option import check_needs, check_options, implied_format
from ..options.table import LISTS, OPTIONS, WORLDS, check_formats, options_in
from ..options.values import ReadingValues
from .class_tags import ClassTags
from .labels import PADDING
from .subwords import ANY

DEFAULT_WORD_BOUNDARY = ReadingValues.word_boundary
_OPTIONS_OF_READING = options_in(ReadingOptions)
READING_OPTION_NAMES = tuple(_OPTIONS_OF_READING)
#: The values that only some formats have: options of reading, and the tags that scores read.
_OF_FORMATS = [*(name for name, option in _OPTIONS_OF_READING.items() if option.formats), "tags"]
#: The options that name a mark within words or between them.
_OF_MARKS = ("separator", "joiner", "subword_marks")


@dataclass(frozen=True)
class Reading(ReadingValues):
    """Options with which utterances are read. `Reading.of` makes a `Reading` from a user's options, and checks them.

    The attributes are the options of reading, which `options.table` describes, and those below. An
    option that is for some formats may be for one side alone.
    """

    implied: frozenset[str] = frozenset()  #: the options that scores imply where they make sense
    analyses: str = ""  #: the analyses that scores read: see `ScoreGroup`
    tags: str = ""  #: the column of tags that scores read; empty if they read none
    word_labels: bool = False  #: whether scores read the labels of words
    reach: float = 0.0  #: how far a matching boundary of a world may be off; 0 for text
    skips: bool = False  #: whether utterances that cannot be scored are left out
    scores: tuple[str, ...] = ()  #: the names of the scores, with which advice has to go

    @classmethod
    def of(cls, **options: Unpack[ReadingOptions]) -> Reading:
        """Check options, and make a `Reading` of them.

        >>> Reading.of(text_format="word")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        segscores.options.messages.OptionError: text_format: expected "units", ..., received 'word'. Did you mean 'words'?
        """
        return cls.of_checked(check_options(options, _OPTIONS_OF_READING))

    @classmethod
    def of_checked(cls, options: Mapping[str, Any]) -> Reading:
        """Return the `Reading` of options whose values are checked, after a check that they go together."""
        # A format that the user gave is among the options, and replaces the one that other options imply.
        reading = cls(**{"text_format": implied_format(options) or cls.text_format, **options})
        if reading.id2label is not None:
            scheme = ClassTags.of(reading.label_scheme, reading.id2label).scheme
            ignored = PADDING if reading.ignore_index is None else reading.ignore_index
            reading = replace(reading, label_scheme=scheme, ignore_index=ignored)
        check_distinct(reading.word_boundary, reading.ignored_tokens)
        _check_needed_text(reading)
        _check_world(reading)
        # This option alone, of those of reading, goes with another one: `documents`.
        check_needs({"whole_files": reading.whole_files}, OPTIONS, values=vars(reading))
        # Allow the options of lists of words here: only the input shows if there are lists.
        reading.check_formats([*reading.formats, LISTS])
        if reading.ignore_index is not None:
            _check_ignored_label(reading, reading.ignore_index)
        return reading

    @property
    def words_known(self) -> bool:
        """Return whether the input has the text of the words; labels and utterances of a world have not."""
        return self.label_scheme is None and not self.world

    @property
    def has_integers(self) -> bool:
        """Return whether the input is labels that are integers."""
        return self.id2label is not None or self.label_scheme in ("start", "end")

    @cached_property
    def world(self) -> str:
        """The name of the world of both sides; empty for text and labels."""
        name, other = self.formats
        if name == other and name in WORLDS:
            return name
        return ""

    @property
    def wordless(self) -> str:
        """The name of input without the text of the words, for messages."""
        return self.world or "labels"

    @cached_property
    def formats(self) -> tuple[str, str]:
        """The format of the references, and the format of the predictions."""
        return self.reference_format or self.text_format, self.prediction_format or self.text_format

    @property
    def keeps_spaces(self) -> bool:
        """Return whether a space within a word is a unit."""
        return self.spaces != "drop"

    @property
    def has_formats(self) -> bool:
        """Return whether a side has its own format, so that strings may pair with lists of words."""
        return self.reference_format is not None or self.prediction_format is not None

    @cached_property
    def is_simple(self) -> bool:
        """Return whether each utterance is read by itself, and both sides in the same way."""
        return not (self.has_formats or self.documents or self.tags) and self.ignore_index is None

    @cached_property
    def named_marks(self) -> dict[str, str]:
        """The marks within words or between them that options name, by the name of the option."""
        marks = {name: getattr(self, name) for name in _OF_MARKS}
        # One value stands for the marks of all tokenizers.
        return {name: mark for name, mark in marks.items() if mark not in (None, ANY)}

    @cached_property
    def of_formats(self) -> dict[str, Any]:
        """The options that only some formats have and that differ from their defaults, by name; without implied ones."""
        # Scores imply an option only where the format has it: nothing is to be checked.
        values = {name: getattr(self, name) for name in _OF_FORMATS if name not in self.implied}
        # `tags` is empty where no scores read tags.
        return {name: value for name, value in values.items() if value not in ("", OPTIONS[name].default)}

    def check_formats(self, formats: Collection[str], received: str = "") -> None:
        """Check that each option for some formats alone is for one of these formats."""
        if self.of_formats:
            check_formats(self.of_formats, formats, received)


def _check_needed_text(reading: Reading) -> None:
    """Check that there is text for the options that change text."""
    for name in ("normalize", "subword_marks", "documents"):
        value = getattr(reading, name)
        if value not in (None, False) and not reading.words_known:
            problem = f": it needs text, which {reading.wordless} do not contain: leave it out."
            raise OptionError(OPTIONS[name].set(value), problem)


def _check_world(reading: Reading) -> None:
    """Check that both sides are of one world, or none is of any."""
    for name in WORLDS.keys() & {*reading.formats}:
        others = {*reading.formats} - {name}
        if reading.label_scheme is not None or others:
            received = " and ".join(others) or "labels"
            problem = f": expected {name} on both sides, received {received}."
            raise OptionError(OPTIONS["text_format"].set(name), problem)


def _check_ignored_label(reading: Reading, label: int) -> None:
    """Check that labels are integers, and that the ignored label is not a label of the scheme."""
    ignored = OPTIONS["ignore_index"]
    if not reading.has_integers:
        remedy = ""
        if reading.label_scheme is not None:
            remedy = " Tags are strings: drop masked positions from both sides before."
        raise OptionError(
            ignored,
            " is for lists of integers: it needs ",
            OPTIONS["id2label"],
            ", which has the tags of class ids, or ",
            OPTIONS["label_scheme"].set("start"),
            f' or "end", received {reading.label_scheme!r}.{remedy}',
        )
    if label in ClassTags.of(reading.label_scheme, reading.id2label).ids:
        problem = " is a label of the scheme: expected another integer, such as -100."
        if reading.id2label is not None:
            problem = " is a class id: expected a number that is not a class id, such as -100."
        raise OptionError(ignored.set(label), problem)


def check_distinct(word_boundary: str, ignored_tokens: Sequence[str]) -> None:
    """Check that the boundary token of units text is not ignored."""
    if word_boundary in ignored_tokens:
        boundary = OPTIONS["word_boundary"]
        ignored = OPTIONS["ignored_tokens"]
        raise OptionError(f"{word_boundary!r} is both ", boundary, " and one of ", ignored, ": it can't be dropped.")
