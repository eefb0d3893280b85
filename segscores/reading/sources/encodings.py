"""Encodings: a likely one for text that is not UTF-8, for the command that converts it.

Convention: both iconv and Python know the names of encodings.

An encoding is possible if it decodes all of the bytes. Of the possible ones the likeliest is taken, in a model in which the
frequent characters of two bytes have equal probabilities: characters of the first level in GB 2312, Big5 and JIS X 0208, and the
Hangul syllables of KS X 1001.
"""

from __future__ import annotations

import math
import re

#: For each encoding the lead bytes of its frequent characters of two bytes, and the number of these characters. The first rows
#: of each have punctuation and kana.
_FREQUENT = {
    "GB18030": ({*range(0xA1, 0xA4), *range(0xB0, 0xD8)}, 43 * 94),
    "BIG5": ({*range(0xA1, 0xC7)}, 38 * 157),
    "SHIFT_JIS": ({*range(0x81, 0x84), *range(0x88, 0x98)}, 19 * 188),
    "EUC-KR": ({*range(0xA1, 0xA4), *range(0xB0, 0xC9)}, 28 * 94),
}
#: The log-probability of a character of one byte, and of a longer character that is not frequent.
_SINGLE = math.log(1 / 128)
_RARE = math.log(1 / 60_000)
#: EUC-KR is a part of GB18030, and less used: a text of a few characters that fits both is likelier to be Chinese.
_PRIOR = {"EUC-KR": -3.0}
_MOST_BYTES = 4096


def conversion_hint(block: bytes) -> str:
    """Return the remedy for text that is not valid UTF-8.

    >>> conversion_hint("caf\\u00e9 au lait".encode("latin-1"))
    'Expected UTF-8 text; this is likely ISO-8859-1: convert it with iconv -f ISO-8859-1 -t UTF-8 < OLD > NEW.'
    """
    if re.search(rb"[\0-\x08\x0e-\x1a]", block):
        return "Expected UTF-8 text: is the file binary?"
    text = block.decode(errors="replace")
    damaged = text.count("\ufffd")
    if sum(not character.isascii() for character in text) > 2 * damaged:
        return (
            "The rest of the text is mostly UTF-8: mend this line, or drop the bytes that are not UTF-8 with "
            "iconv -c -f UTF-8 -t UTF-8 < OLD > NEW."
        )
    encoding = likely_encoding(block)
    return f"Expected UTF-8 text; this is likely {encoding}: convert it with iconv -f {encoding} -t UTF-8 < OLD > NEW."


def likely_encoding(block: bytes) -> str:
    """Return the likeliest of GB18030, Big5, Shift_JIS, EUC-KR and ISO-8859-1 that can decode all of the bytes.

    >>> likely_encoding("\\u72d7 \\u53eb".encode("gb18030")), likely_encoding("\\u72ac\\u304c".encode("shift_jis"))
    ('GB18030', 'SHIFT_JIS')
    """
    beginning = block[:_MOST_BYTES]
    likelihoods = {"ISO-8859-1": len(beginning) * _SINGLE}
    for encoding, (leads, size) in _FREQUENT.items():
        try:
            block.decode(encoding)
        except UnicodeDecodeError:
            continue
        # The last character may be cut.
        characters = [character.encode(encoding) for character in beginning.decode(encoding, errors="ignore")]
        single = sum(len(character) == 1 for character in characters)
        frequent = sum(len(character) == 2 and character[0] in leads for character in characters)
        rare = len(characters) - single - frequent
        prior = _PRIOR.get(encoding, 0.0)
        likelihoods[encoding] = prior + single * _SINGLE - frequent * math.log(size) + rare * _RARE
    return max(likelihoods, key=likelihoods.__getitem__)
