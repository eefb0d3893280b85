"""Random attacks on the scores and the command, for a given time.

    python benchmarks/fuzz.py --seconds 60 --seed 1

Kinds of cases: valid input in every form, with random options, against the naive scorers of `tests/` (`scores`; `files` through
the command; `inputs` of each kind on each side). Files that are cut, flipped, joined or in another encoding, and forged Arrow
and Parquet files in a child process (`damage`, `tables`): a run fails in one line, or scores what other programs read. Nonsense
for every option of every subcommand (`options`), or two values (`twice`). Lines a thousand times longer on one side, in bounded
memory (`lengths`). Files that change while they are read (`changes`). Runs that are interrupted leave no traceback, process,
temporary file or half of an output (`signals`). One question in several ways: several predictions at once, in the command and
in Python, with every reading option (`systems`), tagged text with groups (`groups`), counts beside scores in every format
(`counts`). What takes long if it is not answered well: words of many combining marks (`marks`), lines to align (`long`), and
requests to the page that stop half-way (`page`).

But for the moments of `signals`, the seed, the kind and the number determine a case: `--kinds options --case 17`
repeats one. The program prints a line for each finding and the counts at the end, and exits with status 1 after a finding.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import faulthandler
import gzip
import json
import math
import os
import random
import re
import resource
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
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
# The naive scorers are among the tests.
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from fuzz_checks import (  # noqa: E402
    MOST_MEGABYTES,
    PACKINGS,
    TIME_LIMIT,
    Finding,
    about,
    check,
    check_failed,
    column_of,
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
from fuzz_surfaces import (  # noqa: E402
    attack_counts,
    attack_groups,
    attack_long,
    attack_marks,
    attack_page,
    attack_systems,
)
from pyarrow import parquet  # noqa: E402

import segscores  # noqa: E402
from segscores import open_source, score  # noqa: E402
from segscores.apps.command.cli import subcommand_parsers  # noqa: E402
from segscores.options.option import Switch  # noqa: E402
from segscores.options.tasks import COMMANDS, flag_of  # noqa: E402
from segscores.scoring.measures.registry import GROUPS  # noqa: E402
from tests import corpora, naive, naive_groups  # noqa: E402
from tests.processes import processes_of_session  # noqa: E402

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


def attack_scores(source: random.Random) -> None:
    """Any form, any group but those of documents, against the naive scorer."""
    references, predictions = draw_any_pair(source)
    name, form = source.choice(list(corpora.FORMS.items()))
    fits = [name for name, each in GROUPS.items() if not each.needs_documents and form.has_words >= each.needs_words]
    group = source.choice(fits)
    if group in ("dictionary", "oov") and not form.has_words:
        return
    options: dict[str, Any] = {"zero_division": source.choice([0.0, 0.0, 1.0, 0.5, math.nan])}
    if group in ("windows", "tolerance"):
        options["window_size" if group == "windows" else "tolerance"] = source.choice([1, 2, 3, 7, 1000])
    given = {key: value for key, value in naive_groups.GROUP_OPTIONS.get(group, {}).items() if key not in options}
    if not form.any_units and group != "windows":
        given = {key: [line.replace(" ", "") for line in value] for key, value in given.items()}
    expected = naive_groups.naive_group_scores(group, references, predictions, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = score(form.write(references), form.write(predictions), scores=group, **form.options, **given, **options)
    same(found, expected, f"{name} {group} {options}")


def attack_lengths(source: random.Random) -> None:
    """Lines a thousand times longer on one side, by units that differ, by spaces or by boundaries; a bounded peak of memory."""
    corpus_pair = draw_pair(source, [3, 50, 300], "abåé狗", 40)
    way, ending = source.choice(["units", "units", "spaces", "boundaries"]), source.choice([".txt", ".jsonl", ".gz"])
    share, at, times = source.choice([0.01, 0.3, 1.0]), source.randrange(2), source.choice([100, 1000, 4000])
    write, separator = (corpora.units_text, " WORD_BOUNDARY ") if way == "boundaries" else (corpora.words_text, " ")
    sides, bad = [write(each) for each in corpus_pair], set()
    for row, text in enumerate(sides[at]):
        if text and source.random() < share:
            longer = text.replace(separator, separator * times, 1) + " " * times
            sides[at][row] = text * times if way == "units" else longer
            bad |= {row} if way == "units" else set()
    names = [f"{name}{ending}" for name in "rp"]
    for name, texts in zip(names, sides, strict=True):
        written(name, encode(source, ending, texts))
    options = source.choice([[], [], ["--on-error", "skip"], ["--on-mismatch", "skip"]])
    form = ["--text-format", "units" if way == "boundaries" else "words", "--format", "json"]
    good = [[words for row, words in enumerate(each) if row not in bad] for each in corpus_pair]
    what = f"{way} of {len(bad)} {ending} {options}, {times} times, side {at}"

    def attempt(_: Callable[[], None]) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        status, output, message = run(["score", *names, *form, *options])
        peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        check(peak < MOST_MEGABYTES, f"{what}: {peak:.0f} MB")
        if bad and (not options or not good[0]):
            check_failed(status, output, message)
            found = options or re.search(rf"line {min(bad) + 1}\b", message)
            check(found, f"{what}: expected line {min(bad) + 1}: {message}")
            return
        check(status == 0, f"{what}: {message[-300:]}")
        same(json.loads(output)["predictions"][0]["scores"], naive.naive_scores(*good), what)

    in_child(attempt)


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
    """A file that changes before a read, or after it was looked at: its error, or what the run gives for one version."""
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
    open_, stat, seen, moment = Path.open, os.stat, 0, 0

    def tick() -> None:
        nonlocal seen
        seen += 1
        if seen == moment:
            change()

    def opened(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        file = open_(path, mode, *rest, **more)
        read = lambda *size: (tick(), file.read(*size))[1]  # noqa: E731
        return mock.Mock(wraps=file, read=read) if mode == "rb" and path.name == changed else file

    def stated(path: Any, **more: Any) -> os.stat_result:
        found = stat(path, **more)
        if str(path) == changed:
            tick()
        return found

    def outcome() -> tuple[int, str, str, bytes]:
        nonlocal seen
        seen = 0
        for path in outputs:
            path.unlink(missing_ok=True)
        with mock.patch.object(Path, "open", opened), mock.patch("os.stat", stated):
            found = run(command)
        return *found, b"".join(path.read_bytes() for path in outputs if path.exists())

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
    expected, last = [outcome()], seen
    change()
    expected.append(outcome())
    # What is written anew is empty at first.
    expected += [outcome()] if how == "rewrite" and written(changed, b"") else []
    put_back()
    moment = source.randint(1, last)
    found = outcome()
    told = f"{how} {changed} of {count}, {' '.join(command)}: {found[0]} {found[2][-500:]} {found[1][:300]}"
    if found[0] and f"{changed}: the file changed while it was read." in found[2]:
        check_failed(*found[:3])
        check(not found[3], f"{told}: it failed and left an output")
    else:
        check(found in expected, f"{told}: of neither version; the second gives {expected[1][2]}")


#: Kinds of input in Python, made of a name and texts, and how an error says the place of an utterance.
INPUTS: dict[str, tuple[Callable[[str, list[str]], Any], str]] = {
    "list": (lambda _, texts: texts, "utterance {0}"),
    "tuple": (lambda _, texts: tuple(texts), "utterance {0}"),
    "iterator": (lambda _, texts: iter(texts), "utterance {0}"),
    "arrow": (lambda _, texts: pa.array(texts, pa.string()), "utterance {0}"),
    "views": (lambda _, texts: pa.array(texts, pa.string_view()), "utterance {0}"),
    "dictionary": (lambda _, texts: pa.array(texts, pa.string()).dictionary_encode(), "utterance {0}"),
    "chunks": (lambda _, texts: pa.chunked_array([texts[:2], [], texts[2:]], pa.large_string()), "utterance {0}"),
    "objects": (lambda _, texts: np.array([*texts, None], object)[:-1], "utterance {0}"),
    "path": (lambda name, texts: written(name, lines(texts)), "line {1}"),
    "packed": (lambda name, texts: written(name, gzip.compress(lines(texts))), "line {1}"),
    "pattern": (lambda name, texts: open_source(in_two(name, texts, "part")), "part, line {2}"),
    "jsonl": (lambda name, texts: column_of(f"{name}.jsonl", texts), "line {1}"),
    "parquet": (lambda name, texts: column_of(f"{name}.parquet", texts), "row {0}"),
}
TASKS: dict[str, Callable[..., Any]] = {
    "score": lambda left, right, _, **options: score(left, right, **options),
    "windows": lambda left, right, _, **options: score(left, right, scores=("token", "windows"), **options),
    "intervals": lambda left, right, _, **options: score(left, right, confidence=0.9, **options),
    "tally": lambda left, right, _, **options: segscores.tally(left, right, **options).scores(),
    "per_utterance": lambda left, right, _, **options: segscores.per_utterance(left, right, **options),
    "compare": lambda left, right, other, **options: segscores.compare(
        left, {"a": right, "b": other}, n_trials=20, **options
    ),
    "errors": lambda left, right, _, **options: segscores.analyse_errors(left, right, **options).to_dict(),
}


def attack_inputs(source: random.Random) -> None:
    """Each side another kind of input: the result of lists, or their error, at the same place."""
    references, predictions = draw_pair(source, [3, 8, 60], "abåé狗🐕")
    texts = [corpora.words_text(each) for each in (references, predictions, recut(source, references))]
    task, kinds = source.choice(list(TASKS)), [source.choice(list(INPUTS)) for _ in texts]
    bad = sorted(source.sample(range(len(references)), k=source.choice([0, 0, 1, 2])))
    for row in bad:
        texts[1][row] = source.choice(["x", texts[1][row] + " x"])
    if source.random() < 0.1:
        texts[1].pop()
    options: dict[str, Any] = {"text_format": "words"}
    if source.random() < 0.3 and task != "errors":
        options["on_mismatch"] = "skip"

    def outcome(kinds: Sequence[str]) -> tuple[str, str]:
        made = [INPUTS[kind][0](name, list(side)) for name, kind, side in zip("rpq", kinds, texts, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return repr(TASKS[task](*made, **options)), ""
            except ValueError as error:
                return "", str(error)

    expected, found = outcome(["list"] * 3), outcome(kinds)
    what = f"{task} of {kinds} with {len(texts[1])} texts, bad {bad}, {options}"
    check(found[0] == expected[0], f"{what}: {found}, lists have {expected}")
    check(bool(found[1]) == bool(expected[1]), f"{what}: {found}, lists have {expected}")
    if expected[1] and len(texts[1]) == len(texts[0]) and not options.get("on_mismatch"):
        row = bad[0]
        # A collection's utterance has one number on both sides.
        for kind in kinds[:2] if INPUTS[kinds[1]][1] != INPUTS["list"][1] else ["list"]:
            place = INPUTS[kind][1].format(row, row + 1, row + 1 if row < 2 else row - 1)
            check(re.search(rf"\b{place}\b", found[1]), f"{what}: {found[1]}, expected {place}")
        problem = re.split(r"utterance \d+: ", expected[1])[1].partition("expected")[0]
        check(problem in found[1], f"{what}: {found[1]}, lists have {expected[1]}")


def attack_files(source: random.Random) -> None:
    """Files of any kind through the command, against the naive scorer."""
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
    """A damaged file: an error in one line, or the scores of what other programs read in it."""
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
    found = json.loads(output)["predictions"][0]
    texts = read_otherwise(damaged, ending)
    check(texts is not None, f"{what}: scored, and no other program reads it")
    pairs = list(zip(sides[0], texts or [], strict=False))
    check(len(pairs) == len(sides[0]) == len(texts or []), f"{what}: scored, with {len(texts or [])} utterances")
    good = [
        (left, right) for left, right in pairs if right is not None and left.replace(" ", "") == "".join(right.split())
    ]
    left_out = found["counts"]["left_out"] if skips else 0
    check(left_out == len(pairs) - len(good), f"{what}: {left_out} left out, expected {len(pairs) - len(good)}")
    words = [[text.split() for text in side] for side in zip(*good, strict=True)]
    same(found["scores"], naive.naive_scores(*words), what)


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
        found = pa.BufferReader(data)
        if ending == "parquet":
            read = parquet.read_table(found, columns=["prediction"]).column("prediction")
        else:
            opened = pa.ipc.open_file if ending == "arrow" else pa.ipc.open_stream
            read = opened(found, options=pa.ipc.IpcReadOptions(included_fields=[0])).read_all().column(0)
        read.validate(full=True)
        texts = [" ".join(text) if holds == "lists" and text else text for text in read.to_pylist()]
        texts = [text.decode() if isinstance(text, bytes) else text or "" for text in texts]
        sides = [[text.split() for text in side] for side in (corpora.words_text(references), texts)]
        check([*map("".join, sides[0])] == [*map("".join, sides[1])], "scored, though the units differ")
        same(json.loads(output)["predictions"][0]["scores"], naive.naive_scores(*sides), "what Arrow reads")

    with about(f"{how} in a column of {kind}, {path}"):
        in_child(attempt)


def forge(source: random.Random, data: bytes) -> tuple[bytes, str]:
    """Numbers of a file replaced by others: offsets, lengths, indices, bitmaps, or the description of the columns."""
    forged = bytearray(data)
    for _ in range(source.choice([1, 1, 2, 8])):
        size = source.choice([1, 4, 4, 8])
        at = source.randrange(max(1, len(data) // size)) * size
        old = int.from_bytes(data[at : at + size], "little")
        top = 1 << (8 * size)
        new = source.choice([0, 1, old + 1, old - 1, old * 2, top - 1, top // 2 - 1, top // 2, source.randrange(top)])
        forged[at : at + size] = (new % top).to_bytes(size, "little")
    return bytes(forged[: len(data)]), "forged numbers"


#: Every option and argument that takes a value, by subcommand, as the parser lists them.
OPTIONS = [
    (command, action)
    for command, parser in subcommand_parsers().items()
    if command in NEEDED
    for action in parser._actions
    if action.nargs != 0
]

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
        option = COMMANDS[command].options.get(action.dest)
        value = source.choice((option.kind.choices if option and source.random() < 0.5 else ()) or NONSENSE)
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
    with about(what):
        if status == 2:
            check_failed(status, output, message)
        else:
            check(status in (0, 1), f"status {status}")
            check("Traceback" not in message, message[-300:])
    after = contents()
    # Other files may be written over, where an option says so.
    inputs = {name: data for name, data in before.items() if name in NEEDED[command]}
    check(inputs.items() <= after.items(), f"{what}: an input was changed")
    if status == 2:
        check(before == after, f"{what}: it failed and left {sorted(after.keys() - before.keys())}")
    check(not [name for name in after if name.endswith(".partial")], f"{what}: half of an output is left")


#: Flags of one value, by subcommand.
SINGLE = [
    (command, option)
    for command in NEEDED
    for option in COMMANDS[command].options.values()
    if not (isinstance(option.kind, Switch) or option.kind.is_repeatable or option.kind.takes_several)
]


def attack_twice(source: random.Random) -> None:
    """An option of one value with two: an error that shows both."""
    command, option = source.choice(SINGLE)
    values = source.sample([*option.kind.choices, "0.5", "first", "second", "7"], 2)
    flags = [source.choice([[flag_of(option), value], [f"{flag_of(option)}={value}"]]) for value in values]
    write_inputs()
    arguments = [command, *flags[0], *NEEDED[command], *flags[1]]
    with about(" ".join(arguments)):
        status, output, message = run(arguments)
        check_failed(status, output, message)
        check(flag_of(option) in message, f"expected an error that names {flag_of(option)}: {message}")
        check(all(value in message for value in values), f"expected an error that shows both values: {message}")


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


#: Runs that take long enough to be interrupted.
INTERRUPTED = (
    "score r*.part p*.part --format json",
    "score r.txt p.txt --confidence 0.95 --per-utterance out.csv --interval-method percentile --resamples 20000",
    "difficulty r.txt --train r.txt --members 50 --processes 2 -o out.jsonl",
    "compare r.txt p.txt r.txt --interval-method percentile --resamples 20000",
    "report r*.part p*.part -o out.html",
)


def attack_signals(source: random.Random) -> None:
    """A signal at a random moment."""
    number = source.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    references, predictions = draw_pair(source, [300], "abcdå狗", 12)
    for name, side in (("r", references), ("p", predictions)):
        data = lines(corpora.words_text(side))
        written(f"{name}.txt", data)
        for index in range(4):
            written(f"{name}{index}.part", data * 20)
    arguments = source.choice(INTERRUPTED).split()
    folder = Path("temporary")
    folder.mkdir(exist_ok=True)
    before = contents()
    process = subprocess.Popen(
        [sys.executable, "-m", "segscores.apps.command.main", *arguments],
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


#: Each kind, and its share of the time.
ATTACKS: dict[str, tuple[Callable[[random.Random], None], int]] = {
    "scores": (attack_scores, 3),
    "files": (attack_files, 2),
    "damage": (attack_damage, 3),
    "tables": (attack_tables, 4),
    "options": (attack_options, 4),
    "signals": (attack_signals, 3),
    "lengths": (attack_lengths, 3),
    "changes": (attack_changes, 4),
    "inputs": (attack_inputs, 3),
    "systems": (attack_systems, 4),
    "twice": (attack_twice, 1),
    "groups": (attack_groups, 1),
    "counts": (attack_counts, 2),
    "marks": (attack_marks, 2),
    "long": (attack_long, 3),
    # The page is of the extra `demo`, and Linux says how much memory it has.
    **({"page": (attack_page, 3)} if find_spec("gradio") and Path("/proc/self/status").exists() else {}),
}


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """End what takes too long by a finding."""

    def end(*_: object) -> None:
        raise Finding(f"it takes more than {TIME_LIMIT} s")

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
                ATTACKS[kind][0](source)
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
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", ".*use of fork")  # beside threads, which is what is tried
    end = time.monotonic() + arguments.seconds
    spent = dict.fromkeys(arguments.kinds, 0.0)
    counts: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    seen: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        while time.monotonic() < end or len(counts) < len(arguments.kinds):
            kind = min(arguments.kinds, key=lambda kind: spent[kind] / ATTACKS[kind][1])
            began = time.monotonic()
            case = counts[kind] if arguments.case is None else arguments.case
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
