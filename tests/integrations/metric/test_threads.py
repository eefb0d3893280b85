"""Threads that share one metric: no added example is lost or counted twice."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import segscores

THREADS, ROUNDS = 16, 40


def in_threads(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """Return what `work` gives in each of some threads that start together."""
    ready = threading.Barrier(count)

    def start(number: int) -> Any:
        ready.wait(timeout=300)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(start, range(count)))


def test_every_utterance_that_is_added_during_compute_is_scored_once(tmp_path, monkeypatch):
    scored: list[int] = []
    # What is scored is counted instead.
    monkeypatch.setattr(
        "segscores.integrations.metric.metrics.score_columns", lambda references, *_: scored.append(len(references))
    )
    metric = segscores.load(cache_dir=str(tmp_path), text_format="words")

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            if number % 4:
                metric.add_batch(references=["a", "b"], predictions=["a", "b"])
            else:
                with suppress(ValueError):  # there may be nothing to score
                    metric.compute()

    in_threads(work)
    with suppress(ValueError):
        metric.compute()
    assert sum(scored) == 2 * ROUNDS * THREADS * 3 // 4


def test_one_of_several_computing_threads_scores_and_the_others_find_no_batch(tmp_path):
    metric = segscores.load(cache_dir=str(tmp_path), text_format="words")
    metric.add_batch(references=["a b"] * 200_000, predictions=["ab"] * 200_000)

    def work(_: int) -> str:
        try:
            metric.compute()
        except ValueError as error:
            return str(error)
        return "scored"

    found = sorted(in_threads(work))
    nothing = "there is nothing to score: pass predictions and references, or add some before."
    assert found == ["scored"] + [nothing] * (THREADS - 1)
