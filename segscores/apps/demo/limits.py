"""Limits: refuse requests that the server does not serve, and keep the others within a budget of bytes and a time."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass
from typing import Any

from anyio import fail_after, move_on_after, to_thread
from starlette.datastructures import Headers, QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...reading.json_values import json_value

#: The size limit of a request: all the texts of a tab, in JSON.
MAX_BODY_BYTES = 25_000_000
#: The bytes of all requests at a time.
_BUDGET = 80_000_000
#: The part of the budget that is kept for short requests, and the largest length of a short request, in bytes.
_FOR_SHORT = 20_000_000
_SHORT = 1_000_000
#: The bytes of memory that a request takes besides its own: if it has arrived, and while it arrives.
_EXTRA = 400_000
_ARRIVING = 10_000
#: The seconds in which a request must arrive.
_SECONDS = 30
#: The most levels of lists and objects in calls of gradio, which need five.
_DEPTH = 16
#: The addresses of the page, and those of gradio for programs. Others store, serve or fetch files, or bypass the queue.
_OPEN = re.compile("/|/config|/(static|answer|export|guide)/.*|"
                   "/gradio_api/(info|openapi.json|startup-events|heartbeat|call|queue|cancel|reset|mcp)(/.*)?")  # fmt: skip
#: The address of an answer; its group is the number of a call, which the address of a session does not have.
_ANSWER = re.compile(r"/gradio_api/(?:queue/data|call/(?:v2/)?\w+/(\w+))")
_TOO_LONG = f"This request is longer than the {MAX_BODY_BYTES:,} bytes that the page takes."


@dataclass
class _Share:
    """The share of a request in the budget."""

    length: int  #: the announced length of the request, in bytes
    size: int = 0  #: the bytes of the budget that it has now


class Limits:
    """Middleware around the whole server."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        #: The bytes that all requests have of the budget.
        self.reserved = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # It has nothing of the budget yet.
        share = _Share(_length(scope))
        try:
            _admit(scope)
            try:
                await self._pass_on(scope, receive, send, share)
            finally:
                self.reserved -= share.size
                if share.size > _SHORT:
                    # The sessions that gradio has dropped hold each other, and the texts of their calls.
                    gc.collect()
        except HTTPException as refusal:
            await _refuse(refusal, scope, receive, send)

    def _reserve(self, share: _Share, size: int, scope: Scope) -> None:
        """Give a request `size` bytes of the budget in place of those that it has; raise an error if too few are left."""
        # The calls of programs wait in gradio's queue after their requests have ended.
        waiting_calls = scope["app"].get_blocks()._queue.event_ids_to_events.values()
        taken_by_calls = sum(_EXTRA + _length(call.request.scope) for call in waiting_calls)
        taken_by_others = self.reserved - share.size + taken_by_calls
        budget = _BUDGET
        if share.length > _SHORT:
            budget -= _FOR_SHORT
        if taken_by_others + size > budget:
            raise HTTPException(503, "The page is busy: try again.")
        self.reserved += size - share.size
        share.size = size

    async def _read(self, scope: Scope, receive: Receive, share: _Share) -> Message:
        """Return the whole request as one message.

        It takes of the budget what has arrived, and not what is announced, which may never arrive.
        """
        body = bytearray()
        has_more = True
        try:
            with fail_after(_SECONDS):
                while has_more and len(body) <= MAX_BODY_BYTES:
                    self._reserve(share, _ARRIVING + len(body), scope)
                    message = await receive()
                    body += message.get("body", b"")
                    has_more = message.get("more_body", False)
        except HTTPException:
            # The error holds this function's variables until the client has read the refusal.
            body.clear()
            raise
        except TimeoutError:
            raise HTTPException(408, f"This request did not arrive within {_SECONDS} seconds.") from None
        if len(body) > MAX_BODY_BYTES:
            raise HTTPException(413, _TOO_LONG)
        self._reserve(share, _EXTRA + len(body), scope)
        return {"type": "http.request", "body": body}

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, share: _Share) -> None:
        """Read a request, check it, and have the server answer it; an error of gradio's is an answer too."""
        is_of_gradio = scope["path"].startswith("/gradio_api/")
        has_begun = False  # True once a part of the answer is sent
        unread: Message | None = None  # the request, until the server has read it from `receive_again`
        if scope["method"] == "POST":
            unread = await self._read(scope, receive, share)
            # In a thread, because other requests are answered meanwhile.
            if is_of_gradio and await to_thread.run_sync(_is_forged, unread["body"]):
                raise HTTPException(422, f"Expected JSON without files, up to {_DEPTH} lists and objects deep.")

        async def receive_again() -> Message:
            """Return the message that was read, the first time, and what follows after it."""
            nonlocal unread
            if unread is None:
                return await receive()
            message = unread
            unread = None
            return message

        async def send_on(message: Message) -> None:
            """Send a part of the answer, after which no error can take its place."""
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive_again, send_on)
        except Exception:
            # Gradio's routes raise for a name, a number or arguments that they do not know.
            if has_begun or not is_of_gradio:
                raise
            problem = "There is no answer to this call: /gradio_api/info lists the endpoints and their arguments."
            raise HTTPException(400, problem) from None


