"""Guard: rejects bad requests before they reach gradio, with a line that says why.

Gradio limits only the size of an uploaded file. It reads requests of any length into memory, answers a value that a
component can't have with a traceback in its log, drops superfluous arguments silently, fetches any address that a request
names, and never deletes files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import gradio as gr
from anyio import to_thread
from gradio.data_classes import FileData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The size limit of a request: all the texts of a tab, in JSON.
MAX_BODY_BYTES = 25_000_000
MAX_COLUMN = 500
#: The limit for the nesting of lists and objects; a call needs five levels.
MAX_DEPTH = 16
#: The size limit of all files of visitors. Beyond it the oldest are deleted; every file is deleted after an hour.
MAX_STORED_BYTES = 1_000_000_000
_SECONDS_STORED = 3600
#: The disk space that a file takes at least.
_BLOCK = 4096

_CALL, _CALL_BY_NAME, _JOIN, _UPLOAD = (
    "/gradio_api/call/",
    "/gradio_api/call/v2/",
    "/gradio_api/queue/join",
    "/gradio_api/upload",
)
_MCP = "/gradio_api/mcp"
#: The addresses that a page, a client and an MCP client post to. Gradio's others bypass the queue, or store recordings.
_POSTS = (_JOIN, _UPLOAD, _MCP, "/gradio_api/cancel", "/gradio_api/reset")
#: Gradio serves visitors' files, and fetches any address, on request; the page needs neither.
_SERVES = ("/gradio_api/file", "/gradio_api/proxy=", "/gradio_api/stream/")

_TOO_LONG = f"This request is longer than the maximum allowed size: the page takes {MAX_BODY_BYTES:,} bytes."

#: The problem with a value; empty if there is no problem.
Check: TypeAlias = Callable[[Any], str]


class _TooLongError(MultiPartException):
    """An error that makes gradio delete the received part of the upload."""

    def __init__(self) -> None:
        super().__init__(_TOO_LONG)


class Guard:
    """Middleware that rejects requests that are too long, have an unknown address, or hold invalid arguments.

    Args:
        endpoints: the parameters of each endpoint, by name: in order, each with whether it is optional.
        inputs: the checks of the inputs of each event, by its number.
    """

    def __init__(
        self,
        app: ASGIApp,
        endpoints: Mapping[str, Mapping[str, bool]],
        inputs: Mapping[int, Sequence[Check]],
        uploads: Path,
    ) -> None:
        self.app = app
        self.endpoints = endpoints
        self.inputs = inputs
        self.uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a rejected request, pass on any other."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].rstrip("/")
        if path.startswith(_SERVES):
            await _refuse(404, "This page serves no files.")(scope, receive, send)
        elif scope["method"] != "POST":
            await self._answer(scope, receive, send)
        elif not (path in _POSTS or path.startswith((_CALL, f"{_MCP}/"))):
            await _refuse(404, f"Unknown address: call the endpoints at {_CALL_BY_NAME}NAME.")(scope, receive, send)
        elif int(dict(scope["headers"]).get(b"content-length", b"0")) > MAX_BODY_BYTES:
            await _refuse(413, _TOO_LONG)(scope, receive, send)
        elif path == _UPLOAD:
            await self._upload(scope, receive, send)
        else:
            await self._pass_checked(path, scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request without a body."""
        try:
            await self.app(scope, receive, send)
        except (HTTPException, RuntimeError) as error:
            # The stream of an unknown session: gradio would notice only after the answer has begun.
            if isinstance(error, RuntimeError) and not isinstance(error.__cause__, HTTPException):
                raise
            await send({"type": "http.response.body", "body": b""})

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on an upload, which is written to disk in pieces."""
        await to_thread.run_sync(make_room, self.uploads)
        try:
            await self.app(scope, _limited(receive), send)
        except ClientDisconnect:
            return
        except (TypeError, ValueError, KeyError, OSError):
            # A form without a file, or with an invalid file name.
            problem = "Invalid upload: expected a form with a file in the field `files`."
            await _refuse(400, problem)(scope, receive, send)

    async def _pass_checked(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request in JSON if it is valid."""
        try:
            body = await _read(_limited(receive))
        except _TooLongError:
            await _refuse(413, _TOO_LONG)(scope, receive, send)
            return
        problem = self._problem(path, body)
        if problem:
            await _refuse(422, problem)(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)

    def _problem(self, path: str, body: bytes) -> str:
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            return "Expected a request in JSON."
        if problem := _problem_of_nesting(call, may_hold_files=path == _JOIN):
            return problem
        if path.startswith(_MCP):
            return ""
        if not isinstance(call, dict):
            return "Expected a JSON object."
        if path == _JOIN:
            return self._problem_of_event(call)
        if not path.startswith(_CALL):
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
                return f"{name} has no argument {argument[:80]!r}: the arguments are {', '.join(known) or 'none'}."
        missing = [argument for argument, optional in known.items() if not optional and argument not in call]
        return f"{name} needs the argument {missing[0]!r}." if missing else ""

    def _problem_of_event(self, call: dict[str, Any]) -> str:
        """The problem with a call of an event of the page by its number; empty if there is no problem."""
        number, data = call.get("fn_index"), call.get("data")
        if not isinstance(number, int) or isinstance(number, bool) or number not in self.inputs:
            return f"There is no event fn_index={str(number)[:80]}."
        checks = self.inputs[number]
        if not isinstance(data, list) or len(data) != len(checks):
            received = len(data) if isinstance(data, list) else "none"
            return f"Expected a list `data` of {len(checks)} inputs, received {received}."
        if call.get("batched") or call.get("simple_format"):
            return "Expected one set of inputs, received a batch."
        problems = (check(value) for check, value in zip(checks, data, strict=True))
        return next(filter(None, problems), "")


