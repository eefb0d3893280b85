"""Serving: the page, its answers, and the endpoints for programs, by gradio's server mode."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from gradio.utils import get_function_description
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from ..allocation import return_freed_memory
from .api import add_endpoints
from .assets import shell, static_files
from .limits import Limits
from .port import VARIABLE, read_port
from .tab import EXPORTS
from .workers import AnswerError, Workers

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)
_HEADERS = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
#: The most fields of a request; no tab has so many.
_MOST_FIELDS = 100
#: Where sphinx-build writes the documentation of a checkout.
SITE = Path(__file__).parents[3] / "build" / "docs"


def build(site: Path = SITE) -> gr.Server:
    """Return the server, not yet started; `/guide/` is the documentation, if it is built."""
    middleware = [Middleware(Limits), Middleware(GZipMiddleware, minimum_size=1000, compresslevel=6)]
    server = gr.Server(title="Segmentation scores", middleware=middleware)
    workers = Workers()

    def static(name: str) -> Response:
        """Return a script or a style, which browsers may keep for a year: its name has the digest of its contents."""
        file = static_files().get(name)
        if file is None:
            return PlainTextResponse("There is no such file.", 404)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(file.text, media_type=file.media_type, headers=headers)

    async def answer_of(tab: str, values: dict[str, Any], form: str = "") -> Response:
        """Return the answer of a tab to the values of its fields, or a file in the format `form`."""
        if len(values) > _MOST_FIELDS or not all(isinstance(value, str) for value in values.values()):
            return PlainTextResponse("Expected a JSON object of texts.", 400)
        try:
            if not form:
                answered = await workers.compute("answer", tab, values)
                return JSONResponse(asdict(answered), headers={"Cache-Control": "no-store"})
            headers = {**_HEADERS, "Content-Disposition": "attachment"}
            if form == "zip":
                archive = await workers.compute("bundle", tab, values)
                return Response(archive, media_type="application/zip", headers=headers)
            text = await workers.compute("export", tab, form, values)
            return Response(text, media_type=EXPORTS[form].media_type, headers=headers)
        except AnswerError as error:
            return PlainTextResponse(str(error), error.status)

    def page(request: Request) -> Response:
        """Return the page; `/?embed` is the page with its result alone."""
        policy = _POLICY
        if "embed" in request.query_params:
            # Any page may have the result alone in a frame: drop the rule `frame-ancestors`, which is the last one.
            policy, _, _ = _POLICY.partition("; frame-")
        return HTMLResponse(shell(), headers={**_HEADERS, "Content-Security-Policy": policy})

    # Before gradio's own page.
    server.add_api_route("/", page, methods=["GET", "HEAD"])
    server.add_api_route("/static/{name}", static)
    server.add_api_route("/answer/{tab}", answer_of, methods=["POST"])
    server.add_api_route("/export/{tab}/{form}", answer_of, methods=["POST"])
    if site.is_dir():
        server.mount("/guide", StaticFiles(directory=site, html=True))
    add_endpoints(server, workers)
    return server


def serve(site: Path = SITE) -> None:
    """Serve the page until the process ends, at the address of GRADIO_SERVER_NAME and GRADIO_SERVER_PORT."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    port = read_port()
    return_freed_memory()
    try:
        # Small limits of what gradio keeps: no call has a state, so that no session needs room, which gradio has for 10,000, and
        # texts come in fields, so that no file is uploaded.
        app, address, _ = build(site).launch(
            mcp_server=find_spec("mcp") is not None, quiet=True, show_error=False, run_history=False, ssr_mode=False,
            enable_monitoring=False, state_session_capacity=2, max_file_size=1, server_port=port, prevent_thread_lock=True,
        )  # fmt: skip
    except OSError:
        sys.exit(f"Port {port} is taken, or not allowed: set {VARIABLE} to another, such as {port + 1}.")
    queue = app.get_blocks()._queue
    # Gradio keeps the answers of programs until they fetch them, by default of 2,000. Those of 200, more than call at once, take
    # less memory.
    queue.pending_messages_per_session.max_size = 200
    # It looks for calls a thousand times a second, which takes a twentieth of a processor.
    queue.sleep_when_free = 0.05
    # Gradio's description of the endpoints lacks the meanings of their arguments, which their docstrings have. `api_info` returns
    # the dict that it keeps, so that a meaning in it stays.
    for endpoint in app.get_blocks().fns.values():
        _, meanings, *_ = get_function_description(endpoint.fn)
        for block, meaning in zip(endpoint.inputs, meanings.values(), strict=True):
            block.api_info()["additional_description"] = meaning
    # A warning would go to the log, where no visitor sees it. The page itself shows the facts behind it.
    warnings.simplefilter("ignore", UserWarning)
    # The garbage collections after large requests (see `Limits`) need not look at what was made so far, which stays.
    gc.freeze()
    print(f"The demo is at {address}", flush=True)
    app.get_blocks().block_thread()