async def _refuse(refusal: HTTPException, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request that is refused. The end of the answer waits until the client has sent all of its request."""
    answer = PlainTextResponse(refusal.detail, refusal.status_code, {"Connection": "close"})
    # The answer with its text, but not yet its end.
    await answer(scope, receive, lambda message: send({**message, "more_body": True}))
    # A client that sends to a closed connection does not get its answer. After a timeout, it had its seconds already.
    has_waited = refusal.status_code == 408
    with move_on_after(0 if has_waited else _SECONDS):
        while (await receive()).get("more_body"):
            pass
    await send({"type": "http.response.body"})


def _admit(scope: Scope) -> None:
    """Raise an error for an address that the page has not, and for a request that is too long."""
    if _is_unknown_answer(scope) or not _OPEN.fullmatch(scope["path"]):
        raise HTTPException(404, "This page has no such address.")
    has_length = "content-length" in Headers(scope=scope)
    if has_length and _length(scope) > MAX_BODY_BYTES:
        raise HTTPException(413, _TOO_LONG)


def _is_unknown_answer(scope: Scope) -> bool:
    """Return whether a request asks for the answer of a call, or of a session, for which no answer waits."""
    match = _ANSWER.fullmatch(scope["path"])
    if scope["method"] != "GET" or match is None:
        return False
    call_id = match[1]
    wanted = call_id or QueryParams(scope["query_string"]).get("session_hash")
    calls_of_sessions = scope["app"].get_blocks()._queue.pending_event_ids_session
    for session, call_ids in calls_of_sessions.items():
        is_waiting_session = wanted == session and bool(call_ids)
        if wanted in call_ids or is_waiting_session:
            return False
    return True


def _length(scope: Scope) -> int:
    """Return the announced length of a request in bytes; one that announces none may be as long as any."""
    if scope["method"] != "POST":
        return 0  # its body is not read
    return int(Headers(scope=scope).get("content-length", MAX_BODY_BYTES))


def _is_forged(body: bytearray) -> bool:
    """Return whether a body is no JSON, names a file, or is nested too deeply for code that walks it by recursion."""
    try:
        # The first level is a list of the value, which may be no list or object itself.
        level: list[Any] = [[json_value(body or b"{}")]]
    except ValueError:
        return True
    # Level by level: each has the lists and objects in those of the level before.
    for _ in range(1 + _DEPTH):
        # Gradio fetches a file from the address that it names, whatever the type of the argument.
        if any(isinstance(value, dict) and isinstance(value.get("meta"), dict) for value in level):
            return True
        members: list[Any] = []
        for value in level:
            members += value.values() if isinstance(value, dict) else value
        level = [value for value in members if isinstance(value, (dict, list))]
    return bool(level)
