"""Quoting: received values in messages.

A long value is cut, but never within a character as readers see it: a letter with its combining marks, an emoji of several
code points, a Hangul syllable of jamo, an escape.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

#: The zero-width joiner, as in emoji of several people.
_JOINER = "\u200d"
#: The combining class of signs that join consonants in the scripts of India.
_VIRAMA = 9
#: An incomplete escape of `repr` at the end of a text, such as \u00. Group 1 has the pairs of backslashes before it, which are
#: whole escapes.
_HALF_ESCAPE = r"((?<!\\)(?:\\\\)*)\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$"


def clipped(text: str, length: int = 60) -> str:
    """Cut a text to at most `length` code points; a cut text ends in `…`.

    >>> clipped("abcdef", 5), clipped("e\\u0301" * 9, 4) == "e\\u0301…"
    ('abcd…', True)
    """
    if len(text) <= length:
        return text
    # One code point is left for the sign of the cut.
    end = length - 1
    while end and _is_within(text[end - 1], text[end]):
        end -= 1
    if end == 0:
        # All of it looks like one character.
        end = length - 1
    return f"{text[:end]}…"


def _is_within(before: str, after: str) -> bool:
    """Return whether two code points may look like one character."""
    # The categories of marks are Mn, Mc and Me.
    is_combining = unicodedata.category(after).startswith("M")
    is_joined = unicodedata.combining(before) == _VIRAMA or _JOINER in (before, after)
    is_skin_tone = "\U0001f3fb" <= after <= "\U0001f3ff"
    is_vowel_or_final_of_hangul = "\u1160" <= after <= "\u11ff"
    # Regional indicators form a flag in pairs.
    is_flag = all("\U0001f1e6" <= letter <= "\U0001f1ff" for letter in (before, after))
    reasons = (is_combining, is_joined, is_skin_tone, is_vowel_or_final_of_hangul, is_flag)
    return any(reasons)


def shortened(value: object, length: int = 60) -> str:
    """Return the `repr` of a value, cut if it is long.

    >>> shortened("ab" * 50, 8), shortened([1, 22, 333], 8)
    ("'abababa…'", '[1, 22,…')
    """
    if isinstance(value, str):
        return repr(clipped(value, length))
    # Python raises an error for integers of more than 4,300 digits.
    if isinstance(value, int) and abs(value) >= 10**length:
        return f"an integer of {value.bit_length()} bits"
    try:
        code = repr(value)
    except ValueError:
        # As of a list with such an integer.
        return "a value that Python cannot write"
    if len(code) <= length:
        return code
    # Drop the sign of the cut, and an escape that the cut divides, such as \u00 of \u00e9. Pairs of backslashes stay.
    cut = clipped(code, length).removesuffix("…")
    return re.sub(_HALF_ESCAPE, r"\1", cut) + "…"


def listed_names(names: Sequence[str], most: int = 20) -> str:
    """Return names with commas between them; of very many, the first and the number of the others.

    >>> listed_names(["a", "b", "c"], 2), listed_names(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(clipped(name) for name in names[:most])
    if len(names) <= most:
        return shown
    return f"{shown} and {len(names) - most:,} more"


def described(value: object) -> str:
    """Describe a value with its type.

    >>> described(0.5), described(None)
    ('0.5 (float)', 'None')
    """
    if value is None:
        return "None"
    return f"{shortened(value)} ({type(value).__name__})"


#: The escapes of control characters, and of characters that reverse the direction of the text after them.
_CONTROLS = {
    code: chr(code).encode("unicode_escape").decode()
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


def printable(text: str) -> str:
    r"""Escape the characters of a text that control a terminal or are not valid in UTF-8.

    >>> printable("naïve 狗\x1b[31m")
    'naïve 狗\\x1b[31m'
    """
    return "".join(map(_escaped_if_unprintable, text))


def _escaped_if_unprintable(character: str) -> str:
    """Return a character, or its escape if it cannot be printed."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def without_controls(text: str) -> str:
    r"""Escape control characters, and characters that reverse the direction of the text after them.

    >>> without_controls("naïve\u3000狗\xa0a\x1b[31m") == "naïve\u3000狗\xa0a\\x1b[31m"
    True
    """
    return text.translate(_CONTROLS)


def is_number(text: str) -> bool:
    """Return whether Python reads a text as a number.

    >>> is_number("-1e3"), is_number("1,5")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def shell_words(words: Iterable[str]) -> str:
    """Return the words as a shell reads them: those with other characters than names have are in quotes.

    >>> shell_words(["segscores", "a b.txt"])
    "segscores 'a b.txt'"
    """
    # Only messages and commands that are shown need shlex, which compiles a pattern where it is imported.
    import shlex

    return shlex.join(words)
