"""Tallies of whole collections: those that users add up, and those of columns, which scores are computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..reading.inputs import FORM_NAMES, Column
from ..scoring.corpus_tally import CorpusTally
from ..scoring.option_docs import with_options
from ..scoring.options import Plan, ScoringOptions
from ..scoring.pipeline import require_window_size, warn_of_skipped
from ..scoring.tally import Tally
from ..scoring.utterance_tally import UtteranceTally
from .fold import conclude
from .memory import column_sides
from .passes import sum_tallies, tally_each, with_window_size
from .sides import sides_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


@with_options
def tally(references: Any, predictions: Any, **options: Unpack[ScoringOptions]) -> CorpusTally:
    """Tally a part of a corpus.

    Args:
        references, predictions: utterances, in any form that `inputs` lists; empty lists for an empty shard.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Raises:
        TypeError: an input has no known form, or an option has the wrong type.
        ValueError: sides that differ in number or in units, or a bad option. The message has the utterance's index.

    Warns:
        UserWarning: as `pipeline.warn_of_skipped`.

    >>> part = tally(["the dog"], ["thedog"], text_format="words", scores="token")
    >>> part.counts()
    {'utterances': 1, 'units': 6, 'token_matched': 0, 'token_predicted': 1, 'token_reference': 2}
    """
    plan = Plan.of(**options)
    require_window_size(plan)
    sides = sides_of(plan.reading, references, predictions)
    (part,), facts = sum_tallies(sides, plan, concludes=False)
    if not facts.utterances:
        return CorpusTally.of_nothing(plan)
    conclude(sides, facts)
    warn_of_skipped(part.skipped, part.counts["utterances"] + part.skipped)
    return CorpusTally.of(part, plan, FORM_NAMES.get(facts.forms[0][0]))


def tally_columns(references: Column, predictions: Column, plan: Plan) -> Tally:
    """Tally two columns of the same length and form.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    sides = column_sides(plan.reading, references, predictions)
    plan, _ = with_window_size(sides[0], plan)
    (total,), _ = sum_tallies(sides, plan)
    return total


def tally_utterances(references: Column, predictions: Column, plan: Plan) -> UtteranceTally:
    """Tally two columns of the same length and form, utterance by utterance; its totals are those of `tally_columns`.

    Raises:
        TypeError, ValueError: as `tally_columns`.

    >>> from segscores.reading.inputs import read_pair
    >>> plan = Plan.of(text_format="words", scores=("token", "type"))
    >>> tally_utterances(*read_pair(["the dog", "a dog"], ["the dog", "adog"]), plan).columns["token_matched"]
    array([2, 0])
    """
    sides = column_sides(plan.reading, references, predictions)
    plan, _ = with_window_size(sides[0], plan)
    (found,), _, _ = tally_each(sides, plan)
    return found
