"""Doubts: signs in the first utterances of both sides that a number is likely not what a person means.

Conventions
-----------
- A doubt about spaces is about words text, in which every space ends a word. Forms that are known, and messages at the end, are
  doubts about text of any format.
- The first `BEGINNING` bytes of a side are looked at, from its first utterance on.
- A doubt is said where the text is not ordinary: corpora that have two spaces between all words, double spaces after a full stop
  and single words on a line are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..options.file_kinds import JOINED
from ..options.messages import Hint, Message
from ..options.quoting import shortened
from ..options.table import OPTIONS
from .formats.format import Evidence, Format
from .formats.messages import message_at_end
from .formats.odd_lines import odd_last_line
from .formats.registry import FORMATS, PLAIN, UNITS, recognise
from .formats.surroundings import find_ids
from .proposals import Utterances, goes_with_some, has_option_of, with_other_scores
from .quick_look import CONFLICT, LINES_OF_FORM, LONGEST_WORDS
from .readers import named_boundary
from .reading import Reading
from .sources.likely_tables import doubtful_columns
from .sources.source import Side
from .texts import TextForm, remedy_of_read_format, shows_no_form_but_in_spaces

_NEWLINE = b"\n"
#: The whitespace at which words may end where one space ends a unit.
_WIDE_SPACES = ("  ", "\t")
#: The characters before the two spaces between sentences.
_ENDS_SENTENCE = frozenset(".?!:;…。！？\"'”’)]")
#: The whitespace between two tokens, and the character before it.
_GAP = re.compile(r"(?P<character_before>\S)(?P<whitespace>\s+)(?=\S)")
#: The fewest lines with several gaps that show the habit of a side.
_FEWEST_LINES = 3
#: In letters: units are shorter on average than this.
_LONGEST_UNITS = 3
#: In letters: words of scripts with spaces are shorter on average than this; lists of words have words of some ten letters.
_LONGEST_IN_SPACED = 20
#: The fewest lines of a reference without a space that show raw text, and the fewest words of a prediction's lines, in the mean.
_FEWEST_RAW_LINES = 5
_FEWEST_OF_RAW = 3
#: The bounds of the code points of scripts without spaces between words: Thai, Lao, Tibetan and Burmese; Khmer; kana; Chinese
#: in two ranges. A range begins at every first bound, and ends before the next one. Regular expressions take 1 ms to compile.
_UNSPACED = np.array([0x0E00, 0x10A0, 0x1780, 0x1800, 0x3040, 0x3100, 0x3400, 0xA000, 0x20000, 0x40000])


def doubts_of_conflicts(numbers: Collection[int], sides: Sequence[Side]) -> Iterator[Message]:
    """Yield the doubt that a side has an unresolved conflict of Git; `numbers` are the sides that have its marks."""
    for number in sorted(numbers)[:1]:  # the other side likely has the same form
        received = (
            f"{_name_of(sides[number])}: a line begins with {CONFLICT.decode().strip()}, as in a conflict of Git, "
        )
        yield Message(received, "and is read as an utterance: resolve the conflict, and remove its marks.")


def doubts_of(beginnings: Mapping[int, list[str]], sides: Sequence[Side]) -> Iterator[Message]:
    """Yield the doubts about the sides, by their first lines: `beginnings` has the lines by the numbers of sides.

    The number 0 is the reference. Numbers beyond the sides are of ids, which are no text.
    """
    lines_of_sides = {number: lines for number, lines in beginnings.items() if number < len(sides)}
    yield from _doubts_of_line_ends(lines_of_sides, sides)
    yield from doubts_of_forms(lines_of_sides, sides)
    yield from _doubts_of_columns(lines_of_sides, sides)
    yield from _doubts_of_tagged_ids(lines_of_sides, sides)
    reference_side, *prediction_sides = sides
    reference_lines = lines_of_sides.get(0, [])
    if not reference_lines or not _is_plain(reference_side):
        return
    lines_without_tokenizers = [
        lines_of_sides.get(number, []) for number, side in enumerate(sides) if not side.has_own_reader
    ]
    yield from _doubts_of_script(reference_lines, lines_without_tokenizers, sides)
    for number, side in enumerate(prediction_sides, 1):
        if number in lines_of_sides and _is_words_text(side):
            yield from _doubts_of_widths(reference_lines, lines_of_sides[number], (reference_side, side))


def _doubts_of_line_ends(lines_of_sides: Mapping[int, list[str]], sides: Sequence[Side]) -> Iterator[Message]:
    """Yield the doubt that strings are whole texts, of which each line is an utterance, or answers of a language model."""
    for number, texts in lines_of_sides.items():
        side = sides[number]
        # The cells of a table may have several lines, as strings may.
        has_cells = bool(side.first_source.columns)
        has_lines = side.is_file and not has_cells
        may_have_lines = has_lines or side.has_own_reader
        if may_have_lines or side.reading.documents:
            continue
        filled_texts = [*filter(None, map(str.strip, texts))]
        if not filled_texts or not all("\n" in text for text in filled_texts):
            continue
        line_count = 1 + filled_texts[0].count("\n")
        received = f"{_name_of(side)}: each utterance has several lines, as the first one has {line_count}: "
        remedy = "if a line is an utterance, pass the lines, as text.splitlines() gives them."
        if has_cells:
            remedy = "if a line is an utterance, write a row for each, without those that are none, as of marks around an answer."
        yield Message(received, remedy)
        return  # the other side likely has the same form


def doubts_of_forms(
    lines_of_sides: Mapping[int, list[str]], sides: Sequence[Side], *, may_be_weak: bool = True
) -> Iterator[Message]:
    """Yield the doubt that strings have another form than they are read in. `sources.recognition` says so of lines of files.

    Weak evidence counts if `may_be_weak`. An example is "the predictions: this looks like CHAT (line 1 is '@UTF8'), and is read
    as words: …".
    """
    for number, side in enumerate(sides):
        source = side.first_source
        has_cells = bool(source.columns) and not source.sentence_format
        # Lines of files were looked at when they were opened.
        is_known = source.is_file and not has_cells
        if is_known or side.has_own_reader:
            continue
        text = "\n".join(lines_of_sides.get(number, [])[:LINES_OF_FORM])
        shown_form, evidence = recognise(text)
        if evidence is None or not _is_doubtful(shown_form, side.reading):
            continue
        if evidence.is_weak and not (may_be_weak and _counts_though_weak(shown_form, evidence, side)):
            continue
        reference = "\n".join(lines_of_sides.get(0, [])[:LINES_OF_FORM])
        if evidence.is_weak and number > 0 and shows_no_form_but_in_spaces(text, reference):
            continue
        shown = f"{shown_form.title} ({evidence.sign})"
        remedy = with_other_scores(shown_form.remedy, side.reading.scores)
        if not remedy:  # a format that is read
            shown = str(TextForm(shown_form.name, evidence.word_boundary, reason=f"recognised by {evidence.sign}"))
            remedy = remedy_of_read_format(shown_form, evidence)
        yield Message(f"{_name_of(side)}: this looks like {shown}, and is read as {side.reading.text_format}: ", remedy)
        return  # the other side likely has the same form


def _is_doubtful(shown_form: Format, reading: Reading) -> bool:
    """Return whether text of a form may be misread: it is read in another format, which takes any line, and no option fits it."""
    is_read_so = reading.text_format == shown_form.name or has_option_of(reading, shown_form.remedy)
    return FORMATS[reading.text_format].takes_any_line and not is_read_so


def _doubts_of_columns(lines_of_sides: Mapping[int, list[str]], sides: Sequence[Side]) -> Iterator[Message]:
    """Yield the doubt that strings are rows of a table, such as `0,the dog`. `sources.recognition` says so of files."""
    for number, lines in lines_of_sides.items():
        side = sides[number]
        if side.is_file or not _is_words_text(side):
            continue
        table = doubtful_columns("\n".join(lines), is_whole=True)
        # Tabs are whitespace of words text, about which there are other doubts.
        if table is None or table.separator == "\t":
            continue
        received = (
            f"{_name_of(side)}: each utterance has {table.width} cells between {table.separator!r}, as a table has, "
        )
        yield Message(received, "and all of them are read as words: pass the cells of one column.")
        return  # the other side likely has the same form


def _doubts_of_tagged_ids(lines_of_sides: Mapping[int, list[str]], sides: Sequence[Side]) -> Iterator[Message]:
    """Yield the doubt that the first words of lines with tags are ids, as in the People's Daily corpus: `19980101-01/m`."""
    for number, lines in lines_of_sides.items():
        side = sides[number]
        row = FORMATS[side.reading.text_format]
        if not row.tags_each_word:
            continue
        separator = re.escape(side.reading.separator or row.usual.get("separator", "/"))
        words = [re.sub(rf"{separator}\S*", "", line) for line in lines[:LINES_OF_FORM]]
        evidence = find_ids("\n".join(words))
        if evidence is not None:
            received = f"{_name_of(side)}: lines begin with a number or an id ({evidence.sign} without tags), "
            yield Message(received, "which is read as a word: remove it from both sides.")
            return  # the other side likely has the same form


