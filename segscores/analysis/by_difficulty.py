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
    """The balanced scores of each prediction, and the words that it recovers in each tenth of difficulty; `files` are theirs."""
    return [
        (Scored.computed_by(file.name, found.scores, zero_division, path=file.given), found.deciles(zero_division))
        for file, found in zip(files, recover(sides, difficulties), strict=True)
    ]


def result_by_difficulty(
    systems: Sequence[tuple[Scored, list[Decile]]], reference: str, signature: str, *, with_counts: bool = False
) -> Result:
    """The scores; for people with a second table of the shares, and the number of words of each tenth."""
    scored = [each for each, _ in systems]
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
        for each in scored
        for name in [each.prediction, *([f"recovered by {each.prediction}"] if with_counts else [])]
    ]
    tenths = Table(["recovered at", "words", *names], shares)
    full = result_of(
        [_with_tenths(each, deciles, with_counts=with_counts) for each, deciles in systems], reference, signature
    )
    return replace(full, tables=[table, tenths])


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
