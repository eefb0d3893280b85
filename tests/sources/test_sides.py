"""Every subcommand that compares files reads the same inputs as `score`: packed files, tables and patterns of files."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscores.command.main import main

from ..files import (
    ENDINGS,
    PACK,
    WRITERS,
    write_arrow_file,
    write_arrow_stream,
    write_json_lines,
    write_parquet,
    write_text,
)
from ..naive import bmes_tags, random_corpus_pair, start_labels, word_lists, words_text

REFERENCE, A = random_corpus_pair(40, seed=8, units="abc")
SYSTEMS = {
    "a": A,
    "b": [[tuple(unit for word in words for unit in word)] if words else [] for words in REFERENCE],
    "c": [[(unit,) for word in words for unit in word] for words in REFERENCE],
}
CORPORA = {"reference": REFERENCE, **SYSTEMS}
COMMANDS = ("compare", "errors", "report", "curve", "halves", "difficulty")

Write = Callable[[str, pa.Table], None]


@dataclass(frozen=True)
class Given:
    """What a subcommand is given; names are the files of the systems, or the columns."""

    reference: str
    names: dict[str, str]
    are_columns: bool = False


def write_sides(
    kind: str, write: Write, bounds: Sequence[int] = (0, 40), corpora: Any = CORPORA, as_rows: Any = words_text
) -> Given:
    """Write each side to a file of its own, or to a folder of files; columns have the names that are the default."""
    names = {}
    for side, corpus in corpora.items():
        column = "reference" if side == "reference" else "prediction"
        # Of files without rows, which are read as well, the type says what they would have.
        rows = pa.array(as_rows(corpus))
        pieces = list(pairwise(bounds))
        Path(side).mkdir()
        for number, (start, stop) in enumerate(pieces):
            write(f"{side}/{number}{kind}", pa.table({column: rows.slice(start, stop - start)}))
        names[side] = f"{side}/0{kind}" if len(pieces) == 1 else f"{side}/*"
    return Given(names.pop("reference"), names)


def write_table(kind: str, write: Write, bounds: Sequence[int] = (0, 40), as_rows: Any = words_text) -> Given:
    """Write all sides to a table, or to a folder of tables."""
    table = pa.table({"gold" if side == "reference" else side: as_rows(corpus) for side, corpus in CORPORA.items()})
    Path("all").mkdir()
    pieces = list(pairwise(bounds))
    for number, (start, stop) in enumerate(pieces):
        write(f"all/{number}{kind}", table.slice(start, stop - start))
    reference = f"all/0{kind}" if len(pieces) == 1 else "all/*"
    return Given(reference, {side: side for side in SYSTEMS}, are_columns=True)


def mixed_kinds() -> Given:
    """Files of one pattern that are text and tables, paired with tables and text."""
    writers = [(".txt", write_text), (".parquet", write_parquet), (".jsonl", write_json_lines)]
    for shift, (side, corpus) in enumerate(CORPORA.items()):
        Path(side).mkdir()
        column = "reference" if side == "reference" else "prediction"
        for number, (start, stop) in enumerate(pairwise((0, 9, 26, 40))):
            kind, write = writers[(number + shift) % 3]
            write(f"{side}/{number}{kind}", pa.table({column: words_text(corpus[start:stop])}))
    return Given("reference/*", {side: f"{side}/*" for side in SYSTEMS})


def pattern_of_one_side() -> Given:
    """A reference in one file, and predictions in several."""
    given = write_sides(".txt", write_text, (0, 7, 7, 40))
    write_text("reference.txt", pa.table({"reference": words_text(REFERENCE)}))
    return Given("reference.txt", given.names)


BOUNDS = (0, 15, 15, 40)

INPUTS: dict[str, Callable[[], Given]] = {
    "text": lambda: write_sides(".txt", write_text),
    "Parquet": lambda: write_sides(".parquet", write_parquet),
    "Parquet with lists": lambda: write_sides(".parquet", write_parquet, as_rows=word_lists),
    "Arrow stream": lambda: write_sides(".arrow", write_arrow_stream),
    "a Parquet table": lambda: write_table(".parquet", write_parquet),
    "an Arrow table with lists": lambda: write_table(".arrow", write_arrow_file, as_rows=word_lists),
    "a table of JSON lines": lambda: write_table(".jsonl", write_json_lines),
    "a pattern of text": lambda: write_sides(".txt", write_text, BOUNDS),
    "a pattern of Parquet": lambda: write_sides(".parquet", write_parquet, BOUNDS),
    "a pattern of tables": lambda: write_table(".parquet", write_parquet, BOUNDS),
    "a pattern of tables of JSON lines": lambda: write_table(".jsonl", write_json_lines, BOUNDS),
    "a pattern of several kinds": mixed_kinds,
    "a pattern on one side": pattern_of_one_side,
}


def arguments_of(command: str, given: Given) -> list[str]:
    """The command line that has the reference and the systems of the subcommand."""
    chosen = {"errors": "a", "report": "ab"}.get(command, "abc")
    names = [given.names[system] for system in chosen]
    own = ["--columns", "gold"] if given.are_columns else []
    if command == "difficulty":
        *committee, scored = names
        if given.are_columns:
            ratings = ["--committee", *flagged("--committee-column", committee), "--score"]
            own = ["--columns", f"gold,{scored}"]
        else:
            ratings = ["--committee", *committee, "--score", scored]
        return [command, given.reference, *own, *ratings, "-o", "ratings.jsonl"]
    if command == "curve":
        names = [f"{number}={name}" for number, name in enumerate(names)]
    sides = ["--columns", ",".join(["gold", *names])] if given.are_columns else names
    further = {
        "compare": ["--scores", "token,type,windows"],
        "errors": ["--top", "9"],
        "report": ["-o", "page.html"],
        "halves": ["--resamples", "5"],
    }
    return [command, given.reference, *sides, *further.get(command, [])]


def flagged(option: str, values: Sequence[str]) -> list[str]:
    return [argument for value in values for argument in (option, value)]


def run(*arguments: str, warning: str = "") -> str:
    """What a subcommand prints; it warns of nothing but `warning`, and undefined scores of a text without inner boundaries."""
    status, output, message = called(*arguments)
    said = re.sub(r"segmentation-scores: warning: undefined \(0/0\)[^\n]*\n", "", message)
    assert (status, said) == (0, warning and f"segmentation-scores: warning: {warning}\n")
    return output


def error(*arguments: str) -> str:
    """What a subcommand says that must fail."""
    status, output, message = called(*arguments)
    assert (status, output) == (2, "")
    assert re.fullmatch("segmentation-scores: error: [^\n]+\n", message), message
    return message


def called(*arguments: str) -> tuple[int, str, str]:
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as messages:
        status = main(arguments)
    return status, output.getvalue(), messages.getvalue()


def found_by(command: str, given: Given) -> Any:
    """All that a subcommand finds, without what the files and columns are called."""
    arguments = arguments_of(command, given)
    if command == "report":
        run(*arguments)
        return read_page()
    found = json.loads(run(*arguments, "--format", "json"))
    ratings = Path("ratings.jsonl").read_text() if command == "difficulty" else ""
    called = {given.reference: "reference"} | {name: system for system, name in given.names.items()}
    return renamed(found, called), ratings


def read_page() -> tuple[list[Any], list[str]]:
    """The utterances that a report shows, without their numbers, and all numbers of its tables."""
    page = Path("page.html").read_text(encoding="utf-8")
    data = [
        json.loads(text) for text in re.findall(r'<script type="application/json" id="data-\d">(.*?)</script>', page)
    ]
    return [row[1:4] for each in data for row in each["rows"]], re.findall(r'<td class="number[^"]*">([^<]*)<', page)


def renamed(value: Any, called: dict[str, str]) -> Any:
    if isinstance(value, dict):
        # Paths and places are those of the files, which are another test's.
        return {
            called.get(key, key): renamed(item, called) for key, item in value.items() if key not in ("path", "place")
        }
    if isinstance(value, list):
        return [renamed(item, called) for item in value]
    if isinstance(value, str) and value.startswith("segscores|"):
        return value.replace("|text:lists|", "|text:words|")
    return called.get(value, value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def found_in_text(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each subcommand finds in text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("text"))
        given = INPUTS["text"]()
        return {command: found_by(command, given) for command in COMMANDS}


@pytest.mark.parametrize("name", INPUTS)
def test_a_corpus_has_the_same_numbers_whatever_it_is_read_from(
    found_in_text: dict[str, Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", 100)
    given = INPUTS[name]()
    for command in COMMANDS:
        assert found_by(command, given) == found_in_text[command], command


def test_errors_of_labels_are_counted_by_class() -> None:
    given = write_table(".parquet", write_parquet, as_rows=start_labels)
    table = run(*arguments_of("errors", given), "--label-scheme", "start")
    assert table.startswith("class")
    assert "signature: segscores|text:start|" in table


# Where utterances stand.

PLACED = {"reference": [["a", "b"], ["c", "d"], ["e", "f"], ["a", "b"]], "a": [["a", "b"], ["cd"], ["e", "f"], ["ab"]]}


@pytest.mark.parametrize(
    ("kind", "bounds", "places"),
    [
        (".txt", (0, 4), ["line 2", "line 4"]),
        (".parquet", (0, 4), ["row 1", "row 3"]),
        (".arrow", (0, 4), ["row 1", "row 3"]),
        (".jsonl", (0, 4), ["line 2", "line 4"]),
        (".txt", (0, 2, 4), ["reference/0.txt, line 2", "reference/1.txt, line 2"]),
        (".txt", (0, 1, 1, 4), ["reference/2.txt, line 1", "reference/2.txt, line 3"]),
        (".parquet", (0, 3, 4), ["reference/0.parquet, row 1", "reference/1.parquet, row 0"]),
        (".jsonl", (0, 2, 4), ["reference/0.jsonl, line 2", "reference/1.jsonl, line 2"]),
    ],
)
@pytest.mark.parametrize("predictions", ["as many files", "one file"])
@pytest.mark.usefixtures("part_bytes")
def test_places_are_those_of_the_files(kind: str, bounds: tuple[int, ...], places: list[str], predictions: str) -> None:
    given = write_sides(kind, WRITERS[kind], bounds, PLACED)
    other = given.names["a"]
    if predictions == "one file":
        other = "other.txt"
        write_text(other, pa.table({"prediction": words_text(PLACED["a"])}))
    table = run("errors", given.reference, other, "--table", "errors")
    assert [re.split(r" {2,}", line.strip())[-1] for line in table.splitlines()[2:4]] == [
        f"{places[1]}: [a b]",
        f"{places[0]}: [c d]",
    ]
    found = json.loads(run("errors", given.reference, other, "--format", "json"))
    examples = [example for each in found["errors"] for example in each["examples"]]
    assert [(example["utterance"], example["place"]) for example in examples] == [(3, places[1]), (1, places[0])]
    few = "4 utterances: intervals from fewer than 12 contain the true score less often than their level says."
    run("report", given.reference, other, "-o", "page.html", warning=few)
    page = Path("page.html").read_text(encoding="utf-8")
    assert re.findall(r"data-go=\"\d+\">([^<]*)</a>", page) == [places[1], places[0]]
    (data,) = re.findall(r'<script type="application/json" id="data-1">(.*?)</script>', page)
    shown = json.loads(data)
    worst = shown["rows"][:2]
    if len(bounds) > 2:
        assert (shown["noun"], shown["first"]) == ("utterance", 1)
        assert [(row[0], row[4]) for row in worst] == [(2, places[0]), (4, places[1])]
        assert f"<small>{places[0]}; token_fscore 0.00; " in page
    else:
        assert [(f"{shown['noun']} {row[0]}", len(row)) for row in worst] == [(place, 4) for place in places]
    first = shown["first"]
    assert f'min="{first}" max="{first + 3}"' in page


def test_a_report_on_columns_names_them() -> None:
    given = write_table(".parquet", write_parquet)
    run(*arguments_of("report", given))
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>a, b against 0.parquet – segmentation report</title>" in page
    assert "<bdi class=text>all/0.parquet, column a</bdi>" in page


@pytest.mark.parametrize("command", ["score", "compare", "errors", "report", "curve", "halves"])
def test_options_may_stand_between_the_reference_and_the_predictions(command: str) -> None:
    given = INPUTS["text"]()
    names = list(given.names.values())
    predictions = {"errors": names[:1], "curve": [f"{size}={name}" for size, name in enumerate(names)]}.get(
        command, names
    )
    options = ["--zero-division", "0.5", *(["-o", "page.html"] if command == "report" else [])]
    assert run(command, given.reference, *options, *predictions)


# What is refused.


def write_pair(kind: str, reference: Sequence[Sequence[str]], prediction: Sequence[Sequence[str]]) -> Given:
    """Files of texts, on each side one or several, the same prediction for every system."""
    for side, files in (("r", reference), ("p", prediction)):
        Path(side).mkdir()
        for number, rows in enumerate(files):
            column = "reference" if side == "r" else "prediction"
            WRITERS[kind](f"{side}/{number}{kind}", pa.table({column: pa.array(rows, pa.string())}))
    names = {}
    for system in SYSTEMS:
        # Each has a name of its own.
        Path(system).symlink_to("p")
        names[system] = f"{system}/*" if len(prediction) > 1 else f"{system}/0{kind}"
    return Given("r/*" if len(reference) > 1 else f"r/0{kind}", names)


def in_files(rows: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """Rows in so many files of these sizes."""
    return [list(rows[stop - size : stop]) for size, stop in zip(sizes, accumulate(sizes), strict=True)]


@pytest.mark.parametrize("command", ["score", "compare", "errors", "curve", "difficulty"])
@pytest.mark.parametrize(
    ("kind", "noun", "named"),
    [(".txt", "line", ""), (".parquet", "row", ", column {}"), (".jsonl", "line", ", column {}")],
)
def test_a_file_that_lacks_an_utterance_is_named(command: str, kind: str, noun: str, named: str) -> None:
    # Both sides have as many in all, and the same ones.
    given = write_pair(kind, [["a b"], ["c d", "e f"], ["g"]], [["ab"], ["cd"], ["e f", "g"]])
    left, right = named.format("reference"), named.format("prediction")
    told = f"error: r/1{kind}{left} has 2 {noun}s and a/1{kind}{right} has 1 {noun}: expected equal numbers"
    assert told in error(*arguments_of(command, given))


@pytest.mark.parametrize("command", ["score", "compare", "errors", "curve", "difficulty"])
@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            [["ab"], ["e f"]],
            "r/* has 3 lines and a/* has 2 lines: expected equal numbers. Blank lines count too, also at the end. "
            "The first that differs is r/1.txt, line 1 and a/1.txt, line 1: the units differ at offset 0 ",
        ),
        ([["ab"], ["cd"]], "r/* has 3 lines and a/* has 2 lines: expected equal numbers."),
        ([["ab", "cd", "ef"], ["g"]], "r/* has 3 lines and a/* has 4 lines: expected equal numbers."),
    ],
)
def test_different_numbers_of_files_are_hinted_at(command: str, files: list[list[str]], message: str) -> None:
    given = write_pair(".txt", [["a b"], ["c d"], ["e f"]], files)
    told = error(*arguments_of(command, given))
    assert f"error: {message}" in told
    assert "The sides have different numbers of files (r/* 3 and a/* 2" in told


@pytest.mark.parametrize("command", ["score", "compare", "errors", "curve", "difficulty"])
@pytest.mark.parametrize(
    ("kind", "reference_sizes", "sizes", "names"),
    [
        (".txt", (1, 2), (1, 2), "r/1.txt, line 2 and a/1.txt, line 2"),
        (".parquet", (1, 2), (1, 2), "r/1.parquet, column reference, row 1 and a/1.parquet, column prediction, row 1"),
        (".jsonl", (1, 2), (1, 2), "r/1.jsonl, column reference, line 2 and a/1.jsonl, column prediction, line 2"),
        (".txt", (3,), (3,), "r/0.txt and a/0.txt, line 3"),
        # Where files do not pair, each side has a place of its own.
        (".txt", (1, 2), (3,), "r/1.txt, line 2 and a/0.txt, line 3"),
        (".txt", (3,), (1, 2), "r/0.txt, line 3 and a/1.txt, line 2"),
        (".txt", (1, 2), (1, 1, 1), "r/1.txt, line 2 and a/2.txt, line 1"),
        (".txt", (1, 2), (1, 0, 2), "r/1.txt, line 2 and a/2.txt, line 2"),
        (".parquet", (1, 2), (3,), "r/1.parquet, column reference, row 1 and a/0.parquet, column prediction, row 2"),
        (".jsonl", (1, 1, 1), (1, 2), "r/2.jsonl, column reference, line 1 and a/1.jsonl, column prediction, line 2"),
    ],
)
def test_units_that_differ_are_named_with_the_place(
    command: str, kind: str, reference_sizes: tuple[int, ...], sizes: tuple[int, ...], names: str
) -> None:
    given = write_pair(kind, in_files(["a b", "c d", "e f"], reference_sizes), in_files(["ab", "cd", "ex"], sizes))
    assert f"error: {names}: the units differ at offset 1" in error(*arguments_of(command, given))


def test_the_warning_names_the_place_of_a_left_out_utterance_on_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    write_pair(".txt", [["a b"], ["c d", "e f"]], [["ab", "cd", "ex"]])
    assert main(["score", "r/*", "p/0.txt", "--scores", "token", "--on-error", "skip"]) == 0
    assert "The first is r/1.txt, line 2 and p/0.txt, line 3: the units differ at offset 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "write", "as_rows", "empty", "options"),
    [
        (".jsonl", write_json_lines, word_lists, pa.null(), ["--text-format", "units"]),
        (".jsonl", write_json_lines, start_labels, pa.null(), ["--label-scheme", "start"]),
        (".parquet", write_parquet, word_lists, pa.string(), ["--text-format", "units"]),
        (".arrow", write_arrow_file, bmes_tags, pa.null(), ["--label-scheme", "BMES"]),
    ],
)
def test_a_prediction_without_rows_is_of_any_form(
    kind: str, write: Write, as_rows: Any, empty: pa.DataType, options: list[str]
) -> None:
    write(f"r{kind}", pa.table({"reference": as_rows(REFERENCE)}))
    write(f"p{kind}", pa.table({"prediction": pa.array([], empty)}))
    noun = "line" if kind == ".jsonl" else "row"
    for command in ("errors", "score"):
        told = error(command, f"r{kind}", f"p{kind}", *options)
        assert (
            f"r{kind}, column reference has 40 {noun}s and p{kind}, column prediction has 0 {noun}s: expected" in told
        )


FORM_ERRORS: dict[str, tuple[list[str], str]] = {
    "labels without a scheme": (
        ["both.parquet", "--columns", "labels,labels"],
        "both.parquet, column labels: received lists of integers without --label-scheme: say how labels mark words (start, "
        "end, BI, BMES, BIES, BIOES), such as --label-scheme start if 1 starts a word.",
    ),
    "labels in one of several": (
        ["two/*", "both.parquet", "--columns", "words,words"],
        "two/1.jsonl, column words: received lists of integers without --label-scheme: say",
    ),
    "text with a scheme": (
        ["both.parquet", "--columns", "labels,text", "--label-scheme", "start"],
        "both.parquet, column text: --label-scheme start is for lists of labels, one list per utterance and one label per "
        "unit, such as [[0, 1]]; received strings. To score text, leave --label-scheme out.",
    ),
    "a text file with a scheme": (
        ["both.parquet", "p.txt", "--columns", "labels", "--label-scheme", "start"],
        "error: p.txt: --label-scheme start is for lists of labels, one list per utterance and one label per unit, such as "
        "[[0, 1]]; received strings. To score text, leave",
    ),
    "a token for lists": (
        ["both.parquet", "--columns", "words,words",
         "--text-format", "units", "--word-boundary", "#"],
        "both.parquet, column words: --word-boundary and --ignored-tokens are for strings; received lists of words.",
    ),
    "units on one side": (
        ["p.txt", "both.jsonl", "--columns", ",words", "--text-format", "units"],
        "p.txt and both.jsonl, column words, line 1: the reference is read in units of one token, the prediction in units of one "
        "character: expected the same form on both sides.",
    ),
    "units in one of several": (
        ["long.txt", "mixed/*", "--columns", ",words", "--text-format", "units"],
        "long.txt, line 3 and mixed/1.jsonl, column words, line 1: the reference is read in units of one token, the prediction "
        "in units of one character: expected the same form on both sides.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("options", [["errors"], ["score"], ["score", "--on-error", "skip"]], ids=" ".join)
@pytest.mark.parametrize("name", FORM_ERRORS)
def test_the_error_names_a_column_of_another_form(name: str, options: list[str]) -> None:
    table = pa.table({"text": ["a b", "c"], "words": [["a", "b"], ["c"]], "labels": [[1, 1], [1]]})
    write_parquet("both.parquet", table)
    write_json_lines("both.jsonl", table)
    write_text("p.txt", pa.table({"text": ["a b", "c"]}))
    write_text("long.txt", pa.table({"text": ["a", "c", "a", "c"]}))
    Path("mixed").mkdir()
    write_text("mixed/0.txt", pa.table({"text": ["a", "c"]}))
    write_json_lines("mixed/1.jsonl", pa.table({"words": [["a"], ["c"]]}))
    Path("two").mkdir()
    write_json_lines("two/0.jsonl", pa.table({"words": [["a", "b"]]}))
    write_json_lines("two/1.jsonl", pa.table({"words": [[1]]}))
    arguments, message = FORM_ERRORS[name]
    told = error(options[0], *arguments, *options[1:])
    assert message in told
    assert "is a file missing?" not in told


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize("packing", PACK)
def test_the_error_on_packed_tables_says_to_unpack_them(ending: str, packing: str) -> None:
    WRITERS[ending]("t", pa.table({"reference": ["a b"]}))
    packed = f"t{ending}{ENDINGS[packing]}"
    Path(packed).write_bytes(PACK[packing](Path("t").read_bytes()))
    Path("p.txt").write_text("ab\n")
    told = "Parquet and Arrow files, which have their own compression, can't be read packed: unpack it."
    for command in ("score", "errors"):
        for sides in ([packed, "p.txt"], ["p.txt", packed]):
            assert f"error: {packed}: {told}" in error(command, *sides)


# What the signature says of the form.


SIGNED: dict[str, tuple[str, Write, pa.Table]] = {
    "JSON lines": (".jsonl", write_json_lines, pa.table({"reference": pa.array([], pa.string())})),
    "text": (".txt", write_text, pa.table({"reference": pa.array([], pa.string())})),
    "Parquet of strings": (".parquet", write_parquet, pa.table({"reference": pa.array([], pa.string())})),
    "an Arrow file of nothing": (".arrow", write_arrow_file, pa.table({"reference": pa.array([], pa.null())})),
}


@pytest.mark.parametrize("kind", [".jsonl", ".parquet", ".arrow"])
@pytest.mark.parametrize("name", SIGNED)
def test_the_signature_has_the_form_of_the_first_file_with_rows(name: str, kind: str) -> None:
    ending, write_empty, empty = SIGNED[name]
    write = {".jsonl": write_json_lines, ".parquet": write_parquet, ".arrow": write_arrow_stream}[kind]
    for side in ("reference", "prediction"):
        Path(side).mkdir()
        write_empty(f"{side}/0{ending}", empty.rename_columns([side]))
        write(f"{side}/1{kind}", pa.table({side: [["a", "b"], ["c"]]}))
    for command in ("score", "errors"):
        assert "signature: segscores|text:lists|" in run(command, "reference/*", "prediction/*")


def test_the_signature_has_the_form_of_the_readable_files(capsys: pytest.CaptureFixture[str]) -> None:
    for side in ("reference", "prediction"):
        Path(side).mkdir()
        Path(f"{side}/0.parquet").write_bytes(b"PAR1 and no more")
        write_parquet(f"{side}/1.parquet", pa.table({side: [["a", "b"], ["c"]]}))
    assert main(["score", "reference/*", "prediction/*", "--on-error", "skip"]) == 0
    output = capsys.readouterr()
    assert "signature: segscores|text:lists|" in output.out
    assert "left out: reference/0.parquet: the table can't be read" in output.err


@pytest.mark.parametrize("command", COMMANDS)
def test_empty_files_are_refused(command: str) -> None:
    given = write_pair(".txt", [[], []], [[], []])
    assert "error: r/*: the file is empty; expected at least " in error(*arguments_of(command, given))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "both.parquet", "--columns", "x"], "both.parquet: there is no column 'x'; the columns are"),
        (["errors", "gold.parquet"], "gold.parquet: there is no column 'prediction'; the columns"),
        (["errors", "r.txt", "none-*.txt"], "none-*.txt: no file matches this pattern."),
        (["score", "none-*.txt", "r.txt"], "none-*.txt: no file matches this pattern."),
        (["score", "r.txt"], "r.txt: expected a PREDICTION after it, or a table with both sides"),
        (["compare", "*.txt"], "*.txt: expected a PREDICTION after it, or a table with both sides"),
        (["score", "r.txt", "r.txt", "--columns", "x"], "--columns is for tables"),
        (["errors", "r.txt", "r.txt", "--columns", ",x"], "--columns is for"),
        (["score", "r.txt", "r.txt", "--label-scheme", "BI"], "--label-scheme is for tables, whose names end in"),
        (
            ["errors", "both.parquet", "both.parquet", "--columns", ",a,b"],
            "--columns names one column for every PREDICTION; several are for a table with both sides",
        ),
        (["errors", "labels.parquet"], "received lists of integers without --label-scheme"),
        (["score", "labels.parquet", "r.txt", "--label-scheme", "start"], "--label-scheme start is for lists"),
        (["score", "none.parquet"], "none.parquet: there is no such file."),
        (
            ["report", "labels.parquet", "--label-scheme", "start", "-o", "page.html"],
            "--label-scheme: a report shows words, which labels do not contain",
        ),
        (
            ["difficulty", "r.txt", "--difficulties", "d.jsonl", "--score"],
            "--score: expected a FILE after it, or a table with both sides",
        ),
        (["compare", "both.parquet"], "PREDICTION: expected at least two, or a table with both sides and --columns "),
        (
            ["compare", "both.parquet", "--columns", ",a,a"],
            "a is named twice: expected every prediction once.",
        ),
        (
            ["compare", "both.parquet", "--columns", ",a,b", "--baseline", "c"],
            "unknown baseline 'c': the systems are 'a', 'b'",
        ),
        (["errors", "both.parquet", "--columns", ",a,b,prediction"], "expected one, or two to compare, received 3"),
        (
            ["errors", "labels.parquet", "--label-scheme", "start", "--vocabulary", "r.txt"],
            "--vocabulary needs the words, which labels do not contain.",
        ),
        (
            ["errors", "labels.parquet", "--label-scheme", "start", "--table", "words"],
            "labels do not contain the words: --table classes is the only table.",
        ),
        (["halves", "both.parquet", "--columns", ",a,b"], "received 2 predictions: expected at"),
        (["curve", "both.parquet"], "expected SIZE=PREDICTION after REFERENCE, or a table with both sides and"),
        (["curve", "both.parquet", "--columns", ",a"], "expected SIZE=PREDICTION, such as 200=out200.txt, received 'a'"),
        (["report", "[r].txt", "r.txt", "-o", "./r.txt"], "./r.txt: this is an input too, and would be overwritten"),
        (["difficulty", "r.txt", "--committee"], "--committee: expected a FILE after it, or a table with both sides"),
        (
            ["difficulty", "both.parquet", "--committee", "both.parquet", *flagged("--committee-column", "ab")],
            "--committee-column names one column for every FILE; several are for a table with both sides, without FILE.",
        ),
        (["difficulty", "both.parquet", "--committee", "--columns", ",a"], "--columns names predictions, which --score reads"),
        (
            ["difficulty", "both.parquet", "--difficulties", "d.jsonl", "--committee-column", "a"],
            "--committee-column is for --committee.",
        ),
        (
            ["difficulty", "labels.parquet", "--train", "labels.parquet", "--label-scheme", "start"],
            "--train and --html need the words, which labels do not contain.",
        ),
        (
            ["difficulty", "labels.parquet", "--committee", "--html", "x.html", "--label-scheme", "start"],
            "--train and --html need the words, which labels do not contain.",
        ),
        (["sweep", "both.parquet", "r.txt"], "both.parquet: this is a table, by its name; expected text: sweep reads no tables."),
        (["errors", "both.parquet", "r.txt", "--columns", ",x"], "and r.txt is not a table"),
        (["errors", "r.txt", "both.parquet", "--columns", "x"], "and r.txt is not a table"),
        (["score", "r.txt", "both.parquet", "--columns", "x"], "and r.txt is not a table"),
        (["curve", "both.parquet", "1=r.txt", "--columns", ",1=a"], "and r.txt is not a table"),
        (["difficulty", "both.parquet", "--committee", "r.txt", "--committee-column", "x"], "and r.txt is not a table"),
        (["errors", "both.parquet", "--columns", ""], "--columns: expected the name of a column, as REFERENCE[,"),
        (["errors", "both.parquet", "", "--columns", ",a"], "received an empty name: expected the name of a file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_bad_inputs_are_refused(arguments: list[str], message: str) -> None:
    write_parquet("both.parquet", pa.table({side: ["a b", "c"] for side in ("reference", "prediction", "a", "b")}))
    write_parquet("gold.parquet", pa.table({"reference": ["a b", "c"]}))
    write_parquet("labels.parquet", pa.table({side: [[1, 0], [1]] for side in ("reference", "prediction")}))
    write_text("r.txt", pa.table({"text": ["a b", "c"]}))
    Path("d.jsonl").write_text("[0.5, 0.5]\n[1]\n")
    assert message in error(*arguments)


def test_a_committee_is_trained_on_the_reference_column_of_a_table() -> None:
    texts = ["ab c", "c ab", "ab ab c"] * 9
    write_text("train.txt", pa.table({"reference": texts}))
    write_parquet("train.parquet", pa.table({"gold": texts}))
    write_text("r.txt", pa.table({"reference": texts[:5]}))
    write_parquet("r.parquet", pa.table({"gold": texts[:5]}))
    options = ["--members", "2", "--processes", "1"]
    rated = run("difficulty", "r.txt", "--train", "train.txt", *options)
    assert len(rated.splitlines()) == 5
    assert run("difficulty", "r.parquet", "--train", "train.parquet", "--columns", "gold", *options) == rated


def test_every_committee_that_is_named_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    for path, lines in (("r.txt", ["a b", "c"]), ("p.txt", ["ab", "c"]), ("q.txt", ["a b", "c"])):
        write_text(path, pa.table({"text": lines}))
    assert main(["difficulty", "r.txt", "--committee", "p.txt", "--committee", "q.txt"]) == 0
    assert capsys.readouterr().out == "[0.5, 0.5]\n[0.0]\n"


def test_names_do_not_move_a_terminal_s_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    write_parquet("both.parquet", pa.table({side: ["a b", "c"] for side in ("reference", "\x1b[31mred")}))
    assert main(["score", "both.parquet", "--columns", ",\x1b[31mred", "--scores", "token"]) == 0
    assert capsys.readouterr().out.startswith(r"score              \x1b[31mred")
    assert r"the columns are reference, \x1b[31mred" in error("score", "both.parquet")
