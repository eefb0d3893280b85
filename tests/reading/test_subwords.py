"""Subwords without the marks of a tokenizer are words."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscores

MARKS = {"Ġ": r"^Ġ+", "▁": r"^▁+", "##": r"^##(?=.)", "@@": r"(?<=.)@@$", "</w>": r"(?<=.)</w>$"}
#: Pieces of marks, so that whole marks, parts of marks, and several marks in a subword occur.
subwords = st.lists(
    st.sampled_from(["Ġ", "▁", "#", "##", "@", "@@", "</w>", "<", "a", "é", "狗"]), min_size=1, max_size=6
).map("".join)


def bare(subword: str, mark: str) -> str:
    """A subword without its mark; one without any is unchanged."""
    for name, pattern in MARKS.items():
        if mark in ("strip", name) and re.search(pattern, subword, re.DOTALL):
            return re.sub(pattern, "", subword)
    return subword


@given(st.lists(st.lists(subwords, max_size=5), min_size=1, max_size=4), st.sampled_from(["strip", *MARKS]))
def test_words_are_the_subwords_without_their_marks(corpus: list[list[str]], mark: str) -> None:
    plain = [[word for word in (bare(each, mark) for each in utterance) if word] for utterance in corpus]
    scores = ["token", "type", "boundary_noedge", "tnr"]
    marked = segscores.tally(corpus, corpus, subword_marks=mark, scores=scores)
    assert marked.counts() == segscores.tally(plain, plain, scores=scores).counts()


@given(st.lists(st.lists(st.lists(subwords, max_size=3), max_size=4), min_size=1, max_size=3))
def test_sentences_of_documents_stay_where_they_are(corpus: list[list[list[str]]]) -> None:
    """A sentence may end with a subword that is only a mark, or have no other."""
    plain = [[[bare(each, "strip") for each in sentence] for sentence in document] for document in corpus]
    marked, stripped = (["\n".join(map(" ".join, document)) for document in side] for side in (corpus, plain))
    options: dict[str, Any] = {"text_format": "words", "documents": True, "scores": ["sentence", "token"]}
    found = segscores.tally(marked, marked, subword_marks="strip", **options)
    assert found.counts() == segscores.tally(stripped, stripped, **options).counts()


@pytest.mark.parametrize(
    ("predicted", "mark"),
    [
        (["Ġplay", "ing", "Ġit"], "Ġ"),
        (["▁play", "ing", "▁", "it"], "▁"),
        (["play", "##ing", "it"], "##"),
        (["play@@", "ing", "it"], "@@"),
        (["play", "ing</w>", "it</w>"], "</w>"),
    ],
)
class TestAgainstWords:
    """`play ing it` against `playing it` has 1 of 2 reference words, 1 of 3 predicted ones: F = 2 · 1 / 5."""

    REFERENCE = ("playing", "it")

    def test_strip_compares_subwords_with_words(self, predicted: list[str], mark: str) -> None:
        for value in ("strip", mark):
            scores = segscores.score([list(self.REFERENCE)], [predicted], subword_marks=value, scores="token_fscore")
            assert scores == {"token_fscore": pytest.approx(0.4)}
        text = segscores.score(
            ["playing it"], [" ".join(predicted)], text_format="words", subword_marks="strip", scores="token_fscore"
        )
        assert text == {"token_fscore": pytest.approx(0.4)}

    def test_error_names_the_option(self, predicted: list[str], mark: str) -> None:
        hint = rf'the mark {re.escape(repr(mark))} of a tokenizer: did you mean subword_marks="strip"\?'
        with pytest.raises(segscores.UtteranceError, match=hint):
            segscores.score([list(self.REFERENCE)], [predicted], scores="token_fscore")

    @pytest.mark.filterwarnings("ignore:1 of 2 utterances have different units")
    @pytest.mark.parametrize("on_mismatch", ["align", "skip"])
    def test_alignment_and_skipping_warn_of_marks(self, predicted: list[str], mark: str, on_mismatch: str) -> None:
        sides = [[list(self.REFERENCE), ["it"]], [predicted, ["it"]]]
        with pytest.warns(UserWarning, match=r'differ by the marks of subwords.* subword_marks="strip"'):
            segscores.score(*sides, on_mismatch=on_mismatch, scores="token_fscore")

    def test_error_of_units_text_names_the_format_too(self, predicted: list[str], mark: str) -> None:
        with pytest.raises(segscores.UtteranceError, match=r'mean subword_marks="strip" and text_format="words"\?'):
            segscores.score(["playing it"], [" ".join(predicted)])


def test_error_names_the_unicode_form_of_a_tokenizer_too() -> None:
    words, subwords = [["北京，", "我"]], [["▁北京,", "我"]]
    with pytest.raises(segscores.UtteranceError, match=r'mean subword_marks="strip" and normalize="NFKC"\?'):
        segscores.score(words, subwords)
    assert segscores.score(words, subwords, subword_marks="strip", normalize="NFKC", scores="token_fscore") == {
        "token_fscore": 1.0
    }


def test_error_names_a_special_token() -> None:
    with pytest.raises(segscores.UtteranceError, match=r"special token '\[UNK\]': leave such tokens out"):
        segscores.score([["北京", "我"]], [["北京", "[UNK]"]])


def test_error_recognises_bytes_of_a_byte_level_tokenizer() -> None:
    # The bytes of 狗 are E7 8B 97; GPT-2 writes them as ç, ĭ and Ĺ. A space is Ġ.
    with pytest.raises(segscores.UtteranceError, match="cut the text at the offsets of the tokens"):
        segscores.score([["狗", "é"]], [["çĭ", "Ĺ", "ĠÃ©"]])
