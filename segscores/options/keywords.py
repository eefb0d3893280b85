"""The keyword arguments of functions, for type checkers and editors: the option sets of `table` as classes.

`**options: Unpack[ScoringOptions]` makes a misspelt option an error of the type checker.

`python -m tests.keywords` writes this module from `table`; `tests/options/test_keywords.py` compares the two.
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
    """Options on reading utterances of two sides, each of which may have a format."""

    reference_format: str | None
    prediction_format: str | None
    separator: str | None
    joiner: str | None
    spaces: str
    markup: str
    id2label: Any
    normalize: str | None
    subword_marks: str | None
    ignore_index: int | None
    tier: str | Sequence[str | None] | None
    silence: str | Sequence[str] | None
    sample_rate: float | None
    time_unit: str | Sequence[str | None] | None
    label_map: str | None
    missing: str
    overlap: str
    documents: bool
    whole_files: bool


class ScoringOptions(ReadingOptions, total=False):
    """Options on what is scored, and on reading."""

    scores: str | Sequence[str]
    zero_division: float
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
    on_mismatch: str
    on_error: str
    ignore_words: str | Iterable[str] | None


class ResamplingOptions(TypedDict, total=False):
    """Averages and intervals."""

    average: str
    confidence: float | None
    n_resamples: int
    seed: int
    interval_method: str
    clusters: Any


class ComputeOptions(ScoringOptions, ResamplingOptions, total=False):
    """Scores, averages and intervals: the options of `score`."""


class DifficultyOptions(ReadingOptions, total=False):
    """The options of the difficulty metric."""

    zero_division: float


class WordErrorOptions(DifficultyOptions, total=False):
    """The options of `compare_errors`."""

    vocabulary: Iterable[Any] | None
    tolerance: float | None
    on_mismatch: str
    on_error: str


class ErrorOptions(WordErrorOptions, total=False):
    """The options of `analyse_errors`."""

    examples: int
    context: int


class TrainerOptions(TextOptions, total=False):
    """The options of `as_compute_metrics`."""

    scores: str | Sequence[str]
    id2label: Any
    normalize: str | None
    ignore_index: int
    zero_division: float
    units: str
    processing_class: Any
    tokens: Any
    vocabulary: Iterable[Any] | None
    average: str
    confidence: float | None
    n_resamples: int
    seed: int
    interval_method: str


class AlignmentOptions(TypedDict, total=False):
    """The options of the alignment metric."""

    scores: str | Sequence[str] | None
    zero_division: float
    confidence: float | None


class CompareOptions(ScoringOptions, total=False):
    """The options of `compare`, whose intervals can't be left out."""

    average: str
    confidence: float
    n_resamples: int
    seed: int
    interval_method: str
    clusters: Any
    baseline: str | None
    primary: str | None
    n_trials: int
    margin: float | None


class SignatureOptions(ComputeOptions, total=False):
    """The options of `signature`: of `score`, and the trials of `compare`."""

    n_trials: int | None


class DatasetOptions(ScoringOptions, total=False):
    """The options of `score_dataset`, where `clusters` is the name of a column."""

    average: str
    confidence: float | None
    n_resamples: int
    seed: int
    interval_method: str
    clusters: str | None
    reference_column: str
    prediction_column: str
    batch_size: int
