"""Files are read packed or not, whatever their names, and patterns name the files that match."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import random
import re
import select
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from segscores.options.errors import FileError
from segscores.reading.sources.names import expand, unpacked_name
from segscores.reading.sources.opening import open_file

from ...command_runs import Run, write_files
from ...corpora import random_corpus_pair
from ...files import ENDINGS, PACK, both_sides, conllu, lines, text
from ...naive import naive_oov_scores, naive_scores

REFERENCE, PREDICTION = (
    [[("z",)], *corpus, [("z",)]]
    for corpus in random_corpus_pair(60, seed=8, units=[*"abåéе狗叫，ー々𠮷🐕", "e\u0301"[0]], max_units=9)
)
EXPECTED = naive_scores(REFERENCE, PREDICTION)
#: Standard input and a file.
ON_STDIN = ("-", "p")
PLAIN = {"p": text(PREDICTION)}


def in_members(pack: Callable[[bytes], bytes], data: bytes, count: int) -> bytes:
    """Packed in several pieces, one after the other, which do not end where lines end."""
    size = len(data) // count + 1
    return b"".join(pack(data[start : start + size]) for start in range(0, len(data), size))


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("kind", ["txt", "CoNLLU", "jsonl", "ndjson", "json"])
@pytest.mark.usefixtures("piece_bytes")
def test_packed_files_score_as_plain_ones(scores: Any, packing: str, kind: str) -> None:
    """CoNLL-U and tables are known by the name within the name."""
    names = [f"r.{kind}{ENDINGS[packing]}", f"p.{kind}{ENDINGS[packing].upper()}"]
    corpora = REFERENCE[:25], PREDICTION[:25]
    if "json" in kind.lower():
        texts = [both_sides(*corpora)]
    else:
        texts = [(text if kind == "txt" else conllu)(corpus) for corpus in corpora]
    contents = {name: in_members(PACK[packing], data, 7) for name, data in zip(names, texts, strict=False)}
    assert scores(contents) == naive_scores(*corpora)


@given(st.data(), st.sampled_from(list(PACK)), st.sampled_from([1, 4, 100, 1 << 20]))
def test_packed_bytes_come_out_whole_however_they_are_packed_and_read(data: Any, packing: str, size: int) -> None:
    # Arrow reads no empty streams of bz2 among others.
    pieces = data.draw(st.lists(st.binary(min_size=packing == "bz2"), min_size=1, max_size=6))
    # Hypothesis draws constants of the package too: first bytes such as ARROW1 would be another kind of file.
    pieces[0] = b"a " + pieces[0]
    packed = b"".join(map(PACK[packing], pieces))
    counted: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed)))  # type: ignore[type-var]
        patch.setattr(sys, "stdin", stdin)
        file = open_file("-", counted.append)
        read = b"".join(iter(lambda: file.read(size), b""))
    assert read == b"".join(pieces)
    assert sum(counted) == len(packed)


@pytest.mark.parametrize("pack", [*PACK.values(), partial(gzip.compress, compresslevel=0)])
def test_the_form_of_a_long_packed_pipe_is_recognised(pack: Callable[[bytes], bytes], run: Run, stdin: Any) -> None:
    # bz2 packs it in one block, longer than the first lines that are looked at; uncompressed gzip is longer than the text.
    generator = random.Random(0)
    letters = ["".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=40)) for _ in range(6000)]
    write_files({"p": letters})
    stdin(io.BytesIO(pack("".join(f"{' '.join(line)}\n" for line in letters).replace("a b", "a ;eword b").encode())))
    status, _, message = run(*ON_STDIN, "--scores", "token_recall")
    assert (status, "standard input: read as units separated by spaces, ;eword between words" in message) == (
        0,
        True,
    ), message


linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")


@linux
def test_a_file_that_a_shell_opened_is_read(run_apart: Any) -> None:
    write_files({"r": text(REFERENCE), **PLAIN})
    with open("r", "rb") as reference, open("p", "rb") as prediction:
        paths = ["/dev/stdin", f"/dev/fd/{prediction.fileno()}"]
        passed = {"pass_fds": [prediction.fileno()], "stdin": reference}
        status, output, message = run_apart(*paths, "--format", "json", **passed)
    assert (status, message) == (0, "")
    assert json.loads(output)["predictions"][0]["scores"] == EXPECTED


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_whose_windows_have_no_size_is_refused_unread(errors_apart: Any) -> None:
    os.mkfifo("pipe")
    Path("p").write_bytes(b"a b\n")
    paths = ("/dev/stdin", "pipe")
    runs = [[path, "p", "--scores", "windows", *more] for path in paths for more in ([], ["--on-error", "skip"])]
    for line, message in zip(runs, errors_apart(*runs, input="ab\n"), strict=True):
        told = f"the default of --window-size needs the whole reference first, and {line[0]} can be read only once"
        assert re.fullmatch(f"segscores: error: {told}: pass --window-size [^\n]+\n", message)


@pytest.mark.parametrize("packing", PACK)
def test_word_lists_may_be_packed(scores: Any, error: Any, packing: str) -> None:
    # Half of the words, so that the vocabulary is a plausible one.
    known = [*sorted({"".join(word) for words in REFERENCE for word in words})[::2], "z"]
    expected = naive_oov_scores(REFERENCE, PREDICTION, list(map(tuple, known)))
    for path in (f"words.txt{ENDINGS[packing]}", "words"):
        contents = {"r": text(REFERENCE), **PLAIN, path: in_members(PACK[packing], lines(known), 2)}
        assert scores(contents, "r", "p", "--vocabulary", path, "--scores", "oov") == expected
    damaged = {"words": PACK[packing](text(REFERENCE))[:-3]}
    assert f"error: words: the {packing} file is damaged (" in error(damaged, "r", "p", "--vocabulary", "words")


@pytest.mark.parametrize("packing", PACK)
def test_a_plain_text_with_the_name_of_a_packed_one_is_text(scores: Any, packing: str) -> None:
    ending = ENDINGS[packing]
    assert scores({f"r.txt{ending}": text(REFERENCE), f"p.txt{ending}": text(PREDICTION)}) == EXPECTED


@pytest.mark.parametrize("packing", PACK)
def test_a_packed_file_cut_anywhere_is_never_taken_for_a_shorter_one(packing: str) -> None:
    packed = PACK[packing](text(REFERENCE[:20]))
    # Before the tenth byte it need not be known for what it is.
    for end in range(10, len(packed)):
        Path("cut").write_bytes(packed[:end])
        with pytest.raises(FileError, match=rf"cut: the {packing} file is damaged \("), open_file("cut") as file:
            file.read()


def spoilt(data: bytes) -> bytes:
    """Other bytes in the middle."""
    at = len(data) // 2
    return data[:at] + bytes(byte ^ 0xA5 for byte in data[at : at + 40]) + data[at + 40 :]


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("r.txt", data)
    return file.getvalue()


DAMAGED = {
    "r.txt": (text(REFERENCE), PLAIN),
    "r.conllu": (conllu(REFERENCE), PLAIN),
    "r.jsonl": (both_sides(REFERENCE, PREDICTION), {}),
}
#: Files, arguments, and what is said.
BAD_FILES: dict[str, tuple[dict[str, bytes], list[str], str]] = {
    # Without zstd, whose checksums only some programs write.
    **{
        f"{name} of {packing}": ({name: spoilt(PACK[packing](data)), **others}, [], f"{name}: the {packing} file is damaged (")
        for packing in ("gzip", "bz2")
        for name, (data, others) in DAMAGED.items()
    },
    **{
        f"{side} of {packing}": (
            dict.fromkeys(("r", "p", "words"), b"a b\n") | {side: pack(b"a b\n")},
            ["t.jsonl"] if side == "t.jsonl" else ["r", "p", "--vocabulary", "words"],
            f"{side}: the file is packed with {packing}; expected gzip, zstd, bz2 or text",
        )
        for packing, pack in (("xz", lzma.compress), ("zip", zipped))
        for side in ("r", "p", "words", "t.jsonl")
    },
    **{
        f"UTF-16 of {packing}": ({"r": pack("a b\n".encode("utf-16")), "p": b"ab\n"}, [], "r: the file is UTF-16; expected UTF-8")
        for packing, pack in PACK.items()
    },
    "nothing of bz2": ({"r": bz2.compress(b""), "p": b""}, [], "r: the file has no line"),
    **{
        f"a line of {packing}": (
            {"r": in_members(pack, text(REFERENCE) + b"caf\xe9\n", 4), "p": text(REFERENCE) + b"caf\n"},
            [], f"r, line {len(REFERENCE) + 1}: the byte 0xe9 at offset 3 is not valid UTF-8",
        )
        for packing, pack in PACK.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.usefixtures("piece_bytes")
def test_a_bad_file_is_refused(error: Any, name: str) -> None:
    contents, arguments, message = BAD_FILES[name]
    assert message in error(contents, *arguments)


@linux
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full", "/dev/urandom"])
def test_a_device_without_an_end_is_an_error(error: Any, name: str) -> None:
    for sides in ([name, "r"], ["r", name]):
        told = f"error: {name}: this is a device, which may have no end; expected a file."
        assert told in error({"r": b"a\n"}, *sides)


@linux
def test_standard_input_without_an_end_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("a\n")
    with open("/dev/zero", "rb") as endless:
        command = [sys.executable, "-m", "segscores", "score", "-", tmp_path / "p"]
        ended = subprocess.run(command, stdin=endless, capture_output=True, text=True, timeout=60, check=False)
    told = "segscores: error: standard input: this is a device, which may have no end; expected a file.\n"
    assert (ended.returncode, ended.stderr) == (2, told)


@pytest.mark.parametrize(
    "names",
    [
        *("a.txt a.txt", "A.TXT a.txt", "a.txt.gz a.txt", "a.txt.GZIP a.txt", "a.zst a", "a.zstd a"),
        *("a.conllu.Bz2 a.conllu", "a.gz.gz a.gz", "a.gz/b a.gz/b"),
    ],
)
def test_the_ending_of_a_packing_is_taken_off_a_name(names: str) -> None:
    name, within = names.split()
    assert unpacked_name(name) == within


PARTS = {"part-00": slice(0, 40), "part-01": slice(40, 41), "part-02": slice(41, None)}


def parts_of(corpus: Any, folder: str, pack: Any = bytes) -> dict[str, bytes]:
    return {f"{folder}/{name}.txt": pack(text(corpus[which])) for name, which in PARTS.items()}


@pytest.mark.parametrize("ending", ["plain", *PACK])
@pytest.mark.parametrize("pairing", ["file by file", "as one"])
@pytest.mark.usefixtures("piece_bytes")
def test_each_file_has_its_own_mark_and_its_own_last_line(scores: Any, ending: str, pairing: str) -> None:
    pack = PACK.get(ending, bytes)
    contents = parts_of(REFERENCE, "r", lambda data: pack(b"\xef\xbb\xbf" + data.removesuffix(b"\n")))
    predicted = parts_of(PREDICTION, "p", pack) if pairing == "file by file" else {"p/whole": pack(text(PREDICTION))}
    assert scores(contents | predicted, "r/*", "p/*") == EXPECTED


def test_files_come_in_the_order_of_their_names() -> None:
    names = ("part-10", "part-9", "Part-1", "part-1", "part-狗", "part-é", "part-folder/x")
    write_files(dict.fromkeys(names, ""))
    assert expand("*art-*") == ["Part-1", "part-1", "part-10", "part-9", "part-é", "part-狗"]
    for name in ("part-9", "-", "missing"):
        assert expand(name) == [name]


@pytest.mark.parametrize("pattern", ["**", "**/*", "**/**", "**/**/*", "r/**/**", "**/r/**/*.txt"])
def test_a_pattern_gives_each_file_once(pattern: str) -> None:
    names = ["r/a.txt", "r/deep/b.txt", "r/deep/deeper/c.txt"]
    write_files(dict.fromkeys(names, ""))
    assert expand(pattern) == names


@linux
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("pattern", [False, True], ids=["a prediction", "a file of the reference"])
def test_a_name_that_is_not_utf8_is_written_with_its_utterances(run: Run, ending: str, pattern: bool) -> None:
    name = os.fsdecode(b"p/\xff")
    contents = {"t": b"a b\nc\n", name: b"ab\nc\n", "p/empty": b""}
    asked = ("--per-utterance", f"out.{ending}", "--zero-division", "0")
    status, _, message = run(contents, *(["p/*", "t"] if pattern else ["t", name]), *asked)
    assert (status, message) == (0, "")
    written = Path(f"out.{ending}").read_text(encoding="utf-8")
    column = "file" if pattern else "prediction"
    if ending == "csv":
        assert [row[column] for row in csv.DictReader(io.StringIO(written))] == [r"p/\udcff"] * 2
    else:
        assert [json.loads(line)[column] for line in written.splitlines()] == [name] * 2


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


def test_a_missing_value_in_the_second_of_two_tables_that_pair_as_one_counts_from_the_first(run: Any) -> None:
    Path("r").mkdir()
    for name, texts in (("r/0.parquet", pa.array(["a b"] * 3, pa.large_string())), ("r/1.parquet", ["a b", "nan"])):
        parquet.write_table(pa.table({"reference": texts}), name)
    status, _, message = run({"p": b"a b\n" * 4 + b"nan\n"}, "r/*", "p")
    assert (status, "utterance 4 is 'nan'" in message) == (0, True)


@pytest.mark.parametrize("name", ["a*.txt", "a[1].txt", "what?.txt", "**"])
def test_a_file_whose_own_name_looks_like_a_pattern_is_itself(scores: Any, name: str) -> None:
    others = {"a1.txt": b"other\n", "what1.txt": b"other\n"}
    assert scores({name: text(REFERENCE), "p": text(PREDICTION), **others}, name, "p") == EXPECTED


@pytest.mark.parametrize("trouble", ["line more", "damaged", "missing newline and a line less", "UTF-16", "column"])
@pytest.mark.usefixtures("piece_bytes")
def test_a_pair_of_files_that_cannot_be_scored_is_an_error_even_if_utterances_may_be_left_out(
    error: Any, trouble: str
) -> None:
    contents = parts_of(REFERENCE, "r") | parts_of(PREDICTION, "p")
    good = contents.pop("p/part-02.txt")
    bad = {
        "line more": good + b"a\n",
        "damaged": gzip.compress(good)[:-5],
        "missing newline and a line less": good[: good.rstrip(b"\n").rfind(b"\n")],
        "UTF-16": good.decode().encode("utf-16"),
        "column": b"PAR1 is not a table",
    }[trouble]
    name = "p/part-02.parquet" if trouble == "column" else "p/part-02.txt"
    files = contents | {name: bad, "r/part-03.txt": "x y\n", "p/part-03.txt": "xy\n"}
    assert name in error(files, "r/*", "p/*", "--on-error", "skip")


STREAMS = [lines([f"the dog {number}" for number in range(500)]), lines(["is on the boat"] * 500)]


def read_whole(path: str, size: int = -1) -> bytes:
    with open_file(path) as file:
        return b"".join(iter(lambda: file.read(size), b"")) if size > 0 else file.read()


def test_every_stream_of_a_bz2_file_is_checked() -> None:
    first, second = map(bz2.compress, STREAMS)
    # In the header, the data, the end of the data and the checksum.
    for at, size in product((12, 40, -12, -1), (1, 1000, -1)):
        damaged = bytearray(second)
        damaged[at] ^= 0x55
        Path("r.txt.bz2").write_bytes(first + damaged)
        with pytest.raises(FileError, match=r"r\.txt\.bz2: the bz2 file is damaged \(.*\): was it cut short\?$"):
            read_whole("r.txt.bz2", size)


@pytest.mark.parametrize("packing", PACK)
def test_data_after_a_packed_stream_are_an_error(packing: str) -> None:
    packed = gzip.compress(b"the dog\n")
    for rest in (b"\0", b"text\n", b"BZ", packed[:5] if packing == "gzip" else packed):
        Path("r.txt").write_bytes(PACK[packing](STREAMS[0]) + rest)
        with pytest.raises(FileError, match=f"the {packing} file is damaged"):
            read_whole("r.txt")


@pytest.mark.parametrize("options", [(), ("--text-format", "conllu")], ids=["text", "conllu"])
@pytest.mark.parametrize("begin", [b"", b"a b\nc"])
def test_nuls_without_an_end_of_line_are_refused_and_not_held(
    error: Any, stdin: Any, options: tuple[str, ...], begin: bytes
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

    stdin(Nuls())
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
    data = gzip.compress(text(REFERENCE))

    def write() -> None:
        with open(end, "wb", buffering=0) as pipe:
            for piece in (data[:3], data[3:100], data[100:]):
                # What is read next comes only after the pipe has been empty.
                while select.select([begin], [], [], 0)[0]:
                    pass
                pipe.write(piece)

    with open(begin) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        writer = Thread(target=write)
        writer.start()
        found = scores(PLAIN, *ON_STDIN)
        writer.join()
    assert found == EXPECTED
