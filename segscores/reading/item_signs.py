"""Item signs: what the items of lists of strings show, which are read as words: tags of units, or marks of other items.

The items are collected until it is clear that they are no tags, which few utterances show as a rule.
"""

from __future__ import annotations

from itertools import chain

from ..kernel.arrays import growing_slices
from ..options.messages import OptionTypeError
from ..options.table import OPTIONS
from .formats.registry import PLAIN
from .inputs import Column
from .labels import LABEL_SCHEMES, looks_like_tags, plain_tag
from .reading import Reading

#: Longer strings, and more distinct ones, are no tags.
_LONGEST_TAG = 40
_MOST_TAGS = 200
_TAGS = set(map(str, chain.from_iterable(LABEL_SCHEMES.values())))
#: Marks of special tokens and of subwords, and between words and tags.
_MARKS_OF_ITEMS = frozenset("<[/_|#(@▁Ġ")
_WHITESPACE = frozenset({" ", "\n", "\t", "\u3000"})


class ItemSigns:
    """The signs in the items of lists of strings.

    Attributes:
        look_odd: True if items that were collected here may be no plain words: they have marks, as special tokens have, or all
            have spaces.
    """

    def __init__(self, reading: Reading) -> None:
        self.look_odd = False
        #: False once an item is no tag, or if labels are read.
        self._may_be_tags = reading.label_scheme is None
        #: The distinct items, while they may be tags.
        self._items: set[str] = set()

    def collect(self, lists: Column) -> None:
        """Collect the items of lists of strings, until one is no tag."""
        for looked_at in growing_slices(lists):
            if not self._may_be_tags:
                return
            for chunk in looked_at.chunks:
                self._items.update(chunk.flatten().unique().to_pylist())
            self._look_at_items()

    def _look_at_items(self) -> None:
        """Look at the items that were collected."""
        text = "\0".join(self._items)
        # Spaces in all items, or items of whitespace.
        have_spaces = 0 < len(self._items) <= text.count(" ") or not _WHITESPACE.isdisjoint(self._items)
        self.look_odd |= have_spaces or not _MARKS_OF_ITEMS.isdisjoint(text)
        are_short = all(len(item) <= _LONGEST_TAG for item in self._items)
        are_few = len(self._items) <= _MOST_TAGS
        # Ask this last: it takes time for each item.
        if not (are_short and are_few and _TAGS.issuperset(map(plain_tag, self._items))):
            self._keep_no_items()

    def _keep_no_items(self) -> None:
        """Keep no items, because one of them is no tag."""
        self._may_be_tags = False
        self._items = set()

    def add(self, other: ItemSigns) -> None:
        """Add the tags of the next piece."""
        self._items |= other._items
        if not (self._may_be_tags and other._may_be_tags):
            self._keep_no_items()

    def reject_tags(self) -> None:
        """Reject items that are tags, where `label_scheme` is missing."""
        if not self._items:
            return
        scheme = looks_like_tags(self._items)
        if scheme:
            option = OPTIONS["label_scheme"]
            tags = ", ".join(sorted(self._items))
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
