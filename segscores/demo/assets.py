"""Assets: the page, its script and its style, which have the digest of their contents in their addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ..analysis.drawing import STYLE
from ..measures.registry import DEFAULT_SCORES, GROUPS
from ..options.tasks import COMMANDS
from ..report.page import asset
from .examples import EXAMPLES
from .lessons import QUESTIONS
from .tab import templates
from .tabs import TABS

DESCRIPTION = (
    "Score a word segmentation against a reference as you type: see what is missed and wrong, "
    "and take the numbers with you."
)
_SCRIPTS = ("page.js", "gaps.js", "compare.js", "threshold.js", "learn.js")
_STYLES = ("page.css", "compare.css", "threshold.css", "learn.css")


@cache
def static_files() -> Mapping[str, tuple[str, str]]:
    """The type and the content of each file, by its name."""
    folder = files("segscores.demo") / "static"
    own, own_style = ("\n".join((folder / name).read_text("utf-8") for name in names) for names in (_SCRIPTS, _STYLES))
    # The report's rules are for this page's part of the document.
    style = f"{STYLE}.page {{ {asset('report.css')} }}\n{own_style}"
    contents = {"js": ("text/javascript", asset("tables.js", "utterances.js") + own), "css": ("text/css", style)}
    return {
        f"page.{hashlib.sha256(text.encode()).hexdigest()[:12]}.{ending}": (kind, text)
        for ending, (kind, text) in contents.items()
    }


@cache
def shell() -> str:
    """The page."""
    script, style = (f"static/{name}" for name in static_files())
    return (
        templates()
        .get_template("shell.html")
        .render(
            tabs=list(TABS.values()),
            task_options=lambda tab: COMMANDS[tab.task].options,
            examples=EXAMPLES,
            questions=QUESTIONS,
            registry=GROUPS,
            default_scores=DEFAULT_SCORES,
            description=DESCRIPTION,
            script=script,
            style=style,
        )
    )
