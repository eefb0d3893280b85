"""Alignment: scores of the alignment of two texts, segment by segment, with intervals and comparisons over bitexts.

Conventions
-----------
- A bitext is two texts, one a translation of the other, each divided into segments (usually sentences). Segments are
  counted from 0 on each side. A bisegment joins a set of source segments with a set of target segments: `{"source":
  [0], "target": [0, 1]}`, or the pair `([0], [0, 1])`. An alignment is a set of bisegments.
- Order and repetition are ignored, both of numbers in a bisegment and of bisegments in an alignment. Bisegments may
  cross, overlap, be discontinuous, and be empty on one side or both. A segment may be in no bisegment.
- An input is a list of bitexts. Segments of different bitexts are different.
- The reference comes before the prediction.
- Bitexts, such as documents, are what intervals and tests resample, because the bisegments of one depend on each other.

`scoring.measures.bisegments` defines the levels, which are the scores, and names their sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...kernel.formulas import Tallied
from ...options.functions import with_inputs
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.reading import Reading
from ...scoring.measures.bisegments import LEVELS, AlignedSide, Bitext
from ...scoring.measures.group import ScoreGroup
from ...scoring.plan import Plan
from ...scoring.signature import sign_plainly
from ...scoring.tally import UNITS, UTTERANCES
from ...scoring.utterance_tally import UtteranceTally
from ...statistics.comparison_results import SystemComparison
from ...statistics.resampling import Resampling
from ...statistics.system_comparison import check_comparison, compare_tallies
from ...statistics.utterance_scores import score_utterances
from .bitexts import Bitexts, read_bitexts
from .numbering import warn_of_numbering


@with_inputs
def score_alignment(
    references: Any,
    predictions: Any,
    *,
    sources: Any = None,
    targets: Any = None,
    scores: str | Sequence[str] | None = None,
    zero_division: float = 0.0,
    confidence: float | None = None,
) -> dict[str, float]:
    """Score predicted alignments against reference alignments of the same bitexts.

    Args:
        references, predictions: the bisegments of every bitext, in the forms of `bitexts`, or its path; or the bisegments of
            one bitext, or the path of its file.
        sources, targets: for each bitext a list of strings, its segments; or, for a single bitext, the path of a file.
            Without them the levels word and character have no scores, and segment numbers are not checked against an upper limit.
        scores: the name of a level in LEVELS, or several; None is all of them, without those whose texts are missing.
        zero_division: the value of 0/0, in [0, 1] or nan.
        confidence: the confidence level of intervals, such as 0.95; None for no intervals.

    Returns:
        `{level}_{precision,recall,fscore}`, plain floats in [0, 1], higher is better; with `confidence`, each followed by
        `<key>_low` and `<key>_high`.

    Raises:
        TypeError: an input has no known form; the message has the index of the bitext and of the bisegment.
        BisegmentError (a ValueError): a bisegment with missing or further parts, or a segment number that the bitext lacks.
        ValueError: different numbers of bitexts, none at all, an interval of one bitext, or a bad option.

    Time and memory grow with the number of pairs, Σ |source| · |target| over the bisegments.

    >>> scores = score_alignment(
    ...     references=[[{"source": [0], "target": [0]}, {"source": [1], "target": [1, 2]}]],
    ...     predictions=[[{"source": [0], "target": [0]}, {"source": [], "target": [1]}, {"source": [1], "target": [2]}]],
    ...     scores=["alignment", "sentence"],
    ... )
    >>> {key: round(value, 2) for key, value in scores.items() if not key.endswith("fscore")}
    {'alignment_precision': 0.33, 'alignment_recall': 0.5, 'sentence_precision': 1.0, 'sentence_recall': 0.67}
    """
    OPTIONS["zero_division"].check(zero_division)
    resampling = Resampling(confidence=confidence)
    plan = plan_of_levels(scores, texts_known=_are_known(sources, targets), zero_division=zero_division)
    bitexts = read_bitexts(references, predictions, sources, targets)
    return score_utterances(tally_bitexts(bitexts, plan), plan, resampling)


@with_inputs
def compare_alignments(
    references: Any,
    systems: Mapping[str, Any],
    *,
    sources: Any = None,
    targets: Any = None,
    scores: str | Sequence[str] | None = None,
    zero_division: float = 0.0,
    confidence: float = 0.95,
    baseline: str | None = None,
    primary: str | None = None,
    n_trials: int = 10_000,
    seed: int = 0,
    margin: float | None = None,
) -> SystemComparison:
    """Compare the alignments of systems with each other, over bitexts.

    Args:
        references, sources, targets, scores, zero_division: as in `score_alignment`; there are at least two bitexts.
        systems: by name the predicted alignments of at least two systems.
        confidence, baseline, primary, n_trials, seed, margin: as in `compare`. Tests exchange whole bitexts.

    Raises:
        TypeError, ValueError: as in `score_alignment`, with the name of the system; fewer than two systems or bitexts; an
            unknown baseline.

    >>> gold = [[([0], [0]), ([1], [1])]] * 12
    >>> comparison = compare_alignments(gold, {"a": gold, "b": [[([0], [0])]] * 6 + gold[6:]}, scores="strict")
    >>> comparison.differences["b"]["strict_recall"].difference, comparison.signature
    (-0.25, 'segscores|text:alignment|zero:0|ci:95-jackknife|clusters:12|trials:exact|n:24|v:0.4.0')
    """
    OPTIONS["zero_division"].check(zero_division)
    tests: dict[str, Any] = {"baseline": baseline, "primary": primary, "n_trials": n_trials, "margin": margin}
    check_comparison(systems, **tests)
    resampling = Resampling(confidence=confidence, seed=seed)
    plan = plan_of_levels(scores, texts_known=_are_known(sources, targets), zero_division=zero_division)
    tallies = {}
    for name, predictions in systems.items():
        try:
            bitexts = read_bitexts(references, predictions, sources, targets)
        except TypeError as error:
            raise TypeError(f"system {name!r}: {error}") from None
        except ValueError as error:
            raise ValueError(f"system {name!r}: {error}") from None
        tallies[name] = tally_bitexts(bitexts, plan)
        # The next system takes the inputs as they were read, because an iterator can be read once.
        references = bitexts.references
        if sources is not None:
            sources = bitexts.sources
            targets = bitexts.targets
    return compare_bitexts(tallies, plan, resampling, **tests)


def compare_bitexts(
    tallies: Mapping[str, UtteranceTally], plan: Plan, resampling: Resampling, **tests: Any
) -> SystemComparison:
    """Compare systems, as `compare_alignments` does, by the tallies of their bitexts."""
    # Each system has one run, and so a list of one tally.
    comparison = compare_tallies({name: [tally] for name, tally in tallies.items()}, plan, resampling, **tests)
    tally = tallies[comparison.baseline]
    return replace(comparison, signature=sign_bitexts(tally, plan, resampling, **comparison.signed))


def sign_bitexts(tally: UtteranceTally, plan: Plan, resampling: Resampling, **further: object) -> str:
    """Return the signature of the scores of bitexts; `n` is the number of reference bisegments, and `further` are more fields."""
    fields: dict[str, object] = {"text": "alignment", "zero": plan.zero_division}
    if resampling.confidence is not None:
        fields |= {"ci": str(resampling), "clusters": len(tally)}
    return sign_plainly(**fields, **further, n=int(tally.columns[UNITS].sum()))


def _are_known(sources: Any, targets: Any) -> bool:
    """Return whether texts of a side are passed. With those of one side alone, `read_bitexts` raises an error that says so."""
    return sources is not None or targets is not None


def plan_of_levels(scores: str | Sequence[str] | None, *, texts_known: bool, zero_division: float) -> Plan:
    """Return the plan of the scores of levels, which have no option but the value of 0/0."""
    levels = select_levels(scores, texts_known)
    keys: list[str] = []
    for level in levels:
        keys += level.keys
    return Plan(
        scores=tuple(level.name for level in levels),
        keys=tuple(keys),
        reading=Reading(),
        zero_division=zero_division,
        warns_of_undefined=False,
        aligns=False,
        values={},
        settings={level.name: {} for level in levels},
    )


def tally_bitexts(bitexts: Bitexts, plan: Plan) -> UtteranceTally:
    """Return the counts of every bitext, which stands for an utterance, with its number of reference bisegments as units."""
    warn_of_numbering(bitexts.references, bitexts.predictions)
    each_bitext = []
    # Each field of `Bitexts` has an item per bitext.
    for reference, prediction, source_texts, target_texts in zip(*bitexts, strict=True):
        each_bitext.append(Bitext(AlignedSide(reference), AlignedSide(prediction), source_texts, target_texts))
    columns: Tallied = {
        UTTERANCES: np.ones(len(each_bitext), np.int64),
        UNITS: np.array([len(reference) for reference in bitexts.references], np.int64),
    }
    for name in plan.scores:
        columns |= LEVELS[name].tally(each_bitext)
    return UtteranceTally(columns, noun="bitext")


def select_levels(scores: str | Sequence[str] | None, texts_known: bool) -> list[ScoreGroup]:
    """Return the levels that the option `scores` selects, in order, without repetition.

    >>> [level.name for level in select_levels(None, texts_known=False)]
    ['alignment', 'sentence', 'strict', 'lax']
    """
    if scores is None:
        if texts_known:
            return list(LEVELS.values())
        return [level for level in LEVELS.values() if "words" not in level.needs]
    names = (scores,) if isinstance(scores, str) else scores
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"scores: expected the name of a level or a list of names, received {scores!r}.")
    if not names:
        raise ValueError(f"scores is empty: name at least one of {', '.join(LEVELS)}.")
    for name in names:
        if name not in LEVELS:
            raise ValueError(f"unknown level {name!r}: the levels are {', '.join(LEVELS)}.")
        if "words" in LEVELS[name].needs and not texts_known:
            remedy = (OPTIONS["sources"], " and ", OPTIONS["targets"], f", or leave {name!r} out.")
            raise OptionError(OPTIONS["scores"].set(name), " needs the texts of the segments: pass ", *remedy)
    return [LEVELS[name] for name in dict.fromkeys(names)]
