"""Sentences of documents: exact spans, and the boundaries between them.

Conventions
-----------
In documents (`documents=True`) an utterance is a document of several sentences. Whitespace is no unit, so that it does not matter
on which side of a space a sentence ends.

| group | what is counted in a document of k sentences | matched | counted so by |
|---|---|---|---|
| `sentence` | k sentences | a sentence with the same two ends on both sides | the UD evaluation |
| `sentence_boundary_end` | k positions at which a sentence ends | a position on both sides | wtpsplit |
| `sentence_boundary_noedge` | k − 1 positions between two sentences | a position on both sides | ersatz |

The end of a document is the end of a sentence on both sides, so that `sentence_boundary_end` is never 0.

Where the units differ (`on_mismatch="align"`), a sentence is matched if both its ends are shared boundaries.

Sources
-------
Zeman et al. (2018), CoNLL, 1-21; Minixhofer, Pfeiffer & Vulić (2023), ACL, 7215-7235: wtpsplit; Wicks & Post (2021), ACL,
3995-4007: ersatz.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...kernel.arrays import Mask, Positions, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, Tallied
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...scoring.measures.group import precision_recall_fscore_group


def tally_sentence(comparison: Comparison, group: str = "sentence", edges: int | None = None) -> Tallied:
    """Count sentences or, with `edges`, the ends of sentences.

    `edges` is 0 to count the end of each document too, and −1 to leave it out: a document of 3 sentences then has 2 ends.

    The naive equivalent, for one document, is the intersection of two sets of spans, or of ends.
    """
    # `comparison.utterance_reference` and `utterance_prediction` are the numbers of words of each document, on the two sides.
    reference = _Side.of(comparison.reference, comparison.utterance_reference)
    prediction = _Side.of(comparison.prediction, comparison.utterance_prediction)
    # A shared boundary stands for the words that end there: `shared_reference` and `shared_prediction` have the indices of these
    # words, on the two sides, among all words of all documents. Of these boundaries only the shared ends of sentences are kept.
    is_shared_end = (
        reference.ends_sentence[comparison.shared_reference] & prediction.ends_sentence[comparison.shared_prediction]
    )
    shared_words = comparison.shared_reference[is_shared_end]
    other_shared_words = comparison.shared_prediction[is_shared_end]
    # Documents of 4 and 3 words end before the words 4 and 7: the word 3 is in document 0, the word 4 in document 1.
    documents = np.searchsorted(np.cumsum(comparison.utterance_reference), shared_words, side="right")
    is_matched = np.ones(len(documents), bool)
    if edges is None:
        # A sentence is matched if no side has another end between its own end and the shared end before.
        is_matched &= reference.are_one_sentence(shared_words, documents)
        is_matched &= prediction.are_one_sentence(other_shared_words, documents)
    matched = np.bincount(documents[is_matched], minlength=len(reference.counts))
    counts = Counts(matched, prediction.counts, reference.counts)
    if edges == -1:
        counts = Counts(*(_without_last(count) for count in (counts.matched, counts.predicted, counts.reference)))
    return counts.columns(group)


def _without_last(counts: Positions) -> Positions:
    """Return the numbers of ends without the end of each document, which both sides have unless it is blank."""
    return np.maximum(counts - 1, 0)


@record
class _Side:
    """The sentences of a side."""

    ends_sentence: Mask  #: which words end a sentence
    counts: Positions  #: the number of sentences of each document

    @classmethod
    def of(cls, side: Segmentation, word_counts: Positions) -> _Side:
        """Return the sentences of a side; text that is no document has none."""
        ends_sentence = side.of_words.get("ends_sentence", np.zeros(len(side.word_ends), bool))
        return cls(ends_sentence, sum_by_utterance(ends_sentence, word_counts))

    def are_one_sentence(self, words: Positions, documents: Positions) -> Mask:
        """Return for each of these words whether one sentence alone lies between the end of the word before it and its own end.

        `words` are indices of words that end a sentence, and increase, and `documents` the indices of their documents. For the
        first of the words in a document, the sentence begins with the document.
        """
        # Sentences end with the words 2 5 7 9, and the words are 2 7 9: up to these there are 1 3 4 sentences, and the steps are
        # 1 2 1. Between the words 2 and 7 there are two sentences.
        sentences_up_to = np.searchsorted(np.flatnonzero(self.ends_sentence), words, side="right")
        sentences_before_document = (np.cumsum(self.counts) - self.counts)[documents]
        previous = np.maximum(np.concatenate(([0], sentences_up_to[:-1])), sentences_before_document)
        return np.asarray(sentences_up_to - previous == 1)


GROUPS = (
    precision_recall_fscore_group(
        "sentence",
        title="sentences",
        definition="Sentences of documents; a match is a sentence with the same start and the same end on both sides.",
        source="Zeman et al. (2018)",
        tally=tally_sentence,
        needs=frozenset({"units", "documents"}),
        equal_to="UD evaluation",
    ),
    *(
        precision_recall_fscore_group(
            f"sentence_boundary_{name}",
            title=f"sentence boundaries {title}",
            heading=f"Sentence boundary {{}} ({title})",
            definition=f"Positions of documents at which a sentence ends, {definition}.",
            source=source,
            tally=partial(tally_sentence, group=f"sentence_boundary_{name}", edges=edges),
            needs=frozenset({"units", "documents"}),
            equal_to=tool,
        )
        # `edges` is that of `tally_sentence`: 0 counts the end of a document, and -1 leaves it out.
        for name, edges, title, definition, source, tool in (
            ("end", 0, "with the end", "including the end of the document", "Minixhofer et al. (2023)", "wtpsplit"),
            ("noedge", -1, "without edges", "without the end of the document", "Wicks & Post (2021)", "ersatz"),
        )
    ),
)
