"""Syntactic words, tokens and sentences equal the evaluation of Universal Dependencies, to the last digit."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import segscores

from ...universal_dependencies import (
    METRICS,
    Sentence,
    conllu,
    official_counts,
    official_scores,
    perturbed,
    random_pair,
    read_conllu,
)

OPTIONS: dict[str, Any] = {"text_format": "conllu", "documents": True, "scores": "ud"}


def counts_of(references: list[str], predictions: list[str]) -> dict[str, tuple[int, ...]]:
    counts = segscores.tally(references, predictions, **OPTIONS).counts()
    return {
        group: tuple(counts[f"{group}_{kind}"] for kind in ("matched", "predicted", "reference")) for group in METRICS
    }


def test_the_toy_corpus_has_the_figures_of_the_evaluation(shared_data: Path) -> None:
    toy = json.loads((shared_data / "neighbours" / "ud_eval.json").read_text(encoding="utf-8"))
    found = segscores.score([toy["gold_conllu"]], [toy["system_conllu"]], **OPTIONS)
    figures = [toy["figures"][metric] for metric in METRICS.values()]
    assert list(found.values()) == [figure[name] for figure in figures for name in ("precision", "recall", "f1")]
    assert found == official_scores(toy["gold_conllu"], toy["system_conllu"])


# The cases of the evaluation's own tests: tokens, with the words of a multiword token after it, and the aligned words.
@pytest.mark.parametrize(
    ("reference", "prediction", "aligned"),
    [
        (["abc a b c"], ["a", "b", "c"], 3),
        (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
        (["abcd a b c d"], ["ab a b", "cd c d"], 4),
        (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
        (["abcd"], ["a", "b", "c", "d"], 0),
        (["abc", "d"], ["a", "b", "c", "d"], 1),
        (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
        (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
        (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
        (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
        (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
    ],
)
def test_the_evaluations_own_cases(reference: list[str], prediction: list[str], aligned: int) -> None:
    sides = [conllu([[_token(text) for text in side]]) for side in (reference, prediction)]
    assert counts_of(sides[:1], sides[1:])["syntactic_word"][0] == aligned


def _token(text: str) -> Any:
    form, *words = text.split()
    return (form, words) if words else form


def test_random_analyses_have_the_counts_of_the_evaluation() -> None:
    """Multiword tokens on either side overlap in every way; few letters, so that words of other places are equal."""
    source = random.Random(1)
    pairs = [random_pair(source) for _ in range(600)]
    texts = [[conllu(pair[side]) for pair in pairs] for side in (0, 1)]
    official = [official_counts(*both) for both in zip(*texts, strict=True)]
    summed = {group: tuple(sum(count[group][at] for count in official) for at in range(3)) for group in METRICS}
    assert counts_of(*texts) == summed
    for left, right, counts in list(zip(*texts, official, strict=True))[:30]:
        assert counts_of([left], [right]) == counts


def corpora(shared_data: Path) -> list[list[Sentence]]:
    return [
        read_conllu((shared_data / "ud" / f"{name}-ud-test.conllu").read_text(encoding="utf-8"))[:100]
        for name in ("en_ewt", "zh_gsd")
    ]


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_perturbed_corpora_have_the_scores_of_the_evaluation(shared_data: Path, tmp_path: Path, share: float) -> None:
    """English has multiword tokens; in the second system of each corpus all tokens are single words."""
    source = random.Random(7)
    for sentences in corpora(shared_data):
        without = [[token if isinstance(token, str) else token[0] for token in sentence] for sentence in sentences]
        for system in (perturbed(sentences, source, share), perturbed(without, source, share)):
            paths = [tmp_path / f"{name}.conllu" for name in ("one", "other")]
            texts = [conllu(side) for side in (sentences, system)]
            for path, text in zip(paths, texts, strict=True):
                path.write_text(text, encoding="utf-8")
            assert segscores.score(*paths, documents=True, scores="ud") == official_scores(*texts)
            assert segscores.score(*paths[::-1], documents=True, scores="ud") == official_scores(*texts[::-1])


def test_a_multiword_span_does_not_reach_back_into_the_document_before() -> None:
    """In one stream, `b` of the first document is behind the other side, and matches a word of `cd`."""
    sides = [[["ab"], [("cd", ["b", "x"])]], [["a", "b"], ["cd"]]]
    texts = [[conllu([sentence]) for sentence in side] for side in sides]
    whole = ["".join(side) for side in texts]
    assert counts_of(*texts)["syntactic_word"] == (0, 3, 3)
    assert counts_of(whole[:1], whole[1:]) == official_counts(*whole)
    assert official_counts(*whole)["syntactic_word"] == (1, 3, 3)
