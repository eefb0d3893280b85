"""The ids of utterances that the options `clusters` and `by` define: documents, speakers, sessions."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...options.errors import FileError, UtteranceError, counting_from, warn
from ...options.file_kinds import File, IdRule
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.delimited import as_table, delimited_of, find_table, first_lines
from ...reading.sources.names import DOCUMENT, is_table, shown_name
from .text import encoding_of

if TYPE_CHECKING:
    from ...reading.sources.names import Files
    from ...scoring.observations import Observations
    from ...scoring.plan import Plan
    from ...scoring.utterance_tally import UtteranceTally
    from ...statistics.dividing import Subsets

#: Between the name of a recording and its id.
_SEPARATOR = re.compile(r"[\s,;]+")
#: Lines of ages as CHILDES writes them, in years, months and perhaps days: `2;06.15`.
_AGES = re.compile(r"^\d{1,2};\d{1,2}(\.\d{0,2})?$", re.MULTILINE)
#: The number of bytes at the beginning of a file in which to look for a document.
_HEAD_BYTES = 1 << 20


def check_ids(arguments: argparse.Namespace, reference: Files) -> None:
    """Check that an option names a column only of a table, and documents only if these are no utterances."""
    for name, rule in _rules_of(arguments).items():
        if rule.word == "column" and not any(map(is_table, reference.paths)):
            raise OptionError(OPTIONS[name].set(rule), f": {reference.label} is not a table, and has no columns.")
        if rule.word == "newdoc" and arguments.explicit.get("documents"):
            raise OptionError(
                OPTIONS[name].set(rule), ": with ", OPTIONS["documents"], " an utterance is a document: leave it out."
            )


def id_columns(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the columns of the reference that have ids, by the names of the options."""
    rules = _rules_of(arguments).items()
    # A category is a part of the line, from which `categories_of` takes it.
    usual_columns = {"newdoc": DOCUMENT, "category": "line"}
    columns = {}
    for name, rule in rules:
        if rule.word == "column":
            columns[name] = rule.argument
        elif rule.word in usual_columns:
            columns[name] = usual_columns[rule.word]
    return columns


def _rules_of(arguments: argparse.Namespace) -> dict[str, IdRule]:
    """Return the rules of the options that define ids, by the names of the options, without files of ids."""
    values = {name: arguments.explicit.get(name) for name in ("clusters", "by")}
    return {name: rule for name, rule in values.items() if isinstance(rule, IdRule)}


def ids_for(name: str, arguments: argparse.Namespace, reference: Files, observed: Observations) -> Any:
    """Return the ids that an option defines, one for each utterance, in a list or an array; None without the option.

    For `length` and `label`, which define no ids, return this word.
    """
    import numpy as np

    from ...scoring.passes import ids_of

    rule = getattr(arguments, name)
    if rule is None:
        return None
    if isinstance(rule, File):
        return _read_ids(name, rule, encoding_of(arguments), observed)
    if rule.word == "every":
        # The user's number may be too large for an array, and no utterance may have been read.
        run_length = max(1, min(int(rule.argument), observed.utterances))
        # Runs of 2: the ids of five utterances are 0 0 1 1 2.
        return np.arange(observed.utterances) // run_length
    if rule.word in ("length", "label"):
        # Reading tells later what divides: the lengths of utterances, or the labels of words.
        return rule.word
    if rule.word == "file":
        return _files(name, rule, reference, observed)
    if rule.word == "speaker":
        return _speakers(name, rule, reference, observed)
    # Other rules name a column, whose ids were read with the text. Columns are read in the order of `id_columns`.
    column = list(id_columns(arguments)).index(name)
    ids = ids_of(observed, column, name)
    if rule.word == "category":
        from ...statistics.dividing import categories_of

        return categories_of(ids)
    # A file is a document at least. If there are as many documents as files, no file has two.
    has_one_each = len(ids.unique()) == len(reference.paths)
    if rule.word == "newdoc" and has_one_each:
        option = OPTIONS[name]
        first_path, *_ = reference.paths
        start = f"{first_path}: no comment '# newdoc' divides a file into documents; pass "
        raise FileError(start, option, " FILE with an id per line, or ", option, " every:N.")
    return ids


