"""Columns of tables have the scores of the same utterances in text, and errors name the table."""

from __future__ import annotations

import base64
import csv
import json
import os
import re
import threading
from collections.abc import Callable
from itertools import accumulate, cycle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from segscores.sources.files import file_source

from ..naive import FORMS, expected_scores, naive_counts, naive_scores, random_corpus_pair, word_lists, words_text
from ..table_files import write_arrow_file, write_arrow_stream, write_feather, write_json_lines, write_parquet

Write = Callable[[str, Any], None]

REFERENCE, PREDICTION = random_corpus_pair(150, seed=18, max_units=9)
EXPECTED = naive_scores(REFERENCE, PREDICTION)
LISTS = {"reference": word_lists(REFERENCE), "prediction": word_lists(PREDICTION)}
TEXTS = {"reference": words_text(REFERENCE), "prediction": words_text(PREDICTION)}


WRITERS: dict[str, tuple[str, Write]] = {
    "Parquet": ("t.parquet", write_parquet),
    "Parquet by another name": ("T.PQ", write_parquet),
    "Arrow file": ("t.arrow", write_arrow_file),
    "Arrow stream": ("t.arrow", write_arrow_stream),
    "IPC": ("t.ipc", write_arrow_file),
    "Feather": ("t.feather", write_feather),
    "JSON lines": ("t.jsonl", write_json_lines),
}
# Those of Arrow's types, which JSON lines have not; one of each kind.
TYPED = ["Parquet", "Arrow file", "Arrow stream", "Feather"]

WORD_TYPES = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "list<string>": pa.list_(pa.string()),
    "large_list<large_string>": pa.large_list(pa.large_string()),
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def scores(run: Any) -> Callable[..., dict[str, dict[str, float]]]:
    """The scores of each prediction by its name."""

    def score(*arguments: str) -> dict[str, dict[str, float]]:
        status, output, message = run(*arguments, "--format", "json")
        assert (status, message) == (0, "")
        return {entry["prediction"]: entry["scores"] for entry in json.loads(output)["predictions"]}

    return score


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", 300)


@pytest.fixture(params=[20, 1 << 20], ids=lambda size: f"parts of {size}")
def part_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", request.param)
    return request.param


def table_of(sides: dict[str, list[Any]], kind: pa.DataType) -> pa.Table:
    return pa.table({name: typed(values, kind) for name, values in sides.items()})


