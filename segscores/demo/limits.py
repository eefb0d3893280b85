"""Limits: rejects requests that are too long, and gradio's routes that the page does not need, with a line that says why."""

from __future__ import annotations

import json
from collections.abc import Iterable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The size limit of a request: all the texts of a tab, in JSON.
MAX_BODY_BYTES = 25_000_000
#: How deep lists and objects may be nested in calls of gradio's routes, which need five levels.
_DEPTH = 16
#: Gradio's routes that store, serve or fetch files, or bypass its queue.
_CLOSED = (
    "upload",
    "file",
    "proxy",
    "stream/",
    "component_server",
    "run/",
    "api/",
    "process_recording",
    "deep_link",
    "dev/",
)


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
        is_of_gradio = path != scope["path"]
        body = await _read(receive) if scope["method"] == "POST" else b""
        if is_of_gradio and path.startswith(_CLOSED):
            await PlainTextResponse("This page has no such address.", 404)(scope, receive, send)
        elif body is None:
            message = f"This request is longer than the {MAX_BODY_BYTES:,} bytes that the page takes."
            await PlainTextResponse(message, 413)(scope, receive, send)
        elif is_of_gradio and scope["method"] == "POST" and _is_forged(body):
            message = f"Expected JSON without files, up to {_DEPTH} lists and objects deep."
            await PlainTextResponse(message, 422)(scope, receive, send)
        else:
            receive = _replay(body, receive) if scope["method"] == "POST" else receive
            await (self._pass if is_of_gradio else self.app)(scope, receive, send)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to gradio, whose routes raise for a name, a number or a session that they do not know."""
        has_begun = False

        async def send_on(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_on)
        except Exception:
            if has_begun:
                raise
            message = "There is no answer to this call: /gradio_api/info lists the endpoints and their arguments."
            await PlainTextResponse(message, 400)(scope, receive, send)


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
        level = [json.loads(body or b"{}")]
    except (ValueError, RecursionError):
        return True
    for _ in range(_DEPTH):
        parts = (outer.values() if isinstance(outer, dict) else outer for outer in level)
        level = [each for part in parts if isinstance(part, Iterable) and not isinstance(part, str) for each in part]
        level = [each for each in level if isinstance(each, (dict, list))]
        # Gradio fetches a file from the address that it names, whatever the type of the argument.
        if any(isinstance(each, dict) and isinstance(each.get("meta"), dict) for each in level):
            return True
        if not level:
            return False
    return True


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read, and then the further messages."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
