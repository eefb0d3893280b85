"""Files of words or segments, such as vocabularies and dictionaries.

Conventions
-----------
A file whose name ends in `.conllu`, also before the ending of a packing, is CoNLL-U, and its words are the surface
words, as those of the sides. Every other file is lines of text. The option `--text-format` does not change that: with
CoNLL-U as the text, the vocabulary may be a word list.

Where the reference is units text whose units are joined, because a prediction has no such units, the units of the words in
these files are joined too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ..kernel.errors import FileError
from .files import file_source
from .names import is_conllu
from .opening import read_lines

if TYPE_CHECKING:
    from ..reading.texts import TextForm


def read_vocabulary(path: str, joined: TextForm | None = None) -> list[str] | list[list[str]]:
    """The lines of a word list or a segmented corpus; of CoNLL-U the words of each sentence.

    Args:
        path: of the file.
        joined: the form of the reference, if it is units text whose units are joined.

    Raises:
        FileError: the file can't be read, is not what its name says, or, with `joined`, has lines of several tokens but no
            boundary token: they may be words, or the units of one word.
    """
    if is_conllu(path, ""):
        return _read_sentences(path)
    lines = read_lines(path)
    if joined is None:
        return lines
    tokens = _tokens(lines, joined)
    boundary = joined.word_boundary
    if not any(boundary in line for line in tokens) and any(len(line) > 1 for line in tokens):
        raise FileError(
            f"{path}: the reference is units text, joined into words text, and the file has no {boundary}: a line could be "
            f"several words, or the units of one word. Write {boundary} after each word, or each word without spaces on its line."
        )
    return [_join_units(line, boundary) for line in tokens]


def _tokens(lines: Sequence[str], form: TextForm) -> list[list[str]]:
    return [[token for token in line.split() if token not in form.ignored_tokens] for line in lines]


def _join_units(tokens: Sequence[str], boundary: str) -> str:
    return " ".join("".join(units) for ends_word, units in groupby(tokens, boundary.__eq__) if not ends_word)


def read_segments(path: str, joined: TextForm | None = None) -> list[str]:
    """The lines of a file, which are segments; of CoNLL-U the distinct words, in order of appearance.

    Raises:
        FileError: the file can't be read, or is not what its name says.
    """
    if not is_conllu(path, ""):
        lines = read_lines(path)
        return lines if joined is None else list(map("".join, _tokens(lines, joined)))
    return list(dict.fromkeys(word for words in _read_sentences(path) for word in words if word))


def _read_sentences(path: str) -> list[list[str]]:
    batches = file_source(path, text_format="conllu").batches()
    return [sentence for batch in batches for sentence in batch.raw(0).to_pylist()]
