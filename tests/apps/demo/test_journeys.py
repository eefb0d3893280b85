"""Tests of what visitors do: type, open files, follow links, mend errors, click gaps, export and run what they exported."""

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
from .conftest import NARROW, WIDE, OpenPage, copy
from .desk import headline, type_pair

TABS = ("try", "desk", "threshold", "learn", "difficulty", "alignment")


def save(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.locator(".panel:visible .takeaway").get_by_role("button", name=button, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_the_first_load_is_small(address: str, open_page: OpenPage) -> None:
    page = open_page(at="")
    expect(page.locator("#try .told")).to_contain_text("You found 2 of 6 words")
    loaded = page.evaluate("[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                           ".map((each) => each.transferSize)")  # fmt: skip
    assert len(loaded) <= 4
    assert sum(loaded) <= 45_000


def box_of(page: Page, selector: str) -> dict[str, float]:
    """The place of what is last among the elements that are to be seen."""
    box = page.locator(f"{selector} >> visible=true").last.bounding_box()
    assert box
    return {**box, "bottom": box["y"] + box["height"]}


def test_the_result_is_what_is_seen_first(open_page: OpenPage) -> None:
    page = open_page((1280, 900))
    expect(page.locator("#desk .utterances > li")).to_have_count(3)
    assert box_of(page, "#desk .utterances > li")["bottom"] <= 900
    assert box_of(page, "#desk .board")["bottom"] <= 900
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert box_of(page, "#desk .takeaway >> text=Take away")["y"] < 1080
    phone = open_page(NARROW)
    assert box_of(phone, "#desk .utterances > li:first-child")["y"] + 60 <= box_of(phone, "#desk .headline")["y"]


def test_the_control_says_what_is_changed_and_a_link_brings_it(open_page: OpenPage) -> None:
    page = open_page()
    command, summary = page.locator("#desk .copyable pre").first, page.locator("#desk .more summary")
    expect(command).to_have_text("segscores score reference.txt prediction.txt")
    summary.click()
    expect(page.get_by_label("Window size").first).to_be_hidden()
    page.locator("#desk [value=windows]").check()
    page.get_by_label("Window size").first.fill("3")
    expect(summary).to_have_attribute("data-changed", "2 changed")
    expect(command).to_contain_text("--scores boundary_all,boundary_noedge,token,type,tnr,windows --window-size 3")
    # A section is computed when it is opened, and stays open.
    section = page.locator("#desk [data-section=scores]")
    section.locator("summary").click()
    expect(section).to_contain_text("window_diff")
    expect(section.locator("summary")).to_be_focused()
    page.get_by_label("Window size").first.fill("4")
    expect(command).to_contain_text("--window-size 4")
    expect(section).to_contain_text("window_diff")
    link = copy(page, "Copy link", "http")
    other = open_page(at=link[link.index("#") :])
    expect(other.locator("#desk .copyable pre").first).to_contain_text("--window-size 4")
    expect(other.locator(".notice")).to_have_text("These are the texts and options of a link.")


def test_scores_follow_what_is_typed(open_page: OpenPage) -> None:
    page = open_page()
    # A tab has the lines of its own text.
    page.get_by_text("More", exact=True).click()
    page.locator("#tab-threshold").click()
    expect(page.locator("#threshold .utterances > li").last).to_contain_text("she")
    page.locator("#tab-desk").click()
    type_pair(page, "the dog is on the boat", "")
    expect(page.locator("#desk .problems")).to_contain_text("Waiting for prediction")
    page.locator("#desk-prediction").press_sequentially("thedog is on the boat")
    headline(page).to_contain_text("4 of 6 words found")
    page.locator("#desk .more summary").click()
    page.locator("#desk [value=windows]").check()
    expect(page.locator("#desk .headline")).to_contain_text("Pk")
    page.locator("#desk-reference").fill("THE dog")
    page.locator("#desk-prediction").fill("the dog")
    page.locator("#desk .problems").get_by_role("button", name="Ignore case").click()
    headline(page).to_contain_text("2 of 2 words found")
    page.get_by_role("button", name="Clear", exact=True).click()
    assert page.locator("#desk-reference").input_value() == ""
    expect(page.locator("#desk .results")).to_be_empty()
    page.locator("#desk .problems").get_by_role("button", name="中文").click()
    headline(page).to_contain_text("words found")


def test_an_opened_file_keeps_its_name_and_the_exported_command_runs(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_page()
    files = {"reference": tmp_path / "my gold.txt", "prediction": tmp_path / "tagger.txt"}
    for box, text in (("reference", "a b\nc d\n"), ("prediction", "a b\ncd\n")):
        files[box].write_text(text, encoding="utf-8")
        page.locator(f"#desk [data-of={box}] input[type=file]").set_input_files(str(files[box]))
    headline(page).to_contain_text("2 of 4 words found")
    command = page.locator("#desk .copyable pre").first
    expect(command).to_contain_text("score 'my gold.txt' tagger.txt")
    monkeypatch.chdir(tmp_path)
    run_command(*shlex.split(command.inner_text())[1:], "--counts", "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    # The command's record has the digests of its files, which the page does not store.
    assert printed.pop("record")["command"].startswith("segscores score 'my gold.txt' tagger.txt")
    assert json.loads(save(page, "JSON", tmp_path).read_text("utf-8")) == printed
    assert save(page, "SVG", tmp_path).read_text("utf-8").startswith("<svg ")
    assert "tagger.txt" in save(page, "Report (HTML)", tmp_path).read_text("utf-8")
    page.locator("#desk .copyable button").first.click()
    expect(page.locator("#desk .copyable button").first).to_have_text("Copied ✓")
    assert page.evaluate("navigator.clipboard.readText()") == command.inner_text()


def test_a_table_offers_its_columns_and_two_files_take_their_roles(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    (tmp_path / "crf_output.csv").write_text("id,satz,wort\n1,thedog,a\n2,a cat,b\n", encoding="utf-8")
    (tmp_path / "gold.tsv").write_text("age\ttext\n3\tthe dog\n4\ta cat\n", encoding="utf-8")
    chooser = page.locator("#desk [data-of=reference] input[type=file]")
    chooser.set_input_files([tmp_path / "crf_output.csv", tmp_path / "gold.tsv"])
    # The names say which is the reference; the prediction has two columns of text.
    expect(page.locator("#desk .problems")).to_contain_text("Prediction: a table with the columns id, satz, wort")
    column = page.locator("#desk [data-of=prediction] [name='prediction.column']")
    options = page.locator("#desk-prediction-columns option")
    assert [option.get_attribute("value") for option in options.all()] == ["id", "satz", "wort"]
    column.fill("satz")
    headline(page).to_contain_text("2 of 4 words found")
    expect(page.locator("#desk [data-of=reference] .note")).to_contain_text("table, text")
    expect(page.locator("#desk .copyable pre").first).to_contain_text("gold.tsv crf_output.csv --columns text,satz")
    page.locator("#desk [data-swap]").click()
    headline(page).to_contain_text("2 of 3 words found")
    expect(page.locator("#desk .copyable pre").first).to_contain_text("crf_output.csv gold.tsv --columns satz,text")
    # Pasted rows of a table offer their columns too.
    page.get_by_role("button", name="Clear", exact=True).click()
    type_pair(page, "1\tthe dog\n2\ta cat\n3\ta dog", "the dog\na cat\na dog")
    page.locator("#desk [data-of=reference] [name='reference.column']").fill("2")
    headline(page).to_contain_text("6 of 6 words found")


def test_a_large_file_stays_out_of_its_box(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    for box in ("reference", "prediction"):
        path = tmp_path / f"{box}.txt"
        path.write_text("a\n" * 200_000, encoding="utf-8")
        page.locator(f"#desk [data-of={box}] input[type=file]").set_input_files(str(path))
    headline(page).to_contain_text("200,000 of 200,000 words found")
    expect(page.locator("#desk-reference")).to_be_hidden()
    page.get_by_role("button", name="Copy link").first.click()
    expect(page.locator(".notice")).to_contain_text("A link cannot hold the file reference.txt")
    # One that is too large for the page changes nothing.
    path.write_bytes(b"a\n" * 5_000_001)
    page.locator("#desk [data-of=prediction] input[type=file]").set_input_files(str(path))
    expect(page.locator("#desk .problems")).to_contain_text(
        "prediction.txt, 10,000,002 bytes: this page takes 10,000,000. "
        "The command reads it: segscores score REFERENCE PREDICTION"
    )
    headline(page).to_contain_text("200,000 of 200,000 words found")


def test_another_site_may_show_what_is_embedded_and_not_the_page(
    open_page: OpenPage, address: str, browser: Browser, tmp_path: Path
) -> None:
    page = open_page()
    type_pair(page, "a b c", "a bc")
    headline(page).to_contain_text("1 of 3 words found")
    frames = copy(page, "Copy embedding", "<iframe") + f'<iframe src="{address}/#desk"></iframe>'
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
            expect(embedded.locator("#desk .headline")).to_contain_text("1 of 3 words found")
            expect(embedded.locator("#desk-reference")).to_be_hidden()
            # It is as high as its frame, and leads to the page.
            heights = embedded.locator("html").evaluate("(root) => [root.scrollHeight, innerHeight]")
            assert heights[0] <= heights[1]
            expect(embedded.get_by_role("link", name="Open in Segmentation scores")).to_have_attribute(
                "href", re.compile("^/#desk=")
            )
            expect(whole.locator("#desk")).to_have_count(0)
            assert ["frame-ancestors" in each for each in said] == [True]
            other.context.close()
        finally:
            site.terminate()


@pytest.mark.parametrize("example", ["English", "中文", "ไทย", "Phonemes"])
def test_a_number_lights_up_what_it_counts(open_page: OpenPage, example: str) -> None:
    """As many words or boundaries as the fraction below the number has."""
    page = open_page()
    expect(page.locator("#desk .board")).to_be_visible()
    with page.expect_response("**/answer/desk"):
        page.locator("#desk .intro").get_by_role("button", name=example, exact=True).click()
    expect(page.locator("#desk .utterances b").first).to_contain_text(page.locator("#desk-reference").input_value()[0])
    for figure in page.locator("#desk .figure:not([data-explain=token_tnr])").all():
        figure.hover()
        right, whole = map(int, figure.locator("small").inner_text().split(" / "))
        lit = [page.locator(f"#desk .explained .lit.{kind}") for kind in ("right", "off")]
        counts = [int(each.inner_text().split()[0]) if each.count() else 0 for each in lit]
        assert counts == [right, whole - right], figure.get_attribute("data-explain")
    # A click keeps the light on while the text changes, and in a link.
    figure = page.locator("#desk .figure[data-explain=token_recall]")
    figure.click()
    page.locator("#desk-prediction").fill(page.locator("#desk-reference").input_value())
    expect(page.locator("#desk .explained .lit.off")).to_have_count(0)
    expect(page.locator("#desk .explained")).to_contain_text("Word recall = words right / words of the reference = ")
    expect(figure).to_have_attribute("aria-pressed", "true")
    link = copy(page, "Copy link", "http")
    expect(open_page(at=link[link.index("#") :]).locator("#desk .explained .lit.right")).to_be_visible()
    page.mouse.move(0, 0)
    figure.press("Escape")
    expect(page.locator("#desk .explaining")).to_have_count(0)


def test_an_opened_arabic_line_keeps_its_letters_joined_and_is_copied_with_a_link(open_page: OpenPage) -> None:
    page = open_page()
    type_pair(page, "كتاب جديد\nthe dog", "كتابجديد\nthedog")
    headline(page).to_contain_text("0 of 4 words found")
    line = page.locator("#desk .utterances > li").first
    line.hover()
    expect(line.locator("b").first).to_have_text("كت‍‍ا‍‍ب".replace("كت", "ك‍‍ت"))
    # Each line has its own direction, in the box and behind it.
    starts = page.locator("#desk [data-of=reference] .mirror .line").evaluate_all(
        "(lines) => lines.map((line) => getComputedStyle(line).unicodeBidi)"
    )
    assert starts == ["plaintext", "plaintext"]
    page.locator("#desk .utterances > li").last.hover()
    cited = copy(page, "Cite this example", "\\href{http")
    assert cited.startswith("\\href{" + page.url.partition("#")[0] + "\\#desk=")
    assert cited.endswith("}{كتاب $\\mathbf{+}$ جديد}")


def test_a_text_that_replaces_the_example_leaves_it(open_page: OpenPage, tmp_path: Path) -> None:
    def paste(text: str, box: str) -> None:
        page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        page.locator(f"#desk-{box}").focus()
        for keys in ("ControlOrMeta+A", "ControlOrMeta+V"):
            page.keyboard.press(keys)

    page = open_page()
    # Another segmentation of the example is scored with it.
    paste(page.locator("#desk-reference").input_value().replace(" ", ""), "prediction")
    headline(page).to_contain_text("0 of 17 words found")
    page.get_by_role("button", name="中文").click()
    paste("das ist gut", "reference")
    expect(page.locator("#desk .problems")).to_contain_text("Waiting for prediction. Or take an example")
    expect(page.locator("#desk-prediction")).to_have_value("")
    paste("dasist gut", "prediction")
    headline(page).to_contain_text("1 of 3 words found")
    # So does a file, but not a text of one's own.
    (tmp_path / "own.txt").write_text("er ist da")
    page.get_by_label("as Reference").first.set_input_files(tmp_path / "own.txt")
    expect(page.locator("#desk .problem")).to_be_visible()
    expect(page.locator("#desk-prediction")).to_have_value("dasist gut")


def test_a_damaged_link_says_so(open_page: OpenPage) -> None:
    page = open_page(at="#desk=abcdef")
    expect(page.locator(".notice")).to_contain_text("This link is damaged")
    headline(page).to_contain_text("10 of 17 words found")


def test_an_error_keeps_the_results_and_is_mended(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#desk-prediction").fill("the dog is on the boat\nlook at the litxle dog\ndo you want to sit down")
    expect(page.locator("#desk .results")).to_have_class("results scripted stale")
    headline(page).to_contain_text("10 of 17 words found")
    page.locator("#desk .places button").last.click()
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
    line = page.locator("#desk .utterances > li").first
    if size != NARROW:  # where lines are open from the start
        line.hover()
    line.get_by_role("button", name="Cut after character 3 of line 1: missed boundary").click()
    headline(page).to_contain_text("12 of 17 words found")
    assert page.locator("#desk-prediction").input_value().startswith("the dog is")
    page.keyboard.press("Enter")
    headline(page).to_contain_text("10 of 17 words found")
    # Who types by then keeps the focus.
    line.get_by_role("button", name="Cut after character 3 of line 1").evaluate(
        "(gap) => { gap.click(); document.querySelector('#desk-reference').focus() }"
    )
    headline(page).to_contain_text("12 of 17 words found")
    expect(page.locator("#desk-reference")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_a_line_is_copied_for_a_paper_and_what_is_chosen_stays(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#desk .utterances > li").first.hover()
    assert copy(page, "Copy LaTeX", "the") == "the $\\mathbf{+}$ dog $\\mid$ is $\\mid$ on $\\mid$ the $\\mid$ boat"
    # A few lines need no search.
    expect(page.get_by_label("Errors only")).to_be_hidden()
    type_pair(page, "a b\n" * 23 + "a b", "a b\n" * 23 + "ab")
    headline(page).to_contain_text("46 of 48 words found")
    expect(page.get_by_label("Errors only")).to_be_hidden()
    type_pair(page, "a b\n" * 24 + "a b", "a b\n" * 24 + "ab")
    page.get_by_label("Errors only").check()
    expect(page.locator("#desk .utterances > li")).to_have_count(1)


def test_lines_that_are_not_yet_drawn_are_found_and_counted(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    reference = [f"line {number} cut up here" for number in range(1, 61)]
    prediction = [line.replace("cut up", "cutup") for line in reference]
    prediction[44] = "li ne 45 cut up here"
    type_pair(page, "\n".join(reference), "\n".join(prediction))
    rows = page.locator("#desk .utterances > li")
    status = page.locator("#desk .lines .status")
    expect(status).to_have_text("1 to 25 of the 60 lines here.")
    expect(rows).to_have_count(25)
    page.get_by_role("button", name="Next", exact=True).click()
    expect(status).to_have_text("26 to 50 of the 60 lines here.")
    expect(rows.first.locator(".place")).to_have_text("26")
    # A cut in a line keeps its page.
    rows.first.hover()
    rows.first.get_by_role("button", name="Cut after character 9 of line 26").click()
    headline(page).to_contain_text("183 of 300 words found")
    expect(status).to_have_text("26 to 50 of the 60 lines here.")
    # So does a reload.
    page.reload()
    expect(status).to_have_text("26 to 50 of the 60 lines here.")
    type_pair(page, "\n".join(reference), "\n".join(prediction))
    page.get_by_label("Search", exact=True).fill("45")
    expect(status).to_have_text("1 to 1 of the 1 lines with “45”.")
    expect(page.get_by_label("Search", exact=True)).to_be_focused()
    # After a search, a key asks for what is in view alone.
    page.get_by_label("Search", exact=True).fill("line")
    expect(status).to_have_text("1 to 25 of the 60 lines with “line”.")
    with page.expect_response("**/answer/desk") as answered:
        page.locator("#desk-prediction").press("End")
        page.keyboard.press("Space")
    assert answered.value.json()["html"].count("<li><span class=place>") == 25
    # A number leads to its line, whatever the search was.
    page.get_by_label("Go to line").fill("45")
    page.get_by_label("Go to line").press("Enter")
    expect(status).to_have_text("26 to 50 of the 60 lines here.")
    expect(page.locator("#desk .utterances > li", has_text="li−ne")).to_be_focused()
    expect(page.get_by_label("Search", exact=True)).to_have_value("")
    page.locator("#desk .order").select_option("worst first")
    expect(rows.first.locator(".place")).not_to_have_text("45")
    # So does an example of an error, and a missed word shows its lines.
    page.locator("#desk [data-section=errors] summary").click()
    page.locator("#desk [data-go]").first.click()
    expect(page.locator("#desk .utterances > li:focus .place")).to_have_text("1")
    page.get_by_role("button", name="45", exact=True).or_(page.locator("#desk [data-find]").first).first.click()
    expect(status).to_contain_text("lines with “")
    # The types of the lines below are right if any line has them.
    page.reload()
    type_pair(page, "\n".join(reference), "\n".join(prediction))
    figure = page.locator("#desk .figure[data-explain=type_recall]")
    expect(figure).to_have_attribute("data-fraction", "64 / 64")
    figure.hover()
    expect(page.locator("#desk .explained .lit.right")).to_have_text("29 right")
    expect(page.locator("#desk .explained")).to_contain_text("in the lines below")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
def test_every_tab_is_accessible_and_none_scrolls_sideways(
    open_page: OpenPage, size: tuple[int, int], dark: bool
) -> None:
    page = open_page(size, dark=dark)
    # Each theme and each width meets all pages; their other pairs, those that people see most.
    every = (*TABS, "compare", "learn/table-1", "error")
    for tab in every if dark == (size == NARROW) else ("desk", "compare"):
        if tab == "error":
            page.locator("#tab-desk").click()
            page.locator("#desk .intro").get_by_role("button", name="English").click()
            page.locator("#desk-prediction").fill(
                "the dog is on the boat\nlook at the litxle dog\ndo you want to sit down"
            )
            expect(page.locator("#desk .places")).to_be_visible()
        else:
            page.evaluate(f"location.hash = '#{tab}'")
            panel = "desk" if tab == "compare" else tab.partition("/")[0]
            expect(page.locator(f"#{panel} .results > *").first).to_be_visible()
            expect(page.locator(f"#{panel} .problems")).to_be_empty()
            if tab == "compare":
                expect(page.locator("#desk .systems")).to_be_visible()
        if "/" in tab:
            expect(page.locator(".question h2")).to_be_focused()
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        expect(page.locator(".panel:visible [data-section] > summary:only-child")).to_have_count(0)
        found = Axe().run(page)
        assert found.violations_count == 0, (tab, found.generate_report())
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_the_results_stay_when_the_connection_is_lost(open_page: OpenPage) -> None:
    page = open_page()
    page.context.set_offline(True)
    page.route("**/answer/*", lambda route: route.abort("internetdisconnected"))
    page.locator("#desk-reference").evaluate(
        "(box) => { box.value = 'a'; box.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    expect(page.locator("#desk .problems")).to_contain_text("No connection")
    headline(page).to_contain_text("10 of 17 words found")


def test_results_of_cleared_texts_are_dropped_when_they_arrive(open_page: OpenPage) -> None:
    page = open_page()
    waiting: list[Any] = []

    def hold(route: Any) -> None:
        waiting.append(route)

    page.route("**/answer/*", hold, times=1)
    with page.expect_request("**/answer/*"):
        page.locator("#desk-prediction").fill(page.locator("#desk-reference").input_value())
    page.get_by_role("button", name="Clear").locator("visible=true").click()
    waiting[0].continue_()
    expect(page.locator("#desk .problems")).to_contain_text("Waiting for reference and prediction")
    expect(page.locator("#desk .results")).to_be_empty()
