"""The command as its users run it: the console script, in a process of its own."""

import json
import math
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from segscores import DEFINITIONS_VERSION, __version__, signature
from segscores.options.table import SELECTIONS
from segscores.scoring.measures.registry import GROUPS

from ...naive import naive_scores

posix = pytest.mark.skipif(os.name != "posix", reason="the test needs a POSIX shell or terminal")

REFERENCE, PREDICTION = "the dog is on the boat\n\n狗 叫\n", "thedog is on the boat\n\n狗叫\n"
FILES = {"r.txt": REFERENCE, "p.txt": PREDICTION, "r.conllu": "1-2\tab\n1\ta\n2\tb\n\n"}
EXPECTED = naive_scores(*([line.split() for line in text.split("\n")[:-1]] for text in (REFERENCE, PREDICTION)))
#: Of the default scores of the two.
SIGNATURE = signature(REFERENCE.split("\n")[:-1], text_format="words")


@pytest.fixture(scope="session")
def script() -> str:
    """The path of the console script beside this Python."""
    path = shutil.which("segscores", path=str(Path(sys.executable).parent))
    if path is None:
        pytest.fail(f"there is no segscores beside {sys.executable}: install the package, pip install .")
    return path


def start(*command: object, stdin: str = "", encoding: str = "utf-8", **environment: str):
    """Run a command in the working folder."""
    return subprocess.run(
        list(map(str, command)), input=stdin, env=os.environ | environment, capture_output=True, encoding=encoding,
        timeout=300, check=False,
    )  # fmt: skip


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a run printed that went well, and silently: standard error is not a terminal here."""
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def ran(script):
    """Return what the command prints."""
    return lambda *arguments, **more: output_of(start(script, *arguments, **more))


def test_the_default_is_a_table_of_the_default_scores_and_the_module_and_the_old_name_run_as_the_script(ran, script):
    output = ran("score", "r.txt", "p.txt")
    header, _, *rows, blank, signature = output.splitlines()
    assert (header.split(), blank, signature) == (["score", "p.txt"], "", f"signature: {SIGNATURE}")
    assert [row.split() for row in rows] == [[key, f"{value:.4f}"] for key, value in EXPECTED.items()]
    for program in ([sys.executable, "-m", "segscores"], [f"{script[:-9]}segmentation-scores"]):
        assert output_of(start(*program, "score", "r.txt", "p.txt")) == output


@pytest.mark.parametrize("paths", ["- p.txt", "r.txt p.txt -"])
def test_one_file_may_come_from_standard_input(ran, paths):
    stdin = REFERENCE if paths[0] == "-" else PREDICTION
    read = json.loads(ran("score", *paths.split(), "--format", "json", stdin=stdin))
    assert [read["reference"], *(entry["path"] for entry in read["predictions"])] == paths.split()
    assert [entry["scores"] for entry in read["predictions"]] == [EXPECTED] * paths.count(" ")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
@pytest.mark.parametrize(("form", "encoding"), [("json", "utf-8"), ("csv", "ascii")])
def test_a_name_that_cannot_be_printed_does_not_fail_the_run(script, form, encoding):
    name = os.fsdecode("狗".encode() + b"\xff.txt")
    Path(name).write_text(PREDICTION, encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": f"{encoding}:strict"}
    command = [script, "score", "r.txt", name, "--format", form]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=300, check=True)
    assert b"token_recall" in done.stdout


@posix
def test_a_folder_that_was_deleted_meanwhile_is_named(script, folder):
    command = [script, "score", folder / "r.txt", folder / "p.txt", "--per-utterance", "u.csv"]
    line = f'mkdir gone && cd gone && rmdir "$PWD" && exec {shlex.join(map(str, command))}'
    done = start("sh", "-c", line)
    assert (done.returncode, done.stdout) == (2, "")
    # In a path with spaces pip's script begins with a shell, which tells of the folder too.
    expected = "segscores: error: the working directory does not exist any more: change to another one."
    assert done.stderr.splitlines()[-1] == expected


@pytest.mark.parametrize(
    ("module", "base"),
    [
        *(("numpy", "Exception"), ("pyarrow", "BaseException")),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("numpy", "BaseException"), ("pyarrow", "Exception"))
        ),
    ],
)
def test_an_error_that_no_code_expects_is_no_failed_check(folder, module, base):
    """A library raises it; the panics of libraries in Rust are no Exceptions."""
    (folder / f"{module}.py").write_text(f"class PanicException({base}): pass\nraise PanicException('broken')\n")
    command = [sys.executable, "-m", "segscores.apps.command.main", "score", "r.txt", "p.txt"]
    done = start(*command, PYTHONPATH=os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" in done.stderr
    assert re.search("PanicException: broken\nsegscores: error: .*please report it", done.stderr)


def test_version_is_printed_on_standard_output(ran):
    assert ran("--version") == f"segscores {__version__} (definitions {DEFINITIONS_VERSION})\n"


def test_groups_lists_every_score_with_its_range_and_describes_named_groups(printed):
    table, selections = printed("groups").split("\n\n")
    header, _, *rows = table.splitlines()
    assert selections.split(": ")[1].rstrip(".\n").split(", ") == [*SELECTIONS, "all"]
    assert header.split() == ["group", "keys", "range", "better", "source", "equal", "to"]
    keys = [tuple(row.split()[:2]) for row in rows]
    assert sorted(keys) == sorted((name, key) for name, group in GROUPS.items() for key in group.keys)
    assert any(re.match(r"rates +over_segmentation +≥ −1 +near 0 +Räsänen et al", row) for row in rows)
    everything = printed(f"groups {' '.join(GROUPS)}")
    assert printed("groups all") == everything
    entries = re.split(r"^(?=\S)", everything + printed(f"groups {' '.join(SELECTIONS)}"), flags=re.MULTILINE)[1:]
    listed = {re.split("[:\n]", entry)[0]: entry for entry in entries}
    assert list(listed) == [*GROUPS, *SELECTIONS]
    for name, group in GROUPS.items():
        for text in (group.title, group.definition, group.formula, group.source, group.equal_to, *group.keys):
            assert text in listed[name]
    assert all(key in listed[name] for name, (keys, _) in SELECTIONS.items() for key in keys)
    assert printed("groups token_recall token token_fscore") == listed["token"]
    markdown = printed("groups token --format markdown")
    assert markdown.startswith(f"### token: {GROUPS['token'].title}\n\n")
    assert f"- keys: {', '.join(GROUPS['token'].keys)}" in markdown
    # Without a name, the table of all, as in the documentation.
    of_all = printed("groups --format markdown").splitlines()
    assert {re.match(r"\| `?(\w+)", row)[1] for row in of_all[2:]} == {*GROUPS}


SLOW = ("evaluate", "datasets", "gradio", "pandas", "torch")
HELP_SLOW = (*SLOW, "pyarrow", "numpy", "tqdm")
PROGRAM = """
import sys
from segscores.apps.command.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("line", "unwanted"),
    [
        ("--help", (*HELP_SLOW, "segscores.reading")),
        *((line, HELP_SLOW) for line in ("score --help", "score r.txt")),
        ("groups", SLOW),
        ("score r.txt p.txt --counts", (*SLOW, "concurrent.futures.thread", "pyarrow.compute", "scipy", "shlex", "tqdm")),
        ("score r.txt p.txt --format json --confidence 0.9", (*SLOW, "numpy.ma", "pyarrow.compute", "scipy")),
        ("compare r.txt p.txt r.txt", (*SLOW, "pyarrow.compute", "scipy.stats")),
        ("score r.conllu r.conllu", SLOW),
    ],
)  # fmt: skip
def test_nothing_is_imported_that_takes_time_and_is_not_needed(line, unwanted):
    imported = set(start(sys.executable, "-c", PROGRAM, *line.split()).stderr.split())
    assert "segscores.apps.command.main" in imported
    assert imported.isdisjoint(unwanted), sorted(imported.intersection(unwanted))


