"""The time and memory of `segmentation-scores spark` on this machine, compared with `score` on the same files.

Conventions
-----------
Each measurement is of a whole process on words text (see `corpus.py`). A megabyte is 10^6 bytes of both sides together.
Core-seconds and peak memory are measured as in `large.py`, including Java and Python's workers. Spark takes seconds to
start, so the cost of a further megabyte is computed from the difference of two sizes. The commands take turns in each
round; the tables show medians of the rounds. Both must print the same counts and scores, or the benchmark ends with an
error.

The command is the one installed beside the interpreter (`pip install '.[dev]'` first); Spark needs a Java runtime.
Use: python benchmarks/spark.py --sizes 20 200 --master 'local[2]'.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from corpus import MAKERS, MEGABYTE, Pair, add_folder_option, sized_pair
from large import Run, measure, stop_at_signals
from speed import scorer, significant


def main() -> int:
    """Run the commands on each size and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", metavar="MB", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--corpus", choices=tuple(MAKERS), default="synthetic", help="(default: %(default)s)")
    parser.add_argument("--master", default="local[*]", help="(default: %(default)s)")
    parser.add_argument("--memory", default="1g", help="of Java's heap (default: %(default)s)")
    parser.add_argument("--rounds", metavar="NUMBER", type=int, default=1, help="(default: %(default)s)")
    add_folder_option(parser)
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds: expected at least 1, received {arguments.rounds}.")
    spark = ["spark", "--master", arguments.master, "--conf", f"spark.driver.memory={arguments.memory}"]
    commands = {"score": [scorer(), "score"], "spark": [scorer(), *spark]}
    medians: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    print(f"{arguments.corpus}, {arguments.master}; rounds: {arguments.rounds}\n")
    print("| size | command | seconds | core-seconds | peak memory |\n| --: | --- | --: | --: | --: |")
    for size in arguments.sizes:
        pair = sized_pair(arguments.corpus, arguments.folder, size * MEGABYTE)
        rounds = [one_round(commands, pair) for _ in range(arguments.rounds)]
        for name in commands:
            runs = [taken[name] for taken in rounds]
            seconds = statistics.median(run.seconds for run in runs)
            core_seconds = statistics.median(run.core_seconds for run in runs)
            medians[name].append((seconds, core_seconds))
            peak = max(run.peak_bytes for run in runs) / MEGABYTE
            cells = f"{size} MB | `{name}` | {significant(seconds)} | {significant(core_seconds)} | {peak:.0f} MB"
            print(f"| {cells} |", flush=True)
    if len(arguments.sizes) > 1:
        more = arguments.sizes[-1] - arguments.sizes[0]
        print("\n| a further MB | ms | core-ms |\n| --- | --: | --: |")
        for name, taken in medians.items():
            cells = [f"{1000 * (last - first) / more:.1f}" for first, last in zip(taken[0], taken[-1], strict=True)]
            print(f"| `{name}` | {' | '.join(cells)} |")
    return 0


def one_round(commands: dict[str, list[str]], pair: Pair) -> dict[str, Run]:
    """The time and memory of each command.

    Raises:
        SystemExit: a command failed, or they print different results.
    """
    files = [str(pair.reference), str(pair.prediction), "--counts", "--format", "json"]
    with tempfile.TemporaryDirectory() as folder:
        runs = {name: measure([*command, *files], Path(folder)) for name, command in commands.items()}
    if runs["score"].printed != runs["spark"].printed:
        sys.exit(f"{pair.reference}: different results:\n{runs['score'].printed}\n{runs['spark'].printed}")
    return runs


if __name__ == "__main__":
    stop_at_signals()
    sys.exit(main())
