"""Files of units with labels in columns, as CoNLL's: a blank line ends an utterance."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Bytes, Positions, bytes_of, first_true, large_lists, offsets_of
from ...options.errors import UtteranceError
from ...options.quoting import shortened
from ..inputs import TEXT, WORDS
from ..readers import from_marked_units, refuse_nul
from .blocks import lines_of, matches, refuse_lines
from .format import Format, Patterns, Sentences

#: A line of a unit and its label, with other columns between them; its unit; and its label.
_LABELLED = r"^\S+[ \t](.*[ \t])?\S+\s*$"
_UNIT = r"(?s)^(\S+)\s.*$"
_LABEL = r"(?s)^.*\s(\S+)\s*$"
_LABELS = rb"^[BIMESbimes](-\S*)?$"
#: Between spaces, as CRF++ reads columns, a unit is one character, and labels are capitals: other lines may be words.
_SIGNS = Patterns(
    occurs=r"(\t[BSbs]|^\S .*\b[BS])(-\S*)?$",  # some label begins a word
    every_line=r"\S+\t(.*\t)?[BIMESbimes](-\S*)?|\S( \S+)* [BIMES](-\S*)?",
    sign="the labels of its lines",
    has_some_of="BSbs",
)


def parse_conll(block: bytes, tags: str = "") -> pa.LargeStringArray:  # noqa: ARG001
    """Return the sentences of a block of units with labels, as units text with a NUL between words.

    One blank line or several end a sentence. A label begins or ends a word as in `from_labels`, of the schemes BI, BMES and BIES
    at once. The format has no `tags`.

    >>> parse_conll("北\\tB\\n京\\tE\\n很\\tS\\n\\n".encode()).to_pylist()
    ['北 京 \\x00 很']
    """
    refuse_nul(block)
    lines = lines_of(block)
    is_blank = matches(lines, r"^\s*$")
    refuse_lines(lines, ~is_blank & ~matches(lines, _LABELLED), "a unit, a tab and its label")
    line_numbers = np.flatnonzero(~is_blank)
    lines_of_units = lines.take(pa.array(line_numbers))
    letters = _letters_of_labels(lines_of_units, line_numbers)
    # The units of the lines `北 B`, `京 E`, a blank one and `很 S` have the sentences 0 0 1, and begin words at 0 and 2.
    sentences = np.cumsum(is_blank)[~is_blank]
    is_first = np.diff(sentences, prepend=-1) > 0
    begins_word = np.isin(letters, [ord("B"), ord("S")])
    begins_word[1:] |= np.isin(letters[:-1], [ord("E"), ord("S")])
    units = pc.replace_substring_regex(lines_of_units, _UNIT, r"\1").cast(TEXT)
    # Each unit after a NUL and a space, `\0 很`: the last argument is what stands between the others.
    after_boundary = pc.binary_join_element_wise(pa.scalar("\0", TEXT), units, pa.scalar(" ", TEXT))
    # No boundary stands before the first word of a sentence.
    tokens = pc.if_else(pa.array(begins_word & ~is_first), after_boundary, units)
    offsets = np.append(np.flatnonzero(is_first), len(is_first))
    return pc.binary_join(large_lists(offsets, tokens, WORDS), pa.scalar(" ", TEXT))


def _letters_of_labels(lines_of_units: pa.LargeBinaryArray, line_numbers: Positions) -> Bytes:
    """Return the first letter of the label of each unit, as the code of a capital: of `北 b-NR` that of B.

    `line_numbers` are those of the lines in their block. An error is `received the label 'X'; expected B, I or M, E or S, …`.
    """
    labels = pc.replace_substring_regex(lines_of_units, _LABEL, r"\1")
    bad_label = first_true(~matches(labels, _LABELS))
    if bad_label >= 0:
        label = shortened(labels[bad_label].as_py().decode())
        problem = f"received the label {label}; expected B, I or M, E or S, such as B or B-NOUN."
        raise UtteranceError(int(line_numbers[bad_label]), problem)
    first_letters: Bytes = np.frombuffer(bytes_of(labels), np.uint8)[offsets_of(labels)[:-1]]
    # Small letters have one bit more than capitals, which 0xDF lacks.
    capitals: Bytes = first_letters & np.uint8(0xDF)
    return capitals


FORMAT = Format(
    "conll",
    sentences=Sentences(end=b"\n\n", parse=parse_conll, read_as="units", read=from_marked_units),
    evidence=_SIGNS.find,
    fits=_SIGNS.fits,
)
