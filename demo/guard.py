"""Guard: what is refused before it reaches the page's own server, with a line that says why.

Gradio limits the size of uploads and nothing else: it reads a request of any length into memory, answers a wrong argument by
name with a traceback in its log, and drops one argument too many without a word.
"""

from __future__ import annotations

__all__ = ["MAX_BODY_BYTES", "Guard", "endpoints_of"]

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: What a request holds at most: all the texts of a tab, in JSON.
MAX_BODY_BYTES = 25_000_000

_CALL, _CALL_BY_NAME, _JOIN, _UPLOAD = (
    "/gradio_api/call/",
    "/gradio_api/call/v2/",
    "/gradio_api/queue/join",
    "/gradio_api/upload",
)


class _TooLongError(Exception):
    pass


class Guard:
    """Middleware that refuses requests that are too long, and calls with arguments that an endpoint does not have.

    Args:
        app: what is behind.
        endpoints: by name the parameters of each endpoint in order, and whether each may be left out.
        sizes: by number of an event how many inputs it has.
    """

    def __init__(self, app: ASGIApp, endpoints: Mapping[str, Mapping[str, bool]], sizes: Mapping[int, int]) -> None:
        self.app = app
        self.endpoints = endpoints
        self.sizes = sizes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refused request, pass on any other."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            await _refuse(413, f"This request is too long: the page takes {MAX_BODY_BYTES:,} bytes.")(
                scope, receive, send
            )
            return
        if path.startswith(_UPLOAD):
            # A file goes to the disk piece by piece, and its size has a limit of its own there.
            await self.app(scope, receive, send)
            return
        try:
            body = await _read(receive)
        except _TooLongError:
            await _refuse(413, f"This request is too long: the page takes {MAX_BODY_BYTES:,} bytes.")(
                scope, receive, send
            )
            return
        problem = self._problem(path.rstrip("/"), body)
        if problem:
            await _refuse(422, problem)(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)

    def _problem(self, path: str, body: bytes) -> str:
        """What is wrong with the arguments of a call; empty where nothing is."""
        if not path.startswith((_CALL, _JOIN)):
            return ""
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            return "Expected a request in JSON."
        if not isinstance(call, dict):
            return "Expected a JSON object."
        if path.startswith(_JOIN):
            data, number = call.get("data"), call.get("fn_index")
            if isinstance(data, list) and isinstance(number, int) and len(data) != self.sizes.get(number, len(data)):
                return f"Expected {self.sizes[number]} inputs, received {len(data)}."
            return ""
        by_name = path.startswith(_CALL_BY_NAME)
        name = path.removeprefix(_CALL_BY_NAME if by_name else _CALL)
        if name not in self.endpoints:
            return f"There is no endpoint {name[:80]!r}: the endpoints are {', '.join(self.endpoints)}."
        known = self.endpoints[name]
        if not by_name:
            data = call.get("data")
            if not isinstance(data, list) or len(data) != len(known):
                return (
                    f"{name} takes a list `data` of {len(known)} arguments ({', '.join(known)}); to leave some out, pass them "
                    f"by name to {_CALL_BY_NAME}{name}."
                )
            return ""
        for argument in call:
            if argument not in known:
                return f"{name} has no argument {argument[:80]!r}: the arguments are {', '.join(known)}."
        missing = [argument for argument, optional in known.items() if not optional and argument not in call]
        return f"{name} needs the argument {missing[0]!r}." if missing else ""


def _refuse(status: int, problem: str) -> JSONResponse:
    return JSONResponse({"error": problem, "detail": problem}, status)


async def _read(receive: Receive) -> bytes:
    """The whole body of a request.

    Raises:
        _TooLongError: it has more bytes than a page takes, whatever its headers say.
    """
    pieces, size, more = [], 0, True
    while more:
        message = await receive()
        piece = message.get("body", b"")
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BODY_BYTES:
            raise _TooLongError
        more = message.get("more_body", False) and message["type"] == "http.request"
    return b"".join(pieces)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read, and then what comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def endpoints_of(demo: Any) -> dict[str, dict[str, bool]]:
    """The parameters of every endpoint of a page, and whether each may be left out."""
    named = demo.get_api_info()["named_endpoints"]
    return {
        name.removeprefix("/"): {
            parameter["parameter_name"]: bool(parameter["parameter_has_default"])
            for parameter in endpoint["parameters"]
        }
        for name, endpoint in named.items()
    }
