"""Texts: what people paste or upload, and the form in which it is.

Conventions
-----------
A text holds one utterance a line, or CoNLL-U. Where no form is given, the tokens decide: `WORD_BOUNDARY`, or
wordseg's `;eword`, make it units text, and lines of ten columns CoNLL-U; anything else is words text. A byte-order mark at its
beginning is not a part of it, and whitespace alone is not an utterance.
"""

from __future__ import annotations

__all__ = ["TEXT_FORMS", "TextForm", "parse_numbers", "read_texts", "recognise_form"]

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..kernel.errors import UtteranceError
from .conllu import parse_conllu
from .readers import DEFAULT_WORD_BOUNDARY

#: How a text can be read, by the name of an option.
TEXT_FORMS = ("words", "units", "conllu")

#: What a text holds: strings, or lists of words.
Utterances: TypeAlias = list[str] | list[list[str]]

_CONLLU_LINE = re.compile(r"^[0-9]+(-[0-9]+|\.[0-9]+)?(\t[^\t\n]*){9}$", re.MULTILINE)
_BYTE_ORDER_MARK = "\ufeff"
_WORDSEG_WORD, _WORDSEG_SYLLABLE = ";eword", ";esyll"


@dataclass(frozen=True)
class TextForm:
    """How a text is to be read.

    Attributes:
        text_format: a name from TEXT_FORMS.
        word_boundary, ignored_tokens: as in `scoring.Options`, for units text.
        reason: what the text was recognised by; empty where it was said.
    """

    text_format: str
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: tuple[str, ...] = ()
    reason: str = ""

    def options(self) -> dict[str, Any]:
        """The options for scoring what `read_texts` returns."""
        if self.text_format == "conllu":
            return {"text_format": "words"}
        options: dict[str, Any] = {"text_format": self.text_format}
        if self.text_format == "units" and self.word_boundary != DEFAULT_WORD_BOUNDARY:
            options["word_boundary"] = self.word_boundary
        if self.text_format == "units" and self.ignored_tokens:
            options["ignored_tokens"] = list(self.ignored_tokens)
        return options

    @property
    def unit(self) -> str:
        """What a unit is."""
        return "unit" if self.text_format == "units" else "character"

    def __str__(self) -> str:
        described = {
            "words": "words separated by spaces",
            "units": f"units separated by spaces, {self.word_boundary} between words",
            "conllu": "CoNLL-U",
        }[self.text_format]
        if self.ignored_tokens:
            described += f", without {' and '.join(self.ignored_tokens)}"
        return f"{described} ({self.reason})" if self.reason else described


def recognise_form(*texts: str) -> TextForm:
    """The form of texts that belong together, by the tokens that they have.

    >>> str(recognise_form("ð ə WORD_BOUNDARY d ɔ g"))
    'units separated by spaces, WORD_BOUNDARY between words (recognised by WORD_BOUNDARY)'
    >>> recognise_form("the dog", "thedog").text_format
    'words'
    """
    texts = tuple(text.removeprefix(_BYTE_ORDER_MARK) for text in texts)
    if any(_CONLLU_LINE.search(text) for text in texts):
        return TextForm("conllu", reason="recognised by lines of ten columns")
    if any(_has_token(text, _WORDSEG_WORD) for text in texts):
        ignored = (_WORDSEG_SYLLABLE,) if any(_has_token(text, _WORDSEG_SYLLABLE) for text in texts) else ()
        return TextForm("units", _WORDSEG_WORD, ignored, reason=f"recognised by {_WORDSEG_WORD}")
    if any(_has_token(text, DEFAULT_WORD_BOUNDARY) for text in texts):
        return TextForm("units", reason=f"recognised by {DEFAULT_WORD_BOUNDARY}")
    return TextForm("words")


def read_texts(texts: Sequence[str], form: TextForm) -> list[Utterances]:
    """The utterances of texts that belong together, such as a reference and a prediction.

    Args:
        texts: in the form; with CoNLL-U those without a line of ten columns are words text, beside one that has such lines.
        form: how they are read.

    Returns:
        For each text its lines, or with CoNLL-U lists of words.

    Raises:
        UtteranceError: a line that is no CoNLL-U; its `utterance` is the line, from 0, and its `side` "references" for the
            first text and "predictions" for the others.

    >>> read_texts(["the dog\\nis\\n", "thedog\\nis"], TextForm("words"))
    [['the dog', 'is'], ['thedog', 'is']]
    """
    if form.text_format != "conllu":
        return [_lines(text) for text in texts]
    texts = [text.removeprefix(_BYTE_ORDER_MARK) for text in texts]
    are_conllu = [bool(_CONLLU_LINE.search(text)) for text in texts]
    if not any(are_conllu):
        # Parse them all the same, so that the error names the bad line.
        are_conllu = [bool(text.strip()) for text in texts]
    read: list[Utterances] = []
    for index, (text, is_conllu) in enumerate(zip(texts, are_conllu, strict=True)):
        if not is_conllu:
            read.append([line.split() for line in _lines(text)])
            continue
        # The parser finds a lone surrogate and names its line.
        block = text.replace("\r\n", "\n").encode(errors="surrogatepass")
        try:
            sentences = parse_conllu(block if block.endswith(b"\n") else block + b"\n").to_pylist()
        except UtteranceError as error:
            raise error.at(side="predictions" if index else "references") from None
        read.append(sentences)
    return read


def parse_numbers(text: str, what: str) -> list[list[float]]:
    """The numbers of each line, as a JSON list or separated by spaces or commas.

    Args:
        text: one utterance a line.
        what: what the numbers are, for messages.

    Raises:
        UtteranceError: something in a line is not a number.

    >>> parse_numbers("[0.1, 0.9]\\n0.2 0.3\\n\\n", "scores")
    [[0.1, 0.9], [0.2, 0.3], []]
    """
    numbers = []
    for index, line in enumerate(_lines(text)):
        try:
            numbers.append([float(number) for number in line.strip().strip("[]").replace(",", " ").split()])
        except ValueError:
            shown = line if len(line) <= 60 else f"{line[:59]}…"
            raise UtteranceError(
                index, f"received {shown!r}; expected {what}: numbers separated by spaces or commas, such as 0.1 0.9."
            ) from None
    return numbers


def _lines(text: str) -> list[str]:
    """The lines of a text; its last newline begins no utterance."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    return text.removesuffix("\n").split("\n") if text.strip() else []


def _has_token(text: str, token: str) -> bool:
    """Whether a text has a token among those separated by whitespace."""
    return token in text and re.search(rf"(?<!\S){re.escape(token)}(?!\S)", text) is not None
