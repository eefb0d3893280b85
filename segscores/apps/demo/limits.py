"""Limits: rejects requests that are too long, and gradio's routes that the page does not need, with a line that says why."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The size limit of a request: all the texts of a tab, in JSON.
MAX_BODY_BYTES = 25_000_000
#: How deep lists and objects may be nested in calls of gradio's routes, which need five levels.
_DEPTH = 16
#: Gradio's routes that store, serve or fetch files, or bypass its queue.
_CLOSED = ("upload", "file", "proxy", "stream/", "component_server", "run/", "api/", "process_recording", "deep_link",
           "dev/")  # fmt: skip


class Limits:
    """Middleware with a limit for the body of a request, whether or not it says its length."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix("/gradio_api/")
        is_of_gradio, is_post, has_begun = path != scope["path"], scope["method"] == "POST", False
        body = await _read(receive) if is_post else b""
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}] * is_post

        async def receive_again() -> Message:
            return waiting.pop() if waiting else await receive()

        async def send_on(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        status, problem = 0, ""
        if is_of_gradio and path.startswith(_CLOSED):
            status, problem = 404, "This page has no such address."
        elif body is None:
            status, problem = 413, f"This request is longer than the {MAX_BODY_BYTES:,} bytes that the page takes."
        elif is_of_gradio and is_post and _is_forged(body):
            status, problem = 422, f"Expected JSON without files, up to {_DEPTH} lists and objects deep."
        else:
            try:
                await self.app(scope, receive_again, send_on)
            except Exception:
                # Gradio's routes raise for a name, a number or a session that they do not know.
                if has_begun or not is_of_gradio:
                    raise
                problem = "There is no answer to this call: /gradio_api/info lists the endpoints and their arguments."
                status = 400
        if status:
            await PlainTextResponse(problem, status)(scope, receive, send)


async def _read(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too long."""
    body, more = bytearray(), True
    while more and len(body) <= MAX_BODY_BYTES:
        message = await receive()
        body += message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)
    return bytes(body) if len(body) <= MAX_BODY_BYTES else None


def _is_forged(body: bytes) -> bool:
    """Whether a body is no JSON, names a file, or is nested too deeply for code that walks it by recursion."""
    try:
        level: list[Any] = [json.loads(body or b"{}")]
    except (ValueError, RecursionError):
        return True
    for _ in range(_DEPTH):
        # Gradio fetches a file from the address that it names, whatever the type of the argument.
        if any(isinstance(each, dict) and isinstance(each.get("meta"), dict) for each in level):
            return True
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [each for part in inner for each in part]
    return any(isinstance(each, (dict, list)) for each in level)
