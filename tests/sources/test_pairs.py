"""Files are read as streams, in parts of any size, and errors name the file and the line."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.command.main import main
from segscores.scoring.pipeline import Plan
from segscores.sources.files import file_source
from segscores.sources.fold import sum_tallies
from segscores.sources.names import Files
from segscores.sources.opening import checked_utf8
from segscores.sources.sides import open_sides
from segscores.support.errors import UtteranceError

from ..naive import WHITESPACE, naive_scores, random_corpus_pair, units_text, words_text

REFERENCE = [["the", "dog"], [], ["狗", "叫"], ["é𠮷", "x", "yz"], [], ["a"]]
PREDICTION = [["thedog"], [], ["狗叫"], ["é", "𠮷x", "yz"], [], ["a"]]

Run = Callable[..., tuple[int, str, str]]


def as_text(corpus: Any) -> str:
    return "".join(f"{line}\n" for line in words_text(corpus))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Score files of the given contents, in order; None leaves a file as it is. Gives status, output and messages."""
    monkeypatch.chdir(tmp_path)

    def run_command(contents: dict[str, str | bytes | None], *options: str) -> tuple[int, str, str]:
        for name, content in contents.items():
            if content is not None:
                Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        status = main(["score", *contents, *options])
        return status, *capsys.readouterr()

    return run_command


@pytest.fixture
def scores(run: Run) -> Callable[..., list[dict[str, float]]]:
    """The scores of every prediction."""

    def score(contents: dict[str, str | bytes | None], *options: str) -> list[dict[str, float]]:
        status, output, message = run(contents, "--format", "json", *options)
        assert (status, message) == (0, "")
        return [entry["scores"] for entry in json.loads(output)["predictions"]]

    return score


@pytest.fixture(params=[1, 64, 1 << 20], ids=lambda size: f"parts of {size}")
def part_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", request.param)
    return request.param


LOOKS: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "byte-order mark and CRLF": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "no last newline": lambda text: text.removesuffix("\n").encode(),
    "CRLF without the last": lambda text: text.replace("\n", "\r\n").removesuffix("\r\n").encode(),
    "CRLF cut after CR": lambda text: text.replace("\n", "\r\n").removesuffix("\n").encode(),
    "spaces around": lambda text: text.replace("\n", "  \n\t ").removesuffix("\t ").encode(),
    "spaces repeated": lambda text: text.replace(" ", " \t  ").encode(),
    **{
        f"U+{ord(space):04X} between words": lambda text, space=space: text.replace(" ", space).encode()
        for space in WHITESPACE
        if space != "\n"
    },
    "every whitespace at once": lambda text: text.replace(" ", WHITESPACE.replace("\n", "")).encode(),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("side", ["reference", "prediction", "both"])
def test_the_kind_of_file_does_not_change_scores(scores: Any, look: str, side: str) -> None:
    texts = {"reference": as_text(REFERENCE), "prediction": as_text(PREDICTION)}
    contents = {name: LOOKS[look](text) if side in (name, "both") else text for name, text in texts.items()}
    assert scores(contents) == [naive_scores(REFERENCE, PREDICTION)]


@pytest.mark.parametrize("look", ["as it is", "byte-order mark", "CRLF", "no last newline", "every whitespace at once"])
def test_whitespace_in_units_text_does_not_change_scores(scores: Any, look: str) -> None:
    texts = [f"{chr(10).join(units_text(corpus, ';eword'))}\n" for corpus in (REFERENCE, PREDICTION)]
    contents = dict(zip(("reference", "prediction"), map(LOOKS[look], texts), strict=True))
    options = ("--text-format", "units", "--word-boundary", ";eword")
    assert scores(contents, *options) == [naive_scores(REFERENCE, PREDICTION)]


def test_a_byte_order_mark_elsewhere_is_a_unit(scores: Any) -> None:
    contents = {"r": "a b\n\ufeffa b\n", "p": "ab\n\ufeffa b\n"}
    reference, prediction = [["a", "b"], ["\ufeffa", "b"]], [["ab"], ["\ufeffa", "b"]]
    assert scores(contents) == [naive_scores(reference, prediction)]


