"""`--baselines` and `--second-reference`: the scores that need no segmenter, and the score of another annotator."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.names import Files
from .sides import like_reference
from .text import read_resampling

if TYPE_CHECKING:
    from ...results.scored import Scored
    from ...scoring.plan import Plan


def baseline_columns(arguments: argparse.Namespace, files: Sequence[Files], plan: Plan, clusters: Any) -> list[Scored]:
    """Score each baseline, and the second reference if there is one; return no columns if the user asks for no baselines.

    This reads the files again, of which the first is the reference. `clusters` has an id for each utterance; None without
    clusters.
    """
    if not arguments.baselines:
        return []
    from ...analysis.baselines import SECOND, check_baselines, check_names, score_baselines, score_systems
    from ...reading.sources.form_options import recognise_by_options
    from ...reading.sources.sides import open_files
    from ...scoring.passes import concatenate_tallies, segment_side, with_reference

    check_baselines(plan)
    second = arguments.second_reference
    if second == "-" or any("-" in file.paths for file in files):
        raise OptionError(
            OPTIONS["baselines"], ": the files are read again, and standard input (-) cannot be: name a file."
        )
    reference_side, *predicted_sides = open_files(files, plan.reading, arguments.text_format)
    # The plan gets the defaults that come from the reference. The record of the pass for them is not needed.
    plan, _observed_for_defaults = with_reference(reference_side, plan)
    reference_file, *predicted_files = files
    # For each prediction, a random baseline with as many words.
    word_counts = {}
    for file, side in zip(predicted_files, predicted_sides, strict=True):
        word_counts[file.name] = len(segment_side(side).word_ends)
    resampling = replace(read_resampling(arguments), clusters=clusters)
    columns = [*score_baselines(segment_side(reference_side), word_counts, plan, resampling)]
    if second is None:
        check_names(columns, word_counts)
        return columns
    # Score the second reference as a prediction, which has the format of the reference.
    second_file = Files.of(second, reference_file.column, name=SECOND, encoding=reference_file.encoding)
    annotators = recognise_by_options([reference_file, like_reference(arguments, second_file)], arguments.explicit)
    sides = open_files(annotators, plan.reading, arguments.text_format)
    tallies, _ = concatenate_tallies(sides, plan)  # without the record of the pass
    columns += score_systems([SECOND], tallies, plan, resampling)
    check_names(columns, word_counts)
    return columns
