"""`segmentation-scores halves`: the same as `half_agreement` on the lines of the files, and bad files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from segscores import __version__
from segscores.command.cli import build_parser
from segscores.statistics.correlation import half_agreement

REFERENCE = ["ab c d", "a bc", "", "a b c", "abc d", "d cb a", "ab"] * 3
SYSTEMS = {
    "one": ["ab cd", "a bc", "", "a b c", "abc d", "dc b a", "ab"] * 3,
    "two": ["a b c d", "a b c", "", "a b c", "a b c d", "d c b a", "a b"] * 3,
    "three": ["abcd", "abc", "", "ab c", "abcd", "dcba", "ab"] * 3,
}


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """A working folder with a reference and three predictions."""
    monkeypatch.chdir(tmp_path)
    for name, utterances in {"reference": REFERENCE, **SYSTEMS}.items():
        Path(name).write_text("\n".join(utterances) + "\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> None:
    parser = build_parser()
    options = parser.parse_args(["halves", *arguments])
    options.run(options)


@pytest.mark.parametrize("part_bytes", [1 << 20, 16])
@pytest.mark.parametrize(
    "negatives",
    [
        {},
        {"dictionary": ["a", "ab", "bc", "c"]},
        {"dictionary": ["a", "ab", "bc", "c"], "acceptable": ["bc", "a"]},
    ],
    ids=lambda negatives: " and ".join(negatives) or "no dictionary",
)
def test_files_give_what_lists_give(files, capsys, monkeypatch, part_bytes, negatives):
    monkeypatch.setattr("segscores.corpora.sources.PART_BYTES", part_bytes)
    extra = []
    for option, segments in negatives.items():
        Path(option).write_text("\n".join(segments) + "\n", encoding="utf-8")
        extra += [f"--{option}", option]
    run("reference", *SYSTEMS, "--splits", "9", "--seed", "4", "--format", "csv", *extra)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    expected = half_agreement(REFERENCE, SYSTEMS, n_splits=9, seed=4, text_format="words", **negatives)
    assert [row["score"] for row in rows] == [row.score for row in expected]
    assert [float(row["mean"]) for row in rows] == pytest.approx([row.mean for row in expected], nan_ok=True)
    assert [float(row["deviation"]) for row in rows] == pytest.approx([row.deviation for row in expected], nan_ok=True)


def test_units_text_and_chosen_scores(files, capsys):
    for name in ("reference", *SYSTEMS):
        lines = Path(name).read_text(encoding="utf-8").splitlines()
        text = "\n".join(" # ".join(" ".join(word) for word in line.split()) for line in lines)
        Path(name).write_text(text + "\n", encoding="utf-8")
    run("reference", *SYSTEMS, "--text-format", "units", "--word-boundary", "#", "--scores", "token,tnr")
    _, _, *rows, _, signature = capsys.readouterr().out.splitlines()
    assert signature == f"signature: segscores|text:units|wb:#|avg:micro|zero:0|splits:100|seed:0|n:21|v:{__version__}"
    assert [row.split()[0] for row in rows] == ["token_precision", "token_recall", "token_fscore", "token_tnr"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reference", "one", "two"), "received 2 PREDICTION: expected at least 3"),
        (("-", "one", "two", "-"), r"standard input \(-\) can be read only once"),
        (("reference", "one", "two", "none"), "none: there is no such file"),
        (("reference", "one", "one", "one"), "one is named twice: expected every prediction once"),
        (("reference", "one", "two", "short"), "reference has 21 lines and short has 2 lines"),
        (("short", "one", "two", "three"), "short has 2 lines and one has 21 lines"),
        (("reference", "one", "two", "other"), "reference and other, line 2: the units differ"),
        (("empty", "empty", "./empty", "././empty"), "empty: the file is empty"),
        (("reference", *SYSTEMS, "--scores", "type"), "scores='type': type scores are not sums"),
        (("reference", *SYSTEMS, "--acceptable", "short"), "acceptable: it goes with dictionary=…"),
        (("-", *SYSTEMS, "--dictionary", "-"), r"standard input \(-\) can be read only once"),
        (("reference", *SYSTEMS, "--splits", "0"), "n_splits: expected an integer from 1 to 1000000"),
        (("reference", *SYSTEMS, "--word-boundary", "#"), "--word-boundary and --ignored-tokens are for units text"),
    ],
)
def test_bad_input(files, arguments, message):
    Path("short").write_text("ab c d\na bc\n", encoding="utf-8")
    Path("other").write_text("\n".join([REFERENCE[0], "axc", *REFERENCE[2:]]) + "\n", encoding="utf-8")
    Path("empty").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        run(*arguments)
