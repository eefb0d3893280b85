"""The tab Score, as a visitor uses it."""

from __future__ import annotations

import ast
import csv
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from segscores.statistics import signing

from ..naive import naive_counts, naive_scores, random_corpus_pair, words_text
from ..optional import FilePayload, Page, expect
from .conftest import OpenPage
from .visitor import (
    below,
    box,
    click,
    column,
    conllu,
    download,
    expect_scores,
    group,
    panel_of,
    paste,
    scores_of,
    unfold,
    words,
    words_of_units,
)

REFERENCE, PREDICTION = "约翰 喜欢 玛丽\n\n他 笑 了", "约翰 喜欢 玛 丽\n\n他 笑了"
WORDSEG = ("h a ;esyll l o ;esyll ;eword d u ;esyll ;eword", "h a ;esyll ;eword l o ;esyll ;eword d u ;esyll ;eword")


def score(page: Page, reference: str, prediction: str) -> None:
    """Type in both boxes and score."""
    panel = panel_of(page)
    paste(panel, "Reference", reference)
    paste(panel, "Prediction", prediction)
    click(panel, "Score")


def test_what_is_typed_is_scored_and_drawn(page: Page) -> None:
    panel = panel_of(page)
    score(page, REFERENCE, PREDICTION)
    expect_scores(panel, scores_of(REFERENCE, PREDICTION))
    expect(below(panel, "Reference")).to_have_text(
        "Read as words separated by spaces: 3 utterances, 6 words, 9 characters."
    )
    expect(below(panel, "Prediction")).to_contain_text("3 utterances, 6 words, 9 characters.")
    utterances = panel.locator(".utterances li")
    # The marks are text, so that they can be read without colour, and copied.
    assert utterances.locator("[dir=auto]").all_text_contents() == ["约翰|喜欢|玛−丽", "", "他|笑+了"]
    assert utterances.locator("small").all_text_contents() == [
        "2 of 3 words found; missed: 玛丽; wrong: 玛, 丽",
        "blank",
        "1 of 3 words found; missed: 笑, 了; wrong: 笑了",
    ]
    counts = naive_counts(words(REFERENCE), words(PREDICTION))
    expect(panel.locator("tr.group", has_text="word tokens").first).to_contain_text(
        f"matched {counts['token_matched']}, predicted {counts['token_predicted']}, reference {counts['token_reference']}"
    )


@pytest.mark.parametrize(
    ("reference", "prediction", "blamed", "problem"),
    [
        ("the dog is", "thecat is", "Prediction", "the units differ at offset 3"),
        ("the dog\nis", "the dog", "Prediction", "1 predictions"),
        (conllu("the dog").replace("2\tdog", "2\t"), conllu("the dog"), "Reference", "not a CoNLL-U line"),
    ],
    ids=["other units", "fewer utterances", "no CoNLL-U"],
)
def test_an_error_stands_under_the_box_that_caused_it_and_the_old_results_are_gone(
    page: Page, reference: str, prediction: str, blamed: str, problem: str
) -> None:
    panel = panel_of(page)
    other = {"Reference": "Prediction", "Prediction": "Reference"}[blamed]
    score(page, reference, prediction)
    expect(below(panel, blamed)).to_contain_text(problem)
    expect(below(panel, blamed)).to_have_class("note problem")
    expect(below(panel, other)).to_have_count(0)
    expect(panel.locator(".results :is(table, li, pre, a)")).to_have_count(0)
    # Once mended, it is gone.
    score(page, REFERENCE, PREDICTION)
    expect_scores(panel, scores_of(REFERENCE, PREDICTION))
    expect(panel.locator(".problem")).to_have_count(0)


def test_each_example_fills_the_boxes_and_is_scored(page: Page) -> None:
    panel = panel_of(page)
    seen = set()
    for name in ("中文", "日本語", "ไทย", "Phonemes", "English"):
        before = box(panel, "Reference").input_value()
        click(panel, name)
        expect(box(panel, "Reference")).not_to_have_value(before)
        notes = "units separated by spaces" if name == "Phonemes" else "words separated by spaces"
        expect(below(panel, "Reference")).to_contain_text(notes)
        expect(panel.locator(".utterances li")).to_have_count(2 if name == "Phonemes" else 3)
        reference, prediction = (box(panel, label).input_value() for label in ("Reference", "Prediction"))
        read = words_of_units if name == "Phonemes" else words
        expect_scores(panel, naive_scores(read(reference), read(prediction)))
        seen.add((reference, prediction))
    assert len(seen) == 5


