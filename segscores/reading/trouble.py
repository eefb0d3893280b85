"""Trouble: what is wrong with utterances, from the form of the text to what is left out, and what is said about it.

While the utterances of a corpus are read, the `Trouble` of each piece collects signs. Trouble of pieces is added up in their
order. The code that reads and counts writes no message, unless there is trouble: `failures` finds the utterances with errors,
and `Trouble.conclude` has the checks and warnings at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from ..kernel import arrow_functions as pc
from ..kernel.segmentation import Segmentation
from ..options.errors import FileError, warn
from ..options.messages import Hint, Message, OptionTypeError, Setting
from ..options.table import OPTIONS
from .absent_marks import doubts_of_absent_marks
from .boundary_tokens import likely_boundary
from .doubts import (
    beginning_of,
    doubts_of,
    doubts_of_conflicts,
    doubts_of_ends,
    doubts_of_forms,
    has_conflict,
    last_lines_of,
)
from .form import Form
from .formats.registry import FORMATS, PLAIN
from .inputs import TEXT, WORDS, Column
from .label_hints import doubt_of_labels
from .labels import LABEL_SCHEMES, looks_like_tags, plain_tag
from .list_doubts import doubts_of_lists, first_lists_of
from .listed_words import ListedWords
from .moved_labels import MovedLabels
from .odd_utterances import OddUtterances, doubt_of_boundaries, lack_boundaries
from .readers import named_boundary
from .reading import Reading
from .sources.forms import Forms
from .sources.source import Side, Values

Error = TypeVar("Error", bound=Exception)

# The number of utterances to inspect first; in most corpora they settle the form.
_FIRST_LOOK = 64
#: Longer strings, and more distinct ones, are no tags.
_LONGEST_TAG = 40
_MOST_TAGS = 200
_TAGS = set(map(str, chain.from_iterable(LABEL_SCHEMES.values())))
# The signs in strings, as patterns: whitespace between tokens, which an utterance of several tokens has, and wordseg's tokens.
_SEVERAL_TOKENS = r"\S\s+\S"
#: Marks of special tokens and of subwords, and between words and tags.
_MARKS_OF_ITEMS = frozenset("<[/_|#(@▁Ġ")
_WHITESPACE = frozenset({" ", "\n", "\t", "\u3000"})
_EWORD = ";eword"
_ESYLL = ";esyll"
_SIGNS = (_SEVERAL_TOKENS, _EWORD, _ESYLL)


def failures(
    error_of: Callable[[int, int], Error | None], start: int, stop: int, *, fails: bool = False
) -> Iterator[tuple[int, Error]]:
    """Yield the index of each utterance from `start` to before `stop` that has an error, and the error, in order.

    `error_of(i, j)` returns an error of the utterances from i to before j, or None; `fails` says that the whole range is known to
    have one. The naive equivalent calls `error_of(i, i + 1)` for each utterance. Bisection takes few calls for few errors: one
    among n utterances is found in at most 2 log2(n) + 1 calls.

    >>> list(failures(lambda i, j: ValueError(f"{i} to {j}") if i <= 3 < j else None, 0, 10))
    [(3, ValueError('3 to 4'))]

    If `error_of` ignores i, and so looks at all utterances before j, the first index is that of the utterance that adds an error.
    This utterance need not have an error alone: it may have another form than those before.

    >>> next(failures(lambda _, j: ValueError(f"up to {j}") if j > 3 else None, 0, 10))
    (3, ValueError('up to 4'))
    """
    is_single = stop - start == 1
    # A range that is known to have an error is halved at once; a single utterance is asked all the same, for the error itself.
    if is_single or not fails:
        error = error_of(start, stop)
        if error is None:
            return
        if is_single:
            yield start, error
            return
    middle = (start + stop) // 2
    # If the first half has no error, the second one has: it need not be asked as a whole.
    fails_before = False
    for failure in failures(error_of, start, middle):
        fails_before = True
        yield failure
    yield from failures(error_of, middle, stop, fails=not fails_before)


@dataclass
class LeftOut:
    """The utterances of a prediction that were left out because they cannot be scored."""

    utterances: int = 0
    total: int = 0
    first: str = ""  #: the place and the problem of the first one; empty if there is none

    def add(self, other: LeftOut) -> None:
        """Add the utterances that were left out of the next piece of the corpus."""
        self.utterances += other.utterances
        self.total += other.total
        self.first = self.first or other.first

    def check(self, name: str = "") -> None:
        """Check that not all utterances were left out; `name` is of the prediction, or empty."""
        if self.utterances and self.utterances == self.total:
            start = f"{name}: " if name else ""
            problem = f"none of the {self.total} utterances can be scored."
            raise ValueError(Message(start, problem, " The first problem: " if self.first else "", self.first))

    def warn(self, name: str) -> None:
        """Warn of the utterances that were left out, if there are any; `name` is of the prediction, or empty."""
        if self.utterances:
            start = f"{self.utterances} of {self.total} utterances could not be scored and were left out. The first is "
            warn(Message(f"{name}: " if name else "", start, self.first))


class Trouble:
    """The problems of the utterances of a piece or a corpus.

    Attributes:
        forms: the form of the values of each side.
        left_out: the utterances that were left out, by the number of a prediction.
        listed_words: the signs that the words of a list have another form in the reference.
    """

    def __init__(self, reading: Reading) -> None:
        self.forms = Forms()
        self.left_out: dict[int, LeftOut] = {}
        self.listed_words = ListedWords()
        #: The first utterances of each side that has lines of text.
        self._beginnings: dict[int, list[str]] = {}
        #: The same of each side that has lists of words.
        self._first_lists: dict[int, list[list[str]]] = {}
        #: True if the items of lists may be no plain words: they have marks, as special tokens have, or all have spaces.
        self.items_look_odd = False
        #: The last utterances of each side that has lines of text.
        self._ends: dict[int, list[str]] = {}
        #: The sides with the marks of a conflict of Git.
        self._conflicts: set[int] = set()
        #: Signs that utterances of the reference are missing values, or single characters.
        self._odd: OddUtterances | None = None
        #: The predictions that, as the reference, have no boundary within an utterance.
        self._without_boundaries: list[str] = []
        #: The doubt about the labels of each side that has one, by its name.
        self._doubts_of_labels: dict[str, Message] = {}
        self._text_format = reading.text_format
        #: The distinct items of lists of strings; None if some item is no tag, or labels are read.
        self._tags: set[str] | None = None if reading.label_scheme else set()
        mark = FORMATS[reading.text_format].mark
        self._mark = "" if mark is None else mark(reading)
        #: The expressions of _SIGNS that have matched so far; None once the mark between words is found, or if the format has no
        #: such mark.
        self._signs: set[str] | None = set() if self._mark else None

    def look_at(self, side_number: int, side: Side, values: Values, first_utterance: int) -> None:
        """Collect the form of a piece of a side, and signs of trouble in it. `first_utterance` is the number of its first value.

        Lines of files have no signs to look for: `sources.recognition` has looked at the beginning of each file.
        """
        self.forms.add(side_number, side, Form.of(values), first_utterance)
        if first_utterance == 0:
            self._beginnings.setdefault(side_number, beginning_of(values))
            self._first_lists.setdefault(side_number, first_lists_of(values))
        self._ends[side_number] = last_lines_of(values)
        if has_conflict(values):
            self._conflicts.add(side_number)
        if isinstance(values, bytes):
            return
        # A prediction may have any label where that of the reference is ignored, as at padding.
        has_ignored = side_number != 0 and side.reading.ignore_index is not None
        if first_utterance == 0 and not has_ignored:
            self._look_at_labels(side, values, is_reference=side_number == 0)
        # The signs are of the format that all sides have: a tokenizer, or a side with a format of its own, reads otherwise.
        if not side.has_own_reader and side.reading.text_format == self._text_format:
            self.collect_signs(values)

    def look_at_utterances(self, reference: Segmentation, first_utterance: int) -> None:
        """Collect what utterances of the reference show, of which the first has this number."""
        self._add_odd(OddUtterances.of(reference, first_utterance))

    def look_at_pair(self, side: Side, reference: Segmentation, prediction: Segmentation) -> None:
        """Collect the doubts about a prediction beside the reference, by the first utterances: no boundaries, or moved labels."""
        if lack_boundaries(reference) and lack_boundaries(prediction):
            self._without_boundaries.append(side.name or f"the {side.role}")
        moved = MovedLabels.of(reference, prediction)
        if moved is not None:
            self._doubts_of_labels.setdefault(side.name or f"the {side.role}", moved.doubt())

    def _add_odd(self, odd: OddUtterances | None) -> None:
        """Add what the next utterances of the reference show; None stands for none."""
        if odd is not None:
            self._odd = odd if self._odd is None else self._odd.with_next(odd)

    def _look_at_labels(self, side: Side, values: Column, *, is_reference: bool) -> None:
        """Collect the doubt whether the first labels of a side mark starts or ends; there is none if they are no labels."""
        doubt = doubt_of_labels(values, side.reading, is_reference=is_reference)
        if doubt is not None:
            self._doubts_of_labels[side.name or f"the {side.role}"] = doubt

    def collect_signs(self, column: Column) -> None:
        """Collect the signs that the utterances of one side do not have the form that the options say."""
        # Few utterances show that there is no doubt, as a rule: each look takes four times as many as the one before.
        start = 0
        size = _FIRST_LOOK
        while start < len(column):
            looked_at = column.slice(start, size)
            if column.type == WORDS and self._tags is not None:
                self._collect_tags(looked_at)
            elif column.type == TEXT and self._signs is not None:
                self._collect_signs_of_text(looked_at)
            else:
                return  # there is no doubt, or none about values of this form
            start += size
            size *= 4

    def _collect_tags(self, lists: Column) -> None:
        """Collect the distinct items of some lists, until one is no tag, or there are too many."""
        assert self._tags is not None
        for chunk in lists.chunks:
            self._tags.update(chunk.flatten().unique().to_pylist())
        text = "\0".join(self._tags)
        # Spaces in all items, or items of whitespace.
        have_spaces = 0 < len(self._tags) <= text.count(" ") or not _WHITESPACE.isdisjoint(self._tags)
        self.items_look_odd |= have_spaces or not _MARKS_OF_ITEMS.isdisjoint(text)
        are_short = all(len(tag) <= _LONGEST_TAG for tag in self._tags)
        are_few = len(self._tags) <= _MOST_TAGS
        # Ask this last: it takes time for each item.
        may_be_tags = are_short and are_few and _TAGS.issuperset(map(plain_tag, self._tags))
        if not may_be_tags:
            self._tags = None

    def _collect_signs_of_text(self, strings: Column) -> None:
        """Collect the signs that occur in some strings, unless the mark between words occurs."""
        assert self._signs is not None
        if pc.any(pc.match_substring(strings, self._mark)).as_py():
            self._signs = None
            return
        for sign in _SIGNS:
            if pc.any(pc.match_substring_regex(strings, sign)).as_py():
                self._signs.add(sign)

    def leave_out(self, number: int, left_out: LeftOut) -> None:
        """Note the utterances of a piece that were left out of a comparison with a prediction, by its number."""
        self.left_out[number] = left_out

    def add(self, other: Trouble, sides: Sequence[Side]) -> None:
        """Add the trouble of the next piece; another form than before is an error."""
        # In the order of their utterances, so that the error is of the first one with another form.
        for number in sorted(other.forms, key=lambda side_number: other.forms[side_number].since):
            noted = other.forms[number]
            self.forms.add(number, sides[number], noted.form, noted.since)
            self.forms.check(sides)
        for number, left_out in other.left_out.items():
            self.left_out.setdefault(number, LeftOut()).add(left_out)
        self.listed_words.add(other.listed_words)
        for number, lines in other._beginnings.items():
            self._beginnings.setdefault(number, lines)
        self._first_lists = other._first_lists | self._first_lists
        self._ends |= other._ends
        self._conflicts |= other._conflicts
        self._without_boundaries += other._without_boundaries
        self._add_odd(other._odd)
        # The first one of the doubts about a side is kept.
        self._doubts_of_labels = other._doubts_of_labels | self._doubts_of_labels
        self.add_signs(other)

    def add_signs(self, other: Trouble) -> None:
        """Add the signs that another trouble has collected."""
        self._tags = _union(self._tags, other._tags)
        self._signs = _union(self._signs, other._signs)

    def reject_tags(self) -> None:
        """Reject lists of strings that are tags, where `label_scheme` is missing."""
        if not self._tags:
            return
        scheme = looks_like_tags(self._tags)
        if scheme:
            option = OPTIONS["label_scheme"]
            tags = ", ".join(sorted(self._tags))
            # The tags 0 and 1 fit two schemes.
            question_end = ' or "end"?' if scheme == "start" else "?"
            raise OptionTypeError(
                f"received lists of tags ({tags}) without ",
                option,
                ": did you mean ",
                option.set(scheme),
                question_end,
                " If they are words, pass strings with spaces between them and ",
                PLAIN.setting,
                ".",
            )

    def warn_of_signs(self) -> None:
        """Warn of text in which the mark between words never occurs, so that every utterance is one word.

        Utterances of one token each, such as words of a list, need no mark.
        """
        # Signs are None as soon as the mark is found.
        if self._signs is None or _SEVERAL_TOKENS not in self._signs:
            return
        has_eword = _EWORD in self._signs
        has_esyll = _ESYLL in self._signs
        lines = [*chain.from_iterable(self._beginnings.values())]
        warn(missing_boundaries(self._mark, has_eword=has_eword, has_esyll=has_esyll, likely=likely_boundary(lines)))

    def conclude(self, sides: Sequence[Side], utterances: int, *, is_part: bool = False) -> None:
        """Check that something was scored, and warn of what was left out, and of options that seem wrong.

        All utterances may be left out of a part of a corpus, and a part need not have the words of a list as the others do.
        """
        if not utterances:
            raise _nothing(sides[0])
        self.forms.check(sides)
        # A message names the prediction. The place of an utterance of a file has the name of the file already.
        names = {number: "" if sides[number].is_file else sides[number].name for number in self.left_out}
        if not is_part:
            for number, left_out in self.left_out.items():
                left_out.check(names[number])
            for doubt in self.listed_words.doubts():
                warn(doubt)
        self.warn_of_signs()
        doubts = [
            *doubts_of_conflicts(self._conflicts, sides),
            *doubts_of(self._beginnings, sides),
            *doubts_of_lists(self._first_lists, sides),
            *doubts_of_absent_marks(self._beginnings, self._first_lists, sides),
            *doubts_of_ends(self._beginnings, self._ends, sides),
        ]
        if self._odd is not None:
            place = _place_of(self._odd.first_missing, sides[0])
            doubts += self._odd.doubts(*place, has_other_doubts=bool(doubts))
        if self._without_boundaries and not doubts:
            doubts.append(doubt_of_boundaries(sides[0].name or "the references", self._without_boundaries[0]))
        for doubt in doubts:
            warn(doubt)
        for name, doubt in self._doubts_of_labels.items():
            warn(Message(f"{name}: ", doubt))
        for number, left_out in self.left_out.items():
            left_out.warn(names[number])

    def doubt_of_form(self, sides: Sequence[Side], *, may_be_weak: bool) -> Message | None:
        """Return the first doubt that values have another form than the one they are read in; None if there is none."""
        of_strings = doubts_of_forms(self._beginnings, sides, may_be_weak=may_be_weak)
        return next(chain(of_strings, doubts_of_lists(self._first_lists, sides)), None)

    @property
    def skipped(self) -> list[int]:
        """The number of utterances that were left out of each prediction, in order; empty if none may be."""
        return [left_out.utterances for _, left_out in sorted(self.left_out.items())]


def _union(left: set[str] | None, right: set[str] | None) -> set[str] | None:
    """Return the union of the signs of two pieces. None of either says that a piece shows there is no doubt: it is the result."""
    if left is None or right is None:
        return None
    return left | right


def _place_of(utterance: int, side: Side) -> tuple[str, str]:
    """Return the name of a side, and the place of an utterance, such as "line 3"."""
    source = side.first_source
    place = f"utterance {utterance}"
    if source.is_file and len(side.sources) == 1:
        place = f"{source.noun} {utterance + source.first_number}"
    return side.name or f"the {side.role}", place


def _nothing(reference: Side) -> ValueError:
    """Return the error of a reference without an utterance."""
    source = reference.first_source
    if source.is_file:
        name = reference.name or source.label(reference.column)
        return FileError(f"{name}: the file has no {source.noun}; expected at least one.")
    return ValueError(f"there is nothing to score: expected at least one {source.noun}, received none.")


def missing_boundaries(
    word_boundary: str, name: str = "", *, has_eword: bool, has_esyll: bool, remedy: str = "", likely: str = ""
) -> Message:
    """Return the warning of units text without boundaries; `name` is a file, `remedy` the advice if it is words text.

    `likely` is another token, or whitespace, that likely stands between words; empty if nothing does.

    An example is "the boundary token ';eword' never occurs in gold.txt, so that every utterance is one word. Are the words
    separated by spaces? Then add --text-format words."
    """
    place = f" in {name}" if name else ""
    remedy = remedy or Message("pass ", PLAIN.setting)
    hint = Hint(" Are the words separated by spaces? Then ", remedy, ".")
    if likely:
        proposal = OPTIONS["word_boundary"].set(likely)
        hint = Hint(f" Do words end at {named_boundary(likely)}? Then pass ", proposal, ".")
    if has_eword:
        marks = [_EWORD]
        if has_esyll:
            marks.append(_ESYLL)
        hint = Hint(" The text has the format of wordseg: did you mean ", *of_wordseg(marks))
    problem = f"the boundary token {word_boundary!r} never occurs{place}, so that every utterance is one word."
    return Message(problem, hint)


def of_wordseg(marks: Collection[str], settings: Sequence[Setting] = ()) -> Iterator[object]:
    """Yield the fragments of a message that suggest the options for these tokens of wordseg, after other settings.

    The tokens ;eword and ;esyll suggest "--word-boundary ';eword' and --ignored-tokens ';esyll'?".
    """
    settings = list(settings)
    if _EWORD in marks:
        settings.append(OPTIONS["word_boundary"].set(_EWORD))
    ignored = [mark for mark in marks if mark != _EWORD]
    if ignored:
        settings.append(OPTIONS["ignored_tokens"].set(ignored))
    yield from listed(settings)
    yield "?"


def listed(settings: Sequence[Setting]) -> Iterator[object]:
    """Yield the settings with `and` between them, for a message."""
    for index, setting in enumerate(settings):
        if index > 0:
            yield " and "
        yield setting
