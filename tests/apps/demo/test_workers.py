"""Workers: an answer that takes too long, or whose process ends, is an error, and others get theirs."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psutil
import pytest

from segscores.apps.demo.answers import answer
from segscores.apps.demo.workers import AnswerError, Workers

from .answers import SCORE

#: A computation of minutes.
SLOW = {"reference": "ab " * 300_000, "prediction": "abab " * 150_000, "scores": "morpheme"}


def working(function: Callable[[Workers], Any], **limits: float) -> Any:
    """The result of a function of workers with limits."""
    return asyncio.run(function(Workers(**limits)))


def computing() -> list[psutil.Process]:
    """The processes of all workers, of which the server of forks is the parent."""
    return [each for each in psutil.Process().children(recursive=True) if is_computing(each)]


def is_computing(process: psutil.Process) -> bool:
    """Return whether a process is a worker's; one that has ended since it was found is none."""
    try:
        return process.ppid() != os.getpid() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def scores(workers: Workers) -> Any:
    return await workers.compute("answer", "score", SCORE)


def test_a_worker_answers_what_the_function_does() -> None:
    async def ask(workers: Workers) -> Any:
        assert (await workers.compute("export", "score", "csv", SCORE)).startswith("score,prediction.txt")
        with pytest.raises(AnswerError, match="exe: expected one of csv") as refused:
            await workers.compute("export", "score", "exe", SCORE)
        assert refused.value.status == 400
        return await scores(workers)

    assert working(ask) == answer("score", SCORE)


@pytest.mark.parametrize("stop", ["a computation", "a process that stands still"])
def test_an_answer_has_a_limit_of_time(stop: str) -> None:
    async def ask(workers: Workers) -> None:
        await asyncio.gather(*(scores(workers) for _ in range(4)))
        values = SLOW
        if stop == "a process that stands still":
            values = SCORE
            for process in computing():
                process.suspend()
        begun = time.monotonic()
        with pytest.raises(AnswerError, match=r"longer than the page allows \(1 seconds.*use the command") as refused:
            await workers.compute("answer", "score", values)
        assert refused.value.status == 503
        assert time.monotonic() - begun < 20
        for process in computing():
            with suppress(psutil.NoSuchProcess):  # one that took too long is ended
                process.resume()
        assert await scores(workers) == answer("score", SCORE)

    working(ask, seconds=1)


def test_answers_give_way_to_others_that_wait() -> None:
    async def ask(workers: Workers) -> list[Any]:
        slow = [asyncio.create_task(workers.compute("answer", "score", SLOW)) for _ in range(4)]
        await asyncio.sleep(0.5)
        assert await scores(workers) == answer("score", SCORE)
        for process in computing():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        return await asyncio.gather(*slow, return_exceptions=True)

    told = [str(error) for error in working(ask, seconds=200, seconds_of_many=1)]
    # One gives way at once, and another one if the visitor's answer takes longer than the second that it has.
    assert 1 <= sum("and 1 while others wait" in each for each in told) < 4


def test_the_end_of_a_process_is_an_error_of_one_answer() -> None:
    async def ask(workers: Workers) -> None:
        await scores(workers)
        slow = asyncio.create_task(workers.compute("answer", "score", SLOW))
        await asyncio.sleep(1)
        max(computing(), key=lambda process: process.cpu_times().user).kill()
        with pytest.raises(AnswerError, match="error of a library: use the command") as refused:
            await slow
        assert refused.value.status == 500
        assert await scores(workers) == answer("score", SCORE)

    working(ask)
