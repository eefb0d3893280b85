"""KyTea's output: words with tags after their first slash."""

from __future__ import annotations

import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import large_lists, offsets_of
from ...kernel.segmentation import Segmentation
from ...reading.formats.blocks import TO_SPACES, lines_of, refuse_tokens
from ...reading.formats.format import Evidence, Format, Patterns
from ...reading.inputs import TEXT, WORDS
from ...reading.readers import from_word_lists, narrow_whitespace, refuse_nul
from ...reading.reading import Reading
from .pairs import with_tags

#: A word of KyTea: characters that are no separator and no escape, or that are escaped.
_KYTEA_WORD = r"(?:\\.|[^\\/\s])+"
#: All tags of a word, with the slash before them.
_KYTEA_TAGS = r"/(?:\\.|[^\\\s])*"
#: All tags of a word, of which the first is a group.
_KYTEA_TAG = rf"/((?:\\.|[^\\/\s])*)(?:{_KYTEA_TAGS})?"
#: KyTea with two tags, a part of speech and a pronunciation, as in 東京/名詞/とうきょう. Each line has two such words or more:
#: one alone may be a date, as 30/11/2026.
_TWO_TAGS = Patterns(
    occurs=r"/", every_line=r"\s*([^\s/]+/[^\s/]+/[^\s/]+(\s+|$)){2,}", sign="two tags after each word"
)
#: Parts of speech of Japanese.
_PART = "名詞|代名詞|動詞|形容詞|形状詞|副詞|連体詞|接続詞|感動詞|助詞|助動詞|語尾|接頭辞|接尾辞|補助記号|記号"
#: KyTea with one tag, as of its option -notag 2, and Vaporetto: Japanese parts of speech.
_ONE_TAG = Patterns(
    occurs=rf"[^\s/]/({_PART})(-|\s|$)",
    every_line=r"\s*([^\s/]+/[^\s/A-Za-z0-9]+(\s+|$))+",
    sign="a Japanese part of speech after each word",
    has="/",
)


def from_kytea(block: bytes, reading: Reading) -> Segmentation:
    """Read words with tags after their first slash; a backslash escapes a slash, space or backslash that is part of a word.

    >>> bytes(from_kytea("東京/名詞/とうきょう 1\\\\/2/数\\n".encode(), Reading(text_format="kytea")).text).decode()
    '東京1/2'
    """
    refuse_nul(block)
    utterances = lines_of(narrow_whitespace(block).translate(TO_SPACES))
    refuse_tokens(utterances, _KYTEA_WORD + _KYTEA_TAGS, "a word and its tags, such as 東京/名詞/とうきょう")
    words = _groups_of_tokens(utterances, rf"({_KYTEA_WORD}){_KYTEA_TAGS}")
    segmentation = from_word_lists(words)
    if not reading.tags:
        return segmentation
    tags = _groups_of_tokens(utterances, _KYTEA_WORD + _KYTEA_TAG)
    # Both have an empty string after the last token of each utterance: `with_tags` drops the tags of empty words.
    return with_tags(segmentation, words.values, tags.values)


def _groups_of_tokens(utterances: pa.LargeBinaryArray, token: str) -> pa.LargeListArray:
    """Return for each utterance the group of each of its tokens, without escapes, and an empty string after the last one.

    `token` is the pattern of a token, with one group. If that is the word, `東京/名詞 に/助詞` becomes `["東京", "に", ""]`.
    """
    # A NUL ends each group. A space would not do, because a group may end in an escaped one.
    marked = pc.replace_substring_regex(utterances, rf"\s*{token}\s*", "\\1\0")
    lists = pc.split_pattern(pc.utf8_trim_whitespace(marked.cast(TEXT)), "\0").cast(WORDS)
    unescaped = pc.replace_substring_regex(lists.flatten(), r"\\(.)", r"\1")
    return large_lists(offsets_of(lists), unescaped, WORDS)


def find_evidence(text: str) -> Evidence | None:
    """Find two tags after each word, or one that is a Japanese part of speech.

    >>> find_evidence("東京/名詞 に/助詞").sign
    'a Japanese part of speech after each word'
    """
    return _TWO_TAGS.find(text) or _ONE_TAG.find(text)


FORMAT = Format("kytea", gives=frozenset({"tags"}), read=from_kytea, evidence=find_evidence)
