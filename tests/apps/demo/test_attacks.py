"""Forged, large and many requests: each gets a line that says why, the server lives on, and nobody sees another's text."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from typing import Any

import pytest

from ...optional import httpx

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
        ("answer/score", DEEP, 400, "JSON object of texts"),
        ("answer/score", {"reference": 5}, 400, "JSON object of texts"),
        ("answer/score", {str(number): "" for number in range(500)}, 400, "JSON object of texts"),
        ("answer/nothing", {}, 400, "There is no tab 'nothing'"),
        ("answer/..%2fscore", {}, 404, "Not Found"),
        ("answer/score", b"x" * 25_000_001, 413, "longer than the 25,000,000 bytes"),
        ("export/score/exe", PAIR, 400, "exe: expected one of csv"),
        ("export/score/csv", {}, 400, "nothing to export"),
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
        ("gradio_api/upload", {}, 404, "no such address"),
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
    ],
)
def test_no_file_of_the_server_is_served(address: str, path: str) -> None:
    answer = httpx.get(f"{address}/{path}", timeout=180)
    assert answer.status_code in {403, 404}
    assert "root:" not in answer.text
    assert "import" not in answer.text


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"reference": "\ud800"}, "half a surrogate pair"),
        ({"reference.bytes": "é"}, "damaged"),
        ({"reference.bytes": "H4sIAAAAAAAA", "reference.file": "a.gz"}, "damaged"),
        ({"reference.bytes": BOMB, "reference.file": "a.gz"}, "10,000,000 bytes"),
        ({"reference": '{"reference": ' + "[" * 100_000}, "the units differ"),
        ({"reference": '{"reference": 5}'}, "units differ|columns|expected"),
        ({"confidence": "nan"}, "between 0 and 1"),
        ({"window_size": "9" * 5000}, "whole number"),
        ({"scores": "token," * 5000}, "scores"),
        ({"word_boundary": "a b"}, "without whitespace"),
        ({"confidence": "0.9", "reference": "a b\n" * 200_000, "prediction": "a b\n" * 200_000}, "too many for intervals here"),
    ],
)  # fmt: skip
def test_a_bad_value_is_an_answer(address: str, values: dict[str, str], problem: str) -> None:
    found = scored(address, PAIR | values)
    assert found["html"] is None
    assert any(each in found["problem"] for each in problem.split("|")), found["problem"][:500]


@pytest.mark.parametrize("tab", ["score", "compare", "threshold"])
@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>"])
def test_texts_and_names_are_never_markup(address: str, tab: str, text: str) -> None:
    values = dict.fromkeys(("reference", "prediction", "prediction_a", "prediction_b", "by", "baseline"), text)
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


def test_a_name_of_a_file_names_nothing_on_the_server(address: str) -> None:
    found = scored(address, PAIR | {"reference.file": "../../../etc/passwd"})
    assert "1 of 4" not in found["problem"]
    assert "root:" not in found["html"]
    assert "score passwd prediction.txt" in found["html"]


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
        joined = post(address, "gradio_api/call/v2/differences", {"references": text, "predictions": text}).json()
        found = httpx.get(f"{address}/gradio_api/call/v2/differences/{joined['event_id']}", timeout=180).text
        assert text.split()[0] in found
    assert "secret" not in found
    assert "secret" not in httpx.get(f"{address}/config", timeout=180).text
