"""The arguments of a comparison: the reference, the predictions, and the options on tables."""

from __future__ import annotations

import argparse
import glob
import os.path
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ...options.errors import FileError, warn
from ...options.file_kinds import JOINED
from ...options.messages import Message, OptionError
from ...options.option import likely_format
from ...options.quoting import shell_words
from ...options.table import OPTIONS
from ...reading.sources.delimited import check_rows, delimited_of, with_columns
from ...reading.sources.names import Files, Held, expanded_patterns, is_json, is_table, short_names, shown_name
from ...reading.sources.swapped import warn_of_swapped
from .ids import check_ids, id_columns
from .printing import say
from .text import check_files, check_once, encoding_of, paths_on_disk

if TYPE_CHECKING:
    from ...scoring.plan import Plan

Output = TypeVar("Output", bound=tuple[Any, ...])

_TABLE_NAMES = ".parquet, .arrow, .jsonl, .csv or .tsv"


def add_side_arguments(parser: argparse.ArgumentParser, text: str, *, prediction: str = "[NAME=]PREDICTION") -> None:
    """Add the reference and the predictions; `text` is the help of a prediction."""
    add_reference_of_any_world(parser)
    text = f"{text}, or a tokenizer (tokenizer.json or its folder, .model); none if REFERENCE is a table of both"
    action = parser.add_argument("predictions", metavar=prediction, nargs="+", default=[], help=text)
    # A table has both sides. With nargs="*", argparse would find no prediction after options that follow the reference.
    action.required = False


def add_reference_argument(parser: argparse.ArgumentParser) -> None:
    """Add the reference, and a description of the files at the end of the help."""
    parser.add_argument(
        "reference",
        metavar="REFERENCE",
        help="the file with the reference, or a table that holds both sides; - reads standard input",
    )
    parser.epilog = (
        "Files are UTF-8 text with one utterance per line, CoNLL-U (.conllu), or tables with a column for each side (.parquet, "
        ".arrow, .jsonl, .csv, .tsv), and may be compressed (gzip, zstd, bz2). Utterances pair by position and have the same "
        "characters (or units) on both sides. A quoted pattern, such as 'part-*.gz', stands for the files that match it; if "
        "both sides have as many, they pair by name."
    )


def add_reference_of_any_world(parser: argparse.ArgumentParser) -> None:
    """Add the reference, which may also be recordings, and a description of the files at the end of the help."""
    add_reference_argument(parser)
    recordings = "Recordings, such as TextGrids or CTM, are files or folders, and pair by name (see --tier)."
    parser.epilog = f"{parser.epilog} {recordings}"


def read_sides(
    arguments: argparse.Namespace, paths: Sequence[str], columns: Sequence[str] | None = None, *, has_runs: bool = False
) -> list[Files]:
    """Return the reference and the predictions that a command line names, checked, each with its form.

    `paths` are the files of the predictions; without any, the predictions are `columns` of the reference's tables, which the
    arguments name if it is None. With `has_runs`, predictions of one name are runs of one system.
    """
    reference = read_reference(arguments)
    if columns is None and arguments.columns:
        _, *columns = arguments.columns  # the first one is the column of the reference
    predictions = _with_texts(arguments, read_predictions(arguments, reference, paths, columns))
    sides = [reference, *predictions]
    # An output file must not be in a folder or pattern that the next run reads. It may be in the folder of a tokenizer, of which
    # only the tokenizer is read.
    read_whole = [side for side in sides if side.tokenizer is None]
    folders_and_patterns = [side.argument for side in read_whole if side.argument]
    check_files(arguments, paths_on_disk(sides), named=folders_and_patterns)
    predictions = with_distinct_names(reference, predictions, has_runs=has_runs)
    check_column_options(arguments, [reference], predictions)
    check_ids(arguments, reference)
    warn_of_swapped([reference, *predictions])
    # Import late, because the module imports numpy: bad command lines should fail at once.
    from ...reading.sources.mixed_units import check_units

    sides = with_forms(arguments, [reference, *predictions])
    check_units(sides)
    return sides


