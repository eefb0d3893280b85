"""Files that Spark reads, damaged ones and others, through the subcommand `spark` on a real local Spark."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from segscores.command.main import main

from ..naive import naive_counts, naive_scores, random_corpus_pair, words_text

CORPUS = random_corpus_pair(120, seed=8)
#: The lines of each file of a side; the second is the longest, which Spark reads first.
PARTS = (slice(0, 20), slice(20, 80), slice(80, 110), slice(110, 120))

Score = Callable[..., tuple[Any, str]]


def cut(path: Path) -> None:
    """Cut a file short."""
    packed = path.read_bytes()
    path.write_bytes(packed[: len(packed) // 2])


def garble(path: Path) -> None:
    """Write over what a Parquet file has after its first bytes, where pages are."""
    stored = bytearray(path.read_bytes())
    stored[4:60] = b"\xff" * 56
    path.write_bytes(stored)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def write_lines(path: Path, lines: Sequence[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with four packed files of the reference, `r-0.gz` and so on, and as many of two predictions, `p` and `q`."""
    for name, side in zip("rpq", (*CORPUS, CORPUS[0]), strict=True):
        for number, part in enumerate(PARTS):
            write_lines(tmp_path / f"{name}-{number}.gz", words_text(side[part]))
    return tmp_path


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder with a table of both sides of four Parquet files, `0.parquet` and so on."""
    folder = tmp_path / "both.parquet"
    folder.mkdir()
    for number, part in enumerate(PARTS):
        pq.write_table(sides_of(part), folder / f"{number}.parquet")
    return folder


def sides_of(part: slice) -> pa.Table:
    reference, prediction = (words_text(side[part]) for side in CORPUS)
    return pa.table({"reference": reference, "prediction": prediction})


@pytest.fixture
def score(spark: Any, capsys: Any) -> Score:
    """Run the subcommand on files of a folder; what it prints as JSON, and what it says on standard error."""

    def score_files(folder: Path, files: str, *arguments: str, status: int = 0) -> tuple[Any, str]:
        paths = [str(folder / name) for name in files.split()]
        assert main(["spark", *paths, *arguments, "--counts", "--format", "json"]) == status
        output, message = capsys.readouterr()
        return (json.loads(output) if output else None), message

    return score_files


def counts_without(left_out: Sequence[int], prediction: int = 1) -> dict[str, int]:
    """The counts that remain without these files."""
    kept = [part for number, part in enumerate(PARTS) if number not in left_out]
    reference, other = ([words for part in kept for words in CORPUS[side][part]] for side in (0, prediction))
    counts = naive_counts(reference, other)
    return {**counts, "left_out": 0, **({"left_out_files": len(left_out)} if left_out else {})}


def test_a_damaged_file_of_text_is_named(texts: Path, score: Score) -> None:
    cut(texts / "p-1.gz")
    assert score(texts, "r-* p-*", status=2) == (
        None,
        f"segmentation-scores: error: {texts}/p-1.gz: Spark cannot read the file: Unexpected end of input stream.\n",
    )


@pytest.mark.parametrize("damaged", [["p-1"], ["r-0", "p-0", "p-3"]], ids=["one", "several"])
def test_damaged_files_of_text_are_left_out_with_their_partners(texts: Path, score: Score, damaged: list[str]) -> None:
    for name in damaged:
        cut(texts / f"{name}.gz")
    numbers = sorted({int(name[-1]) for name in damaged})
    found, message = score(texts, "r-* p-*", "--on-error", "skip")
    assert found["predictions"][0]["counts"] == counts_without(numbers)
    n = counts_without(numbers)["utterances"]
    assert f"|left_out_files:{len(numbers)}|n:{n}|" in found["signature"]
    first_ones = [next(name for name in damaged if name.endswith(str(number))) for number in numbers]
    assert message == "".join(
        f"segmentation-scores: warning: left out: {texts}/{name}.gz: Spark cannot read the file: Unexpected end of input "
        f"stream.\n"
        for name in first_ones
    )


def test_utterances_are_left_out_for_every_prediction_as_by_score(texts: Path, score: Score, capsys: Any) -> None:
    cut(texts / "p-1.gz")
    write_lines(texts / "q-2.gz", words_text(CORPUS[0][PARTS[2]])[1:])
    found, message = score(texts, "r-* p-* q-*", "--on-error", "skip")
    expected = [counts_without([1, 2]), counts_without([1, 2], prediction=0)]
    assert [each["counts"] for each in found["predictions"]] == expected
    assert f"left out: {texts}/r-2.gz has 30 lines and {texts}/q-2.gz has 29 lines: expected equal numbers." in message
    sides = [str(texts / name) for name in ("r-*", "p-*", "q-*")]
    assert main(["score", *sides, "--on-error", "skip", "--counts", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_files_that_do_not_pair_are_named(texts: Path, score: Score) -> None:
    # As many lines altogether.
    write_lines(texts / "p-0.gz", words_text(CORPUS[1][:21]))
    write_lines(texts / "p-1.gz", words_text(CORPUS[1][21:80]))
    _, message = score(texts, "r-* p-*", status=2)
    assert f"error: {texts}/r-0.gz has 20 lines and {texts}/p-0.gz has 21 lines: expected equal numbers." in message


def test_sides_of_different_numbers_of_files_pair_as_one_text_each(texts: Path, score: Score) -> None:
    write_lines(texts / "all.txt", words_text(CORPUS[0]))
    found, _ = score(texts, "all.txt p-*", "--on-error", "skip")
    assert found["predictions"][0]["counts"] == counts_without([])
    write_lines(texts / "p-3.gz", [*words_text(CORPUS[1][110:119]), "other"])
    _, message = score(texts, "all.txt p-*", status=2)
    assert f"error: {texts}/all.txt, line 120 and {texts}/p-3.gz, line 10: the units differ" in message
    cut(texts / "p-2.gz")
    _, message = score(texts, "all.txt p-*", "--on-error", "skip", status=2)
    assert (
        f"error: {texts}/p-2.gz: Spark cannot read the file: Unexpected end of input stream. Damaged files can"
        in message
    )
    assert (
        f"different numbers of files ({texts}/all.txt 1 and {texts}/p-* 4), so each was read as one text: is a file missing?\n"
        in message
    )


def test_a_bad_line_is_named_with_its_file_and_the_line_there(texts: Path, score: Score) -> None:
    cut(texts / "p-0.gz")
    write_lines(texts / "p-2.gz", ["other", *words_text(CORPUS[1][81:110])])
    found, message = score(texts, "r-* p-*", "--on-error", "skip")
    assert found["predictions"][0]["counts"]["left_out"] == 1
    assert f"The first is {texts}/r-2.gz and {texts}/p-2.gz, line 1: " in message


def test_where_every_file_is_damaged_that_is_an_error(texts: Path, tables: Path, score: Score) -> None:
    cut(texts / "p-1.gz")
    expected = rf"error: nothing could be scored. The first problem: {texts}/p-1.gz: Spark cannot read the file: "
    assert expected in score(texts, "r-1.gz p-1.gz", "--on-error", "skip", status=2)[1]
    for file in tables.iterdir():
        cut(file)
    expected = rf"error: nothing could be scored. The first problem: {tables}/"
    assert expected in score(tables, ".", "--on-error", "skip", status=2)[1]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (cut, "is not a Parquet file"),
        (garble, "can not read class org.apache.parquet.format.PageHeader"),
        (empty, "it is empty, which no table is"),
    ],
)
def test_a_damaged_parquet_file_is_named_or_its_rows_left_out(
    tables: Path, score: Score, damage: Callable[[Path], None], problem: str
) -> None:
    damage(tables / "1.parquet")
    _, message = score(tables, ".", status=2)
    named = f"{tables}/1.parquet: Spark cannot read the file: "
    assert message.startswith(f"segmentation-scores: error: {named}")
    assert problem in message
    assert message.count("\n") == 1
    found, message = score(tables, ".", "--on-error", "skip")
    assert found["predictions"][0]["counts"] == counts_without([1])
    assert "|left_out_files:1|n:60|" in found["signature"]
    assert message.startswith(f"segmentation-scores: warning: left out: {named}")


def test_an_orc_file_that_is_cut_short_is_named_or_left_out(tmp_path: Path, score: Score) -> None:
    for number, part in enumerate(PARTS):
        orc.write_table(sides_of(part), tmp_path / f"{number}.orc")
    cut(tmp_path / "3.orc")
    _, message = score(tmp_path, "*.orc", status=2)
    assert message.startswith(f"segmentation-scores: error: {tmp_path}/3.orc: Spark cannot read the file: ")
    found, _ = score(tmp_path, "*.orc", "--on-error", "skip")
    assert found["predictions"][0]["counts"] == counts_without([3])


def test_names_with_blanks_and_marks_are_read_and_named(texts: Path, score: Score) -> None:
    for number in range(4):
        (texts / f"p-{number}.gz").rename(texts / f"p {{a}}. [{number}] %20?é.gz")
    cut(texts / "p {a}. [2] %20?é.gz")
    found, message = score(texts, "r-*", f"{texts}/p *", "--on-error", "skip")
    assert found["predictions"][0]["counts"] == counts_without([2])
    assert f"left out: {texts}/p {{a}}. [2] %20?é.gz: Spark cannot read the file: " in message


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("r-* none-*", "none-*: there is no such file or folder, and no file matches it as a pattern."),
        ("none.parquet", "none.parquet: there is no such file or folder, and no file matches it as a pattern."),
        (
            "r-0.gz p.parquet",
            "p.parquet: this is a table, by its name; a table holds both sides and takes no PREDICTION.",
        ),
    ],
)
def test_a_missing_file_is_reported_in_one_line(texts: Path, score: Score, files: str, message: str) -> None:
    assert score(texts, files, status=2) == (None, f"segmentation-scores: error: {texts}/{message}\n")


def test_scores_of_lines_stand_with_the_files_and_the_lines_that_they_are_of(texts: Path, score: Score) -> None:
    cut(texts / "p-0.gz")
    folder = texts / "lines"
    score(texts, "r-* p-*", "--on-error", "skip", "--scores", "token", "--per-utterance", str(folder))
    table = pq.read_table(folder).sort_by([("file", "ascending"), ("line", "ascending")])
    assert table.column_names == ["file", "line", "token_precision", "token_recall", "token_fscore", "error"]
    places = [
        (f"{texts}/p-{number}.gz", line) for number in (1, 2, 3) for line in range(1, len(CORPUS[0][PARTS[number]]) + 1)
    ]
    assert list(zip(table["file"].to_pylist(), table["line"].to_pylist(), strict=True)) == places
    lines = zip(*(side[20:] for side in CORPUS), strict=True)
    expected = [naive_scores([reference], [prediction])["token_recall"] for reference, prediction in lines]
    assert table["token_recall"].to_pylist() == pytest.approx(expected, abs=1e-12)
