"""Serving: builds the page, and runs the server for it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import gradio as gr
from gradio.utils import get_function_description
from starlette.middleware import Middleware

from .about import add_about_tab
from .alignment import add_alignment_tab
from .api import ENDPOINTS, add_endpoints
from .compare import add_compare_tab
from .difficulty import add_difficulty_tab
from .guard import Guard, endpoints_of, inputs_of
from .learn import add_learn_tab
from .page import ICON, TITLE, css, head, header, name_page, theme
from .reading import MAX_FILE_BYTES
from .score import add_score_tab
from .tabs import Tab
from .threshold import add_threshold_tab
from .uploads import keep_uploads


@dataclass(frozen=True)
class Demo:
    """The page."""

    blocks: gr.Blocks
    tabs: list[Tab]


class _Page(gr.Blocks):  # type: ignore[misc]
    """A page whose endpoints document their parameters with the docstrings of their functions."""

    def get_api_info(self, *arguments: Any, **options: Any) -> Any:
        """The parameters and results of the endpoints."""
        info = super().get_api_info(*arguments, **options)
        for name, endpoint in info["named_endpoints"].items():
            _, described, _ = get_function_description(ENDPOINTS[name.removeprefix("/")])
            for parameter in endpoint["parameters"]:
                text = described[parameter["parameter_name"]]
                parameter["description"] = text
                parameter["python_type"] = {**parameter["python_type"], "description": text}
        return info


def build() -> Demo:
    """Build the page."""
    # Every five minutes, files older than 55 minutes are deleted: none is older than an hour, as the page says.
    with _Page(title=TITLE, analytics_enabled=False, delete_cache=(5 * 60, 55 * 60)) as blocks:
        gr.HTML(header(), elem_classes="head")
        notice = gr.HTML("", elem_classes="notice-line")
        with gr.Tabs(elem_classes="main-tabs", overflow_behavior="wrap"):
            tabs = [
                add_score_tab(),
                add_compare_tab(),
                add_threshold_tab(),
                add_difficulty_tab(),
                add_alignment_tab(),
                add_learn_tab(),
            ]
            add_about_tab()
        # The script presses this button when the address changes in an open page.
        again = gr.Button("Restore", elem_id="restore", visible="hidden")
        fields = [field for tab in tabs for field in tab.inputs]
        restore = "async (...values) => await window.segscores.restore(values, {})"
        for trigger, is_new in ((blocks.load, "false"), (again.click, "true")):
            trigger(None, fields, [*fields, notice], js=restore.format(is_new), api_visibility="private")
        add_endpoints()
    return Demo(blocks, tabs)


def serve() -> None:
    """Serve the page until the process ends, at the address of GRADIO_SERVER_NAME and GRADIO_SERVER_PORT."""
    # The page reports this itself.
    warnings.filterwarnings("ignore", message=".*fewer than")
    name_page()
    with keep_uploads() as uploads:
        demo = build()
        guard = Middleware(
            Guard, endpoints=endpoints_of(demo.blocks), inputs=inputs_of(demo.blocks, uploads), uploads=uploads
        )
        demo.blocks.queue(max_size=100, default_concurrency_limit=4).launch(
            theme=theme(),
            css=css(),
            favicon_path=ICON,
            head=head(
                {tab.name: tab.fields for tab in demo.tabs}, {tab.name: tab.component.label for tab in demo.tabs}
            ),
            max_file_size=MAX_FILE_BYTES,
            # gradio keeps a megabyte of every session, and of every call of an endpoint, with its results; no event needs it.
            state_session_capacity=10,
            app_kwargs={"middleware": [guard]},
            footer_links=["api"],
            mcp_server=find_spec("mcp") is not None,
            run_history=False,
            enable_monitoring=False,
            show_error=False,
        )
