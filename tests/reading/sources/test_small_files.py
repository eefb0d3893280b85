"""Two small files are read at once: with the scores, warnings and errors of files that are read piece by piece."""

import gzip
import warnings
from pathlib import Path
from typing import Any

import pytest

import segscores
from segscores import open_source

WORDS: dict[str, Any] = {"text_format": "words"}
UNITS: dict[str, Any] = {"text_format": "units"}
TWO_FORMATS: dict[str, Any] = {"reference_format": "words", "prediction_format": "units"}
ENDS = b"the dog\nis on\n"
RAW = "我们在上海学习很多东西\n".encode() * 3
SPACED = "我们在上海学习很多东西 我们\n".encode()
#: The bytes of both files, and the options; those of `open_source` of the same path are read piece by piece.
CASES: dict[str, tuple[bytes, bytes, dict[str, Any]]] = {
    "words": (ENDS, b"thedog\nis on\n", WORDS),
    "words with punctuation": (b'"the dog", is (on) it; 1/2\n', b'"the dog", is (on) it; 1/2\n', WORDS),
    "units": (b"a WORD_BOUNDARY b c\nd e\n", b"a b c\nd WORD_BOUNDARY e\n", UNITS),
    "units with tokens of their own": (b"a | b c\n", b"a b | c\n", {"word_boundary": "|"}),
    "units in the place of words": (b"a WORD_BOUNDARY b c\n", b"a b WORD_BOUNDARY c\n", WORDS),
    "no boundary on one side": (b"a WORD_BOUNDARY b c\n", b"a b c\n", UNITS),
    "no boundary at all": (ENDS, ENDS, UNITS),
    "a separator": (b"a/b c\n", b"ab/c\n", {"text_format": "separated", "separator": "/"}),
    "no separator": (b"a b c\n", b"ab c\n", {"text_format": "separated", "separator": "/"}),
    "tags": (b"a/n b/v\n" * 4, b"a/n b/v\n" * 4, {"text_format": "tagged"}),
    "tags as words": (b"a/n b/v\n" * 4, b"a/n b/v\n" * 4, WORDS),
    "no newline at the end": (b"the dog\nis on", b"thedog\nis on", WORDS),
    "blank lines": (b"the dog\n\n", b"thedog\n\n", WORDS),
    "blank lines alone": (b"\n\n", b"\n\n", WORDS),
    "a blank line on one side": (ENDS, b"the dog\n\n", WORDS),
    "an empty file": (b"", b"", WORDS),
    "an empty file on one side": (ENDS, b"", WORDS),
    "a line too few": (ENDS, b"the dog\n", WORDS),
    "a line against several": (b"the dog\n", b"the dog\nthe dog\n", WORDS),
    "other units": (ENDS, b"the cat\nis on\n", WORDS),
    "units that differ are left out": (ENDS, b"the cat\nis on\n", {**WORDS, "on_error": "skip"}),
    "CRLF": (b"the dog\r\nis on\r\n", b"thedog\nis on\n", WORDS),
    "CR alone": (b"the dog\ris on\r", b"thedog\ris on\r", WORDS),
    "a byte-order mark": (b"\xef\xbb\xbfthe dog\n", b"the dog\n", WORDS),
    "Ctrl-Z": (b"the dog\nis on\n\x1a", b"thedog\nis on\x1a", WORDS),
    "a NUL": (b"the\0dog\n", b"the\0dog\n", WORDS),
    "Latin-1": ("né bé\n".encode("latin-1"), "nébé\n".encode("latin-1"), WORDS),
    "UTF-16": ("the dog\n".encode("utf-16"), "the dog\n".encode("utf-16"), WORDS),
    "packed": (gzip.compress(ENDS, mtime=0), gzip.compress(ENDS, mtime=0), WORDS),
    "a PDF": (b"%PDF-1.4 the dog\n", b"%PDF-1.4 the dog\n", WORDS),
    "MeCab": ("東京\t名詞\nEOS\n".encode(), "東京\t名詞\nEOS\n".encode(), WORDS),
    "JSON lines of units": (b'{"reference": "a WORD_BOUNDARY b"}\n' * 2, b'{"reference": "a WORD_BOUNDARY b"}\n' * 2, UNITS),
    "CHAT": (b"@UTF8\n@Begin\n*MOT:\tlook .\n", b"@UTF8\n@Begin\n*MOT:\tlook .\n", WORDS),
    "columns between tabs": (b"1\tthe dog\n2\tis on\n3\tit is\n", b"1\tthe dog\n2\tis on\n3\tit is\n", WORDS),
    "columns between semicolons": (b"1;the dog\n2;is on\n3;it is\n", b"1;the dog\n2;is on\n3;it is\n", WORDS),
    "raw text of a script without spaces": (RAW, RAW, WORDS),
    "raw text with a few spaces": (RAW * 5 + SPACED, RAW * 5 + SPACED, WORDS),
    "spaces of two widths": (b"a b  c d\n" * 4, b"a  b c d\n" * 4, WORDS),
    "labels": (b"1 0 1\n", b"1 1 1\n", {"label_scheme": "start"}),
    "normalised": ("né bé\n".encode(), "né bé\n".encode(), {**WORDS, "normalize": "NFC"}),
    "recordings": (b"0.0 1.0 the\n1.0 2.0 dog\n", b"0.0 1.5 the\n1.5 2.0 dog\n", {"text_format": "times"}),
    "two formats": (ENDS, b"t h e WORD_BOUNDARY d o g\ni s WORD_BOUNDARY o n\n", TWO_FORMATS),
    "a window size from the reference": (ENDS, b"thedog\nis on\n", {**WORDS, "scores": "windows"}),
    "intervals": (ENDS * 30, b"thedog\nis on\n" * 30, {**WORDS, "confidence": 0.9}),
    "more than one piece": (b"the dog is on the boat\n" * 30_000, b"thedog is on the boat\n" * 30_000, WORDS),
}  # fmt: skip


