"""The options that the subcommands share: text formats, scores, intervals, signatures, and a check of standard
input."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kernel.errors import OptionError

if TYPE_CHECKING:
    from ..reading.texts import TextForm
    from ..scoring.options import Plan
    from ..sources.names import Files
    from ..sources.parts import Facts
    from ..statistics.resampling import Resampling

#: The result of `group_flags`, so that help imports neither the measures nor numpy. `python -m tests.docs.pages` writes it.
GROUP_FLAGS = Path(__file__).parent / "group_flags.json"

_DEFAULT = " (default: %(default)s)"
# Processor time for each utterance of a resample, measured on two cores.
_RESAMPLING_SECONDS = 7e-8
# The number of files, or pieces of files, that warnings name; they count the others.


def add_text_arguments(
    parser: argparse.ArgumentParser, reference: str = "the reference", prediction: str = "the predictions"
) -> None:
    """Add the options on how text is read, and on the value of 0/0.

    `--reference-format` and `--prediction-format` are for the named sides; an empty name leaves the option out.
    """
    formats = ("words", "units", "conllu")
    parser.add_argument(
        "--text-format",
        choices=formats,
        help="words: words separated by whitespace; units: units separated by spaces, with a boundary token between words; "
        "conllu: the surface tokens of CoNLL-U. Files whose names end in .conllu are always read as CoNLL-U "
        "(default: recognised from the first lines of each side)",
    )
    for side, what in (("reference", reference), ("prediction", prediction)):
        if what:
            parser.add_argument(
                f"--{side}-format",
                choices=formats,
                help=f"the format of {what}, if the sides differ (default: --text-format)",
            )
    parser.add_argument(
        "--word-boundary", metavar="TOKEN", help="the token between words in units text (default: WORD_BOUNDARY)"
    )
    parser.add_argument(
        "--ignored-tokens",
        metavar="TOKEN",
        action="append",
        default=[],
        help="a token of units text to drop; repeatable",
    )
    parser.add_argument(
        "--zero-division",
        metavar="VALUE",
        type=float,
        default=0.0,
        help="the value of scores that are 0/0; may be nan (default: 0.0)",
    )


def text_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_text_arguments`, as `scoring.Options` takes them."""
    from ..reading.readers import DEFAULT_WORD_BOUNDARY

    if arguments.text_format != "units" and (arguments.word_boundary or arguments.ignored_tokens):
        raise ValueError(
            "--word-boundary and --ignored-tokens are for units text: leave them out, or add --text-format units."
        )
    return {
        "text_format": "units" if arguments.text_format == "units" else "words",
        "word_boundary": DEFAULT_WORD_BOUNDARY if arguments.word_boundary is None else arguments.word_boundary,
        "ignored_tokens": arguments.ignored_tokens,
        "zero_division": arguments.zero_division,
    }


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options on what is scored: those of all groups, and the options of each."""
    parser.add_argument(
        "--scores",
        metavar="GROUP[,GROUP]",
        action="append",
        help="score groups or single scores, as segmentation-scores groups lists them; repeatable "
        "(default: boundary_all,boundary_noedge,token,type,tnr)",
    )
    for flag in json.loads(GROUP_FLAGS.read_text("utf-8")):
        kind: dict[str, Any] = {} if "choices" in flag else {"type": _FLAG_TYPES[flag.pop("type")]}
        parser.add_argument(flag.pop("flag"), **kind, **flag)
    parser.add_argument(
        "--normalize",
        choices=("NFC", "NFD", "NFKC", "NFKD"),
        help="the Unicode normalisation form to convert both sides to, and the files of words or segments",
    )
    parser.add_argument(
        "--on-mismatch",
        choices=("error", "skip", "align"),
        default="error",
        help="what to do with utterances whose units differ between the sides: error stops with an error, skip leaves them out, "
        "align aligns the units with as few edits as possible (default: %(default)s)",
    )


def _number_or_word(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


_FLAG_TYPES = {"int": int, "float": float, "file": str, "number or word": _number_or_word}


def group_flags() -> list[dict[str, Any]]:
    """The flags of the options of groups, as the registry declares them: the contents of GROUP_FLAGS."""
    from ..measures.registry import GROUPS, OPTIONS

    flags: list[dict[str, Any]] = []
    for option in OPTIONS.values():
        text = option.help
        if groups := [name for name, group in GROUPS.items() if option in group.options]:
            text += f"; {'adds' if option.needed else 'for'} the scores {' and '.join(groups)}"
        if option.is_list:
            text += "; the file has one per line, or is CoNLL-U if its name ends in .conllu"
        if option.goes_with:
            text += f"; needs --{option.goes_with.replace('_', '-')}"
        text = text.replace("%", "%%") + ("" if option.default in (None, ()) else _DEFAULT)
        # A number has a number for its default; an option without a default also takes a word.
        kind = type(option.default).__name__ if isinstance(option.default, (int, float)) else "number or word"
        flags.append(
            {
                "flag": f"--{option.name.replace('_', '-')}",
                "default": None if option.is_list else option.default,
                "help": text,
                **(
                    {"choices": option.choices}
                    if option.choices
                    else {"metavar": option.metavar, "type": "file" if option.is_list else kind}
                ),
            }
        )
    return flags


def score_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_score_arguments` and `add_text_arguments`, as `scoring.Options` takes them; reads their files."""
    from ..measures.registry import OPTIONS
    from ..sources.word_files import read_segments, read_vocabulary

    options = text_options(arguments)
    if arguments.scores:
        options["scores"] = [name.strip() for names in arguments.scores for name in names.split(",")]
    for name, option in OPTIONS.items():
        if (value := getattr(arguments, name)) is not None:
            read = read_vocabulary if option.takes_corpus else read_segments
            options[name] = read(value, joined_form(arguments)) if option.is_list else value
    return options | {"normalize": arguments.normalize, "on_mismatch": arguments.on_mismatch}


