"""Workers: a run that is killed, interrupted or ended leaves nothing behind, and the next run has correct scores."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from segscores.command import groups
from segscores.command.main import main
from segscores.kernel.errors import UtteranceError
from segscores.kernel.workers import TaskError, WorkerDeath, map_in_workers

from ..naive import naive_counts, random_corpus_pair, words_text
from ..processes import processes_of_session

# What is measured, interrupted or timed runs in one worker, one after the other.
pytestmark = pytest.mark.xdist_group("serial")

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")

DEATH = "__import__('os').kill(__import__('os').getpid(), 9)"


def results_of(expression: str, numbers: Iterable[Any], count: int = 2) -> Iterator[Any]:
    """What an expression of `n` is for each number, as workers find it: they can import eval, and not this module."""
    tasks = ({"n": number} for number in numbers)
    with closing(map_in_workers(eval, tasks, count, expression)) as results:
        for _, result in results:
            yield result


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    """The workers that a process has, without the process that Python starts beside them, which ends with their parent."""
    workers = []
    for child in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "spawn_main" in " ".join(child.cmdline()):
                workers.append(child)
    return workers


def own_workers() -> list[psutil.Process]:
    return workers_of(psutil.Process())


def test_results_come_in_the_order_of_the_tasks_whoever_is_first() -> None:
    # The first takes longest.
    assert [*results_of("__import__('time').sleep(0.3 * (n == 0)) or n * n", range(12))] == [n * n for n in range(12)]


def test_each_result_comes_with_its_task() -> None:
    with closing(map_in_workers(divmod, iter([1, 2, 3]), 2, 7)) as results:
        assert [*results] == [(1, (7, 0)), (2, (3, 1)), (3, (2, 1))]


def test_no_tasks_have_no_results() -> None:
    assert [*results_of("n", [])] == []


def test_errors_are_results_as_they_were_raised() -> None:
    expected = [
        ValueError("no"),
        TypeError("no"),
        FileNotFoundError(2, "no", "f"),
        UtteranceError(3, "no", hint="h"),
        MemoryError("no"),
    ]
    # What is thrown into a generator is raised.
    found = [*results_of("(_ for _ in ()).throw(n)", expected)]
    assert [type(error) for error in found] == [type(error) for error in expected]
    assert [str(error) for error in found] == [str(error) for error in expected]


def test_an_error_that_nobody_foresaw_comes_with_the_trace_of_the_worker() -> None:
    first, error = results_of("10 // n", [5, 0])
    assert first == 2
    assert isinstance(error, TaskError)
    assert str(error).startswith("Traceback (most recent call last):")
    assert str(error).endswith("ZeroDivisionError: integer division or modulo by zero\n")


@pytest.mark.parametrize(("expression", "reason"), [("lambda: 0", "Can't pickle"), ("iter(list).x", "not iterable")])
def test_a_result_that_cannot_be_sent_is_an_error_and_no_death(expression: str, reason: str) -> None:
    for result in results_of(expression, range(2)):
        assert isinstance(result, Exception)
        assert reason in str(result)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (DEATH, "was killed (SIGKILL)"),
        ("__import__('os').kill(__import__('os').getpid(), 15)", "was killed (SIGTERM)"),
        ("__import__('os')._exit(3)", "ended with status 3"),
    ],
)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_death_costs_the_task_in_hand_and_no_other(way: str, said: str, count: int) -> None:
    found = [*results_of(f"{way} if n in (0, 4, 5, 11) else n", range(12), count)]
    deaths = [n for n, result in enumerate(found) if isinstance(result, WorkerDeath)]
    assert deaths == [0, 4, 5, 11]
    assert {str(found[n]) for n in deaths} == {said}
    assert [result for result in found if not isinstance(result, WorkerDeath)] == [1, 2, 3, 6, 7, 8, 9, 10]


def test_a_worker_that_is_killed_between_two_tasks_costs_none() -> None:
    with closing(map_in_workers(pow, itertools.count(), 1, 2)) as results:
        for number in range(5):
            assert next(results) == (number, 2**number)
            # The worker has done the one that it had waiting, and is idle.
            time.sleep(0.1)
            for worker in own_workers():
                worker.kill()
                # Nobody has waited for it yet.
                while worker.status() != psutil.STATUS_ZOMBIE:
                    time.sleep(0.001)


class DyingAtTheStart:
    """What kills the process that it is sent to, and not the one that sends it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (7,)


def test_workers_that_die_at_their_start_are_not_started_for_ever() -> None:
    with closing(map_in_workers(divmod, iter(range(3)), 2, DyingAtTheStart())) as results:
        assert [*results] == [(number, WorkerDeath(7)) for number in range(3)]


