"""The metric's configurations "difficulty" and "alignment", through `evaluate.load` as users reach them."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import evaluate
import pytest

from ..naive import FORMS, random_corpus_pair
from ..naive_difficulty import naive_balanced, random_difficulties
from .distributed import SCRIPT, run_in_two_processes

CONFIGURATIONS = ["difficulty", "alignment"]

Rows = dict[str, list[Any]]
Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return lambda name, **options: evaluate.load(str(SCRIPT), name, cache_dir=str(tmp_path / "cache"), **options)


def difficulty_rows(form_name: str) -> tuple[Rows, dict[str, Any], dict[str, float]]:
    """Inputs in a form, options, and the scores by the definition."""
    form = FORMS[form_name]
    references, predictions = random_corpus_pair(30, seed=5)
    references, predictions = [[], *references], [[], *predictions]
    difficulties = random_difficulties(references, seed=7)
    rows = {"references": form.write(references), "predictions": form.write(predictions), "difficulties": difficulties}
    return rows, form.options, naive_balanced(references, predictions, difficulties)


def random_alignment(source: random.Random, segments: int) -> list[dict[str, list[int]]]:
    def some() -> list[int]:
        return sorted(source.sample(range(segments), source.randint(0, 2)))

    return [{"source": some(), "target": some()} for _ in range(source.randint(0, 4))]


def alignment_rows(seed: int = 3, count: int = 12) -> tuple[Rows, dict[str, Any], dict[str, float]]:
    """Inputs, options, and the scores by ARCADE's definition, with sets."""
    source = random.Random(seed)
    rows: Rows = {"references": [], "predictions": [], "sources": [], "targets": []}
    totals = dict.fromkeys(
        [(level, kind) for level in ("alignment", "word") for kind in ("matched", "predicted", "reference")], 0
    )
    for _ in range(count):
        texts = [[" ".join("a" * source.randint(1, 5)) for _ in range(4)] for _ in range(2)]
        sides = [random_alignment(source, 4) for _ in range(2)]
        for name, value in zip(rows, (*sides, *texts), strict=True):
            rows[name].append(value)
        bisegments = [{(frozenset(b["source"]), frozenset(b["target"])) for b in side} for side in sides]
        pairs = [{(i, j) for b in side for i in b["source"] for j in b["target"]} for side in sides]
        for level, (reference, prediction), weigh in (
            ("alignment", bisegments, lambda _: 1),
            ("word", pairs, lambda pair, texts=texts: len(texts[0][pair[0]].split()) * len(texts[1][pair[1]].split())),
        ):
            for kind, items in (
                ("matched", reference & prediction),
                ("predicted", prediction),
                ("reference", reference),
            ):
                totals[level, kind] += sum(map(weigh, items))
    scores: dict[str, float] = {}
    for level in ("alignment", "word"):
        matched, predicted, reference = (totals[level, kind] for kind in ("matched", "predicted", "reference"))
        scores[f"{level}_precision"] = float(Fraction(matched, predicted))
        scores[f"{level}_recall"] = float(Fraction(matched, reference))
        scores[f"{level}_fscore"] = float(Fraction(2 * matched, predicted + reference))
    return rows, {"scores": ["alignment", "word"]}, scores


CASES = {
    **{f"difficulty-{form}": ("difficulty", lambda form=form: difficulty_rows(form)) for form in FORMS},
    "alignment": ("alignment", alignment_rows),
}


def part(rows: Rows, start: int, stop: int | None) -> Rows:
    return {name: values[start:stop] for name, values in rows.items()}


