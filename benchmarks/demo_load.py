"""The demo under load: many simultaneous clients, with every answer compared with the naive scorer's.

    python benchmarks/demo_load.py [--seconds 60] [--clients 50]

The program starts the demo, warms it up, and lets clients call it for the given time. It prints the numbers of correct
answers, of requests that were refused as busy, and of wrong and lost answers, the latencies, and the server's memory before
and after. The exit status is 1 if any answer was wrong or lost. psutil measures the memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import httpx
import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from naive import naive_counts, naive_scores, random_corpus_pair, words_text  # noqa: E402

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
    """The results of a load test.

    Attributes:
        latencies: the seconds of each correctly answered request.
        busy: the number of requests that were refused as busy.
        wrong, lost: the problems of wrong answers; the errors in place of lost answers.
        seconds: the duration.
    """

    latencies: list[float] = field(default_factory=list)
    busy: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def requests(self) -> int:
        """The number of requests."""
        return len(self.latencies) + self.busy + len(self.wrong) + len(self.lost)

    def __str__(self) -> str:
        ordered = sorted(self.latencies) or [float("nan")]
        median, high = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95))
        return (
            f"{self.requests} requests in {self.seconds:.1f} s ({self.requests / self.seconds:.1f} a second): "
            f"{len(self.latencies)} right, {self.busy} busy, {len(self.wrong)} wrong, {len(self.lost)} lost; "
            f"latency {median:.2f} s in the median, {high:.2f} s at 95 %"
        )


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
    load.seconds = time.monotonic() - start
    return load


async def run_burst(address: str, requests: int, seed: int = 2) -> Load:
    """Send many requests at the same moment."""
    cases, load = make_cases(20, seed), Load()
    start = time.monotonic()
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=LIMITS, verify=CONTEXT) as client:
        calls = (_count(load, call_endpoint(client, cases[number % len(cases)])) for number in range(requests))
        await asyncio.gather(*calls)
    load.seconds = time.monotonic() - start
    return load


async def _count(load: Load, request: Awaitable[str]) -> None:
    """Await a request, and record its result."""
    start = time.monotonic()
    try:
        problem = await request
    except BusyError:
        load.busy += 1
        await asyncio.sleep(0.2)
    except (httpx.HTTPError, json.JSONDecodeError) as error:
        load.lost.append(f"{type(error).__name__}: {error}")
    else:
        if problem:
            load.wrong.append(problem)
        else:
            load.latencies.append(time.monotonic() - start)


def memory_of(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    return int(psutil.Process(pid).memory_info().rss)


def bytes_in(folder: Path) -> int:
    """The size of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@contextmanager
def started_demo() -> Iterator[tuple[str, int, Path]]:
    """The demo in a separate process: its address, the id of the process and the folder of uploads."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as uploads:
        environment = os.environ | {
            "GRADIO_SERVER_NAME": "127.0.0.1",
            "GRADIO_SERVER_PORT": str(port),
            "GRADIO_TEMP_DIR": uploads,
            "GRADIO_ANALYTICS_ENABLED": "False",
            "HF_HUB_OFFLINE": "1",
        }
        process = subprocess.Popen([sys.executable, ROOT / "app.py"], env=environment, stdout=subprocess.DEVNULL)
        try:
            _wait(lambda: _answers(address), 60)
            yield address, process.pid, Path(uploads)
        finally:
            process.terminate()
            process.wait(30)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=30).status_code == 200
    except httpx.HTTPError:
        return False


def _wait(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing came in {seconds} s")
        time.sleep(0.1)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=50)
    arguments = parser.parse_args()
    figures: dict[str, Any] = {}
    with started_demo() as (address, pid, uploads):
        figures["started"] = memory_of(pid)
        asyncio.run(run_load(address, min(10.0, arguments.seconds), arguments.clients, seed=3))
        time.sleep(3)
        figures["warmed up"] = memory_of(pid)
        load = asyncio.run(run_load(address, arguments.seconds, arguments.clients))
        figures["under load"] = memory_of(pid)
        time.sleep(10)
        figures["after a pause"] = memory_of(pid)
        print(load)
        print("memory:", ", ".join(f"{size / 1e6:.0f} MB {when}" for when, size in figures.items()))
        print(f"uploads: {bytes_in(uploads) / 1e6:.1f} MB")
        print("burst of 300:", asyncio.run(run_burst(address, 300)))
    for problem in (load.wrong + load.lost)[:5]:
        print(problem)
    return 1 if load.wrong or load.lost else 0


if __name__ == "__main__":
    sys.exit(main())
