"""Files are read as streams, in parts of any size, and errors name the file and the line."""

import builtins
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.options.errors import UtteranceError
from segscores.reading.sources.files import file_source
from segscores.reading.sources.opening import checked_utf8

from ...corpora import WHITESPACE, random_corpus_pair
from ...files import text
from ...naive import naive_scores

REFERENCE = [["the", "dog"], [], ["狗", "叫"], ["é𠮷", "x", "yz"], [], ["a"]]
PREDICTION = [["thedog"], [], ["狗叫"], ["é", "𠮷x", "yz"], [], ["a"]]
EXPECTED = naive_scores(REFERENCE, PREDICTION)


LOOKS: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "byte-order mark and CRLF": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "Ctrl-Z at the end": lambda text: text.encode() + b"\x1a",
    "CRLF and several Ctrl-Z": lambda text: text.replace("\n", "\r\n").encode() + b"\x1a" * 3,
    "Ctrl-Z in place of the last newline": lambda text: text.removesuffix("\n").encode() + b"\x1a",
    "no last newline": lambda text: text.removesuffix("\n").encode(),
    "CRLF without the last": lambda text: text.replace("\n", "\r\n").removesuffix("\r\n").encode(),
    "CRLF cut after CR": lambda text: text.replace("\n", "\r\n").removesuffix("\n").encode(),
    "spaces around": lambda text: text.replace("\n", "  \n\t ").removesuffix("\t ").encode(),
    "spaces repeated": lambda text: text.replace(" ", " \t  ").encode(),
    "every whitespace at once": lambda text: text.replace(" ", WHITESPACE.replace("\n", "")).encode(),
}  # fmt: skip


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("side", ["reference", "prediction", "both"])
def test_the_kind_of_file_does_not_change_scores(scores: Any, look: str, side: str) -> None:
    texts = {name: text(corpus).decode() for name, corpus in (("reference", REFERENCE), ("prediction", PREDICTION))}
    assert (
        scores({name: LOOKS[look](text) if side in (name, "both") else text for name, text in texts.items()})
        == EXPECTED
    )


def test_a_byte_order_mark_elsewhere_is_a_unit(scores: Any) -> None:
    contents = {"r": "a b\n\ufeffa b\n", "p": "ab\n\ufeffa b\n"}
    assert scores(contents) == naive_scores([["a", "b"], ["\ufeffa", "b"]], [["ab"], ["\ufeffa", "b"]])


def test_only_a_newline_ends_a_line(scores: Any) -> None:
    separators = [line_end for line_end in "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029" if line_end.splitlines() == [""]]
    assert len(separators) == 9
    # Several of them on one line are warned of (tests/strangers).
    lines = [f"a{separator}b" for separator in separators]
    expected = naive_scores([["a", "b"]] * 9, [["ab"]] * 9)
    assert scores({"r": "\n".join(lines), "p": "ab\n" * 9}, "--zero-division", "0") == expected


@pytest.mark.parametrize("options", [[], ["--text-format", "units"]], ids=["words", "units"])
@pytest.mark.parametrize("short", ["r.txt", "p.txt"])
@pytest.mark.parametrize("line", [1, 13, 19])
@pytest.mark.usefixtures("piece_bytes")
def test_an_error_names_the_numbers_of_lines_and_the_first_differing_line(
    error: Any, line: int, short: str, options: list[str]
) -> None:
    lines = [f"狗 {chr(97 + number % 26)} é" for number in range(20)]
    shorter = [*lines[: line - 1], *lines[line:]]
    message = error({name: "\n".join(shorter if name == short else lines) for name in ("r.txt", "p.txt")}, *options)
    left, right = (19 if name == short else 20 for name in ("r.txt", "p.txt"))
    assert f"error: r.txt has {left} lines and p.txt has {right} lines: expected equal" in message
    assert f"The first that differs is line {line}: the units differ at offset 1" in message


