"""Scores for word segmentation. The metric for `evaluate` is in `segmentation_scores`, the command in `command`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .scores import VERSION as __version__  # noqa: N811
    from .scoring import score

__all__ = ["__version__", "score"]


def __getattr__(name: str) -> Any:
    """Import on first use: the command starts without waiting for Arrow."""
    if name == "score":
        from .scoring import score

        return score
    if name == "__version__":
        from .scores import VERSION

        return VERSION
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
