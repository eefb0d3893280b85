"""Formats of text beside words text and units text: from blocks of lines to segmentations.

A format (see `options.table.FORMATS`) is one function here: of LINE_READERS, which read whole lines, as in `readers`; or of
SENTENCE_PARSERS, which parse whole utterances of a file into a column, read as `SENTENCE_FORMATS` says. Errors of both name the
first line that is wrong.

Sources
-------
Thai BEST: PyThaiNLP's `benchmarks/word_tokenization.py`. Vietnamese: the VLSP corpora, RDRsegmenter. MeCab, JUMAN and KNP: their
manuals. KyTea: https://www.phontron.com/kytea/io.html. Morphs: the SIGMORPHON 2022 shared task on morpheme segmentation; the gold
standards of Morpho Challenge and Morfessor.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from ..kernel import arrow_functions as pc
from ..kernel.arrays import Mask, binary_slices, bools_of, first_true, int64_array, large_lists, lengths_of, offsets_of
from ..kernel.segmentation import NEWLINE, Segmentation, join_units
from ..options.errors import UtteranceError
from ..options.messages import Message, OptionError
from ..options.quoting import shortened
from ..options.table import OPTIONS
from .conllu import parse_conllu
from .inputs import ANALYSES, BLANKS, TEXT, WORDS
from .labels import from_labels
from .readers import (
    ASCII_WHITESPACE,
    WHITESPACE,
    from_marked_units,
    from_units_text,
    from_word_lists,
    from_words_text,
    lines,
    narrow_whitespace,
    refuse_nul,
)
from .reading import Reading
from .tags import from_pairs, pairs_of, with_tags

Reader: TypeAlias = Callable[[pa.Array], Segmentation]

_WITHIN_LINES = ASCII_WHITESPACE.replace(b"\n", b"")
#: Translation tables: ASCII whitespace except newline → NUL, which separates words, or space.
_MARK_SPACES = bytes.maketrans(_WITHIN_LINES, bytes(len(_WITHIN_LINES)))
_TO_SPACES = bytes.maketrans(_WITHIN_LINES, b" " * len(_WITHIN_LINES))
_MARKUP = rb"</?[A-Z]+>"
#: A token of tagged text whose separator is a NUL; the last letter of a word with the tag after it; a word, and its tag.
_TAGGED, _TAG, _WORD_AND_TAG = r"\S+\x00[^\x00\s]+", r"(\S)\x00[^\x00\s]+(\s|$)", r"\S+\x00([^\x00\s]+)"
#: The ends of groups after the tag of their last word: for each group `]` and its tag, perhaps after a separator.
_GROUP_ENDS = re.compile(rb"(?<=\x00)[^\x00\[\]]+((?:\](?:\x00?[^\x00\[\]]+)?)+)$")
#: A pair of brackets within a word.
_BRACKETED = re.compile(rb"\[[^\[\]]*\]")
#: A token of KyTea: no separator and no escape, or an escaped character; then its tags, the first of which is a group.
_KYTEA_WORD, _KYTEA_TAGS = r"(?:\\.|[^\\/\s])+", r"/(?:\\.|[^\\\s])*"
_KYTEA_TAG = rf"/((?:\\.|[^\\/\s])*)(?:{_KYTEA_TAGS})?"
#: A unit and its label, with other columns between them.
_UNIT, _LABEL, _LABELLED = r"(?s)^(\S+)\s.*$", r"(?s)^.*\s(\S+)\s*$", r"^\S+[ \t](.*[ \t])?\S+\s*$"
_LABELS = rb"^[BIMESbimes](-\S*)?$"
#: A word of MeCab ends at a tab, of JUMAN at a space. Other lines are comments, phrases (also of CaboCha), and alternatives.
_SURFACE = r"(?s)^(?:([^\t\s][^\t]*)\t.*|(\S+) .*)$"
#: The first feature of MeCab; the part of speech, the fourth column, of JUMAN.
_FEATURE = r"(?s)^(?:[^\t\s][^\t]*\t([^,\r\n]*).*|(?:\S+ ){3}(\S+).*)$"
_NO_WORD = r"^(# S-ID[^\t]*|[*+] -?\d+[A-Z]?( [^\t]*)?|@ (@ @ @ @|[^@])[^\t]*|\s*)\s*$"
_WITH_MORPHS = "a word, a tab and its morphs, such as play @@ed"


def from_separated(block: bytes, reading: Reading) -> Segmentation:
    """Read words with a separator between them; a space within a word is a unit, unless `spaces="drop"` drops it.

    The naive equivalent, for a line, is `line.strip().split("|")`, after `re.sub("</?[A-Z]+>", "", line)` for `markup="drop"`.

    >>> from_separated("ab|c d|\\n".encode(), Reading(text_format="separated")).word_ends
    array([2, 5])
    """
    refuse_nul(block)
    if reading.markup == "drop":
        _check_markup(block)
        block = re.sub(_MARKUP, b"", block)
    utterances = pc.utf8_trim_whitespace(_lines_of(block).cast(TEXT))
    words = pc.split_pattern(utterances, reading.separator or "|").cast(WORDS)
    return from_word_lists(words, keeps_spaces=reading.spaces == "units")


def from_syllables(block: bytes, reading: Reading) -> Segmentation:
    """Read syllables separated by whitespace, or within a word by a joiner; a unit is a syllable.

    The naive equivalent, for a word, is `word.split("_")`, but a joiner at an end of a word belongs to a syllable.

    >>> read = from_syllables("Việt_Nam là\\n".encode(), Reading(text_format="syllables"))
    >>> read.text.tobytes().decode(), read.word_ends, read.utterance_units
    ('Việt Nam là ', array([11, 15]), array([3]))
    """
    refuse_nul(block)
    marked = narrow_whitespace(block).translate(_MARK_SPACES)
    joiner = re.escape((reading.joiner or "_").encode())
    units = re.sub(rb"(?<=[^\0\n])%b(?=[^\0\n])" % joiner, b" ", marked)
    return from_marked_units(units.replace(b"\0", b" \0"))


def from_words(block: bytes, reading: Reading) -> Segmentation:
    """Read words text; joiners within words are dropped, and a unit is a character."""
    return from_words_text(block) if reading.joiner is None else join_units(from_syllables(block, reading))


def from_units(block: bytes, reading: Reading) -> Segmentation:
    """Read units text."""
    return from_units_text(block, reading.word_boundary, reading.ignored_tokens)


def from_tagged(block: bytes, reading: Reading) -> Segmentation:
    """Read words with a tag after their last separator. Brackets around several words, with a tag of their own, are dropped.

    The naive equivalent, for a word, is `word.rpartition("/")[0]`.

    >>> bytes(from_tagged("1/2/m [中央/n 电视台/n]nt\\n".encode(), Reading(text_format="tagged")).text).decode()
    '1/2中央电视台'
    """
    refuse_nul(block)
    separator = (reading.separator or "/").encode()
    # A NUL, which no text has, stands for the separator. The search runs from the right, because a word ends at its last one.
    block = narrow_whitespace(block[::-1].replace(separator[::-1], b"\0")[::-1]).translate(_TO_SPACES)
    _refuse_tokens(_lines_of(block), _TAGGED, "a word and its tag, such as 迈向/v", separator)
    if b"[" in block or b"]" in block:
        block = b"\n".join(_without_groups(line, at, separator) for at, line in enumerate(block.split(b"\n")))
    tagged = _lines_of(block)
    words = from_words_text(_block_of(pc.replace_substring_regex(tagged, _TAG, r"\1\2")).replace(b"\0", separator))
    if not reading.tags:
        return words
    tags = from_words_text(_block_of(pc.replace_substring_regex(tagged, _WORD_AND_TAG, r"\1")))
    return words.with_word_columns(tags=tags.words().cast(TEXT))


def _without_groups(line: bytes, at: int, separator: bytes) -> bytes:
    """Return a line of tagged text without the brackets and tags of groups, which begin at `[` before their first word.

    A word may be a bracket, or contain a pair of brackets.
    """
    if b"[" not in line and b"]" not in line:
        return line
    groups: list[tuple[int, bool]] = []
    tokens = line.split()
    for place, token in enumerate(tokens):
        if b"[" not in token and b"]" not in token:
            continue
        ends = _GROUP_ENDS.search(token)
        bare = token[: ends.start(1)] if ends else token
        word = bare.rpartition(b"\0")[0]
        while _BRACKETED.search(word):
            word = _BRACKETED.sub(b"-", word)
        begun = len(word) - len(word.lstrip(b"["))
        is_bracket = begun == len(word)
        begun -= is_bracket
        tokens[place] = bare[begun:]
        groups += [(place, is_bracket)] * begun
        ended = ends[1].count(b"]") if ends else 0
        if ended > len(groups):
            _raise_group(at, token, separator, "] closes no group; expected [ before the first word of the group")
        del groups[len(groups) - ended :]
    for place, is_bracket in groups:
        tokens[place] = b"[" + tokens[place]
        if not is_bracket:  # `[[` may be a word
            problem = "[ is not closed on its line; expected ] and a tag after the last word"
            _raise_group(at, tokens[place], separator, problem)
    return b" ".join(tokens)


def _raise_group(at: int, token: bytes, separator: bytes, problem: str) -> None:
    received = shortened(token.replace(b"\0", separator).decode(errors="replace"))
    remedy = "In text whose words have such brackets, leave out the tags, and read it with "
    hint = Message(remedy, OPTIONS["text_format"].set("words"), ".")
    raise UtteranceError(at, f"received {received}, whose {problem}, as in [中央/n 电视台/n]nt.", hint=hint)


def from_kytea(block: bytes, reading: Reading) -> Segmentation:
    """Read words with tags after their first slash; a backslash escapes a slash, space or backslash that is part of a word.

    >>> bytes(from_kytea("東京/名詞/とうきょう 1\\\\/2/数\\n".encode(), Reading(text_format="kytea")).text).decode()
    '東京1/2'
    """
    refuse_nul(block)
    utterances = _lines_of(narrow_whitespace(block).translate(_TO_SPACES))
    _refuse_tokens(utterances, _KYTEA_WORD + _KYTEA_TAGS, "a word and its tags, such as 東京/名詞/とうきょう")
    words = _kytea_lists(utterances, rf"({_KYTEA_WORD}){_KYTEA_TAGS}")
    read = from_word_lists(words)
    if not reading.tags:
        return read
    return with_tags(read, words.values, _kytea_lists(utterances, _KYTEA_WORD + _KYTEA_TAG).values)


def _kytea_lists(utterances: pa.LargeBinaryArray, token: str) -> pa.LargeListArray:
    """Return for each utterance the group of each token, and empty strings."""
    # A NUL ends each group, which may end in an escaped space.
    marked = pc.replace_substring_regex(utterances, rf"\s*{token}\s*", "\\1\0")
    lists = pc.split_pattern(pc.utf8_trim_whitespace(marked.cast(TEXT)), "\0").cast(WORDS)
    return large_lists(offsets_of(lists), pc.replace_substring_regex(lists.flatten(), r"\\(.)", r"\1"), WORDS)


def from_sigmorphon(block: bytes, reading: Reading) -> Segmentation:
    """Read lines of a word or sentence, a tab, and its morphs, with `@@` before a morph within a word. Morphs are the words here.

    The naive equivalent, for a line, is `[morph.removeprefix("@@") for morph in line.split("\\t")[1].split()]`.

    >>> from_sigmorphon(b"played\\tplay @@ed\\t100\\n", Reading(text_format="sigmorphon")).word_ends
    array([4, 6])
    """
    if reading.analyses == "any":
        return _from_canonical(block)
    utterances = _lines_of(block).cast(TEXT)
    _refuse_lines(utterances, ~_matches(utterances, r"^(\s*|[^\t]+\t[^\t\s][\s\S]*)$"), _WITH_MORPHS)
    morphs = pc.replace_substring_regex(utterances, r"(?s)^[^\t]*\t([^\t\r\n]*).*$", r"\1")
    morphs = pc.replace_substring(pc.utf8_trim_whitespace(morphs), " @@", " ")
    whole = pc.replace_substring_regex(utterances, r"(?s)\t.*$", "")
    spelt, text = (pc.replace_substring_regex(strings, WHITESPACE, "") for strings in (morphs, whole))
    if (at := first_true(bools_of(pc.not_equal(spelt, text)))) >= 0:
        received = f"the morphs spell {shortened(spelt[at].as_py())}, the text is {shortened(text[at].as_py())}"
        canonical = "Canonical morphs, as accurate @@cy of accuracy, are no segmentation of the text: "
        hint = Message(canonical, OPTIONS["scores"].set("morpheme"), " alone compares them.")
        raise UtteranceError(at, f"{received}; expected morphs that spell it.", hint=hint)
    return from_words_text(lines(morphs))


def _from_canonical(block: bytes) -> Segmentation:
    """Read morphs that need not spell their text. A line has them as the script of SIGMORPHON 2022 has: `""` is one too.

    The naive equivalent, for a line, is `line.split("\\t")[1].replace(" @@", " ").split(" ")`.
    """
    rows = pc.utf8_rtrim(_lines_of(block).cast(TEXT), "\r\n")
    columns = pc.split_pattern(rows, "\t").cast(WORDS)
    sizes = lengths_of(offsets_of(columns)[1:])
    is_blank = (sizes < 2) & _matches(rows, r"^\s*$")
    _refuse_lines(rows, (sizes < 2) & ~is_blank, _WITH_MORPHS)
    cells = pc.take(columns.flatten(), int64_array((np.cumsum(sizes) - sizes + 1)[~is_blank]))
    lists = pc.split_pattern(pc.replace_substring(cells, " @@", " "), " ").cast(WORDS)
    counts = np.zeros(len(rows), np.int64)
    counts[~is_blank] = lengths_of(offsets_of(lists)[1:])
    morphs = large_lists(np.concatenate(([0], np.cumsum(counts))), lists.flatten(), WORDS)
    return from_analyses(large_lists(np.arange(len(rows) + 1), morphs, ANALYSES))


def from_alternatives(block: bytes, reading: Reading) -> Segmentation:
    """Read words and their analyses, with commas between analyses and spaces between morphs; `#` begins a comment.

    >>> read = from_alternatives(b"undoable un do able, undo able\\n", Reading(text_format="alternatives", analyses="spelt"))
    >>> read.word_ends, read.of_utterances["analyses"].to_pylist()
    (array([2, 4, 8]), [[['un', 'do', 'able'], ['undo', 'able']]])
    """
    rows = pc.utf8_trim_whitespace(_lines_of(block).cast(TEXT))
    rows = pc.replace_substring_regex(rows, r"^#.*$", "")
    is_blank = bools_of(pc.equal(rows, pa.scalar("", TEXT)))
    is_bad = ~is_blank & ~_matches(rows, r"^\S+\s+[^\s,]+(\s*,\s*[^\s,]|\s+[^\s,]|[^\s,])*$")
    _refuse_lines(rows, is_bad, "a word and its analyses, such as undoable un do able, undo able")
    analyses = pc.split_pattern_regex(pc.replace_substring_regex(rows, r"^\S+\s+", ""), r"\s*,\s*").cast(WORDS)
    lists = pc.split_pattern_regex(analyses.flatten(), r"\s+").cast(WORDS)
    counts = lengths_of(offsets_of(analyses)[1:])
    at = first_true(counts > 1)
    if at >= 0 and not reading.analyses:
        problem = f"the word has {counts[at]} analyses; expected one: leave the others out, or score all of them with "
        raise UtteranceError(at, Message(problem, OPTIONS["scores"].set("bpr"), "."))
    return from_analyses(large_lists(offsets_of(analyses), lists, ANALYSES))


def from_analyses(analyses: pa.LargeListArray) -> Segmentation:
    """Read lists of one or more analyses of each word: the words of the segmentation are the morphemes of the first analysis.

    >>> from_analyses(pa.array([[["un", "do"], ["undo"]]], ANALYSES)).word_ends
    array([2, 4])
    """
    offsets = offsets_of(analyses) - offsets_of(analyses)[0]
    if (at := first_true(np.diff(offsets) == 0)) >= 0:
        raise UtteranceError(at, "the word has no analysis; expected one list of morphemes, or several.")
    lists = analyses.flatten()
    first = lists if len(lists) == len(analyses) else pc.take(lists, int64_array(offsets[:-1]))
    return from_word_lists(first).with_utterance_columns(analyses=analyses)


def parse_conll(block: bytes, tags: str = "") -> pa.LargeStringArray:  # noqa: ARG001
    """Return the sentences of a block of units with labels, as units text with a NUL between words; repeated blank lines are one.

    A label begins or ends a word as in `from_labels`, of the schemes BI, BMES and BIES at once.

    >>> parse_conll("北\\tB\\n京\\tE\\n很\\tS\\n\\n".encode()).to_pylist()
    ['北 京 \\x00 很']
    """
    refuse_nul(block)
    utterances = _lines_of(block)
    is_blank = _matches(utterances, r"^\s*$")
    _refuse_lines(utterances, ~is_blank & ~_matches(utterances, _LABELLED), "a unit, a tab and its label")
    filled = utterances.take(pa.array(np.flatnonzero(~is_blank)))
    labels = pc.replace_substring_regex(filled, _LABEL, r"\1")
    if (at := first_true(~_matches(labels, _LABELS))) >= 0:
        label = shortened(labels[at].as_py().decode())
        problem = f"received the label {label}; expected B, I or M, E or S, such as B or B-NOUN."
        raise UtteranceError(int(np.flatnonzero(~is_blank)[at]), problem)
    marks = np.frombuffer(labels.buffers()[2] or b"", np.uint8)[offsets_of(labels)[:-1]] & 0xDF
    sentences = np.cumsum(is_blank)[~is_blank]
    is_first = np.diff(sentences, prepend=-1) > 0
    begins = np.isin(marks, [ord("B"), ord("S")])
    begins[1:] |= np.isin(marks[:-1], [ord("E"), ord("S")])
    units = pc.replace_substring_regex(filled, _UNIT, r"\1").cast(TEXT)
    after_boundary = pc.binary_join_element_wise(pa.scalar("\0", TEXT), units, pa.scalar(" ", TEXT))
    tokens = pc.if_else(pa.array(begins & ~is_first), after_boundary, units)
    bounds = np.append(np.flatnonzero(is_first), len(is_first))
    return pc.binary_join(large_lists(bounds, tokens, WORDS), pa.scalar(" ", TEXT))


def parse_mecab(block: bytes, tags: str = "") -> pa.LargeListArray:
    """Return the words of every sentence of a block of MeCab's, JUMAN's or KNP's output, which ends with the line `EOS`.

    If `tags` is not empty, pairs of words and tags.

    >>> parse_mecab("東京\\t名詞\\nに\\t助詞\\nEOS\\n".encode()).to_pylist()
    [['東京', 'に']]
    """
    utterances = _lines_of(block)
    is_end = _matches(utterances, r"^EOS\s*$")
    is_word = ~is_end & ~_matches(utterances, _NO_WORD)
    expected = "a word and its features after a tab or a space, or EOS"
    _refuse_lines(utterances, is_word & ~_matches(utterances, _SURFACE), expected)
    words, ends = np.flatnonzero(is_word), np.flatnonzero(is_end)
    if len(words) and (not len(ends) or words[-1] > ends[-1]):
        raise UtteranceError(int(words[-1]), "no line EOS follows this word; expected one after each sentence.")
    if tags:
        _refuse_lines(utterances, is_word & ~_matches(utterances, _FEATURE), expected)
    of_words = utterances.take(pa.array(words))
    surfaces = pc.replace_substring_regex(of_words, _SURFACE, r"\1\2").cast(TEXT)
    features = pc.replace_substring_regex(of_words, _FEATURE, r"\1\2").cast(TEXT) if tags else None
    return pairs_of(np.concatenate(([0], np.searchsorted(words, ends))), surfaces, features)


#: Formats with one utterance per line.
LINE_READERS: dict[str, Callable[[bytes, Reading], Segmentation]] = {
    "units": from_units,
    "words": from_words,
    "separated": from_separated,
    "syllables": from_syllables,
    "tagged": from_tagged,
    "kytea": from_kytea,
    "sigmorphon": from_sigmorphon,
    "alternatives": from_alternatives,
}
#: Formats with several lines per utterance: how an utterance ends, and what parses utterances.
SENTENCE_PARSERS: dict[str, tuple[bytes, Callable[[bytes, str], pa.Array]]] = {
    "conllu": (b"\n\n", parse_conllu),
    "conll": (b"\n\n", parse_conll),
    "mecab": (b"\nEOS\n", parse_mecab),
}


def reader_for(form: pa.DataType, reading: Reading) -> Reader:
    """Return the reader for a form under the options, which `check_form` has checked."""
    scheme = reading.label_scheme
    if scheme is not None:
        return partial(from_labels, scheme=scheme)
    if form == ANALYSES and not reading.tags:
        return from_analyses
    if form in (ANALYSES, WORDS, BLANKS):
        return partial(from_pairs if form == ANALYSES else from_word_lists, keeps_spaces=reading.spaces == "units")
    read = text_reader(reading)
    return lambda utterances: read(lines(utterances))


def text_reader(reading: Reading) -> Callable[[bytes], Segmentation]:
    """Return the reader of blocks of whole lines."""
    read = LINE_READERS.get(reading.text_format)
    if read is None:
        setting = OPTIONS["text_format"].set(reading.text_format)
        raise OptionError(setting, ': it is for files; strings are "units" or "words", or of another format of lines.')
    return lambda block: read(block, reading)


def _lines_of(block: bytes) -> pa.LargeBinaryArray:
    """Return the lines of a block, each with its end."""
    codes = np.frombuffer(block, np.uint8)
    return binary_slices(codes, np.flatnonzero(codes == NEWLINE) + 1)


def _block_of(utterances: pa.LargeBinaryArray) -> bytes:
    offsets = offsets_of(utterances)
    return bytes(memoryview(utterances.buffers()[2] or b"")[offsets[0] : offsets[-1]])


def _matches(utterances: pa.Array, pattern: str | bytes) -> Mask:
    return bools_of(pc.match_substring_regex(utterances, pattern))


def _refuse_lines(utterances: pa.Array, is_bad: Mask, expected: str) -> None:
    if (at := first_true(is_bad)) >= 0:
        text = utterances[at].as_py()
        text = text if isinstance(text, str) else text.decode(errors="replace")
        raise UtteranceError(at, f"received {shortened(text.rstrip())}; expected {expected}.")


def _refuse_tokens(utterances: pa.Array, token: str, expected: str, separator: bytes = b"") -> None:
    """Reject utterances with a token that the pattern does not match; NULs in it are separators."""
    if (at := first_true(~_matches(utterances, rf"^\s*({token}(\s+|$))*$"))) >= 0:
        text = utterances[at].as_py()
        good = re.match(rf"\s*({token}(\s+|$))*".encode(), text)
        received = text[good.end() if good else 0 :].split()[0].replace(b"\0", separator)
        raise UtteranceError(at, f"received {shortened(received.decode(errors='replace'))}; expected {expected}.")


def _check_markup(block: bytes) -> None:
    """Check that each tag is closed on its line."""
    for at, line in enumerate(block.split(b"\n")):
        if b"<" not in line:
            continue
        unclosed: list[bytes] = []
        for tag in re.findall(_MARKUP, line):
            if tag[1:2] != b"/":
                unclosed.append(tag)
            elif not unclosed or unclosed.pop()[1:] != tag[2:]:
                raise UtteranceError(at, f"{tag.decode()} closes no tag of its line; expected <NE> before </NE>.")
        if unclosed:
            raise UtteranceError(at, f"{unclosed[-1].decode()} is not closed on its line; expected </NE> after <NE>.")
