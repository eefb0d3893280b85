"""A session of Spark for one run of the command, and checks of its requirements: the packages and Java."""

from __future__ import annotations

__all__ = ["check_java", "check_packages", "open_session"]

import io
import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any

from ..kernel.optional import require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JAVA = (
    "Spark needs a Java runtime, 17 or later for Spark 4: apt-get install default-jre-headless on Debian and Ubuntu, "
    "brew install openjdk on macOS, or set JAVA_HOME to the folder of one."
)
#: A variable that spark-submit sets; it has then started Java and chosen the master.
_GATEWAY = "PYSPARK_GATEWAY_PORT"


def check_packages() -> None:
    """Check that the Python packages that Spark needs are installed.

    Raises:
        ValueError: one is missing.
    """
    for package in ("pyspark", "pandas"):
        require(package, "Spark")


def check_java() -> None:
    """Check that there is a Java runtime where Spark's scripts look for it; skipped under spark-submit, which has found one.

    Raises:
        ValueError: there is no Java runtime.
    """
    if _GATEWAY in os.environ:
        return
    home = os.environ.get("JAVA_HOME")
    if home and shutil.which("java", path=str(Path(home) / "bin")) is None:
        raise ValueError(f"JAVA_HOME is {home}, which has no bin/java. {_JAVA}")
    if not home and shutil.which("java") is None:
        raise ValueError(f"no Java runtime found. {_JAVA}")


@contextmanager
def open_session(master: str | None, settings: Mapping[str, str], *, verbose: bool) -> Iterator[SparkSession]:
    """A session of Spark; if this function starts it, it ends with the block.

    Raises:
        SparkJobError: the session does not start.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    if master is None and _GATEWAY not in os.environ:
        master = settings.get("spark.master", "local[*]")
    builder = SparkSession.builder.appName("segmentation-scores")
    chosen = {"spark.sql.session.timeZone": "UTC"}
    is_local = master is not None and master.startswith("local")
    if master is not None:
        chosen["spark.master"] = master
    if is_local:
        # A run on one machine opens no port to others, and its workers use this Python.
        chosen |= {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as stack:
        if not verbose:
            # pyspark prints stack traces there; the command reports such errors in one line.
            stack.enter_context(redirect_stderr(io.StringIO()))
        if is_local:
            # Java removes its files, unless it is killed.
            folder = stack.enter_context(
                TemporaryDirectory(prefix="segmentation-scores-spark-", ignore_cleanup_errors=True)
            )
            chosen["spark.local.dir"] = folder
            java_options = settings.get("spark.driver.extraJavaOptions", "")
            settings = {
                **settings,
                "spark.driver.extraJavaOptions": f'"-Djava.io.tmpdir={folder}" {java_options}'.rstrip(),
            }
        for name, value in {**chosen, **settings}.items():
            builder = builder.config(name, value)
        spark = None
        try:
            with _java_killed_when_interrupted(), _started(builder, verbose=verbose) as spark:
                yield spark
        finally:
            if spark is not None:
                with suppress(Exception):  # the Java process may have ended, and the session with it
                    spark.stop()


@contextmanager
def _java_killed_when_interrupted() -> Iterator[None]:
    """Kill the Java process that pyspark starts in the block, if an interrupt ends the block.

    Otherwise Java would end only after its current work, or never if it had not reported its port yet.
    """
    from pyspark import java_gateway

    started = []
    popen = java_gateway.Popen

    def start(*arguments: Any, **options: Any) -> Any:
        process = popen(*arguments, **options)
        started.append(process)
        return process

    java_gateway.Popen = start
    try:
        yield
    except Exception:
        raise
    except BaseException:
        for process in started:
            process.kill()
            process.wait()
        raise
    finally:
        java_gateway.Popen = popen


@contextmanager
def _started(builder: Any, *, verbose: bool) -> Iterator[SparkSession]:
    """The session that a builder makes; the standard error of its Java process goes to a temporary file.

    Raises:
        SparkJobError: the session does not start; the message has Java's last words.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import IllegalArgumentException, PySparkException

    from ..scale.spark_errors import SparkJobError

    with TemporaryFile() as log, warnings.catch_warnings():
        # pyspark warns of newer versions of pandas, which this command does not use.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            with _redirected(None if verbose else log.fileno()):
                spark = builder.getOrCreate()
                spark.conf.get("spark.sql.session.timeZone")  # Spark reads the settings of a session at its first use.
        except IllegalArgumentException as error:
            raise SparkJobError(f"--conf: Spark rejects a setting: {str(error).splitlines()[0]}") from None
        except (PySparkException, Py4JError, OSError) as error:
            log.seek(0)
            said = [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]
            named = [line for line in said if "Exception: " in line] or [line for line in said if "rror" in line]
            reason = (named or said or [str(error)])[0].strip().rstrip(".")
            raise SparkJobError(f"Spark does not start: {reason}." + ("" if named else f" {_JAVA}")) from None
        yield spark


@contextmanager
def _redirected(target: int | None) -> Iterator[None]:
    """Redirect the standard error that new processes inherit to another file."""
    if target is None or sys.stderr is None:
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(target, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
