"""Layouts: the options on the look of tables, which formats for programs do not have."""

from __future__ import annotations

from .messages import OptionError
from .table import OPTIONS


def check_layout(output_format: str, *, percent: bool, systems: str | None) -> None:
    """Check that options on the look of tables are given only with a format that has tables."""
    is_for_programs = output_format in ("csv", "json", "hub", "hub-card")
    for name, value in (("percent", percent), ("systems", systems)):
        if is_for_programs and value != OPTIONS[name].default:
            problem = " is for tables that people read: leave it out with "
            raise OptionError(OPTIONS[name], problem, OPTIONS["format"].set(output_format), ".")