def _counts_though_weak(shown_form: Format, evidence: Evidence, side: Side) -> bool:
    """Return whether evidence that words text may have too is a doubt about strings: their first line shows it."""
    # A line of marks alone may be an utterance.
    shows_first_line = re.match(r"line 1 is .*[^\W_]", evidence.sign) is not None
    return shows_first_line and _is_plain(side) and goes_with_some(shown_form.remedy, side.reading.scores)


def doubts_of_ends(
    beginnings: Mapping[int, list[str]], ends: Mapping[int, list[str]], sides: Sequence[Side]
) -> Iterator[Message]:
    """Yield the doubt that a side ends in lines of a program or of a language model.

    `beginnings` and `ends` have the first and the last lines, by the numbers of sides, as for `doubts_of`. An example is
    "gold.txt: the line '(2 rows)' looks like a message of a program, and is read as an utterance: …".
    """
    odd_lines = _odd_last_lines(beginnings, ends, sides)
    for number, side in enumerate(sides):
        if side.has_own_reader:
            continue
        message = message_at_end(ends.get(number, []))
        line = message or odd_lines.get(number, "")
        if line:
            sign = "looks like a message of a program" if message else "is written otherwise than all lines before it"
            received = f"{_name_of(side)}: the line {shortened(line.strip())} {sign}, and is read as an utterance: "
            yield Message(received, "if it is none, remove it from both sides.")
            return  # the other side likely has the same line


