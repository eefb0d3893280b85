"""The README as a metric card: its front matter, headings, table of scores and two commands are correct."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import segscores
from segscores.options.table import SELECTIONS
from segscores.scoring.measures.registry import GROUPS

from .naive import spans

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FRONT_MATTER, BODY = README.removeprefix("---\n").split("\n---\n", 1)

#: The sections of the metric cards of the Hub, in their order.
SECTIONS = [
    "Metric Description", "How to Use", "Inputs", "Output Values", "Examples", "Limitations and Bias", "Citation",
    "Further References",
]  # fmt: skip


def test_front_matter_describes_a_space() -> None:
    space = yaml.safe_load(FRONT_MATTER)
    assert space["sdk"] == "gradio"
    assert space["sdk_version"] == "6.31.0"
    assert space["app_file"] == "app.py"
    assert len(space["short_description"]) <= 60
    assert {"evaluate", "metric"} <= set(space["tags"])
    assert {space["colorFrom"], space["colorTo"]} <= {
        "red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray",
    }  # fmt: skip


def test_it_has_the_sections_of_a_metric_card_and_is_short() -> None:
    assert re.findall(r"^## (.*)$", BODY, flags=re.M) == SECTIONS
    assert len(README.splitlines()) <= 200


def test_it_has_two_commands_the_main_job_and_the_tests() -> None:
    commands = re.findall(r"^```sh\n(.*?)^```$", BODY, flags=re.DOTALL | re.MULTILINE)
    assert len(commands) == 2
    assert "segscores score examples/" in commands[0]
    assert "-m pytest" in commands[1]


def test_the_first_screen_says_what_it_is_and_shows_a_number_and_a_picture() -> None:
    screen = BODY[: BODY.index("\n## ")].strip().splitlines()
    text = "\n".join(screen)
    assert len([line for line in screen if line]) <= 28
    for sign in ("How good is a word segmentation?", "$ segscores score", "signature: segscores|", "!["):
        assert sign in text
    assert len(re.findall(r"[^!]\[[^]]+\]\(docs/", text)) == 3


def test_the_first_example_is_explained_by_its_counts() -> None:
    references, predictions = [
        [line.split() for line in (ROOT / "examples" / name).read_text(encoding="utf-8").splitlines()]
        for name in ("reference.txt", "prediction.txt")
    ]
    right = sum(
        len(spans(reference) & spans(prediction)) for reference, prediction in zip(references, predictions, strict=True)
    )
    in_reference, in_prediction = [sum(map(len, side)) for side in (references, predictions)]
    assert f"Of the {in_reference} words of the reference, the prediction has {right}:" in BODY
    assert f"Of its own {in_prediction} words, these {right} are right" in BODY


def test_links_lead_to_files_and_to_their_headings() -> None:
    targets = [target for target in re.findall(r"\[[^]]*\]\(([^)]+)\)", BODY) if not target.startswith("https://")]
    assert len(targets) >= 30
    for target in targets:
        name, _, heading = target.partition("#")
        page = ROOT / name
        assert page.is_file(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.M)
            assert heading in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings], target


def test_links_are_absolute_where_the_repository_is_not_at_hand() -> None:
    """On the Python Package Index, and on the page of the Hub."""
    program = [sys.executable, ROOT / ".ci" / "absolute_links", ROOT / "README.md"]
    page = subprocess.run(program, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    space = "https://huggingface.co/spaces/transformersegmentation/segmentation_scores"
    assert f"[tutorial]({space}/blob/main/docs/tutorial.md)" in page
    assert f"({space}/blob/main/docs/explanation/agreement.md#values-of-papers)" in page
    assert f"]({space}/resolve/main/docs/pictures/demo.png)" in page
    assert [target for target in re.findall(r"\]\(([^)]+)\)", page) if not target.startswith("https://")] == []
    # Without its links the page is the README.
    links = re.compile(r"\]\([^)]+\)")
    assert links.sub("", page) == links.sub("", README)


@pytest.mark.parametrize("name", GROUPS)
def test_it_is_said_when_to_use_a_group(name: str) -> None:
    text = (ROOT / "docs" / "explanation" / "which-score.md").read_text(encoding="utf-8")
    rows = "".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    message = f"say what a score of the group {name} answers in the table of docs/explanation/which-score.md"
    assert any(f"`{key}`" in rows for key in GROUPS[name].keys), message


@pytest.mark.parametrize("name", SELECTIONS)
def test_each_selection_is_described_in_the_reference(name: str) -> None:
    text = (ROOT / "docs" / "reference" / "scores.md").read_text(encoding="utf-8")
    paragraph = next(part for part in text.split("\n\n") if part.startswith(f'`scores="{name}"`'))
    for key in SELECTIONS[name][0]:
        assert f"`{key}`" in paragraph


def test_citation_and_changelog_have_the_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == segscores.__version__, "change the version with .ci/release"
    assert f"version = {{{segscores.__version__}}}" in BODY
    assert re.search(rf"^## {re.escape(segscores.__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)


def test_the_oldest_tested_versions_are_the_required_versions() -> None:
    """The oldest numpy and scipy depend on Python: they have no wheel for 3.12."""

    def read(path: str, sign: str) -> dict[str, list[str]]:
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        pairs = [line.split(";")[0].split(sign) for line in lines if line and not line.startswith("#")]
        return {name: [version for other, version in pairs if other == name] for name, _ in pairs}

    required, tested = read("requirements.txt", ">="), read("tests/oldest.txt", "==")
    for name, for_3_12 in {"numpy": "1.26.0", "scipy": "1.11.2"}.items():
        assert tested.pop(name) == [f"{required.pop(name)[0]}.0", for_3_12]
    assert {name: [Version(v) for v in versions] for name, versions in tested.items()} == {
        name: [Version(v) for v in versions] for name, versions in required.items()
    }
