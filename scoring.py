"""Scoring: options and two columns of utterances in, a flat dict of scores out.

Conventions
-----------
The work is cut into parts of a megabyte or so, that stay in the processor's cache and are shared among its cores. Each
part is read, compared and tallied by itself; the tally of the corpus is the sum of theirs, and the formulas come last
and once. Every caller comes through here: the metric with whole columns, the command with chunks of files.
"""

from __future__ import annotations

__all__ = [
    "DEFAULT_WORD_BOUNDARY",
    "TEXT_FORMATS",
    "Options",
    "check_form",
    "map_in_order",
    "parts_of",
    "read_part",
    "reader_for",
    "refuse_unknown",
    "score",
    "score_tally",
    "tally_columns",
    "usable_cores",
]

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import pyarrow as pa

from .comparison import Comparison, compare
from .dictionary import Dictionary
from .errors import UtteranceError
from .formulas import check_zero_division
from .inputs import BLANKS, LABELS, TEXT, WORDS, Column, form_name, read_pair
from .lexicon import Lexicon
from .scores import DEFAULT_SCORES, check_score_names, compute_scores, groups_of, select_scores
from .segmentation import (
    LABEL_SCHEMES,
    Segmentation,
    from_labels,
    from_units_text,
    from_word_lists,
    from_words_text,
    lines,
)
from .tally import Tally, tally_comparison

TEXT_FORMATS = ("units", "words")
DEFAULT_WORD_BOUNDARY = "WORD_BOUNDARY"

#: Bytes of one side that a part holds, about.
PART_BYTES = 1 << 20

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Options:
    """Every option of a scoring, checked.

    Attributes:
        scores: names of groups and selections.
        text_format: how strings are read, `"units"` or `"words"`.
        word_boundary: the token between words in units text.
        ignored_tokens: tokens of units text to drop.
        label_scheme: how integers or tags are read, a name from LABEL_SCHEMES, or None.
        zero_division: the value of 0/0, in [0, 1] or nan.
        dictionary: segments that could be words, for the group `"dictionary"`, which joins the default set then.
        acceptable: segments that are no negatives of that group.

    Raises:
        TypeError: an option of the wrong type.
        ValueError: an unknown value, or options that do not go together.

    >>> Options(text_format="word")
    Traceback (most recent call last):
    ...
    ValueError: unknown text_format 'word': expected 'units' or 'words'.
    """

    scores: str | Sequence[str] = DEFAULT_SCORES
    text_format: str = "units"
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: Sequence[str] = ()
    label_scheme: str | None = None
    zero_division: float = 0.0
    dictionary: Iterable[str] | None = None
    acceptable: Iterable[str] = ()
    _segments: Dictionary | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        names = check_score_names(self.scores)
        if self.dictionary is not None and names == DEFAULT_SCORES:
            names = (*names, "dictionary")
        object.__setattr__(self, "scores", names)
        if not isinstance(self.text_format, str) or self.text_format not in TEXT_FORMATS:
            raise ValueError(f"unknown text_format {self.text_format!r}: expected 'units' or 'words'.")
        ignored = (self.ignored_tokens,) if isinstance(self.ignored_tokens, str) else self.ignored_tokens
        if not isinstance(ignored, Iterable):
            raise TypeError(f"ignored_tokens: expected a list of tokens, received {ignored!r}.")
        ignored = tuple(ignored)
        object.__setattr__(self, "ignored_tokens", ignored)
        _check_token("word_boundary", self.word_boundary)
        for token in ignored:
            _check_token("ignored_tokens", token)
        if self.word_boundary in ignored:
            raise ValueError(
                f"{self.word_boundary!r} is both word_boundary and one of ignored_tokens: it can't be dropped."
            )
        if self.text_format == "words" and (ignored or self.word_boundary != DEFAULT_WORD_BOUNDARY):
            raise ValueError(
                'word_boundary and ignored_tokens are for text_format="units"; in text_format="words" whitespace '
                "separates the words."
            )
        if self.label_scheme is not None and not isinstance(self.label_scheme, str):
            raise TypeError(
                f"label_scheme: expected one of {', '.join(LABEL_SCHEMES)}, received {self.label_scheme!r}."
            )
        if self.label_scheme is not None and self.label_scheme not in LABEL_SCHEMES:
            raise ValueError(f"unknown label_scheme {self.label_scheme!r}: expected one of {', '.join(LABEL_SCHEMES)}.")
        check_zero_division(self.zero_division)
        self.keys()
        self._read_dictionary()

    def _read_dictionary(self) -> None:
        wanted = "dictionary" in self.scores
        if wanted and self.dictionary is None:
            raise ValueError('scores="dictionary" needs the option dictionary: the segments that could be words.')
        if not wanted and self.dictionary is not None:
            raise ValueError(f'dictionary is for scores="dictionary"; received scores={self.scores!r}.')
        if self.dictionary is not None:
            segments = Dictionary(dictionary=self.dictionary, acceptable=self.acceptable)
            object.__setattr__(self, "_segments", segments)
        elif not isinstance(self.acceptable, tuple) or self.acceptable:
            raise ValueError("acceptable goes with dictionary: the segments that could be words.")

    @property
    def segments(self) -> Dictionary | None:
        """The dictionary as it was read, for the groups that count with it."""
        return self._segments

    def tally(self, comparison: Comparison, reference_lexicon: Lexicon | None = None) -> Tally:
        """Count in a comparison what the scores need."""
        groups = groups_of(self.keys())
        return tally_comparison(comparison, groups, dictionary=self._segments, reference_lexicon=reference_lexicon)

    def keys(self) -> tuple[str, ...]:
        """The scores to return. With labels, those that need the words are left out, or refused if asked for by name."""
        return select_scores(self.scores, words_known=self.label_scheme is None)


