"""Attacks of `fuzz.py` on how files are read: one text in tables and encodings, and one recording in several formats."""

from __future__ import annotations

import csv
import io
import json
import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fuzz_checks import check, draw_pair, encode, recut, same, written

import segscores
from tests import corpora
from tests.recordings import Rows, random_rows

#: Characters that mean something in tables, and some that every encoding below has.
UNITS = "abcdeé\",;|#'="
#: Encodings that an option may name, and characters that they have.
ENCODINGS = {
    "utf-16": "狗éа",
    "utf-8-sig": "狗éа",
    "gb18030": "狗éа",
    "cp1252": "éß",
    "euc-jp": "狗犬",
    "cp1251": "абв",
}


def attack_forms(source: random.Random) -> None:
    """Write a text as lines, in a column of a table, or in another encoding, on each side: the scores are those of the lists."""
    name = source.choice(["lines", *ENCODINGS])
    encoding = name if name in ENCODINGS else ""
    corpus, _ = draw_pair(source, [2, 7, 40], "abc" + ENCODINGS[name] if encoding else UNITS)
    sides = [corpora.words_text(each) for each in (corpus, recut(source, corpus))]
    options: dict[str, Any] = {"text_format": "words", "scores": ["token", "boundary_noedge"]}
    kinds = [source.choice(list(TABLES)) for _ in sides]
    files = []
    for side, kind, texts in zip("rp", kinds, sides, strict=True):
        data = TABLES[kind](source, texts).decode().encode(encoding or "utf-8")
        files.append(segscores.open_source(written(f"{side}{kind}", data), column=_column(kind), encoding=encoding))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = segscores.score(*sides, **options)
        same(segscores.score(*files, **options), expected, f"{kinds} in {name}, {len(corpus)} utterances")


def _column(kind: str) -> str:
    """Return the name of the column with the text; empty for lines, which have no columns."""
    return "" if kind == ".txt" else "utterance"


def _table(separator: str) -> Callable[[random.Random, Sequence[str]], bytes]:
    """Return a writer of tables as spreadsheets save them, with a number and a remark beside each utterance."""

    def write(source: random.Random, texts: Sequence[str]) -> bytes:
        file = io.StringIO()
        quoting = source.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
        end = source.choice(["\n", "\r\n"])
        writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=end)
        writer.writerow(["id", "utterance", "remark"])
        for number, text in enumerate(texts, 1):
            writer.writerow([number, text, source.choice(["", "good", "a, b; c"])])
        return file.getvalue().encode()

    return write


def _json_lines(source: random.Random, texts: Sequence[str]) -> bytes:
    return encode(source, ".jsonl", texts, ("id", "utterance"))


#: The functions that write a kind of file, by its ending.
TABLES: dict[str, Callable[[random.Random, Sequence[str]], bytes]] = {
    ".txt": lambda source, texts: encode(source, ".txt", texts),
    ".csv": _table(","),
    "-2.csv": _table(";"),
    ".tsv": _table("\t"),
    ".jsonl": _json_lines,
}


def attack_recordings(source: random.Random) -> None:
    """Write recordings in formats that have no durations, another on each side: the counts are those of lists of intervals."""
    names = [f"rec{number}" for number in range(source.choice([1, 2, 5]))]
    sides: list[dict[str, Rows]] = []
    for _ in range(2):
        # A folder of recordings without an interval has nothing that shows what it is.
        drawn = {name: random_rows(source, last=source.choice([40, 300]), labels="abcd") for name in names}
        sides.append({name: rows or [(0.0, 0.1, "a")] for name, rows in drawn.items()})
    options: dict[str, Any] = {
        "text_format": "times",
        "scores": ["token", "boundary_noedge", "timing", "labelled_token"],
        "tolerance": source.choice([0.0, 0.02, 0.1]),
    }
    kinds = [source.choice(list(TIMES)) for _ in sides]
    folders = []
    for folder, kind, recordings in zip("rp", kinds, sides, strict=True):
        Path(folder).mkdir()
        for name, rows in recordings.items():
            written(f"{folder}/{name}{kind}", TIMES[kind](name, rows).encode())
        folders.append(Path(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = segscores.tally(*([side[name] for name in names] for side in sides), **options).counts()
        counts = segscores.tally(*folders, **options).counts()
    for key, value in expected.items():
        check(counts[key] == value, f"{kinds}: {key} is {counts[key]}, lists have {value}: {sides}")


def _ctm(name: str, rows: Rows) -> str:
    return "".join(f"{name} 1 {start:.2f} {end - start:.2f} {label}\n" for start, end, label in rows)


def _table_of_times(_: str, rows: Rows) -> str:
    return "start,end,label\n" + "".join(f"{start},{end},{label}\n" for start, end, label in rows)


def _segments(_: str, rows: Rows) -> str:
    return json.dumps({"segments": [{"start": start, "end": end, "text": label} for start, end, label in rows]})


def _labels(_: str, rows: Rows) -> str:
    return "".join(f"{start:.2f}\t{end:.2f}\t{label}\n" for start, end, label in rows)


#: The functions that write a recording, by the ending of its file.
TIMES: dict[str, Callable[[str, Rows], str]] = {
    ".ctm": _ctm,
    ".csv": _table_of_times,
    ".json": _segments,
    ".txt": _labels,
}
