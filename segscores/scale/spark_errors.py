"""Errors of Spark: what its jobs raise, in one line."""

from __future__ import annotations

__all__ = ["SparkJobError", "UnreadableFileError", "explained", "shown_file"]

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

#: How Spark names a file that it can't read, with its hint; the name has no spaces but in some of Spark's messages.
_UNREADABLE = re.compile(
    r"Encountered error while reading file (?P<name>.+?)\.\s+(?P<hint>.*?)\s*(?:SQLSTATE: \w+|Details:|$)", re.MULTILINE
)


class SparkJobError(OSError):
    """A job of Spark failed; the message has the reason in one line."""


class UnreadableFileError(SparkJobError):
    """A file that Spark could not read.

    Attributes:
        file: Spark's name of the file.
    """

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{shown_file(file)}: Spark cannot read the file: {problem.rstrip('.')}.")
        self.file = file


@contextmanager
def explained() -> Iterator[None]:
    """Convert the errors of Spark's jobs, which have stack traces in two languages, to one line.

    Raises:
        SparkJobError: in place of any error of pyspark or of its bridge to Java; an `UnreadableFileError` if Spark could not
            read a file.
    """
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415 - an extra

    try:
        yield
    except (Py4JError, PySparkException, ConnectionError) as error:
        text = str(error)
        file = _UNREADABLE.search(text)
        if file is not None:
            raise UnreadableFileError(file["name"], _cause(text) or file["hint"]) from None
        raise SparkJobError(_reason(error)) from None


def shown_file(uri: str) -> str:
    """The name of a file in messages: a path if the file is on this machine.

    >>> shown_file("file:///data/a%20b.gz"), shown_file("hdfs://host/a.gz")
    ('/data/a b.gz', 'hdfs://host/a.gz')
    """
    return re.sub("^file:/+", "/", unquote(uri, errors="surrogateescape"))


def _cause(text: str) -> str:
    """The first line of the first Java error that is not Spark's own, without its class; empty if there is no such error.

    >>> _cause("No\\n\\tat a.b\\nCaused by: org.apache.spark.SparkException: no\\nCaused by: java.io.EOFException: the end\\n")
    'the end'
    """
    causes = re.findall(
        r"^Caused by: (?!org\.apache\.spark\.)(?:[\w.$]+(?:Exception|Error): )*(.*)$", text, re.MULTILINE
    )
    return causes[0].strip() if causes else ""


def _reason(error: Exception) -> str:
    """The reason of a failed job, in one line.

    >>> _reason(ValueError("Traceback (most recent call last):\\n  File ...\\nKeyError: 'a'\\n\\tat org.apache"))
    "a worker failed with KeyError: 'a'"
    """
    text = str(error)
    if "Traceback (most recent call last):" in text:
        trace = text.rpartition("Traceback (most recent call last):")[2].split("\n\tat ")[0].splitlines()
        raised = next((line.strip() for line in trace if line.strip() and not line.startswith(" ")), "an error")
        hint = ""
        if raised.startswith("ModuleNotFoundError"):
            hint = (
                ": the workers need this package, numpy, pyarrow and pandas in the Python that runs them (PYSPARK_PYTHON); "
                "spark.submit.pyFiles=PACKAGE.zip sends them this package"
            )
        return f"a worker failed with {raised}{hint}"
    # Java detects a dead worker when it reads from the worker or writes to it.
    is_cut_off = ".python." in text and any(
        said in text for said in ("Broken pipe", "Connection reset", "java.io.EOFException")
    )
    is_told = any(
        said in text for said in ("Python worker exited unexpectedly", "Python daemon failed to launch worker")
    )
    if is_cut_off or is_told:
        tries = re.search(r"failed (\d+) times", text)
        again = (
            ", and was not tried again" if tries is None or tries[1] == "1" else f" {tries[1]} times over the same rows"
        )
        return f"a Python worker of Spark died{again}: was it killed, or out of memory?"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # The line of Py4J comes first, then the line of the Java error with its class.
    said = next((line for line in lines if not line.startswith("An error occurred while calling")), "")
    said = said.removeprefix(": ").split(" SQLSTATE: ")[0]
    if not said or type(error).__name__ in {"Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError"}:
        return "the connection to Spark's Java process was lost: was it killed, or out of memory?"
    return f"Spark failed: {said}"
