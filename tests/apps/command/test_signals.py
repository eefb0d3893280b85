"""A run that is interrupted, ended, or cannot write leaves nothing behind, and how signals are handled is as before."""

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from segscores.apps.command import groups
from segscores.apps.command.main import main

from ...corpora import random_corpus_pair, words_text
from ...processes import Run

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")

#: Lines that the files repeat.
BLOCK = random_corpus_pair(100, seed=8, units="𠮷🐕🐈🐎🐟🐦", max_units=200)
FILES = {"u.csv": "from before", **{f"{name}.txt": words_text(side) for name, side in zip("rp", BLOCK, strict=True)}}
LINE = "score {0}/r.txt {0}/p.txt --per-utterance u.csv"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a reference, `r.txt`, and a prediction, `p.txt`, of 90 MB each."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, side in zip("rp", BLOCK, strict=True):
        text = "".join(f"{line}\n" for line in words_text(side))
        (folder / f"{name}.txt").write_bytes(text.encode() * 2000)
    return folder


@posix
@pytest.mark.parametrize(
    ("kill", "number", "status"),
    [
        # As a terminal does.
        pytest.param(os.killpg, "SIGINT", 130, id="interrupt"),
        pytest.param(os.kill, "SIGTERM", 143, id="terminate-one"),
        pytest.param(os.killpg, "SIGHUP", 129, id="hang-up", marks=pytest.mark.slow),
    ],
)
def test_a_terminated_run_ends_at_once_and_leaves_no_file(corpus, kill, number, status):
    run = Run(LINE.format(corpus))
    run.wait_until_it_reads(corpus / "r.txt")
    kill(run.process.pid, getattr(signal, number))
    assert run.end() == (status, "", "", [])
    assert Path("u.csv").read_text() == "from before"


@posix
@pytest.mark.parametrize("name", ["u.csv", "new.csv", "u.jsonl"])
def test_a_disk_that_is_full_leaves_no_half_of_a_file(name, monkeypatch):
    import resource

    # Python would keep the half of a compiled module.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    # As on a full disk a file cannot grow further; the error's number is another.
    limit = (5000, 5000)
    run = Run(LINE.format(".").replace("u.csv", name), lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    status, output, messages, left = run.end()
    assert (status, output, left) == (2, "", [])
    assert re.fullmatch(r"segscores: error: .*File too large.*\n", messages)
    assert Path("u.csv").read_text() == "from before"


def handlers() -> list[Any]:
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_a_run_restores_the_handling_of_signals():
    before = handlers()
    for line, status in (("groups tnr", 0), ("score missing.txt missing.txt", 2)):
        assert main(line.split()) == status
        assert handlers() == before
    with ThreadPoolExecutor(1) as other:
        assert other.submit(main, ["groups", "tnr"]).result() == 0
    assert handlers() == before


@posix
@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None], ids=["ignored", "own"])
def test_a_program_that_handles_signals_itself_goes_on_doing_so(handler, monkeypatch):
    former = signal.signal(signal.SIGTERM, handler)
    try:
        monkeypatch.setattr(groups, "print_out", lambda _: signal.raise_signal(signal.SIGTERM))
        assert main(["groups", "tnr"]) == 0
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, former)


@posix
def test_a_run_within_a_terminated_program_exits_with_the_status(monkeypatch, capsys):
    before = handlers()
    assert before[1] is signal.SIG_DFL
    monkeypatch.setattr(groups, "print_out", lambda _: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(SystemExit, match=r"^143$") as ended:
        main(["groups", "tnr"])
    assert ended.value.code == 143
    assert handlers() == before
    assert capsys.readouterr() == ("", "")
