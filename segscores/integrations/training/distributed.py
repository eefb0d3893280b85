"""Distributed: the sum of the tallies of all processes, on every process.

Each process, or rank, tallies its own utterances. Every utterance must be tallied on one rank only: the samplers of torch and
accelerate repeat utterances if they do not divide evenly, and repeated utterances would count twice. Divide the corpus with
`references[rank::world_size]`, or tally the result of accelerate's `gather_for_metrics` on one rank. The module does not import
torch: a process that has not imported torch is in no group.
"""

from __future__ import annotations

import sys
from typing import Any

from ...options.quoting import described
from ...scoring.corpus_tally import CorpusTally


def gather_tally(tally: CorpusTally) -> CorpusTally:
    """Add up the tallies of all ranks, and return the sum on every rank.

    All ranks of the default group of `torch.distributed` must call this function, each with its own tally, which may be
    empty. Accelerate uses the same group. In a single process without a group the tally itself is returned.

    Args:
        tally: the tally of this rank.

    Raises:
        TypeError: a rank passed something else than a tally, or the ranks have different forms.
        ValueError: the ranks have different options. Every rank raises the same error, so that no rank waits for another.

    >>> from segscores import tally
    >>> part = tally(["the dog"], ["the dog"], text_format="words")
    >>> gather_tally(part) is part
    True
    """
    # Check after gathering: if one rank raised alone, the others would wait for it.
    # Another value is gathered as its description, which the error shows.
    tallies = _gather(tally if isinstance(tally, CorpusTally) else described(tally))
    for rank, received in enumerate(tallies):
        if not isinstance(received, CorpusTally):
            raise TypeError(
                f"rank {rank}: received {received}; expected a CorpusTally, the result of the function tally. A rank without "
                f"utterances passes the tally of empty lists."
            )
    total: CorpusTally
    total, *others = tallies
    for rank, rank_tally in enumerate(others, 1):
        try:
            total += rank_tally
        except (TypeError, ValueError) as error:
            raise type(error)(f"rank {rank} against the ranks before: {error}") from None
    return total


def _gather(value: Any) -> list[Any]:
    """Return the values of all ranks, in their order; outside a group, this one."""
    torch_distributed = sys.modules.get("torch.distributed")
    if torch_distributed is None or not torch_distributed.is_available() or not torch_distributed.is_initialized():
        return [value]
    values: list[Any] = [None] * torch_distributed.get_world_size()
    torch_distributed.all_gather_object(values, value)
    return values
