"""Lists in files: words or segments, such as vocabularies and dictionaries; and lists of numbers, one a line, such as boundary
scores and difficulties.

A file of words is CoNLL-U by its name alone: with CoNLL-U as the text, the vocabulary may be a word list.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any

from ...options.errors import FileError, UtteranceError, counting_from
from ...options.quoting import shortened
from ..formats.registry import recognise
from ..json_values import json_value
from .files import file_source
from .names import Held, format_of_name, shown_name
from .opening import beginning_of_text, read_lines


def read_vocabulary(path: str, encoding: str | None = None) -> list[str] | list[list[str]]:
    """Return the lines of a word list or a segmented corpus; of CoNLL-U the words of each sentence.

    The encoding is as in `opening.decode_file`: None if no option names it.
    """
    if format_of_name(path) is None:
        lines = read_lines(path, encoding=encoding)
        _refuse_other_formats(lines, path, "expected words on each line: one, or those of an utterance.")
        return lines
    return _read_sentences(path)


def read_segments(path: str, encoding: str | None = None) -> list[str]:
    """Return the lines of a file, which are segments; of CoNLL-U the distinct words, in order of appearance.

    The encoding is as in `opening.decode_file`: None if no option names it.
    """
    if format_of_name(path) is None:
        lines = read_lines(path, encoding=encoding)
        _refuse_other_formats(lines, path, "expected a segment on each line.")
        return lines
    words = chain.from_iterable(_read_sentences(path))
    return list(dict.fromkeys(filter(None, words)))


def _refuse_other_formats(lines: list[str], path: str, expected: str) -> None:
    """Raise an error if lines are of a format in which an utterance has several, or of a world: they are no words or segments."""
    row, evidence = recognise(beginning_of_text("\n".join(lines)))
    has_other_lines = row.sentences is not None or row.world_form is not None
    if has_other_lines and evidence is not None:
        raise FileError(f"{path}: these are {row.form.noun} (recognised by {evidence.sign}); {expected}")


def _read_sentences(path: str) -> list[list[str]]:
    """Return the words of each sentence of a file of CoNLL-U."""
    sentences: list[list[str]] = []
    words_column = 0
    for batch in file_source(path).batches():
        sentences += batch.raw(words_column).to_pylist()
    return sentences


def read_lists(path: str | Held) -> list[list[float]]:
    """Read the numbers of each line: a JSON list, or numbers separated by spaces or commas."""
    lists = []
    for number, line in enumerate(read_lines(path, has_words=False), 1):
        values = None
        problem = ""  # what is wrong with a line that begins as a JSON list
        try:
            values = json_value(line)
        except ValueError as error:
            if line.lstrip().startswith("["):
                problem = f", which is not JSON ({getattr(error, 'msg', error)})"
        # Numbers in a row are no JSON, and a single number is JSON, but no list. Other items leave `values`, for the error below.
        if not isinstance(values, list):
            with suppress(ValueError):
                values = [float(item) for item in line.replace(",", " ").split()]
        # A list of JSON may have items that are no numbers, such as true, whose type is bool.
        if not isinstance(values, list) or not set(map(type, values)) <= {int, float}:
            received = f"{shown_name(path)}, line {number}: received {shortened(line)}{problem}"
            expected = "expected a JSON list of numbers, such as [0.0, 0.5], or numbers separated by spaces."
            raise FileError(f"{received}; {expected}", counting=counting_from("line"))
        lists.append(values)
    return lists


@contextmanager
def naming_files(**arguments: Any) -> Iterator[None]:
    """Name the file and the line in an error about an argument that is a path, such as `boundary_scores=Path("a.txt")`.

    An error about an utterance, `UtteranceError`, has the name of the argument as its side.
    """
    try:
        yield
    except UtteranceError as error:
        path = arguments.get(error.side)
        if not isinstance(path, os.PathLike):
            raise
        raise error.in_file(os.fspath(path)) from None


def read_scores(values: Any) -> Any:
    """Read the boundary scores in a file; return other values than a path as they are."""
    if isinstance(values, os.PathLike):
        return read_lists(os.fspath(values))
    return values
