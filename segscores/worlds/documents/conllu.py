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
#: The form of the root that some parsers write before the words of each sentence.
_ROOT = r"(?i)^\W*root\W*$"
#: The bytes of a line that are decoded for a message, which shows fewer characters.
_SHOWN_BYTES = 1 << 10
#: The columns of tags, counted from 0.
_TAG_COLUMNS = {"upos": 3, "xpos": 4}
#: The number of columns of CoNLL-U.
_COLUMNS = 10


def parse_conllu(block: bytes, tags: str = "") -> pa.LargeListArray:
    """Return the words of every sentence of a block of whole sentences, or with a column of tags pairs of words and tags.

    Errors, as of bad UTF-8, have the number of the line, from 0. The naive equivalent, for a sentence: `"".join(form.split())` of
    the forms of the lines whose ID has a hyphen, and of lines whose ID is a number that no such range covers, in order.

    >>> parse_conllu(b"# text\\n1-2\\tit's\\n1\\tit\\n2\\t's\\n3\\tnew age\\n3.1\\tx\\n").to_pylist()
    [["it's", 'newage']]
    """
    offsets = np.zeros(1, np.int64)  # of no sentence
    if not block:
        # An empty column has the type of one with tags, if there is a column of tags.
        no_strings = pa.nulls(0, TEXT)
        return pairs_of(offsets, no_strings, no_strings if tags else None)
    tokens = _read_tokens(block, tags)
    if len(tokens.forms):
        # Tokens of the sentences 0 0 3: the second sentence begins with token 2, so that the offsets are 0 2 3.
        begins = np.flatnonzero(np.diff(tokens.sentences)) + 1
        offsets = np.concatenate(([0], begins, [len(tokens.forms)]))
    return pairs_of(offsets, tokens.forms, tokens.tags, tokens.words_of_tokens())


def sentence_texts(block: bytes) -> list[str]:
    """Return the comment `# text` of each sentence of a block, in the order of `parse_conllu`; the error counts lines.

    >>> sentence_texts(b"# text = it's\\n1-2\\tit's\\n1\\tit\\n2\\t's\\n\\n\\n")
    ["it's"]
    """
    texts = []
    lines_before = 0
    for sentence in block.split(b"\n\n"):
        first_token = _TOKEN_LINE.search(sentence)
        # A block that is no sentence may be comments alone.
        if first_token is not None:
            comment = _TEXT_COMMENT.search(sentence)
            if comment is None:
                line = lines_before + sentence.count(b"\n", 0, first_token.start())
                problem = "no comment '# text =' says where this sentence has spaces, which a tokenizer reads."
                raise UtteranceError(line, problem, hint="Name a file with a sentence on each line as the reference.")
            texts.append(comment[1].decode())
        # The two line ends that end a sentence are not in it.
        lines_before += sentence.count(b"\n") + 2
    return texts


