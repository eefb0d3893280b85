"""Opening of files: by name or from standard input; plain or packed.

Text is UTF-8, with or without a byte-order mark. A file is packed if it begins with the bytes of a packed file,
whatever its name; no text begins so.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from ...options.errors import FileError, UtteranceError
from ...options.messages import Hint
from ...options.quoting import shell_words
from ...options.table import OPTIONS
from ..formats.binary import LONGEST_BEGINNING, binary_form
from ..texts import refuse_known_form
from .encodings import Decoder, conversion_hint, iconv_name, likely_encoding
from .names import Held, is_table, pattern_of_folder, shown_name
from .progress import Progress, is_once

#: The bytes in which to look for UTF-8.
_UTF8_BYTES = 1 << 16
#: The characters in which to look for the form of a list.
_FORM_CHARACTERS = 1 << 16
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: Ctrl-Z, which programs of DOS and CP/M write at the end of a text, perhaps several times.
END_MARK = b"\x1a"
# The longer mark comes first, because it begins with the shorter one.
_OTHER_MARKS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}

#: The beginnings of packed files: the group that matches has Arrow's name of the packing.
_PACKED = re.compile(
    rb"(?P<gzip>\x1f\x8b)|(?P<zstd>\x28\xb5\x2f\xfd)|(?P<xz>\xfd7zXZ\0)|(?P<zip>PK\x03\x04)"
    # The level is followed by a block of data, or by the end.
    rb"|(?P<bz2>BZh[1-9](?:1AY&SY|\x17rE8P\x90))"
)
_UNREAD_PACKINGS = ("xz", "zip")


class _Bytes(Protocol):
    """A source of bytes to read: a file, or a look at one."""

    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class _File(io.RawIOBase):
    """A file that is read once from its beginning, which shows its packing."""

    _file: Any = None  # as in OpenFile

    def __init__(self, file: _Bytes, name: str, progress: Progress, beginning: bytes) -> None:
        super().__init__()
        self._file = file
        self._name = name
        self._progress = progress
        # `read` returns first what was read of the file before.
        self._beginning = beginning
        # Read instead of peek, which may show only one byte of a pipe; then put back what was read.
        self._beginning = self.read(max(LONGEST_BEGINNING, len(beginning)))
        packed = _PACKED.match(self._beginning)
        self.packing = packed.lastgroup if packed else ""

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = None) -> bytes:
        """Read the next `size` bytes, first of what was put back; all remaining bytes if `size` is None or negative."""
        beginning = self._beginning
        remaining_size = -1  # all
        if size is not None and size >= 0:
            beginning = self._beginning[:size]
            remaining_size = size - len(beginning)
        self._beginning = self._beginning[len(beginning) :]
        if remaining_size == 0:
            return beginning
        try:
            data: bytes = self._file.read(remaining_size)
        except OSError as error:
            self.close()
            raise FileError(f"{self._name}: the file can't be read ({error.strerror or error}).") from None
        self._progress(len(data))
        return beginning + data

    def close(self) -> None:
        """Close the file, unless it is standard input."""
        # Whoever replaces sys.stdin, by text in a test, may give it no buffer.
        standard_input = getattr(sys.stdin, "buffer", None)
        # There is no file if Ctrl-C came before it was opened.
        if self._file is not None and self._file is not standard_input:
            self._file.close()
        super().close()


class OpenFile(io.RawIOBase):
    """The content of an open file, unpacked if needed; concatenated packed files are one text. Binary files are refused.

    `beginning` is what was read of the file before.
    """

    # If Ctrl-C ends __init__, Python closes the incomplete object.
    _file: Any = None

    def __init__(self, file: _Bytes, name: str, progress: Progress, beginning: bytes = b"", encoding: str = "") -> None:
        super().__init__()
        self._name = name
        #: The content that was read and not yet returned, in UTF-8 if there is a decoder.
        self._held = b""
        self._decoder: Decoder | None = None
        self._file = _File(file, name, progress, beginning)
        packing = self._file.packing
        if packing == "zip":
            # Several binary formats are zip files: the error names the format, if it is known. A zip is refused in any case, so
            # that nobody misses the bytes that are read here.
            self._refuse_binary(self._file.read(LONGEST_BEGINNING))
        if packing in _UNREAD_PACKINGS:
            self.close()
            raise FileError(f"{name}: the file is packed with {packing}; expected gzip, zstd, bz2 or text: unpack it.")
        self._content: Any = self._file
        if packing:
            self._content = pa.CompressedInputStream(pa.PythonFile(self._file, "r"), packing)
        self._held = self._read_content(LONGEST_BEGINNING)
        self._refuse_binary(self._held)
        if encoding not in ("", "utf-8"):
            self._decoder = Decoder(encoding, name)
            is_empty_file = not self._held
            try:
                self._held = self._decoder.decode(self._held, is_last=is_empty_file)
            except FileError:
                self.close()
                raise

    def _refuse_binary(self, beginning: bytes) -> None:
        """Raise an error for a file that begins as a known binary one does."""
        form = binary_form(beginning)
        if form is not None:
            self.close()
            raise FileError(form.message(self._name))

    def read(self, size: int = -1) -> bytes:
        """Read the next `size` bytes, or fewer at the end of the file; all remaining bytes if `size` is negative."""
        if self._decoder is not None:
            self._hold_decoded(self._decoder, size)
        held = self._held if size < 0 else self._held[:size]
        self._held = self._held[len(held) :]
        if self._decoder is not None:
            return held
        return held + self._read_content(size if size < 0 else size - len(held))

    def _hold_decoded(self, decoder: Decoder, size: int) -> None:
        """Decode until as many bytes are held, or the content ends."""
        parts = [self._held]
        count = len(self._held)
        while size < 0 or count < size:
            # Few bytes, or all that remain, are read in parts of this many.
            data = self._read_content(max(size, LONGEST_BEGINNING))
            parts.append(decoder.decode(data, is_last=not data))
            count += len(parts[-1])
            if not data:
                break
        self._held = b"".join(parts)

    def _read_content(self, size: int) -> bytes:
        """Read the next `size` bytes of the content, which is unpacked; all remaining bytes if `size` is negative."""
        if size == 0:
            # The bytes that are held were enough.
            return b""
        try:
            data: bytes = self._content.read(None if size < 0 else size)
        except (OSError, pa.ArrowException) as error:
            # The file is packed: of another one, `_File` raises a FileError.
            self.close()
            problem = f"the {self._file.packing} file is damaged ({error}): was it cut short?"
            raise FileError(f"{self._name}: {problem}") from None
        return data

    def close(self) -> None:
        """Close the file; a `_File` leaves standard input open."""
        # None: `__init__` has ended with an error, after which Python calls `close`.
        if self._file is not None:
            self._file.close()
        super().close()


@dataclass
class _LookedAt:
    """A pipe or standard input, which can be read only once, after looks at its first bytes."""

    file: BinaryIO
    beginning: bytes = b""  #: the bytes that were read of it


class _Look:
    """A look at a pipe from its beginning: what was read of it before comes first, and what is read now is kept."""

    def __init__(self, looked_at: _LookedAt) -> None:
        self._looked_at = looked_at
        self._read_count = 0

    def read(self, size: int) -> bytes:
        """Read the next `size` bytes, or fewer at the end of the pipe."""
        missing = self._read_count + size - len(self._looked_at.beginning)
        if missing > 0:
            self._looked_at.beginning += self._looked_at.file.read(missing)
        data = self._looked_at.beginning[self._read_count : self._read_count + size]
        self._read_count += len(data)
        return data

    def close(self) -> None:
        """End the look; the pipe stays open for its reader."""


#: The pipes that were looked at, by their paths; standard input by the id of its stream.
_LOOKED_AT: dict[object, _LookedAt] = {}


def first_bytes(path: str | Held, size: int, encoding: str = "") -> bytes:
    """Return the first bytes of the content of a file. What can be read only once is kept for `open_file`."""
    if isinstance(path, Held) or not is_once(path):
        with open_file(path, encoding=encoding) as opened:
            return opened.read(size)
    name = shown_name(path)
    is_input = path == "-"
    if is_input and sys.stdin is None:
        return b""
    key: object = id(sys.stdin.buffer) if is_input else path
    if key not in _LOOKED_AT:
        try:
            file = sys.stdin.buffer if is_input else open(path, "rb")
            _LOOKED_AT[key] = _LookedAt(_checked_device(file, name))
        except FileError:
            raise  # a ValueError that says what is wrong
        except (OSError, ValueError) as error:
            raise FileError(f"{name}: the file can't be read ({getattr(error, 'strerror', None) or error}).") from None
    # Read as many bytes of the pipe as it takes to unpack and convert `size` bytes: bz2 unpacks blocks of 900 kB as wholes.
    with OpenFile(_Look(_LOOKED_AT[key]), name, lambda _: None, encoding=encoding) as opened:
        return opened.read(size)


def _take_looked_at(file: BinaryIO) -> bytes:
    """Return the first bytes of standard input that were looked at; none if it was not looked at."""
    looked_at = _LOOKED_AT.pop(id(file), None)
    return looked_at.beginning if looked_at is not None else b""


def open_file(path: str | Held, progress: Progress = lambda _: None, *, encoding: str = "") -> OpenFile:
    """Open a file, or standard input for `-`, whose content is converted from the encoding, if one is named, to UTF-8."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise FileError("standard input is closed: name a file.")
            file = _checked_device(sys.stdin.buffer, "standard input")
            return OpenFile(file, "standard input", progress, _take_looked_at(file), encoding)
        if isinstance(path, Held):
            return OpenFile(io.BytesIO(path.contents), path.name, progress, encoding=encoding)
        if path in _LOOKED_AT:
            looked_at = _LOOKED_AT.pop(path)
            return OpenFile(looked_at.file, path, progress, looked_at.beginning, encoding)
        return OpenFile(_checked_device(open(path, "rb"), path), path, progress, encoding=encoding)
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise FileError(f"{path}: this is a folder; expected a file.{_files_hint(str(path))}") from None
    except FileError:
        raise  # a ValueError that says what is wrong
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: the file can't be opened ({getattr(error, 'strerror', None) or error}).") from None


