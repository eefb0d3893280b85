"""Mutation testing: change one thing in the code, and see whether a test notices.

    python benchmarks/mutate.py --sample 100 --seed 1
    python benchmarks/mutate.py segscores/scoring --sample 50
    python benchmarks/mutate.py --since v0.3.0 --json unnoticed.json
    python benchmarks/mutate.py --since v0.3.0 --near --seconds 60

How it works
------------
- The default tests run once with coverage, which keeps for each line the tests that ran it. This is kept in `build/mutate`, under
  a digest of the files, until one of them changes. It takes two to three times as long as the tests.
- A sample is drawn of all changes, which `mutation/code_changes.py` lists: as many from each room, which is a folder of the
  package, and within a room as many of each kind. The seed determines it.
- Each change is made in a copy of the checkout, never in the checkout. Of the tests that ran the changed line, at most
  `--tests-each` run, the fastest first, until one fails. They are chosen from as many test functions as possible, and from
  those near the changed file before others. What they do not notice runs with ten times as many further ones: where
  thousands of tests ran a line, one of them may be of the changed branch.
- The tests chosen first run once without a change: what does not pass then would notice everything, and is left out.
- Code that runs at import, such as a table, belongs to no test. Its tests are those that ran a line that mentions its name, and
  then those of a line of its file. Those of a default are the tests that ran its function, and then of its file.
- A change within a function is tried in a fork of a process that has collected the tests: the functions in memory get the code
  of the changed file (`mutation/live_server.py`). This is some ten times as fast as to collect the tests of each change.
- Other changes, such as those of a table or a default, and those of code that ran before the tests, are of what is made once.
  Their tests are collected anew, in a fork of a process that has imported the packages of the tests (`mutation/fork_server.py`).
- With `--near` the tests are all of the three nearest files, by name: quick, but a test elsewhere may notice what they do not.
- With `--wide` they are the three nearest files too. What these do not notice runs with further files, the nearer first, for as
  long as `--time-limit`: those of the same folder, those that mention it, those at the top of `tests`, and then all others.
- A change that ends in an error, or that takes longer than `--time-limit` and five times the tests' time, is noticed.

The program prints each change that no test noticed, and a rate for each room. Its status says nothing about them: some are
harmless, or equivalent to the code as it is. Tests that start a process count for the lines that their own process ran.

Why not another tool
--------------------
coverage and pytest-cov find the tests. cosmic-ray 8.7 was tried for the changes: it has none that leaves out an argument,
deletes a call or changes a returned value, it parses a file again for each change, and three in five of its operators exchange
arithmetic. A change of one place needs no tree that keeps its text, as libcst has: `ast` says at which bytes each node is.

It needs the extra `mutation`, with `--near` and `--wide` only `test`; and POSIX.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = HERE / "mutation"
# Beside this program is a coverage.py that is not the package coverage.
sys.path[:] = [str(PARTS), *(folder for folder in sys.path if Path(folder).resolve() != HERE)]

from code_changes import Change, changes_of  # noqa: E402
from servers import DEFAULT_TESTS, PASSED, ForkServer, LiveServer, environment  # noqa: E402


@dataclass(frozen=True)
class Checkout:
    """A folder under version control, with a package and its tests."""

    folder: Path
    package: str
    files: tuple[str, ...]  #: those that git knows or would add

    @classmethod
    def at(cls, folder: Path, package: str) -> Checkout:
        """Return the checkout in a folder, with its files as they are."""
        here = cls(folder, package, ())
        names = here.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        return cls(folder, package, tuple(sorted({name for name in names if (folder / name).is_file()})))

    def git(self, *arguments: str) -> str:
        """Return the output of git."""
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def modules(self) -> dict[str, bytes]:
        """Return the modules of the package, by their path."""
        names = [name for name in self.files if name.startswith(f"{self.package}/") and name.endswith(".py")]
        return {name: (self.folder / name).read_bytes() for name in names}

    def digest(self, tests: Sequence[str]) -> str:
        """Return what the tests of lines depend on: the files, the chosen tests and Python."""
        digest = hashlib.sha256(repr((sys.version_info[:2], sorted(tests))).encode())
        for name in self.files:
            digest.update(repr((name, (self.folder / name).read_bytes())).encode())
        return digest.hexdigest()[:16]

    def copy_to(self, folder: Path) -> Checkout:
        """Copy the files to a folder, and compile the package there.

        Python has to compare the contents of compiled files: a change may leave the size of a file and its time as they were.
        """
        for name in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.folder / name, folder / name)
        compile_all = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", self.package]
        subprocess.run(compile_all, cwd=folder, check=True)
        return Checkout(folder, self.package, self.files)

    def room_of(self, path: str) -> str:
        """Return the room of a module: `scoring`, `apps/command`, or the name of the package for a module at its top."""
        folders = path.split("/")[1:-1]
        depth = 2 if folders[:1] == ["apps"] else 1
        return "/".join(folders[:depth]) or self.package

    def lines_since(self, revision: str) -> dict[str, set[int]]:
        """Return the numbers of the lines of each file that were added or changed since a revision, as git's diff says.

        The hunk `@@ -10,2 +12,3 @@` has the new lines 12 to 14; `@@ -10 +12 @@` has the line 12.
        """
        lines: dict[str, set[int]] = defaultdict(set)
        path = ""
        for line in self.git("diff", "-U0", "--no-ext-diff", revision, "--", self.package).splitlines():
            if line.startswith("+++ "):
                path = line.removeprefix("+++ b/")
            elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
                start, count = int(hunk[1]), int(hunk[2] or 1)
                lines[path].update(range(start, start + count))
        return lines


@dataclass
class Tried:
    """The outcome of a change."""

    change: Change
    tests: int  #: the number of tests that were chosen, or of test files
    outcome: str  #: "noticed", "unnoticed", "time limit", "no tests" or "not tried"
    seconds: float = 0.0

    def is_unnoticed(self) -> bool:
        """Return whether every test passed, or none was there to fail."""
        return self.outcome in ("unnoticed", "no tests")


def run_with_coverage(checkout: Checkout, arguments: Sequence[str], log: Path, **variables: str) -> None:
    """Run tests in a checkout with coverage. What pytest prints goes to `log`."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    with open(log, "w", encoding="utf-8") as output:
        subprocess.run(
            command,
            cwd=checkout.folder,
            env=environment(checkout.folder) | variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )


