"""Lines of the SIGMORPHON 2022 shared task: a text, a tab, and its morphs."""

from __future__ import annotations

import re

import numpy as np

from ...kernel import arrow_functions as pc
from ...kernel.arrays import bools_of, first_true, int64_array, large_lists, offsets_of
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
_SIGNS = Patterns(occurs=r" @@\S", every_line=r"[^\t]+\t[^\t]*(\t[^\t]*)?", sign="@@ before morphs", has=" @@")


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
    # The second column: `play @@ed` is `play ed`.
    morphs = pc.replace_substring_regex(utterances, r"(?s)^[^\t]*\t([^\t\r\n]*).*$", r"\1")
    morphs = pc.replace_substring(pc.utf8_trim_whitespace(morphs), " @@", " ")
    # The first column, and what the morphs spell, both without whitespace.
    texts = pc.replace_substring_regex(utterances, r"(?s)\t.*$", "")
    texts = pc.replace_substring_regex(texts, WHITESPACE, "")
    spelt = pc.replace_substring_regex(morphs, WHITESPACE, "")
    line = first_true(bools_of(pc.not_equal(spelt, texts)))
    if line >= 0:
        received = f"the morphs spell {shortened(spelt[line].as_py())}, the text is {shortened(texts[line].as_py())}"
        canonical = "Canonical morphs, as accurate @@cy of accuracy, are no segmentation of the text: "
        hint = Message(canonical, OPTIONS["scores"].set("morpheme"), " alone compares them.")
        raise UtteranceError(line, f"{received}; expected morphs that spell it.", hint=hint)
    return from_words_text(lines(morphs))


def _from_canonical(block: bytes) -> Segmentation:
    """Read morphs that need not spell their text. Between two spaces stands an empty morph, as in the script of SIGMORPHON 2022.

    The naive equivalent, for a line, is `line.split("\\t")[1].replace(" @@", " ").split(" ")`.
    """
    # Row by row, `played`, a tab and `play @@ed` become the columns [played, play @@ed], the cell `play @@ed`, and [play, ed].
    rows = pc.utf8_rtrim(lines_of(block).cast(TEXT), "\r\n")
    columns = pc.split_pattern(rows, "\t").cast(WORDS)
    cell_counts = np.diff(offsets_of(columns))
    is_blank = (cell_counts < 2) & matches(rows, r"^\s*$")
    refuse_lines(rows, (cell_counts < 2) & ~is_blank, _WITH_MORPHS)
    # Rows of 2 and 3 cells begin at the cells 0 and 2: their second columns are the cells 1 and 3.
    second_cells = np.cumsum(cell_counts) - cell_counts + 1
    cells = pc.take(columns.flatten(), int64_array(second_cells[~is_blank]))
    lists = pc.split_pattern(pc.replace_substring(cells, " @@", " "), " ").cast(WORDS)
    morph_counts = np.zeros(len(rows), np.int64)
    morph_counts[~is_blank] = np.diff(offsets_of(lists))
    morphs = large_lists(np.concatenate(([0], np.cumsum(morph_counts))), lists.flatten(), WORDS)
    # Each row is an utterance of one word with one analysis, which has no morphs if the row is blank: [[play, ed]].
    return from_analyses(large_lists(np.arange(len(rows) + 1), morphs, ANALYSES))


def _text(_: Reading) -> TextReader:
    """Return the reader of the text of lines, without their morphs."""
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
