"""The output of MeCab, JUMAN and KNP: a word and its features on a line, and `EOS` after each utterance.

The tag of a word is its part of speech, of the first level: `名詞` of `名詞,固有名詞,地名` and of `名詞-固有名詞-地名`. It stands

- first among features with commas, as of MeCab with IPADIC, UniDic, JUMANDIC, NEologd or ko-dic, of Sudachi and Kagome;
- in the fourth of four to six columns of ChaSen, and of MeCab with the option `-Ochasen`;
- in the fifth of seven or more columns, which MeCab with UniDic writes by default;
- in the fourth column between spaces of JUMAN, Juman++ and KNP.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...options.errors import UtteranceError
from ...reading.formats.blocks import lines_of, matches, refuse_lines
from ...reading.formats.format import Format, Patterns, Sentences
from ...reading.inputs import TEXT
from .pairs import pairs_of

#: A word of MeCab ends at a tab, of JUMAN at a space. Other lines are comments, phrases (also of CaboCha), and alternatives.
_SURFACE = r"(?s)^(?:([^\t\s][^\t]*)\t.*|(\S+) .*)$"
#: The part of speech in each layout, in the order of the introduction; the features of Sudachi stand before more columns. Where
#: there are few features or none, the first.
_COLUMN = r"[^\t\r\n]*"
_FEATURES = (
    r"([^,\t\r\n]*),(?:[^,\t\r\n]*,){3}.*",
    rf"(?:{_COLUMN}\t){{2}}([^-\t\r\n]+){_COLUMN}(?:\t{_COLUMN}){{0,2}}\r?\n?",
    rf"(?:{_COLUMN}\t){{3}}([^-\t\r\n]+){_COLUMN}(?:\t{_COLUMN}){{2,}}\r?\n?",
    r"([^-,\t\r\n]+)-[^,\t]*",
    r"([^,\t\r\n]*).*",
)
#: The features of all layouts. Of their groups one matches, so that all groups together are the part of speech.
_FEATURE = rf"(?s)^(?:[^\t\s][^\t]*\t(?:{'|'.join(_FEATURES)})|(?:\S+ ){{3}}(\S+).*)$"
_EVERY_GROUP = "".join(f"\\{number}" for number in range(1, len(_FEATURES) + 2))
#: Lines that are no words: comments, phrases, and alternatives. JUMAN has a space of the text as `\ `.
_NO_WORD = r"^(\\  \\  .*|# S-ID[^\t]*|[*+] -?\d+[A-Z]?( [^\t]*)?|@ (@ @ @ @|[^@])[^\t]*|\s*)\s*$"
_SIGNS = Patterns(r"^EOS$", r"EOS|\S+(\t.*|( \S+){5,})|[*+#@] .*", "the lines EOS")


def parse_mecab(block: bytes, tags: str = "") -> pa.LargeListArray:
    """Return the words of every sentence of a block of MeCab's, JUMAN's or KNP's output, which ends with the line `EOS`.

    If `tags` is not empty, pairs of words and tags.

    >>> parse_mecab("東京\\t名詞\\nに\\t助詞\\nEOS\\n".encode()).to_pylist()
    [['東京', 'に']]
    """
    lines = lines_of(block)
    is_end = matches(lines, r"^EOS\s*$")
    is_word = ~is_end & ~matches(lines, _NO_WORD)
    expected = "a word and its features after a tab or a space, or EOS"
    refuse_lines(lines, is_word & ~matches(lines, _SURFACE), expected)
    # The numbers of the lines.
    words = np.flatnonzero(is_word)
    ends = np.flatnonzero(is_end)
    if len(words) and (not len(ends) or words[-1] > ends[-1]):
        raise UtteranceError(int(words[-1]), "no line EOS follows this word; expected one after each sentence.")
    if tags:
        refuse_lines(lines, is_word & ~matches(lines, _FEATURE), expected)
    lines_of_words = lines.take(pa.array(words))
    surfaces = pc.replace_substring_regex(lines_of_words, _SURFACE, r"\1\2").cast(TEXT)
    features = None
    if tags:
        features = pc.replace_substring_regex(lines_of_words, _FEATURE, _EVERY_GROUP).cast(TEXT)
    # Words in the lines 0 1 3, and EOS in the lines 2 4: the sentences have the words 0:2 and 2:3.
    return pairs_of(np.concatenate(([0], np.searchsorted(words, ends))), surfaces, features)


FORMAT = Format(
    "mecab",
    gives=frozenset({"tags"}),
    sentences=Sentences(b"\nEOS\n", parse_mecab, read_as="words"),
    evidence=_SIGNS.find,
)
