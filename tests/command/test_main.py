"""The command as its users run it: the console script, in a process of its own."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from segscores import __version__
from segscores.measures.registry import GROUPS, SELECTIONS

from ..naive import naive_scores

posix = pytest.mark.skipif(os.name != "posix", reason="the test needs a POSIX shell or terminal")

REFERENCE, PREDICTION = "the dog is on the boat\n\n狗 叫\n", "thedog is on the boat\n\n狗叫\n"
EXPECTED = naive_scores(*([line.split() for line in text.split("\n")[:-1]] for text in (REFERENCE, PREDICTION)))


@pytest.fixture(scope="session")
def script() -> str:
    """The path of the console script beside this Python."""
    path = shutil.which("segmentation-scores", path=str(Path(sys.executable).parent))
    if path is None:
        pytest.fail(f"there is no segmentation-scores beside {sys.executable}: install the package, pip install .")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a reference, `r.txt`, and a prediction, `p.txt`."""
    (tmp_path / "r.txt").write_bytes(REFERENCE.encode())
    (tmp_path / "p.txt").write_bytes(PREDICTION.encode())
    return tmp_path


#: Of the default scores of the two.
SIGNATURE = f"segscores|text:words|avg:micro|zero:0|n:3|v:{__version__}"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(script: str, folder: Path) -> Run:
    """Run the command in the folder."""

    def run_script(
        *arguments: str | Path, stdin: str | bytes = b"", environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [script, *map(str, arguments)],
            cwd=folder,
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            env=os.environ | (environment or {}),
            capture_output=True,
            timeout=300,
            check=False,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run_script


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """What a run printed that went well, and silently: standard error is not a terminal here."""
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def start(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run another command than the script."""
    return subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False
    )


def scores_of(done: subprocess.CompletedProcess[str]) -> list[dict[str, float]]:
    """The scores of every prediction in JSON."""
    return [entry["scores"] for entry in json.loads(output_of(done))["predictions"]]


def test_the_default_is_a_table_of_the_default_scores(run: Run) -> None:
    header, _, *rows, blank, signature = output_of(run("score", "r.txt", "p.txt")).splitlines()
    assert header.split() == ["score", "p.txt"]
    assert (blank, signature) == ("", f"signature: {SIGNATURE}")
    assert [row.split() for row in rows] == [[key, f"{value:.4f}"] for key, value in EXPECTED.items()]


@pytest.mark.parametrize(
    ("paths", "stdin"),
    [(("-", "p.txt"), REFERENCE), (("r.txt", "-"), PREDICTION), (("r.txt", "p.txt", "-"), PREDICTION)],
    ids=["reference", "prediction", "last"],
)
def test_one_file_may_come_from_standard_input(run: Run, paths: tuple[str, ...], stdin: str) -> None:
    done = run("score", *paths, "--format", "json", stdin=stdin)
    read = json.loads(output_of(done))
    assert [read["reference"], *(entry["path"] for entry in read["predictions"])] == list(paths)
    assert scores_of(done) == [EXPECTED] * (len(paths) - 1)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
@pytest.mark.parametrize(("form", "encoding"), [("table", "utf-8"), ("json", "utf-8"), ("csv", "ascii")])
def test_a_name_that_cannot_be_printed_does_not_fail_the_run(run: Run, folder: Path, form: str, encoding: str) -> None:
    name = os.fsdecode("狗".encode() + b"\xff.txt")
    (folder / name).write_text(PREDICTION, encoding="utf-8")
    done = run("score", "r.txt", name, "--format", form, environment={"PYTHONIOENCODING": f"{encoding}:strict"})
    assert "token_recall" in output_of(done)


def test_groups_lists_every_score_with_its_range(run: Run) -> None:
    header, _, *rows = output_of(run("groups")).splitlines()
    assert header.split() == ["group", "keys", "range", "better", "source", "equal", "to"]
    keys = [tuple(row.split()[:2]) for row in rows]
    assert set(keys) == {(name, key) for name, group in GROUPS.items() for key in group.keys}
    assert len(keys) == len(set(keys))
    assert any(re.match(r"rates +over_segmentation +≥ −1 +near 0 +Räsänen et al", row) for row in rows)


@posix
def test_a_folder_that_was_deleted_meanwhile_is_named(script: str, tmp_path: Path) -> None:
    for name in ("r.txt", "p.txt"):
        (tmp_path / name).write_text("the dog\n")
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [script, "score", tmp_path / "r.txt", tmp_path / "p.txt", "--per-utterance", "u.csv"]
    line = f'rmdir "$PWD" && exec {shlex.join(map(str, command))}'
    done = start("sh", "-c", line, folder=gone)
    assert (done.returncode, done.stdout) == (2, "")
    # In a path with spaces pip's script begins with a shell, which tells of the folder too.
    assert done.stderr.splitlines()[-1] == (
        "segmentation-scores: error: the working directory does not exist any more: change to another one."
    )


def test_version_is_printed_on_standard_output(run: Run) -> None:
    assert output_of(run("--version")) == f"segmentation-scores {__version__}\n"


def test_groups_describes_those_that_are_named(run: Run) -> None:
    everything = output_of(run("groups", *GROUPS))
    assert output_of(run("groups", "all")) == everything
    entries = re.split(r"^(?=\S)", everything + output_of(run("groups", *SELECTIONS)), flags=re.MULTILINE)[1:]
    listed = {re.split("[:\n]", entry)[0]: entry for entry in entries}
    assert list(listed) == [*GROUPS, *SELECTIONS]
    for name, group in GROUPS.items():
        for text in (group.title, group.definition, group.formula, group.source, group.equal_to, *group.keys):
            assert text in listed[name]
    for name, keys in SELECTIONS.items():
        assert all(key in listed[name] for key in keys)
    assert output_of(run("groups", "token_recall", "token", "token_fscore")) == listed["token"]


def test_only_the_scores_asked_for_are_printed(run: Run) -> None:
    asked = ("--scores", "token, token", "--scores=tnr,token")
    (scores,) = scores_of(run("score", *asked, "r.txt", "p.txt", "--format", "json"))
    assert list(scores.items()) == [(key, EXPECTED[key]) for key in (*GROUPS["token"].keys, *GROUPS["tnr"].keys)]


def test_the_module_runs_as_the_script_does(run: Run, folder: Path) -> None:
    done = start(sys.executable, "-m", "segscores.command.main", "score", "r.txt", "p.txt", folder=folder)
    assert output_of(done) == output_of(run("score", "r.txt", "p.txt"))


SLOW = ("evaluate", "datasets", "gradio", "pandas", "torch")
HELP_SLOW = (*SLOW, "pyarrow", "numpy", "tqdm")


@pytest.mark.parametrize(
    ("line", "unwanted"),
    [
        *((line, HELP_SLOW) for line in ("--help", "score --help", "compare --help", "errors --help", "score r.txt")),
        ("groups", SLOW),
        # Only intervals and scores of utterances need the last two.
        ("score r.txt p.txt --format json --counts",
         (*SLOW, "scipy", "tqdm", "segscores.statistics.resampling", "segscores.scoring.utterance_tally")),
        ("score r.txt p.txt --format json --confidence 0.9", (*SLOW, "scipy.stats")),
        ("compare r.txt p.txt r.txt", (*SLOW, "scipy.stats")),
        ("score r.conllu r.conllu", SLOW),
    ],
)  # fmt: skip
def test_nothing_is_imported_that_takes_time_and_is_not_needed(
    folder: Path, line: str, unwanted: tuple[str, ...]
) -> None:
    (folder / "r.conllu").write_text("1-2\tab\n1\ta\n2\tb\n\n")
    program = (
        "import sys\n"
        "from segscores.command.main import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "finally:\n"
        "    print(*sys.modules, file=sys.stderr)\n"
    )
    imported = set(start(sys.executable, "-c", program, *line.split(), folder=folder).stderr.split())
    assert "segscores.command.main" in imported
    assert imported.isdisjoint(unwanted), sorted(imported.intersection(unwanted))


@posix
@pytest.mark.parametrize(
    ("redirection", "line", "status", "message"),
    [
        ("<&-", "score r.txt p.txt", 0, ""),
        ("<&-", "score r.txt -", 2, "standard input"),
        ("2>&-", "score r.txt p.txt", 0, ""),
        ("2>&-", "score r.txt missing", 2, ""),
        # A reader that leaves early is met with silence.
        *(("| head -c 0", line, 0, "") for line in ("score r.txt p.txt --counts", "groups", "score --help")),
    ],
)
def test_streams_may_be_closed_where_they_are_not_needed(
    *, script: str, folder: Path, redirection: str, line: str, status: int, message: str
) -> None:
    done = start("sh", "-c", f'"$0" "$@" {redirection}', script, *line.split(), folder=folder)
    assert (done.returncode, message in done.stderr, bool(message)) == (status, True, bool(done.stderr))
    if "2>&-" in redirection and not status:
        assert "token_recall" in done.stdout


@posix
def test_the_head_of_a_long_output_can_be_taken(script: str, folder: Path) -> None:
    # More than a pipe holds, so that the command still writes when its reader leaves.
    predictions = [f"{number}={'./' * (400 + number)}p.txt" for number in range(200)]
    line = (script, "score", "r.txt", *predictions, "--format", "csv")
    done = start("sh", "-c", '"$0" "$@" | head -c 20', *line, folder=folder)
    assert output_of(done) == "score,0,1,2,3,4,5,6,"


def run_on_terminal(
    command: list[str], folder: Path, chunks: Sequence[bytes], pause: float
) -> tuple[int, bytes, bytes]:
    """Run a command whose standard error is a terminal, feeding it chunks with pauses; status, output and messages."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    # A new terminal has neither lines nor columns.
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown: list[bytes] = []

    def watch() -> None:
        while True:
            try:
                data = os.read(leader, 4096)
            except OSError:  # Linux says so when nobody holds the other end any more.
                return
            if not data:
                return
            shown.append(data)

    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=follower)
    os.close(follower)
    watcher = threading.Thread(target=watch)
    watcher.start()
    assert process.stdin is not None
    for number, chunk in enumerate(chunks):
        if number:
            time.sleep(pause)
        process.stdin.write(chunk)
        process.stdin.flush()
    output, _ = process.communicate(timeout=300)
    watcher.join(timeout=300)
    os.close(leader)
    return process.returncode, output, b"".join(shown)


LONG = REFERENCE.encode() * 50_000


@posix
@pytest.mark.parametrize("more", [b"", b"cat\n"], ids=["scored", "failed"])
def test_a_long_run_shows_its_progress_on_a_terminal_and_clears_it(script: str, folder: Path, more: bytes) -> None:
    (folder / "long.txt").write_bytes(LONG * 2 + more.replace(b"cat", b"dog"))
    command = [script, "score", "-", "long.txt", "--format", "json"]
    status, output, shown = run_on_terminal(command, folder, [LONG, LONG + more], pause=1.3)
    assert b"scoring" in shown
    if more:
        assert (status, output) == (2, b"")
        # The message is on a line of its own.
        *_, last, rest = shown.replace(b"\r\n", b"\n").split(b"\n")
        assert rest == b""
        expected = b"segmentation-scores: error: standard input and long.txt, line 300001:"
        assert last.rsplit(b"\r", 1)[-1].startswith(expected)
    else:
        assert (status, set(json.loads(output)["predictions"][0]["scores"].values())) == (0, {1.0})
        # What is left of the bar is overwritten by spaces.
        assert shown.endswith(b"\r")
        assert shown.rsplit(b"\r", 2)[1].strip() == b""


@posix
def test_a_short_run_and_one_without_a_terminal_show_no_progress(script: str, folder: Path) -> None:
    command = [script, "score", "-", "p.txt", "--format", "json"]
    status, _, shown = run_on_terminal(command, folder, [REFERENCE.encode()], pause=0)
    assert (status, shown) == (0, b"")
    (folder / "long.txt").write_bytes(LONG * 2)
    line = f"(cat long.txt; sleep 1.3) | {shlex.quote(script)} score - long.txt --scores tnr --format csv"
    signature = SIGNATURE.replace("n:3", "n:300000")
    assert output_of(start("sh", "-c", line, folder=folder)) == f"score,long.txt,signature\ntoken_tnr,1.0,{signature}\n"


def peak_memory(folder: Path, command: list[str]) -> int:
    """The most memory that a command takes, in bytes; another process runs it, as peaks add up over all children."""
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = start(sys.executable, "-c", program, *command, folder=folder)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
@pytest.mark.xdist_group("serial")
@posix
@pytest.mark.parametrize(("ending", "larger"), [("txt", 60_000_000), ("conllu", 40_000_000)])
def test_memory_does_not_grow_with_the_files(script: str, tmp_path: Path, ending: str, larger: int) -> None:
    source = random.Random(1)
    words = ["".join(source.choices("abcdefgh狗叫", k=source.randint(1, 5))) for _ in range(3000)]
    references = [source.choices(words, k=source.randint(1, 20)) for _ in range(5000)]
    predictions = [
        [part for word in line for part in ([word[:1], word[1:]] if len(word) > 4 else [word])] for line in references
    ]
    blocks = {
        name: "".join(
            f"{' '.join(line)}\n"
            if ending == "txt"
            else "".join(f"{number}\t{word}\t_\n" for number, word in enumerate(line, 1)) + "\n"
            for line in side
        ).encode()
        for name, side in (("r", references), ("p", predictions))
    }
    peaks = []
    for size in (10_000_000, larger):
        for name, block in blocks.items():
            (tmp_path / f"{name}.{ending}").write_bytes(block * -(-size // len(blocks["r"])))
        # How far threads are from each other, and so what they hold, differs from run to run.
        peaks.append(min(peak_memory(tmp_path, [script, "score", f"r.{ending}", f"p.{ending}"]) for _ in range(3)))
    assert peaks[1] - peaks[0] < 25_000_000, peaks


@pytest.mark.slow
@pytest.mark.xdist_group("serial")
@posix
@pytest.mark.parametrize("write", [pq.write_table, feather.write_feather], ids=["parquet", "arrow"])
def test_values_that_a_table_repeats_take_no_more_memory(script: str, tmp_path: Path, write: Any) -> None:
    # Some kilobytes of a table, and 800 MB of text.
    rows = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000), [("the dog " * 2500).strip()])
    name = "long.parquet" if write is pq.write_table else "long.arrow"
    write(pa.table({"reference": rows, "prediction": rows}), str(tmp_path / name))
    assert peak_memory(tmp_path, [script, "score", name, "--scores", "token"]) < 300_000_000
