"""Folders of recordings: the files of a folder that are read, where it has files of several kinds.

Conventions
-----------
- A kind is the end of a name. The most specific kind that all folders have is read: `.TextGrid` before `.json`, and `.txt`, which
  may have transcripts, last. If the folders have no kind in common, the most specific one of each is read.
- A kind whose files may be no times counts only if its first file has times.
- Hidden files are none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain

from ...kernel.record import record
from ...options.errors import FileError
from ...options.messages import OptionError
from ...reading.sources.names import Held, ending_of, files_in
from ...reading.sources.opening import open_file
from .formats import UNREADABLE, read_timed_file
from .row import DOUBTFUL, FOLDER

#: The files that a note names.
_SHOWN = 3


@record
class FolderFiles:
    """The files of a folder: those that are read, and those that are left out."""

    folder: str
    read: Sequence[str]
    left_out: Sequence[str]

    def note(self) -> str:
        """Return a sentence about the files that are left out; empty if there is none."""
        if not self.left_out:
            return ""
        names = [os.path.relpath(path, self.folder) for path in self.left_out]
        listed = ", ".join(names[:_SHOWN])
        if len(names) > _SHOWN:
            listed += f" and {len(names) - _SHOWN} more"
        first_read, *_ = self.read
        _, ending = os.path.splitext(first_read)
        kept = f"{self.folder}: only files of one kind are read, {len(self.read)} that end in {ending}; left out: {listed}."
        return f"{kept} To read others, put the files that you mean into a folder of their own."


def read_folders(folders: Sequence[str]) -> dict[str, FolderFiles]:
    """Return the files of each of the folders that are compared."""
    files_by_kind = {folder: _by_kind(folder) for folder in folders}
    times_by_kind = {folder: _with_times(kinds) for folder, kinds in files_by_kind.items()}
    in_common = [kind for kind in FOLDER.endings if all(kind in kinds for kinds in times_by_kind.values())]
    chosen = {}
    for folder, kinds in times_by_kind.items():
        # The best kind that all folders have; else the best one of this folder. Both lists have the most specific kind first.
        kind = next(kind for kind in (*in_common, *FOLDER.endings) if kind in kinds)
        others = [paths for other, paths in files_by_kind[folder].items() if other != kind]
        chosen[folder] = FolderFiles(folder, kinds[kind], sorted(chain.from_iterable(others)))
    return chosen


def _by_kind(folder: str) -> dict[str, list[str]]:
    """Return the files of a folder by their kinds: `{".ctm": ["gold/a.ctm"]}`."""
    kinds: dict[str, list[str]] = {}
    for path in files_in(folder):
        kind = ending_of(path)
        if kind in FOLDER.endings:
            kinds.setdefault(kind, []).append(path)
    if not kinds:
        expected = f"expected names that end in {', '.join(FOLDER.endings)}"
        raise FileError(f"{folder}: this folder has no files of times; {expected}.")
    return kinds


def _with_times(kinds: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Return the files of a folder by their kinds, without kinds that have no times."""
    if len(kinds) == 1:
        # The only kind is kept, even if its files have no times: reading them raises the error that says so.
        return kinds
    with_times = {}
    for kind, (first_path, *others) in kinds.items():
        if kind not in DOUBTFUL or _has_times(first_path):
            with_times[kind] = [first_path, *others]
    if not with_times:
        # As with one kind, reading a file raises the error.
        return kinds
    return with_times


def _has_times(path: str) -> bool:
    """Return whether a file can be read as times."""
    with open_file(path) as opened:
        data = opened.read()
    try:
        read_timed_file(data, ending_of(path), tier=None)
    except OptionError:
        # It has times of several tiers, of which an option chooses one.
        return True
    except UNREADABLE:
        return False
    return True


def common_folder(paths: Sequence[str | Held]) -> str:
    """Return the folder that holds all of several files; empty if there is none."""
    named = [path for path in paths if isinstance(path, str)]
    # Standard input, `-`, is in no folder.
    folders = [os.path.dirname(os.path.abspath(path)) for path in named if path != "-"]
    try:
        return os.path.commonpath(folders)
    except ValueError:  # there is no path, or they are on several drives
        return ""


def folder_within(path: str | Held, root: str) -> str:
    """Return the folder of a file within another folder, with `/` between names; empty if it is that folder."""
    if isinstance(path, Held) or not root or path == "-":
        return ""
    if os.path.dirname(path) == root:
        return ""  # as of most files, without a look at the file system
    folder = os.path.relpath(os.path.dirname(os.path.abspath(path)), os.path.abspath(root))
    return "" if folder == "." else folder.replace(os.sep, "/")
