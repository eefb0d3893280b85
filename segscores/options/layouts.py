"""Layouts: the options on the look of tables, which formats for programs do not have."""

from __future__ import annotations

from .messages import OptionError
from .table import OPTIONS


def check_layout(form: str, *, percent: bool, systems: str | None) -> None:
    """Check that the layout of a table is for a format that has one."""
    is_for_programs = form in ("csv", "json", "hub", "hub-card")
    for name, value in (("percent", percent), ("systems", systems)):
        if is_for_programs and value != OPTIONS[name].default:
            problem = " is for tables that people read: leave it out with "
            raise OptionError(OPTIONS[name], problem, OPTIONS["format"].set(form), ".")
