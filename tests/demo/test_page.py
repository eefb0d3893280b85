"""The page as a whole: on a desktop and on a phone, light and dark, with a screen reader's eyes; and links to it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from ..optional import Axe, Page, expect
from .conftest import NARROW, WIDE, OpenPage
from .visitor import TABS, box, click, expect_scores, open_tab, packed, panel_of, scores_of, unfold

LOOKS = pytest.mark.parametrize(
    ("size", "dark"),
    # A desktop that is zoomed in to 200 % has half as many pixels of CSS.
    [(WIDE, False), (WIDE, True), (NARROW, False), (NARROW, True), ((WIDE[0] // 2, WIDE[1] // 2), False)],
    ids=["desktop light", "desktop dark", "phone light", "phone dark", "200 %"],
)
#: For each tab a box and what must not stand in it.
MISTAKES = {
    "Score": ("Prediction", "the cat"),
    "Compare": ("Prediction B", "other"),
    "Threshold": ("Boundary scores", "0.5 x"),
    "Difficulty": ("Committee", "the cat"),
    "Alignment": ("Prediction", "0 to 0"),
}


def check_looks(page: Page, size: tuple[int, int], picture: Path, part: str | None = None) -> None:
    """Nothing is wider than the page, and axe finds nothing serious there or in a part; the page goes into a picture."""
    # What is not on the screen isn't laid out, and so would not be looked at.
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size[0], "height": height})
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1], picture.stem
    page.screenshot(path=picture)
    found = Axe().run(page, context=part, options={"resultTypes": ["violations"]}).response["violations"]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    serious = [
        (violation["id"], [node["html"][:200] for node in violation["nodes"]])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]
    assert serious == [], picture.stem


@LOOKS
def test_every_tab_fits_and_is_accessible(
    open_page: OpenPage, size: tuple[int, int], dark: bool, tmp_path: Path
) -> None:
    page = open_page(size=size, dark=dark)
    assert page.evaluate("document.body.classList.contains('dark')") == dark
    tabs = page.get_by_role("tab").all_inner_texts()
    assert {*TABS, "About"} <= set(tabs)
    for tab in tabs:
        panel = open_tab(page, tab)
        # With everything open that can be opened.
        for closed in panel.locator("button.label-wrap").all():
            closed.click()
        if tab != "About":
            click(panel, "Copy a link")
            expect(box(panel, "Link")).to_be_visible()
        check_looks(page, size, tmp_path / f"{tab}.png")
        if tab in MISTAKES:
            label, text = MISTAKES[tab]
            box(panel, label).fill(text)
            panel.locator("button.primary").click()
            expect(panel.get_by_role("alert")).to_be_visible()
            check_looks(page, size, tmp_path / f"{tab} error.png", ".column:has(> * [role=alert])")
    assert len(list(tmp_path.glob("*.png"))) == len(tabs) + len(MISTAKES)


@pytest.mark.parametrize("tab", [*TABS, "Compare"])
def test_the_keyboard_reaches_every_control_and_shows_where_it_is(page: Page, tab: str) -> None:
    panel = open_tab(page, tab)
    for closed in panel.locator("button.label-wrap").all():
        closed.click()
    expect(panel.get_by_role("button", name=re.compile(r"^Download (report \(HTML\)|HTML)$"))).to_be_visible()
    page.get_by_role("tab").last.focus()
    hidden: list[str] = []
    for _ in range(170):
        page.keyboard.press("Tab")
        # The outline stands around the control or the label that holds it.
        focused = page.evaluate(
            """() => {
                const element = document.activeElement, around = [element, element.closest('label') ?? element];
                if (!element.closest('[role=tabpanel]')) return null;
                element.dataset.reached = 'yes';
                const style = around.map((each) => getComputedStyle(each));
                return style.some((each) => each.outlineStyle !== 'none' && parseFloat(each.outlineWidth) >= 2)
                    ? '' : element.outerHTML.slice(0, 200);
            }"""
        )
        if focused is None:
            break
        hidden += [focused] * bool(focused)
    assert focused is None
    assert hidden == []
    controls = "button, input, select, textarea, a[href], [tabindex='0']"
    missed = panel.locator(f":is({controls}):visible:not([data-reached], [tabindex='-1'], :disabled, [type=file])")
    assert missed.evaluate_all("all => all.map((each) => each.outerHTML.slice(0, 200))") == []


def test_the_page_has_a_title_a_language_and_one_main_heading(page: Page) -> None:
    assert page.title() == "Segmentation scores"
    expect(page.get_by_role("heading", level=1)).to_have_text("Segmentation scores")
    assert page.locator("html").get_attribute("lang")


#: For each tab what is changed in it, by label; a radio button is chosen.
CHANGES = {
    "Score": {"Reference": "约翰 喜欢\n#+−|&=%", "Prediction": "约翰喜欢\n#+−|&=%"},
    "Threshold": {"Reference": "ab c", "Boundary scores": "0.25 0.75"},
    "Difficulty": {"Reference": "ab c", "Prediction": "a bc", "Difficulties": "0.5 0.25"},
    "Alignment": {"Reference": "[0]:[0,1]", "Prediction": "[0]:[0]", "Source segments": "", "Target segments": ""},
    "Learn": {"Language": "Chinese", "Segmenter": "S3"},
}


@pytest.mark.parametrize("tab", TABS)
def test_a_link_brings_back_the_tab_its_fields_and_its_results(open_page: OpenPage, address: str, tab: str) -> None:
    page = open_page()
    panel = open_tab(page, tab)
    for label, value in CHANGES[tab].items():
        if tab == "Learn":
            panel.get_by_role("radio", name=value, exact=True).check()
        else:
            box(panel, label).fill(value)
    if tab == "Score":
        unfold(panel, "Options")
        panel.get_by_role("checkbox", name="word types", exact=True).uncheck()
        panel.get_by_role("checkbox", name="95 % intervals").check()
    if tab == "Threshold":
        panel.get_by_role("slider").press("Home")
    panel.locator("button.primary").click()
    # Other results of some of the changes may be there before.
    page.wait_for_function(
        """([tab, values]) => {
            const scored = [...(window.segscores.scored[tab] ?? [])];
            const take = (value) => scored.includes(value) && scored.splice(scored.indexOf(value), 1);
            return values.every(take) && !window.segscores.running[tab];
        }""",
        arg=[tab.lower(), list(CHANGES[tab].values())],
    )
    expect(panel.locator(".results", has_text=expected_result(tab)).first).to_be_visible()
    if tab == "Score":
        expect(panel.locator("tr", has_text="type_")).to_have_count(0)
    click(panel, "Copy a link")
    expect(page).to_have_url(re.compile("#."))
    expect(box(panel, "Link")).to_have_value(page.url)
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    assert link.startswith(f"{address}/#")

    other = panel_of(open_page(hash=link.removeprefix(f"{address}/"), ready="body"))
    expect(other.page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
    expect(other.locator(".results", has_text=expected_result(tab)).first).to_be_visible()
    for label, value in CHANGES[tab].items():
        if tab == "Learn":
            expect(other.get_by_role("radio", name=value, exact=True)).to_be_checked()
        else:
            expect(box(other, label)).to_have_value(value)
    if tab == "Score":
        unfold(other, "Options")
        expect(other.get_by_role("checkbox", name="word types", exact=True)).not_to_be_checked()
        expect(other.get_by_role("checkbox", name="95 % intervals")).to_be_checked()
        expect(other.get_by_role("checkbox", name="word tokens", exact=True)).to_be_checked()
        expect(other.locator("tr", has_text="type_")).to_have_count(0)
    if tab == "Threshold":
        expect(other.get_by_role("slider")).to_have_value("0")


def expected_result(tab: str) -> str | re.Pattern[str]:
    """What the results of CHANGES have."""
    results: dict[str, str | re.Pattern[str]] = {
        "Score": "约翰+喜欢",
        "Threshold": re.compile(r"At λ = 0(?!\.)"),
        "Difficulty": "0 of 2 words recovered",
        "Alignment": "missed: 0 to 1",
        "Learn": "S3 finds two of three words",
    }
    return results[tab]


@pytest.mark.parametrize(
    "hash_",
    [
        "#garbage",
        "#" + "A" * 100_000,
        "#%00%ff<script>",
        "#%3Cimg%20src=x%20onerror=document.title=1%3E",
        packed("text"),
        packed([1, 2]),
        packed({"tab": "__proto__", "fields": {"reference": "x"}}),
        packed({"tab": "<img src=x onerror=document.title=1>", "fields": {}}),
        packed(
            {
                "tab": "score",
                "fields": {"reference": {"toString": "a"}, "prediction": None, "form": ["words"], "scores": "token"},
            }
        ),
        packed({"tab": "score", "fields": {"form": "of no kind", "scores": ["of no kind"]}}),
        packed({"tab": "score", "fields": {"reference": "a" * 20_000_000}}),
    ],
    ids=[
        "letters",
        "too long",
        "signs",
        "markup",
        "no object",
        "list",
        "prototype",
        "no tab",
        "types",
        "choices",
        "bomb",
    ],
)
def test_a_link_with_nonsense_shows_the_example_and_says_so(open_page: OpenPage, hash_: str) -> None:
    page = open_page(hash=hash_)
    panel = panel_of(page)
    expect(page.get_by_role("tab", name="Score", exact=True)).to_have_attribute("aria-selected", "true")
    reference, prediction = (box(panel, label).input_value() for label in ("Reference", "Prediction"))
    assert reference.startswith("the dog is on the boat\n")
    expect_scores(panel, scores_of(reference, prediction))
    expect(page.locator(".notice")).to_contain_text(re.compile("This link can't be read|ignored"))
    unfold(panel, "Options")
    expect(panel.get_by_role("radio", name="recognise", exact=True)).to_be_checked()
    expect(page).to_have_title("Segmentation scores")


def test_a_number_that_is_out_of_range_in_a_link_is_ignored(open_page: OpenPage) -> None:
    page = open_page(hash=packed({"tab": "threshold", "fields": {"ratio": 1e9}}), ready="body")
    expect(panel_of(page).get_by_role("heading", name="At λ = 0.25")).to_be_visible()
    expect(panel_of(page).get_by_role("slider")).to_have_value("0.25")


def test_a_text_that_no_link_holds_is_told(page: Page) -> None:
    drawn = random.Random(5)
    text = "".join(chr(drawn.randrange(0x4E00, 0x9F00)) for _ in range(40_000))
    for label in ("Reference", "Prediction"):
        box(panel_of(page), label).fill(text)
    # As long as this, it is scored when the visitor says so.
    click(panel_of(page), "Score")
    expect(panel_of(page).get_by_text("1 of 1")).to_be_visible()
    click(panel_of(page), "Copy a link")
    expect(box(panel_of(page), "Link")).to_have_value(re.compile("The link would have [0-9]+ characters"))
    assert "#" not in page.url


def test_a_screen_reader_hears_what_is_wrong(page: Page) -> None:
    panel = panel_of(page)
    box(panel, "Prediction").fill("the cat")
    click(panel, "Score")
    expect(panel.get_by_role("alert")).to_contain_text("predictions")


@pytest.mark.parametrize(
    ("tab", "label"),
    [
        *(("Threshold", "Reference"), ("Threshold", "Boundary scores"), ("Difficulty", "Reference")),
        *(("Difficulty", "Prediction"), ("Alignment", "Reference"), ("Alignment", "Prediction")),
    ],
)
def test_a_box_that_is_empty_is_waited_for(page: Page, tab: str, label: str) -> None:
    panel = open_tab(page, tab)
    box(panel, label).fill("")
    panel.locator("button.primary").click()
    expect(panel.locator(".waiting")).to_contain_text(f"Waiting for {label.lower()}")
    expect(panel.locator(".results :is(table, li, svg)")).to_have_count(0)
    expect(panel.locator(".problem")).to_have_count(0)