def from_conllu(block: bytes, tags: str = "") -> Segmentation:
    """Read a block that ends with a blank line: each blank line ends an utterance, a sentence with its syntactic words.

    `tags` names the column of tags that the words have; empty for none.

    >>> read = from_conllu(b"1-2\\tit's\\n1\\tit\\n2\\t's\\n3\\thot\\n\\n\\n")
    >>> read.utterance_ends, read.of_words["syntactic_words"].to_pylist()
    (array([7, 7]), [['it', "'s"], None])
    """
    refuse_nul(block)
    tokens = _read_tokens(block, tags)
    forms = tokens.forms
    words = tokens.words
    # A line is blank if its line end follows another one, or begins the block.
    is_line_end = np.frombuffer(block, np.uint8) == ord("\n")
    blank_lines = np.count_nonzero(is_line_end[1:] & is_line_end[:-1]) + int(is_line_end[0])
    counts = np.bincount(tokens.sentences, minlength=blank_lines)
    corpus = from_word_lists(large_lists(np.concatenate(([0], np.cumsum(counts))), forms, WORDS))
    if tokens.tags is not None:
        return with_tags(corpus, forms, tokens.tags, tokens.words_of_tokens())
    if not len(words):
        return corpus
    is_multiword = tokens.lengths > 0
    lists = large_lists(np.concatenate(([0], np.cumsum(tokens.lengths[is_multiword]))), words, WORDS)
    # Tokens of 0 2 0 3 words have the lists 0 1 0 2, of which the list 0 is null.
    list_numbers = np.where(is_multiword, np.cumsum(is_multiword), 0)
    # A form that is empty without its spaces is no word of the corpus.
    is_word = np.diff(offsets_of(forms)) > 0
    lists_or_null = pa.concat_arrays([pa.nulls(1, WORDS), lists])
    return corpus.with_word_columns(syntactic_words=pc.take(lists_or_null, int64_array(list_numbers[is_word])))


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
    starts: Positions  #: the place at which each line begins
    ends: Positions  #: the place of its line end
    tabs: Positions  #: the places of all tabs of the block, and behind them its end several times
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
        # Column 1 stands between the tabs 0 and 1 of a line. The last column ends at the line end.
        tab_after = self.first_tabs[lines] + number
        begins = self.tabs[tab_after - 1] + 1
        ends = np.maximum(begins, np.minimum(self.tabs[tab_after], self.ends[lines]))
        values = _fields(self.codes, begins, ends)
        _check_utf8(values, self.block)
        return values

    def have_in_id(self, character: str) -> Mask:
        """Return which IDs have a character."""
        return _have(self.codes, character, self.starts, self.id_ends)

    def check_forms(self) -> None:
        """Check that each line has a tab after its ID, and a form after the tab."""
        form_starts = self.id_ends + 1
        form_ends = np.minimum(self.tabs[self.first_tabs + 1], self.ends)
        lacks_form = (self.id_ends >= self.ends) | (form_ends <= form_starts)
        wrong = first_true(lacks_form)
        if wrong >= 0:
            _raise_odd_line(self.block, int(self.numbers[wrong]))

    def check_columns(self) -> None:
        """Raise an error for the first line that has fewer columns than CoNLL-U."""
        # A line has a column more than tabs.
        tab_counts = np.searchsorted(self.tabs, self.ends) - self.first_tabs
        columns = tab_counts + 1
        short = first_true(columns < _COLUMNS)
        if short >= 0:
            _raise_few_columns(int(columns[short]), int(self.numbers[short]))


def _find_token_lines(block: bytes) -> _TokenLines:
    """Find the lines of tokens, which have an ID and a form. Any other line that is no comment and not blank is an error."""
    codes = np.frombuffer(block, np.uint8)
    # The last line of a block has a line end, too.
    line_ends = np.flatnonzero(codes == ord("\n"))
    line_starts = np.concatenate(([0], line_ends[:-1] + 1))
    is_blank = line_starts == line_ends
    first_codes = np.where(is_blank, 0, codes[line_starts])
    is_token = (first_codes >= ord("0")) & (first_codes <= ord("9"))
    is_comment = first_codes == ord("#")
    odd = first_true(~(is_token | is_blank | is_comment))
    if odd >= 0:
        _raise_odd_line(block, odd)
    numbers = np.flatnonzero(is_token)
    starts = line_starts[numbers]
    # Behind the last tab stands the end of the block, as often as the last column that is read needs it.
    tabs = np.concatenate((np.flatnonzero(codes == ord("\t")), [len(codes)] * (1 + max(_TAG_COLUMNS.values()))))
    lines = _TokenLines(
        block=block,
        numbers=numbers,
        sentences=np.cumsum(is_blank)[numbers],
        starts=starts,
        ends=line_ends[numbers],
        tabs=tabs,
        first_tabs=np.searchsorted(tabs, starts),
    )
    lines.check_forms()
    return lines


class _TokenPlaces(NamedTuple):
    """The places of tokens, and of the words that multiword tokens cover, among the lines that have an ID and a form."""

    tokens: Positions
    covered_words: Positions
    lengths: Positions  #: how many words each token covers; 0 if it is no multiword token


