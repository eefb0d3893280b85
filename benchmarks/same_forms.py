"""Forms of input for `same.py`: how a corpus is written in each, and the score groups that it has."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests import corpora
from tests.corpora import Corpus, Word

if TYPE_CHECKING:
    from same_inputs import OptionValues

Options = dict[str, Any]


def special(form: str, value: Any) -> dict[str, Any]:
    """Make a value that JSON has not."""
    return {"$": form, "value": value}


@dataclass(frozen=True)
class Form:
    """A form of input.

    Attributes:
        text_format: the format of its text; "" of lists, labels and times.
        write: from a corpus to texts or lists, one per utterance.
        options: with which it is read.
        groups: the score groups that it has.
        suffix: how the name of a file of it ends; "" if there are none.
        end: what follows each utterance in a file.
        has_blanks: whether it has utterances without words.
    """

    text_format: str
    write: Callable[[Corpus], list[Any]]
    options: Options
    groups: tuple[str, ...]
    suffix: str = ".txt"
    end: str = "\n"
    has_blanks: bool = True

    @property
    def has_words(self) -> bool:
        """True if it says what the words are."""
        return "type" in self.groups

    def fits(self, option: OptionValues) -> bool:
        """Return whether an option is for this form."""
        return not option.forms or self.text_format in option.forms


def each_utterance(write: Callable[[Sequence[str]], Any]) -> Callable[[Corpus], list[Any]]:
    """Return a writer of corpora, from a writer of the words of an utterance."""
    return lambda corpus: [write(words) for words in corpora.word_lists(corpus)]


def kytea(words: Sequence[str]) -> str:
    """Write words with the tags of KyTea."""
    return " ".join(f"{word}/名詞/よみ" for word in words)


def separated_with_markup(words: Sequence[str]) -> str:
    """Write words with bars between them, with tags and spaces."""
    return "|".join(f"<NE>{word[:1]} {word[1:]}</NE>" for word in words)


def sigmorphon(words: Sequence[str]) -> str:
    """Write a text, its morphs and a category."""
    return f"{''.join(words)}\t{' @@'.join(words)}\t{len(words) % 2}00" if words else ""


def alternatives(words: Sequence[str]) -> str:
    """Write a word and an analysis."""
    return f"{''.join(words)}\t{' '.join(words)}" if words else "# no word"


def bmes(word: str) -> str:
    """Return the labels of a word's units."""
    return "S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E"


def conll(words: Sequence[str]) -> str:
    """Write a line for each unit, with its label."""
    lines: list[str] = []
    for word in words:
        lines += [f"{unit}\t{mark}\n" for unit, mark in zip(word, bmes(word), strict=True)]
    return "".join([*lines, "\n"])


def tag_of(word: str) -> str:
    """Return a tag that depends on the word alone."""
    return ("NOUN", "VERB", "X")[len(word) % 3]


def tagged(words: Sequence[str]) -> str:
    """Write words with tags."""
    return " ".join(f"{word}/{tag_of(word)}" for word in words)


def conllu(words: Sequence[str]) -> str:
    """Write a sentence of CoNLL-U."""
    lines = [
        f"{at}\t{word}\t_\t{tag_of(word)}\t{tag_of(word)[:1]}\t_\t{at - 1}\tdep\t_\t_\n"
        for at, word in enumerate(words, 1)
    ]
    return "".join([*lines, "\n"])


def mecab(words: Sequence[str]) -> str:
    """Write the output of MeCab."""
    return "".join([f"{word}\t{tag_of(word)},*\n" for word in words]) + "EOS\n"


def tag_labels(single: str, first: str, middle: str, last: str) -> Callable[[Corpus], list[list[str]]]:
    """Return a writer of the tags of units, from those of a word of one unit, and of the units of longer ones."""

    def tags_of(words: Sequence[Word]) -> list[str]:
        tags: list[str] = []
        for word in words:
            tags += [single] if len(word) == 1 else [first, *[middle] * (len(word) - 2), last]
        return tags

    return lambda corpus: [tags_of(words) for words in corpus]


def times(corpus: Corpus) -> list[Any]:
    """Write a recording for each utterance: a unit takes 0.1 s."""
    recordings = []
    for words in corpora.word_lists(corpus):
        rows: list[list[Any]] = []
        start = 0
        for word in words:
            rows.append([start / 10, (start + len(word)) / 10, word[0]])
            start += len(word)
        recordings.append(special("rows", rows))
    return recordings