def _with_texts(arguments: argparse.Namespace, predictions: Sequence[Files]) -> list[Files]:
    """Return the predictions; tokenizers among them read what the options `text` and `space` say.

    Without these options, a tokenizer reads the text of the reference.
    """
    # The attributes of `Tokenized` that the options change.
    changes: dict[str, Any] = {}
    if arguments.space:
        changes["space"] = True
    if arguments.text == JOINED:
        # The words of the reference without spaces between them.
        changes["joined"] = True
    elif arguments.text is not None:
        # The name of a file with the text.
        changes["texts"] = arguments.text
    if not changes:
        return list(predictions)
    if all(side.tokenizer is None for side in predictions):
        option = OPTIONS["space" if arguments.space else "text"]
        raise OptionError(option, ": it is for tokenizers, and no prediction is one.")
    return [_with_changes(side, changes) for side in predictions]


def _with_changes(side: Files, changes: Mapping[str, Any]) -> Files:
    """Return a side whose tokenizer, if it is one, has these attributes."""
    if side.tokenizer is None:
        return side
    return replace(side, tokenizer=side.tokenizer._replace(**changes))


def with_forms(arguments: argparse.Namespace, sides: Sequence[Files], references: int = 1) -> list[Files]:
    """Return the sides with their forms, which options name or the files show.

    In the arguments, set `forms`, the options with which functions of the package read these forms, and `text_format`, one format
    for all sides. The first `references` sides have the format of the reference; the others are predictions.
    """
    from ...reading.sources.form_options import forms_as_options, recognise_by_options

    encoding = encoding_of(arguments)
    sides = [replace(side, encoding=encoding) for side in sides]
    recognised = recognise_by_options(sides, arguments.explicit, references)
    if encoding:
        _check_encoded(recognised)
        _warn_of_utf8(recognised, encoding)
    recognised = _with_remedy(arguments, recognised)
    _say_what_was_recognised(recognised, has_columns=bool(getattr(arguments, "columns", None)))
    arguments.forms = forms_as_options(recognised, references)
    # If the sides have several formats, `forms` has an option for each side instead, each side is read in its own format, and
    # "words" only takes the place of the one format.
    arguments.text_format = arguments.forms.get("text_format", "words")
    return recognised


def _say_what_was_recognised(sides: Sequence[Files], *, has_columns: bool) -> None:
    """Say which forms and columns of the sides were recognised, and not named: `gold.txt: read as units text.`."""
    # If a file is missing, its reader's error is the only message: nothing was recognised then.
    all_exist = all(path == "-" or os.path.exists(path) for path in paths_on_disk(sides))
    for side in sides:
        # A form that an option names has no reason.
        if side.known_form.reason and all_exist:
            joined = ", joined into words text" if side.joins_units else ""
            say(f"{shown_name(side.label)}: read as {side.known_form}{joined}.")
    if has_columns:
        return
    for side in sides:
        # The files of a side have the same columns. A prediction that is a column of the reference's table has no argument.
        first_path, *_ = side.paths
        is_table_of_texts = delimited_of(first_path) is not None and not _is_of_world(side)
        if is_table_of_texts and side.argument:
            say(f"{side.argument}: read as a table, of which {side.column} is the column of utterances.")


def _check_encoded(sides: Sequence[Files]) -> None:
    """Check that a side is text or JSON lines, which have an encoding that an option may name."""
    for side in sides:
        has_encoding = any(map(_may_be_encoded, side.paths))
        # Files of recordings have encodings of their own.
        if side.tokenizer is None and has_encoding and not _is_of_world(side):
            return
    raise OptionError(OPTIONS["encoding"], ": it is for text, CSV and JSON lines, and no file is one.")


def _is_of_world(side: Files) -> bool:
    """Return whether the utterances of a side are of a world, such as recordings, and no text."""
    from ...reading.formats.registry import FORMATS

    return side.form is not None and FORMATS[side.form.text_format].world_form is not None


def _may_be_encoded(path: str | Held) -> bool:
    """Return whether a file is text, JSON lines or delimited text; other tables, such as Parquet, have no encoding."""
    return is_json(path) or delimited_of(path) is not None or not is_table(path)


