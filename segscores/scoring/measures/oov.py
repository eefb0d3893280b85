"""Vocabulary: the words that a segmenter was trained on, and the scores of the words outside it.

Conventions
-----------
- A word is in the vocabulary (IV) or out of it (OOV) as a sequence of units. The vocabulary is the words of the training data.
- The vocabulary is a list of strings, such as the lines of a file, or lists of words. If at least one string has
  several words, the strings are the utterances of a segmented corpus; otherwise they are a word list. In words text a
  string with whitespace has several words, in units text a string with a word boundary.
- A word of words text is written as its characters, a word of units text as its units separated by spaces. Ignored tokens
  of units text are dropped from the vocabulary too.
- The vocabulary is prepared as the text is (`normalize`, `subword_marks`): each line or list as an utterance. The digest is of
  the vocabulary before that.
- RO and PO are the reference's and the prediction's words out of the vocabulary, TO the matched ones among them: a
  matched word is the same word on both sides, and so out of the vocabulary on both sides or on neither. RP and TP are
  all words of the reference and all matched ones.

The OOV rate is a property of the reference. The token recall is the mean of OOV recall and IV recall, weighted by the OOV rate
and 1 − OOV rate.

Sources
-------
OOV rate, OOV recall and IV recall: Sproat & Emerson (2003), The First International Chinese Word
Segmentation Bakeoff, SIGHAN, 133-143. Its script `score` prints three decimals, and differs as follows:

- `diff -y` decides which words are right, and may take an equal word elsewhere for the same one, or miss one (see
  `word_error`): for the UD Chinese-GSD test set and jieba it finds 8584 of 12,010 words right, not 8585.
- It reads only word lists: it takes every line of a corpus for one word, so that nearly all words are OOV.
- `diff` truncates words that are wider than a column of 61, and the script looks the truncated words up.
- Where there are no OOV words it prints `--`; here that is 0/0.

Precision and F-score of OOV words are the token scores over the words out of the vocabulary; the script computes neither.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import bools_of, int64_array, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Counts, Score, Tallied, divide
from ...kernel.segmentation import Segmentation, join_units
from ...options.errors import UtteranceError, text_problem, warn
from ...options.messages import Message, OptionError, placed
from ...options.quoting import described
from ...options.table import OPTIONS
from ...reading.formats.registry import joins_units, text_reader
from ...reading.inputs import word_lists
from ...reading.preparation import Stage, segments_in_text, stages_of
from ...reading.readers import from_units_text, from_word_lists, from_words_text
from ...reading.reading import Reading
from ...reading.texts import joined_segment, joined_words, recognise_form
from ...reading.word_lists import words_alone
from ..digest import digest_of_text
from .group import OF_TEXT, Key, ScoreGroup, keep_last, listed

OOV_COLUMNS = ("oov_matched", "oov_predicted", "oov_reference", "token_matched", "token_reference")

#: An OOV rate above this suggests a wrong vocabulary. In the bakeoff of 2003 it is 2 to 18 %, and 27 % for the UD
#: Chinese-GSD test set with its small dev set as the vocabulary.
IMPLAUSIBLE_OOV_RATE = 0.5

_EXPECTED = "expected a list of strings (the lines of a word list or of a segmented corpus) or of lists of words"

#: Formats whose words have tags in the line, and all that have more than words, which would be read as words.
_TAGGED = ("tagged", "vlsp", "kytea")
_WITH_MORE_THAN_WORDS = (*_TAGGED, "sigmorphon", "conll", "conllu", "mecab")
#: The number of lines that show a form.
_LOOKED_AT = 1000

_reading = threading.Lock()


class _ReadWords(NamedTuple):
    """The words of a vocabulary, for texts with one unit."""

    words: pa.LargeBinaryArray  #: the distinct words as they occur in such a text, in order of appearance
    are_of_corpus: bool  #: True if they are the words of a segmented corpus, not of a word list


class Vocabulary:
    """The words of a word list or of a segmented corpus: strings, one per line, or lists of words.

    `word_boundary`, `ignored_tokens`, `stages`, `joins_units` and `spaces` are as in the reading of the text. `reader` reads the
    lines in the format of the text; None reads them as words text, or as units text, by its units. `tag_reader` reads lines in
    which each word has a tag, after the `tag_separator`.

    >>> Vocabulary(vocabulary=["the dog", "is on"]).words("character").to_pylist()
    [b'the', b'dog', b'is', b'on']
    >>> Vocabulary(vocabulary="the dog")
    Traceback (most recent call last):
    ...
    TypeError: vocabulary: received one str; expected a list of strings (the lines of a word list or of a segmented corpus) \
