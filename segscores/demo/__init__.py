"""The demo: a page on which a visitor sees a segmentation scored. Everything that it computes comes from the package."""

from .serving import build, serve

__all__ = ["build", "serve"]
