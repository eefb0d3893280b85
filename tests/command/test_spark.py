"""The subcommand `spark`, on a real local Spark, against `score` on the same files."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from segscores.command import spark as subcommand
from segscores.command.cli import build_parser
from segscores.command.main import main
from segscores.kernel import optional
from segscores.scale.spark_errors import SparkJobError
from segscores.scale.spark_scores import DataframeTally
from segscores.scoring.options import Plan
from segscores.statistics.utterance_scores import per_utterance

from ..naive import naive_counts, random_corpus_pair, words_text
from ..processes import processes_of_session

SIDES = [*map(words_text, random_corpus_pair(120, seed=8))]

Run = Callable[..., None]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the subcommand in a folder with a reference, `r.txt`, and a prediction, `p.txt`."""
    monkeypatch.chdir(tmp_path)
    for name, side in zip("rp", SIDES, strict=True):
        write_lines(tmp_path / f"{name}.txt", side)

    def run_here(files: str, *arguments: str) -> None:
        parser = build_parser()
        parsed = parser.parse_args(["spark", *paths(files), *arguments])
        parsed.run(parsed)

    return run_here


def paths(files: str) -> list[str]:
    """The whole paths of files in this folder: the session of the tests was started in another."""
    return [name if name == "-" else str(Path(name).absolute()) for name in files.split()]


