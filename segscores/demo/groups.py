"""Groups: the scores that a page can compute, and their descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..measures.registry import DEFAULT_SCORES, GROUPS

#: The groups that need only two texts with the same units, by name.
GROUPS_OF_TEXTS = tuple(name for name, group in GROUPS.items() if not group.needs_option and name != "unit_error")
#: The groups that are chosen when the page opens.
DEFAULT_GROUPS = tuple(name for name in DEFAULT_SCORES if name in GROUPS_OF_TEXTS)

_FIELDS = ("title", "definition", "formula", "source", "keys", "columns")


def describe(kinds: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """The title, definition, formula, source, keys and columns of each score group and each level of an alignment, by name."""
    return {name: {field: getattr(kind, field) for field in _FIELDS} for name, kind in kinds.items()}
