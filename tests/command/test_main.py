"""The command as its users run it: the console script, in a process of its own."""

from __future__ import annotations

import csv
import io
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
from segscores.measures.registry import DEFAULT_SCORES, GROUPS, SELECTIONS

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
def test_json_has_the_official_scores_of_real_pairs(shared_data: Path, run: Run, name: str) -> None:
    reference, prediction, expected, _ = official(shared_data, name)
    read = json.loads(output_of(run("score", reference, prediction, "--format", "json")))
    assert (read["reference"], read["predictions"][0]["path"]) == (str(reference), str(prediction))
    assert read["predictions"][0]["scores"] == pytest.approx(expected, rel=0, abs=1e-12)


def test_several_predictions_have_a_column_each(shared_data: Path, run: Run) -> None:
    reference, tp, expected_tp, _ = official(shared_data, "tp")
    _, puddle, expected_puddle, _ = official(shared_data, "puddle")
    rows = list(csv.reader(io.StringIO(output_of(run("score", reference, tp, puddle, reference, "--format", "csv")))))
    assert rows[0] == ["score", tp.name, puddle.name, reference.name, "signature"]
    for column, expected in ((1, expected_tp), (2, expected_puddle), (3, dict.fromkeys(expected_tp, 1.0))):
        assert {row[0]: float(row[column]) for row in rows[1:]} == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("name", CORPORA)
def test_counts_are_the_official_ones(shared_data: Path, run: Run, name: str) -> None:
    reference, prediction, _, expected = official(shared_data, name)
    read = json.loads(output_of(run("score", reference, prediction, "--counts", "--format", "json")))
    counts = read["predictions"][0]["counts"]
    assert {column: counts[column] for column in expected} == expected
    rows = csv.reader(io.StringIO(output_of(run("score", reference, prediction, "--counts", "--format", "csv"))))
    assert {column: int(value) for column, value, _ in rows if column in expected} == expected


def test_a_real_pair_as_units_text_scores_the_same(shared_data: Path, run: Run, folder: Path) -> None:
    reference, prediction, expected, _ = official(shared_data, "puddle")
    for path, name in ((reference, "r"), (prediction, "p")):
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        units = (
            " ;eword ".join(" ".join(f"{unit} ;esyll" for unit in word) for word in line.split()) for line in lines
        )
        (folder / name).write_text("".join(f"{line} ;eword\n" for line in units), encoding="utf-8")
    options = ("--text-format", "units", "--word-boundary", ";eword", "--ignored-tokens", ";esyll", "--format", "json")
    assert scores_of(run("score", "r", "p", *options)) == [pytest.approx(expected, rel=0, abs=1e-12)]


def test_the_default_is_a_table_of_the_default_scores(run: Run) -> None:
    header, _, *rows, blank, signature = output_of(run("score", "r.txt", "p.txt")).splitlines()
    assert header.split() == ["score", "p.txt"]
    assert (blank, signature) == ("", f"signature: {SIGNATURE}")
    assert [row.split() for row in rows] == [[key, f"{value:.4f}"] for key, value in EXPECTED.items()]


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        (["--scores", "token"], GROUPS["token"].keys),
        (["--scores", "tnr,token"], (*GROUPS["tnr"].keys, *GROUPS["token"].keys)),
        (["--scores", "tnr", "--scores", "token"], (*GROUPS["tnr"].keys, *GROUPS["token"].keys)),
        (["--scores", "token,token", "--scores=token"], GROUPS["token"].keys),
        (["--scores", "token, tnr"], (*GROUPS["token"].keys, *GROUPS["tnr"].keys)),
        (["--scores", "recall"], SELECTIONS["recall"]),
    ],
)
def test_only_the_scores_asked_for_are_printed(run: Run, options: list[str], keys: Sequence[str]) -> None:
    (scores,) = scores_of(run("score", *options, "r.txt", "p.txt", "--format", "json"))
    assert list(scores.items()) == [(key, EXPECTED[key]) for key in keys]


@pytest.mark.parametrize("group", DEFAULT_SCORES)
def test_counts_are_those_of_the_groups_asked_for(run: Run, group: str) -> None:
    done = run("score", "r.txt", "p.txt", "--scores", group, "--counts", "--format", "json")
    counts = json.loads(output_of(done))["predictions"][0]["counts"]
    assert set(counts) == {"utterances", "units", *GROUPS[group].columns}
    assert (counts["utterances"], counts["units"]) == (3, 19)


@pytest.mark.parametrize(
    ("paths", "stdin"), [(("-", "p.txt"), REFERENCE), (("r.txt", "-"), PREDICTION)], ids=["reference", "prediction"]
)
def test_either_side_may_come_from_standard_input(run: Run, paths: tuple[str, str], stdin: str) -> None:
    done = run("score", *paths, "--format", "json", stdin=stdin)
    read = json.loads(output_of(done))
    assert (read["reference"], read["predictions"][0]["path"]) == paths
    assert scores_of(done) == [EXPECTED]