@pytest.fixture
def small_blocks(spark: Any) -> Any:
    """The session, with files cut into blocks of some lines."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", "400")
    yield spark
    spark.conf.unset("spark.sql.files.maxPartitionBytes")


def write_lines(path: Path, lines: list[str]) -> None:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def test_files_have_the_scores_that_score_gives_them(run: Run, small_blocks: Any, capsys: Any) -> None:
    assert main(["score", *paths("r.txt p.txt r.txt"), "--counts", "--format", "json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    run("r.txt p.txt r.txt", "--counts", "--format", "json")
    assert json.loads(capsys.readouterr().out) == expected


def test_line_ends_and_byte_order_marks_are_read_as_score_reads_them(run: Run, spark: Any, capsys: Any) -> None:
    Path("r.txt").write_bytes("\ufeffthe dog\r\n\r\na\rb c\u3000d\n\nlast".encode())
    Path("p.txt").write_bytes(b"thedog\n\na b c d\n\nla st\n")
    assert main(["score", *paths("r.txt p.txt"), "--counts", "--format", "json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    run("r.txt p.txt", "--counts", "--format", "json")
    assert json.loads(capsys.readouterr().out) == expected


def test_files_of_a_pattern_pair_in_the_order_of_their_names(run: Run, small_blocks: Any, capsys: Any) -> None:
    # The longest is read first, and is not the first.
    for name, side in zip("rp", SIDES, strict=True):
        write_lines(Path(f"{name}-1.text"), side[:10])
        Path(f"{name}-2.text.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in side[10:40]).encode()))
        write_lines(Path(f"{name}-3.text"), side[40:])
    run("r.txt p.txt", "--format", "json")
    expected = json.loads(capsys.readouterr().out)["predictions"][0]["scores"]
    run("r-* p-*", "--format", "json")
    assert json.loads(capsys.readouterr().out)["predictions"][0]["scores"] == expected


def test_unequal_files_are_refused_with_both_counts(run: Run, spark: Any) -> None:
    write_lines(Path("p.txt"), SIDES[1][:-1])
    with pytest.raises(ValueError, match=r"r\.txt has 120 lines and \S*p\.txt has 119 lines: expected equal numbers"):
        run("r.txt p.txt")


def test_a_bad_line_is_named_and_can_be_left_out(run: Run, small_blocks: Any, capsys: Any) -> None:
    write_lines(Path("p.txt"), [*SIDES[1][:99], "something else", *SIDES[1][100:]])
    with pytest.raises(ValueError, match=r"r\.txt and \S*p\.txt, line 100: the units differ at offset 0"):
        run("r.txt p.txt")
    with pytest.warns(
        UserWarning, match=r"^1 of 120 utterances could not be scored.*r\.txt and \S*p\.txt, line 100: the units"
    ):
        run("r.txt p.txt", "--on-error", "skip", "--format", "json")
    assert json.loads(capsys.readouterr().out)["predictions"][0]["counts"] == {"left_out": 1}


def test_an_empty_or_missing_file_is_refused(run: Run, spark: Any) -> None:
    Path("empty.txt").touch()
    with pytest.raises(ValueError, match=r"empty\.txt: the file is empty; expected at least one line\.$"):
        run("empty.txt p.txt")
    with pytest.raises(
        SparkJobError,
        match=r"^\S*missing\.txt: there is no such file or folder, and no file matches it as a pattern\.$",
    ):
        run("r.txt missing.txt")


def test_undefined_scores_are_listed_as_score_lists_them(
    run: Run, small_blocks: Any, tmp_path: Path, capsys: Any
) -> None:
    for name in ("r.txt", "p.txt"):
        write_lines(tmp_path / name, ["a", "b"])
    run("r.txt p.txt", "--scores", "token_recall,boundary_noedge", "--format", "json")
    undefined = [f"boundary_noedge_{kind}" for kind in ("precision", "recall", "fscore")]
    assert json.loads(capsys.readouterr().out)["predictions"][0]["undefined"] == undefined


def test_intervals_are_printed_and_signed(run: Run, small_blocks: Any, capsys: Any) -> None:
    run("r.txt p.txt", "--scores", "token", "--confidence", "0.9", "--resamples", "50", "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    scores = printed["predictions"][0]["scores"]
    assert scores["token_recall_low"] < scores["token_recall"] < scores["token_recall_high"]
    assert "|ci:90-poisson-50-0|n:120|" in printed["signature"]


def test_clusters_of_lines_and_of_a_column_are_resampled(run: Run, small_blocks: Any, capsys: Any) -> None:
    options = ("--scores", "token,type", "--confidence", "0.9", "--resamples", "50", "--format", "json")

    def printed(files: str, *arguments: str) -> tuple[Any, str]:
        with pytest.warns(UserWarning, match="type scores have no interval on Spark"):
            run(files, *arguments, *options)
        found = json.loads(capsys.readouterr().out)
        return found["predictions"][0]["scores"], found["signature"]

    write_lines(Path("ids.txt"), [f" document {line // 3}\r" for line in range(120)])
    by_line, signature = printed("r.txt p.txt")
    assert "ci_types" not in signature
    assert printed("r.txt p.txt", "--cluster-lines", "1")[0] == by_line
    by_lines, signature = printed("r.txt p.txt", "--cluster-lines", "3")
    assert "|ci:90-poisson-50-0|clusters:40|n:120|" in signature
    by_name, of_names = printed("r.txt p.txt", "--clusters", *paths("ids.txt"))
    assert of_names == signature
    assert by_name["token_recall"] == by_line["token_recall"]
    order = np.random.default_rng(0).permutation(120)
    sides = {"reference": SIDES[0], "prediction": SIDES[1], "document": [line // 3 for line in range(120)]}
    pq.write_table(pa.table(sides).take(order), "both.parquet")
    assert printed("both.parquet", "--cluster-column", "document") == (by_lines, signature)
    assert by_lines["token_recall_low"] != by_line["token_recall_low"]
    names = [f"document {line // 3}" for line in range(120)]
    pq.write_table(pa.table(sides | {"document": names}), "both.parquet")
    assert printed("both.parquet", "--cluster-column", "document") == (by_name, signature)
    pq.write_table(pa.table(sides | {"document": [None, *sides["document"][1:]]}), "both.parquet")
    with pytest.raises(
        ValueError, match=r"both\.parquet, row 0: there is no id in the column 'document'; expected one"
    ):
        run("both.parquet", "--cluster-column", "document", *options)
    write_lines(Path("ids.txt"), ["a", " ", *["b"] * 118])
    with pytest.raises(ValueError, match=r"line 2: there is no id in the column '\S*ids\.txt'; expected one"):
        run("r.txt p.txt", "--clusters", *paths("ids.txt"), *options)


def test_scores_of_utterances_are_written_whole(run: Run, small_blocks: Any) -> None:
    run("r.txt p.txt", "--scores", "token,windows", "--per-utterance", *paths("scored"))
    table = pq.read_table("scored").sort_by("line")
    expected = per_utterance(*SIDES, text_format="words", scores=("token", "windows"))
    assert table["line"].to_pylist() == list(range(1, 121))
    for key in ("token_recall", "pk"):
        assert table[key].to_pylist() == [row[key] for row in expected]
    with pytest.raises(ValueError, match=r"--per-utterance: \S*scored exists already"):
        run("r.txt p.txt", "--scores", "token", "--per-utterance", *paths("scored"))


def test_a_table_holds_both_sides(run: Run, spark: Any, capsys: Any) -> None:
    numbers = pa.array(np.arange(120)[::-1] + 1000)
    pq.write_table(pa.table({"gold": SIDES[0], "system": SIDES[1], "number": numbers}), "both.parquet")
    run("r.txt p.txt", "--format", "json")
    expected = json.loads(capsys.readouterr().out)["predictions"][0]["scores"]
    columns = ("--reference-column", "gold", "--prediction-column", "system", "--index-column", "number")
    run("both.parquet", *columns, "--format", "json")
    found = json.loads(capsys.readouterr().out)["predictions"][0]
    assert (found["prediction"], found["scores"]) == ("system", expected)
    with pytest.raises(
        ValueError, match=r"reference_column: there is no column 'reference'; the columns are gold, system"
    ):
        run("both.parquet")


@pytest.mark.parametrize(
    ("files", "arguments", "message"),
    [
        ("- p.txt", [], r"cannot read standard input \(-\); use score"),
        ("r.conllu p.txt", [], "Spark cannot read CoNLL-U"),
        ("r.txt p.txt", ["--seed", "1"], "seed: it is for intervals: add confidence"),
        ("r.txt", [], "expected a PREDICTION after it, or a table with both sides"),
        ("r.txt p.txt", ["--index-column", "line"], "--index-column is for a table with both sides"),
        ("r.parquet", ["--confidence", "0.9"], "name the column that has it with --index-column"),
        (
            "r.txt p.txt",
            ["--cluster-column", "doc", "--confidence", "0.9"],
            "text has no columns: add --clusters FILE",
        ),
        ("r.txt p.txt", ["--clusters", "-", "--confidence", "0.9"], r"cannot read standard input \(-\); use score"),
        ("r.parquet", ["--clusters", "a", "--confidence", "0.9"], "--clusters is for text.* with --cluster-column"),
        ("r.parquet", ["--cluster-lines", "9", "--confidence", "0.9"], "column of ids with --cluster-column"),
        ("r.txt p.txt", ["--cluster-lines", "0", "--confidence", "0.9"], "--cluster-lines: expected a number from 1"),
        ("r.txt p.txt", ["--cluster-lines", "9"], "cluster_lines: it is for intervals: add confidence"),
        ("r.txt p.txt q.txt", ["--per-utterance", "x"], "--per-utterance is for one prediction at a time"),
        ("r.txt p.txt", ["--conf", "memory"], r"--conf: expected NAME=VALUE.*received 'memory'"),
        ("r.txt p.txt", ["--scores", "tokens"], "unknown score group 'tokens'"),
        ("r.txt p.txt p.txt", [], r"p\.txt is named twice: expected every prediction once"),
        ("r.parquet", ["--prediction-column", "a", "--prediction-column", "a"], "a is named twice"),
    ],
)
def test_bad_arguments_are_refused_before_spark_starts(
    run: Run, files: str, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subcommand, "open_session", None)
    with pytest.raises(ValueError, match=message):
        run(files, *arguments)


def tally_of(window_size: int) -> DataframeTally:
    plan = Plan.of(text_format="words", scores="windows", window_size=window_size)
    return DataframeTally(counts={"utterances": 2}, plan=plan, form="text", rows=2)


def test_the_confidence_is_signed_to_the_last_digit() -> None:
    arguments = Namespace(confidence=0.9999999, n_resamples=None, seed=None)
    signed = subcommand._signature(arguments, {"p": tally_of(2)}, Namespace(failures=[]))  # type: ignore[arg-type]
    assert "|ci:99.99999-poisson-1000-0|" in signed


def test_undefined_scores_are_listed() -> None:
    counts = {"token_matched": 0, "token_predicted": 0, "token_reference": 6}
    tally = DataframeTally(counts=counts, plan=Plan.of(scores="token", text_format="words"), form="text", rows=2)
    arguments = Namespace(counts=False, on_error="raise", confidence=None)
    result = subcommand._result("p", tally, Namespace(failures=[]), arguments)  # type: ignore[arg-type]
    # F is 2 · 0 / (0 + 6).
    assert result.undefined == ["token_precision"]
    assert result.scores == {"token_precision": 0.0, "token_recall": 0.0, "token_fscore": 0.0}


def test_windows_of_different_sizes_are_warned_of() -> None:
    files, arguments = Namespace(failures=[]), Namespace(confidence=None)
    with pytest.warns(UserWarning, match=r"different sizes \(2, 3\).* pass --window-size for one size"):
        subcommand._warn(files, arguments, {"p": tally_of(2), "q": tally_of(3)})  # type: ignore[arg-type]
    subcommand._warn(files, arguments, {"p": tally_of(2), "q": tally_of(2)})  # type: ignore[arg-type]


@pytest.mark.parametrize("home", [None, "/no/java/here"])
def test_the_error_without_java_says_what_to_install(
    run: Run, home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subcommand, "open_session", None)
    monkeypatch.setattr(subcommand, "check_packages", lambda: None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("PATH", "")
    if home is None:
        monkeypatch.delenv("JAVA_HOME", raising=False)
    else:
        monkeypatch.setenv("JAVA_HOME", home)
    with pytest.raises(
        ValueError, match=r"^(no Java runtime found|JAVA_HOME is /no/java/here, which has no bin/java)\. Spark "
    ):
        run("r.txt p.txt")


def test_the_error_without_pyspark_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subcommand, "open_session", None)
    monkeypatch.setattr(optional, "find_spec", lambda package: None)
    with pytest.raises(ValueError, match=r'^Spark needs pyspark, which is not installed: pip install "pyspark>=3\.5"$'):
        run("r.txt p.txt")


#: So often that workers are at it for some seconds.
REPETITIONS = 2000


@pytest.fixture(scope="module")
def large_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spark") / "both.parquet"
    table = pa.table({"reference": SIDES[0] * REPETITIONS, "prediction": SIDES[1] * REPETITIONS})
    pq.write_table(table, path, row_group_size=10_000)
    return path


@pytest.fixture
def start(large_table: Path, tmp_path: Path, java: None) -> Callable[[], subprocess.Popen[str]]:
    """Start the command on a large table, in a session of its own, with a Java process of its own."""

    def start_command() -> subprocess.Popen[str]:
        settings = ("--master", "local[2]", "--conf", "spark.driver.memory=1g")
        return subprocess.Popen(
            [sys.executable, "-m", "segscores.command.main", "spark", str(large_table), *settings],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(tmp_path)},
            start_new_session=True,
            # Tests that run in a shell's background ignore the signal, and so would what they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread is running
        )

    return start_command


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("spark.sql.session.timeZone=Nowhere", r"--conf: Spark rejects a setting: .*timeZone"),
        ("spark.executor.memory=1", r"Spark does not start: .*Executor memory 1 must be at least \d+\."),
    ],
)
def test_a_setting_that_spark_rejects_is_an_error_of_one_line(
    java: None, tmp_path: Path, setting: str, message: str
) -> None:
    (tmp_path / "r.txt").write_text("a b\n")
    command = [sys.executable, "-m", "segscores.command.main", "spark", "r.txt", "r.txt", "--conf", setting]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"segmentation-scores: error: {message}[^\n]*\n", done.stderr), done.stderr


def first_below(process: subprocess.Popen[str], *programs: str) -> psutil.Process:
    """The first process that runs the last of these programs below one that runs the one before, as soon as there is one."""
    while process.poll() is None:
        found = [psutil.Process(process.pid)]
        for program in programs:
            found = [child for each in found for child in children_of(each, program)]
        if found:
            return found[0]
        time.sleep(0.01)
    pytest.fail(f"the run has ended: {process.communicate()}")


def children_of(process: psutil.Process, program: str) -> list[psutil.Process]:
    found = []
    with suppress(psutil.NoSuchProcess):
        for child in process.children():
            # One that has ended has no command line.
            with suppress(psutil.NoSuchProcess):
                if program in " ".join(child.cmdline()):
                    found.append(child)
    return found


def end_of(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Status, standard output and standard error, once all that was started has ended."""
    output, message = process.communicate(timeout=120)
    start = time.monotonic()
    while left := processes_of_session(process.pid):
        assert time.monotonic() - start < 300, left
        time.sleep(0.01)
    return process.returncode, output, message