def typed(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode()
    return pa.array(values, kind)


@pytest.mark.parametrize("kind", WORD_TYPES)
@pytest.mark.parametrize("writer", TYPED)
def test_a_table_with_both_sides_scores_as_text(scores: Any, part_bytes: int, writer: str, kind: str) -> None:
    path, write = WRITERS[writer]
    write(path, table_of(LISTS if "list" in kind else TEXTS, WORD_TYPES[kind]))
    assert scores(path) == {"prediction": EXPECTED}


def test_other_types_of_strings_and_lists_score_as_text(scores: Any, small_parts: None) -> None:
    words, texts = LISTS["reference"], TEXTS["reference"]
    offsets = pa.array([0, *accumulate(map(len, words))], pa.int32())
    encoded = pa.array([word for utterance in words for word in utterance]).dictionary_encode()
    arrays = {
        "views": pa.array(texts, pa.string_view()),
        "lists of views": pa.array(words, pa.list_(pa.string_view())),
        "lists of a dictionary": pa.ListArray.from_arrays(offsets, encoded),
        "a dictionary of large strings": pa.array(texts, pa.large_string()).dictionary_encode(),
    }
    write_arrow_file("t.arrow", pa.table({**arrays, "prediction": TEXTS["prediction"]}))
    for name in arrays:
        assert scores("t.arrow", "--columns", name) == {"prediction": EXPECTED}


@pytest.mark.parametrize("sides", [LISTS, TEXTS], ids=["lists", "text"])
@pytest.mark.parametrize("ascii_only", [True, False], ids=["escapes", "as they are"])
@pytest.mark.parametrize("look", ["as it is", "byte-order mark", "CRLF", "no last newline", "spaces", "null keys"])
def test_json_lines_score_as_text(scores: Any, small_parts: None, sides: Any, ascii_only: bool, look: str) -> None:
    rows = [dict(zip(sides, row, strict=True)) for row in zip(*sides.values(), strict=True)]
    if look == "null keys":
        # Others' values may be of any type, and change it from line to line.
        others = ({"id": number, "x": None} if number % 2 else {"id": {"y": [1.5]}} for number in range(len(rows)))
        rows = [{**other, **row, "z": "\n"} for row, other in zip(rows, others, strict=True)]
    text = "".join(f"{json.dumps(row, ensure_ascii=ascii_only)}\n" for row in rows)
    looks = {
        "byte-order mark": "\ufeff" + text,
        "CRLF": text.replace("\n", "\r\n"),
        "no last newline": text.removesuffix("\n"),
        "spaces": text.replace("\n", " \t\n ").removesuffix(" "),
    }
    Path("t.jsonl").write_bytes(looks.get(look, text).encode())
    assert scores("t.jsonl") == {"prediction": EXPECTED}


def test_newlines_within_a_string_are_whitespace(scores: Any) -> None:
    Path("t.jsonl").write_text('{"reference": "a\\nb c", "prediction": "ab\\u2028c"}\n')
    assert scores("t.jsonl") == {"prediction": naive_scores([["a", "b", "c"]], [["ab", "c"]])}


LABEL_TYPES = {
    "start": [pa.list_(pa.int64()), pa.large_list(pa.int8()), pa.list_(pa.uint8()), pa.list_(pa.bool_())],
    "end": [pa.list_(pa.int64())],
    "BI": [pa.list_(pa.string()), pa.large_list(pa.large_string())],
    "BMES": [pa.list_(pa.string())],
}


@pytest.mark.parametrize(("scheme", "kind"), [(scheme, kind) for scheme in LABEL_TYPES for kind in LABEL_TYPES[scheme]])
@pytest.mark.parametrize("writer", ["Parquet", "Arrow file", "Arrow stream", "JSON lines"])
def test_labels_score_as_the_words_they_mark(
    scores: Any, part_bytes: int, writer: str, scheme: str, kind: pa.DataType
) -> None:
    path, write = WRITERS[writer]
    form = FORMS[scheme]
    sides = {"reference": form.write(REFERENCE), "prediction": form.write(PREDICTION)}
    if pa.types.is_boolean(kind.value_type):
        sides = {name: [[bool(label) for label in labels] for labels in rows] for name, rows in sides.items()}
    write(path, table_of(sides, kind))
    assert scores(path, "--label-scheme", scheme) == {"prediction": expected_scores(form, EXPECTED)}


@pytest.mark.parametrize("writer", ["Parquet", "Arrow file", "Arrow stream"])
def test_only_the_columns_asked_for_are_read(scores: Any, writer: str) -> None:
    path, write = WRITERS[writer]
    count = len(REFERENCE)
    table = pa.table(
        {
            "reference.tokens": ["other"] * count,
            "nested": [{"reference": "other", "deep": [{"prediction": [index]}]} for index in range(count)],
            "id": range(count),
            "nested.reference": TEXTS["prediction"],
            "prediction": TEXTS["prediction"],
            "null": pa.nulls(count),
            "map": pa.array([[("reference", 1)]] * count, pa.map_(pa.string(), pa.int32())),
            "reference": TEXTS["reference"],
            "category": pa.array(["x", None] * (count // 2)).dictionary_encode(),
        }
    )
    write(path, table)
    assert scores(path) == {"prediction": EXPECTED}
    assert scores(path, "--columns", ",nested.reference") == {"nested.reference": EXPECTED}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("names", [("gold", "system"), ("金", "é b"), ("a.b", "a.c"), ("prediction", "reference")])
def test_columns_may_have_any_names(scores: Any, writer: str, names: tuple[str, str]) -> None:
    path, write = WRITERS[writer]
    write(path, pa.table(list(LISTS.values()), names=names))
    assert scores(path, "--columns", ",".join(names)) == {names[1]: EXPECTED}


@pytest.mark.parametrize("writer", WRITERS)
def test_one_table_may_have_several_predictions(scores: Any, small_parts: None, writer: str) -> None:
    path, write = WRITERS[writer]
    write(path, pa.table({"gold": TEXTS["reference"], "b": TEXTS["prediction"], "a": TEXTS["reference"]}))
    found = scores(path, "--columns", "gold,b,a")
    assert list(found) == ["b", "a"]
    assert found == {"b": EXPECTED, "a": naive_scores(REFERENCE, REFERENCE)}


def test_strings_of_units_are_read_as_units_text(scores: Any) -> None:
    pa_table = pa.table({"reference": ["a b ;eword c", ""], "prediction": ["a ;eword b ;eword c", ""]})
    write_parquet("t.parquet", pa_table)
    expected = naive_scores([["ab", "c"], []], [["a", "b", "c"], []])
    assert scores("t.parquet", "--text-format", "units", "--word-boundary", ";eword") == {"prediction": expected}


def test_a_dataset_saved_to_disk_is_read_as_it_is(
    scores: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from datasets import Dataset

    dataset = Dataset.from_dict({"id": list(range(len(REFERENCE))), **LISTS})
    dataset.save_to_disk(str(tmp_path / "one"))
    dataset.save_to_disk(str(tmp_path / "three"), num_shards=3)
    # Its progress bars.
    capsys.readouterr()
    assert scores(*map(str, (tmp_path / "one").glob("*.arrow"))) == {"prediction": EXPECTED}
    assert len(list((tmp_path / "three").glob("*.arrow"))) == 3
    assert scores("three/data-*.arrow") == {"prediction": EXPECTED}


def test_rows_are_numbered_from_0_and_lines_from_1(run: Any) -> None:
    write_parquet("t.parquet", pa.table(TEXTS))
    write_json_lines("t.jsonl", pa.table(TEXTS))
    expected = [
        naive_scores([left], [right])["token_fscore"] for left, right in zip(REFERENCE, PREDICTION, strict=True)
    ]
    for path, noun, first in (("t.parquet", "row", 0), ("t.jsonl", "line", 1)):
        status, _, message = run(path, "--per-utterance", "out.csv", "--scores", "token", "--zero-division", "0")
        assert (status, message) == (0, "")
        with Path("out.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [int(row[noun]) for row in rows] == list(range(first, first + len(REFERENCE)))
        assert {row["prediction"] for row in rows} == {"prediction"}
        assert [float(row["token_fscore"]) for row in rows] == expected


# What is refused.

WORDS_TABLE = pa.table({"reference": ["a b", "c d", "e f", "g h"], "prediction": ["ab", "c d", "ef", "g h"]})


@pytest.mark.parametrize("writer", TYPED)
@pytest.mark.parametrize(
    ("options", "column"), [([], "reference"), (["--columns", "b"], "prediction"), (["--columns", "x\ny"], "x\\\\ny")]
)
def test_a_missing_column_is_named_with_those_that_are_there(
    error: Any, writer: str, options: list[str], column: str
) -> None:
    path, write = WRITERS[writer]
    write(path, pa.table({"b": ["x"], "狗": ["x"]}))
    message = error(path, *options)
    assert re.search(rf"error: {path}: there is no column '{column}'; the columns are b, 狗\.", message), message
    assert "Name the column with --columns REFERENCE,PREDICTION." in message


@pytest.mark.parametrize("writer", ["Parquet", "Arrow file", "Arrow stream"])
@pytest.mark.parametrize("side", ["reference", "prediction"])
def test_a_column_that_is_there_twice_is_refused(error: Any, writer: str, side: str) -> None:
    path, write = WRITERS[writer]
    write(path, pa.table([["a"], ["a"], ["b"]], names=["reference", "prediction", side]))
    assert f"error: {path}: there are 2 columns '{side}'; expected one." in error(path)


@pytest.mark.parametrize("writer", TYPED)
@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2]),
        pa.array([1.5, 2.5]),
        pa.array([b"a", b"b"]),
        pa.array([{"x": "a"}, {"x": "b"}]),
        pa.array([["a"], ["b"]], pa.list_(pa.binary())),
        pa.array([[["a"]], [["b"]]]),
        pa.array([[1.5], [2.5]]),
    ],
    ids=lambda values: str(values.type),
)
@pytest.mark.parametrize("side", ["reference", "prediction"])
def test_a_column_of_another_type_is_refused(error: Any, writer: str, values: pa.Array, side: str) -> None:
    path, write = WRITERS[writer]
    columns_of = {"reference": pa.array(["a", "b"]), "prediction": pa.array(["a", "b"])} | {side: values}
    write(path, pa.table(columns_of))
    message = error(path)
    assert f"error: {path}, column {side}: received an Arrow array of type " in message
    assert "expected a string, a list of words, or a list of labels" in message


@pytest.mark.parametrize("writer", TYPED)
@pytest.mark.parametrize("kind", ["string", "list<string>", "dictionary"])
@pytest.mark.parametrize("place", [("reference", 0), ("prediction", 73), ("prediction", 149)])
def test_a_null_is_named_with_its_row(
    error: Any, small_parts: None, writer: str, kind: str, place: tuple[str, int]
) -> None:
    path, write = WRITERS[writer]
    side, row = place
    sides = LISTS if "list" in kind else TEXTS
    sides = {**sides, side: [*sides[side][:row], None, *sides[side][row + 1 :]]}
    write(path, table_of(sides, WORD_TYPES[kind]))
    assert f"error: {path}, column {side}, row {row}: received None" in error(path)


@pytest.mark.parametrize("writer", ["Parquet", "Arrow file", "JSON lines"])
@pytest.mark.parametrize("row", [0, 3])
def test_a_null_within_a_list_is_named_with_its_row(error: Any, small_parts: None, writer: str, row: int) -> None:
    path, write = WRITERS[writer]
    rows: list[list[str | None]] = [["a", "b"]] * 4
    rows[row] = ["a", None]
    write(path, pa.table({"reference": [["ab"]] * 4, "prediction": rows}))
    place = f"{path}, column prediction, {f'line {row + 1}' if path == 't.jsonl' else f'row {row}'}"
    assert f"error: {place}: received a list with None in it" in error(path)


def hidden_nulls(row: int, count: int = 50) -> dict[str, tuple[pa.Array, str]]:
    """Columns of `a b` whose null in a row is in none of the places that say which rows are null, and what is said of it."""
    places = [0 if place != row else 1 for place in range(count)]
    lists: list[Any] = [["a", "b"]] * count
    with_null, within = [*lists[:row], None, *lists[row + 1 :]], [*lists[:row], ["a", None], *lists[row + 1 :]]
    return {
        "a dictionary": (pa.DictionaryArray.from_arrays(pa.array(places), pa.array(["a b", None])), "received None"),
        "a list of one length": (pa.array(with_null, pa.list_(pa.string(), 2)), "received None"),
        "within a list of one length": (pa.array(within, pa.list_(pa.string(), 2)), "received a list with None in it"),
        "lists of a dictionary": (
            pa.ListArray.from_arrays(
                pa.array(range(0, 2 * count + 1, 2), pa.int32()),
                pa.DictionaryArray.from_arrays(
                    pa.array([index for place in places for index in (0, 1 + place)]), pa.array(["a", "b", None])
                ),
            ),
            "received a list with None in it",
        ),
    }


@pytest.mark.parametrize("writer", ["Arrow file", "Arrow stream"])
@pytest.mark.parametrize("kind", hidden_nulls(0))
@pytest.mark.parametrize("row", [0, 44, 49])
@pytest.mark.parametrize("side", ["reference", "prediction"])
@pytest.mark.usefixtures("part_bytes")
def test_a_hidden_null_is_named_with_its_row_and_left_out_if_asked_for(
    run: Any, writer: str, kind: str, row: int, side: str
) -> None:
    path, write = WRITERS[writer]
    column, problem = hidden_nulls(row)[kind]
    other = pa.array(["ab"] * 50 if kind == "a dictionary" else [["ab"]] * 50)
    write(path, pa.table({side: column, ({"reference", "prediction"} - {side}).pop(): other}))
    said = f"{path}, column {side}, row {row}: {problem}"
    status, _, message = run(path)
    assert status == 2
    assert f"error: {said}" in message
    status, output, message = run(path, "--on-error", "skip", "--format", "json", "--counts")
    assert status == 0
    assert f"1 of 50 utterances could not be scored and were left out. The first is {said}" in message
    sides = {"reference": [["ab"]] * 49, "prediction": [["ab"]] * 49} | {side: [["a", "b"]] * 49}
    (prediction,) = json.loads(output)["predictions"]
    assert prediction["scores"] == naive_scores(sides["reference"], sides["prediction"])
    assert prediction["counts"]["left_out"] == 1


@pytest.mark.parametrize("writer", TYPED)
def test_a_table_without_rows_is_refused(error: Any, writer: str) -> None:
    path, write = WRITERS[writer]
    write(path, WORDS_TABLE.slice(0, 0))
    assert re.search(rf"error: {path}.*: the file is empty; expected at least one row\.", error(path))


@pytest.mark.parametrize("writer", TYPED)
@pytest.mark.parametrize("damage", ["cut short", "cut at its beginning", "empty", "text"])
def test_a_damaged_table_is_named(error: Any, writer: str, damage: str) -> None:
    path, write = WRITERS[writer]
    write(path, pa.table(TEXTS))
    data = Path(path).read_bytes()
    damaged = {
        "cut short": data[: len(data) // 2],
        "cut at its beginning": data[9:],
        "empty": b"",
        "text": b"a b\n" * 9,
    }
    Path(path).write_bytes(damaged[damage])
    message = error(path)
    assert f"error: {path}: the table can't be read (" in message
    assert "is it damaged, or another kind of file?" in message


#: Parquet whose histogram of levels has another size than the column: pyarrow 26 aborts where its metadata are asked for.
WRONG_HISTOGRAM = base64.b64decode(
    "UEFSMRUEFXIVdEwVBhUAEgAAOSgXAAAA8J+QlSBhIAEHpGFhIGEgw6ViIOeLlxYAAABhIGLni5fDqSDDqfCfkJXni5fwn5CVAAAAABUAFRQV"
    "GCwVBhUQFQYVBhw2ACgX8J+QlSBhIPCfkJVhYSBhIMOlYiDni5cYABERAAAACiQCAAAABgECAyQAFQQZLDUAGAZzY2hlbWEVAgAVDCUGGApw"
    "cmVkaWN0aW9uJQBMHAAAABYGGRwZHCYAHBUMGTUABhAZGApwcmVkaWN0aW9uFQIWBhaGAhaMAiaYASYIHDYAKBfwn5CVIGEg8J+QlWFhIGEg"
    "w6ViIOeLlxgAEREAGSwVBBUAFQIAFQAVEBUCADwWWhkGGSYABgAAABaGAhYGJggWjAIAGRwYDEFSUk9XOnNjaGVtYRisAS8vLy8vM2dBQUFB"
    "UUFBQUFBQUFLQUF3QUJnQUZBQWdBQ2dBQUFBQUJCQUFNQUFBQUNBQUlBQUFBQkFBSUFBQUFCQUFBQUFFQUFBQVVBQUFBRUFBVUFBZ0FCZ0FI"
    "QUF3QUFBQVFBQkFBQUFBQUFBRUZFQUFBQUNBQUFBQUVBQUFBQUFBQUFBb0FBQUJ3Y21Wa2FXTjBhVzl1QUFBRUFBUUFCQUFBQUFBQUFBQT0A"
    "GCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRkcHAAAAIQBAABQQVIx"
)


def test_damaged_metadata_of_a_parquet_column_do_not_abort(run_apart: Any) -> None:
    Path("r.txt").write_text("a\nb\nc\n")
    Path("p.parquet").write_bytes(WRONG_HISTOGRAM)
    status, output, message = run_apart("r.txt", "p.parquet", cwd=Path.cwd())
    assert (status, output) == (2, "")
    assert message.startswith("segmentation-scores: error: p.parquet: the table can't be read (")


def int32(*values: int) -> pa.Buffer:
    return pa.array(values, pa.int32()).buffers()[1]


FAR = 1 << 30
ABC = pa.py_buffer(b"abc" * 100)
#: Arrays of three rows that read outside of their buffers, or have fewer nulls than they say.
FORGED: dict[str, Callable[[], pa.Array]] = {
    "string": lambda: pa.StringArray.from_buffers(3, int32(0, FAR, 2, 3), ABC),
    "negative string": lambda: pa.StringArray.from_buffers(3, int32(0, -FAR, 2, 3), ABC),
    "list": lambda: pa.Array.from_buffers(
        pa.list_(pa.string()), 3, [None, int32(0, FAR, 2, 3)], children=[pa.array(["a", "b", "c"])]
    ),
    "list of bytes that are not UTF-8": lambda: pa.Array.from_buffers(
        pa.list_(pa.string()),
        3,
        [None, int32(0, FAR, 2, 3)],
        children=[pa.StringArray.from_buffers(3, int32(0, 1, 2, 3), pa.py_buffer(b"\xff\xff\xff"))],
    ),
    "label": lambda: pa.Array.from_buffers(
        pa.list_(pa.int64()), 3, [None, int32(0, FAR, 2, 3)], children=[pa.array([1, 0, 1])]
    ),
    "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0, FAR, 1]), ["a", "b"], safe=False),
    "nulls": lambda: pa.StringArray.from_buffers(3, int32(0, 1, 2, 3), ABC, pa.py_buffer(b"\x07"), null_count=3),
}


@pytest.mark.parametrize(
    ("kind", "write"), list(zip(FORGED, cycle([write_arrow_file, write_arrow_stream]), strict=False))
)
def test_a_forged_array_is_refused(run_apart: Any, kind: str, write: Write) -> None:
    write("t.arrow", pa.table({"reference": FORGED[kind](), "prediction": FORGED[kind]()}))
    scheme = ["--label-scheme", "start"] if kind == "label" else []
    status, output, message = run_apart("t.arrow", *scheme, cwd=Path.cwd())
    assert (status, output) == (2, "")
    assert re.fullmatch(
        r"segmentation-scores: error: t\.arrow: the table can't be read \(.*\): is it damaged, or another kind of file\?\n",
        message,
    )


LONG = "the dog " * 1000
#: Columns of 32 MB of text that take some kilobytes.
REPEATED: dict[str, Callable[[], pa.Array]] = {
    "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0] * 4000), [LONG, "a"]),
    "views": lambda: pa.Array.from_buffers(
        pa.string_view(),
        4000,
        [None, int32(*[len(LONG), int.from_bytes(b"the ", "little"), 0, 0] * 4000), pa.py_buffer(LONG.encode())],
    ),
    "lists": lambda: pa.ListArray.from_arrays(pa.array(range(0, 4001, 2)), REPEATED["dictionary"]()),
}


OLD_ARROW = pytest.mark.skipif(int(pa.__version__.partition(".")[0]) < 19, reason="Arrow 18 makes no views of buffers")


@pytest.mark.parametrize("kind", ["dictionary", pytest.param("views", marks=OLD_ARROW), "lists"])
def test_texts_that_a_table_repeats_are_decoded_in_small_batches(kind: str) -> None:
    feather.write_feather(pa.table({"a": REPEATED[kind]()}), "t.arrow")
    sizes = [(batch.nbytes, batch.column(0, "a", 0).nbytes) for batch in file_source("t.arrow", ["a"]).batches()]
    assert sum(decoded for _, decoded in sizes) >= 4000 * len(LONG)
    assert all(decoded < 1.01 * size < 9e6 for size, decoded in sizes)


def test_damage_within_a_parquet_file_is_named(error: Any) -> None:
    parquet.write_table(pa.table(TEXTS), "t.parquet", compression="gzip")
    data = bytearray(Path("t.parquet").read_bytes())
    for position in range(40, len(data) // 2):
        data[position] ^= 0xA5
    Path("t.parquet").write_bytes(bytes(data))
    assert "error: t.parquet: the table can't be read (" in error("t.parquet")


@pytest.mark.parametrize("path", ["folder.parquet", "folder.arrow", "folder.jsonl"])
def test_a_folder_is_rejected_as_a_table(error: Any, path: str) -> None:
    Path(path).mkdir()
    assert f"error: {path}: " in error(path)


DEEP = "[" * 100_000 + "]" * 100_000
GOOD_LINE = '{"reference": "a b", "prediction": "ab"}'
BAD_LINES = {
    "a missing key": ('{"reference": "a b"}', r"received None; expected a string"),
    "null": ('{"reference": null, "prediction": "ab"}', r"received None; expected a string"),
    "an empty object": ("{}", r"received None; expected a string"),
    "a number": ('{"reference": 5, "prediction": "ab"}', r"the line can't be read: .*expected an object with"),
    "an object in an object": ('{"reference": {"a": 1}, "prediction": "ab"}', r"the line can't be read"),
    "a list": ('["a b", "ab"]', r"the line can't be read"),
    "a string": ('"a b"', r"the line can't be read"),
    "no JSON": ("a b", r"the line can't be read"),
    "a cut line": ('{"reference": "a b", "predic', r"the line can't be read"),
    "half of a line": ('{"reference": "a b",\n"prediction": "ab"}', r"expected one JSON object|the line can't be read"),
    "a blank line": ("", r"expected one JSON object on the line"),
    "spaces": (" \t ", r"expected one JSON object on the line"),
    "two objects": (GOOD_LINE + GOOD_LINE, r"expected one JSON object on the line"),
    "a list of lists": ('{"reference": [["a"]], "prediction": "ab"}', r"the line can't be read"),
    "a lone surrogate": ('{"reference": "a \\ud800", "prediction": "ab"}', r"the line can't be read"),
    "a NUL": ('{"reference": "a \\u0000", "prediction": "ab"}', r"there is a NUL character \(U\+0000\)"),
    "a key twice": ('{"reference": "a", "reference": "b", "prediction": "ab"}', r"the line can't be read"),
    "other units": ('{"reference": "a c", "prediction": "ab"}', r"the units differ at offset 1"),
    "a list in a column of strings": ('{"reference": ["a", "b"], "prediction": "ab"}', r"the line can't be read"),
    "deep nesting": (f'{{"reference": {DEEP}, "prediction": "ab"}}', r"the line can't be read"),
    "deep nesting beside it": (f'{{"x": {DEEP}, "reference": "a c", "prediction": "ab"}}', r""),
}


@pytest.mark.parametrize("name", BAD_LINES)
@pytest.mark.parametrize("place", [1, 19])
def test_a_bad_line_is_named(error: Any, name: str, place: int) -> None:
    bad, problem = BAD_LINES[name]
    Path("t.jsonl").write_text("\n".join([GOOD_LINE] * place + [bad] + [GOOD_LINE] * (20 - place)) + "\n")
    column = {"a missing key": "prediction", "null": "reference"}.get(name, r"\w+")
    assert re.search(rf"t\.jsonl, column {column}, line {place + 1}\b.*: {problem}", error("t.jsonl"))


@pytest.mark.parametrize(
    "name", [name for name in BAD_LINES if name not in ("half of a line", "a list in a column of strings")]
)
@pytest.mark.parametrize("places", [[0], [3, 4, 19]], ids=str)
def test_bad_lines_are_left_out_if_asked_for(run: Any, name: str, places: list[int]) -> None:
    lines = [json.dumps({"reference": f"a {number}", "prediction": f"a{number}"}) for number in range(20)]
    good = [number for number in range(20) if number not in places]
    for place in places:
        lines[place] = BAD_LINES[name][0]
    Path("t.jsonl").write_text("".join(f"{line}\n" for line in lines))
    status, output, message = run("t.jsonl", "--on-error", "skip", "--format", "json", "--counts")
    assert status == 0
    assert f"{len(places)} of 20 utterances could not be scored and were left out. The first is t.jsonl" in message
    assert re.search(rf"t\.jsonl, column \w+, line {places[0] + 1}\b", message)
    (prediction,) = json.loads(output)["predictions"]
    sides = [["a", str(number)] for number in good], [[f"a{number}"] for number in good]
    assert prediction["scores"] == naive_scores(*sides)
    counts = {key: prediction["counts"][key] for key in naive_counts(*sides)}
    assert counts == naive_counts(*sides)
    assert prediction["counts"]["left_out"] == len(places)


def test_the_error_names_bytes_that_are_not_text(error: Any) -> None:
    Path("t.jsonl").write_bytes(GOOD_LINE.encode() + b"\n" + GOOD_LINE.replace("ab", "é").encode("latin-1") + b"\n")
    assert re.search(
        r"error: t\.jsonl, column reference, line 2: the byte 0xe9 at offset \d+ is not valid UTF-8", error("t.jsonl")
    )


def test_the_error_names_strings_that_are_not_text(error: Any) -> None:
    data = [b"a", b"\xff", b"b"]
    offsets = pa.array([0, 1, 2, 3], pa.int32()).buffers()[1]
    strings = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"".join(data)))
    write_arrow_file("t.arrow", pa.table({"reference": strings, "prediction": ["a", "x", "b"]}))
    assert "error: t.arrow, column reference, row 1: the byte 0xff at offset 0 is not valid UTF-8" in error("t.arrow")


@pytest.mark.parametrize("text", ["", "\ufeff"])
def test_a_file_without_lines_is_refused(error: Any, text: str) -> None:
    Path("t.jsonl").write_text(text, encoding="utf-8")
    assert "error: t.jsonl: the file is empty; expected at least one line." in error("t.jsonl")


@pytest.mark.parametrize("options", [[], ["--on-error", "skip"]], ids=["raise", "skip"])
@pytest.mark.parametrize("first", ["", "no JSON\n", "[]\n\n{}\n"], ids=repr)
def test_a_column_that_no_line_has_is_named(error: Any, options: list[str], first: str) -> None:
    Path("t.jsonl").write_text(first + f"{GOOD_LINE}\n" * 3)
    message = error("t.jsonl", "--columns", ",predicted", *options)
    assert "error: t.jsonl: there is no column 'predicted'; the columns are reference, prediction." in message


KINDS_OF_VALUE = {
    "strings": ('"a b"', '"ab"', []),
    "lists of words": ('["a", "b"]', '["ab"]', []),
    "lists of labels": ("[1, 1]", "[1, 0]", ["--label-scheme", "start"]),
    "lists of tags": ('["B", "B"]', '["B", "I"]', ["--label-scheme", "BI"]),
}


@pytest.mark.parametrize("kind", KINDS_OF_VALUE)
@pytest.mark.parametrize("first", ['[["a"]]', "[null]", "[1.5]", "[{}]", "5", "null", '{"a": "b"}'])
def test_a_first_value_that_is_not_an_utterance_does_not_decide_the_form(
    run: Any, error: Any, kind: str, first: str
) -> None:
    reference, prediction, options = KINDS_OF_VALUE[kind]
    rows = [(first, prediction), *[(reference, prediction)] * 9]
    Path("t.jsonl").write_text("".join(f'{{"reference": {left}, "prediction": {right}}}\n' for left, right in rows))
    assert "error: t.jsonl, column reference, line 1: " in error("t.jsonl", *options)
    status, output, message = run("t.jsonl", *options, "--on-error", "skip", "--format", "json", "--scores", "token")
    assert status == 0
    assert (
        "1 of 10 utterances could not be scored and were left out. The first is t.jsonl, column reference, line 1: "
        in message
    )
    (scored,) = json.loads(output)["predictions"]
    expected = naive_scores([["a", "b"]] * 9, [["ab"]] * 9)
    assert scored["scores"] == {key: expected[key] for key in scored["scores"]}


@pytest.mark.parametrize(
    ("good", "bad", "options"),
    [
        ('"a b"', '["a", "b"]', []),
        ('["a", "b"]', '"a b"', []),
        ('["B", "I"]', '"BI"', ["--label-scheme", "BI"]),
        ('["B", "I"]', "[1, 0]", ["--label-scheme", "BI"]),
        ('["the", "I"]', "[1, 0]", []),
        ("[1, 0]", '["B", "I"]', ["--label-scheme", "start"]),
    ],
)
def test_a_line_of_another_kind_is_left_out_if_asked_for(run: Any, good: str, bad: str, options: list[str]) -> None:
    lines = [f'{{"reference": {value}, "prediction": {good}}}\n' for value in (good, good, good, bad, good)]
    Path("t.jsonl").write_text("".join(lines))
    status, _, message = run("t.jsonl", "--on-error", "skip", *options)
    assert status == 0
    assert (
        "1 of 5 utterances could not be scored and were left out. The first is t.jsonl, column reference, line 4: "
        in message
    )


HALVES = GOOD_LINE.replace(", ", ",\n")


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (f"{GOOD_LINE} {GOOD_LINE}\n\n", 1),
        (f"{GOOD_LINE} {GOOD_LINE}\n \t\n", 1),
        (f"{GOOD_LINE}\n \r\n{GOOD_LINE}{GOOD_LINE}\n", 2),
        (f"{HALVES}{GOOD_LINE}\n", 1),
        (f"{GOOD_LINE}\n{GOOD_LINE}{HALVES}\n", 2),
    ],
    ids=["blank line", "blanks", "CR", "over two lines", "at the end"],
)
def test_as_many_objects_as_lines_are_refused_unless_each_line_has_one(error: Any, lines: str, line: int) -> None:
    Path("t.jsonl").write_bytes(lines.encode())
    problem = "(expected one JSON object|the line can't be read)"
    assert re.search(rf"error: t\.jsonl, column reference, line {line}: {problem}", error("t.jsonl"))


