"""The digest of references: as by hand, the same however the text is read and cut, and in every signature."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscores
from segscores.scoring.digest import digest_of

from ..corpora import Corpus, corpus_pairs, units_text, word_lists, words_text
from ..tallies import read

BASE, MASK = 747796405, (1 << 64) - 1


def mix(value: int) -> int:
    """The last step of SplitMix64."""
    value &= MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def naive_digest(corpus: list[list[bytes]]) -> int:
    total = 0
    for words in corpus:
        symbols = [byte + 256 * (at == len(word) - 1) for word in words for at, byte in enumerate(word)]
        hashed = sum(symbol * pow(BASE, at, 1 << 32) for at, symbol in enumerate(symbols)) % (1 << 32)
        total += mix(hashed + (len(symbols) + 1) * 0x9E3779B97F4A7C15)
    return total & MASK


@given(pair=corpus_pairs())
def test_it_equals_plain_python(pair: tuple[Corpus, Corpus]) -> None:
    corpus, _ = pair
    words = [["".join(word).encode() for word in utterance] for utterance in corpus]
    assert digest_of(read(corpus)) == naive_digest(words)
    labels = [[bytes(len(word)) for word in utterance] for utterance in corpus]
    assert digest_of(read(corpus, "labels")) == naive_digest(labels)


@pytest.mark.parametrize("size", [1, 1 << 14, (1 << 14) + 1, 40_000])
def test_it_does_not_depend_on_how_long_an_utterance_is(size: int) -> None:
    corpus = [["a" * size, "b"], [], ["c"], ["ab"] * size]
    assert digest_of(read(corpus)) == naive_digest([[word.encode() for word in words] for words in corpus])


def field(signature: str) -> str:
    return next(value for value in signature.split("|") if value.startswith("ref:"))


@given(pair=corpus_pairs(), cut=st.integers(0, 5))
def test_a_signature_has_it_however_references_are_read_and_cut(pair: tuple[Corpus, Corpus], cut: int) -> None:
    corpus, _ = pair
    lines, words = words_text(corpus), {"text_format": "words"}
    expected = field(segscores.signature(lines, **words))
    assert field(segscores.signature(word_lists(corpus))) == expected
    assert field(segscores.signature(pa.array(lines), **words)) == expected
    assert field(segscores.signature(lines[::-1], **words)) == expected
    joined = {"reference_format": "units", "prediction_format": "words"}
    assert field(segscores.tally(units_text(corpus), lines, **joined).signature()) == expected
    parts: list[Any] = [lines[:cut], lines[cut:]]
    total = sum(segscores.tally(part, part, **words) for part in parts)
    assert field(total.signature()) == expected
    assert field(segscores.CorpusTally.from_json(total.to_json()).signature()) == expected


def test_a_macro_average_names_whether_undefined_scores_are_left_out() -> None:
    options: dict[str, Any] = {"text_format": "words", "average": "macro", "scores": "boundary_noedge"}
    references, predictions = ["the dog", "is"], ["the dog", "is"]
    scores = [
        segscores.score(references, predictions, **options, **zero)["boundary_noedge_fscore"]
        for zero in ({}, {"zero_division": 0.0})
    ]
    assert scores == [1.0, 0.5]
    signatures = [segscores.signature(references, **options, **zero) for zero in ({}, {"zero_division": 0.0})]
    assert ["|zero:omit|" in signatures[0], "|zero:0|" in signatures[1]] == [True, True]
