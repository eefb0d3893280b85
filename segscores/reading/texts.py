"""Texts: recognition of their form, and units text as words text.

A text with the token `WORD_BOUNDARY`, or wordseg's `;eword`, is units text; other formats are recognised by `_SIGNS`; any other
text is words text. `|` and `_` may be letters, except for `|` between letters of a script that has no spaces between words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..options.table import FORMATS
from .reading import DEFAULT_WORD_BOUNDARY, check_tokens

_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
#: For each format a pattern that occurs in its texts, a pattern that fits every line except blank ones, and the sign in words.
_SIGNS = {
    "conllu": (r"^[0-9]+(-[0-9]+|\.[0-9]+)?(\t[^\t\n]*){9}$", "", "lines of ten columns"),
    "mecab": (r"^EOS$", r"EOS|\S+(\t.*|( \S+){5,})|[*+#@] .*", "the lines EOS"),
    "conll": (r"\t[BSbs](-\S*)?$", r"\S+\t(.*\t)?[BIMESbimes](-\S*)?", "the labels of its lines"),
    "sigmorphon": (r" @@\S", r"[^\t]+\t[^\t]+(\t[^\t]*)?", "@@ before morphs"),
    "kytea": (r"/", r"\s*([^\s/]+/[^\s/]+/[^\s/]+(\s+|$)){2,}", "two tags after each word"),
    "tagged": (r"/", r"\s*(\S+/[A-Za-z][A-Za-z0-9$\]-]*(\s+|$))+", "a tag after each word"),
    "separated": (rf"[{_NO_SPACES}]\|[{_NO_SPACES}]", "", "| between letters"),
}
#: Matches the beginning of a TextGrid, of a CTM, or of lines with a start and an end in seconds.
_TIMES = re.compile(
    r'\s*File type = "ooTextFile|((\S+[ \t]+\S+[ \t]+)?\d+\.\d+[ \t]+\d+\.\d+([ \t]+\S+)*[ \t]*(\n\s*|\Z))+\Z'
)
_BYTE_ORDER_MARK = "\ufeff"
_WORDSEG_WORD, _WORDSEG_SYLLABLE = ";eword", ";esyll"


@dataclass(frozen=True)
class TextForm:
    """The form in which to read a text."""

    text_format: str
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: tuple[str, ...] = ()
    reason: str = ""  #: how the form was recognised; empty if the user gave it

    def __post_init__(self) -> None:
        check_tokens(self.word_boundary, self.ignored_tokens)

    def __str__(self) -> str:
        described = {
            "words": "words separated by spaces",
            "units": f"units separated by spaces, {self.word_boundary} between words",
            "conllu": "CoNLL-U",
        }.get(self.text_format) or FORMATS[self.text_format][0].partition(";")[0]
        if self.ignored_tokens:
            described += f", without {' and '.join(self.ignored_tokens)}"
        return f"{described} ({self.reason})" if self.reason else described


def recognise_form(text: str) -> TextForm:
    """Recognise the form of a text by its tokens.

    >>> str(recognise_form("ð ə WORD_BOUNDARY d ɔ g"))
    'units separated by spaces, WORD_BOUNDARY between words (recognised by WORD_BOUNDARY)'
    """
    text = text.removeprefix(_BYTE_ORDER_MARK).replace("\r\n", "\n")
    lines = [line for line in text.split("\n") if line.strip()]
    if _TIMES.match(text):
        return TextForm("times", reason="recognised by its times")
    for text_format, (sign, pattern, reason) in _SIGNS.items():
        has_sign = re.search(sign, text, re.MULTILINE)
        matches = has_sign and (not pattern or all(re.fullmatch(pattern, line) for line in lines))
        if matches and (text_format != "tagged" or _has_tagset(text)):
            has_tags = text_format == "separated" and re.search(r"</[A-Z]+>", text)
            tags = "; the option markup can drop tags such as <NE>" if has_tags else ""
            return TextForm(text_format, reason=f"recognised by {reason}{tags}")
    if _has_token(text, _WORDSEG_WORD):
        ignored = (_WORDSEG_SYLLABLE,) if _has_token(text, _WORDSEG_SYLLABLE) else ()
        return TextForm("units", _WORDSEG_WORD, ignored, reason=f"recognised by {_WORDSEG_WORD}")
    if _has_token(text, DEFAULT_WORD_BOUNDARY):
        return TextForm("units", reason=f"recognised by {DEFAULT_WORD_BOUNDARY}")
    return TextForm("words")


def _has_tagset(text: str) -> bool:
    """Return whether the texts after slashes recur and are not always the same, as with tags."""
    tags = re.findall(r"/([^\s/]+)(?!\S)", text)
    return 1 < len(set(tags)) < len(tags)


def joined_segment(units: str, ignored_tokens: Collection[str], separator: str = "") -> str:
    """Join units that are separated by spaces to one string, without ignored tokens."""
    return separator.join(token for token in units.split() if token not in ignored_tokens)


def joined_words(lines: Sequence[str], word_boundary: str, ignored_tokens: Collection[str]) -> list[str]:
    """Convert lines of units text, or words written in units, to words text.

    >>> joined_words(["ð ə | d ɔ g", "ɪ z"], "|", ())
    ['ðə dɔg', 'ɪz']
    """
    tokens = [[token for token in line.split() if token not in ignored_tokens] for line in lines]
    if not any(word_boundary in line for line in tokens) and any(len(line) > 1 for line in tokens):
        raise ValueError(
            f"the reference is units text, joined into words text, and there is no {word_boundary} here: a line could be several "
            f"words, or the units of one word. Write {word_boundary} after each word, or each word without spaces on its line."
        )
    groups = (groupby(line, word_boundary.__eq__) for line in tokens)
    return [" ".join("".join(units) for ends_word, units in line if not ends_word) for line in groups]


def _has_token(text: str, token: str) -> bool:
    return token in text and re.search(rf"(?<!\S){re.escape(token)}(?!\S)", text) is not None
