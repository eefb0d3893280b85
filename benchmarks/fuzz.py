"""Random attacks on the scores and the command, for a given time.

    python benchmarks/fuzz.py --seconds 60 --seed 1

Kinds of cases
--------------
- `scores`: valid input in every form, every group, random options: `segscores.score` gives what the naive scorers of `tests/`
  give.
- `files`: the same through the command: text, CoNLL-U and tables, packed or not, whole or in parts.
- `damage`: files that are cut, flipped, joined or encoded otherwise: a run fails in one line, or scores exactly what other
  programs read in the file.
- `tables`: Arrow files, Arrow streams and Parquet files that are damaged, or whose offsets, lengths, indices and bitmaps are
  forged: the same, in a child process, so that a crash is a finding.
- `masked`: numpy's masked arrays at any depth of the input are rejected.
- `forks`: after a fork, whatever the child does with a metric, the parent's metric keeps its rows.
- `ties`: texts whose units differ, aligned: the counts are those of a script that is best among all, which are enumerated.
- `options`: every option of every subcommand, as the parser lists them, with nonsense for a value: a run ends in time, and well
  or in one line.
- `signals`: runs that are interrupted at a random moment leave no traceback, process, temporary file or half of an output.

A case depends on the seed, its kind and its number alone, so that `--kinds options --case 17` repeats one. The program prints
a line for each finding and the counts at the end, and exits with status 1 after a finding.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import faulthandler
import gzip
import io
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# The naive scorers are among the tests.
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from pyarrow import parquet  # noqa: E402

from segscores import load, score  # noqa: E402
from segscores.command.cli import subcommand_parsers  # noqa: E402
from segscores.command.main import main as run_main  # noqa: E402
from segscores.measures.registry import GROUPS  # noqa: E402
from tests import naive  # noqa: E402
from tests.processes import processes_of_session  # noqa: E402

#: Of the time, the share of each kind.
WEIGHTS = {
    "scores": 3,
    "files": 2,
    "damage": 3,
    "tables": 4,
    "masked": 1,
    "forks": 1,
    "ties": 2,
    "options": 4,
    "signals": 3,
}

#: Seconds that a case may take.
TIME_LIMIT = 60

#: Values that no option can do anything sensible with, or that are at the ends of what it can.
NONSENSE = (
    "--", "-", "", " ", "\t", "0", "-0", "1", "-1", "2", "00", "+1", "1.5", "1e3", "1e400", "nan", "-inf", "inf", "0x10",
    "1_0", "9" * 18, "9" * 19, "9" * 30, "-" + "9" * 30, str(1 << 31), str(1 << 53), "٣", "½", "True", "None", "null",
    "[]", "{}", "a", "=", "a=", "=a", "a=b", "a=b=c", "token_fscore", "token_fscore=", "token_fscore=x", ",", "a,b", ",,",
    "token,", "all", "token", "0:1:0", "1:0:1", "0:1:1e-9", "0,nan", "::", "utterance", "WORD_BOUNDARY", "\x1b[31m",
    "\x00", "\u202e", "\udcff", "🐕", "a b", "a\nb", "%s", "%(prog)s", "{}", "$HOME", "*", "[", "**/*", "x" * 5000, ".",
    "..", "/", "./", "missing/x", "r.txt", "p.txt", "loop", "/dev/null", "/dev/full", "/proc/self/mem", "x.csv", "x.html",
    "x.png", "x.jsonl", "r.txt/x.csv", "s.jsonl", "t.csv", "t.jsonl", "1kB", "-1GB", "1e99TB", "NFKC", "BMES", "skip",
    "align",
)  # fmt: skip

#: For each subcommand what it needs to run at all.
NEEDED: dict[str, list[str]] = {
    "score": ["r.txt", "p.txt"],
    "compare": ["r.txt", "p.txt", "q.txt"],
    "errors": ["r.txt", "p.txt"],
    "report": ["r.txt", "p.txt", "-o", "page.html"],
    "sweep": ["r.txt", "s.jsonl"],
    "curve": ["r.txt", "1=p.txt", "2=q.txt"],
    "difficulty": ["r.txt", "--committee", "p.txt", "q.txt"],
    "alignment": ["a.txt", "a.txt"],
    "correlate": ["t.csv", "--criterion", "quality"],
    "halves": ["r.txt", "p.txt"],
    "groups": [],
}


class Finding(Exception):  # noqa: N818 - it is what this program looks for
    """What should not be."""


def check(holds: object, problem: str) -> None:
    """Raise a finding unless something holds."""
    if not holds:
        raise Finding(problem)


def same(found: dict[str, float], expected: dict[str, float], what: str) -> None:
    """Check that scores are those expected, to the last digits."""
    check(found.keys() == expected.keys(), f"{what}: keys {sorted(found.keys() ^ expected.keys())}")
    for key, value in expected.items():
        got = math.nan if found[key] is None else found[key]
        is_same = math.isclose(got, value, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(got) and math.isnan(value))
        check(is_same, f"{what}: {key} is {found[key]!r}, the naive scorer has {value!r}")


def run(arguments: Sequence[str], stdin: bytes = b"") -> tuple[int, str, str]:
    """Run the command in this process; gives the status, standard output and standard error."""
    output, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = run_main(list(arguments))
            except SystemExit as ended:
                status = int(ended.code or 0)
    finally:
        sys.stdin = before
    texts = []
    for stream in (output, errors):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return status, *texts


def check_failed(status: int, output: str, message: str) -> None:
    """Check that a run failed as runs should: with status 2, one line of error, and nothing printed."""
    check(status == 2, f"status {status}, expected 2: {message[-300:]}")
    check(output == "", f"printed before it failed: {output[:200]!r}")
    # How a side was read, and what is unusual, is said beside the error.
    lines = [line for line in message.splitlines() if ": warning: " not in line and ": read as " not in line]
    check(len(lines) == 1 and lines[0].startswith("segmentation-scores"), f"not one line of error: {message[-500:]!r}")
    check(len(lines[0]) < 20_000, f"an error of {len(lines[0])} characters")
    check(lines[0].isprintable(), f"an error that is not printable: {lines[0]!r}")


def corpora(source: random.Random, mark: str = "\ufeff") -> tuple[Any, Any]:
    """A reference and a prediction of it; at the beginning of a file U+FEFF is not a unit, but a mark."""
    units = source.choice([*naive.CHARACTERS[:20:2], "ab", "ab狗", naive.CHARACTERS]).replace("\ufeff", mark or "a")
    count = source.choice([1, 2, 5, 30])
    return naive.random_corpus_pair(count, source.randrange(1 << 30), units * 2, source.choice([1, 3, 8, 20]))


def random_options(source: random.Random, group: str) -> dict[str, Any]:
    """Options of a group."""
    options: dict[str, Any] = {"zero_division": source.choice([0.0, 0.0, 1.0, 0.5, math.nan])}
    if group == "windows":
        options["window_size"] = source.choice([1, 2, 3, 7, 1000])
    if group == "tolerance":
        options["tolerance"] = source.choice([0, 1, 2, 50])
    return options


def attack_scores(source: random.Random) -> None:
    """Any form, any group, against the naive scorer."""
    references, predictions = corpora(source)
    name, form = source.choice(list(naive.FORMS.items()))
    group = source.choice([group for group in GROUPS if form.has_words or not GROUPS[group].needs_words])
    if group in ("dictionary", "oov") and not form.has_words:
        return
    options = random_options(source, group)
    given = {key: value for key, value in naive.GROUP_OPTIONS.get(group, {}).items() if key not in options}
    if not form.any_units:
        # Entries are words of characters there.
        given = {
            key: [line.replace(" ", "") for line in value] if key != "window_size" else value
            for key, value in given.items()
        }
    expected = naive.naive_group_scores(group, references, predictions, **options, **_spaced(given))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = score(form.write(references), form.write(predictions), scores=group, **form.options, **given, **options)
    same(found, expected, f"{name} {group} {options}")


def _spaced(given: dict[str, Any]) -> dict[str, Any]:
    """Entries of a dictionary or a vocabulary as the naive scorer reads them, their units separated by spaces."""
    return {
        key: [line if " " in line else " ".join(line) for line in value] if isinstance(value, (list, tuple)) else value
        for key, value in given.items()
    }


def conllu(corpus: Any) -> bytes:
    """CoNLL-U; it has no blank sentences."""
    return "".join(
        "".join(f"{number}\t{''.join(word)}" + "\t_" * 8 + "\n" for number, word in enumerate(words, 1)) + "\n"
        for words in corpus
    ).encode()


def lines(texts: Sequence[str]) -> bytes:
    """A file of lines."""
    return "".join(f"{text}\n" for text in texts).encode()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def pack(source: random.Random, data: bytes, ending: str) -> bytes:
    """Packed in one or several streams."""
    cuts = sorted(source.choices(range(len(data) + 1), k=source.choice([0, 0, 1, 3])))
    return b"".join(
        PACKINGS[ending](data[start:end]) for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)
    )


def attack_files(source: random.Random) -> None:
    """Files of any kind through the command, against the naive scorer."""
    references, predictions = corpora(source, mark="")
    kind = source.choice(["words", "units", "wordseg", "conllu", "jsonl", "parquet", "parts"])
    if kind == "conllu":
        pairs = [pair for pair in zip(references, predictions, strict=True) if pair[0]] or [([("a",)], [("a",)])]
        references, predictions = [left for left, _ in pairs], [right for _, right in pairs]
    arguments = ["score", "r", "p"]
    if kind in ("jsonl", "parquet"):
        texts = [naive.word_lists(side) for side in (references, predictions)]
        table = pa.table({"reference": texts[0], "prediction": texts[1]}, schema=_TABLE)
        arguments = ["score", f"t.{kind}"]
        if kind == "parquet":
            parquet.write_table(table, "t.parquet", row_group_size=source.choice([1, 3, 1000]))
        else:
            Path("t.jsonl").write_bytes(lines([json.dumps(row) for row in table.to_pylist()]))
    else:
        write = {"units": naive.units_text, "wordseg": naive.wordseg_text}.get(kind, naive.words_text)
        for name, side in (("r", references), ("p", predictions)):
            data = conllu(side) if kind == "conllu" else lines(write(side))
            if kind == "parts":
                texts = data.splitlines(keepends=True)
                at = len(texts) // 2
                Path(f"{name}1.txt").write_bytes(b"".join(texts[:at]))
                Path(f"{name}2.txt").write_bytes(b"".join(texts[at:]))
                arguments[arguments.index(name)] = f"{name}?.txt"
                continue
            ending = source.choice(["", *PACKINGS])
            path = name + (".conllu" if kind == "conllu" else ".txt") + ending
            Path(path).write_bytes(pack(source, data, ending) if ending else data)
            arguments[arguments.index(name)] = path
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


_TABLE = pa.schema([("reference", pa.list_(pa.string())), ("prediction", pa.list_(pa.string()))])


def attack_damage(source: random.Random) -> None:
    """A damaged file: an error in one line, or the scores of what other programs read in it."""
    references, predictions = naive.random_corpus_pair(source.choice([3, 40]), source.randrange(1 << 30), "abåé狗🐕", 9)
    ending = source.choice(["", *PACKINGS, ".jsonl"])
    sides = [naive.words_text(side) for side in (references, predictions)]
    if ending == ".jsonl":
        data = lines([json.dumps({"prediction": text}, ensure_ascii=False) for text in sides[1]])
    else:
        data = lines(sides[1])
        data = pack(source, data, ending) if ending else data
    damaged, how = damage(source, data)
    Path("r.txt").write_bytes(lines(sides[0]))
    path = f"p.txt{ending}" if ending in PACKINGS else f"p{ending or '.txt'}"
    Path(path).write_bytes(damaged)
    skips = ["--on-error", "skip"] if source.random() < 0.3 else []
    arguments = ["score", "r.txt", path, "--format", "json", *skips]
    status, output, message = run(arguments)
    what = f"{how} {' '.join(arguments)}"
    if status:
        try:
            check_failed(status, output, message)
        except Finding as finding:
            raise Finding(f"{what}: {finding}") from None
        return
    found = json.loads(output)["predictions"][0]
    texts = read_otherwise(damaged, ending)
    check(texts is not None, f"{what}: scored, and no other program reads it")
    pairs = list(zip(sides[0], texts or [], strict=False))
    check(len(pairs) == len(sides[0]) == len(texts or []), f"{what}: scored, with {len(texts or [])} utterances")
    good = [(left, right) for left, right in pairs if right is not None and unspaced(left) == unspaced(right)]
    left_out = found["counts"]["left_out"] if skips else 0
    check(left_out == len(pairs) - len(good), f"{what}: {left_out} left out, expected {len(pairs) - len(good)}")
    words = [[text.split() for text in side] for side in zip(*good, strict=True)]
    same(found["scores"], naive.naive_scores(*words), what)


def unspaced(text: str) -> str:
    """The units of words text."""
    return "".join(text.split())


def damage(source: random.Random, data: bytes) -> tuple[bytes, str]:
    """Damage of some kind, and what it is called."""
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
    """What other programs read in a file: a string per utterance, None in its place if they can't; None if they read nothing."""
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        elif data.startswith(b"BZh"):
            data = _unpack_bz2(data)
        elif data.startswith(b"\x28\xb5\x2f\xfd"):
            data = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    except (OSError, EOFError, ValueError, LookupError, zlib.error, pa.ArrowException):
        return None
    data = data.removeprefix(b"\xef\xbb\xbf")
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
    """Every stream, unlike `bz2.decompress`, which leaves out a damaged one after the first."""
    found = b""
    while data:
        unpacker = bz2.BZ2Decompressor()
        found += unpacker.decompress(data)
        if not unpacker.eof:
            raise EOFError
        data = unpacker.unused_data
    return found


