"""Reports: the analysis of what a visitor gave, as the report shows it, with the signature of the command."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from typing import Any

from ...analysis.differences import Difference, differences_of
from ...analysis.difficulty import rate_difficulty
from ...analysis.statistics.resampling import split_options
from ...reading.readers import Reading
from ...reading.sources.sides import open_inputs
from ...scores import score
from ...scoring.map_pieces import map_pieces
from ...scoring.passes import pairs_to_align
from ..report.contents import Names, analyse_texts
from ..report.page import Report
from .boxes import MAX_ALIGNED, Inputs


def report_of(
    inputs: Inputs,
    predictions: Mapping[str, Any] | None = None,
    further: Mapping[str, object] | None = None,
    **options: Any,
) -> Report:
    """The report of the predictions, or of others by name, with more fields in its signature."""
    options = inputs.options_of(score) | options
    reference, *others = inputs.files.values()
    file, *paths = inputs.held.values()
    named = predictions or {each.name: each for each in others}
    if options.get("confidence") is not None:
        inputs.check_resampling(len(named), options.get("n_resamples", 1000))
    plan, resampling, _ = split_options(options)
    tests = {name: inputs.given[name] for name in ("decide_by", "n_trials", "margin") if name in inputs.given}
    found = analyse_texts(reference, named, plan, resampling, **tests)
    of_files = {each.name: each.given or f"{file}, column {each.column}" for each in others}
    given = dict.fromkeys(predictions, paths[-1]) if predictions else of_files
    names = Names(reference.name, file, given, "sentence" if reference.sentence_format("") else "line")
    return Report(found, names, found.sign([reference, *others], inputs.text_format, **(further or {})))


def check_alignment(inputs: Inputs, command: str) -> None:
    """Raise an error if the lines that differ would take too long to align."""
    if inputs.given.get("on_mismatch") == "align":
        reading = Reading.of(**inputs.options_of(rate_difficulty))
        sides = open_inputs(reading, *inputs.files.values())
        pairs = pairs_to_align(sides)
        if pairs.sum() > MAX_ALIGNED:
            where = sides[0].sources[0].where(int(pairs.argmax()))
            problem = f"{where}: {pairs.max():,} pairs of units to align, in all {pairs.sum():,}; this page takes"
            raise ValueError(f"{problem} {MAX_ALIGNED:,}. The command takes more: {command}")


def first_differences(inputs: Inputs, most: int) -> list[Difference]:
    """The differences of the first utterances."""
    reading = Reading.of(**inputs.options_of(rate_difficulty))
    sides = open_inputs(reading, inputs.files["reference"], inputs.files["prediction"])
    every = chain.from_iterable(map_pieces(sides, lambda part: list(differences_of(part.comparison(1)))))
    return list(islice(every, most))
