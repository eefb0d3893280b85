"""Word error: inserted, deleted and substituted words, and their rate.

Conventions
-----------
- A predicted word is correct where the reference has the same span. A run is the words between two neighbouring correct
  words (or the ends of the utterance). R reference words and P predicted words of a run make min(R, P) substitutions,
  and R − P deletions or P − R insertions.
- The three are counts, which add up over utterances: D − I = RP − PP and I + D + 2·S = RP + PP − 2·TP, in the symbols
  of the token scores.

- The word error rate exceeds 1 where the prediction has many more words than the reference. Without reference words it is
  the number of inserted words (`on_mismatch="align"`).

Other counts
------------
- The SIGHAN bakeoff's `score` uses `diff -y`, which pairs the words of a line by their text and not by their position.
  So it may take a word for an equal one elsewhere: if two alignments keep equally many words, or if its heuristics find
  an alignment that keeps fewer. For the UD Chinese-GSD test set and jieba this changes 2 of 500 utterances: I, D and S
  are 370, 1246 and 2179 here (sum 3795), and 373, 1249 and 2177 there (sum 3799). The script also counts every word
  `|`, `<` or `>` as an error, because it takes them for marks of `diff`.
- The edit distance over the words as strings (jiwer, NIST sclite) is never above I + D + S. It is lower where an equal
  word elsewhere helps, or where giving up a correct word pairs the words around it better: for the reference `a b c X
  def` and the prediction `abc X d e f` it is 5, with X as an error, and 6 here. It takes quadratic time in the worst
  case. For the test set above it is 3795 too, with other values of I, D and S.

Sources
-------
Sproat & Emerson (2003), The First International Chinese Word Segmentation Bakeoff, SIGHAN, 133-143, and its scoring script
(NCHANGE over TRUE WORD COUNT); Teahan, Wen, McNab & Witten (2000), Computational Linguistics 26:375-393.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...kernel.arrays import Positions, last_of, lengths_of
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, as_score, error_rate
from .group import UNBOUNDED, Key, ScoreGroup

_KINDS = ("word_insertions", "word_deletions", "word_substitutions")


def tally_word_error(comparison: Comparison) -> Tallied:
    """Count insertions, deletions and substitutions of words.

    The naive equivalent, for one utterance, splits both lists of spans at the spans that both have, into runs of R and P
    words, and adds up `min(R, P)`, `max(P - R, 0)` and `max(R - P, 0)`.
    """
    matched = comparison.utterance_matched
    reference_runs = _runs(comparison.shared_reference[comparison.matched], comparison.utterance_reference, matched)
    predicted_runs = _runs(comparison.shared_prediction[comparison.matched], comparison.utterance_prediction, matched)
    # An utterance has one more run than correct words: with 1 and 0 correct words, the runs are of the utterances 0 0 1.
    utterances = np.repeat(np.arange(len(matched)), matched + 1)
    substitutions_of_runs = np.minimum(reference_runs, predicted_runs)
    substitutions = np.bincount(utterances, substitutions_of_runs, minlength=len(matched)).astype(np.int64)
    return {
        "word_insertions": comparison.utterance_prediction - matched - substitutions,
        "word_deletions": comparison.utterance_reference - matched - substitutions,
        "word_substitutions": substitutions,
        "token_reference": comparison.utterance_reference,
    }


def _runs(correct: Positions, words: Positions, matched: Positions) -> Positions:
    """Return the number of words of each run of a side, before each correct word and at the end of each utterance.

    `correct` are the indexes of the correct words of the side. `words` and `matched` count the words and the correct words of
    each utterance.
    """
    # Words 1 and 3 of the 5 words 0 to 4 are correct. The runs 0, 2 and 4 end before the indices 1 3 5: before a correct word,
    # or at the end of the utterance.
    matched_ends = np.cumsum(matched)
    ends = np.insert(correct, matched_ends, np.cumsum(words))
    # 1 1 0: so many words come between the end of a run and the beginning of the next, a correct word or none.
    words_after = np.insert(np.ones(last_of(matched_ends), np.int64), matched_ends, 0)
    # The runs with the words after them end at 2 4 5: they have 2 2 1 words, and 1 1 1 without the words after them.
    runs: Positions = lengths_of(ends + words_after) - words_after
    return runs


def word_error_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute the word error rate, and the counts of the three kinds of errors."""
    errors = counts["word_insertions"] + counts["word_deletions"] + counts["word_substitutions"]
    rate = error_rate(errors, counts["token_reference"], zero_division)
    return {"word_error_rate": rate, **{kind: as_score(counts[kind]) for kind in _KINDS}}


GROUP = ScoreGroup(
    name="word_error",
    title="word errors",
    definition="Insertions I, deletions D and substitutions S of words, between one correct word and the next.",
    formula="word_error_rate (I + D + S) / RP, word_insertions I, word_deletions D, word_substitutions S",
    source="Sproat & Emerson (2003)",
    columns=(*_KINDS, "token_reference"),
    keys={
        "word_error_rate": Key(range=UNBOUNDED, better="lower"),
        **dict.fromkeys(_KINDS, Key(range=UNBOUNDED, better="lower", is_share=False)),
    },
    tally=tally_word_error,
    is_of_words=True,
    also_called=("wer",),
    formulas=word_error_scores,
    equal_to="SIGHAN score, except for its diff",
)
