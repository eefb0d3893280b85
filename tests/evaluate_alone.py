"""`evaluate` without the pipelines of transformers, which it imports for seconds where they are installed."""

import sys

import pytest

with pytest.MonkeyPatch.context() as patch:
    patch.setitem(sys.modules, "transformers", None)
    import evaluate

__all__ = ["evaluate"]
