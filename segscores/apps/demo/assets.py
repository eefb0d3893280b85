"""Assets: the page, its script and its style, which have the digest of their contents in their addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ...analysis.drawing import STYLE
from ...options.tasks import COMMANDS
from ...results.rendering import LATEX
from ...scoring.measures.registry import DEFAULT_SCORES, GROUPS
from ..report.page import asset
from .board import by_question
from .examples import EXAMPLES
from .lessons import QUESTIONS
from .remedies import label_of
from .tab import templates
from .tabs import DRAWN

_SCRIPTS = ("page.js", "explain.js", "gaps.js", "try.js", "compare.js", "threshold.js", "learn.js")


@cache
def static_files() -> Mapping[str, tuple[str, str]]:
    """The type and the content of each file, by its name."""
    folder = files("segscores.apps.demo") / "static"
    script = "\n".join([asset("tables.js", "words.js"), *((folder / name).read_text("utf-8") for name in _SCRIPTS)])
    # The rules of the report are for the element of class `page` alone.
    style = f"{STYLE}.page {{ {asset('report.css')} }}\n{(folder / 'page.css').read_text('utf-8')}"
    return {
        f"page.{hashlib.sha256(text.encode()).hexdigest()[:12]}.{ending}": (kind, text)
        for ending, kind, text in (("js", "text/javascript", script), ("css", "text/css", style))
    }


@cache
def shell() -> str:
    """The page."""
    script, style = (f"static/{name}" for name in static_files())
    context: dict[str, Any] = {"tabs": DRAWN, "tasks": COMMANDS, "examples": EXAMPLES, "questions": QUESTIONS}
    context |= {"registry": GROUPS, "default_scores": DEFAULT_SCORES, "by_question": by_question}
    context |= {"label_of": label_of}
    context |= {"script": script, "style": style, "latex": LATEX}
    return templates().get_template("shell.html").render(context)
