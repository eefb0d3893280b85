"""The tab Compare, as a visitor uses it, and its endpoint."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from segscores.statistics.signing import sign_scoring
from segscores.statistics.system_comparison import SystemComparison, compare_predictions
from segscores.statistics.utterance_scores import per_utterance

from ..naive import random_corpus_pair, words_text
from ..optional import AppError, Axe, Client, FilePayload, Locator, Page, expect
from .conftest import NARROW, WIDE, OpenPage
from .visitor import below, box, choose, click, column, download, open_tab, panel_of, scores_of, unfold

GROUPS = ["boundary_all", "boundary_noedge", "token", "type", "tnr"]
KEYS = [
    *(f"{group}_{part}" for group in GROUPS[:4] for part in ("precision", "recall", "fscore")),
    "token_tnr",
]

REFERENCE = "约翰 喜欢 玛丽\n他 笑 了\n<b> 我们 走 吧"
#: What three systems make of it. The second is right everywhere, the third nearly so.
SYSTEMS = {
    "old": "约翰喜欢 玛丽\n他笑了\n<b> 我们走 吧",
    "new": "约翰 喜欢 玛丽\n他 笑 了\n<b> 我们 走 吧",
    "<i>other</i>": "约翰 喜欢 玛 丽\n他 笑 了\n<b> 我们 走 吧",
}


@pytest.fixture
def panel(page: Page) -> Locator:
    """The tab."""
    return open_tab(page, "Compare")


def fill(panel: Locator, reference: str, systems: dict[str, str]) -> None:
    """Type a reference, and names and texts of two or three systems, and compare them."""
    box(panel, "Reference").fill(reference)
    given = [*systems.items(), ("", "")][:3]
    for place, (name, text) in zip("ABC", given, strict=True):
        box(panel, f"Name of {place}").fill(name)
        box(panel, f"Prediction {place}").fill(text)
    click(panel, "Compare")


def typed(panel: Locator) -> tuple[str, dict[str, str]]:
    """The reference and the systems that stand in the boxes."""
    systems = {
        box(panel, f"Name of {place}").input_value(): box(panel, f"Prediction {place}").input_value() for place in "ABC"
    }
    return box(panel, "Reference").input_value(), {name: text for name, text in systems.items() if text}


def compared(reference: str, systems: dict[str, str], **options: Any) -> SystemComparison:
    """What the metric says of words texts."""
    return compare_predictions(
        reference.split("\n"),
        {name: text.split("\n") for name, text in systems.items()},
        text_format="words",
        **({"scores": GROUPS} | options),
    )


def signature_of(reference: str, found: SystemComparison, **options: Any) -> str:
    """The signature that the command prints under the comparison: that of the scoring, and the trials of the tests."""
    trials = "exact" if found.is_exact else found.trials
    return sign_scoring(reference.split("\n"), text_format="words", **options).replace("|n:", f"|trials:{trials}|n:")


def signed(number: float) -> str:
    return f"{number:+.4f}".replace("-", "−") if round(number, 4) else "0.0000"


def written(found: SystemComparison) -> dict[str, list[str]]:
    """The table of a comparison: by score the cell of each system."""
    table: dict[str, list[str]] = {}
    for key in found.scores[found.baseline]:
        best = max(scores[key] for scores in found.scores.values())
        cells = []
        for name, scores in found.scores.items():
            low, high = found.intervals[name][key]
            cell = f"{scores[key]:.4f} ± {(high - low) / 2:.4f}"
            if scores[key] == best:
                cell = f"★ {cell}best"
            elif name in found.not_worse(key):
                cell = f"≈ {cell}not distinguishable from the best"
            cells.append(cell)
        table[key] = cells
    return table


def detailed(found: SystemComparison) -> list[list[str]]:
    """The table of differences from the baseline."""
    rows = []
    for key in found.scores[found.baseline]:
        for name, differences in found.differences.items():
            low, high = found.intervals[name][key]
            tested = differences[key]
            p = tested.p_randomisation_holm
            verdict = "not distinguishable"
            if p <= 1 - found.confidence + 1e-12 and tested.difference:
                verdict = "better" if tested.difference > 0 else "worse"
            rows.append(
                [
                    *(key, name, f"{found.scores[name][key]:.4f}", f"[{low:.4f}, {high:.4f}]"),
                    *(signed(tested.difference), f"[{signed(tested.low)}, {signed(tested.high)}]", f"{p:.4f}", verdict),
                ]
            )
    return rows


def cells_of(panel: Locator, rows: str) -> list[list[str]]:
    """The cells of the rows, as they stand there."""
    read: list[list[str]] = panel.locator(rows).evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent.replaceAll(/\\s+/g, ' ').trim()))"
    )
    return read


def shown(panel: Locator) -> tuple[list[str], dict[str, list[str]]]:
    """The names above the table, and its cells."""
    names = panel.locator(".comparison thead bdi").all_text_contents()
    return names, {key: cells for key, *cells in cells_of(panel, ".compared-score")}


def expect_table(panel: Locator, found: SystemComparison) -> None:
    """Wait until the tables are those of the comparison."""
    unfold(panel, "Details")
    expected = [list(found.scores), written(found), detailed(found)]
    end = time.monotonic() + 60
    while (table := [*shown(panel), cells_of(panel, ".difference")]) != expected and time.monotonic() < end:
        time.sleep(0.05)
    assert table == expected


def test_the_example_is_compared_when_the_tab_is_opened(panel: Locator) -> None:
    reference, systems = typed(panel)
    assert list(systems) == ["unigram", "bigram", "syllables"]
    found = compared(reference, systems)
    expect_table(panel, found)
    assert list(written(found)) == KEYS
    for place, (name, text) in enumerate(systems.items()):
        naive = scores_of(reference, text)
        values = {key: cells[place].lstrip("★≈ ").partition(" ")[0] for key, cells in shown(panel)[1].items()}
        assert values == {key: f"{naive[key]:.4f}" for key in KEYS}, name
    # The example tells a difference that is real from one that is not.
    expect(panel.locator(".headline")).to_have_text(
        "By token_fscore: syllables 0.8921 · not distinguishable: bigram 0.8837 · significantly worse: unigram 0.5641"
    )
    assert found.not_worse("token_fscore") == ["bigram", "syllables"]


def test_what_is_typed_and_set_is_compared(panel: Locator) -> None:
    reference, systems = typed(panel)
    systems = dict(list(systems.items())[:2])
    unfold(panel, "Options")
    panel.get_by_role("radio", name="B", exact=True).check()
    panel.get_by_role("spinbutton", name="Confidence").fill("0.9")
    panel.get_by_role("spinbutton", name="Resamples").fill("200")
    for group in ("boundary_all", "type", "tnr"):
        panel.locator(f".groups input[name={group}]").uncheck()
    fill(panel, reference, systems)
    options = {"scores": ["boundary_noedge", "token"], "confidence": 0.9, "n_resamples": 200}
    found = compared(reference, systems, baseline="bigram", **options)
    expect_table(panel, found)
    expect(panel.locator(".headline")).to_have_text(
        "By token_fscore: bigram 0.8837 · significantly worse: unigram 0.5641"
    )
    expect(panel.get_by_text("half the width of the 90 % interval")).to_be_visible()
    signature = signature_of(reference, found, **options)
    unfold(panel, "Export")
    expect(panel.locator(".copyable", has_text="Copy signature").locator("pre")).to_have_text(signature)
    assert "ci:90-percentile-200-0|trials:exact|n:12" in signature


def test_systems_that_are_alike_do_not_differ(panel: Locator) -> None:
    fill(panel, REFERENCE, {"one": SYSTEMS["old"], "two": SYSTEMS["old"]})
    expect_table(panel, compared(REFERENCE, {"one": SYSTEMS["old"], "two": SYSTEMS["old"]}))
    # Of 10 words and 6 predicted ones 3 are both.
    expect(panel.locator(".headline")).to_contain_text("one 0.3750, two 0.3750")
    assert all(cell.startswith("★") for cells in shown(panel)[1].values() for cell in cells)
    expect(panel.get_by_text("No utterance differs in token_fscore.")).to_be_visible()
    # Of 8 ways to exchange 3 utterances two are always as extreme as the observed one.
    expect(panel.get_by_text("No difference can be significant at 0.05: 3 utterances are too few")).to_be_visible()


def test_the_utterances_that_differ_most_are_drawn_first(panel: Locator) -> None:
    fill(panel, REFERENCE, SYSTEMS)
    expect_table(panel, compared(REFERENCE, SYSTEMS))
    expect(panel.get_by_text("3 of 3 utterances differ.")).to_be_visible()
    utterances = panel.locator(".utterances li")
    expect(utterances).to_have_count(9)
    # By token F the second is 0 and 1, the first 2/5 and 1, the third 4/7 and 1.
    assert utterances.locator(".place").all_text_contents() == ["2"] * 3 + ["1"] * 3 + ["3"] * 3
    scores = {
        name: [
            row["token_fscore"]
            for row in per_utterance(REFERENCE.split("\n"), text.split("\n"), text_format="words", scores="token")
        ]
        for name, text in SYSTEMS.items()
    }
    assert utterances.locator("small:first-of-type").all_text_contents() == [
        f"{name}: token_fscore {scores[name][index]:.4f}" for index in (1, 0, 2) for name in SYSTEMS
    ]
    assert utterances.locator("[dir=auto]").all_text_contents() == [
        *("他+笑+了", "他|笑|了", "他|笑|了"),
        *("约翰+喜欢|玛丽", "约翰|喜欢|玛丽", "约翰|喜欢|玛−丽"),
        *("<b>|我们+走|吧", "<b>|我们|走|吧", "<b>|我们|走|吧"),
    ]
    # By another score they are others.
    unfold(panel, "Options")
    choose(panel.get_by_role("combobox", name="Rank by"), "boundary_all_fscore")
    expect(panel.get_by_role("heading", name="Where they differ most by boundary_all_fscore")).to_be_visible()
    expect(panel.locator(".headline")).to_contain_text("By boundary_all_fscore: new 1.0000")


@pytest.mark.parametrize(("size", "aside"), [(WIDE, True), (NARROW, False)], ids=["desktop", "phone"])
def test_an_utterance_of_the_systems_stands_side_by_side_where_there_is_room(
    open_page: OpenPage, size: tuple[int, int], aside: bool
) -> None:
    panel = open_tab(open_page(size=size), "Compare")
    first, second = (panel.locator(".utterances li").nth(number).bounding_box() for number in (0, 1))
    assert first
    assert second
    assert (first["y"] == second["y"]) == aside
    assert (first["x"] == second["x"]) != aside
    for wide in panel.locator(".wide").all():
        assert wide.evaluate("element => element.scrollWidth <= element.clientWidth")


@pytest.mark.parametrize(
    ("reference", "systems", "blamed", "problem"),
    [
        (REFERENCE, SYSTEMS | {"new": "他\n笑\n了"}, "Prediction B", "the units differ at offset"),
        (REFERENCE, SYSTEMS | {"old": "他"}, "Prediction A", "3 references and 1 predictions"),
        ("约翰", {"a": "约翰", "b": "约翰"}, "Reference", "a comparison needs at least two utterances"),
        (REFERENCE, {"x": SYSTEMS["old"], "x ": SYSTEMS["new"]}, "Prediction B", "two systems have the name 'x'"),
    ],
    ids=["other units", "fewer utterances", "one utterance", "one name"],
)
def test_an_error_stands_under_the_box_that_caused_it(
    panel: Locator, reference: str, systems: dict[str, str], blamed: str, problem: str
) -> None:
    fill(panel, reference, systems)
    expect(below(panel, blamed)).to_contain_text(problem)
    expect(below(panel, blamed)).to_have_class("note problem")
    expect(panel.locator(".problem")).to_have_count(1)
    expect(panel.locator(".results :is(table, li, pre, a)")).to_have_count(0)
    fill(panel, REFERENCE, SYSTEMS)
    expect_table(panel, compared(REFERENCE, SYSTEMS))
    expect(panel.locator(".problem")).to_have_count(0)
    expect(below(panel, "Prediction A")).to_have_text(
        "Read as words separated by spaces: 3 utterances, 6 words, 16 characters."
    )
    expect(below(panel, "Reference")).to_contain_text("10 words")


def test_an_error_in_a_setting_stands_below_the_settings(panel: Locator) -> None:
    unfold(panel, "Options")
    box(panel, "Prediction C").fill("")
    panel.get_by_role("radio", name="C", exact=True).check()
    expect(panel.locator(".problem")).to_contain_text("Prediction C is blank")
    panel.get_by_role("radio", name="A", exact=True).check()
    for group in GROUPS:
        panel.locator(f".groups input[name={group}]").uncheck()
    expect(panel.locator(".problem")).to_have_text("choose at least one group of scores.")
    expect(panel.locator(".results table")).to_have_count(0)


def test_one_system_waits_for_another(panel: Locator) -> None:
    fill(panel, REFERENCE, {"old": SYSTEMS["old"], "new": ""})
    expect(panel.locator(".waiting")).to_contain_text("Waiting for two predictions")
    expect(panel.locator(".problem")).to_have_count(0)


def test_as_many_systems_as_the_endpoint_takes(panel: Locator) -> None:
    text = typed(panel)[1]["bigram"]
    places = panel.get_by_role("textbox", name=re.compile("^Prediction "))
    for systems in range(4, 11):
        click(panel, "Add a system")
        expect(places).to_have_count(systems)
        places.last.fill(text)
        expect(panel.locator(".comparison thead bdi")).to_have_count(systems)


def test_a_form_that_cannot_be_read_is_blamed_on_its_box(panel: Locator) -> None:
    good = "1\tthe" + "\t_" * 8 + "\n\n1\tdog" + "\t_" * 8 + "\n\n"
    fill(panel, good, {"a": good, "b": good.replace("\tdog", "\t")})
    expect(below(panel, "Prediction B")).to_contain_text("this is not a CoNLL-U line")
    expect(panel.locator(".problem")).to_have_count(1)
    fill(panel, good, {"a": good, "b": good})
    expect(below(panel, "Prediction B")).to_contain_text(
        "Read as CoNLL-U (recognised by lines of ten columns): 2 utterances"
    )


def test_a_name_is_text_and_an_empty_one_is_the_letter(panel: Locator) -> None:
    fill(panel, REFERENCE, {"": SYSTEMS["old"], "<img src=x onerror=document.title='run'>": SYSTEMS["new"]})
    expect(panel.locator(".comparison thead bdi")).to_have_text(["A", "<img src=x onerror=document.title='run'>"])
    expect(panel.locator(".results img")).to_have_count(0)
    assert panel.page.title() == "Segmentation scores"


def upload(panel: Locator, texts: dict[str, str]) -> None:
    """Choose files in the places below the boxes."""
    for label, text in texts.items():
        payload: FilePayload = {"name": "text.txt", "mimeType": "text/plain", "buffer": f"{text}\n".encode()}
        column(panel, label).locator("input[type=file]").set_input_files(payload)


def test_files_stand_for_the_boxes(panel: Locator) -> None:
    labels = ("Reference", "Prediction A", "Prediction B", "Prediction C")
    upload(panel, dict(zip(labels, (REFERENCE, *SYSTEMS.values()), strict=True)))
    names = ("unigram", "bigram", "syllables")
    expect_table(panel, compared(REFERENCE, dict(zip(names, SYSTEMS.values(), strict=True))))


def test_the_downloads_hold_the_numbers(panel: Locator, tmp_path: Path) -> None:
    fill(panel, REFERENCE, SYSTEMS)
    found = compared(REFERENCE, SYSTEMS)
    expect_table(panel, found)
    signature = signature_of(REFERENCE, found, confidence=0.95)
    paths = download(panel, "segmentation_comparison", signature, tmp_path)
    record = json.loads(paths["JSON"].read_text("utf-8"))
    assert record["signature"] == signature
    assert {name: record[name] for name in found.to_dict()} == json.loads(found.to_json())
    with paths["CSV"].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["score"], row["system"]) for row in rows] == [(key, name) for key in KEYS for name in SYSTEMS]
    for row in rows:
        key, name = row["score"], row["system"]
        low, high = found.intervals[name][key]
        numbers = {"value": found.scores[name][key], "low": low, "high": high}
        if name != "old":
            tested = found.differences[name][key]
            numbers |= {
                "difference": tested.difference,
                "difference_low": tested.low,
                "difference_high": tested.high,
                "p_randomisation": tested.p_randomisation,
                "p_randomisation_holm": tested.p_randomisation_holm,
                "p_randomisation_max_t": tested.p_randomisation_max_t,
            }
        printed = {column: float(number) for column, number in row.items() if column in numbers}
        assert printed == pytest.approx(numbers, rel=0, abs=0, nan_ok=True)
        assert (row["p_randomisation"] == "") == (name == "old")


def test_the_copied_lines_give_the_same_numbers(panel: Locator, tmp_path: Path) -> None:
    unfold(panel, "Options")
    panel.get_by_role("radio", name="B", exact=True).check()
    fill(panel, REFERENCE, SYSTEMS)
    found = compared(REFERENCE, SYSTEMS, baseline="new")
    expect_table(panel, found)
    copied = {}
    unfold(panel, "Export")
    for what in ("signature", "Python", "command"):
        click(panel, f"Copy {what}")
        expect(panel.get_by_role("button", name="Copied")).to_have_count(len(copied) + 1)
        copied[what] = panel.page.evaluate("navigator.clipboard.readText()")
    signature = signature_of(REFERENCE, found, confidence=0.95)
    assert copied["signature"] == signature
    files = ("reference", "prediction_A", "prediction_B", "prediction_C")
    for name, text in zip(files, (REFERENCE, *SYSTEMS.values()), strict=True):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n", "utf-8")

    def output_of(*command: str) -> str:
        environment = os.environ | {"HF_HOME": str(tmp_path / "huggingface")}
        done = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
        return done.stdout

    as_json = json.loads(found.to_json())
    # Of p over scores that type scores do not have: nan, in JSON null.
    printed = output_of(sys.executable, "-c", copied["Python"]).replace("nan", "None")
    assert ast.literal_eval(printed) == as_json
    script = shutil.which("segmentation-scores", path=str(Path(sys.executable).parent))
    assert script, "install the package: pip install ."
    name, *arguments = shlex.split(copied["command"])
    assert name == "segmentation-scores"
    record = json.loads(output_of(script, *arguments, "--format", "json"))
    assert record["signature"] == signature
    assert [record["systems"][f"prediction_{place}.txt"]["differences"] for place in "ABC"] == [
        as_json["systems"][name]["differences"] for name in SYSTEMS
    ]


def test_a_link_brings_back_the_comparison(open_page: OpenPage, address: str) -> None:
    panel = open_tab(open_page(), "Compare")
    unfold(panel, "Options")
    panel.get_by_role("radio", name="B", exact=True).check()
    panel.get_by_role("spinbutton", name="Resamples").fill("300")
    fill(panel, REFERENCE, SYSTEMS)
    found = compared(REFERENCE, SYSTEMS, baseline="new", n_resamples=300)
    expect_table(panel, found)
    click(panel, "Copy a link")
    expect(panel.page).to_have_url(re.compile("#."))
    expect(box(panel, "Link")).to_have_value(panel.page.url)
    other = open_page(hash=panel.page.url.removeprefix(f"{address}/"), ready="body")
    expect(other.get_by_role("tab", name="Compare", exact=True)).to_have_attribute("aria-selected", "true")
    expect_table(panel_of(other), found)
    assert typed(panel_of(other)) == (REFERENCE, SYSTEMS)


def test_too_much_work_is_refused_with_what_would_do(panel: Locator) -> None:
    box(panel, "Prediction C").fill("")
    long = "\n".join("a" * 100_000)
    upload(panel, dict.fromkeys(("Reference", "Prediction A", "Prediction B"), long))
    expect(panel.locator(".problem")).to_contain_text("are resampled up to 750 times here, not 1,000. Use the command")
    expect(panel.locator(".results table")).to_have_count(0)


def test_of_many_utterances_those_that_differ_most_are_drawn(panel: Locator) -> None:
    references, predictions = random_corpus_pair(200, seed=5, units="abcde", max_units=12)
    reference, prediction = ("\n".join(words_text(corpus)) for corpus in (references, predictions))
    fill(panel, reference, {"a": prediction, "b": reference})
    expect_table(panel, compared(reference, {"a": prediction, "b": reference}))
    expect(panel.get_by_text("the 20 that differ most are drawn")).to_be_visible()
    expect(panel.locator(".utterances li")).to_have_count(40)


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["desktop light", "phone dark"])
def test_it_fits_and_is_accessible(open_page: OpenPage, size: tuple[int, int], dark: bool, tmp_path: Path) -> None:
    page = open_page(size=size, dark=dark)
    panel = open_tab(page, "Compare")
    for problem in (False, True):
        if problem:
            box(panel, "Prediction B").fill("other")
            click(panel, "Compare")
            expect(panel.get_by_role("alert")).to_be_visible()
        # What is not on the screen isn't laid out, and so would not be looked at.
        page.set_viewport_size({"width": size[0], "height": page.evaluate("document.documentElement.scrollHeight")})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.screenshot(path=tmp_path / f"{problem}.png")
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


def test_everything_is_reached_and_done_with_the_keyboard(page: Page) -> None:
    panel = open_tab(page, "Compare")
    unfold(panel, "Options")
    unfold(panel, "Export")
    passed: list[str] = []
    page.get_by_role("tab", name="Compare", exact=True).focus()
    while not passed or passed[-1] != "Copy command":
        page.keyboard.press("Tab")
        passed.append(
            page.evaluate(
                """() => {
                    const element = document.activeElement;
                    const label = element.closest('label')?.querySelector('span')?.textContent ?? '';
                    const named = element.getAttribute('aria-label') || element.getAttribute('name') || '';
                    const own = ['TEXTAREA', 'INPUT'].includes(element.tagName)
                        ? {radio: element.value, checkbox: element.name}[element.type] ?? (named || label)
                        : named || element.textContent;
                    return own.trim();
                }"""
            )
        )
        assert len(passed) < 110, passed
    wanted = [
        *("Reference", "Name of A", "Prediction A", "Name of B", "Prediction B", "Name of C", "Prediction C"),
        *("Compare", "Copy a link", "Add a system", "recognise", *GROUPS, "A", "Comparison", "Utterances"),
        *(
            "Download report (HTML)",
            "Download CSV",
            "Download JSON",
            "Download SVG",
            "Copy Markdown",
            "Copy LaTeX",
            "Copy signature",
        ),
        *("Copy Python", "Copy command"),
    ]
    rest = iter(passed)
    assert [control for control in wanted if control not in rest] == [], passed
    assert sum("Confidence" in name for name in passed) >= 1
    page.keyboard.press("Enter")
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    reference, systems = typed(panel)
    panel.get_by_role("radio", name="A", exact=True).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    panel.get_by_role("button", name="Compare", exact=True).focus()
    page.keyboard.press("Enter")
    expect_table(panel, compared(reference, systems, baseline="bigram"))


@pytest.fixture(scope="module")
def client(address: str) -> Client:
    return Client(address, verbose=False)


def test_the_endpoint_gives_what_the_metric_gives(client: Client) -> None:
    options: dict[str, Any] = {"baseline": "new", "scores": ["token", "type"], "confidence": 0.9, "n_resamples": 150}
    result = client.predict(references=REFERENCE, systems=SYSTEMS, **options, api_name="/compare")
    found = compared(REFERENCE, SYSTEMS, **options)
    assert {name: result[name] for name in found.to_dict()} == json.loads(found.to_json())
    assert result["read_as"] == "words separated by spaces"
    del options["baseline"]
    assert result["signature"] == signature_of(REFERENCE, found, **options)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"systems": {"a": REFERENCE}}, "expected an object with the predictions of two to 10 systems"),
        ({"systems": ["a", "b"]}, "expected an object with the predictions of two to 10 systems"),
        ({"systems": {str(number): REFERENCE for number in range(11)}}, "two to 10 systems"),
        ({"systems": SYSTEMS | {"new": 5}}, "system 'new': expected a text, received int"),
        ({"systems": SYSTEMS | {"new": "x"}}, "system 'new': 3 references and 1 predictions"),
        ({"baseline": "newer"}, "baseline: expected one of 'old', 'new', "),
        ({"baseline": ["new"]}, "baseline: expected one of 'old', 'new', "),
        ({"scores": ["tokens"]}, "scores: expected a list of some of boundary_all"),
        ({"confidence": 1}, "confidence: expected a number between 0 and 1"),
        ({"confidence": "high"}, "confidence: expected a number between 0 and 1"),
        ({"n_resamples": 2001}, "n_resamples: expected a number of resamples up to 2,000, received 2001"),
        ({"n_resamples": True}, "n_resamples: expected a number of resamples up to 2,000"),
        ({"references": "x"}, "a comparison needs at least two utterances"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(map(str, value)),
)
def test_the_endpoint_refuses_bad_arguments(client: Client, arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(AppError, match=re.escape(problem)):
        client.predict(**({"references": REFERENCE, "systems": SYSTEMS} | arguments), api_name="/compare")
