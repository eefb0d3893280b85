"""The demo: a page that scores segmentations as visitors type. The package computes everything that the page shows."""

from .serving import build, serve

__all__ = ["build", "serve"]