FROZEN = """
import sys
from segscores.apps.command.main import main
try:
    main(sys.argv[1:])
finally:
    modules = [module for name, module in sys.modules.items() if name.startswith("segscores")]
    values = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    dataclasses = [cls for cls in values if "__dataclass_params__" in vars(cls)]
    print(sum(cls.__dataclass_params__.frozen for cls in dataclasses), len(dataclasses), file=sys.stderr)
"""


def test_few_classes_that_the_command_makes_are_frozen_while_it_runs():
    # Each of them takes a millisecond, five times as long as one that type checkers alone hold to be frozen.
    frozen, dataclasses = map(int, start(sys.executable, "-c", FROZEN, "score", "r.txt", "p.txt").stderr.split())
    assert dataclasses > 40
    assert frozen <= 20


def test_the_command_starts_no_thread_of_the_blas_of_numpy():
    count = "import psutil, sys; print(psutil.Process().num_threads(), file=sys.stderr)"
    needed = start(sys.executable, "-c", f"import numpy, pyarrow; {count}", OPENBLAS_NUM_THREADS="1")
    run = f"from segscores.apps.command.main import main; main(['score', 'r.txt', 'p.txt']); {count}"
    assert start(sys.executable, "-c", run, OMP_NUM_THREADS="2").stderr == needed.stderr


