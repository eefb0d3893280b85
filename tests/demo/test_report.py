"""The report that Score and Compare offer as a download: the page that the command writes for the same texts."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from segscores.command.cli import build_parser

from ..optional import FilePayload, Locator, Page, expect, optional
from .conftest import WIDE, App, ContextOf
from .visitor import box, click, column, conllu, expect_scores, json_lines, open_tab, panel_of, paste, scores_of, unfold

reading, report = optional("segscores.demo.reading"), optional("segscores.demo.report")
Given, Sides, read_sides = reading.Given, reading.Sides, reading.read_sides
report_command, write_report = report.report_command, report.write_report
file_names = optional("segscores.demo.takeaway").file_names

HOSTILE = "<script>window.hacked=1</script>"
REFERENCE = f"约翰 喜欢 玛丽\n我们 走 吧\n他 笑 了\n{HOSTILE} & <b> 走"
PREDICTION = f"约翰 喜欢 玛 丽\n我们走 吧\n他 笑了\n{HOSTILE}& <b> 走"
#: The second is right everywhere.
SYSTEMS = {"old": PREDICTION, "the <b> new": REFERENCE, "-x=y": REFERENCE.replace(" ", "", 2)}
BUTTON = "Download report (HTML)"
CELLS = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.replaceAll('\\u200b', '')))"


def fill(panel: Locator, reference: str, systems: dict[str, str]) -> None:
    """Put texts into the boxes of Compare."""
    box(panel, "Reference").fill(reference)
    for place, (name, text) in zip("ABC", systems.items(), strict=True):
        box(panel, f"Name of {place}").fill(name)
        box(panel, f"Prediction {place}").fill(text)
    click(panel, "Compare")


def saved(panel: Locator, path: Path) -> str:
    """Download the report, and give its text."""
    unfold(panel, "Export")
    button = panel.get_by_role("button", name=BUTTON)
    with panel.page.expect_download() as started:
        button.click()
    assert started.value.suggested_filename == "segmentation_report.html"
    started.value.save_as(path)
    expect(panel.get_by_text("The report is downloaded.")).to_have_role("status")
    expect(button).to_have_attribute("aria-disabled", "false")
    return path.read_text("utf-8")


def by_command(panel: Locator, folder: Path, texts: dict[str, str]) -> str:
    """The page that the copied command writes for the same texts in files."""
    line = panel.locator(".copyable", has=panel.page.get_by_role("heading", name="command for the report", exact=True))
    name, *arguments = shlex.split(line.locator("pre").inner_text())
    script = shutil.which(name, path=str(Path(sys.executable).parent))
    assert script, "install the package: pip install ."
    for file, text in texts.items():
        (folder / file).write_text(f"{text}\n", "utf-8")
    subprocess.run([script, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return (folder / "report.html").read_text("utf-8")


def units(text: str, boundary: str) -> str:
    return "\n".join(f" {boundary} ".join(" ".join(word) for word in line.split()) for line in text.split("\n"))


#: The texts of both boxes in a form, and the settings for reading.
FORMS: dict[str, tuple[str, str, dict[str, str]]] = {
    "words": (REFERENCE, PREDICTION, {}),
    "CoNLL-U": (conllu(REFERENCE), conllu(PREDICTION), {}),
    "CoNLL-U and words": (conllu(REFERENCE), PREDICTION, {}),
    "words and CoNLL-U": (REFERENCE, conllu(PREDICTION), {}),
    "units": (units(REFERENCE, "WORD_BOUNDARY"), units(PREDICTION, "WORD_BOUNDARY"), {}),
    "wordseg": (units(REFERENCE, ";esyll ;eword"), units(PREDICTION, ";eword"), {}),
    "tokens": (units(REFERENCE, "#"), units(PREDICTION, "#"), {"word_boundary": "#"}),
    "units read as words": (*[units(REFERENCE, "WORD_BOUNDARY")] * 2, {"form": "words"}),
    "CoNLL-U read as words": (*[conllu(REFERENCE)] * 2, {"form": "words"}),
    "JSON lines": (json_lines("reference", REFERENCE), json_lines("prediction", PREDICTION), {}),
    "lists": (json_lines("r", REFERENCE, as_lists=True), json_lines("p", PREDICTION, as_lists=True), {}),
    "lists and words": (json_lines("reference", REFERENCE, as_lists=True), PREDICTION, {}),
    "words and lists": (REFERENCE, json_lines("prediction", PREDICTION, as_lists=True), {}),
}


def page_and_command(sides: Sides, confidence: float | None) -> tuple[str, str]:
    """The report, and the command that writes it."""
    systems, scores = {file_names(sides)["prediction"]: "prediction"}, ["token", "type"]
    options = {**sides.reading, "scores": scores} | ({} if confidence is None else {"confidence": confidence})
    return write_report(sides, systems, options), report_command(sides, systems, scores, confidence=confidence)


def run(command: str) -> str:
    """The page that a command writes into the working folder."""
    options = build_parser().parse_args(shlex.split(command)[1:])
    options.run(options)
    return Path("report.html").read_text("utf-8")


@pytest.mark.parametrize("form", FORMS)
def test_text_of_every_form_has_the_page_of_the_command(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reference, prediction, settings = FORMS[form]
    given = [Given("reference", reference, usual_columns=("reference",)), Given("prediction", prediction)]
    sides = read_sides(given, **settings)
    names = file_names(sides)
    for side, text in (("reference", reference), ("prediction", prediction)):
        Path(names[side]).write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
    page, command = page_and_command(sides, 0.95 if form == "words" else None)
    assert page == run(command)


@pytest.fixture
def problems() -> Iterator[list[str]]:
    """What the browser reports of an opened report: nothing."""
    problems: list[str] = []
    yield problems
    assert problems == []


def opened(context_of: ContextOf, path: Path, problems: list[str]) -> Page:
    """The report in the browser."""
    page = context_of(False, True).new_page()
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    # A policy that is violated is reported here.
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request", lambda request: problems.extend([request.url] * (not request.url.startswith(("file:", "data:"))))
    )
    page.goto(path.as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text("Segmentation report")
    assert page.evaluate("window.hacked") is None
    page.screenshot(path=path.with_suffix(".png"))
    return page


def numbers(rows: Locator) -> dict[str, list[str]]:
    """The numbers of each row, by the name in its first cell: a value, and the ends of its interval."""
    cells: list[list[str]] = rows.evaluate_all(
        "rows => rows.map(row => [row.cells[0].textContent, row.cells[1].textContent])"
    )
    return {key: re.findall(r"\d\.\d{4}|–", shown) for key, shown in cells}


def signed(shown: str) -> list[float]:
    """The numbers in a text; 0 may have a sign."""
    return [float(number.replace("−", "-")) for number in re.findall(r"[+−]?\d\.\d+", shown)]


@pytest.mark.parametrize("intervals", [False, True], ids=["without intervals", "with intervals"])
def test_the_report_of_a_prediction(
    page: Page, context_of: ContextOf, tmp_path: Path, problems: list[str], intervals: bool
) -> None:
    panel = panel_of(page)
    unfold(panel, "Options")
    panel.get_by_role("checkbox", name="95 % intervals").set_checked(intervals)
    box(panel, "Reference").fill(REFERENCE)
    box(panel, "Prediction").fill(PREDICTION)
    click(panel, "Score")
    scores = scores_of(REFERENCE, PREDICTION)
    # The example's scores have intervals too, for a moment.
    row = panel.locator("tr.score", has=page.get_by_text("token_fscore", exact=True))
    after = r"\[" if intervals else "$"
    expect(row.locator("td.number").first).to_have_text(re.compile(rf"^\s*{scores['token_fscore']:.4f}\s*{after}"))
    shown = numbers(panel.locator("tr.score"))
    report = saved(panel, tmp_path / "saved.html")
    texts = {"reference.txt": REFERENCE, "prediction.txt": PREDICTION}
    assert report == by_command(panel, tmp_path, texts)
    assert f"<code>{panel.locator('.copyable pre').first.inner_text()}</code>" in report
    other = opened(context_of, tmp_path / "saved.html", problems)
    assert numbers(other.locator("h3#scores-1 ~ .wide").first.locator("tbody tr:not(.group)")) == shown
    assert {key: found[0] for key, found in shown.items()} == {key: f"{score:.4f}" for key, score in scores.items()}
    assert {len(found) for found in shown.values()} == {3 if intervals else 1}
    # Its script runs, and the words stay text.
    other.get_by_role("searchbox").last.fill("window.hacked")
    expect(other.locator(".utterances > li")).to_have_count(1)
    expect(other.locator(".utterances > li")).to_contain_text(HOSTILE)
    other.close()


def test_the_report_of_systems(page: Page, context_of: ContextOf, tmp_path: Path, problems: list[str]) -> None:
    panel = open_tab(page, "Compare")
    unfold(panel, "Options")
    panel.get_by_role("radio", name="B", exact=True).check()
    fill(panel, REFERENCE, SYSTEMS)
    unfold(panel, "Details")
    rows = panel.locator("table", has=page.get_by_role("columnheader", name="p", exact=True)).locator("tbody tr")
    expect(panel.locator(".comparison thead bdi").first).to_have_text("the <b> new")
    shown = [[cell.strip() for cell in row] for row in rows.evaluate_all(CELLS)]
    report = saved(panel, tmp_path / "saved.html")
    texts = {"reference.txt": REFERENCE}
    texts |= {f"prediction_{place}.txt": text for place, text in zip("ABC", SYSTEMS.values(), strict=True)}
    # A name that the command would take for an option stays on the page only.
    commanded = by_command(panel, tmp_path, texts)
    assert report.replace("-x=y", "prediction_C.txt") == commanded.replace("-x=y", "prediction_C.txt")
    other = opened(context_of, tmp_path / "saved.html", problems)
    expect(other.locator("h2")).to_have_text(["Comparison", "the <b> new", "old", "-x=y"])
    written = other.locator("#differences tbody tr").evaluate_all(CELLS)
    assert len(written) == len(shown) == 2 * 13
    assert {(key, name): (signed(difference), verdict) for key, name, difference, verdict, *_ in written} == {
        (key, name): (signed(difference + interval), verdict)
        for key, name, _, _, difference, interval, _, verdict in shown
    }
    other.close()


def test_the_report_is_that_of_the_results_on_the_page(page: Page, tmp_path: Path) -> None:
    panel = panel_of(page)
    box(panel, "Reference").fill(REFERENCE)
    box(panel, "Prediction").fill(PREDICTION)
    expect_scores(panel, scores_of(REFERENCE, PREDICTION))
    first = saved(panel, tmp_path / "first.html")
    # So long a text waits for the button: the page still shows the results of the other.
    paste(panel, "Reference", "ab " * 17_000)
    expect(panel.get_by_text("Inputs changed: press the button")).to_be_visible()
    assert saved(panel, tmp_path / "second.html") == first
    # Results that are on their way are those that the visitor means.
    box(panel, "Reference").fill(REFERENCE)
    expect(panel.get_by_text("Inputs changed")).to_have_count(0)
    box(panel, "Prediction").fill(REFERENCE)
    third = saved(panel, tmp_path / "third.html")
    expect_scores(panel, scores_of(REFERENCE, REFERENCE))
    assert third != first
    assert third == saved(panel, tmp_path / "fourth.html")


def test_it_is_written_once_at_a_time_and_the_button_says_so(page: Page) -> None:
    panel = panel_of(page)
    unfold(panel, "Export")
    button = panel.get_by_role("button", name=BUTTON)
    downloads: list[str] = []
    page.on("download", lambda download: downloads.append(download.suggested_filename))
    button.focus()
    busy = button.evaluate(
        """async (button) => {
            button.click();
            const seen = [button.getAttribute('aria-disabled'), button.closest('p').querySelector('[role=status]').textContent];
            button.click();
            return seen;
        }"""
    )
    assert busy == ["true", "Writing the report …"]
    expect(panel.get_by_text("The report is downloaded.")).to_have_role("status")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_event("download")
    assert downloads == ["segmentation_report.html"] * 2
    # New results have no word on an old report.
    box(panel, "Prediction").fill("the dog is on the boat\nlook at the little dog\ndo you want to sit down")
    expect(panel.locator(".headline")).to_contain_text("17 of 17")
    expect(panel.locator(".report-state")).to_have_text("")


def test_where_there_is_no_answer_the_page_says_so(context_of: ContextOf, app: App) -> None:
    page = context_of(False, True).new_page()
    page.goto(app.address)
    panel = panel_of(page)
    expect(panel.locator(".results table").first).to_be_visible()
    long = "\n".join(["ab cd"] * 10_000)
    payload: FilePayload = {"name": "long.txt", "mimeType": "text/plain", "buffer": long.encode()}
    column(panel, "Reference").locator("input[type=file]").set_input_files(payload)
    expect(panel.locator(".waiting")).to_contain_text("Waiting for prediction")
    column(panel, "Prediction").locator("input[type=file]").set_input_files(payload)
    expect(panel.locator(".headline")).to_contain_text("20,000 of 20,000")
    # Files of visitors are deleted after an hour.
    for file in app.uploads.rglob("long.txt"):
        file.unlink()
    unfold(panel, "Export")
    click(panel, BUTTON)
    expect(panel.locator(".report-state")).to_have_text(re.compile("^No report: .* Press the button again.$"))
    page.close()
