"""Lines of the SIGMORPHON 2022 shared task: a text, a tab, and its morphs."""

from __future__ import annotations

import re

import numpy as np

from ...kernel import arrow_functions as pc
from ...kernel.arrays import bools_of, first_true, int64_array, large_lists, lengths_of, offsets_of
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.messages import Message
from ...options.quoting import shortened
from ...options.table import OPTIONS
from ...reading.formats.blocks import lines_of, matches, refuse_lines
from ...reading.formats.format import Format, Patterns, TextReader
from ...reading.inputs import ANALYSES, TEXT, WORDS
from ...reading.readers import WHITESPACE, from_words_text, lines
from ...reading.reading import Reading
from .alternatives import from_analyses

_WITH_MORPHS = "a word, a tab and its morphs, such as play @@ed"
_SIGNS = Patterns(r" @@\S", r"[^\t]+\t[^\t]*(\t[^\t]*)?", "@@ before morphs")


def from_sigmorphon(block: bytes, reading: Reading) -> Segmentation:
    """Read lines of a word or sentence, a tab, and its morphs, with `@@` before a morph within a word. Morphs are the words here.

    The naive equivalent, for a line, is `[morph.removeprefix("@@") for morph in line.split("\\t")[1].split()]`.

    >>> from_sigmorphon(b"played\\tplay @@ed\\t100\\n", Reading(text_format="sigmorphon")).word_ends
    array([4, 6])
    """
    if reading.analyses == "any":
        return _from_canonical(block)
    utterances = lines_of(block).cast(TEXT)
    refuse_lines(utterances, ~matches(utterances, r"^(\s*|[^\t]+\t[^\t\s][\s\S]*)$"), _WITH_MORPHS)
    morphs = pc.replace_substring_regex(utterances, r"(?s)^[^\t]*\t([^\t\r\n]*).*$", r"\1")
    morphs = pc.replace_substring(pc.utf8_trim_whitespace(morphs), " @@", " ")
    whole = pc.replace_substring_regex(utterances, r"(?s)\t.*$", "")
    spelt, text = (pc.replace_substring_regex(strings, WHITESPACE, "") for strings in (morphs, whole))
    if (at := first_true(bools_of(pc.not_equal(spelt, text)))) >= 0:
        received = f"the morphs spell {shortened(spelt[at].as_py())}, the text is {shortened(text[at].as_py())}"
        canonical = "Canonical morphs, as accurate @@cy of accuracy, are no segmentation of the text: "
        hint = Message(canonical, OPTIONS["scores"].set("morpheme"), " alone compares them.")
        raise UtteranceError(at, f"{received}; expected morphs that spell it.", hint=hint)
    return from_words_text(lines(morphs))


def _from_canonical(block: bytes) -> Segmentation:
    """Read morphs that need not spell their text. A line has them as the script of SIGMORPHON 2022 has: `""` is one too.

    The naive equivalent, for a line, is `line.split("\\t")[1].replace(" @@", " ").split(" ")`.
    """
    rows = pc.utf8_rtrim(lines_of(block).cast(TEXT), "\r\n")
    columns = pc.split_pattern(rows, "\t").cast(WORDS)
    sizes = lengths_of(offsets_of(columns)[1:])
    is_blank = (sizes < 2) & matches(rows, r"^\s*$")
    refuse_lines(rows, (sizes < 2) & ~is_blank, _WITH_MORPHS)
    cells = pc.take(columns.flatten(), int64_array((np.cumsum(sizes) - sizes + 1)[~is_blank]))
    lists = pc.split_pattern(pc.replace_substring(cells, " @@", " "), " ").cast(WORDS)
    counts = np.zeros(len(rows), np.int64)
    counts[~is_blank] = lengths_of(offsets_of(lists)[1:])
    morphs = large_lists(np.concatenate(([0], np.cumsum(counts))), lists.flatten(), WORDS)
    return from_analyses(large_lists(np.arange(len(rows) + 1), morphs, ANALYSES))


def _text(_: Reading) -> TextReader:
    return lambda block: re.sub(rb"\t.*", b"", block)


FORMAT = Format(
    "sigmorphon",
    gives=frozenset({"morphs"}),
    read=from_sigmorphon,
    evidence=_SIGNS.find,
    fits=_SIGNS.fits,
    has_tabs=True,
    pairs_with_words=False,  # canonical morphs spell nothing, so that no comparison would find the mistake
    text=_text,
)
