"""Clusters on the command line: of a file, a column, documents and blocks of lines, as Python takes them; and bad input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from segscores import compare
from segscores.command.main import main
from segscores.metric import SegmentationScores

from ..naive import random_corpus_pair, words_text

# The documents here are few and of several sizes.
pytestmark = pytest.mark.filterwarnings("ignore:\\d+ clusters count as about:UserWarning")

# CoNLL-U has no blank sentences.
_PAIRS = [pair for pair in zip(*random_corpus_pair(120, seed=3, units="abcd"), strict=True) if pair[0]][:80]
REFERENCE, PREDICTION = (words_text([pair[side] for pair in _PAIRS]) for side in (0, 1))
THIRD = ["".join(line.split()) for line in REFERENCE]
#: Documents of one to seven sentences, not all of the same length.
IDS = [f"d{index}" for index in range(41) for _ in range(1 + index % 3)][:80]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref.txt": REFERENCE, "a.txt": PREDICTION, "b.txt": THIRD, "ids": IDS}.items():
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, lines in {"ref": REFERENCE, "a": PREDICTION, "b": THIRD}.items():
        Path(f"{name}.conllu").write_text(conllu(lines), encoding="utf-8")
    numbers = [int(name[1:]) for name in IDS]
    table = {"reference": REFERENCE, "prediction": PREDICTION, "doc": IDS, "number": numbers}
    table["gap"] = [*IDS[:5], None, *IDS[6:]]
    pq.write_table(pa.table(table), "both.parquet", row_group_size=30)
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    Path("both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def conllu(lines: Sequence[str]) -> str:
    sentences = []
    for index, line in enumerate(lines):
        head = "# newdoc id = x\n" if index and IDS[index] != IDS[index - 1] else ""
        words = "".join(f"{number}\t{word}\n" for number, word in enumerate(line.split(), 1))
        sentences.append(f"{head}# sent_id = {index}\n{words}8.1\tempty\n")
    return "\n".join(sentences) + "\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["ref.txt", "a.txt", "--clusters", "ids"], IDS),
        (["ref.txt", "a.txt", "--clusters", "every:7"], [index // 7 for index in range(80)]),
        (["ref.conllu", "a.conllu", "--clusters", "newdoc"], IDS),
        (["ref.conllu", "a.txt", "--clusters", "newdoc"], IDS),
        (["both.parquet", "--clusters", "column:doc"], IDS),
        (["both.parquet", "--clusters", "column:number"], IDS),
        (["both.jsonl", "--clusters", "column:doc"], IDS),
        (["both.jsonl", "--clusters", "column:number"], IDS),
    ],
    ids=lambda value: " ".join(value) if "-" in str(value) else "",
)
def test_score_takes_clusters(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], ids: list[Any]
) -> None:
    found = run(capsys, "score", *arguments, "--confidence", "0.9")
    expected = SegmentationScores().compute(
        references=REFERENCE, predictions=PREDICTION, text_format="words", confidence=0.9, clusters=ids
    )
    assert found["predictions"][0]["scores"] == expected
    assert f"|clusters:{len(set(ids))}|" in found["signature"]


def test_compare_takes_clusters(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "compare", "ref.txt", "a.txt", "b.txt", "--clusters", "ids")
    compared = compare(REFERENCE, {"a.txt": PREDICTION, "b.txt": THIRD}, text_format="words", clusters=IDS)
    assert (found["clusters"], found["systems"]) == (41, json.loads(compared.to_json())["systems"])


def test_bad_utterances_are_left_out_of_their_clusters(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["x", *PREDICTION[1:40], "x", *PREDICTION[41:]]
    Path("bad.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = run(capsys, "score", "ref.txt", "bad.txt", "--confidence", "0.9", "--clusters", "ids", "--on-error", "skip")
    kept = [index for index in range(80) if index not in {0, 40}]
    expected = SegmentationScores().compute(
        references=[REFERENCE[index] for index in kept],
        predictions=[PREDICTION[index] for index in kept],
        text_format="words",
        confidence=0.9,
        clusters=[IDS[index] for index in kept],
    )
    assert found["predictions"][0]["scores"] == expected


@pytest.mark.parametrize(
    "command", [["score", "ref.conllu", "a.conllu", "--confidence", "0.9"], ["compare", "ref.conllu", "a.txt", "b.txt"]]
)
def test_documents_that_nothing_names_are_warned_of(
    files: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    def warned(*arguments: str) -> bool:
        assert main([*command, *arguments]) == 0
        told = " ".join(capsys.readouterr().err.split())
        return "ref.conllu consists of documents ('# newdoc')" in told and "Add --clusters newdoc" in told

    assert warned()
    assert not warned("--clusters", "newdoc")
    assert not warned("--clusters", "every:2")
    # Scores without intervals need no clusters.
    assert main(["score", "ref.conllu", "a.conllu"]) == 0
    assert capsys.readouterr().err == ""


def test_documents_are_those_of_a_reference_that_is_recognised(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    Path("ref.tsv").write_text(full_conllu(REFERENCE), encoding="utf-8")
    options = ("a.txt", "--confidence", "0.9", "--scores", "token")
    expected = run(capsys, "score", "ref.conllu", *options, "--clusters", "newdoc")
    found = run(capsys, "score", "ref.tsv", *options, "--clusters", "newdoc")
    assert (found["predictions"], found["signature"]) == (expected["predictions"], expected["signature"])
    assert main(["score", "ref.tsv", *options]) == 0
    assert "ref.tsv consists of documents ('# newdoc')" in capsys.readouterr().err


def full_conllu(lines: Sequence[str]) -> str:
    """As `conllu`, with all ten columns."""
    rows = (line + "\t_" * (9 - line.count("\t")) if line[:1].isdigit() else line for line in conllu(lines).split("\n"))
    return "\n".join(rows)


def test_one_of_several_tables_may_have_no_rows(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    lines = Path("both.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for name, some in {"part0.jsonl": lines[:33], "part1.jsonl": [], "part2.jsonl": lines[33:]}.items():
        Path(name).write_text("".join(some), encoding="utf-8")
    options = ("--confidence", "0.9", "--clusters", "column:doc")
    found, expected = (run(capsys, "score", name, *options) for name in ("part*.jsonl", "both.jsonl"))
    assert (found["predictions"], found["signature"]) == (expected["predictions"], expected["signature"])


def test_a_byte_order_mark_hides_no_document(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    # One word alone, so that a mark before it would hide the sentence, and the first comment in the file is the only one.
    sentence = "1\tdog\n\n"
    for name, text in {"one": sentence * 3 + "# newdoc\n" + sentence * 2, "two": "# newdoc\n" + sentence * 3}.items():
        for mark in ("", "\ufeff"):
            Path(f"{'marked' if mark else 'plain'}.{name}.conllu").write_text(mark + text, encoding="utf-8")
    options = ("--confidence", "0.9", "--scores", "token", "--clusters", "newdoc")
    found, expected = (
        run(capsys, "score", f"{kind}.*.conllu", f"{kind}.*.conllu", *options) for kind in ("marked", "plain")
    )
    assert found["signature"] == expected["signature"]
    assert "|clusters:3|" in found["signature"]
    assert main(["score", "marked.two.conllu", "marked.two.conllu", "--confidence", "0.9", "--scores", "token"]) == 0
    assert "marked.two.conllu consists of documents" in capsys.readouterr().err
