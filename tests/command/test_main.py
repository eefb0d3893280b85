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

#: Folder, reference, prediction and official scores of the real pairs.
CORPORA = {
    "tp": ("brent", "reference.txt", "predicted_tp.txt", "official_scores_tp.json"),
    "puddle": ("brent", "reference.txt", "predicted_puddle.txt", "official_scores_puddle.json"),
    "jieba": ("ud", "zh_gsd_test_reference.txt", "zh_gsd_test_jieba.txt", "official_scores_zh_gsd_test_jieba.json"),
}
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


def scores_of(done: subprocess.CompletedProcess[str]) -> list[dict[str, float]]:
    """The scores of every prediction in JSON."""
    return [entry["scores"] for entry in json.loads(output_of(done))["predictions"]]


def message_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a run printed that failed."""
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    # What is wrong with the command line itself comes after the usage.
    assert len(lines) == 1 or lines[0].startswith("usage: segmentation-scores")
    match = re.fullmatch(r"segmentation-scores(?: \w+)?: error: (.+)", lines[-1])
    assert match, done.stderr
    return match[1]


def official(shared_data: Path, name: str) -> tuple[Path, Path, dict[str, float], dict[str, int]]:
    """The paths of a real pair, what the official scorers say, and their counts."""
    folder, reference, prediction, scores = CORPORA[name]
    read = json.loads((shared_data / folder / scores).read_text(encoding="utf-8"))
    counts = {
        "utterances": read["utterances"],
        "token_matched": read["counts"]["tp"],
        "token_predicted": read["counts"]["pp"],
        "token_reference": read["counts"]["rp"],
        "token_spans": read["counts"]["tw"],
    }
    expected = read["wordseg"] | {"token_tnr": read["token_tnr"]}
    return shared_data / folder / reference, shared_data / folder / prediction, expected, counts


@pytest.mark.parametrize("name", CORPORA)
def test_real_pairs_have_the_official_scores_and_counts(shared_data: Path, run: Run, name: str) -> None:
    reference, prediction, expected, counts = official(shared_data, name)
    read = json.loads(output_of(run("score", reference, prediction, "--counts", "--format", "json")))
    (found,) = read["predictions"]
    assert (read["reference"], found["path"]) == (str(reference), str(prediction))
    assert found["scores"] == pytest.approx(expected, rel=0, abs=1e-12)
    assert {column: found["counts"][column] for column in counts} == counts


def test_the_default_is_a_table_of_the_default_scores(run: Run) -> None:
    header, _, *rows, blank, signature = output_of(run("score", "r.txt", "p.txt")).splitlines()
    assert header.split() == ["score", "p.txt"]
    assert (blank, signature) == ("", f"signature: {SIGNATURE}")
    assert [row.split() for row in rows] == [[key, f"{value:.4f}"] for key, value in EXPECTED.items()]


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        (["--scores", "tnr", "--scores", "token"], (*GROUPS["tnr"].keys, *GROUPS["token"].keys)),
        (["--scores", "token, token", "--scores=tnr,token"], (*GROUPS["token"].keys, *GROUPS["tnr"].keys)),
        (["--scores", "recall"], SELECTIONS["recall"]),
    ],
)
def test_only_the_scores_asked_for_are_printed(run: Run, options: list[str], keys: Sequence[str]) -> None:
    (scores,) = scores_of(run("score", *options, "r.txt", "p.txt", "--format", "json"))
    assert list(scores.items()) == [(key, EXPECTED[key]) for key in keys]


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


def test_groups_describes_those_that_are_named(run: Run) -> None:
    entries = re.split(r"^(?=\S)", output_of(run("groups", *GROUPS, *SELECTIONS)), flags=re.MULTILINE)[1:]
    listed = {re.split("[:\n]", entry)[0]: entry for entry in entries}
    assert list(listed) == [*GROUPS, *SELECTIONS]
    for name, group in GROUPS.items():
        for text in (group.title, group.definition, group.formula, group.source, group.equal_to, *group.keys):
            assert text in listed[name]
    for name, keys in SELECTIONS.items():
        assert all(key in listed[name] for key in keys)


@posix
def test_a_folder_that_was_deleted_meanwhile_is_named(script: str, tmp_path: Path) -> None:
    for name in ("r.txt", "p.txt"):
        (tmp_path / name).write_text("the dog\n")
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [script, "score", tmp_path / "r.txt", tmp_path / "p.txt", "--per-utterance", "u.csv"]
    line = f'rmdir "$PWD" && exec {shlex.join(map(str, command))}'
    done = subprocess.run(["sh", "-c", line], cwd=gone, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    # In a path with spaces pip's script begins with a shell, which tells of the folder too.
    assert done.stderr.splitlines()[-1] == (
        "segmentation-scores: error: the working directory does not exist any more: change to another one."
    )


def test_a_score_is_described_with_its_group(run: Run) -> None:
    assert output_of(run("groups", "all")) == output_of(run("groups", *GROUPS))
    expected = output_of(run("groups", "token"))
    assert output_of(run("groups", "token_fscore")) == expected
    assert output_of(run("groups", "token_recall", "token", "token_fscore")) == expected


def test_version_is_printed_on_standard_output(run: Run) -> None:
    assert output_of(run("--version")) == f"segmentation-scores {__version__}\n"


def test_help_names_every_option_and_its_default(run: Run) -> None:
    output = " ".join(output_of(run("score", "--help")).split())
    options = "text-format word-boundary ignored-tokens scores zero-division counts confidence resamples seed"
    for option in f"{options} interval-method average per-utterance worst".split():
        assert f"--{option}" in output
    assert "--format {table,json,csv,markdown,latex,html}" in output
    for default in ("recognised from the first lines of each side", "WORD_BOUNDARY", "0.0", "table"):
        assert f"(default: {default})" in " ".join(output.split())


def test_the_module_runs_as_the_script_does(run: Run, folder: Path) -> None:
    command = [sys.executable, "-m", "segscores.command.main", "score", "r.txt", "p.txt"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )
    assert output_of(done) == output_of(run("score", "r.txt", "p.txt"))


SLOW = ("evaluate", "datasets", "gradio", "pandas", "torch")
#: What only intervals and scores of utterances need.
OF_INTERVALS = ("segscores.statistics.resampling", "segscores.scoring.utterance_tally")
HELP_SLOW = (*SLOW, "pyarrow", "numpy", "tqdm")


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], HELP_SLOW),
        (["score", "--help"], HELP_SLOW),
        (["compare", "--help"], HELP_SLOW),
        (["errors", "--help"], HELP_SLOW),
        (["groups", "--help"], HELP_SLOW),
        (["score", "r.txt"], HELP_SLOW),
        (["groups"], SLOW),
        (["score", "r.txt", "p.txt"], (*SLOW, "scipy")),
        (["score", "r.txt", "p.txt", "--format", "json", "--counts"], (*SLOW, "scipy", "tqdm", *OF_INTERVALS)),
        (["score", "r.txt", "p.txt", "--format", "json", "--confidence", "0.9"], (*SLOW, "scipy.stats")),
        (["compare", "r.txt", "p.txt", "r.txt"], (*SLOW, "scipy.stats")),
        (["score", "r.conllu", "r.conllu"], SLOW),
    ],
    ids=" ".join,
)
def test_nothing_is_imported_that_takes_time_and_is_not_needed(
    folder: Path, arguments: list[str], unwanted: tuple[str, ...]
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
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )
    imported = set(done.stderr.split())
    assert "segscores.command.main" in imported
    assert imported.isdisjoint(unwanted), sorted(imported.intersection(unwanted))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["scores"], "invalid choice: 'scores'"),
        (["score", "r.txt"], "PREDICTION"),
        (["groups", "--counts"], "--counts"),
        (["groups", "tokens"], "unknown score group 'tokens'. Did you mean 'token'? The groups are "),
        (["score", "r.txt", "p.txt", "--format", "yaml"], "'yaml'"),
        (["score", "r.txt", "a\nb"], "no such file"),
    ],
    ids=" ".join,
)
def test_an_error_is_a_line_on_standard_error_with_status_2(run: Run, arguments: list[str], words: str) -> None:
    assert words in message_of(run(*arguments))


@posix
@pytest.mark.parametrize(
    "arguments", [["score", "r.txt", "p.txt", "--counts"], ["groups"], ["score", "--help"]], ids=str
)
def test_a_pipe_closed_early_is_met_with_silence(script: str, folder: Path, arguments: list[str]) -> None:
    process = subprocess.Popen([script, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, message = process.communicate(timeout=300)
    assert message == b""
    assert process.returncode in {0, 1}


@posix
def test_the_head_of_a_long_output_can_be_taken(script: str, folder: Path) -> None:
    # More than a pipe holds, so that the command still writes when its reader leaves.
    predictions = [f"{number}={'./' * (400 + number)}p.txt" for number in range(200)]
    command = ["sh", "-c", '"$0" "$@" | head -c 20', script, "score", "r.txt", *predictions, "--format", "csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert output_of(done) == "score,0,1,2,3,4,5,6,"


def in_shell(script: str, folder: Path, redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with streams that the shell closes or redirects."""
    command = ["sh", "-c", f'exec "$0" "$@" {redirection}', script, *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )


