"""The subcommand `spark` on a cluster: Spark's own standalone master and two workers, processes of this machine."""

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

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ..naive import naive_counts, random_corpus_pair, words_text
from ..processes import processes_of_session

CORPUS = random_corpus_pair(120, seed=8)
SIDES = [*map(words_text, CORPUS)]
#: So often that executors are at it for some seconds.
REPETITIONS = 2000
#: What it takes to run as a script that spark-submit starts.
SCRIPT = "import sys\nfrom segscores.command.main import main\nsys.exit(main())\n"

#: Java compiles less, which takes longer than a short run is worth.
QUICK_START = "-XX:TieredStopAtLevel=1"

Cluster = tuple[str, dict[str, str], list[subprocess.Popen[bytes]]]


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


@pytest.fixture
def start(cluster: Cluster, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start the command on the cluster, by itself or by spark-submit."""
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

    def start_command(*files: Path, submitted: bool = False) -> subprocess.Popen[str]:
        scoring = ["spark", *map(str, files), "--counts", "--format", "json"]
        command = [sys.executable, "-m", "segscores.command.main", *scoring, "--master", url, *settings]
        if submitted:
            script = tmp_path / "score.py"
            script.write_text(SCRIPT)
            command = [str(spark_home() / "bin" / "spark-submit"), "--master", url, *settings, str(script), *scoring]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    return start_command


def counts_of(process: subprocess.Popen[str]) -> Any:
    output, message = process.communicate(timeout=300)
    assert process.returncode == 0, message
    end_of_session(process.pid)
    return json.loads(output)["predictions"][0]["counts"]


def test_texts_that_spark_submit_has_scored_have_the_counts_of_the_naive_scorer(start: Any, tmp_path: Path) -> None:
    files = [tmp_path / "r.txt", tmp_path / "p.txt"]
    for file, side in zip(files, SIDES, strict=True):
        file.write_text("".join(f"{line}\n" for line in side))
    assert counts_of(start(*files, submitted=True)) == naive_counts(*CORPUS)


def test_an_executor_that_is_killed_is_made_up_for(start: Any, cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "both.parquet"
    table = pa.table({"reference": SIDES[0] * REPETITIONS, "prediction": SIDES[1] * REPETITIONS})
    pq.write_table(table, path, row_group_size=10_000)
    process = start(path)
    executor = first_at_work(process, cluster[2])
    executor.kill()
    expected = naive_counts(*CORPUS)
    assert counts_of(process) == {
        name: count if name.startswith("type_") else count * REPETITIONS for name, count in expected.items()
    }


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
