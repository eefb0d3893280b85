"""Sentences of documents: spans and boundaries, against sets of them."""

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

import segscores

from ...naive import prf
from ...printed import FIGURES

GROUPS = ("sentence", "sentence_boundary_end", "sentence_boundary_noedge")

#: A document: sentences of words.
Document = Sequence[Sequence[str]]


def naive_document_scores(references: Sequence[Document], predictions: Sequence[Document]) -> dict[str, float]:
    found: dict[str, float] = {}
    spans = [[_spans(document) for document in side] for side in (references, predictions)]
    ends = [[{end for _, end in document} for document in side] for side in spans]
    inner = [[document - {max(document, default=0)} for document in side] for side in ends]
    for group, sides in zip(GROUPS, (spans, ends, inner), strict=True):
        matched = sum(len(left & right) for left, right in zip(*sides, strict=True))
        reference, predicted = (sum(map(len, side)) for side in sides)
        found |= prf(group, matched, predicted, reference, 0.0)
    return found


def _spans(document: Document) -> set[tuple[int, int]]:
    start, spans = 0, set()
    for sentence in document:
        if length := sum(map(len, sentence)):
            spans.add((start, start + length))
            start += length
    return spans


def random_documents(source: random.Random) -> tuple[list[Document], list[Document]]:
    sides: tuple[list[Document], list[Document]] = ([], [])
    for _ in range(source.randrange(1, 6)):
        text = source.choices("abé狗", k=source.randrange(20))
        shares = [(source.random(), source.random()) for _ in sides]
        for side, (of_words, of_sentences) in zip(sides, shares, strict=True):
            document: list[list[str]] = [[]]
            for unit in text:
                if document[-1] and source.random() < of_words:
                    document[-1][-1] += unit
                elif source.random() < of_sentences:
                    document += [[]] * source.choice((0, 0, 1)) + [[unit]]
                else:
                    document[-1] = [*document[-1], unit]
            side.append(document)
    return sides


def as_text(documents: Sequence[Document]) -> list[str]:
    return ["\n".join(map(" ".join, document)) for document in documents]


#: A document of 280 kB between short ones.
LONG = [["the", "dog"], ["is", "on"]] * 20_000
BESIDE_LONG = ([[["a", "b"], ["c"]], LONG, [["a"], ["b"]]], [[["a"], ["b", "c"]], LONG, [["a"], ["b"]]])


@pytest.mark.parametrize("sides", [*(random_documents(random.Random(seed)) for seed in range(40)), BESIDE_LONG])
def test_documents_have_the_scores_of_sets(sides: tuple[list[Document], list[Document]]) -> None:
    options = {"text_format": "words", "documents": True, "scores": GROUPS, "zero_division": 0.0}
    assert segscores.score(*map(as_text, sides), **options) == naive_document_scores(*sides)


def test_sentence_boundaries_without_edges_equal_ersatz() -> None:
    figures = FIGURES["ersatz"]
    found = segscores.score(
        [figures["gold"]], [figures["pred"]], text_format="words", documents=True, scores="sentence_boundary_noedge"
    )
    printed = dict(re.findall(r"^(\w+) ([\d.]+)$", figures["stdout"], re.MULTILINE))
    names = {"precision": "Precision", "recall": "Recall", "fscore": "F1"}
    assert {key.rpartition("_")[2]: f"{100 * value:.2f}" for key, value in found.items()} == {
        ours: printed[theirs] for ours, theirs in names.items()
    }


@pytest.mark.parametrize("case", FIGURES["wtpsplit"]["cases"], ids=lambda case: "".join(case["predicted"]))
def test_sentence_boundaries_with_the_end_equal_wtpsplit(case: dict[str, Any]) -> None:
    """wtpsplit alone distinguishes the two sides of a space."""
    sides = ["\n".join(case[name]) for name in ("sentences", "predicted")]
    found = segscores.score([sides[0]], [sides[1]], text_format="words", documents=True, scores="sentence_boundary_end")
    if any(sentence.startswith(" ") for sentence in case["predicted"]):
        assert found["sentence_boundary_end_fscore"] > case["f1"]
    else:
        assert list(found.values()) == [case[name] for name in ("precision", "recall", "f1")]
