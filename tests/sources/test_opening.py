"""Files are read packed or not, whatever their names, and patterns name the files that match."""

from __future__ import annotations

import bz2
import csv
import gc
import gzip
import io
import json
import lzma
import os
import re
import select
import sys
import tracemalloc
import weakref
import zipfile
from collections.abc import Callable
from functools import partial
from itertools import permutations
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from segscores.command.main import main
from segscores.sources.names import expand, unpacked_name
from segscores.sources.opening import FileError, open_file

from ..naive import (
    naive_dictionary_scores,
    naive_oov_scores,
    naive_scores,
    random_corpus_pair,
    units_text,
    word_lists,
    words_text,
)

Run = Callable[..., tuple[int, str, str]]

REFERENCE, PREDICTION = (
    [[("z",)], *corpus, [("z",)]]
    for corpus in random_corpus_pair(150, seed=8, units=[*"abåéе狗叫，ー々𠮷🐕", "e\u0301"[0]], max_units=9)
)


def lines(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def conllu(corpus: Any) -> bytes:
    """CoNLL-U, which has no sentences without words."""
    return "".join(
        "".join(f"{number}\t{''.join(word)}{chr(9)}_" + "\t_" * 7 + "\n" for number, word in enumerate(words, 1)) + "\n"
        for words in corpus
        if words
    ).encode()


def json_lines(reference: Any, prediction: Any) -> bytes:
    """Both sides in one table, as lists of words."""
    rows = zip(word_lists(reference), word_lists(prediction), strict=True)
    return lines([json.dumps({"reference": left, "prediction": right}, ensure_ascii=False) for left, right in rows])


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACK: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstd, "bz2": bz2.compress}
ENDINGS = {"gzip": ".gz", "zstd": ".zst", "bz2": ".bz2"}


