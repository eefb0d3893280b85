"""Tasks: the subcommands with the options of each, and requests, with the command lines and Python code that ask for the same.

A variant of an option stands where a subcommand has another default or other values than a function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from .file_kinds import OutputFile
from .gone import FORMATS
from .keywords import ReadingOptions, ResamplingOptions, ScoringOptions
from .kinds import Choice, ListOf, OrWord, PerSide, Switch, Text
from .messages import NamedOption, literal
from .option import Changes, Need, Option
from .quoting import shell_words
from .table import LEVEL_OF_TESTS, NOT_ALIGNED, OPTIONS, PAGE, SEED_OF_TRIALS, options_in


@dataclass(frozen=True)
class Task:
    """A subcommand."""

    name: str  #: the name on the command line
    purpose: str  #: a phrase for the help
    names: Sequence[str] = ()  #: the names of its options, in the order of the help
    variants: Mapping[str, Changes] = field(default_factory=dict)  #: what differs from `OPTIONS`, by name
    one_of: Sequence[str] = ()  #: options of which the command line must have exactly one

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The options by name, in the order of the help."""
        changes = {**_OF_FILES, **self.variants}
        return {name: replace(OPTIONS[name], **changes.get(name, {})) for name in self.names}


#: The address of the code.
CODE = "https://huggingface.co/spaces/transformersegmentation/segmentation_scores"

#: Variants for files: the command recognises formats, and reads CoNLL-U and tables.
_OF_FILES: dict[str, Changes] = {
    "text_format": {
        "help": "the format, such as words or units; segscores formats lists all. Give REFERENCE,PREDICTION if the sides differ; "
                "leave one empty to detect it",
        "kind": PerSide(OPTIONS["text_format"].kind, "FORM[,FORM]", most=2), "default": None,
        "default_help": "recognised by the names and first lines"},
    "word_boundary": {"default": None, "default_help": "WORD_BOUNDARY"},
    "label_scheme": {"help": "how labels mark words, if the columns of a table hold lists of labels, one per unit",
                     "default_help": ""},
    "id2label": {"help": "the tags of the class ids 0, 1 and so on, if the columns of a table hold lists of class ids, one per "
                 "unit; the id -100 of the reference marks positions that are not units"},
}  # fmt: skip
_CONFIDENCE = OrWord(OPTIONS["confidence"].kind, "none", is_none=True)
_INTERVALS: Changes = {"help": "the confidence level of the intervals", "default": 0.95, "default_help": ""}
_OPTIONAL_INTERVALS: Changes = {"help": "the confidence level of the intervals, such as 0.95", "kind": _CONFIDENCE}

_TABLES = ("columns", "label_scheme", "id2label", "encoding")
#: The inputs of a reference and its predictions, which may be tokenizers.
_SIDES = (*_TABLES, "space", "text")
#: Options of `ReadingOptions` and `ScoringOptions` that subcommands do not have, each with the reason; they have all others.
NOT_OF_FILES = {
    **dict.fromkeys(("reference_format", "prediction_format"), "--text-format has two values"),
    "ignore_index": "of class ids in tables it is -100; data sets, which Python scores, may have another one",
}
_READING = tuple(name for name in options_in(ReadingOptions) if name not in (*NOT_OF_FILES, *_TABLES))
_TEXT = (*_READING, "zero_division")
_OF_TIMES = ("tier", "silence", "sample_rate", "time_unit", "label_map", "missing", "overlap")
#: Options of text without documents, because an utterance is a line.
_LINES = tuple(name for name in _TEXT if name not in ("documents", "whole_files", *_OF_TIMES))
_SCORES = tuple(name for name in options_in(ScoringOptions) if name not in (*NOT_OF_FILES, *_TABLES, *_TEXT))
_LAYOUT = ("percent", "systems")
_SCORED = Need("score", "it shows the results of predictions", ("PREDICTION",))
_LISTS = {"kind": Choice("table", "markdown")}
#: The options of tests, where predictions are compared only with a baseline.
_COMPARED = Need("baseline", "it is of the tests of a comparison", "NAME")
_RESAMPLING = tuple(options_in(ResamplingOptions))


def _task(name: str, purpose: str, *names: str, one_of: Sequence[str] = (), **variants: Changes) -> Task:
    """Return a task from the names of its options, and by name what differs from the table."""
    return Task(name, purpose, names, variants, one_of)


def _without_labels(option: str, *names: str) -> Changes:
    """Return the variant of an option on labels that does not go with the options `names`, which need words."""
    excludes = dict.fromkeys(names, "labels do not contain the words, which it needs")
    return {**_OF_FILES[option], "excludes": excludes}


