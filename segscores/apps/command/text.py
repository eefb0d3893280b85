"""Options for functions, and checks of files, which the subcommands share."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...options.file_kinds import File, OutputFile
from ...options.keywords import ReadingOptions, ScoringOptions
from ...options.messages import OptionError
from ...options.option import Option
from ...options.optional import require
from ...options.table import OPTIONS, options_in, with_implied
from ...options.tasks import Task
from ...reading.sources.delimited import delimited_of
from ...reading.sources.names import Files, files_of, shown_name, would_read
from .printing import say

if TYPE_CHECKING:
    from ...statistics.resampling import Resampling

#: The options on text that functions take as the user wrote them; `text_format` and `label_scheme` are found for each side.
_UNCHANGED = {"zero_division", *options_in(ReadingOptions)} - {"text_format", "label_scheme"}
#: The options on what is scored. Those of how text is read are in `_UNCHANGED`, and 0/0 with them.
_SCORED = options_in(ScoringOptions).keys() - options_in(ReadingOptions) - {"zero_division"}
#: Processor time for each utterance of a resample, measured on two cores.
_RESAMPLING_SECONDS = 7e-8


def encoding_of(arguments: argparse.Namespace) -> str:
    """Return the encoding that an option names; empty for UTF-8."""
    return arguments.explicit.get("encoding") or ""


def text_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options on how text is read, and on 0/0, as functions take them."""
    options = with_implied(arguments.explicit)
    unchanged = {name: options[name] for name in _UNCHANGED if name in options}
    # The forms have the other options on text: the formats of both sides, recognised or named.
    return {**unchanged, **arguments.forms}


def score_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options on what is scored and how text is read, as functions take them, with the contents of their files."""
    from ...reading.sources.lists import read_segments, read_vocabulary

    options = text_options(arguments)
    for name, value in arguments.explicit.items():
        if name not in _SCORED:
            continue
        if isinstance(value, File):
            # A list of words may be those of a corpus, such as training text; of segments it may not.
            read_words = read_vocabulary if OPTIONS[name].takes_corpus else read_segments
            options[name] = read_words(value, encoding_of(arguments))
        else:
            options[name] = value
    return options | {"label_scheme": arguments.label_scheme}


def read_resampling(arguments: argparse.Namespace) -> Resampling:
    """Return how scores are averaged and resampled; the clusters are known later."""
    from ...statistics.resampling import Resampling

    names = ("average", "confidence", "n_resamples", "seed", "interval_method")
    return Resampling(**{name: getattr(arguments, name) for name in names})


def announce_resampling(n_resamples: int, utterance_count: int, prediction_count: int) -> None:
    """Say on standard error how long the resamples of all predictions will take, if it is more than a minute.

    An example is "1,000,000 resamples of 2,000 utterances take about 3 minutes."
    """
    minutes = n_resamples * utterance_count * prediction_count * _RESAMPLING_SECONDS / 60
    if minutes > 1:
        say(f"{n_resamples:,} resamples of {utterance_count:,} utterances take about {math.ceil(minutes):,} minutes.")


def check_files(arguments: argparse.Namespace, paths: Iterable[str], named: Iterable[str] = ()) -> None:
    """Check, before any work is done, the files to read and to write.

    The files to read are `paths` and those that options name. `named` are the folders and patterns of the paths, as the command
    line names them: no output may be a file that one of them includes.
    """
    paths = list(paths)
    check_standard_input([*paths, *_option_files(arguments)])
    inputs = files_read(arguments, paths)
    folders_and_patterns = [*named, *_option_files(arguments)]
    option_of_file: dict[str, Option] = {}
    for name in output_options(arguments.task):
        path = getattr(arguments, name)
        if path is None or path == "-":
            continue
        option = OPTIONS[name]
        file = os.path.realpath(path)
        if file in option_of_file:
            raise OptionError(option_of_file[file], " and ", option, " name the same file: expected two.")
        option_of_file[file] = option
        check_output(path, inputs, folders_and_patterns)
    if getattr(arguments, "plot", None):
        # A picture that cannot be drawn is an error before the files are read.
        require("matplotlib", OPTIONS["plot"])


def check_once(sides: Sequence[Files], noun: str) -> None:
    """Check that no two sides are the same files and column; `noun` says what they are, such as prediction."""
    labels = [side.label for side in sides]
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"{label} is named twice: expected every {noun} once.")


def name_on_page(name: str) -> str:
    """Return the name of a file for a page, which is UTF-8: bytes that are no text become U+FFFD."""
    return shown_name(name).encode(errors="surrogateescape").decode(errors="replace")


def paths_on_disk(sides: Iterable[Files]) -> list[str]:
    """Return the paths of the sides, without files in memory."""
    return list(chain.from_iterable(side.on_disk for side in sides))


def output_options(task: Task) -> list[str]:
    """Return the names of the options that name files to write."""
    return [name for name, option in task.options.items() if isinstance(option.kind, OutputFile)]


def files_read(arguments: argparse.Namespace, paths: Iterable[str]) -> list[str]:
    """Return the files that a run reads, each once: `paths`, and those that options name; of a folder, its files of times."""
    named = [*paths, *_option_files(arguments)]
    files = chain.from_iterable(map(files_of, named))
    return list(dict.fromkeys(files))


def _option_files(arguments: argparse.Namespace) -> list[str]:
    """Return the files that options name, to be read."""
    return [value for value in arguments.explicit.values() if isinstance(value, File)]


def check_output(path: str, inputs: Iterable[str], named: Iterable[str] = ()) -> None:
    """Reject an output file that cannot be written, or that is an input.

    `inputs` may include `-`, which is standard input. `named` are the folders and patterns of the inputs: the next run would
    read an output file that one of them includes.
    """
    # realpath, because Path.resolve raises an error for a loop of links.
    real_path = os.path.realpath(path)
    if real_path in {os.path.realpath(name) for name in inputs if name != "-"}:
        raise ValueError(f"{path}: this is an input too, and would be overwritten.")
    if os.path.islink(real_path):
        # realpath resolves all links but those of a loop.
        raise ValueError(f"{path}: this is a symbolic link that leads back to itself.")
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise ValueError(f"{path}: expected a file in a folder that exists.")
    for name in named:
        if would_read(name, path):
            raise ValueError(f"{path}: the next run would read it as an input, by {name}; expected a file elsewhere.")
    if not Path(path).exists() and not os.access(Path(path).parent, os.W_OK):
        raise ValueError(f"{path}: no file can be written into its folder.")


def check_standard_input(paths: Iterable[str | None]) -> None:
    """Check that at most one file is `-`, which may be a table of several sides; None is an option without a file."""
    inputs = [path for path in paths if path == "-"]
    tables = [path for path in inputs if delimited_of(path) is not None]
    # A table is read once for all its sides.
    reads = len(inputs) - len(tables)
    if tables:
        reads += 1
    if reads > 1:
        raise ValueError("standard input (-) can be read only once: name a file for the others.")
