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

from ...kernel.arrays import sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, Tallied
from ...scoring.measures.group import precision_recall_fscore_group


def tally_sentence(comparison: Comparison, group: str = "sentence", edges: int | None = None) -> Tallied:
    """Count sentences, or with `edges` the ends of sentences; `edges` is 0, or −1 to leave out the end of each document.

    The naive equivalent, for one document, is the intersection of two sets of spans, or of ends.
    """
    sides = [
        side.of_words.get("ends_sentence", np.zeros(len(side.word_ends), bool))
        for side in (comparison.reference, comparison.prediction)
    ]
    words = comparison.utterance_reference, comparison.utterance_prediction
    counts = [*map(sum_by_utterance, sides, words)]
    shared = comparison.shared_reference, comparison.shared_prediction
    is_shared = sides[0][shared[0]] & sides[1][shared[1]]
    utterances = np.searchsorted(np.cumsum(words[0]), shared[0][is_shared], side="right")
    is_matched = np.ones(len(utterances), bool)
    if edges is None:
        for ends, sentences, places in zip(sides, counts, shared, strict=True):
            # Sentences end with the words 2 5 7 9, and the ends 2 7 9 are shared: the numbers 1 3 4 have the steps 1 2 1, and the
            # step of 2 is no match.
            number = np.searchsorted(np.flatnonzero(ends), places[is_shared], side="right")
            before = (np.cumsum(sentences) - sentences)[utterances]
            is_matched &= number - np.maximum(np.concatenate(([0], number[:-1])), before) == 1
    matched = np.bincount(utterances[is_matched], minlength=len(words[0]))
    more = edges or 0
    matched, predicted, reference = (count + more * (count > 0) for count in (matched, counts[1], counts[0]))
    return Counts(matched, predicted, reference).columns(group)


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
            f"sentence_boundary_{edge}",
            title=f"sentence boundaries {title}",
            heading=f"Sentence boundary {{}} ({title})",
            definition=f"Positions of documents at which a sentence ends, {definition}.",
            source=source,
            tally=partial(tally_sentence, group=f"sentence_boundary_{edge}", edges=edges),
            needs=frozenset({"units", "documents"}),
            equal_to=tool,
        )
        for edge, edges, title, definition, source, tool in (
            ("end", 0, "with the end", "including the end of the document", "Minixhofer et al. (2023)", "wtpsplit"),
            ("noedge", -1, "without edges", "without the end of the document", "Wicks & Post (2021)", "ersatz"),
        )
    ),
)
