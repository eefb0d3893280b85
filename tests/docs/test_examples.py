"""Every code block of the README and of the documentation runs, and prints what the page says."""

import json
import re
from pathlib import Path

import pytest

from .pages import PAGES, ROOT, Block, blocks_of, run_page, run_program

#: Languages of blocks that show something instead of running: output, data, and the commands that .ci/run runs.
SHOWN = {"text", "json", "bibtex", "sh", "yaml"}

#: The tier of tests that a program belongs to, by what it needs.
TIERS = {"torch": "torch", "java": "spark", "torchmetrics": "frameworks"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def has_examples(page: Path) -> bool:
    return any(block.is_doctest or block.language == "console" for block in blocks_of(page))


def programs() -> list[object]:
    """Each block without prompts, marked with its tier; those that need the demo are in tests/demo."""
    return [
        pytest.param(
            page,
            block,
            id=f"{name_of(page)}-{block.line}",
            marks=[getattr(pytest.mark, tier) for need, tier in TIERS.items() if need in block.needs],
        )
        for page in PAGES
        for block in blocks_of(page)
        if block.is_program and "demo" not in block.needs
    ]


def has_slow_examples(page: Path) -> bool:
    return any("slow" in block.needs for block in blocks_of(page))


def examples() -> list[object]:
    """Each page with examples, without its blocks that need `slow`; and these by themselves."""
    fast = [pytest.param(page, False, id=name_of(page)) for page in PAGES if has_examples(page)]
    slow = [page for page in PAGES if has_slow_examples(page)]
    return fast + [pytest.param(page, True, id=f"{name_of(page)}-slow", marks=pytest.mark.slow) for page in slow]


@pytest.mark.parametrize(("page", "is_slow"), examples())
def test_examples_print_what_the_page_says(page: Path, is_slow: bool) -> None:
    outcome = run_page(page, [block for block in blocks_of(page) if ("slow" in block.needs) is is_slow])
    assert outcome.examples > 0
    assert not outcome.failures, "\n".join(outcome.failures)


@pytest.mark.parametrize(("page", "block"), programs())
def test_programs_end_well(page: Path, block: Block) -> None:
    run_program(block, page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_run_or_is_of_a_kind_that_is_shown(page: Path) -> None:
    """A directive is a box with a name in it where Markdown is shown as it is."""
    text = page.read_text(encoding="utf-8")
    # Bringing a page up to date writes a traceback, or the complaint of the parser, where an example fails.
    assert not re.search("Traceback|unrecognized arguments", text)
    fences = re.findall(r"^```(.+)$", text, flags=re.M)
    assert len(fences) == len(blocks_of(page)), "a fence that no block was found for"
    for block in blocks_of(page):
        assert block.language in SHOWN | {"python", "console"}, block.language
        if block.language == "json":
            json.loads(block.code)


@pytest.mark.parametrize(
    ("code", "fails"),
    [
        ("```python\n>>> 1 + 1\n2\n```\n", False),
        ("```python\n>>> 1 + 1\n3\n```\n", True),
        ("```python\n>>> 1 / 0\n```\n", True),
        ("```console\n$ echo a\na\n$ echo b >&2\nb\n```\n", False),
        ("```console\n$ echo a\nb\n```\n", True),
        ("```console\n$ segscores --version | cut -c1-9\nsegscores\n```\n", False),
        ("```console\n$ echo a b c\na ... c\n```\n", False),
        # The last digits of an interval differ between processors; the twelfth does not.
        ("```console\n$ echo a,0.8781813740534011\na,0.8781813740534008\n```\n", False),
        ("```console\n$ echo a,0.8781813740534011\na,0.8781813740634011\n```\n", True),
        ("```console\n$ echo a,0.8781813740\na,0.8781813741\n```\n", True),
        ("```python\n>>> name = 1\n\n```\ntext\n```python\n>>> name\n1\n```\n", False),
    ],
)
def test_a_page_that_says_something_else_fails(code: str, fails: bool, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(code, encoding="utf-8")
    assert bool(run_page(page).failures) == fails
