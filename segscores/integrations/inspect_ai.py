"""Segmentation scores as a scorer of Inspect.

Conventions
-----------
- The score of a sample has its scores as value, and its tally in the metadata. The results of the task are computed from the sum
  of the tallies of all samples and epochs: they are no means, so no reducer of epochs applies to them.
- The reference is the sample's target, the prediction is the completion of the model without whitespace around it.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from ..options.keywords import ScoringOptions, Unpack
from ..scoring.corpus_tally import CorpusTally
from ..scoring.tallies import tally


@metric(scores="unreduced")
def corpus_scores() -> Metric:
    """Make the metric of `segmentation`: the scores by key, of the sum of all tallies."""

    def compute(scores: list[SampleScore]) -> Value:
        """Return the scores of the sum of the tallies of samples."""
        # `segmentation` puts the tally into the metadata of each score.
        tallies = ((sample.score.metadata or {})["tally"] for sample in scores)
        return reduce(add, map(CorpusTally.from_dict, tallies)).scores()

    return compute


@scorer(metrics=[corpus_scores()])
def segmentation(**options: Unpack[ScoringOptions]) -> Scorer:
    """Make a scorer for the `scorer` of a `Task`; its metric is `corpus_scores`.

    Args:
        **options: those of `segscores.tally`. With `on_mismatch="align"` an answer may have other characters than the reference.

    Raises:
        TypeError, ValueError: a bad option.

    >>> from inspect_ai import Task
    >>> task = Task(scorer=segmentation(text_format="words", scores="token", on_mismatch="align"))
    """
    CorpusTally.empty(**options)  # checks the options before a model answers

    async def score(state: TaskState, target: Target) -> Score:
        """Score one sample, and keep its tally."""
        answer = state.output.completion.strip()
        result = tally([target.text], [answer], **options)
        # on_error="skip" may leave nothing to score.
        value = result.scores() if result.counts()["utterances"] else {}
        return Score(value=value, answer=answer, metadata={"tally": result.to_dict()})

    return score
