"""Tagged tokens: words with the right span and the right tag, as in joint segmentation and part-of-speech tagging.

Conventions
-----------
- Tags are compared as they are written: `NN` and `NN-SBJ` differ.
- The tag is the column UPOS or XPOS of CoNLL-U, the first feature of MeCab, the part of speech of JUMAN, KyTea's first tag, what
  follows the last separator of a word with a tag, or the second of a pair.
- Words are tokens. A multiword token of CoNLL-U counts as its words, which `documents.syntactic_word` aligns. So the scores are
  those of the UD evaluation. Where units are aligned (`on_mismatch="align"`) or words are left out (`ignore_words`), a multiword
  token is one word, whose tag is the tags of its words with `+` between them.

Sources
-------
Ng & Low (2004), EMNLP, 277-284, the joint F of Chinese; Zeman et al. (2018), CoNLL, 1-21, the columns UPOS and XPOS; MeCab's
`mecab-system-eval`, level 1.
"""

from __future__ import annotations

from dataclasses import replace

from ...kernel import arrow_functions as pc
from ...kernel.arrays import bools_of, int64_array, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Tallied
from ...scoring.measures.group import precision_recall_fscore_group
from ..documents.syntactic_word import count_words, has_multiword_tokens


def tally_tagged_token(comparison: Comparison, tags: str) -> Tallied:  # noqa: ARG001 - the reader takes that column
    """Count words, and words that are the same span with the same tag on both sides.

    The naive equivalent, for one utterance, is the intersection of two sets of (start, end, tag). Where a side has multiword
    tokens, their words are counted.
    """
    is_matched = comparison.matched.copy()
    if is_matched.any():
        # The numbers of the words that end at a shared boundary and have the right span.
        reference_words = int64_array(comparison.shared_reference[is_matched])
        predicted_words = int64_array(comparison.shared_prediction[is_matched])
        tags_of_reference = pc.take(comparison.reference.of_words["tags"], reference_words)
        tags_of_prediction = pc.take(comparison.prediction.of_words["tags"], predicted_words)
        # Words match if they also have the right tag.
        is_matched[is_matched] = bools_of(pc.equal(tags_of_reference, tags_of_prediction))
    # A comparison of another class has aligned units, or leaves words out: there a multiword token is one word.
    if type(comparison) is Comparison and has_multiword_tokens(comparison):
        return count_words(comparison, is_matched, with_tags=True).columns("tagged_token")
    matched = sum_by_utterance(is_matched, comparison.utterance_shared)
    return replace(comparison.tokens(), matched=matched).columns("tagged_token")


GROUP = precision_recall_fscore_group(
    "tagged_token",
    title="words with their tags",
    heading="Tagged token {}",
    definition="Words of formats with tags; a match is a word with the same span and the same tag on both sides (joint F-score).",
    source="Ng & Low (2004); Zeman et al. (2018)",
    tally=tally_tagged_token,
    needs=frozenset({"units", "tags"}),
    is_of_words=True,
    equal_to="UD evaluation (UPOS, XPOS), mecab-system-eval (level 1)",
)
