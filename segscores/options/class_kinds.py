"""The kinds of values that name classes: of labels, of a model, and of characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from .errors import text_problem
from .file_kinds import File
from .kinds import Choice, Kind, UnfitError, items_of
from .suggestions import suggestion

#: The label schemes, with other names that libraries have for them.
LABEL_SCHEME = Choice(
    *("start", "end", "BI", "BIO", "IOE", "BMES", "BIES", "BIOES", "BILOU"),
    aliases={
        **dict.fromkeys(("IOB", "IOB1", "IOB2"), "BIO"),
        **dict.fromkeys(("IOE1", "IOE2"), "IOE"),
        "IOBES": "BIOES",
        **dict.fromkeys(("BILUO", "BIOUL"), "BILOU"),
    },
)


class ClassNames(Kind):
    """The names of class ids, as in a model's config; the value is the name of each id from 0, empty for an id without one.

    >>> ClassNames().check({"0": "B", 2: "I"})
    ('B', '', 'I')
    """

    expected = "a dict from class ids to tags, a list of tags, or a model's config"
    expected_text = "the tags of the class ids 0, 1 and so on, such as B,I"
    metavar = "TAG,TAG[,TAG]"
    checked = "tuple[str, ...]"

    def check(self, value: Any) -> tuple[str, ...]:
        """Return the name of each class id from 0."""
        names = getattr(value, "id2label", value)  # a model's config
        if isinstance(names, (list, tuple)):
            names = dict(enumerate(names))
        if not isinstance(names, Mapping):
            raise UnfitError(is_type=True)
        name_of: dict[int, str] = {}
        for key, name in names.items():
            class_id = self._class_id(key)
            if class_id in name_of:
                # The keys "0" and 0 are one id.
                raise UnfitError(f" It has the class id {class_id} twice.")
            if isinstance(name, bool) or not isinstance(name, (str, Integral)):
                raise UnfitError(f" The class id {class_id} has no tag.", is_type=True, item=name)
            name_of[class_id] = str(name)
        named_ids = [class_id for class_id, name in name_of.items() if name]
        if not named_ids:
            raise UnfitError(" It is empty: each class id needs a tag.")
        # Ids without a name after the last one with a name are left out.
        return tuple(name_of.get(class_id, "") for class_id in range(max(named_ids) + 1))

    def _class_id(self, key: Any) -> int:
        """Return a class id; config.json has it as a text."""
        if isinstance(key, bool) or not re.fullmatch("[0-9]{1,6}", str(key)):
            raise UnfitError(" Class ids are numbers from 0.", item=key)
        return int(key)

    def parse(self, text: str) -> tuple[str, ...]:
        return self.check([item.strip() for item in text.split(",")])

    def write(self, value: Any) -> list[str]:
        return [",".join(self.check(value))]


#: Classes of characters, as a regular expression has them in brackets.
WORD_CLASSES = {"punctuation": r"\pP", "symbols": r"\pS", "digits": r"\p{Nd}", "latin": r"\p{Latin}"}


class ClassesOrWords(Kind):
    """Classes of characters by name, or words: an iterable in Python, a file on the command line."""

    expected = f"{', '.join(WORD_CLASSES)}, or a list of words"
    expected_text = f"{', '.join(WORD_CLASSES)}, or the name of a file"
    metavar = "CLASS[,CLASS]|FILE"
    annotation = "str | Iterable[str]"
    checked = "tuple[str, ...]"

    def check(self, value: Any) -> tuple[str, ...]:
        """Return the classes or words, each once; a string is one class.

        They stand in order of code points, so that the order in which they were given changes no signature.
        """
        if isinstance(value, str):
            if value not in WORD_CLASSES:
                raise UnfitError(suggestion(value, WORD_CLASSES))
            return (value,)
        words = items_of(value)
        are_words = all(isinstance(word, str) and word.strip() for word in words)
        if not words or not are_words:
            raise UnfitError(is_type=True)
        for word in words:
            problem = text_problem(word)
            if problem:
                raise UnfitError(f" It {problem}.", item=word)
        return tuple(sorted({*words}))

    def parse(self, text: str) -> Any:
        """Parse classes with commas between them, or else the name of a file."""
        names = text.split(",")
        are_classes = WORD_CLASSES.keys() >= {*names}
        if are_classes:
            # In the order of `check`, each once.
            return tuple(sorted({*names}))
        if not text:
            raise UnfitError
        return File(text)

    def write(self, value: Any) -> list[str]:
        """Write the name of a file, or classes with commas between them."""
        if isinstance(value, File):
            return [str(value)]
        return [",".join(value)]

    def sign(self, value: Sequence[str]) -> list[str]:
        """Return the classes, or eight digits of the digest of the words."""
        are_classes = WORD_CLASSES.keys() >= {*value}
        if are_classes:
            return list(value)
        from hashlib import sha256

        return [sha256("\n".join(value).encode()).hexdigest()[:8]]
