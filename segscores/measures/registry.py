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
    "check_score_names",
    "compute_scores",
    "group_of",
    "groups_of",
    "select_scores",
]

import math
from collections.abc import Callable, Mapping, Sequence

from ..kernel.comparison import Comparison
from ..kernel.formulas import Count, Score, Tallied, precision_recall_fscore, true_negative_rate
from ..kernel.unit_alignment import UNIT_ERROR_COLUMNS, UNIT_ERROR_KEYS, tally_unit_errors, unit_error_scores
from .agreement import AGREEMENT_COLUMNS, AGREEMENT_KEYS, agreement_scores, tally_agreement
from .basic import tally_boundary_all, tally_boundary_noedge, tally_tnr, tally_token
from .dictionary import dictionary_scores, tally_dictionary
from .exact import EXACT_COLUMNS, EXACT_KEYS, exact_scores, tally_exact
from .group import ScoreGroup
from .oov import OOV_COLUMNS, OOV_KEYS, oov_scores, tally_oov
from .rand import RAND_COLUMNS, RAND_KEYS, rand_scores, tally_rand
from .rates import RATES_COLUMNS, RATES_KEYS, rates_scores, tally_rates
from .similarity import SIMILARITY_COLUMNS, SIMILARITY_KEYS, similarity_scores, tally_similarity
from .tolerance import TOLERANCE_COLUMNS, TOLERANCE_KEYS, tally_tolerance, tolerance_scores
from .windows import WINDOWS_COLUMNS, WINDOWS_KEYS, tally_windows, windows_scores
from .word_error import WORD_ERROR_COLUMNS, WORD_ERROR_KEYS, tally_word_error, word_error_scores

