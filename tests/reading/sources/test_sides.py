"""Every subcommand that compares files reads the same inputs as `score`, and refuses the same ones."""

import io
import json
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscores.apps.command.main import main

from ...command_runs import write_files
from ...corpora import bmes_tags, random_corpus_pair, start_labels, word_lists, words_text
from ...files import ENDINGS, PACK, WRITERS, write_arrow_stream, write_parquet, write_text

REFERENCE, A = random_corpus_pair(40, seed=8, units="abc")
CORPORA = {
    "reference": REFERENCE,
    "a": A,
    "b": [[tuple(unit for word in words for unit in word)] if words else [] for words in REFERENCE],
    "c": [[(unit,) for word in words for unit in word] for words in REFERENCE],
}
COMMANDS = ("compare", "errors", "report", "curve", "difficulty")


@dataclass(frozen=True)
class Given:
    """The arguments of a subcommand; names are the files of the systems, or the columns."""

    reference: str
    names: Sequence[str]
    are_columns: bool = False


def write_pieces(folder: str, kind: str, table: pa.Table, bounds: Sequence[int]) -> str:
    """Write a table to a folder of files that end at the bounds; what names the file, or the files."""
    Path(folder).mkdir()
    for number, (start, stop) in enumerate(pairwise(bounds)):
        WRITERS[kind](f"{folder}/{number}{kind}", table.slice(start, stop - start))
    return f"{folder}/0{kind}" if len(bounds) == 2 else f"{folder}/*"


def write_sides(kind: str, bounds: Sequence[int] = (0, 40), as_rows: Any = words_text, corpora: Any = CORPORA) -> Given:
    """Write each side to a file of its own, or to a folder of files; columns have the names that are the default."""
    reference, *systems = (
        write_pieces(side, kind, pa.table({"prediction" if len(side) == 1 else side: as_rows(corpus)}), bounds)
        for side, corpus in corpora.items()
    )
    return Given(reference, systems)


def write_table(kind: str, bounds: Sequence[int] = (0, 40), as_rows: Any = words_text) -> Given:
    """Write all sides to a table, or to a folder of tables."""
    table = pa.table({"gold" if side == "reference" else side: as_rows(corpus) for side, corpus in CORPORA.items()})
    return Given(write_pieces("all", kind, table, bounds), "abc", are_columns=True)


def mixed_kinds() -> Given:
    """Files of one pattern that are text and tables, paired with tables and text."""
    kinds = [".txt", ".parquet", ".jsonl"]
    for shift, (side, corpus) in enumerate(CORPORA.items()):
        Path(side).mkdir()
        for number, (start, stop) in enumerate(pairwise((0, 9, 26, 40))):
            kind, column = kinds[(number + shift) % 3], "reference" if side == "reference" else "prediction"
            WRITERS[kind](f"{side}/{number}{kind}", pa.table({column: words_text(corpus[start:stop])}))
    return Given("reference/*", ["a/*", "b/*", "c/*"])


BOUNDS = (0, 15, 15, 40)
INPUTS: dict[str, Callable[[], Given]] = {
    "text": lambda: write_sides(".txt"),
    "Parquet with lists": lambda: write_sides(".parquet", as_rows=word_lists),
    "an Arrow table with lists": lambda: write_table(".arrow", as_rows=word_lists),
    "a table of JSON lines": lambda: write_table(".jsonl"),
    "a pattern of text": lambda: write_sides(".txt", BOUNDS),
    "a pattern of tables": lambda: write_table(".parquet", BOUNDS),
    "a pattern of several kinds": mixed_kinds,
}


def arguments_of(command: str, given: Given) -> list[str]:
    """The command line that has the reference and the systems of the subcommand."""
    names = list(given.names[: {"errors": 1, "report": 2}.get(command, 3)])
    if command == "difficulty":
        *committee, scored = names
        ratings = ["--committee", *committee, "--score", scored]
        if given.are_columns:
            columns = [word for name in committee for word in ("--committee-column", name)]
            ratings = ["--columns", f"gold,{scored}", "--committee", *columns, "--score"]
        return [command, given.reference, *ratings]
    if command == "curve":
        names = [f"{number}={name}" for number, name in enumerate(names)]
    sides = ["--columns", ",".join(["gold", *names])] if given.are_columns else names
    further = {"compare": ["--scores", "token,type,windows"], "errors": ["--top", "9"], "report": ["-o", "page.html"]}
    return [command, given.reference, *sides, *further.get(command, [])]


def called(*arguments: str) -> tuple[int, str, str]:
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as messages:
        status = main(arguments)
    return status, output.getvalue(), messages.getvalue()


