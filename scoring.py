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
    "compare_sides",
    "map_comparisons",
    "map_in_order",
    "normalized",
    "parts_of",
    "read_part",
    "reader_for",
    "refuse_unknown",
    "require_window_size",
    "score",
    "score_tally",
    "tally_columns",
    "usable_cores",
    "with_window_size",
]

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .comparison import Comparison
from .dictionary import Dictionary
from .errors import UtteranceError
from .formulas import check_zero_division
from .inputs import BLANKS, LABELS, TEXT, WORDS, Column, form_name, read_pair
from .lexicon import Lexicon
from .normalization import check_normalize, normalize_units
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
from .similarity import check_transposition_span
from .tally import Tally, tally_comparison
from .tolerance import check_tolerance
from .unit_alignment import check_on_mismatch, compare_mismatched
from .vocabulary import Vocabulary, warn_of_implausible_rate
from .windows import check_window_options, reference_window_size

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
        vocabulary: the training words, a list or a segmented corpus, for the group `"oov"`, which joins the default set then.
        window_size: gaps in a window, for the group `"windows"`; `"utterance"` for half the mean word length of each
            utterance, None for that of the whole reference.
        window_convention: a name from `windows.WINDOW_CONVENTIONS`.
        tolerance: units that a boundary may be off, for the group `"tolerance"`.
        transposition_span: gaps that a near miss spans, for the groups `"similarity"` and `"agreement"`.
        normalize: a Unicode normalisation form for both sides, or None.
        on_mismatch: what becomes of utterances whose units differ, a name from `unit_alignment.MISMATCH_RULES`. Other than
            `"error"`, the group `"unit_error"` joins whatever is scored.

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
    vocabulary: Iterable[Any] | None = None
    window_size: int | str | None = None
    window_convention: str = "segeval"
    tolerance: int = 1
    transposition_span: int = 2
    normalize: str | None = None
    on_mismatch: str = "error"
    _segments: Dictionary | None = field(default=None, init=False, repr=False)
    _words_known: Vocabulary | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        names = check_score_names(self.scores)
        if names == DEFAULT_SCORES:
            names += ("dictionary",) * (self.dictionary is not None) + ("oov",) * (self.vocabulary is not None)
        words_known = self.label_scheme is None
        check_on_mismatch(self.on_mismatch, words_known)
        check_normalize(self.normalize, words_known)
        if self.on_mismatch != "error" and "unit_error" not in names:
            names = (*names, "unit_error")
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
        check_window_options(window_size=self.window_size, window_convention=self.window_convention)
        check_tolerance(self.tolerance)
        check_transposition_span(self.transposition_span)
        self.keys()
        self._read_dictionary()
        self._read_vocabulary()

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

    def _read_vocabulary(self) -> None:
        wanted = "oov" in self.scores
        if wanted and self.vocabulary is None:
            raise ValueError(
                'scores="oov" needs the option vocabulary: the words that were known, or the training text.'
            )
        if not wanted and self.vocabulary is not None:
            raise ValueError(f'vocabulary is for scores="oov"; received scores={self.scores!r}.')
        if self.vocabulary is not None:
            known = Vocabulary(
                vocabulary=self.vocabulary, word_boundary=self.word_boundary, ignored_tokens=tuple(self.ignored_tokens)
            )
            object.__setattr__(self, "_words_known", known)

    @property
    def segments(self) -> Dictionary | None:
        """The dictionary as it was read, for the groups that count with it."""
        return self._segments

    @property
    def known_words(self) -> Vocabulary | None:
        """The vocabulary as it was read."""
        return self._words_known

    @property
    def settings(self) -> dict[str, Any]:
        """What the groups' `tally` take besides a comparison, by name."""
        return {
            "dictionary": self._segments,
            "vocabulary": self._words_known,
            "window_size": self.window_size,
            "window_convention": self.window_convention,
            "tolerance": self.tolerance,
            "transposition_span": self.transposition_span,
        }

    @property
    def needs_window_size(self) -> bool:
        """Whether the reference must be read once for the size of windows, before anything is counted."""
        return self.window_size is None and any(group.needs_corpus for group in groups_of(self.keys()))

    def with_window_size(self, window_size: int) -> Options:
        """The same options with another size of windows; nothing that was read is read again."""
        options = copy(self)
        object.__setattr__(options, "window_size", window_size)
        return options

    def tally(self, comparison: Comparison, *, skipped: int = 0, reference_lexicon: Lexicon | None = None) -> Tally:
        """Count in a comparison what the scores need.

        Args:
            comparison: of a part of a corpus.
            skipped: how many utterances of the part it leaves out.
            reference_lexicon: that of the reference, where it was gathered already.
        """
        groups = groups_of(self.keys())
        tally = tally_comparison(comparison, groups, self.settings, reference_lexicon=reference_lexicon)
        if "skipped_utterances" in tally.counts:
            tally.counts["skipped_utterances"] += skipped
        return tally

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
    """The scores of a tally, as plain floats.

    Warns:
        UserWarning: most words are outside the vocabulary, which is then probably not the one that was meant.
    """
    if options.known_words is not None:
        for unit in options.known_words.units:
            warn_of_implausible_rate(tally.counts, options.known_words, unit)
    scores = compute_scores(tally.totals(), options.keys(), options.zero_division)
    return {key: float(value) for key, value in scores.items()}


