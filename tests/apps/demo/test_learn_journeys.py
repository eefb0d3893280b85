"""Tests of what visitors do in Learn: answer questions, solve challenges, print hand-outs, slide the window."""

from __future__ import annotations

import re

import pytest

from ...optional import expect
from .conftest import NARROW, OpenPage, copy


def test_the_challenge_is_solved_with_a_click_and_the_link_is_the_answer(open_page: OpenPage) -> None:
    page = open_page(at="#learn")
    panel = page.locator("#learn")
    panel.get_by_role("link", name="Make word F-score 0.5 with one click.").click()
    goals = panel.locator(".goals")
    expect(goals).to_contain_text("0 of 1 gap changed")
    panel.locator(".utterances > li").hover()
    panel.get_by_role("button", name="Cut after character 15 of line 1").dispatch_event("click")
    expect(goals).to_contain_text("✓ Solved.")
    page.get_by_role("button", name="Start again").click()
    expect(goals).to_contain_text("0 of 1 gap changed")
    panel.locator(".utterances > li").hover()
    panel.get_by_role("button", name="Cut after character 15 of line 1").dispatch_event("click")
    expect(goals).to_contain_text("✓ Solved.")
    expect(page.get_by_role("button", name="Copy my answer")).to_be_in_viewport()
    link = copy(page, "Copy my answer", "http")
    other = open_page(at=link[link.index("#") :])
    expect(other.locator("#learn .goals")).to_contain_text("✓ Solved.")
    panel.get_by_role("link", name="What does k, the size of a window, do?").click()
    panel.get_by_role("button", name="Show the numbers").click()
    panel.get_by_role("button", name="4", exact=True).click()
    expect(panel.locator(".lesson")).to_contain_text("Each window has k = 4 gaps")


@pytest.mark.parametrize("at", ["#learn", "#learn/one-cut", "#learn/challenge"])
def test_a_hand_out_is_one_printed_page_and_a_key(open_page: OpenPage, at: str) -> None:
    page = open_page(at=at)
    expect(page.locator("#learn .board, #learn .question").first).to_be_visible()
    # The button would show the browser's dialog.
    page.evaluate("window.print = () => {}")
    page.get_by_role("button", name="Print a hand-out").evaluate("(button) => button.click()")
    # The second sheet of a question is the key of its blanks.
    sheets = 2 if at == "#learn/one-cut" else 1
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == sheets
    page.emulate_media(media="print")
    expect(page.locator("#learn .goals > p")).to_be_hidden()
    expect(page.get_by_text("Answer", exact=True)).to_be_hidden()
    expect(page.get_by_role("columnheader", name="Now")).to_be_hidden()
    if sheets > 1:
        expect(page.locator("#learn .wide td.number").first).to_have_css("color", "rgba(0, 0, 0, 0)")
        expect(page.locator("#learn .key .answer")).to_contain_text("The first number is with one too many")
        # The notes of the drawing would tell some of the answer.
        expect(page.locator("#learn .utterances").first).not_to_contain_text("words found", use_inner_text=True)
        expect(page.locator("#learn .guess")).to_be_hidden()
    written = "(at) => getComputedStyle(at, '::after').content"
    assert page.locator("#learn .results").evaluate(written) == f'"{page.url if "/" in at else ""}"'


def test_the_numbers_of_a_question_wait_for_a_guess(open_page: OpenPage) -> None:
    page = open_page(at="#learn/one-cut")
    panel = page.locator("#learn")
    expect(panel.locator(".guess")).to_contain_text("which has the highest Word F-score?")
    for part in (".wide", ".answer", ".lesson", ".utterances small:last-child"):
        expect(panel.locator(part).first).to_be_hidden()
    panel.get_by_role("button", name="one too few").first.click()
    # One too many has 2 · 5 / 13, one too few 2 · 4 / 11.
    expect(panel.locator(".guess")).to_contain_text("✗ Not so: which has the highest Word F-score? one too many.")
    expect(panel.locator(".guessed")).to_be_focused()
    expect(panel.locator(".wide")).to_contain_text("10 / 13")
    panel.get_by_role("link", name="Next:").click()
    expect(panel.locator(".wide")).to_be_hidden()
    panel.get_by_role("button", name="Show the numbers").click()
    expect(panel.locator(".wide")).to_be_visible()
    expect(panel.locator(".guess p").first).to_be_empty()
    # The address is that of the question.
    assert copy(page, "Copy link", "http") == page.url


def test_a_sentence_comes_back_after_a_challenge(open_page: OpenPage) -> None:
    page = open_page(at="#learn")
    for box in ("reference", "prediction"):
        page.locator(f"#learn-{box}").fill("das ist gut")
    page.get_by_role("link", name="Make word F-score 0.5 with one click.").click()
    expect(page.locator("#learn .goals")).to_be_visible()
    page.get_by_role("link", name="Back to the sentence").click()
    expect(page.locator("#learn-reference")).to_have_value("das ist gut")
    expect(page.locator("#learn .headline")).to_contain_text("3 of 3 words found")
    # A challenge that is opened by its link has the page's sentence behind it.
    page = open_page(at="#learn")
    own = page.locator("#learn-prediction").input_value()
    page.get_by_role("link", name="Make word F-score 0.5 with one click.").click()
    expect(page.locator("#learn .goals")).to_be_visible()
    page.locator("#learn .utterances > li").hover()
    page.get_by_role("button", name="Cut after character 1 of line 1").dispatch_event("click")
    expect(page.locator("#learn .goals")).to_contain_text("1 of 1 gap changed")
    link = copy(page, "Copy link", "http")
    page = open_page(at=link[link.index("#") :])
    expect(page.locator("#learn .goals")).to_contain_text("1 of 1 gap changed")
    assert page.locator("#learn-prediction").input_value() != own
    page.get_by_role("link", name="Back to the sentence").click()
    expect(page.locator("#learn-prediction")).to_have_value(own)


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
    panel.get_by_role("link", name="Which costs more: one cut too many or one too few?").click()
    expect(panel.locator(".question h2")).to_be_focused()
    expect(page.locator("#learn-prediction")).to_be_hidden()
    assert copy(page, "Copy link", "http") == page.url
    panel.get_by_role("link", name="Next: Precision or recall: which one suffers from what?").click()
    expect(panel.locator(".question h2")).to_have_text("Precision or recall: which one suffers from what?")
    page.go_back()
    page.reload()
    panel.get_by_role("button", name="Show the numbers").click()
    panel.get_by_role("group", name="Change it yourself").get_by_role("button", name="one too few").click()
    expect(told).to_be_visible()
    expect(page.locator("#learn-prediction")).to_have_value("thedog is on the boat")
    assert page.url.endswith("#learn")


def test_a_question_is_shown_if_it_is_asked_while_a_sentence_is_scored(open_page: OpenPage) -> None:
    page = open_page(at="#learn")
    page.locator("#learn-prediction").evaluate(
        "(box) => { box.value = 'the dog is on theboat'; box.dispatchEvent(new Event('input', {bubbles: true}));"
        " location.hash = '#learn/types' }"
    )
    expect(page.locator("#learn .question h2")).to_be_focused()