def score(references: Any, predictions: Any, **options: Any) -> dict[str, float]:
    """Score predictions against references.

    Args:
        references, predictions: utterances, in any form that `inputs` lists.
        **options: those of `Options`; an unknown one is a TypeError.

    Returns:
        Plain floats by score key.

    Raises:
        TypeError: an input of no known form, or an option of the wrong type.
        ValueError: sides that differ in number or in units, or a bad option.

    >>> scores = score(["the dog is on the boat"], ["thedog is on the boat"], text_format="words", scores="token")
    >>> {key: round(value, 2) for key, value in scores.items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    """
    refuse_unknown(options)
    checked = Options(**options)
    return score_tally(tally_columns(*read_pair(references, predictions), checked), checked)


def refuse_unknown(options: Iterable[str], known: Sequence[str] = ()) -> None:
    """Refuse options that there are not.

    Args:
        options: names.
        known: the options that there are; none stands for those of `Options`.

    Raises:
        TypeError: with the options that there are.
    """
    known = known or [option.name for option in fields(Options) if option.init]
    for option in options:
        if option not in known:
            raise TypeError(f"unknown option {option!r}: the options are {', '.join(known)}.")


def score_tally(tally: Tally, options: Options) -> dict[str, float]:
    """The scores of a tally, as plain floats."""
    scores = compute_scores(tally.totals(), options.keys(), options.zero_division)
    return {key: float(value) for key, value in scores.items()}


def tally_columns(references: Column, predictions: Column, options: Options) -> Tally:
    """Tally two columns of the same length and form.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    if not len(references):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    check_form(references.type, options)
    read = reader_for(references.type, options)

    def tally_part(part: slice) -> Tally:
        try:
            reference = read_part(read, references, part, "references")
            prediction = read_part(read, predictions, part, "predictions")
            return options.tally(compare(reference, prediction))
        except UtteranceError as error:
            raise error.at(part.start) from None

    total = Tally()
    for tally in map_in_order(tally_part, list(parts_of(references))):
        total.update(tally)
    return total


def map_in_order(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """`map`, on all cores: numpy and Arrow let go of the interpreter's lock. The first error in order is raised."""
    workers = min(usable_cores(), len(items))
    if workers < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(workers) as executor:
        try:
            yield from executor.map(function, items)
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_form(form: pa.DataType, options: Options) -> None:
    """Check that the form of the input goes with the options.

    Args:
        form: the type of a column, one of those in `inputs`.

    Raises:
        TypeError, ValueError: it does not.
    """
    scheme = options.label_scheme
    if form in (BLANKS, pa.null()):
        return
    if scheme is not None and form == TEXT:
        raise TypeError(
            f"label_scheme={scheme!r} is for lists of labels, one a unit; received {form_name(form)}. To score text, leave "
            f"label_scheme out."
        )
    if scheme is None and form == LABELS:
        raise TypeError(
            f"received lists of integers without label_scheme: say how labels mark words ({', '.join(LABEL_SCHEMES)}), such "
            f'as label_scheme="start" if 1 starts a word.'
        )
    if scheme is not None and options.dictionary is not None:
        raise ValueError("dictionary needs the text, and labels do not say what it is: pass strings or lists of words.")
    if form == WORDS and (options.ignored_tokens or options.word_boundary != DEFAULT_WORD_BOUNDARY):
        raise ValueError("word_boundary and ignored_tokens are for strings; received lists of words.")


def reader_for(form: pa.DataType, options: Options) -> Callable[[pa.Array], Segmentation]:
    """The reader for a form under the options; the two go together."""
    scheme = options.label_scheme
    if scheme is not None:
        return lambda part: from_labels(part, scheme)
    if form in (WORDS, BLANKS):
        return from_word_lists
    if options.text_format == "words":
        return lambda part: from_words_text(lines(part))
    return lambda part: from_units_text(lines(part), options.word_boundary, options.ignored_tokens)


def read_part(read: Callable[[pa.Array], Segmentation], column: Column, part: slice, side: str) -> Segmentation:
    """Read a slice of a column.

    Raises:
        UtteranceError: an utterance that can't be read, counted from the slice's first.
    """
    column = column.slice(part.start, part.stop - part.start)
    chunks = (column.cast(WORDS) if column.type == BLANKS else column).combine_chunks()
    array = chunks if isinstance(chunks, pa.Array) else pa.concat_arrays(chunks.chunks)
    try:
        return read(array)
    except UtteranceError as error:
        raise error.at(side=side) from None


def parts_of(column: Column) -> Iterator[slice]:
    """Slices of a column that hold PART_BYTES each, about."""
    count = max(1, len(column) * PART_BYTES // max(1, column.nbytes))
    for start in range(0, len(column), count):
        yield slice(start, min(start + count, len(column)))


def _check_token(option: str, token: object) -> None:
    if not isinstance(token, str):
        raise TypeError(f"{option}: expected a string, received {token!r} ({type(token).__name__}).")
    if token.split() != [token]:
        raise ValueError(f"{option}: expected a token without whitespace, received {token!r}.")
    if "\0" in token:
        raise ValueError(f"{option}: {token!r} has a NUL character (U+0000), which no text has.")
    try:
        token.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{option}: {token!r} has a lone surrogate, which no text has.") from None
