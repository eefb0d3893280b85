"""Files of times: from the bytes of a file to its recordings, by the beginning of its text or the end of its name.

Conventions
-----------
- Text is UTF-8 or UTF-16, with or without a mark, or else Windows Latin-1, as in Praat.
- Labels have no whitespace around them. Labels of silence in one format alone, as `h#` in TIMIT, are empty labels here.

Errors name the line or the tier; the caller adds the file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from itertools import chain

import numpy as np

from ...options.errors import FileError
from ...options.messages import OptionError
from ...reading.formats.registry import recognise
from .binary_textgrid import BINARY_MARK, parse_binary_textgrid
from .elan import is_elan, parse_elan
from .lines import MLF_MARK, parse_ctm, parse_lines, parse_mlf, parse_rttm, parse_timit, refuse_stm
from .subtitles import is_subtitles, parse_subtitles
from .tables import parse_table
from .textgrid import parse_textgrid
from .timed_file import TimedFile
from .words_json import parse_json

#: Matches the beginning of XML, up to the name of its root. A comment matches in one way alone, up to the first `-->`: with two
#: ways, the time would double with each comment.
_ROOT = re.compile(r"\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->).)*-->\s*|<!(?!--)[^>]*>\s*)*<([A-Za-z][\w:.-]*)", re.DOTALL)

#: The errors of a parser that cannot read a file. One of another class than ValueError is an error of Python, or of its module
#: csv: the file has another structure than the parser expects.
UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, csv.Error)

_Parser = Callable[[str, str | None], TimedFile]

#: The reader of files by the ends of their names; others have lines.
_PARSERS: dict[str, _Parser] = {
    ".textgrid": parse_textgrid,
    ".eaf": parse_elan,
    ".ctm": parse_ctm,
    ".rttm": parse_rttm,
    ".stm": refuse_stm,
    ".phn": parse_timit,
    ".wrd": parse_timit,
    ".csv": parse_table,
    ".tsv": parse_table,
    ".json": parse_json,
    ".srt": parse_subtitles,
    ".vtt": parse_subtitles,
}


#: The formats that no empty file has, by the ends of their names.
_NEVER_EMPTY = {".textgrid": "TextGrid", ".eaf": "file of ELAN", ".json": "value in JSON"}


def read_timed_file(data: bytes, ending: str, tier: str | None) -> TimedFile:
    """Read a file of times; `ending` is that of its name, in lower case, and `tier` what the user has named, if anything.

    The parsers have the same argument `tier`; those of formats without tiers take no notice of it.
    """
    if data.startswith(BINARY_MARK):
        return parse_binary_textgrid(data, tier)
    text = decode(data)
    if ending in _NEVER_EMPTY and not text.strip():
        raise ValueError(f"the file is empty; expected the text of a {_NEVER_EMPTY[ending]}.")
    parse = _parser_by_content(text) or _PARSERS.get(ending, parse_lines)
    try:
        timed = parse(text, tier)
        _check_durations(timed)
        return timed
    except ValueError as error:
        if isinstance(error, OptionError) or parse not in (parse_lines, parse_textgrid):
            raise
        # Any lines, and any file of Praat, may be of another format, which is known and not read. Weak evidence is no reason for
        # another error.
        text_format, evidence = recognise(text)
        if not text_format.remedy or evidence is None or evidence.is_weak:
            raise
        raise FileError(f"this is {text_format.title}: ", text_format.remedy) from None


def _check_durations(timed: TimedFile) -> None:
    """Raise an error if every interval ends where it begins; note how many do, which are left out, if they are words."""
    intervals = list(timed.recordings.values())
    if any(np.ndim(item.starts) != 1 or np.ndim(item.ends) != 1 for item in intervals):
        # An error later says so.
        return
    are_empty = [np.equal(item.starts, item.ends) for item in intervals]
    interval_count = sum(map(len, are_empty))
    empty_count = sum(map(np.count_nonzero, are_empty))
    if interval_count < 2 or not empty_count:
        return
    if empty_count == interval_count:
        raise ValueError("every interval ends where it begins; expected starts and ends, or starts and durations.")
    labels = chain.from_iterable(item.labels or [""] * len(item.starts) for item in intervals)
    is_empty = np.concatenate(are_empty).tolist()
    count = sum(empty and label != "" for empty, label in zip(is_empty, labels, strict=True))
    if count:
        timed.notes.append(f"{count} of {interval_count} intervals end where they begin, and are left out.")


def _parser_by_content(text: str) -> _Parser | None:
    """Return the reader of a text whose first lines show its format, whatever its name is; else None."""
    if text.lstrip().startswith("{"):
        return parse_json
    # With its quotes: the cells of a table may name files, such as a01.TextGrid.
    if '"TextGrid"' in text[:200]:
        return parse_textgrid
    if is_elan(text):
        return parse_elan
    if _ROOT.match(text) and "</" in text:
        return refuse_xml
    if is_subtitles(text):
        return parse_subtitles
    if text.startswith(MLF_MARK):
        return parse_mlf
    return None


def refuse_xml(text: str, _tier: str | None = None) -> TimedFile:
    """Raise an error for XML that is no file of ELAN, such as SMIL or TTML, by the name of its root."""
    root = _ROOT.match(text)
    name = root[1] if root else ""
    raise ValueError(
        f"this is XML, with the root {name}; of XML only ELAN's is read. Save the times as a TextGrid, CTM or table."
    )


def decode(data: bytes) -> str:
    """Return the text of a file, with one kind of line end."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data[:64]:
        # UTF-16 without a mark: of ASCII at the beginning, each character has a NUL, before it if the high byte is first.
        text = data.decode("utf-16-be" if data[:1] == b"\0" else "utf-16-le", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