def test_one_of_several_predictions_may_come_from_standard_input(run: Run) -> None:
    done = run("score", "r.txt", "p.txt", "-", "r.txt", "--format", "json", stdin=PREDICTION)
    assert scores_of(done) == [EXPECTED, EXPECTED, dict.fromkeys(EXPECTED, 1.0)]


def test_standard_input_may_be_conllu(run: Run, folder: Path) -> None:
    (folder / "p.conllu").write_text("1\td\n2\tu\n3\tc d\n")
    stdin = "1-2\tdu\n1\tde\n2\tle\n3\tc d\n\n"
    done = run("score", "-", "p.conllu", "--text-format", "conllu", "--format", "json", stdin=stdin)
    assert scores_of(done) == [naive_scores([["du", "cd"]], [["d", "u", "cd"]])]


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


def test_groups_describes_those_that_are_named_in_markdown(run: Run) -> None:
    text = output_of(run("groups", "token", "rates", "--format", "markdown"))
    assert re.findall(r"^### (\w+): ", text, flags=re.MULTILINE) == ["token", "rates"]
    plain = re.sub(r"\\(?=\W|_)", "", text)
    for name in ("token", "rates"):
        group = GROUPS[name]
        assert f"\n\n{group.definition}\n\n- formula: {group.formula}\n- keys: " in plain
        assert f"\n- source: {group.source}\n" in plain


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


def test_a_group_that_there_is_not_is_an_error(run: Run) -> None:
    assert message_of(run("groups", "tokens")).startswith(
        "unknown score group 'tokens'. Did you mean 'token'? The groups are "
    )


def test_version_is_printed_on_standard_output(run: Run) -> None:
    assert output_of(run("--version")) == f"segmentation-scores {__version__}\n"


def test_help_names_every_command(run: Run) -> None:
    output = output_of(run("--help"))
    assert re.search(r"^ +score +\w", output, re.MULTILINE)
    assert re.search(r"^ +compare +\w", output, re.MULTILINE)
    assert re.search(r"^ +groups +\w", output, re.MULTILINE)


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


BAD_COMMAND_LINES: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "no command": ([], ("COMMAND",)),
    "unknown command": (["scores"], ("'scores'", "score", "groups")),
    "no files": (["score"], ("REFERENCE",)),
    "no prediction": (["score", "r.txt"], ("PREDICTION",)),
    "an option of another command": (["groups", "--counts"], ("--counts",)),
    "a file for groups": (["groups", "r.txt"], ("r.txt",)),
    "unknown format": (["score", "r.txt", "p.txt", "--format", "yaml"], ("'yaml'", "table", "json", "csv", "latex")),
    "unknown text format": (["score", "r.txt", "p.txt", "--text-format", "word"], ("'word'", "words", "units")),
    "unknown group": (
        ["score", "r.txt", "p.txt", "--scores", "tokens"],
        ("'tokens'", "boundary_all", "token", "recall"),
    ),
    "no group": (["score", "r.txt", "p.txt", "--scores", ""], ("boundary_all", "token")),
    "zero_division of a word": (["score", "r.txt", "p.txt", "--zero-division", "none"], ("--zero-division", "'none'")),
    "zero_division below 0": (["score", "r.txt", "p.txt", "--zero-division=-1"], ("zero", "division", "-1", "[0, 1]")),
    "infinite zero_division": (["score", "r.txt", "p.txt", "--zero-division", "inf"], ("zero", "inf", "[0, 1]")),
    "whitespace in the word boundary": (
        ["score", "r.txt", "p.txt", "--text-format", "units", "--word-boundary", "a b"],
        ("word", "boundary", "'a b'", "whitespace"),
    ),
    "standard input twice": (["score", "-", "-"], ("standard input", "once")),
    "standard input for two predictions": (["score", "r.txt", "-", "p.txt", "-"], ("standard input", "once")),
    "a missing prediction": (["score", "r.txt", "p.txt", "missing"], ("missing", "no such file")),
    "UTF-16": (["score", "r.txt", "utf16.txt"], ("utf16.txt", "UTF-16", "iconv")),
}


@pytest.mark.parametrize("name", BAD_COMMAND_LINES)
def test_an_error_is_a_line_on_standard_error_with_status_2(run: Run, folder: Path, name: str) -> None:
    (folder / "utf16.txt").write_text(REFERENCE, encoding="utf-16")
    arguments, words = BAD_COMMAND_LINES[name]
    message = message_of(run(*arguments))
    assert all(word in message for word in words), message


def test_a_newline_in_a_name_does_not_begin_a_line(run: Run) -> None:
    assert "no such file" in message_of(run("score", "r.txt", "a\nb"))


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
    predictions = ["./" * 400 + "p.txt"] * 200
    command = ["sh", "-c", '"$0" "$@" | head -c 20', script, "score", "r.txt", *predictions, "--format", "csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert output_of(done) == "score,p.txt,p.txt (2"


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
