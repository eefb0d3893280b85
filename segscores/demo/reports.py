"""Reports: the analysis of what a visitor gave, as the report shows it, and signatures as the command writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain, islice
from typing import Any

from ..analysis.differences import Difference, differences_of
from ..analysis.difficulty import rate_difficulty
from ..reading.readers import Reading
from ..report.contents import Names, analyse_texts
from ..report.page import Report
from ..scoring.signature import signed_skipped
from ..sources.fold import fold, sides_of
from ..statistics.comparison_results import SystemComparison
from ..statistics.corpus_scores import score, split_options
from ..statistics.signing import sign_comparison, signature
from .boxes import Inputs


def report_of(
    inputs: Inputs,
    predictions: Mapping[str, Any] | None = None,
    further: Mapping[str, object] | None = None,
    **options: Any,
) -> Report:
    """The report of the predictions, or of others by name, with more fields in its signature."""
    options = inputs.options_of(score) | options
    reference, *others = inputs.files.values()
    file, *paths = inputs.paths.values()
    named = predictions or {each.name: each for each in others}
    if options.get("confidence") is not None:
        inputs.check_resampling(len(named), options.get("n_resamples", 1000))
    plan, resampling, _ = split_options(options)
    found = analyse_texts(reference, named, plan, resampling)
    of_files = {each.name: each.given or f"{file}, column {each.column}" for each in others}
    given = dict.fromkeys(predictions, paths[-1]) if predictions else of_files
    names = Names(reference.name, file, given, "sentence" if reference.sentence_format("") else "line")
    further = {**signed_skipped(each.tally.skipped for each in found.analysed.values()), **(further or {})}
    return Report(found, names, sign(inputs, found.comparison, further, **options))


def sign(
    inputs: Inputs,
    comparison: SystemComparison | None = None,
    further: Mapping[str, object] | None = None,
    **options: Any,
) -> str:
    """The signature that the command prints."""
    reference = next(iter(inputs.files.values()))
    if comparison:
        signed = sign_comparison(reference, comparison, **options)
    else:
        before, _, after = signature(reference, **options).rpartition("|n:")
        signed = "|".join([before, *(f"{name}:{value}" for name, value in (further or {}).items()), f"n:{after}"])
    formats = {file.format_in("") for file in inputs.files.values()}
    return signed if len(formats) == 1 else re.sub(r"\|text:[^|]*", "|text:words", signed, count=1)


def first_differences(inputs: Inputs, most: int) -> list[Difference]:
    """The differences of the first utterances."""
    reading = Reading.of(**inputs.options_of(rate_difficulty))
    sides = sides_of(reading, inputs.files["reference"], inputs.files["prediction"])
    every = chain.from_iterable(fold(sides, lambda part: list(differences_of(part.comparison(1)))))
    return list(islice(every, most))
