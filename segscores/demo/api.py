"""Endpoints: the functions of the page for programs, with names, types and documentation, for `gradio_client`, HTTP and MCP."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeVar

import gradio as gr

from ..analysis.differences import find_differences
from ..analysis.thresholds import segment_at, sweep
from ..measures.group import describe
from ..measures.registry import GROUPS
from ..support.json_text import finite
from .alignment import align_texts
from .compare import MAX_SYSTEMS, compare_sides, plain_comparison
from .difficulty import MAX_MEMBERS, rate_texts
from .groups import DEFAULT_GROUPS, GROUPS_OF_TEXTS
from .guard import shown
from .page import DRAWN
from .reading import BoxError, Given, check_text, read_sides
from .score import score_sides

Result = TypeVar("Result")

#: The limits of a call; the command has no limits.
MAX_RATIOS = 1000
MAX_RESAMPLES = 2000


def add_endpoints() -> None:
    """Add every endpoint to the page."""
    for name, function in ENDPOINTS.items():
        gr.api(_answering(name, function), api_name=name)


def score(  # noqa: PLR0917
    references: str,
    predictions: str,
    form: Literal["recognise", "words", "units", "conllu"] = "recognise",
    scores: list[str] = list(DEFAULT_GROUPS),  # noqa: B006 - never changed
    word_boundary: str = "",
    ignored_tokens: str = "",
    confidence: float | None = None,
) -> dict[str, Any]:
    """Score a predicted word segmentation against a reference over the same characters or units.

    Args:
        references: the reference, one utterance per line.
        predictions: the prediction, the same lines with other word boundaries.
        form: "words" (spaces between words), "units" (spaces between units, WORD_BOUNDARY between words), "conllu" or
            "recognise".
        scores: names of score groups, as the endpoint groups lists them.
        word_boundary: the token between words in units text; empty for the default.
        ignored_tokens: tokens of units text to leave out, separated by spaces.
        confidence: the confidence level of intervals, between 0 and 1; no intervals without it.

    Returns:
        the scores by key, their intervals if `confidence` is given, the counts by column, the signature, and the form in
        which the texts were read.
    """
    texts = {"references": references, "predictions": predictions}
    for name, text in {**texts, "word_boundary": word_boundary, "ignored_tokens": ignored_tokens}.items():
        check_text(name, text)
    _check_groups(scores)
    sides = read_sides(
        [Given("reference", references), Given("prediction", predictions)], form, word_boundary, ignored_tokens
    )
    scored = score_sides(sides, scores, confidence)
    return {
        "scores": finite(scored.scores),
        **({"intervals": finite(scored.intervals)} if scored.intervals else {}),
        "counts": scored.counts,
        "signature": scored.signature,
        "read_as": sides.read_as,
    }


def compare(  # noqa: PLR0917
    references: str,
    systems: dict[str, str],
    baseline: str = "",
    form: Literal["recognise", "words", "units", "conllu"] = "recognise",
    scores: list[str] = list(DEFAULT_GROUPS),  # noqa: B006 - never changed
    confidence: float = 0.95,
    n_resamples: int = 1000,
    word_boundary: str = "",
    ignored_tokens: str = "",
) -> dict[str, Any]:
    """Compare predicted segmentations of one reference: scores, differences from a baseline, their intervals and p-values.

    Args:
        references: the reference, one utterance per line.
        systems: the predictions of two to 10 systems by name, the same lines with other word boundaries.
        baseline: the name of the system that the others are compared with; empty for the first.
        form: "words" (spaces between words), "units" (spaces between units, WORD_BOUNDARY between words), "conllu" or
            "recognise".
        scores: names of score groups, as the endpoint groups lists them.
        confidence: the confidence level of the intervals, between 0 and 1; the level of the tests is 1 − confidence.
        n_resamples: the number of resamples for intervals and p-values, up to 2,000.
        word_boundary: the token between words in units text; empty for the default.
        ignored_tokens: tokens of units text to leave out, separated by spaces.

    Returns:
        for each system its scores, intervals and differences; for each score the best system and those that are not
        significantly worse; the signature, and the form in which the texts were read.
    """
    _check_comparison(systems, baseline, n_resamples)
    _check_groups(scores)
    texts = {"references": references, "word_boundary": word_boundary, "ignored_tokens": ignored_tokens}
    for name, text in {**texts, **{f"system {name[:80]!r}": text for name, text in systems.items()}}.items():
        check_text(name, text)
    boxes = {name: f"system {name[:80]!r}" for name in systems}
    given = [Given("reference", references), *(Given(boxes[name], text) for name, text in systems.items())]
    try:
        sides = read_sides(given, form, word_boundary, ignored_tokens)
        compared = compare_sides(
            sides, boxes, scores, baseline=baseline or None, confidence=confidence, n_resamples=n_resamples
        )
    except BoxError as error:
        raise BoxError(error.box, f"{error.box}: {error}" if error.box in boxes.values() else str(error)) from None
    return {**plain_comparison(compared), "read_as": sides.read_as}


def differences(references: str, predictions: str, first: int = 100) -> list[str]:
    """Show where two segmentations differ: | a boundary of both, + missed, − wrong.

    Args:
        references: the reference, one utterance a line.
        predictions: the prediction, the same lines with other word boundaries.
        first: how many utterances to show, up to 2,000.

    Returns:
        one line for each utterance.
    """
    if isinstance(first, bool) or not isinstance(first, int) or not 0 <= first <= DRAWN:
        raise BoxError("first", f"first: expected a number of utterances up to {DRAWN:,}, received {shown(first)}.")
    read, options = _read(references=references, predictions=predictions)
    found = find_differences(references=read[0], predictions=read[1], first=first, **options)
    return [str(difference) for difference in found]


def boundary_score_curve(
    references: str, boundary_scores: list[list[float]], ratios: list[float] | None = None
) -> dict[str, list[float]]:
    """Evaluate boundary scores: the gaps with the highest scores, a share λ of all gaps, become boundaries.

    Args:
        references: the reference, one utterance per line.
        boundary_scores: for each utterance, a number for each gap between two of its units.
        ratios: up to 1,000 shares, from 0 to 1; by default 0, 0.05, …, 1.

    Returns:
        the threshold, the ratio and every score, with a value per share.
    """
    if isinstance(ratios, list) and len(ratios) > MAX_RATIOS:
        raise BoxError("ratios", f"ratios: expected up to {MAX_RATIOS:,} shares, received {len(ratios):,}.")
    read, options = _read(references=references)
    asked = [step / 20 for step in range(21)] if ratios is None else ratios
    curve = sweep(references=read[0], boundary_scores=boundary_scores, ratios=asked, **options)
    return {key: finite(values.tolist()) for key, values in curve.items() if key != "best"}


def segment(references: str, boundary_scores: list[list[float]], ratio: float) -> list[str]:
    """Segment a text at the gaps with the highest boundary scores, a share λ of all gaps.

    Args:
        references: the text; its boundaries are ignored.
        boundary_scores: for each utterance, a number for each gap between two of its units.
        ratio: the share of all gaps that become boundaries, from 0 to 1.

    Returns:
        the segmented utterances.
    """
    if isinstance(ratio, bool) or not isinstance(ratio, (int, float)):
        raise BoxError("ratio", f"ratio: expected a number from 0 to 1, received {shown(ratio)}.")
    read, options = _read(references=references)
    cut = segment_at(references=read[0], boundary_scores=boundary_scores, ratio=ratio, **options)
    return [line if isinstance(line, str) else " ".join(line) for line in cut]


def difficulty(references: str, predictions: str, committee: list[str]) -> dict[str, Any]:
    """Scores balanced by the difficulty of words: the share of a committee of segmenters that misses a word.

    Args:
        references: the reference, one utterance per line.
        predictions: the prediction, the same lines with other word boundaries.
        committee: the segmentations of the same text by up to 100 members of the committee.

    Returns:
        balanced scores by key, and the difficulties of the words of each utterance.
    """
    check_text("references", references)
    check_text("predictions", predictions)
    if not isinstance(committee, list):
        raise BoxError("committee", f"committee: expected a list of texts, received {type(committee).__name__}.")
    if len(committee) > MAX_MEMBERS:
        raise BoxError("committee", f"committee: expected up to {MAX_MEMBERS} texts, received {len(committee):,}.")
    members = [check_text("committee", member) for member in committee]
    rated = rate_texts(Given("reference", references), Given("prediction", predictions), members, "")
    return {"scores": finite(rated.scores), "difficulties": rated.difficulties}


def alignment(references: str, predictions: str, sources: str = "", targets: str = "") -> dict[str, float]:
    """Score the alignment of a text with its translation (ARCADE): bisegments, and pairs by segments, words and characters.

    Args:
        references: bisegments of the reference, one per line, such as [0]:[0,1].
        predictions: bisegments of the prediction.
        sources: the source segments, one per line; with targets, for scores by words and characters.
        targets: the target segments, one per line.

    Returns:
        scores by key.
    """
    names = ("references", "predictions", "sources", "targets")
    texts = [check_text(*pair) for pair in zip(names, (references, predictions, sources, targets), strict=True)]
    return dict(finite(align_texts(*texts).scores))


def groups_of_scores() -> dict[str, dict[str, Any]]:
    """List the score groups: title, definition, formula, source, keys, and the counts that they read.

    Returns:
        the description of each group, by name.
    """
    return describe({name: GROUPS[name] for name in GROUPS_OF_TEXTS})


ENDPOINTS: dict[str, Callable[..., Any]] = {
    "score": score,
    "compare": compare,
    "differences": differences,
    "sweep": boundary_score_curve,
    "segment": segment,
    "difficulty": difficulty,
    "alignment": alignment,
    "groups": groups_of_scores,
}


def _read(**texts: str) -> tuple[list[Any], dict[str, Any]]:
    sides = read_sides([Given(name, check_text(name, text)) for name, text in texts.items()])
    return list(sides.utterances.values()), sides.reading


def _check_comparison(systems: object, baseline: object, n_resamples: object) -> None:
    if not isinstance(systems, dict) or not 2 <= len(systems) <= MAX_SYSTEMS:
        received = shown(list(systems) if isinstance(systems, dict) else systems)
        raise BoxError(
            "systems",
            f"systems: expected an object with the predictions of two to {MAX_SYSTEMS} systems by name, received {received}.",
        )
    if baseline not in ("", *systems):
        named = ", ".join(shown(name) for name in systems)
        raise BoxError("baseline", f"baseline: expected one of {named}, received {shown(baseline)}.")
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int) or not 1 <= n_resamples <= MAX_RESAMPLES:
        raise BoxError(
            "n_resamples",
            f"n_resamples: expected a number of resamples up to {MAX_RESAMPLES:,}, received {shown(n_resamples)}.",
        )


def _check_groups(scores: object) -> None:
    groups = GROUPS_OF_TEXTS
    if not isinstance(scores, list) or len(scores) > len(groups) or any(name not in groups for name in scores):
        raise BoxError("scores", f"scores: expected a list of some of {', '.join(groups)}, received {shown(scores)}.")


def _answering(name: str, function: Callable[..., Result]) -> Callable[..., Result]:
    """Wrap a function as a named endpoint, also for MCP, which reports the metric's errors to the client."""

    @wraps(function)
    def answer(*arguments: Any) -> Result:
        try:
            return function(*arguments)
        except (TypeError, ValueError) as error:
            raise gr.Error(str(error), print_exception=False) from None
        except OverflowError:
            raise gr.Error(
                "a number is too large: expected one that a float can hold.", print_exception=False
            ) from None

    answer.__name__ = name
    return answer