def _warn_of_utf8(sides: Sequence[Files], encoding: str) -> None:
    """Warn of files that an option says are in another encoding, and that are valid UTF-8 with letters beyond ASCII."""
    from ...reading.sources.opening import is_utf8_beyond_ascii

    if encoding in ("utf-8", "utf-8-sig"):
        return
    for path in paths_on_disk(sides):
        if path != "-" and os.path.isfile(path) and is_utf8_beyond_ascii(path):
            remedy = "if it is UTF-8, leave the option out, and convert the other files with iconv."
            warn(
                Message(
                    f"{path}: this is valid UTF-8, and is read as ", OPTIONS["encoding"].set(encoding), f": {remedy}"
                )
            )


def _with_remedy(arguments: argparse.Namespace, sides: Sequence[Files]) -> list[Files]:
    """Return the sides; where options name other forms than the files show, the sides have a remedy.

    An error about units that differ says the remedy: to leave these options out.
    """
    from ...reading.sources.recognition import recognise_formats

    names = [name for name in ("text_format", "word_boundary", "ignored_tokens") if arguments.explicit.get(name)]
    if not names:
        return list(sides)
    # The same sides with the forms that the files show, as if the options were left out.
    no_formats_named = [None] * len(sides)
    try:
        shown = recognise_formats(sides, no_formats_named, word_boundary=None, ignored_tokens=(), is_trial=True)
    except ValueError:
        return list(sides)  # without the options, the files could not be read
    if not _show_other_forms(arguments, sides, shown):
        return list(sides)
    # "Leave --text-format and --word-boundary out, for the form of each file to be recognised."
    first_name, *other_names = names
    parts: list[Any] = [OPTIONS[first_name]]
    for name in other_names:
        parts += [" and ", OPTIONS[name]]
    remedy = Message("Leave ", *parts, " out, for the form of each file to be recognised.")
    return [replace(side, remedy=remedy, remedy_form=other.form) for side, other in zip(sides, shown, strict=True)]


def _show_other_forms(arguments: argparse.Namespace, sides: Sequence[Files], shown: Sequence[Files]) -> bool:
    """Return whether files show other formats, or other boundary tokens, than the options name.

    `sides` have the forms that the options name, `shown` are the same sides with the forms that their files show.
    """
    # The token that the option names, and the tokens that the files show.
    boundary_tokens = set()
    if arguments.word_boundary is not None:
        boundary_tokens.add(arguments.word_boundary)
    for side, other in zip(sides, shown, strict=True):
        if side.form is None or other.form is None:
            continue
        if side.form.text_format != other.form.text_format:
            return True
        if other.form.text_format == "units":
            boundary_tokens.add(other.form.word_boundary)
    # With two tokens, a file shows another one than the option names, or the files show different ones. The option names one for
    # all sides, so that it cannot be right for both.
    return len(boundary_tokens) > 1


def read_files(
    arguments: argparse.Namespace, files: Sequence[Files], plan: Plan, work: Callable[..., Output]
) -> tuple[Plan, Output]:
    """Read the files in one pass, and return the plan, with the defaults that come from the reference, and the output of `work`.

    `work` takes the sides, the plan, and arguments of `map_pieces` by keyword. Its output is a tuple whose last item is the
    `Observations` of the pass.
    """
    from ...reading.sources.progress import progress_bar
    from ...reading.sources.sides import open_files
    from ...scoring.passes import check_same, with_reference
    from ..allocation import keep_freed_memory

    keep_freed_memory()
    columns_of_ids = list(id_columns(arguments).values())
    reference, *_ = files
    files_in_order = list(files)
    if plan.option_needing_reference is not None:
        # The reference is read once more before, for the default of an option: the window size.
        files_in_order.append(reference)
    with _with_pattern_hint(files), progress_bar(paths_on_disk(files_in_order)) as progress:
        # The sides of the files come first, and then one for each column of ids.
        opened = open_files(files, plan.reading, arguments.text_format, ids=columns_of_ids, progress=progress)
        sides = opened[: len(files)]
        sides_of_ids = opened[len(files) :]
        reference_side, *_ = sides
        plan, first_pass = with_reference(reference_side, plan)
        output = work(sides, plan, ids=sides_of_ids)
        *_, observed = output
        # Both passes over the reference must have had the same utterances.
        check_same(first_pass, observed, plan)
    # A file that changed while it was read is an error.
    for file in files:
        file.check()
    return plan, output


