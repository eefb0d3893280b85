"""Endpoints: the functions of the page for programs, with names, types and documentation, for `gradio_client`, HTTP and MCP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import getdoc, signature
from typing import Any, Literal, TypeAlias

import gradio as gr

from ...analysis.thresholds import segment_at
from ...analysis.thresholds import sweep as sweep_scores
from ...options.errors import UtteranceError
from ...options.quoting import shortened
from ...options.table import FORMATS
from ...options.tasks import COMMANDS
from ...results.json_text import finite
from ...scoring.measures.group import describe
from ...scoring.measures.registry import DEFAULT_SCORES, GROUPS
from .boxes import REFERENCE, Inputs, read_boxes
from .reports import first_differences
from .tabs.alignment import Alignment
from .tabs.compare import LETTERS, Compare
from .tabs.difficulty import Difficulty
from .tabs.score import Score

_DEFAULT = [name for name in DEFAULT_SCORES if name in Score.groups]
_FORMS = ("recognise", *FORMATS)
_Form: TypeAlias = Literal[_FORMS]  # type: ignore[valid-type]

#: The limits of a call; the command has none.
_DRAWN, _RATIOS = 2000, 1000

#: The meanings of arguments, the same in every endpoint; any other argument has the help of the command's option.
_MEANINGS = {
    "references": "the reference, one utterance per line; of alignment its bisegments, such as [0]:[0,1].",
    "predictions": "the prediction, the same lines with other word boundaries; of alignment its bisegments.",
    "systems": "the predictions of two to 10 systems by name, the same lines with other word boundaries.",
    "baseline": "the name of the system that the others are compared with; empty for the first.",
    "form": '"words" (spaces between words), "units" (between units, WORD_BOUNDARY between words), "recognise", or '
    "another that the command segscores formats describes.",
    "scores": "names of score groups, as the endpoint groups lists them, or of tools: what wordseg prints.",
    "n_resamples": "the number of trials of the tests.",
    "ignored_tokens": "tokens of units text to leave out, separated by spaces.",
    "first": "how many utterances to show, up to 2,000.",
    "boundary_scores": "for each utterance, a number for each gap between two of its units.",
    "ratios": "up to 1,000 shares, from 0 to 1; by default 0, 0.05, …, 1.",
    "ratio": "the share of all gaps that become boundaries, from 0 to 1.",
    "committee": "the segmentations of the same text by up to 100 members of the committee.",
}
_OPTIONS = {**COMMANDS["alignment"].options, **COMMANDS["compare"].options}


def score(  # noqa: PLR0917
    references: str,
    predictions: str,
    form: _Form = "recognise",
    scores: list[str] = _DEFAULT,
    word_boundary: str = "",
    ignored_tokens: str = "",
    confidence: float | None = None,
) -> dict[str, Any]:
    """Score a predicted word segmentation against a reference over the same characters or units.

    Returns:
        the scores by key, their intervals if `confidence` is given, the counts by column, the signature, and the form in
        which the texts were read.
    """
    texts = {"reference": references, "prediction": predictions}
    options = {"word_boundary": word_boundary, "ignored_tokens": ignored_tokens, "confidence": confidence}
    tab = Score(_read(Score.read, texts, form, scores, **options))
    (scored,) = tab.scored
    intervals = {"intervals": finite(scored.intervals)} if scored.intervals else {}
    return {"scores": finite(scored.scores), **intervals, "counts": scored.counts, **_signed(tab)}


def compare(  # noqa: PLR0917
    references: str,
    systems: dict[str, str],
    baseline: str = "",
    form: _Form = "recognise",
    scores: list[str] = _DEFAULT,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    word_boundary: str = "",
    ignored_tokens: str = "",
) -> dict[str, Any]:
    """Compare predicted segmentations of one reference: scores, differences from a baseline, their intervals and p-values.

    Returns:
        for each system its scores, intervals and differences; for each score the best system and those that are not
        significantly worse; the signature, and the form in which the texts were read.
    """
    is_fit = isinstance(systems, dict) and 2 <= len(systems) <= len(LETTERS)
    _expect(is_fit, "systems", f"an object with the predictions of two to {len(LETTERS)} systems by name", systems)
    boxes = [box.name for box in Compare.boxes[1:]]
    texts = {"reference": references, **dict(zip(boxes, systems.values(), strict=False))}
    names = {f"{box}.name": name for box, name in zip(boxes, systems, strict=False)}
    options = {"word_boundary": word_boundary, "ignored_tokens": ignored_tokens, "confidence": confidence}
    options |= {"baseline": baseline, "n_trials": n_resamples}
    tab = Compare(_read(Compare.read, texts, form, scores, **options, **names))
    return {**finite(tab.comparison.to_dict()), **_signed(tab)}


def differences(references: str, predictions: str, first: int = 100) -> list[str]:
    """Show where two segmentations differ: | a boundary of both, + missed, − wrong.

    Returns:
        one line for each utterance.
    """
    _expect(type(first) is int and 0 <= first <= _DRAWN, "first", f"a number from 0 to {_DRAWN:,}", first)
    inputs = _read(Score.read, {"reference": references, "prediction": predictions})
    return [str(difference) for difference in first_differences(inputs, first)]


def sweep(
    references: str, boundary_scores: list[list[float]], ratios: list[float] | None = None
) -> dict[str, list[float]]:
    """Evaluate boundary scores: the gaps with the highest scores, a share λ of all gaps, become boundaries.

    Returns:
        the threshold, the ratio and every score, with a value per share.
    """
    shares = [step / 20 for step in range(21)] if ratios is None else ratios
    is_fit = isinstance(shares, list) and len(shares) <= _RATIOS
    _expect(is_fit, "ratios", f"a list of up to {_RATIOS:,} shares", shares)
    inputs = _read(_read_reference, {"reference": references})
    curve = sweep_scores(inputs.files["reference"], boundary_scores, ratios=shares, **inputs.options)
    return {key: finite(values.tolist()) for key, values in curve.items() if key != "best"}


def segment(references: str, boundary_scores: list[list[float]], ratio: float) -> list[str]:
    """Segment a text at the gaps with the highest boundary scores, a share λ of all gaps.

    Returns:
        the segmented utterances.
    """
    _expect(type(ratio) in (int, float) and 0 <= ratio <= 1, "ratio", "a number from 0 to 1", ratio)
    inputs = _read(_read_reference, {"reference": references})
    segmentation = segment_at(inputs.files["reference"], boundary_scores, ratio=ratio, **inputs.options)
    return [line if isinstance(line, str) else " ".join(line) for line in segmentation]


def difficulty(references: str, predictions: str, committee: list[str]) -> dict[str, Any]:
    """Scores balanced by the difficulty of words: the share of a committee of segmenters that misses a word.

    Returns:
        balanced scores by key, and the difficulties of the words of each utterance.
    """
    is_fit = isinstance(committee, list) and all(isinstance(text, str) for text in committee)
    _expect(is_fit, "committee", "a list of texts", committee)
    read = partial(Difficulty.read_committee, texts=committee)
    tab = Difficulty(_read(read, {"reference": references, "prediction": predictions}))
    return {"scores": finite(tab.scored[0].scores), "difficulties": tab.difficulties.to_arrow().to_pylist()}


def alignment(references: str, predictions: str, sources: str = "", targets: str = "") -> dict[str, float]:
    """Score the alignment of a text with its translation (ARCADE): bisegments, and pairs by segments, words and characters.

    Returns:
        scores by key.
    """
    texts = {name: text for name, text in (("sources", sources), ("targets", targets)) if text}
    tab = Alignment.of(_read(Alignment.read, {"reference": references, "prediction": predictions, **texts}))
    return dict(finite(tab.scored[0].scores))


def groups() -> dict[str, dict[str, Any]]:
    """List the score groups: title, definition, formula, source, keys, and the counts that they read.

    Returns:
        the description of each group, by name.
    """
    return describe({name: GROUPS[name] for name in Score.groups})


def add_endpoints(server: gr.Server) -> None:
    """Add every endpoint, which answers errors of the metric with their messages."""
    for function in (score, compare, differences, sweep, segment, difficulty, alignment, groups):
        server.api(_answering(function), name=function.__name__, concurrency_limit=4, concurrency_id="endpoints")


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def answer(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except UtteranceError as error:
            problem = f"utterance {error.utterance + 1}: {error.detail}"
        except OverflowError:
            problem = "a number is too large: expected one that a float can hold."
        except (TypeError, ValueError) as error:
            problem = str(error)
        raise gr.Error(problem, print_exception=False)

    summary, _, returns = (getdoc(function) or "").partition("\n\nReturns:")
    meanings = {name: _MEANINGS.get(name) or f"{_OPTIONS[name].help}." for name in signature(function).parameters}
    arguments = "".join(f"\n    {name}: {meaning}" for name, meaning in meanings.items())
    # Gradio reads each line as another value.
    returned = " ".join(returns.split())
    answer.__doc__ = f"{summary}\n\n{f'Args:{arguments}' if arguments else ''}\n\nReturns:\n    {returned}"
    return answer


_read_reference = partial(read_boxes, [REFERENCE], (), COMMANDS["score"])


def _read(
    read: Callable[[Mapping[str, str]], Inputs | None],
    texts: Mapping[str, object],
    form: str = "recognise",
    scores: object = None,
    **options: object,
) -> Inputs:
    """Read texts by their boxes, and options, as the fields of the page."""
    for name, text in texts.items():
        _expect(isinstance(text, str) and bool(text.strip()), name, "one utterance a line", text)
    _expect(form in _FORMS, "form", f"one of {', '.join(_FORMS)}", form)
    values = {name: "" if value is None else str(value) for name, value in {**texts, **options}.items()}
    values["text_format"] = "" if form == "recognise" else form
    if scores is not None:
        is_fit = isinstance(scores, list) and scores and set(map(str, scores)) <= {*Score.groups, *Score.selections}
        _expect(bool(is_fit), "scores", f"a list of some of {', '.join([*Score.groups, *Score.selections])}", scores)
        values["scores"] = ",".join(map(str, scores)) if isinstance(scores, list) else ""
    inputs = read(values)
    assert inputs, "no text is empty"
    return inputs


def _signed(tab: Score | Compare) -> dict[str, str]:
    return {"signature": tab.signature, "read_as": "; ".join(dict.fromkeys(tab.inputs.notes.values()))}


def _expect(is_fit: bool, name: str, expected: str, received: object) -> None:
    if not is_fit:
        raise ValueError(f"{name}: expected {expected}, received {shortened(received)}.")