def joined_form(arguments: argparse.Namespace) -> TextForm | None:
    """The form of the reference, if it is units text whose units are joined; the files of options are read likewise."""
    form: TextForm | None = getattr(arguments, "joined_form", None)
    return form


def option_files(arguments: argparse.Namespace) -> list[str | None]:
    """The files that the options of `add_score_arguments` name; None where an option is not given."""
    from ..measures.registry import OPTIONS

    return [getattr(arguments, name) for name, option in OPTIONS.items() if option.is_list]


def add_resampling_arguments(
    parser: argparse.ArgumentParser, *, confidence: float | None, optional: bool = False
) -> None:
    """Add the options on intervals and averages."""
    parser.add_argument(
        "--confidence",
        metavar="NUMBER",
        type=_level_or_none if optional else float,
        default=confidence,
        help="confidence level of the intervals"
        + (", or none for no intervals" if optional else "")
        + (", such as 0.95 (default: no intervals)" if confidence is None else _DEFAULT),
    )
    parser.add_argument(
        "--resamples",
        dest="n_resamples",
        metavar="NUMBER",
        type=int,
        help="the number of times that the utterances are resampled (default: 1000)",
    )
    parser.add_argument("--seed", metavar="NUMBER", type=int, help="seed of the resampling (default: 0)")
    parser.add_argument(
        "--average",
        choices=("micro", "macro"),
        default="micro",
        help="micro: scores of the whole corpus; macro: the mean of the scores of its utterances" + _DEFAULT,
    )


def _level_or_none(text: str) -> float | None:
    try:
        return None if text == "none" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number such as 0.95, or none, received {text!r}") from None