@posix
def test_standard_input_may_be_closed_where_it_is_not_read(script: str, folder: Path) -> None:
    assert scores_of(in_shell(script, folder, "<&-", "score", "r.txt", "p.txt", "--format", "json")) == [EXPECTED]


@posix
def test_a_closed_standard_input_is_an_error_where_it_is_read(script: str, folder: Path) -> None:
    assert "standard input" in message_of(in_shell(script, folder, "<&-", "score", "r.txt", "-"))


@posix
def test_standard_error_may_be_closed(script: str, folder: Path) -> None:
    assert scores_of(in_shell(script, folder, "2>&-", "score", "r.txt", "p.txt", "--format", "json")) == [EXPECTED]
    assert in_shell(script, folder, "2>&-", "score", "r.txt", "missing").returncode == 2


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
def test_a_long_run_shows_its_progress_on_a_terminal_and_clears_it(script: str, folder: Path) -> None:
    (folder / "long.txt").write_bytes(LONG * 2)
    command = [script, "score", "-", "long.txt", "--format", "json"]
    status, output, shown = run_on_terminal(command, folder, [LONG, LONG], pause=1.3)
    assert status == 0
    assert set(json.loads(output)["predictions"][0]["scores"].values()) == {1.0}
    assert b"scoring" in shown
    # What is left of the bar is overwritten by spaces.
    assert shown.endswith(b"\r")
    assert shown.rsplit(b"\r", 2)[1].strip() == b""


