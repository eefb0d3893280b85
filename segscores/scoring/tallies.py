"""Tallies of whole collections, which users add up."""

from __future__ import annotations

from typing import Any

from ..options.keywords import ScoringOptions, Unpack
from ..reading.form import SPACED
from ..reading.sources.sides import open_inputs, reads_space
from .at_once import tally_at_once
from .corpus_tally import CorpusTally
from .digest import digest_of_reference
from .functions import with_options
from .passes import sum_tallies
from .plan import Plan, require_values


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
        UserWarning: utterances were left out.

    >>> part = tally(["the dog"], ["thedog"], text_format="words", scores="token")
    >>> part.counts()
    {'utterances': 1, 'units': 6, 'token_matched': 0, 'token_predicted': 1, 'token_reference': 2}
    """
    plan = Plan.of(**options)
    require_values(plan)
    # Two small lists or files are counted at once, if nothing about them needs a look.
    counted = tally_at_once(references, predictions, plan)
    if counted is not None:
        return CorpusTally.of(counted.tally, plan, counted.form, digest_of_reference(counted.reference, plan.reading))
    sides = open_inputs(plan.reading, references, predictions)
    (total,), observed = sum_tallies(sides, plan, signs=True, concludes=False)
    if not observed.utterances:
        return CorpusTally.of_nothing(plan)
    observed.trouble.conclude(sides, observed.utterances, is_part=True)
    form = observed.trouble.forms.of_corpus(sides)
    if reads_space(predictions):
        # The text of a tokenizer that sees a space before each text is no plain text in signatures.
        form = SPACED
    return CorpusTally.of(total, plan, form, observed.digest)