def _odd_last_lines(
    beginnings: Mapping[int, list[str]], ends: Mapping[int, list[str]], sides: Sequence[Side]
) -> dict[int, str]:
    """Return the last line of each words text, by the number of its side, or "" if it is written as those before it are.

    The result is empty if the last lines differ, and one of them is written as its text is: a segmenter may have joined a mark to
    a word of the other. A message is the same line on all sides, though one side may have more lines like it.
    """
    odd_lines = {}
    distinct_lines = set()
    for number, side in enumerate(sides):
        last_lines = [*filter(str.strip, ends.get(number, []))]
        if last_lines and _is_words_text(side):
            distinct_lines.add(last_lines[-1])
            odd_lines[number] = odd_last_line(beginnings.get(number, []), last_lines)
    are_odd = len(distinct_lines) == 1 or all(odd_lines.values())
    return odd_lines if are_odd else {}


def _is_words_text(side: Side) -> bool:
    """Return whether a side is words text, and no tokenizer."""
    return _is_plain(side) and not side.has_own_reader


def _is_plain(side: Side) -> bool:
    """Return whether the options of a side are those of words text, in which every space ends a word."""
    reading = side.reading
    return reading.text_format == PLAIN.name and reading.joiner is None and reading.label_scheme is None


def _name_of(side: Side) -> str:
    """Return the name of a side for messages."""
    return side.name or f"the {side.role}"


