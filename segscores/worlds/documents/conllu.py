"""CoNLL-U: the surface words of each sentence, and the words that multiword tokens stand for.

A multiword range (`6-7`) is one word and replaces the words that it covers, its syntactic words. Empty nodes (`8.1`) and
comments are skipped. Spaces within a surface word are not units, as in the scorer of the CoNLL 2018 shared task: it drops them on
both sides, so that a prediction may cut a word at its space. The words of a multiword token keep their spaces, as in that scorer.
The IDs of the words of a sentence rise. Only the first two columns are read, and a column of tags where a score needs it. The
words of a multiword token have a tag each.

Sources
-------
The format: https://universaldependencies.org/format.html. The scorer: Zeman et al. (2018), CoNLL, 1-21; `conll18_ud_eval.py`.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Bytes, Mask, Positions, first_true, int64_array, large_lists, numbers_of, offsets_of
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.quoting import shortened
from ...reading.formats.format import Evidence, Format, Patterns, Sentences
from ...reading.inputs import TEXT, WORDS
from ...reading.readers import WHITESPACE, from_word_lists, refuse_nul
from ..tags.pairs import WordsOfTokens, pairs_of, with_tags

_TOKEN_LINE = re.compile(rb"^[0-9]", re.MULTILINE)
_TEXT_COMMENT = re.compile(rb"^# text = (.*)$", re.MULTILINE)
#: The bytes of a line that are decoded for a message, which shows fewer characters.
_SHOWN_BYTES = 1 << 10
#: The columns of tags, counted from 0.
_TAG_COLUMNS = {"upos": 3, "xpos": 4}
_COLUMNS = 10


def parse_conllu(block: bytes, tags: str = "") -> pa.LargeListArray:
    """Return the words of every sentence of a block of whole sentences, or with a column of tags pairs of words and tags.

    Errors, as of bad UTF-8, have the number of the line, from 0. The naive equivalent, for a sentence: `"".join(form.split())` of
    the forms of the lines whose ID has a hyphen, and of lines whose ID is a number that no such range covers, in order.

    >>> parse_conllu(b"# text\\n1-2\\tit's\\n1\\tit\\n2\\t's\\n3\\tnew age\\n3.1\\tx\\n").to_pylist()
    [["it's", 'newage']]
    """
    if not block:
        none = pa.nulls(0, TEXT)
        return pairs_of(np.zeros(1, np.int64), none, none if tags else None)
    tokens = _read_tokens(block, tags)
    offsets = np.zeros(1, np.int64)
    if len(tokens.forms):
        breaks = np.flatnonzero(np.diff(tokens.sentences)) + 1
        offsets = np.concatenate(([0], breaks, [len(tokens.forms)]))
    return pairs_of(offsets, tokens.forms, tokens.tags, tokens.words_of_tokens())


def sentence_texts(block: bytes) -> list[str]:
    """Return the comment `# text` of each sentence of a block, in the order of `parse_conllu`; the error counts lines.

    >>> sentence_texts(b"# text = it's\\n1-2\\tit's\\n1\\tit\\n2\\t's\\n\\n\\n")
    ["it's"]
    """
    texts = []
    line = 0
    for sentence in block.split(b"\n\n"):
        if token := _TOKEN_LINE.search(sentence):
            comment = _TEXT_COMMENT.search(sentence)
            if comment is None:
                line += sentence.count(b"\n", 0, token.start())
                problem = "no comment '# text =' says where this sentence has spaces, which a tokenizer reads."
                raise UtteranceError(line, problem, hint="Name a file with a sentence on each line as the reference.")
            texts.append(comment[1].decode())
        line += sentence.count(b"\n") + 2
    return texts


def from_conllu(block: bytes, tags: str = "") -> Segmentation:
    """Read a block that ends with a blank line: each blank line ends an utterance, a sentence with its syntactic words.

    >>> read = from_conllu(b"1-2\\tit's\\n1\\tit\\n2\\t's\\n3\\thot\\n\\n\\n")
    >>> read.utterance_ends, read.of_words["syntactic_words"].to_pylist()
    (array([7, 7]), [['it', "'s"], None])
    """
    refuse_nul(block)
    tokens = _read_tokens(block, tags)
    forms = tokens.forms
    words = tokens.words
    codes = np.frombuffer(block, np.uint8)
    blank_lines = np.count_nonzero((codes[1:] == ord("\n")) & (codes[:-1] == ord("\n"))) + (codes[0] == ord("\n"))
    counts = np.bincount(tokens.sentences, minlength=blank_lines)
    corpus = from_word_lists(large_lists(np.concatenate(([0], np.cumsum(counts))), forms, WORDS))
    if tokens.tags is not None:
        return with_tags(corpus, forms, tokens.tags, tokens.words_of_tokens())
    if not len(words):
        return corpus
    is_multiword = tokens.lengths > 0
    lists = large_lists(np.concatenate(([0], np.cumsum(tokens.lengths[is_multiword]))), words, WORDS)
    # Tokens of 0 2 0 3 words have the lists 0 1 0 2, of which 0 is none; a token without a form is none in the corpus.
    places = np.where(is_multiword, np.cumsum(is_multiword), 0)[np.diff(offsets_of(forms)) > 0]
    return corpus.with_word_columns(
        syntactic_words=pc.take(pa.concat_arrays([pa.nulls(1, WORDS), lists]), int64_array(places))
    )


class _Tokens(NamedTuple):
    """The tokens of a block: its words, but a multiword token in place of the words that it covers."""

    forms: pa.LargeStringArray
    sentences: Positions  #: the number of blank lines before each
    words: pa.LargeStringArray  #: of all multiword tokens
    lengths: Positions  #: how many of these words each token has; 0 if it is no multiword token
    tags: pa.LargeStringArray | None  #: of the tokens; None if none are read
    tags_of_words: pa.LargeStringArray | None  #: of `words`; None if none are read

    def words_of_tokens(self) -> WordsOfTokens | None:
        """Return the words of multiword tokens with their tags; None if there are none, or no tags are read."""
        if self.tags_of_words is None or not len(self.words):
            return None
        return WordsOfTokens(self.lengths, self.words, self.tags_of_words)


class _TokenLines(NamedTuple):
    """The lines of a block that have an ID and a form, as places in the block."""

    block: bytes
    numbers: Positions  #: the number of each line in the block, from 0
    sentences: Positions  #: the number of blank lines before each
    starts: Positions
    ends: Positions
    tabs: Positions  #: of the whole block, and behind them its end several times
    first_tabs: Positions  #: for each line, the index of its first tab

    @property
    def codes(self) -> Bytes:
        """The bytes of the block."""
        return np.frombuffer(self.block, np.uint8)

    @property
    def id_ends(self) -> Positions:
        """The end of each ID."""
        return self.tabs[self.first_tabs]

    def ids(self, lines: Positions) -> pa.LargeStringArray:
        """Return the IDs of chosen lines."""
        return _fields(self.codes, self.starts[lines], self.id_ends[lines])

    def column(self, number: int, lines: Positions) -> pa.LargeStringArray:
        """Return the values of a column, by its number from 0, of chosen lines; a line that lacks it has an empty one."""
        after = self.first_tabs[lines] + number
        begins = self.tabs[after - 1] + 1
        ends = np.maximum(begins, np.minimum(self.tabs[after], self.ends[lines]))
        values = _fields(self.codes, begins, ends)
        _check_utf8(values, self.block)
        return values

    def have_in_id(self, character: str) -> Mask:
        """Return which IDs have a character."""
        return _have(self.codes, character, self.starts, self.id_ends)

    def check_columns(self) -> None:
        """Check that each line has all columns."""
        columns = np.searchsorted(self.tabs, self.ends) - self.first_tabs + 1
        if (short := first_true(columns < _COLUMNS)) >= 0:
            _raise_few_columns(int(columns[short]), int(self.numbers[short]))


def _find_token_lines(block: bytes) -> _TokenLines:
    """Find the lines of tokens; a line that is none, no comment and not blank is an error."""
    codes = np.frombuffer(block, np.uint8)
    line_ends = np.flatnonzero(codes == ord("\n"))
    line_starts = np.concatenate(([0], line_ends[:-1] + 1))
    blank = line_starts == line_ends
    first = np.where(blank, 0, codes[line_starts])
    is_token = (first >= ord("0")) & (first <= ord("9"))
    if (odd := first_true(~(is_token | blank | (first == ord("#"))))) >= 0:
        _raise_odd_line(block, odd)
    numbers = np.flatnonzero(is_token)
    starts = line_starts[numbers]
    tabs = np.concatenate((np.flatnonzero(codes == ord("\t")), [len(codes)] * (1 + max(_TAG_COLUMNS.values()))))
    lines = _TokenLines(
        block=block,
        numbers=numbers,
        sentences=np.cumsum(blank)[numbers],
        starts=starts,
        ends=line_ends[numbers],
        tabs=tabs,
        first_tabs=np.searchsorted(tabs, starts),
    )
    form_ends = np.minimum(tabs[lines.first_tabs + 1], lines.ends)
    if (wrong := first_true((lines.id_ends >= lines.ends) | (form_ends <= lines.id_ends + 1))) >= 0:
        _raise_odd_line(block, int(numbers[wrong]))
    return lines


def _read_tokens(block: bytes, tags: str) -> _Tokens:
    """Return the tokens of a block; `tags` is the column of tags, or empty."""
    lines = _find_token_lines(block)
    # Lines with the IDs 1-2, 1, 2, 3 and 3.1: ranges 0; words 1, 2, 3; numbers 1, 2, 3; covered 0, 1; lengths 2, 0, 0, 0, 0
    is_range = lines.have_in_id("-")
    is_word = ~is_range & ~lines.have_in_id(".")
    words = np.flatnonzero(is_word)
    ranges = np.flatnonzero(is_range)
    ids = lines.ids(words)
    _check_ids(ids, r"^[0-9]{1,18}$", words, lines)
    numbers = numbers_of(ids.cast(pa.int64()))
    firsts = words - (is_range[words - 1] & (words > 0))
    _check_order(numbers, lines.sentences[words], firsts, lines)
    visible = is_word.copy()
    covered = np.zeros(0, np.int64)
    lengths = np.zeros(len(is_word), np.int64)
    if len(ranges):
        covered, lengths[ranges] = _covered(numbers, words, ranges, lines)
        visible[words[covered]] = False
        visible[ranges] = True
    chosen = np.flatnonzero(visible)
    # One call reads the forms of the tokens, and behind them the forms of the words of multiword tokens.
    both = np.concatenate((chosen, words[covered]))
    forms = lines.column(1, both)
    column = None
    if tags:
        lines.check_columns()
        column = lines.column(_TAG_COLUMNS[tags], both)
    return _Tokens(
        forms=pc.replace_substring_regex(forms.slice(0, len(chosen)), WHITESPACE, ""),
        sentences=lines.sentences[chosen],
        words=forms.slice(len(chosen)),
        lengths=lengths[chosen],
        tags=None if column is None else column.slice(0, len(chosen)),
        tags_of_words=None if column is None else column.slice(len(chosen)),
    )


def _raise_few_columns(columns: int, line: int) -> NoReturn:
    """Raise the error of a line whose tag may be in any column."""
    problem = f"received {columns} columns; expected the {_COLUMNS} of CoNLL-U, because tags of other files are in other columns."
    hint = "VnCoreNLP writes the tag into the third column: write words with tags, such as Việt_Nam/Np, from it."
    raise UtteranceError(line, problem, hint=hint)


def _have(codes: Bytes, character: str, starts: Positions, ends: Positions) -> Mask:
    """Return which fields have the character, by the position of each field's start and end."""
    has = np.zeros(len(starts), bool)
    if len(starts):
        positions = np.flatnonzero(codes == ord(character))
        field = np.searchsorted(starts, positions, side="right") - 1
        is_inside = (field >= 0) & (positions < ends[field])
        has[field[is_inside]] = True
    return has


