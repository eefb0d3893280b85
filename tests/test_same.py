"""The comparison of two checkouts finds a changed score, and nothing else."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .docs.pages import ROOT

PROGRAM = ROOT / "benchmarks" / "same.py"

#: Ends `segscores/__init__.py`: scores differ in their last digits.
CHANGE = """
_score = __getattr__("score")


def score(*arguments, **options):
    return {key: value * (1 + 1e-15) for key, value in _score(*arguments, **options).items()}
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the program limits the time of requests by signals")


def compare(old: Path, *arguments: object) -> tuple[int, Any]:
    """Compare few requests of two kinds; gives the status and what was found."""
    options = ["--requests", "6", "--kinds", "score", "errors", "--json", *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, PROGRAM, "--old", old, *options], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A checkout with CHANGE."""
    old = tmp_path / "old"
    shutil.copytree(ROOT / "segscores", old / "segscores")
    for name in ("pyproject.toml", "tests/public_surface.txt"):
        (old / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, old / name)
    with (old / "segscores" / "__init__.py").open("a", encoding="utf-8") as file:
        file.write(CHANGE)
    return old


@pytest.mark.slow
def test_a_changed_score_is_found(old: Path) -> None:
    status, found = compare(old)
    assert status == 1
    assert found["requests"].keys() == {"score", "errors"}
    assert found["differing"]
    assert all(line.startswith("score result.") for line in found["differences"])


@pytest.mark.slow
def test_a_change_that_is_expected_is_no_finding(old: Path, tmp_path: Path) -> None:
    expected = tmp_path / "expected.txt"
    expected.write_text("# the last digits\n^score result\\.\\w+: 'float", encoding="utf-8")
    status, found = compare(old, "--expect", expected)
    assert (status, found["differing"]) == (0, [])
    assert found["expected"]
