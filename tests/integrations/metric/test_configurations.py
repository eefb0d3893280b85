"""The metric's configurations "difficulty" and "alignment", through `evaluate.load` as users reach them."""

import json
import pickle
from typing import Any

import pytest

from ...corpora import FORMS, random_corpus_pair, random_difficulties
from ...naive import naive_balanced
from .running import WORDS, run_in_two_processes

Rows = dict[str, list[Any]]
#: The configuration, inputs, options, and the scores by the definition.
Case = tuple[str, Rows, dict[str, Any], dict[str, float]]


def difficulty_case(form_name: str) -> Case:
    form = FORMS[form_name]
    references, predictions = ([[], *side] for side in random_corpus_pair(30, seed=5))
    difficulties = random_difficulties(references, seed=7)
    rows = {"references": form.write(references), "predictions": form.write(predictions), "difficulties": difficulties}
    return "difficulty", rows, form.options, naive_balanced(references, predictions, difficulties)


SINGLE: Rows = {
    "references": [([0], [0]), ([1], [1, 2])],
    "predictions": [([0], [0]), ([], [1]), ([1], [2])],
    "sources": ["a b", "c d e"],
    "targets": ["f", "g h", "i"],
}


def alignment_case() -> Case:
    """ARCADE's example, of whose three predicted and two reference bisegments one is right, and one that is all right."""
    rows = {
        name: [values, SINGLE["references" if name == "predictions" else name]] * 6 for name, values in SINGLE.items()
    }
    # Pairs of words: 2 and, of the second source, 3 with 1 of the 3 words of its targets; in the other 2 + 9 of both.
    precision, recall, fscore = (2 + 3 + 11) / (2 + 3 + 11), (2 + 3 + 11) / (2 + 9 + 11), 2 * 16 / (16 + 22)
    scores = {"alignment_precision": (1 + 2) / (3 + 2), "alignment_recall": 3 / 4, "alignment_fscore": 2 * 3 / (5 + 4)}
    scores |= {"word_precision": precision, "word_recall": recall, "word_fscore": fscore}
    return "alignment", rows, {"scores": ["alignment", "word"]}, scores


CASES = {**{f"difficulty-{form}": difficulty_case(form) for form in FORMS}, "alignment": alignment_case()}
NAMED = [CASES["difficulty-words_text"], CASES["alignment"]]
of_both = pytest.mark.parametrize("case", NAMED, ids=["difficulty", "alignment"])


def part(rows: Rows, start: int, stop: int | None) -> Rows:
    return {name: values[start:stop] for name, values in rows.items()}