def _check_utf8(forms: pa.LargeStringArray, block: bytes) -> None:
    try:
        forms.validate(full=True)
    except pa.ArrowInvalid:
        for number, line in enumerate(block.split(b"\n")):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                byte = f"the byte 0x{line[error.start]:02x} at offset {error.start}"
                problem = f"{byte} is not valid UTF-8 ({error.reason}). Expected UTF-8 text."
                raise UtteranceError(number, problem, offset=error.start) from None
        raise


def _check_ids(ids: pa.LargeStringArray, pattern: str, chosen: Positions, lines: _TokenLines) -> None:
    """Check that the IDs of chosen lines have a pattern."""
    good = pc.match_substring_regex(ids.cast(pa.large_binary()), pattern)
    if good.false_count:
        _raise_odd_line(lines.block, int(lines.numbers[chosen[pc.index(good, False).as_py()]]))


def _check_order(numbers: Positions, sentences: Positions, firsts: Positions, lines: _TokenLines) -> None:
    """Check that the IDs of words rise in each sentence; `firsts` are the words, or the ranges right before them."""
    if (at := first_true((np.diff(numbers) <= 0) & (np.diff(sentences) == 0))) >= 0:
        line = int(lines.numbers[firsts[at + 1]])
        received = f"received {_shown(lines.block, line)} after the word {numbers[at]} of the same sentence"
        remedy = "A blank line ends a sentence: add one before this line, or before the comments above it."
        raise UtteranceError(line, f"{received}, expected a larger ID. {remedy}")


