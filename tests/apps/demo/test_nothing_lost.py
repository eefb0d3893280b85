"""Tests that what visitors do to texts can be undone and outlives a reload, and what they point at stays as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ...optional import Page, expect
from .conftest import NARROW, OpenPage
from .desk import headline, type_pair


def texts(page: Page) -> list[str]:
    return [page.locator(f"#desk-{box}").input_value() for box in ("reference", "prediction")]


def test_texts_outlive_a_reload_another_page_and_another_tab(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    type_pair(page, "a b c", "a bc")
    headline(page).to_contain_text("1 of 3 words found")
    page.reload()
    headline(page).to_contain_text("1 of 3 words found")
    assert texts(page) == ["a b c", "a bc"]
    # It is no link of another person.
    expect(page.locator(".notice")).to_be_hidden()
    page.goto("about:blank")
    page.go_back()
    headline(page).to_contain_text("1 of 3 words found")
    page.locator("#tab-learn").click()
    page.reload()
    page.locator("#tab-desk").click()
    headline(page).to_contain_text("1 of 3 words found")
    # The address alone brings them too.
    expect(page).to_have_url(re.compile("#desk="))
    other = open_page(at="#desk" + page.url.partition("#desk")[2])
    headline(other).to_contain_text("1 of 3 words found")


def test_every_replacement_is_undone(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    own = ["The dog", "The d og"]
    undo = page.locator("#desk [data-undo]")
    expect(undo).to_be_disabled()
    for button in ("Clear", "中文", "Ignore case", "Swap"):
        type_pair(page, *own)
        headline(page).to_contain_text("1 of 2 words found")
        page.locator("#desk").get_by_role("button", name=button, exact=True).first.click()
        assert texts(page) != own
        undo.click()
        headline(page).to_contain_text("1 of 2 words found")
        assert texts(page) == own
    # A cut is undone by keys.
    line = page.locator("#desk .utterances > li").first
    line.hover()
    line.get_by_role("button", name="Cut after character 1 of line 1").dispatch_event("click")
    headline(page).to_contain_text("0 of 2 words found")
    page.keyboard.press("Control+z")
    headline(page).to_contain_text("1 of 2 words found")
    page.keyboard.press("Control+Shift+z")
    headline(page).to_contain_text("0 of 2 words found")


def test_a_large_file_takes_little_of_the_page(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(at="#desk")
    for name, line in (("gold", "the dog is on the boat"), ("system", "thedog is on the boat")):
        (tmp_path / f"{name}.txt").write_text(f"{line}\n" * 210_000, encoding="utf-8")
    page.evaluate("""() => {
      window.taken = 0;
      const add = (list) => { for (const { duration } of list.getEntries()) window.taken += duration; };
      new PerformanceObserver(add).observe({ entryTypes: ['longtask'] });
    }""")
    files = [tmp_path / "gold.txt", tmp_path / "system.txt"]
    page.locator("#desk [data-of=reference] input[type=file]").set_input_files(files)
    headline(page).to_contain_text("840,000 of 1,260,000 words found")
    # 0.6 seconds on two busy cores; the boxes would take 20.
    assert page.evaluate("window.taken") < 4_000
    assert texts(page) == ["", ""]
    page.locator("#desk [data-undo]").click()
    headline(page).to_contain_text("10 of 17 words found")


def test_what_a_key_does_not_change_stays_in_the_page(open_page: OpenPage) -> None:
    """To lay out and paint all results takes longer than to score them."""
    page = open_page(at="#desk")
    rows = page.locator("#desk .utterances > li")
    rows.first.hover()
    expect(rows.first.locator(".gap").first).to_be_attached()
    page.evaluate(
        """() => { window.kept = [...document.querySelectorAll('#desk .utterances > li, #desk .takeaway, #desk .board')]; }"""
    )
    box = page.locator("#desk-prediction")
    box.fill(box.input_value().replace("sitdown", "sit down"))
    headline(page).to_contain_text("12 of 17 words found")
    expect(rows.last).to_contain_text("4 of 6 words found")
    now = "[...document.querySelectorAll('#desk .utterances > li, #desk .takeaway, #desk .board')]"
    assert page.evaluate(f"{now}.map((each, index) => each === window.kept[index])") == [True] * 6
    # The opened line is open, and its gaps work.
    rows.first.get_by_role("button", name="Cut after character 3 of line 1").click()
    headline(page).to_contain_text("14 of 17 words found")
    assert page.evaluate(f"{now}[0] === window.kept[0]") is False
    box.fill(box.input_value() + "\n")
    headline(page).to_contain_text("14 of 17 words found")
    # More lines and fewer are drawn.
    type_pair(page, "a b\nc d", "a b\nc d")
    headline(page).to_contain_text("4 of 4 words found")
    assert rows.all_inner_texts()[1].startswith("2\nc|d")


def test_a_problem_waits_while_a_visitor_types(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    box = page.locator("#desk-prediction")
    place = page.locator("#desk .board").bounding_box()
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    box.press("End")
    with page.expect_response("**/answer/desk") as answered:
        box.press("x")
    assert json.loads(answered.value.body())["problem"]
    expect(page.locator("#desk .results")).to_have_class("results scripted waiting")
    expect(page.locator("#desk .problems")).to_be_empty()
    assert page.locator("#desk .board").bounding_box() == place
    # It is told after two seconds, or when the focus leaves.
    page.clock.fast_forward(2_000)
    expect(page.locator("#desk .problems")).to_contain_text("the units differ")
    box.press("Backspace")
    expect(page.locator("#desk .problems")).to_be_empty()
    box.press("y")
    expect(page.locator("#desk .results")).to_have_class("results scripted waiting")
    page.locator("#desk [data-clear]").focus()
    expect(page.locator("#desk .problems")).to_contain_text("the units differ")


def test_a_remedy_is_a_button(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    type_pair(page, "a\u0301 b", "\u00e1 b")
    problems = page.locator("#desk .problems")
    expect(problems).to_contain_text("Normalize: NFC")
    expect(problems).not_to_contain_text("normalize=")
    problems.get_by_role("button", name="Normalize: NFC").click()
    headline(page).to_contain_text("2 of 2 words found")
    page.locator("#desk .more summary").click()
    page.get_by_label("Confidence").first.fill("95")
    # An error of an option that stands below the fold is in view.
    expect(problems).to_contain_text("Confidence: expected a number between 0 and 1")
    expect(problems).to_be_in_viewport()
    problems.get_by_role("button", name="Confidence: the default").click()
    expect(problems).to_be_empty()


def test_marks_stay_on_their_letters_under_the_pointer(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    text = "मैं घर जा रहा हूँ 👩‍👩‍👧"
    type_pair(page, text, text)
    headline(page).to_contain_text("6 of 6 words found")
    line = page.locator("#desk .utterances > li").first
    place = line.bounding_box()
    assert place
    clip = {"x": place["x"], "y": place["y"], "width": 450, "height": 45}
    page.mouse.move(0, 0)
    before = page.screenshot(clip=clip)
    line.hover(position={"x": 20, "y": 60})
    expect(line.locator(".gap").first).to_be_attached()
    page.mouse.move(0, 0)
    assert page.screenshot(clip=clip) == before
    # The gap between a letter and its mark is reached by keys.
    line.get_by_role("button", name="Join after character 3 of line 1").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    headline(page).to_contain_text("5 of 6 words found")
    assert texts(page)[1].startswith("मै ं")


def test_on_a_phone_one_tap_is_one_cut_and_a_number_shows_what_it_counts(open_page: OpenPage) -> None:
    page = open_page(NARROW, at="#desk")
    line = page.locator("#desk .utterances > li").first
    # A long line goes on below.
    assert page.locator("#desk .utterances").evaluate("(list) => list.scrollWidth <= list.clientWidth")
    # Beside a gap, on the letter "e".
    letters = line.locator("b").first.bounding_box()
    assert letters
    page.touchscreen.tap(letters["x"] + letters["width"] - 3, letters["y"] + letters["height"] / 2)
    headline(page).to_contain_text("12 of 17 words found")
    page.locator("#desk .figure[data-explain=token_precision]").tap()
    expect(page.locator("#desk .explained")).to_be_in_viewport()
    expect(page.locator("#desk .utterances [data-above=right]").first).to_be_in_viewport()


@pytest.mark.parametrize("at", ["desk", "learn"])
def test_a_narrow_phone_shows_the_tab_and_forced_colours_keep_the_marks(open_page: OpenPage, at: str) -> None:
    page = open_page((320, 640), at=f"#{at}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=1)
    page.emulate_media(forced_colors="active")
    page.locator(f"#{at} [data-explain]").first.evaluate("(button) => button.click()")
    lit = page.locator(f"#{at} .utterances [data-above=right]").first
    assert lit.evaluate("(node) => getComputedStyle(node).backgroundImage") != "none"
    assert lit.evaluate("(node) => getComputedStyle(node).forcedColorAdjust") == "none"
