"""Deprecated names: what options, and counts of stored tallies, mean in the names that follow them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from ...options.messages import Message
from ...options.table import OPTIONS
from .group import ScoreGroup


def with_new_names(values: Mapping[str, Any], groups: Iterable[ScoreGroup], label_scheme: str | None) -> dict[str, Any]:
    """Return the options of groups with new names: for the group `rates` of labels, `tolerance` meant `rates_tolerance`.

    `groups` are the groups that are scored. For rates of labels, `{"tolerance": 2, "rates_tolerance": None}` becomes
    `{"tolerance": None, "rates_tolerance": 2}`.
    """
    values = dict(values)
    scored = {group.name for group in groups}
    has_rates_of_labels = label_scheme is not None and "rates" in scored
    if not has_rates_of_labels:
        return values
    is_old_name = values["tolerance"] is not None and values["rates_tolerance"] is None
    if is_old_name:
        values["rates_tolerance"] = values["tolerance"] or None  # 0 is no tolerance
        # If the group `tolerance` is scored too, the option is meant for it as well.
        if "tolerance" not in scored:
            values["tolerance"] = None
    return values


def with_on_error(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with `on_error="skip"` in place of `on_mismatch="skip"`, its old name."""
    if options.get("on_mismatch") != "skip":
        return dict(options)
    return {**options, "on_mismatch": "error", "on_error": "skip"}


def old_names(options: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[Message]:
    """Yield a message for each option that a user gave by its old name; `options` are the user's, and `values` the plan's."""
    used = values["rates_tolerance"]
    # The plan has a value that the user did not give by this name.
    if used is not None and options.get("rates_tolerance") is None:
        remedy = OPTIONS["rates_tolerance"].set(used)
        yield Message(
            OPTIONS["tolerance"].set(used), ": rates of labels have an option of their own: pass ", remedy, "."
        )
    if options.get("on_mismatch") == "skip":
        old = OPTIONS["on_mismatch"].set("skip")
        yield Message(old, " is an old name: pass ", OPTIONS["on_error"].set("skip"), ".")


def from_format_1(
    values: Mapping[str, Any], columns_of: Callable[[Mapping[str, Any]], Collection[str]]
) -> dict[str, Any]:
    """Return a stored tally of format 1 as one of format 2; `columns_of` returns the columns of the scores of options.

    A tally of format 1 has every option, also those with their defaults, and counts of `rates` without a tolerance.
    """
    # Early tallies lack the digest.
    values = {"reference_digest": None} | dict(values)
    options = values.get("options")
    counts = values.get("counts")
    # A damaged tally is refused later.
    if not isinstance(options, Mapping) or not isinstance(counts, Mapping):
        return values
    # In format 1 the default of `tolerance` is 1: such a tolerance was not asked for.
    values["options"] = {name: value for name, value in options.items() if (name, value) != ("tolerance", 1)}
    has_rates = "over_segmented" in counts and "boundary_noedge_matched" in counts
    if has_rates:
        # `rates` shared the column of matched boundaries with `boundary_noedge`. It has its own in format 2.
        values["counts"] = {**counts, "rates_matched": counts["boundary_noedge_matched"]}
        is_noedge_scored = "boundary_noedge_matched" in columns_of(values["options"])
        if not is_noedge_scored:
            del values["counts"]["boundary_noedge_matched"]
    return values