@contextmanager
def _with_pattern_hint(files: Sequence[Files]) -> Iterator[None]:
    """Add to the error of a file, if the shell has likely expanded patterns, the advice to quote them."""
    try:
        yield
    except FileError as error:
        patterns = shell_words(expanded_patterns([side.argument for side in files]))
        if not patterns:
            raise
        hint = (
            f" Has the shell expanded patterns? Then only the first file is the reference: quote them, as {patterns}."
        )
        raise error.with_addition(hint) from None


def runs_of_patterns(reference: str, paths: Sequence[str]) -> list[str]:
    """Replace each named prediction that is a pattern by one for each file that matches: the runs of a system.

    If the reference is a pattern too, the files of a pattern are instead the parts of one prediction.
    """
    if glob.has_magic(reference):
        return list(paths)
    runs: list[str] = []
    for argument in paths:
        name, path = split_name(argument)
        matches: list[str] = []
        if name and glob.has_magic(path):
            matches = sorted(glob.glob(path))
        if matches:
            runs += [f"{name}={match}" for match in matches]
        else:
            # Reading says that no file matches a pattern.
            runs.append(argument)
    return runs


def with_distinct_names(reference: Files, predictions: Sequence[Files], *, has_runs: bool = False) -> list[Files]:
    """Check that predictions are distinct, and name each unnamed one by the shortest distinct end of its path.

    Of `CRF=out/crf.txt`, the name is `CRF` and the argument `out/crf.txt`, which is also the label in messages. The name of an
    unnamed prediction is its argument. A column of the reference's table has its name alone.

    With `has_runs`, predictions that the user gave one name are runs of one system.
    """
    check_once(predictions, "prediction")
    unnamed_paths = [side.argument for side in predictions if side.name == side.argument]
    # The short names differ from that of the reference too.
    _, *short = short_names([reference.argument, *unnamed_paths])
    short_name_of = dict(zip(unnamed_paths, short, strict=True))
    distinct = []
    names_of_runs: set[str] = set()
    for side in predictions:
        if side.name == side.argument:
            distinct.append(replace(side, name=short_name_of[side.argument]))
            continue
        distinct.append(side)
        # Only a prediction that the user named with a path may be a run of a system: a column has no argument.
        if has_runs and side.argument:
            names_of_runs.add(side.name)
    names = [side.name for side in distinct]
    for name in names:
        if names.count(name) > 1 and name not in names_of_runs:
            raise ValueError(f"two predictions are called {name}: expected a name for each.")
    return distinct


def split_name(argument: str) -> tuple[str, str]:
    """Split `NAME=PATH` into the name, empty if there is none, and the path; an existing file may have such a name."""
    if "=" not in argument or os.path.lexists(argument):
        return "", argument
    name, _, path = argument.partition("=")
    # folder/a=b and a*=b are paths.
    is_path = os.path.basename(name) != name or glob.has_magic(name)
    if is_path or not name.strip():
        return "", argument
    return name, path


def read_reference(arguments: argparse.Namespace) -> Files:
    """Return the reference that a command line names, with its column if it is a table."""
    column = _column_of_reference(arguments)
    files = Files.of(arguments.reference, column or "reference", encoding=encoding_of(arguments))
    return like_reference(arguments, files)


def like_reference(arguments: argparse.Namespace, files: Files) -> Files:
    """Return files of reference text; if they are tables, with the column to read.

    It is the column that the option `columns` names for the reference, or else the one that is recognised.
    """
    text_format = ""
    formats = arguments.explicit.get("text_format")
    if formats:
        # None stands for a format that is to be recognised.
        reference_format, *_ = formats
        text_format = reference_format or ""
    else:
        text_format = likely_format(arguments.explicit)
    return with_columns(files, _column_of_reference(arguments), role="reference", text_format=text_format)


def _column_of_reference(arguments: argparse.Namespace) -> str:
    """Return the column that the option `columns` names for the reference, the first one; empty for none."""
    if not arguments.columns:
        return ""
    column, *_ = arguments.columns
    return column or ""