def test_only_a_newline_ends_a_line(scores: Any) -> None:
    separators = "".join(line_end for line_end in "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029" if line_end.splitlines() == [""])
    assert len(separators) == 9
    text = f"a{'b'.join(separators)}c"
    contents = {"r": f"{text}\nd", "p": f"{''.join(text.split())}\nd"}
    assert scores(contents, "--zero-division", "0") == [
        naive_scores([text.split(), ["d"]], [["".join(text.split())], ["d"]])
    ]


@pytest.mark.parametrize("blank", ["\n", " \n", "\u3000\t\n", "\r\n"], ids=ascii)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_lines_that_are_blank_on_both_sides_pair_and_add_nothing(scores: Any, blank: str, place: int) -> None:
    lines = ["the dog\n", "狗 叫\n"], ["thedog\n", "狗 叫\n"]
    contents = {
        name: "".join(side[:place]) + text + "".join(side[place:])
        for name, side, text in zip(("r", "p"), lines, (blank, "\n"), strict=True)
    }
    assert scores(contents) == [naive_scores([["the", "dog"], ["狗", "叫"]], [["thedog"], ["狗", "叫"]])]


def test_files_of_blank_lines_alone_have_undefined_scores(scores: Any) -> None:
    (result,) = scores({"r": "\n\n", "p": "\n \n"}, "--zero-division", "nan")
    assert set(result.values()) == {None}


def tally_texts(folder: Path, *texts: bytes) -> list[dict[str, int]]:
    """The counts of predictions against a reference."""
    files = []
    for number, text in enumerate(texts):
        (folder / str(number)).write_bytes(text)
        files.append(Files.of(str(folder / str(number))))
    plan = Plan.of(text_format="words")
    return [tally.totals() for tally in sum_tallies(open_sides(files, plan.reading, "words"), plan)[0]]


