"""The naive scorer of each score group, and the options with which tests go through all groups in units text."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from segscores.scoring.measures.registry import GROUPS, MODULES

from . import naive
from .corpora import Corpus

#: Segments and words of few units, in units text.
SEGMENTS = ("a", "b", "狗", "a b", "b a", "a b a", "狗 狗", "b 狗 a 狗")
ACCEPTABLE = ("b", "b a", "狗 狗")
VOCABULARY = ("a", "狗", "a b", "b a a", "b b")
#: The groups that text can have, and those that need the tags of its words.
TEXT_GROUPS = {
    name: group
    for name, group in GROUPS.items()
    if group.needs <= {"units", "equal_units", "words", "morphs", "documents"}
}
TAG_GROUPS = {name: group for name, group in GROUPS.items() if "tags" in group.needs}
#: The groups that need documents.
DOCUMENT_GROUPS = ("sentence", "sentence_boundary_end", "sentence_boundary_noedge", "syntactic_word")
#: What a group is scored with where a test goes through all groups in units text; without an entry, with its defaults.
GROUP_OPTIONS: dict[str, dict[str, Any]] = {
    "dictionary": {"dictionary": SEGMENTS, "acceptable": ACCEPTABLE},
    "oov": {"vocabulary": VOCABULARY},
    "windows": {"window_size": 2},
    **{key: {"documents": True} for key in DOCUMENT_GROUPS},
}


def with_tags(corpus: Corpus) -> list[list[tuple[str, str]]]:
    """Pairs of words and tags that depend on the words before, so that equal spans may have different ones."""
    return [[("".join(word), "NV"[at % 2]) for at, word in enumerate(words)] for words in corpus]


def naive_syntactic_word_scores(
    references: Corpus, predictions: Corpus, documents: bool = True, zero_division: float = 0.0
) -> dict[str, float]:
    """Without multiword tokens: a word is a token."""
    assert documents
    tokens = naive.naive_scores(references, predictions, zero_division)
    return {f"syntactic_word_{kind}": tokens[f"token_{kind}"] for kind in ("precision", "recall", "fscore")}


#: A naive scorer for each group; those of the default set have one together.
_NAIVE: dict[str, Callable[..., dict[str, float]]] = {
    "boundary_start": partial(naive.naive_one_edge_scores, "start"),
    "boundary_end": partial(naive.naive_one_edge_scores, "end"),
    "boundary_accuracy": naive.naive_accuracy_scores,
    "dictionary": naive.naive_dictionary_scores,
    "oov": naive.naive_oov_scores,
    "exact": naive.naive_exact_scores,
    "word_error": naive.naive_word_error_scores,
    "rand": naive.naive_rand_scores,
    "rates": naive.naive_rates_scores,
    "tolerance": naive.naive_tolerance_scores,
    "windows": naive.naive_windows_scores,
    "similarity": naive.naive_similarity_scores,
    "agreement": naive.naive_agreement_scores,
    "unit_error": naive.naive_unit_error_scores,
    "syntactic_word": naive_syntactic_word_scores,
    **{group: partial(naive.naive_sentence_scores, group) for group in DOCUMENT_GROUPS[:-1]},
}
_DEFAULT_GROUPS = {
    "boundary_all": naive.DEFAULT_KEYS[:3],
    "boundary_noedge": naive.DEFAULT_KEYS[3:6],
    "token": naive.DEFAULT_KEYS[6:9],
    "type": naive.DEFAULT_KEYS[9:12],
    "tnr": naive.DEFAULT_KEYS[12:],
}


def naive_group_scores(
    group: str, references: Corpus, predictions: Corpus, zero_division: float = 0.0, **options: Any
) -> dict[str, float]:
    """The scores of a group, by its definition, with its entry in GROUP_OPTIONS and these options.

    A group without a scorer here has one in its own test: `naive_scores`.
    """
    if group in _DEFAULT_GROUPS:
        default = naive.naive_scores(references, predictions, zero_division)
        return {key: default[key] for key in _DEFAULT_GROUPS[group]}
    chosen = {**GROUP_OPTIONS.get(group, {}), **options}
    for option in chosen.keys() & {"dictionary", "acceptable", "vocabulary"}:
        chosen[option] = [line.split() for line in chosen[option]]
    scorer = _NAIVE.get(group) or _scorer_in_test(group)
    scores: dict[str, float] = scorer(references, predictions, zero_division=zero_division, **chosen)
    return scores


def _scorer_in_test(group: str) -> Callable[..., dict[str, float]]:
    place = next((name.rpartition(".")[0] for name in MODULES if name.endswith(f".{group}")), "scoring.measures")
    module = f"tests.{place}.test_{group}"
    try:
        scorer: Callable[..., dict[str, float]] = import_module(module).naive_scores
    except (AttributeError, ModuleNotFoundError) as error:
        # No AssertionError: the check has not been tried, and the measure is not to be mended.
        raise LookupError(
            f"the group {group} has no naive scorer: write naive_scores(references, predictions, zero_division, **options) into "
            f"{module.replace('.', '/')}.py"
        ) from error
    return scorer
