"""Endpoints: the functions of the page for programs, with names, types and documentation, for `gradio_client`, HTTP and MCP."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import chain, islice
from typing import Any, Literal, NoReturn

import gradio as gr

from ..analysis.differences import differences_of
from ..analysis.difficulty import rate_difficulty, score_difficulty
from ..analysis.thresholds import segment_at
from ..analysis.thresholds import sweep as sweep_scores
from ..bitext.alignment import score_alignment
from ..bitext.bitexts import parse_bisegments
from ..measures.group import describe
from ..measures.registry import DEFAULT_SCORES, GROUPS
from ..options.tasks import COMMANDS
from ..reading.options import Reading
from ..sources.fold import fold
from ..sources.sides import sides_of
from ..sources.tallies import tally
from ..statistics import system_comparison
from ..statistics.corpus_scores import score as score_corpora
from ..statistics.signing import sign_comparison, signature
from ..support.errors import UtteranceError
from ..support.json_text import finite
from .boxes import Box, Inputs, read_boxes
from .reports import of_files

#: The score groups that need only two texts with the same units.
_GROUPS = tuple(name for name, group in GROUPS.items() if not group.needs_option and name != "unit_error")
_DEFAULT = [name for name in DEFAULT_SCORES if name in _GROUPS]
_Form = Literal["recognise", "words", "units", "conllu"]

#: The limits of a call; the command has none.
_DRAWN, _RATIOS, _RESAMPLES, _SYSTEMS, _MEMBERS, _PAIRS, _SHOWN = 2000, 1000, 2000, 10, 100, 1_000_000, 80


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
    inputs = _read({"references": references, "predictions": predictions}, form, scores, word_boundary, ignored_tokens)
    reference, prediction = inputs.files.values()
    options = inputs.options
    intervals: dict[str, tuple[float, float]] = {}
    signed = signature(reference, **options)
    # A tally, which may be joined with others, needs the size as an option.
    found_size = re.search(r"\|win:(\d+)", signed)
    sizes: dict[str, Any] = {"window_size": int(found_size[1])} if found_size else {}
    tallied = tally(reference, prediction, **options, **sizes)
    if confidence is not None:
        inputs.check_resampling()
        options |= {"confidence": confidence}
        found = score_corpora(reference, prediction, **options)
        signed = signature(reference, **options)
        intervals = {key: (found[f"{key}_low"], found[f"{key}_high"]) for key in found if f"{key}_low" in found}
    return {
        "scores": finite(tallied.scores()),
        **({"intervals": finite(intervals)} if intervals else {}),
        "counts": tallied.counts(),
        "signature": of_files(inputs, signed),
        "read_as": _read_as(inputs),
    }


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

    Args:
        references: the reference, one utterance per line.
        systems: the predictions of two to 10 systems by name, the same lines with other word boundaries.
        baseline: the name of the system that the others are compared with; empty for the first.
        form: "words" (spaces between words), "units" (spaces between units, WORD_BOUNDARY between words), "conllu" or
            "recognise".
        scores: names of score groups, as the endpoint groups lists them.
        confidence: the confidence level of the intervals, between 0 and 1; the level of the tests is 1 − confidence.
        n_resamples: the number of trials of the tests, up to 2,000.
        word_boundary: the token between words in units text; empty for the default.
        ignored_tokens: tokens of units text to leave out, separated by spaces.

    Returns:
        for each system its scores, intervals and differences; for each score the best system and those that are not
        significantly worse; the signature, and the form in which the texts were read.
    """
    if not isinstance(systems, dict) or not 2 <= len(systems) <= _SYSTEMS:
        received = list(systems) if isinstance(systems, dict) else systems
        _refuse("systems", f"an object with the predictions of two to {_SYSTEMS} systems by name", received)
    if baseline not in ("", *systems):
        _refuse("baseline", f"one of {', '.join(map(_shown, systems))}", baseline)
    _check_number("n_resamples", n_resamples, 1, _RESAMPLES, int)
    texts = {"references": references, **{f"system {_shown(name)}": text for name, text in systems.items()}}
    inputs = _read(texts, form, scores, word_boundary, ignored_tokens)
    inputs.check_resampling(len(systems), n_resamples)
    reference, *predictions = inputs.files.values()
    found = system_comparison.compare(
        reference,
        dict(zip(systems, predictions, strict=True)),
        **inputs.options,
        baseline=baseline or None,
        confidence=confidence,
        n_trials=n_resamples,
    )
    signed = sign_comparison(reference, found, **inputs.options, confidence=confidence)
    return {**finite(found.to_dict()), "signature": of_files(inputs, signed), "read_as": _read_as(inputs)}


def differences(references: str, predictions: str, first: int = 100) -> list[str]:
    """Show where two segmentations differ: | a boundary of both, + missed, − wrong.

    Args:
        references: the reference, one utterance a line.
        predictions: the prediction, the same lines with other word boundaries.
        first: how many utterances to show, up to 2,000.

    Returns:
        one line for each utterance.
    """
    _check_number("first", first, 0, _DRAWN, int)
    inputs = _read({"references": references, "predictions": predictions})
    sides = sides_of(Reading.of(**inputs.options), *inputs.files.values())
    drawn = chain.from_iterable(fold(sides, lambda part: [*differences_of(part.comparison(1))]))
    return [str(each) for each in islice(drawn, first)]