def tally_columns(references: Column, predictions: Column, options: Options) -> Tally:
    """Tally two columns of the same length and form.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    options = with_window_size(options, references)

    def tally_part(comparison: Comparison, kept: npt.NDArray[np.bool_] | None) -> Tally:
        return options.tally(comparison, skipped=0 if kept is None else int((~kept).sum()))

    total = Tally()
    for tally in map_comparisons(references, predictions, options, tally_part):
        total.update(tally)
    return total


def map_comparisons(
    references: Column,
    predictions: Column,
    options: Options,
    work: Callable[[Comparison, npt.NDArray[np.bool_] | None], Result],
    read: Callable[[pa.Array], Segmentation] | None = None,
) -> Iterator[Result]:
    """What some work gives for the comparison of each part of two columns, in order.

    Args:
        references, predictions: of the same length and form.
        options: how they are read and compared.
        work: is given what `compare_sides` gives. Workers call it, on all cores.
        read: the reader; that of the form and the options if None.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    if not len(references):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    check_form(references.type, options)
    reader = reader_for(references.type, options) if read is None else read

    def work_on(part: slice) -> Result:
        try:
            reference = read_part(reader, references, part, "references")
            prediction = read_part(reader, predictions, part, "predictions")
            return work(*compare_sides(reference, prediction, options))
        except UtteranceError as error:
            raise error.at(part.start) from None

    return map_in_order(work_on, list(parts_of(references)))


def compare_sides(
    reference: Segmentation, prediction: Segmentation, options: Options
) -> tuple[Comparison, npt.NDArray[np.bool_] | None]:
    """Compare a part of both sides, after `options.normalize` and as `options.on_mismatch` says.

    Returns:
        The comparison, and for each utterance whether it is in it; None where all are.

    Raises:
        UtteranceError: the units differ, and `on_mismatch` is `"error"`.
    """
    return compare_mismatched(normalized(reference, options), normalized(prediction, options), options.on_mismatch)


def normalized(segmentation: Segmentation, options: Options) -> Segmentation:
    """A segmentation with its units as `options.normalize` says."""
    return segmentation if options.normalize is None else normalize_units(segmentation, options.normalize)[0]


def require_window_size(options: Options) -> None:
    """Refuse options whose size of windows is to be found from the whole reference, where it is not at hand.

    Raises:
        ValueError: with what to pass.
    """
    if options.needs_window_size:
        raise ValueError(
            'scores="windows" needs window_size here, for parts are counted before the whole reference is known: pass a number '
            'of gaps, or "utterance" for half the mean word length of each utterance.'
        )


def with_window_size(options: Options, references: Column) -> Options:
    """The options with the size of windows that the whole reference gives, where it is to be found from that.

    Raises:
        ValueError: an utterance can't be read.
    """
    if not options.needs_window_size:
        return options
    check_form(references.type, options)
    read = reader_for(references.type, options)

    def read_slice(part: slice) -> Segmentation:
        try:
            return normalized(read_part(read, references, part, "references"), options)
        except UtteranceError as error:
            raise error.at(part.start) from None

    parts = map_in_order(read_slice, list(parts_of(references)))
    return options.with_window_size(reference_window_size(parts, options.window_convention))


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None
) -> Iterator[Result]:
    """`map`, in threads: numpy and Arrow let go of the interpreter's lock. The first error in order is raised.

    This thread reads the items, only a few ahead of the results, so that a stream of any length takes little memory.

    Args:
        function: called in the threads.
        items: an error that they raise comes after what was read before it.
        workers: how many threads, one for each core if None; with 1 there is none but this one.
    """
    workers = usable_cores() if workers is None else workers
    if workers < 2 or (isinstance(items, Sequence) and len(items) < 2):
        yield from map(function, items)
        return
    running: deque[Future[Result]] = deque()
    broken: Exception | None = None
    source = iter(items)
    with ThreadPoolExecutor(workers) as executor:
        try:
            while True:
                try:
                    item = next(source)
                except StopIteration:
                    break
                except Exception as error:  # what was read before it comes first
                    broken = error
                    break
                running.append(executor.submit(function, item))
                if len(running) > 2 * workers:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
            if broken is not None:
                raise broken
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
    if scheme is not None and options.vocabulary is not None:
        raise ValueError(
            "vocabulary needs the words, and labels do not say what they are: pass strings or lists of words."
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