or of lists of words: did you mean ['the dog']? Read a file with read().splitlines().
    """

    def __init__(
        self,
        *,
        vocabulary: Iterable[Any],
        word_boundary: str = "WORD_BOUNDARY",
        ignored_tokens: Sequence[str] = (),
        stages: tuple[Stage, ...] = (),
        joins_units: bool = False,
        reader: Callable[[bytes], Segmentation] | None = None,
        tag_reader: Callable[[bytes], Segmentation] | None = None,
        tag_separator: str = "",
        spaces: str = "units",
    ) -> None:
        #: A warning that numbers or tags of the lines were left out; empty if there are none. `arguments` of the group warns.
        self.note = ""
        # The vocabulary is either lines or lists of words: lists are [] if there are lines, and lines None if there are lists.
        self._lines, self._lists = _read_vocabulary(vocabulary)
        if self._lines is not None and tag_reader is not None and _has_tags(self._lines, tag_separator):
            reader = tag_reader  # which takes the tags off
        elif self._lines is not None:
            # A word list may have numbers or tags beside its words: `dog 17`.
            self._lines, self.note = words_alone(self._lines, "vocabulary")
            _refuse_other_forms(self._lines)
        if joins_units:
            # The units of a word of the text are joined: `ð ə` is the word `ðə`, which has no spaces to drop.
            self._lists = [[joined_segment(word, ignored_tokens) for word in words] for words in self._lists]
        elif spaces == "drop":
            # The text loses the spaces within words, and so do words of lists. In lines, spaces are between words alone.
            self._lists = [["".join(word.split()) for word in words] for words in self._lists]
        if joins_units and self._lines is not None:
            try:
                self._lines = joined_words(self._lines, word_boundary, ignored_tokens)
            except ValueError as error:
                raise placed(error, OPTIONS["vocabulary"]) from None
        #: A dict from the name of the option to the digest.
        self.digests: dict[str, str | None] = {"vocabulary": self.digest()}
        self._word_boundary = word_boundary
        self._ignored_tokens = tuple(ignored_tokens)
        self._stages = stages
        self._reader = reader
        #: The words by the unit of a text, such as "character": they are read when the first text with this unit asks for them.
        self._read: dict[str, _ReadWords] = {}
        #: The units of the texts that were compared, as keys, in order.
        self._units: dict[str, None] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy holds: also the words that were read, but no units, because no text has used it."""
        return self.__dict__ | {"_units": {}}

    def words(self, unit: str) -> pa.LargeBinaryArray:
        """Return the distinct words as they occur in the text of a `Segmentation` with this unit, in order of appearance."""
        return self._of(unit).words

    def is_corpus(self, unit: str) -> bool:
        """Return whether it is a segmented corpus and not a word list, for text with this unit."""
        return self._of(unit).are_of_corpus

    @property
    def units(self) -> tuple[str, ...]:
        """The kinds of units (character, token) of the texts compared so far."""
        return tuple(self._units)

    def digest(self) -> str:
        """Return a digest that identifies the vocabulary, whatever the order of its lines."""
        if self._lines is not None:
            # A line end within a string is read as a space, so the digest takes it for a space too.
            text = "\n".join(sorted({line.replace("\n", " ") for line in self._lines}))
        else:
            # NUL is in no text: one ends each word, and a second one each list. So lines and lists have other digests.
            ended_lists = {"".join(f"{word}\0" for word in words if word) + "\0" for words in self._lists}
            text = "".join(sorted(ended_lists))
        return digest_of_text(text)

    def _of(self, unit: str) -> _ReadWords:
        """Return the words for text with this unit, and note that a text with it was compared."""
        with _reading:  # pieces of a corpus come from several threads
            self._units[unit] = None
            if unit not in self._read:
                self._read[unit] = self._read_for(unit)
            return self._read[unit]

    def _read_for(self, unit: str) -> _ReadWords:
        """Read the words for text with this unit."""
        if self._lines is None and self._reader is None:
            # Lists of words are a corpus.
            return _ReadWords(self._words_of_lists(unit), are_of_corpus=True)
        segmentation = self._prepared(self._segmentation_of_lines(unit))
        has_line_of_several_words = bool((segmentation.word_counts() > 1).any())
        return _ReadWords(segmentation.words().unique(), are_of_corpus=has_line_of_several_words)

    def _words_of_lists(self, unit: str) -> pa.LargeBinaryArray:
        """Return the distinct words of lists of words, for text with this unit."""
        if unit == "token":
            # A word is a string of its units, such as "ð ə". One space stands between two units, without the ignored tokens.
            ignored = set(self._ignored_tokens)
            words = [joined_segment(word, ignored, " ") for word in chain.from_iterable(self._lists)]
            return segments_in_text(words, unit, self._stages).unique()
        # The units are characters, of which none is an ignored token: each list is an utterance.
        return self._prepared(from_word_lists(word_lists(self._lists))).words().unique()

    def _segmentation_of_lines(self, unit: str) -> Segmentation:
        """Return the lines as text with this unit; words of lists are a line each, for a reader of text."""
        lines = self._lines
        if lines is None:
            lines = [*chain.from_iterable(self._lists)]
        block = ("\n".join(line.replace("\n", " ") for line in lines) + "\n").encode()
        if self._reader is not None:
            try:
                segmentation = self._reader(block)
            except UtteranceError as error:
                raise placed(error, Message(OPTIONS["vocabulary"], f", line {error.utterance + 1}")) from None
            # The text has units of characters, into which tokens are joined.
            return segmentation if segmentation.unit == unit else join_units(segmentation)
        if unit == "token":
            return from_units_text(block, self._word_boundary, self._ignored_tokens)
        return from_words_text(block)

    def _prepared(self, segmentation: Segmentation) -> Segmentation:
        """Return a segmentation after the stages of the text's preparation."""
        for stage in self._stages:
            segmentation = stage(segmentation)
        return segmentation


