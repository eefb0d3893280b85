"""Board: scores in the order of what they ask, a row for each group, and in words what each number divides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...reading.formats.registry import FORMATS
from ...scoring.measures.group import describe
from ...scoring.measures.needs import NAMED, given_by
from ...scoring.measures.registry import DEFAULT_SCORES, GROUPS, group_of, heading_of
from ...scoring.plan import Plan

#: The questions, and the groups of scores that answer them; any other group answers the last question.
_QUESTIONS = {
    "Are the boundaries right?": ("boundary_noedge", "boundary_all", "boundary_start", "boundary_end", "boundary_accuracy",
                                  "tolerance"),
    "Are the words right?": ("token", "tagged_token", "tnr", "exact", "word_error", "rates"),
    "Is the lexicon right?": ("type",),
    "How alike are the segmentations?": (),
}  # fmt: skip
#: The groups that stand below the board first, by the names that people use.
_KNOWN_AS = {
    "windows": "Pk, WindowDiff",
    "agreement": "Kappa, pi",
    "rand": "ARI",
    "similarity": "Boundary similarity",
    "word_error": "WER",
    "rates": "R-value",
    "exact": "Utterance accuracy",
    "boundary_accuracy": "Boundary accuracy",
    "tolerance": "Tolerance",
    "subword": "Fertility",
    "token_use": "Rényi efficiency",
    "bpr": "BPR",
    "boundary_start": "With start edges",
    "boundary_end": "With end edges",
}
#: The ends of the scores that stand in columns: of the group token these are token_precision and so on.
_COLUMNS = ("precision", "recall", "fscore")
#: The things that groups count, for the formulas of their columns.
_NOUNS = {
    "boundary_noedge": "inner boundaries",
    "boundary_all": "boundaries",
    "token": "words",
    "type": "distinct words",
}
#: The formulas in words, by column or by score; `{0}` is the noun of the group.
_FORMULAS = {
    "precision": "{0} right / {0} predicted",
    "recall": "{0} right / {0} of the reference",
    "fscore": "2 · {0} right / ({0} predicted + {0} of the reference)",
    "token_tnr": "spans rightly left alone / spans that are no word of the reference; N units in a row have N(N + 1) / 2 spans",
    "pk": "windows with a boundary in only one of reference and prediction / windows; lower is better",
    "window_diff": "windows with different numbers of boundaries in reference and prediction / windows; lower is better",
}


class Row(NamedTuple):
    """A row of the board: scores in the columns precision, recall and F-score, or a single score that stands across them."""

    heading: str
    better: str  #: which values are better (see `ScoreGroup`)
    group: Mapping[str, Any]  #: as `describe` describes it
    keys: Sequence[str]  #: the score of each column, empty if there is none; or the single score


def formula_of(key: str) -> str:
    """Describe the division of a score in words: `words right / words predicted`; empty for a score without a description."""
    if key in _FORMULAS:
        return _FORMULAS[key]
    group, _, column = key.rpartition("_")
    if group in _NOUNS:
        return _FORMULAS[column].format(_NOUNS[group])
    return ""


def by_question(groups: Sequence[str]) -> dict[str, list[str]]:
    """Return the groups of scores by the question that they answer, as in `_QUESTIONS`; one without groups is left out."""
    *_, last_question = _QUESTIONS
    question_of: dict[str, str] = {}
    for question, names in _QUESTIONS.items():
        question_of |= dict.fromkeys(names, question)
    groups_of: dict[str, list[str]] = {question: [] for question in _QUESTIONS}
    for name in groups:
        groups_of[question_of.get(name, last_question)].append(name)
    return {question: names for question, names in groups_of.items() if names}


def further(groups: Sequence[str], plan: Plan) -> dict[str, tuple[str, bool]]:
    """Return the groups besides the default ones that the texts have, each with a label, and True if it is scored.

    An example is `{"windows": ("Pk, WindowDiff", False)}`. The groups that many people know come first.
    """
    reference, prediction = plan.reading.formats
    # The needs of groups that the texts meet, such as words or documents.
    gives = given_by(plan.reading, aligns=plan.aligns)
    # Any text may have tags and morphemes: leave them out, unless the formats of both sides are made for them.
    in_both_formats = FORMATS[reference].gives & FORMATS[prediction].gives
    gives -= NAMED - in_both_formats
    order = [*_KNOWN_AS, *groups]
    more = {}
    for name in sorted(groups, key=order.index):
        group = GROUPS[name]
        is_chosen = not {*group.keys}.isdisjoint(plan.keys)
        if name not in DEFAULT_SCORES and (is_chosen or group.needs <= gives):
            more[name] = (_KNOWN_AS.get(name, _capitalised(group.title)), is_chosen)
    return more


def _capitalised(title: str) -> str:
    """Return a title with a capital at its beginning; the other letters stay, as in `WindowDiff`."""
    return title[:1].upper() + title[1:]


def board_of(keys: Sequence[str], own_groups: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, list[Row]]:
    """Return the rows of the board, by the question that their scores answer.

    `keys` are the scores that were computed. A tab may have groups of its own, which are described as by `describe`: their rows
    stand under an empty question.
    """
    described: Mapping[str, Mapping[str, Any]] = describe(GROUPS) if own_groups is None else own_groups
    computed = [name for name, group in described.items() if not {*group["keys"]}.isdisjoint(keys)]
    names_of = by_question(computed) if own_groups is None else {"": computed}
    board: dict[str, list[Row]] = {}
    for question, names in names_of.items():
        board[question] = []
        for name in names:
            board[question] += _rows(name, described[name], keys, is_in_registry=own_groups is None)
    return board


def _rows(name: str, group: Mapping[str, Any], computed: Sequence[str], *, is_in_registry: bool) -> Iterator[Row]:
    """Yield the row of precision, recall and F-score of a group, and a row for every other score that was computed."""
    own = [key for key in group["keys"] if key in computed]
    keys_of_columns = [f"{name}_{column}" for column in _COLUMNS]
    columns = [key if key in own else "" for key in keys_of_columns]
    if any(columns):
        yield Row(_capitalised(group["title"]), better="higher", group=group, keys=columns)
    for key in own:
        if key in columns:
            continue
        # Higher values of every score of a tab's own groups are better.
        better = "higher"
        if is_in_registry:
            better = group_of(key).keys[key].better
        yield Row(heading_of(key), better, group, keys=[key])
