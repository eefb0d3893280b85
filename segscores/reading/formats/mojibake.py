"""Signs of text whose bytes were read in another encoding than they were written in."""

from __future__ import annotations

import re

from .format import Evidence
from .signs import Line, first_lines

#: Text in Latin letters has at least so many letters of ASCII for each one beyond it.
_LEAST_SHARE_OF_ASCII = 0.25
#: The fewest distinct letters beyond ASCII that show another script; phones may have some, such as `ð` and `æ`.
_FEWEST_LETTERS = 8
#: The fewest distinct control characters that show bytes of another encoding.
_FEWEST_CONTROLS = 3
#: The control characters of Latin-1, without the one that ends a line.
_CONTROLS = frozenset(map(chr, range(0x80, 0xA0))) - {"\x85"}


def find_mojibake(text: str) -> Evidence | None:
    """Find UTF-8 that a program took for Latin-1 or Windows-1252, and wrote as UTF-8 again.

    >>> find_mojibake("cafÃ© a\\nthÃ© b\\n").sign, find_mojibake("café a\\nthé b\\n") is None
    ("line 1 is 'cafÃ© a'", True)
    """
    with_letters = [line for line in first_lines(text) if not line.text.isascii()]
    if len(with_letters) > 1 and all(_is_mojibake(line) for line in with_letters):
        return Evidence(with_letters[0].sign)
    return None


def _is_mojibake(line: Line) -> bool:
    """Return whether the characters of a line that is not ASCII are the bytes of UTF-8: those of `Ã©` are the bytes of `é`."""
    # The bytes 80 to 9F are control characters in Latin-1, and most of them are letters or signs such as `€` in Windows-1252.
    for encoding in ("latin-1", "cp1252"):
        try:
            line.text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        return True
    return False


def find_other_encoding(text: str) -> Evidence | None:
    """Find text of another script that was read as Latin-1 or Windows-1252: few letters are of ASCII, or lines have controls.

    >>> text = "我们 去 北京\\n他们 来 了 上海\\n".encode("gbk").decode("latin-1")
    >>> find_other_encoding(text) is None, find_other_encoding("für die Tür\\nüber alles\\n") is None
    (False, True)
    """
    lines = first_lines(text)
    with_controls = [line for line in lines if not _CONTROLS.isdisjoint(line.text)]
    # A quotation mark of Windows-1252 may be a control character in a line of other text.
    has_many = len(_CONTROLS.intersection(text)) >= _FEWEST_CONTROLS
    if has_many and 2 * len(with_controls) > len(lines):
        return Evidence(with_controls[0].sign, is_weak=True)
    ascii_letters = re.findall("[A-Za-z]", text)
    latin_letters = re.findall("[\xa1-\xff]", text)
    are_latin = len(ascii_letters) < _LEAST_SHARE_OF_ASCII * len(latin_letters)
    has_latin_alone = are_latin and len(set(latin_letters)) >= _FEWEST_LETTERS
    return Evidence(lines[0].sign, is_weak=True) if has_latin_alone else None