@posix
@pytest.mark.parametrize(
    ("redirection", "line", "status", "message"),
    [
        ("<&-", "score r.txt p.txt", 0, ""),
        ("<&-", "score r.txt -", 2, "standard input"),
        ("2>&-", "score r.txt p.txt", 0, ""),
        ("2>&-", "score r.txt missing", 2, ""),
        # A reader that leaves early is met with silence.
        *(("| head -c 0", line, 0, "") for line in ("score r.txt p.txt --counts", "score --help")),
    ],
)
def test_streams_may_be_closed_where_they_are_not_needed(script, redirection, line, status, message):
    done = start("sh", "-c", f'"$0" "$@" {redirection}', script, *line.split())
    assert (done.returncode, message in done.stderr, bool(message)) == (status, True, bool(done.stderr))
    if "2>&-" in redirection and not status:
        assert "token_recall" in done.stdout


@posix
def test_the_head_of_a_long_output_can_be_taken(script):
    # More than a pipe holds, so that the command still writes when its reader leaves.
    predictions = [f"{number}={'./' * (400 + number)}p.txt" for number in range(200)]
    done = start("sh", "-c", '"$0" "$@" | head -c 20', script, "score", "r.txt", *predictions, "--format", "csv")
    assert output_of(done) == "score,0,1,2,3,4,5,6,"


def run_on_terminal(
    command: list[str], chunks: Sequence[bytes] = (), pause: float = 0, *, interrupt_at: bytes = b""
) -> tuple[int, bytes, bytes]:
    """Run a command whose standard error is a terminal, feeding it chunks with pauses; status, output and messages.

    It is interrupted when the terminal shows a pattern, and killed ten seconds later.
    """
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    # A new terminal has neither lines nor columns.
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown: list[bytes] = []
    timers: list[threading.Timer] = []

    def watch() -> None:
        try:
            while data := os.read(leader, 4096):
                shown.append(data)
                if interrupt_at and not timers and re.search(interrupt_at, b"".join(shown)):
                    process.send_signal(signal.SIGINT)
                    timers.append(threading.Timer(10, process.kill))
                    timers[0].start()
        except OSError:  # Linux says so when nobody holds the other end any more.
            return

    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=follower,
        # Tests that run in a shell's background ignore the signal, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread runs
    )  # fmt: skip
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
    for timer in timers:
        timer.cancel()
    os.close(leader)
    return process.returncode, output, b"".join(shown)


LONG = REFERENCE.encode() * 20_000


