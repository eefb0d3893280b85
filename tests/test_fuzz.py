"""The fuzzer runs for some seconds without a finding, and finds faults that a test inserts."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from .docs.pages import ROOT, module_of

PROGRAM = ROOT / "benchmarks" / "fuzz.py"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the fuzzer sends POSIX signals")


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    """The fuzzer."""
    return module_of(PROGRAM)


@pytest.mark.slow
def test_some_seconds_find_nothing() -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, "--seconds", "8", "--seed", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    *kinds, last = done.stdout.splitlines()
    assert last.endswith(" 0 findings")
    assert not [line for line in kinds if ": 0 cases" in line]


def test_a_wrong_score_is_found(fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = fuzz.score
    monkeypatch.setattr(fuzz, "score", lambda *a, **k: {key: value + 1e-6 for key, value in right(*a, **k).items()})
    problems = [fuzz.attack("scores", 1, case, tmp_path) for case in range(5)]
    assert any("the naive scorer has" in problem for problem in problems)


@pytest.mark.parametrize(
    ("ended", "problem"),
    [
        ((0, "score", ""), ""),
        ((2, "", "segscores: error: no.\n"), ""),
        ((3, "", ""), "status 3"),
        ((2, "score", "segscores: error: no.\n"), "printed before it failed"),
        ((2, "", "Traceback (most recent call last):\nValueError\n"), "not one line of error"),
        ((2, "", "segscores: error: \x1b[31m\n"), "not printable"),
    ],
)
def test_a_run_that_ends_badly_is_found(
    fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended: tuple[int, str, str], problem: str
) -> None:
    monkeypatch.setattr(sys.modules["fuzz_command"], "run", lambda *_: ended)
    found = fuzz.attack("options", 1, 0, tmp_path)
    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        # The last of several predictions.
        ("systems", (" p.txt q.txt ", '("scores": {[^:]*: )[-.0-9]+(?!.*"scores")', r"\g<1>7.5", "the naive scorer has")),
        ("groups", ("tagged", '(_recall": )', r"\g<1>1", "without groups")),
        ("counts", ("table", "count_", "", "a name twice")),
        ("counts", ("csv", "(units,)", r"\g<1>1", "JSON has")),
        ("long", ("align", '(unit_error_rate": )', r"\g<1>1", "errors of units")),
    ],
)  # fmt: skip
def test_a_wrong_output_is_found(
    fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, fault: tuple[str, str, str, str]
) -> None:
    (flag, old, new, problem), right = fault, fuzz.run

    def run(arguments: Sequence[str]) -> tuple[int, str, str]:
        status, output, message = right(arguments)
        return status, re.sub(old, new, output, flags=re.DOTALL) if flag in " ".join(arguments) else output, message

    monkeypatch.setattr(sys.modules["fuzz_surfaces"], "run", run)
    # The first case that shows the fault is enough.
    problems = (fuzz.attack(kind, 1, case, tmp_path) for case in range(2 if kind == "long" else 12))
    assert any(problem in found for found in problems)


@pytest.mark.parametrize(("kind", "written"), [("forms", ("TABLES", ".csv")), ("recordings", ("TIMES", ".ctm"))])
def test_a_file_that_is_read_as_something_else_is_found(
    fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, written: tuple[str, str]
) -> None:
    writers, ending = written
    right = getattr(sys.modules["fuzz_forms"], writers)

    def write_twice(*arguments: object) -> object:
        """Write the last utterance, or the last interval, twice."""
        *name, rows = arguments
        assert isinstance(rows, list)
        return right[ending](*name, [*rows, rows[-1]])

    monkeypatch.setattr(sys.modules["fuzz_forms"], writers, {ending: write_twice})
    problems = [fuzz.attack(kind, 1, case, tmp_path) for case in range(4)]
    assert all(problems), problems
