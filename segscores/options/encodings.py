"""The kind of names of encodings."""

from __future__ import annotations

import codecs
from typing import Any

from .kinds import Kind, UnfitError


class Encoding(Kind):
    """The name of an encoding of text."""

    expected = "the name of an encoding, such as cp950 or gb18030"
    metavar = "NAME"
    types = str
    annotation = "str"

    def fit(self, value: Any) -> str:
        """Return the name as Python writes it; raise an `UnfitError` if there is no such encoding of text."""
        try:
            encoding = codecs.lookup(value)
            # Python's codecs also have conversions of bytes, such as base64, which decode no text. Bytes that are wrong are
            # handled, which encodings for the names of hosts, such as idna, do not allow.
            b" ".decode(encoding.name, "backslashreplace")
        except (LookupError, ValueError):
            raise UnfitError from None
        return encoding.name
