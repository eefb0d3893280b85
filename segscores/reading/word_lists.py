"""Word lists as other programs write them: with frequencies and tags, as in jieba's dictionaries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..options.errors import warn
from ..options.messages import Message
from ..options.quoting import shortened
from ..options.table import OPTIONS

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
#: A word, a number, and perhaps a tag, between tabs or spaces.
_WITH_NUMBER = re.compile(rf"\s*(?:(\S[^\t]*?)\t\s*|(\S+) +)({_NUMBER})(?:[ \t]+(\S+))?\s*")
#: A share of lines with numbers from which the list is read as columns.
_MOST = 0.8
#: A number that counts something, and is no tone or index: of two digits, or with a sign or a fraction.
_FREQUENCY = re.compile(r"\d{2,}|.*[-+.,eE].*")


def words_alone(entries: Sequence[str], option: str) -> list[str]:
    """Return the entries of a word list, without the numbers and tags of most of them; a warning says so.

    >>> words_alone(["the dog", "a"], "vocabulary")
    ['the dog', 'a']
    """
    filled = [entry for entry in entries if entry.strip()]
    matches = [match for match in map(_WITH_NUMBER.fullmatch, filled) if match]
    if not matches or len(matches) < _MOST * len(filled):
        return list(entries)
    are_frequencies = any(match[4] or match[1] or _FREQUENCY.fullmatch(match[3]) for match in matches)
    if not are_frequencies:
        return list(entries)
    columns = "a word, a frequency and a tag" if matches[0][4] else "a word and a frequency"
    received = f"{len(matches)} of {len(filled)} lines have {columns}, such as {shortened(matches[0][0].strip())}"
    warn(Message(OPTIONS[option], f": {received}. The first column is read as the words."))
    words = []
    for entry in entries:
        match = _WITH_NUMBER.fullmatch(entry)
        words.append((match[1] or match[2]) if match else entry)
    return words
