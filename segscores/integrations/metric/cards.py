"""Cards: the descriptions of the metric and its configurations that `evaluate` shows.

The description of the inputs in a card is the docstring of `compute`.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

import datasets
import evaluate
import pyarrow as pa

from ...scoring.measures.bibliography import entries_of

DESCRIPTION = """\
Scores for word segmentation: how well the boundaries, the word tokens and the word types of a predicted segmentation agree
with those of a reference, over the same units (characters, phones). Precision, recall and F-score of boundaries with and
without an utterance's edges, of word tokens and of word types, and the true negative rate of word tokens.
"""

CITATION = entries_of(
    ("brent1999efficient", "goldwater2009bayesian", "shao2017recall", "jiang2011negativa", "qian2016new", "arcade1999")
)

REFERENCE_URLS = [
    "https://aclanthology.org/I17-2015/",
    "https://aclanthology.org/P16-1206/",
    "https://aclanthology.org/Y11-1011/",
    "https://huggingface.co/spaces/transformersegmentation/segmentation_scores",
    "https://github.com/bootphon/wordseg",
]

DIFFICULTY_DESCRIPTION = """\
Scores for word segmentation that are balanced by the difficulty of the reference words (Qian et al. 2016): they reward
recovered hard words, and punish missed easy words.
"""

ALIGNMENT_DESCRIPTION = """\
Scores for the alignment of two texts, segment by segment (ARCADE): precision, recall and F-score of bisegments, and of the pairs
of segments, of words and of characters that they join; and the strict and lax scores of vecalign.
"""


def card(description: str, compute: Any, *forms: Mapping[str, pa.DataType]) -> evaluate.MetricInfo:
    """Make the card of a metric; the docstring of `compute` describes the inputs, and `forms` are their possible types."""
    return evaluate.MetricInfo(
        description=description,
        citation=CITATION,
        inputs_description=cleandoc(compute.__doc__),
        features=[datasets.Features.from_arrow_schema(pa.schema(form)) for form in forms],
        reference_urls=REFERENCE_URLS,
        license="Apache-2.0",
    )
