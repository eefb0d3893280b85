"""Docstrings, and comments of code that is not a test, begin with a verb or with their subject."""

import re

import pytest

from ..modules import ROOT

QUESTION = "(Whether|What|Of|How|Which) "
DOCSTRING = re.compile(rf'^\s*"""{QUESTION}', re.MULTILINE)
COMMENT = re.compile(rf"^\s*#:? {QUESTION}", re.MULTILINE)
FOLDERS = {
    "segscores": (DOCSTRING, COMMENT), "benchmarks": (DOCSTRING, COMMENT), "examples": (DOCSTRING, COMMENT),
    "docs": (DOCSTRING,), "tests": (DOCSTRING,),
}  # fmt: skip


def found_in(text: str, patterns: tuple[re.Pattern[str], ...]) -> list[str]:
    """Return the first words of comments and docstrings that begin as a question."""
    return [match[0].strip() for pattern in patterns for match in pattern.finditer(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('def f():\n    """Whether it fits."""\n', ['"""Whether']),
        ("#: What a line has.\nX = 1\n", ["#: What"]),
        ("if a:\n    # Of two words the first.\n", ["# Of"]),
        ('def f():\n    """Return what fits. What else?"""\n    return 1  # Which one?\n', []),
        ("# Whatever comes, and offers.\n", []),
    ],
)
def test_a_comment_without_its_subject_is_found(text: str, found: list[str]) -> None:
    assert found_in(text, (DOCSTRING, COMMENT)) == found


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_comment_begins_as_a_question(folder: str) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob("*.py")}
    assert texts
    assert {path: found for path, text in texts.items() if (found := found_in(text, FOLDERS[folder]))} == {}
