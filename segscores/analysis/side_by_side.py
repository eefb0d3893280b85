"""Two segmentations side by side: the difference of every utterance, which a notebook draws."""

from __future__ import annotations

from itertools import chain
from typing import Any

from ..options.keywords import ReadingOptions, Unpack
from ..reading.reading import Reading
from ..reading.sources.sides import open_inputs
from ..reading.world import check_counts_units
from ..scoring.functions import with_options
from ..scoring.map_pieces import map_pieces
from .differences import Difference, differences_of
from .drawing import STYLE, draw_differences

#: The most utterances that a notebook draws.
_DRAWN = 100


class Differences(list[Difference]):
    """The difference of each utterance, in order, from `differences`. A notebook draws the first ones."""

    def _repr_html_(self) -> str:
        """Return the drawing that a notebook shows."""
        return f"<style>{STYLE}</style>{draw_differences(self[:_DRAWN], len(self))}"


@with_options
def differences(references: Any, predictions: Any, **options: Unpack[ReadingOptions]) -> Differences:
    """Show the boundaries of both sides of every utterance, side by side.

    Args:
        references, predictions: utterances, in any form of the README's Inputs, but no labels.
        **options: those of `ReadingOptions`; an unknown one is a TypeError.

    Returns:
        A list with a `Difference` for each utterance. A notebook draws it. `|` marks a boundary of both sides, `+` a boundary
        that is only in the reference, and `−` one that is only in the prediction.

    Raises:
        TypeError, ValueError: as `segscores.score`; or the input is labels, which have no text to show.

    >>> [str(difference) for difference in differences(["the dog", "a b c"], ["thedog", "a bc"], text_format="words")]
    ['the+dog', 'a|b+c']
    """
    reading = Reading.of(**options)
    check_counts_units(reading)
    if not reading.words_known:
        raise ValueError("labels do not contain the words: pass strings or lists of words to see the differences.")
    sides = open_inputs(reading, references, predictions)
    # The predictions are side 1.
    pieces = map_pieces(sides, lambda piece: list(differences_of(piece.comparison(1))))
    return Differences(chain.from_iterable(pieces))
