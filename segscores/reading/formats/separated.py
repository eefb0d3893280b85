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
_SIGNS = Patterns(rf"[{_NO_SPACES}]\|[{_NO_SPACES}]", every_line="", sign="| between letters", has="|")


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
    for index, line in enumerate(block.split(b"\n")):
        if b"<" not in line:
            continue
        # The tags that are open, the last one innermost.
        unclosed: list[bytes] = []
        for tag in re.findall(_MARKUP, line):
            if not tag.startswith(b"</"):
                unclosed.append(tag)
                continue
            opening_tag = tag.replace(b"/", b"")  # </NE> closes <NE>
            if not unclosed or unclosed.pop() != opening_tag:
                raise UtteranceError(index, f"{tag.decode()} closes no tag of its line; expected <NE> before </NE>.")
        if unclosed:
            raise UtteranceError(
                index, f"{unclosed[-1].decode()} is not closed on its line; expected </NE> after <NE>."
            )


def find_evidence(text: str) -> Evidence | None:
    """Find the separator between letters of a script that has no spaces between words; elsewhere it may be a letter."""
    evidence = _SIGNS.find(text)
    if evidence and re.search(r"</[A-Z]+>", text):
        return Evidence(f"{evidence.sign}; the option markup can drop tags such as <NE>")
    return evidence


def _text(reading: Reading) -> TextReader:
    """Return what turns lines into their text: without separators, and without markup if an option drops it."""
    # A tokenizer reads the spaces of the text. They are no units of its tokens, and must be none of the words either.
    if reading.keeps_spaces:
        problem = ": a space is no unit for a tokenizer: add "
        raise OptionError(FORMAT.setting, problem, OPTIONS["spaces"].set("drop"), ".")
    separator = (reading.separator or _SEPARATOR).encode()
    if reading.markup == "drop":
        return lambda block: re.sub(_MARKUP, b"", block).replace(separator, b"")
    return lambda block: block.replace(separator, b"")


FORMAT = Format(
    "separated",
    read=from_separated,
    mark=lambda reading: reading.separator or _SEPARATOR,
    usual={"separator": _SEPARATOR},
    evidence=find_evidence,
    text=_text,
)