def _doubts_of_widths(reference: list[str], prediction: list[str], sides: tuple[Side, Side]) -> Iterator[Message]:
    """Yield the doubt that wide whitespace ends words, and a single space a unit, where words text has each end a word.

    `reference` and `prediction` are the first lines of the two sides. They need not be equally many.
    """
    reference_side, prediction_side = sides
    for wide_space in _WIDE_SPACES:
        is_in_some_line = any(wide_space in line for line in (*reference, *prediction))
        if not is_in_some_line:
            continue
        problem = _problem_of_width(wide_space, reference, prediction, sides)
        if not problem:
            continue
        proposal = Message(UNITS.setting, " and ", OPTIONS["word_boundary"].set(wide_space))
        pair_count = min(len(reference), len(prediction))
        readings = (reference_side.reading, prediction_side.reading)
        utterances = Utterances(reference[:pair_count], prediction[:pair_count], readings)
        # Advise only what gives both sides the same units.
        if utterances.agree_with(proposal):
            boundary = named_boundary(wide_space)
            hint = Hint(f"If words end at {boundary}, and units at a single space, add ", proposal, ".")
            yield Message(problem, hint)
            return


def _problem_of_width(wide_space: str, reference: list[str], prediction: list[str], sides: tuple[Side, Side]) -> str:
    """Return what is doubtful about this whitespace in the first lines of both sides; empty if nothing is.

    `wide_space` is the whitespace: two spaces, or a tab.

    An example is "crf: in most lines there are single spaces and two spaces, and each ends a word. "
    """
    names = [_name_of(side) for side in sides]
    if _differ_in_width([*zip(reference, prediction, strict=False)], wide_space):
        return f"{' and '.join(names)} differ in the width of whitespace, which words text ignores. "
    for name, lines in zip(names, (reference, prediction), strict=True):
        if _has_two_widths(lines, wide_space):
            return f"{name}: in most lines there are single spaces and {named_boundary(wide_space)}, and each ends a word. "
    return ""


@dataclass(frozen=True)
class _Gaps:
    """The gaps between the tokens of a line; gaps between sentences are left out."""

    are_wide: list[bool]  #: for each gap, whether it has the wide space at which words may end

    @classmethod
    def of(cls, line: str, wide_space: str) -> _Gaps:
        """Return the gaps of a line: of `a b  c` with two spaces as `wide_space`, the second one is wide."""
        are_wide = []
        for gap in _GAP.finditer(line):
            whitespace = gap["whitespace"]
            # A typist may set two spaces after a full stop.
            is_between_sentences = gap["character_before"] in _ENDS_SENTENCE and whitespace.count(" ") > 1
            if not is_between_sentences:
                are_wide.append(wide_space in whitespace)
        return cls(are_wide)

    @property
    def are_several(self) -> bool:
        """True if there are at least two."""
        return len(self.are_wide) > 1

    @property
    def are_mixed(self) -> bool:
        """True if some are wide and others are not."""
        return any(self.are_wide) and not all(self.are_wide)


def _has_two_widths(lines: Sequence[str], wide_space: str) -> bool:
    """Return whether most lines with several gaps mix gaps of `wide_space` with others, as `a b  c d`, and tokens are short."""
    gaps_of_lines = [_Gaps.of(line, wide_space) for line in lines]
    several = [gaps for gaps in gaps_of_lines if gaps.are_several]
    mixed = [gaps for gaps in several if gaps.are_mixed]
    are_short = _mean_length(lines) <= _LONGEST_UNITS
    return len(several) >= _FEWEST_LINES and 2 * len(mixed) > len(several) and are_short


def _differ_in_width(pairs: Sequence[tuple[str, str]], wide_space: str) -> bool:
    """Return whether most pairs of lines with several gaps have the same tokens, and their wide gaps in other places.

    With two spaces as `wide_space`, the lines "a b  c" and "a  b c" differ so.
    """
    several_count = 0
    differing_count = 0
    for left, right in pairs:
        left_gaps = _Gaps.of(left, wide_space)
        right_gaps = _Gaps.of(right, wide_space)
        if not (left_gaps.are_several and right_gaps.are_several):
            continue
        several_count += 1
        are_mixed = left_gaps.are_mixed and right_gaps.are_mixed  # wide ones and others on both sides
        if are_mixed and left_gaps != right_gaps and left.split() == right.split():
            differing_count += 1
    return 2 * differing_count > several_count