def _find_tokens(lines: _TokenLines) -> _TokenPlaces:
    """Find the tokens by the IDs of lines, which are checked: ranges, and the words that no range covers."""
    # The comments behind statements have the values for five lines with the IDs 1-2, 1, 2, 3 and 3.1.
    is_range = lines.have_in_id("-")
    is_empty_node = lines.have_in_id(".")
    is_word = ~is_range & ~is_empty_node
    words = np.flatnonzero(is_word)  # 1 2 3, the places of words among the lines
    range_places = np.flatnonzero(is_range)  # 0, the places of ranges among the lines
    ids = lines.ids(words)
    # Numbers of up to 18 digits fit into 64 bits.
    _check_ids(ids, r"^[0-9]{1,18}$", words, lines)
    numbers = numbers_of(ids.cast(pa.int64()))  # 1 2 3, the IDs of the words
    _check_roots(words[numbers == 0], lines)
    _check_order(numbers, words, is_range, lines)
    is_token = is_word.copy()
    covered_words = np.zeros(0, np.int64)
    lengths = np.zeros(len(is_word), np.int64)
    if len(range_places):
        ranges = _Ranges.of(range_places, words, lines)
        ranges.check(numbers, words, lines)
        covered = ranges.covered(len(words))  # 0 1, indices of `words`
        covered_words = words[covered]  # 1 2, the places of these words among the lines
        lengths[range_places] = ranges.end - ranges.begin  # 2 0 0 0 0, for each line
        is_token[covered_words] = False
        is_token[range_places] = True
    tokens = np.flatnonzero(is_token)  # 0 3, the places of tokens among the lines
    return _TokenPlaces(tokens, covered_words=covered_words, lengths=lengths[tokens])


def _read_tokens(block: bytes, tags: str) -> _Tokens:
    """Return the tokens of a block; `tags` is the column of tags, or empty."""
    lines = _find_token_lines(block)
    places = _find_tokens(lines)
    # One call reads the forms of the tokens, and behind them the forms of the words of multiword tokens.
    token_count = len(places.tokens)
    tokens_and_words = np.concatenate((places.tokens, places.covered_words))
    forms = lines.column(1, tokens_and_words)
    tags_of_tokens = None
    tags_of_words = None
    if tags:
        lines.check_columns()
        every_tag = lines.column(_TAG_COLUMNS[tags], tokens_and_words)
        tags_of_tokens = every_tag.slice(0, token_count)
        tags_of_words = every_tag.slice(token_count)
    return _Tokens(
        forms=pc.replace_substring_regex(forms.slice(0, token_count), WHITESPACE, ""),
        sentences=lines.sentences[places.tokens],
        words=forms.slice(token_count),
        lengths=places.lengths,
        tags=tags_of_tokens,
        tags_of_words=tags_of_words,
    )


def _raise_few_columns(columns: int, line: int) -> NoReturn:
    """Raise the error of a line of the block, by its number from 0, that has too few columns for CoNLL-U to find its tag."""
    problem = f"received {columns} columns; expected the {_COLUMNS} of CoNLL-U, because tags of other files are in other columns."
    hint = "VnCoreNLP writes the tag into the third column: write words with tags, such as Việt_Nam/Np, from it."
    raise UtteranceError(line, problem, hint=hint)


def _have(codes: Bytes, character: str, starts: Positions, ends: Positions) -> Mask:
    """Return which fields have the character, by the position of each field's start and end."""
    has_character = np.zeros(len(starts), bool)
    if len(starts):
        # Fields 3:5 and 9:12 and the positions 1 4 7: the last fields that begin before them are -1 0 0, and 4 is inside.
        positions = np.flatnonzero(codes == ord(character))
        fields = np.searchsorted(starts, positions, side="right") - 1
        is_inside = (fields >= 0) & (positions < ends[fields])
        has_character[fields[is_inside]] = True
    return has_character


