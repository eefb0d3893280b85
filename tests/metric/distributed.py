"""Two processes that share what a metric scores, each with what it got or was told from every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parents[2] / "segmentation_scores.py"

PROCESS = """
import json, sys, time
from pathlib import Path
import evaluate

process_id, plan = int(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
outcomes = {}
for name, run in plan["runs"].items():
    metric = evaluate.load(
        plan["script"], run.get("configuration"), cache_dir=plan["cache"], num_process=2, process_id=process_id,
        experiment_id=name, timeout=300,
    )
    share = run["shares"][process_id]
    outcomes[name] = []
    for round in range(run.get("rounds", 1)):
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


def run_in_two_processes(folder: Path, runs: dict[str, dict[str, Any]]) -> tuple[Path, list[dict[str, Any]]]:
    """The cache, and what each of two processes got from every run."""
    plan = {"script": str(SCRIPT), "cache": str(folder / "cache"), "runs": runs}
    (folder / "plan.json").write_text(json.dumps(plan))
    environment = os.environ | {"HF_HOME": str(folder / "home"), "HF_MODULES_CACHE": str(folder / "modules")}
    with ExitStack() as stack:
        processes = []
        for process_id in range(2):
            command = [sys.executable, "-c", PROCESS, str(process_id), str(folder / "plan.json")]
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            processes.append(stack.enter_context(process))
            stack.callback(process.kill)
        printed = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], [errors for _, errors in printed]
    return folder / "cache", [json.loads(output) for output, _ in printed]