def run(*arguments: str, warning: str = "") -> str:
    """Return what a subcommand prints; it warns of nothing but `warning`, and undefined scores."""
    status, output, message = called(*arguments)
    said = re.sub(r"segscores: warning: undefined \(0/0\)[^\n]*\n", "", message)
    # The report of several files has a row for each, and says that small ones have wide intervals.
    said = re.sub(r"segscores: warning: subsets of fewer than 12 .*\n", "", said)
    assert (status, said) == (0, warning and f"segscores: warning: {warning}\n")
    return output


def error(*arguments: str) -> str:
    """Return what a subcommand says that must fail."""
    status, output, message = called(*arguments)
    assert (status, output) == (2, "")
    assert re.fullmatch("segscores: error: [^\n]+\n", message), message
    return message


def numbers_of(value: Any) -> list[Any]:
    """The numbers in JSON, in order; paths and places are those of the files, which are another test's."""
    if isinstance(value, dict):
        value = [item for key, item in value.items() if key not in ("path", "place")]
    if isinstance(value, list):
        return [number for item in value for number in numbers_of(item)]
    return [] if isinstance(value, str) else [value]


def found_by(command: str, given: Given) -> list[Any]:
    """All numbers that a subcommand finds."""
    arguments = arguments_of(command, given)
    if command == "report":
        run(*arguments)
        return re.findall('<td class="number[^"]*">([^<]*)<', Path("page.html").read_text(encoding="utf-8"))
    if command == "difficulty":
        found = numbers_of(json.loads(run(*arguments, "--format", "json", "-o", "ratings.jsonl")))
        return found + numbers_of(list(map(json.loads, Path("ratings.jsonl").read_text().splitlines())))
    return numbers_of(json.loads(run(*arguments, "--format", "json")))


@pytest.fixture(scope="module")
def found_in_text(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what each subcommand finds in text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("text"))
        given = INPUTS["text"]()
        return {command: found_by(command, given) for command in COMMANDS}