def at_once(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    return metric.compute(**rows, **options)


def in_batches(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    for start, stop in ((0, 1), (1, 5), (5, None)):
        metric.add_batch(**part(rows, start, stop))
    return metric.compute(**options)


def one_by_one(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    names = {name: name if name == "difficulties" else name[:-1] for name in rows}
    for values in zip(*rows.values(), strict=True):
        metric.add(**dict(zip(names.values(), values, strict=True)))
    return metric.compute(**options)


def added_and_given(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    metric.add_batch(**part(rows, 0, 7))
    return metric.compute(**part(rows, 7, None), **options)


@pytest.mark.parametrize("way", [at_once, in_batches, one_by_one, added_and_given])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_way_of_passing_gives_the_scores_of_the_definition(load, case, way):
    name, rows, options, expected = case
    metric = load(name)
    for _ in range(2):
        scores = way(metric, rows, options)
        assert scores == pytest.approx(expected, rel=0, abs=1e-12)
        assert all(type(value) is float for value in scores.values())
        assert json.loads(json.dumps(scores)) == scores


AS_DICTS = {
    side: [{"source": source, "target": target} for source, target in SINGLE[side]]
    for side in ("references", "predictions")
}


@pytest.mark.parametrize(
    "single",
    [
        SINGLE,
        SINGLE | AS_DICTS,
        {"references": SINGLE["references"], "predictions": []},
        {"references": [([], [])], "predictions": [([], [])]},
        {"references": [], "predictions": [], "sources": ["a"], "targets": []},
    ],
    ids=["pairs", "dicts", "nothing predicted", "empty bisegments", "no bisegments"],
)
def test_a_single_bitext_needs_no_list_around_it(load, single):
    metric = load("alignment")
    expected = metric.compute(**{name: [values] for name, values in single.items()})
    assert metric.compute(**single) == expected
    metric.add_batch(**single)
    assert metric.compute() == expected


def test_alignments_without_texts_have_no_scores_by_words(load):
    metric = load("alignment")
    _, rows, _, expected = CASES["alignment"]
    metric.add_batch(**{name: rows[name] for name in ("references", "predictions")})
    scores = metric.compute()
    assert not [key for key in scores if key.startswith(("word", "character"))]
    assert scores["alignment_fscore"] == pytest.approx(expected["alignment_fscore"], rel=0, abs=1e-12)


@of_both
def test_a_configuration_has_a_card_and_features_of_its_own_and_is_pickled(load, case):
    name, rows, options, expected = case
    metric = load(name)
    assert metric.info.config_name == name
    assert all(set(rows) <= set(features) for features in metric.info.features)
    assert f'evaluate.load("segmentation_scores.py", "{name}")' in metric.info.inputs_description
    assert metric.version
    copy = pickle.loads(pickle.dumps(metric))
    assert copy.compute(**rows, **options) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.slow
def test_two_processes_give_the_scores_of_the_whole_to_the_first(tmp_path):
    runs: dict[str, dict[str, Any]] = {}
    for name, rows, options, expected in NAMED:
        shares = [part(rows, 0, 5), part(rows, 5, None)]
        common = {"configuration": name, "options": options, "expected": pytest.approx(expected, rel=0, abs=1e-12)}
        for way in ("add_batch", "compute"):
            runs[f"{name}-{way}"] = {**common, "way": way, "shares": shares}
        runs[f"{name}-first-has-none"] = {**common, "way": "add_batch", "shares": [{}, rows]}
    without = {name: rows[name][5:] for name in ("references", "predictions")}
    runs["mixed"] = runs["alignment-add_batch"] | {"shares": [part(rows, 0, 5), without], "options": {}}
    expected = {name: run.pop("expected") for name, run in runs.items()}
    first, second = run_in_two_processes(tmp_path, runs)
    (told,) = first.pop("mixed")
    assert told.startswith("ValueError: only some processes have sources and targets")
    for name, (found,) in first.items():
        assert found == expected[name], name
    assert set(map(str, second.values())) == {"[None]"}


GOOD = {
    "difficulty": ({"references": ["a b"], "predictions": ["ab"], "difficulties": [[0.5, 0.25]]}, WORDS),
    "alignment": ({"references": [[([0], [0])]], "predictions": [[([0], [0])]]}, {}),
}
#: What is changed in a good call, its options, and the message. How many words an utterance has is known only when it is
#: known how text is read, at compute: the others are refused when they are added, too.
BAD: list[tuple[str, Rows | None, dict[str, Any], str]] = [
    ("difficulty", {"difficulties": [[0.5, 1.5]]}, {}, r"difficulties, utterance 0: word 1"),
    ("difficulty", {"difficulties": []}, {}, r"1 references and difficulties for 0"),
    ("difficulty", {"difficulties": [[0.5]]}, WORDS, r"received 1 difficulties, expected 2"),
    ("difficulty", {"difficulties": None}, {}, r"difficulties: received None"),
    ("difficulty", {}, {"scores": "token"}, r"unknown option 'scores'.* The options are zero_division, text_format, "),
    ("difficulty", {}, {"zero_division": 2}, r"zero_division"),
    ("difficulty", None, {}, r"there is nothing to score: pass"),
    ("alignment", None, {}, r"there is nothing to score: pass"),
    ("alignment", {"sources": [["a"]], "targets": [[]]}, {},
     r"references, bitext 0, bisegment 0: the target segment 0 is out of range: the target has no segments"),
    ("alignment", {"sources": [["a"]]}, {}, r"sources and targets go together"),
    ("alignment", {}, WORDS, r"unknown option 'text_format'.* The options are scores, zero_division, confidence\.$"),
    ("alignment", {}, {"scores": "phrase"}, r"unknown level 'phrase': the levels are alignment"),
    ("alignment", {}, {"scores": "word"}, r'scores="word" needs the texts'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "options", "message"), BAD)
def test_bad_input_is_refused_and_changes_nothing(load, name, change, options, message):
    good, known = GOOD[name]
    rows = {} if change is None else good | change
    metric = load(name)
    expected = metric.compute(**good, **known)
    with pytest.raises((TypeError, ValueError), match=message):
        metric.compute(**rows, **(known | options))
    metric.add_batch(**good)
    if rows and not options:
        with pytest.raises((TypeError, ValueError), match=message):
            metric.add_batch(**rows)
    assert metric.compute(**known) == expected


def test_batches_with_and_without_texts_do_not_mix(load):
    metric = load("alignment")
    metric.add_batch(**GOOD["alignment"][0])
    with pytest.raises(ValueError, match="this batch comes with sources and targets, the batches before came without"):
        metric.add_batch(**GOOD["alignment"][0], sources=[["a"]], targets=[["b"]])
    assert metric.compute(scores="alignment")["alignment_fscore"] == 1.0


def test_other_forms_and_a_label_scheme_with_text_are_refused_before_anything_is_lost(load):
    metric = load("difficulty")
    metric.add_batch(**GOOD["difficulty"][0])
    with pytest.raises(TypeError, match="mixed forms"):
        metric.add_batch(references=[["a"]], predictions=[["a"]], difficulties=[[0.1]])
    with pytest.raises(TypeError, match='label_scheme="start" is for lists of labels'):
        metric.compute(label_scheme="start")
    assert metric.compute(text_format="words")["reward_recall"] == 0.0
