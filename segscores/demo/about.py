"""The tab About: the metric card, and how to cite."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import gradio as gr

from .page import CODE

_CARD = Path(__file__).parents[2] / "README.md"


def add_about_tab() -> None:
    """Add the tab."""
    with gr.Tab("About", id="about") as component:
        # Without links to headings: the part of this page's address after # is a link to results.
        gr.Markdown(read_card(), elem_classes="card-text")
    component.select(None, None, None, js="() => window.segscores.reach()", api_visibility="private")


def read_card() -> str:
    """The metric card, from the folder of the demo or the installed package, with links that work from this page."""
    if _CARD.exists():
        text = _CARD.read_text("utf-8")
    else:
        try:
            text = str(metadata("segmentation-scores").json["description"])
        except PackageNotFoundError:
            text = f"The metric card is at {CODE}."
    # The metadata at the top are for a Space only.
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    # Pictures and files are beside the card, not beside this page.
    text = re.sub(r":\n\n!\[[^\]]*\]\([^)]*\)", ".", text)
    text = re.sub(r"^!\[[^\]]*\]\([^)]*\)\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\]\((?=#)", f"]({CODE}/blob/main/README.md", text)
    text = re.sub(r"\]\((?!https?:|mailto:)([^)]+)\)", rf"]({CODE}/blob/main/\1)", text)
    # The page already has a title.
    return re.sub(r"^# .*\n", "", text, count=1, flags=re.MULTILINE)