@pytest.mark.parametrize("name", INPUTS)
def test_a_corpus_has_the_same_numbers_whatever_it_is_read_from(
    found_in_text: dict[str, Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 250)
    given = INPUTS[name]()
    for command in COMMANDS:
        assert len(found_in_text[command]) > 9
        assert found_by(command, given) == found_in_text[command], command


def test_errors_of_labels_are_counted_by_class() -> None:
    given = write_table(".parquet", as_rows=start_labels)
    table = run(*arguments_of("errors", given), "--label-scheme", "start")
    assert table.startswith("class")
    assert "signature: segscores|text:start|" in table


PLACED = {"reference": [["a", "b"], ["c", "d"], ["e", "f"], ["a", "b"]], "a": [["a", "b"], ["cd"], ["e", "f"], ["ab"]]}


@pytest.mark.parametrize(
    ("kind", "bounds", "places"),
    [
        (".txt", (0, 4), ["line 2", "line 4"]),
        (".parquet", (0, 4), ["row 1", "row 3"]),
        (".jsonl", (0, 4), ["line 2", "line 4"]),
        (".txt", (0, 1, 1, 4), ["reference/2.txt, line 1", "reference/2.txt, line 3"]),
        (".parquet", (0, 3, 4), ["reference/0.parquet, row 1", "reference/1.parquet, row 0"]),
        (".jsonl", (0, 2, 4), ["reference/0.jsonl, line 2", "reference/1.jsonl, line 2"]),
    ],
)
@pytest.mark.parametrize("predictions", ["as many files", "one file"])
@pytest.mark.usefixtures("piece_bytes")
def test_places_are_in_the_files(kind: str, bounds: tuple[int, ...], places: list[str], predictions: str) -> None:
    given = write_sides(kind, bounds, corpora=PLACED)
    other = given.names[0] if predictions == "as many files" else "other.txt"
    write_text("other.txt", pa.table({"prediction": words_text(PLACED["a"])}))
    table = run("errors", given.reference, other, "--table", "errors")
    shown = [re.split(r" {2,}", line.strip())[-1] for line in table.splitlines()[2:4]]
    assert shown == [f"{places[1]}: [a b]", f"{places[0]}: [c d]"]
    found = json.loads(run("errors", given.reference, other, "--format", "json"))
    examples = [example for each in found["errors"] for example in each["examples"]]
    assert [(example["utterance"], example["place"]) for example in examples] == [(3, places[1]), (1, places[0])]
    few = "4 utterances: intervals from fewer than 12 contain the true score less often than their level says."
    run("report", given.reference, other, "-o", "page.html", warning=few)
    page = Path("page.html").read_text(encoding="utf-8")
    assert re.findall(r"data-go=\"\d+\">([^<]*)</a>", page) == [places[1], places[0]]
    (noun,), (first,) = (re.findall(rf'data-{name}="(\w+)"', page) for name in ("noun", "first"))
    worst = re.findall(r"<span class=place>(\d+)</span>.*?<small>(.*?);", page)[:2]
    if len(bounds) > 2:
        assert (noun, first) == ("utterance", "1")
        assert worst == [("2", places[0]), ("4", places[1])]
    else:
        assert [(f"{noun} {number}", note[:12]) for number, note in worst] == [
            (place, "word F-score") for place in places
        ]
    assert f'min="{first}" max="{int(first) + 3}"' in page


def test_a_report_on_columns_names_them() -> None:
    given = write_table(".parquet")
    run(*arguments_of("report", given))
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>a, b against 0.parquet – segmentation report</title>" in page
    assert "<bdi class=text>all/0.parquet, column a</bdi>" in page


@pytest.mark.parametrize("command", ["score", "compare", "errors", "report", "curve"])
def test_options_may_stand_between_the_reference_and_the_predictions(command: str) -> None:
    command, reference, *rest = arguments_of(command, INPUTS["text"]())
    run(command, reference, "--zero-division", "0.5", *rest)


FILES_OF_THREE = [["a b"], ["c d"], ["e f"]]
TWO_FILES = [["a b"], ["c d", "e f"]]
NUMBERS_OF_FILES = "The sides have different numbers of files (r/* 3 and a/* 2"
#: The kind of file, the texts of each file of both sides, and what is said.
REFUSED: dict[str, tuple[str, list[list[str]], list[list[str]], list[str]]] = {
    "a line less": (".txt", [*TWO_FILES, ["g"]], [["ab"], ["cd"], ["e f", "g"]],
        ["r/1.txt has 2 lines and a/1.txt has 1 line: expected equal numbers"]),
    "a row less": (".parquet", [*TWO_FILES, ["g"]], [["ab"], ["cd"], ["e f", "g"]],
        ["r/1.parquet, column reference has 2 rows and a/1.parquet, column prediction has 1 row: expected equal numbers"]),
    "a file less": (".txt", FILES_OF_THREE, [["ab"], ["e f"]],
        ["r/* has 3 lines and a/* has 2 lines: expected equal numbers. Blank lines count too, also at the end. "
         "The first that differs is r/1.txt, line 1 and a/1.txt, line 1: the units differ at offset 0 ", NUMBERS_OF_FILES]),
    "the last file less": (".txt", FILES_OF_THREE, [["ab"], ["cd"]],
        ["r/* has 3 lines and a/* has 2 lines: expected equal numbers.", NUMBERS_OF_FILES]),
    "more lines in a file less": (".txt", FILES_OF_THREE, [["ab", "cd", "ef"], ["g"]],
        ["r/* has 3 lines and a/* has 4 lines: expected equal numbers.", NUMBERS_OF_FILES]),
    "nothing": (".txt", [[], []], [[], []], ["r/*: the file has no line; expected at least one."]),
    **{
        f"other units in {place}": (kind, reference, prediction, [f"error: {place}: the units differ at offset 1"])
        for kind, reference, prediction, place in (
            (".txt", [["a b", "c d", "e f"]], [["ab", "cd", "ex"]], "r/0.txt and a/0.txt, line 3"),
            (".txt", TWO_FILES, [["ab"], ["cd", "ex"]], "r/1.txt, line 2 and a/1.txt, line 2"),
            (".parquet", TWO_FILES, [["ab"], ["cd", "ex"]],
             "r/1.parquet, column reference, row 1 and a/1.parquet, column prediction, row 1"),
            # Where files do not pair, each side has a place of its own.
            (".txt", TWO_FILES, [["ab", "cd", "ex"]], "r/1.txt, line 2 and a/0.txt, line 3"),
            (".txt", TWO_FILES, [["ab"], [], ["cd", "ex"]], "r/1.txt, line 2 and a/2.txt, line 2"),
            (".jsonl", FILES_OF_THREE, [["ab"], ["cd", "ex"]],
             "r/2.jsonl, column reference, line 1 and a/1.jsonl, column prediction, line 2"),
        )
    },
}  # fmt: skip


def write_pair(kind: str, reference: Sequence[Sequence[str]], prediction: Sequence[Sequence[str]]) -> Given:
    """Files of texts, on each side one or several, the same prediction for every system, by names of their own."""
    for side, files in (("r", reference), ("p", prediction)):
        Path(side).mkdir()
        for number, rows in enumerate(files):
            column = "reference" if side == "r" else "prediction"
            WRITERS[kind](f"{side}/{number}{kind}", pa.table({column: pa.array(rows, pa.string())}))
    for system in "abc":
        Path(system).symlink_to("p")
    reference_file, file = ("*" if len(files) > 1 else f"0{kind}" for files in (reference, prediction))
    return Given(f"r/{reference_file}", [f"{system}/{file}" for system in "abc"])


@pytest.mark.parametrize("command", ["score", "compare", "errors", "report", "curve", "difficulty"])
@pytest.mark.parametrize("name", REFUSED)
def test_sides_that_do_not_pair_are_refused_with_the_place(name: str, command: str) -> None:
    kind, reference, prediction, words = REFUSED[name]
    told = error(*arguments_of(command, write_pair(kind, reference, prediction)))
    assert [each for each in words if each not in told] == [], told


def test_the_warning_names_the_place_of_a_left_out_utterance_on_both_sides() -> None:
    write_pair(".txt", TWO_FILES, [["ab", "cd", "ex"]])
    status, _, message = called("score", "r/*", "p/0.txt", "--scores", "token", "--on-error", "skip")
    assert status == 0
    assert "The first is r/1.txt, line 2 and p/0.txt, line 3: the units differ at offset 1" in message


@pytest.mark.parametrize(
    ("kind", "as_rows", "empty", "options"),
    [
        (".jsonl", word_lists, pa.null(), ["--text-format", "units"]),
        (".jsonl", start_labels, pa.null(), ["--label-scheme", "start"]),
        (".parquet", word_lists, pa.string(), ["--text-format", "units"]),
        (".arrow", bmes_tags, pa.null(), ["--label-scheme", "BMES"]),
    ],
)
def test_a_prediction_without_rows_is_of_any_form(
    kind: str, as_rows: Any, empty: pa.DataType, options: list[str]
) -> None:
    WRITERS[kind](f"r{kind}", pa.table({"reference": as_rows(REFERENCE)}))
    WRITERS[kind](f"p{kind}", pa.table({"prediction": pa.array([], empty)}))
    noun = "lines" if kind == ".jsonl" else "rows"
    told = f"r{kind}, column reference has 40 {noun} and p{kind}, column prediction has 0 {noun}: expected"
    for command in ("errors", "score"):
        assert told in error(command, f"r{kind}", f"p{kind}", *options)


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize("packing", PACK)
def test_the_error_on_packed_tables_says_to_unpack_them(ending: str, packing: str) -> None:
    packed = f"t{ending}{ENDINGS[packing]}"
    write_files({packed: PACK[packing](b"a table"), "p.txt": "ab\n"})
    told = "Parquet and Arrow files, which have their own compression, can't be read packed: unpack it."
    for sides in (["score", packed, "p.txt"], ["errors", "p.txt", packed]):
        assert f"error: {packed}: {told}" in error(*sides)


@pytest.mark.parametrize(
    ("kind", "empty"),
    [(".jsonl", pa.string()), (".txt", pa.string()), (".parquet", pa.string()), (".arrow", pa.null())],
)
def test_the_signature_has_the_form_of_the_first_file_with_rows(kind: str, empty: pa.DataType) -> None:
    for side in ("reference", "prediction"):
        Path(side).mkdir()
        WRITERS[kind](f"{side}/0{kind}", pa.table({side: pa.array([], empty)}))
        write_arrow_stream(f"{side}/1.arrow", pa.table({side: [["a", "b"], ["c"]]}))
    for command in ("score", "errors"):
        assert "signature: segscores|text:lists|" in run(command, "reference/*", "prediction/*")


def test_a_committee_is_trained_on_the_reference_column_of_a_table() -> None:
    texts = ["ab c", "c ab", "ab ab c"] * 9
    for name, rows in (("train", texts), ("r", texts[:5])):
        write_text(f"{name}.txt", pa.table({"reference": rows}))
        write_parquet(f"{name}.parquet", pa.table({"gold": rows}))
    options = ["--members", "2", "--processes", "1"]
    rated = run("difficulty", "r.txt", "--train", "train.txt", *options)
    assert len(rated.splitlines()) == 5
    assert run("difficulty", "r.parquet", "--train", "train.parquet", "--columns", "gold", *options) == rated


def test_every_committee_that_is_named_is_read() -> None:
    write_files({"r.txt": "a b\nc\n", "p.txt": "ab\nc\n", "q.txt": "a b\nc\n"})
    assert run("difficulty", "r.txt", "--committee", "p.txt", "--committee", "q.txt") == "[0.5, 0.5]\n[0.0]\n"


def test_names_do_not_move_a_terminal_s_cursor() -> None:
    write_parquet("both.parquet", pa.table({side: ["a b", "c"] for side in ("reference", "\x1b[31mred")}))
    table = run("score", "both.parquet", "--columns", ",\x1b[31mred", "--scores", "token")
    assert table.startswith(r"score              \x1b[31mred")
