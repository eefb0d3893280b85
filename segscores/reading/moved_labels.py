"""The doubt that the labels of a prediction are moved by one unit, as where the position of a token such as [CLS] was kept."""

from __future__ import annotations

import numpy as np

from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.messages import Message

#: The first utterances that are looked at, and the fewest word ends in them that show that all are moved.
_FIRST_UTTERANCES = 128
_FEWEST = 16
#: The largest share of the word ends of a prediction that agrees as they are, and the smallest one that agrees moved.
_MOST_AS_THEY_ARE = 0.75
_FEWEST_MOVED = 0.6
#: The fewest errors as they are, as a multiple of those that are left if they are moved.
_TIMES_AS_MANY = 3


@record
class MovedLabels:
    """The agreement of the word ends of a prediction with those of the reference, as they are and moved by one unit."""

    utterances: int
    predicted: int
    matched: int
    matched_moved: int
    are_late: bool  #: whether they are one unit late; otherwise early

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
        late = int(np.count_nonzero(is_end[:-1] & is_predicted[1:]))
        early = int(np.count_nonzero(is_end[1:] & is_predicted[:-1]))
        matched_moved = max(late, early)
        errors_moved = predicted - matched_moved
        if matched_moved < _FEWEST_MOVED * predicted or predicted - matched < _TIMES_AS_MANY * errors_moved:
            return None
        return cls(utterances, predicted, matched, matched_moved, are_late=late > early)

    def doubt(self) -> Message:
        """Return the doubt about the labels of a prediction."""
        received = f"of the {self.predicted} word ends within the first {self.utterances} utterances, {self.matched} are those "
        place = "earlier" if self.are_late else "later"
        moved = f"of the references, and {self.matched_moved} would be one unit {place}: "
        return Message(received, moved, "is there a label too many at one end, as of a token such as [CLS]?")


def _inner_ends(segmentation: Segmentation, utterances: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return for each place in the first utterances, from 0 on, whether a word ends there, but for the ends of utterances.

    The words `the dog` and `is` are two utterances: of the places 0 to 8, the place 3 is one.
    """
    utterance_ends = segmentation.utterance_ends[:utterances]
    is_end = np.zeros(int(utterance_ends[-1]) + 1, bool)
    is_end[segmentation.word_ends[segmentation.word_ends <= utterance_ends[-1]]] = True
    is_end[utterance_ends] = False
    return is_end
