"""The tab Score: the scores of a prediction, its differences from the reference, and its wrong words."""

from __future__ import annotations

import math
from dataclasses import replace

from ...analysis.error_analysis import analyse_errors
from ...measures.registry import GROUPS, group_of, heading_of, is_share
from ...results.result import Result
from ...results.scored import result_of
from ...scoring.keyword_arguments import options_of
from ...statistics.clusters import MIN_CLUSTERS
from ..boxes import Box, Inputs
from ..examples import PAIRS
from ..reports import report_of
from ..tab import Tab, templates

#: How many wrong words are shown.
_WRONG = 10
#: The scores of the headline, by name.
HEADLINE = {"word F": "token_fscore", "boundary F": "boundary_noedge_fscore", "type F": "type_fscore", "Pk": "pk"}


def show(inputs: Inputs) -> str:
    """The results as HTML."""
    report = report_of(inputs)
    prediction = report.predictions[0]
    reference, predicted = inputs.files.values()
    # The sides change places: what is missed of the prediction is wrong.
    sides = {"reference_format": "prediction_format", "prediction_format": "reference_format"}
    how = {sides.get(name, name): value for name, value in inputs.options.items() if name in options_of(analyse_errors)}
    intervals = prediction.scored.intervals
    return (
        templates()
        .get_template("score.html")
        .render(
            report=report,
            prediction=prediction,
            left_out=report.utterances - len(prediction.places),
            headline={name: key for name, key in HEADLINE.items() if key in prediction.scored.scores},
            editable=inputs.are_lines,
            wrong=analyse_errors(predicted, reference, examples=0, **how).wrong_words(_WRONG),
            without=[
                key for key, ends in intervals.items() if math.isnan(ends[0]) and not math.isnan(prediction.value(key))
            ],
            few=MIN_CLUSTERS,
        )
    )


def picture(inputs: Inputs) -> str:
    """The scores from 0 to 1, with their intervals, as an SVG."""
    prediction = report_of(inputs).predictions[0]
    scored, name = prediction.scored, prediction.name
    keys = [key for key in scored.scores if is_share(key) and group_of(key).range_of(key) == (0.0, 1.0)]
    drawn = {
        "scores": {name: scored.scores},
        "intervals": {name: {key: scored.intervals.get(key, (math.nan, math.nan)) for key in keys}},
        "is_undefined": lambda key, _: key in scored.undefined,
    }
    return templates().get_template("compare.svg").render(found=drawn, keys=keys, heading=heading_of)


def result(inputs: Inputs) -> Result:
    """The scores and counts for files."""
    report = report_of(inputs)
    scored = [replace(each, path=report.names.paths[each.prediction]) for each in report.found.scored()]
    return result_of(scored, inputs.paths["reference"], report.signature)


TAB = Tab(
    "score",
    "Score",
    (
        Box("reference", "Reference", "One utterance a line, spaces between words; or CoNLL-U, JSON lines.", ("reference",)),
        Box("prediction", "Prediction", "The same text, segmented differently.", ("prediction",)),
    ),
    show,
    visible=("scores", "window_size", "confidence"),
    controls=("text_format", "word_boundary", "ignored_tokens", "normalize", "on_mismatch", "average", "tolerance",
              "transposition_span", "window_convention", "zero_division"),
    groups=tuple(name for name, group in GROUPS.items() if not group.needs_option and name != "unit_error"),
    examples={name: dict(zip(("reference", "prediction"), pair, strict=True)) for name, pair in PAIRS.items()},
    result=result,
    picture=picture,
    report=report_of,
    lead="Type or paste a reference and a prediction. Click a gap between two characters to add or remove a boundary.",
)  # fmt: skip
