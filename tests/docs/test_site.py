"""The documentation's site: it builds without a warning, fits on a phone, and searches without a network."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..apps.demo.conftest import NARROW, WIDE, browser
from ..optional import Browser, Page, expect
from .pages import ROOT

__all__ = ["browser"]

#: Pages with wide tables, long lines of code, or pictures.
PAGES = (
    "index", "tutorial", "tutorial-in-python", "reference/scores", "reference/command", "reference/api",
    "explanation/agreement", "explanation/speed",
)  # fmt: skip


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build = subprocess.run(
        [sys.executable, "-m", "sphinx", "-E", "-W", "--keep-going", "-n", "-q", "docs", folder],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (build.returncode, build.stderr) == (0, "")
    return folder


@pytest.fixture(params=[(WIDE, "light"), (NARROW, "light"), (WIDE, "dark"), (NARROW, "dark")], ids=str)
def page(site: Path, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    (width, height), scheme = request.param
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    elsewhere: list[str] = []
    page.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or elsewhere.append(asked.url))
    yield page
    page.close()
    assert elsewhere == [], "a page asks for something from elsewhere"


def test_pages_fit_their_window(page: Page, site: Path) -> None:
    for name in PAGES:
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)"), name


def test_the_search_finds_pages(page: Page, site: Path) -> None:
    page.goto(f"{(site / 'search.html').as_uri()}?q=clusters")
    expect(page.locator("#search-results li a").filter(has_text="Compare systems").first).to_be_visible()
