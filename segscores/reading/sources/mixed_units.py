"""A check that all predictions have the units of the reference, or none has: scores of both would count different units."""

from __future__ import annotations

from collections.abc import Sequence

from .names import Files
from .source import Side


def check_units(sides: Sequence[Side] | Sequence[Files]) -> None:
    """Check that, if the reference has units, all predictions have units or none has: mixed ones would change the scores."""
    # The reference joins its units if some predictions have words alone; the predictions that join theirs have units too.
    reference, *predictions = sides
    with_units = [_label_of(side) for side in predictions if side.joins_units]
    without_units = [_label_of(side) for side in predictions if not side.joins_units]
    if reference.joins_units and with_units and without_units:
        name = _label_of(reference)
        raise ValueError(
            f"{with_units[-1]} has the units of {name}, and {without_units[-1]} has words without units: scores would count "
            f"different units. Score them separately, or write a copy of {name} as words text, with nothing between the "
            f"units of a word and a space between words, and pass the copy as the reference: then all are joined."
        )


def _label_of(side: Side | Files) -> str:
    """Return the name of a side in messages."""
    if isinstance(side, Files):
        return side.label
    return side.name or f"the {side.role}"
