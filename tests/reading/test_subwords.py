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


# What is left of random subwords may have other marks.
@pytest.mark.filterwarnings("ignore:.* this looks like ")
@given(st.lists(st.lists(subwords, max_size=5), min_size=1, max_size=4), st.sampled_from(["strip", *MARKS]))
def test_words_are_the_subwords_without_their_marks(corpus: list[list[str]], mark: str) -> None:
    plain = [[word for word in (bare(each, mark) for each in utterance) if word] for utterance in corpus]
    scores = ["token", "type", "boundary_noedge", "tnr"]
    marked = segscores.tally(corpus, corpus, subword_marks=mark, scores=scores)
    assert marked.counts() == segscores.tally(plain, plain, scores=scores).counts()


# Random subwords may look like anything.
@pytest.mark.filterwarnings("ignore:.* this looks like ")
@given(st.lists(st.lists(st.lists(subwords, max_size=3), max_size=4), min_size=1, max_size=3))
def test_sentences_of_documents_stay_where_they_are(corpus: list[list[list[str]]]) -> None:
    """A sentence may end with a subword that is only a mark, or have no other."""
    plain = [[[bare(each, "strip") for each in sentence] for sentence in document] for document in corpus]
    marked, stripped = (["\n".join(map(" ".join, document)) for document in side] for side in (corpus, plain))
    options: dict[str, Any] = {"text_format": "words", "documents": True, "scores": ["sentence", "token"]}
    found = segscores.tally(marked, marked, subword_marks="strip", **options)
    assert found.counts() == segscores.tally(stripped, stripped, **options).counts()


@pytest.mark.filterwarnings("ignore:.*this looks like subwords")
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
def test_errors_and_warnings_name_the_mark_and_the_option(predicted: list[str], mark: str) -> None:
    words = ["playing", "it"]
    hint = rf'the mark {re.escape(repr(mark))} of a tokenizer: did you mean subword_marks="strip"\?'
    with pytest.raises(segscores.UtteranceError, match=hint):
        segscores.score([words], [predicted])
    with pytest.raises(segscores.UtteranceError, match=r'mean subword_marks="strip" and text_format="words"\?'):
        segscores.score(["playing it"], [" ".join(predicted)])
    sides = [words, ["it"]], [predicted, ["it"]]
    with pytest.warns(UserWarning, match=r'differ by the marks of subwords.* subword_marks="strip"'):
        segscores.score(*sides, on_mismatch="align", scores="token_fscore")
    with pytest.warns(UserWarning, match=f"^1 of 2 utterances could not be scored.*{hint}"):
        segscores.score(*sides, on_error="skip", scores="token_fscore")


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
