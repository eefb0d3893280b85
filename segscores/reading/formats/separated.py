"""Separated text: words with a separator between them, as in Thai corpora."""

from __future__ import annotations

import re

from ...kernel import arrow_functions as pc
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ..inputs import TEXT, WORDS
from ..readers import from_word_lists, refuse_nul
from ..reading import Reading
from .blocks import lines_of
from .format import Evidence, Format, Patterns, TextReader

_SEPARATOR = "|"
_MARKUP = rb"</?[A-Z]+>"
# Thai, Lao, Burmese, Khmer, kana, Chinese characters.
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_SIGNS = Patterns(rf"[{_NO_SPACES}]\|[{_NO_SPACES}]", "", "| between letters")


def from_separated(block: bytes, reading: Reading) -> Segmentation:
    """Read words with a separator between them; a space within a word is a unit, unless `spaces="drop"` drops it.

    The naive equivalent, for a line, is `line.strip().split("|")`, after `re.sub("</?[A-Z]+>", "", line)` for `markup="drop"`.

    >>> from_separated("ab|c d|\\n".encode(), Reading(text_format="separated")).word_ends
    array([2, 5])
    """
    refuse_nul(block)
    if reading.markup == "drop":
        _check_markup(block)
        block = re.sub(_MARKUP, b"", block)
    utterances = pc.utf8_trim_whitespace(lines_of(block).cast(TEXT))
    words = pc.split_pattern(utterances, reading.separator or _SEPARATOR).cast(WORDS)
    return from_word_lists(words, keeps_spaces=reading.keeps_spaces)


def _check_markup(block: bytes) -> None:
    """Check that each tag is closed on its line."""
    for at, line in enumerate(block.split(b"\n")):
        if b"<" not in line:
            continue
        unclosed: list[bytes] = []
        for tag in re.findall(_MARKUP, line):
            if tag[1:2] != b"/":
                unclosed.append(tag)
            elif not unclosed or unclosed.pop()[1:] != tag[2:]:
                raise UtteranceError(at, f"{tag.decode()} closes no tag of its line; expected <NE> before </NE>.")
        if unclosed:
            raise UtteranceError(at, f"{unclosed[-1].decode()} is not closed on its line; expected </NE> after <NE>.")


def find_evidence(text: str) -> Evidence | None:
    """Find the separator between letters of a script that has no spaces between words; elsewhere it may be a letter."""
    evidence = _SIGNS.find(text)
    if evidence and re.search(r"</[A-Z]+>", text):
        return Evidence(f"{evidence.sign}; the option markup can drop tags such as <NE>")
    return evidence


def _text(reading: Reading) -> TextReader:
    if reading.keeps_spaces:
        remedy = ": a space is no unit for a tokenizer: add ", OPTIONS["spaces"].set("drop"), "."
        raise OptionError(FORMAT.setting, *remedy)
    markup = _MARKUP if reading.markup == "drop" else rb"(?!)"
    separator = (reading.separator or _SEPARATOR).encode()
    return lambda block: re.sub(markup, b"", block).replace(separator, b"")


FORMAT = Format(
    "separated",
    read=from_separated,
    mark=lambda reading: reading.separator or _SEPARATOR,
    usual={"separator": _SEPARATOR},
    evidence=find_evidence,
    text=_text,
)
