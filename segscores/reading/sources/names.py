"""Names: the files that an argument names, the kind of a file by its name, and the display of names and words."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from ...kernel.record import record
from ...options.errors import FileError

if TYPE_CHECKING:
    from ..formats.format import Folder, Format
    from ..texts import TextForm

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
_JSON = (".jsonl", ".ndjson", ".json")

#: The name of the column with the number of each sentence's document; in CoNLL-U the comment that begins a document.
DOCUMENT = "# newdoc"
#: The column of CoNLL-U with the text of each sentence; the comment that holds it.
SENTENCE_TEXT = "# text"

#: The most files of a folder whose names are looked at for the format of the folder.
_MOST_FILES = 10_000
#: The beginning of a file of tokenizers, whatever its name, and the number of bytes in which it is looked for.
_TOKENIZER_BYTES = 1 << 10
_TOKENIZER = re.compile(rb'\s*\{\s*"version":\s*"[^"]*",\s*"truncation":')
_PACKED = (".gz", ".gzip", ".zst", ".zstd", ".bz2")


@record
class Held:
    """A file in memory, in place of a path. Its name is a label: no function of the system takes it for a path."""

    name: str
    contents: bytes = field(repr=False)

    def __str__(self) -> str:
        return self.name


class Tokenized(NamedTuple):
    """A tokenizer, or the name of its file, in place of predictions, with what it reads, as `tokenized` makes it."""

    tokenizer: Any
    texts: Any = None  #: what it reads; None for the text of the references
    space: bool = False  #: whether it sees a space before each text
    joined: bool = False  #: whether it reads the words of the references without the spaces between them


def shown_name(path: str | Held) -> str:
    """Return the name of a file in messages."""
    return "standard input" if path == "-" else str(path)


def unpacked_name(path: str | Held) -> str:
    """Return the name of a file in lower case, without an ending of compression such as .gz.

    >>> unpacked_name("Test.conllu.GZ")
    'test.conllu'
    """
    name = str(path).lower()
    if name.endswith(_PACKED):
        name, _ = os.path.splitext(name)
    return name


def sentence_format(path: str | Held, text_format: str) -> str:
    """Return the format of a file with several lines per utterance, by its name or by the text format; empty for another file."""
    if is_table(path):
        return ""
    from ..formats.registry import FORMATS

    row = format_of_name(path) or FORMATS.get(text_format)
    if row is None or row.sentences is None:
        return ""
    return row.name


def format_of_name(path: str | Held) -> Format | None:
    """Return the format that a file has by its name, whatever the text format is; None if its name says nothing."""
    from ..formats.registry import FORMATS

    name = unpacked_name(path)
    for row in FORMATS.values():
        if name.endswith(row.endings):
            return row
    return None


def is_json(path: str | Held) -> bool:
    """Return whether a file is JSON lines; it may be packed."""
    return unpacked_name(path).endswith(_JSON) and not is_tokenizer_file(path) and not _is_delimited(path)


def _is_delimited(path: str | Held) -> bool:
    """Return whether a path is one that `delimited.as_table` took for a table: these have an attribute with the table."""
    return getattr(path, "table", None) is not None


def is_tokenizer_file(path: str | Held) -> bool:
    """Return whether a file is a tokenizer by its name: `tokenizer.json` of tokenizers, or a model of SentencePiece."""
    return str(path).lower().endswith(("tokenizer.json", ".model"))


def _tokenizer_of(path: str) -> str:
    """Return the file of the tokenizer that a path is, by its name or its first bytes, or that its folder holds; else empty."""
    inner = os.path.join(path, "tokenizer.json")
    if os.path.isfile(inner):
        return inner
    if path.lower().endswith(".json") and os.path.isfile(path):
        with suppress(OSError), open(path, "rb") as file:
            if _TOKENIZER.match(file.read(_TOKENIZER_BYTES)):
                return path
    if is_tokenizer_file(path):
        return path
    return ""


def is_table(path: str | Held) -> bool:
    """Return whether a file is a table: JSON lines, Parquet, Arrow, or a path that `delimited.as_table` took for one."""
    return _is_delimited(path) or str(path).lower().endswith((*PARQUET, *ARROW)) or is_json(path)


def format_of_folder(path: str | Held) -> Format | None:
    """Return the format of a folder by the files in it, or of one file by its name: of a folder with a.TextGrid, `times`.

    Only formats that a folder may have are asked. It is None if no file shows one of them.
    """
    is_folder = not isinstance(path, Held) and os.path.isdir(path)
    if is_folder:
        first_files = islice(Path(str(path)).rglob("*"), _MOST_FILES)
        names = [ending_of(str(file)) for file in first_files]
    else:
        names = [unpacked_name(path)]
    for row, folder in _folder_formats():
        # Some files show the format only in a folder, beside others: `files` are those that show it alone.
        endings = folder.shown_by if is_folder else folder.files
        if any(name.endswith(endings) for name in names):
            return row
    return None


def _folder_formats() -> list[tuple[Format, Folder]]:
    """Return the formats whose sides may be folders, each with the endings of the files in them."""
    from ..formats.registry import FORMATS

    return [(row, row.folder) for row in FORMATS.values() if row.folder is not None]


def _endings_in_folders() -> set[str]:
    """Return the endings of the files that are read of a folder."""
    endings: set[str] = set()
    for _, folder in _folder_formats():
        endings.update(folder.endings)
    return endings


def ending_of(path: str | Held) -> str:
    """Return the ending of a name, without an ending of compression: .txt of a.txt.gz."""
    _, ending = os.path.splitext(unpacked_name(path))
    return ending


def stem_of(path: str | Held) -> str:
    """Return the last part of a path without its ending, and without an ending of compression.

    >>> stem_of("gold/2021.05.01.TextGrid.gz")
    '2021.05.01'
    """
    stem, ending = os.path.splitext(os.path.basename(str(path)))
    if ending.lower() in _PACKED:
        stem, _ = os.path.splitext(stem)
    return stem


def expand(path: str) -> list[str]:
    """Return the files of an argument: a path itself, or the files that match a pattern, in the order of their names.

    A pattern has `*`, `?`, `[…]` or `**`. A name of an existing file is no pattern.
    """
    if path == "-" or not glob.has_magic(path) or os.path.exists(path):
        return [path]
    matches = sorted({name for name in glob.glob(path, recursive=True) if not os.path.isdir(name)})
    if not matches:
        raise ValueError(f"{path}: no file matches this pattern.")
    return matches


def files_in(folder: str) -> list[str]:
    """Return the files that are read in a folder and in its folders, without hidden ones, in the order of their names."""
    endings = _endings_in_folders()
    paths = []
    for parent, folders, names in os.walk(Path(folder)):
        # The walk goes into the folders that stay in its list.
        folders[:] = [name for name in folders if not _is_hidden(name)]
        for name in names:
            if _is_hidden(name) or ending_of(name) not in endings:
                continue
            path = Path(parent, name)
            if path.is_file():
                paths.append(str(path))
    return sorted(paths)


def _is_hidden(name: str) -> bool:
    """Return whether a file or folder is hidden, as `.ipynb_checkpoints`, or an archive's data of macOS, as `__MACOSX`."""
    return name.startswith((".", "__MACOSX"))