def test_blanks_around_objects_are_read_over(run: Any) -> None:
    text = f" {GOOD_LINE}\t\r\n{GOOD_LINE} \n"
    Path("t.jsonl").write_bytes(text.encode())
    assert '"utterances": 2' in run("t.jsonl", "--format", "json", "--counts")[1]


@pytest.mark.parametrize("key", ["reference", "prediction", "x"])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("blank", [[], [""]], ids=["", "blank line"])
def test_nesting_too_deep_for_python_costs_its_line_alone(run: Any, key: str, place: int, blank: list[str]) -> None:
    deep = json.dumps({"reference": "c d", "prediction": "cd", key: "DEEP"}).replace('"DEEP"', DEEP)
    Path("t.jsonl").write_text("\n".join([GOOD_LINE] * place + [deep, GOOD_LINE, *blank, GOOD_LINE]) + "\n")
    status, output, message = run("t.jsonl", "--on-error", "skip", "--zero-division", "0", "--format", "json")
    assert status == 0
    bad = (key != "x") + len(blank)
    assert message.count("\n") == (bad > 0)
    assert not bad or f"warning: {bad} of {3 + place + len(blank)} utterances could not be scored" in message
    reference, prediction = [["a", "b"]] * (2 + place), [["ab"]] * (2 + place)
    if key == "x":
        reference, prediction = [*reference, ["c", "d"]], [*prediction, ["cd"]]
    (scored,) = json.loads(output)["predictions"]
    assert scored["scores"] == naive_scores(reference, prediction)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
