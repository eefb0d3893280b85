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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import int64_array
from ..options.keywords import ScoringOptions, Unpack
from ..options.messages import OptionError, placed
from ..options.option import check_options
from ..options.quoting import described
from ..options.table import GROUP_OPTIONS, OPTIONS
from ..reading.form import EMPTY_LISTS, Form
from ..reading.inputs import BLANKS, Column, read_column
from ..reading.sources.sides import open_inputs
from ..reading.sources.source import Side, collection_source
from ..scoring.functions import options_of, with_options
from ..scoring.map_pieces import map_pieces
from ..scoring.measures.registry import goodness, group_of
from ..scoring.passes import concatenate_tallies, sum_tallies, with_reference
from ..scoring.plan import Plan, useful_defaults
from ..scoring.tally import score_tally


@with_options
def score_alternatives(
    references: Iterable[Any], predictions: Any, *, primary: str = "token_fscore", **options: Unpack[ScoringOptions]
) -> dict[str, float]:
    """Score predictions against the best alternative reference of each utterance.

    Args:
        references: the alternative references, each in any form that `inputs` lists.
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
    # An option of the primary score's group may be unknown to the groups that are scored.
    choosing = {name: value for name, value in checked.items() if name in group_of(primary).option_names}
    others = {name: value for name, value in checked.items() if name not in choosing}
    plan = Plan.of(**others | useful_defaults(choosing, checked))
    sides = choose_references(references, predictions, primary=primary, **checked)
    windowed, _ = with_reference(sides[0], plan)
    (total,), _ = sum_tallies(sides, windowed)
    return score_tally(total, windowed)


def choose_references(
    references: Iterable[Any], predictions: Any, *, primary: str = "token_fscore", **options: Any
) -> list[Side]:
    """Choose the best alternative of each utterance; return the sides of a scoring. Arguments are as in `score_alternatives`."""
    is_no_list = isinstance(references, (str, bytes, Mapping)) or not isinstance(references, Iterable)
    alternatives = [] if is_no_list else list(references)
    if not alternatives:
        raise TypeError(
            f"references: expected a list of alternative references, each a list of utterances; received {described(references)}."
        )
    group = group_of(primary)
    of_other_groups = set(GROUP_OPTIONS) - set(group.option_names)
    of_plan = {name: value for name, value in options.items() if name not in of_other_groups}
    plan = Plan.of(**of_plan | {"scores": group.name})
    if goodness(primary, np.zeros(1)) is None:
        problem = ": no value of this score is better than another; expected one such as token_fscore."
        raise OptionError(OPTIONS["primary"].set(primary), problem)
    sides: list[Side] = []
    columns: list[Column] = []
    values: list[npt.NDArray[np.float64]] = []
    if isinstance(predictions, Iterator):
        predictions = list(predictions)
    for number, reference in enumerate(alternatives):
        try:
            sides = open_inputs(plan.reading, reference, predictions)
            windowed, _ = with_reference(sides[0], plan)
            # Another alternative may fit an utterance that this one leaves out.
            (tally,), _ = concatenate_tallies(sides, windowed, concludes=False)
            chunks = list(map_pieces(sides[:1], lambda piece: piece.raw(0)))
            columns.append(read_column(pa.chunked_array(chunks), "references"))
            forms = {Form.of(column) for column in columns} - {EMPTY_LISTS}
            if len(forms) > 1:
                received = " and ".join(form.noun for form in forms)
                raise TypeError(f"mixed forms: {received}; expected one for all alternatives.")
        except (TypeError, ValueError) as error:
            raise placed(error, f"alternative {number}") from None
        scores = tally.per_utterance([primary], plan.zero_division)[primary]
        good = goodness(primary, np.asarray(scores, np.float64))
        assert good is not None, "checked above"
        # An undefined score is chosen only if no value is defined.
        values.append(np.nan_to_num(good, nan=-np.inf))
    best = np.argmax(np.stack(values), axis=0)
    # The alternatives stand one after the other: alternative 1 of utterance 2, of three utterances, is in row 1 · 3 + 2.
    rows = best * len(best) + np.arange(len(best))
    # Empty lists fit the form of the other alternatives.
    shown = next((column.type for column in columns if column.type != BLANKS), BLANKS)
    utterances = pa.chunked_array(list(chain.from_iterable(column.cast(shown).chunks for column in columns)))
    chosen = utterances.take(int64_array(rows))
    return [replace(sides[0], sources=(collection_source(chosen, "references"),)), sides[1]]
