"""Score the files of a record again, in the same folder, and compare: the record is the JSON that score or compare printed with
--format json. Says which files have changed and which values differ, and exits with status 1 if any does.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

from ... import __version__
from ...options.errors import FileError
from .printing import print_out, say
from .records import digest_of_file

#: Digits beyond the twelfth are not promised.
_CLOSE = 1e-12
#: Subcommands that write a record, and their options that write files, which no record repeats.
_RECORDED, _WRITES = ("score", "compare"), ("per_utterance", "worst", "plot")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", metavar="RECORD", help="the file with the JSON")


def run(arguments: argparse.Namespace) -> int:
    from ...reading.json_values import json_value
    from ...reading.sources.opening import decode_file

    try:
        recorded = json_value(decode_file(arguments.record))
        record = recorded["record"]
        words, digests = shlex.split(record["command"]), dict(record["digests"])
    except (ValueError, TypeError, KeyError):
        raise FileError(
            f"{arguments.record}: this is no record; expected what score or compare prints with --format json."
        ) from None
    if words[:1] != ["segscores"] or not {*words[1:2]} & {*_RECORDED}:
        raise FileError(f"{arguments.record}: received the command {record['command']}; expected score or compare.")
    problems = [
        f"{path}: the file {'is gone' if current is None else 'has changed'}"
        for path, digest in digests.items()
        if (current := digest_of_file(path)) != digest
    ]
    for problem in problems:
        say(problem)
    if record.get("version") != __version__:
        say(f"the record is of version {record.get('version')}, and this is {__version__}.")
    repeated = _repeat(words[1:])
    differences = [*_differences(recorded, repeated, "")]
    for place, before, after in differences:
        say(f"{place}: {before} in the record, {after} now")
    count = sum(len(entry.get("scores", ())) for entry in repeated["predictions"])
    same = "as recorded" if not differences else f"{len(differences)} values differ"
    print_out(f"{arguments.record}: {count} scores of {len(digests)} files, {same}.")
    return int(bool(problems or differences))


def _repeat(words: list[str]) -> Any:
    """Return the JSON of a command line, which writes no file."""
    from .cli import build_parser

    options = build_parser().parse_args(words)
    for name in _WRITES:
        options.explicit.pop(name, None)
        setattr(options, name, None)
    options.format = "json"
    with redirect_stdout(io.StringIO()) as printed:
        options.run(options)
    return json.loads(printed.getvalue())


def _differences(before: Any, after: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the places where two values differ, without the record and the version in signatures."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**before, **after}:
            if name != "record":
                yield from _differences(before.get(name), after.get(name), f"{place}.{name}".lstrip("."))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, pair in enumerate(zip(before, after, strict=True)):
            yield from _differences(*pair, f"{place}[{at}]")
    elif isinstance(before, float) and isinstance(after, float):
        if not math.isclose(before, after, rel_tol=_CLOSE, abs_tol=_CLOSE):
            yield place, before, after
    elif place == "signature":
        if str(before).rpartition("|v:")[0] != str(after).rpartition("|v:")[0]:
            yield place, before, after
    elif before != after:
        yield place, before, after
