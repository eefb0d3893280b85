"""Corpora as the kernel has them, and tallies of two sides, for tests of what is counted."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from segscores.kernel.comparison import Comparison
from segscores.kernel.segmentation import Segmentation
from segscores.reading.form import read_pair
from segscores.reading.inputs import LABELS, WORDS
from segscores.reading.labels import from_labels
from segscores.reading.readers import from_units_text, from_word_lists, from_words_text
from segscores.reading.sources.sides import open_inputs
from segscores.scoring.mismatch import align_segmentations, compare_segmentations
from segscores.scoring.passes import concatenate_tallies, sum_tallies, with_reference
from segscores.scoring.plan import Plan
from segscores.scoring.tally import Tally
from segscores.scoring.utterance_tally import UtteranceTally

from .corpora import Corpus, start_labels, units_text, word_lists, words_text


def text_of(*lines: str) -> Segmentation:
    """Lines of words text."""
    return from_words_text("".join(f"{line}\n" for line in lines).encode())


def units_of(*lines: str, word_boundary: str = "WORD_BOUNDARY") -> Segmentation:
    """Lines of units text."""
    return from_units_text("".join(f"{line}\n" for line in lines).encode(), word_boundary)


#: How a corpus is read, by the form that it is written in first.
READERS: dict[str, Callable[[Corpus], Segmentation]] = {
    "words_text": lambda corpus: text_of(*words_text(corpus)),
    "units_text": lambda corpus: units_of(*units_text(corpus)),
    "word_lists": lambda corpus: from_word_lists(pa.array(word_lists(corpus), WORDS)),
    "labels": lambda corpus: from_labels(pa.array(start_labels(corpus), LABELS), "start"),
}


def read(corpus: Corpus, form: str = "word_lists") -> Segmentation:
    return READERS[form](corpus)


def words_of(segmentation: Segmentation) -> list[list[str]]:
    """The words of every utterance, as text; units of more than a character are followed by a space each."""
    words = [word.decode() for word in segmentation.words().to_pylist()]
    counts = np.searchsorted(segmentation.word_ends, segmentation.utterance_ends, side="right").tolist()
    return [words[start:stop] for start, stop in zip([0, *counts], counts, strict=False)]


def compared(references: Corpus, predictions: Corpus, form: str = "word_lists") -> Comparison:
    return compare_segmentations(read(references, form), read(predictions, form))


def aligned(reference: Segmentation, prediction: Segmentation) -> Comparison:
    return align_segmentations(reference, prediction)


def summed(columns: Mapping[str, Any]) -> dict[str, int]:
    """The counts of a corpus from those of its utterances."""
    return {column: int(values.sum()) for column, values in columns.items()}


def listed(columns: Mapping[str, Any]) -> dict[str, list[int]]:
    return {column: values.tolist() for column, values in columns.items()}


def tally_columns(references: Any, predictions: Any, plan: Plan) -> Tally:
    sides = open_inputs(plan.reading, references, predictions)
    return sum_tallies(sides, with_reference(sides[0], plan)[0])[0][0]


def tally_of(references: Corpus, predictions: Corpus, **options: Any) -> UtteranceTally:
    """Return the tally of two sides that are written as units text."""
    return tally_utterances(*read_pair(units_text(references), units_text(predictions)), Plan.of(**options))


def tally_utterances(references: Any, predictions: Any, plan: Plan) -> UtteranceTally:
    """The naive equivalent tallies every utterance by itself."""
    sides = open_inputs(plan.reading, references, predictions)
    return concatenate_tallies(sides, with_reference(sides[0], plan)[0])[0][0]
