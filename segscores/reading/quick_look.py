"""A quick look at words text, at its first lines and its last one: whether it needs the look for doubts, which takes longer.

It finds bytes that text with a doubt has, and that most text lacks; a text that has them may be ordinary.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from .formats.frames import NAMES_OF_COLUMNS
from .formats.messages import may_end_with_message
from .formats.odd_lines import NAMES_OF_ENDS, may_be_odd

#: The bytes at the beginning of a side that are looked at.
BEGINNING = 1 << 14
#: The bytes at the end that are looked at, for its last line.
_LONGEST_END = 1 << 10
#: In bytes: of shorter text, methods of `bytes` take less time than arrays, which cost microseconds to make.
_SHORT = 1 << 11
#: Marks without a tab that lines of a known form have, and ordinary text rarely.
_MARKS_OF_FORMS = (
    *(b"/", b"_", b"|", b"#", b"[", b"<", b">", b"{", b"\\", b"^", b"@", b"=", b"$"),
    *(b" + ", b"%!", b'" "', b'msgid "', b")\n", b"\nEOS\n", b" B-", b" O\n", b"0-0", b" 0.", b":\n", b" ;", b"??"),
)
#: Control characters that are no whitespace.
_CONTROLS = bytes((*range(1, 9), *range(14, 28)))  # Python splits words at 28 to 31 too
#: The bytes that marks have and most text lacks: no white space, and no small letters.
_SIGNS = (frozenset(b"".join(_MARKS_OF_FORMS)) - frozenset(b" \nmsgid")) | frozenset(_CONTROLS)
_ALL_BUT_SIGNS = bytes(code for code in range(256) if code not in _SIGNS)
#: The marks, and the signs of each: of `" "` they are `""`.
_SIGNS_OF_MARKS = {mark: mark.translate(None, _ALL_BUT_SIGNS) for mark in _MARKS_OF_FORMS}
#: In bytes: a text of one line that is longer is no message.
_LONGEST_MESSAGE = 64
#: Signs that may stand between words in place of spaces.
_SIGNS_BETWEEN_WORDS = b"+-*~,;:.&%$!"
#: The signs that tokenizers write for a space, and OpenNMT where there is none; and the zero-width space and line separator.
_MARKS_BEYOND_ASCII = ("▁", "Ġ", "￭", "\u200b", "\u2028", "♪", "¶")
#: One in so many bytes is the first one of a letter of Latin-1 in text that has hardly another letter.
_SHARE_OF_LATIN = 4
#: Bytes of ASCII that are no letters or digits.
_SIGNS_AND_SPACES = bytes(code for code in range(128) if not chr(code).isalnum())
#: The end of a first line such as `分词结果：`, which introduces a text, and of lines of tokenised text, which introduce none.
_WIDE_COLON = "：".encode()
_COLON_AS_WORD = b" " + _WIDE_COLON
#: The beginning of a tree, such as `(NP `, or a note, such as `(laughs)`.
_BEGINS_TREE_OR_NOTE = re.compile(rb"\(\S+[ )]")
#: The first strings that may show a form: few, because most calls have none.
LINES_OF_FORM = 12
_NEWLINE = b"\n"
#: The beginning of a line of a conflict of Git.
CONFLICT = b"\n<<<<<<< "
#: Single words that are no utterance, on the last line, and on the first one.
_NAMES_AT_END = frozenset(name.encode() for name in NAMES_OF_ENDS)
_NAMES_AT_BEGINNING = frozenset(name.encode() for name in NAMES_OF_ENDS | NAMES_OF_COLUMNS)
#: The first byte of letters beyond Latin and Greek.
_FIRST_BEYOND_LATIN = b"\xd0"
_DIGITS = b"0123456789"
_MARKS_OF_LINES = b".,;:!?[<{*_"
_OPENING_QUOTES = tuple(quote.encode() for quote in "“‘「『《（")
_CLOSING_QUOTES = tuple(quote.encode() for quote in "”’」』》）")
_DIGITS_AS_BYTES = tuple(bytes([digit]) for digit in _DIGITS)
#: In letters: words of scripts without spaces are shorter on average than this.
LONGEST_WORDS = 10
#: The bytes between spaces, in the mean, of phrases of `LONGEST_WORDS` characters: most have three bytes, the others one.
_BYTES_OF_PHRASES = 2 * LONGEST_WORDS


def may_be_doubtful(block: bytes) -> bool:
    """Return whether words text needs a look: it has unusual whitespace, or unusual signs or lines at its ends."""
    # To look for one byte first is quicker.
    has_conflict = b"<" in block and CONFLICT in block
    if has_conflict or may_end_with_message(block):
        return True
    beginning = block[:BEGINNING]
    *first_lines, rest = beginning.split(_NEWLINE, LINES_OF_FORM)
    # If there are fewer lines, the rest is the last one, or empty.
    head = beginning
    if len(first_lines) == LINES_OF_FORM:
        head = beginning[: len(beginning) - len(rest)]
    if Spaces.of(block).are_unusual() or _has_mark_of_form(head):
        return True
    first, second, third, *_ = [*first_lines, rest, b"", b""]
    if second and _begin_unusually(first, second, third):
        return True
    _, newline, last = block[-_LONGEST_END:].rstrip().rpartition(_NEWLINE)
    has_several_lines = second != b"" or newline != b""
    return _has_odd_end(first, second, last, has_several_lines=has_several_lines)


def _begin_unusually(first: bytes, second: bytes, third: bytes) -> bool:
    """Return whether the first line is about the text, or is the second one with other spaces, or both have labels, ids or signs.

    The third line is empty if the text has two lines.
    """
    # thedog, the dog
    if first.translate(None, b" ") == second.translate(None, b" "):
        return True
    ends_with_colon = first.endswith(_WIDE_COLON) and not first.endswith(_COLON_AS_WORD)
    is_about_text = b": " in first or ends_with_colon
    # A first line of several words may be a title, and one of a single word the name of a column.
    may_be_title = third != b"" and b" " in first and b" " in second
    below_title = (second, third) if may_be_title else (first, second)
    if is_about_text or _may_have_frames(*below_title):
        return True
    return _begin_alike(first, second) and _begin_alike(second, third or second)


def _has_odd_end(first: bytes, second: bytes, last: bytes, *, has_several_lines: bool) -> bool:
    """Return whether the first line has its text twice, or the first or the last line may be none of the text."""
    letters = first.lower().translate(None, _SIGNS_AND_SPACES)
    # dogs dog s
    half = len(letters) // 2
    # #LoveIt → love it: the arrow, as any such sign beyond ASCII, has three bytes.
    before_sign = (len(letters) - 3) // 2
    has_same_around = before_sign > 0 and letters[:before_sign] == letters[before_sign + 3 :]
    has_sign_between = has_same_around and not letters.isascii()
    if has_sign_between or letters[:half] == letters[half:]:
        return True
    # A single line can differ from no other, but a short one may be a message, such as `Entry not found`.
    if not has_several_lines and len(first) > _LONGEST_MESSAGE:
        return False
    ends = first + b" " + last
    have_marks_or_capitals = ends != ends.lower().translate(None, _MARKS_OF_LINES)
    are_ascii = first.isascii() and second.isascii() and last.isascii()
    if have_marks_or_capitals or not are_ascii:
        texts = [line.decode(errors="replace") for line in (first, second, last)]
        if may_be_odd(texts[0], texts[1]) or may_be_odd(texts[2], texts[0]):
            return True
    has_only_marks = not last.translate(None, _SIGNS_AND_SPACES)
    return has_only_marks or last.lower() in _NAMES_AT_END


def _may_have_frames(first: bytes, second: bytes) -> bool:
    """Return whether two lines may have ids, labels or marks around their words, or the first one is a name."""
    first_token, *rest_of_first = first.split() or [b""]
    second_token, *rest_of_second = second.split() or [b""]
    if not rest_of_first:
        has_signs = first_token != first_token.translate(None, _SIGNS_BETWEEN_WORDS)
        is_name = first_token.lower() in _NAMES_AT_BEGINNING
        # Ids and counts have digits, and lines of labels without spaces, such as `BMES`, are capitals.
        may_be_id_or_labels = first_token.isascii() and (not first_token.isalpha() or first_token.isupper())
        return has_signs or is_name or may_be_id_or_labels
    # A sign between all words is each second token.
    if len(rest_of_first) > 2 and rest_of_first[0] == rest_of_first[2] and not rest_of_first[0].isalnum():
        return True
    first_is_number = first_token.strip(b"([").startswith(_DIGITS_AS_BYTES)
    if first_is_number or second_token.strip(b"([").startswith(_DIGITS_AS_BYTES):
        return True
    last_of_first = rest_of_first[-1]
    last_of_second = (rest_of_second or [second_token])[-1]
    first_has_digit = last_of_first != last_of_first.translate(None, _DIGITS)
    second_has_digit = last_of_second != last_of_second.translate(None, _DIGITS)
    have_digits = first_has_digit and second_has_digit
    beginnings = first_token + second_token
    have_marks = beginnings.isascii() and not first_token.isalpha() and not second_token.isalpha()
    # The same name at both ends, such as END, or the names of speakers before words of another script.
    may_be_name = last_of_first.isalpha() or last_of_first.isupper()
    have_name = last_of_first == last_of_second and may_be_name
    words_behind = rest_of_first[0] + b"".join(rest_of_second[:1])
    are_other = words_behind[:1] >= _FIRST_BEYOND_LATIN
    are_apart = are_other and (beginnings.isascii() or last_of_first.isalpha())
    have_labels = have_name or are_apart or beginnings.isupper()
    return have_digits or have_marks or have_labels


def _begin_alike(first: bytes, second: bytes) -> bool:
    """Return whether two lines begin with the same sign, with the names of their places, or with one word before the same sign.

    >>> _begin_alike(b"+the dog", b"+a cat"), _begin_alike(b"a the dog", b"b a cat"), _begin_alike(b"the dog", b"the cat")
    (True, True, False)
    """
    first_token, *rest_of_first = first.split(maxsplit=2) or [b""]
    second_token, *rest_of_second = second.split(maxsplit=2) or [b""]
    first_has_digit = first_token != first_token.translate(None, _DIGITS)
    have_digits = first_has_digit and second_token != second_token.translate(None, _DIGITS)
    are_letters = len(first_token) == len(second_token) == 1 and first_token != second_token
    # Strings as Python writes bytes: b'the dog'
    are_literals = first[:2] == second[:2] and first[1:2] in (b"'", b'"')
    have_names = have_digits or are_letters
    # Quotes around the whole line are signs, others are of the text.
    are_within = first_token.startswith(_OPENING_QUOTES) and not first.endswith(_CLOSING_QUOTES)
    have_sign = _have_sign(first_token, second_token) and not are_within
    if have_names or are_literals or have_sign:
        return True
    have_words_behind = bool(rest_of_first) and bool(rest_of_second)
    return have_words_behind and first_token == second_token and _have_sign(rest_of_first[0], rest_of_second[0])


def _have_sign(first: bytes, second: bytes) -> bool:
    """Return whether two tokens begin with the same sign, which is no letter and no digit."""
    # A character has up to four bytes.
    sign = first[:4].decode(errors="ignore")[:1]
    return sign != "" and not sign.isalnum() and second.startswith(sign.encode())


class Spaces(NamedTuple):
    """The whitespace of the beginning of a text."""

    beginning: bytes
    has_pair: bool  #: whether a space follows another one
    spaces: int
    newlines: int

    @classmethod
    def of(cls, block: bytes) -> Spaces:
        """Count the whitespace of a text."""
        beginning = block[:BEGINNING]
        if len(beginning) <= _SHORT:
            return cls(beginning, b"  " in beginning, beginning.count(b" "), beginning.count(_NEWLINE))
        codes = np.frombuffer(beginning, np.uint8)
        is_space = codes == ord(" ")
        has_pair = bool((is_space[1:] & is_space[:-1]).any())
        newlines = codes == ord("\n")
        return cls(beginning, has_pair, int(np.count_nonzero(is_space)), int(np.count_nonzero(newlines)))

    def are_unusual(self) -> bool:
        """Return whether the text has tabs or wide spaces, no spaces, so many that each character may be a label, or few."""
        if self.has_pair or b"\t" in self.beginning:
            return True
        byte_count = len(self.beginning)
        are_long_lines = byte_count >= LONGEST_WORDS * self.newlines
        may_be_raw = not self.spaces and are_long_lines
        # Labels, such as `B E S`: each byte of text has a space or a line end behind it.
        may_be_labels = byte_count <= 2 * (self.spaces + self.newlines)
        if may_be_raw or may_be_labels:
            return True
        # To count spaces is quicker than to split. A line has the fewest words for its spaces if one is at each end: one word
        # less.
        fewest_words = self.spaces - self.newlines
        if byte_count < _BYTES_OF_PHRASES * fewest_words:
            return False
        return byte_count >= _BYTES_OF_PHRASES * len(self.beginning.split())


def _has_mark_of_form(head: bytes) -> bool:
    """Return whether the first lines have a sign of a known form."""
    # The rest of a text is short: to look there first is quicker than one regular expression of the marks.
    left = head.translate(None, _ALL_BUT_SIGNS)
    if left and any(signs in left and mark in head for mark, signs in _SIGNS_OF_MARKS.items()):
        return True
    if left != left.translate(None, _CONTROLS):
        return True
    if b"(" in head and _BEGINS_TREE_OR_NOTE.search(head) is not None:
        return True
    return not head.isascii() and _has_mark_beyond_ascii(head)


def _has_mark_beyond_ascii(head: bytes) -> bool:
    """Return whether the first lines have a sign of a known form that is not ASCII."""
    # Text wrongly decoded as Latin-1, such as `cafÃ©`, has both bytes: Ã is C3 83, and © is C2 A9.
    if b"\xc3" in head and b"\xc2" in head:
        return True
    # Cyrillic that was read as Latin-1, such as `ìàìà`, has this byte before each letter, where ordinary text has few.
    if _SHARE_OF_LATIN * head.count(b"\xc3") > len(head):
        return True
    # In a string, to look for a character is quicker than in bytes to look for its code; the last character may lack bytes.
    text = head.decode(errors="replace")
    return any(mark in text for mark in _MARKS_BEYOND_ASCII)