@posix
@pytest.mark.parametrize("more", [b"", b"cat\n"], ids=["scored", "failed"])
def test_a_long_run_shows_its_progress_on_a_terminal_and_clears_it(script, more):
    Path("long.txt").write_bytes(LONG * 2 + more.replace(b"cat", b"dog"))
    command = [script, "score", "-", "long.txt", "--format", "json"]
    status, output, shown = run_on_terminal(command, [LONG, LONG + more], pause=1.3)
    assert b"scoring" in shown
    if more:
        assert (status, output) == (2, b"")
        # The message is on a line of its own.
        *_, last, rest = shown.replace(b"\r\n", b"\n").split(b"\n")
        expected = b"segscores: error: standard input and long.txt, line 120001:"
        assert (rest, last.rsplit(b"\r", 1)[-1].startswith(expected)) == (b"", True)
    else:
        assert (status, set(json.loads(output)["predictions"][0]["scores"].values())) == (0, {1.0})
        # What is left of the bar is overwritten by spaces.
        assert shown.endswith(b"\r")
        assert shown.rsplit(b"\r", 2)[1].strip() == b""


@posix
@pytest.mark.parametrize("more", [0, pytest.param(100_000, marks=pytest.mark.slow)], ids=["one-part", "several-parts"])
def test_aligning_a_line_of_300_000_characters_shows_its_progress_and_ends_at_ctrl_c(script, more):
    source = random.Random(0)
    for name in ("a.txt", "b.txt"):
        Path(name).write_text("".join(source.choices("abcdefgh", k=300_000)) + "\n" + "a b c\n" * more)
    command = [script, "score", "a.txt", "b.txt", "--on-mismatch", "align"]
    status, output, shown = run_on_terminal(command, interrupt_at=rb"aligning: +[1-9]\d?%")
    assert (status, output) == (130, b"")
    # What is left of the bar is overwritten by spaces.
    assert shown.rsplit(b"\r", 2)[1].strip() == b""


@posix
def test_a_short_run_and_one_without_a_terminal_show_no_progress(script):
    command = [script, "score", "-", "p.txt", "--format", "json"]
    status, _, shown = run_on_terminal(command, [REFERENCE.encode()], pause=0)
    assert (status, shown) == (0, b"")
    Path("long.txt").write_bytes(LONG * 2)
    line = f"(cat long.txt; sleep 1.3) | {shlex.quote(script)} score - long.txt --scores tnr --format csv"
    printed = output_of(start("sh", "-c", line))
    assert re.fullmatch(r"score,long\.txt,signature\ntoken_tnr,1\.0,segscores\|\S+\|n:120000\|v:\S+\n", printed)


def peak_memory(*command: str) -> int:
    """The most memory that a command takes, in bytes; another process runs it, as peaks add up over all children."""
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = start(sys.executable, "-c", program, *command)
    assert done.returncode == 0, done.stderr
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
@posix
@pytest.mark.parametrize(("ending", "larger"), [("txt", 60_000_000), ("conllu", 40_000_000)])
def test_memory_does_not_grow_with_the_files(script, ending, larger):
    source = random.Random(1)
    words = ["".join(source.choices("abcdefgh狗叫", k=source.randint(1, 5))) for _ in range(3000)]
    references = [source.choices(words, k=source.randint(1, 20)) for _ in range(5000)]
    predictions = [
        [part for word in line for part in ([word[:1], word[1:]] if len(word) > 4 else [word])] for line in references
    ]

    def written(line: list[str]) -> str:
        rows = "".join(f"{number}\t{word}\t_\n" for number, word in enumerate(line, 1))
        return f"{' '.join(line)}\n" if ending == "txt" else f"{rows}\n"

    def write(size: int) -> None:
        count = -(-size // len("".join(map(written, references)).encode()))
        for name, side in (("r", references), ("p", predictions)):
            block = "".join(map(written, side)).encode()
            Path(f"{name}.{ending}").write_bytes(block * count)

    command = script, "score", f"r.{ending}", f"p.{ending}"
    write(10_000_000)
    # How far threads are from each other, and so what they hold, differs from run to run: the least of two runs counts.
    least = min(peak_memory(*command) for _ in range(2))
    write(larger)
    growths = []
    while len(growths) < 2 and min(growths, default=math.inf) >= 25_000_000:
        growths.append(peak_memory(*command) - least)
    assert min(growths) < 25_000_000, growths
