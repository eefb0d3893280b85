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

from typing import TYPE_CHECKING

from ...options.errors import FileError
from ...options.messages import message_of
from ..texts import joined_segment, joined_words
from .files import file_source
from .names import is_conllu
from .opening import read_lines

if TYPE_CHECKING:
    from ..texts import TextForm


def read_vocabulary(path: str, joined: TextForm | None = None) -> list[str] | list[list[str]]:
    """The lines of a word list or a segmented corpus; of CoNLL-U the words of each sentence."""
    if is_conllu(path, ""):
        return _read_sentences(path)
    lines = read_lines(path)
    try:
        return lines if joined is None else joined_words(lines, joined.word_boundary, joined.ignored_tokens)
    except ValueError as error:
        raise FileError(path, ": ", message_of(error)) from None


def read_segments(path: str, joined: TextForm | None = None) -> list[str]:
    """The lines of a file, which are segments; of CoNLL-U the distinct words, in order of appearance."""
    if not is_conllu(path, ""):
        lines = read_lines(path)
        return lines if joined is None else [joined_segment(line, joined.ignored_tokens) for line in lines]
    return list(dict.fromkeys(word for words in _read_sentences(path) for word in words if word))


def _read_sentences(path: str) -> list[list[str]]:
    batches = file_source(path, text_format="conllu").batches()
    return [sentence for batch in batches for sentence in batch.raw(0).to_pylist()]
