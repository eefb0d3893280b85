"""The formulas, the rule for division by zero, and the choice of scores."""

import inspect
import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from segscores.kernel.formulas import divide
from segscores.options.table import OPTIONS, SELECTIONS
from segscores.scoring.measures.needs import GIVEN_BY_TEXT, NAMED
from segscores.scoring.measures.registry import (
    DEFAULT_SCORES,
    GROUPS,
    MODULES,
    added_groups,
    check_score_names,
    compute_scores,
    is_share,
    lacks_error,
    select_scores,
)
from segscores.scoring.plan import Plan

from ...naive import DEFAULT_KEYS, naive_counts

KEYS = {
    **{name: (f"{name}_precision", f"{name}_recall", f"{name}_fscore") for name in ("boundary_all", "boundary_noedge",
        "token", "type")},
    "tnr": ("token_tnr",),
}  # fmt: skip
RECALLS = ("boundary_all_recall", "boundary_noedge_recall", "token_recall", "type_recall")


def same(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


@pytest.mark.parametrize("zero_division", [0.0, 1.0, 0.5, math.nan])
@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        (np.array([1, 0, 3]), np.array([2, 0, 4])),
        (np.array([[1], [0]]), np.array([2, 0, 4])),
        (0, np.array([0, 5])),
        (np.array([0, 0]), 0),
        (np.zeros((0,), np.int64), np.zeros((0,), np.int64)),
        (np.array([0, 1], np.uint8), np.array([255, 255], np.uint8)),
    ],
)
def test_divide_broadcasts(numerator: Any, denominator: Any, zero_division: float) -> None:
    top, bottom = np.broadcast_arrays(numerator, denominator)
    quotient = divide(numerator, denominator, zero_division)
    assert isinstance(quotient, np.ndarray)
    assert quotient.shape == top.shape
    expected = [int(a) / int(b) if b else zero_division for a, b in zip(top.flat, bottom.flat, strict=True)]
    assert all(map(same, quotient.ravel().tolist(), expected))


@pytest.mark.parametrize("name", GROUPS)
def test_a_default_of_a_tally_is_that_of_the_option(name: str) -> None:
    parameters = inspect.signature(GROUPS[name].tally).parameters
    defaults = {key: parameter.default for key, parameter in parameters.items() if parameter.default != parameter.empty}
    for key in defaults.keys() & OPTIONS.keys():
        assert defaults[key] == OPTIONS[key].default


def test_a_group_is_added_by_its_option_alone() -> None:
    for group in GROUPS.values():
        if group.added_by:
            assert group in added_groups({group.added_by: True})
    assert not added_groups({"window_convention": "segeval"})


def test_scores_come_in_the_order_of_the_keys_asked_for() -> None:
    counts = naive_counts([["ab", "a"]], [["a", "b", "a"]])
    keys = ("type_recall", "token_tnr", "boundary_all_fscore", "token_precision")
    assert tuple(compute_scores(counts, keys)) == keys
    assert tuple(compute_scores(counts, keys[::-1])) == keys[::-1]


def test_no_key_belongs_to_two_groups() -> None:
    keys = [key for group in GROUPS.values() for key in group.keys]
    assert len(keys) == len(set(keys))
    assert not any(key.startswith("count_") for key in keys), "so begin the names of counts"
    assert not set(SELECTIONS) & set(GROUPS)
    assert all(set(selection) <= set(keys) for selection, _ in SELECTIONS.values())


@pytest.mark.parametrize(
    ("scores", "keys"),
    [
        ("token", KEYS["token"]),
        (("tnr", "token"), (*KEYS["tnr"], *KEYS["token"])),
        (["token", "tnr", "token"], (*KEYS["token"], *KEYS["tnr"])),
        (DEFAULT_SCORES, DEFAULT_KEYS),
        ("recall", RECALLS),
        (["recall", "recall"], RECALLS),
        (["token", "recall"], (*KEYS["token"], *(key for key in RECALLS if key not in KEYS["token"]))),
        (["recall", "token"], (*RECALLS, "token_precision", "token_fscore")),
    ],
)
def test_names_stand_for_keys_in_order_without_repetition(scores: Any, keys: tuple[str, ...]) -> None:
    assert select_scores(scores) == keys