OLD_MAC = r"lines end in CR alone, as on old Macs; .*tr '\\r' '\\n' <"
CR = "the dog\r狗 叫" * 30
UNIX = CR.replace("\r", "\n") + "\n"
SENTENCE = "# text\n1\ta\n\n"
#: Files, options, and what is said.
BAD_LINE_ENDS: dict[str, tuple[dict[str, str], list[str], str]] = {
    "reference": ({"r.txt": CR, "p.txt": UNIX}, [], "r.txt"),
    "prediction": ({"r.txt": UNIX, "p.txt": CR}, [], "p.txt"),
    "both": ({"r.txt": CR, "p.txt": CR}, [], "r.txt"),
    "with the last": ({"r.txt": CR + "\r", "p.txt": CR + "\r"}, [], "r.txt"),
    "conllu": ({"r.conllu": SENTENCE, "p.conllu": SENTENCE.replace("\n", "\r")}, [], "p.conllu"),
    "dictionary": (
        {"r.txt": "a b\n", "p.txt": "ab\n", "words": "a\rab\r"}, ["r.txt", "p.txt", "--dictionary", "words"], "words"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_LINE_ENDS)
@pytest.mark.usefixtures("piece_bytes")
def test_the_error_on_cr_line_ends_has_the_command_that_converts_them(error: Any, name: str) -> None:
    contents, options, file = BAD_LINE_ENDS[name]
    assert re.search(rf"error: {re.escape(file)}: its {OLD_MAC}", error(contents, *options))


BAD_BYTES = {
    "no start byte": (b"a \xff b", "0xff", 2),
    "a continuation byte": ("狗".encode() + b"\x80", "0x80", 3),
    "a character cut short": ("é".encode() + "狗".encode()[:2], "0xe7", 2),
    "an overlong slash": (b"\xc0\xaf", "0xc0", 0),
    "Latin 1": ("caf\u00e9 x".encode("latin-1"), "0xe9", 3),
    "GBK": ("狗 叫".encode("gbk"), "0xb9", 0),
}


@pytest.mark.parametrize("name", BAD_BYTES)
@pytest.mark.parametrize(("side", "line"), [("r.txt", 1), ("r.txt", 37), ("p.txt", 37)])
@pytest.mark.usefixtures("piece_bytes")
def test_invalid_utf8_is_named_with_file_line_and_offset(error: Any, name: str, side: str, line: int) -> None:
    bad, byte, offset = BAD_BYTES[name]
    good = [b"the dog", "狗 叫".encode()] * 30
    contents = {"r.txt": good, "p.txt": good} | {side: [*good[: line - 1], bad, *good[line:]]}
    message = error(contents)
    assert f"error: {side}, line {line}: the byte {byte} at offset {offset} is not valid UTF-8" in message
    # A name for the encoding needs more bytes than a small part has.
    assert "--encoding" in message or " < OLD > NEW." in message


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


@pytest.mark.parametrize("side", ["reference", "prediction"])
@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-16 BE with mark"]
)
@pytest.mark.usefixtures("piece_bytes")
def test_the_error_on_another_unicode_encoding_names_the_file(error: Any, side: str, encoding: str) -> None:
    text = "the dog\n狗 叫\nthe dog\n"
    marked = b"\xfe\xff" + text.encode("utf-16-be")
    data = marked if encoding == "utf-16 BE with mark" else text.encode(encoding)
    message = error({"reference": text, "prediction": text} | {side: data})
    assert re.search(f"error: {side}.*(UTF-16|UTF-32|NUL|not valid UTF-8)", message), message
    assert not (encoding.startswith("utf-32") and "UTF-16;" in message)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("missing.txt", "missing.txt: there is no such file"),
        ("nowhere/missing.txt", "nowhere/missing.txt: there is no such file"),
        ("folder", "folder: this is a folder"),
        *((f"folder{kind}", f"folder{kind}: this is a folder") for kind in (".conllu", ".jsonl")),
        *((f"folder{kind}", f"error: folder{kind}: ") for kind in (".parquet", ".arrow")),
        (".", ".: this is a folder"),
        ("file.txt/under", "file.txt/under: "),
        pytest.param("a\0b", "the file can't be opened", id="NUL"),
        pytest.param("x" * 5000, "the file can't be opened", id="long"),
        ("", "received an empty name: expected the name of a file"),
    ],
)
def test_the_error_names_a_file_that_cannot_be_opened(error: Any, side: int, path: str, problem: str) -> None:
    for kind in ("", ".conllu", ".parquet", ".arrow", ".jsonl"):
        Path(f"folder{kind}").mkdir()
    Path("file.txt").write_text("a\n")
    paths = ["file.txt", "file.txt"]
    paths[side] = path
    assert problem in error(*paths)


class BrokenFile(io.BytesIO):
    """A file on a disk that fails once some of it was read."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > 2:
            raise OSError(5, "Input/output error")
        return super().read(size)


def refuse(path: str) -> Any:
    raise PermissionError(13, "Permission denied", path)


@pytest.mark.parametrize(
    ("opens", "message"),
    [
        (refuse, "bad.txt: the file can't be opened (Permission denied)"),
        (lambda _: BrokenFile(b"the dog\n"), "Input/output error"),
    ],
    ids=["opened", "read"],
)
@pytest.mark.parametrize("names", [("bad.txt", "good.txt"), ("good.txt", "bad.txt")])
def test_a_file_that_a_disk_or_its_owner_refuses_is_named(
    error: Any, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str], opens: Callable[[str], Any], message: str
) -> None:
    for name in names:
        Path(name).write_text("the dog\n")
    opened = builtins.open

    def open_bad(path: Any, *arguments: Any, **options: Any) -> Any:
        return opens(path) if path == "bad.txt" else opened(path, *arguments, **options)

    monkeypatch.setattr(builtins, "open", open_bad)
    told = error(*names)
    assert message in told
    assert "bad.txt" in told


def test_standard_input_is_named_as_such(error: Any, stdin: Any) -> None:
    stdin(b"the dog\n\xff\n")
    assert "error: standard input, line 2: the byte 0xff" in error({"r.txt": "the dog\nx\n", "-": None})


def test_an_error_names_the_path_as_it_was_given(error: Any) -> None:
    path = "./some folder/bad|name.txt"
    assert f"error: {path}, line 1: the byte 0xff" in error({path: b"\xff\n", "p": "a\n"})


def test_progress_counts_every_byte_read() -> None:
    data = text(random_corpus_pair(200, seed=1)[0])
    read: list[int] = []
    Path("r.txt").write_bytes(data)
    assert sum(map(len, file_source("r.txt", progress=read.append).batches())) == 200
    assert sum(read) == len(data)
