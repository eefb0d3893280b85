"""Scores for word segmentation, as functions, as a metric for Hugging Face `evaluate`, and as a command.

    import segscores

    segscores.score(["the dog barks"], ["thedog barks"], text_format="words")

References come first, predictions second, and options are passed by name. Utterances are strings, lists of words, or lists of
labels; `text_format` and `label_scheme` say how they are read.

`segscores.load()` gives the metric that `evaluate.load` gives, from any folder. Importing this package imports neither
evaluate nor numpy: each name is loaded on first use. The command is `segmentation-scores`.
"""

from __future__ import annotations

from importlib import import_module

# Not from typing: until the command's own module is imported, Ctrl-C would print a traceback.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal, overload

    from .analysis.alternatives import score_alternatives
    from .analysis.annotators import score_agreement, score_constituents
    from .analysis.difficulty import rate_difficulty, recovered_by_decile, score_difficulty
    from .analysis.error_analysis import ErrorAnalysis, analyse_errors
    from .analysis.error_comparison import ErrorComparison, compare_errors
    from .analysis.levels import score_levels
    from .analysis.thresholds import segment_at, sweep
    from .bitext.alignment import score_alignment
    from .metric.alignment import AlignmentScores as AlignmentScores
    from .metric.difficulty import DifficultyScores as DifficultyScores
    from .metric.metrics import SegmentationScores as SegmentationScores
    from .scoring.corpus_tally import CorpusTally
    from .sources.sides import open_source
    from .sources.tallies import tally
    from .spark import score_dataframe
    from .statistics.comparison_results import SystemComparison
    from .statistics.corpus_scores import score, score_dataset
    from .statistics.signing import signature
    from .statistics.subsets import SubsetScores, score_by
    from .statistics.system_comparison import compare, runs
    from .statistics.utterance_scores import per_utterance
    from .support.errors import UtteranceError
    from .training.compute_metrics import ComputeMetrics, as_compute_metrics
    from .training.distributed import gather_tally
    from .training.evaluation_arrays import preprocess_logits_for_metrics

__all__ = [
    "ComputeMetrics",
    "CorpusTally",
    "ErrorAnalysis",
    "ErrorComparison",
    "SubsetScores",
    "SystemComparison",
    "UtteranceError",
    "__version__",
    "analyse_errors",
    "as_compute_metrics",
    "compare",
    "compare_errors",
    "gather_tally",
    "load",
    "open_source",
    "per_utterance",
    "preprocess_logits_for_metrics",
    "rate_difficulty",
    "recovered_by_decile",
    "runs",
    "score",
    "score_agreement",
    "score_alignment",
    "score_alternatives",
    "score_by",
    "score_constituents",
    "score_dataframe",
    "score_dataset",
    "score_difficulty",
    "score_levels",
    "segment_at",
    "signature",
    "sweep",
    "tally",
]

__version__ = "0.2.0"

#: Where each name is defined: the module, and the name there.
_PLACES = {
    "AlignmentScores": "metric.alignment:AlignmentScores",
    "ComputeMetrics": "training.compute_metrics:ComputeMetrics",
    "CorpusTally": "scoring.corpus_tally:CorpusTally",
    "DifficultyScores": "metric.difficulty:DifficultyScores",
    "ErrorAnalysis": "analysis.error_analysis:ErrorAnalysis",
    "ErrorComparison": "analysis.error_comparison:ErrorComparison",
    "SegmentationScores": "metric.metrics:SegmentationScores",
    "SubsetScores": "statistics.subsets:SubsetScores",
    "SystemComparison": "statistics.comparison_results:SystemComparison",
    "UtteranceError": "support.errors:UtteranceError",
    "analyse_errors": "analysis.error_analysis:analyse_errors",
    "as_compute_metrics": "training.compute_metrics:as_compute_metrics",
    "compare": "statistics.system_comparison:compare",
    "compare_errors": "analysis.error_comparison:compare_errors",
    "gather_tally": "training.distributed:gather_tally",
    "open_source": "sources.sides:open_source",
    "per_utterance": "statistics.utterance_scores:per_utterance",
    "preprocess_logits_for_metrics": "training.evaluation_arrays:preprocess_logits_for_metrics",
    "rate_difficulty": "analysis.difficulty:rate_difficulty",
    "recovered_by_decile": "analysis.difficulty:recovered_by_decile",
    "runs": "statistics.system_comparison:runs",
    "score": "statistics.corpus_scores:score",
    "score_agreement": "analysis.annotators:score_agreement",
    "score_alignment": "bitext.alignment:score_alignment",
    "score_alternatives": "analysis.alternatives:score_alternatives",
    "score_by": "statistics.subsets:score_by",
    "score_constituents": "analysis.annotators:score_constituents",
    "score_dataframe": "spark:score_dataframe",
    "score_dataset": "statistics.corpus_scores:score_dataset",
    "score_difficulty": "analysis.difficulty:score_difficulty",
    "score_levels": "analysis.levels:score_levels",
    "segment_at": "analysis.thresholds:segment_at",
    "signature": "statistics.signing:signature",
    "sweep": "analysis.thresholds:sweep",
    "tally": "sources.tallies:tally",
}


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
    from .metric.metrics import SegmentationScores

    return SegmentationScores(config_name, **options)


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PLACES[name].partition(":")
    value = globals()[name] = getattr(import_module(f".{module}", __name__), attribute)
    return value


def __dir__() -> list[str]:
    """The public names, except for the classes of the metric: looking at those imports evaluate."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
