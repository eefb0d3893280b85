"""The generated parts of the documentation hold everything that the code has; links and pictures lead somewhere."""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from pathlib import Path
from urllib.parse import unquote

import pytest

import segscores
from segscores.measures.registry import GROUPS
from segscores.scoring.options import OPTION_NAMES
from segscores.statistics.utterance_scores import Resampling

from .pages import PAGES, ROOT, blocks_of

sys.path.insert(0, str(ROOT / "docs" / "extensions"))
try:
    import generated
finally:
    del sys.path[0]

SITE = "https://huggingface.co/spaces/transformersegmentation/segmentation_scores/blob/main/"


@pytest.fixture(scope="module")
def scores() -> str:
    return generated.scores()


@pytest.mark.parametrize("name", GROUPS)
def test_each_group_has_a_section_with_its_scores_and_an_example(name: str, scores: str) -> None:
    section = scores.partition(f"## `{name}`: ")[2].partition("\n## ")[0]
    group = GROUPS[name]
    assert group.definition in section
    assert group.source in section
    for key in group.keys:
        assert section.count(f"| `{key}` |") == 1


def test_every_option_of_score_is_described() -> None:
    described = generated.options()
    for name in [*OPTION_NAMES, *(field.name for field in fields(Resampling))]:
        row = re.search(rf"^\| `{name}` \| ([^|]+) \|", described, re.M)
        assert row, name
        assert row[1].strip(), name


def test_every_flag_of_every_subcommand_is_listed() -> None:
    text = generated.command_reference()
    for name, parser in generated.subcommand_parsers().items():
        section = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        for action in parser._actions:
            for flag in set(action.option_strings) - {"-h", "--help"}:
                assert f"`{flag}" in section, f"{name} {flag}"


def test_every_public_name_is_listed() -> None:
    text = generated.public_names()
    for name in set(segscores.__all__) - {"__version__"}:
        assert f":: segscores.{name}\n" in text


def test_every_fence_for_a_generated_part_is_filled() -> None:
    for page in PAGES:
        names = set(re.findall(r"^```\{([\w-]+)\}", page.read_text(encoding="utf-8"), flags=re.M))
        assert names <= generated.PARTS.keys() | {"toctree", "eval-rst"}, page


def anchors_of(page: Path) -> set[str]:
    text = generated.fill(page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("https://", "http://")) and not target.startswith(SITE):
            continue
        path, _, anchor = unquote(target.removeprefix(SITE)).partition("#")
        folder = ROOT if target.startswith(SITE) else page.parent
        linked = folder / path if path else page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors_of(linked), target


def test_every_picture_is_made_by_the_script_and_shown() -> None:
    script = (ROOT / "docs" / "make_pictures.py").read_text(encoding="utf-8")
    pictures = {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    shown = {Path(target).name for page in PAGES for target in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text())}
    assert pictures == shown
    for name in pictures:
        assert f'"{name}"' in script


def test_pip_lines_name_extras_that_exist() -> None:
    extras = set(re.findall(r"^\| `([\w-]+)` \|", generated.extras(), flags=re.M))
    for page in PAGES:
        for names in re.findall(r"(?:\.|segmentation-scores)\[([\w,-]+)\]", page.read_text(encoding="utf-8")):
            assert set(names.split(",")) <= extras, page


def test_commands_that_are_shown_and_not_run_have_flags_that_exist() -> None:
    known = set(re.findall(r"`(--[\w-]+)", generated.command_reference())) | {"--py-files"}
    lines = [
        line
        for page in PAGES
        for block in blocks_of(page)
        if block.language == "text"
        for line in block.code.splitlines()
    ]
    commands = [line for line in lines if line.startswith(("segmentation-scores ", "spark-submit "))]
    assert len(commands) >= 5
    for command in commands:
        assert set(re.findall(r"(?<= )--(?!\.)[\w-]+", command)) <= known, command
