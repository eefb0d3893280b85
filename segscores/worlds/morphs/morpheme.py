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
from ...kernel.arrays import bools_of, int64_array, lengths_of, numbers_of, offsets_of
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Counts, Score, Tallied, divide, precision_recall_fscore
from ...kernel.segmentation import TOKEN
from ...scoring.measures.group import COUNT, Key, ScoreGroup
from .analyses import analyses_of

#: The sign between morphemes, by the kind of units; each token has a space after it.
_SIGNS = {"character": "|", TOKEN: "| "}
#: More distinct morphemes have no character each: surrogates are none.
_MOST_MORPHEMES = 0xD800


def tally_morpheme(comparison: Comparison) -> Tallied:
    """Count the matched, predicted and reference morphemes of each word, and the edits between its lists.

    Only lists that differ are compared, by rapidfuzz.
    """
    unit = comparison.reference.unit
    # Aligned words are placed on the reference's units, and have no analyses of their own.
    sides = [comparison.reference, getattr(comparison.prediction, "original", comparison.prediction)]
    morphemes = [_first(analyses_of(side)) for side in sides]
    reference, predicted = (lengths_of(offsets_of(lists)[1:] - offsets_of(lists)[0]) for lists in morphemes)
    sign = pa.scalar(_SIGNS[unit], pa.large_string())
    texts = [pc.binary_join(lists, sign) for lists in morphemes]
    differ = np.flatnonzero(bools_of(pc.not_equal(*texts)))
    matched = reference.copy()
    edits = np.zeros_like(reference)
    if len(differ):
        from rapidfuzz import distance, process

        places = int64_array(differ)
        differing_texts: Any = [pc.take(text, places).to_pylist() for text in texts]
        if unit == TOKEN:
            # An edit changes a whole unit, of any number of characters.
            differing_texts = [[text.split(" ") for text in side] for side in differing_texts]
        edits[differ] = process.cpdist(*differing_texts, scorer=distance.Levenshtein.distance, dtype=np.int64)
        differing_lists = _coded([pc.take(lists, places) for lists in morphemes])
        matched[differ] = process.cpdist(*differing_lists, scorer=distance.LCSseq.similarity, dtype=np.int64)
    words = ((reference > 0) | (predicted > 0)).astype(np.int64)
    return {
        **Counts(matched, predicted, reference).columns("morpheme"),
        "morpheme_edits": edits,
        "morpheme_words": words,
    }


def _first(analyses: pa.LargeListArray) -> pa.LargeListArray:
    lists = analyses.flatten()
    if len(lists) == len(analyses):
        return lists
    # In a slice with the offsets 4 6 7 10, the first analyses are 0 2 3.
    offsets = offsets_of(analyses)
    return pc.take(lists, int64_array(offsets[:-1] - offsets[0]))


def _coded(sides: Sequence[pa.LargeListArray]) -> list[Sequence[Any]]:
    """Return each list of both sides as a string with a character for each morpheme, or as numbers if there are too many.

    The lists a|b, b|c and a of two sides become "\\0\\1", "\\1\\2" and "\\0".
    """
    both = pa.concat_arrays([side.flatten() for side in sides]).dictionary_encode()
    numbers = numbers_of(both.indices)
    if len(both.dictionary) < _MOST_MORPHEMES:
        codes = numbers.astype("<u4").tobytes().decode("utf-32-le")
    else:
        codes = numbers.tolist()
    coded: list[Sequence[Any]] = []
    before = 0
    for side in sides:
        # Lists of 2 and 3 morphemes after 10 of the other side: 10 12 15.
        ends = (offsets_of(side) - offsets_of(side)[0] + before).tolist()
        coded.append([codes[start:end] for start, end in pairwise(ends)])
        before = ends[-1]
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
        "morpheme_distance": Key(range=COUNT, better="lower", is_share=False),
    },
    tally=tally_morpheme,
    formulas=morpheme_scores,
    needs=frozenset({"words", "morphs"}),
    equal_to="evaluate.py of SIGMORPHON 2022",
)
