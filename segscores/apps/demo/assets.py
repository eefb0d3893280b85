"""Assets: the page, its script and its style, which have the digest of their contents in their addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

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


class StaticFile(NamedTuple):
    """A file that the page loads."""

    media_type: str
    text: str


@cache
def static_files() -> Mapping[str, StaticFile]:
    """Return the script and the style of the page, by their names, such as `page.1f3a….js`."""
    folder = files("segscores.apps.demo") / "static"
    own_scripts = [(folder / name).read_text("utf-8") for name in _SCRIPTS]
    script = "\n".join([asset("tables.js", "words.js"), *own_scripts])
    # The rules of the report are for the element of class `page` alone.
    style = f"{STYLE}.page {{ {asset('report.css')} }}\n{(folder / 'page.css').read_text('utf-8')}"
    return {
        _name_of(script, "js"): StaticFile("text/javascript", script),
        _name_of(style, "css"): StaticFile("text/css", style),
    }


def _name_of(text: str, ending: str) -> str:
    """Return the name of a file with the digest of its contents, so that browsers may keep it for ever."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"page.{digest[:12]}.{ending}"


@cache
def shell() -> str:
    """Return the page without answers: its tabs, their fields and their examples."""
    script, style = (f"static/{name}" for name in static_files())
    context: dict[str, Any] = {"tabs": DRAWN, "tasks": COMMANDS, "examples": EXAMPLES, "questions": QUESTIONS}
    context |= {"registry": GROUPS, "default_scores": DEFAULT_SCORES, "by_question": by_question}
    context |= {"label_of": label_of}
    context |= {"script": script, "style": style, "latex": LATEX}
    return templates().get_template("shell.html").render(context)
