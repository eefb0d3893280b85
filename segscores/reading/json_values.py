"""JSON values: one reader of JSON from outside, which may be damaged or forged."""

from __future__ import annotations

import json
from typing import Any


def json_value(text: str | bytes | bytearray) -> Any:
    """Return the value of a text in JSON; a ValueError says that it is none, or is nested too deeply for Python."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply") from None


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """Return the object of a text in JSON; None if it is anything else."""
    try:
        value = json_value(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
