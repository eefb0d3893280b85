"""Scores that are balanced by difficulty, and their result, with the words recovered in each tenth of difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..reading.sources.names import Files
from ..reading.sources.source import Side
from ..results.result import Cell, Result, Table
from ..results.scored import Scored, result_of
from .difficulty import Decile, Difficulties, recover


def score_by_difficulty(
    sides: Sequence[Side], files: Sequence[Files], difficulties: Difficulties, zero_division: float
) -> list[tuple[Scored, list[Decile]]]:
    """Score each prediction, which `files` names, balanced by difficulty, with its deciles."""
    return [
        (
            Scored.computed_by(file.name, recovery.scores, zero_division, path=file.argument),
            recovery.deciles(zero_division),
        )
        for file, recovery in zip(files, recover(sides, difficulties), strict=True)
    ]


def result_by_difficulty(
    systems: Sequence[tuple[Scored, list[Decile]]], reference: str, signature: str, *, with_counts: bool = False
) -> Result:
    """Return the result of `score_by_difficulty`; people get a second table, of the words recovered in each tenth."""
    scored = [system for system, _ in systems]
    shares = [
        [
            f"{row[0].lower:.1f}-{row[0].upper:.1f}",
            row[0].words,
            *(cell for decile in row for cell in _cells(decile, with_count=with_counts)),
        ]
        for row in zip(*(deciles for _, deciles in systems), strict=True)
    ]
    (table,) = result_of(scored, reference).tables
    names = [
        name
        for system in scored
        for name in [system.prediction, *([f"recovered by {system.prediction}"] if with_counts else [])]
    ]
    tenths = Table(["recovered at", "words", *names], shares)
    complete = [_with_tenths(system, deciles, with_counts=with_counts) for system, deciles in systems]
    return replace(result_of(complete, reference, signature), tables=[table, tenths])


def _with_tenths(scored: Scored, deciles: Sequence[Decile], *, with_counts: bool) -> Scored:
    scores, counts, undefined = dict(scored.scores), {}, list(scored.undefined)
    for decile in deciles:
        interval = f"{decile.lower:.1f}_{decile.upper:.1f}"
        scores[f"recovered_{interval}"] = decile.share
        if not decile.words:
            undefined.append(f"recovered_{interval}")
        if with_counts:
            counts[f"words_{interval}"] = decile.words
            counts[f"recovered_words_{interval}"] = decile.recovered
    return replace(scored, scores=scores, counts=counts, undefined=undefined)


def _cells(decile: Decile, *, with_count: bool) -> list[Cell]:
    share = Cell(decile.share, is_defined=decile.words > 0, is_share=True)
    return [share, Cell(decile.recovered)] if with_count else [share]
