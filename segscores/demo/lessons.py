"""Lessons: questions on segmentation scores; the page computes the numbers of each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

_WORDS = ("token_precision", "token_recall", "token_fscore")
_INNER = ("boundary_noedge_precision", "boundary_noedge_recall", "boundary_noedge_fscore")


class Question(NamedTuple):
    """A question on a sentence, and predictions by the names that its answer uses, where `{NAME[KEY]}` is a score."""

    title: str
    reference: str
    predictions: Mapping[str, str]
    keys: Sequence[str]
    answer: str
    window_size: str = ""


QUESTIONS: dict[str, Question] = {
    "one-cut": Question(
        "Which costs more: one cut too many or one too few?",
        "the dog is on the boat",
        {"one too many": "the d og is on the boat", "one too few": "thedog is on the boat"},
        (*_WORDS, "type_fscore", "boundary_noedge_fscore", "window_diff"),
        "It depends on the score.\nWord recall and F-score: one too few. It breaks two words of the reference, a cut too many "
        "breaks one: F-score {one too few[token_fscore]:.3f} against {one too many[token_fscore]:.3f}.\nWord precision: one too "
        "many. It makes two wrong words, a missing cut makes one: {one too many[token_precision]:.3f} against {one too "
        "few[token_precision]:.3f}.\nType F-score: one too many as well, {one too many[type_fscore]:.3f} against {one too "
        "few[type_fscore]:.3f}, because the other “the” still finds its type.\nWindowDiff with windows of 2 gaps: both cost "
        "{one too few[window_diff]:.3f}.",
    ),
    "near-miss": Question(
        "What does a boundary cost that is one character off?",
        "the dog is on the boat",
        {"one character off": "thed og is on the boat", "no boundary": "thedog is on the boat"},
        (*_INNER, "token_fscore"),
        "More than no boundary at all. It is a missed and a wrong boundary at once: boundary F-score {one character "
        "off[boundary_noedge_fscore]:.3f}, without it {no boundary[boundary_noedge_fscore]:.3f}. Both words beside it are "
        "wrong either way: word F-score {one character off[token_fscore]:.3f} and {no boundary[token_fscore]:.3f}.",
    ),
    "everywhere": Question(
        "What does a segmenter score that cuts everywhere, or nowhere?",
        "the dog is on the boat",
        {"everywhere": "t h e d o g i s o n t h e b o a t", "nowhere": "thedogisontheboat"},
        (*_INNER, "token_fscore"),
        "Everywhere: boundary recall {everywhere[boundary_noedge_recall]:.3f}, precision "
        "{everywhere[boundary_noedge_precision]:.3f}: the share of gaps that are boundaries. Nowhere: recall "
        "{nowhere[boundary_noedge_recall]:.3f}. Neither finds a word: word F-score {everywhere[token_fscore]:.3f} and "
        "{nowhere[token_fscore]:.3f}. Recall alone says little; look at precision too.",
    ),
    "edges": Question(
        "Why report boundaries without the edges of the utterance?",
        "look at me",
        {"nowhere": "lookatme", "one cut of two": "look atme"},
        (*_INNER, "boundary_all_precision", "boundary_all_recall", "boundary_all_fscore"),
        "Every segmenter finds the two edges. One that cuts nowhere has a boundary F-score of "
        "{nowhere[boundary_all_fscore]:.3f} with edges and {nowhere[boundary_noedge_fscore]:.3f} without; one cut of two "
        "gives {one cut of two[boundary_all_fscore]:.3f} and {one cut of two[boundary_noedge_fscore]:.3f}. The shorter the "
        "utterances, the more the edges add.",
    ),
    "windows": Question(
        "What does WindowDiff see that Pk does not?",
        "look at the little dog",
        {"an extra cut": "look a t the little dog"},
        ("pk", "window_diff", "boundary_noedge_precision"),
        "A wrong boundary beside a right one. Pk only asks whether a window has any boundary, and here every window with the "
        "wrong boundary has a right one too: Pk {an extra cut[pk]:.3f}. WindowDiff counts boundaries: {an extra "
        "cut[window_diff]:.3f}. For both, lower is better; windows have 4 gaps here.",
        "4",
    ),
    "types": Question(
        "Can most words be right and the lexicon wrong?",
        "the dog and the cat and the boat and the tree",
        {"rare words cut": "the d og and the c at and the b oat and the tr ee"},
        (*_WORDS, "type_precision", "type_recall", "type_fscore"),
        "Yes: most words of the reference are found, because the frequent ones are right; the rare ones are not. Word "
        "recall is {rare words cut[token_recall]:.3f}, but type recall {rare words cut[type_recall]:.3f}, because a type "
        "counts once, however often it occurs; word F-score {rare words cut[token_fscore]:.3f}, type F-score {rare words "
        "cut[type_fscore]:.3f}.",
    ),
    # Table 1 of Shao, Hardmeier & Nivre (2017).
    "table-1": Question(
        "How do five typical segmenters score? (Table 1 of Shao et al. 2017, English)",
        "John likes Mary",
        {"T1": "J o h n l i k e s M a r y", "T2": "JohnlikesMary", "S1": "John likesMary", "S2": "John l i k e s M a r y",
         "S3": "John likes M a r y"},
        (*_WORDS, "token_tnr"),
        "T1 cuts everywhere and T2 nowhere: neither finds a word, and only the true negative rate tells them apart, "
        "{T1[token_tnr]:.3f} and {T2[token_tnr]:.3f}. S1 splits too little and S2 too much: recall is {S1[token_recall]:.3f} for "
        "both, precision {S1[token_precision]:.3f} and {S2[token_precision]:.3f}. S3 finds two of three words; to split the "
        "third too much costs precision, not recall.",
    ),
    "table-1-chinese": Question(
        "How do they score in Chinese, where words are shorter?",
        "约翰 喜欢 玛丽",
        {"T1": "约 翰 喜 欢 玛 丽", "T2": "约翰喜欢玛丽", "S1": "约翰 喜欢玛丽", "S2": "约翰 喜 欢 玛 丽",
         "S3": "约翰 喜欢 玛 丽"},
        (*_WORDS, "token_tnr"),
        "Precision of S2 is {S2[token_precision]:.3f}, more than in English: a short word breaks into fewer wrong ones. The "
        "table prints 0.77 for the true negative rate of S2, and its formula gives {S2[token_tnr]:.3f}.",
    ),
}  # fmt: skip
