"""What a visitor of the demo does and sees."""

from __future__ import annotations

import base64
import json
import math
import re
import time
import zlib
from pathlib import Path
from urllib.parse import quote

from ..naive import Corpus, naive_scores
from ..optional import Locator, Page, expect

TABS = ("Score", "Threshold", "Difficulty", "Alignment", "Learn")


def panel_of(page: Page) -> Locator:
    """The tab that is open."""
    return page.locator("[role=tabpanel]:visible")


def open_tab(page: Page, name: str) -> Locator:
    """Open a tab; its results come by themselves."""
    page.get_by_role("tab", name=name, exact=True).click()
    expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
    expect(panel_of(page).locator(".results table, .card-text h2").first).to_be_visible()
    wait_for_frame(page)
    return panel_of(page)


def click(panel: Locator, name: str) -> None:
    """Click the button; one that opens something has a sign after its name."""
    panel.get_by_role("button", name=re.compile(rf"^{re.escape(name)}( ▼)?$")).click()
    wait_for_frame(panel.page)


def unfold(panel: Locator, name: str) -> None:
    """Open the accordion whose title begins with `name`."""
    title = panel.get_by_role("button", name=re.compile(rf"^{re.escape(name)}"))
    if title.get_attribute("aria-expanded") == "false" or "open" not in (title.get_attribute("class") or ""):
        title.click()
    wait_for_frame(panel.page)


def wait_for_frame(page: Page) -> None:
    """Wait until the page is painted: gradio sets what has just been opened to its first values before that.

    A visitor can't be so fast as to type into what is not painted yet; a script can, and what it types is lost.
    """
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")


def download(panel: Locator, stem: str, signature: str, folder: Path) -> dict[str, Path]:
    """Download both files of what came about as the signature says.

    The links stand below all results, and move until these are there.
    """
    unfold(panel, "Export")
    links = {kind: panel.get_by_role("link", name=f"Download {kind}") for kind in ("JSON", "CSV")}
    expect(links["JSON"]).to_have_attribute("href", re.compile(re.escape(quote(f'"{signature}"'))))
    paths = {}
    for kind, link in links.items():
        wait_for_frame(panel.page)
        with panel.page.expect_download() as started:
            link.click()
        assert started.value.suggested_filename == f"{stem}.{kind.lower()}"
        paths[kind] = folder / kind
        started.value.save_as(paths[kind])
    return paths


def box(panel: Locator, label: str) -> Locator:
    """The text box of this label; what stands with a label belongs to its name."""
    return panel.get_by_role("textbox", name=re.compile(rf"^{label}\b"))


def paste(panel: Locator, label: str, text: str) -> None:
    """Put a text into a box in place of what is there; `fill` would type its lines one by one."""
    panel.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    box(panel, label).press("Control+A")
    box(panel, label).press("Control+V")


def choose(dropdown: Locator, option: str) -> None:
    """Choose an option of a dropdown."""
    dropdown.click()
    opened = dropdown.page.locator(f"[id='{dropdown.get_attribute('aria-controls')}']")
    opened.get_by_role("option", name=option, exact=True).click()


def below(panel: Locator, label: str) -> Locator:
    """The line below a text box that says what was read or what is wrong."""
    return column(panel, label).locator(".note")


def column(panel: Locator, label: str) -> Locator:
    """The column of a text box, with what belongs to it; a long file stands in the place of the text."""
    text = panel.page.get_by_role("textbox", name=re.compile(rf"^{label}\b"))
    file = panel.page.locator(".file-chip strong", has_text=re.compile(rf"^{label}$"))
    return panel.locator(".text-box", has=text.or_(file))


def shown_scores(panel: Locator) -> dict[str, str]:
    """The table of scores, as it stands there."""
    rows = panel.locator(".results tbody tr:is(.score, :has(.bar))")
    cells: list[list[str]] = rows.evaluate_all(
        "rows => rows.map(row => [row.cells[0].textContent, row.cells[1].textContent])"
    )
    return dict(map(tuple, cells))


def expect_scores(panel: Locator, expected: dict[str, float], *, only: bool = False) -> None:
    """Wait until the table has these scores.

    Args:
        panel: the tab.
        expected: by key.
        only: whether it must have no others.
    """
    written = {key: "–" if math.isnan(score) else f"{score:.4f}" for key, score in expected.items()}
    end = time.monotonic() + 60
    while True:
        shown = shown_scores(panel)
        if not only:
            shown = {key: score for key, score in shown.items() if key in written}
        if shown == written or time.monotonic() > end:
            break
        time.sleep(0.05)
    assert shown == written, f"{shown} are shown, expected are {written}"


def packed(state: object) -> str:
    """A state as a link has it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(json.dumps(state).encode()) + packer.flush()
    return "#" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def conllu(text: str) -> str:
    """Words text as CoNLL-U."""
    sentences = (
        [f"{number}\t{word}" + "\t_" * 8 for number, word in enumerate(line.split(), 1)] for line in text.splitlines()
    )
    return "".join("\n".join(sentence) + "\n\n" for sentence in sentences)


def json_lines(column: str, text: str, *, as_lists: bool = False, **others: str) -> str:
    """Words text as JSON lines, with the same values of other columns in each."""
    rows = ({column: line.split() if as_lists else line, **others} for line in text.splitlines())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def words(text: str) -> Corpus:
    """Words text as the naive scorer takes it."""
    return [line.split() for line in text.split("\n")]


def words_of_units(text: str, boundary: str = "WORD_BOUNDARY", ignored: tuple[str, ...] = ()) -> Corpus:
    """Units text as the naive scorer takes it."""
    corpus = []
    for line in text.split("\n"):
        kept = [token for token in line.split() if token not in ignored]
        found = " ".join(kept).split(boundary)
        corpus.append([tuple(word.split()) for word in found if word.strip()])
    return corpus


def scores_of(reference: str, prediction: str) -> dict[str, float]:
    """The scores of words texts, by the naive scorer; nan where one is 0/0."""
    return naive_scores(words(reference), words(prediction), math.nan)


def group(scores: dict[str, float], *names: str) -> dict[str, float]:
    """The scores of these groups."""
    prefixes = {"tnr": "token_tnr", "token": ("token_precision", "token_recall", "token_fscore")}
    starts = [prefixes.get(name, name) for name in names]
    return {key: score for key, score in scores.items() if any(key.startswith(start) for start in starts)}
