"""Morphemes: lists of morphemes of a word, which need not spell it, by the rules of SIGMORPHON 2022.

Conventions
-----------
- An utterance is a word, or a sentence. Its morphemes are its words here: `in`, `accurate`, `cy`, `s` for *inaccuracies*. Of
  several analyses the first counts.
- Matched is the longest common subsequence of the two lists of morphemes. Precision, recall and F are of the sums over the words.
- The distance is the mean over the words of the edits (Levenshtein) between the two lists, written with one sign between
  morphemes.
- Where a morpheme may be empty, as for an empty prediction, it is a morpheme. Blank utterances are no words.

Source
------
Batsuren et al. (2022), The SIGMORPHON 2022 Shared Task on Morpheme Segmentation; its `evaluate.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Positions, bools_of, int64_array, numbers_of, offsets_of
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Counts, Score, Tallied, divide, precision_recall_fscore
from ...kernel.segmentation import TOKEN
from ...scoring.measures.group import UNBOUNDED, Key, ScoreGroup
from .analyses import analyses_of

#: The sign between morphemes, by the kind of units; each token has a space after it.
_SIGNS = {"character": "|", TOKEN: "| "}
#: From this code point on come surrogates, which are no characters: so many morphemes can be written as a character each.
_MOST_MORPHEMES = 0xD800


def tally_morpheme(comparison: Comparison) -> Tallied:
    """Count the matched, predicted and reference morphemes of each word, and the edits between its lists.

    Only lists that differ are compared, by rapidfuzz.
    """
    # Aligned words are placed on the reference's units, and have no analyses of their own: those of the original count.
    predicted_side = getattr(comparison.prediction, "original", comparison.prediction)
    reference_lists = _first_analyses(analyses_of(comparison.reference))
    predicted_lists = _first_analyses(analyses_of(predicted_side))
    unit = comparison.reference.unit
    sign = pa.scalar(_SIGNS[unit], pa.large_string())
    reference_texts = pc.binary_join(reference_lists, sign)
    predicted_texts = pc.binary_join(predicted_lists, sign)
    reference_counts = np.diff(offsets_of(reference_lists))
    predicted_counts = np.diff(offsets_of(predicted_lists))
    # In equal lists every morpheme is matched, and there is no edit.
    matched = reference_counts.copy()
    edits = np.zeros_like(reference_counts)
    differ = np.flatnonzero(bools_of(pc.not_equal(reference_texts, predicted_texts)))
    if len(differ):
        places = int64_array(differ)
        edits[differ] = _count_edits(pc.take(reference_texts, places), pc.take(predicted_texts, places), unit)
        matched[differ] = _count_common(pc.take(reference_lists, places), pc.take(predicted_lists, places))
    is_word = (reference_counts > 0) | (predicted_counts > 0)
    return {
        **Counts(matched, predicted_counts, reference_counts).columns("morpheme"),
        "morpheme_edits": edits,
        "morpheme_words": is_word.astype(np.int64),
    }


def _first_analyses(analyses: pa.LargeListArray) -> pa.LargeListArray:
    """Return the first analysis of each word; every word has one or more."""
    lists = analyses.flatten()
    if len(lists) == len(analyses):
        return lists  # each word has one alone
    # A slice of three words with 2, 1 and 3 analyses may have the offsets 4 6 7 10. Of its own analyses, the first ones of the
    # words are 0 2 3.
    offsets = offsets_of(analyses)
    return pc.take(lists, int64_array(offsets[:-1] - offsets[0]))


def _count_edits(references: pa.LargeStringArray, predictions: pa.LargeStringArray, unit: str) -> Positions:
    """Count the edits between the texts of both sides, word by word."""
    from rapidfuzz import distance, process

    left: list[Any] = references.to_pylist()
    right: list[Any] = predictions.to_pylist()
    if unit == TOKEN:
        # An edit changes a whole unit, of any number of characters.
        left = [text.split(" ") for text in left]
        right = [text.split(" ") for text in right]
    return np.asarray(process.cpdist(left, right, scorer=distance.Levenshtein.distance, dtype=np.int64))


def _count_common(references: pa.LargeListArray, predictions: pa.LargeListArray) -> Positions:
    """Return the length of the longest common subsequence of the lists of both sides, word by word."""
    from rapidfuzz import distance, process

    left, right = _coded(references, predictions)
    return np.asarray(process.cpdist(left, right, scorer=distance.LCSseq.similarity, dtype=np.int64))


def _coded(*sides: pa.LargeListArray) -> list[Sequence[Any]]:
    """Return each list of the sides as a string with a character for each morpheme, or as numbers if there are too many.

    The lists a|b, b|c and a of two sides become "\\0\\1", "\\1\\2" and "\\0", which rapidfuzz compares.
    """
    every_morpheme = pa.concat_arrays([side.flatten() for side in sides]).dictionary_encode()
    numbers = numbers_of(every_morpheme.indices)
    if len(every_morpheme.dictionary) < _MOST_MORPHEMES:
        codes = numbers.astype("<u4").tobytes().decode("utf-32-le")
    else:
        codes = numbers.tolist()
    coded: list[Sequence[Any]] = []
    morphemes_before = 0
    for side in sides:
        # Lists of 2 and 3 morphemes after 10 of the other side: 10 12 15. The offsets of a slice begin above 0.
        offsets = offsets_of(side)
        bounds = (offsets - offsets[0] + morphemes_before).tolist()
        coded.append([codes[start:end] for start, end in pairwise(bounds)])
        morphemes_before = bounds[-1]
    return coded


def morpheme_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute precision, recall and F of morphemes, and the mean distance (Batsuren et al. 2022)."""
    distance = divide(counts["morpheme_edits"], counts["morpheme_words"], zero_division)
    return precision_recall_fscore("morpheme", counts, zero_division) | {"morpheme_distance": distance}


GROUP = ScoreGroup(
    name="morpheme",
    title="morphemes",
    definition="Each utterance is a word, whose morphemes need not spell it. TP is the longest common subsequence of the two "
    "lists of morphemes, D the edits between the lists as text.",
    formula="precision TP / PP, recall TP / RP, fscore 2·TP / (PP + RP), morpheme_distance D / words",
    source="Batsuren et al. (2022)",
    columns=tuple(f"morpheme_{name}" for name in ("matched", "predicted", "reference", "edits", "words")),
    keys={
        "morpheme_precision": Key(),
        "morpheme_recall": Key(),
        "morpheme_fscore": Key(),
        "morpheme_distance": Key(range=UNBOUNDED, better="lower", is_share=False),
    },
    tally=tally_morpheme,
    formulas=morpheme_scores,
    needs=frozenset({"words", "morphs"}),
    equal_to="evaluate.py of SIGMORPHON 2022",
)
