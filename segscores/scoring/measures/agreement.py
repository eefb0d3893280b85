"""Agreement: how far two or more annotators agree on the boundaries of one text, beyond agreement by chance.

Conventions
-----------
- Annotators segment the same utterances, over the same units. Boundaries exclude edges; an utterance of N units has N −
  1 gaps in which a boundary can be.
- The actual agreement A is the boundary similarity B or the segmentation similarity S (see `similarity`), computed from
  sums over all pairs of annotators and all utterances.
- By chance, annotator c puts a boundary into a gap with the probability P_c = Σ boundaries of c / Σ gaps. The expected
  agreement is A_e(π) if all annotators share the mean probability, and A_e(κ) if each keeps their own:

      A_e(π) = (mean of P_c over annotators)²        π = (A − A_e(π)) / (1 − A_e(π))
      A_e(κ) = mean of P_c · P_d over pairs (c, d)   κ = (A − A_e(κ)) / (1 − A_e(κ))
      bias   = A_e(π) − A_e(κ)

  π and κ are 1 for full agreement, 0 for agreement at the level of chance, and negative below it. κ ≥ π. The bias is 0
  where all annotators have put equally many boundaries, and at most 1/4 for two annotators.
- For two annotators these are Scott's π and Cohen's κ, for more Fleiss' multi-π and Davies & Fleiss' multi-κ, as Fournier and
  Inkpen apply them to segmentation: only the category "boundary" agrees by chance, because B gives no credit for empty gaps.

Sources
-------
Fournier & Inkpen (2012), NAACL-HLT, 152-161; with B for S, Fournier (2013), ACL, 1702-1712. The
coefficients: Artstein & Poesio (2008), Computational Linguistics 34:555-596. Fournier's segeval 2.0.11 computes the
same A and κ, with two differences:

- For A_e(π) segeval takes the mean over utterances and annotators of boundaries / gaps. The definition, also in the docstrings of
  segeval 1, divides sums (github.com/cfournie/segmentation.evaluation, issue 2). For one utterance the two are equal. For
  several, segeval's bias may be negative, or positive where all agree. `expected="mean"` gives segeval's π and bias.
- segeval raises ValueError where neither of two annotators puts a boundary into an utterance; here such an utterance counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, divide
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.option import check_options
from ...options.table import OPTIONS
from ..mismatch import compare_segmentations
from .group import Key, ScoreGroup
from .similarity import tally_similarity

#: The counts of two annotators; each further annotator adds a column, from `agreement_boundaries_2` on.
AGREEMENT_COLUMNS = tuple(f"agreement_{name}" for name in ("cost", "cost_all", "gaps", "boundaries_0", "boundaries_1"))

#: The values of the option `similarity`, each with the denominator of its cost, a column of `similarity`.
_SIMILARITIES = {"boundary_similarity": "similarity_cost_boundaries", "segmentation_similarity": "similarity_cost_gaps"}


def tally_agreement(
    comparison: Comparison, *, transposition_span: int = 2, similarity: str = "boundary_similarity"
) -> Tallied:
    """Return the counts of two annotators, AGREEMENT_COLUMNS: the reference is number 0, the prediction number 1."""
    OPTIONS["similarity"].check(similarity)
    counts = tally_similarity(comparison, transposition_span=transposition_span)
    return {
        "agreement_cost": counts["similarity_cost"],
        "agreement_cost_all": counts[_SIMILARITIES[similarity]],
        "agreement_gaps": counts["boundary_gaps"],
        # An utterance of k words has k - 1 boundaries in its gaps.
        "agreement_boundaries_0": np.maximum(comparison.utterance_reference - 1, 0),
        "agreement_boundaries_1": np.maximum(comparison.utterance_prediction - 1, 0),
    }


def tally_annotators(
    annotators: Sequence[Segmentation], *, transposition_span: int = 2, similarity: str = "boundary_similarity"
) -> Tallied:
    """Return the counts of two or more annotators of the same utterances, in time linear in the text for each pair of them.

    Costs are sums over pairs. Each annotator, counted from 0, has a column `agreement_boundaries_…`.
    """
    if len(annotators) < 2:
        raise ValueError(f"agreement is between two or more annotators, received {len(annotators)}.")
    lengths = [len(annotator.utterance_ends) for annotator in annotators]
    if len(set(lengths)) > 1:
        raise ValueError(f"the annotators have {', '.join(map(str, lengths))} utterances: expected equal numbers.")
    total: Tallied = {}
    for first, second in combinations(range(len(annotators)), 2):
        try:
            comparison = compare_segmentations(annotators[first], annotators[second])
        except UtteranceError as error:
            raise error.at(side=f"annotators {first} (the reference) and {second} (the prediction)") from None
        counts = tally_agreement(comparison, transposition_span=transposition_span, similarity=similarity)
        # The pair is counted in the columns 0 and 1. Rename column 1 before column 0, which becomes column 1 in the pair of the
        # annotators 1 and 2.
        counts[f"agreement_boundaries_{second}"] = counts.pop("agreement_boundaries_1")
        counts[f"agreement_boundaries_{first}"] = counts.pop("agreement_boundaries_0")
        # Costs are added up over pairs. Gaps, and the boundaries of an annotator, are the same in each pair.
        for column in ("agreement_cost", "agreement_cost_all"):
            if column in total:
                counts[column] = counts[column] + total[column]
        total |= counts
    return total


def agreement_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute actual agreement, π, κ and bias.

    The first three are undefined where no annotator has put a boundary (with segmentation similarity: where there is no gap), π
    and κ also where all annotators have put one into every gap, the bias where there is no gap.

    >>> counts = dict(zip(AGREEMENT_COLUMNS, (1, 6, 8, 3, 3), strict=True))
    >>> {key: round(float(value), 3) for key, value in agreement_scores(counts, 0.0).items()}
    {'agreement_actual': 0.833, 'agreement_pi': 0.806, 'agreement_kappa': 0.806, 'agreement_bias': 0.0}
    """
    return _coefficients(counts, zero_division, _mean(_shares(counts)))


