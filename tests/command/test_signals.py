"""A run that is interrupted, ended, or cannot write leaves nothing behind, and how signals are handled is as before."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from segscores.command import groups
from segscores.command.main import main

from ..naive import random_corpus_pair, words_text
from ..processes import processes_of_session

# What is measured, interrupted or timed runs in one worker, one after the other.
pytestmark = pytest.mark.xdist_group("serial")

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")

#: Lines that the files repeat.
BLOCK = random_corpus_pair(400, seed=8, units="𠮷🐕🐈🐎🐟🐦", max_units=200)
#: How often. The files have 90 MB each.
REPETITIONS = 500


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

    def wait_until_it_reads(self) -> None:
        """Wait until the run has read some of the reference; it must not end before."""
        while self.process.poll() is None:
            with suppress(psutil.NoSuchProcess):
                files = psutil.Process(self.process.pid).open_files()
                if any(file.position for file in files if Path(file.path) == self.corpus / "r.txt"):
                    return
            time.sleep(0.002)
        pytest.fail(f"the run has ended: {self.process.communicate()}")

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


@posix
@pytest.mark.parametrize(
    "ending",
    [
        # As a terminal does.
        (os.killpg, signal.SIGINT, 130),
        (os.kill, signal.SIGINT, 130),
        (os.kill, signal.SIGTERM, 143),
        (os.killpg, signal.SIGHUP, 129),
        # As a scheduler of a cluster does before a job's time is up.
        (os.kill, signal.SIGUSR1, 138),
        (os.kill, signal.SIGXCPU, 152),
    ],
    ids=["interrupt", "interrupt-one", "terminate-one", "hangup", "user", "time"],
)
def test_a_run_that_is_to_end_ends_at_once_and_leaves_nothing(corpus: Path, tmp_path: Path, ending: Any) -> None:
    kill, number, status = ending
    run = Run(corpus, tmp_path, "--per-utterance", "u.csv")
    run.wait_until_it_reads()
    kill(run.process.pid, number)
    assert run.end() == (status, "", "")
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
@pytest.mark.parametrize("fails", [False, True], ids=["", "with an error on the way"])
def test_a_run_within_a_program_that_is_to_end_gives_the_status(
    fails: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(_: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            if fails:
                raise OSError("the other process has ended too")

    before = handlers()
    assert before[1] is signal.SIG_DFL
    monkeypatch.setattr(groups, "print_out", end)
    assert main(["groups", "tnr"]) == 143
    assert handlers() == before
    assert capsys.readouterr() == ("", "")
