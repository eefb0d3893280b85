"""The page: its texts, style and limits, and the script that makes and reads links."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.routes import templates
from jinja2 import ChoiceLoader, DictLoader

from .. import __version__
from ..analysis.drawing import STYLE
from ..measures.registry import GROUPS
from .groups import GROUPS_OF_TEXTS
from .templating import render

#: The largest number of drawn utterances; all utterances are scored.
DRAWN = 2000

TITLE = "Segmentation scores"
DESCRIPTION = (
    "Compare word segmentations: boundary, token and type scores, differences, errors and significance, as you type."
)

_FOLDER = Path(__file__).parent
_INDEX = "frontend/index.html"
ICON = _FOLDER / "icon.svg"

#: The script for elements with buttons that copy the text before them.
SCRIPT_OF_RESULTS = (_FOLDER / "results.js").read_text("utf-8")

CODE = "https://huggingface.co/spaces/transformersegmentation/segmentation_scores"
LINKS = {
    "Documentation": f"{CODE}/blob/main/README.md",
    "Paper": "https://aclanthology.org/I17-2015/",
    "Code": f"{CODE}/tree/main",
}


#: The colours of the theme: the light one and the dark one.
_ACCENT, _ACCENT_DARK = "#5a3ea6", "#c3b3ff"
_COLOURS = {
    "body_background_fill": ("#fbfaf8", "#16151a"),
    "background_fill_primary": ("#ffffff", "#1e1d23"),
    "background_fill_secondary": ("#f5f3ef", "#26242c"),
    "block_background_fill": ("transparent", "transparent"),
    "block_border_width": ("0px", "0px"),
    "input_background_fill": ("#ffffff", "#1e1d23"),
    "input_border_color": ("#b9b4c4", "#5a5666"),
    "input_border_color_focus": (_ACCENT, _ACCENT_DARK),
    "border_color_primary": ("#dcd8e0", "#3d3a46"),
    "body_text_color": ("#1f1d26", "#eceaf2"),
    "body_text_color_subdued": ("#565262", "#b9b5c6"),
    "block_info_text_color": ("#565262", "#b9b5c6"),
    "block_label_text_color": ("#3a3745", "#d6d2e2"),
    "block_title_text_color": ("#3a3745", "#d6d2e2"),
    "input_placeholder_color": ("#6c6878", "#a09cad"),
    "color_accent_soft": ("#efeafa", "#322b4a"),
    "button_primary_background_fill": (_ACCENT, "#6d4fc2"),
    "button_primary_background_fill_hover": ("#472f87", "#5a3ea6"),
    "button_primary_text_color": ("#ffffff", "#ffffff"),
    "button_secondary_background_fill": ("#ffffff", "#26242c"),
    "button_secondary_background_fill_hover": ("#efeafa", "#322b4a"),
    "button_secondary_border_color": ("#b9b4c4", "#5a5666"),
    "button_secondary_text_color": ("#1f1d26", "#eceaf2"),
    "checkbox_background_color_selected": (_ACCENT, "#7d5fd6"),
    "checkbox_border_color": ("#7d788a", "#8d8899"),
    "checkbox_border_color_focus": (_ACCENT, _ACCENT_DARK),
    "slider_color": (_ACCENT, _ACCENT_DARK),
    "link_text_color": (_ACCENT, _ACCENT_DARK),
    "link_text_color_hover": ("#472f87", "#ddd4ff"),
    "link_text_color_visited": (_ACCENT, _ACCENT_DARK),
}


def name_page() -> None:
    """Replace gradio's metadata of the page by metadata that describe this page."""
    environment = templates.env
    assert environment.loader is not None
    original, _, _ = environment.loader.get_source(environment, _INDEX)
    own = render("metadata.html", title=TITLE, description=DESCRIPTION, address=CODE)
    named = re.sub(r'<meta\s+(?:property="og:|name="twitter:)[^>]*?content="[^"]*"\s*/>', "", original, flags=re.DOTALL)
    named = named.replace('<meta charset="utf-8" />', f'<meta charset="utf-8" />\n{own}', 1)
    environment.loader = ChoiceLoader([DictLoader({_INDEX: named}), environment.loader])


def header() -> str:
    """The header of the page: title, links, and a note on privacy."""
    return render("header.html", title=TITLE, links=LINKS, version=__version__)


def css() -> str:
    """The style of the page, with the definition of each group of scores beside its checkbox."""
    definitions = "".join(
        f'.groups label:has(input[name="{name}"])::after {{ content: {json.dumps(GROUPS[name].definition)}; }}\n'
        for name in GROUPS_OF_TEXTS
    )
    return _style() + definitions


def _style() -> str:
    return STYLE + (_FOLDER / "page.css").read_text("utf-8")


def head(fields: Mapping[str, Mapping[str, gr.components.Component]], labels: Mapping[str, str]) -> str:
    """The head element of the page: metadata and the script.

    Args:
        fields: for each tab, by its name, the components that a link keeps, by name, in the order of the inputs.
        labels: of the tabs, by name.
    """
    limits = {tab: {name: _limits(field) for name, field in named.items()} for tab, named in fields.items()}
    script = (_FOLDER / "page.js").read_text("utf-8")
    # Within a script a `<` could end it.
    data = json.dumps({"fields": limits, "labels": dict(labels), "style": _style()}).replace("<", "\\u003c")
    return f"<script>{script}Object.assign(window.segscores, {data});</script>"


def _limits(field: gr.components.Component) -> dict[str, Any]:
    """The values that a link may set in a field: its choices, or the least and the greatest; empty if any value is valid."""
    if isinstance(field, gr.Slider):
        return {"least": field.minimum, "most": field.maximum}
    if isinstance(field, gr.Dropdown):
        return {}
    return {"choices": [value for _, value in field.choices]} if hasattr(field, "choices") else {}


def theme() -> gr.themes.Base:
    """The theme: one accent colour, the fonts of the visitor's system, and enough contrast for every text."""
    return gr.themes.Base(
        primary_hue=gr.themes.colors.violet,
        neutral_hue=gr.themes.colors.zinc,
        spacing_size=gr.themes.sizes.spacing_sm,
        radius_size=gr.themes.sizes.radius_sm,
        text_size=gr.themes.sizes.text_md,
        font=["system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif"],
        font_mono=["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Noto Sans Mono", "monospace"],
    ).set(
        block_shadow="none",
        block_padding="0px",
        block_label_background_fill="transparent",
        block_title_text_weight="600",
        input_border_width="1px",
        color_accent=_ACCENT,
        button_primary_border_color=_ACCENT,
        **{name: light for name, (light, _) in _COLOURS.items()},
        **{f"{name}_dark": dark for name, (_, dark) in _COLOURS.items()},
    )