def edges_of_bands(arguments: argparse.Namespace) -> tuple[float, ...]:
    """Return the edges of the bands into which the option `bands` divides numbers; none without it."""
    if not arguments.bands:
        return ()
    from ...statistics.bands import check_edges

    return check_edges(arguments.bands)


def subsets_for(
    arguments: argparse.Namespace,
    reference: Files,
    observed: Observations,
    tallies: Sequence[UtteranceTally],
    plan: Plan,
) -> Subsets:
    """Return the subsets into which the option `by` divides the utterances of a comparison.

    An error says that `label` divides words.
    """
    from ...reading.world import length_unit
    from ...statistics.dividing import subsets_of

    rule = arguments.by
    if isinstance(rule, IdRule) and rule.word == "label":
        problem = ": it divides words, and a comparison is of whole utterances; score has it."
        raise OptionError(OPTIONS["by"].set(rule), problem)
    try:
        values = ids_for("by", arguments, reference, observed)
        return subsets_of(values, tallies, length_unit=length_unit(plan.reading), bands=edges_of_bands(arguments))
    except UtteranceError as error:
        raise placed_id("by", arguments, observed, error) from None


def placed_id(name: str, arguments: argparse.Namespace, observed: Observations, error: UtteranceError) -> ValueError:
    """Return the error of an utterance's id with the place of the id: `--by category, gold.txt, line 3: …`."""
    from ...scoring.observations import place_in

    rule = getattr(arguments, name)
    if isinstance(rule, File):
        # The ids are the lines of a file of their own: that utterance 2 has no id means line 3 of this file.
        return error.in_file(shown_name(rule))
    # Rules such as `category` and `column:age` read the ids in the files of the text.
    return OptionError(OPTIONS[name].set(rule), f", {place_in(observed.extents, error.utterance)}: ", error.detail)


def name_of(rule: IdRule | File) -> str:
    """Return the noun of the ids of a rule, for tables and pictures: `document`, or `age` for the file age.txt."""
    if isinstance(rule, File):
        return rule.column or Path(rule).stem
    if rule.word == "column":
        return rule.argument
    nouns = {"newdoc": "document", "every": "part"}
    return nouns.get(rule.word, rule.word)


def _speakers(name: str, rule: IdRule, reference: Files, observed: Observations) -> list[str]:
    """Return the speaker of each recording, which the tiers or columns of its file name."""
    # An extent is a file of the reference. A recording whose file names no speaker has an empty string, or has no item.
    speakers = list(chain.from_iterable(extent.source.speakers for extent in observed.extents))
    are_named = len(speakers) == observed.utterances and "" not in speakers
    if not are_named:
        option = OPTIONS[name]
        problem = f": {reference.label} does not name the speaker of each recording; expected tiers such as 'Ann - words'. Pass "
        raise OptionError(
            option.set(rule), problem, option, " FILE with the name of a recording and an id on each line."
        )
    return speakers


def _files(name: str, rule: IdRule, reference: Files, observed: Observations) -> list[str]:
    """Return the file of each utterance, by what its path has of its own."""
    # An extent is a file, with the number of its utterances.
    if len(observed.extents) < 2:
        problem = f": {reference.label} is one file; expected a pattern of several, such as 'suite/*/gold.txt'."
        raise OptionError(OPTIONS[name].set(rule), problem)
    return _file_of_each(observed)


def datasets_of(observed: Observations) -> list[str]:
    """Return the file of each utterance, if the reference has several files of several utterances each; else an empty list."""
    utterance_counts = [extent.utterance_count for extent in observed.extents]
    if len(utterance_counts) < 2 or min(utterance_counts) < 2:
        return []
    return _file_of_each(observed)


