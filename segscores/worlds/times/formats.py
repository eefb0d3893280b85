"""Files of times: from the bytes of a file to its recordings, by the beginning of its text or the end of its name.

Conventions
-----------
- Text is UTF-8 or UTF-16, with or without a mark, or else Windows Latin-1, as in Praat.
- Labels have no whitespace around them. Labels of silence in one format alone, as `h#` in TIMIT, are empty labels here.

Errors name the line or the tier; the caller adds the file.
"""

from __future__ import annotations

from collections.abc import Callable

from ...options.errors import FileError
from ...options.messages import OptionError
from ...reading.formats.registry import recognise
from .lines import parse_ctm, parse_lines, parse_rttm, parse_timit
from .tables import parse_table
from .textgrid import parse_textgrid
from .timed_file import TimedFile
from .words_json import parse_json

#: The reader of files by the ends of their names; others have lines.
_PARSERS: dict[str, Callable[[str, str | None], TimedFile]] = {
    ".textgrid": parse_textgrid,
    ".ctm": parse_ctm,
    ".rttm": parse_rttm,
    ".phn": parse_timit,
    ".wrd": parse_timit,
    ".csv": parse_table,
    ".tsv": parse_table,
    ".json": parse_json,
}


def read_timed_file(data: bytes, ending: str, tier: str | None) -> TimedFile:
    """Read a file of times; `ending` is that of its name, in lower case."""
    is_textgrid = b"TextGrid" in data[:200].replace(b"\0", b"")
    parse = parse_textgrid if is_textgrid else _PARSERS.get(ending, parse_lines)
    text = decode(data)
    try:
        return parse(text, tier)
    except ValueError as error:
        if isinstance(error, OptionError) or parse is not parse_lines:
            raise
        row, _ = recognise(text)
        if not row.remedy:
            raise
        raise FileError(f"this is {row.title}: ", row.remedy) from None


def decode(data: bytes) -> str:
    """Return the text of a file, with one kind of line end."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data[:64]:
        text = data.decode("utf-16-be" if data[:1] == b"\0" else "utf-16-le", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
