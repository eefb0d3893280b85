"""About: the metric card, and how to cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from markupsafe import Markup

from ....options.tasks import CODE
from ..tab import Tab

_CARD = Path(__file__).parents[4] / "README.md"
#: Parts that are for a Space, for the file alone or for a page without a title; and links that work from the page.
_CHANGES = {
    r"\A---\n(.*\n)*?---\n|<!--(.|\n)*?-->|^# segscores\n": "",
    r":\n\n!\[[^\]]*\]\([^)]*\)": ".",
    r"^!\[[^\]]*\]\([^)]*\)\n?": "",
    r"\]\((?=#)": f"]({CODE}/blob/main/README.md",
    r"\]\((?!https?:|mailto:)(?=[^)]+\))": f"]({CODE}/blob/main/",
}


class About(Tab):
    """The tab."""

    name = "about"
    label = "About"
    exports = ()
    signature = ""
    lines: ClassVar[Mapping[str, str]] = {}

    def variables(self) -> dict[str, Any]:
        """The card as HTML."""
        # The card has markup of its own, such as <sub>.
        text = _CARD.read_text("utf-8") if _CARD.exists() else f"The metric card is at {CODE}."
        for pattern, replacement in _CHANGES.items():
            text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
        html = html.replace("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
        return {"card": Markup(html.replace("</table>", "</table></div>").replace("<pre>", "<pre tabindex=0>"))}