def _file_of_each(observed: Observations) -> list[str]:
    """Return the name of its file for each utterance: of a.txt with two utterances and b.txt with one, `["a", "a", "b"]`."""
    names = own_parts([extent.source.name for extent in observed.extents])
    files: list[str] = []
    for name, extent in zip(names, observed.extents, strict=True):
        files += [name] * extent.utterance_count
    return files


def own_parts(paths: Sequence[str]) -> list[str]:
    """Return the parts of paths in which they differ, without the folders and the ending that all share.

    >>> own_parts(["suite/ctb/gold.txt", "suite/pku/gold.txt"]), own_parts(["d/ctb.txt", "d/pku.txt"])
    (['ctb', 'pku'], ['ctb', 'pku'])
    >>> own_parts(["ctb/test/words/gold.txt", "pku/test/words/gold.txt"])
    ['ctb', 'pku']
    >>> own_parts(["test/gold.txt", "test/gold.txt"])
    ['gold', 'gold']
    """
    split_paths = [path.split("/") for path in paths]
    # One part of each path remains at least.
    most_shared = min(map(len, split_paths)) - 1
    shared_at_start = _count_shared(split_paths, most_shared)
    # The paths a/b/gold.txt and c/gold.txt share the last part, which the names leave out.
    backwards = [parts[::-1] for parts in split_paths]
    shared_at_end = _count_shared(backwards, most_shared - shared_at_start)
    own = ["/".join(parts[shared_at_start : len(parts) - shared_at_end]) for parts in split_paths]
    stems_and_endings = [os.path.splitext(name) for name in own]
    if len({ending for _, ending in stems_and_endings}) == 1:
        return [stem for stem, _ in stems_and_endings]
    return own


def _count_shared(paths: Sequence[Sequence[str]], most: int) -> int:
    """Count the parts that all paths share at their beginning, up to `most`: of a/b/c and a/b/d these are 2."""
    for index in range(most):
        if len({parts[index] for parts in paths}) > 1:
            return index
    return most


def _read_ids(name: str, path: File, encoding: str, observed: Observations) -> list[str]:
    """Return the ids in a file: a line, or a cell of the column that is named, for each utterance, in order.

    A file for recordings may have the name of a recording before each id instead, and its lines any order. `name` is the name of
    the option, for messages.
    """
    from ...reading.sources.opening import read_lines

    # Only recordings have names, with which each line may begin; for text the list is empty.
    recordings = list(chain.from_iterable(extent.source.names for extent in observed.extents))
    if path.column:
        ids = _read_column(path, encoding)
    else:
        ids = [line.strip() for line in read_lines(path, has_names=bool(recordings), encoding=encoding)]
    utterances = observed.utterances
    have_names = all(_SEPARATOR.search(line) for line in ids)
    if recordings and have_names:
        return _ids_of_recordings(path, ids, recordings)
    if not path.column:
        # Whole lines were read as ids.
        _refuse_tables(name, path, encoding)
    if len(ids) != utterances:
        hint = " Is its first line a header?" if len(ids) == utterances + 1 else ""
        raise FileError(f"{path}: {len(ids)} ids for {utterances} utterances; expected one line for each.{hint}")
    if "" in ids:
        problem = f"{path}, line {ids.index('') + 1}: there is no id; expected one line for each utterance."
        raise FileError(problem, counting=counting_from("line"))
    return ids


def _read_column(path: File, encoding: str) -> list[str]:
    """Return the ids in a column of a table of delimited text."""
    from ...reading.sources.table_rows import read_cells

    # The user names a column, so that a file of any name may be a table.
    table = delimited_of(as_table(path, is_asked=True, encoding=encoding))
    if table is None:
        raise FileError(f"{path}: it is no table of delimited text, whose column {path.column} could be read.")
    # `asked`: if the first row has one of these names, the row is a header. If not, columns have their numbers for names.
    if table.column(path.column, asked=[path.column]) is None:
        raise FileError(f"{path}: there is no column {path.column!r}; the columns are {table.shown()}.")
    return [cell.strip() for cell in read_cells(path, table, path.column, encoding)]


