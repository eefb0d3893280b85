"""Every code block of the README and of the documentation runs, and prints what the page says."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import segscores

from ..official import peoples_daily
from .pages import PAGES, ROOT, Block, blocks_of, run_page, run_program

#: Languages of blocks that show something instead of running: output, data, and the commands that .ci/run runs.
SHOWN = {"text", "json", "bibtex", "sh"}

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


@pytest.mark.parametrize("page", [page for page in PAGES if has_examples(page)], ids=name_of)
def test_examples_print_what_the_page_says(page: Path) -> None:
    outcome = run_page(page)
    assert outcome.examples > 0
    assert not outcome.failures, "\n".join(outcome.failures)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_example_shows_an_accident(page: Path) -> None:
    """Bringing a page up to date writes a traceback, or the complaint of the parser, where an example fails."""
    text = page.read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert "unrecognized arguments" not in text


@pytest.mark.parametrize(("page", "block"), programs())
def test_programs_end_well(page: Path, block: Block) -> None:
    run_program(block, page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_run_or_is_of_a_kind_that_is_shown(page: Path) -> None:
    fences = re.findall(r"^```(.+)$", page.read_text(encoding="utf-8"), flags=re.M)
    assert len(fences) == len(blocks_of(page)), "a fence that no block was found for"
    for block in blocks_of(page):
        assert block.language in SHOWN | {"python", "console"} or block.language.startswith("{"), block.language
        if block.language == "json":
            json.loads(block.code)


def texts_of(script: str) -> list[list[str]]:
    """150 texts, as words."""
    if script == "Chinese":
        return [line.split() for line in peoples_daily().references[:150]]
    from pythainlp.corpus import thai_words

    known = sorted(word for word in thai_words() if word.isprintable() and " " not in word)
    source = random.Random(1)
    return [source.sample(known, 8) for _ in range(150)]


@pytest.mark.parametrize("script", ["Chinese", "Thai"])
def test_the_pieces_of_a_byte_level_tokenizer_are_those_between_its_boundaries(script: str) -> None:
    """A boundary is where no token has bytes on both sides."""
    page = ROOT / "docs" / "how-to" / "tokenizers.md"
    (code,) = [block.code for block in blocks_of(page) if "def subwords_of(" in block.code]
    recipe: dict[str, Any] = {}
    exec(code, recipe)
    words = texts_of(script)
    texts = list(map("".join, words))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=400, show_progress=False))
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    overlapping = 0
    pieces = [recipe["subwords_of"](text, each.offsets) for text, each in zip(texts, encodings, strict=True)]
    for text, each, found in zip(texts, encodings, pieces, strict=True):
        inside = {place for start, end in each.offsets for place in range(start + 1, end)}
        bounds = [0, *(place for place in range(1, len(text)) if place not in inside), len(text)]
        assert found == [text[start:end] for start, end in pairwise(bounds)]
        overlapping += any(start < before for (_, before), (start, end) in pairwise(dict.fromkeys(each.offsets)))
    assert overlapping > 10
    counts = segscores.tally(words, pieces, scores="token").counts()
    assert counts["token_predicted"] == sum(map(len, pieces)) < sum(map(len, encodings))


@pytest.mark.parametrize(
    ("code", "fails"),
    [
        ("```python\n>>> 1 + 1\n2\n```\n", False),
        ("```python\n>>> 1 + 1\n3\n```\n", True),
        ("```python\n>>> 1 / 0\n```\n", True),
        ("```console\n$ echo a\na\n$ echo b >&2\nb\n```\n", False),
        ("```console\n$ echo a\nb\n```\n", True),
        ("```console\n$ echo a b c\na ... c\n```\n", False),
        ("```python\n>>> name = 1\n\n```\ntext\n```python\n>>> name\n1\n```\n", False),
    ],
)
def test_a_page_that_says_something_else_fails(code: str, fails: bool, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(code, encoding="utf-8")
    assert bool(run_page(page).failures) == fails
