"""Tasks: the subcommands with the options of each, and requests, with the command lines and Python code that ask for the same.

A variant of an option stands where a subcommand has another default or other values than a function.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..support.messages import Named, literal
from .option import Choice, Either, Many, Need, Option, Sides, Switch, Text
from .table import OPTIONS, SEED_OF_TRIALS, SKIPPING


@dataclass(frozen=True)
class Task:
    """A subcommand."""

    name: str  #: on the command line
    purpose: str  #: in a few words
    options: Mapping[str, Option]  #: by name, in the order of the help


_FORMATS = (
    "words: words separated by whitespace; units: units separated by spaces, with a boundary token between words; conllu, and "
    "files whose names end in .conllu: the surface tokens of CoNLL-U; for the others see segmentation-scores formats"
)
#: What a file is, where the command differs from a function: it recognises formats, and reads CoNLL-U and tables.
_OF_FILES = {
    "text_format": OPTIONS["text_format"].but(
        help=f"{_FORMATS}. Two are of the reference and of the predictions; an empty one is recognised", default=None,
        kind=Sides(OPTIONS["text_format"].kind, "FORM[,FORM]", most=2),
        default_help="recognised from the first lines of each side"),
    "word_boundary": OPTIONS["word_boundary"].but(default=None, default_help="WORD_BOUNDARY"),
    "label_scheme": OPTIONS["label_scheme"].but(default_help="", help="how labels mark words, if the columns of a table hold "
        "lists of labels, one per unit"),
    "on_error": OPTIONS["on_error"].but(help="what to do with utterances that cannot be scored and files that cannot be read: "
        "raise stops with an error, skip leaves them out and reports their number"),
}  # fmt: skip
_INTERVALS = OPTIONS["confidence"].but(help="the confidence level of the intervals", default=0.95, default_help="")
_OPTIONAL_INTERVALS = OPTIONS["confidence"].but(help="the confidence level of the intervals, such as 0.95",
    kind=Either(OPTIONS["confidence"].kind, "none", is_none=True))  # fmt: skip

_TABLES = ("columns", "label_scheme")
_FORMAT = ("text_format", "word_boundary", "ignored_tokens", "separator", "joiner", "spaces", "markup", "zero_division")
_TEXT = (*_FORMAT, "documents", "whole_files")
_SCORES = (
    *("scores", "dictionary", "acceptable", "vocabulary", "tolerance", "window_size", "window_convention"),
    *("transposition_span", "normalize", "subword_marks", "on_mismatch"),
)
_LAYOUT = ("percent", "systems")
_LISTS = OPTIONS["format"].but(kind=Choice("table", "markdown"))
_RESAMPLING = ("confidence", "n_resamples", "seed", "average", "clusters", "interval_method")


def _task(name: str, purpose: str, *names: str, **variants: Option) -> Task:
    options = {each: variants.get(each) or _OF_FILES.get(each) or OPTIONS[each] for each in names}
    return Task(name, purpose, options)


def _plot(what: str, need: Need | None = None) -> Option:
    return OPTIONS["plot"].but(help=f"draw {what} (needs matplotlib: extra plot)", need=need)


#: The subcommands, in the order of the help.
COMMANDS: dict[str, Task] = {
    task.name: task
    for task in (
        _task("score", "score predictions against a reference", *_TABLES, *_TEXT, *_SCORES, "by", "counts", "min", "max",
              *_RESAMPLING, "per_utterance", "worst", "on_error", "plot", "format", *_LAYOUT, confidence=_OPTIONAL_INTERVALS,
              plot=_plot("the first score of each subset, or the F-score of its group",
                         Need("by", "it draws scores of subsets", "FILE"))),
        _task("compare", "compare predictions, with intervals and significance tests", *_TABLES, "baseline", *_TEXT, *_SCORES,
              *_RESAMPLING, "decide_by", "n_trials", "margin", "fail_if_worse", "plot", "format", *_LAYOUT,
              confidence=_INTERVALS, seed=SEED_OF_TRIALS, plot=_plot("the scores with their intervals"),
              baseline=OPTIONS["baseline"].but(help="the prediction to compare the others with, given by name, path or column")),
        _task("errors", "show which words are wrong, in which way, and how often", *_TABLES, *_TEXT, "normalize", "subword_marks",
              "vocabulary", "on_mismatch", "top", "examples", "context", "table", "format", "percent",
              vocabulary=OPTIONS["vocabulary"].but(groups=()), on_mismatch=SKIPPING, examples=OPTIONS["examples"].but(default=1)),
        _task("report", "write an HTML page of scores and errors", *_TABLES, "output", *_TEXT, *_SCORES, *_RESAMPLING,
              "top", "utterances", "worst", output=OPTIONS["output"].but(is_required=True),
              confidence=_INTERVALS.but(kind=_OPTIONAL_INTERVALS.kind), seed=SEED_OF_TRIALS,
              top=OPTIONS["top"].but(default=200, help="the number of rows in the tables of errors and words"),
              worst=OPTIONS["worst"].but(help="the score that ranks the utterances", need=None,
                                         default_help="token_fscore if it is computed")),
        _task("sweep", "evaluate boundary scores at every threshold", "ratios", "thresholds", "label_scheme", "types",
              "text_format", "word_boundary", "ignored_tokens", "zero_division", "plot", "format", "percent",
              text_format=_OF_FILES["text_format"].but(kind=Sides(OPTIONS["text_format"].kind, "FORM", most=1),
                                                       help=_FORMATS, default_help="recognised from the first lines"),
              label_scheme=OPTIONS["label_scheme"].but(kind=Choice("start", "end"), default_help="", help="the numbers are one "
                  "per unit instead of one per gap: the score of the unit as the start or the end of a word"),
              plot=_plot("the token scores by ratio")),
        _task("curve", "score predictions by size, as of the training text", *_TABLES, *_TEXT, *_SCORES, "counts", *_RESAMPLING,
              "on_error", "plot", "format", *_LAYOUT, confidence=_OPTIONAL_INTERVALS,
              columns=OPTIONS["columns"].but(kind=Sides(OPTIONS["reference_column"].kind, "REFERENCE[,SIZE=PREDICTION…]")),
              plot=_plot("the token scores, or the chosen ones, by size")),
        _task("difficulty", "rate the difficulty of reference words, and score with it", "train", "committee", "difficulties",
              "members", "seed", "processes", "output", "html", "score", "plot", *_TABLES, "committee_column", *_FORMAT, "counts",
              "format", *_LAYOUT,
              seed=OPTIONS["seed"].but(help="the seed of the committee's random samples", need=OPTIONS["members"].need),
              output=OPTIONS["output"].but(help="write the difficulties to this file"),
              plot=_plot("the share of words recovered in each tenth of difficulty, a line for each --score"),
              counts=OPTIONS["counts"].but(help="also print the number of words in each tenth, and how many were recovered")),
        _task("alignment", "score alignments of two texts", "sources", "targets", "scores", "zero_division", "counts", "format",
              *_LAYOUT, scores=OPTIONS["scores"].but(
                  kind=Many(Text("the name of a level"), "LEVEL[,LEVEL]", separator=","),
                  help="levels to score: alignment, sentence, word, character, strict, lax; repeatable",
                  default_help="all; word and character with --sources and --targets")),
        _task("correlate", "correlate the scores of systems with an external criterion", "criterion", "against", "confidence",
              "format", confidence=_INTERVALS),
        _task("halves", "measure how well scores agree on random halves of a test set", *_TABLES, *_TEXT, *_SCORES, "clusters",
              "n_splits", "seed", "format", seed=OPTIONS["seed"].but(help="the seed of the random splits", need=None)),
        _task("formats", "list the formats of text, with an example each", "format", format=_LISTS),
        _task("groups", "list or describe the score groups", "format", format=_LISTS),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Request:
    """One of `COMMANDS`, its inputs and the options that were given; nothing is filled in."""

    task: Task
    inputs: Mapping[str, str | Sequence[str]]  #: by the names of the parameters: a file, `NAME=FILE`, or several
    given: Mapping[str, Any] = field(default_factory=dict)  #: values by the names of the options


def flag_of(option: Named) -> str:
    """The flag of an option on the command line."""
    return option.flag or f"--{option.name.replace('_', '-')}"


def command_line(request: Request) -> str:
    """The command that does what is asked. `command.parsing` reads it again.

    >>> command_line(Request(COMMANDS["score"], {"reference": "r.txt", "predictions": ["p q.txt"]}, {"scores": ("token",)}))
    "segmentation-scores score r.txt 'p q.txt' --scores token"
    """
    words = ["segmentation-scores", request.task.name]
    for value in request.inputs.values():
        paths = [value] if isinstance(value, str) else value
        words += [f"./{path}" if path.startswith("-") and path != "-" else path for path in paths]
    for name, value in request.given.items():
        option = request.task.options[name]
        for text in option.kind.write(value):
            if isinstance(option.kind, Switch):
                words.append(flag_of(option))
            else:
                words += [f"{flag_of(option)}={text}"] if text.startswith("-") else [flag_of(option), text]
    return shlex.join(words)


def python_call(name: str, inputs: Mapping[str, str], given: Mapping[str, Any]) -> str:
    """Python code that calls a function of the package, a line for each input, with the code that reads it, and each option.

    >>> print(python_call("score", {"references": "gold"}, {"confidence": 0.95, "scores": ("token",)}))
    segscores.score(
        references=gold,
        confidence=0.95,
        scores=["token"],
    )
    """
    arguments = {**inputs, **{option: literal(value) for option, value in given.items()}}
    lines = "".join(f"    {argument}={value},\n" for argument, value in arguments.items())
    return f"segscores.{name}(\n{lines})"
