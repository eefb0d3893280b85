"""Score groups: what each counts, which scores it gives, and how they are asked for.

Conventions
-----------
A tally maps column names to counts, one value an utterance; columns add up over utterances. The formulas that turn sums
into scores are in `formulas`. Scores are in [0, 1], higher is better, unless a group says otherwise.

`GROUPS` is the one list of score groups: the options, the README's table, `segmentation-scores groups` and the
invariance tests all read it.

Sources
-------
Boundary, token and type scores: Brent (1999), Machine Learning 34:71-105; Goldwater, Griffiths & Johnson (2009),
Cognition 112:21-54. True negative rate: Shao, Hardmeier & Nivre (2017), IJCNLP, Eq. 1.
"""

from __future__ import annotations

__all__ = [
    "DEFAULT_SCORES",
    "GROUPS",
    "SELECTIONS",
    "VERSION",
    "ScoreGroup",
    "check_score_names",
    "compute_scores",
    "groups_of",
    "select_scores",
]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .dictionary import dictionary_scores, tally_dictionary
from .formulas import Count, Formulas, Score, Tallied, precision_recall_fscore, true_negative_rate

if TYPE_CHECKING:
    from .comparison import Comparison

VERSION = "0.1.0"

#: The groups scored when none is named.
DEFAULT_SCORES = ("boundary_all", "boundary_noedge", "token", "type", "tnr")


@dataclass(frozen=True)
class ScoreGroup:
    """Scores that share their counts.

    Attributes:
        name: as the option `scores` takes it.
        title: a few words for tables.
        definition: what is counted.
        formula: the formulas in a line, in the terms of the module's conventions.
        source: who defined it.
        columns: the counts that the formulas read.
        keys: the scores, in order.
        tally: the columns that a comparison gives, one value an utterance. Type counts come from the lexicons instead.
        formulas: from counts and the value of 0/0 to the scores.
        needs_words: whether the lexicons are needed, so that labels do not do.
        needs_dictionary: whether a dictionary is needed, which `tally` then takes as its second argument.
    """

    name: str
    title: str
    definition: str
    formula: str
    source: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    tally: Callable[..., Tallied]
    formulas: Formulas
    needs_words: bool = False
    needs_dictionary: bool = False


def tally_boundary_all(comparison: Comparison) -> Tallied:
    """Boundaries with both edges: an utterance of k words has k + 1, a blank one none."""
    filled = comparison.utterance_reference > 0
    return {
        "boundary_all_matched": comparison.utterance_shared + filled,
        "boundary_all_predicted": comparison.utterance_prediction + filled,
        "boundary_all_reference": comparison.utterance_reference + filled,
    }


def tally_boundary_noedge(comparison: Comparison) -> Tallied:
    """Boundaries without edges: an utterance of k words has k − 1, a blank one none."""
    filled = comparison.utterance_reference > 0
    return {
        "boundary_noedge_matched": comparison.utterance_shared - filled,
        "boundary_noedge_predicted": comparison.utterance_prediction - filled,
        "boundary_noedge_reference": comparison.utterance_reference - filled,
    }


def tally_token(comparison: Comparison) -> Tallied:
    """Words, matched where both sides have the same span."""
    return {
        "token_matched": comparison.utterance_matched,
        "token_predicted": comparison.utterance_prediction,
        "token_reference": comparison.utterance_reference,
    }


