"""A process that runs tests in forks of itself, which have the packages that tests import, and nothing of the checkout.

Importing these packages takes longer than most tests. The process reads a line of JSON for each run: the `arguments` of pytest,
a `limit` in seconds or null, the file `log` for what pytest prints, and `variables` of the environment. It answers with a line:
pytest's status, or null if the tests took longer than the limit. It needs POSIX.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from forks import fork, status_of, take_standard_streams

#: The packages that the tests import, as far as they are installed. Those that read the environment once, such as datasets, are
#: not among them.
PACKAGES = (
    "hypothesis", "jiwer", "jsonschema", "jinja2", "matplotlib.figure", "nltk.metrics", "numpy", "packaging.version", "pandas",
    "psutil", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet", "pytest_cov", "rapidfuzz", "scipy.stats", "segeval",
    "sklearn.metrics", "tqdm", "xdist.plugin", "yaml",
)  # fmt: skip


def run_in_fork(arguments: Sequence[str], limit: float | None, log: str, variables: Mapping[str, str]) -> int | None:
    """Run pytest in a fork, and return its status; None if it took longer than the limit.

    Arguments are the fields of a request, as the module describes them.
    """
    process = fork()
    if process == 0:
        os.environ.update(variables)
        # The standard output of the other process is for answers.
        take_standard_streams(log)
        status = 3  #: pytest's own status of an internal error
        try:
            import pytest

            status = int(pytest.main(["-q", "-p", "no:cacheprovider", "-n0", *arguments]))
        finally:
            # Without the exit handlers of the other process.
            os._exit(status)
    return status_of(process, limit)


def main() -> None:
    """Answer requests until the input ends."""
    for name in PACKAGES:
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(run_in_fork(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