def tally_oov(comparison: Comparison, vocabulary: Vocabulary) -> Tallied:
    """Count words out of the vocabulary, TO, PO and RO, and all words, TP and RP.

    The naive equivalent, for one utterance, is `[word for word in reference_words if word not in vocabulary]`, likewise
    for the prediction, and for the reference words whose span is predicted.
    """
    reference = comparison.reference
    prediction = comparison.prediction
    if reference.text is None:
        remedy = "pass strings or lists of words, or leave the vocabulary out."
        raise ValueError(f"OOV scores need the words, which labels do not contain: {remedy}")
    if not len(reference.word_ends) and not len(prediction.word_ends):
        # A piece without words may have another unit than the text. `vocabulary.words(unit)` would note that unit among those
        # that the vocabulary was used with.
        return {column: np.zeros(len(reference.utterance_ends), np.int64) for column in OOV_COLUMNS}
    # Each call of is_in makes a table of the vocabulary: one call looks up both sides, and matched words once.
    is_matched, is_matched_prediction = comparison.matched_words()
    others = prediction.words().take(int64_array(np.flatnonzero(~is_matched_prediction)))
    words = pa.concat_arrays([reference.words(), others])
    is_out = ~bools_of(pc.is_in(words, value_set=vocabulary.words(reference.unit)))
    # The words of the reference come first, then the predicted words that do not match.
    is_out_of_reference, is_out_of_others = np.split(is_out, [len(reference.word_ends)])
    words_of_reference = comparison.utterance_reference
    all_matched = comparison.utterance_matched
    matched = sum_by_utterance(is_out_of_reference & is_matched, words_of_reference)
    other_words = comparison.utterance_prediction - all_matched
    counts = Counts(
        matched=matched,
        predicted=matched + sum_by_utterance(is_out_of_others, other_words),
        reference=sum_by_utterance(is_out_of_reference, words_of_reference),
    )
    return counts.columns("oov") | {"token_matched": all_matched, "token_reference": words_of_reference}


