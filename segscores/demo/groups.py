"""Groups: the scores that a page can compute, and what it says of each."""

from __future__ import annotations

__all__ = ["DEFAULT_GROUPS", "GROUPS_OF_TEXTS", "describe", "describe_groups"]

from collections.abc import Iterable, Mapping
from typing import Any

from ..measures.registry import DEFAULT_SCORES, GROUPS

#: The groups that need nothing but two texts with the same units, by name.
GROUPS_OF_TEXTS = tuple(name for name, group in GROUPS.items() if not group.needs_option and name != "unit_error")
#: Those that are chosen when the page opens.
DEFAULT_GROUPS = tuple(name for name in DEFAULT_SCORES if name in GROUPS_OF_TEXTS)

_FIELDS = ("title", "definition", "formula", "source", "keys", "columns")


def describe(kinds: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """What each group of scores, or level of an alignment, is: title, definition, formula, source, keys and columns, by name."""
    return {name: {field: getattr(kind, field) for field in _FIELDS} for name, kind in kinds.items()}


def describe_groups(names: Iterable[str]) -> dict[str, str]:
    """What each group of scores counts, in a line."""
    return {name: GROUPS[name].definition for name in names}
