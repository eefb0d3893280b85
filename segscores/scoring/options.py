"""Options of a scoring, checked and ready for use."""

from __future__ import annotations

__all__ = ["Options", "refuse_unknown"]

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from ..kernel.comparison import Comparison
from ..kernel.formulas import check_zero_division
from ..kernel.lexicon import Lexicon
from ..kernel.unit_alignment import check_on_mismatch
from ..measures.dictionary import Dictionary
from ..measures.oov import Vocabulary
from ..measures.registry import DEFAULT_SCORES, check_score_names, groups_of, select_scores
from ..measures.similarity import check_transposition_span
from ..measures.tolerance import check_tolerance
from ..measures.windows import check_window_options
from ..reading.normalization import check_normalize
from ..reading.readers import DEFAULT_WORD_BOUNDARY, LABEL_SCHEMES, TEXT_FORMATS
from .tally import Tally, tally_comparison


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
