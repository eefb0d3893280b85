"""Endpoints: what the page computes, for programs: by name, with types and documentation, for `gradio_client`, HTTP and MCP."""

from __future__ import annotations

__all__ = ["add_endpoints"]

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeVar

import gradio as gr

from .alignment import align_texts
from .difficulty import rate_texts
from .reading import BoxError, check_text, find_form
from .score import score_texts

Result = TypeVar("Result")


def add_endpoints(metric: Any, groups: list[str]) -> None:
    """Add every endpoint.

    Args:
        metric: the loaded metric.
        groups: the names of the score groups that can be asked for.
    """

    def score(  # noqa: PLR0917
        references: str,
        predictions: str,
        form: Literal["recognise", "words", "units", "conllu"] = "recognise",
        scores: list[str] = groups,
        word_boundary: str = "",
        ignored_tokens: str = "",
    ) -> dict[str, Any]:
        """Score a predicted word segmentation against a reference over the same characters or units.

        Args:
            references: the reference, one utterance a line.
            predictions: the prediction, the same lines with other word boundaries.
            form: "words" (spaces between words), "units" (spaces between units, WORD_BOUNDARY between words), "conllu" or
                "recognise".
            scores: names of score groups, as the endpoint groups lists them.
            word_boundary: the token between words in units text; empty for the usual ones.
            ignored_tokens: tokens of units text to leave out, separated by spaces.

        Returns:
            scores by key, counts by column, and how the texts were read.
        """
        for name, text in (("references", references), ("predictions", predictions)):
            check_text(name, text)
        scored = score_texts(
            metric,
            references,
            predictions,
            form,
            scores,
            word_boundary=word_boundary,
            ignored_tokens=ignored_tokens,
        )
        return {"scores": _plain(scored.scores), "counts": scored.counts, "read_as": str(scored.form)}

    def differences(references: str, predictions: str, first: int = 100) -> list[str]:
        """Show where two segmentations differ: | a boundary of both, + missed, − wrong.

        Args:
            references: the reference, one utterance a line.
            predictions: the prediction, the same lines with other word boundaries.
            first: how many utterances to show.

        Returns:
            one line for each utterance.
        """
        read, options = _read(metric, references, predictions)
        shown = metric.differences(references=read[0], predictions=read[1], first=first, **options)
        return [str(difference) for difference in shown]

    def sweep(
        references: str, boundary_scores: list[list[float]], ratios: list[float] | None = None
    ) -> dict[str, list[float]]:
        """Score boundary scores at shares λ of the gaps taken as boundaries, best first.

        Args:
            references: the reference, one utterance a line.
            boundary_scores: for each utterance one number for each gap between two of its units.
            ratios: the shares, from 0 to 1; by default 0, 0.05, …, 1.

        Returns:
            the threshold, the ratio and every score, one value a share.
        """
        read, options = _read(metric, references)
        asked = [step / 20 for step in range(21)] if ratios is None else ratios
        curve = metric.sweep(references=read[0], boundary_scores=boundary_scores, ratios=asked, **options)
        return {key: _plain(values.tolist()) for key, values in curve.items() if key != "best"}

    def segment(references: str, boundary_scores: list[list[float]], ratio: float) -> list[str]:
        """Cut a text at the best share λ of its gaps.

        Args:
            references: the text; its own boundaries are not looked at.
            boundary_scores: for each utterance one number for each gap between two of its units.
            ratio: the share of all gaps that become boundaries, from 0 to 1.

        Returns:
            the segmented utterances.
        """
        read, options = _read(metric, references)
        cut = metric.segment_at(references=read[0], boundary_scores=boundary_scores, ratio=ratio, **options)
        return [line if isinstance(line, str) else " ".join(line) for line in cut]

    def difficulty(references: str, predictions: str, committee: list[str]) -> dict[str, Any]:
        """Score balanced by difficulty: the share of a committee of segmenters that misses a word.

        Args:
            references: the reference, one utterance a line.
            predictions: the prediction, the same lines with other word boundaries.
            committee: the same text as each member of the committee segments it.

        Returns:
            balanced scores by key, and the difficulties of the words of each utterance.
        """
        check_text("references", references)
        check_text("predictions", predictions)
        if not isinstance(committee, list):
            raise BoxError("committee", f"committee: expected a list of texts, received {type(committee).__name__}.")
        joined = "\n---\n".join(check_text("committee", member).strip("\n") for member in committee)
        rated = rate_texts(metric, references, predictions, joined, "")
        return {"scores": _plain(rated["scores"]), "difficulties": rated["difficulties"]}

    def alignment(references: str, predictions: str, sources: str = "", targets: str = "") -> dict[str, float]:
        """Score the alignment of a text with its translation (ARCADE): bisegments, and pairs by segments, words and characters.

        Args:
            references: bisegments of the reference, one a line, such as [0]:[0,1].
            predictions: bisegments of the prediction.
            sources: the source segments, one a line; with targets, for scores by words and characters.
            targets: the target segments, one a line.

        Returns:
            scores by key.
        """
        names = ("references", "predictions", "sources", "targets")
        texts = [check_text(*pair) for pair in zip(names, (references, predictions, sources, targets), strict=True)]
        return dict(_plain(align_texts(metric, *texts)["scores"]))

    def groups_of_scores() -> dict[str, dict[str, Any]]:
        """List the score groups: title, definition, formula, source, keys, and the counts that they read.

        Returns:
            what each group is, by name.
        """
        return {name: dict(metric.score_groups()[name]) for name in groups}

    for name, function in (
        ("score", score),
        ("differences", differences),
        ("sweep", sweep),
        ("segment", segment),
        ("difficulty", difficulty),
        ("alignment", alignment),
        ("groups", groups_of_scores),
    ):
        gr.api(_told(function), api_name=name)


def _read(metric: Any, *texts: str) -> tuple[list[Any], dict[str, Any]]:
    for text in texts:
        check_text("text", text)
    form = find_form(metric, "recognise", list(texts))
    return metric.read_texts(list(texts), form), form.options()


def _plain(value: Any) -> Any:
    """A value as JSON has it: nan and the infinities, which it does not have, become None."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _told(function: Callable[..., Result]) -> Callable[..., Result]:
    """The function, with the metric's errors as those that a client is told."""

    @wraps(function)
    def told(*arguments: Any) -> Result:
        try:
            return function(*arguments)
        except (TypeError, ValueError) as error:
            raise gr.Error(str(error), print_exception=False) from None

    return told
