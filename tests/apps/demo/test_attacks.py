"""Forged, large and many requests: each gets a line that says why, the server lives on, and nobody sees another's text."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from ...optional import httpx
from .answers import ALIGNMENT, DIFFICULTY, SENTENCES, THRESHOLD, compare_values
from .conftest import ROOT, serving

COMPARE = compare_values()
PAIR = {"reference": "the dog\na b", "prediction": "thedog\na b"}
BOMB = base64.b64encode(gzip.compress(b"a " * 6_000_000)).decode()
#: What gradio would fetch.
FILE = {"path": "https://example.com/", "meta": {"_type": "gradio.FileData"}}
DEEP = "[" * 100_000 + "]" * 100_000


def post(address: str, path: str, content: Any) -> Any:
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    return httpx.post(f"{address}/{path}", content=text, headers=headers, timeout=180)


def scored(address: str, values: dict[str, str]) -> Any:
    return post(address, "answer/score", values).json()


@pytest.mark.parametrize(
    ("path", "content", "status", "problem"),
    [
        ("answer/score", DEEP, 400, "parsing the body"),
        ("answer/score", {"reference": 5}, 400, "JSON object of texts"),
        ("answer/score", {str(number): "" for number in range(500)}, 400, "JSON object of texts"),
        ("answer/nothing", {}, 400, "There is no tab 'nothing'"),
        ("answer/..%2fscore", {}, 404, "Not Found"),
        ("export/score/exe", PAIR, 400, "exe: expected one of csv"),
        ("export/score/csv", {}, 400, "Waiting for reference and prediction"),
        ("gradio_api/call/score", f'{{"data": {DEEP}}}', 422, "16 lists and objects deep"),
        ("gradio_api/call/score", '{"data": ' + "[" * 17 + "]" * 17 + "}", 422, "16 lists and objects deep"),
        ("gradio_api/mcp/", DEEP, 422, "16 lists and objects deep"),
        ("gradio_api/call/score", {"data": [FILE, "a"]}, 422, "without files"),
        ("gradio_api/call/v2/compare", {"references": "a", "systems": {"x": [FILE]}}, 422, "without files"),
        ("gradio_api/call/score", {"data": "x"}, 422, "valid list"),
        ("gradio_api/call/nothing", {"data": []}, 400, "There is no answer to this call"),
        ("gradio_api/call/v2/score", {"references": "a"}, 400, "There is no answer to this call"),
        ("gradio_api/call/v2/score", {"references": "a", "predictions": "a", "more": 1}, 400, "There is no answer"),
        ("gradio_api/queue/join", {"fn_index": 999, "data": [], "session_hash": "x"}, 400, "There is no answer"),
        ("gradio_api/run/score", {"data": []}, 404, "no such address"),
        ("gradio_api/component_server", {}, 404, "no such address"),
    ],
)  # fmt: skip
def test_a_forged_post_is_refused(address: str, path: str, content: Any, status: int, problem: str) -> None:
    answer = post(address, path, content)
    assert (answer.status_code, problem in answer.text) == (status, True), answer.text[:300]
    assert "1 of 4 words" not in answer.text
    assert scored(address, PAIR)["problem"] == ""


@pytest.mark.parametrize(
    "path",
    [
        "static/..%2f..%2fserve.py",
        "static/%2e%2e/serve.py",
        "static/page.js",
        "gradio_api/file=/etc/passwd",
        "gradio_api/proxy=http://127.0.0.1:1/",
        "gradio_api/stream/x/y/z/playlist.m3u8",
        "gradio_api/deep_link?session_hash=x",
        "file=/etc/passwd",
        "monitoring/summary",
        "docs",
    ],
)
def test_no_file_of_the_server_is_served(address: str, path: str) -> None:
    answer = httpx.get(f"{address}/{path}", timeout=180)
    assert answer.status_code in {403, 404}
    assert "root:" not in answer.text
    assert "import" not in answer.text


@pytest.mark.parametrize("path", ["queue/data?session_hash=nobody", "queue/data", "call/score/0", "call/v2/score/0"])
def test_an_unknown_session_is_not_found_and_not_logged(address: str, path: str) -> None:
    """A traceback in the log fails the fixture at its end."""
    answer = httpx.get(f"{address}/gradio_api/{path}", timeout=180)
    assert (answer.status_code, answer.text) == (404, "This page has no such address.")


def test_an_answer_is_fetched_once(address: str) -> None:
    call = "gradio_api/call/v2/score"
    event = post(address, call, {"references": "a b", "predictions": "ab"}).json()["event_id"]
    answers = [httpx.get(f"{address}/{call}/{event}", timeout=180) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 404]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"reference": "\ud800"}, "half a surrogate pair"),
        ({"reference.bytes": "é"}, "damaged"),
        ({"reference.bytes": "H4sIAAAAAAAA", "reference.file": "a.gz"}, "damaged"),
        ({"reference.bytes": BOMB, "reference.file": "a.gz"}, "10,000,000 bytes"),
        ({"reference": '{"reference": ' + "[" * 100_000}, "an object of JSON"),
        ({"reference": '{"reference": 5}'}, "JSON lines"),
        ({"confidence": "nan"}, "between 0 and 1"),
        ({"window_size": "9" * 5000}, "whole number"),
        ({"scores": "token," * 5000}, "scores"),
        ({"word_boundary": "a b"}, "without whitespace"),
    ],
)  # fmt: skip
def test_a_bad_value_is_an_answer(address: str, values: dict[str, str], problem: str) -> None:
    found = scored(address, PAIR | values)
    assert found["html"] is None
    assert any(each in found["problem"] for each in problem.split("|")), found["problem"][:500]


@pytest.mark.parametrize("tab", ["score", "compare", "threshold"])
@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>"])
def test_texts_and_names_are_never_markup(address: str, tab: str, text: str) -> None:
    values = dict.fromkeys(("reference", "prediction", "prediction_a", "prediction_b", "primary", "baseline"), text)
    values |= {f"{name}.{part}": f"{text} {name}" for name in [*values] for part in ("name", "file", "column")}
    values |= {"scores": "0.5\n" if tab == "threshold" else "token", "word_boundary": text}
    for found in (post(address, f"answer/{tab}", values).json(), scored(address, PAIR | {"reference.file": text})):
        written = f"{found['html']}{found['problem']}"
        assert "<img" not in written
        assert "<script>alert" not in written


def test_the_page_lets_no_other_script_run(address: str) -> None:
    policy = httpx.get(address, timeout=180).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "set-cookie" not in httpx.get(address, timeout=180).headers


#: The tabs with the fields of a text, and the format of times where the tab has it.
NAMED_TABS = {
    "score": {**PAIR, "text_format": "times"},
    "compare": {**COMPARE, "text_format": "times"},
    "learn": PAIR,
    "try": PAIR,
    "threshold": THRESHOLD,
    "difficulty": DIFFICULTY,
    "alignment": ALIGNMENT | SENTENCES,
}


#: Names of files that a visitor could hope to be read.
FILE_NAMES = (
    "..", ".", "-", "folder", "reference.txt", "a.lab", "a.txt", "*.lab", "link", "link.txt", "tokenizer.json", "{folder}",
    "{folder}/a.txt", "file:{folder}/a.txt", "file://{folder}", "../server0/a.txt", "/dev/zero", "/proc/self/environ",
    "folder\\a.txt", "~", "a.txt\0", "a" * 5000,
)  # fmt: skip
OTHER_TABS = [tab for tab in NAMED_TABS if tab != "score"]
#: All of them in one tab, and some in the others, whose fields are read by the same code.
NAMES_IN_TABS = [
    *(("score", name) for name in FILE_NAMES),
    *((tab, name) for tab in OTHER_TABS for name in ("folder", "*.lab", "tokenizer.json", "{folder}/a.txt")),
]


@pytest.mark.parametrize(("tab", "name"), NAMES_IN_TABS, ids=lambda value: value[:30])
def test_what_a_visitor_names_is_a_label(address: str, served_from: Path, tab: str, name: str) -> None:
    named = name.format(folder=served_from)
    fields = [name for name in NAMED_TABS[tab] if name != "text_format"]
    values = NAMED_TABS[tab] | {f"{field}.{part}": named for field in fields for part in ("file", "name")}
    for path, each in ((f"answer/{tab}", values), (f"export/{tab}/json", {**values, "text_format": ""})):
        answer = post(address, path, each)
        assert "secret" not in answer.text
        assert answer.status_code in {200, 400}
        assert not any(word in answer.text for word in ("folder has no files", "is a folder", "device", "no such file"))


@pytest.mark.parametrize("name", ["..", "folder", "a.lab", "{folder}/a.txt", "link"])
def test_names_of_systems_and_texts_of_endpoints_are_labels(address: str, served_from: Path, name: str) -> None:
    named = name.format(folder=served_from)
    text = "0 1 a\n1 2 b\n"
    systems = {named: text, f"{named} ": text}
    for arguments in (
        {"references": text, "systems": systems},
        {"references": named, "systems": dict.fromkeys(systems, named)},
    ):
        for text_format in ("", "times"):
            call = "gradio_api/call/v2/compare"
            joined = post(address, call, {**arguments, "text_format": text_format})
            answer = httpx.get(f"{address}/{call}/{joined.json()['event_id']}", timeout=180).text
            assert "secret" not in answer


def test_a_hundred_visitors_at_once_each_get_their_own(address: str) -> None:
    async def visit(client: Any, number: int) -> str:
        word = f"word{number}x"
        values = {"reference": f"{word} b", "prediction": f"{word}b"}
        answer = await client.post(f"{address}/answer/score", json=values)
        return answer.json()["html"] if answer.status_code == 200 else ""

    async def visit_all() -> list[str]:
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(timeout=300, limits=limits) as client:
            return await asyncio.gather(*(visit(client, number) for number in range(100)))

    for number, html in enumerate(asyncio.run(visit_all())):
        assert f"word{number}x" in html
        assert sum(f"word{other}x" in html for other in range(100)) == 1


def test_endpoints_keep_nothing_of_another_call(address: str) -> None:
    for text in ("secret words", "other words"):
        joined = post(
            address, "gradio_api/call/v2/score", {"references": text, "predictions": text, "form": "txt"}
        ).json()
        found = httpx.get(f"{address}/gradio_api/call/v2/score/{joined['event_id']}", timeout=180).text
        assert text.split()[0] in found
    assert "secret" not in found
    assert "secret" not in httpx.get(f"{address}/config", timeout=180).text


@contextmanager
def uploading(address: str, path: str, size: int, count: int = 1, sent: bytes = b"") -> Iterator[list[socket.socket]]:
    """Connections that begin to upload so many bytes, and send some of them or less, if nobody reads them."""
    place = urlsplit(address)
    head = f"POST /{path} HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    with ExitStack() as stack:
        connections = []
        for _ in range(count):
            connections.append(stack.enter_context(socket.create_connection((place.hostname, place.port))))
            connections[-1].sendall(head.encode())
            connections[-1].setblocking(False)
        left = dict.fromkeys(connections, memoryview(sent))  # whose rest is no copy
        # A server that is busy reads later; one that reads nothing for so long never will.
        while unsent := [each for each in connections if left[each]]:
            answered, writable, _ = select.select(unsent, unsent, [], 10)
            if not answered and not writable:
                break
            for each in answered:  # the server need not read the rest
                left[each] = memoryview(b"")
            for each in writable:
                try:
                    left[each] = left[each][each.send(left[each][: 1 << 16]) :]
                except OSError:  # the server has closed it
                    left[each] = memoryview(b"")
        yield connections


def statuses(connections: list[socket.socket], patience: float, expected: int | None = None) -> Counter[str]:
    """The statuses that come in so many seconds; where so many are expected, in three seconds after the last of these."""
    found: Counter[str] = Counter()
    waiting, end = list(connections), time.monotonic() + patience
    while waiting and time.monotonic() < end:
        for each in select.select(waiting, [], [], 0.1)[0]:
            found[each.recv(12).decode()[-3:]] += 1
            waiting.remove(each)
            if found.total() == expected:
                end = time.monotonic() + 3
    return found


def ends(connections: list[socket.socket], patience: float) -> int:
    """Return how many connections the server closes in so many seconds."""
    waiting, end = list(connections), time.monotonic() + patience
    while waiting and time.monotonic() < end:
        for each in select.select(waiting, [], [], 0.1)[0]:
            try:
                is_open = bool(each.recv(1 << 16))
            except ConnectionResetError:
                is_open = False
            if not is_open:
                waiting.remove(each)
    return len(connections) - len(waiting)


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [("answer/score", 25_000_001, "413"), ("no/such/address", 24_000_000, "404"), ("gradio_api/upload", 1_000, "404")],
)
def test_a_request_is_refused_before_it_is_read(address: str, path: str, size: int, status: str) -> None:
    with uploading(address, path, size) as connections:
        assert statuses(connections, 20) == {status: 1}


@pytest.mark.parametrize("path", ["answer/score", "gradio_api/call/score"])
def test_large_requests_leave_room_for_small_ones(address: str, path: str) -> None:
    with uploading(address, path, 24_000_000, 6, b"x" * 23_000_000) as connections:
        assert statuses(connections, 20, expected=4) == {"503": 4}
        assert scored(address, PAIR)["problem"] == ""
    # They are not there any more.
    assert scored(address, PAIR | {"reference.file": "x" * 9_000_000})["problem"] == ""


@pytest.mark.parametrize("size", [900_000, 24_000_000])
def test_requests_that_do_not_arrive_take_no_room(address: str, size: int) -> None:
    with uploading(address, "answer/score", size, 250, b"{") as connections:
        assert scored(address, PAIR | {"reference.file": "x" * 9_000_000})["problem"] == ""
        assert statuses(connections, 1) == {}


class Watch:
    """The most memory of a process, and how long a small request waits, while something else is done."""

    def __init__(self, address: str) -> None:
        port = str(urlsplit(address).port)
        started = psutil.Process().children()
        self.server = next(each for each in started if each.environ().get("GRADIO_SERVER_PORT") == port)
        self.address = address

    def __enter__(self) -> Watch:
        self.before = self.most = self.server.memory_info().rss
        self.waited: list[float] = []
        self.has_ended = threading.Event()
        self.threads = [threading.Thread(target=each) for each in (self.watch_memory, self.visit)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.has_ended.set()
        for thread in self.threads:
            thread.join()

    def watch_memory(self) -> None:
        while not self.has_ended.wait(0.02):
            self.most = max(self.most, self.server.memory_info().rss)

    def visit(self) -> None:
        while not self.has_ended.wait(0.1):
            start = time.monotonic()
            assert scored(self.address, PAIR)["problem"] == ""
            self.waited.append(time.monotonic() - start)


def upload_all(address: str, path: str, content: bytes, count: int) -> Counter[int]:
    """The statuses of so many requests at once."""

    async def upload() -> list[int]:
        limits = httpx.Limits(max_connections=count)
        async with httpx.AsyncClient(
            timeout=300, limits=limits, headers={"Content-Type": "application/json"}
        ) as client:
            posts = (client.post(f"{address}/{path}", content=content) for _ in range(count))
            return [answer.status_code for answer in await asyncio.gather(*posts)]

    return Counter(asyncio.run(upload()))


@pytest.mark.slow
def test_many_large_requests_and_half_open_ones_take_little_memory_and_no_visitor_waits(tmp_path: Path) -> None:
    """Without a budget, the first take 1.8 GB, and a visitor waits; the others take 1.2 GB, and never end."""
    # Requests are as large as they may be; the texts are a part of them, so that their scores take little time.
    text = "the dog is on the boat\n" * 50_000
    sides = {"reference": text, "prediction": text.replace(" is", "is"), "x": "y" * 20_000_000}
    calls = {"references": text, "predictions": text, "scores": "token", "ignored_tokens": "y" * 20_000_000}
    with serving(tmp_path, ROOT / "app.py") as (address, log):
        for path, values in [("answer/score", sides), ("gradio_api/call/v2/score", calls)]:
            with Watch(address) as watch:
                assert upload_all(address, path, json.dumps(values).encode(), 10).keys() <= {200, 503}
            assert watch.most < 850_000_000
            assert max(watch.waited) < 5
        with Watch(address) as watch, ExitStack() as stack:
            connections = []
            for path in ("answer/score", "no/such/address", "gradio_api/call/score"):
                connections += stack.enter_context(uploading(address, path, 24_000_000, 14, b"x" * 23_000_000))
            assert ends(connections, 60) == 42
        assert watch.most - watch.before < 200_000_000
        # One after the other: a request that is refused for lack of room frees what has arrived of it.
        with Watch(address) as watch, ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(uploading(address, "answer/score", 24_000_000, 1, b"x" * 20_000_000))
        assert watch.most - watch.before < 200_000_000
        assert max(watch.waited) < 5
        assert "Traceback" not in log.read_text()
