"""The generated parts of the documentation hold everything that the code has; links and pictures lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

import segscores

from .pages import PAGES, ROOT, blocks_of, generator

generated = generator()

SITE = "https://huggingface.co/spaces/transformersegmentation/segmentation_scores/blob/main/"


def test_every_public_name_is_listed():
    table, docstrings = generated.public_names(), generated.docstrings()
    for name in set(segscores.__all__) - generated.CONSTANTS:
        assert re.search(rf"^\| <a href=\"#segscores.{name}\"><code>{name}</code></a> \| \S", table, flags=re.M), name
        assert f":: segscores.{name}\n" in docstrings


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_generated_parts_are_up_to_date(page: Path):
    text, name = page.read_text(encoding="utf-8"), page.relative_to(ROOT)
    assert text == generated.fill(text), f"bring the page up to date with: python -m tests.docs.pages {name}"


def test_the_list_for_language_models_is_up_to_date():
    written = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    assert written == generated.llms_txt(), "bring it up to date with: python -m tests.docs.pages docs/index.md"
    paths = re.findall(r"^- \[[^]]+\]\(https://\S+/raw/main/(\S+)\): .*[.:?]$", written, flags=re.M)
    pages = {page.relative_to(ROOT).as_posix() for page in PAGES if page.stem not in ("index", "README")}
    assert sorted(paths) == sorted(pages)


def test_every_generated_part_stands_in_a_page():
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    named = [name for text in texts for name in re.findall(r"^<!-- generated: (\S+) -->$", text, flags=re.M)]
    assert sorted(named) == sorted(generated.PARTS)
    assert sum(text.count("<!-- end of generated part -->") for text in texts) == len(named)
    assert sum(text.count("<!-- docstrings -->") for text in texts) == 1


@pytest.mark.parametrize("index", sorted((ROOT / "docs").rglob("index.md")), ids=lambda page: page.parent.name)
def test_an_index_lists_and_links_the_pages_of_its_folder(index: Path):
    text = index.read_text(encoding="utf-8")
    match = re.search(r"^<!-- pages: (.*) -->$", text, flags=re.M)
    assert match
    names = match[1].split()
    folder = {path.stem: path.name for path in index.parent.iterdir() if path.suffix in (".md", ".ipynb")}
    del folder["index"]
    assert {name for name in names if not name.endswith("/index")} == folder.keys()
    for name in folder.values():
        assert f"]({name})" in text
    assert all((index.parent / f"{name}.md").exists() for name in names if name.endswith("/index"))


def anchors_of(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_pictures_lead_somewhere(page: Path):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"(?:\]\(|^\[[^]]+\]: )([^)\s]+)", text, flags=re.M):
        if target.startswith(("https://", "http://")) and not target.startswith(SITE):
            continue
        path, _, anchor = unquote(target.removeprefix(SITE)).partition("#")
        folder = ROOT if target.startswith(SITE) else page.parent
        linked = folder / path if path else page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors_of(linked), target


def test_every_picture_is_made_by_the_script_and_shown():
    script = (ROOT / "docs" / "make_pictures.py").read_text(encoding="utf-8")
    pictures = {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    shown = {Path(target).name for page in PAGES for target in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text())}
    # The page names the card that other sites show beside a link.
    assert pictures == shown | {"card.png"}
    for name in pictures:
        assert f'"{name}"' in script


def test_pip_lines_name_extras_that_exist():
    extras = set(re.findall(r"^\| `([\w-]+)` \|", generated.extras(), flags=re.M))
    for page in PAGES:
        for names in re.findall(r"(?:\.|segscores)\[([\w,-]+)\]", page.read_text(encoding="utf-8")):
            assert set(names.split(",")) <= extras, page


def test_commands_that_are_shown_and_not_run_have_flags_that_exist():
    known = set(re.findall(r"`(--[\w-]+)", generated.command_reference()))
    lines = [
        line
        for page in PAGES
        for block in blocks_of(page)
        if block.language == "text"
        for line in block.code.splitlines()
    ]
    commands = [line for line in lines if line.startswith("segscores ")]
    assert len(commands) >= 5
    for command in commands:
        assert set(re.findall(r"(?<= )--(?!\.)[\w-]+", command)) <= known, command