def _refuse_tables(name: str, path: File, encoding: str) -> None:
    """Raise an error for a file whose lines are rows of a table: each row would be an id of its own.

    `name` is the name of the option, for the message.
    """
    table = delimited_of(as_table(path, encoding=encoding))
    head = first_lines(path, encoding)
    # A file that is no table by its name may be one by its first lines. A comma before a space may be of a name: Doe, Jane.
    if table is None and head is not None and re.search(r"[\t;]|,(?! )", _AGES.sub("", head.text)):
        table = find_table(head.text, is_whole=head.is_whole)
    if table is not None and table.width > 1:
        first_column, *_ = table.names()
        raise FileError(
            f"{path}: each line has {table.width} columns: {table.shown()}; expected an id a line. Name the column with ",
            OPTIONS[name],
            f" {path}:{first_column}.",
        )


def _ids_of_recordings(path: str, lines: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the id of each recording, from lines with the name of a recording and its id."""
    known = set(names)
    id_of: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        name, recording_id = _named_id(line, known)
        if not name:
            # A line of another recording.
            continue
        if name in id_of and id_of[name] != recording_id:
            problem = f"two ids for the recording {name}, {id_of[name]} and {recording_id}; expected one."
            raise FileError(f"{path}, line {number}: {problem}", counting=counting_from("line"))
        id_of[name] = recording_id
    for name in names:
        if name not in id_of:
            problem = f"there is no line with an id for the recording {name}; expected NAME and ID on each line."
            raise FileError(f"{path}: {problem}")
    return [id_of[name] for name in names]


def _named_id(line: str, names: Set[str]) -> tuple[str, str]:
    """Return the recording that a line begins with, by its name or its file's, and its id; the name is empty if it is unknown.

    Names have spaces too, so that the longest name counts that is known.

    >>> _named_id("child one.TextGrid A", {"child", "child one"})
    ('child one', 'A')
    """
    for separator in reversed([*_SEPARATOR.finditer(line)]):
        # line:   c h i l d   o n e . T e x t G r i d   A
        # start:  child one.TextGrid
        start = line[: separator.start()]
        file_name, _, ending = start.partition(".")
        # The ending of a file has no spaces: in "Dr. Who A" it is none.
        is_file_name = start not in names and not _SEPARATOR.search(ending)
        name = file_name if is_file_name else start
        if name in names:
            return name, line[separator.end() :]
    return "", ""


def warn_of_documents(arguments: argparse.Namespace, reference: Files) -> None:
    """Warn if a CoNLL-U reference marks documents, and no option defines clusters."""
    # With the option `documents`, an utterance is a document.
    are_independent = arguments.clusters is not None or arguments.explicit.get("documents")
    if not are_independent and _has_documents(reference, arguments.text_format):
        warn(
            f"{reference.name} consists of documents ('# newdoc'), whose sentences are not independent. Intervals that treat "
            f"them as independent are too narrow, and p-values too small. Add --clusters newdoc."
        )


def _has_documents(reference: Files, text_format: str) -> bool:
    """Return whether a CoNLL-U file marks documents near its beginning, without a look at standard input."""
    from ...reading.sources.opening import BYTE_ORDER_MARK, open_file

    for path in reference.paths:
        # Only some of the files may be CoNLL-U.
        if path != "-" and replace(reference, paths=(path,)).marks_documents(text_format):
            with open_file(path) as file:
                head = file.read(_HEAD_BYTES).removeprefix(BYTE_ORDER_MARK)
            # At the beginning of a line, also of the first one.
            if f"\n{DOCUMENT}".encode() in b"\n" + head:
                return True
    return False
