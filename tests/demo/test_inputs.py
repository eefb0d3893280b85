"""What stands in the boxes is what is scored: typing, files, JSON lines, forms, links and reloads, as a visitor does them."""

from __future__ import annotations

import bz2
import gzip
import re

import pyarrow as pa
import pytest

from ..naive import naive_scores
from ..optional import FilePayload, Locator, Page, expect
from .conftest import NARROW, OpenPage
from .visitor import (
    below,
    box,
    choose,
    click,
    column,
    conllu,
    expect_scores,
    json_lines,
    open_tab,
    panel_of,
    paste,
    scores_of,
    unfold,
    words,
)

REFERENCE, PREDICTION = "约翰 喜欢 玛丽\n他 笑 了", "约翰 喜欢 玛 丽\n他 笑了"


@pytest.fixture
def panel(page: Page) -> Locator:
    """The tab Score, when its first results are there and typing is heard."""
    panel = panel_of(page)
    expect(panel.locator(".headline")).to_contain_text("10 of 17")
    expect(panel).to_have_attribute("data-state", "")
    return panel


def open_file(panel: Locator, label: str, name: str, content: bytes) -> None:
    """Choose a file for a box."""
    payload: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    column(panel, label).locator("input[type=file]").set_input_files(payload)


def chip(panel: Locator) -> Locator:
    return panel.locator(".file-chip")


# Typing.


def test_the_result_stands_first_and_is_seen_without_scrolling(panel: Locator) -> None:
    """10 of 17 words: the + dog, lit − tle, do + you and sit + down are missed."""
    expect(panel.locator(".headline")).to_have_text(
        "10 of 17 words found · word F 0.63 · boundary F 0.85 · type F 0.64"
    )
    for part in (box(panel, "Reference"), panel.locator(".headline"), panel.locator(".utterances li").last):
        expect(part).to_be_in_viewport()


def test_on_a_phone_the_result_is_a_short_scroll_away(open_page: OpenPage) -> None:
    panel = panel_of(open_page(size=NARROW))
    expect(panel.locator(".headline")).to_be_in_viewport()
    last = panel.locator(".utterances li").last.bounding_box()
    assert last
    assert last["y"] + last["height"] < 2 * NARROW[1]


def test_scores_follow_what_is_typed(panel: Locator) -> None:
    box(panel, "Prediction").press("Control+End")
    # At the end of the last line: `sitdown` becomes `sit down`.
    for _ in range(4):
        box(panel, "Prediction").press("ArrowLeft")
    box(panel, "Prediction").press("Space")
    expect(panel.locator(".headline")).to_contain_text("12 of 17")
    prediction = box(panel, "Prediction").input_value()
    assert prediction.endswith("sit down")
    expect_scores(panel, scores_of(box(panel, "Reference").input_value(), prediction))
    box(panel, "Prediction").press("Backspace")
    expect(panel.locator(".headline")).to_contain_text("10 of 17")


def test_a_long_text_waits_for_the_button_and_old_results_are_marked(panel: Locator) -> None:
    text = "the dog\n" * 8000
    paste(panel, "Reference", text)
    expect(panel).to_have_attribute("data-state", "stale")
    expect(panel.get_by_role("status").filter(has_text="Inputs changed")).to_be_visible()
    # What is there is still that of the example, and does not look like a result of now.
    expect(panel.locator(".headline")).to_contain_text("10 of 17")
    assert panel.locator(".results").first.evaluate("element => getComputedStyle(element).opacity") < "0.6"
    paste(panel, "Prediction", text)
    box(panel, "Prediction").press("Control+Enter")
    expect(panel.locator(".headline")).to_contain_text("16,000 of 16,000")
    expect(panel).not_to_have_attribute("data-state", "stale")


def test_empty_boxes_wait_without_an_error(panel: Locator) -> None:
    box(panel, "Prediction").fill("")
    expect(panel.locator(".waiting")).to_contain_text("Waiting for prediction")
    box(panel, "Reference").fill("")
    expect(panel.locator(".waiting")).to_contain_text("Waiting for reference and prediction")
    expect(panel.locator(".problem")).to_have_count(0)
    expect(panel.locator(".results :is(table, li, pre, a)")).to_have_count(0)


def test_an_error_is_tied_to_its_field_and_counts_from_1(panel: Locator) -> None:
    box(panel, "Prediction").fill("the dog is on the boat\nlook at the little cat\ndo you want to sit down")
    problem = below(panel, "Prediction")
    expect(problem).to_contain_text("utterance 2: the units differ")
    field = box(panel, "Prediction")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_attribute("aria-describedby", str(problem.get_attribute("id")))
    expect(box(panel, "Reference")).to_have_attribute("aria-invalid", "false")


# Forms.


