"""The demo, started once for all tests, and pages of it in headless Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
#: A desktop and a phone.
WIDE, NARROW = (1280, 800), (390, 844)

OpenPage: TypeAlias = Callable[..., Page]

# Machines that test may be slow; what is fast enough is asked where it matters.
expect.set_options(timeout=20_000)


@dataclass(frozen=True)
class App:
    """The running demo.

    Attributes:
        address: where it answers.
        pid: of its process.
        seconds: from its start to its first answer.
        uploads: the folder in which it keeps what visitors upload.
        log: the file with all that it has written.
    """

    address: str
    pid: int
    seconds: float
    uploads: Path
    log: Path


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The demo, started with `python app.py` from another folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    elsewhere, uploads = tmp_path_factory.mktemp("elsewhere"), tmp_path_factory.mktemp("uploads")
    environment = os.environ | {
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_TEMP_DIR": str(uploads),
        "HF_HOME": str(tmp_path_factory.mktemp("huggingface")),
    }
    log = tmp_path_factory.mktemp("log") / "app.log"
    start = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, ROOT / "app.py"], cwd=elsewhere, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        while not _answers(address):
            assert process.poll() is None, f"the demo ended while it started:\n{log.read_text()}"
            assert time.monotonic() - start < 60, f"the demo does not answer:\n{log.read_text()}"
            time.sleep(0.05)
        yield App(address, process.pid, time.monotonic() - start, uploads, log)
    finally:
        process.terminate()
        process.wait(30)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=30) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def address(app: App) -> str:
    """Where the demo answers."""
    return app.address


# Not for the session: while it is open, playwright's event loop keeps other modules from running one of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without what it asks other hosts for by itself."""
    chromium = shutil.which("chromium")
    assert chromium, "the demo is tested in Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(address: str, browser: Browser) -> Iterator[OpenPage]:
    """Opens the demo as a new visitor: `open_page(size=NARROW, dark=True, hash="#…")`.

    The test fails if a page asks another host for anything, or if anything goes wrong in its scripts.
    """
    contexts: list[BrowserContext] = []
    outside: list[str] = []
    problems: list[str] = []

    def open_page(
        *,
        size: tuple[int, int] = WIDE,
        dark: bool = False,
        hash: str = "",  # noqa: A002
        clipboard: bool = True,
        ready: str = ".results table",
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"] if clipboard else [],
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: outside.append(request.url))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{address}/{hash}")
        # The first results come once the page is connected.
        expect(page.locator(ready).first).to_be_visible(timeout=30_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [url for url in outside if not url.startswith((f"{address}/", "data:", "blob:"))] == []
    assert problems == []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """The demo on a desktop."""
    return open_page()
