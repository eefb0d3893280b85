"""Use of a vocabulary: the definition, figures of tokenization-scorer and its package, intervals, and what is refused."""

import math
import random
from collections import Counter
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from segscores import CorpusTally, per_utterance, score, tally, tokenized
from segscores.scoring.measures.registry import compute_scores
from segscores.scoring.passes import concatenate_tallies, open_systems
from segscores.scoring.plan import Plan

from ...corpora import Corpus
from ...naive import ratio
from ...trained_tokenizers import TEXTS, byte_level

#: Of tokenization-scorer 1.1.8 for a text of its README, which names the power 2.5 for the figure of 3.
README = "pick @@ed pick @@l @@ed pick @@les"
FIGURES = [
    (3, {}, 0.8031528501359657), (2.5, {}, 0.8265064834225245), (1, {}, 0.9211854965885544),
    (2.5, {"vocabulary_size": 100}, 0.2488032431209349),
]  # fmt: skip
WORDS: dict[str, Any] = {"text_format": "words"}


def naive_scores(
    references: Corpus, predictions: Corpus, zero_division: float = 0.0, **options: Any
) -> dict[str, float]:
    return of_tokens([tuple(word) for words in predictions for word in words], zero_division, **options)


def of_tokens(
    tokens: list[Any], zero_division: float = 0.0, renyi_order: float = 2.5, vocabulary_size: int | None = None
) -> dict[str, float]:
    shares = [count / len(tokens) for count in Counter(tokens).values()]
    if renyi_order == 1:
        entropy = -sum(share * math.log2(share) for share in shares)
    else:
        # Near order 1 the power of a float loses most digits of the entropy.
        with localcontext() as context:
            context.prec = 60
            order = Decimal(renyi_order)
            sum_of_powers = sum(
                (Decimal(count) / len(tokens)) ** order for count in Counter(tokens).values()
            ) or Decimal(1)
            entropy = float(sum_of_powers.ln() / Decimal(2).ln() / (1 - order))
    return {
        "renyi_efficiency": ratio(entropy, math.log2(vocabulary_size or len(shares) or 1), zero_division),
        "distinct_tokens": len(shares),
        "vocabulary_use": ratio(len(shares), vocabulary_size or 0, zero_division),
    }


def random_lines(source: random.Random, count: int = 12) -> list[str]:
    return [" ".join(source.choices("aaaabbcdef", k=source.randrange(1, 9))) for _ in range(count)]


