"""Sides that are likely swapped, by the names of their files or columns, and a baseline that is likely the newer system."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from ...options.errors import warn
from .column_names import OF_SIDES, is_of
from .delimited import delimited_of
from .names import Files, is_table, shown_name

#: The usual words in the names of a new system, and in those of the one before it.
_NEWER = frozenset({"after", "candidate", "current", "head", "new", "newer", "next", "pr", "proposed"})
_OLDER = frozenset(
    {"base", "baseline", "before", "last", "main", "master", "old", "older", "prev", "previous", "release", "released"}
)
#: Names that only the baseline of a comparison has.
_BASELINES = frozenset({"base", "baseline", "main", "master", "previous"})
#: The numbers at the end of a name, after a word such as `v` or after a mark: `v1.10`, `crf-epoch3`, `crf_2026-11-30`.
_VERSION = re.compile(
    r"""(?ix)
    (?: (?:^|[\W_]) (?:v|version|r|run|epoch|step|iter|ckpt|checkpoint) [-_]?
      | [\W_] )
    (?P<numbers> \d+ (?:[.-]\d+)* ) $
    """
)


def warn_of_newer_baseline(names: Sequence[str]) -> None:
    """Warn if the first system, which is the baseline of a check, has the name of a new one, and another that of an old one."""
    baseline, *others = names
    older = [name for name in others if _is_older(name, baseline)]
    if older:
        roles = f"{baseline} is the baseline, because it comes first, and {older[0]} is compared with it"
        warn(f"{roles}: by their names they are swapped. If so, add --baseline {older[0]}.")


def _is_older(name: str, baseline: str) -> bool:
    """Return whether a system is older than the baseline, or is the baseline itself, by their names.

    >>> _is_older("old", "new"), _is_older("baseline", "crf"), _is_older("v1", "v2"), _is_older("b", "a")
    (True, True, True, False)
    """
    if is_of(name, _OLDER):
        is_called_baseline = name.lower() in _BASELINES and not is_of(baseline, _OLDER)
        return is_of(baseline, _NEWER) or is_called_baseline
    version = _VERSION.search(name)
    version_of_baseline = _VERSION.search(baseline)
    if version is None or version_of_baseline is None:
        return False
    # crf-1 and crf-2 are versions of one system, crf-1 and lstm-2 of two.
    are_of_one_system = name[: version.start("numbers")] == baseline[: version_of_baseline.start("numbers")]
    return are_of_one_system and _numbers_in(version["numbers"]) < _numbers_in(version_of_baseline["numbers"])


def _numbers_in(version: str) -> list[int]:
    """Return the numbers of a version or a date: of 1.10, these are 1 and 10."""
    return [int(number) for number in re.findall(r"\d{1,18}", version)]


def warn_of_swapped(sides: Sequence[Files]) -> None:
    """Warn if the reference has the name of a prediction, and a prediction that of a reference, as `pred.txt` and `gold.txt`."""
    reference, *predictions = sides
    for prediction in predictions:
        if prediction.tokenizer is None and are_swapped(_parts_of(reference), _parts_of(prediction)):
            first, second = map(_shown, (reference, prediction))
            warn(f"{first} is read as the reference, and {second} as a prediction: by their names they are swapped.")


def are_swapped(reference: Sequence[str], prediction: Sequence[str]) -> bool:
    """Return whether the last part in which the names of two sides differ is of a prediction, and of the reference.

    >>> are_swapped(["out", "pred.txt"], ["out", "gold.txt"]), are_swapped(["gold", "a.txt"], ["pred", "a.txt"])
    (True, False)
    """
    for left, right in zip(reversed(reference), reversed(prediction), strict=False):
        if left != right:
            return _sides_in(left) == ["prediction"] and _sides_in(right) == ["reference"]
    return False


def _sides_in(name: str) -> list[str]:
    """Return the sides of which a name has a usual word."""
    return [side for side, usual in OF_SIDES.items() if is_of(name, usual)]


def _shown(side: Files) -> str:
    """Return the name of a side, for messages: `gold.txt`, or `t.csv, column gold`."""
    first_path, *_ = side.paths
    return ", column ".join([shown_name(side.argument or first_path), *_columns_of(side)])


def _parts_of(side: Files) -> list[str]:
    """Return the parts of the name of a side: the folders and the file, or the pattern, and the column of a table."""
    first_path, *_ = side.paths
    path = PurePath(side.argument or shown_name(first_path))
    return [*path.parts, *_columns_of(side)]


def _columns_of(side: Files) -> list[str]:
    """Return the column of a side that is a table; else nothing."""
    first_path, *_ = side.paths
    has_columns = is_table(first_path) or delimited_of(first_path) is not None
    return [side.column] if has_columns else []
