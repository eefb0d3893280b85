"""The tally of an evaluation, batch by batch: sums, or the counts of each utterance where intervals need them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from ...kernel.arrays import Mask
from ...kernel.comparison import find_mismatches
from ...kernel.segmentation import Segmentation, select_utterances
from ...reading.readers import from_words_text
from ...reading.sources.source import Side
from ...scoring.map_pieces import map_pieces
from ...scoring.measures.statistic import SideName
from ...scoring.mismatch import compare_segmentations
from ...scoring.observations import Observations
from ...scoring.piece import Piece
from ...scoring.plan import Plan
from ...scoring.tally import Tally, score_tally, tally_comparison
from ...scoring.utterance_tally import TallyBuilder, UtteranceTally, concatenate, tally_utterances
from ...statistics.resampling import Resampling
from ...statistics.utterance_scores import score_utterances

#: The counts of a piece, and the number of its faulty utterances, as `EvaluationTally.faulty` counts them. Counts are sums, or of
#: each utterance if the resampling needs these.
Counted: TypeAlias = "tuple[Tally | UtteranceTally, int]"


@dataclass
class EvaluationTally:
    """The counts of one or more batches."""

    plan: Plan
    resampling: Resampling
    utterances: int = 0
    #: the number of utterances with positions without a class, or of generated text with units that differ
    faulty: int = 0
    #: the counts: sums, or if the resampling needs them, those of each utterance. The other one of the two stays empty.
    _sums: Tally = field(default_factory=Tally)
    _builder: TallyBuilder = field(default_factory=TallyBuilder)

    def add(self, sides: Sequence[Side], count: Callable[[Piece], Counted], piece_bytes: int | None = None) -> None:
        """Add the counts of a batch; `count` counts a piece of it, which has about `piece_bytes`, or as many as usual if None."""
        utterances_before = self.utterances
        observed = Observations()
        # `concludes` would raise an error if no utterance can be scored, which may be so in a batch. Errors give the number of an
        # utterance among those of all batches.
        results = map_pieces(
            sides,
            count,
            observed=observed,
            concludes=False,
            piece_bytes=piece_bytes,
            explain=lambda error, _: error.at(utterances_before),
        )
        for counts, faulty in results:
            self._add(counts)
            self.faulty += faulty
        self.utterances += observed.utterances

    def _add(self, counts: Tally | UtteranceTally) -> None:
        """Add the counts of a piece: sums, or those of each utterance."""
        if isinstance(counts, Tally):
            self._sums.update(counts)
        else:
            self._builder.add(counts)

    def count(self, reference: Segmentation, prediction: Segmentation) -> Tally | UtteranceTally:
        """Count utterances with the same units on both sides."""
        tally = tally_utterances if self.resampling.needs_utterances else tally_comparison
        return tally(compare_segmentations(reference, prediction), good=None, plan=self.plan)

    def count_text(self, reference: Segmentation, prediction: Segmentation) -> Counted:
        """Count generated text, some of whose utterances may have other units than the reference.

        Nothing is matched in these utterances, and they have no true negatives: the words of each side count as if the other side
        were blank. Return the counts, and the number of these utterances.
        """
        differs = find_mismatches(reference, prediction)
        if not differs.any():
            return self.count(reference, prediction), 0
        alike = self.count(select_utterances(reference, ~differs), select_utterances(prediction, ~differs))
        # Each side of the other utterances is compared with itself, and what the other side would count is dropped.
        differing_reference = select_utterances(reference, differs)
        differing_prediction = select_utterances(prediction, differs)
        of_reference = _of_one_side(self.count(differing_reference, differing_reference), "reference")
        of_prediction = _of_one_side(self.count(differing_prediction, differing_prediction), "prediction")
        tallies: list[Any] = [alike, of_reference, of_prediction]
        if self.resampling.needs_utterances:
            return _by_utterance(tallies, differs), int(differs.sum())
        total = Tally()
        for tally in tallies:
            # As of a Counter, this adds.
            total.update(tally)
        return total, int(differs.sum())

    def scores(self) -> dict[str, float]:
        """Return the scores, each followed by its interval if `confidence` is set."""
        # Without an utterance there are no columns to sum. A text without utterances adds all columns, with zeros.
        if not self.utterances:
            nothing = from_words_text(b"")
            self._add(self.count(nothing, nothing))
        if not self.resampling.needs_utterances:
            return score_tally(self._sums, self.plan)
        return score_utterances(self._builder.tally(), self.plan, self.resampling)


def _of_one_side(counts: Tally | UtteranceTally, side: SideName) -> Tally | UtteranceTally:
    """Return the counts of one side, from the counts of its comparison with itself."""
    if isinstance(counts, Tally):
        statistics_of_sums = {name: statistic.of_side(side) for name, statistic in counts.statistics.items()}
        return Tally(_columns_of_side(counts.counts, side), statistics_of_sums)
    statistics = {name: statistic.of_side(side) for name, statistic in counts.statistics.items()}
    return UtteranceTally(_columns_of_side(counts.columns, side), statistics)


def _columns_of_side(columns: Mapping[str, Any], side: SideName) -> dict[str, Any]:
    """Return counts in which those of the other side, and the matches, are 0.

    `{"token_matched": 2, "token_predicted": 2, "token_reference": 2}` of the reference becomes 0, 0 and 2.
    """
    endings_of_others: tuple[str, ...] = ("_matched", "_predicted")
    if side == "prediction":
        # The utterance counts once, with the reference.
        endings_of_others = ("_matched", "_reference", "utterances")
    of_side = {}
    for name, values in columns.items():
        if name == "token_spans":
            # True negatives are the spans that are a word of neither side. With the words of this side as the only spans there
            # are none. The side was compared with itself, so that its words are the reference words.
            of_side[name] = columns["token_reference"]
        elif name.endswith(endings_of_others):
            of_side[name] = 0 * values
        else:
            of_side[name] = values
    return of_side


def _by_utterance(tallies: Sequence[UtteranceTally], differs: Mask) -> UtteranceTally:
    """Join the tally of utterances with the same units, and the tallies of each side of the others, in the order of the piece.

    Because of this order, resamples do not depend on how an evaluation is divided.
    """
    # The second of the utterances 0 1 2 differs: the rows are those of 0 2 | 1 | 1, and each utterance is the sum of its rows.
    differing = np.flatnonzero(differs)
    utterances_of_rows = np.concatenate([np.flatnonzero(~differs), differing, differing])
    # A tally adds up rows by their clusters: here the cluster of a row is its utterance.
    rows = replace(concatenate(tallies), clusters=utterances_of_rows)
    columns = {name: rows.sum_by_cluster(values) for name, values in rows.columns.items()}
    return UtteranceTally(columns, rows.cluster_statistics())
