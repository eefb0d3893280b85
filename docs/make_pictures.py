"""Make the pictures of the documentation: `python docs/make_pictures.py [NAME …]`.

It needs the extras `dev` and `plot`, and Chromium. Pictures of pages are taken in a headless browser, as a visitor sees them.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import segscores
from segscores.analysis.drawing import STYLE, draw_differences

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
REFERENCE, PREDICTION = ROOT / "examples" / "reference.txt", ROOT / "examples" / "prediction.txt"


def lines_of(path: Path) -> list[str]:
    """The lines of a text."""
    return path.read_text(encoding="utf-8").splitlines()


@contextmanager
def page_of_browser(width: int, height: int) -> Iterator[Page]:
    """A page in headless Chromium, sharp enough for print."""
    with sync_playwright() as playwright:
        paths = map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))
        path = next(filter(None, paths), None)  # None stands for playwright's own
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser.new_page(
                viewport={"width": width, "height": height}, device_scale_factor=1.5, color_scheme="light"
            )
        finally:
            browser.close()


def shrink(path: Path) -> None:
    """Keep 256 colours of a picture, which halves its size or more."""
    with Image.open(path) as image:
        smaller = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    smaller.save(path, optimize=True)


def command(folder: str, *arguments: str) -> None:
    """Run `segscores` in a folder, so that pictures show short names of files."""
    program = Path(sys.executable).parent / "segscores"
    subprocess.run([program, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def demo() -> Iterator[str]:
    """The address of the demo, while it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": port}
    process = subprocess.Popen([sys.executable, ROOT / "app.py"], env=environment, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urlopen(address, timeout=1).close()
                break
            except (URLError, OSError):
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def make_demo(path: Path) -> None:
    """The demo as it opens."""
    with demo() as address, page_of_browser(1280, 900) as page:
        page.goto(address)
        page.locator("#try .told").wait_for(timeout=60_000)
        page.wait_for_timeout(1000)
        page.screenshot(path=path, scale="css")


def make_card(path: Path) -> None:
    """The drawing with the number that it explains, in the size of cards of links."""
    with demo() as address, page_of_browser(800, 420) as page:
        page.goto(f"{address}/?embed")
        page.locator("[data-explain=token_fscore]").first.click()
        page.locator(".explained .lit").first.wait_for()
        page.screenshot(path=path)


def make_report(path: Path) -> None:
    """The upper part of the report of two predictions."""
    with tempfile.TemporaryDirectory() as folder, page_of_browser(1000, 900) as page:
        text = PREDICTION.read_text(encoding="utf-8")
        better = text.replace("lookat", "look at").replace("thedog", "the dog").replace("doyou", "do you")
        Path(folder, "better.txt").write_text(better, encoding="utf-8")
        for file in (REFERENCE, PREDICTION):
            shutil.copy(file, folder)
        command(folder, "report", REFERENCE.name, PREDICTION.name, "better.txt", "-o", "report.html")
        page.goto(Path(folder, "report.html").as_uri())
        page.screenshot(path=path)


def make_differences(path: Path) -> None:
    """A drawing of the differences of some utterances."""
    differences = segscores.differences(lines_of(REFERENCE)[:6], lines_of(PREDICTION)[:6], text_format="words")
    with page_of_browser(760, 400) as page:
        page.set_content(
            f"<style>main {{ font: 16px sans-serif; padding: 16px }} {STYLE}</style><main>{draw_differences(differences)}</main>"
        )
        page.locator("main").screenshot(path=path)


def make_curve(path: Path) -> None:
    """Token scores over the ratio of accepted gaps, for boundary scores with noise."""
    choose = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        scores = Path(folder, "scores.jsonl")
        rows = []
        for line in lines_of(REFERENCE):
            ends = {len("".join(line.split()[: count + 1])) for count in range(len(line.split()) - 1)}
            length = len("".join(line.split()))
            rows.append([round((gap in ends) + choose.gauss(0, 0.5), 3) for gap in range(1, length)])
        scores.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        command(folder, "sweep", str(REFERENCE), scores.name, "--ratios", "0:1:0.05", "--plot", str(path))


def make_paper(path: Path) -> None:
    """The figures of the guide to papers, from its files."""
    systems, by = ["Old=old.txt", "New=new.txt"], ["--by", "age.txt"]
    lines = {
        "comparison": ["compare", "gold.txt", *systems, "--scores", "token_fscore,type_fscore,boundary_noedge_fscore"],
        "age": ["score", "gold.txt", *systems, "--scores", "token_fscore", "--confidence", "0.95", *by],
        "learning": [
            "curve",
            "gold.txt",
            *(f"{size}=size{size}.txt" for size in (100, 1000, 10000)),
            "--confidence",
            "0.95",
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "examples" / "paper_files.py"], cwd=folder, check=True)
        command(folder, *lines[path.stem], "--plot", str(path))


MAKERS: dict[str, Callable[[Path], None]] = {
    "demo.png": make_demo,
    "card.png": make_card,
    "report.png": make_report,
    "differences.png": make_differences,
    "curve.svg": make_curve,
    "comparison.svg": make_paper,
    "age.svg": make_paper,
    "learning.svg": make_paper,
}


if __name__ == "__main__":
    print(f"segscores {segscores.__version__}")
    for name in sys.argv[1:] or MAKERS:
        MAKERS[name](PICTURES / name)
        if name.endswith(".png"):
            shrink(PICTURES / name)
        print(PICTURES / name)