#: The groups scored when none is named.
DEFAULT_SCORES = ("boundary_all", "boundary_noedge", "token", "type", "tnr")


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
        equal_to="wordseg-eval",
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
            options=("dictionary",),
            needs_option="dictionary",
        ),
        ScoreGroup(
            name="oov",
            title="words out of the vocabulary",
            definition="Words that the option vocabulary lacks (OOV) and those that it has (IV).",
            formula="oov_recall TO / RO, iv_recall (TP − TO) / (RP − RO), oov_rate RO / RP, oov_precision TO / PO, "
            "oov_fscore 2·TO / (PO + RO), TO, PO and RO of OOV words",
            source="Sproat & Emerson (2003)",
            columns=OOV_COLUMNS,
            keys=OOV_KEYS,
            tally=tally_oov,
            formulas=oov_scores,
            options=("vocabulary",),
            needs_option="vocabulary",
            better={"oov_rate": "of the text"},
            equal_to="SIGHAN score, its three decimals",
        ),
        ScoreGroup(
            name="exact",
            title="utterances",
            definition="Utterances with words, and those of them whose words are all right.",
            formula="right utterances / utterances",
            source="Chiang et al. (1992)",
            columns=EXACT_COLUMNS,
            keys=EXACT_KEYS,
            tally=tally_exact,
            formulas=exact_scores,
        ),
        ScoreGroup(
            name="word_error",
            title="word errors",
            definition="Insertions I, deletions D and substitutions S of words, between one right word and the next.",
            formula="word_error_rate (I + D + S) / RP, word_insertions I, word_deletions D, word_substitutions S",
            source="Sproat & Emerson (2003)",
            columns=WORD_ERROR_COLUMNS,
            keys=WORD_ERROR_KEYS,
            tally=tally_word_error,
            formulas=word_error_scores,
            ranges=dict.fromkeys(WORD_ERROR_KEYS, (0.0, math.inf)),
            better=dict.fromkeys(WORD_ERROR_KEYS, "lower"),
            equal_to="SIGHAN score, but for its diff",
        ),
        ScoreGroup(
            name="rand",
            title="pairs of units",
            definition="Pairs of an utterance's units that are in one word: P_R of the reference, P_P predicted, P_B of both, "
            "of T pairs of the corpus's units.",
            formula="(P_B − E) / ((P_R + P_P) / 2 − E), E = P_R·P_P / T",
            source="Hubert & Arabie (1985)",
            columns=RAND_COLUMNS,
            keys=RAND_KEYS,
            tally=tally_rand,
            formulas=rand_scores,
            reads_positions=True,
            ranges={"adjusted_rand_index": (-1.0, 1.0)},
            equal_to="wordseg-eval, scikit-learn",
        ),
        ScoreGroup(
            name="rates",
            title="over- and under-segmentation",
            definition="Boundaries without edges RB, PB and TB; reference words by what stands in their place between two shared "
            "boundaries.",
            formula="over_segmentation OS = PB / RB − 1, r_value 1 − (√((1 − HR)² + OS²) + |HR − 1 − OS| / √2) / 2, "
            "HR = TB / RB; shares of the reference words",
            source="Räsänen et al. (2009); Bernard et al. (2020)",
            columns=RATES_COLUMNS,
            keys=RATES_KEYS,
            tally=tally_rates,
            formulas=rates_scores,
            reads_positions=True,
            ranges={"over_segmentation": (-1.0, math.inf), "r_value": (-math.inf, 1.0)},
            better={
                "over_segmentation": "near 0",
                **dict.fromkeys(("over_segmented", "under_segmented", "mis_segmented"), "lower"),
            },
            equal_to="wordseg-eval --summary (the shares)",
        ),
        ScoreGroup(
            name="tolerance",
            title="boundaries within a tolerance",
            definition="Boundaries without edges, matched one to one, as many as can be, at most `tolerance` units apart.",
            formula="precision TP / PP, recall TP / RP, fscore 2·TP / (PP + RP)",
            source="speech segmentation; Räsänen et al. (2009)",
            columns=TOLERANCE_COLUMNS,
            keys=TOLERANCE_KEYS,
            tally=tally_tolerance,
            formulas=tolerance_scores,
            options=("tolerance",),
            reads_positions=True,
            equal_to="mir_eval.segment.detection",
        ),
        ScoreGroup(
            name="windows",
            title="windows",
            definition="Windows of `window_size` gaps that slide over an utterance, wrong where the sides differ in them; and "
            "edits of boundaries.",
            formula="pk and window_diff wrong windows / windows, window_diff_weighted boundaries too many or too few / windows, "
            "…_mean the mean over utterances, generalized_hamming the least cost of insertions, deletions and shifts / "
            "utterances",
            source="Beeferman et al. (1999); Pevzner & Hearst (2002); Bookstein et al. (2002)",
            columns=WINDOWS_COLUMNS,
            keys=WINDOWS_KEYS,
            tally=tally_windows,
            formulas=windows_scores,
            options=("window_size", "window_convention"),
            needs_corpus="window_size",
            reads_positions=True,
            ranges=dict.fromkeys(("window_diff_weighted", "generalized_hamming"), (0.0, math.inf)),
            better=dict.fromkeys(WINDOWS_KEYS, "lower"),
            equal_to="NLTK, segeval",
        ),
        ScoreGroup(
            name="similarity",
            title="boundary edit distance",
            definition="Matches M, insertions I, deletions D and transpositions T of boundaries, a near miss over d gaps being "
            "one transposition for d < `transposition_span`; E = I + D + Σ d / `transposition_span`, G gaps.",
            formula="segmentation_similarity 1 − E / G, boundary_similarity 1 − E / (M + I + D + T)",
            source="Fournier & Inkpen (2012); Fournier (2013)",
            columns=SIMILARITY_COLUMNS,
            keys=SIMILARITY_KEYS,
            tally=tally_similarity,
            formulas=similarity_scores,
            options=("transposition_span",),
            reads_positions=True,
            ranges=dict.fromkeys(SIMILARITY_KEYS[2:], (0.0, math.inf)),
            better={key: "lower" for key in SIMILARITY_KEYS[2:] if key != "boundary_matches"},
            equal_to="segeval",
        ),
        ScoreGroup(
            name="agreement",
            title="agreement of two annotators",
            definition="Boundary similarity A of the two sides as annotators, corrected by what chance gives.",
            formula="pi (A − p̄²) / (1 − p̄²), kappa (A − e) / (1 − e), bias p̄² − e, for shares p of gaps with a boundary",
            source="Fournier & Inkpen (2012); Scott (1955); Cohen (1960)",
            columns=AGREEMENT_COLUMNS,
            keys=AGREEMENT_KEYS,
            tally=tally_agreement,
            formulas=agreement_scores,
            options=("transposition_span",),
            reads_positions=True,
            ranges={"agreement_pi": (-math.inf, 1.0), "agreement_kappa": (-math.inf, 1.0)},
            better={"agreement_bias": "lower"},
            equal_to="segeval, for one utterance",
        ),
        ScoreGroup(
            name="unit_error",
            title="differing units",
            definition="Edits of units, I inserted, D deleted and S substituted, of N units of the reference, with the option "
            "on_mismatch; and utterances that it left out.",
            formula="unit_error_rate (I + D + S) / N, skipped_utterances a count",
            source="Levenshtein (1966)",
            columns=UNIT_ERROR_COLUMNS,
            keys=UNIT_ERROR_KEYS,
            tally=tally_unit_errors,
            formulas=unit_error_scores,
            ranges=dict.fromkeys(UNIT_ERROR_KEYS, (0.0, math.inf)),
            better=dict.fromkeys(UNIT_ERROR_KEYS, "lower"),
            equal_to="jiwer's cer",
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


def group_of(key: str) -> ScoreGroup:
    """The group of a score.

    Raises:
        ValueError: there is no such score.
    """
    for group in GROUPS.values():
        if key in group.keys:
            return group
    raise ValueError(f"there is no score {key!r}: expected one such as 'token_fscore'.")


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