@pytest.mark.parametrize("path", ["t.parquet", "t.arrow"])
@pytest.mark.parametrize("options", [[], ["--on-error", "skip"]], ids=" ".join)
def test_a_pipe_is_rejected_as_a_table(run_apart: Any, tmp_path: Path, path: str, options: list[str]) -> None:
    # Nobody writes to it: to open it would be to wait for ever.
    os.mkfifo(path)
    told = f"segmentation-scores: error: {path}: a table is opened more than once; expected a file, not a pipe.\n"
    assert run_apart(path, *options, cwd=tmp_path) == (2, "", told)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_json_lines_are_read_from_a_pipe(scores: Any) -> None:
    os.mkfifo("t.jsonl")
    write_json_lines("rows", pa.table(TEXTS))
    writer = threading.Thread(target=lambda: Path("t.jsonl").write_bytes(Path("rows").read_bytes()))
    writer.start()
    assert scores("t.jsonl") == {"prediction": EXPECTED}
    writer.join()


def test_the_first_row_that_differs_is_counted_from_0(error: Any) -> None:
    for side, rows in (("reference", ["a b", "c d", "e f"]), ("prediction", ["ab", "e f"])):
        write_parquet(f"{side}.parquet", pa.table({side: rows}))
    assert "The first that differs is row 1: " in error("reference.parquet", "prediction.parquet")


