"""Signs that the first or the last line does not belong to the text: its script, its capitals or its marks differ.

Such lines are sentences of language models, messages of programs, titles and licences.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from .format import Evidence
from .signs import first_lines

#: The number of lines at either end that may not belong to a text, if the text has more than twice as many.
FEW_LINES = 4
#: The most other lines with which the last line is compared.
_MOST_LINES = 60
#: The fewest other lines with which a line is compared.
_FEWEST_OTHERS = 3
#: The fewest marks that are words of their own in tokenised text.
_FEWEST_MARKS_AS_WORDS = 3
#: The first letter beyond Latin, its extensions and those of IPA.
_FIRST_BEYOND_LATIN = "\u0370"
#: The two kinds of script that `scripts_of` returns.
LATIN = "Latin"
OTHER = "other"
#: Marks at the ends of words, and those of eastern scripts, which may stand within text without spaces.
_MARKS = frozenset(".,;:!?…")
_EASTERN_MARKS = frozenset("。，、！？；：")
#: A mark behind two letters, or a mark of an eastern script behind one: each word that `_has_glued_mark` finds has it.
#: The expression looks for a mark and then back at the letters, which is quicker: marks are rare.
_MARK_BEHIND_LETTERS = re.compile(r"[.,;:!?…。，、！？；：]((?<=[^\W\d_]{2}.)|(?<=[^\W\d_][。，、！？；：]))")
#: Marks that words may have.
_MARKS_OF_WORDS = frozenset("'’-")
#: Marks and brackets that may stand behind one of `_MARKS`.
_CLOSING = "\"'”’»)]*"
#: The brackets and marks around whole lines; round brackets stand around what is said too.
_ENCLOSING = frozenset({"[]", "<>", "{}", "**", "__"})
#: So many lines without a capital, or a mark, show that the text has none.
_MANY = 10
#: Words that alone on the first or the last line mark an end of a file, if no other line is a single word.
NAMES_OF_ENDS = frozenset({"begin", "start", "end", "eof", "fin", "finish", "finished", "done"})
#: The fewest other lines beside such a name.
_FEWEST_BESIDE_NAME = 5
#: The letters of the longest abbreviation with a full stop.
_LONGEST_ABBREVIATION = 4
#: Letters of scripts without spaces between words: Thai, Lao, Tibetan and Burmese; Khmer; kana; Chinese.
_UNSPACED = "[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
#: The letters of a long word of such a script: text without spaces has more.
_LONG_WORD = 6


def find_odd_first_line(text: str) -> Evidence | None:
    """Find a first line that is written otherwise than all others.

    >>> find_odd_first_line("Sure, here it is.\\nthe dog\\na cat\\nit is\\n").sign
    "line 1 is 'Sure, here it is.'"
    >>> find_odd_first_line("Mary is\\nthe dog\\na cat\\nit is\\n") is None
    True
    """
    lines = first_lines(text)
    if len(lines) <= _FEWEST_OTHERS:
        return None
    # Several first lines of a long text may be odd: the first one is compared with the lines behind all of them.
    head_size = FEW_LINES if len(lines) > 2 * FEW_LINES else 1
    head = [line.text for line in lines[:head_size]]
    others = [line.text for line in lines[head_size:]]
    if not is_written_otherwise(head[0], others) or _is_part_of_text(head, others):
        return None
    return Evidence(lines[0].sign, is_weak=True)


def find_lines_of_marks(text: str) -> Evidence | None:
    """Find lines of marks alone, such as `...`, in a text that has no other marks.

    >>> find_lines_of_marks("the dog\\n" * 6 + "...\\n" + "a cat\\n" * 6).sign
    "line 7 is '...'"
    """
    lines = first_lines(text)
    marked = [line for line in lines if _are_marks(line.text.strip())]
    others = [line.text for line in lines if line not in marked]
    if not marked or len(others) < _MANY:
        return None
    return Evidence(marked[0].sign, is_weak=True) if _have_no_marks(others) else None


def odd_last_line(beginning: Sequence[str], last_lines: Sequence[str]) -> str:
    """Return the last line if it is written otherwise than the first ones; else an empty string.

    `beginning` has the first lines of a text, and `last_lines` the last ones. Both have all lines of a short text.
    """
    ends = [line for line in last_lines if line.strip()][-FEW_LINES:]
    if not ends:
        return ""
    *_, last = ends
    filled_lines = [line for line in beginning if line.strip()]
    if filled_lines.count(last) > 1:
        return ""  # the line is no message about the text, but one of its lines
    others = [line for line in filled_lines if line not in ends]
    if len(others) <= FEW_LINES:
        others = [line for line in filled_lines if line != last]
    elif _is_part_of_text(ends, others[:_MOST_LINES]):
        return ""
    return last if is_written_otherwise(last, others[:_MOST_LINES]) else ""


def _is_part_of_text(lines_at_end: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether all of `FEW_LINES` lines at one end are written otherwise: so many are a part of the text."""
    has_enough = len(lines_at_end) == FEW_LINES
    return has_enough and all(is_written_otherwise(line, others) for line in lines_at_end)


