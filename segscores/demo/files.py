"""Files: what visitors upload, as the text that a box can show."""

from __future__ import annotations

from pathlib import Path

from ..options.requests import Request, command_line
from ..options.tasks import COMMANDS
from ..sources.names import ARROW, PARQUET, unpacked_name
from ..sources.opening import checked_utf8, open_file, refuse_encodings
from ..support.errors import FileError, UtteranceError
from .reading import MAX_CHARACTERS, MAX_FILE_BYTES, BoxError

#: A character takes up to four bytes of UTF-8.
_MOST_BYTES = 4 * MAX_CHARACTERS

#: The beginnings of tables, and the endings of their names.
_TABLES = {b"PAR1": PARQUET, b"PARE": PARQUET, b"ARROW1": ARROW, b"\xff\xff\xff\xff": ARROW}


def text_of_file(box: str, path: Path) -> str:
    """The text of a file of UTF-8, plain or compressed (gzip, zstd, bz2).

    Raises:
        BoxError: it is too long, can't be read, or is a table of Parquet or Arrow, whose readers do not withstand forged
            files. Decompression stops at the limit of the page.
    """
    name = path.name
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise BoxError(box, f"{name} has {size:,} bytes; this page takes {MAX_FILE_BYTES:,}. Use the command for it.")
    try:
        with open_file(str(path)) as file:
            block = file.read(_MOST_BYTES + 1)
        _refuse_table(box, name, block, file.packing)
        if len(block) > _MOST_BYTES:
            raise BoxError(box, _too_long(name))
        refuse_encodings(block[:4], name)
        text = checked_utf8(block).decode().removeprefix("\ufeff")
    except UtteranceError as error:
        raise BoxError(box, f"{name}, line {error.utterance + 1}: {error.detail}") from None
    except FileError as error:
        # The name of the file on the server is not for visitors.
        raise BoxError(box, str(error).replace(str(path), name)) from None
    if len(text) > MAX_CHARACTERS:
        raise BoxError(box, _too_long(name))
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise BoxError(box, f"{name}, line {line}: there is a NUL character (U+0000), which no text has.")
    return text.replace("\r\n", "\n")


def _refuse_table(box: str, name: str, block: bytes, packing: str) -> None:
    endings = next((endings for mark, endings in _TABLES.items() if block.startswith(mark)), ())
    if not endings and not name.lower().endswith((*PARQUET, *ARROW)):
        return
    # The command knows a table by its name, and reads no packed one.
    file = name[: len(unpacked_name(name))]
    file += "" if not endings or file.lower().endswith(endings) else endings[0]
    saved = f" {'Unpack' if packing else 'Save'} it as {file}." if packing or file != name else ""
    is_reference = box == "reference"
    inputs = {
        "reference": file if is_reference else "REFERENCE",
        "predictions": ["PREDICTION" if is_reference else file],
    }
    raise BoxError(
        box,
        f"{name} is a table of Parquet or Arrow; this page reads text, CoNLL-U and JSON lines.{saved} The command reads it: "
        f"{command_line(Request(COMMANDS['score'], inputs))}",
    )


def _too_long(name: str) -> str:
    return f"{name} holds more than the {MAX_CHARACTERS:,} characters that this page takes. Use the command for it."
