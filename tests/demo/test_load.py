"""The demo under load: every answer right or a clear "busy", memory and disk back to where they were."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import ssl
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote
from uuid import uuid4

import psutil
import pytest

from ..naive import naive_counts, naive_scores, random_corpus_pair, words_text
from ..optional import httpx, optional
from .conftest import App

# What is measured, interrupted or timed runs in one worker, one after the other.
pytestmark = pytest.mark.xdist_group("serial")

make_room = optional("segscores.demo.guard").make_room
CLIENTS = 50
#: Plain HTTP does not use it, but making one for each of many clients takes seconds.
CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
GROUPS = ["boundary_all", "boundary_noedge", "token", "type", "tnr"]
#: A connection for each request: the server may close an idle connection just when a request is sent on it.
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=0)
#: Equal to the last bit except for the order of a division.
TOLERANCE = 1e-12


class BusyError(Exception):
    """The demo reported that it is busy."""


@dataclass(frozen=True)
class Case:
    """A reference and a prediction, with their scores by the naive scorer."""

    reference: str
    prediction: str
    scores: dict[str, float]
    counts: dict[str, int]

    def problem(self, scores: dict[str, float], counts: dict[str, int]) -> str:
        """The problem with an answer; empty if the answer is correct."""
        if scores.keys() != self.scores.keys():
            return f"scores {sorted(scores)}"
        for key, expected in self.scores.items():
            if abs(scores[key] - expected) > TOLERANCE:
                return f"{key} is {scores[key]}, expected {expected}"
        for column, count in counts.items():
            if count != self.counts[column]:
                return f"{column} is {count}, expected {self.counts[column]}"
        return ""


@dataclass
class Load:
    """The numbers of answers that were right and of requests refused as busy; the problems of the other answers."""

    right: int = 0
    busy: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def make_cases(number: int, seed: int) -> list[Case]:
    """Random texts of 5 to 60 lines, with their scores."""
    source = random.Random(seed)
    cases = []
    for _ in range(number):
        references, predictions = random_corpus_pair(source.randrange(5, 60), source.randrange(1 << 30), "abcé狗叫ー𠮷")
        texts = ["\n".join(words_text(corpus)) + "\n" for corpus in (references, predictions)]
        if texts[0].strip():
            cases.append(Case(*texts, naive_scores(references, predictions), naive_counts(references, predictions)))
    return cases


def score_event(address: str) -> int:
    """The number of the event that the button of the tab Score triggers."""
    config = httpx.get(f"{address}/config", timeout=30).json()
    button = next(each["id"] for each in config["components"] if each["props"].get("elem_id") == "go-score")
    return next(each["id"] for each in config["dependencies"] if [button, "click"] in each["targets"])


async def call_endpoint(client: httpx.AsyncClient, case: Case) -> str:
    """Call the endpoint score for a case; return the problem with the answer."""
    data = [case.reference, case.prediction, "words", GROUPS, "", "", None]
    joined = _checked(await client.post("/gradio_api/call/score", json={"data": data}))
    event = ""
    async with client.stream("GET", f"/gradio_api/call/score/{joined.json()['event_id']}") as lines:
        async for line in lines.aiter_lines():
            if line.startswith("event:"):
                event = line.removeprefix("event:").strip()
            elif line.startswith("data:") and event == "complete":
                answer = json.loads(line.removeprefix("data:"))[0]
                return case.problem(answer["scores"], answer["counts"])
            elif line.startswith("data:") and event == "error":
                raise httpx.HTTPError(line)
    raise httpx.HTTPError("the answer ended before it was complete")


async def use_page(client: httpx.AsyncClient, case: Case, event: int, *, as_file: bool) -> str:
    """Score a case as the page does, with a typed or uploaded reference; return the problem with the download."""
    session, file = uuid4().hex, None
    if as_file:
        sent = {"files": (f"{session}.txt", case.reference.encode(), "text/plain")}
        uploaded = _checked(await client.post("/gradio_api/upload", files=sent))
        file = {"path": uploaded.json()[0], "meta": {"_type": "gradio.FileData"}}
    boxes = ["" if file else case.reference, file, None, case.prediction, None, None]
    data = [*boxes, "words", "", "", GROUPS, False, "as in the text", False, "", ""]
    call = {"data": data, "fn_index": event, "session_hash": session}
    _checked(await client.post("/gradio_api/queue/join", json=call))
    async with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
        async for line in lines.aiter_lines():
            message = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
            if message.get("msg") != "process_completed":
                continue
            if not message["success"]:
                raise httpx.HTTPError(str(message["output"]))
            found = re.search(r'href="data:application/json;charset=utf-8,([^"]*)"', message["output"]["data"][-1])
            if found is None:
                return f"no scores, but {message['output']['data'][:3]}"
            record = json.loads(unquote(found[1]))
            return case.problem(record["scores"], record["counts"])
    raise httpx.HTTPError("the answer ended before it was complete")


def _checked(response: httpx.Response) -> httpx.Response:
    if response.status_code == 503 and "full" in response.text:
        raise BusyError
    return response.raise_for_status()


async def run_load(address: str, seconds: float, clients: int, seed: int = 1) -> Load:
    """Let clients call the demo for some seconds, each with one request after another."""
    cases, event, load = make_cases(100, seed), score_event(address), Load()
    start = time.monotonic()

    async def visit(number: int) -> None:
        source = random.Random(f"{seed} {number}")
        async with httpx.AsyncClient(base_url=address, timeout=120, limits=LIMITS, verify=CONTEXT) as client:
            while True:
                case, kind = source.choice(cases), source.random()
                if kind < 0.7:
                    await _count(load, call_endpoint(client, case))
                else:
                    await _count(load, use_page(client, case, event, as_file=kind > 0.9))
                if time.monotonic() - start > seconds:
                    break

    await asyncio.gather(*(visit(number) for number in range(clients)))
    return load


async def run_burst(address: str, requests: int, seed: int = 2) -> Load:
    """Send many requests at the same moment."""
    cases, load = make_cases(20, seed), Load()
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=LIMITS, verify=CONTEXT) as client:
        calls = (_count(load, call_endpoint(client, cases[number % len(cases)])) for number in range(requests))
        await asyncio.gather(*calls)
    return load


async def _count(load: Load, request: Awaitable[str]) -> None:
    """Await a request, and record its result."""
    try:
        problem = await request
    except BusyError:
        load.busy += 1
        await asyncio.sleep(0.2)
    except (httpx.HTTPError, json.JSONDecodeError) as error:
        load.lost.append(f"{type(error).__name__}: {error}")
    else:
        load.wrong += [problem] * bool(problem)
        load.right += not problem


def memory_of(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    return int(psutil.Process(pid).memory_info().rss)


def test_every_answer_under_load_is_right_and_memory_comes_back(app: App) -> None:
    asyncio.run(run_load(app.address, 4, CLIENTS, seed=3))
    warm = memory_of(app.pid)
    load = asyncio.run(run_load(app.address, 5, CLIENTS))
    assert load.wrong == []
    assert load.lost == []
    assert load.busy == 0, "50 clients with a request each fit into the queue"
    assert load.right >= CLIENTS
    # What the allocator keeps for later comes on top.
    assert memory_of(app.pid) < warm * 1.15 + 30e6


def test_what_does_not_fit_into_the_queue_is_told_that_the_demo_is_busy(app: App) -> None:
    load = asyncio.run(run_burst(app.address, 250))
    assert load.wrong == []
    assert load.lost == []
    assert load.busy > 0
    assert load.right >= 100
    assert httpx.get(app.address, timeout=300).status_code == 200


def test_a_wrong_answer_would_be_seen() -> None:
    """The comparison itself: with what is right, and with what is not."""
    case = make_cases(1, seed=5)[0]
    assert case.problem(case.scores, case.counts) == ""
    assert "token_recall is" in case.problem({**case.scores, "token_recall": 0.123}, case.counts)
    assert "units is" in case.problem(case.scores, {**case.counts, "units": -1})
    assert "scores" in case.problem({"token_recall": 1.0}, case.counts)


def make_file(path: Path, size: int, age: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"a" * size)
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_uploads_are_deleted_after_an_hour(tmp_path: Path) -> None:
    old, new = make_file(tmp_path / "a" / "old.txt", 10, 4000), make_file(tmp_path / "b" / "new.txt", 10, 100)
    make_room(tmp_path)
    assert not old.exists()
    assert new.exists()
    os.utime(tmp_path / "a", (time.time() - 4000,) * 2)
    make_room(tmp_path)
    assert not (tmp_path / "a").exists()


def test_uploads_take_no_more_than_their_share_of_the_disk(tmp_path: Path) -> None:
    files = [make_file(tmp_path / str(age) / "f.txt", 10_000, age) for age in (50, 40, 30, 20, 10)]
    make_room(tmp_path, most=25_000)
    assert [file.exists() for file in files] == [False, False, False, True, True]


def test_empty_files_count_too(tmp_path: Path) -> None:
    files = [make_file(tmp_path / f"tmp{age}", 0, age) for age in (30, 20, 10)]
    make_room(tmp_path, most=2 * 4096)
    assert [file.exists() for file in files] == [False, True, True]