def sweep(
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
    if isinstance(ratios, list) and len(ratios) > _RATIOS:
        _refuse("ratios", f"up to {_RATIOS:,} shares", f"{len(ratios):,}")
    inputs = _read({"references": references})
    asked = [step / 20 for step in range(21)] if ratios is None else ratios
    curve = sweep_scores(inputs.files["references"], boundary_scores, ratios=asked, **inputs.options)
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
    _check_number("ratio", ratio, 0, 1, (int, float))
    inputs = _read({"references": references})
    cut = segment_at(inputs.files["references"], boundary_scores, ratio=ratio, **inputs.options)
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
    if not isinstance(committee, list) or len(committee) > _MEMBERS:
        _refuse("committee", f"a list of up to {_MEMBERS} texts", committee)
    members = {f"committee, member {number}": text for number, text in enumerate(committee, 1)}
    inputs = _read({"references": references, "predictions": predictions, **members})
    reference, prediction, *others = inputs.files.values()
    rated = [rates.tolist() for rates in rate_difficulty(reference, others, **inputs.options)]
    scores = score_difficulty(reference, prediction, rated, **inputs.options)
    return {"scores": finite(scores), "difficulties": rated}


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
    parsed: dict[str, Any] = {}
    for side, text in {"references": references, "predictions": predictions}.items():
        bisegments = parse_bisegments([line for line in _text(side, text).split("\n") if line.strip()], side)
        pairs = sum(len(source) * len(target) for source, target in bisegments)
        if pairs > _PAIRS:
            _refuse(side, f"up to {_PAIRS:,} pairs of segments", f"{pairs:,}")
        parsed[side] = [bisegments]
    texts: dict[str, Any] = {
        side: [_text(side, text).removesuffix("\n").split("\n")]
        for side, text in {"sources": sources, "targets": targets}.items()
        if text
    }
    return dict(finite(score_alignment(**parsed, **texts)))


def groups() -> dict[str, dict[str, Any]]:
    """List the score groups: title, definition, formula, source, keys, and the counts that they read.

    Returns:
        the description of each group, by name.
    """
    return describe({name: GROUPS[name] for name in _GROUPS})


def add_endpoints(server: gr.Server) -> None:
    """Add every endpoint; an error of the metric is that of the endpoint."""
    for function in (score, compare, differences, sweep, segment, difficulty, alignment, groups):
        server.api(_answering(function), name=function.__name__, concurrency_limit=4, concurrency_id="endpoints")


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def answer(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except UtteranceError as error:
            raise gr.Error(f"utterance {error.utterance + 1}: {error.detail}", print_exception=False) from None
        except (TypeError, ValueError) as error:
            raise gr.Error(str(error), print_exception=False) from None
        except OverflowError:
            told = "a number is too large: expected one that a float can hold."
            raise gr.Error(told, print_exception=False) from None

    return answer


def _read(
    texts: Mapping[str, object],
    form: str = "recognise",
    scores: Sequence[str] | None = None,
    word_boundary: str = "",
    ignored_tokens: str = "",
) -> Inputs:
    """The texts as files in memory, and the options."""
    values = {name: _text(name, text) for name, text in texts.items()}
    given = {"word_boundary": _text("word_boundary", word_boundary)}
    given["ignored_tokens"] = _text("ignored_tokens", ignored_tokens)
    if form not in ("recognise", "words", "units", "conllu"):
        _refuse("form", "one of recognise, words, units, conllu", form)
    given["text_format"] = "" if form == "recognise" else form
    if scores is not None:
        if not isinstance(scores, list) or not set(map(str, scores)) <= set(_GROUPS) or not scores:
            _refuse("scores", f"a list of some of {', '.join(_GROUPS)}", scores)
        given["scores"] = ",".join(scores)
    boxes = [Box(name, name, usual=("reference", "prediction")) for name in texts]
    found = read_boxes(boxes, [*given], COMMANDS["score"], {**values, **given})
    if found is None:
        empty = next(name for name, text in values.items() if not text.strip())
        raise ValueError(f"{empty}: there is nothing to score: expected one utterance a line.")
    return found


def _text(name: str, text: object) -> str:
    if not isinstance(text, str):
        _refuse(name, "a text", type(text).__name__)
    return text


def _read_as(inputs: Inputs) -> str:
    return "; ".join(dict.fromkeys(map(inputs.note, inputs.files)))


def _check_number(name: str, value: object, least: int, most: int, kinds: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        _refuse(name, f"a number from {least} to {most:,}", value)


def _refuse(name: str, expected: str, received: object) -> NoReturn:
    raise ValueError(f"{name}: expected {expected}, received {_shown(received)}.")


def _shown(value: object) -> str:
    return shown if len(shown := repr(value)) <= _SHOWN else f"{shown[:_SHOWN]}…"