@pytest.mark.parametrize("size", [1000, 1 << 20])
def test_a_line_longer_than_many_parts(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", size)
    pairs = 200_000
    reference = "x y\n" + "ab cd " * pairs + "\nz\n"
    prediction = "xy\n" + "a b cd " * pairs + "\nz\n"
    (counts,) = tally_texts(tmp_path, reference.encode(), prediction.encode())
    units = 4 * pairs
    assert counts == {
        "utterances": 3,
        "units": units + 3,
        "boundary_all_matched": 2 * pairs + 5,
        "boundary_all_predicted": 3 * pairs + 5,
        "boundary_all_reference": 2 * pairs + 6,
        "boundary_noedge_matched": 2 * pairs - 1,
        "boundary_noedge_predicted": 3 * pairs - 1,
        "boundary_noedge_reference": 2 * pairs,
        "token_matched": pairs + 1,
        "token_predicted": 3 * pairs + 2,
        "token_reference": 2 * pairs + 3,
        "token_spans": units * (units + 1) // 2 + 3 + 1,
        "type_matched": 2,
        "type_predicted": 5,
        "type_reference": 5,
    }


@pytest.mark.parametrize(
    ("reference", "prediction", "counts"),
    [
        ("a\nb\n", "a\nb\nc\n", (2, 3)),
        ("a\nb\nc\n", "a\nb\n", (3, 2)),
        ("a\nb\n\n", "a\nb\n", (3, 2)),
        ("a\nb\n", "a\nb\n\n", (2, 3)),
        ("a\nb\n", "a\nb\n ", (2, 3)),
        ("a\nb\n", "a\nb\n\n\n\n", (2, 5)),
        ("\na\nb\n", "a\nb\n", (3, 2)),
        ("", "a\nb\n", (0, 2)),
        ("a\nb\n", "", (2, 0)),
        ("\ufeff", "a\nb\n", (0, 2)),
        ("a\n" * 900, "a\n" * 899, (900, 899)),
        ("a\n" * 899, "a\n" * 900, (899, 900)),
    ],
    ids=lambda value: ascii(value if len(str(value)) < 20 else len(value)),
)
def test_different_numbers_of_lines_are_refused_with_both(
    error: Any, part_bytes: int, reference: str, prediction: str, counts: tuple[int, int]
) -> None:
    message = error({"reference.txt": reference, "prediction.txt": prediction})
    if reference.startswith("\na"):
        # The difference may come first.
        assert "reference.txt" in message
        assert "prediction.txt" in message
    else:
        assert f"reference.txt has {counts[0]} lines and prediction.txt has {counts[1]} lines" in message


@pytest.mark.parametrize("odd", [0, 1, 2])
@pytest.mark.parametrize("difference", [-1, 1])
def test_the_prediction_that_has_another_number_of_lines_is_named(
    error: Any, part_bytes: int, odd: int, difference: int
) -> None:
    contents = {"r.txt": "ab\n" * 40} | {f"p{index}.txt": "a b\n" * 40 for index in range(3)}
    contents[f"p{odd}.txt"] = "a b\n" * (40 + difference)
    message = error(contents)
    assert f"r.txt has 40 lines and p{odd}.txt has {40 + difference} lines" in message


@pytest.mark.parametrize("options", [[], ["--text-format", "units"]], ids=["words", "units"])
@pytest.mark.parametrize("short", ["r.txt", "p.txt"])
@pytest.mark.parametrize("line", [1, 23, 39])
def test_with_a_line_missing_the_numbers_and_the_first_line_that_differs_are_named(
    error: Any, part_bytes: int, line: int, short: str, options: list[str]
) -> None:
    lines = [f"狗 {chr(97 + number % 26)} é" for number in range(40)]
    shorter = [*lines[: line - 1], *lines[line:]]
    contents = {name: "\n".join(shorter if name == short else lines) for name in ("r.txt", "p.txt")}
    numbers = {name: 39 if name == short else 40 for name in contents}
    message = error(contents, *options)
    assert (
        f"error: r.txt has {numbers['r.txt']} lines and p.txt has {numbers['p.txt']} lines: expected equal" in message
    )
    assert f"The first that differs is line {line}: the units differ at offset 1" in message


def test_where_the_last_lines_are_missing_no_line_differs(error: Any) -> None:
    message = error({"r.txt": "a b\n" * 40, "p.txt": "ab\n" * 37})
    assert message.endswith("Blank lines count too, also at the end.\n")


OLD_MAC = r"lines end in CR alone, as on old Macs; .*tr '\\r' '\\n' <"


@pytest.mark.parametrize("side", ["r.txt", "p.txt", "both"])
@pytest.mark.parametrize("last", ["", "\r"], ids=["cut", "whole"])
def test_the_error_on_cr_line_ends_has_the_command_that_converts_them(
    error: Any, part_bytes: int, side: str, last: str
) -> None:
    text = "the dog\n狗 叫\n" * 30
    old = text.removesuffix("\n").replace("\n", "\r") + last
    contents = {name: old if side in (name, "both") else text for name in ("r.txt", "p.txt")}
    named = "r.txt" if side == "both" else side
    assert re.search(rf"error: {named}: its {OLD_MAC}", error(contents))


def test_line_ends_of_old_macs_in_conllu_and_in_dictionaries_are_told(error: Any) -> None:
    conllu = "# text\n1\ta\n\n"
    assert re.search(rf"p\.conllu: its {OLD_MAC}", error({"r.conllu": conllu, "p.conllu": conllu.replace("\n", "\r")}))
    Path("dictionary").write_bytes(b"a\rab\r")
    message = error({"r.txt": "a b\n", "p.txt": "ab\n"}, "--dictionary", "dictionary")
    assert re.search(rf"dictionary: its {OLD_MAC}", message)


def test_a_file_without_lines_is_an_error(error: Any) -> None:
    for empty in ("", "\ufeff"):
        assert "r.txt: the file is empty; expected at least one line" in error({"r.txt": empty, "p.txt": empty})


LINES = 200
BAD_BYTES = {
    "no start byte": (b"a \xff b", "0xff", 2),
    "a continuation byte": ("狗".encode() + b"\x80", "0x80", 3),
    "a character cut short": ("é".encode() + "狗".encode()[:2], "0xe7", 2),
    "a surrogate": (b"ab\xed\xa0\x80", "0xed", 2),
    "an overlong slash": (b"\xc0\xaf", "0xc0", 0),
    "beyond Unicode": (b"a\xf4\x90\x80\x80", "0xf4", 1),
    "Latin 1": ("caf\u00e9 x".encode("latin-1"), "0xe9", 3),
    "GBK": ("狗 叫".encode("gbk"), "0xb9", 0),
    "Shift JIS": ("a 犬".encode("shift_jis"), "0x8c", 2),
}


@pytest.mark.parametrize("name", BAD_BYTES)
@pytest.mark.parametrize("side", ["reference.txt", "prediction.txt"])
@pytest.mark.parametrize("line", [1, 137])
def test_invalid_utf8_is_named_with_file_line_and_offset(
    error: Any, part_bytes: int, name: str, side: str, line: int
) -> None:
    bad, byte, offset = BAD_BYTES[name]
    good = [b"the dog", "狗 叫".encode()] * (LINES // 2)
    contents = dict.fromkeys(("reference.txt", "prediction.txt"), b"\n".join(good))
    contents[side] = b"\n".join([*good[: line - 1], bad, *good[line:]])
    message = error(contents)
    assert f"error: {side}, line {line}: the byte {byte} at offset {offset} is not valid UTF-8" in message
    assert message.count(" < OLD > NEW.") == 1


@given(st.binary())
def test_utf8_is_valid_where_python_says_so(block: bytes) -> None:
    try:
        block.decode()
    except UnicodeDecodeError as expected:
        line = block.count(b"\n", 0, expected.start)
        offset = expected.start - block.rfind(b"\n", 0, expected.start) - 1
        with pytest.raises(UtteranceError, match=rf"^utterance {line}: the byte 0x\w\w at offset {offset} "):
            checked_utf8(block)
    else:
        assert checked_utf8(block) == block


@pytest.mark.parametrize("line", [1, 137])
@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (("the dog", "the cat"), ("offset 3", "'d' (U+0064", "'c' (U+0063")),
        (("раk", "pak"), ("offset 0", "U+0440 CYRILLIC SMALL LETTER ER", "U+0070 LATIN SMALL LETTER P")),
        (("the\u200b dog", "the dog"), ("offset 3", "U+200B ZERO WIDTH SPACE", "invisible")),
        (("café", "cafe\u0301"), ("offset 3", "U+00E9", "NFC")),
        (("", "dog"), ("the reference is blank", "line missing")),
        (("dog", ""), ("the prediction is blank", "line missing")),
    ],
)
def test_units_that_differ_are_named_with_both_files_and_the_line(
    error: Any, part_bytes: int, line: int, pair: tuple[str, str], words: tuple[str, ...]
) -> None:
    good = ["狗 a叫"] * LINES
    texts = ("\n".join([*good[: line - 1], odd, *good[line:]]) + "\n" for odd in pair)
    message = error(dict(zip(("r.txt", "p.txt"), texts, strict=True)))
    for word in ("error: r.txt and p.txt, line ", f"line {line}: ", *words):
        assert word in message