#: Arrow types of a column of words, by what it holds: text, or lists of words.
_INDEX = pa.dictionary(pa.int32(), pa.string())
COLUMN_TYPES: dict[str, list[pa.DataType]] = {
    "text": [pa.string(), pa.large_string(), pa.binary(), _INDEX],
    "lists": [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(_INDEX)],
}


def attack_tables(source: random.Random) -> None:
    """A damaged or forged table: an error in one line, or the scores of what Arrow reads in it after it is validated."""
    references, predictions = naive.random_corpus_pair(
        source.choice([1, 3, 40]), source.randrange(1 << 30), "abåé狗🐕", 9
    )
    holds = source.choice(list(COLUMN_TYPES))
    column = naive.words_text(predictions) if holds == "text" else naive.word_lists(predictions)
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
    Path("r.txt").write_bytes(lines(naive.words_text(references)))
    path = f"p.{ending}"
    Path(path).write_bytes(data)

    def attempt(done: Callable[[], None]) -> None:
        status, output, message = run(["score", "r.txt", path, "--format", "json"])
        done()
        if status:
            check_failed(status, output, message)
            return
        found = pa.BufferReader(data)
        if ending == "parquet":
            read = parquet.read_table(found, columns=["prediction"]).column("prediction")
        else:
            opened = pa.ipc.open_file if ending == "arrow" else pa.ipc.open_stream
            read = opened(found, options=pa.ipc.IpcReadOptions(included_fields=[0])).read_all().column(0)
        read.validate(full=True)
        texts = [" ".join(text) if holds == "lists" and text else text for text in read.to_pylist()]
        texts = [text.decode() if isinstance(text, bytes) else text or "" for text in texts]
        sides = [[text.split() for text in side] for side in (naive.words_text(references), texts)]
        check([*map("".join, sides[0])] == [*map("".join, sides[1])], "scored, though the units differ")
        same(json.loads(output)["predictions"][0]["scores"], naive.naive_scores(*sides), "what Arrow reads")

    try:
        in_child(attempt)
    except Finding as finding:
        raise Finding(f"{how} in a column of {kind}, {path}: {finding}") from None


