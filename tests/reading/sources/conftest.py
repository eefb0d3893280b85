"""The fixtures that call the subcommand `score`, each test in a folder of its own."""

import pytest

from ...command_runs import error, errors_apart, in_folder, piece_bytes, run, run_apart, scores, skipping, stdin

__all__ = ["error", "errors_apart", "in_folder", "piece_bytes", "run", "run_apart", "scores", "skipping", "stdin"]


@pytest.fixture(autouse=True)
def _in_folder(in_folder: object) -> None:
    """See `in_folder`."""
