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
    """A row of the board: the scores in its columns, of which one may be empty, or a single one that stands across them."""

    heading: str
    better: str  #: which values are better (see `ScoreGroup`)
    group: Mapping[str, Any]
    keys: Sequence[str]


def formula_of(key: str) -> str:
    """Describe the division in words; empty for a score that has no such description."""
    if key in _FORMULAS:
        return _FORMULAS[key]
    group, _, column = key.rpartition("_")
    if group in _NOUNS:
        return _FORMULAS[column].format(_NOUNS[group])
    return ""


def by_question(groups: Sequence[str]) -> dict[str, list[str]]:
    """Groups of scores by the question that they answer."""
    *questions, last = _QUESTIONS
    asked = {question: [name for name in groups if name in _QUESTIONS[question]] for question in questions}
    asked[last] = [name for name in groups if not any(name in names for names in asked.values())]
    return {question: names for question, names in asked.items() if names}


def further(groups: Sequence[str], plan: Plan) -> dict[str, tuple[str, bool]]:
    """Return the groups besides the default ones that the texts have, each with a short name, and True if it is scored."""
    reference, prediction = plan.reading.formats
    gives = given_by(plan.reading, aligns=plan.aligns)
    # Any text may have tags and morphemes: leave them out, unless the formats of both sides are made for them.
    in_both_formats = FORMATS[reference].gives & FORMATS[prediction].gives
    gives -= NAMED - in_both_formats
    known = [*_KNOWN_AS, *groups]
    more = {}
    for name in sorted(groups, key=known.index):
        group = GROUPS[name]
        is_chosen = not {*group.keys}.isdisjoint(plan.keys)
        if name not in DEFAULT_SCORES and (is_chosen or group.needs <= gives):
            title = group.title[:1].upper() + group.title[1:]
            more[name] = (_KNOWN_AS.get(name, title), is_chosen)
    return more


def board_of(keys: Sequence[str], groups: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, list[Row]]:
    """Scores by the question that they answer; those of other groups than the registry's under none."""
    is_known = groups is None
    described: Mapping[str, Mapping[str, Any]] = describe(GROUPS) if groups is None else groups
    computed = [name for name, group in described.items() if not {*group["keys"]}.isdisjoint(keys)]
    questions = {"": computed} if groups else by_question(computed)
    board: dict[str, list[Row]] = {}
    for question, names in questions.items():
        board[question] = []
        for name in names:
            board[question] += _rows(name, described[name], keys, is_known)
    return board


def _rows(name: str, group: Mapping[str, Any], keys: Sequence[str], is_known: bool) -> Iterator[Row]:
    """Return the row of precision, recall and F-score of a group, and a row for every other score of it."""
    own = [key for key in group["keys"] if key in keys]
    wanted = [f"{name}_{column}" for column in _COLUMNS]
    columns = [key if key in own else "" for key in wanted]
    if any(columns):
        yield Row(group["title"][:1].upper() + group["title"][1:], "higher", group, columns)
    for key in own:
        if key in columns:
            continue
        better = "higher"
        if is_known:
            better = group_of(key).keys[key].better
        yield Row(heading_of(key), better, group, [key])