def _check_utf8(values: pa.LargeStringArray, block: bytes) -> None:
    """Raise an error for the first line of a block that is not UTF-8, if a value is not.

    The values are fields of these lines. The error has the number of the line in place of an utterance.
    """
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        for number, line in enumerate(block.split(b"\n")):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                byte = f"the byte 0x{line[error.start]:02x} at offset {error.start}"
                problem = f"{byte} is not valid UTF-8 ({error.reason}). Expected UTF-8 text."
                raise UtteranceError(number, problem, offset=error.start) from None
        # Not reached: no field ends within a character, so that a line with a bad value is bad.
        raise


def _check_ids(ids: pa.LargeStringArray, pattern: str, chosen: Positions, lines: _TokenLines) -> None:
    """Check that the IDs of chosen lines have a pattern."""
    # As bytes, because nothing has checked yet that the IDs are UTF-8, as expressions for strings expect.
    fits = pc.match_substring_regex(ids.cast(pa.large_binary()), pattern)
    if fits.false_count:
        first_bad = pc.index(fits, False).as_py()
        _raise_odd_line(lines.block, int(lines.numbers[chosen[first_bad]]))


def _check_roots(places: Positions, lines: _TokenLines) -> None:
    """Raise an error for the first line whose form names the root of a tree; `places` are those of lines with the ID 0."""
    if not len(places):
        return
    # Other lines with the ID 0 have the first word of a sentence: some programs count words from 0.
    are_roots = pc.match_substring_regex(lines.column(1, places), _ROOT)
    if are_roots.true_count:
        line = int(lines.numbers[places[pc.index(are_roots, True).as_py()]])
        received = f"received {_shown(lines.block, line)}, which is the root of a tree, and no word of the text."
        raise UtteranceError(line, f"{received} Remove such lines from both sides.")


def _check_order(numbers: Positions, words: Positions, is_range: Mask, lines: _TokenLines) -> None:
    """Check that the IDs of words, `numbers`, rise in each sentence; `words` are the places of the words among the lines."""
    is_of_same_sentence = np.diff(lines.sentences[words]) == 0
    last_in_order = first_true((np.diff(numbers) <= 0) & is_of_same_sentence)
    if last_in_order < 0:
        return
    place = int(words[last_in_order + 1])
    # The range of a multiword token stands right before its first word, and begins what is wrong.
    if place > 0 and is_range[place - 1]:
        place -= 1
    line = int(lines.numbers[place])
    received = f"received {_shown(lines.block, line)} after the word {numbers[last_in_order]} of the same sentence"
    remedy = "A blank line ends a sentence: add one before this line, or before the comments above it."
    raise UtteranceError(line, f"{received}, expected a larger ID. {remedy}")


class _Ranges(NamedTuple):
    """The ranges of multiword tokens. The words of a range follow it: they are those from index `begin` to before `end`."""

    places: Positions  #: the places of the ranges among the lines
    low: Positions  #: the IDs that the ranges name: that of their first word
    high: Positions  #: and that of their last word
    begin: Positions
    end: Positions

    @classmethod
    def of(cls, places: Positions, words: Positions, lines: _TokenLines) -> _Ranges:
        """Return the ranges at these places; `words` are the places of the words."""
        ids = lines.ids(places)
        _check_ids(ids, r"^[0-9]{1,18}-[0-9]{1,18}$", places, lines)
        limits = numbers_of(pc.split_pattern(ids, "-").flatten().cast(pa.int64()))
        # IDs 1-2 and 6-7: limits 1, 2, 6, 7
        low = limits[0::2]
        high = limits[1::2]
        # Lines 1-2, 1, 2 and 3: the range is line 0, the words are the lines 1 2 3, and the range has the words 0:2.
        begin = np.searchsorted(words, places)
        return cls(places, low, high, begin, end=begin + high - low + 1)

    def check(self, numbers: Positions, words: Positions, lines: _TokenLines) -> None:
        """Raise an error for the first range that does not cover the words after it; `numbers` are the IDs of the words."""
        is_outside = (self.high < self.low) | (self.end > len(words))
        overlaps = np.zeros(len(self.places), bool)
        overlaps[1:] = self.begin[1:] < np.maximum.accumulate(self.end)[:-1]
        # A word that is not there has the ID -1, which no word has, and the sentence -1.
        first_words = np.minimum(self.begin, len(words))
        last_words = np.clip(self.end - 1, 0, len(words))
        ids = np.append(numbers, -1)
        # IDs rise, so that with the first and the last one all between are right.
        has_other_words = (ids[first_words] != self.low) | (ids[last_words] != self.high)
        # A blank line between its words ends their sentence, so that the last one is in another sentence than the range.
        sentences = np.append(lines.sentences[words], -1)
        is_divided = sentences[last_words] != lines.sentences[self.places]
        wrong = first_true(is_outside | overlaps | has_other_words | is_divided)
        if wrong >= 0:
            line = int(lines.numbers[self.places[wrong]])
            _raise_odd_line(lines.block, line, "the range does not cover the words after it")

    def covered(self, word_count: int) -> Positions:
        """Return the indices of the words that ranges cover; `word_count` is the number of all words."""
        # The number of ranges that cover each word: +1 where a range begins, −1 where it ends.
        changes = np.zeros(word_count + 1, np.int64)
        np.add.at(changes, self.begin, 1)
        np.add.at(changes, self.end, -1)
        covering_ranges = np.cumsum(changes)[:-1]
        return np.flatnonzero(covering_ranges)