def oov_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute OOV recall, IV recall and OOV rate (Sproat & Emerson 2003), and precision and F-score of OOV words."""
    matched, predicted, reference, all_matched, all_reference = (counts[column] for column in OOV_COLUMNS)
    return {
        "oov_recall": divide(matched, reference, zero_division),
        "iv_recall": divide(all_matched - matched, all_reference - reference, zero_division),
        "oov_rate": divide(reference, all_reference, zero_division),
        "oov_precision": divide(matched, predicted, zero_division),
        "oov_fscore": divide(2 * matched, predicted + reference, zero_division),
    }


def warn_of_implausible_rate(counts: Mapping[str, int], vocabulary: Vocabulary, unit: str) -> None:
    """Warn where the OOV rate of a whole corpus is above IMPLAUSIBLE_OOV_RATE.

    The message says how the vocabulary was read for text with this unit, which is the likely cause.
    """
    rate = float(divide(counts["oov_reference"], counts["token_reference"], 0.0))
    if rate <= IMPLAUSIBLE_OOV_RATE:
        return
    words = vocabulary.words(unit)
    kind = "segmented corpus" if vocabulary.is_corpus(unit) else "word list"
    examples = ", ".join(repr(word.decode(errors="replace").strip()) for word in words[:3].to_pylist())
    form = "its units with spaces between" if unit == "token" else "its characters without spaces"
    warn(
        f"{rate:.1%} of the reference words are outside the vocabulary, where more than {IMPLAUSIBLE_OOV_RATE:.0%} is "
        f"implausible. It was read as a {kind} of {len(words)} distinct words, such as {examples}. Is it of the same language, "
        f"script and form as the reference, with each word written as {form}?"
    )


def _read_vocabulary(vocabulary: Any) -> tuple[list[str] | None, list[list[str]]]:
    """Return the lines of a vocabulary and no lists, or None in place of lines and the lists of words.

    The vocabulary ["the dog", "is"] has two lines, and [["the", "dog"], ["is"]] two lists.
    """
    if isinstance(vocabulary, (Mapping, PathLike)):
        hint = " Read a file with read_text().splitlines()." if isinstance(vocabulary, PathLike) else ""
        raise TypeError(f"vocabulary: received {described(vocabulary)}; {_EXPECTED}.{hint}")
    entries = listed(vocabulary, "vocabulary", _EXPECTED)
    are_lists = bool(entries) and all(isinstance(entry, (list, tuple)) for entry in entries)
    if are_lists:
        lists = [list(entry) for entry in entries]
        for index, words in enumerate(lists):
            for word in words:
                _check_text(word, f"vocabulary, list {index}")
        texts = list(chain.from_iterable(lists))
    else:
        lists = []
        for number, line in enumerate(entries, start=1):
            _check_text(line, f"vocabulary, line {number}")
        texts = entries
    if not any(text.strip() for text in texts):
        raise OptionError(OPTIONS["vocabulary"], ": it has no word; expected at least one.")
    if are_lists:
        return None, lists
    return entries, []


def _has_tags(lines: Sequence[str], separator: str) -> bool:
    """Return whether each word of the first lines has a tag, as the words of a corpus do, and those of a word list do not."""
    words = chain.from_iterable(line.split() for line in lines[:_LOOKED_AT])
    # A word and a tag stand around the separator: "dog/n".
    return all(separator in word[1:-1] for word in words)


def _refuse_other_forms(lines: Sequence[str]) -> None:
    """Raise an error if the first lines show another form than words, whose tags or labels would be read as words."""
    form = recognise_form("\n".join(lines[:_LOOKED_AT]))
    if form.text_format in _WITH_MORE_THAN_WORDS:
        remedy: str = "expected words: leave out what stands beside them."
        if form.text_format in _TAGGED:
            setting = OPTIONS["text_format"].set(form.text_format)
            remedy = Message("expected words; if the text has such tags too, add ", setting, ".")
        elif form.text_format == "conllu":
            remedy = "expected words; the name of such a file ends in .conllu."
        raise OptionError(OPTIONS["vocabulary"], f": it was recognised as {form}; ", remedy)


def _check_text(text: object, where: str) -> None:
    """Check that a value, whose place is named, is a string of Unicode text."""
    if not isinstance(text, str):
        raise TypeError(f"{where}: received {described(text)}; {_EXPECTED}.")
    problem = text_problem(text)
    if problem:
        raise ValueError(f"{where}: {text!r} {problem}; expected Unicode text.")


_read = keep_last(Vocabulary)


def vocabulary_of(settings: Mapping[str, Mapping[str, Any]]) -> Vocabulary | None:
    """Return the vocabulary among the arguments of the scored groups; None if there is none."""
    return settings.get("oov", {}).get("vocabulary")


class _OovGroup(ScoreGroup):
    def arguments(self, values: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
        """Return the vocabulary, which is read as the words of the text are."""
        text_format, _ = reading.formats  # of the reference
        # A vocabulary has the separators or joiners of the text: the reader of the text reads all its lines. It may lack the tags
        # of the text: then the reader of the text, as `tag_reader`, reads the lines only if the first of them show tags.
        has_joiner = text_format == "words" and reading.joiner is not None
        has_own_reader = text_format in ("separated", "syllables") or has_joiner
        has_tags = text_format in _TAGGED
        reader = None
        if has_own_reader or has_tags:
            # Without the tags, which scores of tags read.
            reader = text_reader(replace(reading, text_format=text_format, tags=""))
        reference_joins_units, _ = joins_units(reading.formats)
        vocabulary = _read(
            vocabulary=values["vocabulary"],
            word_boundary=reading.word_boundary,
            ignored_tokens=reading.ignored_tokens,
            # A vocabulary joins units by itself, not by a stage: those of its lines before they are read, as the next argument
            # says, and those that a reader of the text has read afterwards.
            stages=stages_of(reading, joins_units=False),
            joins_units=reference_joins_units and text_format == "units",
            reader=reader if has_own_reader else None,
            tag_reader=reader if has_tags else None,
            tag_separator=reading.separator or "/",
            spaces=reading.spaces,
        )
        if vocabulary.note:
            warn(vocabulary.note)
        # With the arguments of the last call `_read` returns the vocabulary of that call, which has noted the units of an earlier
        # text. A copy notes the units of this text alone, and `warn` is about these.
        return {"vocabulary": copy(vocabulary)}

    def warn(self, counts: Mapping[str, int], arguments: Mapping[str, Any]) -> None:
        """Warn of a vocabulary that lacks most words."""
        for unit in arguments["vocabulary"].units:
            warn_of_implausible_rate(counts, arguments["vocabulary"], unit)


GROUP = _OovGroup(
    name="oov",
    title="words out of the vocabulary",
    definition="Words that are not in the option `vocabulary` (OOV), and words that are in it (IV).",
    formula="oov_recall TO / RO, iv_recall (TP − TO) / (RP − RO), oov_rate RO / RP, oov_precision TO / PO, "
    "oov_fscore 2·TO / (PO + RO), TO, PO and RO of OOV words",
    source="Sproat & Emerson (2003)",
    columns=OOV_COLUMNS,
    keys={
        "oov_recall": Key("OOV recall"),
        "iv_recall": Key("IV recall"),
        "oov_rate": Key("OOV rate", better=OF_TEXT),
        "oov_precision": Key("OOV precision"),
        "oov_fscore": Key("OOV F-score"),
    },
    needs=frozenset({"units", "words"}),
    tally=tally_oov,
    is_of_words=True,
    formulas=oov_scores,
    equal_to="SIGHAN score (recalls and rate, three decimals)",
)
