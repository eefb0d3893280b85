"""`segmentation-scores errors`: the same as `analyse_errors` on the lines of the files, in every format, and bad files."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from segscores import __version__
from segscores.analysis.error_analysis import analyse_errors

from .running import run_command

REFERENCE = ["ab c d", "a bc", "", "a b c", "abc d", "d cb a", "ab"] * 3
PREDICTION = ["a b cd", "a bc", "", "a bc", "ab cd", "d cb a", "a b"] * 3
VOCABULARY = ["ab", "c", "d"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a reference, a prediction and a vocabulary."""
    monkeypatch.chdir(tmp_path)
    for name, rows in {"reference": REFERENCE, "prediction": PREDICTION, "vocabulary": VOCABULARY}.items():
        Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> None:
    run_command("errors", *arguments)


def tables_of(output: str) -> dict[str, list[list[str]]]:
    """The rows of every table, by the name of its first column."""
    tables = {}
    *printed, signature = output.rstrip("\n").split("\n\n")
    assert signature.startswith("signature: segscores|text:")
    for table in printed:
        header, _, *rows = table.splitlines()
        tables[header.split()[0]] = [re.split(r" {2,}", row.strip()) for row in rows]
    return tables


@pytest.mark.parametrize("part_bytes", [1 << 20, 16])
@pytest.mark.parametrize("vocabulary", [None, VOCABULARY])
def test_json_lines_score_as_lists_do(
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    part_bytes: int,
    vocabulary: list[str] | None,
) -> None:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", part_bytes)
    extra = ["--vocabulary", "vocabulary"] if vocabulary else []
    run("reference", "prediction", "--format", "json", "--top", "2", "--examples", "2", "--context", "1", *extra)
    expected = analyse_errors(
        REFERENCE, PREDICTION, text_format="words", examples=2, context=1, vocabulary=vocabulary
    ).to_dict(2)
    found = json.loads(capsys.readouterr().out)
    known = r"vocab:[0-9a-f]{8}\|" if vocabulary else ""
    signature = rf"segscores\|text:words\|avg:micro\|zero:0\|{known}n:21\|v:{__version__}"
    assert re.fullmatch(signature, found.pop("signature"))
    for example in (example for error in expected["errors"] for example in error["examples"]):
        example["place"] = f"line {example['utterance'] + 1}"
    predictions = [{"prediction": "prediction", "path": "prediction"}]
    assert found == {"schema": 1, "reference": "reference", "predictions": predictions, **expected}


def test_tables_by_hand(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("reference", "prediction", "--vocabulary", "vocabulary", "--top", "4")
    tables = tables_of(capsys.readouterr().out)
    # Of 42 words: `ab` is cut twice of two times in each third, `c d` and `b c` are run together, `abc d` is cut elsewhere.
    assert tables["class"] == [
        ["correct", "18", "0.4286", "18"],
        ["over", "6", "0.1429", "6"],
        ["under", "12", "0.2857", "6"],
        ["mis", "6", "0.1429", "3"],
    ]
    assert tables["reference"] == [
        ["ab", "a b", "over", "6", "line 1: [ab] c d"],
        ["abc d", "ab cd", "mis", "3", "line 5: [abc d]"],
        ["b c", "bc", "under", "3", "line 4: a [b c]"],
        ["c d", "cd", "under", "3", "line 1: ab [c d]"],
    ]
    assert tables["word"] == [
        ["ab", "6", "0", "6", "0", "0", "0.0000"],
        ["c", "6", "0", "0", "6", "0", "0.0000"],
        ["d", "9", "3", "0", "3", "3", "0.3333"],
        ["abc", "3", "0", "0", "0", "3", "0.0000"],
    ]
    assert tables["length"] == [
        ["1", "27", "12", "0", "12", "3", "0.4444"],
        ["2", "12", "6", "6", "0", "0", "0.5000"],
        ["3", "3", "0", "0", "0", "3", "0.0000"],
    ]
    assert tables["frequency"] == [
        ["2-3", "12", "6", "0", "3", "3", "0.5000"],
        ["4-7", "12", "0", "6", "6", "0", "0.0000"],
        ["8-15", "18", "12", "0", "3", "3", "0.6667"],
    ]
    assert tables["vocabulary"] == [
        ["in", "21", "3", "6", "9", "3", "0.1429"],
        ["out", "21", "15", "0", "3", "3", "0.7143"],
    ]


def test_csv_has_every_digit_of_the_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["reference", "prediction", "--vocabulary", "vocabulary"]
    run(*arguments)
    names = {"class": "classes", "reference": "errors", "word": "words"}
    for name, rows in tables_of(capsys.readouterr().out).items():
        run(*arguments, "--table", names.get(name, name), "--format", "csv")
        (*_, last), *signed = csv.reader(io.StringIO(capsys.readouterr().out))
        assert last == "signature"
        found = [
            [f"{float(cell):.4f}" if re.fullmatch(r"\d\.\d+", cell) else cell for cell in row[:-1]] for row in signed
        ]
        assert found == rows


def test_chosen_tables_in_their_order(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("reference", "prediction", "--table", "length", "--table", "classes", "--table", "length")
    assert list(tables_of(capsys.readouterr().out)) == ["length", "class"]


def test_without_errors_there_are_no_tables_of_them(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("reference", "reference")
    assert list(tables_of(capsys.readouterr().out)) == ["class", "length", "frequency"]


def test_several_examples_have_their_lines(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("reference", "prediction", "--table", "errors", "--examples", "3", "--top", "1", "--context", "1")
    (row,) = tables_of(capsys.readouterr().out)["reference"]
    assert row[4] == "line 1: [ab] c; line 7: [ab]; line 8: [ab] c"


def test_units_text_has_bars_between_words(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reference").write_text("dh ax ;eword d ao g ;eword\n", encoding="utf-8")
    Path("prediction").write_text("dh ax d ;esyll ao g ;eword\n", encoding="utf-8")
    Path("vocabulary").write_text("d  ao g\n", encoding="utf-8")
    arguments = ["--text-format", "units", "--word-boundary", ";eword", "--ignored-tokens", ";esyll"]
    run("reference", "prediction", *arguments, "--vocabulary", "vocabulary")
    tables = tables_of(capsys.readouterr().out)
    assert tables["reference"] == [["dh ax | d ao g", "dh ax d ao g", "under", "1", "line 1: [dh ax | d ao g]"]]
    assert [row[:2] for row in tables["length"]] == [["2", "1"], ["3", "1"]]
    assert [row[:2] for row in tables["vocabulary"]] == [["in", "1"], ["out", "1"]]


def conllu(*sentences: str) -> str:
    return "".join(
        "".join(f"{index}\t{word}" + "\t_" * 8 + "\n" for index, word in enumerate(words.split(","), 1)) + "\n"
        for words in sentences
    )


def test_conllu_has_sentences_and_no_spaces_in_words(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reference.conllu").write_text(conllu("is", "New York,is"), encoding="utf-8")
    Path("prediction.conllu").write_text(conllu("i,s", "New York,is"), encoding="utf-8")
    run("reference.conllu", "prediction.conllu")
    tables = tables_of(capsys.readouterr().out)
    assert tables["reference"] == [["is", "i s", "over", "1", "sentence 1: [is]"]]
    assert [row[:3] for row in tables["length"]] == [["2", "2", "1"], ["7", "1", "1"]]