def files_of(path: str) -> list[str]:
    """Return the files that are read where a path is named: the path itself, its matches, or the files in the folder."""
    if os.path.isdir(path):
        return files_in(path)
    if path == "-" or os.path.lexists(path) or not glob.has_magic(path):
        return [path]
    return sorted(match for match in glob.glob(path, recursive=True) if os.path.isfile(match))


def pattern_of_folder(folder: str) -> str:
    """Return the pattern of the files in a folder that have its most frequent ending; empty if it has no files."""
    with suppress(OSError), os.scandir(folder) as entries:
        endings: Counter[str] = Counter()
        for entry in entries:
            if entry.is_file() and not entry.name.startswith("."):
                _, ending = os.path.splitext(entry.name)
                endings[ending] += 1
        if endings:
            ((most_frequent, _),) = endings.most_common(1)
            return os.path.join(glob.escape(folder), f"*{most_frequent}")
    return ""


def expanded_patterns(paths: Sequence[str]) -> list[str]:
    """Return the two patterns that a shell may have expanded to these paths; nothing if there are no such patterns.

    A shell expands a pattern that is not quoted: gold/*.txt crf/*.txt to gold/1.txt gold/2.txt crf/1.txt crf/2.txt. The first
    half of the paths are all matches of one pattern, in order, and the second half all matches of the other.
    """
    half = len(paths) // 2
    # Two paths are two files, and no patterns; of an odd number of paths no two halves pair.
    if half < 2 or len(paths) % 2:
        return []
    patterns = [_pattern_of(paths[:half]), _pattern_of(paths[half:])]
    return patterns if all(patterns) else []


