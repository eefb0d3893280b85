"""JSON that every parser reads and every terminal can show."""

from __future__ import annotations

import json
import math
import re
from typing import Any


def as_json(value: Any, indent: int | None = 2) -> str:
    """Write a value as JSON. null replaces nan and infinity, which JSON does not have, in dicts and lists too.

    Characters that would control a terminal or reorder its text are written as escapes.

    >>> print(as_json({"word": "caf\\u00e9\\x9b", "score": float("nan")}, indent=None))
    {"word": "café\\u009b", "score": null}
    """
    text = json.dumps(finite(value), indent=indent, ensure_ascii=False, allow_nan=False)
    # Every match is within a string, where an escape is valid: outside strings JSON is plain ASCII.
    return re.sub(r"[^\n -~]", lambda match: _escaped_if_unprintable(match[0]), text)


def ascii_json(text: str) -> str:
    """Escape all non-ASCII characters of JSON.

    >>> ascii_json(as_json("caf\\u00e9"))
    '"caf\\\\u00e9"'
    """
    return re.sub(r"[^\x00-\x7f]", lambda match: _escape(match[0]), text)


def _escaped_if_unprintable(character: str) -> str:
    """Return a character, or its escape if it controls a terminal or reorders text; letters of any script stay."""
    return character if character.isprintable() else _escape(character)


def _escape(character: str) -> str:
    """Return the escape of a character in JSON: a string of it without the quotes."""
    return json.dumps(character)[1:-1]


def finite(value: Any) -> Any:
    """Replace nan and infinity, which JSON lacks, by None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