@pytest.mark.parametrize("text", ['[{"reference": "a", "prediction": "a"}]', '[\n  {\n    "reference": "a"\n  }\n]\n'])
def test_a_json_file_that_is_one_list_is_refused(error: Any, text: str) -> None:
    Path("t.json").write_text(text)
    assert re.search(r"error: t\.json, column reference, line \d: ", error("t.json"))


def test_scores_that_need_the_words_are_refused_for_labels(error: Any) -> None:
    write_parquet("t.parquet", pa.table({"reference": [[1, 0]], "prediction": [[1, 1]]}))
    Path("r.txt").write_text("a\n")
    labels = ("t.parquet", "--label-scheme", "start", "--scores")
    assert "type" in error(*labels, "type")
    told = "--vocabulary: it needs the text, which labels do not contain"
    assert told in error(*labels, "oov", "--vocabulary", "r.txt")


@pytest.mark.parametrize("labels", [[2, 0], [1], [1, 0, 1]], ids=str)
def test_bad_labels_are_named_with_the_row(error: Any, labels: list[int]) -> None:
    rows = [[1, 0], [1, 1], labels]
    write_parquet("t.parquet", pa.table({"reference": [[1, 0]] * 3, "prediction": rows}))
    assert re.search(r"error: t\.parquet, .*column prediction, row 2: ", error("t.parquet", "--label-scheme", "start"))