def _pattern_of(paths: Sequence[str]) -> str:
    """Return a pattern that matches these paths alone, in this order; empty if there is none.

    Of the paths gold/a1.txt and gold/a2.txt it is gold/*.txt or, if that matches other files too, gold/a*.txt.
    """
    first_path, *_ = paths
    folder = os.path.dirname(first_path)  # if other paths have another one, no pattern matches them all
    names = [os.path.basename(path) for path in paths]
    common_start = _common_start(names)
    start = glob.escape(common_start)
    end = glob.escape(_common_end([name.removeprefix(common_start) for name in names]))
    for pattern in (f"*{end}", f"{start}*{end}"):
        path = os.path.join(glob.escape(folder), pattern)
        if sorted(glob.glob(path)) == list(paths):
            return path
    return ""


def _common_end(names: Sequence[str]) -> str:
    """Return the longest end that all names have: .txt of 1.txt and 2.txt."""
    backwards = _common_start([name[::-1] for name in names])
    return backwards[::-1]


def _common_start(names: Sequence[str]) -> str:
    """Return the longest beginning that all names have: a of a1.txt and a2.txt."""
    # The other names are between the least and the greatest one, and begin as both do.
    least = min(names)
    greatest = max(names)
    length = 0
    for left, right in zip(least, greatest, strict=False):
        if left != right:
            break
        length += 1
    return least[:length]


def would_read(name: str, path: str) -> bool:
    """Return whether a run would read a path, which may be of no file yet, through an input that the command line names.

    `name` is this input: a folder, or a pattern such as `part-*.txt`.
    """
    folder = os.path.realpath(os.path.dirname(path))
    if os.path.isdir(name):
        root = os.path.realpath(name)
        return ending_of(path) in _endings_in_folders() and os.path.commonpath([root, folder]) == root
    is_pattern = name != "-" and glob.has_magic(name) and not os.path.lexists(name)
    if not is_pattern:
        return False
    # The folder of a pattern may be a pattern too, as in `*/part-*.txt`. A pattern that ends in `**` is of all folders below.
    folders = glob.glob(os.path.dirname(name) or ".", recursive=True)
    if os.path.basename(name) == "**":
        folders += glob.glob(name, recursive=True)
    is_named_so = fnmatch.fnmatch(os.path.basename(path), os.path.basename(name))
    return is_named_so and folder in map(os.path.realpath, folders)


def state_of(path: str | Held) -> tuple[int, ...] | None:
    """Return numbers that change if a regular file does; None for pipes, folders, what can't be read, and files in memory."""
    if isinstance(path, Held):
        return None
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # opening the file raises the error
        return None
    is_input = path == "-"  # standard input, though a file may be called so
    if is_input or not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@record
