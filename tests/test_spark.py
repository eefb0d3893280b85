"""Scores of a data frame of Spark, against one process: a real local Spark, and a cluster of two workers."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from segscores import score, score_dataframe
from segscores.measures.registry import GROUPS

from .naive import naive_scores, random_corpus_pair, units_text, word_lists, words_text
from .processes import processes_of_session

ROOT = Path(__file__).resolve().parent.parent
CORPUS = random_corpus_pair(300, seed=64)
WORDS = words_text(CORPUS[0]), words_text(CORPUS[1])
WORDS_TEXT = {"text_format": "words"}
#: Every group, and options other than the default ones.
EVERYTHING: dict[str, Any] = {
    "text_format": "words",
    "scores": tuple(name for name, group in GROUPS.items() if not group.needs_documents),
    "dictionary": ["a", "ab", "ba", "狗"],
    "acceptable": ["ab"],
    "vocabulary": WORDS[0][:200],
    "on_mismatch": "align",
    "tolerance": 2,
    "window_convention": "nltk",
}


def labels(words: Any) -> list[int]:
    return [int(place == 0) for word in words for place in range(len(word))]


def frame_of(spark: Any, references: Any, predictions: Any, kind: str = "string") -> Any:
    rows = [*zip(references, predictions, strict=True)]
    return spark.createDataFrame(rows, f"reference {kind}, prediction {kind}")


@pytest.fixture(scope="module")
def corpus(spark: Any) -> Any:
    """The random corpus as words text."""
    return frame_of(spark, *WORDS).cache()


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_scores_are_those_of_one_process_over_any_number_of_partitions(corpus: Any, partitions: int) -> None:
    assert score_dataframe(corpus.repartition(partitions), **WORDS_TEXT) == naive_scores(*CORPUS)


def test_every_group_has_the_scores_of_one_process(corpus: Any) -> None:
    assert score_dataframe(corpus.repartition(3), **EVERYTHING) == score(*WORDS, **EVERYTHING)


@pytest.mark.parametrize(
    ("kind", "write", "options"),
    [
        ("string", units_text, {"text_format": "units"}),
        ("array<string>", word_lists, {}),
        ("array<int>", lambda corpus: [*map(labels, corpus)], {"label_scheme": "start"}),
    ],
    ids=["units", "lists", "labels"],
)  # fmt: skip
def test_every_form_is_read_as_in_one_process(spark: Any, kind: str, write: Any, options: dict[str, Any]) -> None:
    sides = [write(side) for side in CORPUS]
    frame = frame_of(spark, *sides, kind).toDF("the.reference", "a`b")
    columns = {"references": "the.reference", "predictions": "a`b"}
    assert score_dataframe(frame, **columns, **options) == score(*sides, **options)


BAD = {40: "wrong", 7: "x\0", 100: None}


@pytest.fixture(scope="module")
def damaged(spark: Any) -> Any:
    """The corpus in one partition, with the predictions of BAD."""
    return frame_of(spark, WORDS[0], [BAD.get(row, line) for row, line in enumerate(WORDS[1])]).coalesce(1).cache()


@pytest.mark.parametrize("scores", ["token", "windows"])
def test_bad_rows_are_left_out_and_counted(damaged: Any, scores: str) -> None:
    good = [row for row in range(300) if row not in BAD]
    with pytest.warns(
        UserWarning, match=r"^3 of 300 utterances .* The first is in partition 0: predictions, utterance 7: "
    ):
        found = score_dataframe(damaged, on_error="skip", scores=scores, **WORDS_TEXT)
    assert found == score(*([side[row] for row in good] for side in WORDS), scores=scores, **WORDS_TEXT)


def test_the_error_names_the_partition_and_the_row_and_shows_the_utterances(spark: Any) -> None:
    frame = spark.range(40).repartition(4).selectExpr("'the dog' AS reference", "'thedog' AS prediction")
    frame = frame.union(frame_of(spark, ["a b", "the cat"], ["a b", "the rat"]).coalesce(1))
    message = (
        r"^row 1 of partition 4 \(from 0\): the units differ .* the reference 'the cat' and the prediction 'the rat'\.$"
    )
    with pytest.raises(ValueError, match=message):
        score_dataframe(frame, **WORDS_TEXT)


def test_a_row_with_bytes_that_are_not_text_is_shown_too(spark: Any) -> None:
    frame = spark.sql("SELECT 'a' AS reference, string(X'61FF') AS prediction")
    with pytest.raises(ValueError, match=r"predictions: the byte 0xff at offset 1 .* and the prediction b'a\\xff'\.$"):
        score_dataframe(frame, **WORDS_TEXT)
    with pytest.raises(
        ValueError, match=r"none of the 1 utterances can be scored\. The first problem: in partition 0: "
    ):
        score_dataframe(frame, on_error="skip", **WORDS_TEXT)


@pytest.mark.filterwarnings("default:.*:UserWarning")
def test_warnings_are_those_of_one_process(spark: Any) -> None:
    with pytest.warns(UserWarning, match=r"^undefined \(0/0\), and so 0\.0: boundary_noedge_precision"):
        score_dataframe(frame_of(spark, ["a"], ["a"]), scores="boundary_noedge", **WORDS_TEXT)
    text = frame_of(spark, *[["a ;eword b"] * 40] * 2).repartition(4)
    with pytest.warns(
        UserWarning, match=r"^the boundary token .* never occurs.*did you mean word_boundary=.;eword."
    ) as seen:
        score_dataframe(text, scores="token")
    assert len(seen) == 1
    with pytest.warns(UserWarning, match="of the words of the reference are out of the vocabulary|vocabulary"):
        score_dataframe(frame_of(spark, *[["the dog"] * 30] * 2), scores="oov", vocabulary=["x y"], **WORDS_TEXT)


def test_tags_are_refused_wherever_they_are(spark: Any) -> None:
    sides = ["array('B', 'I', 'B') AS reference", "array('B', 'I', if(id % 2 = 0, 'B', 'I')) AS prediction"]
    tags = spark.range(40).repartition(4).selectExpr(*sides)
    for on_error in ("raise", "skip"):
        with pytest.raises(TypeError, match=r'^received lists of tags \(B, I\).*label_scheme="BI"'):
            score_dataframe(tags, on_error=on_error, scores="token")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"references": "gold"},
            ValueError,
            "references: there is no column 'gold'; the columns are reference, prediction",
        ),
        ({"predictions": 3}, TypeError, "predictions: expected the name of a column, received 3"),
        ({"on_error": "ignore"}, ValueError, 'on_error: expected "raise" or "skip", received \'ignore\''),
        ({"score": "token"}, TypeError, "unknown option 'score'"),
        ({"label_scheme": "start"}, TypeError, 'label_scheme="start" is for lists of labels'),
    ],
)
def test_bad_arguments_are_refused(
    corpus: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        score_dataframe(corpus, **arguments)


def test_columns_of_another_type_and_no_rows_are_refused(spark: Any, corpus: Any) -> None:
    with pytest.raises(TypeError, match="references: received an Arrow array of type int32; expected a string"):
        score_dataframe(spark.sql("SELECT 1 AS reference, 2 AS prediction"))
    with pytest.raises(ValueError, match="there is nothing to score: expected at least one row"):
        score_dataframe(corpus.limit(0), scores="windows", **WORDS_TEXT)


@pytest.mark.parametrize(
    ("frame", "kind"),
    [(pd.DataFrame({"reference": ["a"], "prediction": ["a"]}), "pandas.DataFrame"), ([], "builtins.list")],
)
def test_other_objects_are_an_error_that_names_score_dataset(frame: Any, kind: str) -> None:
    with pytest.raises(
        TypeError, match=rf"^received a value of type {kind}; expected a DataFrame of Spark\. score_dataset"
    ):
        score_dataframe(frame)


# A cluster: Spark's own standalone master and two workers, processes of this machine.

#: So often that executors are at it for some seconds.
REPETITIONS = 3000
#: Java compiles less, which takes longer than a short run is worth.
QUICK_START = "-XX:TieredStopAtLevel=1"
Cluster = tuple[str, dict[str, str], list[subprocess.Popen[bytes]]]


def spark_home() -> Path:
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def logged(log: Path, pattern: str) -> str:
    """What a log says, as soon as it does."""
    start = time.monotonic()
    while not (found := re.search(pattern, log.read_text(errors="replace"))):
        assert time.monotonic() - start < 300, log.read_text(errors="replace")
        time.sleep(0.05)
    return found[1]


def end_of_session(session: int) -> None:
    """Wait until all processes of a session have ended."""
    start = time.monotonic()
    while left := processes_of_session(session):
        assert time.monotonic() - start < 300, left
        time.sleep(0.05)


@pytest.fixture(scope="module")
def cluster(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The URL of a cluster, the environment of its processes, and its two workers. Nothing listens beyond this machine."""
    folder = tmp_path_factory.mktemp("cluster")
    environment = os.environ | {
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_WORKER_DIR": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "TMPDIR": str(folder),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONWARNINGS": "ignore::FutureWarning",
    }
    started: list[subprocess.Popen[bytes]] = []

    def start(kind: str, *arguments: str) -> Path:
        log = folder / f"{len(started)}.log"
        command = [spark_home() / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1"]
        with log.open("wb") as file:
            started.append(
                subprocess.Popen(
                    [*command, "--port", "0", "--webui-port", "0", *arguments],
                    stdout=file,
                    stderr=file,
                    env=environment,
                    start_new_session=True,
                )
            )
        return log

    try:
        url = logged(start("master.Master"), r"Starting Spark master at (spark://\S+)")
        for log in [start("worker.Worker", "--cores", "1", "--memory", "1g", url) for _ in range(2)]:
            logged(log, "(Successfully registered with master)")
        yield url, environment, started[1:]
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    for process in started:
        end_of_session(process.pid)


@pytest.fixture
def submit(cluster: Cluster) -> Callable[..., subprocess.Popen[str]]:
    """Start the example on the cluster, with the arguments, by spark-submit."""
    url, environment, _ = cluster
    settings = []
    for setting in (
        "spark.ui.enabled=false",
        "spark.executor.memory=512m",
        "spark.sql.shuffle.partitions=2",
        f"spark.driver.extraJavaOptions={QUICK_START}",
        f"spark.executor.extraJavaOptions={QUICK_START}",
    ):
        settings += ["--conf", setting]

    def start(*arguments: Any) -> subprocess.Popen[str]:
        command = [
            spark_home() / "bin" / "spark-submit",
            "--master",
            url,
            *settings,
            ROOT / "examples/score_on_spark.py",
        ]
        return subprocess.Popen(
            [*command, *map(str, arguments), "--text-format", "words"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    return start


def scores_of(process: subprocess.Popen[str]) -> Any:
    output, message = process.communicate(timeout=300)
    assert process.returncode == 0, message
    end_of_session(process.pid)
    return json.loads(output)


def test_the_example_scores_text_and_json_lines_on_a_cluster(submit: Any, tmp_path: Path) -> None:
    for name, lines in zip("rp", WORDS, strict=True):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    rows = [json.dumps({"gold": left, "system": right}) for left, right in zip(*WORDS, strict=True)]
    (tmp_path / "both.jsonl").write_text("\n".join(rows), encoding="utf-8")
    expected = score(*WORDS, scores=["token", "type"], **WORDS_TEXT)
    texts = submit(tmp_path / "r.txt", tmp_path / "p.txt", "--scores", "token,type")
    assert scores_of(texts) == expected
    columns = ("--references", "gold", "--predictions", "system")
    assert scores_of(submit(tmp_path / "both.jsonl", *columns, "--scores", "token,type")) == expected


def test_an_executor_that_is_killed_is_made_up_for(submit: Any, cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "both.parquet"
    table = pa.table({"reference": WORDS[0] * REPETITIONS, "prediction": WORDS[1] * REPETITIONS})
    pq.write_table(table, path, row_group_size=10_000)
    process = submit(path)
    first_at_work(process, cluster[2]).kill()
    assert scores_of(process) == score(*WORDS, **WORDS_TEXT)


def first_at_work(process: subprocess.Popen[str], workers: list[subprocess.Popen[bytes]]) -> psutil.Process:
    """The first executor with a Python worker, which its daemon has started, as soon as there is one."""
    while process.poll() is None:
        for worker in workers:
            with suppress(psutil.NoSuchProcess):
                for executor in psutil.Process(worker.pid).children():
                    if any(daemon.children() for daemon in executor.children()):
                        return executor
        time.sleep(0.01)
    pytest.fail(f"the run has ended: {process.communicate()}")