def resampling_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_resampling_arguments`, as `resampling.Resampling` takes them."""
    return {
        "average": arguments.average,
        "confidence": arguments.confidence,
        "n_resamples": 1000 if arguments.n_resamples is None else arguments.n_resamples,
        "seed": 0 if arguments.seed is None else arguments.seed,
    }


def check_no_resampling(arguments: argparse.Namespace, *options: str) -> None:
    """Check that no option on resampling is given where nothing is resampled."""
    for option in options:
        if getattr(arguments, option) is not None:
            raise OptionError(option, "it is for intervals: add confidence=0.95.")


def announce_resampling(n_resamples: int, utterances: int, times: int = 1) -> None:
    """Report the expected duration of a resampling on standard error, if it exceeds a minute."""
    minutes = n_resamples * utterances * times * _RESAMPLING_SECONDS / 60
    if minutes > 1 and sys.stderr:
        print(
            f"segmentation-scores: {n_resamples:,} resamples of {utterances:,} utterances take about {math.ceil(minutes):,} "
            f"minutes.",
            file=sys.stderr,
        )


def sign_files(
    files: Sequence[Files],
    plan: Plan,
    facts: Facts,
    arguments: argparse.Namespace,
    *,
    resampling: Resampling | None = None,
    clusters: int | None = None,
    further: Mapping[str, object] | None = None,
) -> str:
    """The signature of scores of files: see `signature.signature_of`."""
    from ..reading.inputs import FORM_NAMES, TEXT
    from ..scoring.signature import signature_of

    plain = plan.plain()
    are_conllu = [side.is_conllu(arguments.text_format) for side in files]
    if all(are_conllu):
        plain["text_format"] = "conllu"
    form, _ = facts.forms.get(0, (TEXT, 0))
    return signature_of(
        plain,
        "text" if are_conllu[0] else FORM_NAMES.get(form, "words"),
        facts.utterances,
        average="micro" if resampling is None else resampling.average,
        intervals="" if resampling is None else str(resampling),
        clusters=clusters,
        further={**(further or {}), **_signed_left_out(facts)},
    )


def _signed_left_out(facts: Facts) -> dict[str, object]:
    numbers = [left_out.utterances for _, left_out in sorted(facts.left_out.items())]
    signed: dict[str, object] = {"left_out": "+".join(map(str, numbers))} if any(numbers) else {}
    return signed | ({"left_out_files": len(facts.failures)} if facts.failures else {})


def read_lists(path: str, name: str, *items: type) -> list[list[Any]]:
    """The lists of numbers in JSON lines, whose items are of these types, if any are given; `name` is that of the file."""
    from ..kernel.errors import FileError
    from ..kernel.quoting import shortened
    from ..sources.opening import read_lines

    lists = []
    for number, line in enumerate(read_lines(path), 1):
        problem, found = "", None
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            problem = f", which is not JSON ({getattr(error, 'msg', error)})"
        if not isinstance(found, list) or (items and not set(map(type, found)) <= set(items)):
            raise FileError(
                f"{name}, line {number}: received {shortened(line)}{problem}; expected a JSON list of numbers, such as "
                f"[0.0, 0.5], or [] for a blank utterance."
            )
        lists.append(found)
    return lists


def check_output(path: str, inputs: Iterable[str | None]) -> None:
    """Check that a file can be written, before any work is done. Among the inputs, `-` and None are not files."""
    # Not Path.resolve, which raises an error for a loop of links.
    if os.path.realpath(path) in {os.path.realpath(name) for name in inputs if name and name != "-"}:
        raise ValueError(f"{path}: this is an input too, and would be overwritten.")
    if os.path.islink(os.path.realpath(path)):
        raise ValueError(f"{path}: this is a symbolic link that leads back to itself.")
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise ValueError(f"{path}: expected a file in a folder that exists.")
    if not Path(path).exists() and not os.access(Path(path).parent, os.W_OK):
        raise ValueError(f"{path}: no file can be written into its folder.")


def check_outputs(outputs: Mapping[str, str | None], inputs: Sequence[str | None]) -> None:
    """Check that files can be written, and that they differ, before any work is done."""
    options: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None or path == "-":
            continue
        if not path:
            raise ValueError(f"{option}: expected the name of a file, received nothing.")
        if (other := options.setdefault(os.path.realpath(path), option)) != option:
            raise ValueError(f"{other} and {option} name the same file: expected two.")
        check_output(path, inputs)


def check_inputs(arguments: argparse.Namespace, sides: Iterable[Files], *further: str | None) -> list[str | None]:
    """The files that a scoring reads: those of the sides, of the options of groups, and further ones."""
    inputs = [*(path for side in sides for path in side.paths), *option_files(arguments), *further]
    check_standard_input(inputs)
    return inputs


def check_standard_input(paths: Iterable[str | None]) -> None:
    """Check that at most one file is `-`."""
    if list(paths).count("-") > 1:
        raise ValueError("standard input (-) can be read only once: name a file for the others.")
