"""Board: scores in the order of what they ask, a row for each group, and in words what each number divides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...scoring.measures.group import describe
from ...scoring.measures.registry import GROUPS, group_of, heading_of

#: The questions, and the groups of scores that answer them; any other group answers the last question.
_QUESTIONS = {
    "Are the boundaries right?": ("boundary_noedge", "boundary_all", "boundary_start", "boundary_end", "boundary_accuracy",
                                  "tolerance"),
    "Are the words right?": ("token", "tnr", "exact", "word_error", "rates"),
    "Is the lexicon right?": ("type",),
    "How alike are the segmentations?": (),
}  # fmt: skip
_COLUMNS = ("precision", "recall", "fscore")
_NOUNS = {
    "boundary_noedge": "inner boundaries",
    "boundary_all": "boundaries",
    "token": "words",
    "type": "distinct words",
}
_FORMULAS = {
    "precision": "{0} right / {0} predicted",
    "recall": "{0} right / {0} of the reference",
    "fscore": "2 · {0} right / ({0} predicted + {0} of the reference)",
    "token_tnr": "spans rightly left alone / spans that are no word of the reference; N units in a row have N(N + 1) / 2 spans",
    "pk": "windows with a boundary in only one of reference and prediction / windows; lower is better",
    "window_diff": "windows with different numbers of boundaries in reference and prediction / windows; lower is better",
}


class Row(NamedTuple):
    """A row of the board; a single key stands across the three columns.

    Attributes:
        better: which values are better (see `ScoreGroup`).
        group: the description of its group.
        keys: the scores in the columns precision, recall and F-score; an empty one is missing.
    """

    heading: str
    better: str
    group: Mapping[str, Any]
    keys: Sequence[str]


def formula_of(key: str) -> str:
    """Describe the division in words; empty for a score that has no such description."""
    group, _, column = key.rpartition("_")
    return _FORMULAS.get(key) or (_FORMULAS[column].format(_NOUNS[group]) if group in _NOUNS else "")


def by_question(groups: Sequence[str]) -> dict[str, list[str]]:
    """Groups of scores by the question that they answer."""
    question_of = {name: question for question, names in _QUESTIONS.items() for name in names}
    asked: dict[str, list[str]] = {question: [] for question in _QUESTIONS}
    for name in groups:
        asked[question_of.get(name, [*_QUESTIONS][-1])].append(name)
    return {question: names for question, names in asked.items() if names}


def board_of(keys: Sequence[str], groups: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, list[Row]]:
    """Scores by the question that they answer; those of other groups than the registry's, by their titles."""
    described: Mapping[str, Mapping[str, Any]] = describe(GROUPS) if groups is None else groups
    computed = {name: group for name, group in described.items() if not {*group["keys"]}.isdisjoint(keys)}
    board: dict[str, list[Row]] = {}
    for question, names in (by_question([*computed]) if groups is None else {"": [*computed]}).items():
        for name in names:
            group = computed[name]
            own = [key for key in group["keys"] if key in keys]
            columns = [f"{name}_{column}" * (f"{name}_{column}" in own) for column in _COLUMNS]
            better = {key: "higher" if groups else group_of(key).better_of(key) for key in own}
            title = group["title"][:1].upper() + group["title"][1:]
            rows = [Row(title, "higher", group, columns)] if any(columns) else []
            rows += [Row(heading_of(key), better[key], group, [key]) for key in own if key not in columns]
            board.setdefault(question, []).extend(rows)
    return board