def at_once(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    return metric.compute(**rows, **options)


def in_batches(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    for start, stop in ((0, 1), (1, 1), (1, 5)):
        batch = part(rows, start, stop)
        if start != stop:
            metric.add_batch(**batch)
    metric.add_batch(**part(rows, 5, None))
    return metric.compute(**options)


def one_by_one(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    names = {"references": "reference", "predictions": "prediction", "sources": "source", "targets": "target"}
    for values in zip(*rows.values(), strict=True):
        metric.add(**{names.get(name, name): value for name, value in zip(rows, values, strict=True)})
    return metric.compute(**options)


def added_and_given(metric: Any, rows: Rows, options: dict[str, Any]) -> Any:
    metric.add_batch(**part(rows, 0, 7))
    return metric.compute(**part(rows, 7, None), **options)


@pytest.mark.parametrize("way", [at_once, in_batches, one_by_one, added_and_given])
@pytest.mark.parametrize("case", CASES)
def test_every_way_of_passing_gives_the_scores_of_the_definition(load: Load, case: str, way: Any) -> None:
    name, make = CASES[case]
    rows, options, expected = make()
    metric = load(name)
    for _ in range(2):
        scores = way(metric, rows, options)
        assert scores == pytest.approx(expected, rel=0, abs=1e-12)
        assert all(type(value) is float for value in scores.values())
        assert json.loads(json.dumps(scores)) == scores


def test_the_alignment_metric_gives_what_arcade_prints(load: Load) -> None:
    scores = load("alignment").compute(
        references=[{"source": [0], "target": [0]}, {"source": [1], "target": [1, 2]}],
        predictions=[{"source": [0], "target": [0]}, {"source": [], "target": [1]}, {"source": [1], "target": [2]}],
        sources=["Ceci est la phrase numéro un.", "Ceci est la phrase numéro deux, qui ressemble à la première."],
        targets=["This is the first sentence.", "This is the second sentence.", "It looks like the first."],
    )
    printed = {"alignment_precision": 0.33, "alignment_recall": 0.50, "alignment_fscore": 0.40, "sentence_fscore": 0.80}
    printed |= {"character_recall": 0.57, "character_fscore": 0.73}
    assert {key: round(scores[key], 2) for key in printed} == printed


SINGLE = {
    "references": [([0], [0]), ([1], [1, 2])],
    "predictions": [([0], [0]), ([], [1]), ([1], [2])],
    "sources": ["a b", "c"],
    "targets": ["a", "b c", "d"],
}
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
def test_a_single_bitext_needs_no_list_around_it(load: Load, single: Rows) -> None:
    metric = load("alignment")
    wrapped = {name: [values] for name, values in single.items()}
    expected = metric.compute(**wrapped)
    assert metric.compute(**single) == expected
    metric.add_batch(**single)
    assert metric.compute() == expected


def test_alignments_without_texts_have_no_scores_by_words(load: Load) -> None:
    metric = load("alignment")
    rows, _, expected = alignment_rows()
    without = {name: rows[name] for name in ("references", "predictions")}
    metric.add_batch(**without)
    scores = metric.compute()
    assert not [key for key in scores if key.startswith(("word", "character"))]
    assert scores["alignment_fscore"] == pytest.approx(expected["alignment_fscore"], rel=0, abs=1e-12)


def test_the_alignment_metric_describes_its_levels(load: Load) -> None:
    levels = load("alignment").alignment_levels()
    assert list(levels) == ["alignment", "sentence", "word", "character", "strict", "lax"]
    assert all(level["definition"] and level["formula"] and level["source"] for level in levels.values())


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_has_a_card_and_features_of_its_own(load: Load, name: str) -> None:
    metric = load(name)
    assert metric.info.config_name == name
    assert {feature for features in metric.info.features for feature in features} >= {"predictions", "references"}
    extra = {"difficulty": {"difficulties"}, "alignment": {"sources", "targets"}}[name]
    assert all(extra <= set(features) for features in metric.info.features)
    assert f'evaluate.load("segmentation_scores.py", "{name}")' in metric.info.inputs_description
    assert metric.version


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_pickled_metric_scores_as_before(load: Load, name: str) -> None:
    make = {"difficulty": lambda: difficulty_rows("words_text"), "alignment": alignment_rows}[name]
    rows, options, expected = make()
    metric = pickle.loads(pickle.dumps(load(name)))
    assert metric.compute(**rows, **options) == pytest.approx(expected, rel=0, abs=1e-12)


def test_combine_passes_difficulties_on(load: Load) -> None:
    rows, options, expected = difficulty_rows("words_text")
    both = evaluate.combine({"balanced": load("difficulty", **options)})
    scores = both.compute(**rows)
    assert scores == pytest.approx(expected, rel=0, abs=1e-12)


def test_two_processes_give_the_scores_of_the_whole_to_the_first(tmp_path: Path) -> None:
    runs: dict[str, dict[str, Any]] = {}
    for name, make in (("difficulty", lambda: difficulty_rows("words_text")), ("alignment", alignment_rows)):
        rows, options, expected = make()
        run = {"configuration": name, "options": options, "expected": expected}
        for way in ("add_batch", "compute"):
            runs[f"{name}-{way}"] = {**run, "way": way, "shares": [part(rows, 0, 5), part(rows, 5, None)]}
        runs[f"{name}-first-has-none"] = {**run, "way": "add_batch", "shares": [{}, rows]}
    without = {name: rows[name][5:] for name in ("references", "predictions")}
    expected = "ValueError: only some processes have sources and targets"
    runs["mixed"] = runs["alignment-add_batch"] | {"shares": [part(rows, 0, 5), without], "options": {}}
    runs["mixed"]["expected"] = expected
    cache, (first, second) = run_in_two_processes(tmp_path, runs)
    for name, run in runs.items():
        (found,) = first[name]
        if name == "mixed":
            assert found.startswith(expected)
        else:
            assert found == pytest.approx(run["expected"], rel=0, abs=1e-12), name
        assert second[name] == [None], name
    assert not list(cache.rglob("*.arrow"))


GOOD_WORDS = {"references": ["a b"], "predictions": ["ab"], "difficulties": [[0.5, 0.25]]}
GOOD_BITEXT = {"references": [[([0], [0])]], "predictions": [[([0], [0])]]}
BAD = {
    "difficulty above 1": ("difficulty", GOOD_WORDS | {"difficulties": [[0.5, 1.5]]}, {},
     r"difficulties, utterance 0: word 1"),
    "too few difficulties": ("difficulty", GOOD_WORDS | {"difficulties": []}, {},
     r"1 references and difficulties for 0"),
    "difficulties for another count of words": ("difficulty", GOOD_WORDS | {"difficulties": [[0.5]]}, {},
     r"received 1 difficulties, expected 2"),
    "no difficulties": ("difficulty", GOOD_WORDS | {"difficulties": None}, {}, r"difficulties: received None"),
    "difficulty: unknown option": ("difficulty", GOOD_WORDS, {"scores": "token"},
     r"unknown option 'scores'.* The options are zero_division, text_format, "),
    "difficulty: bad option": ("difficulty", GOOD_WORDS, {"zero_division": 2}, r"zero_division"),
    "difficulty: nothing": ("difficulty", {}, {}, r"there is nothing to score: pass"),
    "alignment: nothing": ("alignment", {}, {}, r"there is nothing to score: pass"),
    "number out of range": ("alignment", GOOD_BITEXT | {"sources": [["a"]], "targets": [[]]}, {},
     r"references, bitext 0, bisegment 0: the target segment 0 is out of range: the target has no segments"),
    "sources alone": ("alignment", GOOD_BITEXT | {"sources": [["a"]]}, {}, r"sources and targets go together"),
    "alignment: unknown option": ("alignment", GOOD_BITEXT, {"text_format": "words"},
     r"unknown option 'text_format'.* The options are scores, zero_division\.$"),
    "unknown level": ("alignment", GOOD_BITEXT, {"scores": "phrase"},
     r"unknown level 'phrase': the levels are alignment"),
    "level without its texts": ("alignment", GOOD_BITEXT, {"scores": "word"}, r'scores="word" needs the texts'),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_and_the_metric_stays_usable(load: Load, case: str) -> None:
    name, rows, options, message = BAD[case]
    options = ({"text_format": "words"} if name == "difficulty" else {}) | options
    metric = load(name)
    with pytest.raises((TypeError, ValueError), match=message):
        metric.compute(**rows, **options)
    good, good_options = (GOOD_WORDS, {"text_format": "words"}) if name == "difficulty" else (GOOD_BITEXT, {})
    assert metric.compute(**good, **good_options)


# How many words an utterance has is known only when it is known how text is read, at compute.
BAD_BATCHES = [case for case, (_, rows, options, _) in BAD.items() if rows and not options and "of words" not in case]


@pytest.mark.parametrize("case", BAD_BATCHES)
def test_a_bad_batch_does_not_change_added_examples(load: Load, case: str) -> None:
    name, rows, _, message = BAD[case]
    good, options = (GOOD_WORDS, {"text_format": "words"}) if name == "difficulty" else (GOOD_BITEXT, {})
    metric = load(name)
    expected = metric.compute(**good, **options)
    metric.add_batch(**good)
    with pytest.raises((TypeError, ValueError), match=message):
        metric.add_batch(**rows)
    assert metric.compute(**options) == expected


def test_batches_with_and_without_texts_do_not_mix(load: Load) -> None:
    metric = load("alignment")
    metric.add_batch(**GOOD_BITEXT)
    with pytest.raises(ValueError, match="this batch comes with sources and targets and the ones before without"):
        metric.add_batch(**GOOD_BITEXT, sources=[["a"]], targets=[["b"]])
    assert metric.compute(scores="alignment")["alignment_fscore"] == 1.0


def test_mixed_forms_are_refused(load: Load) -> None:
    metric = load("difficulty")
    metric.add_batch(**GOOD_WORDS)
    with pytest.raises(TypeError, match="mixed forms"):
        metric.add_batch(references=[["a"]], predictions=[["a"]], difficulties=[[0.1]])


def test_a_label_scheme_with_text_is_refused_before_anything_is_lost(load: Load) -> None:
    metric = load("difficulty")
    metric.add_batch(**GOOD_WORDS)
    with pytest.raises(TypeError, match='label_scheme="start" is for lists of labels'):
        metric.compute(label_scheme="start")
    assert metric.compute(text_format="words")["reward_recall"] == 0.0
