"""The demo, started once for all tests, and pages of it in headless Chromium."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from urllib.request import urlopen

import pytest

from segscores.apps.demo.answers import tab_named

from ...conftest import CHROMIUM
from ...optional import Browser, Page, expect, sync_playwright
from ..command.running import run_command

ROOT = Path(__file__).resolve().parents[3]
#: A desktop and a phone.
WIDE, NARROW = (1280, 800), (390, 844)
OpenPage: TypeAlias = Callable[..., Page]
RunCopied: TypeAlias = Callable[..., Any]

#: Milliseconds until a test gives up: a machine that runs many tests at once may be slow.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


@pytest.fixture
def run_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunCopied:
    """Runs a command that a tab shows, in a folder with the files that it names: `run_copied(tab, values, command)`."""

    def run(tab: str, values: dict[str, str], command: str, *more: str) -> Any:
        monkeypatch.chdir(tmp_path)
        for held in tab_named(tab).read(values).held.values():
            Path(held.name).write_bytes(held.contents)
        run_command(*shlex.split(command)[1:], *more, "--format", "json")
        return json.loads(capsys.readouterr().out)

    return run


@contextmanager
def serving(folder: Path, *command: str | Path, **settings: str) -> Iterator[tuple[str, Path]]:
    """Starts the demo in a folder: its address, and its log."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address, log = f"http://127.0.0.1:{port}", folder / "log"
    environment = os.environ | {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)} | settings
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, *command], cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        for _ in range(1500):
            try:
                urlopen(address).close()
                break
            except OSError:
                assert server.poll() is None, f"the demo ended while it started:\n{log.read_text()}"
                time.sleep(0.2)
        yield address, log
        assert server.poll() is None, log.read_text()
    finally:
        server.terminate()
        server.wait(120)


@pytest.fixture(scope="session")
def served_from(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the demo runs. It has files of every kind that the demo could read, which all say "secret"."""
    folder = tmp_path_factory.mktemp("server")
    for place in ("", "folder/", "reference.txt/"):
        (folder / place).mkdir(exist_ok=True)
        for name, text in {
            "a.lab": "0 1 secret",
            "a.txt": "0 1 secret",
            "tokenizer.json": '{"version": "secret"}',
        }.items():
            (folder / place / name).write_text(f"{text}\n")
    (folder / "link.txt").symlink_to(folder / "a.txt")
    (folder / "link").symlink_to(folder / "folder")
    return folder


@pytest.fixture(scope="session")
def address(served_from: Path) -> Iterator[str]:
    """Where the demo answers, which `python app.py` starts from another folder."""
    with serving(served_from, ROOT / "app.py") as (address, log):
        yield address
        assert "Traceback" not in log.read_text(), log.read_text()


# Not for the session: while it is open, playwright's event loop keeps other modules from running one of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without what it asks other hosts for by itself."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert chromium, "the demo is tested in Chromium: apt-get install chromium-headless-shell"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@contextmanager
def visiting(browser: Browser) -> Iterator[OpenPage]:
    """Opens addresses as new visitors: `visit(address, NARROW, dark=True)`.

    The test fails if a page asks another host for anything, keeps anything in the browser beyond its tab, or if anything goes
    wrong in it.
    """
    pages: list[Page] = []
    outside: list[str] = []
    problems: list[str] = []

    def visit(address: str, size: tuple[int, int] = WIDE, *, dark: bool = False, **settings: Any) -> Page:
        window = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": "dark" if dark else "light"}
        page = browser.new_context(**window, **settings).new_page()
        page.set_default_timeout(PATIENCE)
        pages.append(page)
        own = (address.partition("#")[0].partition("?")[0], "data:", "blob:")
        page.on("request", lambda request: None if request.url.startswith(own) else outside.append(request.url))
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(address)
        return page

    yield visit
    kept = "[...Object.keys(localStorage), document.cookie].join('')"
    stored = [page.evaluate(kept) for page in pages]
    for page in pages:
        page.context.close()
    assert set(stored) <= {""}
    assert outside == []
    # Chromium reports each request of a test without a connection.
    assert [problem for problem in problems if "ERR_INTERNET_DISCONNECTED" not in problem] == []


@pytest.fixture
def open_page(address: str, browser: Browser) -> Iterator[OpenPage]:
    """Opens the demo as a visitor: `open_page(NARROW, dark=True, at="#learn")`."""
    settings = {"permissions": ["clipboard-read", "clipboard-write"], "reduced_motion": "reduce"}
    with visiting(browser) as visit:

        def open_page(size: tuple[int, int] = WIDE, *, dark: bool = False, at: str = "#desk") -> Page:
            page = visit(f"{address}/{at}", size, dark=dark, has_touch=size == NARROW, **settings)
            expect(page.locator(".panel:visible .results > *").first).to_be_visible()
            return page

        yield open_page


def copy(page: Page, button: str, start: str) -> str:
    """The text that a button copies, and not one that was copied before."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name=button).first.click()
    for _ in range(PATIENCE // 100):
        text = str(page.evaluate("navigator.clipboard.readText()"))
        if text.startswith(start):
            return text
        page.wait_for_timeout(100)
    raise AssertionError(f"{button} copied {text!r}")


_DROP = """([selector, texts]) => {
  const dataTransfer = new DataTransfer();
  for (const [name, text] of Object.entries(texts)) dataTransfer.items.add(new File([text], name));
  document.querySelector(selector).dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}"""


def drop(page: Page, selector: str, texts: dict[str, str]) -> None:
    """Drop files on an element, in the order of their names here."""
    page.evaluate(_DROP, [selector, texts])
