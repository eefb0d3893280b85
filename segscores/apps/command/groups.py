"""List all scores, or describe the named groups: what they count, formulas, ranges, sources and options."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...options.messages import literal
from ...options.table import SELECTIONS
from .printing import print_out, print_result

if TYPE_CHECKING:
    from ...results.result import Result
    from ...scoring.measures.group import ScoreGroup

_COLUMNS = ("group", "keys", "range", "better", "source", "equal to")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="GROUP", nargs="*", help="groups or scores to describe (default: a table of all)"
    )


def run(arguments: argparse.Namespace) -> None:
    from ...scoring.measures.registry import GROUPS, check_score_names, group_of

    if not arguments.names:
        print_out(format_groups()) if arguments.format == "markdown" else print_result(_list_groups(), arguments)
        return
    received = check_score_names(arguments.names)
    names = [name for each in received for name in (GROUPS if each == "all" else (each,))]
    descriptions = [
        _describe(name if name in SELECTIONS else GROUPS.get(name) or group_of(name), arguments.format)
        for name in names
    ]
    # Two names may belong to one group, which is described once.
    for description in dict.fromkeys(descriptions):
        print_out(description)


def _describe(named: ScoreGroup | str, output_format: str) -> str:
    """Describe a group, or a selection by its name."""
    if isinstance(named, str):
        keys, implied = SELECTIONS[named]
        options = ", ".join(f"{option}={literal(value)}" for option, value in implied.items())
        title, definition, fields = named, "", [("keys", ", ".join(keys)), ("implies", options)]
    else:
        title, definition, fields = f"{named.name}: {named.title}", named.definition, [("formula", named.formula)]
        fields += [
            ("keys", f"{', '.join(keys)}: {ends}, better: {better}") for keys, ends, better in _split_keys(named)
        ]
        fields += [("source", named.source), ("options", ", ".join(named.option_names)), ("equal to", named.equal_to)]
    fields = [(name, text) for name, text in fields if text]
    if output_format == "markdown":
        from ...results.rendering import escape_markdown

        paragraphs = [f"### {escape_markdown(title)}", *([escape_markdown(definition)] if definition else [])]
        return (
            "\n\n".join([*paragraphs, "\n".join(f"- {name}: {escape_markdown(text)}" for name, text in fields)]) + "\n"
        )
    lines = [definition] if definition else []
    return "\n  ".join([title, *lines, *(f"{f'{name}:':9} {text}" for name, text in fields)])


def _list_groups() -> Result:
    from ...results.result import Column, Note, Result, Table
    from ...scoring.measures.registry import GROUPS

    rows = [
        [group.name, key, scores_range, better, group.source, group.equal_to]
        for group in GROUPS.values()
        for keys, scores_range, better in _split_keys(group)
        for key in keys
    ]
    selections = Note(f"selections of scores of several groups: {', '.join(SELECTIONS)}, all")
    return Result([Table([Column(name, is_text=True) for name in _COLUMNS], rows)], [selections])


def format_groups() -> str:
    """Write the table of all scores for the reference: a row for the keys of a group that share range and better values.

    Its columns are not padded, so that a new score changes one line.
    """
    from ...scoring.measures.registry import GROUPS

    rows = [
        [f"`{group.name}`", ", ".join(f"`{key}`" for key in keys), scores_range, better, group.source, group.equal_to]
        for group in GROUPS.values()
        for keys, scores_range, better in _split_keys(group)
    ]
    written = [[cell.replace("|", "\\|") or "–" for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (_COLUMNS, ["---"] * len(_COLUMNS), *written))


def format_range(low: float, high: float) -> str:
    """Write the range of a score.

    >>> format_range(-1, 1), format_range(0, math.inf), format_range(-math.inf, 1)
    ('[−1, 1]', '≥ 0', '≤ 1')
    """
    ends = [f"{end:g}".replace("-", "−") for end in (low, high)]
    if math.isinf(high):
        return "any" if math.isinf(low) else f"≥ {ends[0]}"
    return f"≤ {ends[1]}" if math.isinf(low) else f"[{', '.join(ends)}]"


def _split_keys(group: ScoreGroup) -> Iterator[tuple[list[str], str, str]]:
    """Yield the keys of a group that share a range and better values, with the range and the better values."""
    split: dict[tuple[str, str], list[str]] = {}
    for key in group.keys:
        split.setdefault((format_range(*group.keys[key].range), group.keys[key].better), []).append(key)
    for (scores_range, better), keys in split.items():
        yield keys, scores_range, better
