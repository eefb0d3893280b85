"""The core: what works with the dependencies of the package alone, without its extras."""

import subprocess
import sys
from pathlib import Path

import pytest

from segscores.apps.command.cli import subcommand_parsers

from .docs.pages import MODULES

ROOT = Path(__file__).resolve().parent.parent
#: A line for each subcommand.
COMMANDS = """
score reference.txt prediction.txt --output record.json
score reference.txt prediction.txt --scores all --vocabulary reference.txt --window-size 2 --tolerance 1
score reference.txt prediction.txt --confidence 0.9 --by length --format html
score reference.txt prediction.txt --on-mismatch align --scores unit_error
compare reference.txt prediction.txt other=reference.txt --format latex
errors reference.txt prediction.txt
errors reference.txt prediction.txt other=reference.txt
report reference.txt prediction.txt other=reference.txt --output report.html
curve reference.txt 1=prediction.txt 2=reference.txt --format csv
sweep two.txt scores.jsonl --format json
difficulty reference.txt --committee prediction.txt reference.txt --score prediction.txt
alignment bisegments.txt bisegments.txt
correlate table.csv --criterion map
identify reference.txt prediction.txt 0.6471 --scores token
verify record.json
conform --export vectors.json
groups
formats
cite token_fscore pk
completion bash
"""
FILES = {
    "two.txt": "the dog\nis on\n",
    "first.txt": "the dog\nison\n",
    "second.txt": "thedog\nis on\n",
    "scores.jsonl": "[0, 0, 0.5, 0, 0]\n[0, 1, 0]\n",
    "bisegments.txt": "[0]:[0]\n[1]:[1, 2]\n",
    "table.csv": "system,f,map\nCRF,1,0.1\njieba,2,0.2\nrules,3,0.4\n",
}
#: What the extra evaluate brings. Neither an import nor `find_spec` finds it.
WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *places):
        is_absent = name.partition(".")[0] in {"evaluate", "datasets", "pandas", "huggingface_hub"}
        return None if is_absent else self.finder.find_spec(name, *places)

sys.meta_path[:] = map(Without, sys.meta_path)
"""
IMPORTS = """
import importlib

for name in sys.argv[1:]:
    importlib.import_module(name)
"""
COMMAND_LINES = """
import shlex
from segscores.apps.command.main import main

sys.exit(max(main(shlex.split(line)) for line in sys.argv[1:]))
"""


def run_without(program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + program, *arguments],
        cwd=cwd, env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_every_module_but_those_of_the_metric_is_imported_without_evaluate(tmp_path: Path) -> None:
    """That its examples hold without evaluate is in `test_doctests.py`."""
    names = [name for name in MODULES if ".integrations.metric" not in name]
    ran = run_without(IMPORTS, *names, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_every_subcommand_works_without_evaluate(tmp_path: Path) -> None:
    for name in ("reference.txt", "prediction.txt"):
        (tmp_path / name).write_bytes((ROOT / "examples" / name).read_bytes())
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    lines = COMMANDS.strip().splitlines()
    # parity is for tokenizers, which need an extra.
    assert {line.split()[0] for line in lines} == set(subcommand_parsers()) - {"parity"}
    ran = run_without(COMMAND_LINES, *lines, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "report.html").stat().st_size > 10_000


METRIC = (
    "the metric of segscores.load and evaluate.load needs evaluate, which is not installed: "
    'pip install "evaluate>=0.4.0"; segscores.score gives the same scores without it.\n'
)


@pytest.mark.parametrize("program", ["import segscores; segscores.load()", "import segmentation_scores"])
def test_the_metric_names_the_command_that_installs_evaluate(program: str, tmp_path: Path) -> None:
    assert METRIC in run_without(program, cwd=tmp_path).stderr
