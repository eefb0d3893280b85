"""Dictionary: segments that could be words, and scores over their occurrences that are not words.

Conventions
-----------
- A candidate is an occurrence in the text, within one utterance, of a segment of the dictionary: a span (start, end).
  Occurrences may overlap and nest, and each counts.
- Positive segments of a side, PS, are the candidates that are words on that side: both ends are word boundaries, without a
  boundary between them. Negative segments, NS, are the other candidates.
- A word outside the dictionary is not a candidate and is not counted.
- Where the units differ (`on_mismatch="align"`), the text is the reference's, and a predicted word is a word of it
  if none of its units is edited.
- A segment is a sequence of units: a string whose characters are the units, or, for units text, a string of units separated by
  whitespace. The unit of the text decides between the two. In units text ignored tokens are no units of a segment either.
- Acceptable segments are never negatives (the silver standard): an occurrence that is a word counts among the positives
  as usual, and any other occurrence is not counted. So acceptable segments do not change TPR and PPV. To accept other
  segmentations of a word, list their parts, and the word itself, which is a negative segment of a prediction that
  divides it. An acceptable segment outside the dictionary has no candidates and changes nothing.
- Each segment is prepared as the text is (`normalize`, `subword_marks`, `spaces`). Digests are of the segments before they are
  normalized or lose marks.

- Swapping the sides swaps TPR with PPV and TNR with NPV.

Source
------
Jiang et al. (2011), "Evaluation via Negativa of Chinese Word Segmentation for Information Retrieval", PACLIC: the
definitions, with Tables 1 and 3, and the silver standard among its conclusions. Table 1 follows from the definitions.
Table 3 does not: 18 of its 32 fractions differ, 14 of them in value; the tests list them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.aligned import AlignedPrediction
from ...kernel.arrays import Positions, bools_of, lengths_of
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, quotients
from ...kernel.segmentation import Segmentation
from ...options.errors import text_problem, warn
from ...options.messages import OptionError
from ...options.quoting import described
from ...options.table import OPTIONS
from ...reading.formats.registry import joins_units
from ...reading.preparation import Stage, segments_in_text, stages_of
from ...reading.reading import Reading
from ...reading.texts import joined_segment
from ...reading.word_lists import WordsAlone, words_alone
from ..digest import digest_of_text
from .group import Key, ScoreGroup, columns_named, keep_last, listed
from .segment_index import ACCEPTABLE, SEGMENT, Codes, Occurrences, SegmentIndex, compile_index, unit_starts

_POSITIVE = "dictionary_positive"
_NEGATIVE = "dictionary_negative"
_QUOTIENTS = {
    "dictionary_tpr": (f"{_POSITIVE}_matched", f"{_POSITIVE}_reference"),
    "dictionary_ppv": (f"{_POSITIVE}_matched", f"{_POSITIVE}_predicted"),
    "dictionary_tnr": (f"{_NEGATIVE}_matched", f"{_NEGATIVE}_reference"),
    "dictionary_npv": (f"{_NEGATIVE}_matched", f"{_NEGATIVE}_predicted"),
}
dictionary_scores = partial(quotients, _QUOTIENTS)

_compiling = threading.Lock()


class Dictionary:
    """Segments that could be words, and acceptable segments among them, in any order; duplicates count once.

    `stages` and `ignored_tokens` are as in the reading of the text: segments are prepared in the same way. With `drops_spaces`
    they lose their spaces before that.

    >>> Dictionary(dictionary=["狗", ""])
    Traceback (most recent call last):
    ...
    ValueError: dictionary, segment 1: '' is blank; expected at least one unit.
    """

    def __init__(
        self,
        *,
        dictionary: Iterable[str],
        acceptable: Iterable[str] = (),
        stages: tuple[Stage, ...] = (),
        ignored_tokens: Sequence[str] = (),
        drops_spaces: bool = False,
    ) -> None:
        self._ignored_tokens = frozenset(ignored_tokens)
        self._segments, note = _read_segments(dictionary, "dictionary", self._ignored_tokens, drops_spaces)
        self._acceptable, note_of_acceptable = _read_segments(
            acceptable, "acceptable", self._ignored_tokens, drops_spaces
        )
        #: Warnings that numbers or tags of the lines were left out. `arguments` of the group warns.
        self.notes = list(filter(None, (note, note_of_acceptable)))
        if not len(self._segments):
            raise OptionError(OPTIONS["dictionary"], ": it is empty; expected at least one segment.")
        #: The digests of the segments and of the acceptable segments, in any order; None if there are none.
        self.digests = {"dictionary": _digest(self._segments), "acceptable": _digest(self._acceptable)}
        self._stages = stages
        self._indexes: dict[str, SegmentIndex] = {}  # by the unit of the text

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: all but the indexes, which are faster to rebuild than to copy."""
        return self.__dict__ | {"_indexes": {}}

    def find(self, text: Segmentation) -> Iterator[Occurrences]:
        """Yield for each length in units the occurrences of the segments of this length, if there are any.

        Some cross the end of an utterance, because utterances follow each other in the text: the caller drops these. Time is
        linear in the text times the number of distinct lengths, plus the logarithm of the longest: see `SegmentIndex`.
        """
        if text.text is None:
            remedy = "pass strings or lists of words, or leave the dictionary out."
            raise ValueError(f"dictionary scores need the text, which labels do not contain: {remedy}")
        index = self._index(text.unit)
        return index.find(index.number_units(text.text))

    def _index(self, unit: str) -> SegmentIndex:
        """Return the index for texts with this unit, which the first of them makes."""
        with _compiling:  # pieces of a corpus come from several threads
            if unit not in self._indexes:
                segments = self._as_in_text(self._segments, unit).unique()
                acceptable = pc.is_in(segments, value_set=self._as_in_text(self._acceptable, unit))
                kinds = np.where(bools_of(acceptable), ACCEPTABLE, SEGMENT).astype(np.uint8)
                self._indexes[unit] = compile_index(segments, kinds, unit)
            return self._indexes[unit]

    def _as_in_text(self, segments: list[str], unit: str) -> pa.LargeBinaryArray:
        """Return segments as they occur in the text of a `Segmentation`."""
        if unit == "token":
            # One space stands between two units, without the ignored tokens.
            segments = [joined_segment(segment, self._ignored_tokens, " ") for segment in segments]
        return segments_in_text(segments, unit, self._stages)


