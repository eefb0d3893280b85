"""`segmentation-scores score` on text of many sizes: whether time and memory per megabyte are constant.

Conventions
-----------
The input is words text (see `corpus.py`), repeated up to each size. A megabyte is 10^6 bytes of both sides together.
Repetition does not enlarge the lexicon, so memory can stay constant. With `--growing` each copy is written in other
characters, so the lexicon grows in proportion to the text, faster than in natural text. The text is written to a temporary
folder (TMPDIR chooses the place), one size at a time, and removed at the end, unless the program is killed.

Every run is a separate process, started by `process.py`. All runs of a size take turns, and each round begins with another
run. Files are flushed to the disk first, and read from the page cache if it holds them. Each way of running is first tried
once on the corpus, without being counted. All runs of a size, including those of compressed files, must print the same
counts and scores, or the benchmark ends with an error.

What is measured
----------------
- Wall-clock seconds, as the median of the rounds, in total and per megabyte.
- Core-seconds of all processes and threads, in user and system mode: the kernel's figure for processes that were waited
  for, or the last sampled figures of each process, whichever is larger.
- Peak memory: the kernel's figure for the largest process (`ru_maxrss`), or the largest sampled sum over the process and
  its workers, whichever is larger; there are at most 20 samples per second. A sample adds up the proportional set size
  (PSS) of each process, so pages that workers share count once. Peaks between two samples are missed. Without PSS the
  unique set size (USS) is used.

The command is the one installed beside the interpreter (`pip install '.[dev]'` first).
Use: python benchmarks/large.py --sizes 100 1000 5000 --jobs 1 2 all.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pyarrow as pa
from corpus import MAKERS, MEGABYTE, Pair, add_folder_option, base_pair, repeated_text, write_pair
from speed import LAUNCHER, scorer, significant

#: Compressions by the ending of a file's name, as Arrow calls them.
CODECS = {"gz": "gzip", "zst": "zstd"}
#: A number of jobs that stands for none given.
ALL = "all"

SAMPLES_A_SECOND = 20
#: Sampling takes no more than this share of a core.
SAMPLING_SHARE = 0.05
#: Seconds for the command to clean up after an interrupt.
GRACE = 10


@dataclass(frozen=True)
class Way:
    """A way to run the command.

    Attributes:
        options: of the command.
        packed: the ending of the files' names, or "".
    """

    options: tuple[str, ...]
    packed: str = ""

    def __str__(self) -> str:
        options = " ".join(self.options) or "no `--jobs`"
        return (f"`{options}`" if self.options else options) + (f", {self.packed}" if self.packed else "")


@dataclass(frozen=True)
class Run:
    """The measurements of a run, and its output."""

    seconds: float
    core_seconds: float
    peak_bytes: int
    largest_process_bytes: int
    printed: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """The runs of a way on a size.

    Attributes:
        way: how they ran.
        size: bytes of both sides, unpacked.
        runs: one a round.
    """

    way: Way
    size: int
    runs: list[Run]

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def core_seconds(self) -> float:
        """The median."""
        return statistics.median(run.core_seconds for run in self.runs)

    @property
    def peak_bytes(self) -> int:
        """The greatest."""
        return max(run.peak_bytes for run in self.runs)

    @property
    def largest_process_bytes(self) -> int:
        """The greatest."""
        return max(run.largest_process_bytes for run in self.runs)


def measure(command: list[str], folder: Path) -> Run:
    """Run a command that prints scores as JSON to its end.

    Raises:
        SystemExit: it failed.
    """
    output = folder / "printed.json"
    # The shell sends the output to a file, and becomes the command.
    redirected = ["/bin/sh", "-c", 'exec "$@" > "$0"', str(output), *command]
    before = _children_seconds()
    with _launched([sys.executable, "-I", "-S", str(LAUNCHER), *redirected], folder) as launcher:
        sampled_bytes, sampled_seconds = _watch(launcher)
        told, _ = launcher.communicate()
        if launcher.returncode:
            error = (folder / "error.txt").read_text("utf-8", errors="replace")
            raise SystemExit(f"{' '.join(command)}: status {launcher.returncode}\n{error}")
    result = json.loads(told)
    return Run(
        seconds=result["seconds"],
        core_seconds=max(sampled_seconds, _children_seconds() - before),
        peak_bytes=max(sampled_bytes, result["peak_bytes"]),
        largest_process_bytes=result["peak_bytes"],
        printed=_results(json.loads(output.read_text("utf-8"))),
    )


def _children_seconds() -> float:
    """Core-seconds of the processes that ended and were waited for, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _results(printed: dict[str, Any]) -> dict[str, Any]:
    """Counts and scores, without the names of files."""
    (prediction,) = printed["predictions"]
    return {"scores": prediction["scores"], "counts": prediction["counts"]}


