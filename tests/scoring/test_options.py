"""The options of all groups work in every entry point: one call, batches, shards, training code."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any
from uuid import uuid4

import evaluate
import numpy as np
import pytest

from segscores import score
from segscores.scoring.corpus_tally import CorpusTally
from segscores.sources.tallies import tally
from segscores.training.compute_metrics import as_compute_metrics

from ..naive import (
    CHARACTER_FORMS,
    DEFAULT_KEYS,
    FORMS,
    GROUP_OPTIONS,
    VOCABULARY,
    naive_group_scores,
    naive_scores,
    random_corpus_pair,
    start_labels,
    units_text,
)

ROOT = Path(__file__).resolve().parents[2]
PAIR = random_corpus_pair(120, seed=77, units="ab狗")
#: Groups that need no more than where the boundaries are.
GROUPS_OF_LABELS = (
    "exact",
    "word_error",
    "rand",
    "rates",
    "tolerance",
    "windows",
    "similarity",
    "agreement",
    "unit_error",
)
OPTIONS: dict[str, Any] = {"scores": GROUPS_OF_LABELS, "window_size": 3, "tolerance": 2, "transposition_span": 3}
NO_MISMATCH = {"unit_error_rate": 0.0, "skipped_utterances": 0.0}

pytestmark = pytest.mark.filterwarnings("ignore:.*outside the vocabulary, .* implausible")


@pytest.fixture
def metric() -> Any:
    return evaluate.load(str(ROOT / "segmentation_scores.py"), experiment_id=uuid4().hex)


def close(scores: dict[str, float]) -> Any:
    return pytest.approx(scores, rel=1e-12, abs=1e-10, nan_ok=True)


def naive(zero_division: float = 0.0) -> dict[str, float]:
    """What OPTIONS give."""
    chosen = {
        "windows": {"window_size": 3},
        "tolerance": {"tolerance": 2},
        "similarity": {"transposition_span": 3},
        "agreement": {"transposition_span": 3},
    }
    scores: dict[str, float] = {}
    for group in GROUPS_OF_LABELS:
        scores |= naive_group_scores(group, *PAIR, zero_division, **chosen.get(group, {}))
    return scores


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_scores_of_the_further_groups(metric: Any, form: str) -> None:
    references, predictions = map(FORMS[form].write, PAIR)
    found = metric.compute(references=references, predictions=predictions, **FORMS[form].options, **OPTIONS)
    assert found == close(naive())


@pytest.mark.parametrize("as_corpus", [False, True], ids=["list", "corpus"])
@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if form.has_words])
def test_a_vocabulary_is_written_as_the_words_of_the_text(metric: Any, form: str, as_corpus: bool) -> None:
    references, predictions = map(FORMS[form].write, PAIR)
    words = [line.split() for line in VOCABULARY]
    boundary = FORMS[form].options.get("word_boundary", "WORD_BOUNDARY")
    if form in CHARACTER_FORMS:
        lines = ["".join(word) for word in words]
        corpus = [" ".join(lines[:2]), " ".join(lines[2:])]
    else:
        lines = [" ".join(word) for word in words]
        corpus = [f" {boundary} ".join(lines[:2]), f" {boundary} ".join(lines[2:])]
    vocabulary = corpus if as_corpus else lines
    found = metric.compute(
        references=references, predictions=predictions, vocabulary=vocabulary, scores="oov", **FORMS[form].options
    )
    assert found == close(naive_group_scores("oov", *PAIR))


def test_with_a_vocabulary_the_default_set_has_its_scores(metric: Any) -> None:
    texts = [units_text(side) for side in PAIR]
    found = metric.compute(references=texts[0], predictions=texts[1], vocabulary=VOCABULARY)
    assert list(found)[: len(DEFAULT_KEYS)] == list(DEFAULT_KEYS)
    assert found == close({**naive_scores(*PAIR), **naive_group_scores("oov", *PAIR)})


def test_batches_have_the_scores_of_one_call(metric: Any) -> None:
    texts = [units_text(side) for side in PAIR]
    for scores in ({"scores": "windows"}, {"scores": "oov", "vocabulary": VOCABULARY}, OPTIONS):
        for start in range(0, 120, 50):
            metric.add_batch(references=texts[0][start : start + 50], predictions=texts[1][start : start + 50])
        assert metric.compute(**scores) == score(*texts, **scores)


@pytest.mark.parametrize("make", [lambda metric: metric.tally, lambda _: tally], ids=["metric", "function"])
def test_a_tally_asks_for_the_size_of_windows(metric: Any, make: Any) -> None:
    message = 'scores="windows" needs window_size here, .*: pass a number of gaps, or "utterance"'
    for scores in ("windows", ["token", "windows"]):
        with pytest.raises(ValueError, match=message):
            make(metric)(references=["a b"], predictions=["a b"], scores=scores)


@pytest.mark.parametrize("size", [2, 5, "utterance"])
@pytest.mark.parametrize("convention", ["segeval", "nltk", "nltk_units"])
def test_shards_have_the_windows_of_the_whole(size: int | str, convention: str) -> None:
    options = {"scores": "windows", "window_size": size, "window_convention": convention}
    texts = [units_text(side) for side in PAIR]
    parts = [tally(*(side[rank::4] for side in texts), **options) for rank in range(4)]
    assert sum(parts).scores() == score(*texts, **options)
    assert CorpusTally.from_json(sum(parts).to_json()) == sum(parts)


def test_a_tally_keeps_a_digest_of_its_vocabulary() -> None:
    texts = [units_text(side) for side in PAIR]
    part = tally(*texts, scores="oov", vocabulary=VOCABULARY)
    read = CorpusTally.from_json(part.to_json())
    assert read == part == tally(*texts, scores="oov", vocabulary=VOCABULARY[::-1])
    assert read.scores() == close(naive_group_scores("oov", *PAIR))
    other = tally(*texts, scores="oov", vocabulary=VOCABULARY[1:])
    with pytest.raises(
        ValueError, match=r"vocabulary is 'sha256:[0-9a-f]{64}' in one and 'sha256:[0-9a-f]{64}' in the"
    ):
        read + other


@pytest.mark.parametrize(
    ("option", "value", "other"),
    [
        ("window_size", 2, 3),
        ("window_convention", "segeval", "nltk"),
        ("tolerance", 1, 2),
        ("transposition_span", 2, 3),
        ("on_mismatch", "error", "skip"),
        ("normalize", None, "NFC"),
    ],
)
def test_tallies_with_other_options_do_not_add_up(option: str, value: Any, other: Any) -> None:
    parts = [tally(["a b"], ["a b"], scores=("token", "unit_error"), **{option: each}) for each in (value, other)]
    with pytest.raises(ValueError, match=f"tallies with different options do not add up: {option} is "):
        sum(parts)


def test_training_code_has_the_further_groups_too() -> None:
    groups = tuple(name for name in GROUPS_OF_LABELS if name not in ("windows", "unit_error"))
    labels = [[side for side in start_labels(corpus) if side] for corpus in PAIR]
    width = max(map(len, labels[0]))
    reference, prediction = (np.array([[*row, *[-100] * (width - len(row))] for row in side]) for side in labels)
    found = as_compute_metrics(label_scheme="start", scores=groups)((np.eye(2)[np.maximum(prediction, 0)], reference))
    expected: dict[str, float] = {}
    for group in groups:
        expected |= naive_group_scores(group, *PAIR)
    assert found == close(expected)


@pytest.mark.parametrize("rule", ["skip", "align"])
@pytest.mark.parametrize("form", ["words_text", "word_lists", "units_text", "wordseg"])
def test_a_rule_for_units_that_differ_changes_nothing_where_none_do(metric: Any, form: str, rule: str) -> None:
    pytest.importorskip("rapidfuzz", reason="on_mismatch='align' needs it, which the extra align brings")
    references, predictions = map(FORMS[form].write, PAIR)
    found = metric.compute(references=references, predictions=predictions, on_mismatch=rule, **FORMS[form].options)
    assert found == {**naive_scores(*PAIR), **NO_MISMATCH}


@pytest.mark.filterwarnings("ignore:.*have different units on the two sides:UserWarning")
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_skipping_takes_labels_with_the_default_scores(average: str) -> None:
    """The default leaves type scores out: the first utterance is skipped, the second is `a b` for `ab`."""
    sides = [[1, 0], [1, 1]], [[1, 0, 1], [1, 0]]
    options: dict[str, Any] = {"label_scheme": "start", "on_mismatch": "skip", "zero_division": 0.0}
    found = score(*sides, average=average, **options)
    expected = {
        key: value for key, value in naive_scores([["a", "b"]], [["ab"]]).items() if not key.startswith("type_")
    }
    assert found == {**expected, "unit_error_rate": 0.0, "skipped_utterances": 1.0}
    part = tally(*sides, **options)
    assert part.scores() == found
    assert CorpusTally.from_json(part.to_json()) == part
    assert part.signature().startswith("segscores|text:start|mismatch:skip|")


def test_aligning_counts_the_words_that_are_not_edited(metric: Any) -> None:
    pytest.importorskip("rapidfuzz", reason="on_mismatch='align' needs it, which the extra align brings")
    found = metric.compute(
        references=["the dog barks", "a b"],
        predictions=["the dog bark", "a b"],
        text_format="words",
        scores=["token", "rand", "rates", "windows", "similarity", "exact"],
        on_mismatch="align",
    )
    assert (found["token_precision"], found["token_recall"]) == (4 / 5, 4 / 5)
    assert (found["unit_error_rate"], found["skipped_utterances"]) == (1 / 13, 0.0)
    assert found["utterance_accuracy"] == 1 / 2
    # The missing unit is at the end, so that all boundaries are where they should be.
    assert (found["adjusted_rand_index"], found["boundary_similarity"], found["pk"]) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_normalising_makes_units_the_same(metric: Any, form: str) -> None:
    composed = ["café é", "ﬁn"] if form.startswith("NFK") else ["café é"]
    other = [unicodedata.normalize("NFKD" if form.startswith("NFK") else "NFD", text) for text in composed]
    with pytest.raises(ValueError, match="utterance 0: the units differ"):
        metric.compute(references=composed, predictions=other, text_format="words")
    found = metric.compute(references=composed, predictions=other, text_format="words", normalize=form)
    sides = [[unicodedata.normalize(form, text).split() for text in side] for side in (composed, other)]
    assert found == naive_scores(*sides)
    parts = [
        tally([left], [right], text_format="words", normalize=form) for left, right in zip(composed, other, strict=True)
    ]
    assert sum(parts).scores() == found


@pytest.mark.parametrize("group", GROUP_OPTIONS)
def test_options_without_their_group_are_refused_or_do_nothing(group: str) -> None:
    """A vocabulary or a dictionary costs time to make, and was meant for something; a size has a default anyway."""
    options = GROUP_OPTIONS[group]
    if group == "windows":
        assert score(["a b"], ["a b"], scores="token", **options) == score(["a b"], ["a b"], scores="token")
    else:
        with pytest.raises(ValueError, match=f'{next(iter(options))}: it needs scores="{group}", received'):
            score(["a b"], ["a b"], scores="token", **options)