def test_tasks_are_read_as_they_are_needed() -> None:
    read = []
    tasks = (read.append(number) or {"n": number} for number in itertools.count())  # type: ignore[func-returns-value]
    with closing(map_in_workers(eval, tasks, 2, "__import__('time').sleep(0.5 * (n == 3)) or n")) as results:
        for number in range(10):
            assert next(results)[1] == number
            # Four for each worker, that may all be done before the slow one.
            assert len(read) <= number + 8
    assert len(read) >= 10


@pytest.mark.parametrize(("tasks", "count", "workers"), [(1, 8, 1), (3, 8, 3), (20, 2, 2)])
def test_no_more_workers_are_started_than_have_a_task(tasks: int, count: int, workers: int) -> None:
    most, pids = 0, set()
    for result in results_of("__import__('os').getpid()", range(tasks), count):
        pids.add(result)
        most = max(most, len(own_workers()))
    assert most <= workers
    assert len(pids) <= workers


def test_large_results_and_large_tasks_pass_each_other() -> None:
    sizes = [50_000_000, 1, 50_000_000, 1]
    assert [len(result) for result in results_of("bytes(n)", sizes)] == sizes
    # Neither fits in a pipe, so that who sends one waits for the other side to take it.
    large = [bytes([number]) * 3_000_000 for number in range(6)]
    assert [*results_of("n", large, count=1)] == large


@pytest.mark.parametrize(("function", "task"), [(lambda *_: 0, 1), (divmod, lambda: 0)], ids=["function", "task"])
def test_a_task_that_cannot_be_pickled_is_an_error_in_this_process(function: Any, task: Any) -> None:
    with (
        pytest.raises((pickle.PicklingError, AttributeError), match=r"Can't (pickle|get local object)"),
        closing(map_in_workers(function, iter([task]), 2, 0)) as results,
    ):
        next(results)
    assert own_workers() == []


def take_one_and_fail(error: BaseException) -> None:
    with closing(results_of("n", itertools.count())) as results:
        next(results)
        assert own_workers()
        raise error


def fail_as_tasks_are_read(error: BaseException) -> None:
    def tasks() -> Iterator[int]:
        yield from range(2)
        assert own_workers()
        raise error

    next(results_of("n", tasks()))


@pytest.mark.parametrize("fail", [take_one_and_fail, fail_as_tasks_are_read])
@pytest.mark.parametrize("error", [ValueError("stop"), KeyboardInterrupt("stop")], ids=["error", "interrupt"])
def test_no_worker_outlives_an_error_in_this_process(fail: Any, error: BaseException) -> None:
    with pytest.raises(type(error), match=r"^stop$"):
        fail(error)
    assert own_workers() == []


def test_no_worker_outlives_the_last_result_or_a_generator_that_is_closed() -> None:
    assert [*results_of("n", range(3))] == [0, 1, 2]
    assert own_workers() == []
    start = time.monotonic()
    results = results_of("n and __import__('time').sleep(600)", range(9))
    next(results)
    assert len(own_workers()) == 2
    results.close()
    assert own_workers() == []
    assert time.monotonic() - start < 300


#: Lines that the files repeat; of characters of four bytes, for the naive counts go with the square of how many a line has.
BLOCK = random_corpus_pair(400, seed=8, units="𠮷🐕🐈🐎🐟🐦", max_units=200)
#: How often. The files have 90 MB each, and so three pieces.
REPETITIONS = 500
LINES = len(BLOCK[0]) * REPETITIONS

#: More bytes than Python's buffer has: a file that is opened is read this far before the reader seeks to its piece.
BUFFER_BYTES = 1 << 18


def counts_of(first: int, last: int) -> dict[str, int]:
    """What there is to count in lines of the files, numbered from 1. All types are in any lines that are a block or more."""
    size = len(BLOCK[0])
    blocks, rest = divmod(last + 1 - first, size)
    places = [(first - 1 + place) % size for place in range(rest)]
    whole, part = naive_counts(*BLOCK), naive_counts(*([side[place] for place in places] for side in BLOCK))
    return {name: count if name.startswith("type_") else blocks * count + part[name] for name, count in whole.items()}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a reference, `r.txt`, and a prediction, `p.txt`."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, side in zip("rp", BLOCK, strict=True):
        text = "".join(f"{line}\n" for line in words_text(side))
        (folder / f"{name}.txt").write_bytes(text.encode() * REPETITIONS)
    return folder


