"""Reports: the analysis of a visitor's texts, as the report shows it, with the signature of the command."""

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
    reference_path, *paths = inputs.held.values()
    systems = predictions or {file.name: file for file in others}
    if options.get("confidence") is not None:
        inputs.check_resampling(len(systems), options.get("n_resamples", 1000))
    plan, resampling, _ = split_options(options)
    tests = {name: inputs.explicit[name] for name in ("primary", "n_trials", "margin") if name in inputs.explicit}
    findings = analyse_texts(reference, systems, plan, resampling, **tests)
    path_of = {file.name: file.argument or f"{reference_path}, column {file.column}" for file in others}
    path_of = dict.fromkeys(predictions, paths[-1]) if predictions else path_of
    noun = "sentence" if reference.sentence_format("") else "recording" if plan.reading.is_timed else "line"
    names = Names(reference.name, reference_path, path_of, noun)
    return Report(findings, names, findings.sign([reference, *others], inputs.text_format, **(further or {})))


def check_alignment(inputs: Inputs, command: str) -> None:
    """Raise an error if the lines that differ would take too long to align."""
    if inputs.explicit.get("on_mismatch") == "align":
        reading = Reading.of(**inputs.options_of(rate_difficulty))
        sides = open_inputs(reading, *inputs.files.values())
        pairs = pairs_to_align(sides)
        if pairs.sum() > MAX_ALIGNED:
            place = sides[0].sources[0].where(int(pairs.argmax()))
            problem = f"{place}: {pairs.max():,} pairs of units to align, in all {pairs.sum():,}; this page takes"
            raise ValueError(f"{problem} {MAX_ALIGNED:,}. The command takes more: {command}")


def first_differences(inputs: Inputs, count: int) -> list[Difference]:
    """The differences of the first utterances."""
    reading = Reading.of(**inputs.options_of(rate_difficulty))
    sides = open_inputs(reading, inputs.files["reference"], inputs.files["prediction"])
    differences = chain.from_iterable(map_pieces(sides, lambda piece: list(differences_of(piece.comparison(1)))))
    return list(islice(differences, count))
