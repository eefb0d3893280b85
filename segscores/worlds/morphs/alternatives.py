"""Words with their analyses into morphs, as in Morpho Challenge and Morfessor. Their sign is that the analyses spell the word."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import bools_of, first_true, int64_array, large_lists, offsets_of
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.messages import Message
from ...options.table import OPTIONS
from ...reading.formats.blocks import lines_of, matches, refuse_lines
from ...reading.formats.format import Evidence, Format
from ...reading.inputs import ANALYSES, TEXT, WORDS
from ...reading.readers import from_word_lists
from ...reading.reading import Reading

#: So many lines whose first token is spelt by the others are no accident; "no no" is one.
_MIN_LINES = 5


def from_alternatives(block: bytes, reading: Reading) -> Segmentation:
    """Read words and their analyses, with commas between analyses and spaces between morphs; `#` begins a comment.

    >>> read = from_alternatives(b"undoable un do able, undo able\\n", Reading(text_format="alternatives", analyses="spelt"))
    >>> read.word_ends, read.of_utterances["analyses"].to_pylist()
    (array([2, 4, 8]), [[['un', 'do', 'able'], ['undo', 'able']]])
    """
    rows = pc.utf8_trim_whitespace(lines_of(block).cast(TEXT))
    rows = pc.replace_substring_regex(rows, r"^#.*$", "")
    is_blank = bools_of(pc.equal(rows, pa.scalar("", TEXT)))
    is_bad = ~is_blank & ~matches(rows, r"^\S+\s+[^\s,]+(\s*,\s*[^\s,]|\s+[^\s,]|[^\s,])*$")
    refuse_lines(rows, is_bad, "a word and its analyses, such as undoable un do able, undo able")
    # undoable un do able, undo able: without the word, cut at commas, `un do able` and `undo able`, and then at spaces.
    without_word = pc.replace_substring_regex(rows, r"^\S+\s+", "")
    analyses = pc.split_pattern_regex(without_word, r"\s*,\s*").cast(WORDS)
    lists = pc.split_pattern_regex(analyses.flatten(), r"\s+").cast(WORDS)
    if is_blank.any():
        # A blank row and a comment have one empty string, which is no morpheme.
        lists = _without_empty_strings(lists)
    counts = np.diff(offsets_of(analyses))
    ambiguous = first_true(counts > 1)
    if ambiguous >= 0 and not reading.analyses:
        remedy = "expected one: leave the others out, or score all of them with "
        problem = f"the word has {counts[ambiguous]} analyses; {remedy}"
        raise UtteranceError(ambiguous, Message(problem, OPTIONS["scores"].set("bpr"), "."))
    return from_analyses(large_lists(offsets_of(analyses), lists, ANALYSES))


def _without_empty_strings(lists: pa.LargeListArray) -> pa.LargeListArray:
    """Return lists of strings without the empty strings.

    >>> _without_empty_strings(pa.array([["un", "do"], [""]], WORDS)).to_pylist()
    [['un', 'do'], []]
    """
    strings = lists.flatten()
    is_filled = bools_of(pc.not_equal(strings, pa.scalar("", TEXT)))
    # Lists of 2 and 1 strings, of which the last is empty: offsets 0 2 3, filled up to each string 0 1 2 2, new offsets 0 2 2.
    filled_before = np.concatenate(([0], np.cumsum(is_filled)))
    kept = pc.take(strings, int64_array(np.flatnonzero(is_filled)))
    return large_lists(filled_before[offsets_of(lists)], kept, WORDS)


def from_analyses(analyses: pa.LargeListArray) -> Segmentation:
    """Read lists of one or more analyses of each word: the words of the segmentation are the morphemes of the first analysis.

    >>> from_analyses(pa.array([[["un", "do"], ["undo"]]], ANALYSES)).word_ends
    array([2, 4])
    """
    # Words with 2 and 1 analyses: the offsets are 0 2 3, and the first analyses 0 and 2. The offsets of a slice of a column begin
    # above 0; `flatten`, below, leaves out the values before it.
    offsets = offsets_of(analyses)
    offsets = offsets - offsets[0]
    empty = first_true(np.diff(offsets) == 0)
    if empty >= 0:
        raise UtteranceError(empty, "the word has no analysis; expected one list of morphemes, or several.")
    lists = analyses.flatten()
    first_lists = lists
    if len(lists) > len(analyses):
        first_lists = pc.take(lists, int64_array(offsets[:-1]))
    return from_word_lists(first_lists).with_utterance_columns(analyses=analyses)


def _lines_of_words(text: str) -> list[str]:
    """Return the lines that are neither blank nor comments."""
    filled = [line for line in text.split("\n") if line.strip()]
    return [line for line in filled if not line.lstrip().startswith("#")]


def spells_words(text: str) -> bool:
    """Return whether each line has a word, and after it analyses that spell the word.

    >>> spells_words("undoable un do able, undo able"), spells_words("we saw able dogs")
    (True, False)
    """
    for line in _lines_of_words(text):
        word, *rest = line.split(maxsplit=1)
        # The rest is one string, or nothing where the line is a word alone.
        analyses = "".join(rest).split(",")
        if any("".join(analysis.split()) != word for analysis in analyses):
            return False
    return True


def find_spelt_words(text: str) -> Evidence | None:
    """Return the evidence of several lines that begin with a word which the rest of the line spells, most of them in parts.

    >>> find_spelt_words("undo un do\\ndogs dog s\\nable able\\ncats cat s\\nuntie un tie\\n").sign
    'words that their analyses spell'
    """
    lines = _lines_of_words(text)
    # Most texts show in their first line that they are no analyses.
    if len(lines) < _MIN_LINES or not spells_words(lines[0]):
        return None
    # A word and one morph are two tokens; the repeated words of speech, such as "bye bye", are too.
    divided = [line for line in lines if len(line.split()) > 2]
    if 2 * len(divided) < len(lines) or not spells_words(text):
        return None
    return Evidence("words that their analyses spell")


FORMAT = Format(
    "alternatives",
    gives=frozenset({"morphs"}),
    read=from_alternatives,
    evidence=find_spelt_words,
    fits=spells_words,
    has_tabs=True,
)