def test_the_tokens_of_units_text_are_read_whatever_the_form_says(panel: Locator) -> None:
    unfold(panel, "Options")
    expect(panel.get_by_role("radio", name="recognise")).to_be_checked()
    box(panel, "Word boundary").fill("#")
    box(panel, "Reference").fill("a b # c")
    box(panel, "Prediction").fill("a # b c")
    expect_scores(panel, naive_scores([["ab", "c"]], [["a", "bc"]]))
    expect(below(panel, "Reference")).to_contain_text("units separated by spaces, # between words")
    panel.get_by_role("radio", name="words", exact=True).check()
    expect(panel.locator(".problem")).to_contain_text("word boundary and ignored tokens are for units text")


def test_each_box_of_a_mixed_pair_says_how_it_was_read(panel: Locator) -> None:
    box(panel, "Reference").fill(conllu(REFERENCE))
    box(panel, "Prediction").fill(PREDICTION)
    expect_scores(panel, scores_of(REFERENCE, PREDICTION))
    expect(below(panel, "Reference")).to_contain_text("Read as CoNLL-U")
    expect(below(panel, "Prediction")).to_contain_text("Read as words separated by spaces")


def test_of_json_lines_a_column_is_scored_and_another_can_be_chosen(panel: Locator) -> None:
    box(panel, "Reference").fill(json_lines("reference", REFERENCE, note="x y"))
    box(panel, "Prediction").fill(json_lines("prediction", PREDICTION, note="x y"))
    expect_scores(panel, scores_of(REFERENCE, PREDICTION))
    expect(below(panel, "Reference")).to_contain_text(
        "Read as JSON lines, reference: words separated by spaces: 2 utterances, 6"
    )
    # Another column, by its name.
    choices = panel.locator(".column-choice input")
    for choice in (choices.nth(0), choices.nth(1)):
        choose(choice, "note")
    expect_scores(panel, scores_of("x y\nx y", "x y\nx y"))


# Files.


TEXT = f"{REFERENCE}\n".encode()
FILES = {
    "reference.txt": TEXT,
    "reference": TEXT,
    "reference.utf8": TEXT,
    "reference.md": b"\xef\xbb\xbf" + TEXT,
    "reference.txt.gz": gzip.compress(TEXT),
    "reference.txt.bz2": bz2.compress(TEXT),
    "reference.txt.zst": pa.compress(TEXT, "zstd", asbytes=True),
    "reference.conllu": conllu(REFERENCE).encode(),
    "reference.jsonl": json_lines("reference", REFERENCE).encode(),
}


def test_files_of_every_kind_are_read(panel: Locator) -> None:
    for name, content in FILES.items():
        box(panel, "Reference").fill("")
        box(panel, "Prediction").fill(PREDICTION)
        open_file(panel, "Reference", name, content)
        expect(box(panel, "Reference")).to_have_value(re.compile("约翰"))
        expect_scores(panel, scores_of(REFERENCE, PREDICTION))


def test_a_long_file_stands_in_the_place_of_its_text_until_it_is_removed(panel: Locator) -> None:
    text = "\n".join([" ".join(["ab c"] * 75)] * 200)
    for number, label in enumerate(("Reference", "Prediction"), 1):
        field = box(panel, label)
        if number == 2:
            expect(field).to_have_value("")
        field.page.locator(".text-box").nth(number - 1).locator("input[type=file]").set_input_files(
            {"name": f"{label.lower()}.txt", "mimeType": "text/plain", "buffer": text.encode()}
        )
        expect(chip(panel)).to_have_count(number)
        # No box stands there that holds something else.
        expect(field).to_have_count(0)
    expect(chip(panel).first).to_have_text("Reference reference.txt 74,999 bytes, 74,999 characters")
    expect(panel.locator(".headline")).to_contain_text("30,000 of 30,000")
    # The chip names the file as the visitor does, and has no link that the server would not answer.
    expect(panel.locator(".file-chip a")).to_have_count(0)
    assert "/tmp" not in panel.inner_text()
    click(panel, "Copy a link")
    expect(box(panel, "Link")).to_have_value(re.compile(r"A link can't hold the file reference\.txt"))
    for label, waiting in (("Reference", "reference."), ("Prediction", "reference and prediction.")):
        column(panel, label).get_by_role("button", name="Remove the file").click()
        expect(box(panel, label)).to_be_visible()
        expect(panel.locator(".waiting")).to_contain_text(f"Waiting for {waiting}")
    expect(chip(panel)).to_have_count(0)


# Links and reloads.


def test_a_link_that_is_opened_in_an_open_page_is_shown_there(panel: Locator) -> None:
    box(panel, "Prediction").fill(box(panel, "Reference").input_value())
    expect(panel.locator(".headline")).to_contain_text("17 of 17")
    click(panel, "Copy a link")
    expect(panel.page).to_have_url(re.compile("#."))
    link = panel.page.url.partition("#")[2]
    box(panel, "Prediction").fill("thedog is on the boat\nlook at the little dog\ndo you want to sit down")
    expect(panel.locator(".headline")).to_contain_text("15 of 17")
    panel.page.evaluate("location.hash = 'damaged'")
    expect(panel.page.locator(".notice")).to_contain_text("This link can't be read: it is damaged")
    panel.page.evaluate("link => { location.hash = link; }", link)
    expect(panel.locator(".headline")).to_contain_text("17 of 17")
    expect(panel.page.locator(".notice")).to_have_count(0)