def forge(source: random.Random, data: bytes) -> tuple[bytes, str]:
    """Numbers of a file replaced by others: offsets, lengths, indices, bitmaps, or the description of the columns."""
    forged = bytearray(data)
    for _ in range(source.choice([1, 1, 2, 8])):
        size = source.choice([1, 4, 4, 8])
        at = source.randrange(max(1, len(data) // size)) * size
        old = int.from_bytes(data[at : at + size], "little")
        top = 1 << (8 * size)
        new = (
            source.choice([0, 1, old + 1, old - 1, old * 2, top - 1, top // 2 - 1, top // 2, source.randrange(top)])
            % top
        )
        forged[at : at + size] = new.to_bytes(size, "little")
    return bytes(forged[: len(data)]), "forged numbers"


def in_child(attempt: Callable[[Callable[[], None]], None]) -> None:
    """Run an attempt in a child process; gives its finding. A crash is one until the attempt calls what it is given."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        problem = ""
        warnings.simplefilter("ignore")
        faulthandler.disable()
        try:
            attempt(lambda: os.write(write, b"\0"))  # type: ignore[arg-type, return-value]
        except Finding as finding:
            problem = str(finding)
        except BaseException:
            problem = traceback.format_exc()
        finally:
            os.write(write, problem.encode(errors="replace")[:60_000])
            os._exit(0)
    os.close(write)
    try:
        with os.fdopen(read, "rb") as pipe:
            told = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    check(status == 0 or told.startswith(b"\0"), f"the process ended by status {status}")
    check(told in (b"", b"\0"), told.removeprefix(b"\0").decode())


def attack_masked(source: random.Random) -> None:
    """A masked array somewhere in the input, with or without a masked position."""
    sides: list[Any] = [[[1, 0, 0], [0, 1]], [[1, 0, 0], [0, 1]]]
    side, row = source.randrange(2), source.randrange(2)
    labels = np.ma.array(sides[side][row], mask=[source.random() < 0.5 for _ in sides[side][row]])
    sides[side][row] = source.choice([labels, [*labels[:-1], np.ma.masked], np.ma.array(labels, dtype=object)])
    if source.random() < 0.2:
        sides[side] = np.ma.array([[1, 0], [0, 1]], mask=source.random() < 0.5)
        sides[1 - side] = [[1, 0], [0, 1]]
    else:
        sides[side] = source.choice([list, tuple, lambda rows: np.fromiter(rows, object, len(rows))])(sides[side])
    try:
        found = score(*sides, label_scheme=source.choice(["start", "end"]))
    except (TypeError, ValueError):
        return
    raise Finding(f"scored {sides!r} with {found['token_fscore']}")


def attack_forks(source: random.Random) -> None:
    """A metric with rows, and a child that uses it."""
    metric = load()
    references, predictions = naive.random_corpus_pair(source.choice([1, 5, 50]), source.randrange(1 << 30), "abå", 5)
    sides = {"references": naive.words_text(references), "predictions": naive.words_text(predictions)}
    metric.add_batch(**sides)
    acts = source.choices(["compute", "reset", "add", "nothing"], k=source.choice([1, 2, 3]))

    def use(_: Callable[[], None]) -> None:
        for act in acts:
            with contextlib.suppress(ValueError):
                if act == "add":
                    metric.add_batch(references=["a b"], predictions=["ab"])
                elif act == "reset":
                    metric.reset()
                elif act == "compute":
                    metric.compute(text_format="words")

    in_child(use)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = metric.compute(text_format="words")
    same(found, naive.naive_scores(references, predictions), f"after a fork whose child does {acts}")


def attack_ties(source: random.Random) -> None:
    """Short texts whose units differ."""
    texts = [[source.choice("ab") * source.choice([1, 1, 2]) for _ in range(source.choice([1, 2, 3]))] for _ in "rp"]
    known = source.choice([("a",), ("b",), ("a", "bb")])
    options: dict[str, Any] = {"text_format": "words", "on_mismatch": "align"}
    left, right = ([" ".join(words)] for words in texts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = score(left, right, scores=("token", "oov"), vocabulary=known, **options)
        turned = score(right, left, scores="token", **options)
    scripts = list(edit_scripts(*map("".join, texts)))
    fewest = min(edits for edits, _ in scripts)
    kept = [matched_words(*texts, pairs) for edits, pairs in scripts if edits == fewest]
    most = max(map(len, kept))
    what = f"{left} {right}: {len(kept)} scripts"
    check(math.isclose(found["token_recall"], most / len(texts[0])), f"{what} keep {most} words: {found}")
    check(math.isclose(turned["token_recall"], most / len(texts[1])), f"{what}, turned, keep {most} words: {turned}")
    unknown = sum(word not in known for word in texts[0])
    possible = {sum(word not in known for word in words) / max(1, unknown) for words in kept if len(words) == most}
    check(
        any(math.isclose(found["oov_recall"], each) for each in possible),
        f"{what}: {found}, expected one of {possible}",
    )


def edit_scripts(left: str, right: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Every edit script: its edits, and the pairs of equal units that it keeps, by how many units follow on each side."""
    if not (left and right):
        yield len(left) + len(right), []
        return
    is_same = left[0] == right[0]
    for edits, pairs in edit_scripts(left[1:], right[1:]):
        yield edits + (not is_same), pairs + [(len(left) - 1, len(right) - 1)] * is_same
    for rest in ((left[1:], right), (left, right[1:])):
        yield from ((edits + 1, pairs) for edits, pairs in edit_scripts(*rest))


def matched_words(left: list[str], right: list[str], pairs: list[tuple[int, int]]) -> list[str]:
    """The words of which both sides have all units, aligned with each other."""
    after = [[sum(map(len, words[place + 1 :])) for place in range(len(words))] for words in (left, right)]
    return [
        word
        for word, i in zip(left, after[0], strict=True)
        for other, j in zip(right, after[1], strict=True)
        if word == other and all((i + offset, j + offset) in pairs for offset in range(len(word)))
    ]


def options_of_parser() -> list[tuple[str, argparse.Action]]:
    """Every option and argument that takes a value, by subcommand, as the parser lists them."""
    return [
        (command, action)
        for command, parser in subcommand_parsers().items()
        if command in NEEDED
        for action in parser._actions
        if action.nargs != 0
    ]


OPTIONS = options_of_parser()


#: As many utterances have more exchanges than anyone tries.
TIMES = 12
TEXT = "the dog\nis on\na boat\n" * TIMES


def attack_options(source: random.Random) -> None:
    """Nonsense for the values of options."""
    write_inputs()
    command = source.choice([command for command, _ in OPTIONS])
    actions = [action for name, action in OPTIONS if name == command]
    arguments = [command, *NEEDED[command]]
    for action in source.choices(actions, k=source.choice([1, 1, 1, 2, 3])):
        choices = [*map(str, action.choices)] if action.choices and source.random() < 0.5 else NONSENSE
        value = source.choice(choices)
        if not action.option_strings:
            if NEEDED[command]:
                arguments[source.randrange(1, 1 + len(NEEDED[command]))] = value
            else:
                arguments.append(value)
        elif source.random() < 0.5 and action.option_strings[-1].startswith("--"):
            arguments.append(f"{action.option_strings[-1]}={value}")
        else:
            arguments += [action.option_strings[-1], value]
    before = contents()
    status, output, message = run(arguments, TEXT.encode())
    what = " ".join(shown if len(shown := repr(argument)) < 60 else shown[:60] + "…" for argument in arguments)
    try:
        if status == 2:
            check_failed(status, output, message)
        else:
            check(status in (0, 1), f"status {status}")
            check("Traceback" not in message, message[-300:])
    except Finding as finding:
        raise Finding(f"{what}: {finding}") from None
    after = contents()
    # Other files may be written over, where an option says so.
    inputs = {name: data for name, data in before.items() if name in NEEDED[command]}
    check(inputs.items() <= after.items(), f"{what}: an input was changed")
    if status == 2:
        check(before == after, f"{what}: it failed and left {sorted(after.keys() - before.keys())}")
    check(not [name for name in after if name.endswith(".partial")], f"{what}: half of an output is left")


def write_inputs() -> None:
    """The files that the subcommands are called with."""
    texts = {
        "r.txt": TEXT,
        "p.txt": "thedog\nis on\naboat\n" * TIMES,
        "q.txt": "the dog\nison\na bo at\n" * TIMES,
        "a.txt": "0-0 1-1\n0-0\n0-1\n" * TIMES,
        "s.jsonl": "[0, 0, 0.5, 0, 0]\n[0, 1, 0]\n[0.5, 0, 0, 0]\n" * TIMES,
        "t.csv": "system,quality,token_fscore\na,1,0.5\nb,2,0.75\nc,3,0.9\n",
        "t.jsonl": '{"reference": "a b", "prediction": "ab"}\n',
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    if not Path("loop").is_symlink():
        Path("loop").symlink_to("loop")


def contents() -> dict[str, bytes]:
    """The files of the folder."""
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


#: From then on the command handles the signal itself, and the error is no `KeyboardInterrupt`.
DROPPED_BY_PYTHON = re.compile(
    r"Exception ignored in: <function _get_module_lock.*\nTraceback.*\n(  .*\n)+KeyboardInterrupt: ?\n"
)


def attack_signals(source: random.Random) -> None:
    """A signal at a random moment."""
    number = source.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    references, predictions = naive.random_corpus_pair(300, source.randrange(1 << 30), "abcdå狗", 12)
    Path("r.txt").write_bytes(lines(naive.words_text(references)))
    Path("p.txt").write_bytes(lines(naive.words_text(predictions)))
    for index in range(4):
        Path(f"r{index}.part").write_bytes(lines(naive.words_text(references)) * 20)
        Path(f"p{index}.part").write_bytes(lines(naive.words_text(predictions)) * 20)
    arguments = source.choice(
        [
            ["score", "r*.part", "p*.part", "--format", "json"],
            ["score", "r.txt", "p.txt", "--confidence", "0.95", "--per-utterance", "out.csv", "--resamples", "20000"],
            ["difficulty", "r.txt", "--train", "r.txt", "--members", "50", "--processes", "2", "-o", "out.jsonl"],
            ["compare", "r.txt", "p.txt", "r.txt", "--resamples", "20000"],
            ["report", "r*.part", "p*.part", "-o", "out.html"],
        ]
    )
    folder = Path("temporary")
    folder.mkdir(exist_ok=True)
    before = contents()
    process = subprocess.Popen(
        [sys.executable, "-m", "segscores.command.main", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder.resolve()), "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread is running
    )
    delay = source.choice([0.1, 1.0, 4.0]) * source.random()
    time.sleep(delay)
    for _ in range(source.choice([1, 1, 2])):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
    try:
        output, errors = process.communicate(timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Finding(f"{signal.Signals(number).name} after {delay:.3f} s {arguments}: it goes on") from None
    what = f"{signal.Signals(number).name} after {delay:.3f} s {' '.join(arguments)}"
    message = errors.decode(errors="replace")
    # Until the command's first function is called a signal is Python's affair, which drops it within its own import lock.
    later = DROPPED_BY_PYTHON.sub("", message)
    own = re.search(r"segscores/.*, in (?!<module>)", later.replace(str(ROOT), "")) or "Exception ignored" in later
    check(not ("Traceback" in message and own), f"{what}: {message[-1500:]}")
    expected = (0, 128 + number, -number, *((1,) if "Traceback" in message else ()))
    check(process.returncode in expected, f"{what}: status {process.returncode}: {message[-300:]}")
    deadline = time.monotonic() + 10
    while (left := processes_of_session(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    check(not left, f"{what}: processes are left: {left}")
    check(not list(folder.iterdir()), f"{what}: in the temporary folder: {[path.name for path in folder.iterdir()]}")
    after = contents()
    check(before.items() <= after.items(), f"{what}: an input was changed")
    new = after.keys() - before.keys()
    check(not any(name.endswith(".partial") for name in new), f"{what}: half of an output is left: {new}")
    if process.returncode == 0 and "--format" in arguments:
        check(json.loads(output)["predictions"][0]["scores"], f"{what}: status 0 without scores")


ATTACKS: dict[str, Callable[[random.Random], None]] = {
    "scores": attack_scores,
    "files": attack_files,
    "damage": attack_damage,
    "tables": attack_tables,
    "masked": attack_masked,
    "forks": attack_forks,
    "ties": attack_ties,
    "options": attack_options,
    "signals": attack_signals,
}


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """End what takes too long by a finding, where the system has alarms."""

    def end(*_: object) -> None:
        raise Finding(f"it takes more than {TIME_LIMIT} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    signal.signal(signal.SIGALRM, end)
    # Again and again: Python drops an error that comes within a destructor.
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT, 5)
    # What hangs outside of Python ends the program, with a trace.
    faulthandler.dump_traceback_later(3 * TIME_LIMIT, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def attack(kind: str, seed: int, case: int, folder: Path) -> str:
    """One case, in an empty folder; gives what was found, empty for nothing."""
    source = random.Random(f"{seed} {kind} {case}")
    before = Path.cwd()
    with tempfile.TemporaryDirectory(dir=folder) as own:
        os.chdir(own)
        try:
            with time_limit():
                ATTACKS[kind](source)
        except Finding as finding:
            return str(finding)
        except Exception:
            return traceback.format_exc()
        finally:
            os.chdir(before)
    return ""


def main() -> int:
    """Attack, and print what was found; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the cases (default: %(default)s)")
    parser.add_argument("--kinds", nargs="+", choices=tuple(ATTACKS), default=list(ATTACKS), help="(default: all)")
    parser.add_argument("--case", type=int, help="run this case of each kind alone")
    parser.add_argument("--verbose", action="store_true", help="print every case to standard error before it runs")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", ".*use of fork")  # beside threads, which is what is tried
    end = time.monotonic() + arguments.seconds
    spent = dict.fromkeys(arguments.kinds, 0.0)
    counts: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    seen: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        while time.monotonic() < end or len(counts) < len(arguments.kinds):
            kind = min(arguments.kinds, key=lambda kind: spent[kind] / WEIGHTS[kind])
            began = time.monotonic()
            case = counts[kind] if arguments.case is None else arguments.case
            if arguments.verbose:
                print(f"{kind} --seed {arguments.seed} --case {case}", file=sys.stderr, flush=True)
            problem = attack(kind, arguments.seed, case, Path(folder))
            spent[kind] += time.monotonic() - began
            counts[kind] += 1
            if problem:
                findings[kind] += 1
                # The same problem is shown once.
                shape = re.sub(r"\d+|'[^']*'", "", problem)[-200:]
                if shape not in seen:
                    print(f"FINDING {kind} --seed {arguments.seed} --case {case}: {problem}", flush=True)
                seen.add(shape)
            if arguments.case is not None and len(counts) == len(arguments.kinds):
                break
    for kind in arguments.kinds:
        print(f"{kind}: {counts[kind]:,} cases in {spent[kind]:.0f} s, {findings[kind]} findings")
    print(f"in all: {sum(counts.values()):,} cases, {sum(findings.values())} findings")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
