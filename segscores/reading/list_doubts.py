"""Doubts about lists of words: signs in the first lists of a side that their items are no words alone.

As the doubts about text in `doubts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from ..options.messages import Message
from ..options.quoting import shortened
from ..options.table import OPTIONS
from .formats.format import Format
from .formats.registry import PLAIN, recognise
from .formats.surroundings import SPECIAL_TOKENS
from .proposals import goes_with_some, has_option_of, with_other_scores
from .reading import Reading
from .sources.source import Side

#: Few, because most calls have no doubt.
FIRST_LISTS = 12
_MANY_LISTS = 5
#: The share of the items of many lists, or of a column of them, that shows utterances.
_MOST_OF = 0.75


def first_lines_of(lists: Sequence[Sequence[str]]) -> bytes:
    """Return the first lists of words as lines of words text.

    >>> first_lines_of([["the", "dog"], ["it"]])
    b'the dog\\nit\\n'
    """
    return "\n".join([*map(" ".join, lists[:FIRST_LISTS]), ""]).encode()


def doubts_of_lists(lists_of_sides: Mapping[int, list[list[str]]], sides: Sequence[Side]) -> Iterator[Message]:
    """Yield a doubt about the first side whose first lists have items that are no plain words, such as words with tags.

    An example is "the references: this looks like text with the special tokens of a model (line 1 is '[CLS] a [SEP]'), and …".
    """
    for number, side in enumerate(sides):
        lists = lists_of_sides.get(number, [])
        # The items are known to be tags, or what a tokenizer or the format of sentences makes of a text.
        is_read_otherwise = side.has_own_reader or side.sentence_format != ""
        if is_read_otherwise or side.reading.label_scheme is not None:
            continue
        received = _texts_in(lists) or _form_of(lists, side.reading)
        # An item of whitespace is doubted in references alone: where it is a word of theirs, predictions have it too. Formats in
        # which spaces are words, as in BEST, are no lists.
        if not received and number == 0:
            received = _no_words_in(lists, side.reading)
        if received:
            name = side.name or f"the {side.role}"
            yield Message(f"{name}: ", received)
            return  # the other side likely has the same form


def _texts_in(lists: Sequence[list[str]]) -> str:
    """Return the doubt that items are whole utterances, as cells of rows are: the lists have equally many, all with spaces."""
    are_equally_long = len(lists) > 1 and len(set(map(len, lists))) == 1
    items = [*chain.from_iterable(lists)]
    # In many lists that are equally long, such as pairs of utterances, some items may be a single word.
    are_many = len(lists) >= _MANY_LISTS
    fewest_spaced = _MOST_OF * len(items) if are_many else len(items)
    are_utterances = _count_longer(items, 1) >= fewest_spaced
    # Rows of a table may have ids beside a column of utterances, which are longer than words with a space, as of Vietnamese.
    columns = zip(*lists, strict=True) if are_equally_long and are_many else []
    has_column = any(_count_longer(column, 2) >= _MOST_OF * len(column) for column in columns)
    if not are_equally_long or not items or not (are_utterances or has_column):
        return ""
    first_item = shortened(next(item for item in items if len(item.split()) > 1))
    received = f"items of the first {len(lists)} lists have spaces, as {first_item}, and are read as one word each: "
    return Message(received, "if each is an utterance, pass a list of strings, and ", PLAIN.setting, ".")


def _count_longer(items: Sequence[str], word_count: int) -> int:
    """Return the number of items with more words than this, with spaces between them."""
    return sum(len(item.split()) > word_count for item in items)


def _no_words_in(lists: Sequence[list[str]], reading: Reading) -> str:
    """Return the doubt that items are whitespace, or special tokens of a model."""
    for items in lists:
        for item in items:
            if item.isspace() and reading.keeps_spaces:
                received = f"the item {shortened(item)} of a list is whitespace, and is read as a word: "
                return Message(received, "leave such items out, or add ", OPTIONS["spaces"].set("drop"), ".")
            if re.fullmatch(SPECIAL_TOKENS, item):
                received = (
                    f"the item {shortened(item)} of a list is a special token of a model, and is read as a word: "
                )
                return f"{received}leave such items out."
    return ""


def _form_of(lists: Sequence[list[str]], reading: Reading) -> str:
    """Return the doubt that items are tokens of a known form; empty if they are not."""
    shown_form, evidence = recognise("\n".join(map(" ".join, lists)))
    if evidence is None or has_option_of(reading, shown_form.remedy):
        return ""
    if evidence.is_weak and not _counts_though_weak(shown_form, reading):
        return ""
    shown = f"{shown_form.title} ({evidence.sign})"
    if not shown_form.remedy:  # a format that is read
        shown = f"the text format {shown_form.name} (recognised by {evidence.sign})"
    remedy = "pass lists of the words alone."
    if shown_form.marks_tokens:
        remedy = with_other_scores(shown_form.remedy, reading.scores)
    return Message(f"this looks like {shown}, and each item of a list is read as a word: ", remedy)


def _counts_though_weak(shown_form: Format, reading: Reading) -> bool:
    """Return whether evidence of a form counts for lists that ordinary words may give too: it is of tokens, and of no lines."""
    if shown_form.is_at_ends:
        return True
    return shown_form.marks_tokens and goes_with_some(shown_form.remedy, reading.scores)
