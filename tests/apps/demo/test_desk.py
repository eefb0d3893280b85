"""The desk: one prediction is scored, several are compared, and what a visitor needs next is a click away."""

from __future__ import annotations

import json
import shlex
import zipfile
from pathlib import Path

import pytest

from segscores.apps.demo.answers import answer
from segscores.apps.demo.examples import EXAMPLES
from segscores.scoring.measures.registry import GROUPS
from segscores.statistics.clusters import MIN_CLUSTERS

from ...optional import Page, expect
from ...recordings import textgrid
from ..command.running import run_command
from .conftest import NARROW, WIDE, OpenPage, copy, drop
from .desk import headline, type_pair

GOLD = "the dog is here\nlook at her"
#: The copy buttons, and the texts beside them.
COPIED = [["#desk .copyable button", f"#desk .copyable {text}"] for text in ("pre", "p")]
#: The pairs of selectors of which elements lie above each other, by more than the corners of their frames.
COVERED = """(pairs) => pairs.filter(([button, text]) => {
  const frames = (selector) => [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
  const areBeside = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 6 || b.bottom <= a.top + 6;
  return frames(button).some((a) => a.width && frames(text).some((b) => b.width && !areBeside(a, b)));
})"""


def boxes(page: Page) -> list[str]:
    """The texts of the boxes that are to be seen."""
    return [box.input_value() for box in page.locator("#desk .box:visible textarea").all()]


