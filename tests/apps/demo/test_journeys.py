"""What visitors do: type, open files, follow links, mend errors, click gaps, export and run what they exported."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ...optional import Axe, Browser, Page, expect
from ..command.running import run_command
from .conftest import NARROW, PATIENCE, WIDE, OpenPage

TABS = ("score", "compare", "threshold", "learn", "difficulty", "alignment")


def headline(page: Page) -> object:
    return expect(page.locator("#score .headline"))


def type_pair(page: Page, reference: str, prediction: str) -> None:
    page.locator("#score-reference").fill(reference)
    page.locator("#score-prediction").fill(prediction)


def copy(page: Page, button: str, start: str) -> str:
    """The text that a button copies, which begins as the one copied before does not."""
    page.get_by_role("button", name=button).first.click()
    for _ in range(PATIENCE // 100):
        text = str(page.evaluate("navigator.clipboard.readText()"))
        if text.startswith(start):
            return text
        page.wait_for_timeout(100)
    raise AssertionError(f"{button} copied {text!r}")


def save(page: Page, button: str, folder: Path, at: Any = None) -> Path:
    with page.expect_download() as download:
        (at or page.locator(".panel:visible .takeaway")).get_by_role("button", name=button, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_the_first_load_is_small(address: str, open_page: OpenPage) -> None:
    page = open_page()
    headline(page).to_contain_text("10 of 17 words found")
    loaded = page.evaluate("[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                           ".map((each) => each.transferSize)")  # fmt: skip
    assert len(loaded) <= 8
    assert sum(loaded) <= 60_000


def test_scores_follow_what_is_typed(open_page: OpenPage) -> None:
    page = open_page()
    # A tab has the lines of its own text.
    page.locator("#tab-threshold").click()
    expect(page.locator("#threshold .utterances > li").last).to_contain_text("she")
    page.locator("#tab-score").click()
    type_pair(page, "the dog is on the boat", "")
    expect(page.locator("#score .problems")).to_contain_text("Waiting for reference and prediction")
    page.locator("#score-prediction").press_sequentially("thedog is on the boat")
    headline(page).to_contain_text("4 of 6 words found")
    page.get_by_role("button", name="Swap").click()
    headline(page).to_contain_text("4 of 5 words found")
    page.locator("#score [value=windows]").check()
    expect(page.locator("#score .results")).to_contain_text("pk")
    page.locator("#score-reference").fill("THE dog")
    page.locator("#score-prediction").fill("the dog")
    page.get_by_role("button", name="Ignore case").click()
    headline(page).to_contain_text("2 of 2 words found")
    page.get_by_role("button", name="Clear", exact=True).click()
    assert page.locator("#score-reference").input_value() == ""


def test_an_opened_file_keeps_its_name_and_the_exported_command_runs(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_page()
    files = {"reference": tmp_path / "my gold.txt", "prediction": tmp_path / "tagger.txt"}
    for box, text in (("reference", "a b\nc d\n"), ("prediction", "a b\ncd\n")):
        files[box].write_text(text, encoding="utf-8")
        page.locator(f"#score [data-of={box}] input[type=file]").set_input_files(str(files[box]))
    headline(page).to_contain_text("2 of 4 words found")
    command = page.locator("#score .copyable pre").first
    expect(command).to_contain_text("score 'my gold.txt' tagger.txt")
    monkeypatch.chdir(tmp_path)
    run_command(*shlex.split(command.inner_text())[1:], "--counts", "--format", "json")
    assert json.loads(save(page, "JSON", tmp_path).read_text("utf-8")) == json.loads(capsys.readouterr().out)
    assert save(page, "SVG", tmp_path).read_text("utf-8").startswith("<svg ")
    assert "tagger.txt" in save(page, "Report (HTML)", tmp_path).read_text("utf-8")
    page.locator("#score .copyable button").first.click()
    expect(page.locator("#score .copyable button").first).to_have_text("Copied ✓")
    assert page.evaluate("navigator.clipboard.readText()") == command.inner_text()


def test_a_large_file_stays_out_of_its_box(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    for box in ("reference", "prediction"):
        path = tmp_path / f"{box}.txt"
        path.write_text("a\n" * 200_000, encoding="utf-8")
        page.locator(f"#score [data-of={box}] input[type=file]").set_input_files(str(path))
    headline(page).to_contain_text("200,000 of 200,000 words found")
    expect(page.locator("#score-reference")).to_be_hidden()
    page.get_by_role("button", name="Copy link").first.click()
    expect(page.locator(".notice")).to_contain_text("A link cannot hold the file reference.txt")
    # One that is too large for the page changes nothing.
    path.write_bytes(b"a\n" * 5_000_001)
    page.locator("#score [data-of=prediction] input[type=file]").set_input_files(str(path))
    expect(page.locator("#score .problems")).to_contain_text(
        "prediction.txt, 10,000,002 bytes: this page takes 10,000,000"
    )
    headline(page).to_contain_text("200,000 of 200,000 words found")


def test_systems_are_opened_at_once_and_ordered_by_a_score(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(at="#compare")
    panel = page.locator("#compare")
    panel.get_by_role("button", name="Clear", exact=True).click()
    # An empty box waits for the next system.
    expect(panel.locator(".box:visible")).to_have_count(4)
    texts = {"gold": "a b c\nd e", "one": "a b c\nde", "two": "ab c\nd e", "three": "abc\nd e", "four": "a bc\nd e"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    panel.locator("input[type=file]").first.set_input_files([tmp_path / name for name in texts])
    expect(panel.locator(".box:visible")).to_have_count(6)
    expect(panel.locator(".headline")).to_contain_text("Word F-score: one")
    header = panel.locator(".systems").get_by_role("button", name="Boundary precision (with edges)")
    header.press("Enter")
    expect(panel.locator(".headline")).to_contain_text("Boundary precision (with edges):")
    expect(header).to_be_focused()
    header.press("Enter")
    expect(panel.locator(".systems th").nth(1)).to_have_attribute("aria-sort", "ascending")
    panel.locator("input[type=file]").last.set_input_files([tmp_path / "one", tmp_path / "two"])
    expect(page.locator(".notice")).to_have_text("There is no box for two.")


def test_a_link_brings_texts_and_options(open_page: OpenPage) -> None:
    page = open_page()
    type_pair(page, "a b c", "a bc")
    page.locator("#score [value=windows]").check()
    headline(page).to_contain_text("1 of 3 words found")
    link = copy(page, "Copy link", "http")
    other = open_page(at=link[link.index("#") :])
    headline(other).to_contain_text("1 of 3 words found")
    expect(other.locator("#score [value=windows]")).to_be_checked()
    expect(other.locator(".notice")).to_contain_text("made with version")
    frame = copy(page, "Copy embedding", "<iframe")
    embedded = open_page(at=frame[frame.index("?embed") : frame.index('" title')])
    headline(embedded).to_be_visible()
    expect(embedded.locator("#score-reference")).to_be_hidden()


def test_another_site_may_show_what_is_embedded_and_not_the_page(
    open_page: OpenPage, address: str, browser: Browser, tmp_path: Path
) -> None:
    page = open_page()
    type_pair(page, "a b c", "a bc")
    headline(page).to_contain_text("1 of 3 words found")
    frames = copy(page, "Copy embedding", "<iframe") + f'<iframe src="{address}/#score"></iframe>'
    (tmp_path / "index.html").write_text(f'<link rel="icon" href="data:,">{frames}', encoding="utf-8")
    command = [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=os.environ | {"PYTHONUNBUFFERED": "1"}) as site:  # fmt: skip
        try:
            assert site.stdout
            port = re.findall(r"port (\d+)", site.stdout.readline())[0]
            other = browser.new_context().new_page()
            said: list[str] = []
            other.on("console", lambda message: said.append(message.text))
            other.goto(f"http://localhost:{port}/")
            embedded, whole = (other.frame_locator(f"iframe >> nth={at}") for at in range(2))
            expect(embedded.locator("#score .headline")).to_contain_text("1 of 3 words found")
            expect(embedded.locator("#score-reference")).to_be_hidden()
            expect(whole.locator("#score")).to_have_count(0)
            assert ["frame-ancestors" in each for each in said] == [True]
            other.context.close()
        finally:
            site.terminate()


def test_a_damaged_link_says_so(open_page: OpenPage) -> None:
    page = open_page(at="#score=abcdef")
    expect(page.locator(".notice")).to_contain_text("This link is damaged")
    headline(page).to_contain_text("10 of 17 words found")


def test_an_error_keeps_the_results_and_is_mended(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#score-prediction").fill("the dog is on the boat\nlook at the litxle dog\ndo you want to sit down")
    expect(page.locator("#score .results")).to_have_class("results scripted stale")
    headline(page).to_contain_text("10 of 17 words found")
    page.locator("#score .places button").last.click()
    selected = (
        "(() => { const box = document.activeElement; return box.value.slice(box.selectionStart, box.selectionEnd) })()"
    )
    assert page.evaluate(selected) == "x"
    page.get_by_role("button", name="Leave out lines that differ").click()
    headline(page).to_contain_text("1 of 3 lines left out")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
def test_a_clicked_gap_changes_the_prediction(open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page(size)
    headline(page).to_be_in_viewport()
    line = page.locator("#score .utterances > li").first
    line.tap() if size == NARROW else line.hover()
    line.get_by_role("button", name="Cut after character 3 of line 1: missed boundary").click()
    headline(page).to_contain_text("12 of 17 words found")
    assert page.locator("#score-prediction").input_value().startswith("the dog is")
    page.keyboard.press("Enter")
    headline(page).to_contain_text("10 of 17 words found")
    # Who types by then keeps the focus.
    line.get_by_role("button", name="Cut after character 3 of line 1").evaluate(
        "(gap) => { gap.click(); document.querySelector('#score-reference').focus() }"
    )
    headline(page).to_contain_text("12 of 17 words found")
    expect(page.locator("#score-reference")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_a_line_is_saved_as_a_picture_and_what_is_chosen_stays(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    # The word under the pointer is marked in both boxes.
    page.locator("#score .utterances > li").first.locator("b").nth(1).hover()
    assert page.locator("#score .mirror .hover").all_inner_texts() == ["dog", "thedog"]
    picture = save(page, "SVG", tmp_path, page.locator("#score .utterances > li").first)
    assert picture.read_text("utf-8").count("<tspan") == 5
    assert (
        save(page, "PNG", tmp_path, page.locator("#score .utterances > li").first).read_bytes().startswith(b"\x89PNG")
    )
    assert copy(page, "Copy LaTeX", "the") == "the $\\mathbf{+}$ dog $\\mid$ is $\\mid$ on $\\mid$ the $\\mid$ boat"
    page.locator("#score-prediction").fill("thedog is on the boat\nlook at the little dog\ndo you want to sit down")
    page.get_by_label("Errors only").check()
    expect(page.locator("#score .utterances > li")).to_have_count(1)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
def test_every_tab_is_accessible_and_none_scrolls_sideways(
    open_page: OpenPage, size: tuple[int, int], dark: bool
) -> None:
    page = open_page(size, dark=dark)
    # Each theme and each width meets all pages; their other pairs, those that people see most.
    every = (*TABS, "about", "learn/table-1", "error")
    for tab in every if dark == (size == NARROW) else ("score", "compare"):
        if tab == "error":
            page.locator("#tab-score").click()
            page.locator("#score-prediction").fill(
                "the dog is on the boat\nlook at the litxle dog\ndo you want to sit down"
            )
            expect(page.locator("#score .places")).to_be_visible()
        else:
            page.evaluate(f"location.hash = '#{tab}'")
            expect(page.locator(f"#{tab.partition('/')[0]} .results > *").first).to_be_visible()
            expect(page.locator(f"#{tab.partition('/')[0]} .problems")).to_be_empty()
        if "/" in tab:
            expect(page.locator(".question h2")).to_be_focused()
        found = Axe().run(page)
        assert found.violations_count == 0, (tab, found.generate_report())
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_without_a_connection_the_results_stay(open_page: OpenPage) -> None:
    page = open_page()
    page.context.set_offline(True)
    page.route("**/answer/*", lambda route: route.abort("internetdisconnected"))
    page.locator("#score-reference").evaluate(
        "(box) => { box.value = 'a'; box.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    expect(page.locator("#score .problems")).to_contain_text("No connection")
    headline(page).to_contain_text("10 of 17 words found")


def test_no_results_of_cleared_texts_arrive_later(open_page: OpenPage) -> None:
    page = open_page()
    waiting: list[Any] = []

    def hold(route: Any) -> None:
        waiting.append(route)

    page.route("**/answer/*", hold, times=1)
    with page.expect_request("**/answer/*"):
        page.locator("#score-prediction").fill(page.locator("#score-reference").input_value())
    page.get_by_role("button", name="Clear").locator("visible=true").click()
    waiting[0].continue_()
    expect(page.locator("#score .problems")).to_contain_text("Waiting for reference and prediction")
    expect(page.locator("#score .results")).to_be_empty()


def test_the_window_slides_and_questions_have_addresses(open_page: OpenPage) -> None:
    page = open_page(NARROW, at="#learn")
    panel = page.locator("#learn")
    told = panel.locator(".told")
    expect(told).to_contain_text("1 of 15")
    panel.get_by_role("slider").press("ArrowRight")
    expect(told).to_have_text("2 of 15: 1 boundary in the reference, 0 in the prediction: wrong for Pk and WindowDiff")
    expect(panel.locator(".so-far").first).to_have_text("1 / 2")
    expect(panel.locator(".within")).to_have_count(3)
    # The frame ends before the gap after its last character.
    expect(panel.locator(".within .slot").last).to_have_css("border-top-color", "rgba(0, 0, 0, 0)")
    panel.get_by_role("button", name="Play").click()
    expect(told).to_contain_text("4 of 15")
    panel.get_by_role("button", name="Pause").click()
    expect(panel.get_by_role("button", name="Play")).to_be_visible()
    panel.get_by_role("link", name="Which costs more: one cut too many or one too few?").click()
    expect(panel.locator(".question h2")).to_be_focused()
    expect(page.locator("#learn-prediction")).to_be_hidden()
    assert copy(page, "Copy link", "http") == page.url
    panel.get_by_role("link", name="Next: What does a boundary cost that is one character off?").click()
    expect(panel.locator(".question h2")).to_have_text("What does a boundary cost that is one character off?")
    page.go_back()
    page.reload()
    panel.get_by_role("button", name="one too few").click()
    expect(told).to_be_visible()
    expect(page.locator("#learn-prediction")).to_have_value("thedog is on the boat")
    assert page.url.endswith("#learn")


def test_a_question_may_be_asked_before_the_answer_to_a_sentence(open_page: OpenPage) -> None:
    page = open_page(at="#learn")
    page.locator("#learn-prediction").evaluate(
        "(box) => { box.value = 'the dog is on theboat'; box.dispatchEvent(new Event('input', {bubbles: true}));"
        " location.hash = '#learn/types' }"
    )
    expect(page.locator("#learn .question h2")).to_be_focused()
