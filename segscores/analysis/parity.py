"""Parity: how many tokens a tokenizer makes of each language of a parallel text, beside those of a pivot language.

Conventions
-----------
- Line i of each language says the same. The parity of a language is its number of tokens divided by that of the pivot, both over
  all lines: 2 if the same content costs twice as many tokens. The parity of the pivot is 1.
- Tokens are all that the tokenizer makes of a line, without special tokens.
- The interval is of the jackknife, without each pair of lines, and symmetric in the logarithm, so that another pivot inverts it;
  the pivot has none.
- The speed is the number of bytes of the language's lines, in UTF-8, divided by the shortest of `_TIMES` times that the tokenizer
  took for all lines at once. It depends on the machine.

Source
------
Petrov, La Malfa, Torr & Bibi (2023), Language Model Tokenizers Introduce Unfairness Between Languages, NeurIPS. There
parity is of one sentence; the ratio of sums here does not depend on where sentences end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ..kernel.arrays import Positions
from ..kernel.formulas import divide
from ..kernel.record import record
from ..options.functions import with_inputs
from ..options.messages import OptionError
from ..options.option import check_options
from ..options.quoting import described, shortened
from ..options.suggestions import suggestion
from ..options.table import OPTIONS
from ..reading.world import token_counter_of
from ..results.result import Cell, Note, Result, Table, Values
from ..statistics.jackknife import Estimate, Term, effective_units

#: The number of times that a text is tokenized for its speed.
_TIMES = 3


@dataclass(frozen=True, eq=False)
class Parity(Values):
    """The tokens of one language by one tokenizer, beside those of the pivot. The speed is measured, and differs each time."""

    tokenizer: str
    language: str
    tokens: int
    bytes_per_token: float
    parity: float
    parity_low: float
    parity_high: float
    bytes_per_second: float


@record
class _Tokenized:
    """The number of tokens of each line of a language, and how long they took."""

    counts: Positions
    seconds: float


@with_inputs
def parity(
    texts: Mapping[str, Sequence[str]],
    tokenizers: Mapping[str, Any],
    *,
    pivot: str | None = None,
    confidence: float = 0.95,
) -> list[Parity]:
    """Count the tokens of the languages of a parallel text, beside those of a pivot language.

    Args:
        texts: by language the lines of its text, as many in each; line i says the same in all languages.
        tokenizers: by name, as those that take the place of predictions, or the path of one as a string.
        pivot: the language that the others are compared with; None for the first.
        confidence: the confidence level of the intervals.

    Returns:
        For each tokenizer a row for each language, in the order of the arguments.

    Raises:
        TypeError: something that is no tokenizer, lines that are no strings, or texts or tokenizers without names.
        ValueError: fewer than two languages or lines, different numbers of lines, a line that UTF-8 cannot hold, no tokenizer, or
            an unknown pivot.

    >>> texts = {"en": ["the dog", "a cat"], "de": ["der Hund", "eine Katze"]}
    >>> characters = lambda lines: [[(at, at + 1) for at in range(len(line))] for line in lines]
    >>> [(row.language, row.tokens, row.parity) for row in parity(texts, {"characters": characters})]
    [('en', 12, 1.0), ('de', 18, 1.5)]
    """
    check_options({"confidence": confidence, "pivot": pivot}, OPTIONS)
    for name, given in (("texts", texts), ("tokenizers", tokenizers)):
        if not isinstance(given, Mapping):
            raise TypeError(f"{name}: received {described(given)}; expected a dict by name.")
    lines = {language: _read_lines(language, values) for language, values in texts.items()}
    _check_parallel(lines)
    if not tokenizers:
        raise ValueError("tokenizers: expected at least one, received none.")
    if pivot is None:
        # The first language.
        pivot = next(iter(lines))
    if pivot not in lines:
        expected = f": expected one of {', '.join(lines)}; received {pivot!r}.{suggestion(pivot, lines)}"
        raise OptionError(OPTIONS["pivot"], expected)
    rows: list[Parity] = []
    for name, tokenizer in tokenizers.items():
        rows += _rows_of_tokenizer(name, tokenizer, lines, pivot=pivot, confidence=confidence)
    return rows


def _rows_of_tokenizer(
    name: str, tokenizer: Any, lines: Mapping[str, list[str]], *, pivot: str, confidence: float
) -> list[Parity]:
    """Return a row for each language, by whose names `lines` has the lines."""
    tokenized = {language: _tokenize(tokenizer, lines_of_language) for language, lines_of_language in lines.items()}
    counts_of_pivot = tokenized[pivot].counts
    rows = []
    for language, of_language in tokenized.items():
        # The parity of the pivot is 1 in every sample of lines, and has no interval.
        low = math.nan
        high = math.nan
        if language != pivot:
            low, high = _interval(of_language.counts, counts_of_pivot, confidence)
        byte_count = sum(len(line.encode()) for line in lines[language])
        tokens = int(of_language.counts.sum())
        row = Parity(
            tokenizer=name,
            language=language,
            tokens=tokens,
            bytes_per_token=float(divide(byte_count, tokens, math.nan)),
            parity=float(divide(tokens, int(counts_of_pivot.sum()), math.nan)),
            parity_low=low,
            parity_high=high,
            bytes_per_second=float(divide(byte_count, of_language.seconds, math.nan)),
        )
        rows.append(row)
    return rows


def parity_result(rows: Sequence[Parity]) -> Result:
    """Return the rows as a table, for people with the speed in megabytes per second."""
    columns = ["tokenizer", "language", "tokens", "bytes per token", "parity", "MB/s"]
    cells = []
    for row in rows:
        # The pivot has no interval.
        ends = None if math.isnan(row.parity_low) else (row.parity_low, row.parity_high)
        bytes_per_token = Cell(row.bytes_per_token, form=".2f")
        speed = Cell(row.bytes_per_second / 1e6, form=".2f")
        cells.append([row.tokenizer, row.language, row.tokens, bytes_per_token, Cell(row.parity, ends), speed])
    notes = [Note("parity: tokens for each token of the pivot"), Note("MB/s: the speed on this machine, which varies")]
    return Result([Table(columns, cells)], notes, data=Table.of_fields(rows))


def _read_lines(language: str, values: Sequence[str]) -> list[str]:
    """Return the lines of a language; raise an error if these are no strings, or cannot be written in UTF-8."""
    if isinstance(values, str):
        raise TypeError(f"texts, {language!r}: received one string; expected a list of lines.")
    # These can be iterated over, but not by lines: bytes yield numbers, a mapping its keys, and a set has no order.
    yields_no_lines = isinstance(values, (bytes, Mapping, Set))
    is_no_list = yields_no_lines or not isinstance(values, Iterable)
    if is_no_list:
        raise TypeError(f"texts, {language!r}: received {described(values)}; expected a list of lines.")
    lines = list(values)
    for number, line in enumerate(lines):
        if not isinstance(line, str):
            raise TypeError(f"texts, {language!r}, line {number}: received {line!r}; expected a string.")
        try:
            line.encode()
        except UnicodeEncodeError:
            expected = "expected text without halves of surrogate pairs, which UTF-8 lacks."
            raise ValueError(f"texts, {language!r}, line {number}: received {shortened(line)}; {expected}") from None
    return lines


def _check_parallel(lines: Mapping[str, list[str]]) -> None:
    """Check that there are two languages and two lines at least, and that all have as many lines."""
    if len(lines) < 2:
        raise ValueError(f"texts: expected at least two languages, received {len(lines)}: with one there is no parity.")
    counts = {language: len(lines_of_language) for language, lines_of_language in lines.items()}
    if len(set(counts.values())) > 1:
        received = ", ".join(f"{language} {count}" for language, count in counts.items())
        raise ValueError(
            f"texts: expected as many lines in each language, received {received}: line i pairs with line i."
        )
    if min(counts.values()) < 2:
        raise ValueError("texts: expected at least two lines: variability cannot be estimated from fewer.")


def _tokenize(tokenizer: Any, lines: list[str]) -> _Tokenized:
    """Count the tokens of each line, and measure the time: the shortest of several runs after the first."""
    count_tokens = token_counter_of(tokenizer)
    counts = count_tokens(lines)
    times = []
    for _ in range(_TIMES):
        start = perf_counter()
        count_tokens(lines)
        times.append(perf_counter() - start)
    return _Tokenized(counts, min(times))


def _interval(counts: Positions, counts_of_pivot: Positions, confidence: float) -> tuple[float, float]:
    """Return the interval of the ratio of two sums, from the logarithms of the ratios without each pair of lines.

    nan and nan stand for an interval that cannot be computed.
    """
    # The tokens of all other lines: of the counts 3 4 5, these are 9 8 7.
    rest = counts.sum() - counts
    rest_of_pivot = counts_of_pivot.sum() - counts_of_pivot
    # A ratio of 0, or to 0, has no logarithm.
    if not rest.all() or not rest_of_pivot.all():
        return math.nan, math.nan
    log_ratio = math.log(counts.sum() / counts_of_pivot.sum())
    # One run: a row with the logarithm without each pair of lines.
    without_each = np.log(rest / rest_of_pivot)[np.newaxis]
    term = Term(sign=1, scores=np.array([log_ratio]), without=without_each)
    # A logarithm has no bounds.
    range_of_logarithms = (-math.inf, math.inf)
    estimate = Estimate.of([term], effective_units(counts_of_pivot))
    low, high = estimate.interval(confidence, range_of_logarithms)
    # The upper end is infinite where it is too large for a float, as that of few lines that differ much may be.
    with np.errstate(over="ignore"):
        return float(np.exp(low)), float(np.exp(high))
