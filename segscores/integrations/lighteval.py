"""Segmentation scores as a corpus metric of LightEval.

Conventions
-----------
- A sample's result is its tally, as one line of JSON, so that LightEval can store it in its details. The scores are computed from
  the sum of all tallies: they are no means over samples.
- The reference is the gold choice of the `Doc`, the prediction is the first answer of the model without whitespace around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.tasks.requests import SamplingMethod

from ..options.keywords import ScoringOptions, Unpack
from ..scoring.corpus_tally import CorpusTally
from ..scoring.tallies import tally


def segmentation_metric(**options: Unpack[ScoringOptions]) -> CorpusLevelMetric:
    """Make a metric for the `metrics` of a `LightevalTaskConfig`, whose results are the scores by key.

    Args:
        **options: those of `segscores.tally`. With `on_mismatch="align"` an answer may have other characters than the reference.

    Raises:
        TypeError, ValueError: a bad option.

    >>> segmentation_metric(text_format="words", scores="token", on_mismatch="align").metric_name
    'segmentation'
    """
    empty = CorpusTally.empty(**options)
    return CorpusLevelMetric(
        metric_name="segmentation",
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Sample(options),
        corpus_level_fn=_Corpus(empty),
    )


class _Sample(SampleLevelComputation):
    def __init__(self, options: ScoringOptions) -> None:
        self.options = options

    def compute(self, doc: Any, model_response: Any, **_: Any) -> str:
        (reference,), answer = doc.get_golds(), model_response.final_text[0]
        return tally([reference], [answer.strip()], **self.options).to_json()


class _Corpus(CorpusLevelComputation):
    def __init__(self, empty: CorpusTally) -> None:
        self.empty = empty

    def compute_corpus(self, items: Iterable[str]) -> dict[str, float]:
        return sum(map(CorpusTally.from_json, items), self.empty).scores()