def test_the_tab_that_was_open_and_its_text_survive_a_reload(panel: Locator) -> None:
    page = panel.page
    learn = open_tab(page, "Learn")
    learn.get_by_role("radio", name="S3", exact=True).check()
    expect(learn.get_by_role("heading", name="S3", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("tab", name="Learn", exact=True)).to_have_attribute("aria-selected", "true")
    expect(panel_of(page).get_by_role("heading", name="S3", exact=True)).to_be_visible()


# Errors to explore.


def test_utterances_are_ordered_filtered_searched_and_jumped_to(panel: Locator) -> None:
    reference = "a b\nc d\ne f g\nh i"
    prediction = "a b\ncd\ne fg\nh i"
    assert [len(line) for line in words(reference)] == [2, 2, 3, 2]
    box(panel, "Reference").fill(reference)
    box(panel, "Prediction").fill(prediction)
    places = panel.locator("#drawing-score .place")
    expect(places).to_have_text(["1", "2", "3", "4"])
    panel.get_by_role("checkbox", name="errors only").check()
    expect(places).to_have_text(["2", "3"])
    panel.get_by_role("radio", name="worst first").check()
    # Of `c d` no word is found, of `e f g` one.
    expect(places).to_have_text(["2", "3"])
    panel.get_by_role("checkbox", name="errors only").uncheck()
    expect(places).to_have_text(["2", "3", "1", "4"])
    panel.get_by_role("radio", name="as in the text").check()
    panel.get_by_placeholder("From line").fill("3")
    expect(places).to_have_text(["3", "4"])
    panel.get_by_placeholder("From line").fill("5")
    expect(panel.locator(".problem")).to_contain_text("expected the number of a line from 1 to 4")
    panel.get_by_placeholder("From line").fill("")
    panel.get_by_placeholder("Search").fill("fg")
    expect(places).to_have_text(["3"])
    panel.get_by_placeholder("Search").fill("zz")
    expect(panel.get_by_text("No utterance matches.")).to_be_visible()


def test_the_words_that_go_wrong_most_are_listed(panel: Locator) -> None:
    box(panel, "Reference").fill("the dog\nthe cat\nthe dog")
    box(panel, "Prediction").fill("thedog\nthe cat\nthedog")
    tables_of_words = panel.locator(".words-that-go-wrong table")
    expect(tables_of_words.nth(0).locator("tbody tr")).to_have_text([re.compile("dog.*2.*2"), re.compile("the.*2.*3")])
    expect(tables_of_words.nth(1).locator("tbody tr")).to_have_text([re.compile("thedog.*2.*2")])
    expect(tables_of_words.nth(2).locator("tbody tr")).to_have_text([re.compile(r"the \| dog.*thedog.*2")])


# Groups, and what the page says of itself.


def test_every_group_of_two_texts_can_be_chosen_by_its_title_and_says_what_it_is(panel: Locator) -> None:
    unfold(panel, "Options")
    choices = panel.locator(".groups input[type=checkbox]")
    expect(choices).to_have_count(13)
    choice = panel.get_by_role("checkbox", name="agreement of two annotators")
    label = panel.locator(".groups label", has=panel.page.locator("input[name=agreement]"))

    def definition() -> str:
        return str(label.evaluate("e => { const s = getComputedStyle(e, '::after'); return s.display + s.content; }"))

    assert definition().startswith("none")
    choice.focus()
    assert definition().startswith("block")
    assert "corrected for chance" in definition()
    for each in choices.all():
        each.check()
    expect(panel.locator("tr.score", has_text="agreement_kappa")).to_be_visible()
    term = panel.get_by_role("button", name="pairs of units")
    term.focus()
    expect(panel.get_by_role("tooltip").filter(has_text="Pairs of units of an utterance")).to_be_visible()


def test_the_page_says_who_it_is_and_what_it_keeps(page: Page, address: str) -> None:
    source = page.request.get(address).text()
    assert '<meta property="og:title" content="Segmentation scores" />' in source
    assert "Click to try out the app" not in source
    assert 'content="Gradio"' not in source
    icon = page.request.get(f"{address}/favicon.ico")
    assert icon.headers["content-type"] == "image/svg+xml"
    head = page.locator(".masthead")
    for name in ("Documentation", "Paper", "Code"):
        assert (head.get_by_role("link", name=name).get_attribute("href") or "").startswith("https://")
    expect(head).to_contain_text("stay in the memory of this server")
    head.get_by_role("button", name="Cite").click()
    expect(page.get_by_role("heading", name="Citation", exact=True)).to_be_in_viewport()
