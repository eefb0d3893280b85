"""Optional packages of the tiers in conftest.py: the packages if they are installed, otherwise stand-ins.

With stand-ins every test can be collected, counted and skipped, and parameters may use the packages.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class StandIn:
    """Gives itself for each of its attributes and for each call; a class can derive from it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Take what a class would be made of."""

    def __getattr__(self, name: str) -> StandIn:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **options: Any) -> StandIn:
        return self


def optional(module: str) -> Any:
    """A module, or a stand-in where it, or what it imports, is not installed."""
    try:
        return import_module(module)
    except ImportError:
        return StandIn()


torch, transformers = optional("torch"), optional("transformers")

_playwright = optional("playwright.sync_api")
Browser, Locator, Page = _playwright.Browser, _playwright.Locator, _playwright.Page
expect, sync_playwright = _playwright.expect, _playwright.sync_playwright
Axe = optional("axe_playwright_python.sync_playwright").Axe

httpx = optional("httpx")
Client = optional("gradio_client").Client
AppError = optional("gradio_client.exceptions").AppError
ClientSession = optional("mcp").ClientSession
streamable_http_client = optional("mcp.client.streamable_http").streamable_http_client