def outcome_of(sides: tuple[Any, Any], options: dict[str, Any]) -> tuple[object, list[str]]:
    """Return the scores, or the error, and the warnings."""
    options = {"scores": "token", **options}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result: object = segscores.score(*sides, **options)
        except (TypeError, ValueError) as error:
            result = type(error), str(error)
    return result, [str(warning.message) for warning in warned]


@pytest.mark.parametrize("name", CASES)
def test_two_small_files_are_read_as_files_piece_by_piece(name: str, tmp_path: Path) -> None:
    reference, prediction, options = CASES[name]
    paths = tmp_path / "r.txt", tmp_path / "p"
    for path, content in zip(paths, (reference, prediction), strict=True):
        path.write_bytes(content)
    in_pieces = open_source(paths[0]), open_source(paths[1])
    assert outcome_of(paths, options) == outcome_of(in_pieces, options)


@pytest.mark.parametrize("name", ["words", "blank lines", "no newline at the end", "normalised"])
def test_two_small_files_have_the_scores_of_their_lines(name: str, tmp_path: Path) -> None:
    reference, prediction, options = CASES[name]
    (tmp_path / "r").write_bytes(reference)
    (tmp_path / "p").write_bytes(prediction)
    lines = reference.decode().splitlines(), prediction.decode().splitlines()
    assert segscores.score(tmp_path / "r", tmp_path / "p", **options) == segscores.score(*lines, **options)


@pytest.mark.parametrize("name", ["none.txt", "folder", "*.txt", "r.csv"])
@pytest.mark.parametrize("on_other_side", ["r.txt", "r.csv"])
def test_names_that_say_more_are_looked_at(name: str, on_other_side: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "r.txt").write_bytes(ENDS)
    (tmp_path / "r.csv").write_bytes(b"reference,prediction\nthe dog,thedog\nis on,is on\n")
    paths = tmp_path / on_other_side, tmp_path / name
    assert outcome_of(paths, WORDS) == outcome_of((open_source(paths[0]), open_source(paths[1])), WORDS)