def _covered(
    numbers: Positions, words: Positions, ranges: Positions, lines: _TokenLines
) -> tuple[Positions, Positions]:
    """Return the words that ranges cover, and the number of words of each range, the first of which follows it.

    `numbers` are the IDs of the words; `words` and `ranges` the places of both among the lines.
    """
    spans = lines.ids(ranges)
    _check_ids(spans, r"^[0-9]{1,18}-[0-9]{1,18}$", ranges, lines)
    limits = numbers_of(pc.split_pattern(spans, "-").flatten().cast(pa.int64()))
    # IDs 1-2 and 6-7: limits 1, 2, 6, 7
    low = limits[0::2]
    high = limits[1::2]
    # Tokens 1-2, 1, 2 and 3: the range is the token 0, the words are the tokens 1 2 3, and the range has the words 0:2.
    begin = np.searchsorted(words, ranges)
    end = begin + high - low + 1
    is_outside = (high < low) | (end > len(words))
    overlaps = np.zeros(len(ranges), bool)
    overlaps[1:] = begin[1:] < np.maximum.accumulate(end)[:-1]
    # A range that is outside has a place too, whose ID is that of no word.
    padded = np.concatenate((numbers, [-1]))
    has_other_first = padded[np.minimum(begin, len(words))] != low
    has_other_last = padded[np.clip(end - 1, 0, len(words))] != high
    wrong = is_outside | overlaps | has_other_first | has_other_last
    if (at := first_true(wrong)) >= 0:
        _raise_odd_line(lines.block, int(lines.numbers[ranges[at]]), "the range does not cover the words after it")
    # The number of ranges that cover each word: +1 where a range begins, −1 where it ends.
    depth = np.zeros(len(words) + 1, np.int64)
    np.add.at(depth, begin, 1)
    np.add.at(depth, end, -1)
    return np.flatnonzero(np.cumsum(depth)[:-1]), high - low + 1