def _drawing(subject: str, **changes: Any) -> Changes:
    """Return the variant of `plot` that draws a subject."""
    return {"help": f"draw {subject} (needs matplotlib: extra plot)", **changes}


#: The subcommands, in the order of the help: the name, the purpose, and the names of the options. A keyword is the variant of the
#: option with this name: what differs from its row in `table.OPTIONS`.
COMMANDS: dict[str, Task] = {
    task.name: task
    for task in (
        _task("score", "score predictions against a reference", *_SIDES, *_TEXT, *_SCORES, "by", "bands", "counts", "min", "max",
              "baselines", "second_reference",
              *_RESAMPLING, "per_utterance", "worst", "plot", "value", "output", "format", *_LAYOUT,
              confidence=_OPTIONAL_INTERVALS,
              plot=_drawing("token_fscore, or the main score of the chosen ones, of each subset",
                            need=Need("by", "it draws scores of subsets", "FILE")),
              baselines={"excludes": {"by": "they are of all utterances"}},
              format={"kind": Choice(*OPTIONS["format"].kind.choices, "hub", "hub-card", gone=FORMATS), "help": "the format; "
                      "hub: of .eval_results/*.yaml; hub-card: model-index of model cards"},
              systems={"default_help": "columns; rows from five values of --by on"}),
        _task("compare", "compare predictions, with intervals and significance tests", *_SIDES, "baseline", *_TEXT, *_SCORES,
              "by", "bands", *_RESAMPLING, "primary", "n_trials", "margin", "fail_if_worse", "per_utterance", "plot", "output",
              "format", *_LAYOUT,
              by={"help": "the value of each utterance, as for score: compares the systems on each value too, and on the mean "
                  "over them"},
              confidence={**_INTERVALS, "kind": LEVEL_OF_TESTS}, seed=SEED_OF_TRIALS,
              plot=_drawing("the scores with their intervals; with --by the primary score of each value"),
              per_utterance={"help": "write the utterances, with the primary score of system and baseline, and their "
                             "difference, the worst first"},
              baseline={"help": "the prediction to compare the others with, given by name, path or column"}),
        _task("errors", "show which words are wrong, in which way, and how often", *_SIDES, *_TEXT, "vocabulary",
              "on_mismatch", "on_error", "tolerance", "top", "examples", "context", "table", "output", "format", "percent",
              vocabulary={"groups": ()}, on_mismatch=NOT_ALIGNED, tolerance={"groups": ()}, examples={"default": 1},
              label_scheme=_without_labels("label_scheme", "vocabulary"),
              id2label=_without_labels("id2label", "vocabulary")),
        _task("report", "write an HTML page of scores and errors", *_SIDES, "output", *_TEXT, *_SCORES, *_RESAMPLING,
              "primary", "n_trials", "margin", "top", "utterances", "worst",
              "baselines", "second_reference", output={"is_required": True, "kind": PAGE,
              "help": "the page to write, such as report.html"},
              confidence={**_INTERVALS, "kind": _CONFIDENCE}, seed=SEED_OF_TRIALS,
              worst={"help": "the score that ranks the utterances", "need": None, "is_rare": False,
                     "default_help": "token_fscore if it is computed"},
              top={"default": 200, "help": "the number of rows in the tables of errors and words"}),
        _task("sweep", "evaluate boundary scores at every threshold", "ratios", "thresholds", "label_scheme", "types",
              "text_format", "word_boundary", "ignored_tokens", "encoding", "zero_division", "plot", "output", "format",
              "percent", text_format={"kind": PerSide(OPTIONS["text_format"].kind, "FORM", most=1), "default": None,
                           "default_help": "recognised by the name and first lines"},
              label_scheme={"kind": Choice("start", "end"), "default_help": "", "is_rare": False,
                            "help": "the numbers are one per unit instead of one per gap: the score of the unit as the start or "
                            "the end of a word"},
              plot=_drawing("the token scores by ratio")),
        _task("curve", "score predictions by size, as of the training text", *_SIDES, *_TEXT, *_SCORES, "counts", *_RESAMPLING,
              "plot", "output", "format", *_LAYOUT, confidence=_OPTIONAL_INTERVALS,
              columns={"kind": PerSide(OPTIONS["reference_column"].kind, "REFERENCE[,SIZE=PREDICTION…]")},
              plot=_drawing("the token scores, or the chosen ones, by size")),
        _task("difficulty", "rate the difficulty of reference words, and score with it", "train", "committee", "difficulties",
              "members", "seed", "processes", "output", "html", "score", "plot", *_TABLES, "committee_column", *_LINES,
              "counts", "format", *_LAYOUT, one_of=("train", "committee", "difficulties"),
              seed={"need": OPTIONS["members"].need}, label_scheme=_without_labels("label_scheme", "train", "html"),
              id2label=_without_labels("id2label", "train", "html"),
              output={"help": "write the difficulties to this file", "kind": OutputFile("the name of a file", "FILE"),
                      "excludes": {"difficulties": "that reads what -o wrote"}},
              plot=_drawing("the share of words recovered in each tenth of difficulty, a line for each --score", need=_SCORED),
              counts={"help": "also print the number of words in each tenth, and how many were recovered", "need": _SCORED}),
        _task("alignment", "score alignments of two texts", "sources", "targets", "encoding", "scores", "zero_division", "counts",
              "confidence", "baseline", "primary", "n_trials", "seed", "margin", "output", "format", *_LAYOUT,
              confidence={**_OPTIONAL_INTERVALS, "default_help": "no intervals; 0.95 with --baseline"},
              baseline={"help": "compare the predictions with this one, given by name or path", "default_help": ""},
              counts={"excludes": {"baseline": "it shows scores alone"}},
              primary={"need": _COMPARED}, n_trials={"need": _COMPARED}, seed={"need": _COMPARED}, margin={"need": _COMPARED},
              scores={"kind": ListOf(Text("the name of a level"), "LEVEL[,LEVEL]", separator=","),
                                "help": "levels to score: alignment, sentence, word, character, strict, lax",
                                "default_help": "all; word and character with --sources and --targets"}),
        _task("parity", "count the tokens of each language of a parallel text", "tokenizers", "pivot", "encoding", "confidence",
              "output", "format", confidence=_INTERVALS),
        _task("correlate", "correlate the scores of systems with an external criterion", "criterion", "against", "confidence",
              "output", "format", confidence=_INTERVALS),
        _task("identify", "find the definitions of scores that give a printed number", *_SIDES, *_TEXT, *_SCORES, "top",
              "output", "format", top={"help": "the number of definitions to print"},
              scores={"default": (), "default_help": "all", "help": "try only these score groups or single scores"}),
        _task("verify", "score the files of a record again, and compare"),
        _task("conform", "find out which scores another program prints, or write test vectors for it", "pattern", "write",
              "export", "output", "format"),
        _task("formats", "list the formats of text, with an example each", "output", "format", format=_LISTS),
        _task("groups", "list or describe the score groups", "output", "format"),
        _task("cite", "print BibTeX for scores", "signature", "output"),
        _task("completion", "print a script that completes commands in a shell", "output"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Request:
    """One of `COMMANDS`, its inputs, and values of its options without the defaults."""

    task: Task
    inputs: Mapping[str, str | Sequence[str]]  #: by the names of the parameters: a file, `NAME=FILE`, or several
    values: Mapping[str, Any] = field(default_factory=dict)  #: by the names of the options


def flag_of(option: NamedOption) -> str:
    """Return the flag of an option on the command line."""
    return option.flag or f"--{option.name.replace('_', '-')}"


def command_line(request: Request) -> str:
    """Write a request as a command line, which `apps.command.parsing` can read.

    >>> command_line(Request(COMMANDS["score"], {"reference": "r.txt", "predictions": ["p q.txt"]}, {"scores": ("token",)}))
    "segscores score r.txt 'p q.txt' --scores token"
    """
    words = ["segscores", request.task.name]
    for value in request.inputs.values():
        paths = [value] if isinstance(value, str) else value
        for path in paths:
            # A name that begins with a hyphen would be read as a flag; - alone is standard input.
            looks_like_flag = path.startswith("-") and path != "-"
            words.append(f"./{path}" if looks_like_flag else path)
    for name, value in request.values.items():
        option = request.task.options[name]
        flag = flag_of(option)
        if isinstance(option.kind, Switch):
            # The flag has no value, and stands for True.
            if value:
                words.append(flag)
            continue
        for text in option.kind.write(value):
            if text.startswith("-"):
                # A value such as -100 would be read as a flag.
                words.append(f"{flag}={text}")
            else:
                words += [flag, text]
    return shell_words(words)


def python_call(name: str, inputs: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """Write the call of a function of the package: a line for each input, as the code that reads it, and for each option."""
    arguments = dict(inputs)
    for option, value in values.items():
        arguments[option] = literal(value)
    lines = ""
    for argument, value in arguments.items():
        # The code of an input may be a call of several lines.
        code = value.replace("\n", "\n    ")
        lines += f"    {argument}={code},\n"
    return f"segscores.{name}(\n{lines})"
