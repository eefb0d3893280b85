"""Files of words or segments, such as vocabularies and dictionaries.

Conventions
-----------
A file whose name ends in `.conllu`, also before the ending of a packing, is CoNLL-U, and its words are the surface
words, as in the sides. Every other file is lines of text. The option `--text-format` does not change that: with
CoNLL-U as the text, the vocabulary may be a word list.
"""

from __future__ import annotations

from .files import file_source
from .names import is_conllu
from .opening import read_lines


def read_vocabulary(path: str) -> list[str] | list[list[str]]:
    """Return the lines of a word list or a segmented corpus; of CoNLL-U the words of each sentence."""
    return _read_sentences(path) if is_conllu(path, "") else read_lines(path)


def read_segments(path: str) -> list[str]:
    """Return the lines of a file, which are segments; of CoNLL-U the distinct words, in order of appearance."""
    if not is_conllu(path, ""):
        return read_lines(path)
    return list(dict.fromkeys(word for words in _read_sentences(path) for word in words if word))


def _read_sentences(path: str) -> list[list[str]]:
    batches = file_source(path, text_format="conllu").batches()
    return [sentence for batch in batches for sentence in batch.raw(0).to_pylist()]