class Run:
    """The command as it runs, in a session of its own, with a folder for its temporary files."""

    def __init__(self, corpus: Path, folder: Path, *arguments: str, limit: int | None = None) -> None:
        self.corpus, self.folder = corpus, folder
        (folder / "tmp").mkdir(exist_ok=True)
        self.before = sorted(folder.rglob("*"))

        def prepare() -> None:
            # Tests that run in a shell's background, or under nohup, ignore a signal, and so would what they start.
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            if limit is not None:
                import resource

                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        self.process = subprocess.Popen(
            [sys.executable, "-m", "segscores.command.main", "score", corpus / "r.txt", corpus / "p.txt", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(folder / "tmp")},
            start_new_session=True,
            preexec_fn=prepare,  # noqa: PLW1509 - no thread is running
        )

    def until(self, is_reached: Callable[[], Any]) -> Any:
        """What something gives as soon as it gives anything; the run must not end before."""
        while self.process.poll() is None:
            with suppress(psutil.NoSuchProcess):
                if found := is_reached():
                    return found
            time.sleep(0.002)
        pytest.fail(f"the run has ended: {self.process.communicate()}")

    def workers(self) -> list[psutil.Process]:
        return workers_of(psutil.Process(self.process.pid))

    def place_of(self, worker: psutil.Process) -> int | None:
        """The byte of the reference that a worker is at; None if it is at none."""
        places = [file.position for file in worker.open_files() if Path(file.path) == self.corpus / "r.txt"]
        return places[0] if places else None

    def are_working(self) -> bool:
        return any(self.place_of(worker) is not None for worker in self.workers())

    def kill_worker(self) -> int:
        """Kill a worker in the middle of a piece, and tell the byte of the reference that it was at."""

        def stop() -> tuple[psutil.Process, int] | None:
            for worker in self.workers():
                worker.suspend()
                place = self.place_of(worker)
                if place and place > BUFFER_BYTES:
                    return worker, place
                worker.resume()
            return None

        worker, place = self.until(stop)
        worker.kill()
        return int(place)

    def end(self) -> tuple[int, str, str]:
        """Status, standard output and standard error, once all that was started has ended."""
        output, message = self.process.communicate(timeout=120)
        start = time.monotonic()
        while processes_of_session(self.process.pid):
            assert time.monotonic() - start < 300, processes_of_session(self.process.pid)
            time.sleep(0.01)
        return self.process.returncode, output, message

    def left(self) -> list[Path]:
        """Files and folders that were not there before."""
        return [path for path in sorted(self.folder.rglob("*")) if path not in self.before]


def message_of(run: Run) -> str:
    """The one line of a run that fails, and leaves nothing."""
    status, output, message = run.end()
    assert (status, output, run.left()) == (2, "", [])
    match = re.fullmatch(r"segmentation-scores: error: (.+)\n", message)
    assert match, message
    return match[1]


def read_counts(output: str) -> dict[str, int]:
    counts: dict[str, int] = json.loads(output)["predictions"][0]["counts"]
    return counts


COUNTS = ("--counts", "--format", "json")


@posix
def test_a_worker_that_is_killed_ends_the_run_and_the_next_one_has_the_right_numbers(
    corpus: Path, tmp_path: Path
) -> None:
    arguments = (*COUNTS, "--scores", "token,type", "--per-utterance", "u.csv")
    run = Run(corpus, tmp_path, "--jobs", "2", *arguments)
    place = run.kill_worker()
    match = re.fullmatch(
        rf"{corpus}/r\.txt and {corpus}/p\.txt, lines (\d+) to (\d+): the worker that scored this was killed \(SIGKILL\); "
        r"was it ended, or out of memory\? Fewer --jobs take less memory\. Nothing was written: it can be run again\.",
        message_of(run),
    )
    assert match
    lines = (corpus / "r.txt").read_bytes().splitlines(keepends=True)
    first, stop = (sum(map(len, lines[:line])) for line in (int(match[1]) - 1, int(match[2])))
    assert first <= place <= stop + BUFFER_BYTES
    outputs = []
    for jobs in ("2", "1"):
        run = Run(corpus, tmp_path, "--jobs", jobs, *arguments)
        status, output, message = run.end()
        assert (status, message, run.left()) == (0, "", [tmp_path / "u.csv"])
        outputs.append((output, (tmp_path / "u.csv").read_bytes()))
        (tmp_path / "u.csv").unlink()
    assert outputs[0] == outputs[1]
    counts = read_counts(output)
    assert counts == {name: count for name, count in counts_of(1, LINES).items() if name in counts}
    assert {"units", "token_matched", "token_spans", "type_matched", "type_reference"} - counts.keys() == {
        "token_spans"
    }
    assert outputs[0][1].count(b"\n") == 1 + LINES


