"""Files of units with labels in columns, as CoNLL's: a blank line ends an utterance."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import bytes_of, first_true, large_lists, offsets_of
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
)


def parse_conll(block: bytes, tags: str = "") -> pa.LargeStringArray:  # noqa: ARG001
    """Return the sentences of a block of units with labels, as units text with a NUL between words; repeated blank lines are one.

    A label begins or ends a word as in `from_labels`, of the schemes BI, BMES and BIES at once.

    >>> parse_conll("北\\tB\\n京\\tE\\n很\\tS\\n\\n".encode()).to_pylist()
    ['北 京 \\x00 很']
    """
    refuse_nul(block)
    utterances = lines_of(block)
    is_blank = matches(utterances, r"^\s*$")
    refuse_lines(utterances, ~is_blank & ~matches(utterances, _LABELLED), "a unit, a tab and its label")
    filled_lines = np.flatnonzero(~is_blank)
    filled = utterances.take(pa.array(filled_lines))
    labels = pc.replace_substring_regex(filled, _LABEL, r"\1")
    bad_label = first_true(~matches(labels, _LABELS))
    if bad_label >= 0:
        label = shortened(labels[bad_label].as_py().decode())
        problem = f"received the label {label}; expected B, I or M, E or S, such as B or B-NOUN."
        raise UtteranceError(int(filled_lines[bad_label]), problem)
    # The first letter of each label, as a capital: the bit that 0xDF lacks makes small letters.
    letters = np.frombuffer(bytes_of(labels), np.uint8)[offsets_of(labels)[:-1]] & 0xDF
    # Of the lines `北 B`, `京 E`, a blank one and `很 S`, the units have the sentences 0 0 1, and begin words at 0 and 2.
    sentences = np.cumsum(is_blank)[~is_blank]
    is_first = np.diff(sentences, prepend=-1) > 0
    begins_word = np.isin(letters, [ord("B"), ord("S")])
    begins_word[1:] |= np.isin(letters[:-1], [ord("E"), ord("S")])
    units = pc.replace_substring_regex(filled, _UNIT, r"\1").cast(TEXT)
    after_boundary = pc.binary_join_element_wise(pa.scalar("\0", TEXT), units, pa.scalar(" ", TEXT))
    tokens = pc.if_else(pa.array(begins_word & ~is_first), after_boundary, units)
    offsets = np.append(np.flatnonzero(is_first), len(is_first))
    return pc.binary_join(large_lists(offsets, tokens, WORDS), pa.scalar(" ", TEXT))


FORMAT = Format(
    "conll",
    sentences=Sentences(b"\n\n", parse_conll, read_as="units", read=from_marked_units),
    evidence=_SIGNS.find,
    fits=_SIGNS.fits,
)