@pytest.mark.parametrize(
    ("reference", "prediction", "note", "expected"),
    [
        (
            "ð ə WORD_BOUNDARY d ɔ g",
            "ð ə d ɔ g",
            "units separated by spaces, WORD_BOUNDARY between words (recognised by WORD_BOUNDARY): "
            "1 utterance, 2 words, 5 units.",
            naive_scores([["ðə", "dɔg"]], [["ðədɔg"]], math.nan),
        ),
        (
            *WORDSEG,
            "units separated by spaces, ;eword between words, without ;esyll (recognised by ;eword): "
            "1 utterance, 2 words, 6 units.",
            naive_scores([["halo", "du"]], [["ha", "lo", "du"]]),
        ),
        (
            conllu("the dog is\non the boat"),
            conllu("thedog is\non the boat"),
            "CoNLL-U (recognised by lines of ten columns): 2 utterances, 6 words, 17 characters.",
            scores_of("the dog is\non the boat", "thedog is\non the boat"),
        ),
    ],
    ids=["WORD_BOUNDARY", "wordseg", "CoNLL-U"],
)
def test_the_form_is_recognised_and_the_page_says_so(
    page: Page, reference: str, prediction: str, note: str, expected: dict[str, float]
) -> None:
    score(page, reference, prediction)
    expect_scores(panel_of(page), expected)
    expect(below(panel_of(page), "Reference")).to_have_text(f"Read as {note}")


def test_an_undefined_score_is_a_dash_and_the_page_says_so(page: Page) -> None:
    score(page, "a b", "ab")
    expected = scores_of("a b", "ab")
    assert [key for key, value in expected.items() if math.isnan(value)] == ["boundary_noedge_precision"]
    expect_scores(panel_of(page), expected)
    expect(panel_of(page).get_by_text("–: boundary_noedge_precision is undefined, 0/0")).to_be_visible()


def test_the_form_and_the_tokens_can_be_said(page: Page) -> None:
    panel = panel_of(page)
    unfold(panel, "Options")
    panel.get_by_role("radio", name="units", exact=True).check()
    expect(box(panel, "Ignored tokens")).to_be_visible()
    box(panel, "Word boundary").fill("#")
    box(panel, "Ignored tokens").fill("- =")
    score(page, "a - b # c =", "a # b c")
    expect_scores(panel, naive_scores([["ab", "c"]], [["a", "bc"]]))
    expect(below(panel, "Reference")).to_have_text(
        "Read as units separated by spaces, # between words, without - and =: 1 utterance, 2 words, 3 units."
    )
    # An example is read as it is, and shown whole.
    box(panel, "Search").fill("a b")
    expect(panel.locator(".note", has_text="1 of 1 utterance")).to_be_visible()
    click(panel, "English")
    expect(below(panel, "Reference")).to_contain_text("words separated by spaces")
    expect(panel.get_by_role("radio", name="recognise", exact=True)).to_be_checked()
    expect(box(panel, "Search")).to_have_value("")
    expect(panel.locator(".utterances li")).to_have_count(3)


def test_the_groups_are_chosen(page: Page) -> None:
    panel = panel_of(page)
    expected = scores_of(*(box(panel, label).input_value() for label in ("Reference", "Prediction")))
    unfold(panel, "Options")
    boxes = panel.locator(".groups").get_by_role("checkbox").all()
    for checkbox in boxes:
        checkbox.set_checked(checkbox.get_attribute("name") in {"token", "tnr"})
    click(panel, "Score")
    expect_scores(panel, group(expected, "token", "tnr"), only=True)
    for checkbox in boxes:
        checkbox.uncheck()
    click(panel, "Score")
    expect(panel.locator(".problem")).to_have_text("choose at least one group of scores.")
    expect(panel.locator(".results table")).to_have_count(0)
    boxes[0].check()
    click(panel, "Score")
    expect_scores(panel, group(expected, "boundary_all"), only=True)


def upload(page: Page, label: str, name: str, content: str) -> None:
    """Choose a file in the place for one below a box."""
    panel = panel_of(page)
    payload: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    column(panel, label).locator("input[type=file]").set_input_files(payload)


def test_a_file_fills_its_box_and_an_example_beside_it_goes(page: Page) -> None:
    panel = panel_of(page)
    upload(page, "Reference", "reference.txt", "\ufeff" + REFERENCE + "\n")
    expect(box(panel, "Reference")).to_have_value(REFERENCE)
    # The example no longer fits: the page waits, and says no error.
    expect(box(panel, "Prediction")).to_have_value("")
    expect(panel.locator(".waiting")).to_contain_text("Waiting for prediction")
    expect(panel.locator(".problem")).to_have_count(0)
    upload(page, "Prediction", "prediction.conllu", PREDICTION.replace(" ", "  ") + "\n")
    expect_scores(panel, scores_of(REFERENCE, PREDICTION))
    # What stands in the box is what is scored.
    box(panel, "Prediction").fill(REFERENCE)
    expect_scores(panel, scores_of(REFERENCE, REFERENCE))


