"""The signatures of a scoring with all options of `compute`, including intervals, and of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..options.keywords import ComputeOptions
from ..options.option import check_needs
from ..options.table import options_in
from ..scoring.pipeline import with_options
from ..scoring.signature import signature_of
from ..sources.fold import fold, sides_of, with_window_size
from ..sources.source import Facts
from .clusters import read_clusters
from .corpus_scores import split_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .comparison_results import SystemComparison


@with_options
def signature(references: Any, **options: Unpack[ComputeOptions]) -> str:
    """The signature of a scoring against these references, for any predictions.

    It lacks the field `skipped`, which depends on the predictions; `CorpusTally.signature` has it.

    Args:
        references: utterances, in any form that `inputs` lists.
        **options: those of `ScoringOptions` and `Resampling`; an unknown one is a TypeError.

    Raises:
        TypeError, ValueError: an input of no known form, or a bad option.

    >>> signature(["the dog"], text_format="words", scores="windows", confidence=0.95)
    'segscores|text:words|avg:micro|zero:0|win:2-segeval|ci:95-jackknife|n:1|v:0.2.0'
    """
    return _sign(references, options)


def sign_comparison(references: Any, comparison: SystemComparison, **options: Unpack[ComputeOptions]) -> str:
    """The signature of the scoring, with the trials of the tests of the comparison, which had these options."""
    return _sign(references, options, comparison.signed)


def _sign(references: Any, options: ComputeOptions, further: Mapping[str, object] | None = None) -> str:
    plan, resampling, _ = split_options(options)
    if further is None:
        check_needs(options, options, options_in(ComputeOptions))
    (side,), facts = sides_of(plan.reading, references), Facts()
    for _ in fold([side], lambda part: part.reference, facts=facts, concludes=False):
        pass
    clusters = None
    if resampling.clusters is not None:
        clusters = int(read_clusters(resampling.clusters, facts.utterances).max(initial=-1)) + 1
    plan, _ = with_window_size(side, plan)
    return signature_of(
        plan.plain(),
        facts.form_name([side]),
        facts.utterances,
        average=resampling.average,
        intervals=str(resampling),
        clusters=clusters,
        further=further,
    )