def is_written_otherwise(line: str, others: Sequence[str]) -> bool:
    """Return whether a line is unlike all others: in another script, in brackets, or with capitals or marks that none has.

    >>> others = ["我们 去 北京 。", "他们 在 。", "我 爱 你 。"]
    >>> is_written_otherwise("loading model", others), is_written_otherwise("好的，以下是分词结果", others)
    (True, True)
    >>> is_written_otherwise("好 的 ， 北京", others)
    False
    """
    if _is_apart(line.strip(), others):
        return True
    if len(others) < _FEWEST_OTHERS or not may_be_odd(line, others[0]):
        return False
    words = line.split()
    words_of_others = " ".join(others).split()
    if len(words) > 1 and _is_in_other_script(words, words_of_others):
        return True
    if _is_enclosed(line) and not any(map(_is_enclosed, others)):
        return True
    # One line of few may have a capital, or a mark at a word such as `Mr.`, by chance: then it needs a second sign.
    has_many_others = len(others) >= _MANY
    alone_has_capital = _has_capitalised(line) and _have_no_capitals(words_of_others)
    if has_many_others and alone_has_capital and len(words) > 1:
        return True
    alone_has_glued_mark = any(map(_has_glued_mark, words)) and not any(map(_has_marks, words_of_others))
    if not alone_has_glued_mark:
        return False
    if has_many_others and _MARKS.isdisjoint("".join(words_of_others)):
        return True
    return alone_has_capital or _is_unsegmented(words, words_of_others) or _is_untokenised(words, words_of_others)


def _is_apart(text: str, others: Sequence[str]) -> bool:
    """Return whether a line is all marks where no other has a mark, or is a name such as `EOF` where no other is a single word.

    >>> others = ["the dog barks", "it ' s so"] * 5
    >>> _is_apart("...", others), _is_apart("...", [*others, "is it ?"])
    (True, False)
    >>> _is_apart("end", others), _is_apart("end", [*others, "no"]), _is_apart("no", others)
    (True, False, False)
    """
    if text.lower() in NAMES_OF_ENDS:
        return len(others) >= _FEWEST_BESIDE_NAME and all(len(line.split()) > 1 for line in others)
    return len(others) >= _MANY and _are_marks(text) and _have_no_marks(others)


def _are_marks(text: str) -> bool:
    """Return whether all characters are marks or signs; the vowels of Thai are none.

    >>> _are_marks("..."), _are_marks("--a")
    (True, False)
    """
    return all(unicodedata.category(character)[0] in "PSZ" for character in text)


def _have_no_marks(lines: Sequence[str]) -> bool:
    """Return whether lines have no marks but those of words, such as apostrophes."""
    characters = set("".join("".join(lines).split())) - _MARKS_OF_WORDS
    return not any(map(_are_marks, characters))


def may_be_odd(line: str, other: str) -> bool:
    """Return whether a line may be written otherwise than another; quicker than `is_written_otherwise`."""
    may_be_in_other_script = line.isascii() != other.isascii()
    alone_has_capital = _has_capitalised(line) and not _has_capitalised(other)
    if may_be_in_other_script or alone_has_capital:
        return True
    return _is_enclosed(line) or _MARK_BEHIND_LETTERS.search(line) is not None


