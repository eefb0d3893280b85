"""About: the metric card, and how to cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from markupsafe import Markup

from ...report.page import CODE
from ..tab import Tab

_CARD = Path(__file__).parents[3] / "README.md"


def read_card() -> str:
    """The metric card, from the folder of the page or the installed package, with links that work from this page."""
    if _CARD.exists():
        text = _CARD.read_text("utf-8")
    else:
        try:
            text = str(metadata("segmentation-scores").json["description"])
        except PackageNotFoundError:
            text = f"The metric card is at {CODE}."
    # The metadata at the top are for a Space only.
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    # Pictures and files are beside the card, not beside this page, which has a title already.
    text = re.sub(r":\n\n!\[[^\]]*\]\([^)]*\)", ".", text)
    text = re.sub(r"^!\[[^\]]*\]\([^)]*\)\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^# .*\n", "", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"\]\((?=#)", f"]({CODE}/blob/main/README.md", text)
    return re.sub(r"\]\((?!https?:|mailto:)([^)]+)\)", rf"]({CODE}/blob/main/\1)", text)


class About(Tab):
    """The tab."""

    name = "about"
    label = "About"
    exports = ()
    signature = ""
    lines: ClassVar[Mapping[str, str]] = {}

    def shown(self) -> dict[str, Any]:
        """The card as HTML."""
        # The card has markup of its own, such as <sub>.
        html = MarkdownIt("commonmark", {"html": True}).enable("table").render(read_card())
        html = html.replace("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
        return {"card": Markup(html.replace("</table>", "</table></div>").replace("<pre>", "<pre tabindex=0>"))}
