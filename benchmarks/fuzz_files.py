"""Kinds of cases of `fuzz.py` about files: damaged and forged ones, and files that change while they are read."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
from fuzz_checks import (
    PACKINGS,
    about,
    check,
    check_failed,
    draw_any_pair,
    draw_pair,
    encode,
    in_child,
    in_two,
    lines,
    recut,
    run,
    same,
    written,
)
from pyarrow import parquet

from tests import corpora, naive

#: Runs that read files once or several times, and the output of each.
READERS = (
    "score R P --format json",
    "score R P --format json --scores=token,windows",
    "score R P --format json --confidence 0.9 --interval-method percentile --resamples 20",
    "score R P --format json --on-error skip --scores=windows --per-utterance out.csv",
    "compare R P R --format json --interval-method percentile --resamples 20 --trials 20",
    "errors R P --format json",
    "report R P -o out.html",
)


def attack_changes(source: random.Random) -> None:  # noqa: PLR0915 - runs of one thing, again and again
    """Change a file before a read, or after it was looked at: the run says so, or gives what it gives for one of the versions.

    A first run counts the looks and reads of the file (`tick`). In the last run the file changes at one of these, `moment`.
    """
    block = [words for words in draw_pair(source, [50], "abåé狗", 20)[0] if words] or [[("a",)]]
    ending = source.choice([".txt", ".txt", ".gz", ".jsonl", ".parquet", ".arrow", ".conllu"])
    count, how = source.choice([1, 100, 1000]), source.choice(["replace", "rewrite", "append", "truncate", "remove"])
    names = [f"{name}{ending}" for name in "rp"]
    contents = [encode(source, ending, corpora.words_text(recut(source, block)) * count) for _ in "rpn"]
    for name, data in zip(names, contents, strict=False):
        written(name, data)
    at = source.randrange(2)
    changed, old, new = names[at], contents[at], contents[2]
    end, size = source.choice([new, b"a\n", b"a"]), source.choice([len(old) // 2, source.randrange(len(old)), 0])
    new = {"append": old + end, "truncate": old[:size]}.get(how, new)
    command = source.choice(READERS).replace("R", names[0]).replace("P", names[1]).split()
    outputs = [Path("out.csv"), Path("out.html")]
    open_ = Path.open
    stat = os.stat
    seen = 0
    moment = 0  # no run has so few: the file does not change

    def tick() -> None:
        """Count a look at the file, or a read of it, and change the file at the moment."""
        nonlocal seen
        seen += 1
        if seen == moment:
            change()

    def opened(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        """Open a file, in place of `Path.open`; each read of the file that changes is counted before it."""
        file = open_(path, mode, *rest, **more)
        read = lambda *size: (tick(), file.read(*size))[1]  # noqa: E731
        return mock.Mock(wraps=file, read=read) if mode == "rb" and path.name == changed else file

    def stated(path: Any, **more: Any) -> os.stat_result:
        """Return the status of a file, in place of `os.stat`; each look at the file that changes is counted after it."""
        status = stat(path, **more)
        if str(path) == changed:
            tick()
        return status

    def outcome() -> tuple[int, str, str, bytes]:
        """Run the command; return the status, standard output, standard error, and what it writes to files."""
        nonlocal seen
        seen = 0
        for path in outputs:
            path.unlink(missing_ok=True)
        with mock.patch.object(Path, "open", opened), mock.patch("os.stat", stated):
            result = run(command)
        return *result, b"".join(path.read_bytes() for path in outputs if path.exists())

    def change() -> None:
        if how == "remove":
            Path(changed).unlink()
        elif how == "replace":
            os.replace(written("new", new), changed)
        elif how == "truncate":
            os.truncate(changed, len(new))
        else:
            with open_(Path(changed), "ab" if how == "append" else "wb") as file:
                file.write(new[len(old) :] if how == "append" else new)

    def put_back() -> None:
        # Long ago, so that a change is always another time.
        os.utime(written(changed, old), (1e9, 1e9))

    put_back()
    of_old = outcome()
    last = seen
    change()
    of_new = outcome()
    expected = [of_old, of_new]
    if how == "rewrite":
        # Files that are written anew are empty at first.
        written(changed, b"")
        expected.append(outcome())
    put_back()
    moment = source.randint(1, last)
    received = outcome()
    status, output, message, files = received
    what = f"{how} {changed} of {count}, {' '.join(command)}: {status} {message[-500:]} {output[:300]}"
    if status and f"{changed}: the file changed while it was read." in message:
        check_failed(status, output, message)
        check(not files, f"{what}: it failed and left an output")
    else:
        _, _, message_of_new, _ = of_new
        check(received in expected, f"{what}: of neither version; the second gives {message_of_new}")


def attack_files(source: random.Random) -> None:
    """Score files of any kind by the command: the scores are those of the naive scorer."""
    references, predictions = draw_any_pair(source, mark="")
    kind = source.choice(["words", "units", "wordseg", ".conllu", ".jsonl", ".parquet", "parts"])
    if kind == ".conllu":
        pairs = [pair for pair in zip(references, predictions, strict=True) if pair[0]] or [([("a",)], [("a",)])]
        references, predictions = [left for left, _ in pairs], [right for _, right in pairs]
    arguments = ["score"]
    write = {"units": corpora.units_text, "wordseg": corpora.wordseg_text}.get(kind, corpora.words_text)
    for name, side in (("r", references), ("p", predictions)):
        if kind == "parts":
            arguments.append(in_two(name, write(side), "txt"))
            continue
        ending = kind if kind[0] == "." else source.choice(["", *PACKINGS])
        rows = corpora.word_lists(side) if ending in (".jsonl", ".parquet") else write(side)
        arguments.append(str(written(name + ending, encode(source, ending, rows))))
    if kind in ("units", "wordseg"):
        arguments += ["--text-format", "units"]
    if kind == "wordseg":
        arguments += ["--word-boundary", ";eword", "--ignored-tokens", ";esyll"]
    if source.random() < 0.3:
        arguments += ["--on-error", "skip"]
    expected = naive.naive_scores(references, predictions)
    status, output, message = run([*arguments, "--format", "json"])
    check(status == 0, f"{arguments}: status {status}: {message[-300:]}")
    same(json.loads(output)["predictions"][0]["scores"], expected, " ".join(arguments))


def attack_damage(source: random.Random) -> None:
    """Damage a file: the run fails in one line, or scores what other programs read in the file."""
    references, predictions = draw_pair(source, [3, 40], "abåé狗🐕")
    ending = source.choice(["", *PACKINGS, ".jsonl"])
    sides = [corpora.words_text(side) for side in (references, predictions)]
    damaged, how = damage(source, encode(source, ending, sides[1], ["prediction"]))
    written("r.txt", lines(sides[0]))
    path = str(written(f"p.txt{ending}" if ending in PACKINGS else f"p{ending or '.txt'}", damaged))
    skips = ["--on-error", "skip"] if source.random() < 0.3 else []
    arguments = ["score", "r.txt", path, "--format", "json", *skips]
    status, output, message = run(arguments)
    what = f"{how} {' '.join(arguments)}"
    if status:
        with about(what):
            check_failed(status, output, message)
        return
    prediction = json.loads(output)["predictions"][0]
    texts = read_otherwise(damaged, ending)
    check(texts is not None, f"{what}: scored, and no other program reads it")
    pairs = list(zip(sides[0], texts or [], strict=False))
    check(len(pairs) == len(sides[0]) == len(texts or []), f"{what}: scored, with {len(texts or [])} utterances")
    good = [
        (left, right) for left, right in pairs if right is not None and left.replace(" ", "") == "".join(right.split())
    ]
    left_out = prediction["counts"]["left_out"] if skips else 0
    check(left_out == len(pairs) - len(good), f"{what}: {left_out} left out, expected {len(pairs) - len(good)}")
    words = [[text.split() for text in side] for side in zip(*good, strict=True)]
    same(prediction["scores"], naive.naive_scores(*words), what)


def damage(source: random.Random, data: bytes) -> tuple[bytes, str]:
    """Return data with damage of some kind, and what the damage is called."""
    at, size = source.randrange(len(data)), source.choice([1, 2, 100])
    kinds: dict[str, bytes] = {
        "cut short": data[:at],
        "cut in the middle": data[:at] + data[at + size :],
        "a bit flipped": data[:at] + bytes([data[at] ^ (1 << source.randrange(8))]) + data[at + 1 :],
        "zeros within": data[:at] + bytes(size) + data[at:],
        "zeros after": data + bytes(size),
        "junk after": data + source.randbytes(size),
        "text after": data + b"the dog\n",
        "twice": data + data,
        "UTF-16": data.decode("latin-1").encode("utf-16"),
        "a mark before": b"\xef\xbb\xbf" + data,
        "CR for LF": data.replace(b"\n", b"\r"),
        "CR for LF but the last": data[:-1].replace(b"\n", b"\r") + data[-1:],
        "CRLF": data.replace(b"\n", b"\r\n"),
        "empty": b"",
        "packed again": gzip.compress(data),
        "half packed": data[:at] + gzip.compress(data[at:]),
    }
    how = source.choice(list(kinds))
    return kinds[how], how


def read_otherwise(data: bytes, ending: str) -> list[str | None] | None:
    """Return what other programs read in a file: for each utterance a string, or None if they cannot; None if they fail."""
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        elif data.startswith(b"BZh"):
            data = _unpack_bz2(data)
        elif data.startswith(b"\x28\xb5\x2f\xfd"):
            data = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    except (OSError, EOFError, ValueError, LookupError, zlib.error, pa.ArrowException):
        return None
    # Programs of DOS end a file with Ctrl-Z.
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\x1a")
    if b"\r" in data.strip() and b"\n" not in data.strip():
        return None
    return [_read_line(line, ending) for line in data.removesuffix(b"\n").split(b"\n")]


def _read_line(line: bytes, ending: str) -> str | None:
    try:
        text = json.loads(line.decode())["prediction"] if ending == ".jsonl" else line.decode()
        return None if "\0" in text else str(text)
    except (ValueError, LookupError, TypeError):
        return None


def _unpack_bz2(data: bytes) -> bytes:
    """Return the data of every stream, unlike `bz2.decompress`, which leaves out a damaged one after the first."""
    text = b""
    while data:
        unpacker = bz2.BZ2Decompressor()
        text += unpacker.decompress(data)
        if not unpacker.eof:
            raise EOFError
        data = unpacker.unused_data
    return text


#: Arrow types of a column of words, by what it holds: text, or lists of words.
_INDEX = pa.dictionary(pa.int32(), pa.string())

COLUMN_TYPES: dict[str, list[pa.DataType]] = {
    "text": [pa.string(), pa.large_string(), pa.binary(), _INDEX],
    "lists": [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(_INDEX)],
}


def attack_tables(source: random.Random) -> None:
    """Damage or forge a table: the run fails in one line, or scores what Arrow reads in the table and validates."""
    references, predictions = draw_pair(source, [1, 3, 40], "abåé狗🐕")
    holds = source.choice(list(COLUMN_TYPES))
    column = corpora.words_text(predictions) if holds == "text" else corpora.word_lists(predictions)
    kind = source.choice(COLUMN_TYPES[holds])
    table = pa.table({"prediction": pa.array(column).cast(kind), "n": range(len(column))})
    ending = source.choice(["arrow", "arrow", "ipc", "parquet"])
    sink = pa.BufferOutputStream()
    if ending == "parquet":
        parquet.write_table(table, sink, row_group_size=source.choice([2, 1000]))
    else:
        options = pa.ipc.IpcWriteOptions(compression=source.choice([None, None, None, "zstd"]))
        new = pa.ipc.new_file if ending == "arrow" else pa.ipc.new_stream
        with new(sink, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=None if kind == _INDEX else source.choice([2, 1000]))
    data = sink.getvalue().to_pybytes()
    data, how = forge(source, data) if source.random() < 0.7 else damage(source, data)
    written("r.txt", lines(corpora.words_text(references)))
    path = str(written(f"p.{ending}", data))

    def attempt(done: Callable[[], None]) -> None:
        status, output, message = run(["score", "r.txt", path, "--format", "json"])
        done()
        if status:
            check_failed(status, output, message)
            return
        file = pa.BufferReader(data)
        if ending == "parquet":
            read = parquet.read_table(file, columns=["prediction"]).column("prediction")
        else:
            opened = pa.ipc.open_file if ending == "arrow" else pa.ipc.open_stream
            read = opened(file, options=pa.ipc.IpcReadOptions(included_fields=[0])).read_all().column(0)
        read.validate(full=True)
        texts = [" ".join(text) if holds == "lists" and text else text for text in read.to_pylist()]
        texts = [text.decode() if isinstance(text, bytes) else text or "" for text in texts]
        sides = [[text.split() for text in side] for side in (corpora.words_text(references), texts)]
        check([*map("".join, sides[0])] == [*map("".join, sides[1])], "scored, though the units differ")
        same(json.loads(output)["predictions"][0]["scores"], naive.naive_scores(*sides), "what Arrow reads")

    with about(f"{how} in a column of {kind}, {path}"):
        in_child(attempt)


def forge(source: random.Random, data: bytes) -> tuple[bytes, str]:
    """Replace numbers of a file by others: offsets, lengths, indices, bitmaps, or the description of the columns."""
    forged = bytearray(data)
    for _ in range(source.choice([1, 1, 2, 8])):
        size = source.choice([1, 4, 4, 8])
        at = source.randrange(max(1, len(data) // size)) * size
        old = int.from_bytes(data[at : at + size], "little")
        top = 1 << (8 * size)
        new = source.choice([0, 1, old + 1, old - 1, old * 2, top - 1, top // 2 - 1, top // 2, source.randrange(top)])
        forged[at : at + size] = (new % top).to_bytes(size, "little")
    return bytes(forged[: len(data)]), "forged numbers"
