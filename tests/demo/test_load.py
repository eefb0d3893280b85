"""The demo under load: every answer right or a clear "busy", memory and disk back to where they were.

A short form of `benchmarks/demo_load.py`.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from pathlib import Path
from types import ModuleType

import pytest

from ..optional import httpx, optional
from .conftest import ROOT, App

# What is measured, interrupted or timed runs in one worker, one after the other.
pytestmark = pytest.mark.xdist_group("serial")

make_room = optional("segscores.demo.guard").make_room
CLIENTS = 50


@pytest.fixture(scope="module")
def demo_load() -> ModuleType:
    """The benchmark, a program that stands in no package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        return importlib.import_module("demo_load")


def test_every_answer_under_load_is_right_and_memory_comes_back(app: App, demo_load: ModuleType) -> None:
    asyncio.run(demo_load.run_load(app.address, 4, CLIENTS, seed=3))
    warm = demo_load.memory_of(app.pid)
    load = asyncio.run(demo_load.run_load(app.address, 5, CLIENTS))
    assert load.wrong == []
    assert load.lost == []
    assert load.busy == 0, "50 clients with a request each fit into the queue"
    assert len(load.latencies) >= CLIENTS
    # What the allocator keeps for later comes on top.
    assert demo_load.memory_of(app.pid) < warm * 1.15 + 30e6


def test_what_does_not_fit_into_the_queue_is_told_that_the_demo_is_busy(app: App, demo_load: ModuleType) -> None:
    load = asyncio.run(demo_load.run_burst(app.address, 250))
    assert load.wrong == []
    assert load.lost == []
    assert load.busy > 0
    assert len(load.latencies) >= 100
    assert httpx.get(app.address, timeout=300).status_code == 200


def test_a_wrong_answer_would_be_seen(demo_load: ModuleType) -> None:
    """The comparison itself: with what is right, and with what is not."""
    case = demo_load.make_cases(1, seed=5)[0]
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