def _fields(codes: Bytes, starts: Positions, ends: Positions) -> pa.LargeStringArray:
    """Return the bytes between each start and end, as strings."""
    # Starts 3, 9 and ends 5, 12: lengths 2, 3; offsets 0, 2, 5; index 3, 4, 9, 10, 11
    lengths = ends - starts
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    index = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    buffers = pa.py_buffer(offsets), pa.py_buffer(codes[index])
    return pa.LargeStringArray.from_buffers(len(starts), *buffers)


def _shown(block: bytes, line: int) -> str:
    return shortened(block.split(b"\n")[line][:_SHOWN_BYTES].decode(errors="replace"))


def _raise_odd_line(block: bytes, line: int, problem: str = "this is not a CoNLL-U line") -> None:
    received = f"{problem}: received {_shown(block, line)}, expected an ID and a word in columns separated by tabs."
    raise UtteranceError(line, received, hint="Is it words text?")


#: Ten columns, as of CoNLL-X and CoNLL-U; CoNLL-2009 has more, and CoNLL-U Plus any that its first line names.
_SIGNS = Patterns(r"\A(?:[ \t]*\n|#.*\n)*[0-9]+(-[0-9]+|\.[0-9]+)?(\t[^\t\n]*){9}$", "", "lines of ten columns")
_MORE_COLUMNS = Patterns(
    r"^[0-9]+\t[^\t\n]+(\t[^\t\n]*){11,60}$", r"#.*|[0-9]+\t[^\t\n]+(\t[^\t\n]*){11,60}", "lines of CoNLL-2009"
)
_NAMED_COLUMNS = Patterns(r"\A# global\.columns = ID FORM( |$)", "", "the columns that its first line names")


def find_evidence(text: str) -> Evidence | None:
    """Find lines with the columns of CoNLL-U or its relatives, whose first two are the number and the form of a word."""
    return _SIGNS.find(text) or _MORE_COLUMNS.find(text) or _NAMED_COLUMNS.find(text)


FORMAT = Format(
    "conllu",
    gives=frozenset({"tags"}),
    title="CoNLL-U",
    sentences=Sentences(
        b"\n\n", parse_conllu, read_as="words", read_documents=from_conllu, texts=sentence_texts, checks_utf8=True
    ),
    evidence=find_evidence,
    endings=(".conllu",),
)
