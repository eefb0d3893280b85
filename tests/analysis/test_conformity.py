"""`conform` of programs whose definitions are known, and of real ones; docs/how-to/other-scorers.md has two more."""

import json
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

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
    assert main(["conform", scorer, "--pattern", PATTERN]) == 1
    assert "\none word: ab / c d against ab / c d.\n" in capsys.readouterr().out
    assert main(["conform", scorer, "--pattern", "(?P<name>P) (?P<value>[0-9.]+)"]) == 0


@pytest.mark.parametrize(
    ("command", "pattern", "message"),
    [
        ("scorer {reference}", ".", r"expected \{prediction\}"),
        ("echo '{reference} {prediction}", ".", r"^command: received .*; expected words .* \(No closing quotation\)"),
        ("true {reference} {prediction}", "(", "no regular expression"),
        ("true {reference} {prediction}", r"\d", "finds no number"),
        ("echo x {reference} {prediction}", "^.", "pattern: it finds 'x' in what echo printed; expected a number"),
        ("ls -Q {reference}x {prediction}", r"^\d$", "It ended with status 2: .*reference.txtx"),
    ],
)
def test_what_is_no_scorer(command: str, pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        segscores.conform(command, pattern=pattern)


def test_a_list_is_no_command_line() -> None:
    command: Any = ["scorer", "{reference}", "{prediction}"]
    with pytest.raises(TypeError, match=r"command: .*\(list\).*shlex\.join"):
        segscores.conform(command)


#: Programs that wait for input, print without end, also in the background, or print bytes that are not text, and what is said.
FAULTY = {
    "import sys; sys.stdin.read()": "finds no number",
    "while True: print('.' * 1000)": "with the case 'a boundary missed': it printed more than 1,048,576 bytes",
    "import subprocess; subprocess.run(['yes'])": "it printed more than 1,048,576 bytes",
    "print('0.5 ' * 1000)": "it finds more than 200 numbers",
    "import sys; sys.stderr.write('x' * 10_000_000 + '\\nbroken\\n'); sys.exit(3)": "ended with status 3: broken",
}


@pytest.mark.parametrize("program", FAULTY)
def test_programs_that_do_not_do_their_work(program: str) -> None:
    with pytest.raises(ValueError, match=FAULTY[program]):
        segscores.conform(_command(program))


@pytest.mark.slow
def test_a_program_that_hangs_runs_once() -> None:
    """Both programs, the second of which waits for a program of its own, run at the same time, because each takes a minute."""

    def fault(program: str) -> str:
        with pytest.raises(ValueError, match="'a boundary missed'") as raised:
            segscores.conform(_command(program))
        return str(raised.value)

    programs = ["import time; time.sleep(1000)", "import subprocess; subprocess.run(['sleep', '1000'])"]
    start = time.monotonic()
    with ThreadPoolExecutor(len(programs)) as executor:
        for found in executor.map(fault, programs):
            assert "it took more than 60 seconds" in found
    assert time.monotonic() - start < 100


def test_bytes_that_are_no_text_are_no_numbers() -> None:
    program = "import sys; sys.stdout.buffer.write(bytes([255]) + b' 4.5')"
    (row,) = segscores.conform(_command(program))
    assert (row.cases, row.printed) == (9, "4.5")


#: With the precision and the recall of inner boundaries.
COUNTED = """
import sys
def cuts(line):
    words = line.split()
    return {sum(map(len, words[:at])) for at in range(1, len(words))}
pairs = [tuple(map(cuts, pair)) for pair in zip(*(open(path, encoding="utf-8") for path in sys.argv[1:]))]
shared, predicted, expected = (sum(len(f(r, p)) for r, p in pairs) for f in (set.__and__, lambda r, p: p, lambda r, p: r))
"""


@pytest.mark.parametrize(
    ("printed", "score", "case"),
    [
        # The first case has no predicted boundary.
        ("print(shared / predicted if predicted else float('nan'))", "boundary_noedge_precision", ""),
        # None has an undefined recall.
        ("print(shared / expected if shared else float('nan'))", "boundary_noedge_recall", "a boundary missed"),
        ("print(shared / expected)", "boundary_noedge_recall", ""),
        ("print(0.0, 1.0, float('nan'), '0.0' + '0' * predicted)", "", "a boundary missed"),
    ],
)
def test_nan_and_numbers_that_are_always_the_same(tmp_path: Path, printed: str, score: str, case: str) -> None:
    path = tmp_path / "scorer.py"
    path.write_text(COUNTED + printed, encoding="utf-8")
    command = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(path))} {{reference}} {{prediction}}"
    rows = segscores.conform(command, pattern=r"\S+")
    assert len(rows) == printed.count(", ") + 1
    for row in rows:
        assert (row.score, row.case) == (score, case)
        assert (row.note == "the same number in every case") is (score == "")


def test_signs_and_exponents_belong_to_numbers() -> None:
    rows = segscores.conform(_command("print('a=-4.5e-01 0.1-4.5')"))
    assert [row.printed for row in rows] == ["-4.5e-01", "0.1", "4.5"]


def _command(program: str) -> str:
    return f"{shlex.quote(sys.executable)} -S -c {shlex.quote(program)} {{reference}} {{prediction}}"


@pytest.mark.slow
def test_the_ud_evaluation() -> None:
    command = f"{Path(sys.executable).with_name('udeval')} -v {{reference}} {{prediction}}"
    (row,) = segscores.conform(command, pattern=r"Tokens .*\| +(?P<value>[\d.]+) \|", write="conllu")
    assert (row.score, dict(row.options), row.case) == ("token_fscore", {}, "")
