"""The demo: a page on which a visitor sees a segmentation scored. All that it computes comes from the loaded metric."""

from __future__ import annotations

import inspect
import json
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

# Where they are installed evaluate imports them, and torch, for what the page has no use for; that takes seconds.
for _name in ("scipy", "transformers"):
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]

# What visitors upload stands in a folder of its own, in which nothing else may be read or deleted.
base = os.environ.get("GRADIO_TEMP_DIR")
if base:
    Path(base).mkdir(parents=True, exist_ok=True)
stored = tempfile.TemporaryDirectory(prefix="segmentation-scores-", dir=base)
os.environ["GRADIO_TEMP_DIR"] = stored.name

import evaluate
import gradio as gr
from starlette.middleware import Middleware

from segscores.demo.alignment import add_alignment_tab
from segscores.demo.api import add_endpoints
from segscores.demo.compare import add_compare_tab
from segscores.demo.difficulty import add_difficulty_tab
from segscores.demo.guard import Guard, endpoints_of, inputs_of
from segscores.demo.learn import add_learn_tab
from segscores.demo.page import CSS, TITLE, TITLE_LINE, head, theme
from segscores.demo.reading import MAX_FILE_BYTES
from segscores.demo.score import add_score_tab, metric_source
from segscores.demo.threshold import add_threshold_tab

HERE = Path(__file__).parent

metric = evaluate.load(str(HERE / "segmentation_scores.py"))
#: The groups that need nothing but the two texts.
groups = list(inspect.signature(metric.compute).parameters["scores"].default)

# What visitors upload is deleted after an hour.
with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=(3600, 3600)) as page:
    gr.Markdown(TITLE_LINE)
    with gr.Tabs(overflow_behavior="wrap"):
        tabs = [
            add_score_tab(metric, groups, metric_source()),
            add_compare_tab(metric, groups, metric_source()),
            add_threshold_tab(metric),
            add_difficulty_tab(metric),
            add_alignment_tab(metric),
            add_learn_tab(metric, groups),
        ]
    fields = [field for tab in tabs for field in tab.fields.values()]
    page.load(
        None, fields, fields, js="async (...values) => await window.segscores.restore(values)", api_visibility="private"
    )
    # The first tab's results come from the link itself: what follows an event may still see the fields as they were.
    page.load(
        tabs[0].show,
        tabs[0].inputs,
        tabs[0].outputs,
        js=f"async (...values) => await window.segscores.inputs({tabs[0].label!r}, {json.dumps(tabs[0].names)}, values)",
        api_visibility="private",
        show_progress="minimal",
    )
    add_endpoints(metric, groups)

if __name__ == "__main__":
    uploads = Path(stored.name)
    guard = Middleware(Guard, endpoints=endpoints_of(page), inputs=inputs_of(page, uploads), uploads=uploads)
    page.queue(max_size=100, default_concurrency_limit=4).launch(
        theme=theme(),
        css=CSS + metric.drawing_style,
        head=head({tab.label: tab.fields for tab in tabs}),
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
