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
        references, predictions: utterances, in any form of the README's Inputs; empty lists for an empty shard.
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
    # Two small plain lists or files are counted at once, and give no reason to warn. None stands for any other input, and for one
    # with an error or a doubt: the pass below reads it again, and its messages say where.
    counted = tally_at_once(references, predictions, plan)
    if counted is not None:
        return CorpusTally.of(counted.tally, plan, counted.form, digest_of_reference(counted.reference, plan.reading))
    sides = open_inputs(plan.reading, references, predictions)
    # A pass over a whole corpus concludes with an error if it has no utterance, or if all are left out. A part may be so.
    (total,), observed = sum_tallies(sides, plan, with_digest=True, concludes=False)
    if not observed.utterances:
        return CorpusTally.of_nothing(plan)
    observed.trouble.conclude(sides, observed.utterances, is_part=True)
    form = observed.trouble.forms.of_corpus(sides)
    if reads_space(predictions):
        # The signature then says that the tokenizer read the text with a space before it. `tally_at_once` has no tokenizer.
        form = SPACED
    return CorpusTally.of(total, plan, form, observed.digest)
