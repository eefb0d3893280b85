"""Groups: the scores that a page can compute."""

from ..measures.registry import DEFAULT_SCORES, GROUPS

#: The groups that need only two texts with the same units, by name.
GROUPS_OF_TEXTS = tuple(name for name, group in GROUPS.items() if not group.needs_option and name != "unit_error")
DEFAULT_GROUPS = tuple(name for name in DEFAULT_SCORES if name in GROUPS_OF_TEXTS)
