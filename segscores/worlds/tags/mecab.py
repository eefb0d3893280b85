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

#: A word of MeCab ends at a tab (group 1), and of JUMAN at a space (group 2).
_SURFACE = r"(?s)^(?:([^\t\s][^\t]*)\t.*|(\S+) .*)$"
_COLUMN = r"[^\t\r\n]*"
#: The pattern of the text after the tab behind a word, in each layout of MeCab; the group is the part of speech.
_FEATURES = (
    # Five features or more between commas. Those of Sudachi stand before more columns.
    r"([^,\t\r\n]*),(?:[^,\t\r\n]*,){3}.*",
    # Four to six columns, with the word. ChaSen has the part of speech in the fourth.
    rf"(?:{_COLUMN}\t){{2}}([^-\t\r\n]+){_COLUMN}(?:\t{_COLUMN}){{0,2}}\r?\n?",
    # Seven columns or more. UniDic has the part of speech in the fifth.
    rf"(?:{_COLUMN}\t){{3}}([^-\t\r\n]+){_COLUMN}(?:\t{_COLUMN}){{2,}}\r?\n?",
    # One column, such as 名詞-固有名詞-地名.
    r"([^-,\t\r\n]+)-[^,\t]*",
    # Few features or none: the first.
    r"([^,\t\r\n]*).*",
)
#: A line of a word of any layout; the last is JUMAN's. Of the groups one matches, so that all together are the part of speech.
_FEATURE = rf"(?s)^(?:[^\t\s][^\t]*\t(?:{'|'.join(_FEATURES)})|(?:\S+ ){{3}}(\S+).*)$"
_EVERY_GROUP = "".join(f"\\{number}" for number in range(1, len(_FEATURES) + 2))
#: Lines that are no words: comments, phrases, and alternatives. JUMAN has a space of the text as `\ `.
_NO_WORD = r"^(\\  \\  .*|# S-ID[^\t]*|[*+] -?\d+[A-Z]?( [^\t]*)?|@ (@ @ @ @|[^@])[^\t]*|\s*)\s*$"
_SIGNS = Patterns(occurs=r"^EOS$", every_line=r"EOS|\S+(\t.*|( \S+){5,})|[*+#@] .*", sign="the lines EOS", has="EOS")


def parse_mecab(block: bytes, tags: str = "") -> pa.LargeListArray:
    """Return the words of every sentence of a block of MeCab's, JUMAN's or KNP's output, which ends with the line `EOS`.

    If `tags` is not empty, return pairs of words and tags. MeCab has one kind of tags, so that any name will do.

    >>> parse_mecab("東京\\t名詞\\nに\\t助詞\\nEOS\\n".encode()).to_pylist()
    [['東京', 'に']]
    """
    lines = lines_of(block)
    is_end = matches(lines, r"^EOS\s*$")
    is_word = ~is_end & ~matches(lines, _NO_WORD)
    expected = "a word and its features after a tab or a space, or EOS"
    refuse_lines(lines, is_word & ~matches(lines, _SURFACE), expected)
    word_lines = np.flatnonzero(is_word)  # numbers of lines, as end_lines
    end_lines = np.flatnonzero(is_end)
    if len(word_lines) and (not len(end_lines) or word_lines[-1] > end_lines[-1]):
        raise UtteranceError(int(word_lines[-1]), "no line EOS follows this word; expected one after each sentence.")
    lines_of_words = lines.take(pa.array(word_lines))
    # One of the two groups matches and is the word, and the other one is empty.
    words = pc.replace_substring_regex(lines_of_words, _SURFACE, r"\1\2").cast(TEXT)
    parts_of_speech = None
    if tags:
        refuse_lines(lines, is_word & ~matches(lines, _FEATURE), expected)
        parts_of_speech = pc.replace_substring_regex(lines_of_words, _FEATURE, _EVERY_GROUP).cast(TEXT)
    # word_lines 0 1 3, end_lines 2 4: before the ends are 2 and 3 words, so that the sentences have the words 0:2 and 2:3.
    offsets = np.concatenate(([0], np.searchsorted(word_lines, end_lines)))
    return pairs_of(offsets, words, parts_of_speech)


FORMAT = Format(
    "mecab",
    gives=frozenset({"tags"}),
    sentences=Sentences(end=b"\nEOS\n", parse=parse_mecab, read_as="words"),
    evidence=_SIGNS.find,
)
