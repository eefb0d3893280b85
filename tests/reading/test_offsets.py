"""Where units differ, the error has the place in each text. All offsets are counted by hand."""

import pickle

import pytest

import segscores

WORDS = {"text_format": "words"}


@pytest.mark.parametrize(
    ("reference", "prediction", "options", "offsets"),
    [
        ("the dog", "thed ig", WORDS, (4, 5, 5)),
        ("  the\u3000dog ", "the dig\r", WORDS, (4, 7, 5)),
        ("a\nb c", "ab x", WORDS, (2, 4, 3)),
        # One side ends: its last unit ends there.
        # Each astral character is one code point.
        ("𝒶 𝒷𝒸", "𝒶𝒷 𝒹", WORDS, (2, 3, 3)),
        ("e\u0301t x", "ét y", WORDS | {"normalize": "NFC"}, (2, 4, 3)),
        # The second unit of `ﬁ` is within it, and the mark of é is the second unit of é.
        ("ﬁ x", "fa x", WORDS | {"normalize": "NFKC"}, (1, 0, 1)),
        # Marks that change places: U+0323 comes before U+0301 in every form.
        ("q\u0301\u0323 a", "q\u0323\u0301b", WORDS | {"normalize": "NFC"}, (3, 4, 3)),
        # Without the marks of a tokenizer.
        ("▁the ▁dog", "the do@@ t", WORDS | {"subword_marks": "strip"}, (5, 8, 9)),
        ("dh ax | d ao g", "dh ax d | oh g", {"word_boundary": "|"}, (3, 10, 10)),
        ("dh | 𝒶x ;esyll  g", "dh ax 𝒶x", {"word_boundary": "|", "ignored_tokens": ";esyll"}, (1, 5, 3)),
        ("e\u0301t | b", "ét | c", {"word_boundary": "|", "normalize": "NFC"}, (1, 6, 5)),
        # Units that are joined into words, because the other side has none.
        ("dh ax | d", "dhax t", {"word_boundary": "|", "prediction_format": "words"}, (4, 8, 5)),
        (["the", "dog"], ["the", "dig"], {}, (4, None, None)),
        # Joiners, which are no units, have no place in the count.
        ("the_big dog", "the_big dig", WORDS | {"joiner": "_"}, (7, None, None)),
        ("a b", "", WORDS, (None, None, None)),
        # Of a long utterance only the text around the difference is looked at.
        pytest.param("a" + "b" * 20_000, "c" + "b" * 20_000, WORDS, (0, 0, 0), id="long"),
    ],
)
def test_the_error_has_the_place_in_both_texts(reference, prediction, options, offsets):
    first = ["x"] if isinstance(reference, list) else "x"
    with pytest.raises(segscores.UtteranceError, match=r"^utterance 1: ") as caught:
        segscores.score([first, reference], [first, prediction], **options)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.offset, error.reference_offset, error.prediction_offset) == offsets
