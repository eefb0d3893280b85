"""The doubt that the labels of a prediction are moved by one unit, as where the position of a token such as [CLS] was kept.

The labels of each utterance may be in reverse order too, as of text from right to left.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..kernel.arrays import Positions
from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.messages import Message

_Bools: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]
#: The first utterances that are looked at, and the fewest word ends in them that show that all are moved.
_FIRST_UTTERANCES = 128
_FEWEST = 16
#: The largest share of the word ends of a prediction that agrees as they are, and the smallest one that agrees moved.
_MOST_AS_THEY_ARE = 0.75
_FEWEST_MOVED = 0.6
#: The fewest errors as they are, as a multiple of those that are left if they are moved.
_TIMES_AS_MANY = 3
#: The same if they are reversed: where 1 starts a word, the first label of each utterance is an error then.
_TIMES_AS_MANY_REVERSED = 2


@record
class _Move:
    """A move that may have happened to the labels of a prediction, and how many word ends are right once it is undone."""

    matched: int  #: the word ends that are those of the reference once the move is undone
    is_reversed: bool  #: whether the labels of each utterance are in reverse order
    late: int  #: by how many units they are late; negative if they are early


@record
class MovedLabels:
    """The agreement of the word ends of a prediction with those of the reference, as they are and with a move undone."""

    utterances: int
    predicted: int
    matched: int  #: the word ends that are those of the reference as they are
    move: _Move

    @classmethod
    def of(cls, reference: Segmentation, prediction: Segmentation) -> MovedLabels | None:
        """Return the agreement in the first utterances, if labels are moved; None if they are not, or are no labels."""
        utterances = min(_FIRST_UTTERANCES, len(reference.utterance_ends))
        if reference.unit != "label" or not utterances:
            return None
        units = reference.utterance_units[:utterances]
        if not np.array_equal(units, prediction.utterance_units[:utterances]):
            return None  # an error about labels says so
        is_end = _inner_ends(reference, utterances)
        is_predicted = _inner_ends(prediction, utterances)
        predicted = int(np.count_nonzero(is_predicted))
        matched = int(np.count_nonzero(is_end & is_predicted))
        if predicted < _FEWEST or matched > _MOST_AS_THEY_ARE * predicted:
            return None
        move = _likeliest_move(is_end, is_predicted, reference.utterance_ends[:utterances])
        most_errors = (predicted - matched) / (_TIMES_AS_MANY_REVERSED if move.is_reversed else _TIMES_AS_MANY)
        if move.matched < _FEWEST_MOVED * predicted or predicted - move.matched > most_errors:
            return None
        return cls(utterances, predicted, matched, move)

    def doubt(self) -> Message:
        """Return the doubt about the labels of a prediction."""
        received = f"of the {self.predicted} word ends within the first {self.utterances} utterances, {self.matched} are those "
        of_reference = f"of the references, and {self.move.matched} would be "
        if self.move.is_reversed:
            moved = f"{of_reference}if the labels of each utterance were reversed: "
            return Message(received, moved, "do they begin at its end?")
        place = "earlier" if self.move.late > 0 else "later"
        moved = f"{of_reference}one unit {place}: "
        return Message(received, moved, "is there a label too many at one end, as of a token such as [CLS]?")


def _likeliest_move(is_end: _Bools, is_predicted: _Bools, utterance_ends: Positions) -> _Move:
    """Return the move that leaves most word ends right if it is undone; it may be no move, late by 0 units."""
    moves = []
    for is_reversed in (False, True):
        is_read = _reversed(is_predicted, utterance_ends) if is_reversed else is_predicted
        moves += [_Move(_count_both(is_end, is_read, late), is_reversed, late) for late in (-1, 0, 1)]
    # Words of the same lengths from both ends agree as well reversed as not: they count as not reversed.
    return max(moves, key=lambda move: (move.matched, not move.is_reversed))


def _count_both(is_end: _Bools, is_read: _Bools, late: int) -> int:
    """Return at how many places a word ends in `is_end`, and in `is_read` as many units later as `late` says."""
    size = len(is_end)
    first = is_end[max(0, -late) : size - max(0, late)]
    second = is_read[max(0, late) : size - max(0, -late)]
    return int(np.count_nonzero(first & second))


def _reversed(is_end: _Bools, utterance_ends: Positions) -> _Bools:
    """Return the ends within utterances counted from the end of each: of the words `the dog is`, at 3 and 6 of 8, at 5 and 2."""
    (places,) = is_end.nonzero()
    utterance_starts = np.concatenate(([0], utterance_ends[:-1]))
    utterances = np.searchsorted(utterance_ends, places)
    is_end_from_end = np.zeros_like(is_end)
    is_end_from_end[utterance_starts[utterances] + utterance_ends[utterances] - places] = True
    return is_end_from_end


def _inner_ends(segmentation: Segmentation, utterances: int) -> _Bools:
    """Return for each place in the first utterances, from 0 on, whether a word ends there, but for the ends of utterances.

    The words `the dog` and `is` are two utterances: of the places 0 to 8, the place 3 is one.
    """
    utterance_ends = segmentation.utterance_ends[:utterances]
    is_end = np.zeros(int(utterance_ends[-1]) + 1, bool)
    is_end[segmentation.word_ends[segmentation.word_ends <= utterance_ends[-1]]] = True
    is_end[utterance_ends] = False
    return is_end