def mirrored_file(path: str) -> str:
    """Return the test file of a module: tests/kernel/test_edits.py of segscores/kernel/edits.py."""
    module = Path(path).with_suffix("")
    return f"tests/{Path(*module.parts[1:-1], f'test_{module.name}.py').as_posix()}"


class LineTests:
    """The tests that ran each line, and how long each takes."""

    #: Options of pytest that choose among the tests of a change: all of them run.
    CHOSEN = ()
    #: All tests of a change, in terms of those that run first.
    TIMES_MORE = 11

    def __init__(self, folder: Path, modules: dict[str, bytes]) -> None:
        from coverage import CoverageData

        self.modules = modules
        self.seconds: dict[str, float] = json.loads((folder / "passed.json").read_text(encoding="utf-8"))
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        # The context of a line is the test that ran it; the empty one is of no test.
        if self._data.measured_contexts() <= {""}:
            raise SystemExit(f"mutate.py: error: {folder} has no tests of lines: delete it, and run again.")
        self._of_lines = lru_cache(maxsize=8)(self._read_lines)

    @classmethod
    def of(cls, checkout: Checkout, tests: Sequence[str], kept: Path, jobs: int) -> LineTests:
        """Run the tests of a copy with coverage, or read what an earlier run on the same files kept."""
        folder = kept / checkout.digest(tests)
        if not folder.is_dir():
            say(f"running the tests once with coverage, for {folder}")
            with tempfile.TemporaryDirectory(prefix="mutate-") as scratch:
                made = Path(scratch, "made")
                made.mkdir()
                cls._make(made, checkout, tests, jobs)
                folder.parent.mkdir(parents=True, exist_ok=True)
                # Only a complete folder is kept.
                shutil.move(made, folder)
        return cls(folder, checkout.modules())

    @staticmethod
    def _make(folder: Path, checkout: Checkout, tests: Sequence[str], jobs: int) -> None:
        """Run the tests of a copy with coverage, which writes the files `coverage` and `passed.json` in a folder."""
        settings = folder / "settings"
        settings.write_text(f"[run]\nrelative_files = true\nsource = {checkout.package}\n", encoding="utf-8")
        flags = [f"--cov={checkout.package}", "--cov-context=test", "--cov-report=", f"--cov-config={settings}"]
        # Without processes of xdist, but with its option --dist, pytest-cov keeps no tests of lines.
        flags.append(f"-n{jobs}")
        passed = folder / "passed.json"
        # Other cores of coverage than the one in C keep no tests of lines.
        variables = {"COVERAGE_FILE": str(folder / "coverage"), "COVERAGE_CORE": "ctrace", "PASSED_TESTS": str(passed)}
        log = folder / "log"
        run_with_coverage(checkout, [*flags, "-p", "passed_tests", "-m", DEFAULT_TESTS, *tests], log, **variables)
        if not passed.is_file() or not json.loads(passed.read_text(encoding="utf-8")):
            raise SystemExit(f"{log.read_text(encoding='utf-8')}\nmutate.py: error: no test passed.")

    def stages(self, change: Change, most: int) -> list[list[str]]:
        """Return the tests of a change, at most so many, and those that follow if these notice nothing."""
        first = self.of_change(change, most)
        further = [test for test in self.of_change(change, self.TIMES_MORE * most) if test not in first]
        return [first, further]

    def of_change(self, change: Change, most: int) -> list[str]:
        """Return at most so many tests that ran the changed line, the fastest first.

        They are of as many test functions as possible, and those near the changed file come before others.
        """
        place = change.place
        runs_in_tests = place.in_function or place.is_default
        likely = self._of(change.path, place.lines) if runs_in_tests else self._of_names(place.names)
        ran_at_import = not place.in_function or not self._of_lines(change.path).keys().isdisjoint(place.lines)
        found = likely
        if ran_at_import:
            # Its value may be in use under another name, or have been made once: after the others come all tests of the file.
            found = likely | self._of(change.path, self._of_lines(change.path))
        fastest_first = sorted(found, key=lambda test: (self.seconds[test], test))
        # The first test of each function, then the second of each, and so on: test_a[1] and test_b[1] before test_a[2].
        tests_of_function: dict[str, int] = defaultdict(int)
        rank: dict[str, int] = {}
        for test in fastest_first:
            function, _, _ = test.partition("[")
            rank[test] = tests_of_function[function]
            tests_of_function[function] += 1
        mirrored = mirrored_file(change.path)

        def order(test: str) -> tuple[bool, int, bool, bool]:
            """Return the place of a test: likely ones first, then by rank, the file of the same name, and its folder."""
            name, _, _ = test.partition("::")
            return test not in likely, rank[test], name != mirrored, Path(name).parent != Path(mirrored).parent

        chosen = set(sorted(fastest_first, key=order)[:most])
        return [test for test in fastest_first if test in chosen]

    def seconds_of(self, tests: Sequence[str]) -> float:
        """Return how long the tests took."""
        return sum(self.seconds[test] for test in tests)

    def leave_out_failing(self, changes: Sequence[Change], most: int, bench: Bench) -> None:
        """Leave out the tests of these changes that do not pass without a change, when only these tests run."""
        for server, changes_of_server in bench.by_server(changes).items():
            chosen = sorted(set().union(*(self.of_change(change, most) for change in changes_of_server)))
            if chosen:
                say(f"running {len(chosen)} tests without a change")
                self._leave_out(set(chosen) - server.passing(chosen))

    def _leave_out(self, failing: set[str]) -> None:
        """Choose these tests no more."""
        for test in sorted(failing):
            say(f"left out, because it does not pass: {test}")
        self.seconds = {test: seconds for test, seconds in self.seconds.items() if test not in failing}
        self._of_lines.cache_clear()

    def _read_lines(self, path: str) -> dict[int, set[str]]:
        """Return the tests that ran each line of a module, of those that passed."""
        lines = {}
        for line, contexts in self._data.contexts_by_lineno(path).items():
            # A context is a test and its phase: `tests/test_core.py::test_a|run`.
            tests = {context.rpartition("|")[0] for context in contexts}
            lines[line] = tests & self.seconds.keys()
        return lines

    def _of(self, path: str, lines: Iterable[int]) -> set[str]:
        """Return the tests that ran one of these lines of a module."""
        of_lines = self._of_lines(path)
        return set().union(*(of_lines.get(line, ()) for line in lines))

    def _of_names(self, names: Sequence[str]) -> set[str]:
        """Return the tests that ran a line which mentions one of the names."""
        found: set[str] = set()
        if not names:
            return found
        pattern = re.compile(rb"\b(" + "|".join(names).encode() + rb")\b")
        for path, source in self.modules.items():
            lines = [number for number, line in enumerate(source.split(b"\n"), 1) if pattern.search(line)]
            if lines:
                found |= self._of(path, lines)
        return found