def _has_capitalised(line: str) -> bool:
    """Return whether a word of a line begins with a capital and goes on with a small letter."""
    return line != line.lower() and any(map(_begins_with_capital, line.split()))


def _is_enclosed(line: str) -> bool:
    """Return whether a line stands in brackets or in marks of Markdown, without spaces inside.

    >>> _is_enclosed("[Gold]"), _is_enclosed("**Gold text**"), _is_enclosed("[ gold ]"), _is_enclosed("(so)")
    (True, True, False, False)
    """
    text = line.strip()
    inner = text.strip(text[:1] + text[-1:])
    has_words = inner == inner.strip() and any(map(str.islower, inner))
    is_address = "://" in text
    return text[:1] + text[-1:] in _ENCLOSING and has_words and not is_address


def _is_in_other_script(words: Sequence[str], words_of_others: Sequence[str]) -> bool:
    """Return whether the letters of some words are of another script than all letters of others; False if one has no letters."""
    scripts = scripts_of(words)
    scripts_of_others = scripts_of(words_of_others)
    have_letters = bool(scripts and scripts_of_others)
    return have_letters and scripts.isdisjoint(scripts_of_others)


def scripts_of(words: Sequence[str]) -> set[str]:
    """Return the kinds of script that letters of the words are of: LATIN, and OTHER for all others."""
    letters = {character for character in set("".join(words)) if character.isalpha()}
    return {LATIN if letter < _FIRST_BEYOND_LATIN else OTHER for letter in letters}


def _has_glued_mark(word: str) -> bool:
    """Return whether a mark stands at the end of a word of several letters, or a mark of an eastern script behind a letter.

    >>> _has_glued_mark("here."), _has_glued_mark("."), _has_glued_mark("3."), _has_glued_mark("好的，以下")
    (True, False, False, True)
    """
    if word.isalpha():
        return False
    stem = word.rstrip(_CLOSING)
    if stem[-1:] in _MARKS:
        return stem[-3:-1].isalpha() and len(stem) > 2
    return any(mark in _EASTERN_MARKS and letter.isalpha() for letter, mark in pairwise(word))


def _has_marks(word: str) -> bool:
    """Return whether `_has_glued_mark` is true of a word, or several marks end it, as in `so...` and `2!!`."""
    return _has_glued_mark(word) or re.search(r"\w[.!?]{2,}$", word) is not None


def _begins_with_capital(word: str) -> bool:
    """Return whether a word begins with a capital and a small letter; `I`, a capital in any text, does not."""
    return word[:1].isupper() and word[1:2].islower()


def _have_no_capitals(words: Sequence[str]) -> bool:
    """Return whether some words have small letters, and none has capitals beside them, as `Ann` and the phonemes `lUk`.

    >>> _have_no_capitals(["the", "dog", "I"]), _have_no_capitals(["lUk", "&t"]), _have_no_capitals(["我们", "去"])
    (True, False, False)
    """
    have_small_letters = any(map(str.islower, words))
    return have_small_letters and not any(word != word.lower() and word != word.upper() for word in words)


def _is_unsegmented(words: Sequence[str], words_of_others: Sequence[str]) -> bool:
    """Return whether the longest word, of a script without spaces, is longer than all words of the others and `_LONG_WORD`."""
    longest = max(words, key=len)
    longest_of_others = max(map(len, words_of_others))
    return re.search(_UNSPACED, longest) is not None and len(longest) > max(_LONG_WORD, longest_of_others)


def _is_untokenised(words: Sequence[str], words_of_others: Sequence[str]) -> bool:
    """Return whether marks are words of their own in the others, and one stands here at a word that is no abbreviation."""
    marks_as_words = sum(word in _MARKS for word in words_of_others)
    if marks_as_words < _FEWEST_MARKS_AS_WORDS:
        return False
    *_, last = words
    # The full stop of a long last word ends a sentence. Elsewhere it may be one of an abbreviation, such as `Mr.`.
    has_long_last_word = last[:-1].islower() and len(last) > _LONGEST_ABBREVIATION + 1
    if has_long_last_word and last.endswith("."):
        return True
    return any(_has_glued_mark(word) and not word.endswith((".", "…")) for word in words)
