"""The page: its texts, looks and limits, and the script that makes and reads links."""

from __future__ import annotations

__all__ = ["COPY_SCRIPT", "CSS", "DRAWN", "TITLE", "TITLE_LINE", "head", "theme"]

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr

#: How many utterances are drawn at most; all are scored.
DRAWN = 2000

TITLE = "Segmentation scores"
TITLE_LINE = f"""# {TITLE}
How well do predicted words agree with those of a reference? Both sides have the same text, one utterance a line; only the
boundaries between words differ."""

_FOLDER = Path(__file__).parent

CSS = (_FOLDER / "page.css").read_text("utf-8")
#: For an element whose buttons copy what stands before them.
COPY_SCRIPT = (_FOLDER / "copy.js").read_text("utf-8")


def head(fields: Mapping[str, Mapping[str, gr.components.Component]]) -> str:
    """The script of the page.

    Args:
        fields: for each tab, by its label, what a link keeps by name, in the order of the inputs.
    """
    limits = {tab: {name: _limits(field) for name, field in named.items()} for tab, named in fields.items()}
    links = (_FOLDER / "links.js").read_text("utf-8")
    return f"<script>{links}window.segscores.fields = {json.dumps(limits)};</script>"


def _limits(field: gr.components.Component) -> dict[str, Any]:
    """What values of a field a link can bring: its choices, or the least and the most; empty where any will do."""
    if isinstance(field, gr.Slider):
        return {"least": field.minimum, "most": field.maximum}
    return {"choices": [value for _, value in field.choices]} if hasattr(field, "choices") else {}


def theme() -> gr.themes.Base:
    """The built-in theme with the fonts of the visitor's system, and enough contrast for every text."""
    return gr.themes.Default(
        primary_hue=gr.themes.colors.blue,
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    ).set(
        body_text_color_subdued="#4b5563",
        body_text_color_subdued_dark="#b6bdc9",
        block_info_text_color="#4b5563",
        block_info_text_color_dark="#b6bdc9",
        block_label_text_color="#374151",
        block_label_text_color_dark="#d1d5db",
        block_title_text_color="#374151",
        block_title_text_color_dark="#d1d5db",
        input_placeholder_color="#6b7280",
        input_placeholder_color_dark="#a3abb8",
        button_primary_background_fill="#1d4fbf",
        button_primary_background_fill_dark="#1d4fbf",
        button_primary_background_fill_hover="#173f99",
        button_primary_background_fill_hover_dark="#173f99",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#ffffff",
        link_text_color="#1d4fbf",
        link_text_color_dark="#93b4ff",
    )
