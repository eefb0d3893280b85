"""Scores for word segmentation, as functions, as a metric for Hugging Face `evaluate`, and as a command.

    import segscores

    segscores.score(["the dog barks"], ["thedog barks"], text_format="words")

References come first, predictions second, and options are passed by name. Utterances are strings, lists of words, or lists of
labels; `text_format` and `label_scheme` say how they are read.

`segscores.load()` gives the metric that `evaluate.load` gives, from any folder. Importing this package imports neither
evaluate nor numpy: each name is loaded on first use. The command is `segscores`.
"""

from __future__ import annotations

from importlib import import_module

# Not from typing, whose import takes time: until the command's own module is imported, Ctrl-C would print a traceback.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal, overload

    from .analysis.alternatives import score_alternatives
    from .analysis.annotators import score_agreement, score_constituents
    from .analysis.baselines import BaselineScores, baselines
    from .analysis.bitext.alignment import compare_alignments, score_alignment
    from .analysis.conformity import Conformity, conform
    from .analysis.differences import Difference
    from .analysis.difficulty import Decile, rate_difficulty, recovered_by_decile, score_difficulty
    from .analysis.error_analysis import ErrorAnalysis, analyse_errors
    from .analysis.error_comparison import ErrorComparison, WordDifference, compare_errors
    from .analysis.error_results import ClassCounts, ErrorExample, ErrorPattern
    from .analysis.identification import Definition, identify
    from .analysis.parity import Parity, parity
    from .analysis.side_by_side import Differences, differences
    from .analysis.thresholds import Sweep, segment_at, sweep
    from .analysis.vectors import conformance_vectors
    from .integrations.metric.alignment import AlignmentScores as AlignmentScores
    from .integrations.metric.difficulty import DifficultyScores as DifficultyScores
    from .integrations.metric.metrics import SegmentationScores as SegmentationScores
    from .integrations.spark import score_dataframe
    from .integrations.training.compute_metrics import ComputeMetrics, as_compute_metrics
    from .integrations.training.distributed import gather_tally
    from .integrations.training.evaluation_arrays import preprocess_logits_for_metrics
    from .options.errors import UtteranceError
    from .reading.sources.sides import open_source, tokenized
    from .results.methods import methods
    from .scores import score, score_dataset, signature
    from .scoring.corpus_tally import CorpusTally
    from .scoring.descriptions import ScoreDescription, cite, groups
    from .scoring.tallies import tally
    from .statistics.comparison_results import SystemComparison
    from .statistics.correlation import Correlation, correlate
    from .statistics.significance import ScoreDifference
    from .statistics.subset_comparison import SubsetComparison, compare_by
    from .statistics.subset_means import MacroMean
    from .statistics.subsets import SubsetScores, score_by
    from .statistics.system_comparison import compare, runs
    from .statistics.utterance_scores import per_utterance

__all__ = [
    "DEFINITIONS_VERSION", "BaselineScores", "ClassCounts", "ComputeMetrics", "Conformity", "CorpusTally", "Correlation",
    "Decile", "Definition", "Difference", "Differences", "ErrorAnalysis", "ErrorComparison", "ErrorExample",
    "ErrorPattern", "Intervals", "MacroMean", "Parity", "ScoreDescription", "ScoreDifference", "SubsetComparison",
    "SubsetScores", "Sweep", "SystemComparison", "UtteranceError", "WordDifference", "__version__", "analyse_errors",
    "as_compute_metrics", "baselines", "cite", "compare", "compare_alignments", "compare_by", "compare_errors", "conform",
    "conformance_vectors", "correlate", "differences", "gather_tally", "groups", "identify", "load", "methods", "open_source",
    "parity", "per_utterance", "preprocess_logits_for_metrics",
    "rate_difficulty", "recovered_by_decile", "runs", "score", "score_agreement", "score_alignment",
    "score_alternatives", "score_by", "score_constituents", "score_dataframe", "score_dataset",
    "score_difficulty", "segment_at", "signature", "sweep", "tally", "tokenized",
]  # fmt: skip

__version__ = "0.4.0"

#: The version of the definitions of all scores (docs/reference/specification.md).
DEFINITIONS_VERSION = 1

