"""The parts that kinds of cases of `fuzz.py` share: checks, corpora, files, and runs of the command, in a child or not."""

from __future__ import annotations

import bz2
import contextlib
import faulthandler
import gzip
import io
import json
import math
import os
import random
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# The naive scorers are among the tests.
sys.path.insert(0, str(ROOT))

import pyarrow as pa  # noqa: E402
from pyarrow import parquet  # noqa: E402

from segscores import open_source  # noqa: E402
from segscores.apps.command.main import main as run_main  # noqa: E402
from tests import corpora  # noqa: E402

#: Seconds that a case may take.
TIME_LIMIT = 60
#: The megabytes by which the memory of a process may grow with lines a thousand times longer on one side.
MOST_MEGABYTES = 150


class Finding(Exception):  # noqa: N818 - it is what this program looks for
    """A result that should not be."""


def check(holds: object, problem: str) -> None:
    """Raise a finding unless something holds."""
    if not holds:
        raise Finding(problem)


def same(received: dict[str, float], expected: dict[str, float], what: str) -> None:
    """Check that scores are those expected, but for rounding; `what` begins the finding."""
    # on_error="skip" and on_mismatch="align" add scores that the naive scorer does not have.
    added = {"skipped_utterances", "unit_error_rate"} - expected.keys()
    check(received.keys() - added == expected.keys(), f"{what}: keys {sorted(received.keys() ^ expected.keys())}")
    for key, value in expected.items():
        # JSON has null for nan.
        got = math.nan if received[key] is None else received[key]
        is_same = math.isclose(got, value, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(got) and math.isnan(value))
        check(is_same, f"{what}: {key} is {received[key]!r}, the naive scorer has {value!r}")


@contextlib.contextmanager
def about(what: str) -> Iterator[None]:
    """Begin the text of a finding within by what it is about."""
    try:
        yield
    except Finding as finding:
        raise Finding(f"{what}: {finding}") from None


def run(arguments: Sequence[str], stdin: bytes = b"") -> tuple[int, str, str]:
    """Run the command in this process; return the status, standard output and standard error."""
    output = io.TextIOWrapper(io.BytesIO(), "utf-8")
    errors = io.TextIOWrapper(io.BytesIO(), "utf-8")
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
    # The form in which a side was read, and what is unusual, is said beside the error.
    lines = [line for line in message.splitlines() if ": warning: " not in line and ": read as " not in line]
    check(len(lines) == 1 and lines[0].startswith("segscores"), f"not one line of error: {message[-500:]!r}")
    check(len(lines[0]) < 20_000, f"an error of {len(lines[0])} characters")
    check(lines[0].isprintable(), f"an error that is not printable: {lines[0]!r}")


def draw_pair(source: random.Random, counts: Sequence[int], units: Sequence[str], most: int = 9) -> tuple[Any, Any]:
    """Draw a reference and a prediction of it, whose number of utterances is one of `counts`.

    Words are made of `units`, and an utterance has at most `most` units.
    """
    return corpora.random_corpus_pair(source.choice(counts), source.randrange(1 << 30), units, most)


def draw_any_pair(source: random.Random, mark: str = "\ufeff") -> tuple[Any, Any]:
    """Draw a pair of any units.

    At the beginning of a file U+FEFF is no unit, so that for files another `mark` takes its place.
    """
    units = source.choice([*corpora.CHARACTERS[:20:2], "ab", "ab狗", corpora.CHARACTERS]).replace("\ufeff", mark or "a")
    return draw_pair(source, [1, 2, 5, 30], units * 2, source.choice([1, 3, 8, 20]))


def recut(source: random.Random, corpus: Any) -> Any:
    """Draw another segmentation of the same units."""
    segmented = []
    for words in corpus:
        units = tuple(chain.from_iterable(words))
        ends = [source.random() < 0.4 for _ in units]
        segmented.append(corpora.cut(units, ends))
    return segmented


def in_two(name: str, texts: Sequence[str], ending: str) -> str:
    """Write texts as two files, and return the pattern of both, such as `r?.txt`; the first has two utterances."""
    at = min(2, len(texts))
    for number, part in enumerate((texts[:at], texts[at:])):
        written(f"{name}{number}.{ending}", lines(part))
    return f"{name}?.{ending}"


def column_of(name: str, texts: Sequence[str]) -> Any:
    """Write texts as a column of a new file, which is not its first one, and return the column."""
    return open_source(written(name, encode(random.Random(0), Path(name).suffix, texts, ("x", "y"))), column="y")


def written(name: str, data: bytes) -> Path:
    """Write a new file, and return its path."""
    path = Path(name)
    path.write_bytes(data)
    return path


def lines(texts: Iterable[str]) -> bytes:
    """Return the bytes of a file of lines."""
    return "".join(f"{text}\n" for text in texts).encode()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def pack(source: random.Random, data: bytes, ending: str) -> bytes:
    """Pack data in one or several streams, as the ending of the file says.

    No stream is empty: Arrow 26 reports an empty one of bz2 after others as damaged.
    """
    cuts = sorted({*source.choices(range(len(data) + 1), k=source.choice([0, 0, 1, 3]))} - {0, len(data)})
    return b"".join(
        PACKINGS[ending](data[start:end]) for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)
    )


def encode(
    source: random.Random, ending: str, rows: Sequence[Any], columns: Sequence[str] = ("reference", "prediction")
) -> bytes:
    """Return the bytes of a file of the kind that its ending says, with a row for each utterance.

    Rows are texts; in a table also lists of words, the same in each of its `columns`. CoNLL-U has no blank sentences.
    """
    if ending in PACKINGS:
        return pack(source, lines(rows), ending)
    if ending in ("", ".txt"):
        return lines(rows)
    if ending == ".conllu":
        other_fields = "\t_" * 8
        sentences = []
        for row in rows:
            tokens = [f"{number}\t{word}{other_fields}\n" for number, word in enumerate(row.split(), 1)]
            sentences.append("".join(tokens))
        # The end of a line after each sentence makes an empty line.
        return lines(sentences)
    kind = pa.string() if isinstance(rows[0], str) else pa.list_(pa.string())
    table = pa.table(dict.fromkeys(columns, pa.array(rows, kind)))
    sink = pa.BufferOutputStream()
    if ending == ".jsonl":
        return lines(json.dumps(row, ensure_ascii=source.random() < 0.5) for row in table.to_pylist())
    if ending == ".parquet":
        parquet.write_table(table, sink, row_group_size=source.choice([1, 3, 1000]) if len(rows) < 1000 else 1000)
    else:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=1000)
    return sink.getvalue().to_pybytes()


def in_child(attempt: Callable[[Callable[[], None]], None]) -> None:
    """Run an attempt in a child process, and raise its finding.

    A crash of the process is a finding too, until the attempt calls its argument: after that the child may crash, as by a library
    that reads damaged data. The child writes to a pipe: a NUL for this call, and then its finding.
    """
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
            message = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, wait_status = os.waitpid(child, 0)
        status = os.waitstatus_to_exitcode(wait_status)
    check(status == 0 or message.startswith(b"\0"), f"the process ended by status {status}")
    check(message in (b"", b"\0"), message.removeprefix(b"\0").decode())