def _mean_length(lines: Sequence[str]) -> float:
    """Return the mean number of characters of the tokens."""
    tokens = " ".join(lines).split()
    return len("".join(tokens)) / max(1, len(tokens))


def _has_several_words(line: str) -> bool:
    """Return whether a line has more than one word."""
    return len(line.split(maxsplit=1)) > 1


def _is_unspaced(lines: Sequence[str]) -> bool:
    """Return whether most characters are of a script without spaces between words."""
    text = "".join("".join(lines).split())  # without whitespace
    if text.isascii():
        return False
    code_points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    # An odd number of bounds are at or before a code point within a range.
    unspaced_count = np.count_nonzero(np.searchsorted(_UNSPACED, code_points, side="right") % 2)
    return bool(2 * unspaced_count > len(text))


def _are_phrases(lines: Sequence[str]) -> bool:
    """Return whether most lines of a script with spaces are one long word. One or two such words may be compounds."""
    one_word_count = sum(not _has_several_words(line) for line in lines)
    are_mostly_one_word = 2 * one_word_count > len(lines) >= _FEWEST_LINES
    return are_mostly_one_word and _mean_length(lines) >= _LONGEST_IN_SPACED


def _is_raw(reference: list[str], others: Sequence[list[str]]) -> bool:
    """Return whether no line of a reference has a space, though those of another side have several words, in the mean."""
    if len(reference) < _FEWEST_RAW_LINES or any(map(_has_several_words, reference)):
        return False
    # Few words of a list, as of a dictionary, are cut into more than two parts.
    have_words = any(len(" ".join(lines).split()) >= _FEWEST_OF_RAW * max(1, len(lines)) for lines in others)
    are_filled = all(map(str.strip, reference))
    are_long = _mean_length(reference) >= LONGEST_WORDS
    return have_words and are_filled and are_long


def _doubts_of_script(reference: list[str], others: Sequence[list[str]], sides: Sequence[Side]) -> Iterator[Message]:
    """Yield the doubts about a reference.

    It may be raw text in place of words. Or a tokenizer reads its spaces, in a script that has none between words.
    `reference` has its first lines, and `others` those of each side that is no tokenizer.
    """
    reference_side, *_ = sides
    reference_name = _name_of(reference_side)
    # An address such as https://example.org is one word.
    reference = [line for line in reference if "://" not in line]
    # The length of words first: to look at the script of each character takes longer.
    is_unspaced_text = _mean_length(reference) >= LONGEST_WORDS and _is_unspaced(reference)
    if is_unspaced_text or _are_phrases(reference) or _is_raw(reference, others):
        problem = f"{reference_name}: most lines have no space, or few, and each line or phrase is read as one word: "
        yield Message(problem, "if this is raw text, the reference needs the text with spaces between the words.")
        return
    tokenizers = [side for side in sides if side.reads_spaces]
    if not tokenizers:
        return
    have_spaces = any(map(_has_several_words, reference))
    if not have_spaces or not _is_unspaced(reference):
        return
    first_tokenizer, *_ = tokenizers
    received = f"{_name_of(first_tokenizer)} reads the spaces between the words of {reference_name}"
    effect = "no token crosses the end of a word, and fertility and the recall of boundaries are too high."
    option = OPTIONS["text"]
    hint_of_options = Hint(
        " Add ", option.set(JOINED), " for it to read the words without spaces, or ", option, " FILE for a text apart."
    )
    hint_in_python = " In Python, pass segscores.tokenized(tokenizer, texts), or joined=True in place of texts."
    yield Message(f"{received}, which text in this script does not have: {effect}", hint_of_options, hint_in_python)