def in_members(pack: Callable[[bytes], bytes], data: bytes, count: int) -> bytes:
    """Packed in several pieces, one after the other, which do not end where lines end."""
    size = len(data) // count + 1
    return b"".join(pack(data[start : start + size]) for start in range(0, len(data), size))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Write the files and call the command in their folder. Gives status, output and messages."""
    monkeypatch.chdir(tmp_path)

    def run_command(contents: dict[str, bytes], *arguments: str) -> tuple[int, str, str]:
        for name, content in contents.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(content)
        status = main([*arguments])
        return status, *capsys.readouterr()

    return run_command


@pytest.fixture
def scores(run: Run) -> Callable[..., dict[str, float]]:
    """The scores of the only prediction."""

    def score(contents: dict[str, bytes], *arguments: str) -> dict[str, float]:
        status, output, message = run(contents, "score", *arguments, "--format", "json")
        assert (status, message) == (0, "")
        (prediction,) = json.loads(output)["predictions"]
        return prediction["scores"]

    return score


@pytest.fixture
def error(error: Any) -> Callable[..., str]:
    """The message of a scoring that must fail."""
    return lambda contents, *arguments: error(contents, "score", *arguments)


@pytest.fixture(params=[64, 1 << 20], ids=lambda size: f"parts of {size}")
def part_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", request.param)
    return request.param


KINDS = ["txt", "units", "conllu", "CoNLLU", "jsonl", "ndjson", "json", "JSONL"]


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("members", [1, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_packed_files_score_as_plain_ones(scores: Any, part_bytes: int, packing: str, members: int, kind: str) -> None:
    """CoNLL-U and tables are known by the name within the name."""
    names = [f"r.{kind}{ENDINGS[packing]}", f"p.{kind}{ENDINGS[packing].upper()}"]
    if "json" in kind.lower():
        texts = [json_lines(REFERENCE, PREDICTION)]
    elif kind.lower() == "conllu":
        texts = [conllu(REFERENCE), conllu(PREDICTION)]
    else:
        write = words_text if kind == "txt" else partial(units_text, word_boundary=";eword")
        texts = [lines(write(side)) for side in (REFERENCE, PREDICTION)]
    contents = {name: in_members(PACK[packing], text, members) for name, text in zip(names, texts, strict=False)}
    options = ("--text-format", "units", "--word-boundary", ";eword") if kind == "units" else ()
    assert scores(contents, *contents, *options) == naive_scores(REFERENCE, PREDICTION)


@given(st.data(), st.sampled_from(list(PACK)), st.sampled_from([1, 4, 100, 1 << 20]))
def test_packed_bytes_come_out_whole_however_they_are_packed_and_read(data: Any, packing: str, size: int) -> None:
    # Arrow reads no empty streams of bz2 among others.
    pieces = data.draw(st.lists(st.binary(min_size=packing == "bz2"), min_size=1, max_size=6))
    packed = b"".join(map(PACK[packing], pieces))
    counted: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed)))  # type: ignore[type-var]
        patch.setattr(sys, "stdin", stdin)
        file = open_file("-", counted.append)
        read = b"".join(iter(lambda: file.read(size), b""))
    assert read == b"".join(pieces)
    assert sum(counted) == len(packed)


@pytest.mark.parametrize("packing", PACK)
def test_a_pipe_may_give_its_first_bytes_one_by_one(scores: Any, monkeypatch: pytest.MonkeyPatch, packing: str) -> None:
    class Slow(io.RawIOBase):
        data = io.BytesIO(PACK[packing](lines(words_text(REFERENCE))))

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            byte = self.data.read(1)
            buffer[: len(byte)] = byte
            return len(byte)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow())))
    assert scores({"p": lines(words_text(PREDICTION))}, "-", "p") == naive_scores(REFERENCE, PREDICTION)


@pytest.mark.parametrize("level", range(1, 10))
def test_bz2_of_any_level_is_unpacked(scores: Any, level: int) -> None:
    contents = {"r": bz2.compress(lines(words_text(REFERENCE)), level), "p": lines(words_text(PREDICTION))}
    assert scores(contents, "r", "p") == naive_scores(REFERENCE, PREDICTION)


def test_an_empty_bz2_file_is_empty(error: Any) -> None:
    assert "error: r: the file is empty" in error({"r": bz2.compress(b""), "p": b""}, "r", "p")


linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")


@linux
@pytest.mark.parametrize("name", ["/dev/fd/{}", "/proc/self/fd/{}", "/dev/stdin"])
def test_a_file_that_a_shell_opened_is_read(run_apart: Any, tmp_path: Path, name: str) -> None:
    for side, corpus in (("r", REFERENCE), ("p", PREDICTION)):
        (tmp_path / side).write_bytes(lines(words_text(corpus)))
    with (tmp_path / "r").open("rb") as reference, (tmp_path / "p").open("rb") as prediction:
        paths = [name.format(reference.fileno()), f"/dev/fd/{prediction.fileno()}"]
        passed = {"pass_fds": [reference.fileno(), prediction.fileno()], "stdin": reference}
        status, output, message = run_apart(*paths, "--format", "json", **passed)
    assert (status, message) == (0, "")
    assert json.loads(output)["predictions"][0]["scores"] == naive_scores(REFERENCE, PREDICTION)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
@pytest.mark.parametrize("path", ["/dev/stdin", "pipe"])
@pytest.mark.parametrize("options", [[], ["--on-error", "skip"]], ids=" ".join)
def test_a_pipe_whose_windows_have_no_size_is_refused_unread(
    run_apart: Any, tmp_path: Path, path: str, options: list[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "p").write_bytes(b"a b\n")
    run = run_apart(path, "p", "--scores", "windows", *options, input="ab\n", cwd=tmp_path)
    told = (
        f"the default window size needs the whole reference first, and {path} can be read only once: pass --window-size"
    )
    assert run[:2] == (2, "")
    assert re.fullmatch(f"segmentation-scores: error: {told} [^\n]+\n", run[2])


@pytest.mark.parametrize("packing", PACK)
def test_a_closed_file_is_freed(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "r"
    path.write_bytes(PACK[packing](b"a b\n"))
    with open_file(str(path)) as file:
        assert file.read() == b"a b\n"
    freed = weakref.ref(file)
    del file
    gc.collect()
    assert freed() is None


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("name", ["words.txt{}", "words"])
@pytest.mark.parametrize("option", ["vocabulary", "dictionary"])
def test_small_files_may_be_packed(scores: Any, packing: str, name: str, option: str) -> None:
    corpora = [[["".join(word) for word in words] for words in corpus] for corpus in (REFERENCE, PREDICTION)]
    # Half of the words, so that the vocabulary is a plausible one.
    known = [*sorted({word for words in corpora[0] for word in words})[::2], "z"]
    path = name.format(ENDINGS[packing])
    contents = {"r": lines(words_text(REFERENCE)), "p": lines(words_text(PREDICTION))}
    contents[path] = in_members(PACK[packing], lines(known), 2)
    group, naive = {"vocabulary": ("oov", naive_oov_scores), "dictionary": ("dictionary", naive_dictionary_scores)}[
        option
    ]
    assert scores(contents, "r", "p", f"--{option}", path, "--scores", group) == naive(*corpora, known)


@pytest.mark.parametrize("packing", PACK)
def test_a_plain_text_with_the_name_of_a_packed_one_is_text(scores: Any, packing: str) -> None:
    names = [f"{side}.txt{ENDINGS[packing]}" for side in ("r", "p")]
    contents = {name: lines(words_text(corpus)) for name, corpus in zip(names, (REFERENCE, PREDICTION), strict=True)}
    assert scores(contents, *names) == naive_scores(REFERENCE, PREDICTION)


@pytest.mark.parametrize("packing", PACK)
def test_a_packed_file_cut_anywhere_is_never_taken_for_a_shorter_one(packing: str, tmp_path: Path) -> None:
    packed = PACK[packing](lines(words_text(REFERENCE[:20])))
    path = tmp_path / "cut"
    # Before the tenth byte it need not be known for what it is.
    for end in range(10, len(packed)):
        path.write_bytes(packed[:end])
        with open_file(str(path)) as file, pytest.raises(FileError, match=rf"cut: the {packing} file is damaged \("):
            file.read()


# Without zstd, whose checksums only some programs write.
@pytest.mark.parametrize("packing", ["gzip", "bz2"])
@pytest.mark.parametrize("name", ["r.jsonl", "r.conllu", "r.txt"])
def test_damage_in_the_middle_is_named(error: Any, packing: str, name: str) -> None:
    data = {
        "r.txt": lines(words_text(REFERENCE)),
        "r.conllu": conllu(REFERENCE),
        "r.jsonl": json_lines(REFERENCE, PREDICTION),
    }[name]
    packed = bytearray(PACK[packing](data))
    for position in range(len(packed) // 2, len(packed) // 2 + 40):
        packed[position] ^= 0xA5
    arguments = [name] if name == "r.jsonl" else [name, "p.txt"]
    contents = {name: bytes(packed), "p.txt": lines(words_text(PREDICTION))}
    assert f"error: {name}: the {packing} file is damaged (" in error(contents, *arguments)


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("option", ["--vocabulary", "--dictionary"])
def test_a_damaged_small_file_is_named(error: Any, packing: str, option: str) -> None:
    contents = {"r": b"a b\n", "p": b"ab\n", "words": PACK[packing](lines(words_text(REFERENCE)))[:-3]}
    assert f"error: words: the {packing} file is damaged (" in error(contents, "r", "p", option, "words")


def test_damage_in_standard_input_is_named(error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = gzip.compress(lines(words_text(REFERENCE)))[:-9]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(cut))))  # type: ignore[type-var]
    message = error({"p": lines(words_text(PREDICTION))}, "-", "p")
    assert "error: standard input: the gzip file is damaged (" in message


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("r.txt", data)
    return file.getvalue()


@pytest.mark.parametrize(("packing", "pack"), [("xz", lzma.compress), ("zip", zipped)])
@pytest.mark.parametrize("side", ["r", "p", "words", "t.jsonl"])
def test_other_packings_are_refused_by_name(error: Any, packing: str, pack: Any, side: str) -> None:
    contents = dict.fromkeys(("r", "p", "words"), b"a b\n")
    contents[side] = pack(b"a b\n")
    arguments = ["t.jsonl"] if side == "t.jsonl" else ["r", "p", "--vocabulary", "words"]
    message = error(contents, *arguments)
    assert f"error: {side}: the file is packed with {packing}; expected gzip, zstd, bz2 or text" in message


@pytest.mark.parametrize("packing", PACK)
def test_bad_lines_of_packed_files_are_named_as_in_plain_ones(error: Any, part_bytes: int, packing: str) -> None:
    text = lines(words_text(REFERENCE))
    bad = text + b"caf\xe9\n"
    contents = {"r": in_members(PACK[packing], bad, 4), "p": text + b"caf\n"}
    number = len(REFERENCE) + 1
    assert f"error: r, line {number}: the byte 0xe9 at offset 3 is not valid UTF-8" in error(contents, "r", "p")


@pytest.mark.parametrize("packing", PACK)
def test_packed_utf16_is_refused_as_plain(error: Any, packing: str) -> None:
    contents = {"r": PACK[packing]("a b\n".encode("utf-16")), "p": b"ab\n"}
    assert "error: r: the file is UTF-16; expected UTF-8" in error(contents, "r", "p")


@pytest.mark.parametrize(
    "names",
    [
        "a.txt a.txt",
        "A.TXT a.txt",
        "a.txt.gz a.txt",
        "a.txt.GZIP a.txt",
        "a.zst a",
        "a.zstd a",
        "a.conllu.Bz2 a.conllu",
        "a.gz.gz a.gz",
        "a.gz/b a.gz/b",
    ],
)
def test_the_ending_of_a_packing_is_taken_off_a_name(names: str) -> None:
    name, within = names.split()
    assert unpacked_name(name) == within


# Patterns.

PARTS = {"part-00": slice(0, 40), "part-01": slice(40, 41), "part-02": slice(41, None)}


def parts_of(corpus: Any, folder: str, ending: str = ".txt") -> dict[str, bytes]:
    return {f"{folder}/{name}{ending}": lines(words_text(corpus[which])) for name, which in PARTS.items()}


@pytest.mark.parametrize("patterns", [("r/*", "p/*"), ("r/part-0[0-2].txt", "p/part-??.txt"), ("**/r/*", "p/**")])
def test_as_many_files_on_both_sides_pair_file_by_file(scores: Any, part_bytes: int, patterns: tuple[str, str]) -> None:
    contents = parts_of(REFERENCE, "r") | parts_of(PREDICTION, "p")
    assert scores(contents, *patterns) == naive_scores(REFERENCE, PREDICTION)


@pytest.mark.parametrize("ending", ["plain", *PACK])
@pytest.mark.parametrize("pairing", ["file by file", "as one"])
def test_each_file_has_its_own_mark_and_its_own_last_line(
    scores: Any, part_bytes: int, ending: str, pairing: str
) -> None:
    pack = PACK.get(ending, lambda data: data)
    contents = {
        name: pack(b"\xef\xbb\xbf" + data.removesuffix(b"\n")) for name, data in parts_of(REFERENCE, "r").items()
    }
    if pairing == "as one":
        contents |= {"p/whole": pack(lines(words_text(PREDICTION)))}
    else:
        contents |= {name: pack(data) for name, data in parts_of(PREDICTION, "p").items()}
    assert scores(contents, "r/*", "p/*") == naive_scores(REFERENCE, PREDICTION)


def test_files_come_in_the_order_of_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["part-10", "part-9", "Part-1", "part-1", "part-狗", "part-é"]
    for name in names:
        Path(name).touch()
    Path("part-folder").mkdir()
    assert expand("*art-*") == ["Part-1", "part-1", "part-10", "part-9", "part-é", "part-狗"]
    assert expand("part-9") == ["part-9"]
    assert expand("-") == ["-"]
    assert expand("missing") == ["missing"]


@pytest.mark.parametrize("pattern", ["**", "**/*", "**/**", "**/**/*", "r/**/**", "**/r/**/*.txt"])
def test_a_pattern_gives_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["r/a.txt", "r/deep/b.txt", "r/deep/deeper/c.txt"]
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    assert expand(pattern) == names


@pytest.mark.parametrize("name", ["r/0.csv", "p/1.csv"])
def test_scores_are_not_written_over_a_file_of_a_pattern(error: Any, name: str) -> None:
    contents = {f"{side}/{number}.csv": b"a b\n" for side in "rp" for number in range(2)}
    message = error(contents, "r/*", "p/*", "--per-utterance", name)
    assert f"{name}: this is an input too, and would be overwritten." in message
    assert Path(name).read_bytes() == b"a b\n"


@linux
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("pattern", [False, True], ids=["a prediction", "a file of the reference"])
def test_a_name_that_is_not_utf8_is_written_with_its_utterances(run: Run, ending: str, pattern: bool) -> None:
    name = os.fsdecode(b"p/\xff")
    contents = {"t": b"a b\nc\n", name: b"ab\nc\n", "p/empty": b""}
    out = f"out.{ending}"
    asked = ("--per-utterance", out, "--zero-division", "0")
    status, _, message = run(contents, "score", *(["p/*", "t"] if pattern else ["t", name]), *asked)
    assert (status, message) == (0, "")
    written = Path(out).read_text(encoding="utf-8")
    column = "file" if pattern else "prediction"
    if ending == "csv":
        assert [row[column] for row in csv.DictReader(io.StringIO(written))] == [r"p/\udcff"] * 2
    else:
        assert [json.loads(line)[column] for line in written.splitlines()] == [name] * 2


@linux
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full", "/dev/urandom"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_device_without_an_end_is_an_error(error: Any, side: int, name: str) -> None:
    paths = ["r", "r"]
    paths[side] = name
    assert f"error: {name}: this is a device, which may have no end; expected a file." in error({"r": b"a\n"}, *paths)


JOINED = {".txt": b"c d\n", ".jsonl": b'{"prediction": "c d"}\n', ".conllu": b"1\tc\n2\td\n\n"}


@pytest.mark.parametrize("endings", list(permutations(JOINED, 2)), ids=" and ".join)
def test_files_of_two_kinds_that_pair_as_one(scores: Any, part_bytes: int, endings: tuple[str, str]) -> None:
    contents = {f"p/{number}{ending}": JOINED[ending] for number, ending in enumerate(endings)}
    expected = naive_scores([["cd"], ["c", "d"]], [["c", "d"]] * 2)
    assert scores({"r": b"cd\nc d\n", **contents}, "r", "p/*") == expected


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.list_(pa.string()), pa.dictionary(pa.int32(), pa.string())], ids=str
)
def test_tables_of_two_types_that_pair_as_one(scores: Any, kind: pa.DataType) -> None:
    Path("p").mkdir()
    first = pa.array([["a", "b"]] if pa.types.is_list(kind) else ["a b"])
    first = first.dictionary_encode() if pa.types.is_dictionary(kind) else first.cast(kind)
    parquet.write_table(pa.table({"prediction": first}), "p/0.parquet")
    parquet.write_table(pa.table({"prediction": ["c d"]}), "p/1.parquet")
    expected = naive_scores([["ab"], ["cd"]], [["a", "b"], ["c", "d"]])
    assert scores({"r": b"ab\ncd\n"}, "r", "p/*", "--zero-division", "0") == expected


@pytest.mark.parametrize("name", ["a*.txt", "a[1].txt", "what?.txt", "**"])
def test_a_file_whose_own_name_looks_like_a_pattern_is_itself(scores: Any, name: str) -> None:
    contents = {
        name: lines(words_text(REFERENCE)),
        "a1.txt": b"other\n",
        "what1.txt": b"other\n",
        "p": lines(words_text(PREDICTION)),
    }
    assert scores(contents, name, "p") == naive_scores(REFERENCE, PREDICTION)


@pytest.mark.parametrize("pairing", ["file by file", "as one"])
def test_each_utterance_has_its_file_and_its_line_there(run: Run, part_bytes: int, pairing: str) -> None:
    contents = parts_of(PREDICTION, "p")
    contents |= parts_of(REFERENCE, "r") if pairing == "file by file" else {"r/all": lines(words_text(REFERENCE))}
    status, _, message = run(
        contents, "score", "r/*", "p/*", "--per-utterance", "out.csv", "--scores", "token", "--zero-division", "0"
    )
    assert (status, message) == (0, "")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    places: list[tuple[str | None, int]] = [(None, number) for number in range(1, len(REFERENCE) + 1)]
    if pairing == "file by file":
        parts = PARTS.items()
        places = [(f"r/{name}.txt", number) for name, which in parts for number in range(1, len(REFERENCE[which]) + 1)]
    pairs = zip(REFERENCE, PREDICTION, strict=True)
    expected = [naive_scores([left], [right])["token_fscore"] for left, right in pairs]
    assert {row["prediction"] for row in rows} == {"p/*"}
    assert [(row.get("file"), int(row["line"])) for row in rows] == places
    assert [float(row["token_fscore"]) for row in rows] == expected


@pytest.mark.parametrize("trouble", ["line more", "damaged", "missing newline and a line less", "UTF-16", "column"])
def test_a_pair_of_files_that_cannot_be_scored_is_left_out_whole(run: Run, part_bytes: int, trouble: str) -> None:
    contents = parts_of(REFERENCE, "r") | parts_of(PREDICTION, "p")
    good = contents["p/part-02.txt"]
    bad = {
        "line more": good + b"a\n",
        "damaged": gzip.compress(good)[:-5],
        "missing newline and a line less": good[: good.rstrip(b"\n").rfind(b"\n")],
        "UTF-16": good.decode().encode("utf-16"),
        "column": b"PAR1 is not a table",
    }[trouble]
    name = "p/part-02.parquet" if trouble == "column" else "p/part-02.txt"
    del contents["p/part-02.txt"]
    contents[name] = bad
    contents |= {"r/part-03.txt": b"x y\n", "p/part-03.txt": b"xy\n"}
    arguments = ("score", "r/*", "p/*", "--on-error", "skip", "--format", "json", "--counts")
    status, output, message = run(contents, *arguments)
    assert status == 0
    assert len(message.splitlines()) == 1
    assert "warning: left out: " in message
    assert name in message
    (prediction,) = json.loads(output)["predictions"]
    sides = [[*corpus[:41], last] for corpus, last in ((REFERENCE, ["x", "y"]), (PREDICTION, ["xy"]))]
    assert prediction["scores"] == naive_scores(
        *([["".join(word) for word in words] for words in side] for side in sides)
    )
    assert (prediction["counts"]["utterances"], prediction["counts"]["left_out"]) == (42, 0)


def test_where_no_file_can_be_scored_the_first_problem_is_told(error: Any) -> None:
    contents = {"r/0": b"a\n", "r/1": b"a\n", "p/0": b"a\na\n", "p/1": b""}
    message = error(contents, "r/*", "p/*", "--on-error", "skip")
    assert "nothing could be scored. The first problem: r/0 has 1 line and p/0 has 2 lines" in message


def test_of_many_files_that_are_left_out_some_are_named_and_the_others_counted(run: Run) -> None:
    contents = {f"{side}/{number:02}": b"a\n" for side in "rp" for number in range(15)}
    contents |= {f"p/{number:02}": b"a\na\n" for number in range(13)}
    status, _, message = run(contents, "score", "r/*", "p/*", "--on-error", "skip", "--zero-division", "0")
    assert status == 0
    warned = message.splitlines()
    assert [f"p/{number:02} has 2 lines" in line for number, line in enumerate(warned[:10])] == [True] * 10
    assert re.search(r"warning: 3 more .* left out", warned[10])
    assert len(warned) == 11


STREAMS = [lines([f"the dog {number}" for number in range(500)]), lines(["is on the boat"] * 500)]


@pytest.mark.parametrize("at", [12, 40, -12, -1], ids=["header", "data", "end of data", "checksum"])
@pytest.mark.parametrize("size", [1, 1000, -1])
def test_every_stream_of_a_bz2_file_is_checked(tmp_path: Path, at: int, size: int) -> None:
    first, second = map(bz2.compress, STREAMS)
    damaged = bytearray(second)
    damaged[at] ^= 0x55
    path = tmp_path / "r.txt.bz2"
    path.write_bytes(first + damaged)
    with pytest.raises(FileError, match=r"r\.txt\.bz2: the bz2 file is damaged \(.*\): was it cut short\?$"):
        read_whole(str(path), size)


@pytest.mark.parametrize(
    "rest", [b"\0", b"text\n", b"BZ", gzip.compress(b"the dog\n")], ids=["nul", "text", "mark", "gzip"]
)
@pytest.mark.parametrize("packing", PACK)
def test_data_after_a_packed_stream_are_an_error(tmp_path: Path, packing: str, rest: bytes) -> None:
    if packing == "gzip" and rest.startswith(b"\x1f\x8b"):
        rest = rest[:5]
    path = tmp_path / "r.txt"
    path.write_bytes(PACK[packing](STREAMS[0]) + rest)
    with pytest.raises(FileError, match=f"the {packing} file is damaged"):
        read_whole(str(path))


def read_whole(path: str, size: int = -1) -> bytes:
    with open_file(path) as file:
        return b"".join(iter(lambda: file.read(size), b"")) if size > 0 else file.read()


@pytest.mark.parametrize("text", ["the dog\r\n", "the dog\r", "the dog\r\nis\r\n", "the\rdog\nis\n"])
def test_other_ends_of_lines_are_read(scores: Callable[..., dict[str, float]], text: str) -> None:
    assert scores({"r.txt": text.encode()}, "r.txt", "r.txt")["token_fscore"] == 1.0


@pytest.mark.parametrize("options", [(), ("--text-format", "conllu")], ids=["text", "conllu"])
@pytest.mark.parametrize("begin", [b"", b"a b\nc"])
def test_nuls_without_an_end_of_line_are_refused_and_not_held(
    error: Any, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], begin: bytes
) -> None:
    """Such as those of a sparse file, which would otherwise be one line of gigabytes."""

    class Nuls(io.RawIOBase):
        size = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            count = min(len(buffer), (1 << 28) - self.size)
            data = begin[self.size : self.size + count]
            buffer[:count] = data + bytes(count - len(data))
            self.size += count
            return count

    nuls = Nuls()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(nuls)))
    tracemalloc.start()
    message = error({"p": b"a b\nc d\n"}, "-", "p", *options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    number = 1 if options else 1 + begin.count(b"\n")
    problem = "this is not a CoNLL-U line" if options else r"there is a NUL character \(U\+0000\)"
    assert re.search(f"standard input, line {number}: {problem}", message)
    assert peak < 1 << 26


@linux
def test_standard_input_that_does_not_block_is_read_to_its_end(scores: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, end = os.pipe()
    os.set_blocking(begin, False)
    data = gzip.compress(lines(words_text(REFERENCE)))

    def write() -> None:
        with open(end, "wb", buffering=0) as pipe:
            for piece in (data[:3], data[3:100], data[100:]):
                # What is read next comes only after the pipe has been empty.
                while select.select([begin], [], [], 0)[0]:
                    pass
                pipe.write(piece)

    with open(begin) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        writer = Thread(target=write)
        writer.start()
        found = scores({"p": lines(words_text(PREDICTION))}, "-", "p")
        writer.join()
    assert found == naive_scores(REFERENCE, PREDICTION)
