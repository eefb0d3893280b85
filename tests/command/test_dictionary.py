"""`score --dictionary`: negative segments of files (Jiang et al. 2011)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from segscores.command.main import main


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The document's gold standard G4, `XYX`, its system S2, `X/YX`, and its dictionary; with a mark and CRLF."""
    monkeypatch.chdir(tmp_path)
    Path("reference.txt").write_text("XYX\n")
    Path("prediction.txt").write_text("X YX\n")
    Path("dictionary.txt").write_bytes(b"\xef\xbb\xbfX\r\nY\r\nXY\r\nYX\r\nXYX\r\n\r\n")
    Path("acceptable.txt").write_text("X\nYX\n")
    return tmp_path


def scored(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, float]:
    assert main(["score", "reference.txt", "prediction.txt", "--format", "json", *options]) == 0
    return json.loads(capsys.readouterr().out)["predictions"][0]["scores"]


@pytest.mark.usefixtures("files")
def test_the_dictionary_adds_its_scores_to_the_default_set(capsys: pytest.CaptureFixture[str]) -> None:
    scores = scored(capsys, "--dictionary", "dictionary.txt")
    assert len(scores) == 17
    # NS of XYX: X1, Y2, X3, XY1, YX2. NS of X/YX: Y2, X3, XY1, XYX1.
    assert (scores["dictionary_tnr"], scores["dictionary_npv"]) == (3 / 5, 3 / 4)


@pytest.mark.usefixtures("files")
def test_acceptable_segments_are_no_negatives(capsys: pytest.CaptureFixture[str]) -> None:
    scores = scored(
        capsys, "--dictionary", "dictionary.txt", "--acceptable", "acceptable.txt", "--scores", "dictionary"
    )
    # Of the five Y2 and XY1 are left; the prediction has XYX1 besides.
    assert (scores["dictionary_tnr"], scores["dictionary_npv"]) == (2 / 2, 2 / 3)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scores", "dictionary"], "--dictionary: --scores dictionary needs it"),
        (["--dictionary", "none.txt"], "none.txt: there is no such file"),
        (["--dictionary", "/dev/null"], "--dictionary: it is empty"),
    ],
)
def test_a_dictionary_that_does_not_do_is_an_error(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "reference.txt", "prediction.txt", *options]) == 2
    assert message in capsys.readouterr().err