def test_the_downloads_hold_the_numbers(page: Page, tmp_path: Path) -> None:
    panel = panel_of(page)
    score(page, REFERENCE, PREDICTION)
    expected = scores_of(REFERENCE, PREDICTION)
    counts = naive_counts(words(REFERENCE), words(PREDICTION))
    expect_scores(panel, expected)
    signature = signing.signature(REFERENCE.split("\n"), text_format="words")
    paths = download(panel, "segmentation_scores", signature, tmp_path)
    record = json.loads(paths["JSON"].read_text("utf-8"))
    assert {key: record["scores"][key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert {column: record["counts"][column] for column in counts} == counts
    assert record["options"]["text_format"] == "words"
    assert record["version"]
    with paths["CSV"].open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["score", "value"]
    values = {key: float(value) for key, value in rows}
    assert values == {**record["scores"], **record["counts"]}


def copied(page: Page, what: str) -> str:
    """What the button copies."""
    unfold(panel_of(page), "Export")
    click(panel_of(page), f"Copy {what}")
    expect(panel_of(page).get_by_role("button", name=f"Copy {what}", exact=True)).to_have_count(0)
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


#: By name a reference and a prediction for the lines to copy, and how the naive scorer reads them.
COPIED = {
    "words": (REFERENCE, PREDICTION, words),
    "quotes": ('it \'s \\ "so" $HOME', 'it\'s \\ "so" $HOME', words),
    "wordseg": (*WORDSEG, lambda text: words_of_units(text, ";eword", (";esyll",))),
    "long": (f"{REFERENCE}\n" * 60 + REFERENCE, f"{PREDICTION}\n" * 60 + PREDICTION, words),
}


def test_the_copied_lines_give_the_same_numbers(page: Page, tmp_path: Path) -> None:
    script = shutil.which("segmentation-scores", path=str(Path(sys.executable).parent))
    assert script, "install the package: pip install ."
    programs, expected = [], []
    for name, (reference, prediction, read) in COPIED.items():
        score(page, reference, prediction)
        expected.append(naive_scores(read(reference), read(prediction)))
        expect_scores(panel_of(page), expected[-1])
        code = copied(page, "Python")
        assert ("pathlib." in code) == (name == "long")
        programs.append(code)
        command = shlex.split(copied(page, "command"))
        folder = tmp_path / name
        folder.mkdir()
        for file, text in (("reference.txt", reference), ("prediction.txt", prediction)):
            (folder / file).write_text(f"{text}\n", "utf-8")
        assert command[0] == "segmentation-scores"
        done = subprocess.run(
            [script, *command[1:], "--format", "json"], cwd=folder, check=True, capture_output=True, text=True
        )
        scored = json.loads(done.stdout)["predictions"][0]["scores"]
        assert {key: scored[key] for key in expected[-1]} == pytest.approx(expected[-1], abs=1e-12), name
    # One process for all, for to import evaluate takes long; the files stand where the long texts' lines look for them.
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(programs)],
        cwd=tmp_path / "long",
        env=os.environ | {"HF_HOME": str(tmp_path / "huggingface")},
        check=True,
        capture_output=True,
        text=True,
    )
    printed = [ast.literal_eval(line) for line in done.stdout.splitlines()]
    for scored, naive in zip(printed, expected, strict=True):
        assert {key: scored[key] for key in naive} == pytest.approx(naive, abs=1e-12)


def test_what_cannot_be_copied_is_selected(open_page: OpenPage) -> None:
    page = open_page(clipboard=False)
    page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError')); }"
    )
    panel = panel_of(page)
    unfold(panel, "Export")
    click(panel, "Copy command")
    expect(panel.get_by_role("button", name="Selected: copy it with your keyboard")).to_be_visible()
    assert page.evaluate("getSelection().toString()").startswith(
        "segmentation-scores score reference.txt prediction.txt"
    )


def random_texts(utterances: int) -> tuple[str, str]:
    """A reference and a prediction of many utterances, as text."""
    references, predictions = random_corpus_pair(utterances, seed=utterances, units="abcdefghij狗叫", max_units=30)
    return "\n".join(words_text(references)), "\n".join(words_text(predictions))


def test_of_20000_utterances_the_first_2000_are_drawn_and_the_page_says_so(page: Page) -> None:
    reference, prediction = random_texts(20_000)
    panel = panel_of(page)
    for label, text in (("Reference", reference), ("Prediction", prediction)):
        upload(page, label, "text.txt", text)
    expect(panel.locator(".utterances li")).to_have_count(2000)
    expect(panel.get_by_text("The first 2,000 of 20,000 utterances are drawn; all are scored.")).to_be_visible()
    expect(below(panel, "Reference")).to_contain_text("20,000 utterances")
    expect_scores(panel, scores_of(reference, prediction))
