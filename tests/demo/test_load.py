"""The demo under load: every answer right or a clear "busy", memory and disk back to where they were."""

from __future__ import annotations

import asyncio
import json
import os
import random
import ssl
import time
from collections import Counter
from pathlib import Path

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
#: A connection for each request: the server may close an idle connection just when a request is sent on it.
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=0)


async def score(client: httpx.AsyncClient, source: random.Random) -> str:
    """Call the endpoint score for a random text; return "right", "busy", or what came instead."""
    corpora = random_corpus_pair(source.randrange(5, 60), source.randrange(1 << 30), "abcé狗叫ー𠮷")
    texts = ["\n".join(words_text(corpus)) + "\n" for corpus in corpora]
    data = [*texts, "words", ["boundary_all", "boundary_noedge", "token", "type", "tnr"], "", "", None]
    joined = await client.post("/gradio_api/call/score", json={"data": data})
    if joined.status_code == 503 and "full" in joined.text:
        return "busy"
    event = ""
    async with client.stream("GET", f"/gradio_api/call/score/{joined.raise_for_status().json()['event_id']}") as lines:
        async for line in lines.aiter_lines():
            name, _, text = line.partition(":")
            event = text.strip() if name == "event" else event
            if name == "data" and event == "complete":
                answer = json.loads(text)[0]
                expected = naive_counts(*corpora)
                # Equal to the last bit except for the order of a division.
                is_right = answer["scores"] == pytest.approx(naive_scores(*corpora), rel=0, abs=1e-12)
                is_right &= all(expected[column] == count for column, count in answer["counts"].items())
                return "right" if is_right else f"wrong: {texts}, {answer}"
            if name == "data" and event == "error":
                return line
    return "the answer ended before it was complete"


async def visit(address: str, requests: int, clients: int, seed: int) -> Counter[str]:
    """Let clients call the demo, each with one request after another; return how often they got which answer."""

    async def calls(number: int) -> list[str]:
        source = random.Random(f"{seed} {number}")
        async with httpx.AsyncClient(base_url=address, timeout=120, limits=LIMITS, verify=CONTEXT) as client:
            return [await score(client, source) for _ in range(requests)]

    return Counter(answer for answers in await asyncio.gather(*map(calls, range(clients))) for answer in answers)


def memory_of(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    return int(psutil.Process(pid).memory_info().rss)


def test_every_answer_under_load_is_right_and_memory_comes_back(app: App) -> None:
    asyncio.run(visit(app.address, 1, CLIENTS, seed=3))
    warm = memory_of(app.pid)
    # 50 clients with a request each fit into the queue.
    assert asyncio.run(visit(app.address, 2, CLIENTS, seed=1)) == {"right": 2 * CLIENTS}
    # What the allocator keeps for later comes on top.
    assert memory_of(app.pid) < warm * 1.15 + 30e6


def test_what_does_not_fit_into_the_queue_is_told_that_the_demo_is_busy(app: App) -> None:
    answers = asyncio.run(visit(app.address, 1, 250, seed=2))
    assert answers.keys() == {"right", "busy"}
    assert answers["right"] >= 100
    assert httpx.get(app.address, timeout=300).status_code == 200


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
