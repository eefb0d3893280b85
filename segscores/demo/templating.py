"""Templating: HTML from the templates of this folder, which escape all values as text."""

from __future__ import annotations

from typing import Any

from ..analysis.rendering import environment

_TEMPLATES = environment("segscores.demo")


def render(template: str, **values: Any) -> str:
    """The HTML of a template."""
    return _TEMPLATES.get_template(template).render(**values)