@pytest.mark.parametrize("name", ["words", "units"])
def test_the_wrong_text_format_is_hinted_at_as_the_command_has_it(error: Any, name: str) -> None:
    if name == "words":
        message = error({"r": "the dog\n", "p": "thedog\n"}, "--text-format", "units")
    else:
        message = error({"r": "t h e WORD_BOUNDARY d o g\n", "p": "t h e d o g\n"}, "--text-format", "words")
    assert ("Leave --text-format out" if name == "words" else "did you mean --text-format units") in message


def test_the_form_of_wordseg_is_hinted_at_as_the_command_has_it(error: Any) -> None:
    contents = {"r": "dh ax ;esyll ;eword d ao g ;esyll ;eword\n", "p": "dh ax ;esyll d ao g ;esyll ;eword\n"}
    message = error(contents, "--text-format", "units")
    assert re.search(r"--word-boundary [\"']?;eword", message), message
    assert re.search(r"--ignored-tokens [\"']?;esyll", message), message


@pytest.mark.parametrize("side", ["reference", "prediction"])
@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-16 BE with mark"]
)
def test_the_error_on_another_unicode_encoding_names_the_file(
    error: Any, part_bytes: int, side: str, encoding: str
) -> None:
    text = "the dog\n狗 叫\nthe dog\n"
    marked = b"\xfe\xff" + text.encode("utf-16-be")
    data = marked if encoding == "utf-16 BE with mark" else text.encode(encoding)
    contents = dict.fromkeys(("reference", "prediction"), text.encode()) | {side: data}
    message = error(contents)
    assert f"error: {side}" in message
    assert re.search("UTF-16|UTF-32|NUL|not valid UTF-8", message), message
    if encoding.startswith("utf-32"):
        assert "UTF-16;" not in message