def _refuse(status: int, problem: str) -> JSONResponse:
    return JSONResponse({"error": problem, "detail": problem}, status)


def _limited(receive: Receive) -> Receive:
    """A `receive` that rejects a body beyond the size limit, whatever its headers say."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            raise _TooLongError
        return message

    return limited


async def _read(receive: Receive) -> bytes:
    """The whole body of a request."""
    pieces, more = [], True
    while more:
        message = await receive()
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False) and message["type"] == "http.request"
    return b"".join(pieces)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read, and then the further messages."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _problem_of_nesting(value: Any, *, may_hold_files: bool = False) -> str:
    """The problem with lists and objects that hold a file, or are nested too deeply for code that recurses; else empty.

    Gradio fetches a file from the address that it names, whatever the type of the argument.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        if not may_hold_files and any(isinstance(item, dict) and isinstance(item.get("meta"), dict) for item in level):
            return "Expected texts, numbers and lists, received a file: an endpoint fetches no files."
        level = [
            item
            for outer in level
            if isinstance(outer, (dict, list))
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return ""
    return f"Expected JSON with lists and objects up to {MAX_DEPTH} deep."


def make_room(uploads: Path, most: int = MAX_STORED_BYTES, seconds: float = _SECONDS_STORED) -> None:
    """Delete files that are over an hour old, the oldest files beyond the size limit, and empty folders.

    Args:
        most: the size limit in bytes; every file counts as at least a block.
    """
    now, files = time.time(), []
    for path in uploads.rglob("*"):
        try:
            entry = path.lstat()
            if not path.is_dir():
                files.append((entry.st_mtime, max(entry.st_size, _BLOCK), path))
            elif now - entry.st_mtime > seconds:
                path.rmdir()
        except OSError:
            # The folder is gone, or not empty.
            continue
    stored = sum(size for _, size, _ in files)
    for changed, size, path in sorted(files):
        if stored <= most and now - changed <= seconds:
            break
        path.unlink(missing_ok=True)
        stored -= size


def endpoints_of(demo: Any) -> dict[str, dict[str, bool]]:
    """The parameters of every endpoint of a page, each with whether it is optional."""
    named = demo.get_api_info()["named_endpoints"]
    return {
        name.removeprefix("/"): {
            parameter["parameter_name"]: bool(parameter["parameter_has_default"])
            for parameter in endpoint["parameters"]
        }
        for name, endpoint in named.items()
    }


def inputs_of(demo: Any, uploads: Path) -> dict[int, list[Check]]:
    """The checks of the inputs of every event of a page that runs on the server."""
    return {
        number: [_check_for(component, uploads.resolve()) for component in event.inputs]
        for number, event in demo.fns.items()
        if event.fn is not None
    }


def _check_for(component: Any, uploads: Path) -> Check:
    """The check of the values of a component; endpoints check their arguments themselves."""
    label = getattr(component, "label", None)
    choices = [value for _, value in getattr(component, "choices", None) or ()]
    named = ", ".join(map(str, choices))

    def check_text(value: Any) -> str:
        return "" if isinstance(value, str) else f"{label}: expected a text, received {type(value).__name__}."

    def check_choice(value: Any) -> str:
        return "" if value in choices else f"{label}: expected one of {named}, received {shown(value)}."

    def check_choices(value: Any) -> str:
        is_right = isinstance(value, list) and len(value) <= len(choices) and all(item in choices for item in value)
        return "" if is_right else f"{label}: expected a list of some of {named}, received {shown(value)}."

    def check_switch(value: Any) -> str:
        return "" if isinstance(value, bool) else f"{label}: expected true or false, received {shown(value)}."

    def check_number(value: Any) -> str:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and component.minimum <= value <= component.maximum:
            return ""
        return f"{label}: expected a number from {component.minimum} to {component.maximum}, received {shown(value)}."

    def check_file(value: Any) -> str:
        if value is None:
            return ""
        try:
            path = Path(FileData.model_validate(value, context={"validate_meta": True}).path)
            is_uploaded = path.is_absolute() and path.resolve().is_relative_to(uploads) and path.is_file()
        except (AttributeError, ValueError, OSError):
            is_uploaded = False
        return "" if is_uploaded else "There is no such file here. Open it, or open it again."

    def check_column(value: Any) -> str:
        is_name = value is None or (isinstance(value, str) and len(value) <= MAX_COLUMN)
        return "" if is_name else f"{label}: expected the name of a column, received {shown(value)}."

    if isinstance(component, gr.Dropdown):
        return check_column if component.allow_custom_value else check_choice
    checks: dict[type, Check] = {
        gr.Textbox: check_text,
        gr.Radio: check_choice,
        gr.CheckboxGroup: check_choices,
        gr.Checkbox: check_switch,
        gr.Slider: check_number,
        gr.UploadButton: check_file,
    }
    return next((check for kind, check in checks.items() if isinstance(component, kind)), _problem_of_nesting)


def shown(value: object) -> str:
    """A received value in a message, cut if it is long."""
    written = repr(value)
    return written if len(written) <= 80 else f"{written[:79]}…"
