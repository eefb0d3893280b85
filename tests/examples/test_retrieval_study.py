"""The retrieval study: its parts by hand, and the whole in a small setting."""

from __future__ import annotations

import csv
import random
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def study(example) -> ModuleType:
    return example("retrieval_study")


@pytest.mark.parametrize(
    ("relevant", "found", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], 1),
        ([1, 2, 3], [3, 1, 2], 1),
        ([1, 2, 3, 4], [1, 9, 2], (1 + 2 / 3) / 4),
        ([1], [8, 9, 1], 1 / 3),
        ([1], [], 0),
        ([], [1], 0),
    ],
)
def test_average_precision_by_hand(study, relevant, found, expected):
    assert study.average_precision(relevant, found) == pytest.approx(expected)


def test_corruption_keeps_the_characters_and_its_rates(study):
    words = ["中共中央", "的", "新年", "讲话"] * 500
    text = "".join(words)

    def ends(words: list[str]) -> set[int]:
        total, found = 0, set()
        for word in words:
            total += len(word)
            found.add(total)
        return found

    corrupted = study.corrupt(words, random.Random(0), merge=0.2, split=0.4)
    assert "".join(corrupted) == text
    reference, predicted = ends(words), ends(corrupted)
    assert 1 - len(reference & predicted) / len(reference) == pytest.approx(0.2, abs=0.03)
    assert len(predicted - reference) / (len(text) - len(reference)) == pytest.approx(0.4, abs=0.03)


def test_queries_are_plain_spans_of_the_text_and_seeded(study, example):
    text = example("peoples_daily").read_text(200)
    queries = study.draw_queries(text, 20, random.Random(3))
    assert queries == study.draw_queries(text, 20, random.Random(3))
    assert len({tuple(query) for query in queries}) == 20
    for query in queries:
        assert 4 <= len("".join(query)) <= 10
        assert any(words[start : start + len(query)] == query for words in text for start in range(len(words)))


def test_too_many_queries_are_refused(study):
    with pytest.raises(ValueError, match="use more lines or fewer queries"):
        study.draw_queries([["新世纪", "讲话"]], 2, random.Random(0))


def test_engine_finds_phrases_and_combines_them(study):
    text = [["上海", "的", "海滩"], ["海上", "的", "滩"], ["上海", "人"]]
    with closing(study.build_index(text, 1)) as database:

        def found(query: str) -> set[int]:
            return set(study.search(database, query, 10))

        assert found(study.segmented_query(["上海"], "AND")) == {1, 3}
        assert found(study.segmented_query(["上海", "滩"], "AND")) == {1}
        assert found(study.segmented_query(["上海", "滩"], "OR")) == {1, 2, 3}
        assert found(study.unsegmented_query("上海滩")) == {1, 3}
        assert len(study.search(database, study.segmented_query(["上", "海"], "OR"), 2)) == 2


def test_small_study_runs_end_to_end(study, tmp_path, capsys):
    path = tmp_path / "table.csv"
    study.main(["--lines", "300", "--queries", "8", "--operator", "OR", "--write", str(path)])
    systems, correlations = capsys.readouterr().out.split("\n\n")
    assert {"reference", "jieba", "characters"} <= {line.split()[0] for line in systems.splitlines()}
    assert "token_fscore" in correlations
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row.pop("system"): {key: float(value) for key, value in row.items()} for row in csv.DictReader(file)}
    assert rows["reference"]["token_fscore"] == rows["reference"]["dictionary_tnr"] == 1
    assert rows["characters"]["boundary_noedge_recall"] == 1
    assert rows["whole query"]["token_fscore"] == 0
    assert all(0 <= row["map"] <= 1 for row in rows.values())
    assert rows["reference"]["map"] > rows["whole query"]["map"]


def test_text_too_short_for_the_queries_is_an_error_without_a_traceback(study, capsys):
    with pytest.raises(SystemExit, match="2"):
        study.main(["--lines", "3", "--queries", "1000"])
    assert "use more lines or fewer queries" in capsys.readouterr().err


@pytest.mark.parametrize("argument", ["--queries", "--lines", "--lines-per-document", "--depth"])
def test_numbers_below_one_are_refused(study, capsys, argument):
    with pytest.raises(SystemExit, match="2"):
        study.main([argument, "0"])
    assert f"{argument}: expected at least 1, received 0" in capsys.readouterr().err