@pytest.mark.parametrize(("order", "options", "figure"), FIGURES)
def test_figures_of_tokenization_scorer(order: float, options: dict[str, int], figure: float) -> None:
    scores = score([README], [README], scores="token_use", renyi_order=order, **WORDS, **options)
    assert scores["renyi_efficiency"] == pytest.approx(figure, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("order", [0.5, 1, 2.5, 3])
def test_efficiency_of_200_texts_of_tokenization_scorer(order: float) -> None:
    package = pytest.importorskip("tokenization_scorer")
    source = random.Random(0)
    for _ in range(50):
        lines = random_lines(source)
        found = score(lines, lines, scores="renyi_efficiency", renyi_order=order, **WORDS)["renyi_efficiency"]
        # Of order 1, the package has 0; its Shannon efficiency is the value.
        options = {"metric": "shannon_efficiency"} if order == 1 else {"metric": "renyi", "power": order}
        assert found == pytest.approx(package.score(lines, **options), abs=1e-14)


@pytest.mark.parametrize("order", [1 - 1e-15, 1 - 1e-9, 1 + 1e-12, 1 + 1e-6, 0.91, 1.09, 1.11])
def test_orders_near_1_tend_to_shannon(order: float) -> None:
    lines = random_lines(random.Random(3))
    found = score(lines, lines, scores="token_use", renyi_order=order, **WORDS)
    assert found == pytest.approx(
        of_tokens(" ".join(lines).split(), renyi_order=order) | {"vocabulary_use": 0}, abs=1e-14
    )


@pytest.mark.parametrize("order", [0.5, 1 - 1e-9, 1, 1 + 1e-12, 2.5, 99])
@pytest.mark.parametrize("clusters", [None, [0, 1, 1, 2] * 3])
def test_scores_without_each_utterance_equal_scores_of_the_others(order: float, clusters: list[int] | None) -> None:
    lines = random_lines(random.Random(2))
    plan = Plan.of(scores="token_use", renyi_order=order, **WORDS)
    sides, plan = open_systems(plan, lines, lines)
    (whole,), _ = concatenate_tallies(sides, plan)
    units = clusters or list(range(len(lines)))
    tokens = whole.statistics["token_use"]
    if clusters is not None:
        tokens = tokens.unite(np.array(clusters), 3)
    found = compute_scores(tokens.without_each(), plan.keys)
    for unit in sorted(set(units)):
        rest = [token for line, own in zip(lines, units, strict=True) if own != unit for token in line.split()]
        expected = of_tokens(rest, renyi_order=order)
        assert {key: values[unit] for key, values in found.items()} == pytest.approx(expected)


def test_an_interval_of_a_high_order_is_that_of_a_smaller_corpus_with_the_same_shares() -> None:
    lines = random_lines(random.Random(2))
    long_lines = [" ".join([line] * 300) for line in lines]
    # The power 99 of 1300 is no float.
    options = {"scores": "renyi_efficiency", "renyi_order": 99, "confidence": 0.95, **WORDS}
    assert score(long_lines, long_lines, **options) == pytest.approx(score(lines, lines, **options))


@pytest.mark.parametrize(("occurrences", "count"), [(3, 2000), (3000, 1)], ids=["shares", "counts"])
def test_powers_of_a_high_order_that_are_no_floats(occurrences: int, count: int) -> None:
    """By hand: `count` tokens occur m times, and as many once, so that Σ (n/m)^99 is `count`, to 16 digits."""
    tokens = [f"a{number}" for number in range(count)] * occurrences + [f"b{number}" for number in range(count)]
    entropy = (math.log2(count) + 99 * math.log2(occurrences / len(tokens))) / (1 - 99)
    expected = pytest.approx(entropy / math.log2(2 * count), rel=1e-12)
    options: dict[str, Any] = {"scores": "renyi_efficiency", "renyi_order": 99, **WORDS}
    text = " ".join(tokens)
    assert score([text], [text], **options) == {"renyi_efficiency": expected}
    assert per_utterance([text], [text], **options) == [{"utterance": 0, "renyi_efficiency": expected}]


def test_ids_of_a_tokenizer_and_the_size_of_its_vocabulary() -> None:
    tokenizer = byte_level()
    texts = list(TEXTS)
    ids = [number for text in texts for number in tokenizer.encode(text, add_special_tokens=False).ids]
    expected = of_tokens(ids) | {"vocabulary_use": len(set(ids)) / tokenizer.get_vocab_size()}
    assert score(texts, tokenizer, scores="token_use", **WORDS) == pytest.approx(expected)
    parts = [tally(texts[start::2], tokenizer, scores="token_use", **WORDS) for start in (0, 1)]
    assert sum(CorpusTally.from_json(part.to_json()) for part in parts).scores() == pytest.approx(expected)
    with_size = score(texts, tokenizer, scores="token_use", vocabulary_size=1000, **WORDS)
    assert with_size == pytest.approx(of_tokens(ids, vocabulary_size=1000))


@pytest.mark.parametrize(
    ("prediction", "options", "message"),
    [
        (lambda texts: [[] for _ in texts], {}, "returns offsets and no ids, which token_use counts: pass a tokenizer"),
        (
            ["a b"],
            {"vocabulary_size": 1},
            "vocabulary_size=1: the text has 2 distinct tokens: expected the size of the whole",
        ),
        (
            ["a b"],
            {"subword_marks": "strip"},
            'subword_marks="strip" does not go with scores="token_use", which counts tokens with their marks: leave one',
        ),
    ],
)
def test_errors(prediction: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(
            ["a b"],
            tokenized(prediction) if callable(prediction) else prediction,
            scores="token_use",
            **WORDS,
            **options,
        )