#: The modules that define the public names.
_NAMES = {
    "analysis.alternatives": ("score_alternatives",),
    "analysis.annotators": ("score_agreement", "score_constituents"),
    "analysis.baselines": ("BaselineScores", "baselines"),
    "analysis.bitext.alignment": ("compare_alignments", "score_alignment"),
    "analysis.conformity": ("Conformity", "conform"),
    "analysis.differences": ("Difference",),
    "analysis.difficulty": ("Decile", "rate_difficulty", "recovered_by_decile", "score_difficulty"),
    "analysis.error_analysis": ("ErrorAnalysis", "analyse_errors"),
    "analysis.error_comparison": ("ErrorComparison", "WordDifference", "compare_errors"),
    "analysis.error_results": ("ClassCounts", "ErrorExample", "ErrorPattern"),
    "analysis.identification": ("Definition", "identify"),
    "analysis.parity": ("Parity", "parity"),
    "analysis.side_by_side": ("Differences", "differences"),
    "statistics.comparison_results": ("SystemComparison",),
    "statistics.correlation": ("Correlation", "correlate"),
    "statistics.significance": ("ScoreDifference",),
    "statistics.subset_comparison": ("SubsetComparison", "compare_by"),
    "statistics.subset_means": ("MacroMean",),
    "statistics.subsets": ("SubsetScores", "score_by"),
    "statistics.system_comparison": ("compare", "runs"),
    "statistics.utterance_scores": ("per_utterance",),
    "analysis.thresholds": ("Sweep", "segment_at", "sweep"),
    "analysis.vectors": ("conformance_vectors",),
    "integrations.metric.alignment": ("AlignmentScores",),
    "integrations.metric.difficulty": ("DifficultyScores",),
    "integrations.metric.metrics": ("SegmentationScores",),
    "integrations.spark": ("score_dataframe",),
    "integrations.training.compute_metrics": ("ComputeMetrics", "as_compute_metrics"),
    "integrations.training.distributed": ("gather_tally",),
    "integrations.training.evaluation_arrays": ("preprocess_logits_for_metrics",),
    "options.errors": ("UtteranceError",),
    "reading.sources.sides": ("open_source", "tokenized"),
    "worlds.times.intervals": ("Intervals",),
    "results.methods": ("methods",),
    "scores": ("score", "score_dataset", "signature"),
    "scoring.corpus_tally": ("CorpusTally",),
    "scoring.descriptions": ("ScoreDescription", "cite", "groups"),
    "scoring.tallies": ("tally",),
}
_MODULES: dict[str, str] = {}
for _module, _public_names in _NAMES.items():
    _MODULES |= dict.fromkeys(_public_names, _module)


if TYPE_CHECKING:

    @overload
    def load(config_name: None = None, **options: Any) -> SegmentationScores: ...
    @overload
    def load(config_name: Literal["difficulty"], **options: Any) -> DifficultyScores: ...
    @overload
    def load(config_name: Literal["alignment"], **options: Any) -> AlignmentScores: ...


def load(config_name: str | None = None, **options: Any) -> Any:
    """Load the metric from any folder, as `evaluate.load` does from the Hub or a checkout.

    Args:
        config_name: `"difficulty"` or `"alignment"` for these configurations; None for the scores of a segmentation.
        **options: those of `evaluate.load` that concern the metric (`cache_dir`, `experiment_id`, `keep_in_memory`,
            `max_concurrent_cache_files`, `num_process`, `process_id`, `timeout`), and options of `compute`, which become the
            defaults of this metric; `seed` is both.

    Returns:
        An `evaluate.Metric`: `segscores.SegmentationScores`, `segscores.DifficultyScores` or `segscores.AlignmentScores`.

    Raises:
        ValueError: an unknown configuration, or a bad value of an option.
        TypeError: an unknown option.

    >>> metric = load(text_format="words")
    >>> metric.compute(references=["the dog barks"], predictions=["thedog barks"], scores="token")
    {'token_precision': 0.5, 'token_recall': 0.3333333333333333, 'token_fscore': 0.4}
    """
    from .integrations.metric.metrics import SegmentationScores

    return SegmentationScores(config_name, **options)


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _MODULES:
        from .options.gone import NAMES  # removed names, and what takes their place

        remedy = f": {NAMES[name]}" if name in NAMES else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{remedy}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    # From now on Python finds the name without this function.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names without the classes of the metric, because looking at those imports evaluate."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
