"""Serving: the page put together, and the server that shows it."""

from __future__ import annotations

__all__ = ["Demo", "build", "serve"]

import json
from dataclasses import dataclass
from importlib.util import find_spec

import gradio as gr
from starlette.middleware import Middleware

from ..analysis.drawing import STYLE
from .alignment import add_alignment_tab
from .api import add_endpoints
from .compare import add_compare_tab
from .difficulty import add_difficulty_tab
from .guard import Guard, endpoints_of, inputs_of
from .learn import add_learn_tab
from .page import CSS, TITLE, TITLE_LINE, head, theme
from .reading import MAX_FILE_BYTES
from .score import add_score_tab
from .tabs import Tab
from .threshold import add_threshold_tab
from .uploads import keep_uploads


@dataclass(frozen=True)
class Demo:
    """The page.

    Attributes:
        blocks: as gradio has it.
        tabs: in order.
    """

    blocks: gr.Blocks
    tabs: list[Tab]


def build() -> Demo:
    """Put the page together."""
    # What visitors upload is deleted after an hour.
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=(3600, 3600)) as blocks:
        gr.Markdown(TITLE_LINE)
        with gr.Tabs(overflow_behavior="wrap"):
            tabs = [
                add_score_tab(),
                add_compare_tab(),
                add_threshold_tab(),
                add_difficulty_tab(),
                add_alignment_tab(),
                add_learn_tab(),
            ]
        fields = [field for tab in tabs for field in tab.fields.values()]
        restore = "async (...values) => await window.segscores.restore(values)"
        blocks.load(None, fields, fields, js=restore, api_visibility="private")
        # The first tab's results come from the link itself: what follows an event may still see the fields as they were.
        first = tabs[0]
        blocks.load(
            first.show,
            first.inputs,
            first.outputs,
            js=f"async (...values) => await window.segscores.inputs({first.label!r}, {json.dumps(first.names)}, values)",
            api_visibility="private",
            show_progress="minimal",
        )
        add_endpoints()
    return Demo(blocks, tabs)


def serve() -> None:
    """Show the page until the process ends; GRADIO_SERVER_NAME and GRADIO_SERVER_PORT say where."""
    with keep_uploads() as uploads:
        demo = build()
        guard = Middleware(
            Guard, endpoints=endpoints_of(demo.blocks), inputs=inputs_of(demo.blocks, uploads), uploads=uploads
        )
        demo.blocks.queue(max_size=100, default_concurrency_limit=4).launch(
            theme=theme(),
            css=CSS + STYLE,
            head=head({tab.label: tab.fields for tab in demo.tabs}),
            max_file_size=MAX_FILE_BYTES,
            # Of every session, and every call of an endpoint is one, gradio keeps a third of a megabyte; no event here needs it.
            state_session_capacity=100,
            app_kwargs={"middleware": [guard]},
            footer_links=["api"],
            mcp_server=find_spec("mcp") is not None,
            run_history=False,
            enable_monitoring=False,
            show_error=False,
        )
