"""Utterance scores: scores with intervals, averages over utterances, and the scores of each utterance.

An utterance that is left out has no scores, and is not resampled; only the number of such utterances, `skipped_utterances`, is
resampled with them. The worst value of a score is the lowest; the highest if lower values are better;
the value farthest from 0 if 0 is best.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..options.errors import warn
from ..options.keywords import ScoringOptions, Unpack
from ..options.messages import Hint, Message
from ..options.table import OPTIONS
from ..scoring.functions import with_options
from ..scoring.measures.group import SKIPPED
from ..scoring.measures.registry import check_scored, goodness, group_of
from ..scoring.passes import concatenate_tallies, open_systems
from ..scoring.plan import Plan
from ..scoring.tally import warn_of_scores
from ..scoring.utterance_tally import UtteranceTally
from .clusters import with_clusters
from .jackknife import ROUNDING
from .resampling import Resampling, Sampled, check_utterances, estimate, interval, sample, warn_of_sample


def score_utterances(
    tally: UtteranceTally, plan: Plan, resampling: Resampling, *, prediction: str = ""
) -> dict[str, float]:
    """Return the scores of a corpus, plain floats by key, each followed by the ends of its interval if one is requested."""
    warn_of_scores(plan, tally.totals())
    tally = with_clusters(tally, resampling.clusters)
    scores = tally.scores(plan, resampling.average)
    warn_of_left_out(tally, plan, resampling, prediction)
    if resampling.confidence is None:
        return scores
    check_utterances(tally, plan.keys)
    intervals, sampled = intervals_of(tally, plan, resampling)
    warn_of_missing(intervals, sampled, tally.sampled_unit)
    warn_of_sample(tally, resampling)
    with_ends: dict[str, float] = {}
    for key, (low, high) in intervals.items():
        with_ends |= {key: scores[key], f"{key}_low": low, f"{key}_high": high}
    return with_ends


def intervals_of(
    tally: UtteranceTally, plan: Plan, resampling: Resampling
) -> tuple[dict[str, tuple[float, float]], Sampled]:
    """Compute the intervals of the scores, from at least two utterances or clusters, and the scores without each of them."""
    # Without a confidence, the ends of intervals are nan.
    confidence = resampling.confidence or math.nan
    # Utterances that are left out have no scores: only the interval of their number is of a sample with them.
    scored = tally.take(np.flatnonzero(tally.is_scored)) if tally.skipped else tally
    sampled = sample([scored], [key for key in plan.keys if key != SKIPPED], plan, resampling)
    intervals = {}
    for key in plan.keys:
        if key == SKIPPED:
            # The number of skipped utterances is of the sample with these.
            intervals[key] = interval(key, confidence, sample([tally], [key], plan, resampling))
        else:
            intervals[key] = interval(key, confidence, sampled)
    return intervals, sampled


def warn_of_left_out(tally: UtteranceTally, plan: Plan, resampling: Resampling, prediction: str = "") -> None:
    """Warn of utterances or clusters that a mean over them leaves out; `prediction` is a name, if there are several.

    An example is "the macro average leaves out utterances whose score is undefined (0/0), of 20 utterances: oov_recall 3."
    """
    if not plan.warns_of_undefined or resampling.average == "micro":
        return
    average = "macro average"
    unit = "utterances"
    if resampling.average == "cluster":
        tally = tally.by_cluster()
        average = "mean over clusters"
        unit = "clusters"
    counted = int((tally.has_text & tally.is_scored).sum())
    left_out = []
    for key, values in tally.averaged(plan.keys, math.nan).items():
        # Blank utterances are nan too, and are not among the `counted` ones.
        undefined = counted - int((~np.isnan(values)).sum())
        if undefined > 0:
            left_out.append(f"{key} {undefined}")
    if left_out:
        name = f"{prediction}: " if prediction else ""
        warn(
            Message(
                f"{name}the {average} leaves out {unit} whose score is undefined (0/0), of {counted} {unit}: "
                f"{', '.join(left_out)}.",
                Hint(" Pass ", OPTIONS["zero_division"], ", a number in [0, 1], to count them with this value."),
            )
        )


def warn_of_missing(intervals: Mapping[str, tuple[float, float]], sampled: Sampled, unit: str) -> None:
    """Warn of scores that have no interval, or only a bound because no unit changes them, and why.

    `unit` is "utterance" or "cluster". An example is "no interval for oov_recall: the score is undefined without one of the
    utterances, so its variability cannot be estimated."
    """
    keys_of_template: dict[str, list[str]] = defaultdict(list)
    for key in sampled.scores:
        template = _template_of_missing(key, intervals[key], sampled, unit)
        if template:
            keys_of_template[template].append(key)
    for template, keys in keys_of_template.items():
        warn(template.format(", ".join(keys)))


def _template_of_missing(key: str, interval_of_score: tuple[float, float], sampled: Sampled, unit: str) -> str:
    """Return why a score has no interval, or only a bound: a template, whose place is for the names of scores; or empty."""
    without = sampled.without[key]
    is_undefined = np.isnan(sampled.scores[key]).any() or np.isnan(without).all()
    if is_undefined:
        # Another warning names scores of 0/0.
        return ""
    if np.isnan(without).any():
        return (
            "no interval for {}: "
            f"the score is undefined without one of the {unit}s, so its variability cannot be estimated."
        )
    low, _ = interval_of_score
    if math.isnan(low):
        return f"no interval for {{}}: no {unit} changes the score. Is some text repeated?"
    if _is_bound(key, sampled):
        return f"the interval is only a bound of {{}}: no {unit} changes the score. Is some text repeated?"
    return ""


def _is_bound(key: str, sampled: Sampled) -> bool:
    """Return whether no unit changes a score, which is between the ends of its range, and which is no score of types.

    If there are few types, each may be in several units although no text is repeated.
    """
    estimated = estimate(key, sampled)
    ends = group_of(key).keys[key].range
    is_at_end = any(abs(estimated.value - end) <= ROUNDING for end in ends)
    return estimated.error == 0 and not is_at_end and key not in sampled.type_counts


@with_options
def per_utterance(
    references: Any,
    predictions: Any,
    *,
    worst: str | None = None,
    first: int | None = None,
    **options: Unpack[ScoringOptions],
) -> list[dict[str, Any]]:
    """Return the scores of each utterance.

    Args:
        references, predictions: utterances, in any form of the README's Inputs.
        worst: the name of a score that sorts the utterances, the worst first; None for the order of the corpus.
        first: the number of utterances to return, from 0; None for all.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Returns:
        For each utterance a dict; utterances that were left out have none. Its keys are

        - `utterance`: the index of the utterance, from 0.
        - `recording`: its name, if recordings were read from files.
        - each score: a plain float, nan for 0/0 unless `zero_division` is given. Type scores are those of the utterance's own
          types.

    Raises:
        TypeError, ValueError: as `segscores.score`; `worst` is not one of the scores, or a score without worse values; or `first`
            is bad.

    >>> rows = per_utterance(["a b", "c d"], ["a b", "cd"], text_format="words", scores="token", worst="token_recall")
    >>> [(row["utterance"], row["token_recall"]) for row in rows]
    [(1, 0.0), (0, 1.0)]
    """
    plan = Plan.of(**options)
    if worst is not None:
        check_worst(plan, worst)
    if first is not None:
        if isinstance(first, bool) or not isinstance(first, (int, np.integer)):
            raise TypeError(f"first: expected a number of utterances or None, received {first!r}.")
        if first < 0:
            raise ValueError(f"first: expected a number of utterances from 0, received {first!r}.")
    (reference, prediction), plan = open_systems(plan, references, predictions)
    (tally,), _observed = concatenate_tallies([reference, prediction], plan)
    scores = tally.per_utterance(plan.keys, plan.zero_division_of_utterances)
    indexes = np.flatnonzero(tally.is_scored) if worst is None else worst_first(tally, plan, worst)
    chosen = indexes[:first]
    columns: dict[str, list[Any]] = {"utterance": chosen.tolist()}
    # Utterances that have names are all of the first source.
    source = reference.first_source
    if source.names:
        columns[source.noun] = [source.name_of(utterance) for utterance in columns["utterance"]]
    for key in plan.keys:
        columns[key] = scores[key][chosen].tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def worst_first(tally: UtteranceTally, plan: Plan, key: str) -> npt.NDArray[np.int64]:
    """Return the indices of the utterances, the worst by a score first.

    Of equally bad utterances the longer comes first, then the earlier. Undefined scores come last, and utterances
    without scores are not returned.
    """
    check_worst(plan, key)
    values = goodness(key, np.asarray(tally.per_utterance([key], math.nan)[key], np.float64))
    assert values is not None, "check_worst looks for it"
    scored = np.flatnonzero(tally.is_scored)
    # By goodness, then by length: `lexsort` takes the last array first. Equal values keep the order of the corpus.
    order = np.lexsort((-tally.columns["units"][scored], values[scored]))
    return scored[order]


def check_worst(plan: Plan, key: str) -> None:
    """Check that utterances can be sorted by a score: it was requested, and some of its values are worse than others."""
    check_scored(OPTIONS["worst"], key, plan.keys)
    if goodness(key, np.zeros(1)) is None:
        raise ValueError(f"worst: no value of {key} is worse than another; expected another score.")
