"""Distributed: the tally of all processes together, on every one of them.

Conventions
-----------
Each process, or rank, tallies the utterances that it sees. What is to be scored once must be tallied on one rank alone: the
samplers of torch and accelerate repeat utterances where they do not divide evenly, and repeated ones count twice. Share
out by `references[rank::world_size]`, or tally what accelerate's `gather_for_metrics` gives, on one rank.

Torch is neither needed nor imported: a process that has not imported it is in no group.
"""

from __future__ import annotations

__all__ = ["gather_tally"]

import sys
from typing import Any

from ..scoring.corpus_tally import CorpusTally


def gather_tally(tally: CorpusTally) -> CorpusTally:
    """The sum of the tallies of all ranks, on every rank.

    All ranks of the default group of `torch.distributed` must call it, each with its own tally, which may be of nothing.
    Accelerate starts that group too. Where there is none, in a single process, the tally itself is returned.

    Args:
        tally: that of this rank.

    Raises:
        TypeError: what a rank passed is not a tally, or the ranks have different forms.
        ValueError: the ranks have different options.
        Every rank raises the same, so that none waits for another.

    >>> from segscores.scoring.corpus_tally import tally
    >>> part = tally(["the dog"], ["the dog"], text_format="words")
    >>> gather_tally(part) is part
    True
    """
    # Nothing is refused before all is gathered: a rank that raised alone would leave the others waiting.
    parts = _gather(tally if isinstance(tally, CorpusTally) else f"{tally!r} ({type(tally).__name__})")
    for rank, part in enumerate(parts):
        if not isinstance(part, CorpusTally):
            raise TypeError(
                f"rank {rank}: received {part}; expected a CorpusTally, as the function tally gives it. A rank without "
                f"utterances passes that of empty lists."
            )
    total: CorpusTally = parts[0]
    for rank, part in enumerate(parts[1:], 1):
        try:
            total += part
        except (TypeError, ValueError) as error:
            raise type(error)(f"rank {rank} against those before: {error}") from None
    return total


def _gather(value: Any) -> list[Any]:
    """What each rank passed, by rank."""
    torch_distributed = sys.modules.get("torch.distributed")
    if torch_distributed is None or not torch_distributed.is_available() or not torch_distributed.is_initialized():
        return [value]
    values: list[Any] = [None] * torch_distributed.get_world_size()
    torch_distributed.all_gather_object(values, value)
    return values
