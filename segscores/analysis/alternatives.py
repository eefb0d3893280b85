"""Alternatives: several acceptable references per utterance, of which the best one counts.

Conventions
-----------
- Each alternative is a whole reference: all have the same number of utterances, the same form and the same units. If an
  utterance has fewer alternatives than others, repeat one of them.
- For each utterance the first alternative with the best value of one score is chosen, by default the token F-score. The
  chosen alternatives are then scored as an ordinary reference.

So an additional alternative never lowers that score of an utterance. A corpus score that is not a mean over utterances
may fall slightly. The choice depends on the prediction: two systems may be scored against different references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import Positions, int64_array
from ..kernel.record import record
from ..options.keywords import ScoringOptions, Unpack
from ..options.messages import OptionError, placed
from ..options.option import check_options
from ..options.quoting import described
from ..options.table import GROUP_OPTIONS, OPTIONS, WORLDS
from ..reading.form import EMPTY_LISTS, Form
from ..reading.inputs import BLANKS, Column, read_column
from ..reading.sources.sides import open_inputs
from ..reading.sources.source import Side, collection_source
from ..scoring.functions import options_of, with_options
from ..scoring.map_pieces import map_pieces
from ..scoring.measures.group import ScoreGroup
from ..scoring.measures.registry import GROUPS, check_scored, goodness, group_of
from ..scoring.passes import concatenate_tallies, sum_tallies, with_reference
from ..scoring.plan import Plan, useful_defaults
from ..scoring.tally import score_tally


@with_options
def score_alternatives(
    references: Iterable[Any], predictions: Any, *, primary: str = "token_fscore", **options: Unpack[ScoringOptions]
) -> dict[str, float]:
    """Score predictions against the best alternative reference of each utterance.

    Args:
        references: the alternative references, each in any form of the README's Inputs.
        predictions: utterances, in the same form.
        primary: the key of the score that chooses the alternative.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Returns:
        Plain floats by score key.

    Raises:
        TypeError, ValueError: as `segscores.score`, with the number of the alternative; or `primary` is not a score.

    The naive equivalent scores every utterance against each of its alternatives, and takes the best.

    >>> score_alternatives(
    ...     [["New York", "ab"], ["NewYork", "ab"]], ["NewYork", "a b"], text_format="words", scores="token"
    ... )["token_recall"]
    0.5
    """
    checked = check_options(options, options_of(score_alternatives))
    # The choice of references needs the options of the primary score's group, even if no group that is scored has them. The plan
    # would refuse these: `useful_defaults` drops them.
    group = _group_of_primary(primary)
    of_primary = {name: value for name, value in checked.items() if name in group.option_names}
    others = {name: value for name, value in checked.items() if name not in of_primary}
    plan = Plan.of(**others | useful_defaults(of_primary, checked))
    reference, prediction = choose_references(references, predictions, primary=primary, **checked)
    # Some options have their defaults from the chosen references, such as the size of windows.
    plan, _observed_for_defaults = with_reference(reference, plan)
    (total,), _observed = sum_tallies([reference, prediction], plan)
    return score_tally(total, plan)


def choose_references(
    references: Iterable[Any], predictions: Any, *, primary: str = "token_fscore", **options: Any
) -> list[Side]:
    """Choose the best alternative of each utterance; return the sides of a scoring, the chosen reference and the prediction.

    Arguments are as in `score_alternatives`.
    """
    alternatives = _list_alternatives(references)
    plan = _plan_of_choice(primary, options)
    if isinstance(predictions, Iterator):
        # Each alternative is compared with all of them.
        predictions = list(predictions)
    read = _read_alternatives(alternatives, predictions, plan, primary)
    # A row for each alternative and a column for each utterance: `argmax` gives the first of equally good alternatives.
    best = np.argmax(np.stack([alternative.goodness for alternative in read]), axis=0)
    chosen = _take_best([alternative.column for alternative in read], best)
    # All alternatives are read in the same way: the side of any of them reads the chosen utterances.
    *_, last = read
    return [replace(last.reference, sources=(collection_source(chosen, "references"),)), last.prediction]


def _plan_of_choice(primary: str, options: Mapping[str, Any]) -> Plan:
    """Return the plan of the score that chooses; raise an error if the score or the options do not allow a choice."""
    group = _group_of_primary(primary)
    # The choice computes the scores of this group alone, without the options of other groups.
    of_other_groups = set(GROUP_OPTIONS) - set(group.option_names)
    of_choice = {name: value for name, value in options.items() if name not in of_other_groups}
    plan = Plan.of(**of_choice | {"scores": group.name})
    if plan.reading.world:
        problem = f": {WORLDS[plan.reading.world]} have no alternatives: score each reference by itself."
        raise OptionError(OPTIONS["text_format"].set(plan.reading.text_format), problem)
    # A score without a better end has no goodness, whatever its values.
    if goodness(primary, np.zeros(1)) is None:
        problem = ": no value of this score is better than another; expected one such as token_fscore."
        raise OptionError(OPTIONS["primary"].set(primary), problem)
    return plan


def _read_alternatives(alternatives: Sequence[Any], predictions: Any, plan: Plan, primary: str) -> list[_Alternative]:
    """Read the alternatives, and score their utterances; raise an error that has the number of the first bad one."""
    read: list[_Alternative] = []
    for number, utterances in enumerate(alternatives):
        try:
            read.append(_read_alternative(utterances, predictions, plan, primary))
            # After each alternative: the error names the first one with another form.
            _check_forms([alternative.column for alternative in read])
        except (TypeError, ValueError) as error:
            raise placed(error, f"alternative {number}") from None
    return read


def _list_alternatives(references: Iterable[Any]) -> list[Any]:
    """Return the alternative references; raise an error if there are none."""
    # A string or a mapping can be iterated, and is no list of alternatives.
    is_no_list = isinstance(references, (str, bytes, Mapping)) or not isinstance(references, Iterable)
    alternatives = [] if is_no_list else list(references)
    if not alternatives:
        raise TypeError(
            f"references: expected a list of alternative references, each a list of utterances; received {described(references)}."
        )
    return alternatives


@record
class _Alternative:
    """An alternative reference, with a prediction.

    Attributes:
        reference, prediction: the sides.
        column: the utterances of the reference, before they are read.
        goodness: how good the primary score of each utterance is, the greatest the best.
    """

    reference: Side
    prediction: Side
    column: Column
    goodness: npt.NDArray[np.float64]


def _group_of_primary(primary: str) -> ScoreGroup:
    """Return the group of the score that chooses, or raise OptionError if there is no such score."""
    if GROUPS.with_score(primary) is None:
        check_scored(OPTIONS["primary"], primary, GROUPS.scores())
    return group_of(primary)


def _read_alternative(references: Any, predictions: Any, plan: Plan, primary: str) -> _Alternative:
    """Read one alternative, and score its utterances."""
    reference, prediction = open_inputs(plan.reading, references, predictions)
    # Some options depend on the reference, such as the size of windows.
    plan_of_reference, _observed_for_defaults = with_reference(reference, plan)
    # An utterance that is left out of this alternative may be scored with another one. So this pass neither warns of it, nor
    # raises the error that nothing was scored.
    (tally,), _observed = concatenate_tallies([reference, prediction], plan_of_reference, concludes=False)
    # The utterances themselves, as they were before they were read: the chosen ones are read again and scored. The reference is
    # the only side, side 0.
    chunks = list(map_pieces([reference], lambda piece: piece.raw(0)))
    column = read_column(pa.chunked_array(chunks), "references")
    scores = tally.per_utterance([primary], plan.zero_division)[primary]
    good = goodness(primary, np.asarray(scores, np.float64))
    assert good is not None, "checked by the caller"
    # nan would be the largest: an undefined score is chosen only if no alternative has a defined one.
    return _Alternative(reference, prediction, column, np.nan_to_num(good, nan=-np.inf))


def _check_forms(columns: Sequence[Column]) -> None:
    """Raise an error if alternatives have several forms."""
    # Empty lists fit every form of lists.
    forms = {Form.of(column) for column in columns} - {EMPTY_LISTS}
    if len(forms) > 1:
        received = " and ".join(form.noun for form in forms)
        raise TypeError(f"mixed forms: {received}; expected one for all alternatives.")


def _take_best(columns: Sequence[Column], best: Positions) -> Column:
    """Return a column with each utterance as in its best alternative, whose number `best` has for each utterance."""
    # Empty lists have the type BLANKS, and are cast to the type of the other alternatives.
    common_type = next((column.type for column in columns if column.type != BLANKS), BLANKS)
    chunks: list[pa.Array] = []
    for column in columns:
        chunks += column.cast(common_type).chunks
    # The alternatives stand one after the other: alternative 1 of utterance 2, of three utterances, is in row 1 · 3 + 2.
    rows = best * len(best) + np.arange(len(best))
    return pa.chunked_array(chunks).take(int64_array(rows))
