"""Score the files of a record again, in the same folder, and compare: the record is the JSON that score or compare printed with
--format json. Says which files have changed and which values differ, and exits with status 1 if any does.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from ... import __version__
from ...kernel.record import record
from ...options.errors import FileError
from .printing import print_out, say
from .records import digest_of_file
from .text import output_options

#: Digits beyond the twelfth are not promised.
_CLOSE = 1e-12
#: The most folders above a record in which its files are looked for.
_MOST_FOLDERS = 4
#: Subcommands that write a record.
_RECORDED = ("score", "compare")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", metavar="RECORD", help="the file with the JSON")


def run(arguments: argparse.Namespace) -> int:
    recorded = _read_record(arguments.record)
    options = _parse(arguments.record, recorded.words)
    problems = _changed_files(arguments.record, recorded.digests)
    for problem in problems:
        say(problem)
    if recorded.version != __version__:
        say(f"the record is of version {recorded.version}, and this is {__version__}.")
    repeated = _repeat(options)
    # Files that were read now, and of which the record does not say what they were.
    for path in repeated["record"]["digests"].keys() - recorded.digests.keys():
        say(f"{path}: the record has no digest of this file.")
    differences = [*_differences(recorded.values, repeated, place="")]
    for place, before, after in differences:
        say(f"{place}: {before} in the record, {after} now")
    count = sum(len(entry.get("scores", ())) for entry in repeated["predictions"])
    outcome = "as recorded"
    if differences:
        outcome = "1 value differs" if len(differences) == 1 else f"{len(differences)} values differ"
    print_out(f"{arguments.record}: {count} scores of {len(recorded.digests)} files, {outcome}.")
    is_as_recorded = not problems and not differences
    return 0 if is_as_recorded else 1


@record
class _Recorded:
    """The JSON of a run, and what it says about the run.

    Attributes:
        values: all of the JSON.
        words: the words of the command line.
        digests: the digests of the files that were read, by their paths.
        version: the version of the package.
    """

    values: Any
    words: list[str]
    digests: Mapping[str, str]
    version: object


def _read_record(path: str) -> _Recorded:
    """Return the record in a file; raise an error if there is none, or if it is of another subcommand."""
    from ...reading.json_values import json_value
    from ...reading.sources.opening import decode_file

    # Its errors say that there is no such file, and the like.
    text = decode_file(path)
    try:
        values = json_value(text)
        record = values["record"]
        command = record["command"]
        digests = record["digests"]
        if not isinstance(command, str) or not isinstance(digests, dict):
            raise TypeError  # another JSON, with a `record` of its own
        words = shlex.split(command)
    except (ValueError, TypeError, KeyError):
        raise FileError(
            f"{path}: this is no record; expected what score or compare prints with --format json."
        ) from None
    # Such as segscores score gold.txt system.txt --format json.
    is_recorded_command = len(words) >= 2 and words[0] == "segscores" and words[1] in _RECORDED
    if not is_recorded_command:
        raise FileError(f"{path}: received the command {command}; expected score or compare.")
    return _Recorded(values, words, digests, record.get("version"))


def _changed_files(record: str, digests: Mapping[str, str]) -> list[str]:
    """Return sentences about the files that are not as they were; raise an error if another folder has all as they were."""
    problems = []
    for path, digest in digests.items():
        current = digest_of_file(path)
        if current != digest:
            change = "is gone" if current is None else "has changed"
            problems.append(f"{path}: the file {change}")
    if not problems:
        return []
    folder = _folder_of(record, digests)
    if folder:
        name = shlex.quote(os.path.relpath(record, folder))
        remedy = f"they are in another folder: cd {shlex.quote(folder)} && segscores verify {name}"
        raise FileError(f"{record}: the files of the record are not here as they were; {remedy}")
    return problems


def _folder_of(record: str, digests: Mapping[str, str]) -> str:
    """Return the folder of the record, or one that holds it, in which all its files are as they were; empty without one."""
    folders = Path(os.path.abspath(record)).parents
    for folder in folders[:_MOST_FOLDERS]:
        if all(digest_of_file(os.path.join(folder, path)) == digest for path, digest in digests.items()):
            return os.path.relpath(folder)
    return ""


def _parse(record: str, words: list[str]) -> argparse.Namespace:
    """Return the arguments of the command line of a record."""
    from .cli import command_parser

    _, *arguments = words
    try:
        with redirect_stdout(io.StringIO()):
            return command_parser().parse_args(arguments)
    except SystemExit as ended:
        if ended.code:
            raise
        # It prints help, and ends there.
        problem = f"the command {shlex.join(words)} scores nothing; expected files and options of score or compare."
        raise FileError(f"{record}: {problem}") from None


def _repeat(options: argparse.Namespace) -> Any:
    """Return the JSON of a command line, which writes no file."""
    _leave_out_outputs(options)
    options.format = "json"
    with redirect_stdout(io.StringIO()) as printed:
        options.run(options)
    return json.loads(printed.getvalue())


def _leave_out_outputs(options: argparse.Namespace) -> None:
    """Remove the options that write files, and those that only go with them."""
    written = output_options(options.task)
    for name, option in options.task.options.items():
        goes_with_written = option.need is not None and option.need.other in written
        if name in written or goes_with_written:
            # `explicit` has the options that the user gave, and the attributes have the values of all options.
            options.explicit.pop(name, None)
            setattr(options, name, None)


class _Difference(NamedTuple):
    """Two values at a place of the JSON: `predictions[0].scores.token_fscore`."""

    place: str
    before: Any
    after: Any


def _differences(before: Any, after: Any, place: str) -> Iterator[_Difference]:
    """Yield the places where two values differ, without the record and the version in signatures."""
    if isinstance(before, dict) and isinstance(after, dict):
        names_in_either = {**before, **after}
        for name in names_in_either:
            if name != "record":
                place_of_name = f"{place}.{name}" if place else name
                yield from _differences(before.get(name), after.get(name), place_of_name)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (item_before, item_after) in enumerate(zip(before, after, strict=True)):
            yield from _differences(item_before, item_after, f"{place}[{index}]")
    elif not _are_equal(before, after, place):
        yield _Difference(place, before, after)


def _are_equal(before: Any, after: Any, place: str) -> bool:
    """Return whether two values that are neither objects nor lists of equal length are equal, but for rounding and versions."""
    if isinstance(before, float) and isinstance(after, float):
        return math.isclose(before, after, rel_tol=_CLOSE, abs_tol=_CLOSE)
    if place == "signature":
        # The last field of a signature is the version: `…|n:2|v:0.4.0`.
        signed_before, _, _ = str(before).rpartition("|v:")
        signed_after, _, _ = str(after).rpartition("|v:")
        return signed_before == signed_after
    return bool(before == after)