class NearTests:
    """The test files that are nearest to a change: for a quick look, without a run with coverage.

    A file is near if it has the name of the module, or mentions the module or the function that is changed. All of its tests
    run, so that their times are not known.
    """

    #: Files that belong to a change, at most.
    MOST = 3
    #: Tests that start a browser or another program take too long for each change.
    CHOSEN = ("-m", "not browser and not spark and not slow")

    def __init__(self, checkout: Checkout, *, is_wide: bool = False) -> None:
        self.modules = checkout.modules()
        self.is_wide = is_wide
        names = [name for name in checkout.files if re.fullmatch(r"tests/(.*/)?test_\w+\.py", name)]
        self._texts = {name: (checkout.folder / name).read_text(encoding="utf-8") for name in names}

    def stages(self, change: Change, most: int) -> list[list[str]]:  # noqa: ARG002
        """Return the nearest test files, and with `is_wide` all others after them, the nearer first."""
        module = Path(change.path).with_suffix("")
        mirrored = mirrored_file(change.path)
        # Other files mention the module, as `kernel.edits`.
        dotted = r"\.".join(module.parts[1:])
        pattern = re.compile("|".join([dotted, *(rf"\b{name}\b" for name in self._names_around(change))]))
        mentions = {name: len(pattern.findall(text)) for name, text in self._texts.items()}

        def distance(name: str) -> tuple[bool, int, int]:
            """Return the place of a test file among those that mention the change: its own one first, then most mentions."""
            return name != mirrored, -mentions[name], len(self._texts[name])

        def distance_of_others(name: str) -> tuple[bool, bool, bool, int]:
            """Return the place of any other test file: the same folder first, then mentions, then the top of `tests`."""
            folder = Path(name).parent
            is_beside = folder == Path(mirrored).parent
            return not is_beside, not mentions[name], folder != Path("tests"), len(self._texts[name])

        mentioning = [name for name in self._texts if mentions[name] or name == mirrored]
        near = sorted(mentioning, key=distance)[: self.MOST]
        others = sorted(self._texts.keys() - near, key=distance_of_others)
        return [near, others] if self.is_wide else [near]

    def seconds_of(self, tests: Sequence[str]) -> float:  # noqa: ARG002
        """Return how long the tests may take."""
        return 0.0

    def leave_out_failing(self, changes: Sequence[Change], most: int, bench: Bench) -> None:
        """Trust that all tests pass without a change."""

    def _names_around(self, change: Change) -> list[str]:
        """Return the functions and classes that hold the change, without private names, which tests do not use."""
        tree = ast.parse(self.modules[change.path])
        held = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        around = [node.name for node in held if node.lineno <= change.line <= (node.end_lineno or 0)]
        return [name for name in (*around, *change.place.names) if not name.startswith("_")]


