"""Readers: from text or lists of words to a segmentation, with the options that define how, and signs that these are wrong.

Conventions
-----------
- In words text a unit is a character and whitespace is not a unit. In units text a unit is a token. In lists of words a unit is
  a character, whitespace inside a word included.
- Whitespace is as in `str.split()`, which includes U+3000. A text block has one utterance per line. Only `\\n` ends a
  line; the `\\r` of `\\r\\n` is whitespace.
- Repeated, leading and trailing separators make no empty words; an empty string in a list of words is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..options.errors import UtteranceError
from ..options.keywords import ReadingOptions, Unpack
from ..options.messages import OptionError, OptionTypeError
from ..options.option import check_needs, check_options, implied_format
from ..options.table import LISTS, OPTIONS, SENTENCE_FORMATS, check_formats, options_in, read_as
from . import arrow_functions as pc
from .arrays import Bytes, Positions, binary_slices, lengths_of, offsets_of
from .inputs import ANALYSES, BLANKS, LABELS, RECORDINGS, TEXT, WORDS, form_name
from .labels import LABEL_SCHEMES, from_labels
from .segmentation import NEWLINE, NUL, SPACE, Segmentation

DEFAULT_WORD_BOUNDARY = "WORD_BOUNDARY"
#: Whitespace for Arrow's regular expressions.
WHITESPACE = r"[\s\pZ\x0b\x1c-\x1f\x{85}]+"

ASCII_WHITESPACE = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "
_IS_WHITESPACE = np.isin(np.arange(256), list(ASCII_WHITESPACE))

# Not pa.scalar, which imports pandas where it is installed; that takes longer than scoring a small file.
_NEWLINE = pa.LargeStringArray.from_buffers(1, pa.py_buffer(np.array([0, 1])), pa.py_buffer(b"\n"))[0]
# Fewer strings than this are joined in Python.
_FEW = 16
# A shorter block, in bytes, is faster searched as a string for each of these characters.
_SHORT = 1 << 14
_WIDE_WHITESPACE = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_TO_SPACE = bytes.maketrans(ASCII_WHITESPACE, b" " * len(ASCII_WHITESPACE))

Reader: TypeAlias = Callable[[pa.Array], Segmentation]
_KNOWN = options_in(ReadingOptions)
READING_OPTION_NAMES = tuple(_KNOWN)
_OF_FORMATS = [*(name for name, option in _KNOWN.items() if option.formats), "tags"]


@dataclass(frozen=True)
class Reading:
    """Options with which utterances are read. `Reading.of` makes a `Reading` from a user's options, and checks them.

    The attributes are options, which `options.table` describes; `implied`, options that scores imply where they make sense; and
    what scores read: `analyses` of `ScoreGroup`, and `tags`. An option that is for some formats may be for one side alone.
    """

    text_format: str = "units"
    reference_format: str | None = None
    prediction_format: str | None = None
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: tuple[str, ...] = ()
    separator: str | None = None
    joiner: str | None = None
    spaces: str = "units"
    markup: str = "units"
    label_scheme: str | None = None
    normalize: str | None = None
    subword_marks: str | None = None
    ignore_index: int | None = None
    tier: tuple[str | None, ...] | None = None
    silence: tuple[str, ...] | None = None
    sample_rate: float = 16000.0
    documents: bool = False
    whole_files: bool = False
    implied: frozenset[str] = frozenset()
    analyses: str = ""
    tags: str = ""

    @classmethod
    def of(cls, **options: Unpack[ReadingOptions]) -> Reading:
        """Check options, and make a `Reading` of them.

        >>> Reading.of(text_format="word")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        segscores.options.messages.OptionError: text_format: expected "units", ..., received 'word'. Did you mean 'words'?
        """
        return cls.of_checked(check_options(options, _KNOWN))

    @classmethod
    def of_checked(cls, options: Mapping[str, Any]) -> Reading:
        """Return the `Reading` of options whose values are checked, after a check that they go together."""
        reading = cls(**{"text_format": implied_format(options) or cls.text_format, **options})
        _check(reading)
        return reading

    @property
    def words_known(self) -> bool:
        """Return whether the input has the text of the words; labels and times have not."""
        return self.label_scheme is None and not self.is_timed

    @property
    def is_timed(self) -> bool:
        """Return whether the input is recordings."""
        return {*self.formats} == {"times"}

    @property
    def wordless(self) -> str:
        """The name of input without the text of the words, for messages."""
        return "times" if self.is_timed else "labels"

    @property
    def formats(self) -> tuple[str, str]:
        """The format of the references, and the format of the predictions."""
        return self.reference_format or self.text_format, self.prediction_format or self.text_format

    @property
    def has_formats(self) -> bool:
        """Return whether a side has its own format, so that strings may pair with lists of words."""
        return self.reference_format is not None or self.prediction_format is not None

    @property
    def is_simple(self) -> bool:
        """Return whether each utterance is read by itself, and both sides in the same way."""
        return not (self.has_formats or self.documents or self.tags) and self.ignore_index is None

    @cached_property
    def of_formats(self) -> dict[str, Any]:
        """The options that only some formats have and that differ from their defaults, by name."""
        values = {name: getattr(self, name) for name in _OF_FORMATS if name not in self.implied}
        return {name: value for name, value in values.items() if value not in ("", OPTIONS[name].default)}

    def check_formats(self, formats: Collection[str], received: str = "") -> None:
        """Check that each option for some formats alone is for one of these formats."""
        if self.of_formats:
            check_formats(self.of_formats, formats, received)


def joins_units(formats: Sequence[str]) -> list[bool]:
    """Return for each side whether its units are joined into words: if another side has no units, characters are the units.

    >>> joins_units(["units", "words"]), joins_units(["units", "units"])
    ([True, False], [False, False])
    """
    are_units = [read_as(text_format) in ("units", "syllables") for text_format in formats]
    return [is_units and not all(are_units) for is_units in are_units]


def _check(reading: Reading) -> None:
    _check_distinct(reading.word_boundary, reading.ignored_tokens)
    for name in ("normalize", "subword_marks", "documents"):
        value = getattr(reading, name)
        if value not in (None, False) and not reading.words_known:
            problem = f": it needs text, which {reading.wordless} do not contain: leave it out."
            raise OptionError(OPTIONS[name].set(value), problem)
    if "times" in reading.formats and (reading.label_scheme is not None or not reading.is_timed):
        other = "labels" if reading.is_timed else " and ".join({*reading.formats} - {"times"})
        raise OptionError(OPTIONS["text_format"].set("times"), f": expected times on both sides, received {other}.")
    check_needs({"whole_files": reading.whole_files}, vars(reading), OPTIONS)
    # Allow the options of lists of words here: only the input shows if there are lists.
    reading.check_formats([*reading.formats, LISTS])
    if reading.ignore_index is None:
        return
    ignored = OPTIONS["ignore_index"]
    if reading.label_scheme not in ("start", "end"):
        needed = " is for lists of integers: it needs ", OPTIONS["label_scheme"].set("start"), ' or "end"'
        tags = (
            " Tags are strings: drop the masked positions from both sides before. A Trainer's arrays of class ids, with -100, "
            "are what as_compute_metrics(id2label=...) takes."
        )
        hint = "" if reading.label_scheme is None else tags
        raise OptionError(ignored, *needed, f", received {reading.label_scheme!r}.{hint}")
    if reading.ignore_index in (0, 1):
        problem = " is a label of the scheme: expected another integer, such as -100."
        raise OptionError(ignored.set(reading.ignore_index), problem)


def check_tokens(word_boundary: str, ignored_tokens: Sequence[str]) -> None:
    """Check the tokens of units text that are no units."""
    OPTIONS["word_boundary"].check(word_boundary)
    OPTIONS["ignored_tokens"].check(ignored_tokens)
    _check_distinct(word_boundary, ignored_tokens)


def _check_distinct(word_boundary: str, ignored_tokens: Sequence[str]) -> None:
    if word_boundary in ignored_tokens:
        boundary, ignored = OPTIONS["word_boundary"], OPTIONS["ignored_tokens"]
        raise OptionError(f"{word_boundary!r} is both ", boundary, " and one of ", ignored, ": it can't be dropped.")


def check_form(form: pa.DataType, reading: Reading) -> None:
    """Check that the form of the input fits the options."""
    scheme, option = reading.label_scheme, OPTIONS["label_scheme"]
    if form in (BLANKS, pa.null(), RECORDINGS):
        return
    if reading.is_timed:
        problem = f": expected recordings, received {form_name(form)}: these are not read as times here."
        raise OptionTypeError(OPTIONS["text_format"].set("times"), problem)
    if scheme is not None and form == TEXT:
        example = f"one list per utterance and one label per unit, such as [{[*LABEL_SCHEMES[scheme][:2]]}]"
        problem = f" is for lists of labels, {example}; received {form_name(form)}. To score text, leave "
        raise OptionTypeError(option.set(scheme), problem, option, " out.")
    if scheme is None and form == LABELS:
        how = f": say how labels mark words ({', '.join(LABEL_SCHEMES)}), such as ", option.set("start")
        raise OptionTypeError("received lists of integers without ", option, *how, " if 1 starts a word.")
    if form == ANALYSES and not (reading.analyses or reading.tags):
        bpr, morpheme, tagged = (OPTIONS["scores"].set(name) for name in ("bpr", "morpheme", "tagged_token"))
        received = "received lists of lists of words; analyses of words are for ", bpr, " and ", morpheme
        expected = " alone; expected strings, or a list of words for each utterance."
        raise OptionTypeError(*received, ", pairs of words and tags for ", tagged, expected)
    if form == WORDS and reading.documents:
        expected = ": expected strings, each of which has the lines of a document"
        raise OptionTypeError(OPTIONS["documents"], expected, ", received lists of words, which have no lines.")


def reader_for(form: pa.DataType, reading: Reading) -> Reader:
    """Return the reader for a form under the options, which `check_form` has checked."""
    scheme = reading.label_scheme
    if scheme is not None:
        return lambda utterances: from_labels(utterances, scheme)
    if form == ANALYSES and not reading.tags:
        return import_module(".formats", __package__).from_analyses  # type: ignore[no-any-return]
    if form in (ANALYSES, WORDS, BLANKS):
        read_lists = import_module(".tags", __package__).from_pairs if form == ANALYSES else from_word_lists
        return partial(read_lists, keeps_spaces=reading.spaces == "units")
    read = text_reader(reading)
    return lambda utterances: read(lines(utterances))


def text_reader(reading: Reading) -> Callable[[bytes], Segmentation]:
    """Return the reader of blocks of whole lines."""
    if reading.text_format == "words" and reading.joiner is None:
        return from_words_text
    if reading.text_format == "units":
        return partial(from_units_text, word_boundary=reading.word_boundary, ignored_tokens=reading.ignored_tokens)
    if reading.text_format in SENTENCE_FORMATS or reading.is_timed:
        setting = OPTIONS["text_format"].set(reading.text_format)
        raise OptionError(setting, ': it is for files; strings are "units" or "words", or of another format of lines.')
    # The module of the other formats imports this one, and is loaded where one of them is read.
    return partial(import_module(".formats", __package__).LINE_READERS[reading.text_format], reading=reading)


def lines(strings: pa.LargeStringArray) -> bytes:
    """Join strings to a text block, one per line; newlines within them become spaces, which separate words too.

    >>> lines(pa.array(["a b", "c\\nd", ""], pa.large_string()))
    b'a b\\nc d\\n\\n'
    """
    if len(strings) < _FEW:
        data, places = memoryview(strings.buffers()[2] or b""), pairwise(offsets_of(strings).tolist())
        return b"".join([bytes(data[start:end]).replace(b"\n", b" ") + b"\n" for start, end in places])
    block = _joined(strings)
    # A newline within an utterance is rare: count first, and search the strings only if the count is wrong.
    newlines = np.count_nonzero(np.frombuffer(block, np.uint8) == NEWLINE)
    return block if newlines == len(strings) else _joined(pc.replace_substring(strings, "\n", " "))


def _joined(strings: pa.LargeStringArray) -> bytes:
    # An additional empty string makes the join end with a newline, without copying the text.
    offsets = offsets_of(strings)
    ended = np.append(offsets, offsets[-1])
    strings = pa.LargeStringArray.from_buffers(len(strings) + 1, pa.py_buffer(ended), strings.buffers()[2])
    whole = pa.py_buffer(np.array([0, len(strings)], np.int32))
    column = pa.ListArray.from_buffers(pa.list_(strings.type), 1, [None, whole], children=[strings])
    return pc.binary_join(column, _NEWLINE)[0].as_buffer().to_pybytes()  # type: ignore[no-any-return]


def from_words_text(block: bytes) -> Segmentation:
    """Read words text, which ends with a newline: one utterance per line, words separated by whitespace, units are characters.

    The naive equivalent is `[line.split() for line in block.decode().split("\\n")[:-1]]`.

    >>> from_words_text("the dog\\n\\n狗 叫\\n".encode()).word_ends
    array([ 3,  6,  9, 12])
    """
    block = narrow_whitespace(block)
    separators, kinds, is_unit = _separators(block)
    # The naive equivalent is `codes[is_unit]`, which takes twice the time.
    text = np.frombuffer(block, np.uint8).take(is_unit.nonzero()[0], mode="clip")
    separators -= np.arange(len(separators))
    utterance_ends = separators[kinds == NEWLINE]
    return Segmentation(
        text=text,
        word_ends=_distinct(separators),
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(utterance_ends) if block.isascii() else _count_characters(text, utterance_ends),
        unit="character",
    )


def from_units_text(block: bytes, word_boundary: str, ignored_tokens: Sequence[str] = ()) -> Segmentation:
    """Read units text: one utterance per line, units separated by whitespace, `word_boundary` tokens between words.

    Only a whole token is a boundary token. At either end of an utterance, or repeated, it makes no empty words.

    >>> phones = from_units_text(b"dh ax ;esyll ;eword d ao g ;eword\\n", ";eword", [";esyll"])
    >>> phones.text.tobytes(), phones.word_ends, phones.utterance_units
    (b'dh ax d ao g ', array([ 6, 13]), array([5]))
    """
    block = narrow_whitespace(block)
    refuse_nul(block)
    for token in ignored_tokens:
        block = _mark_token(block, token.encode()).translate(None, b"\0")
    return from_marked_units(_mark_token(block, word_boundary.encode()))


def from_marked_units(block: bytes) -> Segmentation:
    """Read units text whose words are separated by NULs with spaces around them."""
    separators, kinds, _ = _separators(block, nul_separates=True)
    ends = separators - np.arange(len(separators))
    unit_counts = np.cumsum(lengths_of(ends) > 0)
    positions = ends + unit_counts  # plus one space for every unit before the position
    newlines = np.flatnonzero(kinds == NEWLINE)
    spaced = block.translate(_TO_SPACE, b"\0")
    while b"  " in spaced:
        spaced = _replace(spaced, b"  ", b" ")
    return Segmentation(
        text=np.frombuffer(spaced.lstrip(b" "), np.uint8),
        word_ends=_distinct(positions[np.flatnonzero((kinds == NEWLINE) | (kinds == NUL))]),
        utterance_ends=positions[newlines],
        utterance_units=lengths_of(unit_counts[newlines]),
        unit="token",
    )


def from_word_lists(utterances: pa.LargeListArray, *, keeps_spaces: bool = True) -> Segmentation:
    """Read lists of words: units are characters, including whitespace within a word if `keeps_spaces`.

    >>> from_word_lists(pa.array([["New York", "is"], []], pa.large_list(pa.large_string()))).word_ends
    array([ 8, 10])
    """
    offsets = offsets_of(utterances)
    words = utterances.values.slice(offsets[0], offsets[-1] - offsets[0])
    if not keeps_spaces:
        words = pc.replace_substring_regex(words, WHITESPACE, "")
    word_offsets = offsets_of(words)
    text = np.frombuffer(words.buffers()[2] or b"", np.uint8)[word_offsets[0] : word_offsets[-1]]
    boundaries = word_offsets - word_offsets[0]
    utterance_ends = boundaries[offsets[1:] - offsets[0]]
    if not text.all():
        _raise_nul(int(np.searchsorted(utterance_ends, np.argmin(text), side="right")))
    return Segmentation(
        text=text,
        word_ends=_distinct(boundaries[1:]),
        utterance_ends=utterance_ends,
        utterance_units=_count_characters(text, utterance_ends),
        unit="character",
    )


def narrow_whitespace(block: bytes) -> bytes:
    """Replace whitespace that is not ASCII by spaces."""
    if block.isascii():
        return block
    for character in _wide_whitespace_in(block):
        block = _replace(block, character, b" ")
    return block


def _wide_whitespace_in(block: bytes) -> list[bytes]:
    """Find the non-ASCII whitespace characters of a block that ends with a newline.

    The naive equivalent is `{c.encode() for c in block.decode() if c.isspace() and not c.isascii()}`.
    """
    if len(block) < _SHORT:
        text = block.decode()
        return [character.encode() for character in _WIDE_WHITESPACE if character in text]
    codes = np.frombuffer(block, np.uint8)
    # Search for the last two bytes of U+3000, because the full stop and the comma of Chinese begin with the same bytes.
    # The two bytes are compared as one integer, at even and at odd offsets.
    characters = []
    for odd in (0, 1) if b"\xe3" in block else ():
        ends = codes[odd : odd + (len(codes) - odd) // 2 * 2].view("<u2") == 0x8080
        if ends.any() and (codes[2 * ends.nonzero()[0] + (odd - 1)] == 0xE3).any():
            characters = ["\u3000".encode()]
    # Search for the others by their first bytes, which are rare in most texts.
    leads = [lead for lead in (0xC2, 0xE1, 0xE2) if bytes([lead]) in block]
    if not leads:
        return characters
    is_lead = codes == leads[0]
    for lead in leads[1:]:
        is_lead |= codes == lead
    places = is_lead.nonzero()[0]
    first, second, third = (codes.take(places + offset, mode="clip") for offset in range(3))
    general = (third <= 0x8A) | (third == 0xA8) | (third == 0xA9) | (third == 0xAF)
    of_three = (first == 0xE2) & (((second == 0x80) & general) | ((second == 0x81) & (third == 0x9F)))
    of_three |= (first == 0xE1) & (second == 0x9A) & (third == 0x80)
    of_two = (first == 0xC2) & ((second == 0x85) | (second == 0xA0))
    for size, is_space in ((3, of_three), (2, of_two)):
        if is_space.any():
            kinds = np.unique(np.stack((first, second, third)[:size])[:, is_space], axis=1)
            characters += [kind.tobytes() for kind in kinds.T]
    return characters


def _replace(block: bytes, old: bytes, new: bytes) -> bytes:
    """Return `block.replace(old, new)`. With many matches Arrow takes a third of the time, and it lets other threads run."""
    whole = binary_slices(np.frombuffer(block, np.uint8), np.array([len(block)]))
    return pc.replace_substring(whole, old, new)[0].as_buffer().to_pybytes()  # type: ignore[no-any-return]


def _separators(block: bytes, nul_separates: bool = False) -> tuple[Positions, Bytes, npt.NDArray[np.bool_]]:
    """Return the positions of the separators of a block, their bytes, and a mask of the bytes that are no separators."""
    codes = np.frombuffer(block, np.uint8)
    is_unit = codes > SPACE
    separators = (~is_unit).nonzero()[0]
    kinds = codes.take(separators)
    if not ((kinds == SPACE) | (kinds == NEWLINE)).all():
        is_separator = _IS_WHITESPACE.take(kinds)
        if nul_separates:
            is_separator |= kinds == NUL
        if not is_separator.all():
            refuse_nul(b"" if nul_separates else block)
            is_unit[separators[~is_separator]] = True  # other control characters are units
            separators, kinds = separators[is_separator], kinds[is_separator]
    return separators, kinds, is_unit


def _mark_token(block: bytes, token: bytes) -> bytes:
    """Replace every whole token `token` by a NUL; NULs that the block already has are earlier such marks."""
    marked = _replace(block, token, b"\0")
    codes = np.frombuffer(marked, np.uint8)
    marks = np.flatnonzero(codes == NUL)
    # The block ends with a newline, so that index -1, before position 0, is whitespace too.
    if _IS_WHITESPACE[codes[marks - 1]].all() and _IS_WHITESPACE[codes[marks + 1]].all():
        return marked
    whitespace = re.escape(ASCII_WHITESPACE)
    return re.sub(rb"(?<![^%b])%b(?![^%b])" % (whitespace, re.escape(token), whitespace), b"\0", block)


def _distinct(ends: Positions) -> Positions:
    """Return the ends of words that are not empty: an end equal to the one before it ends an empty word."""
    closes_word = ends[1:] > ends[:-1]
    if closes_word.all() and (not len(ends) or ends[0]):
        return ends
    return ends[np.flatnonzero(np.concatenate((ends[:1] > 0, closes_word)))]


def _count_characters(text: Bytes, utterance_ends: Positions) -> Positions:
    """Count the characters of each utterance.

    The naive equivalent is `[len(utterance.decode()) for utterance in np.split(text, utterance_ends[:-1])]`.
    """
    if not len(text) or text.max() < 0x80:
        return lengths_of(utterance_ends)
    buffers = pa.py_buffer(np.concatenate(([0], utterance_ends))), pa.py_buffer(text)
    counts = pc.utf8_length(pa.LargeStringArray.from_buffers(len(utterance_ends), *buffers))
    return np.frombuffer(counts.buffers()[1], np.int64, len(counts))


def refuse_nul(block: bytes) -> None:
    """Reject a block with a NUL, and name its line."""
    if (at := block.find(b"\0")) >= 0:
        _raise_nul(block.count(b"\n", 0, at))


def _raise_nul(utterance: int) -> Any:
    hint = "Is the input binary, or UTF-16? Expected UTF-8 text."
    raise UtteranceError(utterance, "there is a NUL character (U+0000), which no text has.", hint)
