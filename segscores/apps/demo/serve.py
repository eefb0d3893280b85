"""Serving: the page, its answers, and the endpoints for programs, by gradio's server mode."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from dataclasses import asdict
from importlib.util import find_spec

import gradio as gr
from anyio import CapacityLimiter, to_thread
from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from .answers import answer, export
from .api import add_endpoints
from .assets import shell, static_files
from .limits import Limits
from .tab import EXPORTS

#: At most so many answers at a time, and so many that wait.
_AT_A_TIME, _WAITING = 4, 200
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)
_HEADERS = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


def build() -> gr.Server:
    """The server, not yet started."""
    middleware = [Middleware(Limits), Middleware(GZipMiddleware, minimum_size=1000, compresslevel=6)]
    server = gr.Server(
        title="Segmentation scores", middleware=middleware, docs_url=None, redoc_url=None, openapi_url=None
    )
    limiter = CapacityLimiter(_AT_A_TIME)

    def static(name: str) -> Response:
        if name not in static_files():
            return PlainTextResponse("There is no such file.", 404)
        kind, text = static_files()[name]
        return Response(text, media_type=kind, headers={"Cache-Control": "public, max-age=31536000, immutable"})

    async def asked(request: Request, respond: Callable[[dict[str, str]], Response]) -> Response:
        """The response to the fields in a request, or the one that says what is wrong."""
        try:
            values = json.loads(await request.body())
            are_texts = isinstance(values, dict) and all(isinstance(each, str) for each in values.values())
        except (ValueError, RecursionError):
            are_texts = False
        if not are_texts or len(values) > 100:
            return PlainTextResponse("Expected a JSON object of texts.", 400)
        if limiter.statistics().tasks_waiting > _WAITING:
            return PlainTextResponse("The page is busy: try again.", 503)
        try:
            return await to_thread.run_sync(respond, values, limiter=limiter)
        except (TypeError, ValueError, OverflowError) as error:
            return PlainTextResponse(str(error), 400)

    async def answer_of(tab: str, request: Request) -> Response:
        headers = {"Cache-Control": "no-store"}
        return await asked(request, lambda values: JSONResponse(asdict(answer(tab, values)), headers=headers))

    async def export_of(tab: str, form: str, request: Request) -> Response:
        def respond(values: dict[str, str]) -> Response:
            headers = {**_HEADERS, "Content-Disposition": "attachment"}
            return Response(export(tab, form, values), media_type=EXPORTS[form][2], headers=headers)

        return await asked(request, respond)

    # Before gradio's own page.
    server.add_api_route("/", lambda: HTMLResponse(shell(), headers=_HEADERS))
    server.add_api_route("/static/{name}", static)
    server.add_api_route("/answer/{tab}", answer_of, methods=["POST"])
    server.add_api_route("/export/{tab}/{form}", export_of, methods=["POST"])
    add_endpoints(server)
    return server


def serve() -> None:
    """Serve the page until the process ends, at the address of GRADIO_SERVER_NAME and GRADIO_SERVER_PORT."""
    # The page says so itself.
    warnings.filterwarnings("ignore", module="segscores")
    about = "fewer than|undefined|skipped|left out|never occurs|no interval|significant"
    warnings.filterwarnings("ignore", message=f".*({about})")
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    app, _, _ = build().launch(mcp_server=find_spec("mcp") is not None, quiet=True, show_error=False, run_history=False,
                               enable_monitoring=False, state_session_capacity=10, max_file_size=1,
                               prevent_thread_lock=True)  # fmt: skip
    app.get_blocks()._queue.max_size = _WAITING
    app.get_blocks().block_thread()