def tally_dictionary(comparison: Comparison, dictionary: Dictionary) -> dict[str, npt.NDArray[np.int64]]:
    """Count positive and negative segments of both sides in each utterance.

    The naive equivalent, for one utterance of units `u` and the sets of spans of its words:
    `candidates = {(i, j) for i in range(n) for j in range(i + 1, n + 1) if u[i:j] in segments}`, then
    `reference & candidates` and `{(i, j) for i, j in candidates - reference if u[i:j] not in acceptable}`, and likewise
    for the prediction.
    """
    reference = comparison.reference
    occurrences = dictionary.find(reference)
    text = reference.require_text()
    # The bytes at which the units begin, and the end of the text.
    positions = np.append(unit_starts(text, reference.unit), len(text))
    # For each unit, the length of the word that begins there: an occurrence of the same length is this word.
    reference_lengths = _word_lengths(reference, positions)
    predicted_lengths = _word_lengths(comparison.prediction, positions)
    utterance_count = len(reference.utterance_ends)
    utterance_of_unit = np.repeat(np.arange(utterance_count), reference.utterance_units)
    # The axes: the utterance, and then three of 0 or 1: whether the occurrence is acceptable, a predicted word, a reference word.
    tallied = np.zeros((utterance_count, 2, 2, 2), np.int64)
    for length, starts, kinds in occurrences:
        utterances = utterance_of_unit[starts]
        # The index in the flat table, with 2·2·2 cells for each utterance: for utterance 1, acceptable, not predicted, a
        # reference word it is 8 + 4 + 0 + 1.
        cells = utterances * 8
        cells += (kinds == ACCEPTABLE) * 4
        cells += (predicted_lengths[starts] == length) * 2
        cells += reference_lengths[starts] == length
        if length > 1:
            # An occurrence that begins in one utterance and ends in another is not counted.
            ends_in = utterance_of_unit[starts + (length - 1)]
            cells = cells[utterances == ends_in]
        tallied += np.bincount(cells, minlength=tallied.size).reshape(tallied.shape)
    # By utterance, then 1 for a predicted word and 1 for a reference word. Acceptable segments are no negatives.
    of_all = tallied.sum(axis=1)
    not_acceptable = tallied[:, 0]
    positive = Counts(
        matched=of_all[:, 1, 1], predicted=of_all[:, 1, :].sum(axis=1), reference=of_all[:, :, 1].sum(axis=1)
    )
    negative = Counts(
        matched=not_acceptable[:, 0, 0],
        predicted=not_acceptable[:, 0, :].sum(axis=1),
        reference=not_acceptable[:, :, 0].sum(axis=1),
    )
    return {**positive.columns(_POSITIVE), **negative.columns(_NEGATIVE)}