@posix
def test_a_long_run_that_fails_reports_it_on_a_separate_line(script: str, folder: Path) -> None:
    (folder / "long.txt").write_bytes(LONG * 2 + b"dog\n")
    command = [script, "score", "-", "long.txt"]
    status, output, shown = run_on_terminal(command, folder, [LONG, LONG + b"cat\n"], pause=1.3)
    assert (status, output) == (2, b"")
    assert b"scoring" in shown
    *_, last, rest = shown.replace(b"\r\n", b"\n").split(b"\n")
    assert rest == b""
    assert last.rsplit(b"\r", 1)[-1].startswith(
        b"segmentation-scores: error: standard input and long.txt, line 300001:"
    )


@posix
def test_a_short_run_shows_no_progress(script: str, folder: Path) -> None:
    command = [script, "score", "-", "p.txt", "--format", "json"]
    status, output, shown = run_on_terminal(command, folder, [REFERENCE.encode()], pause=0)
    assert (status, shown) == (0, b"")
    assert json.loads(output)["predictions"][0]["scores"] == EXPECTED


def test_a_long_run_shows_nothing_where_there_is_no_terminal(script: str, folder: Path) -> None:
    (folder / "long.txt").write_bytes(LONG * 2)
    command = [script, "score", "-", "long.txt", "--scores", "tnr", "--format", "csv"]
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(LONG)
    process.stdin.flush()
    time.sleep(1.3)
    output, message = process.communicate(LONG, timeout=300)
    assert (process.returncode, message) == (0, b"")
    signature = SIGNATURE.replace("n:3", "n:300000")
    assert output.decode() == f"score,long.txt,signature\ntoken_tnr,1.0,{signature}\n"


def peak_memory(folder: Path, command: list[str]) -> int:
    """The most memory that a command takes, in bytes; another process runs it, as peaks add up over all children."""
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


def write_repeated(path: Path, block: bytes, size: int) -> None:
    with path.open("wb") as file:
        for _ in range(-(-size // len(block))):
            file.write(block)


def blocks(ending: str) -> tuple[bytes, bytes]:
    """A reference and a prediction of a quarter of a megabyte or so, with some thousand types."""
    source = random.Random(1)
    words = ["".join(source.choices("abcdefgh狗叫", k=source.randint(1, 5))) for _ in range(3000)]
    references = [source.choices(words, k=source.randint(1, 20)) for _ in range(5000)]
    predictions = [
        [part for word in line for part in ([word[:1], word[1:]] if len(word) > 4 else [word])] for line in references
    ]
    if ending == "txt":
        texts = ["".join(f"{' '.join(line)}\n" for line in side) for side in (references, predictions)]
    else:
        texts = [
            "".join("".join(f"{i}\t{w}\t_\n" for i, w in enumerate(line, 1)) + "\n" for line in side)
            for side in (references, predictions)
        ]
    return texts[0].encode(), texts[1].encode()


@pytest.mark.slow
@pytest.mark.xdist_group("serial")
@posix
@pytest.mark.parametrize(("ending", "larger"), [("txt", 60_000_000), ("conllu", 40_000_000)])
def test_memory_does_not_grow_with_the_files(script: str, tmp_path: Path, ending: str, larger: int) -> None:
    peaks = []
    reference, prediction = blocks(ending)
    for size in (10_000_000, larger):
        write_repeated(tmp_path / f"r.{ending}", reference, size)
        write_repeated(tmp_path / f"p.{ending}", prediction, size * len(prediction) // len(reference))
        # How far threads are from each other, and so what they hold, differs from run to run.
        runs = [peak_memory(tmp_path, [script, "score", f"r.{ending}", f"p.{ending}"]) for _ in range(3)]
        peaks.append(min(runs))
        for name in ("r", "p"):
            (tmp_path / f"{name}.{ending}").unlink()
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
