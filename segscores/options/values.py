"""Checked values of options that stay together: option sets of `table` as dataclasses.

`python -m tests.keywords` writes this module from `table`; `tests/options/test_keywords.py` compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ReadingValues:
    """Values of the options of `ReadingOptions`."""

    text_format: str = "units"
    reference_format: str | None = None
    prediction_format: str | None = None
    word_boundary: str = "WORD_BOUNDARY"
    ignored_tokens: tuple[str, ...] = ()
    separator: str | None = None
    joiner: str | None = None
    spaces: str = "units"
    markup: str = "units"
    label_scheme: str | None = None
    id2label: tuple[str, ...] | None = None
    normalize: str | None = None
    subword_marks: str | None = None
    ignore_index: int | None = None
    tier: tuple[str | None, ...] | None = None
    silence: tuple[str, ...] | None = None
    sample_rate: float | None = None
    time_unit: tuple[str | None, ...] | None = None
    label_map: str | None = None
    missing: str = "error"
    overlap: str = "error"
    documents: bool = False
    whole_files: bool = False


@dataclass(frozen=True)
class ResamplingValues:
    """Values of the options of `ResamplingOptions`."""

    average: str = "micro"
    confidence: float | None = None
    n_resamples: int = 1000
    seed: int = 0
    interval_method: str = "jackknife"
    clusters: Any = field(default=None, repr=False, compare=False)
