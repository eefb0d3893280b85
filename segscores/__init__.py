"""Scores for word segmentation. The metric for `evaluate` is in `segscores.metric`, the command in `segscores.command`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .scoring.pipeline import score

__all__ = ["__version__", "score"]

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Import on first use: the command starts without waiting for Arrow."""
    if name == "score":
        from .scoring.pipeline import score

        return score
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
