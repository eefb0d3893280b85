"""Documents of files and of strings: where they begin, how they pair, and the places that errors name."""

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

import segscores
from segscores.apps.command.main import main
from segscores.options.errors import FileError, UtteranceError
from segscores.reading.sources import source
from segscores.scoring.plan import Plan

from ...tallies import tally_utterances
from ...universal_dependencies import conllu

WORDS: dict[str, Any] = {"text_format": "words", "documents": True}
TEXT = "a b\nc\n\n \t\n\nd\u3000e\n\u3000\nf"
MARKED = f"# global\n\n# newdoc\n{conllu([['a'], ['b']])}# newdoc id = 2\n# text = c\n{conllu([['c']])}"


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


#: The name of a file, its text, whether it is one document, and the numbers of sentences of its documents.
FILES: dict[str, tuple[str | bytes, bool, list[int]]] = {
    "blank lines.txt": (TEXT, False, [2, 2]),
    "one whole.txt": (TEXT, True, [4]),
    "windows.txt": (TEXT.replace("\n", "\r\n"), False, [2, 2]),
    "blank ends.txt": (f"\n\n{TEXT}\n\n\n", False, [2, 2]),
    "packed.txt.gz": (gzip.compress(TEXT.encode()), False, [2, 2]),
    "marked.conllu": (MARKED, False, [2, 1]),
    "marked windows.conllu": (MARKED.replace("\n", "\r\n"), False, [2, 1]),
    "all.conllu": (MARKED, True, [3]),
    "unmarked.conllu": (conllu([["a"], ["b"]]), False, [2]),
    "without an end.conllu": (MARKED.rstrip("\n"), False, [2, 1]),
}


@pytest.mark.parametrize("piece_bytes", [1, 3, 1 << 19])
@pytest.mark.parametrize("name", FILES)
def test_documents_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, piece_bytes: int) -> None:
    """Blank lines of text are ASCII whitespace; a line of U+3000 is a blank sentence."""
    monkeypatch.setattr(source, "PIECE_BYTES", piece_bytes)
    text, whole, sentences = FILES[name]
    path = write(tmp_path / name, text)
    plan = Plan.of(text_format="words", documents=True, whole_files=whole, scores="sentence")
    assert tally_utterances(path, path, plan).columns["sentence_reference"].tolist() == sentences


def test_a_document_is_longer_than_the_pieces_in_which_it_is_read() -> None:
    """More words than are compared at a time, and pieces that end anywhere."""
    source_of = random.Random(3)
    words = ["".join(source_of.choices("aé狗", k=source_of.randrange(1, 9))) for _ in range(150_000)]
    cuts = sorted(source_of.sample(range(1, len(words)), 9_000))
    lines = [" ".join(words[start:stop]) for start, stop in zip([0, *cuts], [*cuts, len(words)], strict=True)]
    sides = ["\n".join(lines), "\n".join([" ".join(lines[:5000]), *lines[5000:]])]
    found = segscores.tally([sides[0], "x"], [sides[1], "x"], **WORDS, scores=["token", "sentence"]).counts()
    assert found["units"] == sum(map(len, words)) + 1
    assert found["token_matched"] == found["token_reference"] == len(words) + 1
    kinds = ("matched", "predicted", "reference")
    assert [found[f"sentence_{kind}"] for kind in kinds] == [4_002, 4_003, 9_002]


# A difference near the beginning, and far behind it in a long document; the context of each side has its own words.
@pytest.mark.parametrize("before", [0, 100_000])
def test_the_error_on_different_text_has_the_document_the_offset_and_both_contexts(tmp_path: Path, before: int) -> None:
    sides = [f"x\n\n{'é狗 ' * (before // 2)}ein Hund\nbellt laut", f"x\n\n{'é狗 ' * (before // 2)}ein Hut bellt\nlaut"]
    paths = [write(tmp_path / name, side) for name, side in zip(("r.txt", "p.txt"), sides, strict=True)]
    message = (
        rf"r\.txt and .*p\.txt, document 2: the units differ at offset {before + 5} \(in characters\): the reference has "
        rf"'n' .* in '.*ein Hund bellt laut', the prediction 't' .* in '.*ein Hut bellt laut'"
    )
    with pytest.raises(FileError, match=message):
        segscores.score(*paths, **WORDS)
    with pytest.raises(
        UtteranceError, match=rf"utterance 1: the units differ at offset {before + 5} .*ein Hut bellt"
    ) as caught:
        segscores.score(*(side.split("\n\n") for side in sides), **WORDS)
    assert (caught.value.utterance, caught.value.offset) == (1, before + 5)