def _fields(codes: Bytes, starts: Positions, ends: Positions) -> pa.LargeStringArray:
    """Return the bytes between each start and end, as strings."""
    # Starts 3, 9 and ends 5, 12: lengths 2, 3; offsets 0, 2, 5; places 3, 4, 9, 10, 11
    lengths = ends - starts
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    return pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(offsets), pa.py_buffer(codes[places]))


def _shown(block: bytes, line: int) -> str:
    """Return a line of a block for a message, shortened."""
    beginning = block.split(b"\n")[line][:_SHOWN_BYTES]
    return shortened(beginning.decode(errors="replace"))


def _raise_odd_line(block: bytes, line: int, problem: str = "this is not a CoNLL-U line") -> None:
    """Raise the error of a line, by its number from 0, that cannot be read."""
    received = f"{problem}: received {_shown(block, line)}, expected an ID and a word in columns separated by tabs."
    raise UtteranceError(line, received, hint="Is it words text?")


#: Ten columns, as of CoNLL-X and CoNLL-U; CoNLL-2009 has more, and CoNLL-U Plus any that its first line names.
#: The first line that is neither blank nor a comment has an ID, such as 1, 1-2 or 1.1, and nine tabs.
_TEN_COLUMNS = Patterns(
    occurs=r"\A(?:[ \t]*\n|#.*\n)*[0-9]+(-[0-9]+|\.[0-9]+)?(\t[^\t\n]*){9}$",
    every_line="",
    sign="lines of ten columns",
    has="\t",
)
_MORE_COLUMNS = Patterns(
    occurs=r"^[0-9]+\t[^\t\n]+(\t[^\t\n]*){11,60}$",
    every_line=r"#.*|[0-9]+\t[^\t\n]+(\t[^\t\n]*){11,60}",
    sign="lines of CoNLL-2009",
    has="\t",
)
_NAMED_COLUMNS = Patterns(
    occurs=r"\A# global\.columns = ID FORM( |$)", every_line="", sign="the columns that its first line names"
)


def find_evidence(text: str) -> Evidence | None:
    """Find lines with the columns of CoNLL-U or its relatives, whose first two are the number and the form of a word."""
    return _TEN_COLUMNS.find(text) or _MORE_COLUMNS.find(text) or _NAMED_COLUMNS.find(text)


FORMAT = Format(
    "conllu",
    gives=frozenset({"tags"}),
    title="CoNLL-U",
    sentences=Sentences(
        end=b"\n\n",
        parse=parse_conllu,
        read_as="words",
        read_documents=from_conllu,
        texts=sentence_texts,
        checks_utf8=True,
    ),
    evidence=find_evidence,
    endings=(".conllu",),
)