@contextmanager
def _launched(command: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process in a session of its own, which ends with the block, and all that it started with it."""
    with (folder / "error.txt").open("wb") as error:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=error, stdin=subprocess.DEVNULL, text=True, start_new_session=True
        )
    try:
        yield process
    finally:
        _end_session(process)


def _end_session(process: subprocess.Popen[str]) -> None:
    """Interrupt the processes of a session, if any is left, and kill those that are still there after a while."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
        give_up = time.monotonic() + GRACE
        while time.monotonic() < give_up:
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _watch(launcher: subprocess.Popen[str]) -> tuple[int, float]:
    """The largest memory of all that a process started, in bytes, and its core-seconds; returns when the process has ended."""
    root = psutil.Process(launcher.pid)
    peak = 0
    core_seconds: dict[psutil.Process, float] = {}
    while True:
        start = time.perf_counter()
        memory = 0
        with suppress(psutil.NoSuchProcess):
            for process in root.children(recursive=True):
                with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    used = process.cpu_times()
                    core_seconds[process] = used.user + used.system
                    memory += _memory(process)
        peak = max(peak, memory)
        took = time.perf_counter() - start
        with suppress(subprocess.TimeoutExpired):
            launcher.wait(max(1 / SAMPLES_A_SECOND, took / SAMPLING_SHARE))
            return peak, sum(core_seconds.values())


def _memory(process: psutil.Process) -> int:
    """A process's share of the memory that it uses, in bytes."""
    memory = process.memory_full_info()
    return getattr(memory, "pss", memory.uss)


def measure_size(ways: list[Way], pairs: dict[str, Pair], size: int, rounds: int, folder: Path) -> list[Row]:
    """Run each way on a size, `rounds` times, in turn.

    Args:
        ways: how to run.
        pairs: the files by `Way.packed`.
        size: bytes of both sides, unpacked.
        rounds: how many runs of each way.
        folder: for what is printed.

    Raises:
        SystemExit: a run failed, or printed other results than another one.
    """
    runs: dict[Way, list[Run]] = {way: [] for way in ways}
    expected = None
    for turn in range(rounds):
        first = turn % len(ways)
        for way in ways[first:] + ways[:first]:
            pair = pairs[way.packed]
            files = [str(pair.reference), str(pair.prediction)]
            run = measure([scorer(), "score", *files, *way.options, "--counts", "--format", "json"], folder)
            expected = expected or run.printed
            if run.printed != expected:
                raise SystemExit(f"{_megabytes(size)}, {way}: other results:\n{run.printed}\nthan before:\n{expected}")
            runs[way].append(run)
            print(f"{_megabytes(size)}, {way}: {run.seconds:.2f} s", file=sys.stderr, flush=True)
    return [Row(way, size, runs[way]) for way in ways]


def packed_pair(pair: Pair, ending: str) -> Pair:
    """Both files compressed, beside them."""
    paths = []
    for path in (pair.reference, pair.prediction):
        packed = path.with_name(f"{path.name}.{ending}")
        with path.open("rb") as source, pa.output_stream(str(packed), compression=CODECS[ending]) as target:
            shutil.copyfileobj(source, target, 1 << 20)
        paths.append(packed)
    return Pair(*paths)


@contextmanager
def written_pair(base: Pair, size: int, growing: bool, folder: Path) -> Iterator[Pair]:
    """A corpus repeated to a size, on the disk until the block ends.

    Raises:
        SystemExit: there is no room for it.
    """
    free = shutil.disk_usage(folder).free
    if free < 1.5 * size:
        raise SystemExit(
            f"{folder} has {_megabytes(free)} free, and {_megabytes(size)} are to be written: set TMPDIR to another folder."
        )
    with tempfile.TemporaryDirectory(dir=folder) as place:
        pair = Pair(Path(place) / "reference.txt", Path(place) / "prediction.txt")
        start = time.perf_counter()
        write_pair(pair, repeated_text(base, size, new_words=growing))
        for path in (pair.reference, pair.prediction):
            with path.open("rb") as file:
                os.fsync(file.fileno())
        print(f"{_megabytes(pair.size)} written in {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
        yield pair


def size_table(rows: list[Row]) -> str:
    """What each run took, as Markdown."""
    lines = [
        "| size | run | seconds | ms/MB | MB/s | core-ms/MB | peak memory | of the largest process | times as fast |",
        "| --: | --- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for row in rows:
        size = row.size / MEGABYTE
        first = next(other for other in rows if other.size == row.size)
        cells = [
            _megabytes(row.size),
            str(row.way),
            significant(row.seconds),
            significant(1000 * row.seconds / size),
            significant(size / row.seconds),
            significant(1000 * row.core_seconds / size),
            _megabytes(row.peak_bytes),
            _megabytes(row.largest_process_bytes),
            _speedup(first, row),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _speedup(first: Row, row: Row) -> str:
    """The speed of a row relative to the first row of its size, with the least and the greatest value of a round."""
    ratio = significant(first.seconds / row.seconds)
    ratios = [before.seconds / run.seconds for before, run in zip(first.runs, row.runs, strict=True)]
    return f"{ratio} ({significant(min(ratios))}–{significant(max(ratios))})" if len(ratios) > 1 else ratio


def growth_table(rows: list[Row]) -> str:
    """The time of a further megabyte, and the growth of memory, from the smallest size to the largest, as Markdown."""
    lines = ["| run | a further MB | core-ms/MB | peak, largest / smallest size |", "| --- | --: | --: | --: |"]
    least, greatest = min(row.size for row in rows), max(row.size for row in rows)
    for row in rows:
        last = next((other for other in rows if other.way == row.way and other.size == greatest), None)
        if row.size != least or last is None or last is row:
            continue
        more = (last.size - row.size) / MEGABYTE
        cells = [
            str(row.way),
            f"{1000 * (last.seconds - row.seconds) / more:.1f} ms",
            f"{1000 * (last.core_seconds - row.core_seconds) / more:.1f}",
            significant(last.peak_bytes / row.peak_bytes),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _megabytes(size: float) -> str:
    return f"{round(size / MEGABYTE)} MB"


def main() -> int:
    """Measure every size and print the tables."""
    arguments = _parse_arguments()
    ways = _ways(arguments)
    base = base_pair(arguments.corpus, arguments.folder)
    sizes = sorted(set(arguments.sizes))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="segmentation-scores-large-") as name:
        folder = Path(name)
        measure_size(ways, {"": base}, base.size, 1, folder)
        for number, size in enumerate(sizes):
            with written_pair(base, round(size * MEGABYTE), arguments.growing, folder) as pair:
                pairs = {"": pair}
                if number == 0:
                    pairs |= {ending: packed_pair(pair, ending) for ending in arguments.packed}
                here = [Way(way.options, ending) for ending in pairs for way in ways]
                rows += measure_size(here, pairs, pair.size, arguments.rounds, folder)
    growing = ", with new words in each copy" if arguments.growing else ""
    print(f"{arguments.corpus}{growing}; {os.cpu_count()} cores; rounds: {arguments.rounds}\n\n{size_table(rows)}")
    if len(sizes) > 1:
        print(f"\n{growth_table(rows)}")
    return 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sizes", metavar="MB", type=_positive, nargs="+", default=[100, 1000, 5000], help="of both sides together"
    )
    parser.add_argument("--corpus", choices=tuple(MAKERS), default="daily", help="(default: %(default)s)")
    parser.add_argument("--growing", action="store_true", help="write each copy in other characters")
    parser.add_argument(
        "--jobs",
        metavar="NUMBER",
        nargs="+",
        default=["1", "2", ALL],
        help=f"for `--jobs` of the command; {ALL} stands for none (default: 1 2 {ALL})",
    )
    parser.add_argument(
        "--packed", choices=tuple(CODECS), nargs="+", default=[], help="score packed files of the smallest size too"
    )
    parser.add_argument("--rounds", metavar="NUMBER", type=_natural, default=1, help="(default: %(default)s)")
    add_folder_option(parser)
    return parser.parse_args()


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected more than 0 MB, received {text}")
    return number


def _natural(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, received {text}")
    return number


def _ways(arguments: argparse.Namespace) -> list[Way]:
    jobs: list[tuple[str, ...]] = [() if number == ALL else ("--jobs", number) for number in arguments.jobs]
    return [Way(some) for some in jobs]


def stop_at_signals() -> None:
    """Make a terminating signal run every `finally`, as an interrupt does."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


if __name__ == "__main__":
    stop_at_signals()
    sys.exit(main())
