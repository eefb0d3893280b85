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

DESCRIPTION = """\
Scores for word segmentation: how well the boundaries, the word tokens and the word types of a predicted segmentation agree
with those of a reference, over the same units (characters, phones). Precision, recall and F-score of boundaries with and
without an utterance's edges, of word tokens and of word types, and the true negative rate of word tokens.
"""

CITATION = """\
@article{brent1999efficient,
  title={An efficient, probabilistically sound algorithm for segmentation and word discovery},
  author={Brent, Michael R.}, journal={Machine Learning}, volume={34}, pages={71--105}, year={1999}
}
@article{goldwater2009bayesian,
  title={A {B}ayesian framework for word segmentation: Exploring the effects of context},
  author={Goldwater, Sharon and Griffiths, Thomas L. and Johnson, Mark},
  journal={Cognition}, volume={112}, number={1}, pages={21--54}, year={2009}
}
@inproceedings{shao2017recall,
  title={Recall is the Proper Evaluation Metric for Word Segmentation},
  author={Shao, Yan and Hardmeier, Christian and Nivre, Joakim}, booktitle={Proceedings of IJCNLP}, year={2017}
}
@inproceedings{jiang2011evaluation,
  title={Evaluation via Negativa of {C}hinese Word Segmentation for Information Retrieval},
  author={Jiang, Mike Tian-Jian and Shih, Cheng-Wei and Tsai, Richard Tzong-Han and Hsu, Wen-Lian},
  booktitle={Proceedings of PACLIC}, year={2011}
}
@inproceedings{qian2016psychometric,
  title={A New Psychometric-inspired Evaluation Metric for {C}hinese Word Segmentation},
  author={Qian, Peng and Qiu, Xipeng and Huang, Xuanjing}, booktitle={Proceedings of ACL}, pages={2185--2194}, year={2016}
}
@techreport{arcade1999,
  title={{ARCADE}: Sentence track metrics},
  note={After Isabelle, P. and Simard, M. (1996), Propositions pour la repr{\\'e}sentation et l'{\\'e}valuation des
        alignements de textes parall{\\`e}les}
}
"""

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
