"""A plugin of pytest: writes the seconds of each test that passed, as JSON, to the file that PASSED_TESTS names, if it is set."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

_SECONDS: dict[str, float] = defaultdict(float)
_PASSED: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add the time of a phase of a test."""
    _SECONDS[report.nodeid] += report.duration
    if report.when == "call" and report.passed:
        _PASSED.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the file; with xdist, the process that gets the reports of all workers writes it."""
    path = os.environ.get("PASSED_TESTS")
    if path and not hasattr(session.config, "workerinput"):
        text = json.dumps({test: round(_SECONDS[test], 4) for test in sorted(_PASSED)})
        Path(path).write_text(text, encoding="utf-8")