@pytest.mark.parametrize("scores", ["type", ["recall", "type"]])
def test_recall_without_words_leaves_out_type_scores_and_refuses_them_by_name(scores: Any) -> None:
    assert select_scores(["recall", "tnr"], frozenset({"units"})) == (*RECALLS[:3], "token_tnr")
    with pytest.raises(ValueError, match='scores="type" needs the words, which labels do not contain'):
        select_scores(scores, frozenset({"units"}))


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ("tokens", ValueError, "'tokens'. Did you mean 'token'.*The command segscores groups lists all"),
        (["token", "F1"], ValueError, "unknown score group 'F1'. Did you mean 'token'"),
        ("f-score", ValueError, "unknown score group 'f-score'. Did you mean 'token'"),
        ("word", ValueError, "unknown score group 'word'. Did you mean 'token' or .*'word_error'"),
        ("lexicon", ValueError, "unknown score group 'lexicon'. Did you mean 'type'"),
        ("word_recall", ValueError, r"unknown score group 'word_recall'\. Did you mean 'token_recall'\?"),
        ("lexicon-F1", ValueError, r"unknown score group 'lexicon-F1'\. Did you mean 'type_fscore'\?"),
        ("inner_boundary_precision", ValueError, r"\. Did you mean 'boundary_noedge_precision'\?"),
        ("boundary_f1", ValueError, "Did you mean 'boundary_noedge'"),
        ("cer", ValueError, r"Did you mean 'unit_error'\?"),
        ("der", ValueError, r"Did you mean 'labelled_time'\?"),
        ("compression", ValueError, "Did you mean 'subword'"),
        ("wd", ValueError, r"Did you mean 'windows'\?"),
        ("ARI", ValueError, "unknown score group 'ARI'. Did you mean 'rand'"),
        ("token_f1", ValueError, r"unknown score group 'token_f1'\. Did you mean 'token_fscore'\?"),
        ("tokenfsc0re", ValueError, r"unknown score group 'tokenfsc0re'\. Did you mean 'token_fscore'\?"),
        ("Token", ValueError, "unknown score group 'Token'. Did you mean 'token'"),
        (
            "boundary",
            ValueError,
            r"'boundary_all' \(boundaries with edges\) or 'boundary_noedge' \(boundaries without edges\)",
        ),
        ([], ValueError, "scores is empty: name at least one group"),
        (None, TypeError, "scores: expected the name of a group or a list of names, received None"),
        (1, TypeError, "scores: expected the name of a group or a list of names, received 1"),
        (["token", None], TypeError, "scores: expected the name of a group or a list of names, received "),
        ([["token"]], TypeError, "scores: expected the name of a group or a list of names, received "),
    ],
)
def test_unknown_names_are_errors_that_name_the_nearest(scores: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        select_scores(scores)
    with pytest.raises(error, match=message):
        check_score_names(scores)


@pytest.mark.parametrize("name", MODULES)
def test_the_list_of_modules_names_their_groups(name: str) -> None:
    """A group that the list does not name would be scored nowhere."""
    module = import_module(f"segscores.{name}")
    groups = module.GROUPS if hasattr(module, "GROUPS") else [module.GROUP]
    assert [group.name for group in groups] == [*MODULES[name]]


def test_all_is_every_group_whose_options_are_given() -> None:
    """Utterances that are no words have no analyses, and not all words have tags."""
    needed = {group.name for group in GROUPS.values() if group.needs_option or group.needs & NAMED}
    assert set(Plan.of(scores="all").scores) == set(GROUPS) - needed - {"unit_error"}
    assert set(Plan.of(scores="all", vocabulary=["a"]).scores) == set(GROUPS) - needed - {"unit_error"} | {"oov"}
    assert "type" not in Plan.of(scores="all", label_scheme="start").scores
    with pytest.raises(ValueError, match='vocabulary: scores="oov_recall" needs it'):
        Plan.of(scores="oov_recall")


def test_what_formats_alone_give_is_refused_with_the_formats_that_give_it() -> None:
    message = str(lacks_error("bpr", frozenset({"morphs"}), GIVEN_BY_TEXT))
    assert "needs morphs" in message
    assert "sigmorphon" in message
    assert "alternatives" in message
    assert set(NAMED) == {"morphs", "tags"}


def test_units_for_each_token_or_word_are_no_shares():
    """They are never written in percent."""
    assert not any(map(is_share, ("fertility", "characters_per_token", "bytes_per_token")))