def tally_tnr(comparison: Comparison) -> Tallied:
    """Words, and all spans of an utterance of N units, N(N+1)/2."""
    units = comparison.reference.utterance_units
    return tally_token(comparison) | {"token_spans": units * (units + 1) // 2}


def _prf_group(
    name: str, title: str, definition: str, tally: Callable[[Comparison], Tallied], needs_words: bool = False
) -> ScoreGroup:
    return ScoreGroup(
        name=name,
        title=title,
        definition=definition,
        formula="precision TP / PP, recall TP / RP, fscore 2·TP / (PP + RP)",
        source="Brent (1999); Goldwater et al. (2009)",
        columns=tuple(f"{name}_{kind}" for kind in ("matched", "predicted", "reference")),
        keys=tuple(f"{name}_{score}" for score in ("precision", "recall", "fscore")),
        tally=tally,
        formulas=lambda counts, zero_division: precision_recall_fscore(counts, name, zero_division),
        needs_words=needs_words,
    )


#: Every score group, by name, in the order in which they are listed.
GROUPS: dict[str, ScoreGroup] = {
    group.name: group
    for group in (
        _prf_group(
            "boundary_all",
            "boundaries with edges",
            "Positions at which a word begins or ends, an utterance's two ends among them: k + 1 for k words.",
            tally_boundary_all,
        ),
        _prf_group(
            "boundary_noedge",
            "boundaries without edges",
            "Positions between two words of an utterance: k − 1 for k words.",
            tally_boundary_noedge,
        ),
        _prf_group(
            "token",
            "word tokens",
            "Words, matched where both sides have a word with the same two ends.",
            tally_token,
        ),
        _prf_group(
            "type",
            "word types",
            "Distinct words of the whole corpus, matched where both sides have the word somewhere.",
            lambda comparison: {},
            needs_words=True,
        ),
        ScoreGroup(
            name="tnr",
            title="true negative rate",
            definition="Spans of an utterance that are no reference word, and those of them that were not predicted.",
            formula="1 − (PP − TP) / (TW − RP), TP, PP and RP of tokens, TW = Σ N(N+1)/2 for utterances of N units",
            source="Shao et al. (2017), Eq. 1",
            columns=("token_matched", "token_predicted", "token_reference", "token_spans"),
            keys=("token_tnr",),
            tally=tally_tnr,
            formulas=true_negative_rate,
        ),
        ScoreGroup(
            name="dictionary",
            title="positive and negative segments",
            definition="Occurrences in the text of a dictionary's segments: words of a side (PS), and all others (NS).",
            formula="tpr |PS∩PS'| / |PS|, ppv |PS∩PS'| / |PS'|, tnr |NS∩NS'| / |NS|, npv |NS∩NS'| / |NS'|, ' of the prediction",
            source="Jiang et al. (2011)",
            columns=tuple(
                f"dictionary_{sign}_{kind}"
                for sign in ("positive", "negative")
                for kind in ("matched", "predicted", "reference")
            ),
            keys=("dictionary_tpr", "dictionary_ppv", "dictionary_tnr", "dictionary_npv"),
            tally=tally_dictionary,
            formulas=dictionary_scores,
            needs_dictionary=True,
        ),
    )
}

#: Names for scores picked out of several groups.
SELECTIONS: dict[str, tuple[str, ...]] = {
    "recall": ("boundary_all_recall", "boundary_noedge_recall", "token_recall", "type_recall"),
}


def select_scores(scores: str | Sequence[str], words_known: bool) -> tuple[str, ...]:
    """The keys that the option `scores` stands for, in order, without repetition.

    Scores that need the words are left out where they are unknown, unless their group was asked for by its name.

    Args:
        scores: a group's or a selection's name, or several.
        words_known: whether the input says what the words are; labels do not.

    Raises:
        TypeError: `scores` is neither a name nor several.
        ValueError: no name, or an unknown one, or a group that needs the words where they are unknown.

    >>> select_scores("token", words_known=True)
    ('token_precision', 'token_recall', 'token_fscore')
    """
    names = check_score_names(scores)
    keys: dict[str, None] = {}
    for name in names:
        group = GROUPS.get(name)
        if group and group.needs_words and not words_known and names != DEFAULT_SCORES:
            raise ValueError(
                f"scores={name!r} needs the words, and labels do not say what they are: pass strings or lists of "
                f"words, or leave {name!r} out."
            )
        keys.update(dict.fromkeys(group.keys if group else SELECTIONS[name]))
    unavailable = {key for group in GROUPS.values() if group.needs_words and not words_known for key in group.keys}
    return tuple(key for key in keys if key not in unavailable)


def check_score_names(scores: str | Sequence[str]) -> tuple[str, ...]:
    """The names in the option `scores`.

    Raises:
        TypeError: it is neither a name nor several.
        ValueError: no name, or an unknown one.
    """
    if isinstance(scores, str):
        names: tuple[str, ...] = (scores,)
    elif isinstance(scores, Sequence) and all(isinstance(name, str) for name in scores):
        names = tuple(scores)
    else:
        raise TypeError(f"scores: expected the name of a group or a list of names, received {scores!r}.")
    known = [*GROUPS, *SELECTIONS]
    if not names:
        raise ValueError(f"scores is empty: name at least one of {', '.join(known)}.")
    for name in names:
        if name not in known:
            raise ValueError(f"unknown score group {name!r}: the groups are {', '.join(known)}.")
    return names


def groups_of(keys: Sequence[str]) -> list[ScoreGroup]:
    """The groups that compute these keys, in the order of the registry."""
    return [group for group in GROUPS.values() if not set(group.keys).isdisjoint(keys)]


def compute_scores(counts: Mapping[str, Count], keys: Sequence[str], zero_division: float = 0.0) -> dict[str, Score]:
    """The scores `keys` from counts, in their order.

    Args:
        counts: the columns of the groups concerned, each an int or an array; arrays broadcast.
        keys: names of scores.
        zero_division: the value of 0/0.

    >>> counts = {"token_matched": 4, "token_predicted": 5, "token_reference": 6}
    >>> {key: round(float(value), 3) for key, value in compute_scores(counts, ["token_recall"]).items()}
    {'token_recall': 0.667}
    """
    scores: dict[str, Score] = {}
    for group in groups_of(keys):
        scores |= group.formulas(counts, zero_division)
    return {key: scores[key] for key in keys}