@posix
def test_lines_of_a_worker_that_is_killed_can_be_left_out(corpus: Path, tmp_path: Path) -> None:
    run = Run(corpus, tmp_path, "--jobs", "2", "--on-error", "skip", *COUNTS)
    run.kill_worker()
    status, output, message = run.end()
    assert (status, run.left()) == (0, [])
    match = re.fullmatch(
        rf"segmentation-scores: warning: left out: {corpus}/r\.txt and {corpus}/p\.txt, lines (\d+) to (\d+): the worker "
        r"that scored this was killed \(SIGKILL\); was it ended, or out of memory\?\n",
        message,
    )
    assert match, message
    gone = counts_of(int(match[1]), int(match[2]))
    expected = {
        name: count if name.startswith("type_") else count - gone[name] for name, count in counts_of(1, LINES).items()
    }
    assert 0 < expected["utterances"] < LINES
    assert read_counts(output) == expected | {"left_out": 0, "left_out_files": 1}


def at_their_start(run: Run) -> bool:
    return bool(run.workers())


def at_work(run: Run) -> bool:
    return run.are_working()


@posix
@pytest.mark.parametrize(
    ("arguments", "moment"),
    [
        (("--jobs", "2"), at_their_start),
        (("--jobs", "2"), at_work),
    ],
    ids=["start", "work"],
)
@pytest.mark.parametrize(
    "ending",
    [
        # As a terminal does.
        (os.killpg, signal.SIGINT, 130),
        (os.kill, signal.SIGINT, 130),
        (os.kill, signal.SIGTERM, 143),
        (os.killpg, signal.SIGTERM, 143),
        (os.killpg, signal.SIGHUP, 129),
    ],
    ids=["interrupt", "interrupt-one", "terminate-one", "terminate", "hangup"],
)
def test_a_run_that_is_to_end_ends_at_once_and_leaves_nothing(
    corpus: Path, tmp_path: Path, arguments: tuple[str, ...], moment: Any, ending: Any
) -> None:
    kill, number, status = ending
    run = Run(corpus, tmp_path, *arguments)
    run.until(lambda: moment(run))
    kill(run.process.pid, number)
    assert run.end() == (status, "", "")
    assert run.left() == []


@posix
def test_workers_end_when_the_process_that_started_them_is_killed(corpus: Path, tmp_path: Path) -> None:
    run = Run(corpus, tmp_path, "--jobs", "2")
    run.until(run.are_working)
    run.process.kill()
    assert run.end() == (-signal.SIGKILL, "", "")
    assert run.left() == []


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with a block of each side, and the scores of utterances from before."""
    folder = tmp_path / "small"
    folder.mkdir()
    for name, side in zip("rp", BLOCK, strict=True):
        (folder / f"{name}.txt").write_bytes("".join(f"{line}\n" for line in words_text(side)).encode())
    (folder / "u.csv").write_text("from before")
    return folder


@posix
@pytest.mark.parametrize("name", ["u.csv", "new.csv", "u.jsonl"])
def test_a_disk_that_is_full_leaves_no_half_of_a_file(small: Path, name: str) -> None:
    # As on a full disk a file cannot grow further; the error's number is another.
    message = message_of(Run(small, small, "--per-utterance", name, limit=20_000))
    assert "File too large" in message
    assert (small / "u.csv").read_text() == "from before"


@posix
@pytest.mark.parametrize("place", ["missing/u.csv", "r.txt/u.csv", "/proc/u.csv"])
def test_a_folder_that_cannot_be_written_to_is_an_error(small: Path, place: str) -> None:
    message = message_of(Run(small, small, "--per-utterance", place))
    assert re.search("expected a file in a folder that exists|No such file or directory|Permission denied", message)


def handlers() -> list[Any]:
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_how_signals_are_handled_is_as_before_after_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    before = handlers()
    assert main(["groups", "tnr"]) == 0
    assert handlers() == before
    assert main(["score", "missing.txt", "missing.txt"]) == 2
    assert handlers() == before
    with ThreadPoolExecutor(1) as other:
        assert other.submit(main, ["groups", "tnr"]).result() == 0
    assert handlers() == before


@posix
@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None], ids=["ignored", "own"])
def test_a_program_that_handles_signals_itself_goes_on_doing_so(
    handler: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    former = signal.signal(signal.SIGTERM, handler)
    try:
        monkeypatch.setattr(groups, "print_out", lambda _: signal.raise_signal(signal.SIGTERM))
        assert main(["groups", "tnr"]) == 0
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, former)


@posix
def test_a_run_within_a_program_that_is_to_end_gives_the_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = handlers()
    assert before[1] is signal.SIG_DFL
    monkeypatch.setattr(groups, "print_out", lambda _: signal.raise_signal(signal.SIGTERM))
    assert main(["groups", "tnr"]) == 143
    assert handlers() == before
    assert capsys.readouterr() == ("", "")


@posix
def test_an_error_on_the_way_to_the_end_is_not_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            raise OSError("the other process has ended too")

    monkeypatch.setattr(groups, "print_out", fail)
    assert main(["groups", "tnr"]) == 143
    assert capsys.readouterr() == ("", "")
