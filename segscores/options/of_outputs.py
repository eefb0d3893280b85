"""Options of outputs: rows of the table of options that say what a subcommand prints and writes, and in which form."""

from __future__ import annotations

from .file_kinds import InputFile, OutputFile, PrintedFile
from .kinds import Choice, ListOf, Switch, Text
from .option import Need, Option

_ROWS = OutputFile("a name that ends in .csv or .jsonl", "FILE.csv|.jsonl", endings=(".csv", ".jsonl"))
_PICTURE = OutputFile("a name that ends in .png, .svg or .pdf", "FILE.png|.svg|.pdf", endings=(".png", ".svg", ".pdf"))
_INPUT = InputFile("the name of a file", "FILE")
_SCORE = Text("the name of a score", "SCORE")

OF_OUTPUTS = (
    Option("format", Choice("table", "json", "csv", "markdown", "latex", "html"), "the format of the output",
           default="table", section="output"),
    Option("percent", Switch(), "show scores in percent, with two decimals", default=False, section="output"),
    Option("systems", Choice("columns", "rows"), "whether each prediction is a column or a row of the table; rows have the "
           "scores and their intervals alone", default_help="columns", section="output", is_rare=True),
    Option("counts", Switch(), "also print the counts behind the scores; in tables and CSV their names begin with count_",
           default=False, section="output"),
    Option("min", ListOf(Text("SCORE=VALUE, such as token_fscore=0.9", "SCORE=VALUE")),
           "exit with status 1 unless this score is at least this value for every prediction",
           default=(), section="output"),
    Option("max", ListOf(Text("SCORE=VALUE, such as word_error_rate=0.1", "SCORE=VALUE")),
           "exit with status 1 unless this score is at most this value for every prediction",
           default=(), section="output"),
    Option("value", Text("the name of a score, such as token_fscore", "SCORE"), "print the bare number of this score, or of "
           "an end of its interval, such as token_fscore_low; of several predictions a line each",
           section="output", is_rare=True, excludes=dict.fromkeys(
           ("format", "percent", "systems", "counts", "by", "baselines"), "it prints a number alone")),
    Option("fail_if_worse", Switch(), "exit with status 1 if a system is significantly worse than the baseline by the "
           "primary score; with --margin, if it is not shown to be equivalent or not inferior", default=False,
           section="output"),
    Option("baselines", Switch(), "add the scores of every gap, of no gap, and of as many random gaps as each prediction has "
           "boundaries", default=False, section="output", is_rare=True),
    Option("second_reference", _INPUT, "another annotator's segmentation, whose score is a ceiling, beside the "
           "baselines", section="output", is_rare=True,
           need=Need("baselines", "it is a row of the baselines", add=True, is_exact=True)),
    Option("per_utterance", _ROWS, "write the scores of each utterance to this file, with the prediction and the place: "
           "the file, if there are several, and the line", section="output"),
    Option("worst", _SCORE, "sort the file of --per-utterance by this score, such as token_fscore, with the worst "
           "utterances first", section="output", is_rare=True,
           need=Need("per_utterance", "it orders the scores of utterances", "FILE.csv")),
    Option("output", PrintedFile(), "write the output to this file, by default in the format of its ending, such as "
           ".json", short="-o", section="output"),
    Option("plot", _PICTURE, "draw a picture (needs matplotlib: extra plot)", section="output"),
)  # fmt: skip
