"""Scores of several segmentations of a text, which have the same utterances, units and form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..kernel.segmentation import Segmentation
from ..options.errors import warn
from ..options.keywords import TextOptions, Unpack
from ..options.option import check_options
from ..options.table import OPTIONS
from ..reading.form import EMPTY_LISTS, NOTHING
from ..reading.missing_boundaries import BoundarySigns
from ..reading.reading import Reading
from ..reading.sources.sides import open_inputs
from ..reading.world import check_counts_units
from ..scoring.functions import options_of, with_options
from ..scoring.measures.agreement import agreement
from ..scoring.measures.constituent import constituent_scores, tally_constituent
from ..scoring.mismatch import compare_segmentations
from ..scoring.observations import Observations
from ..scoring.passes import form_of, segment_side


@with_options
def score_agreement(
    annotators: Iterable[Any],
    *,
    transposition_span: int = 2,
    similarity: str = "boundary_similarity",
    expected: str = "pooled",
    zero_division: float = 0.0,
    **options: Unpack[TextOptions],
) -> dict[str, float]:
    """Return the agreement of two or more annotators, corrected for chance.

    Args:
        annotators: the utterances of each, in any form of the README's Inputs.
        transposition_span, similarity, expected: as in `agreement.agreement`.
        zero_division: the value of 0/0, in [0, 1] or nan.
        **options: those of `TextOptions`.

    Returns:
        `agreement_actual`, `agreement_pi`, `agreement_kappa` and `agreement_bias`, plain floats.

    Raises:
        TypeError: an input has no known form or differs in form from the first, or an unknown option.
        ValueError: fewer than two annotators, or they differ in number of utterances or in units.

    >>> scores = score_agreement([["the dog is"], ["the dogis"], ["the dog is"]], text_format="words")
    >>> round(scores["agreement_actual"], 3)
    0.667
    """
    if isinstance(annotators, (str, bytes, Mapping)) or not isinstance(annotators, Iterable):
        raise TypeError(
            f"annotators: expected a list with the utterances of each, received {type(annotators).__name__}."
        )
    # A message names an annotator by its number: `annotators, 1`.
    sides = {f"annotators, {number}": utterances for number, utterances in enumerate(annotators)}
    check_options(options, options_of(score_agreement))
    OPTIONS["zero_division"].check(zero_division)
    conventions: Any = {"transposition_span": transposition_span, "similarity": similarity, "expected": expected}
    return agreement(_read_alike(sides, options), **conventions, zero_division=zero_division)


@with_options
def score_constituents(
    references: Any, morphemes: Any, predictions: Any, *, zero_division: float = 0.0, **options: Unpack[TextOptions]
) -> dict[str, float]:
    """Score a prediction against words and the morphemes inside them (see `constituent`).

    Args:
        references, morphemes, predictions: utterances, in any form of the README's Inputs; every word ends where a morpheme ends.
        zero_division: the value of 0/0, in [0, 1] or nan.
        **options: those of `TextOptions`.

    Returns:
        Plain floats by the keys `constituent.CONSTITUENT_KEYS`.

    Raises:
        TypeError: an input has no known form or differs in form from the references, or an unknown option.
        ValueError: the sides differ in number of utterances or in units, or a word ends inside a morpheme.

    Source: Ando & Lee (2003).

    >>> scores = score_constituents(
    ...     ["database system"], ["data base system"], ["data basesystem"], text_format="words"
    ... )
    >>> scores["compatible_brackets_rate"], scores["crossing_brackets_rate"]
    (0.5, 0.5)
    """
    sides = {"references": references, "morphemes": morphemes, "predictions": predictions}
    check_options(options, options_of(score_constituents))
    OPTIONS["zero_division"].check(zero_division)
    words, segmented_morphemes, prediction = _read_alike(sides, options)
    columns = tally_constituent(compare_segmentations(words, prediction), segmented_morphemes)
    # The counts of each utterance are summed: these are micro averages.
    counts = {column: int(values.sum()) for column, values in columns.items()}
    scores = constituent_scores(counts, zero_division)
    return {key: float(value) for key, value in scores.items()}


def _read_alike(sides: Mapping[str, Any], options: TextOptions) -> list[Segmentation]:
    """Read the sides, whose keys are their names in messages; raise a TypeError if their forms differ."""
    reading = Reading.of(**options)
    opened = []
    for name, utterances in sides.items():
        (side,) = open_inputs(reading, utterances, role=name)
        check_counts_units(side.reading)
        opened.append(side)
    forms = list(map(form_of, opened))
    if opened and set(forms) == {NOTHING}:
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    # The form of all sides is the first one with a name. Empty lists, whose form has no name, fit every form of lists.
    form = next((form for form in forms if form.name), EMPTY_LISTS)
    for side, side_form in zip(opened, forms, strict=True):
        if form.common(side_form) is None:
            raise TypeError(
                f"mixed forms: {side.role} has {side_form.noun} and another side {form.noun}; expected the same form."
            )
    # Each side is read in a pass of its own, which does not warn by itself: signs that an option is wrong are said once for all.
    boundary_signs = BoundarySigns(reading)
    segmentations = []
    for side in opened:
        observed = Observations()
        segmentations.append(segment_side(side, observed=observed, concludes=False))
        boundary_signs.add(observed.trouble.boundary_signs)
    warning = boundary_signs.warning()
    if warning is not None:
        warn(warning)
    return segmentations
