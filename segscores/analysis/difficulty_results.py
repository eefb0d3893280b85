"""The results of scores that are balanced by difficulty: tables for people, and scores for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..reading.sources.names import Files
from ..reading.sources.source import Side
from ..results.result import Cell, Result, Table
from ..results.scored import Scored, result_of
from .difficulty import Decile, Difficulties, recover


def score_by_difficulty(
    sides: Sequence[Side], files: Sequence[Files], difficulties: Difficulties, zero_division: float
) -> list[tuple[Scored, list[Decile]]]:
    """Score each prediction, which `files` names, balanced by difficulty, with its deciles."""
    scored = []
    for file, recovery in zip(files, recover(sides, difficulties), strict=True):
        # `recovery.scores` is called once more with nan for 0/0, which shows the scores that are undefined.
        scores = Scored.computed_by(file.name, recovery.scores, zero_division, path=file.argument)
        scored.append((scores, recovery.deciles(zero_division)))
    return scored


def result_by_difficulty(
    systems: Sequence[tuple[Scored, list[Decile]]], reference: str, signature: str, *, with_counts: bool = False
) -> Result:
    """Return the result of `score_by_difficulty`; people get a second table, of the words recovered in each tenth.

    `systems` have their scores, and their deciles: the words of each tenth of the range of difficulty.
    """
    scored = [system for system, _deciles in systems]
    (table_of_scores,) = result_of(scored, reference).tables
    tenths = _table_of_tenths(systems, with_counts=with_counts)
    # Programs get the tenths as further scores.
    complete = [_with_tenths(system, deciles, with_counts=with_counts) for system, deciles in systems]
    return replace(result_of(complete, reference, signature), tables=[table_of_scores, tenths])


def _table_of_tenths(systems: Sequence[tuple[Scored, list[Decile]]], *, with_counts: bool) -> Table:
    """Return the share of words that each system recovers in each tenth, such as `0.0-0.1  120  0.9917`."""
    columns = ["recovered at", "words"]
    for system, _deciles in systems:
        columns.append(system.prediction)
        if with_counts:
            columns.append(f"recovered by {system.prediction}")
    rows: list[list[Any]] = []
    deciles_of_systems = [deciles for _system, deciles in systems]
    for deciles_of_tenth in zip(*deciles_of_systems, strict=True):
        # All systems have the same words in a tenth: its range and its number of words are those of any system.
        first, *_ = deciles_of_tenth
        row = [f"{first.lower:.1f}-{first.upper:.1f}", first.words]
        for decile in deciles_of_tenth:
            row.append(Cell(decile.share, is_defined=decile.words > 0, is_share=True))
            if with_counts:
                row.append(Cell(decile.recovered))
        rows.append(row)
    return Table(columns, rows)


def _with_tenths(scored: Scored, deciles: Sequence[Decile], *, with_counts: bool) -> Scored:
    """Return the scores with the share of each tenth, such as `recovered_0.0_0.1`, and its counts if these are asked for."""
    scores = dict(scored.scores)
    counts = {}
    undefined = list(scored.undefined)
    for decile in deciles:
        interval = f"{decile.lower:.1f}_{decile.upper:.1f}"
        scores[f"recovered_{interval}"] = decile.share
        if not decile.words:
            # A share of no words.
            undefined.append(f"recovered_{interval}")
        if with_counts:
            counts[f"words_{interval}"] = decile.words
            counts[f"recovered_words_{interval}"] = decile.recovered
    return replace(scored, scores=scores, counts=counts, undefined=undefined)
