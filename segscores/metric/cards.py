"""Cards: what `evaluate` shows of the metric and of its configurations, for people who ask for help."""

from __future__ import annotations

__all__ = [
    "ALIGNMENT_DESCRIPTION",
    "ALIGNMENT_INPUTS_DESCRIPTION",
    "CITATION",
    "DESCRIPTION",
    "DIFFICULTY_DESCRIPTION",
    "DIFFICULTY_INPUTS_DESCRIPTION",
    "INPUTS_DESCRIPTION",
    "REFERENCE_URLS",
]

DESCRIPTION = """\
Scores for word segmentation: how well the boundaries, the word tokens and the word types of a predicted segmentation agree
with those of a reference, over the same units (characters, phones). Precision, recall and F-score of boundaries with and
without an utterance's edges, of word tokens and of word types, and the true negative rate of word tokens.
"""

INPUTS_DESCRIPTION = """
Args:
    predictions: one segmented utterance each: strings, lists of words, or lists of labels (one a unit).
    references: the same, in the same form, with the same units.
    scores: a score group's name or several, of "boundary_all", "boundary_noedge", "token", "type" and "tnr" (together the
        default), or "recall", the four recalls alone; or "oov", "exact", "word_error", "rand", "rates", "tolerance",
        "windows", "similarity", "agreement", "unit_error", "dictionary".
    text_format: how strings are read. "units" (default): units separated by spaces, with `word_boundary` tokens between
        words. "words": words separated by whitespace, every character a unit.
    word_boundary: the token between words in "units" text. Default "WORD_BOUNDARY".
    ignored_tokens: tokens of "units" text to drop, such as ";esyll".
    label_scheme: how labels are read: "start" (1 starts a word), "end" (1 ends one), "BI" or "BMES" tags.
    zero_division: the value of an undefined score, 0/0: a number in [0, 1] or nan. Default 0.0.
    dictionary: segments that could be words, for the scores "dictionary", which then join the default ones.
    acceptable: segments that are no negatives of those scores.
    vocabulary: the training words, a list or a segmented corpus, for the scores "oov", which then join the default ones.
    window_size: gaps in a window, for the scores "windows", or "utterance". Default: half the mean word length.
    window_convention: "segeval" (default), "nltk" or "nltk_units", for the scores "windows".
    tolerance: units that a boundary may be off, for the scores "tolerance". Default 1.
    transposition_span: gaps that a near miss spans, for "similarity" and "agreement". Default 2.
    normalize: "NFC", "NFD", "NFKC" or "NFKD", for both sides. Default None.
    on_mismatch: what becomes of utterances whose units differ: "error" (default), "skip" or "align".
    average: "micro" (default) for scores of the corpus, "macro" for the mean over its utterances.
    confidence: such as 0.95, for intervals: `<key>_low` and `<key>_high`. Default None.
    n_resamples: how many, for the intervals. Default 1000.
    seed: of the resamples. Default 0.
    interval_method: "percentile" (default) or "bca".

Returns:
    A dict of plain floats, in [0, 1] and higher is better unless `metric.score_groups()` says otherwise:
    `{boundary_all,boundary_noedge,token,type}_{precision,recall,fscore}`
    and `token_tnr`, as far as `scores` asks for them; `dictionary_{tpr,ppv,tnr,npv}` with a
    dictionary. Labels do not say what the words are, so they give no type scores.

Raises:
    TypeError: inputs of no known form, of mixed forms, or missing; an unknown option.
    ValueError: different numbers of predictions and references, or different units in a pair; a bad value of an option.
        The message names the utterance.

Examples:

    >>> metric = evaluate.load("segmentation_scores.py")
    >>> scores = metric.compute(
    ...     references=["the dog is on the boat"], predictions=["thedog is on the boat"], text_format="words"
    ... )
    >>> {key: round(value, 2) for key, value in scores.items() if key.startswith("token")}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73, 'token_tnr': 0.99}
"""

