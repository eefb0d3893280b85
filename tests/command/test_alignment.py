"""`segmentation-scores alignment`: ARCADE's example in files, the form of the lines, and bad files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from segscores.bitext.alignment import LEVELS, score_alignment

from .running import run_command

FILES = {
    "reference": "[0]:[0]\n[1]:[1, 2]\n",
    "prediction": "[0]:[0]:0.156006\n[]:[1]:0.000000\n[1]:[2]:0.217155\n",
    "sources": "Ceci est la phrase numéro un.\nCeci est la phrase numéro deux, qui ressemble à la première.\n",
    "targets": "This is the first sentence.\nThis is the second sentence.\nIt looks like the first.\n",
}


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """A working folder with ARCADE's example."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> None:
    run_command("alignment", *arguments)


def scored(capsys, *arguments: str) -> list[dict]:
    run(*arguments, "--format", "json")
    return json.loads(capsys.readouterr().out)["predictions"]


ALL = ("reference", "prediction", "--sources", "sources", "--targets", "targets")


def test_arcade_example_in_files(files, capsys):
    (result,) = scored(capsys, *ALL, "--counts")
    assert result["prediction"] == "prediction"
    assert {key: round(value, 2) for key, value in result["scores"].items() if key.startswith(("align", "char"))} == {
        "alignment_precision": 0.33,
        "alignment_recall": 0.5,
        "alignment_fscore": 0.4,
        "character_precision": 1.0,
        "character_recall": 0.57,
        "character_fscore": 0.73,
    }
    assert (result["counts"]["character_matched"], result["counts"]["character_reference"]) == (2223, 3903)
    assert list(result["scores"]) == [key for level in LEVELS.values() for key in level.keys]


@pytest.mark.parametrize(
    "line",
    [
        "[1]:[1,2]",
        "[1]:[1, 2]:0.5",
        " [ 1 ] : [ 2 , 1 ] ",
        "[1,]:[1,2,]",
        "[1]:[1,2]:",
        "[1]:[1,2]:nan:x",
        "[1]:[1,2]\r",
    ],
)
def test_forms_of_a_line(files, capsys, line):
    Path("prediction").write_bytes(f"\ufeff[0]:[0]\n{line}".encode())
    (result,) = scored(capsys, *ALL)
    assert set(result["scores"].values()) == {1.0}


def test_blank_and_last_lines_of_the_texts_are_segments(files, capsys):
    Path("sources").write_bytes(b"a b\r\n\r\nc")
    Path("targets").write_text("d\u2028e\x85\n", encoding="utf-8")
    Path("reference").write_text("[0]:[0]\n[1]:[0]\n[2]:[0]\n")
    (result,) = scored(capsys, "reference", "reference", "--sources", "sources", "--targets", "targets", "--counts")
    # Other line separators are whitespace within a segment: the target has two words and four characters.
    expected = {"sentence_matched": 3, "word_matched": (2 + 0 + 1) * 2, "character_matched": (3 + 0 + 1) * 4}
    assert expected.items() <= result["counts"].items()
    Path("prediction").write_text("[3]:[0]\n")
    with pytest.raises(ValueError, match=r"prediction, line 1: the source segment 3 is out of range"):
        run(*ALL)


def test_the_file_scores_what_the_function_scores(files, capsys):
    Path("prediction").write_text("[]:[]\n[1,0]:[2,0]\n[0]:[]\n[1,0]:[2,0]\n")
    (result,) = scored(capsys, "reference", "prediction")
    predictions = [[([], []), ([1, 0], [2, 0]), ([0], []), ([1, 0], [2, 0])]]
    assert result["scores"] == score_alignment([[([0], [0]), ([1], [1, 2])]], predictions)


@pytest.mark.parametrize(
    "line", ["", "0:0", "[0]", "[0]:", "[0][0]", "[a]:[0]", "[0 1]:[0]", "[0.0]:[0]", "[0]\t[0]", "[²]:[0]"]
)
def test_the_error_names_a_line_that_is_not_a_bisegment(files, line):
    Path("prediction").write_text(f"[0]:[0]\n{line}\n[1]:[1]\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^prediction, line 2: received .*; expected source and target segments"):
        run("reference", "prediction")


@pytest.mark.parametrize("name", ["reference", "prediction"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[0]:[3]", r"the target segment 3 is out of range: expected numbers from 0 to 2\. Are they counted from 1\?"),
        ("[-1]:[0]", "the source has the segment number -1; expected numbers from 0"),
    ],
)
def test_a_segment_number_out_of_range_is_named(files, name, line, message):
    Path(name).write_text(f"[0]:[0]\n{line}\n")
    with pytest.raises(ValueError, match=f"^{name}, line 2: {message}"):
        run(*ALL)
