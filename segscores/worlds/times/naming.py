"""Names of recordings that have the names of their files, by which the recordings of two sides pair.

Conventions
-----------
- A recording is called as its file without the ending. If more pair by the names up to the first dot, these count. If files of a
  side have one name in several folders, the folders within the side belong to the names, with `/` between them.
- Where a file of a side has several speakers, the speaker follows the name of the file after a space. If each side is one file,
  its recordings are called as their speakers.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace


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
    def file(self) -> tuple[str, str]:
        """The file, whatever the speaker is."""
        return self.folder, self.stem

    @property
    def short_stem(self) -> str:
        """The name of the file up to its first dot."""
        return self.stem.partition(".")[0]

    @property
    def unique(self) -> str:
        """A name that no other recording of the side has, unless two files differ in their endings alone."""
        return f"{_in_folder(self, self.stem)} {self.speaker}".rstrip()


#: The endings of files of audio and video, after which recordings may be called.
_AUDIO = frozenset(
    ("wav", "flac", "mp3", "ogg", "opus", "m4a", "aac", "aif", "aiff", "sph", "wma", "webm", "mp4", "mov", "mkv")
)

#: The names by which recordings may pair, the best first.
_RULES: tuple[Callable[[FileName], str], ...] = (
    lambda name: name.stem,
    lambda name: name.short_stem,
    lambda name: _in_folder(name, name.stem),
    lambda name: _in_folder(name, name.short_stem),
)


def _in_folder(name: FileName, stem: str) -> str:
    """Return the stem of a file after its folder: `ann/a01`, or `a01` at the top."""
    return f"{name.folder}/{stem}" if name.folder else stem


def common_names(sides: Sequence[Mapping[str, FileName | str]]) -> list[dict[str, str]]:
    """Return the new names of the recordings of each side by their present ones, so that as many as possible pair.

    A string is a name of a recording that stays.

    >>> gold = {"ann/a": FileName("ann", "a"), "bob/a": FileName("bob", "a")}
    >>> common_names([{"x": FileName("", "a.gold")}, {"y": FileName("", "a")}]), common_names([gold])
    ([{'x': 'a'}, {'y': 'a'}], [{'ann/a': 'ann/a', 'bob/a': 'bob/a'}])
    """
    speakers_of_sides = [_speakers_of_one_file(side) for side in sides]
    if all(speakers_of_sides):
        return speakers_of_sides
    # The present names, if by no rule the recordings of a side have distinct names.
    best = [{old: old for old in side} for side in sides]
    most_shared = -1  # less than a rule by which nothing pairs
    most_possible = min(map(len, sides))
    for rule in _RULES:
        if most_shared == most_possible:
            break
        renamed = _named_by(rule, sides)
        names_of_sides = [set(new_names.values()) for new_names in renamed]
        # A side has fewer names than recordings where a rule gives two recordings one name.
        are_distinct = [*map(len, names_of_sides)] == [*map(len, renamed)]
        shared_count = len(set.intersection(*names_of_sides))
        if are_distinct and shared_count > most_shared:
            best = renamed
            most_shared = shared_count
    return best


def pairing_names(sides: Sequence[Mapping[str, FileName | str]]) -> list[dict[str, str]]:
    """Return the new names of the recordings of each side, as `common_names` does.

    Where no names are equal, those that files say may have folders and endings of audio, and letters in two codes: `wav/a.wav`
    and `a` pair.
    """
    names_of_sides = common_names(sides)
    if set.intersection(*(set(new_names.values()) for new_names in names_of_sides)):
        return names_of_sides
    return common_names([{old: _as_file(name) for old, name in side.items()} for side in sides])


def _as_file(name: FileName | str) -> FileName:
    """Return the name of a recording as that of a file, with composed letters.

    >>> _as_file("wav/a.wav"), _as_file("a.b")
    (FileName(folder='wav', stem='a', speaker=''), FileName(folder='', stem='a.b', speaker=''))
    """
    if isinstance(name, FileName):
        return replace(name, folder=_composed(name.folder), stem=_composed(name.stem))
    folder, _, file = _composed(name).replace("\\", "/").rpartition("/")
    stem, dot, ending = file.rpartition(".")
    is_audio = bool(dot) and ending.lower() in _AUDIO
    return FileName(folder.strip("/"), stem if is_audio else file)


def _composed(name: str) -> str:
    """Return a name with composed letters: file systems of macOS write é as two characters."""
    return unicodedata.normalize("NFC", name)


def _speakers_of_one_file(side: Mapping[str, FileName | str]) -> dict[str, str]:
    """Return the speakers of the recordings by their names, if all are speakers of one file; else nothing."""
    speakers = {}
    files = set()
    for old, name in side.items():
        if isinstance(name, str) or not name.speaker:
            return {}
        files.add(name.file)
        speakers[old] = name.speaker
    if len(files) > 1:
        return {}
    return speakers


def _named_by(rule: Callable[[FileName], str], sides: Sequence[Mapping[str, FileName | str]]) -> list[dict[str, str]]:
    """Return the new names of recordings by a rule, with their speakers where a file of a side has several."""
    # Where a file of one side has several speakers, a file of another side may have one of them: both get the speaker.
    with_speakers: set[str] = set()
    for side in sides:
        file_names = [name for name in side.values() if isinstance(name, FileName)]
        recordings_of_file = Counter(name.file for name in file_names)
        with_speakers.update(rule(name) for name in file_names if recordings_of_file[name.file] > 1)
    return [{old: _named(rule, name, with_speakers) for old, name in side.items()} for side in sides]


def _named(rule: Callable[[FileName], str], name: FileName | str, with_speakers: set[str]) -> str:
    """Return the new name of a recording: `a01`, or `a01 Ann` where the files of this name have speakers.

    `with_speakers` has those names, as the rule makes them, whose files have speakers.
    """
    # A name that the file itself says, as a CTM does, stays.
    if isinstance(name, str):
        return name
    by_rule = rule(name)
    if by_rule not in with_speakers:
        return by_rule
    return f"{by_rule} {name.speaker}".rstrip()