class Files:
    """The files of the reference or of a prediction."""

    name: str  #: the name in results
    paths: tuple[str | Held, ...]  #: paths, or files in memory
    column: str = ""  #: the column of tables
    argument: str = ""  #: the path or pattern that the user named; empty for a column of the reference's table
    form: TextForm | None = None  #: the form of text; None for the form of all sides
    joins_units: bool = False  #: as in `source.Side`
    remedy: str = ""  #: as in `source.Side`
    remedy_form: TextForm | None = None  #: the form that the remedy has the file read in
    encoding: str = ""  #: of text and JSON lines; empty for UTF-8
    tokenizer: Tokenized | None = None  #: what reads the reference's text; None if the paths are files of utterances
    #: for each path what `state_of` returned before it was read
    states: tuple[tuple[int, ...] | None, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note the states of the paths."""
        object.__setattr__(self, "states", tuple(map(state_of, self.paths)))

    def check(self) -> None:
        """Raise an error if a file has changed since it was named."""
        for path, state in zip(self.paths, self.states, strict=True):
            if state_of(path) != state:
                raise FileError(f"{path}: the file changed while it was read.")

    @property
    def on_disk(self) -> tuple[str, ...]:
        """The paths, without files in memory."""
        return tuple(path for path in self.paths if isinstance(path, str))

    @property
    def label(self) -> str:
        """The name of the whole side in messages."""
        return self.argument or self.name

    @property
    def known_form(self) -> TextForm:
        """The form of text, of a side that was recognised."""
        assert self.form is not None, "recognised"
        return self.form

    @classmethod
    def of(cls, path: str, column: str = "", *, name: str = "", encoding: str = "") -> Files:
        """Return the files of a path, or of a pattern."""
        if not path:
            raise ValueError("received an empty name: expected the name of a file. Is a variable of the shell empty?")
        paths = tuple(expand(path))
        tokenizers = [tokenizer for tokenizer in map(_tokenizer_of, paths) if tokenizer]
        if tokenizers and len(paths) > 1:
            raise _several_files_error(path, len(paths), tokenizers)
        tokenizer = None
        if tokenizers:
            # The one path, or a file in the folder that the path names.
            (tokenizer_path,) = tokenizers
            paths = (tokenizer_path,)
            tokenizer = Tokenized(tokenizer_path)
        return cls(name or path, paths, column, argument=path, encoding=encoding, tokenizer=tokenizer)

    def format_in(self, text_format: str) -> str:
        """Return the text format of these files: their own, or the format of all sides."""
        if self.form is None:
            return text_format
        return self.form.text_format

    def sentence_format(self, text_format: str) -> str:
        """Return the one format, with several lines per utterance, that every file has; empty if there is no such one."""
        formats = {sentence_format(path, self.format_in(text_format)) for path in self.paths}
        return formats.pop() if len(formats) == 1 else ""

    def marks_documents(self, text_format: str) -> bool:
        """Return whether every file has a format that marks where a document begins."""
        format_of_files = self.sentence_format(text_format)
        from ..formats.registry import has_documents

        return bool(format_of_files) and has_documents(format_of_files)


def _several_files_error(pattern: str, file_count: int, tokenizers: Sequence[str]) -> ValueError:
    """Return the error of a pattern that matches so many files, of which some or all are tokenizers.

    Examples are "*.model: 2 tokenizers match this pattern; expected one: name each of them." and "m/*: 3 files match this
    pattern, and m/a.model is a tokenizer; expected one tokenizer alone, or none: name m/a.model, or the other files."
    """
    if len(tokenizers) == file_count:
        return ValueError(f"{pattern}: {file_count} tokenizers match this pattern; expected one: name each of them.")
    first_tokenizer, *_ = tokenizers
    received = f"{pattern}: {file_count} files match this pattern, and {first_tokenizer} is a tokenizer"
    return ValueError(f"{received}; expected one tokenizer alone, or none: name {first_tokenizer}, or the other files.")


def short_names(paths: Sequence[str | Held]) -> list[str]:
    """Return the shortest path suffixes that are distinct and have a letter or digit; standard input by its name.

    >>> short_names(["gold/a.txt", "out/tp/a.txt", "out/jieba/a.txt", "b.txt", "-"])
    ['gold/a.txt', 'tp/a.txt', 'jieba/a.txt', 'b.txt', 'standard input']
    >>> short_names(["out/tp/*"])
    ['tp/*']
    """
    split_paths = [PurePath(str(path)).parts for path in paths]
    names = []
    for path, parts in zip(paths, split_paths, strict=True):
        if path == "-":
            names.append(shown_name(path))
            continue
        others = [other for other in split_paths if other != parts]  # equal paths have one name
        names.append(str(PurePath(*_shortest_suffix(parts, others))))
    return names


def _shortest_suffix(parts: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the fewest last parts of a path that no other path ends in, and that have a letter or digit; else all parts.

    Of the parts ("out", "tp", "a.txt") beside ("gold", "a.txt") they are ("tp", "a.txt").
    """
    for length in range(1, len(parts) + 1):
        suffix = parts[-length:]
        is_readable = any(map(str.isalnum, "".join(suffix)))
        is_distinct = all(other[-length:] != suffix for other in others)
        if is_readable and is_distinct:
            return suffix
    return parts