def _format_of_predictions(arguments: argparse.Namespace) -> str:
    """Return the format of predictions that is named, or that the scores want, as sigmorphon does; empty for none."""
    # One format, or one for each side; None for a side whose format is to be recognised.
    formats = arguments.explicit.get("text_format")
    if not formats:
        return likely_format(arguments.explicit)
    # One format is that of all sides.
    *_, prediction_format = formats
    return prediction_format or ""


def read_predictions(
    arguments: argparse.Namespace,
    reference: Files,
    paths: Sequence[str],
    columns: Sequence[str] | None,
    *,
    option: str = "",
    column_option: str = "--columns",
) -> list[Files]:
    """Read the predictions: files or patterns of files, or, if there are none, columns of the reference's tables.

    `columns` is None or empty if no option names any. `option` is the flag that names the files; it is empty if they are
    positional arguments. `column_option` is the flag of `columns`.
    """
    metavar = "FILE" if option else "PREDICTION"
    if paths:
        if columns and len(columns) > 1:
            raise ValueError(
                f"{column_option} names one column for every {metavar}; several names are for a table with both sides, without "
                f"{metavar}."
            )
        column = ""
        if columns:
            (column,) = columns
        return [_read_prediction(arguments, argument, column, reference.encoding) for argument in paths]
    if not all(map(is_table, reference.paths)):
        of_input = ""
        if "-" in reference.paths and not option:
            of_input = f" If standard input is a table, name its columns with {column_option} REFERENCE,PREDICTION."
        if columns:
            # Whoever names columns takes the file for a table: if its rows are unequal, the error says so.
            for path in reference.paths:
                check_rows(path, reference.encoding)
        raise ValueError(
            f"{option or reference.label}: expected a {metavar} after it, or a table with both sides, whose name ends in "
            f"{_TABLE_NAMES}.{of_input}"
        )
    return _columns_as_predictions(reference, columns)


def _read_prediction(arguments: argparse.Namespace, argument: str, column: str, encoding: str) -> Files:
    """Return the prediction that an argument `[NAME=]PREDICTION` names; `column` is empty if no option names one."""
    name, path = split_name(argument)
    files = Files.of(path, column or "prediction", name=name, encoding=encoding)
    return with_columns(files, column, role="prediction", text_format=_format_of_predictions(arguments))


def _columns_as_predictions(reference: Files, columns: Sequence[str] | None) -> list[Files]:
    """Return a prediction for each of the columns of the reference's tables; without any, the one that is recognised."""
    # The argument names the file of the reference: a column of it has none.
    if columns:
        return [replace(reference, name=column, column=column, argument="") for column in columns]
    prediction = replace(reference, name="prediction", column="prediction", argument="")
    # No column is asked for: the one is found whose name is that of predictions, beside the column of the reference.
    found = with_columns(prediction, column="", role="prediction", beside=reference.column)
    return [replace(found, name=found.column)]


def check_column_options(
    arguments: argparse.Namespace,
    references: Sequence[Files],
    predictions: Sequence[Files],
    committee: Sequence[Files] = (),
) -> None:
    """Check that options for tables belong to tables."""
    every_side = [*references, *predictions, *committee]
    if arguments.columns:
        # `--columns ,PREDICTION` names none for the reference.
        reference_column, *prediction_columns = arguments.columns
        if reference_column is not None:
            _require_table("--columns", references)
        if prediction_columns:
            _require_table("--columns", predictions)
    if committee and arguments.committee_column:
        _require_table("--committee-column", committee)
    if arguments.label_scheme is not None:
        _require_table("--label-scheme", every_side)
    if arguments.id2label is not None:
        _require_table("--id2label", every_side)


def _require_table(flag: str, sides: Sequence[Files]) -> None:
    """Raise an error for a flag if none of its sides reads a table; a tokenizer reads none."""
    for side in sides:
        if side.tokenizer is None and any(map(is_table, side.paths)):
            return
    reason = ""
    if sides:
        first_side, *_ = sides
        reason = f", and {first_side.label} is not a table"
    raise ValueError(f"{flag} is for tables, whose names end in {_TABLE_NAMES}{reason}.")
