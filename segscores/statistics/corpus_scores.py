"""Corpus scores: the scores of predictions against references, with averages and intervals on request.

Conventions
-----------
The micro average needs only the sums over the corpus. The macro average and intervals need the counts of each utterance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..options.keywords import ComputeOptions
from ..options.table import check_needs, check_options, options_in
from ..reading.inputs import Column
from ..scoring.keyword_arguments import with_options
from ..scoring.options import SCORING, Plan
from ..scoring.pipeline import score_tally
from ..sources.memory import column_sides
from ..sources.passes import check_same, sum_tallies, tally_each, with_window_size
from ..sources.sides import sides_of
from .resampling import RESAMPLING, Resampling
from .utterance_scores import score_utterances

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..sources.source import Side


@with_options
def score(references: Any, predictions: Any, **options: Unpack[ComputeOptions]) -> dict[str, float]:
    """Score predictions against references.

    Args:
        references, predictions: utterances, in any form that `inputs` lists, or files: a `pathlib.Path` or `open_source(path)`.
        **options: those of `ScoringOptions` and of `Resampling`.

    Returns:
        Plain floats by score key; with `confidence`, each followed by `<key>_low` and `<key>_high`.

    Raises:
        TypeError: an input of no known form, an option of the wrong type, or an unknown option.
        ValueError: sides that differ in number or in units, or a bad option.

    >>> scores = score(["the dog is on the boat"], ["thedog is on the boat"], text_format="words", scores="token")
    >>> {key: round(value, 2) for key, value in scores.items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    """
    plan, resampling, _ = split_options(options)
    check_needs(options, options)
    return _score_sides(sides_of(plan.reading, references, predictions), plan, resampling)


def split_options(
    options: Mapping[str, Any], keywords: type = ComputeOptions
) -> tuple[Plan, Resampling, dict[str, Any]]:
    """How to score, how to average and resample, and every option of a function with its default where it is not given.

    Raises:
        TypeError, ValueError: an unknown option or a bad value.
    """
    known = options_in(keywords)
    given = check_options(options, known)
    values = {name: given.get(name, option.default) for name, option in known.items()}
    plan = Plan.of_checked({name: value for name, value in given.items() if name in SCORING})
    return plan, Resampling(**{name: values[name] for name in RESAMPLING if name in values}), values


def score_columns(references: Column, predictions: Column, plan: Plan, resampling: Resampling) -> dict[str, float]:
    """Score two columns of the same length and form, as `score` does."""
    return _score_sides(column_sides(plan.reading, references, predictions), plan, resampling)


def _score_sides(sides: Sequence[Side], plan: Plan, resampling: Resampling) -> dict[str, float]:
    plan, first = with_window_size(sides[0], plan)
    if not resampling.needs_utterances:
        (total,), facts = sum_tallies(sides, plan)
        check_same(first, facts)
        return score_tally(total, plan)
    (tally,), _, facts = tally_each(sides, plan)
    check_same(first, facts)
    return score_utterances(tally, plan, resampling)