def test_a_document_that_one_side_lacks_is_an_error_that_names_both_counts_and_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = write(tmp_path / "r.conllu", MARKED)
    prediction = write(tmp_path / "p.conllu", conllu([["a"], ["b"], ["c"]]))
    counts = r"r\.conllu has 2 documents and .*p\.conllu has 1 document: expected equal numbers"
    with pytest.raises(FileError, match=rf"{counts}.* whole_files=True\. The first that differs is document 1"):
        segscores.score(reference, prediction, documents=True)
    assert main(["score", str(reference), str(prediction), "--documents"]) == 2
    assert "score each file as one document: --whole-files." in capsys.readouterr().err
    found = segscores.score(reference, prediction, documents=True, whole_files=True, scores="ud")
    assert set(found.values()) == {1.0}
    with pytest.raises(ValueError, match="2 references and 1 predictions: expected one prediction for each"):
        segscores.score(["a", "b"], ["a"], **WORDS)


#: Lines, and which of them is bad.
BAD_RANGES = {
    "backwards": ("2-1\tab\n1\ta\n2\tb\n", 1),
    "too long": ("1-3\tab\n1\ta\n2\tb\n", 1),
    "of other words": ("2-3\tab\n1\ta\n2\tb\n", 1),
    "within a range": ("1-2\tab\n1\ta\n1-2\tab\n2\tb\n", 3),
    "no number": ("1-x\tab\n1\ta\n2\tb\n", 1),
}


@pytest.mark.parametrize("name", BAD_RANGES)
def test_a_malformed_multiword_range_is_an_error_with_document_and_line(tmp_path: Path, name: str) -> None:
    good, (lines, line) = conllu([["x", "y"]]), BAD_RANGES[name]
    path = write(tmp_path / "bad.conllu", f"# newdoc\n{good}# newdoc\n{good}# text\n{lines}\n{good}")
    place = rf"line {line + 5} of the document: .*expected an ID and a word"
    with pytest.raises(FileError, match=rf"bad\.conllu, document 2: {place}"):
        segscores.score(path, path, documents=True)
    with pytest.raises(UtteranceError, match=rf"references, utterance 1: {place}"):
        segscores.score([good, f"#\n{good}# text\n{lines}"], [good, good], text_format="conllu", documents=True)


@pytest.mark.parametrize(
    ("references", "options", "message"),
    [
        ([["a", "b"]], {"documents": True}, "documents: expected strings, .* received lists of words"),
        ([[1, 0]], {"documents": True, "label_scheme": "start"}, "documents=True: it needs text, which labels do not contain"),
        (["a"], {"scores": "sentence"}, 'scores="sentence" needs documents: add documents=True'),
        (["a"], {"scores": ["token", "ud"]}, 'scores="ud" needs documents: add documents=True'),
        (["a"], {"whole_files": True}, "whole_files: it is for documents: add documents=True"),
        (["a"], {"documents": True, "scores": "ud", "on_mismatch": "align"}, "words have no alignment .* on_error=.skip"),
        *((["a"], {"text_format": name}, f'text_format="{name}": it is for files') for name in ("conllu", "conll", "mecab")),
    ],
)  # fmt: skip
def test_input_without_documents_is_an_error(references: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        segscores.score(references, references, **options)


def test_sides_may_have_different_formats(tmp_path: Path) -> None:
    """Words text has no multiword tokens, whose words are then aligned with the tokens."""
    sentences = [["I", ("cannot", ["can", "not"]), "go"], ["Sorry"]]
    paths = write(tmp_path / "r.conllu", conllu(sentences)), write(tmp_path / "p.txt", "I can not go Sorry")
    counts = segscores.tally(*paths, text_format="words", documents=True, scores="ud").counts()
    matched = [counts[f"{group}_matched"] for group in ("token", "sentence", "syntactic_word")]
    assert matched == [3, 0, 5]
    assert counts["syntactic_word_reference"] == counts["syntactic_word_predicted"] == 5


def test_words_of_multiword_tokens_are_normalised_with_the_text() -> None:
    sides = [
        conllu([[(form, [form[:1], word])]]) for form, word in (("ae\u0301x", "e\u0301x"), ("a\u00e9x", "\u00e9x"))
    ]
    found = segscores.score(
        [sides[0]], [sides[1]], text_format="conllu", documents=True, scores="syntactic_word", normalize="NFC"
    )
    assert set(found.values()) == {1.0}


def test_aligned_sentences_are_right_if_both_their_ends_are() -> None:
    sides = ["the dog\nis on\nthe boat", "the dogs\nis on the\nboat"]
    found = segscores.score([sides[0]], [sides[1]], **WORDS, scores="sentence", on_mismatch="align")
    assert found["sentence_precision"] == found["sentence_recall"] == 1 / 3
