"""Names of recordings that have the names of their files, by which the recordings of two sides pair.

Conventions
-----------
- A recording is called as its file without the ending. If more pair by the names up to the first dot, these count. If files of a
  side have one name in several folders, the folders within the side belong to the names, with `/` between them.
- Where a file of a side has several speakers, the speaker follows the name of the file after a space. If each side is one file,
  its recordings are called as their speakers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FileName:
    """The names that a recording may have by its file.

    Attributes:
        folder: the folder of the file within its side; empty at the top.
        stem: the name of the file without its ending.
        speaker: the speaker of the recording; empty if the file names none.
    """

    folder: str
    stem: str
    speaker: str = ""

    @property
    def short_stem(self) -> str:
        """The name of the file up to its first dot."""
        return self.stem.partition(".")[0]

    @property
    def unique(self) -> str:
        """A name that no other recording of the side has, unless two files differ in their endings alone."""
        return f"{_in_folder(self, self.stem)} {self.speaker}".rstrip()


#: The names by which recordings may pair, the best first.
_RULES: tuple[Callable[[FileName], str], ...] = (
    lambda name: name.stem,
    lambda name: name.short_stem,
    lambda name: _in_folder(name, name.stem),
    lambda name: _in_folder(name, name.short_stem),
)


def _in_folder(name: FileName, stem: str) -> str:
    return f"{name.folder}/{stem}" if name.folder else stem


def common_names(sides: Sequence[Mapping[str, FileName | str]]) -> list[dict[str, str]]:
    """Return the new names of the recordings of each side by their present ones, so that as many as possible pair.

    A string is a name of a recording that stays.

    >>> gold = {"ann/a": FileName("ann", "a"), "bob/a": FileName("bob", "a")}
    >>> common_names([{"x": FileName("", "a.gold")}, {"y": FileName("", "a")}]), common_names([gold])
    ([{'x': 'a'}, {'y': 'a'}], [{'ann/a': 'ann/a', 'bob/a': 'bob/a'}])
    """
    if all(_is_one_file(side) for side in sides):
        return [{old: _of_only_file(name) for old, name in side.items()} for side in sides]
    best = [{old: old for old in side} for side in sides]
    most = -1
    for rule in _RULES:
        renamed = _named_by(rule, sides)
        shared = len(set.intersection(*({*names.values()} for names in renamed)))
        are_distinct = all(len({*names.values()}) == len(names) for names in renamed)
        if are_distinct and shared > most:
            best = renamed
            most = shared
    return best


def _is_one_file(side: Mapping[str, FileName | str]) -> bool:
    """Return whether all recordings of a side are speakers of one file."""
    return len(
        {(name.folder, name.stem) if isinstance(name, FileName) else name for name in side.values()}
    ) == 1 and all(isinstance(name, FileName) and name.speaker for name in side.values())


def _of_only_file(name: FileName | str) -> str:
    return name if isinstance(name, str) else name.speaker


def _named_by(rule: Callable[[FileName], str], sides: Sequence[Mapping[str, FileName | str]]) -> list[dict[str, str]]:
    """Return the names of recordings by a rule, with their speakers where a file of a side has several."""
    with_speakers: set[str] = set()
    for side in sides:
        of_files = [name for name in side.values() if isinstance(name, FileName)]
        recordings = Counter((name.folder, name.stem) for name in of_files)
        with_speakers.update(rule(name) for name in of_files if recordings[name.folder, name.stem] > 1)
    return [{old: _named(rule, name, with_speakers) for old, name in side.items()} for side in sides]


def _named(rule: Callable[[FileName], str], name: FileName | str, with_speakers: set[str]) -> str:
    if isinstance(name, str):
        return name
    base = rule(name)
    return f"{base} {name.speaker}".rstrip() if base in with_speakers else base