_JAVA, _DAEMON = "org.apache.spark.deploy.SparkSubmit", "pyspark.daemon"


def test_a_killed_worker_is_reported_in_one_line_and_leaves_no_files(start: Any, tmp_path: Path) -> None:
    status, attempts = 0, 0
    while not status and attempts < 5:
        process = start()
        first_below(process, _JAVA, _DAEMON, _DAEMON).kill()
        # A worker that had given all it was asked for is not missed: then another run is to lose one.
        status, output, message = end_of(process)
        attempts += 1
    reason = "a Python worker of Spark died, and was not tried again: was it killed, or out of memory?"
    assert (status, output, message) == (2, "", f"segmentation-scores: error: {reason}\n")
    assert [*tmp_path.iterdir()] == []


def test_the_next_run_has_the_right_numbers(run: Run, large_table: Path, spark: Any, capsys: Any) -> None:
    run(str(large_table), "--counts", "--format", "json")
    counts = json.loads(capsys.readouterr().out)["predictions"][0]["counts"]
    expected = naive_counts(*random_corpus_pair(120, seed=8))
    assert counts == {
        name: count if name.startswith("type_") else count * REPETITIONS for name, count in expected.items()
    }


@pytest.mark.parametrize("programs", [(_JAVA,), (_JAVA, _DAEMON, _DAEMON)], ids=["start", "work"])
def test_an_interrupted_run_leaves_no_process_and_no_folder(
    start: Any, tmp_path: Path, programs: tuple[str, ...]
) -> None:
    process = start()
    first_below(process, *programs)
    # As a terminal does.
    os.killpg(process.pid, signal.SIGINT)
    assert end_of(process) == (130, "", "")
    assert [*tmp_path.iterdir()] == []
