"""Lessons: questions on segmentation scores, and challenges, whose goal a changed gap reaches; the page computes all numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

_WORDS = ("token_precision", "token_recall", "token_fscore")
_INNER = ("boundary_noedge_precision", "boundary_noedge_recall", "boundary_noedge_fscore")


class Question(NamedTuple):
    """A question on a sentence, and named predictions."""

    title: str
    reference: str
    predictions: Mapping[str, str]
    keys: Sequence[str]  #: the scores that it is about
    answer: str = ""  #: in it `{N[KEY]}` is the score of prediction N, from 0
    #: the sizes of windows to choose from; the first is used until another is chosen, and an empty one is the default
    window_sizes: Sequence[str] = ("",)
    #: for a challenge, by score, its value or `"lower"`, `"the same"` or `"higher"` than that of the only prediction
    goal: Mapping[str, float | str] = {}

    @property
    def guessed_keys(self) -> Sequence[str]:
        """The scores that a visitor guesses: one of several predictions, or two of the only prediction.

        F-scores come before the other scores.
        """
        fscores = [key for key in self.keys if key.endswith("_fscore")]
        if len(self.predictions) > 1:
            key, *_ = [*fscores, *self.keys]
            return [key]
        if len(fscores) > 1:
            return fscores[:2]
        return self.keys[:2]

    def start(self) -> dict[str, str]:
        """Return the fields of the page at the beginning; of several predictions, the first stands in the box."""
        first_prediction, *_ = self.predictions.values()
        return {"reference": self.reference, "prediction": first_prediction}


QUESTIONS: dict[str, Question] = {
    "one-cut": Question(
        "Which costs more: one cut too many or one too few?",
        "the dog is on the boat",
        {"one too many": "the d og is on the boat", "one too few": "thedog is on the boat"},
        (*_WORDS, "type_fscore", "boundary_noedge_fscore", "window_diff"),
        "The first number is with one too many, the second with one too few.\n"
        "One too few costs more in word F-score ({0[token_fscore]} and {1[token_fscore]}), because it breaks two words of the "
        "reference, and in boundary F-score ({0[boundary_noedge_fscore]} and {1[boundary_noedge_fscore]}).\n"
        "One too many costs more in word precision ({0[token_precision]} and {1[token_precision]}), because it makes two wrong "
        "words, and in type F-score ({0[type_fscore]} and {1[type_fscore]}), because the other “the” still finds its type.\n"
        "WindowDiff, with windows of 2 gaps, is the same ({0[window_diff]} and {1[window_diff]}).",
    ),
    "precision-recall": Question(
        "Precision or recall: which one suffers from what?",
        "the dog is on the boat",
        {"cuts too much": "the d og is on the bo at", "cuts too little": "thedog is on theboat"},
        (*_INNER, *_WORDS),
        "Precision asks how much of the prediction is right, recall how much of the reference is found.\n"
        "Who cuts too much finds every boundary (boundary recall {0[boundary_noedge_recall]}) and adds wrong ones (precision "
        "{0[boundary_noedge_precision]}). Who cuts too little adds none (precision {1[boundary_noedge_precision]}) and misses "
        "some (recall {1[boundary_noedge_recall]}).\n"
        "For words, any error costs both, and more cuts cost more precision: word precision {0[token_precision]} and recall "
        "{0[token_recall]} with too many, {1[token_precision]} and {1[token_recall]} with too few.",
    ),
    "near-miss": Question(
        "What does a boundary cost that is one character off?",
        "the dog is on the boat",
        {"one character off": "thed og is on the boat", "no boundary": "thedog is on the boat"},
        (*_INNER, "token_fscore", "pk", "window_diff"),
        "In boundary F-score it costs more than leaving the boundary out: it is a missed and a wrong boundary at once "
        "({0[boundary_noedge_fscore]}, without it {1[boundary_noedge_fscore]}). Both words beside it are wrong either way: word "
        "F-score {0[token_fscore]} and {1[token_fscore]}. For Pk and WindowDiff it costs no more here: {0[pk]} and {1[pk]}.",
    ),
    "everywhere": Question(
        "What does a segmenter score that cuts everywhere, or nowhere?",
        "the dog is on the boat",
        {"everywhere": "t h e d o g i s o n t h e b o a t", "nowhere": "thedogisontheboat"},
        (*_INNER, "token_fscore", "pk", "window_diff"),
        "Everywhere: boundary recall {0[boundary_noedge_recall]}, precision {0[boundary_noedge_precision]}, the share of gaps "
        "that are boundaries. Nowhere: recall {1[boundary_noedge_recall]}. Neither finds a word. Pk prefers the first ({0[pk]}) "
        "to the second ({1[pk]}); for WindowDiff every window of the first is wrong ({0[window_diff]}).",
    ),
    "edges": Question(
        "Why report boundaries without the edges of the utterance?",
        "look at me",
        {"nowhere": "lookatme", "one cut of two": "look atme"},
        (*_INNER, "boundary_all_precision", "boundary_all_recall", "boundary_all_fscore"),
        "Every segmenter finds the two edges. One that cuts nowhere has a boundary F-score of {0[boundary_all_fscore]} with "
        "edges and {0[boundary_noedge_fscore]} without; one cut of two gives {1[boundary_all_fscore]} and "
        "{1[boundary_noedge_fscore]}. The shorter the utterances, the more the edges add.",
    ),
    "windows": Question(
        "What does WindowDiff see that Pk does not?",
        "look at the little dog",
        {"an extra cut": "look a t the little dog"},
        ("pk", "window_diff", "boundary_noedge_precision"),
        "A wrong boundary beside a right one. Pk only asks whether a window has any boundary, and here every window with the "
        "wrong boundary has a right one too: Pk {0[pk]}. WindowDiff counts boundaries: {0[window_diff]}. Lower is better.",
        ("4",),
    ),
    "window-size": Question(
        "What does k, the size of a window, do?",
        "the dog is on the boat",
        {"a boundary missed, one wrong": "thedog is on the bo at"},
        ("pk", "window_diff"),
        "A window of k gaps is wrong for Pk if only one of reference and prediction has a boundary in it, and for WindowDiff if "
        "they do not have equally many. In a large window both have some boundary, so that Pk sees few errors and WindowDiff "
        "most of them. With the k above, Pk is {0[pk]} and WindowDiff {0[window_diff]}. Report k with either score.",
        ("2", "1", "3", "4", "6", "8"),
    ),
    "types": Question(
        "Can most words be found and the lexicon be wrong?",
        "the dog and the cat and the boat and the tree",
        {"rare words cut": "the d og and the c at and the b oat and the tr ee"},
        (*_WORDS, "type_precision", "type_recall", "type_fscore"),
        "Yes: most words of the reference are found, because the frequent ones are right; the rare ones are not. Word recall is "
        "{0[token_recall]}, but type recall {0[type_recall]}, because a type counts once, however often it occurs; word F-score "
        "{0[token_fscore]}, type F-score {0[type_fscore]}.",
    ),
    # Table 1 of Shao, Hardmeier & Nivre (2017).
    "table-1": Question(
        "How do five typical segmenters score? (Table 1 of Shao et al. 2017, English)",
        "John likes Mary",
        {"T1": "J o h n l i k e s M a r y", "T2": "JohnlikesMary", "S1": "John likesMary", "S2": "John l i k e s M a r y",
         "S3": "John likes M a r y"},
        (*_WORDS, "token_tnr"),
        "T1 cuts everywhere and T2 nowhere: neither finds a word, and of these scores only the true negative rate tells them "
        "apart, {0[token_tnr]} and {1[token_tnr]}. Alone it says little: S1 has no more than T2. S1 splits too little and S2 "
        "too much: recall is {2[token_recall]} for both, precision {2[token_precision]} and {3[token_precision]}. S3 finds two "
        "of three words; to split the third too much costs precision, not recall.",
    ),
    "table-1-chinese": Question(
        "How do they score in Chinese, where words are shorter?",
        "约翰 喜欢 玛丽",
        {"T1": "约 翰 喜 欢 玛 丽", "T2": "约翰喜欢玛丽", "S1": "约翰 喜欢玛丽", "S2": "约翰 喜 欢 玛 丽",
         "S3": "约翰 喜欢 玛 丽"},
        (*_WORDS, "token_tnr"),
        "Precision of S2 is {3[token_precision]}, more than in English: a short word breaks into fewer wrong ones. The table "
        "prints 0.77 for the true negative rate of S2, and its formula gives {3[token_tnr]}.",
    ),
    "challenge": Question(
        "Make word F-score 0.5 with one click.", "the dog is on the boat", {"at the start": "thedog is on the boat"},
        ("token_fscore", *_WORDS[:2]), goal={"token_fscore": 0.5},
    ),
    "challenge-precision": Question(
        "Which cut lowers word precision and leaves word recall?", "the dog is on the boat",
        {"at the start": "thedog is on the boat"}, _WORDS,
        goal={"token_precision": "lower", "token_recall": "the same"},
    ),
    "challenge-windows": Question(
        "Make WindowDiff worse with one click, and leave Pk.", "look at the little dog",
        {"at the start": "look at the little dog"}, ("pk", "window_diff"), window_sizes=("4",),
        goal={"window_diff": "higher", "pk": "the same"},
    ),
}  # fmt: skip