def test_a_second_prediction_keeps_what_is_there_and_compares(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    type_pair(page, GOLD, "thedog is here\nlook at her")
    headline(page).to_contain_text("5 of 7 words found")
    expect(page.get_by_label("Name of Prediction A")).to_be_hidden()
    page.get_by_role("button", name="Add a prediction").click()
    expect(page.locator("#desk-prediction_b")).to_be_focused()
    expect(page.get_by_label("Prediction B", exact=True)).to_be_focused()
    page.keyboard.insert_text("the dog ishere\nlookat her")
    headline(page).to_contain_text("Word F-score: A 0.7692 · not distinguishable: B")
    assert boxes(page) == [GOLD, "thedog is here\nlook at her", "the dog ishere\nlookat her"]
    page.get_by_label("Name of Prediction B").fill("bigram")
    headline(page).to_contain_text("bigram")
    expect(page.locator("#desk .copyable pre").first).to_contain_text(
        "segscores compare reference.txt A=prediction.txt bigram=bigram.txt"
    )
    # One alone has its drawing, whose gaps change its own box.
    page.locator("#desk .views").get_by_role("button", name="bigram").click()
    headline(page).to_contain_text("3 of 7 words found")
    page.locator("#desk .utterances > li").first.hover()
    page.get_by_role("button", name="Cut after character 8 of line 1").click()
    headline(page).to_contain_text("5 of 7 words found")
    assert boxes(page)[1:] == ["thedog is here\nlook at her", "the dog is here\nlookat her"]
    link = copy(page, "Copy link", "http")
    other = open_page(at=link[link.index("#") :])
    expect(other.locator("#desk .views [aria-pressed=true]")).to_have_text("bigram")
    page.get_by_role("button", name="All systems").click()
    headline(page).to_contain_text("Word F-score")
    # Without the second the first is scored as before.
    page.get_by_role("button", name="Remove Prediction B").click()
    headline(page).to_contain_text("5 of 7 words found")
    assert boxes(page) == [GOLD, "thedog is here\nlook at her"]
    page.locator("#desk [data-undo]").click()
    headline(page).to_contain_text("Word F-score")


def test_files_are_added_to_what_is_there_and_a_reference_begins_anew(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    # Of the example nothing stays.
    drop(page, "footer", {"one.txt": "thedog is here\nlook at her", "gold.txt": GOLD})
    headline(page).to_contain_text("5 of 7 words found")
    drop(page, "footer", {"two.txt": "the dog is here\nlookat her"})
    headline(page).to_contain_text("Word F-score: one.txt")
    assert boxes(page) == [GOLD, "thedog is here\nlook at her", "the dog is here\nlookat her"]
    drop(page, "footer", {"a": "a bc", "gold": "a b c", "b": "ab c", "c": "abc"})
    expect(page.locator("#desk .problems")).to_contain_text("at least two utterances")
    assert boxes(page) == ["a b c", "a bc", "ab c", "abc"]


def test_systems_are_opened_at_once_and_ordered_by_a_score(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(at="#desk")
    panel = page.locator("#desk")
    panel.get_by_role("button", name="Clear", exact=True).click()
    expect(panel.locator(".box:visible")).to_have_count(2)
    texts = {"gold": "a b c\nd e", "one": "a b c\nde", "two": "ab c\nd e", "three": "abc\nd e", "four": "a bc\nd e"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    panel.locator("input[type=file]").first.set_input_files([tmp_path / name for name in texts])
    expect(panel.locator(".box:visible")).to_have_count(5)
    headline(page).to_contain_text("Word F-score: one")
    header = panel.locator(".systems").get_by_role("button", name="Boundary precision (with edges)")
    header.press("Enter")
    headline(page).to_contain_text("Boundary precision (with edges):")
    expect(header).to_be_focused()
    header.press("Enter")
    expect(panel.locator(".systems th").nth(1)).to_have_attribute("aria-sort", "ascending")
    drop(page, "footer", {str(number): "a b c\nd e" for number in range(8)})
    expect(page.locator(".notice")).to_have_text("There is no box for 6, 7.")


def test_systems_stand_above_each_other_and_a_click_shows_one(open_page: OpenPage) -> None:
    # The address that the comparison had once has its example.
    page = open_page(at="#compare")
    items = page.locator("#desk .side > li")
    expect(items).to_have_count(12)
    cut = """(item) => [...item.querySelectorAll('[dir]')].map((line) => [...line.querySelectorAll('b')].map(
        (piece) => [piece.textContent, Math.round(piece.getBoundingClientRect().left)]))"""
    for item in items.all():
        first, *others = item.evaluate(cut)
        assert all(other == first for other in others)
    # In lines 2, 4, 6, 9 and 11 "bigram" joins two words that "syllables" has.
    filters = page.locator("#desk").get_by_role("form", name="Filter the lines")
    filters.get_by_label("Lines with a word right in").select_option("syllables")
    filters.get_by_label("and wrong in").select_option("bigram")
    places = page.locator("#desk .side > li:visible .place")
    assert sorted(map(int, places.all_inner_texts())) == [2, 4, 6, 9, 11]
    expect(filters.get_by_role("status")).to_have_text("5 of 12 lines")
    number = places.last.inner_text()
    page.locator("#desk .side > li:visible").last.get_by_role("button", name="unigram").click()
    expect(page.locator("#desk .views [aria-pressed=true]")).to_have_text("unigram")
    line = page.locator("#desk .utterances > li", has=page.locator(".place", has_text=number)).first
    expect(line).to_be_focused()
    expect(line).to_be_in_viewport()


def test_intervals_are_on_from_enough_lines_and_switched(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    switch = page.get_by_role("switch", name="95 % intervals")
    command = page.locator("#desk .copyable pre").first
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "true")
    expect(switch).to_be_focused()
    expect(command).to_contain_text("--confidence 0.95")
    page.locator("#desk [data-undo]").click()
    expect(switch).to_have_attribute("aria-checked", "false")
    lines = [f"line {number} cut here" for number in range(MIN_CLUSTERS)]
    type_pair(page, "\n".join(lines[1:]), "\n".join(lines[1:]).replace("1 cut", "1cut"))
    headline(page).to_contain_text(f"{4 * (MIN_CLUSTERS - 1)} words found")
    expect(switch).to_have_attribute("aria-checked", "false")
    type_pair(page, "\n".join(lines), "\n".join(lines).replace("1 cut", "1cut"))
    expect(switch).to_have_attribute("aria-checked", "true")
    expect(page.locator("#desk .figure[data-explain=token_recall] small")).to_contain_text(" to ")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    expect(command).not_to_contain_text("--confidence")


def test_texts_and_command_come_as_one_archive(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_page(at="#compare")
    expect(page.locator("#desk .systems")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Texts and command (zip)").click()
    download.value.save_as(tmp_path / "all.zip")
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("all.zip") as archive:
        archive.extractall()
    readme = Path("segscores/README.txt").read_text("utf-8")
    command = next(line for line in readme.splitlines() if line.startswith("segscores compare"))
    assert "syllables=syllables.txt" in command
    run_command(*shlex.split(command)[1:], "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    printed.pop("record")
    assert printed == json.loads(Path("segscores/scores.json").read_text("utf-8"))
    assert Path("segscores/table.tex").read_text("utf-8").startswith("% Needs \\usepackage{booktabs}.")
    assert "\\citep{segscores}" in Path("segscores/methods.tex").read_text("utf-8")
    assert Path("segscores/citation.bib").read_text("utf-8").startswith("@software{segscores")


TWENTY = "the dog is here\nit sees a cat\n" * MIN_CLUSTERS
TYPED = {**EXAMPLES["desk"]["English"], "intervals": "auto", "confidence": "0.9"}


@pytest.mark.parametrize(
    ("tab", "values", "told", "not_told"),
    [
        ("desk", TYPED, ['aria-checked="true" data-set="confidence=">90 % intervals', "--confidence 0.9"], []),
        # Intervals need two lines.
        ("desk", {"reference": "a b", "prediction": "a b"}, [], ['role="switch"']),
        ("desk", {"reference": "a\nb c", "prediction": "a\nb c"}, ['role="switch"'], []),
        # A program has the intervals that it asks for.
        *((tab, {"reference": TWENTY, "prediction": TWENTY}, [], ["--confidence"]) for tab in ("score", "desk")),
    ],
)
def test_intervals_are_those_that_are_asked_for(
    tab: str, values: dict[str, str], told: list[str], not_told: list[str]
) -> None:
    found = answer(tab, values).html or ""
    assert [each in found for each in (*told, *not_told)] == [*[True] * len(told), *[False] * len(not_told)]


def test_other_scores_are_one_click_away_by_the_names_that_people_use(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    further = page.locator("#desk .further")
    further.get_by_role("button", name="Pk, WindowDiff").click()
    expect(page.locator("#desk .board")).to_contain_text("WindowDiff")
    chosen = further.get_by_role("button", name="Pk, WindowDiff")
    expect(chosen).to_have_attribute("aria-pressed", "true")
    further.get_by_role("button", name="ARI", exact=True).click()
    expect(page.locator("#desk .board")).to_contain_text("Adjusted Rand index")
    chosen.click()
    expect(page.locator("#desk .board")).not_to_contain_text("WindowDiff")
    page.locator("#desk .intro").get_by_role("button", name="Three segmenters").click()
    expect(page.locator("#desk .systems")).to_contain_text("Adjusted Rand index")
    further.get_by_role("button", name="Kappa, pi").click()
    expect(page.locator("#desk .systems")).to_contain_text("Cohen's kappa")


def test_every_score_that_is_offered_can_be_computed() -> None:
    tagged = {"reference": "the/D dog/N\na/D cat/N", "prediction": "the/D do/V g/N\na/D cat/N", "text_format": "tagged"}
    for values in (EXAMPLES["desk"]["English"], EXAMPLES["desk"]["Phonemes"], tagged):
        found = answer("desk", values).html or ""
        names = [name for name in GROUPS if f'data-group="{name}"' in found]
        assert ("tagged_token" in names) == (values is tagged)
        scored = answer("desk", {**values, "scores": ",".join(names)})
        assert scored.problem == ""
        for name in names:
            assert any(f'data-explain="{key}"' in (scored.html or "") for key in GROUPS[name].keys), name


def test_an_option_shows_when_a_text_has_the_form_that_needs_it(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    page.locator("#desk .more summary").click()
    token, trials = page.locator("#desk [name=word_boundary]"), page.locator("#desk [name=n_trials]")
    expect(page.locator("#desk [name=joiner]")).to_be_visible()
    expect(token).to_be_hidden()
    page.locator("#desk .intro").get_by_role("button", name="Phonemes").click()
    expect(token).to_be_visible()
    expect(page.locator("#desk [name=joiner]")).to_be_hidden()
    expect(trials).to_be_hidden()
    page.locator("#desk .intro").get_by_role("button", name="Three segmenters").click()
    expect(trials).to_be_visible()
    expect(token).to_be_hidden()


def test_ignore_case_is_offered_where_there_is_case(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    ignore = page.locator("#desk [data-lower]")
    expect(ignore).to_be_hidden()
    type_pair(page, "The dog", "the dog")
    expect(ignore).to_be_visible()
    ignore.click()
    headline(page).to_contain_text("2 of 2 words found")
    expect(ignore).to_be_hidden()


def test_links_of_the_tabs_that_the_desk_has_become_open(open_page: OpenPage) -> None:
    page = open_page(at="#score")
    headline(page).to_contain_text("10 of 17 words found")
    pack = """async (values) => {
      const text = new Blob([JSON.stringify({ version: '0.2.0', values })]);
      const stream = text.stream().pipeThrough(new CompressionStream('deflate-raw'));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    }"""
    lines = [f"line {number} cut here" for number in range(MIN_CLUSTERS)]
    sides = {"reference": "\n".join(lines), "prediction": "\n".join(lines)}
    other = open_page(at="#score=" + page.evaluate(pack, {**sides, "scores": "token"}))
    headline(other).to_contain_text(f"{4 * MIN_CLUSTERS} words found")
    # It has the numbers that it had, without intervals.
    expect(other.get_by_role("switch")).to_have_attribute("aria-checked", "false")
    expect(other.locator(".notice")).to_contain_text("of a link made with version 0.2.0")
    systems = {"reference": "a b c\nd e", "prediction_a": "a bc\nd e", "prediction_a.name": "x", "prediction_b": "a b c\nd e",
               "prediction_b.name": "y"}  # fmt: skip
    other = open_page(at="#compare=" + page.evaluate(pack, systems))
    headline(other).to_contain_text("Word F-score: y 1.0000")
    assert boxes(other) == ["a b c\nd e", "a bc\nd e", "a b c\nd e"]
    posted = other.evaluate("""async (values) => (await fetch('answer/compare', { method: 'POST', body: JSON.stringify(values),
      headers: { 'Content-Type': 'application/json' } })).json()""",
                            {**systems, "prediction": "a bc\nd e", "prediction.name": "x"})  # fmt: skip
    assert json.dumps(posted["html"]).count("Word F-score") > 0


def test_the_option_that_an_error_names_can_be_set(open_page: OpenPage) -> None:
    page = open_page(at="#desk")
    words = [(0.0, 0.5, "the"), (0.5, 1.0, "dog")]
    type_pair(page, textgrid({"Wort": words, "Laut": words}, 1.0), textgrid({"words": words, "phones": words}, 1.0))
    expect(page.locator("#desk .problem")).to_contain_text("choose it with Tier")
    page.locator("#desk .more summary").first.click()
    page.get_by_label("Tier", exact=True).fill("Wort,words")
    headline(page).to_contain_text("2 of 2 words found")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["desktop", "phone"])
def test_no_button_covers_a_text(open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page(size, at="#desk")
    type_pair(page, GOLD, "thedog is here\nlook at her")
    headline(page).to_contain_text("5 of 7 words found")
    for summary in page.locator("#desk details.copyable summary").all():
        summary.click()
    covered = page.evaluate(COVERED, [["#desk .switch", "#desk .board thead th"], *COPIED])
    assert covered == []
    wider = (
        "document.querySelector('#desk .headline').scrollWidth - document.querySelector('#desk .headline').clientWidth"
    )
    assert page.evaluate(wider) <= 0, "the numbers that stay in view are cut off"