def _coefficients(counts: Mapping[str, Count], zero_division: float, mean_share: Score) -> dict[str, Score]:
    """Compute the scores; `mean_share` is the mean of P_c from which A_e(π) comes, pooled or over utterances."""
    shares = _shares(counts)
    cost_all = counts["agreement_cost_all"]
    actual = divide(cost_all - counts["agreement_cost"], cost_all, zero_division)
    expected_pi = mean_share * mean_share
    pooled = _mean(shares)
    expected_kappa = _mean([first * second for first, second in combinations(shares, 2)])
    # The bias A_e(π) − A_e(κ), but without the difference of two rounded numbers, which may be below 0. For n annotators
    # (mean of P_c)² − mean of P_c·P_d is the mean of (P_c − P_d)² over pairs, divided by 2·n.
    gaps = counts["agreement_gaps"]
    differences = [divide(first - second, gaps, 0.0) for first, second in combinations(_boundaries(counts), 2)]
    bias_of_pooled = divide(_mean([difference**2 for difference in differences]), 2 * len(shares), 0.0)
    # With a mean over utterances in place of the pooled one, A_e(π) changes by the difference of their squares.
    bias = bias_of_pooled + (mean_share - pooled) * (mean_share + pooled)
    return {
        "agreement_actual": actual,
        "agreement_pi": divide(actual - expected_pi, 1 - expected_pi, zero_division),
        "agreement_kappa": divide(actual - expected_kappa, 1 - expected_kappa, zero_division),
        "agreement_bias": np.where(np.asarray(gaps) > 0, bias, zero_division)[()],  # a number, if the counts are
    }


def _shares(counts: Mapping[str, Count]) -> list[Score]:
    """Return for each annotator the share of the gaps with a boundary."""
    return [divide(boundaries, counts["agreement_gaps"], 0.0) for boundaries in _boundaries(counts)]


def _boundaries(counts: Mapping[str, Count]) -> list[Count]:
    """Return for each annotator the number of boundaries."""
    return [values for column, values in counts.items() if column.startswith("agreement_boundaries_")]


def _mean(values: Sequence[Score]) -> Score:
    """Return the mean of numbers, or of arrays item by item."""
    first, *others = values
    return divide(sum(others, first), len(values), 0.0)


def agreement(
    annotators: Sequence[Segmentation],
    *,
    transposition_span: int = 2,
    similarity: str = "boundary_similarity",
    expected: str = "pooled",
    zero_division: float = 0.0,
) -> dict[str, float]:
    """Return the agreement of annotators, as `analysis.annotators.score_agreement` describes it.

    >>> from segscores.reading.readers import from_words_text
    >>> texts = [b"the dog is on\\n", b"the dog ison\\n", b"thedog is on\\n"]
    >>> scores = agreement([from_words_text(text) for text in texts])
    >>> {key: round(value, 3) for key, value in scores.items()}
    {'agreement_actual': 0.556, 'agreement_pi': 0.524, 'agreement_kappa': 0.524, 'agreement_bias': 0.001}
    """
    options = {"expected": expected, "zero_division": zero_division, "transposition_span": transposition_span}
    check_options(options, OPTIONS)
    columns = tally_annotators(annotators, transposition_span=transposition_span, similarity=similarity)
    counts: dict[str, Count] = {column: int(values.sum()) for column, values in columns.items()}
    if expected == "pooled":
        mean_share = _mean(_shares(counts))
    else:
        # The mean over annotators, and over the utterances that have a gap, as in segeval.
        shares_of_utterances = _shares(columns)
        total = sum(float(np.sum(shares)) for shares in shares_of_utterances)
        utterances_with_gaps = int(np.count_nonzero(columns["agreement_gaps"]))
        mean_share = divide(total, len(shares_of_utterances) * utterances_with_gaps, 0.0)
    scores = _coefficients(counts, zero_division, mean_share)
    return {key: float(value) for key, value in scores.items()}


GROUP = ScoreGroup(
    name="agreement",
    title="agreement of two annotators",
    definition="Boundary similarity A of the two sides, which count as annotators, corrected for chance.",
    formula="pi (A − p̄²) / (1 − p̄²), kappa (A − e) / (1 − e), bias p̄² − e, for the shares p and q of gaps with a boundary, their "
    "mean p̄, and e = p·q",
    source="Fournier & Inkpen (2012); Scott (1955); Cohen (1960)",
    columns=AGREEMENT_COLUMNS,
    keys={
        "agreement_actual": Key("Observed agreement"),
        "agreement_pi": Key("Scott's pi", range=(-math.inf, 1.0)),
        "agreement_kappa": Key("Cohen's kappa", range=(-math.inf, 1.0)),
        "agreement_bias": Key("Annotator bias", better="lower"),
    },
    tally=tally_agreement,
    formulas=agreement_scores,
    reads_positions=True,
    also_called=("kappa",),
    equal_to="segeval, for one utterance",
)