def _word_lengths(segmentation: Segmentation, positions: Positions) -> Codes:
    """Return for every unit the number of units of the word that begins with it; 0 where no word begins.

    `positions` are the bytes at which the units begin, and the end of the text.
    """
    if isinstance(segmentation, AlignedPrediction):
        # Words may have gaps between them: units that the prediction lacks, and edited words, which are left out here.
        unedited = np.flatnonzero(~segmentation.edited)
        starts = segmentation.word_starts[unedited]
        ends = starts + lengths_of(segmentation.original.word_ends)[unedited]
        first_units, units_after = np.searchsorted(positions, (starts, ends))
        lengths = np.zeros(len(positions), np.int32)
        lengths[first_units] = units_after - first_units
        return lengths
    # Units at 0 1 4 of 6 bytes, and words that end at 4 and 6: the boundaries 0 2 3 give the lengths 2 0 1 0.
    is_boundary = np.zeros(int(positions[-1]) + 1, bool)
    is_boundary[0] = True
    is_boundary[segmentation.word_ends] = True
    boundaries = np.flatnonzero(is_boundary[positions])
    lengths = np.zeros(len(positions), np.int32)
    lengths[boundaries[:-1]] = np.diff(boundaries)
    return lengths


def _digest(segments: list[str]) -> str | None:
    """Return a digest that identifies segments, in any order and with duplicates or without; None if there are none."""
    if not segments:
        return None
    # A line end separates segments, because no segment has one.
    return digest_of_text("\n".join(sorted(set(segments))))


def _read_segments(segments: Any, option: str, ignored_tokens: frozenset[str], drops_spaces: bool) -> WordsAlone:
    """Return the segments of an option, without spaces if `drops_spaces`."""
    strings = listed(segments, option, "expected a list of strings")
    for index, segment in enumerate(strings):
        if not isinstance(segment, str):
            hint = ""
            if isinstance(segment, (list, tuple)):
                # Likely a segment as a list of its units.
                hint = " Units are separated by spaces."
            raise TypeError(f"{option}, segment {index}: received {described(segment)}; expected a string.{hint}")
        problem = _problem(segment, ignored_tokens)
        if problem:
            raise ValueError(f"{option}, segment {index}: {segment!r} {problem}.")
    # Lines of a list of frequencies or of a lexicon, `dog 17` or `dog NN`, leave `dog`.
    without_columns = words_alone(strings, option)
    if not drops_spaces:
        return without_columns
    return without_columns._replace(words=[joined_segment(word, ignored_tokens) for word in without_columns.words])


def _problem(segment: str, ignored_tokens: frozenset[str]) -> str:
    """Return what is wrong with a segment, such as "is blank; expected at least one unit"; empty if nothing is."""
    if not segment or segment.isspace():
        return "is blank; expected at least one unit"
    if ignored_tokens and ignored_tokens.issuperset(segment.split()):
        return "has only ignored tokens; expected at least one unit"
    if "\n" in segment or "\r" in segment:
        return "has a line end; expected segments without one: split a file with read().splitlines()"
    problem = text_problem(segment)
    if problem:
        return f"{problem}; expected Unicode text"
    return ""


_read = keep_last(Dictionary)


class _DictionaryGroup(ScoreGroup):
    """The group of the dictionary scores, whose tally takes the dictionary."""

    def arguments(self, values: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
        """Return the argument `dictionary` of `tally_dictionary`, whose segments are read as the words of the text are.

        `values` are the options of the group.
        """
        acceptable = values["acceptable"]
        if acceptable is None:
            acceptable = ()
        # The text is the reference's. Its words lose the spaces between their units, if the prediction has no such units, and the
        # spaces within them, if the option says so. Segments lose theirs when the dictionary reads them; the stages come later,
        # and have no units to join.
        reference_joins_units, _ = joins_units(reading.formats)
        drops_spaces = reference_joins_units or not reading.keeps_spaces
        dictionary = _read(
            dictionary=values["dictionary"],
            acceptable=acceptable,
            stages=stages_of(reading, joins_units=False),
            ignored_tokens=reading.ignored_tokens,
            drops_spaces=drops_spaces,
        )
        for note in dictionary.notes:
            warn(note)
        return {"dictionary": dictionary}


GROUP = _DictionaryGroup(
    name="dictionary",
    title="positive and negative segments",
    definition="Occurrences of dictionary segments in the text: positive segments (PS) are words of a side, negative "
    "segments (NS) are all other occurrences.",
    formula="tpr |PS∩PS'| / |PS|, ppv |PS∩PS'| / |PS'|, tnr |NS∩NS'| / |NS|, npv |NS∩NS'| / |NS'|, where PS' and NS' are of the "
    "prediction",
    source="Jiang et al. (2011)",
    columns=(*columns_named(_POSITIVE), *columns_named(_NEGATIVE)),
    keys={
        "dictionary_tpr": Key("Positive segments found"),
        "dictionary_ppv": Key("Precision of positive segments"),
        "dictionary_tnr": Key("Negative segments found"),
        "dictionary_npv": Key("Precision of negative segments"),
    },
    needs=frozenset({"units", "words"}),
    tally=tally_dictionary,
    formulas=dictionary_scores,
)
