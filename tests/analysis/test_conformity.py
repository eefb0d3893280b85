"""`conform` of programs whose definitions are known, and of real ones; docs/how-to/other-scorers.md has two more."""

import json
import shlex
import sys
from pathlib import Path

import pytest

import segscores
from segscores.apps.command.main import main

#: Prints precision in percent, recall without the last line, and a mean over lines, of inner boundaries.
SCORER = """
import sys
def cuts(line):
    words = line.split()
    return {sum(map(len, words[:at])) for at in range(1, len(words))}
sides = [[cuts(line) for line in open(path, encoding="utf-8")] for path in sys.argv[1:]]
pairs = list(zip(*sides))
shared, predicted = (sum(len(f(*pair)) for pair in pairs) for f in (set.__and__, lambda r, p: p))
first = pairs[:1]
print(f"P {100 * shared / predicted if predicted else 0:.2f}")
print(f"R {sum(len(r & p) for r, p in first) / (sum(len(r) for r, p in first) or 1):.4f}")
means = [len(r & p) / len(r) for r, p in pairs if r]
print(f"M {sum(means) / len(means):.6f}")
"""
PATTERN = r"(?P<name>[PRM]) (?P<value>[\d.]+)"


@pytest.fixture
def scorer(tmp_path: Path) -> str:
    path = tmp_path / "scorer.py"
    path.write_text(SCORER, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} -S {shlex.quote(str(path))} {{reference}} {{prediction}}"


def test_definitions_and_the_smallest_case_that_differs(scorer: str) -> None:
    precision, recall, mean = segscores.conform(scorer, pattern=PATTERN)
    assert (precision.number, precision.score, dict(precision.options), precision.case) == (
        "P", "boundary_noedge_precision", {}, ""
    )  # fmt: skip
    assert (mean.score, dict(mean.options), mean.agrees) == ("boundary_noedge_recall", {"average": "macro"}, mean.cases)
    # The nearest is the mean over lines, with 0 for the first line, which has no boundary.
    assert recall.score == "boundary_noedge_recall"
    assert recall.agrees < recall.cases
    assert (recall.case, recall.printed, recall.expected) == ("one word", "0.0000", 0.5)


def test_the_command_prints_the_rows_and_its_status(scorer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", scorer, "--pattern", PATTERN, "--format", "json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [(row["number"], row["agrees"]) for row in rows][::2] == [("P", "9 of 9"), ("M", "9 of 9")]
    assert main(["conform", scorer, "--pattern", "(?P<name>P) (?P<value>[0-9.]+)"]) == 0


@pytest.mark.parametrize(
    ("command", "pattern", "message"),
    [
        ("scorer {reference}", ".", r"expected \{prediction\}"),
        ("true {reference} {prediction}", "(", "no regular expression"),
        ("true {reference} {prediction}", r"\d", "finds no number"),
        ("ls -Q {reference}x {prediction}", r"^\d$", "It ended with status 2: .*reference.txtx"),
    ],
)
def test_what_is_no_scorer(command: str, pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        segscores.conform(command, pattern=pattern)


def test_the_ud_evaluation() -> None:
    command = f"{Path(sys.executable).with_name('udeval')} -v {{reference}} {{prediction}}"
    (row,) = segscores.conform(command, pattern=r"Tokens .*\| +(?P<value>[\d.]+) \|", write="conllu")
    assert (row.score, dict(row.options), row.case) == ("token_fscore", {}, "")