# The sources by themselves.


@pytest.mark.parametrize("kind", ["string", "dictionary", "list<string>"])
@pytest.mark.parametrize("groups", [1, 10])
def test_values_that_repeat_come_in_batches_of_bounded_bytes(kind: str, groups: int) -> None:
    # The file has each value once, and 30 MB are made of it.
    texts = ["ab" * 500, "b" * 1000] * 15_000
    values = [[text] for text in texts] if "list" in kind else texts
    size = len(texts) // groups
    parquet.write_table(pa.table({"text": typed(values, WORD_TYPES[kind])}), "t.parquet", row_group_size=size)
    assert Path("t.parquet").stat().st_size < 1 << 18
    rows = 0
    for batch in file_source("t.parquet", ["text"]).batches():
        rows += len(batch)
        # Of a slice the whole array that it is of.
        assert batch.raw(0).get_total_buffer_size() < 12 << 20
    assert rows == len(texts)


def test_a_first_line_of_any_length_determines_the_form(scores: Any) -> None:
    words = ["ab"] * 300_000  # 1.8 MB
    rows = [{"reference": words, "prediction": words}, {"reference": ["a", "b"], "prediction": ["ab"]}]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    expected = 2 * 300_000 / (300_002 + 300_001)
    assert scores("t.jsonl", "--scores", "token_fscore")["prediction"]["token_fscore"] == pytest.approx(expected)
