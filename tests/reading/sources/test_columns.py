"""Columns of tables have the scores of the same utterances in text, and errors name the table."""

import csv
import json
import os
import re
import shlex
import threading
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather

from segscores import score
from segscores.kernel.arrays import byte_count
from segscores.reading.sources.files import file_source

from ...command_runs import write_files
from ...corpora import FORMS, expected_scores, random_corpus_pair, word_lists, words_text
from ...files import write_arrow_file, write_arrow_stream, write_feather, write_json_lines, write_parquet
from ...misprints import misprints
from ...naive import naive_counts, naive_scores

Write = Callable[[str, Any], None]

REFERENCE, PREDICTION = random_corpus_pair(20, seed=18, max_units=9)
EXPECTED = naive_scores(REFERENCE, PREDICTION)
LISTS = {"reference": word_lists(REFERENCE), "prediction": word_lists(PREDICTION)}
TEXTS = {"reference": words_text(REFERENCE), "prediction": words_text(PREDICTION)}

WRITERS: dict[str, tuple[str, Write]] = {
    # In capitals, because the case of an ending does not matter.
    "Parquet": ("T.PQ", write_parquet),
    "Arrow file": ("t.ipc", write_arrow_file),
    "Arrow stream": ("t.arrow", write_arrow_stream),
    "Feather": ("t.feather", write_feather),
    "JSON lines": ("t.jsonl", write_json_lines),
}
#: The tables that keep Arrow's types, which JSON lines lack.
TYPED = ["Parquet", "Arrow file", "Arrow stream", "Feather"]

WORD_TYPES = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "list<string>": pa.list_(pa.string()),
    "large_list<large_string>": pa.large_list(pa.large_string()),
}


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 300)


def table_of(sides: dict[str, list[Any]], kind: pa.DataType) -> pa.Table:
    return pa.table({name: typed(values, kind) for name, values in sides.items()})


