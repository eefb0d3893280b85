"""The metric as users load it."""

import pytest

from ...evaluate_alone import evaluate
from .running import SCRIPT


@pytest.fixture
def load(tmp_path):
    """`evaluate.load` of the script, with a cache of its own."""
    return lambda name=None, **options: evaluate.load(str(SCRIPT), name, cache_dir=str(tmp_path / "cache"), **options)