CITATION = """\
@article{brent1999efficient,
  title={An efficient, probabilistically sound algorithm for segmentation and word discovery},
  author={Brent, Michael R.}, journal={Machine Learning}, volume={34}, pages={71--105}, year={1999}
}
@article{goldwater2009bayesian,
  title={A {B}ayesian framework for word segmentation: Exploring the effects of context},
  author={Goldwater, Sharon and Griffiths, Thomas L. and Johnson, Mark},
  journal={Cognition}, volume={112}, number={1}, pages={21--54}, year={2009}
}
@inproceedings{shao2017recall,
  title={Recall is the Proper Evaluation Metric for Word Segmentation},
  author={Shao, Yan and Hardmeier, Christian and Nivre, Joakim}, booktitle={Proceedings of IJCNLP}, year={2017}
}
@inproceedings{jiang2011evaluation,
  title={Evaluation via Negativa of {C}hinese Word Segmentation for Information Retrieval},
  author={Jiang, Mike Tian-Jian and Shih, Cheng-Wei and Tsai, Richard Tzong-Han and Hsu, Wen-Lian},
  booktitle={Proceedings of PACLIC}, year={2011}
}
@inproceedings{qian2016psychometric,
  title={A New Psychometric-inspired Evaluation Metric for {C}hinese Word Segmentation},
  author={Qian, Peng and Qiu, Xipeng and Huang, Xuanjing}, booktitle={Proceedings of ACL}, pages={2185--2194}, year={2016}
}
@techreport{arcade1999,
  title={{ARCADE}: Sentence track metrics},
  note={After Isabelle, P. and Simard, M. (1996), Propositions pour la repr{\\'e}sentation et l'{\\'e}valuation des
        alignements de textes parall{\\`e}les}
}
"""

REFERENCE_URLS = [
    "https://aclanthology.org/I17-2015/",
    "https://aclanthology.org/P16-1206/",
    "https://aclanthology.org/Y11-1011/",
    "https://huggingface.co/spaces/transformersegmentation/segmentation_scores",
    "https://github.com/bootphon/wordseg",
]

DIFFICULTY_DESCRIPTION = """\
Scores for word segmentation that are balanced by the difficulty of the reference's words (Qian et al. 2016): a hard word that is
recovered is rewarded, an easy one that is missed is punished.
"""

DIFFICULTY_INPUTS_DESCRIPTION = """
Args:
    predictions: one segmented utterance each: strings, lists of words, or lists of labels (one a unit).
    references: the same, in the same form, with the same units.
    difficulties: for each utterance a list of numbers in [0, 1], one for each word of the reference: the share of a committee
        of segmenters that misses it.
    text_format, word_boundary, ignored_tokens, label_scheme: how utterances are read, as without a configuration.
    zero_division: the value of an undefined score, 0/0: a number in [0, 1] or nan. Default 0.0.

Returns:
    `{reward,punishment,balanced}_{precision,recall}` and `balanced_fscore`, plain floats in [0, 1], higher is better. The words
    recovered in each tenth of the range of difficulty: `metric.recovered_by_decile`.

Examples:

    >>> metric = evaluate.load("segmentation_scores.py", "difficulty")
    >>> scores = metric.compute(
    ...     references=["the dog barks"],
    ...     predictions=["the dogbarks"],
    ...     difficulties=[[0.5, 0.5, 0.0]],
    ...     text_format="words",
    ... )
    >>> scores["reward_recall"], scores["punishment_recall"], scores["balanced_recall"]
    (0.5, 0.25, 0.3333333333333333)
"""

ALIGNMENT_DESCRIPTION = """\
Scores for the alignment of two texts, segment by segment (ARCADE): precision, recall and F-score of bisegments, and of the pairs
of segments, of words and of characters that they join; and the strict and lax scores of vecalign.
"""

ALIGNMENT_INPUTS_DESCRIPTION = """
Args:
    predictions: for each bitext a list of bisegments: {"source": [0], "target": [0, 1]}, or pairs ([0], [0, 1]). Segments
        are counted from 0. A single bitext needs no list around it.
    references: the same.
    sources, targets: for each bitext a list of strings, the texts of its segments. Without them there are no scores by words
        or characters.
    scores: a level's name or several, of "alignment", "sentence", "word", "character", "strict" and "lax". Default: all.
    zero_division: the value of an undefined score, 0/0: a number in [0, 1] or nan. Default 0.0.

Returns:
    `{alignment,sentence,word,character,strict,lax}_{precision,recall,fscore}`, plain floats in [0, 1], higher is better.

Examples:

    >>> metric = evaluate.load("segmentation_scores.py", "alignment")
    >>> scores = metric.compute(
    ...     references=[{"source": [0], "target": [0]}, {"source": [1], "target": [1, 2]}],
    ...     predictions=[{"source": [0], "target": [0]}, {"source": [1], "target": [2]}],
    ... )
    >>> scores["alignment_fscore"], scores["sentence_recall"]
    (0.5, 0.6666666666666666)
"""
