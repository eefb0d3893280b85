"""Analyses: the lists of morphemes that an utterance, a word, may have: the column `analyses` of utterances."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import bools_of, int64_array, large_lists
from ...kernel.segmentation import Segmentation


def analyses_of(segmentation: Segmentation) -> pa.LargeListArray:
    """Return the lists of morphemes that each utterance may have; one without analyses, or with null, has one list, its words.

    >>> from segscores.reading.readers import from_words_text
    >>> analyses_of(from_words_text(b"un do able\\n\\n")).to_pylist()
    [[['un', 'do', 'able']], [[]]]
    """
    analyses = segmentation.of_utterances.get("analyses")
    if analyses is None:
        return _words_of(segmentation)
    if not analyses.null_count:
        return analyses
    # Rows of both columns, one after the other: the words of utterance i stand in row count + i.
    count = len(analyses)
    rows = np.arange(count) + np.where(bools_of(analyses.is_valid()), 0, count)
    return pc.take(pa.concat_arrays([analyses, _words_of(segmentation)]), int64_array(rows))


def _words_of(segmentation: Segmentation) -> pa.LargeListArray:
    """Return for each utterance a list with one list, its words."""
    ends = np.searchsorted(segmentation.word_ends, segmentation.utterance_ends, side="right")
    kind = pa.large_list(pa.large_string())
    lists = large_lists(np.concatenate(([0], ends)), segmentation.words().cast(pa.large_string()), kind)
    return large_lists(np.arange(len(ends) + 1), lists, pa.large_list(kind))
