"""List all scores, or describe the named groups: what they count, formulas, ranges, sources and options."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...kernel.record import record
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
    is_for_people = arguments.format in ("table", "markdown")
    if arguments.names and is_for_people:
        _describe_all(arguments.names, arguments.format)
    elif arguments.format == "markdown":
        print_out(format_groups())
    else:
        print_result(_list_scores(arguments.names or "all"), arguments)


def _describe_all(received: Sequence[str], output_format: str) -> None:
    """Print the description of each selection and group; a score stands for its group, and "all" for every group."""
    from ...scoring.measures.registry import GROUPS, check_score_names

    names: list[str] = []
    for name in check_score_names(received):
        if name == "all":
            names += GROUPS
        else:
            names.append(name)
    descriptions = map(_describe, names)
    if output_format == "markdown":
        texts = [description.as_markdown() for description in descriptions]
    else:
        texts = [description.as_text() for description in descriptions]
    # Two names may belong to one group, which is described once.
    for text in dict.fromkeys(texts):
        print_out(text)


@record
class _Description:
    """The description of a group or of a selection."""

    title: str
    definition: str
    fields: list[tuple[str, str]]  #: names and texts, such as "source" and a paper; a field without a text is left out

    def as_text(self) -> str:
        """Return lines of text: the title, and below it the fields, whose texts stand below each other."""
        lines = [self.title]
        if self.definition:
            lines.append(self.definition)
        for name, text in self.fields:
            if text:
                label = f"{name}:"
                lines.append(f"{label:9} {text}")
        return "\n  ".join(lines)

    def as_markdown(self) -> str:
        """Return a section of Markdown with a list of the fields."""
        from ...results.rendering import escape_markdown

        paragraphs = [f"### {escape_markdown(self.title)}"]
        if self.definition:
            paragraphs.append(escape_markdown(self.definition))
        items = [f"- {name}: {escape_markdown(text)}" for name, text in self.fields if text]
        paragraphs.append("\n".join(items))
        return "\n\n".join(paragraphs) + "\n"


def _describe(name: str) -> _Description:
    """Describe a selection, a group, or the group of a score."""
    from ...scoring.measures.registry import GROUPS, group_of

    if name in SELECTIONS:
        # The scores that the selection stands for, and the options with which they are computed.
        keys, implied = SELECTIONS[name]
        options = ", ".join(f"{option}={literal(value)}" for option, value in implied.items())
        return _Description(title=name, definition="", fields=[("keys", ", ".join(keys)), ("implies", options)])
    group = GROUPS.get(name) or group_of(name)
    fields = [("formula", group.formula)]
    for alike in _split_keys(group):
        fields.append(("keys", f"{', '.join(alike.keys)}: {alike.range}, better: {alike.better}"))
    fields += [("source", group.source), ("options", ", ".join(group.option_names)), ("equal to", group.equal_to)]
    return _Description(f"{group.name}: {group.title}", group.definition, fields)


def _list_scores(names: str | Sequence[str]) -> Result:
    """List scores in a row each; programs read all that a score says about itself."""
    from ...results.result import Column, Note, Result, Table
    from ...scoring.descriptions import groups

    described = groups(names)
    rows = []
    for score in described:
        scores_range = format_range(score.low, score.high)
        rows.append([score.group, score.key, scores_range, score.better, score.source, score.equal_to])
    selections = Note(f"selections of scores of several groups: {', '.join(SELECTIONS)}, all")
    table = Table([Column(name, is_text=True) for name in _COLUMNS], rows)
    return Result([table], [selections], data=Table.of_fields(described))


def format_groups() -> str:
    """Write the table of all scores for the reference: a row for the keys of a group that share range and better values.

    Its columns are not padded, so that a new score changes one line.
    """
    from ...scoring.measures.registry import GROUPS

    rows = [[*_COLUMNS], ["---"] * len(_COLUMNS)]
    for group in GROUPS.values():
        for alike in _split_keys(group):
            names = ", ".join(f"`{key}`" for key in alike.keys)
            cells = [f"`{group.name}`", names, alike.range, alike.better, group.source, group.equal_to]
            rows.append([cell.replace("|", "\\|") or "–" for cell in cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def format_range(low: float, high: float) -> str:
    """Write the range of a score.

    >>> format_range(-1, 1), format_range(0, math.inf), format_range(-math.inf, 1)
    ('[−1, 1]', '≥ 0', '≤ 1')
    """
    if math.isinf(low) and math.isinf(high):
        return "any"
    lowest = f"{low:g}".replace("-", "−")
    highest = f"{high:g}".replace("-", "−")
    if math.isinf(high):
        return f"≥ {lowest}"
    if math.isinf(low):
        return f"≤ {highest}"
    return f"[{lowest}, {highest}]"


class _AlikeScores(NamedTuple):
    """Scores of a group that have the same range, such as `[0, 1]`, and of which the same values are better."""

    keys: list[str]
    range: str
    better: str  #: such as higher


def _split_keys(group: ScoreGroup) -> Iterator[_AlikeScores]:
    """Yield the scores of a group, those together that share a range and better values."""
    split: dict[tuple[str, str], list[str]] = {}
    for key, score in group.keys.items():
        low, high = score.range
        shared = (format_range(low, high), score.better)
        split.setdefault(shared, []).append(key)
    for (scores_range, better), keys in split.items():
        yield _AlikeScores(keys, scores_range, better)
