"""Options in type checkers: a misspelled option, or one of another type, is an error of mypy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

PROGRAM = """\
import segscores

sides = (["a"], ["a"])
metric = segscores.load()
segscores.score(*sides, textformat="words")  # text_format
segscores.score(*sides, seed="x")  # int
segscores.tally(*sides, tolerence=1)  # tolerance
segscores.per_utterance(*sides, score="token")  # scores
segscores.compare(["a"], {"a": ["a"]}, text_fromat="words")  # text_format
segscores.analyse_errors(*sides, textformat="words")  # text_format
segscores.as_compute_metrics(labelscheme="start")  # label_scheme
metric.compute(references=["a"], predictions=["a"], textformat="words")  # text_format
segscores.load("alignment").compute(references=[], predictions=[], score="strict")  # scores
segscores.score(*sides, text_format="words", confidence=0.9, tolerance=2)
metric.compute(references=["a"], predictions=["a"], text_format="words", seed=1)
segscores.per_utterance(*sides, worst="token_fscore")
"""


@pytest.mark.slow
def test_mypy_names_the_option_that_was_meant(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is of the extra dev")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    # With the cache of the project's own check.
    command = [sys.executable, "-m", "mypy", str(program)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    found = {int(line): message for line, message in re.findall(r"program\.py:(\d+): error: (.*)", ran.stdout)}
    meant = {number: line.split("# ")[1] for number, line in enumerate(PROGRAM.splitlines(), 1) if "# " in line}
    assert found.keys() == meant.keys(), ran.stdout
    for number, name in meant.items():
        assert f'"{name}"' in found[number]
