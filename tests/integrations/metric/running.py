"""Programs that load the metric: one alone, and two processes that share what a metric scores."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ...processes import run_together

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "segmentation_scores.py"

#: The card's example: four of five predicted words are among the six of the reference.
SIDES = {"references": ["the dog is on the boat"], "predictions": ["thedog is on the boat"]}
TOKEN_SCORES = {"token_precision": 4 / 5, "token_recall": 4 / 6, "token_fscore": 8 / 11}
WORDS = {"text_format": "words"}
TOKENS = {**WORDS, "scores": "token"}

PROCESS = """
import json, sys, time
from pathlib import Path

sys.modules["transformers"] = None  # evaluate imports it if it is there, which takes seconds
import evaluate

del sys.modules["transformers"]

process_id, plan = int(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
outcomes = {}
for name, run in plan["runs"].items():
    metric = evaluate.load(
        plan["script"], run.get("configuration"), cache_dir=plan["cache"], num_process=2, process_id=process_id,
        experiment_id=name, timeout=300,
    )
    outcomes[name] = []
    for round in range(run.get("rounds", 1)):
        # Two for each round, or for all.
        share = run["shares"][(process_id + 2 * round) % len(run["shares"])]
        try:
            given = {}
            if run["way"] == "add":
                for reference, prediction in zip(share["references"], share["predictions"]):
                    metric.add(reference=reference, prediction=prediction)
            elif run["way"] == "compute":
                given = share
            elif share:
                metric.add_batch(**share)
            outcomes[name].append(metric.compute(**given, **run["options"]))
        except (TypeError, ValueError) as error:
            outcomes[name].append(f"{type(error).__name__}: {error}")
        # Who writes again has to wait until the first process has read: evaluate's locks do not see to that.
        read = Path(plan["cache"], f"{name}-{round}.read.lock")
        if process_id == 0:
            read.touch()
        while not read.exists():
            time.sleep(0.005)
print(json.dumps(outcomes))
"""


def run(code: str, *arguments: object, python: Path | str = sys.executable, **more: str) -> Any:
    """Run a program, with more variables of the environment; its last line is JSON."""
    ran = subprocess.run(
        [str(python), "-c", code, *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def caches(folder: Path) -> dict[str, str]:
    """Variables of the environment for caches in a folder."""
    return {"HF_HOME": str(folder / "home"), "HF_MODULES_CACHE": str(folder / "modules")}


def run_in_two_processes(folder: Path, runs: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what each of two processes got from every run; nothing is left behind."""
    plan = {"script": str(SCRIPT), "cache": str(folder / "cache"), "runs": runs}
    (folder / "plan.json").write_text(json.dumps(plan))
    commands = [[sys.executable, "-c", PROCESS, str(process_id), str(folder / "plan.json")] for process_id in range(2)]
    printed = run_together(commands, [caches(folder)] * 2, 300)
    assert stored_files(folder / "cache") == []
    return list(map(json.loads, printed))


def stored_files(cache: Path) -> list[str]:
    """Return what is stored. A lock's file stays, as it is `filelock`'s: a file lock that deletes its file is none."""
    return [path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]
