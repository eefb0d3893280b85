"""The server of the demo: what it imports, and the folders that it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import ROOT

# What is measured, interrupted or timed runs in one worker, one after the other.
pytestmark = pytest.mark.xdist_group("serial")

KEEP = """
import sys, time
from segscores.demo.uploads import keep_uploads
with keep_uploads() as folder:
    (folder / "upload.txt").write_text("the dog")
    print(folder, flush=True)
    while True:
        time.sleep(0.1)
"""


def build_and_print(expression: str, folder: Path) -> list[str]:
    """The words of what an expression prints about the demo, in a process of its own."""
    program = f"import sys; from segscores.demo import build; demo = build(); print({expression})"
    environment = os.environ | {"GRADIO_TEMP_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_what_the_demo_has_no_use_for_is_not_imported(tmp_path: Path) -> None:
    unused = {"evaluate", "datasets", "scipy", "torch", "transformers"}
    assert build_and_print(f"*{unused} & set(sys.modules)", tmp_path) == []


def test_uploads_are_deleted_within_an_hour_as_the_page_says(tmp_path: Path) -> None:
    frequency, age = map(int, build_and_print("*demo.blocks.delete_cache", tmp_path))
    # A file that is just too young at one deletion waits for the next one.
    assert frequency + age <= 3600


def start_keeping(base: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that keeps uploads, and its folder."""
    environment = os.environ | {"GRADIO_TEMP_DIR": str(base), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", KEEP], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def end(process: subprocess.Popen[str], number: signal.Signals) -> None:
    process.send_signal(number)
    process.communicate(timeout=120)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_folder_of_a_server_goes_with_it(tmp_path: Path, number: signal.Signals) -> None:
    process, folder = start_keeping(tmp_path)
    assert (folder / "upload.txt").read_text() == "the dog"
    end(process, number)
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_server_goes_when_the_next_one_starts_and_no_other(tmp_path: Path) -> None:
    other = tmp_path / "segmentation-scores-of-a-visitor"
    other.mkdir()
    killed, left = start_keeping(tmp_path)
    running, kept = start_keeping(tmp_path)
    end(killed, signal.SIGKILL)
    assert left.exists()
    third, _ = start_keeping(tmp_path)
    try:
        deadline = time.monotonic() + 120
        while left.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not left.exists()
        assert (kept / "upload.txt").exists()
        assert other.exists()
    finally:
        end(running, signal.SIGTERM)
        end(third, signal.SIGTERM)
