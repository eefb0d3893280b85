"""Try it: the numbers of naive scorers as a sentence, and what visitors do to the sentence."""

from __future__ import annotations

import html
import re

import pytest

from segscores import baselines
from segscores.apps.demo.answers import answer
from segscores.apps.demo.examples import EXAMPLES

from ...naive import naive_scores
from ...optional import Axe, Page, expect
from .answers import words
from .conftest import NARROW, OpenPage, drop

REFERENCE = "the dog is on the boat"
PREDICTION = "thedog is onthe boat"


def told(page: Page) -> object:
    return expect(page.locator("#try .told"))


@pytest.mark.parametrize("example", EXAMPLES["try"])
def test_the_sentence_has_the_numbers_of_the_scores(example: str) -> None:
    values = EXAMPLES["try"][example]
    found = answer("try", values)
    scores = naive_scores(words(values["reference"]), words(values["prediction"]))
    text = html.unescape(re.sub(r"<[^>]+>", "", (found.html or "").partition('class="told"')[2].partition("</p>")[0]))
    assert f"(recall {scores['token_recall']:.2f})" in text
    assert f"(precision {scores['token_precision']:.2f})" in text
    assert f"word F-score {scores['token_fscore']:.2f}." in text


def test_each_bar_has_marks_at_the_scores_of_baselines() -> None:
    found = answer("try", {"reference": REFERENCE, "prediction": PREDICTION}).html or ""
    computed = baselines([REFERENCE], [PREDICTION], text_format="words", scores=("boundary_noedge", "token", "type"))
    every, none, random = computed.baselines
    for key in ("boundary_noedge_recall", "token_fscore", "type_precision"):
        row = found.partition(f'<button type="button" class="figure" data-explain="{key}"')[2].partition("</button>")[0]
        marks = dict(re.findall(r'class="mark (\w+)" style="left:([\d.]+)%"', row))
        expected = {"all": every, "none": none, "random": random}
        assert {name: float(place) for name, place in marks.items()} == {
            name: round(100 * scored.scores[key], 2) for name, scored in expected.items()
        }


def test_a_click_is_a_cut_and_buttons_make_errors(open_page: OpenPage) -> None:
    page = open_page(at="")
    told(page).to_contain_text("You found 2 of 6 words (recall 0.33)")
    # One number is lit from the start.
    expect(page.locator("#try .utterances [data-above=right]").first).to_be_visible()
    page.get_by_role("button", name="Cut after character 3 of line 1: missed boundary").click()
    told(page).to_contain_text("You found 4 of 6 words")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    told(page).to_contain_text("You found 3 of 6 words")
    page.keyboard.press("Control+z")
    told(page).to_contain_text("You found 4 of 6 words")
    page.reload()
    told(page).to_contain_text("You found 4 of 6 words")
    for error, expected in (
        ("too few cuts", "thedog is onthe boat"),
        ("too many", "th e dog is o n the bo at"),
        ("off by one", "thed og iso n theb oat"),
        ("perfect", REFERENCE),
    ):
        page.get_by_role("button", name=error, exact=True).click()
        expect(page.locator("#try-prediction")).to_have_value(expected)
    told(page).to_contain_text("You found 6 of 6 words")
    page.get_by_role("button", name="random", exact=True).click()
    told(page).to_contain_text("of your 6 words")
    for example in ("हिन्दी", "العربية"):
        page.locator("#try .intro").get_by_role("button", name=example, exact=True).click()
        told(page).to_contain_text(re.compile("You found (3 of 5|2 of 4) words"))


def test_a_sentence_of_ones_own_is_typed_and_files_are_scored(open_page: OpenPage) -> None:
    page = open_page(at="")
    page.get_by_role("button", name="Type my own sentence").click()
    expect(page.locator("#try-reference")).to_be_focused()
    page.keyboard.type("das ist gut")
    told(page).to_contain_text("You found 3 of 3 words")
    drop(page, ".instrument", {"a_output.txt": "a bc", "gold.txt": "a b c"})
    expect(page.locator("#desk .headline")).to_contain_text("1 of 3 words found")


@pytest.mark.parametrize("size", [(1280, 900), NARROW, (320, 640)], ids=["desktop", "phone", "small phone"])
def test_the_first_screen_fits_and_is_accessible(open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page(size, at="")
    sentence = page.locator("#try .utterances").bounding_box()
    result = page.locator("#try .told").bounding_box()
    assert sentence
    assert result
    if size[1] > 640:
        assert sentence["y"] + sentence["height"] <= result["y"]
    assert result["y"] + result["height"] <= size[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.emulate_media(color_scheme="dark", forced_colors="active")
    assert Axe().run(page).violations_count == 0