def _files_hint(folder: str) -> str:
    """Return the advice to name the files of a folder by a pattern; empty if it has none."""
    pattern = pattern_of_folder(folder)
    if not pattern:
        return ""
    _, ending = os.path.splitext(pattern)
    # The pattern is that of the most frequent ending, beside which the folder may have others.
    which = f"Its files that end in {ending}" if ending else "All its files"
    return f" {which}, in the order of their names, are the quoted pattern {shell_words([pattern])}."


def _checked_device(file: BinaryIO, name: str) -> BinaryIO:
    """Return the file in blocking mode; reject a device such as /dev/zero, which may have no end."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # a file in memory
        return file
    is_device = stat.S_ISCHR(status.st_mode) and not file.isatty()
    # Standard input stays open: whoever asks again gets the same error.
    is_input = sys.stdin is not None and file is sys.stdin.buffer
    # /dev/null ends at once, as an empty file does.
    if is_device and status.st_rdev != os.stat(os.devnull).st_rdev:
        if not is_input:
            file.close()
        raise FileError(f"{name}: this is a device, which may have no end; expected a file.")
    if stat.S_ISFIFO(status.st_mode) and hasattr(os, "set_blocking"):
        os.set_blocking(file.fileno(), True)  # the program at the other end may have unset it
    return file


#: Opens a file of text, of JSON lines or of a table of delimited text, for a pass.
Opens: TypeAlias = Callable[[], OpenFile]


def refuse_encodings(beginning: bytes, name: str, *, has_option: bool = True) -> None:
    """Reject text that begins with a mark of UTF-16 or UTF-32, or is likely UTF-16 without a mark."""
    for mark, title in _OTHER_MARKS.items():
        if beginning.startswith(mark):
            raise _other_encoding(f"{name}: the file is {title}", title.lower(), has_option=has_option)
    # Each Latin letter of UTF-16 has a NUL beside it, and no other text has one.
    encoding = likely_encoding(beginning) if b"\0" in beginning else ""
    if encoding.startswith("utf-16"):
        raise _other_encoding(f"{name}: the file is likely {encoding}", encoding, has_option=has_option)


def _other_encoding(received: str, encoding: str, *, has_option: bool) -> FileError:
    """Return the error of a file in an encoding, by its name in Python.

    An example is "a.txt: the file is UTF-16; expected UTF-8: add --encoding utf-16, or convert it with iconv -f UTF-16 …".
    """
    add = Hint("add ", OPTIONS["encoding"].set(encoding), ", or ") if has_option else ""
    convert = f"convert it with iconv -f {iconv_name(encoding)} -t UTF-8 < OLD > NEW."
    return FileError(f"{received}; expected UTF-8: ", add, convert)


def checked_utf8(block: bytes, *, has_option: bool = True) -> bytes:
    """Return the block, if it is valid UTF-8. `has_option` says if an option names the encoding of the file."""
    if _is_utf8(block):
        return block
    try:
        block.decode()
    except UnicodeDecodeError as error:
        # Block b"a\nb\xff" with a bad byte at 3: line 1, and offset 3 - 1 - 1 = 1 in the line
        line = block.count(b"\n", 0, error.start)
        offset = error.start - block.rfind(b"\n", 0, error.start) - 1
        problem = f"the byte 0x{block[error.start]:02x} at offset {offset} is not valid UTF-8 ({error.reason})."
        hint = conversion_hint(block, error.start, has_option=has_option)
        raise UtteranceError(line, problem, hint, offset=offset) from None
    return block  # Python decides


def _is_utf8(block: bytes) -> bool:
    """Return whether a block is valid UTF-8: `block.decode()` says so too, and takes several times as long."""
    if block.isascii():
        return True
    offsets = pa.py_buffer(np.array([0, len(block)]))
    try:
        pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(block)).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def is_utf8_beyond_ascii(path: str) -> bool:
    """Return whether the first lines of a file are valid UTF-8, and not ASCII alone."""
    try:
        head = first_bytes(path, _UTF8_BYTES)
    except FileError:
        return False
    # The last line may be cut within a character. A head without a newline is one line.
    lines = head[: head.rfind(b"\n") + 1] or head
    return not lines.isascii() and b"\0" not in lines and _is_utf8(lines)


def check_line_ends(text: bytes, name: str) -> None:
    """Reject text whose lines end in CR alone: it would be one long line."""
    # A single line may end in CR.
    stripped = text.strip()
    if b"\r" in stripped and b"\n" not in stripped:
        remedy = "convert it with tr '\\r' '\\n' < OLD > NEW."
        raise FileError(f"{name}: its lines end in CR alone, as on old Macs; expected LF or CRLF: {remedy}")


def decode_file(path: str | Held, encoding: str | None = None) -> str:
    """Return the text of a small file, without a byte-order mark.

    It is UTF-8, or else in the encoding that an option names: beside sides in that encoding, a list may be in either. With None
    there is no such option, and with an empty string the option is not given.
    """
    name = shown_name(path)
    has_option = encoding is not None
    block = _content_of(path, encoding or "")
    refuse_encodings(block, name, has_option=has_option)
    try:
        text = checked_utf8(block, has_option=has_option).decode()
    except UtteranceError as error:
        raise error.in_file(name) from None
    check_line_ends(block, name)
    return text


def _content_of(path: str | Held, encoding: str) -> bytes:
    """Return the bytes of a small file, without a byte-order mark; those in the encoding, if one is named, converted to UTF-8."""
    with open_file(path) as file:
        block = file.read()
    # UTF-16 of Latin letters is valid UTF-8 with NULs, which no text has.
    is_utf8_text = _is_utf8(block) and b"\0" not in block
    if encoding and not is_utf8_text:
        decoder = Decoder(encoding, shown_name(path))
        block = decoder.decode(block, is_last=True)
    return block.removeprefix(BYTE_ORDER_MARK).rstrip(END_MARK)


def beginning_of_text(text: str) -> str:
    """Return the first whole lines of the text of a list, which show its form."""
    if len(text) <= _FORM_CHARACTERS:
        return text
    beginning = text[:_FORM_CHARACTERS]
    # The last line may be cut: leave it out, unless it is the only one.
    return beginning[: beginning.rfind("\n") + 1] or beginning


def all_lines(
    path: str | Held, *, has_words: bool = True, has_names: bool = False, encoding: str | None = None
) -> list[str]:
    """Return the lines of a small file, without their ends; only a newline ends one, with or without a carriage return.

    If they have words or names, a table and a form that is known and not read are errors. If they may begin with the names of
    recordings, what looks like ids before words is none. The encoding is as in `decode_file`.
    """
    if has_words and is_table(path):
        raise FileError(
            f"{shown_name(path)}: this is the name of a table; expected a file of text, whose lines are read."
        )
    text = decode_file(path, encoding)
    if has_words:
        refuse_known_form(beginning_of_text(text), shown_name(path), may_be_weak=not has_names)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if not lines[-1]:
        lines.pop()  # what follows the newline of the last line is no line
    return lines


def read_lines(
    path: str | Held, *, has_words: bool = True, has_names: bool = False, encoding: str | None = None
) -> list[str]:
    """Return the lines of a small file as `all_lines` does; blank lines at its end are left out."""
    lines = all_lines(path, has_words=has_words, has_names=has_names, encoding=encoding)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines
