"""Boundaries, word tokens, word types and true negatives: counts and formulas.

Conventions
-----------
| group | what is counted in an utterance of k words | matched |
|---|---|---|
| `boundary_all` | k + 1 positions at which a word begins or ends | a position on both sides |
| `boundary_noedge` | k − 1 positions between two words | a position on both sides |
| `token` | k words | a word with the same two ends on both sides |
| `type` | distinct words of the whole corpus, not of an utterance | a word that occurs on both sides |

A blank utterance has no words and no boundaries. Precision, recall and F-score: `kernel.formulas.precision_recall_fscore`.

Sources
-------
Brent (1999), Machine Learning 34:71-105; Goldwater, Griffiths & Johnson (2009), Cognition 112:21-54. True negative rate: Shao,
Hardmeier & Nivre (2017), IJCNLP, Eq. 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...kernel.comparison import WITH_BOTH_EDGES, WITHOUT_EDGES, Comparison
from ...kernel.formulas import Count, Score, Tallied, divide
from .group import Key, ScoreGroup, precision_recall_fscore_group
from .types import Types

#: The attributes that the groups of precision, recall and F-score have in common.
_COMMON: dict[str, Any] = {
    "source": "Brent (1999); Goldwater et al. (2009)",
    "is_of_words": True,
    "equal_to": "wordseg-eval",
}


def tally_boundaries(group: str, edges: int, comparison: Comparison) -> Tallied:
    """Count the boundaries of each utterance, as the columns of a group; `edges` is as in `Comparison.boundaries`."""
    # The starts of words are as many as the ends, but in recordings they are other times.
    counts = comparison.boundaries(edges, of_starts=group == "boundary_start")
    return counts.columns(group)


tally_boundary_noedge = partial(tally_boundaries, "boundary_noedge", WITHOUT_EDGES)


def tally_token(comparison: Comparison) -> Tallied:
    """Count words, matched where both sides have the same span."""
    return comparison.tokens().columns("token")


def tally_tnr(comparison: Comparison) -> Tallied:
    """Count words, and all spans of an utterance of N units, N(N+1)/2.

    Where the units differ, a predicted word with an edit within it adds a span, because it is not made of the reference's units.
    """
    units = comparison.reference.utterance_units
    predicted_words_with_edits = comparison.utterance_edited
    spans = units * (units + 1) // 2 + predicted_words_with_edits
    return tally_token(comparison) | {"token_spans": spans}


def true_negative_rate(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Return TNR = 1 − (PP − TP) / (TW − RP), with TW = Σ N(N+1)/2 spans of utterances of N units (Shao et al. 2017, Eq. 1)."""
    negatives = counts["token_spans"] - counts["token_reference"]  # the spans that are no reference words
    false_positives = counts["token_predicted"] - counts["token_matched"]
    return {"token_tnr": divide(negatives - false_positives, negatives, zero_division)}


GROUPS = (
    precision_recall_fscore_group(
        "boundary_all",
        title="boundaries with edges",
        heading="Boundary {} (with edges)",
        definition="Positions at which a word begins or ends, including the two ends of the utterance: k + 1 for k words.",
        tally=partial(tally_boundaries, "boundary_all", WITH_BOTH_EDGES),
        needs=frozenset(),
        **_COMMON,
    ),
    precision_recall_fscore_group(
        "boundary_noedge",
        title="boundaries without edges",
        heading="Boundary {} (without edges)",
        definition="Positions between two words of an utterance: k − 1 for k words.",
        tally=tally_boundary_noedge,
        also_called=("boundaryf", "boundaryf1", "boundaryfscore", "innerboundary", "innerboundaries"),
        needs=frozenset(),
        **_COMMON,
    ),
    precision_recall_fscore_group(
        "token",
        title="word tokens",
        heading="Word {}",
        definition="Words; a match is a word with the same start and the same end on both sides.",
        tally=tally_token,
        also_called=("f", "f1", "f1score", "fscore", "fmeasure", "precision", "tokens", "word", "words"),
        needs=frozenset(),
        **_COMMON,
    ),
    precision_recall_fscore_group(
        "type",
        title="word types",
        heading="Word type {}",
        definition="Distinct words of the whole corpus; a match is a word that occurs on both sides.",
        tally=lambda comparison: {},  # the statistic counts
        statistic=Types,
        also_called=("lexicon", "lexical", "vocab", "types", "wordtype", "wordtypes"),
        needs=frozenset({"units", "words"}),
        **_COMMON,
    ),
    ScoreGroup(
        name="tnr",
        title="true negative rate",
        definition="The share of spans of units that were not predicted, among the spans that are not reference words.",
        formula="1 − (PP − TP) / (TW − RP), TP, PP and RP of tokens, TW = Σ N(N+1)/2 for utterances of N units",
        source="Shao et al. (2017), Eq. 1",
        columns=("token_matched", "token_predicted", "token_reference", "token_spans"),
        keys={"token_tnr": Key("True negative rate")},
        tally=tally_tnr,
        formulas=true_negative_rate,
    ),
)