@pytest.mark.parametrize("side", ["reference", "prediction"])
@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("missing.txt", "missing.txt: there is no such file"),
        ("nowhere/missing.txt", "nowhere/missing.txt: there is no such file"),
        ("folder", "folder: this is a folder"),
        ("folder.conllu", "folder.conllu: this is a folder"),
        (".", ".: this is a folder"),
        ("file.txt/under", "file.txt/under: "),
        ("a\0b", "the file can't be opened"),
        ("x" * 5000, "the file can't be opened"),
        ("", "received an empty name: expected the name of a file"),
    ],
    ids=[
        "missing",
        "in a missing folder",
        "folder",
        "folder.conllu",
        "this folder",
        "under a file",
        "NUL",
        "long",
        "blank",
    ],
)
def test_the_error_names_a_file_that_cannot_be_opened(
    error: Any, tmp_path: Path, side: str, path: str, problem: str
) -> None:
    for folder in ("folder", "folder.conllu"):
        (tmp_path / folder).mkdir()
    (tmp_path / "good.txt").write_text("a\n")
    (tmp_path / "file.txt").write_text("a\n")
    paths = (path, "good.txt") if side == "reference" else ("good.txt", path)
    assert problem in error(dict.fromkeys(paths))


def test_an_unreadable_file_is_named_whoever_asks(error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = {"good.txt": "a\n", "secret.txt": "a\n"}
    opened = Path.open

    def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "secret.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    for name, content in contents.items():
        Path(name).write_text(content)
    monkeypatch.setattr(Path, "open", refuse)
    assert "secret.txt: the file can't be opened (Permission denied)" in error(dict.fromkeys(contents))


class BrokenFile(io.BytesIO):
    """A file on a disk that fails once some of it was read."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > 2:
            raise OSError(5, "Input/output error")
        return super().read(size)


@pytest.mark.parametrize("side", ["reference.txt", "prediction.txt"])
def test_a_file_that_fails_while_it_is_read_is_named(error: Any, monkeypatch: pytest.MonkeyPatch, side: str) -> None:
    for name in ("reference.txt", "prediction.txt"):
        Path(name).write_text("the dog\n")
    opened = Path.open

    def open_broken(path: Path, *arguments: Any, **options: Any) -> Any:
        return BrokenFile(b"the dog\n") if path.name == side else opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", open_broken)
    message = error(dict.fromkeys(("reference.txt", "prediction.txt")))
    assert side in message
    assert "Input/output error" in message


def test_standard_input_is_named_as_such(error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the dog\n\xff\n")))
    assert "error: standard input, line 2: the byte 0xff" in error({"r.txt": "the dog\nx\n", "-": None})


def test_an_error_names_the_path_as_it_was_given(error: Any, tmp_path: Path) -> None:
    (tmp_path / "some folder").mkdir()
    path = "./some folder/bad|name.txt"
    assert f"error: {path}, line 1: the byte 0xff" in error({path: b"\xff\n", "p": "a\n"})


def test_progress_counts_every_byte_read(tmp_path: Path) -> None:
    text = as_text(random_corpus_pair(200, seed=1)[0]).encode()
    read: list[int] = []
    (tmp_path / "r.txt").write_bytes(text)
    assert sum(map(len, file_source(str(tmp_path / "r.txt"), progress=read.append).batches())) == 200
    assert sum(read) == len(text)