_OF_LABELS = (
    "boundary_all", "boundary_noedge", "token", "tnr", "boundary_start", "boundary_end", "boundary_accuracy", "exact",
    "word_error", "rand", "rates", "tolerance", "windows", "similarity", "agreement",
)  # fmt: skip
_OF_TEXT = (*_OF_LABELS, "type", "subword", "token_use", "morpheme", "bpr", "unit_error", "oov", "dictionary")
_OF_TAGS = (*_OF_TEXT, "tagged_token", "tagged_token")
OF_DOCUMENTS = (
    "token", "type", "sentence", "sentence_boundary_end", "sentence_boundary_end", "sentence_boundary_noedge",
    "sentence_boundary_noedge", "syntactic_word",
    "boundary_all", "windows",
)  # fmt: skip
_OF_TIMES = (
    "boundary_all", "boundary_noedge", "token", "boundary_start", "boundary_end", "exact", "rates", "lenient", "labelled_token",
    "timing", "lenient", "labelled_token", "timing",
)  # fmt: skip

FORMS: dict[str, Form] = {
    "words": Form("words", corpora.words_text, {}, _OF_TEXT),
    "words with joiners": Form("words", each_utterance(lambda words: " ".join(map("_".join, words))), {"joiner": "_"}, _OF_TEXT),
    "units": Form("units", corpora.units_text, {}, _OF_TEXT),
    "units with other tokens": Form(
        "units", corpora.wordseg_text, {"word_boundary": ";eword", "ignored_tokens": [";esyll"]}, _OF_TEXT),
    "separated": Form("separated", each_utterance("|".join), {}, _OF_TEXT),
    "separated by a string": Form("separated", each_utterance("<>".join), {"separator": "<>"}, _OF_TEXT),
    "separated with markup": Form(
        "separated", each_utterance(separated_with_markup), {"markup": "drop", "spaces": "drop"}, _OF_TEXT),
    "syllables": Form("syllables", each_utterance(lambda words: " ".join(map("_".join, words))), {}, _OF_TEXT),
    "syllables joined by a string": Form(
        "syllables", each_utterance(lambda words: " ".join(map("~~".join, words))), {"joiner": "~~"}, _OF_TEXT),
    "tagged": Form("tagged", each_utterance(tagged), {}, _OF_TAGS),
    "tagged with underscores": Form(
        "tagged", each_utterance(lambda words: tagged(words).replace("/", "_")), {"separator": "_"}, _OF_TAGS),
    "kytea": Form("kytea", each_utterance(kytea), {}, _OF_TAGS),
    "sigmorphon": Form("sigmorphon", each_utterance(sigmorphon), {}, _OF_TEXT),
    "alternatives": Form("alternatives", each_utterance(alternatives), {}, _OF_TEXT),
    "conll": Form("conll", each_utterance(conll), {}, _OF_TEXT, ".conll", "", has_blanks=False),
    "conllu": Form("conllu", each_utterance(conllu), {}, _OF_TAGS, ".conllu", "", has_blanks=False),
    "mecab": Form("mecab", each_utterance(mecab), {}, _OF_TAGS, ".mecab", ""),
}  # fmt: skip
#: The forms that Python alone reads.
LISTS: dict[str, Form] = {
    "lists": Form("lists", corpora.word_lists, {}, _OF_TEXT, ""),
    "start": Form("", corpora.start_labels, {"label_scheme": "start"}, _OF_LABELS, ""),
    "end": Form("", corpora.end_labels, {"label_scheme": "end"}, _OF_LABELS, ""),
    "BI": Form("", corpora.bi_tags, {"label_scheme": "BI"}, _OF_LABELS, ""),
    "BMES": Form("", corpora.bmes_tags, {"label_scheme": "BMES"}, _OF_LABELS, ""),
    "BIES": Form("", tag_labels("S", "B", "I", "E"), {"label_scheme": "BIES"}, _OF_LABELS, ""),
    "BIOES": Form("", tag_labels("S-X", "B-X", "I-X", "E-X"), {"label_scheme": "BIOES"}, _OF_LABELS, ""),
}
TIMES = Form("times", times, {"text_format": "times"}, _OF_TIMES, "")
#: Formats in which Python reads strings.
STRINGS = {name: form for name, form in FORMS.items() if form.end == "\n"}
#: Formats of which documents are made, by what is between sentences and documents.
DOCUMENTS = ("words", "units", "conllu")

#: Selections that several groups or keys have a name for, and what they need.
SELECTIONS: dict[str, Options] = {
    "recall": {}, "wordseg": {}, "sighan": {"vocabulary": ["a", "ab"]}, "nlpcc": {}, "pythainlp": {}, "nltk": {},
    "segeval": {}, "wtpsplit": {}, "mecab": {}, "tokenizer": {}, "sigmorphon": {}, "morfessor": {}, "toklens": {},
}  # fmt: skip
SINGLE_SCORES = (
    "token_fscore", "token_precision", "boundary_noedge_recall", "boundary_all_fscore", "token_tnr", "utterance_accuracy", "pk",
)  # fmt: skip
