"""What `segmentation-scores spark` takes on this machine, beside `segmentation-scores score` on the same files.

Conventions
-----------
Whole processes on words text (see `corpus.py`), a megabyte being 10^6 bytes of both sides together. Spark takes seconds to
start, so that what a further megabyte costs is the difference of two sizes. Both commands must print the same counts and
scores, those of types included, or the benchmark ends with an error.

The command is the one installed beside the interpreter (`pip install '.[spark]'` first); Spark needs a Java runtime.
Use: python benchmarks/spark.py --sizes 20 200 --master 'local[2]'.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from corpus import DEFAULT_FOLDER, MEGABYTE, Pair, sized_pair


def main() -> int:
    """Run the commands on each size and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", metavar="MB", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--corpus", choices=("daily", "synthetic"), default="synthetic")
    parser.add_argument("--master", default="local[*]")
    parser.add_argument("--memory", default="1g", help="of Java's heap (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help="where corpora are kept")
    arguments = parser.parse_args()
    command = shutil.which("segmentation-scores", path=str(Path(sys.executable).parent))
    if command is None:
        sys.exit(
            "there is no segmentation-scores beside this Python: pip install '.[spark]' in the repository brings it."
        )
    arguments.folder.mkdir(parents=True, exist_ok=True)
    spark = ["spark", "--master", arguments.master, "--conf", f"spark.driver.memory={arguments.memory}"]
    seconds: dict[str, list[float]] = {"score": [], "spark": []}
    print(f"{arguments.corpus}, {arguments.master}\n{'MB':>8}{'score (s)':>12}{'spark (s)':>12}")
    for size in arguments.sizes:
        pair = sized_pair(arguments.corpus, arguments.folder, size * MEGABYTE)
        printed = []
        for name, words in (("score", ["score"]), ("spark", spark)):
            start = time.perf_counter()
            printed.append(run([command, *words], pair))
            seconds[name].append(time.perf_counter() - start)
        if printed[0] != printed[1]:
            sys.exit(f"{size} MB: the two print different results:\n{printed[0]}\n{printed[1]}")
        print(f"{size:>8}{seconds['score'][-1]:>12.2f}{seconds['spark'][-1]:>12.2f}", flush=True)
    if len(arguments.sizes) > 1:
        more = arguments.sizes[-1] - arguments.sizes[0]
        slopes = {name: (taken[-1] - taken[0]) / more for name, taken in seconds.items()}
        print(f"a further MB: score {1000 * slopes['score']:.1f} ms, spark {1000 * slopes['spark']:.1f} ms")
    return 0


def run(command: list[str], pair: Pair) -> dict[str, Any]:
    """What a command prints on two files."""
    arguments = [*command, str(pair.reference), str(pair.prediction), "--counts", "--format", "json"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


if __name__ == "__main__":
    sys.exit(main())
