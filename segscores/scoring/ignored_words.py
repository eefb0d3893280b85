"""Ignored words: words of the reference that are not counted, such as punctuation, and the predicted words in their place.

Conventions
-----------
- A word of the reference is ignored if each of its characters is in one of the classes, or if it is in the list. Spaces between
  units and within words are in every class.
- A predicted word is ignored if all its units are in ignored words of the reference. A word that mixes them with other units is
  counted on its side: such a reference word can match, such a predicted word is wrong. So the counts of the reference depend on
  no prediction.
- A boundary of a side counts where a counted word of this side begins or ends. Boundaries between two ignored words do not.
- Units of ignored words are no units of the text that is scored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..kernel import arrow_functions as pc
from ..kernel.arrays import Mask, Positions, bools_of, lengths_of, sum_by_utterance
from ..kernel.comparison import WITH_BOTH_EDGES, WITHOUT_EDGES, Comparison
from ..kernel.formulas import Counts
from ..kernel.record import record
from ..kernel.segmentation import TOKEN, Segmentation, marks_of_units, select_words
from ..options.class_kinds import WORD_CLASSES
from ..options.errors import warn
from ..options.messages import Message
from ..options.quoting import shortened
from ..options.suggestions import suggestion
from ..options.table import OPTIONS
from ..reading.formats.registry import PLAIN, joins_units
from ..reading.listed_words import ListedWords
from ..reading.preparation import segments_in_text, stages_of
from ..reading.reading import Reading
from ..reading.texts import joined_segment
from ..reading.word_lists import words_alone

#: The least similarity of a misspelt name to the name of a class, in [0, 1].
_NEARLY = 0.85
_ALONE = "expected classes alone, or words alone"


@record
class CountedComparison(Comparison):
    """A comparison of the counted words alone.

    Its sides have the counted words and their text. Shared boundaries are ends of words that are counted on both sides.
    """

    whole: Comparison  #: the comparison of all words
    counted: tuple[Mask, Mask]  #: bool, which words of the reference and of the prediction are counted

    def boundaries(self, edges: int, *, of_starts: bool = False) -> Counts[Positions]:
        """Count the boundaries of counted words, as `Comparison.boundaries` does for all words."""
        whole = self.whole
        counted_in_reference, counted_in_prediction = self.counted
        reference = _counted_boundaries(counted_in_reference, whole.utterance_reference, edges, of_starts=of_starts)
        prediction = _counted_boundaries(counted_in_prediction, whole.utterance_prediction, edges, of_starts=of_starts)
        # A shared boundary is matched if it counts on both sides. Both sides share the start of each utterance.
        is_matched = reference.is_at_end[whole.shared_reference] & prediction.is_at_end[whole.shared_prediction]
        matched_at_start = reference.is_at_start & prediction.is_at_start
        return Counts(
            matched=sum_by_utterance(is_matched, whole.utterance_shared) + matched_at_start,
            predicted=sum_by_utterance(prediction.is_at_end, whole.utterance_prediction) + prediction.is_at_start,
            reference=sum_by_utterance(reference.is_at_end, whole.utterance_reference) + reference.is_at_start,
        )


class _CountedBoundaries(NamedTuple):
    """The boundaries of a side that count."""

    is_at_end: Mask  #: bool (n_words,), whether the boundary at the end of a word counts
    is_at_start: Mask  #: bool (n_utterances,), whether the boundary at the start of an utterance counts


def _counted_boundaries(counted: Mask, word_counts: Positions, edges: int, *, of_starts: bool) -> _CountedBoundaries:
    """Return the boundaries at which a counted word begins or ends.

    `counted` says which words count, and `word_counts` has the number of words of each utterance. `edges` is as in
    `Comparison.boundaries`: WITH_ONE_EDGE for the ends of words alone, WITHOUT_EDGES for the boundaries within an utterance, and
    WITH_BOTH_EDGES for all. If `of_starts`, the starts of words count alone.
    """
    # Utterances of 2, 0 and 3 words: the first and the last have words, which begin with the words 0 and 2 and end with 1 and 4.
    has_words = word_counts > 0
    stops = np.cumsum(word_counts)
    first_words = (stops - word_counts)[has_words]
    last_words = stops[has_words] - 1
    is_last = np.zeros(len(counted), bool)
    is_last[last_words] = True
    # Where a word ends that is not the last, the next word begins, which may be the one that counts.
    begins_counted = np.append(counted[1:], False) & ~is_last
    if of_starts:
        is_at_end = begins_counted
    elif edges == WITHOUT_EDGES:
        is_at_end = (counted & ~is_last) | begins_counted
    elif edges == WITH_BOTH_EDGES:
        is_at_end = counted | begins_counted
    else:
        is_at_end = counted
    is_at_start = np.zeros(len(word_counts), bool)
    if of_starts or edges == WITH_BOTH_EDGES:
        is_at_start[has_words] = counted[first_words]
    return _CountedBoundaries(is_at_end, is_at_start)


@record
class IgnoredWords:
    """The words of the reference to ignore: names of classes, or the words.

    >>> from segscores.reading.readers import from_words_text
    >>> sides = [from_words_text(text.encode()) for text in ("狗 。 ” 跑 3\\n", "狗 。” 跑3\\n")]
    >>> from segscores.scoring.mismatch import compare_segmentations
    >>> both = IgnoredWords(("punctuation", "digits"), Reading.of(text_format="words")).leave_out(compare_segmentations(*sides))
    >>> both.utterance_matched, both.utterance_prediction, both.utterance_reference
    (array([1]), array([2]), array([2]))
    """

    names: Sequence[str]
    reading: Reading
    note: str = ""  #: the warning that numbers or tags of the lines were left out; empty if there are none

    @classmethod
    def of(cls, names: Sequence[str], reading: Reading) -> IgnoredWords:
        """Return the words to ignore; the lines of a list of frequencies or of a lexicon, `dog 17` or `dog NN`, leave `dog`."""
        alone = words_alone(names, "ignore_words")
        return cls(alone.words, reading, alone.note)

    def warn(self) -> None:
        """Warn of what was left out beside the words, of words with spaces, and of words that likely stand for classes."""
        names = self.names
        if self.note:
            warn(self.note)
        spaced = [name for name in names if len(name.split()) > 1]
        if spaced and self._is_of_words_text:
            problem = f": {shortened(spaced[0])} has spaces, which no word of words text has: "
            warn(Message(OPTIONS["ignore_words"], problem, "expected a word on each line of a list."))
        if self._are_classes:
            return
        first_class = next((name for name in names if name in WORD_CLASSES), None)
        if first_class is not None:
            warn(f"{first_class!r} is read as a word, because other items are no classes: {_ALONE}.")
            return
        if all(get_close_matches(name.lower(), WORD_CLASSES, cutoff=_NEARLY) for name in names):
            first_name, *_ = names
            hint = suggestion(first_name, WORD_CLASSES)
            warn(f"{shortened(first_name)} is read as a word, because it is no class of characters.{hint}")

    @property
    def _are_classes(self) -> bool:
        """True if each of the names is one of a class of characters, and not a word."""
        return all(name in WORD_CLASSES for name in self.names)

    @property
    def _is_of_words_text(self) -> bool:
        """True if all spaces of the text are between words."""
        reading = self.reading
        is_words_text = {*reading.formats} == {PLAIN.name}
        return is_words_text and reading.joiner is None and reading.keeps_spaces

    def mask(self, reference: Segmentation) -> Mask:
        """Return which words of a reference are ignored: bool (n_words,)."""
        words = reference.words()
        if self._are_classes:
            characters = "".join(WORD_CLASSES[name] for name in self.names)
            # A word of such characters and of spaces alone, with at least one of the characters. `\s` is whitespace of ASCII, and
            # `\pZ` the spaces of Unicode.
            pattern = rf"^[\s\pZ]*[{characters}][\s\pZ{characters}]*$"
            return bools_of(pc.match_substring_regex(words.cast(pa.large_string()), pattern))
        return bools_of(pc.is_in(words, value_set=self._words_in_text(reference.unit)))

    def _words_in_text(self, unit: str) -> pa.LargeBinaryArray:
        """Return the words of the list, prepared as the words of the reference are, whose units are of this kind."""
        reading = self.reading
        words = self.names
        reference_joins_units, _ = joins_units(reading.formats)
        drops_spaces = reference_joins_units or not reading.keeps_spaces
        if unit == TOKEN or drops_spaces:
            # Each word loses its ignored tokens, and its units `ð ə` have one space between them, or are joined to `ðə`.
            separator = "" if drops_spaces else " "
            words = [joined_segment(word, reading.ignored_tokens, separator) for word in words]
        # The units are joined already.
        return segments_in_text(words, unit, stages_of(reading, joins_units=False))

    def look_at(self, reference: Segmentation) -> ListedWords:
        """Return the signs in a reference that it has words of a list with other capitals or marks alone: `THE` for `the`."""
        if self._are_classes:
            return ListedWords()
        if self.mask(reference).any():
            return ListedWords(occur=True)
        words = [word.decode(errors="replace") for word in pc.unique(reference.words()).to_pylist()]
        word_of_letters = {_letters_of(word): word for word in words if _letters_of(word)}
        for name in self.names:
            # An item may be several words, such as `the,a`.
            letters_of_items = [_letters_of(item) for item in (name, *re.split("[,;]", name))]
            words_alike = [word_of_letters[letters] for letters in letters_of_items if letters in word_of_letters]
            if words_alike:
                first_word, *_ = words_alike
                problem = f": no word of the reference is in the list, which has {shortened(name)}; the reference has "
                remedy = f"{shortened(first_word)}: write the words as the text has them."
                return ListedWords(doubt=Message(OPTIONS["ignore_words"], problem, remedy))
        return ListedWords()

    def leave_out(self, comparison: Comparison) -> CountedComparison:
        """Return the comparison of the words that are not ignored.

        The naive equivalent drops the spans of ignored words, and the predicted spans whose units are all in them.
        """
        reference = comparison.reference
        prediction = comparison.prediction
        is_ignored = self.mask(reference)
        # Both sides have the same text, and so the same positions of bytes. The numbers of ignored bytes before each position are
        # such as 0 0 0 1 2 2: a word from 2 to 4 has 2 of them. A predicted word counts if not all of its bytes are ignored.
        is_ignored_byte = np.repeat(is_ignored, lengths_of(reference.word_ends))
        ignored_before = np.concatenate(([0], np.cumsum(is_ignored_byte)))
        ends = prediction.word_ends
        ignored_bytes = np.diff(ignored_before[ends], prepend=0)
        counted_in_reference = ~is_ignored
        counted_in_prediction = ignored_bytes < lengths_of(ends)
        # The shared boundaries stay that end a counted word on both sides.
        is_shared = (
            counted_in_reference[comparison.shared_reference] & counted_in_prediction[comparison.shared_prediction]
        )
        reference_counts = sum_by_utterance(counted_in_reference, comparison.utterance_reference)
        prediction_counts = sum_by_utterance(counted_in_prediction, comparison.utterance_prediction)
        return CountedComparison(
            reference=_select(reference, counted_in_reference, reference_counts),
            prediction=_select(prediction, counted_in_prediction, prediction_counts),
            shared_reference=_new_indices(counted_in_reference)[comparison.shared_reference[is_shared]],
            shared_prediction=_new_indices(counted_in_prediction)[comparison.shared_prediction[is_shared]],
            matched=comparison.matched[is_shared],
            utterance_shared=sum_by_utterance(is_shared, comparison.utterance_shared),
            utterance_matched=sum_by_utterance(is_shared & comparison.matched, comparison.utterance_shared),
            utterance_reference=reference_counts,
            utterance_prediction=prediction_counts,
            utterance_edited=comparison.utterance_edited,  # 0: words are not ignored where units are aligned
            whole=comparison,
            counted=(counted_in_reference, counted_in_prediction),
        )


def _letters_of(word: str) -> str:
    """Return the letters and digits of a word in one form, without capitals.

    >>> _letters_of(" The,"), _letters_of("\u2581the"), _letters_of("Ｔｈｅ")
    ('the', 'the', 'the')
    """
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", word)).lower()


def _new_indices(kept: Mask) -> Positions:
    """Return the index of each kept item among the kept ones; the value for a dropped item has no meaning.

    >>> _new_indices(np.array([True, False, True]))
    array([0, 0, 1])
    """
    return np.cumsum(kept) - 1


def _select(side: Segmentation, kept: Mask, counts: Positions) -> Segmentation:
    """Return the kept words with their text; `counts` has the number of kept words of each utterance."""
    lengths = lengths_of(side.word_ends)
    text = side.require_text()[np.repeat(kept, lengths)]
    word_ends = np.cumsum(lengths[kept])
    # Kept words that end at 3 5 9, of utterances of 1 and 2 words: the utterances end at 3 and 9. The 0 is the end of an
    # utterance that has no kept word, and none before it.
    utterance_ends = np.concatenate(([0], word_ends))[np.cumsum(counts)]
    units_before = np.concatenate(([0], np.cumsum(marks_of_units(text, side.unit))))
    selected = select_words(side, kept, text=text, word_ends=word_ends, utterance_ends=utterance_ends)
    return replace(selected, utterance_units=lengths_of(units_before[utterance_ends]))
