"""Difficulty: how hard each reference word is, and scores that are balanced by it.

Conventions
-----------
- The difficulty d of a reference word, in [0, 1], is the share of a committee of segmenters that do not recover it: 0
  if all recover the word, 1 if none does. A segmenter recovers a word if it has the same span.
- Difficulties are one list (or array) per utterance, with one number per reference word; the list of a blank utterance is empty.
- m is 1 for a word that the scored prediction recovers, else 0. A predicted word has the difficulty d' of the reference
  word that covers its last unit; for a matched word d' = d.
- Reward scores weigh words by difficulty, punishment scores by 1 − difficulty:

      reward recall      Σ d·m / Σ d           punishment recall      Σ (1−d)·m / Σ (1−d)
      reward precision   Σ d·m / Σ d'          punishment precision   Σ (1−d)·m / Σ (1−d')

  The balanced recall is the harmonic mean of the two recalls, and the balanced precision of the two precisions. The
  balanced F-score is the harmonic mean of both. All are in [0, 1], higher is better.
- 0/0 is `zero_division`: reward scores are undefined where every word has difficulty 0, punishment scores where every
  word has difficulty 1.

Source
------
Qian, Qiu & Huang (2016), A New Psychometric-inspired Evaluation Metric for Chinese Word Segmentation, ACL, Eq. 5 to 15, and its
authors' scorer. The paper contradicts itself in two places. It prints Eq. 12 in place of Eq. 11, so that its reward precision has
the weights of the punishment. And it describes d' once as an average over the reference words that a predicted word covers, and
once as the difficulty at its right end. The authors' scorer has the formulas above.

The paper's example (section 1) has two segmentations of equal precision and recall. P2 misses words that the paper
calls trivial, so that P1 should be better. If these words are easier than those that only P1 misses, punishment recall
ranks P1 first and reward recall ranks P2 first; which of them decides the balanced scores depends on the other words.
With the difficulties of a committee, near 0 for all words that P1 recovers, P1 earns no reward, and P2 ranks first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa

from ..kernel.arrays import Floats, Positions
from ..kernel.comparison import Comparison
from ..kernel.formulas import Score, divide
from ..kernel.record import record
from ..options.errors import UtteranceError
from ..options.keywords import ReadingOptions, Unpack
from ..options.table import OPTIONS
from ..reading.numbers import NUMBERS, read_numbers
from ..reading.reading import Reading
from ..reading.sources.sides import open_inputs
from ..reading.sources.source import Side
from ..results.result import Values
from ..scoring.functions import with_options
from ..scoring.map_pieces import map_pieces
from ..scoring.observations import Observations
from ..scoring.piece import Piece
from ..scoring.signature import shorten_digest

BALANCED_KEYS = (
    "reward_precision",
    "reward_recall",
    "punishment_precision",
    "punishment_recall",
    "balanced_precision",
    "balanced_recall",
    "balanced_fscore",
)


def _describe(kind: str, *, title: str, definition: str, formula: str) -> dict[str, object]:
    """Return the description of a kind of scores, in the form of `scoring.measures.group.describe`."""
    return {
        "title": title,
        "definition": definition,
        "formula": formula,
        "source": "Qian et al. (2016)",
        "columns": (),
        "keys": [key for key in BALANCED_KEYS if key.startswith(kind)],
    }


#: The descriptions of the scores.
BALANCED_GROUPS: dict[str, dict[str, object]] = {
    "balanced": _describe(
        "balanced",
        title="balanced by difficulty",
        definition="Harmonic means of the reward and the punishment scores.",
        formula="balanced = 2 · reward · punishment / (reward + punishment); fscore of the balanced precision and recall",
    ),
    "reward": _describe(
        "reward",
        title="reward for hard words",
        definition="Words weighted by their difficulty d.",
        formula="recall Σ d·m / Σ d, precision Σ d·m / Σ d', m 1 for a recovered word, d' of the reference word under the end",
    ),
    "punishment": _describe(
        "punishment",
        title="punishment for easy words",
        definition="Words weighted by 1 − d.",
        formula="recall Σ (1−d)·m / Σ (1−d), precision Σ (1−d)·m / Σ (1−d')",
    ),
}

#: The number of intervals of equal size into which recovery is split.
DECILES = 10
#: 0.1, 0.2 … 1.
_UPPER_BOUNDS = np.arange(1, DECILES + 1) / DECILES


@record
class Difficulties:
    """The difficulty of every reference word."""

    values: Floats  #: the difficulties of all words, one utterance after the other
    counts: Positions  #: the number of words of each utterance

    @cached_property
    def _offsets(self) -> Positions:
        """The place in `values` at which each utterance begins, and at which the last one ends: 0 2 3 for the counts 2 1."""
        return np.concatenate(([0], np.cumsum(self.counts)))

    @property
    def digest(self) -> str:
        """A digest of the values, for signatures."""
        return shorten_digest(sha256(self.values.tobytes()).hexdigest())

    def to_arrow(self) -> pa.ChunkedArray:
        """Convert to a column of lists of floats, one list per utterance."""
        return pa.chunked_array([pa.LargeListArray.from_arrays(self._offsets, self.values)], NUMBERS)

    def split(self, slices: Iterable[slice]) -> Iterator[Difficulties]:
        """Yield the difficulties of each slice of the utterances."""
        offsets = self._offsets
        for rows in slices:
            yield Difficulties(self.values[offsets[rows.start] : offsets[rows.stop]], self.counts[rows])


@dataclass(frozen=True, eq=False)
class Decile(Values):
    """The recovery of the words in an interval of difficulty.

    Attributes:
        lower, upper: the interval, without `lower` (except in the first interval) and with `upper`.
        words: the number of reference words in the interval.
        recovered: the number of these words that the prediction recovers.
        share: recovered / words.
    """

    lower: float
    upper: float
    words: int
    recovered: int
    share: float


@with_options
def rate_difficulty(references: Any, committee: Iterable[Any], **options: Unpack[ReadingOptions]) -> list[Floats]:
    """Return the difficulty of every reference word: the share of the committee that does not recover it (Qian et al., Eq. 5).

    Args:
        references: utterances, in any form of the README's Inputs.
        committee: the predictions of each segmenter, in the form of the references.
        **options: those of `ReadingOptions`; an unknown one is a TypeError.

    Returns:
        One array per utterance, with a number in [0, 1] for each of its words.

    Raises:
        TypeError: an input has no known form, or an option has the wrong type; the message names the member, from 0.
        ValueError: the committee is empty, a member differs from the references in number or in units, or a bad option.

    The naive equivalent, for one utterance: `[sum(span not in spans(member) for member in committee) / len(committee) for
    span in spans(reference)]`.

    >>> rate_difficulty(["the dog barks"], [["thedog barks"], ["the dog barks"]], text_format="words")
    [array([0.5, 0.5, 0. ])]
    """
    reading = Reading.of(**options)
    if isinstance(committee, (str, bytes, bytearray, Mapping, Set)) or not isinstance(committee, Iterable):
        raise TypeError(
            f"committee: received {committee!r:.60} ({type(committee).__name__}); expected a list with the predictions of "
            f"each segmenter."
        )
    members = list(committee)
    if not members:
        raise ValueError("the committee is empty: expected the predictions of at least one segmenter.")
    names = [f"committee member {number}" for number in range(len(members))]
    rated = rate_sides(open_inputs(reading, references, *members, names=names))
    # Utterances of 2, 1 and 3 words are split at 2 and 3; the end of the last is no split.
    return np.split(rated.values, np.cumsum(rated.counts)[:-1])


@with_options
def score_difficulty(
    references: Any,
    predictions: Any,
    difficulties: Any,
    *,
    zero_division: float = 0.0,
    **options: Unpack[ReadingOptions],
) -> dict[str, float]:
    """Score predictions against references, balanced by difficulty.

    Args:
        references, predictions: utterances, in any form of the README's Inputs.
        difficulties: for each utterance, a list with one number in [0, 1] per reference word; also arrays, or a column of Arrow.
        zero_division: the value of 0/0, in [0, 1] or nan.
        **options: those of `ReadingOptions`; an unknown one is a TypeError.

    Returns:
        Plain floats by the keys BALANCED_KEYS.

    Raises:
        TypeError: an input has no known form, or an option has the wrong type.
        ValueError: the sides differ in number or in units, a difficulty is outside [0, 1], an utterance has more or
            fewer difficulties than words, or a bad option.

    >>> scores = score_difficulty(["the dog barks"], ["thedog barks"], [[0.5, 0.5, 0.0]], text_format="words")
    >>> scores["reward_recall"], scores["punishment_recall"], scores["punishment_precision"]
    (0.0, 0.5, 0.6666666666666666)
    """
    return _recovery(references, predictions, difficulties, zero_division, options).scores(zero_division)


@with_options
def recovered_by_decile(
    references: Any,
    predictions: Any,
    difficulties: Any,
    *,
    zero_division: float = 0.0,
    **options: Unpack[ReadingOptions],
) -> list[Decile]:
    """Count the words recovered in each tenth of the range of difficulty (Qian et al., Figure 4).

    The intervals are [0, 0.1], (0.1, 0.2], … (0.9, 1]. The paper's figures do not say to which interval a bound
    belongs; its section 4.2 writes the last interval as (0.9, 1].

    Args:
        references, predictions: utterances, in any form of the README's Inputs.
        difficulties: for each utterance, a list with one number in [0, 1] per reference word; also arrays, or a column of Arrow.
        zero_division: the share of an interval without words.
        **options: those of `ReadingOptions`.

    Returns:
        The ten intervals in order: `lower` and `upper` bound, the number of reference `words`, the number `recovered`,
        and their `share`.

    Raises:
        TypeError, ValueError: as `score_difficulty`.

    >>> deciles = recovered_by_decile(["the dog barks"], ["thedog barks"], [[0.5, 0.5, 0.0]], text_format="words")
    >>> deciles[4]
    Decile(lower=0.4, upper=0.5, words=2, recovered=0, share=0.0)
    """
    return _recovery(references, predictions, difficulties, zero_division, options).deciles(zero_division)


@record
class Recovery:
    """The words that a prediction recovers, by difficulty."""

    sums: Mapping[str, Score]  #: the sum of each column of `tally_difficulty`, such as `reward_matched`
    tenths: Positions  #: in each tenth the number of reference words, and of recovered words: of shape (2, DECILES)

    def scores(self, zero_division: float) -> dict[str, float]:
        """Return the scores by the keys BALANCED_KEYS."""
        scores: dict[str, Score] = {}
        for kind in ("reward", "punishment"):
            matched = self.sums[f"{kind}_matched"]
            scores[f"{kind}_precision"] = divide(matched, self.sums[f"{kind}_predicted"], zero_division)
            scores[f"{kind}_recall"] = divide(matched, self.sums[f"{kind}_reference"], zero_division)
        for score in ("precision", "recall"):
            scores[f"balanced_{score}"] = harmonic_mean(scores[f"reward_{score}"], scores[f"punishment_{score}"])
        scores["balanced_fscore"] = harmonic_mean(scores["balanced_precision"], scores["balanced_recall"])
        return {key: float(scores[key]) for key in BALANCED_KEYS}

    def deciles(self, zero_division: float) -> list[Decile]:
        """Return the share of words recovered in each tenth."""
        words, recovered = self.tenths
        shares = np.asarray(divide(recovered, words, zero_division))
        lower_bounds = np.concatenate(([0.0], _UPPER_BOUNDS[:-1]))
        return [
            Decile(
                lower=float(lower_bounds[tenth]),
                upper=float(_UPPER_BOUNDS[tenth]),
                words=int(words[tenth]),
                recovered=int(recovered[tenth]),
                share=float(shares[tenth]),
            )
            for tenth in range(DECILES)
        ]


def rate_sides(sides: Sequence[Side], observed: Observations | None = None) -> Difficulties:
    """Return the difficulties of the words of a reference, the first side, from the outputs of a committee, the other sides.

    `observed` is the record of the pass, for a caller that needs one.
    """
    members = len(sides) - 1

    def rate_piece(piece: Piece) -> tuple[Positions, Positions]:
        """Count the members that miss each reference word of a piece, and the words of each utterance."""
        missed = np.zeros(len(piece.reference.word_ends), np.int64)
        for side_number in range(1, len(sides)):
            # The other mask is of the member's words.
            is_recovered, _ = piece.comparison(side_number).matched_words()
            missed += ~is_recovered
        return missed, piece.reference.word_counts()

    # From a pair for each piece to one array of the whole reference for each item of the pairs.
    missed_of_pieces, counts_of_pieces = zip(*map_pieces(sides, rate_piece, observed=observed), strict=True)
    missed = np.concatenate(missed_of_pieces)
    return Difficulties(share_missed(missed, members), np.concatenate(counts_of_pieces))


def recover(sides: Sequence[Side], rated: Difficulties) -> list[Recovery]:
    """Return the recovery of the words of the reference, the first side, by each prediction."""

    def tally_piece(piece: Piece) -> list[_PieceRecovery]:
        """Return the recovery of the words of a piece by each prediction."""
        # `rated` has the words of the whole reference, and is split by utterances, which are counted over all pieces.
        utterances_of_piece = slice(piece.utterances_before, piece.utterances_before + len(piece))
        (of_piece,) = rated.split([utterances_of_piece])
        check_word_counts(of_piece, piece.reference.word_counts())
        recovered = []
        for side_number in range(1, len(sides)):
            comparison = piece.comparison(side_number)
            columns = tally_difficulty(comparison, of_piece.values)
            recovered.append(_PieceRecovery(columns, tally_deciles(comparison, of_piece.values)))
        return recovered

    pieces = list(map_pieces(sides, tally_piece))
    # From a list for each piece to one for each prediction.
    return [_add_up(pieces_of_prediction) for pieces_of_prediction in zip(*pieces, strict=True)]


@record
class _PieceRecovery:
    """The words of a piece that a prediction recovers."""

    columns: Mapping[str, Floats]  #: sums for each utterance, from `tally_difficulty`
    tenths: Positions  #: counts in each tenth, from `tally_deciles`


def _add_up(pieces: Sequence[_PieceRecovery]) -> Recovery:
    """Return the recovery of the words of a corpus, from its pieces."""
    first_piece, *_ = pieces
    sums = {}
    for name in first_piece.columns:
        # Sum all values at once: rounding in sums of pieces would depend on how the text is cut.
        sums[name] = np.concatenate([piece.columns[name] for piece in pieces]).sum()
    return Recovery(sums, np.sum([piece.tenths for piece in pieces], axis=0))


def share_missed(missed: Positions, members: int) -> Floats:
    """Compute difficulties from the number of members of a committee that miss each word, `missed`."""
    # A committee has members, so that nothing is divided by 0.
    return np.asarray(divide(missed, members, 0.0))


def tally_difficulty(comparison: Comparison, difficulties: Floats) -> dict[str, Floats]:
    """Add up d (for `reward`) and 1 − d (for `punishment`) over the words of each utterance; d' and m are as in the module.

    Columns are `<kind>_matched`, `<kind>_reference`, and `<kind>_predicted`, which sums d' over predicted words.
    """
    reference = comparison.reference
    utterances = np.arange(len(reference.utterance_ends))
    # The number of the utterance of each word, on each side: words in utterances of 2 and 1 words have 0 0 1.
    utterance_of_reference = np.repeat(utterances, comparison.utterance_reference)
    utterance_of_prediction = np.repeat(utterances, comparison.utterance_prediction)
    # The numbers of the reference words that the prediction has too: m is 1 for these words.
    matched = comparison.shared_reference[comparison.matched]
    # The number of the reference word that covers the last unit of each predicted word. Example: the words `the dog`, which end
    # at 3 6, are predicted as `thed og`, which end at 4 6. The reference word 1 covers both ends.
    covering = np.searchsorted(reference.word_ends, comparison.prediction.word_ends)

    def add_up(weights: Floats, utterance_of_word: Positions) -> Floats:
        """Add up the weights of the words of each utterance."""
        # bincount adds in order, so that a sum over some words of an utterance never exceeds the sum over all.
        return np.bincount(utterance_of_word, weights, len(utterances)).astype(np.float64)

    sums = {}
    for kind, weights in (("reward", difficulties), ("punishment", 1 - difficulties)):
        sums[f"{kind}_matched"] = add_up(weights[matched], utterance_of_reference[matched])
        sums[f"{kind}_predicted"] = add_up(weights[covering], utterance_of_prediction)
        sums[f"{kind}_reference"] = add_up(weights, utterance_of_reference)
    return sums


def harmonic_mean(left: Score, right: Score) -> Score:
    """Return 2ab / (a + b). The mean of two scores of 0 is 0, not undefined, because a mean lies between the two. nan gives nan.

    >>> float(harmonic_mean(0.5, 1.0)), float(harmonic_mean(0.0, 0.0))
    (0.6666666666666666, 0.0)
    """
    return divide(2 * left * right, left + right, 0.0)


def tally_deciles(comparison: Comparison, difficulties: Floats) -> Positions:
    """Count the reference words and the recovered words in each interval of difficulty: int64 of shape (2, DECILES)."""
    # The other mask is of predicted words.
    is_recovered, _ = comparison.matched_words()
    deciles = find_deciles(difficulties)
    words = np.bincount(deciles, minlength=DECILES)
    recovered = np.bincount(deciles[is_recovered], minlength=DECILES)
    return np.stack((words, recovered))


def find_deciles(difficulties: Floats) -> Positions:
    """Return the number of the interval of each difficulty, from 0: [0, 0.1], (0.1, 0.2], … (0.9, 1].

    >>> find_deciles(np.array([0.0, 0.1, 0.11, 1.0]))
    array([0, 0, 1, 9])
    """
    return np.searchsorted(_UPPER_BOUNDS, difficulties)


def read_difficulties(difficulties: Any) -> Difficulties:
    """Read lists, tuples or arrays, rows of an array, or a column of Arrow; check that difficulties are in [0, 1]."""
    numbers = read_numbers(difficulties, "difficulties", "reference word")
    rated = Difficulties(numbers.values, numbers.lengths)
    # Every comparison with nan is False, so that nan is bad too.
    is_bad = ~((rated.values >= 0) & (rated.values <= 1))
    if is_bad.any():
        first_bad = int(np.argmax(is_bad))
        # Utterances with 2 and 3 words have the ends 2 5: value 3 is after the end 2, and so of utterance 1, where it is word 1.
        ends = np.cumsum(rated.counts)
        utterance = int(np.searchsorted(ends, first_bad, side="right"))
        word = first_bad - int(ends[utterance] - rated.counts[utterance])
        value = float(rated.values[first_bad])
        hint = ""
        if np.isnan(value):
            hint = "Is it a missing value?"
        elif value > 1:
            hint = "A difficulty is the share of a committee that misses the word, not a percentage or a count."
        problem = f"word {word} has the difficulty {value!r}; expected a number in [0, 1]."
        raise UtteranceError(utterance, problem, hint=hint, side="difficulties")
    return rated


def check_rated_counts(difficulties: Difficulties, references: int) -> None:
    """Check that there is a list of difficulties for each reference; `references` is their number."""
    if len(difficulties.counts) != references:
        raise ValueError(
            f"{references} references and difficulties for {len(difficulties.counts)} utterances: expected a list of "
            f"difficulties for each reference."
        )


def check_word_counts(difficulties: Difficulties, words: Positions) -> None:
    """Check that each utterance has as many difficulties as reference words, whose number `words` has for each utterance."""
    differs = difficulties.counts != words
    if differs.any():
        utterance = int(np.argmax(differs))
        raise UtteranceError(
            utterance,
            f"received {difficulties.counts[utterance]} difficulties, expected {words[utterance]}: one for each reference "
            f"word.",
            hint="Were they rated on another segmentation of the text?",
            side="difficulties",
        )


def _recovery(
    references: Any, predictions: Any, difficulties: Any, zero_division: float, options: ReadingOptions
) -> Recovery:
    """Return the recovery of the words of references by predictions, both as users pass them.

    `zero_division` is checked here, before anything is read. Methods of the result use it.
    """
    OPTIONS["zero_division"].check(zero_division)
    sides = open_inputs(Reading.of(**options), references, predictions)
    rated = read_difficulties(difficulties)
    reference, _prediction = sides
    # Count the references, without warnings and the error that there are none: `recover` reads both sides, and raises these.
    reference_count = sum(map_pieces([reference], len, concludes=False))
    check_rated_counts(rated, reference_count)
    (recovery,) = recover(sides, rated)
    return recovery
