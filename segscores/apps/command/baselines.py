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
    """Score each baseline, if the arguments ask for it; this reads the files again. `clusters` has an id for each utterance."""
    if not arguments.baselines:
        return []
    from ...analysis.baselines import SECOND, check_baselines, score_baselines, score_systems
    from ...reading.sources.recognition import recognise_by_options
    from ...reading.sources.sides import open_files
    from ...scoring.passes import concatenate_tallies, segment_side, with_reference

    check_baselines(plan)
    second = arguments.second_reference
    if second == "-" or any("-" in side.paths for side in files):
        raise OptionError(
            OPTIONS["baselines"], ": the files are read again, and standard input (-) cannot be: name a file."
        )
    sides = open_files(files, plan.reading, arguments.text_format)
    plan, _ = with_reference(sides[0], plan)
    words = {side.name: len(segment_side(opened).word_ends) for side, opened in zip(files[1:], sides[1:], strict=True)}
    resampling = replace(read_resampling(arguments), clusters=clusters)
    columns = [*score_baselines(segment_side(sides[0]), words, plan, resampling)]
    if second is None:
        return columns
    annotator = like_reference(arguments, Files.of(second, files[0].column, name=SECOND, encoding=files[0].encoding))
    annotators = recognise_by_options([files[0], annotator], arguments.explicit)
    both = open_files(annotators, plan.reading, arguments.text_format)
    tallies, _ = concatenate_tallies(both, plan)
    return columns + score_systems([SECOND], tallies, plan, resampling)