def changes(checkout: Checkout, paths: Sequence[str], lines: dict[str, set[int]] | None) -> list[Change]:
    """Return the changes of the package.

    `paths` are the files and folders that are changed, all if there are none; `lines` are the lines of each file, None for all.
    """
    found = []
    for name, source in checkout.modules().items():
        is_within = any(name == path or name.startswith(f"{path}/") for path in paths)
        if not paths or is_within:
            found += changes_of(name, source)
    if lines is None:
        return found
    return [change for change in found if change.line in lines.get(change.path, ())]


def draw(checkout: Checkout, found: Sequence[Change], count: int, seed: int) -> list[Change]:
    """Draw changes, as many from each room, and within a room as many of each kind, as far as there are so many.

    The same seed draws the same changes; more of them begin with the same ones.
    """
    modules = checkout.modules()
    # The changes of each room and kind that are not drawn yet, in random order.
    left: dict[str, dict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
    for change in found:
        left[checkout.room_of(change.path)][change.kind].append(change)
    source = random.Random(seed)
    # The kinds of each room that have changes left, the one whose turn it is first.
    turns: dict[str, list[str]] = {}
    for room, by_kind in sorted(left.items()):
        turns[room] = source.sample(sorted(by_kind), len(by_kind))
        for kind in turns[room]:
            source.shuffle(by_kind[kind])
    drawn: list[Change] = []
    while turns and len(drawn) < count:
        for room in sorted(turns):
            is_drawn = False
            # A change that makes no other program is dropped, and the next kind takes its turn.
            while turns[room] and not is_drawn:
                kind = turns[room].pop(0)
                change = left[room][kind].pop()
                if left[room][kind]:
                    turns[room].append(kind)
                is_drawn = change.is_real(modules[change.path])
            if is_drawn:
                drawn.append(change)
            if not turns[room]:
                del turns[room]
    # The last round over the rooms may have drawn more.
    return drawn[:count]


@dataclass(frozen=True)
class Bench:
    """A copy of the checkout in which one change at a time is tried, and what runs its tests."""

    checkout: Checkout
    forks: ForkServer
    live: LiveServer | None  #: None if all changes are tried by `forks`

    def by_server(self, changes: Sequence[Change]) -> dict[ForkServer | LiveServer, list[Change]]:
        """Return the changes that each server tries."""
        found: dict[ForkServer | LiveServer, list[Change]] = defaultdict(list)
        for change in changes:
            found[self._server_of(change)].append(change)
        return found

    def status(self, change: Change, source: bytes, tests: Sequence[str], limit: float) -> int | None:
        """Run tests of a change, which the file of the copy has, until one fails. `source` is the file before the change.

        Return pytest's status, or None if the tests took longer than the limit, in seconds.
        """
        server = self._server_of(change)
        if isinstance(server, LiveServer):
            status = server.run(change, source, tests, limit)
            if status != server.NOT_CHANGED:
                return status
        return self.forks.run(["-x", "--tb=no", *tests], limit)

    def end(self) -> None:
        """End the servers."""
        self.forks.end()
        if self.live:
            self.live.end()

    def _server_of(self, change: Change) -> ForkServer | LiveServer:
        return self.live if self.live and self.live.can_try(change) else self.forks


@dataclass
class Trial:
    """Tries changes, each on a bench that no other change uses at that time."""

    line_tests: LineTests | NearTests
    tests_each: int  #: how many tests of a change run at most
    time_limit: float  #: in seconds, beside five times the time of the tests
    ends: float = math.inf  #: when no further change is tried, by the monotonic clock
    benches: queue.Queue[Bench] = field(default_factory=queue.Queue)  #: those that no change uses now

    def of(self, change: Change) -> Tried:
        """Run the tests of a change."""
        if time.monotonic() > self.ends:
            return Tried(change, 0, "not tried")
        stages = [tests for tests in self.line_tests.stages(change, self.tests_each) if tests]
        if not stages:
            return Tried(change, 0, "no tests")
        source = self.line_tests.modules[change.path]
        bench = self.benches.get()
        changed = bench.checkout.folder / change.path
        started = time.monotonic()
        try:
            changed.write_bytes(change.apply(source))
            outcome, count = self._run(bench, change, stages)
        finally:
            changed.write_bytes(source)
            self.benches.put(bench)
        return Tried(change, count, outcome, round(time.monotonic() - started, 2))

    def _run(self, bench: Bench, change: Change, stages: Sequence[Sequence[str]]) -> tuple[str, int]:
        """Run one stage after another until a test fails. Return the outcome, and the number of tests that were chosen."""
        count = 0
        outcome = "unnoticed"
        for tests in stages:
            count += len(tests)
            limit = self.time_limit + 5 * self.line_tests.seconds_of(tests)
            source = self.line_tests.modules[change.path]
            status = bench.status(change, source, [*self.line_tests.CHOSEN, *tests], limit)
            # A loop without end shows in the first stage. A later one may have more tests than there is time for.
            if status is None and tests is stages[0]:
                outcome = "time limit"
            elif status not in (None, PASSED):
                outcome = "noticed"
            if outcome != "unnoticed":
                break
        return outcome, count


def rates(checkout: Checkout, tried: Sequence[Tried]) -> dict[str, dict[str, float]]:
    """Return how many changes of each room, and of all, went unnoticed."""
    # For each change of a room, True if it went unnoticed.
    unnoticed_by_room: dict[str, list[bool]] = defaultdict(list)
    for each in tried:
        unnoticed_by_room[checkout.room_of(each.change.path)].append(each.is_unnoticed())
    in_order = dict(sorted(unnoticed_by_room.items())) | {"all": [each.is_unnoticed() for each in tried]}
    rows: dict[str, dict[str, float]] = {}
    for room, flags in in_order.items():
        unnoticed = sum(flags)
        rows[room] = {"changes": len(flags), "unnoticed": unnoticed, "rate": unnoticed / max(1, len(flags))}
    return rows


def show(checkout: Checkout, tried: Sequence[Tried]) -> None:
    """Print what went unnoticed, and the rates."""
    modules = checkout.modules()
    for each in tried:
        if each.is_unnoticed():
            change = each.change
            cause = "no test runs this line" if each.outcome == "no tests" else f"tests: {each.tests}"
            print(f"{change.path}:{change.line}: {change.kind} ({cause})")
            print(*(f"    {line}" for line in change.diff(modules[change.path])), sep="\n")
    print(f"\n{'room':<16}{'changes':>9}{'unnoticed':>11}{'rate':>7}")
    for room, row in rates(checkout, tried).items():
        print(f"{room:<16}{row['changes']:>9}{row['unnoticed']:>11}{row['rate']:>7.0%}")


def as_json(checkout: Checkout, tried: Sequence[Tried], seed: int) -> str:
    """Return all that was tried, as JSON."""
    modules = checkout.modules()
    rows = []
    for each in tried:
        change = each.change
        row = {"file": change.path, "line": change.line, "kind": change.kind, "diff": change.diff(modules[change.path])}
        rows.append(row | {key: value for key, value in asdict(each).items() if key != "change"})
    return json.dumps({"seed": seed, "rooms": rates(checkout, tried), "changes": rows}, indent=1, ensure_ascii=False)


def say(text: str) -> None:
    """Print progress."""
    print(text, file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("paths", nargs="*", help="files and folders of the package (default: all)")
    made.add_argument("--since", metavar="REV", help="only lines that changed since this revision")
    made.add_argument("--sample", type=int, default=100, metavar="N", help="changes to try (default: %(default)s)")
    made.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    made.add_argument(
        "--tests-each", type=int, default=60, metavar="N", help="of a change first, at most (default: %(default)s)"
    )
    made.add_argument(
        "--time-limit", type=float, default=60, metavar="SECONDS", help="of a change (default: %(default)s)"
    )
    made.add_argument(
        "--near", action="store_true", help="run the nearest test files instead, without a run with coverage"
    )
    made.add_argument("--wide", action="store_true", help="the same, and then all other test files, the nearer first")
    made.add_argument("--seconds", type=float, default=math.inf, help="begin no trial after this time (default: never)")
    made.add_argument("--jobs", type=int, default=os.cpu_count(), help="changes at a time (default: one for each core)")
    made.add_argument(
        "--tests", action="append", default=[], metavar="PATH", help="only these; repeatable (default: all)"
    )
    made.add_argument("--json", type=Path, metavar="FILE", help="write all that was tried")
    made.add_argument("--checkout", type=Path, default=HERE.parent, help="(default: that of this program)")
    made.add_argument("--package", default="segscores", help="the package's folder (default: %(default)s)")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw changes, try them, and report."""
    options = parser().parse_args(arguments)
    with_coverage = not options.near and not options.wide
    if with_coverage and not find_spec("pytest_cov"):
        raise SystemExit('mutate.py: error: it needs pytest-cov: pip install "pytest-cov>=5"')
    checkout = Checkout.at(options.checkout.resolve(), options.package)
    paths = [Path(path).resolve().relative_to(checkout.folder).as_posix() for path in options.paths]
    lines = None if options.since is None else checkout.lines_since(options.since)
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="mutate-"))
        pool = stack.enter_context(ThreadPoolExecutor(options.jobs))
        folders = [Path(scratch, str(number), checkout.folder.name) for number in range(options.jobs)]
        # From here on, changes in the checkout do not matter.
        copies = [checkout.copy_to(folder) for folder in folders]
        drawn = draw(copies[0], changes(copies[0], paths, lines), options.sample, options.seed)
        if not drawn:
            raise SystemExit("mutate.py: error: there is nothing to change: expected code that runs.")
        line_tests: LineTests | NearTests = NearTests(copies[0], is_wide=options.wide)
        if with_coverage:
            line_tests = LineTests.of(copies[0], options.tests, checkout.folder / "build" / "mutate", options.jobs)
        trial = Trial(line_tests, options.tests_each, options.time_limit, time.monotonic() + options.seconds)
        for copy in copies:
            live = LiveServer(copy.folder, copy.package, options.tests) if with_coverage else None
            bench = Bench(copy, ForkServer(copy.folder), live)
            stack.callback(bench.end)
            trial.benches.put(bench)
        # Any bench will do: the copies are alike.
        line_tests.leave_out_failing(drawn, options.tests_each, bench)
        tried = []
        for each in pool.map(trial.of, drawn):
            if each.outcome == "not tried":
                continue
            tried.append(each)
            place = f"{each.change.path}:{each.change.line}"
            say(f"{len(tried)} of {len(drawn)}: {place}: {each.change.kind}: {each.outcome}, {each.seconds:.0f} s")
        show(copies[0], tried)
        if options.json:
            options.json.write_text(as_json(copies[0], tried, options.seed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
