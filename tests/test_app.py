"""The demo, as a visitor sees it: in headless Chromium, and through its API."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The demo, started with `python app.py` from another folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        "HF_HOME": str(tmp_path_factory.mktemp("huggingface")),
    }
    folder = tmp_path_factory.mktemp("elsewhere")
    app = subprocess.Popen([sys.executable, ROOT / "app.py"], cwd=folder, env=environment)
    try:
        for _ in range(300):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert app.poll() is None, "the demo ended while it started"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        app.terminate()
        app.wait(10)


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    """The page, in a browser that fails the test if it asks another host for anything."""
    chromium = shutil.which("chromium")
    assert chromium, "the demo is tested in Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        outside: list[str] = []
        page.on("request", lambda request: outside.append(request.url))
        page.goto(address)
        yield page
        browser.close()
        assert [url for url in outside if not url.startswith((address, "data:", "blob:"))] == []


def test_a_visitor_scores_a_text(page: Page) -> None:
    page.get_by_label("Reference").fill("约翰 喜欢 玛丽")
    page.get_by_label("Prediction").fill("约翰 喜欢 玛 丽")
    page.get_by_role("button", name="Score").click()
    row = page.get_by_role("row").filter(has_text="token_recall")
    expect(row).to_contain_text("0.6667")
    expect(page.get_by_role("row").filter(has_text="token_tnr")).to_contain_text("0.8889")


def test_a_visitor_reads_what_is_wrong(page: Page) -> None:
    page.get_by_role("button", name="Score").click()
    expect(page.get_by_role("row").filter(has_text="token_recall")).to_contain_text("0.6667")
    page.get_by_label("Prediction").fill("thecat is on the boat")
    page.get_by_role("button", name="Score").click()
    expect(page.get_by_text("the units differ at offset 3")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="token_recall")).to_have_count(0)


def test_a_visitor_clicks_an_example(page: Page) -> None:
    page.get_by_role("row").filter(has_text="units").click()
    expect(page.get_by_label("Prediction")).to_have_value("ð ə d ɔ g WORD_BOUNDARY b ɑ r k s")
    page.get_by_role("button", name="Score").click()
    expect(page.get_by_role("row").filter(has_text="token_fscore")).to_contain_text("0.4000")


def test_markup_in_a_box_stays_text(page: Page) -> None:
    page.get_by_label("Reference").fill("<img src=x onerror=document.title='broken'> a")
    page.get_by_label("Prediction").fill("b")
    page.get_by_role("button", name="Score").click()
    expect(page.get_by_text("the units differ at offset 0")).to_be_visible()
    assert page.title() == "Segmentation scores"


def test_the_api_has_a_named_endpoint(address: str) -> None:
    client = Client(address, verbose=False)
    rows = client.predict("the dog", "thedog", "words", ["token"], api_name="/score")
    assert [row[:2] for row in rows["data"]] == [
        ["token_precision", "0.0000"],
        ["token_recall", "0.0000"],
        ["token_fscore", "0.0000"],
    ]
    with pytest.raises(AppError, match="the units differ at offset 0"):
        client.predict("a", "b", "words", ["token"], api_name="/score")