def typed(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode()
    return pa.array(values, kind)


@pytest.mark.parametrize("kind", WORD_TYPES)
@pytest.mark.parametrize("writer", TYPED)
def test_a_table_with_both_sides_scores_as_text(scores: Any, piece_bytes: int, writer: str, kind: str) -> None:
    path, write = WRITERS[writer]
    write(path, table_of(LISTS if "list" in kind else TEXTS, WORD_TYPES[kind]))
    assert scores(path) == EXPECTED


@pytest.mark.parametrize(
    ("sides", "ascii_only"), [(LISTS, True), (TEXTS, False)], ids=["lists with escapes", "text as it is"]
)
@pytest.mark.parametrize(
    "look", ["as it is", "byte-order mark", "Ctrl-Z", "CRLF", "no last newline", "spaces", "null keys"]
)
def test_json_lines_score_as_text(scores: Any, small_parts: None, sides: Any, ascii_only: bool, look: str) -> None:
    rows = [dict(zip(sides, row, strict=True)) for row in zip(*sides.values(), strict=True)]
    if look == "null keys":
        # Others' values may be of any type, and change it from line to line.
        others = ({"id": number, "x": None} if number % 2 else {"id": {"y": [1.5]}} for number in range(len(rows)))
        rows = [{**other, **row, "z": "\n"} for row, other in zip(rows, others, strict=True)]
    text = "".join(f"{json.dumps(row, ensure_ascii=ascii_only)}\n" for row in rows)
    looks = {
        "byte-order mark": "\ufeff" + text,
        "Ctrl-Z": text + "\x1a",
        "CRLF": text.replace("\n", "\r\n"),
        "no last newline": text.removesuffix("\n"),
        "spaces": text.replace("\n", " \t\n ").removesuffix(" "),
    }
    Path("t.jsonl").write_bytes(looks.get(look, text).encode())
    assert scores("t.jsonl") == EXPECTED


def test_newlines_within_a_string_are_whitespace(scores: Any) -> None:
    # Rows of which all have several lines would be doubted.
    rows = ['{"reference": "a\\nb c", "prediction": "ab\\u2028c"}', '{"reference": "d", "prediction": "d"}']
    expected = naive_scores([["a", "b", "c"], ["d"]], [["ab", "c"], ["d"]])
    assert scores({"t.jsonl": "".join(f"{row}\n" for row in rows)}) == expected


LABEL_TYPES = {
    "start": [pa.list_(pa.int64()), pa.large_list(pa.int8()), pa.list_(pa.uint8()), pa.list_(pa.bool_())],
    "end": [pa.list_(pa.int64())],
    "BI": [pa.list_(pa.string()), pa.large_list(pa.large_string())],
    "BMES": [pa.list_(pa.string())],
}


#: Each scheme in every kind of file, and the other types in one.
LABELS = [
    *((writer, scheme, kinds[0]) for scheme, kinds in LABEL_TYPES.items() for writer in WRITERS if writer != "Feather"),
    *(("Parquet", scheme, kind) for scheme, kinds in LABEL_TYPES.items() for kind in kinds[1:]),
]


@pytest.mark.parametrize(("writer", "scheme", "kind"), LABELS)
def test_labels_score_as_the_words_they_mark(
    scores: Any, piece_bytes: int, writer: str, scheme: str, kind: pa.DataType
) -> None:
    path, write = WRITERS[writer]
    form = FORMS[scheme]
    sides = {"reference": form.write(REFERENCE), "prediction": form.write(PREDICTION)}
    if pa.types.is_boolean(kind.value_type):
        sides = {name: [[bool(label) for label in labels] for labels in rows] for name, rows in sides.items()}
    write(path, table_of(sides, kind))
    assert scores(path, "--label-scheme", scheme) == expected_scores(form, EXPECTED)


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
    assert scores(path) == EXPECTED
    assert scores(path, "--columns", ",nested.reference") == EXPECTED


def test_a_dataset_saved_to_disk_is_read_as_it_is(scores: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from datasets import Dataset

    dataset = Dataset.from_dict({"id": list(range(len(REFERENCE))), **LISTS})
    for shards in (1, 3):
        dataset.save_to_disk(f"in {shards}", num_shards=shards)
        capsys.readouterr()  # its progress bars
        assert len(list(Path(f"in {shards}").glob("*.arrow"))) == shards
        assert scores(f"in {shards}/data-*.arrow") == EXPECTED


def test_rows_are_numbered_from_0_and_lines_from_1(run: Any) -> None:
    write_parquet("t.parquet", pa.table(TEXTS))
    write_json_lines("t.jsonl", pa.table(TEXTS))
    alone = zip(REFERENCE, PREDICTION, strict=True)
    expected = [naive_scores([left], [right])["token_fscore"] for left, right in alone]
    for path, noun, first in (("t.parquet", "row", 0), ("t.jsonl", "line", 1)):
        status, _, message = run(path, "--per-utterance", "out.csv", "--scores", "token", "--zero-division", "0")
        assert (status, message) == (0, "")
        with Path("out.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [int(row[noun]) for row in rows] == list(range(first, first + len(REFERENCE)))
        assert {row["prediction"] for row in rows} == {"prediction"}
        assert [float(row["token_fscore"]) for row in rows] == expected


def int32(*values: int) -> pa.Buffer:
    return pa.array(values, pa.int32()).buffers()[1]


THREE_WORDS = pa.array([["a"], ["b"], ["c"]])
BROKEN_WORDS = pa.ListArray.from_arrays(
    THREE_WORDS.offsets, pa.StringArray.from_buffers(3, int32(0, 1, 2, 3), pa.py_buffer(b"a\xffc"))
)
OTHERS = {"b": ["x"], "狗": ["x"], "\x1b[31mred": ["x"]}
COLUMNS = r"; the columns are b, 狗, \\x1b\[31mred\. Name the column with --columns REFERENCE,PREDICTION\."
TYPE = r"received an Arrow array of type .*expected a string, a list of words, or a list of labels"
#: Tables, options, and what is said behind the name of the file.
BAD_TABLES: dict[str, tuple[pa.Table, list[str], str]] = {
    "no reference": (pa.table(OTHERS), [], f": there is no column 'reference'{COLUMNS}"),
    "no prediction": (pa.table(OTHERS), ["--columns", "b"], f": there is no column 'prediction'{COLUMNS}"),
    "a control in a name": (pa.table(OTHERS), ["--columns", "x\ny"], rf": there is no column 'x\\ny'{COLUMNS}"),
    "bytes that are no text": (
        pa.table({"reference": pa.StringArray.from_buffers(3, int32(0, 1, 2, 3), pa.py_buffer(b"a\xffb")),
                  "prediction": ["a", "x", "b"]}),
        [], ", column reference, row 1: the byte 0xff at offset 0 is not valid UTF-8",
    ),
    **{
        f"words of {side} that are no text": (
            pa.table({"reference": THREE_WORDS, "prediction": THREE_WORDS} | {side: BROKEN_WORDS}),
            [], ", row 0: the data are damaged from here on: ",
        )
        for side in ("reference", "prediction")
    },
    **{
        f"{side} twice": (
            pa.table([["a"], ["a"], ["b"]], names=["reference", "prediction", side]), [],
            f": there are 2 columns '{side}'; expected one\\.",
        )
        for side in ("reference", "prediction")
    },
    "no row": (pa.table(TEXTS).slice(0, 0), [], ".*: the file has no row; expected at least one\\."),
    **{
        f"{values.type} as {side}": (
            pa.table({"reference": ["a", "b"], "prediction": ["a", "b"]} | {side: values}), [], f", column {side}: {TYPE}"
        )
        for side in ("reference", "prediction")
        for values in (
            *(pa.array([1, 2]), pa.array([1.5, 2.5]), pa.array([b"a", b"b"]), pa.array([{"x": "a"}, {"x": "b"}])),
            *(pa.array([["a"], ["b"]], pa.list_(pa.binary())), pa.array([[[["a"]]], [[["b"]]]]), pa.array([[1.5], [2.5]])),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("writer", TYPED)
@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_bad_table_is_refused(error: Any, writer: str, name: str) -> None:
    path, write = WRITERS[writer]
    table, options, problem = BAD_TABLES[name]
    write(path, table)
    assert re.search(f"error: {path}{problem}", error(path, *options))


def nulls(row: int, count: int = 20) -> dict[str, tuple[pa.Array, str]]:
    """Columns of `a b` with a null in a row, most of them in none of the places that say so, and what is said of it."""
    places = [int(place == row) for place in range(count)]
    texts = pa.array([None if place else "a b" for place in places])
    lists = pa.array([None if place else ["a", "b"] for place in places])
    within = [["a", None if place else "b"] for place in places]
    indices = [index for place in places for index in (0, 1 + place)]
    words = pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(["a", "b", None]))
    return {
        "string": (texts, "received None"),
        "list": (lists, "received None"),
        "within a list": (pa.array(within), "received a list with None in it"),
        "a dictionary": (pa.DictionaryArray.from_arrays(pa.array(places), pa.array(["a b", None])), "received None"),
        "within a list of one length": (pa.array(within, pa.list_(pa.string(), 2)), "received a list with None in it"),
        "lists of a dictionary": (
            pa.ListArray.from_arrays(pa.array(range(0, 2 * count + 1, 2), pa.int32()), words),
            "received a list with None in it",
        ),
    }


PLAIN_NULLS = ("string", "list", "within a list")
NULLS = [
    *((writer, kind) for writer in ("Arrow file", "Arrow stream") for kind in nulls(0)),
    *((writer, kind) for writer in ("Parquet", "Feather") for kind in PLAIN_NULLS),
    ("JSON lines", "within a list"),
]


@pytest.mark.parametrize(("writer", "kind"), NULLS)
@pytest.mark.parametrize(
    ("at", "piece_bytes"), [(("reference", 0), 1 << 20), (("prediction", 17), 80)], indirect=["piece_bytes"]
)
@pytest.mark.usefixtures("piece_bytes")
def test_a_null_is_named_with_its_row_and_left_out_if_asked_for(
    error: Any, skipping: Any, writer: str, kind: str, at: tuple[str, int]
) -> None:
    side, row = at
    path, write = WRITERS[writer]
    column, problem = nulls(row)[kind]
    other = pa.array(["ab"] * 20 if kind in ("string", "a dictionary") else [["ab"]] * 20)
    write(path, pa.table({side: column, ({"reference", "prediction"} - {side}).pop(): other}))
    place = f"line {row + 1}" if path == "t.jsonl" else f"row {row}"
    said = f"{path}, column {side}, {place}: {problem}"
    assert f"error: {said}" in error(path)
    found, message = skipping(path)
    assert f"1 of 20 utterances could not be scored and were left out. The first is {said}" in message
    sides = {"reference": [["ab"]] * 19, "prediction": [["ab"]] * 19} | {side: [["a", "b"]] * 19}
    assert found["scores"] == naive_scores(sides["reference"], sides["prediction"])
    assert found["counts"]["skipped_utterances"] == 1


@pytest.mark.parametrize("writer", TYPED)
def test_a_damaged_table_is_named(error: Any, writer: str) -> None:
    path, write = WRITERS[writer]
    write(path, pa.table(TEXTS))
    data = Path(path).read_bytes()
    for damaged in (data[: len(data) // 2], data[9:], b"", b"a b\n" * 9):
        message = error({path: damaged})
        assert f"error: {path}: the table can't be read (" in message
        assert "is it damaged, or another kind of file?" in message


DATA = Path(__file__).parents[2] / "data"
FAR = 1 << 30
ABC = pa.py_buffer(b"abc" * 100)
#: Arrays of three rows that read outside of their buffers, or have fewer nulls than they say.
FORGED: dict[str, Callable[[], pa.Array]] = {
    "string": lambda: pa.StringArray.from_buffers(3, int32(0, FAR, 2, 3), ABC),
    "negative string": lambda: pa.StringArray.from_buffers(3, int32(0, -FAR, 2, 3), ABC),
    "list": lambda: pa.Array.from_buffers(pa.list_(pa.string()), 3, [None, int32(0, FAR, 2, 3)],
        children=[pa.array(["a", "b", "c"])]),
    "list of bytes that are not UTF-8": lambda: pa.Array.from_buffers(pa.list_(pa.string()), 3, [None, int32(0, FAR, 2, 3)],
        children=[pa.StringArray.from_buffers(3, int32(0, 1, 2, 3), pa.py_buffer(b"\xff\xff\xff"))]),
    "label": lambda: pa.Array.from_buffers(pa.list_(pa.int64()), 3, [None, int32(0, FAR, 2, 3)],
        children=[pa.array([1, 0, 1])]),
    "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0, FAR, 1]), ["a", "b"], safe=False),
    "nulls": lambda: pa.StringArray.from_buffers(3, int32(0, 1, 2, 3), ABC, pa.py_buffer(b"\x07"), null_count=3),
}  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_tables_that_may_crash_or_hang_are_refused(errors_apart: Any) -> None:
    """Forged arrays, damaged metadata, and pipes to which nobody writes: to open one would be to wait for ever."""
    told = r"the table can't be read \(.*\): is it damaged, or another kind of file\?"
    Path("r.txt").write_text("a\nb\nc\n")
    Path("p.parquet").write_bytes((DATA / "wrong_histogram.parquet").read_bytes())
    runs = [(["r.txt", "p.parquet"], f"p.parquet: {told}")]
    for kind, write in zip(FORGED, cycle([write_arrow_file, write_arrow_stream]), strict=False):
        path = f"{kind}.arrow"
        write(path, pa.table({"reference": FORGED[kind](), "prediction": FORGED[kind]()}))
        runs.append(([path, *(["--label-scheme", "start"] if kind == "label" else [])], f"{path}: {told}"))
    for path in ("pipe.parquet", "pipe.arrow"):
        os.mkfifo(path)
        told_of_pipes = f"{path}: a table is opened more than once; expected a file, not a pipe\\."
        runs += [([path, *options], told_of_pipes) for options in ([], ["--on-error", "skip"])]
    for (line, problem), message in zip(runs, errors_apart(*(line for line, _ in runs)), strict=True):
        assert re.fullmatch(f"segscores: error: {problem}\n", message), line


LONG = "the dog " * 1000
#: Columns of 32 MB of text that take some kilobytes.
REPEATED: dict[str, Callable[[], pa.Array]] = {
    "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0] * 4000), [LONG, "a"]),
    "views": lambda: pa.Array.from_buffers(pa.string_view(), 4000,
        [None, int32(*[len(LONG), int.from_bytes(b"the ", "little"), 0, 0] * 4000), pa.py_buffer(LONG.encode())]),
    "lists": lambda: pa.ListArray.from_arrays(pa.array(range(0, 4001, 2)), REPEATED["dictionary"]()),
}  # fmt: skip
OLD_ARROW = pytest.mark.skipif(
    int(pa.__version__.partition(".")[0]) < 19,
    reason="Arrow 18 neither makes views of buffers nor writes them to Parquet",
)


@pytest.mark.parametrize(
    "text",
    [pa.string(), pa.dictionary(pa.int32(), pa.string()), pytest.param(pa.string_view(), marks=OLD_ARROW)],
    ids=str,
)
def test_a_file_of_parquet_without_rows_says_so(text: pa.DataType, in_folder: Path) -> None:
    empty = pa.table({name: pa.array([], pa.list_(text)) for name in ("reference", "prediction")})
    write_parquet("t.parquet", empty)
    with pytest.raises(ValueError, match=r"t\.parquet: the file has no row"):
        score(Path("t.parquet"), Path("t.parquet"))


@pytest.mark.parametrize("kind", ["dictionary", pytest.param("views", marks=OLD_ARROW), "lists"])
def test_texts_that_a_table_repeats_are_decoded_in_small_batches(kind: str) -> None:
    feather.write_feather(pa.table({"a": REPEATED[kind]()}), "t.arrow")
    sizes = [(batch.nbytes, batch.decode(0, "a", 0).nbytes) for batch in file_source("t.arrow", ["a"]).batches()]
    assert sum(decoded for _, decoded in sizes) >= 4000 * len(LONG)
    assert all(decoded < 1.01 * size < 9e6 for size, decoded in sizes)


@OLD_ARROW
def test_what_a_view_holds_under_null_has_no_size() -> None:
    views = [1, ord("a"), 0, 0, 10**9, 0, 0, 0]
    is_valid = pa.py_buffer(b"\x01")  # the first of two
    assert byte_count(pa.Array.from_buffers(pa.string_view(), 2, [is_valid, int32(*views)])) == 1


DEEP = "[" * 100_000 + "]" * 100_000
GOOD_LINE = '{"reference": "a b", "prediction": "ab"}'
BAD_LINES = {
    "a missing key": ('{"reference": "a b"}', r"received None; expected a string"),
    "null": ('{"reference": null, "prediction": "ab"}', r"received None; expected a string"),
    "a null": ("null", r"expected one JSON object on the line"),
    "a null in blanks": (" \t null\r", r"expected one JSON object on the line"),
    "an object and a null": (f"{GOOD_LINE} null {GOOD_LINE}", r"expected one JSON object on the line"),
    "a number": ('{"reference": 5, "prediction": "ab"}', r"the line can't be read: .*expected an object with"),
    "an object in an object": ('{"reference": {"a": 1}, "prediction": "ab"}', r"the line can't be read"),
    "a list": ('["a b", "ab"]', r"the line can't be read"),
    "no JSON": ("a b", r"the line can't be read"),
    "a cut line": ('{"reference": "a b", "predic', r"the line can't be read"),
    "half of a line": ('{"reference": "a b",\n"prediction": "ab"}', r"expected one JSON object|the line can't be read"),
    "a blank line": ("", r"expected one JSON object on the line"),
    "two objects": (GOOD_LINE + GOOD_LINE, r"expected one JSON object on the line"),
    "a NUL": ('{"reference": "a \\u0000", "prediction": "ab"}', r"there is a NUL character \(U\+0000\)"),
    "a key twice": ('{"reference": "a", "reference": "b", "prediction": "ab"}', r"the line can't be read"),
    "other units": ('{"reference": "a c", "prediction": "ab"}', r"the units differ at offset 1"),
    "a list in a column of strings": ('{"reference": ["a", "b"], "prediction": "ab"}', r"the line can't be read"),
    "deep nesting": (f'{{"reference": {DEEP}, "prediction": "ab"}}', r"the line can't be read"),
}


#: Lines that are of two, or of another kind than the first one would say.
NAMED_ALONE = ("half of a line", "a list in a column of strings")


@pytest.mark.parametrize("name", BAD_LINES)
@pytest.mark.parametrize("places", [[0], [3, 4, 19]], ids=str)
def test_a_bad_line_is_named_and_left_out_if_asked_for(error: Any, skipping: Any, name: str, places: list[int]) -> None:
    bad, problem = BAD_LINES[name]
    lines = [json.dumps({"reference": f"a {number}", "prediction": f"a{number}"}) for number in range(20)]
    for place in places:
        lines[place] = bad
    column = {"a missing key": "prediction", "null": "reference"}.get(name, r"\w+")
    place = rf"t\.jsonl, column {column}, line {places[0] + 1}\b"
    if places[0]:  # the first line says what is in a column
        assert re.search(f"{place}.*: {problem}", error({"t.jsonl": lines}))
    if name in NAMED_ALONE:
        return
    found, message = skipping({"t.jsonl": lines})
    assert re.search(
        f"{len(places)} of 20 utterances could not be scored and were left out. The first is .*{place}", message
    )
    good = [number for number in range(20) if number not in places]
    sides = [["a", str(number)] for number in good], [[f"a{number}"] for number in good]
    assert found["scores"] == naive_scores(*sides)
    assert {key: found["counts"][key] for key in naive_counts(*sides)} == naive_counts(*sides)
    assert found["counts"]["skipped_utterances"] == len(places)


NO_LINES = r"t\.jsonl: the file has no line; expected at least one\."
LATIN = GOOD_LINE.replace("ab", "é").encode("latin-1")
HALVES = GOOD_LINE.replace(", ", ",\n")
TWO = f"{GOOD_LINE} {GOOD_LINE}"
NO_OBJECT = "(expected one JSON object|the line can't be read)"
#: JSON lines, options, and what is said.
BAD_JSON: dict[str, tuple[str | bytes, list[str], str]] = {
    "no line": ("", [], NO_LINES),
    "a mark alone": ("\ufeff", [], NO_LINES),
    "bytes that are no text": (GOOD_LINE.encode() + b"\n" + LATIN + b"\n", [],
        r"t\.jsonl, column reference, line 2: the byte 0xe9 at offset \d+ is not valid UTF-8"),
    "a list of objects": ('[{"reference": "a", "prediction": "a"}]', [], r"t\.jsonl: this is a list of JSON .*convert"),
    "a list on lines": ('[\n  {\n    "reference": "a"\n  }\n]\n', [], r"t\.jsonl: this is a list of JSON .*convert"),
    "a value of another type in the second column": (f'{GOOD_LINE}\n{{"reference": "a b", "prediction": 5}}\n', [],
        r"t\.jsonl, column prediction, line 2: .*; expected an object with a string, .* under 'prediction'\."),
    # As many objects as lines, but not one on each.
    "two and a blank line": (f"{TWO}\n\n", [], f", column reference, line 1: {NO_OBJECT}"),
    "two and blanks": (f"{TWO}\n \t\n", [], f", column reference, line 1: {NO_OBJECT}"),
    "two behind CR": (f"{GOOD_LINE}\n \r\n{GOOD_LINE}{GOOD_LINE}\n", [], f", column reference, line 2: {NO_OBJECT}"),
    "one over two lines": (f"{HALVES}{GOOD_LINE}\n", [], f", column reference, line 1: {NO_OBJECT}"),
    "one over the last lines": (f"{GOOD_LINE}\n{GOOD_LINE}{HALVES}\n", [], f", column reference, line 2: {NO_OBJECT}"),
    **{
        f"a column that no line has, {first!r} {' '.join(options)}": (
            first + f"{GOOD_LINE}\n" * 3, ["--columns", ",predicted", *options],
            r"t\.jsonl: there is no column 'predicted'; the columns are reference, prediction\."
        )
        for first in ("", "no JSON\n", "[]\n\n{}\n")
        for options in ([], ["--on-error", "skip"])
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_JSON)
def test_bad_json_lines_are_refused(error: Any, name: str) -> None:
    text, options, problem = BAD_JSON[name]
    assert re.search(f"error: .*{problem}", error({"t.jsonl": text}, *options))
    assert misprints(shlex.join(["score", "t.jsonl", *options])) == []


def test_an_option_is_tried_although_a_later_line_cannot_be_read(in_folder: Path) -> None:
    write_files({"t.jsonl": [GOOD_LINE, "null"]})
    with pytest.raises(ValueError, match=r't\.jsonl, .* line 1: the units differ .*did you mean text_format="words"\?'):
        score(in_folder / "t.jsonl", in_folder / "t.jsonl", scores="token")


@pytest.mark.parametrize("arguments", ["t.csv --columns ,predicted", "t.PQ --columns ,predicted", "x.csv x.csv"])
def test_messages_on_a_column_that_is_missing_read_well_on_every_surface(in_folder: Path, arguments: str) -> None:
    write_files({"t.csv": "reference,prediction\na b,a b\n", "x.csv": "x,y\na b,a b\n"})
    write_parquet("t.PQ", pa.table({"reference": ["a b"], "prediction": ["a b"]}))
    assert misprints(f"score {arguments}") == []


KINDS_OF_VALUE = {
    "strings": ('"a b"', '"ab"', []),
    "lists of words": ('["a", "b"]', '["ab"]', []),
    "lists of labels": ("[1, 1]", "[1, 0]", ["--label-scheme", "start"]),
    "lists of tags": ('["B", "B"]', '["B", "I"]', ["--label-scheme", "BI"]),
}


@pytest.mark.parametrize("kind", KINDS_OF_VALUE)
@pytest.mark.parametrize("first", ['[["a"]]', "[null]", "[1.5]", "[{}]", "5", "null", '{"a": "b"}'])
def test_a_first_value_that_is_not_an_utterance_does_not_decide_the_form(
    error: Any, skipping: Any, kind: str, first: str
) -> None:
    reference, prediction, options = KINDS_OF_VALUE[kind]
    lines = [f'{{"reference": {left}, "prediction": {prediction}}}' for left in (first, *[reference] * 9)]
    assert "error: t.jsonl, column reference, line 1: " in error({"t.jsonl": lines}, *options)
    found, message = skipping("t.jsonl", *options, "--scores", "token")
    assert "1 of 10 utterances could not be scored and were left out. The first is t.jsonl, column ref" in message
    expected = naive_scores([["a", "b"]] * 9, [["ab"]] * 9)
    assert found["scores"] == {key: expected[key] for key in found["scores"]}


@pytest.mark.parametrize("before", [[], [GOOD_LINE]], ids=["first", "second"])
@pytest.mark.parametrize("blank", [[], [""]], ids=["", "blank line"])
def test_nesting_too_deep_for_python_in_another_column_costs_nothing(
    skipping: Any, before: list[str], blank: list[str]
) -> None:
    deep = f'{{"reference": "c d", "prediction": "cd", "x": {DEEP}}}'
    found, _ = skipping({"t.jsonl": [*before, deep, GOOD_LINE, *blank]}, "--zero-division", "0")
    assert found["counts"]["skipped_utterances"] == len(blank)
    count = len(before) + 1
    assert found["scores"] == naive_scores([["a", "b"]] * count + [["c", "d"]], [["ab"]] * count + [["cd"]])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_json_lines_are_read_from_a_pipe(scores: Any) -> None:
    os.mkfifo("t.jsonl")
    write_json_lines("rows", pa.table(TEXTS))
    writer = threading.Thread(target=lambda: Path("t.jsonl").write_bytes(Path("rows").read_bytes()))
    writer.start()
    assert scores("t.jsonl") == EXPECTED
    writer.join()


def test_a_first_line_of_any_length_determines_the_form(scores: Any) -> None:
    words = ["ab"] * 300_000  # 1.8 MB
    write_json_lines("t.jsonl", pa.table({"reference": [words, ["a", "b"]], "prediction": [words, ["ab"]]}))
    expected = 2 * 300_000 / (300_002 + 300_001)
    assert scores("t.jsonl", "--scores", "token_fscore") == {"token_fscore": pytest.approx(expected)}
