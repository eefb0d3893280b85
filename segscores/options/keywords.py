"""The keyword arguments of functions, for type checkers and editors.

`**options: Unpack[ScoringOptions]` makes a misspelt option an error of the type checker. Checkers read types only where they are
written, so the names stand here as well as in the table; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack  # noqa: PLC0414 - mypy reads this as exported
else:
    Unpack = None  # annotations are text in this package; Python 3.10 has no such name


class TextOptions(TypedDict, total=False):
    """Options on reading strings, lists or labels."""

    text_format: str
    word_boundary: str
    ignored_tokens: str | Sequence[str]
    label_scheme: str | None


class ReadingOptions(TextOptions, total=False):
    """Options on reading utterances of two sides, each of which may have its own format."""

    reference_format: str | None
    prediction_format: str | None
    separator: str | None
    joiner: str | None
    spaces: str
    markup: str
    normalize: str | None
    subword_marks: str | None
    ignore_index: int | None
    tier: str | Sequence[str | None] | None
    silence: str | Sequence[str] | None
    sample_rate: float
    documents: bool
    whole_files: bool


class _ScoreOptions(TypedDict, total=False):
    """Options on what is scored, and the options of score groups."""

    scores: str | Sequence[str]
    zero_division: float
    on_mismatch: str
    ignore_words: str | Iterable[str] | None
    dictionary: Iterable[Any] | None
    acceptable: Iterable[Any] | None
    vocabulary: Iterable[Any] | None
    tolerance: float | None
    rates_tolerance: int | None
    window_size: int | str | None
    window_convention: str
    transposition_span: int
    renyi_order: float
    vocabulary_size: int | None
    tags: str


class ScoringOptions(ReadingOptions, _ScoreOptions, total=False):
    """Options on what is scored, and on reading."""


class _SampleOptions(TypedDict, total=False):
    """Averages, and options on computing intervals."""

    average: str
    n_resamples: int
    seed: int
    interval_method: str


class ResamplingOptions(_SampleOptions, total=False):
    """Averages and intervals."""

    confidence: float | None
    clusters: Any


class ComputeOptions(ScoringOptions, ResamplingOptions, total=False):
    """Scores, averages and intervals: the options of `score`."""


class DifficultyOptions(ReadingOptions, total=False):
    """The options of the difficulty metric."""

    zero_division: float


class WordErrorOptions(DifficultyOptions, total=False):
    """The options of `compare_errors`."""

    vocabulary: Iterable[Any] | None
    on_mismatch: str
    tolerance: float | None


class ErrorOptions(WordErrorOptions, total=False):
    """The options of `analyse_errors`."""

    examples: int
    context: int


class TrainerOptions(TextOptions, _SampleOptions, total=False):
    """The options of `as_compute_metrics`."""

    id2label: Any
    ignore_index: int
    units: str
    processing_class: Any
    tokens: Any
    scores: str | Sequence[str]
    zero_division: float
    vocabulary: Iterable[Any] | None
    normalize: str | None
    confidence: float | None


class AlignmentOptions(TypedDict, total=False):
    """The options of the alignment metric."""

    scores: str | Sequence[str] | None
    zero_division: float


class CompareOptions(ScoringOptions, _SampleOptions, total=False):
    """The options of `compare`, whose intervals can't be left out."""

    baseline: str | None
    primary: str | None
    confidence: float
    clusters: Any
    n_trials: int
    margin: float | None


class DatasetOptions(ComputeOptions, total=False):
    """The options of `score_dataset`, where `clusters` is the name of a column."""

    reference_column: str
    prediction_column: str
    on_error: str
    batch_size: int
