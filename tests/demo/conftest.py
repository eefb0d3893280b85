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
from functools import cache
from pathlib import Path
from typing import TypeAlias
from urllib.request import urlopen

import pytest

from ..optional import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
#: A desktop and a phone.
WIDE, NARROW = (1280, 800), (390, 844)

OpenPage: TypeAlias = Callable[..., Page]
ContextOf: TypeAlias = Callable[[bool, bool], BrowserContext]

#: Milliseconds until a test gives up: a machine that runs many tests at once may be slow.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


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
            assert time.monotonic() - start < 300, f"the demo does not answer:\n{log.read_text()}"
            time.sleep(0.05)
        yield App(address, process.pid, time.monotonic() - start, uploads, log)
    finally:
        process.terminate()
        process.wait(120)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=300) as answer:
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


@pytest.fixture(scope="module")
def context_of(browser: Browser) -> ContextOf:
    """A browser's profile, dark or not, with leave to use the clipboard or without it.

    Tests of a module share them, for a new one fetches and compiles the page's scripts again, which takes longer than most tests.
    A page keeps nothing in the browser beyond its tab, as `open_page` checks.
    """

    @cache
    def make(dark: bool, clipboard: bool) -> BrowserContext:
        context = browser.new_context(
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"] if clipboard else [],
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        return context

    return make


@pytest.fixture
def open_page(address: str, context_of: ContextOf) -> Iterator[OpenPage]:
    """Opens the demo as a visitor: `open_page(size=NARROW, dark=True, hash="#…")`.

    The test fails if a page asks another host for anything, keeps anything in the browser beyond its tab, or if anything goes
    wrong in its scripts.
    """
    pages: list[Page] = []
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
        page = context_of(dark, clipboard).new_page()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        pages.append(page)
        page.on("request", lambda request: outside.append(request.url))
        note_errors(page, problems)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{address}/{hash}")
        # The first results come once the page is connected.
        expect(page.locator(ready).first).to_be_visible()
        return page

    yield open_page
    stored = [
        page.evaluate("[...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie]")
        for page in pages
    ]
    lasting = [page.evaluate("Object.keys(localStorage).length") for page in pages]
    for page in pages:
        page.close()
    # What was typed, for a reload; it goes with the tab.
    assert all(set(kept) <= {"segscores", ""} for kept in stored), stored
    assert all(not page_kept for page_kept in lasting), lasting
    assert [url for url in outside if not url.startswith((f"{address}/", "data:", "blob:"))] == []
    assert problems == []


def note_errors(page: Page, problems: list[str]) -> None:
    """Add to the problems what a page reports as errors, but that of gradio's which is none.

    It aborts what a page was still waiting for when that is left, and reports just this.
    """
    left, entered = "the page is left", "the page is entered"
    is_left = False

    def hear(message: ConsoleMessage) -> None:
        nonlocal is_left
        is_left = {left: True, entered: False}.get(message.text, is_left)
        if message.type == "error" and not (is_left and message.text.startswith("AbortError: signal is aborted")):
            problems.append(message.text)

    page.on("console", hear)
    page.add_init_script(
        f"console.debug({entered!r}); addEventListener('beforeunload', () => console.debug({left!r}));"
    )


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """The demo on a desktop."""
    return open_page()
