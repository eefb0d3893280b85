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
_MOST_LINES = 60
#: The fewest other lines, and the fewest marks that are words of their own in tokenised text.
_FEWEST = 3
#: The first letter beyond Latin, its extensions and those of IPA.
_FIRST_BEYOND_LATIN = "\u0370"
#: Marks at the ends of words, and those of eastern scripts, which may stand within text without spaces.
_MARKS = frozenset(".,;:!?…")
_EASTERN_MARKS = frozenset("。，、！？；：")
#: A mark behind letters: all marks that `_has_glued_mark` finds, found in a line at once.
_MARK_BEHIND_LETTERS = re.compile(r"[.,;:!?…。，、！？；：]((?<=[^\W\d_]{2}.)|(?<=[^\W\d_][。，、！？；：]))")
#: Marks that words may have.
_MARKS_OF_WORDS = frozenset("'’-")
#: Marks and brackets that may stand behind such a mark.
_CLOSING = "\"'”’»)]*"
#: The brackets and marks around whole lines; round brackets stand around what is said too.
_ENCLOSING = frozenset({"[]", "<>", "{}", "**", "__"})
#: The fewest lines of which several have a capital, or a mark, if the text has any.
_MANY = 10
#: First and last lines that are none of the text where they are the only ones of a single word, and the fewest others.
_FEWEST_BESIDE_NAME = 5
NAMES_OF_ENDS = frozenset({"begin", "start", "end", "eof", "fin", "finish", "finished"})
#: The letters of the longest abbreviation with a full stop.
_LONGEST_ABBREVIATION = 4
#: The letters of a long word of an eastern script: text without spaces has more.
_LONG_WORD = 6


def find_odd_first_line(text: str) -> Evidence | None:
    """Find a first line that is written otherwise than all others.

    >>> find_odd_first_line("Sure, here it is.\\nthe dog\\na cat\\nit is\\n").sign
    "line 1 is 'Sure, here it is.'"
    >>> find_odd_first_line("Mary is\\nthe dog\\na cat\\nit is\\n") is None
    True
    """
    lines = first_lines(text)
    if len(lines) <= _FEWEST:
        return None
    has_many_lines = len(lines) > 2 * FEW_LINES
    others = [line.text for line in (lines[FEW_LINES:] if has_many_lines else lines[1:])]
    is_odd = is_written_otherwise(lines[0].text, others)
    if has_many_lines and is_odd:
        is_odd = not _is_part_of_text([line.text for line in lines[:FEW_LINES]], others)
    return Evidence(lines[0].sign, is_weak=True) if is_odd else None


def find_lines_of_marks(text: str) -> Evidence | None:
    """Find lines of marks alone, such as `...`, in a text that has no other marks.

    >>> find_lines_of_marks("the dog\\n" * 6 + "...\\n" + "a cat\\n" * 6).sign
    "line 7 is '...'"
    """
    lines = first_lines(text)
    marked = [line for line in lines if _are_marks(line.text.strip())]
    if not marked or len(lines) - len(marked) < _MANY:
        return None
    others = [line.text for line in lines if line not in marked]
    return Evidence(marked[0].sign, is_weak=True) if _have_no_marks(others) else None


def odd_last_line(beginning: Sequence[str], last_lines: Sequence[str]) -> str:
    """Return the last line if it is written otherwise than the first ones, which it may be one of; else an empty string."""
    ends = [line for line in last_lines if line.strip()][-FEW_LINES:]
    if not ends:
        return ""
    *_, last = ends
    written = [line for line in beginning if line.strip()]
    if written.count(last) > 1:
        return ""  # the line is no message about the text, but one of its lines
    others = [line for line in written if line not in ends]
    if len(others) <= FEW_LINES:
        others = [line for line in written if line != last]
    elif _is_part_of_text(ends, others[:_MOST_LINES]):
        return ""
    return last if is_written_otherwise(last, others[:_MOST_LINES]) else ""


def _is_part_of_text(lines: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether so many lines at one end are written otherwise that they are a part of the text, such as one in English."""
    return len(lines) == FEW_LINES and all(is_written_otherwise(line, others) for line in lines)


def is_written_otherwise(line: str, others: Sequence[str]) -> bool:
    """Return whether a line is in another script than all others, stands in brackets, or has capitals or marks as none of them.

    >>> others = ["我们 去 北京 。", "他们 在 。", "我 爱 你 。"]
    >>> is_written_otherwise("loading model", others), is_written_otherwise("好的，以下是分词结果", others)
    (True, True)
    >>> is_written_otherwise("好 的 ， 北京", others)
    False
    """
    if _is_apart(line.strip(), others):
        return True
    if len(others) < _FEWEST or not may_be_odd(line, others[0]):
        return False
    words = line.split()
    words_of_others = " ".join(others).split()
    scripts = scripts_of(words)
    if len(words) > 1 and scripts and scripts.isdisjoint(scripts_of(words_of_others) or scripts):
        return True
    if _is_enclosed(line) and not any(map(_is_enclosed, others)):
        return True
    # In ordinary text, a word with a capital may stand in one line of few, and so may a mark at a word, such as `Mr.`.
    has_only_capital = _has_capitalised(line) and not any(map(_begins_with_capital, words_of_others))
    if has_only_capital and len(words) > 1 and len(others) >= _MANY:
        return True
    has_only_mark = any(map(_has_glued_mark, words)) and not any(map(_has_glued_mark, words_of_others))
    if not has_only_mark:
        return False
    if len(others) >= _MANY and _MARKS.isdisjoint("".join(words_of_others)):
        return True
    return has_only_capital or _is_unsegmented(words, words_of_others) or _is_untokenised(words, words_of_others)


def _is_apart(text: str, others: Sequence[str]) -> bool:
    """Return whether a line of marks alone is the only one with a mark, or a name such as `EOF` the only one of a single word.

    >>> others = ["the dog barks", "it ' s so"] * 5
    >>> _is_apart("...", others), _is_apart("end", others), _is_apart("end", [*others, "no"]), _is_apart("no", others)
    (True, True, False, False)
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
    """Return whether a line may be written otherwise than another, by its marks, its capitals or its script."""
    differs = line.isascii() != other.isascii() or (_has_capitalised(line) and not _has_capitalised(other))
    return differs or _is_enclosed(line) or _MARK_BEHIND_LETTERS.search(line) is not None


def _has_capitalised(line: str) -> bool:
    """Return whether a word of a line begins with a capital and goes on with a small letter."""
    return line != line.lower() and any(map(_begins_with_capital, line.split()))


def _is_enclosed(line: str) -> bool:
    """Return whether a line stands in brackets or in marks of Markdown, without spaces inside.

    >>> _is_enclosed("[Gold]"), _is_enclosed("**Gold text**"), _is_enclosed("[ gold ]"), _is_enclosed("(so)")
    (True, True, False, False)
    """
    text = line.strip()
    inner = text[1:-1]
    has_words = inner == inner.strip() and any(map(str.islower, inner))
    return text[:1] + text[-1:] in _ENCLOSING and has_words


def scripts_of(words: Sequence[str]) -> set[bool]:
    """Return whether there are letters of Latin (True), and of other scripts (False)."""
    return {letter < _FIRST_BEYOND_LATIN for letter in set("".join(words)) if letter.isalpha()}


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


def _begins_with_capital(word: str) -> bool:
    """Return whether a word begins with a capital, of which a small letter follows: I is written so in any text."""
    return word[:1].isupper() and word[1:2].islower()


def _is_unsegmented(words: Sequence[str], words_of_others: Sequence[str]) -> bool:
    """Return whether the longest word is beyond Latin, and is longer than all words of the others and than words are."""
    longest = max(words, key=len)
    longest_of_others = max(map(len, words_of_others))
    return False in scripts_of([longest]) and len(longest) > max(_LONG_WORD, longest_of_others)


def _is_untokenised(words: Sequence[str], words_of_others: Sequence[str]) -> bool:
    """Return whether marks are words of their own in the others, and one stands at a word that is no abbreviation."""
    if sum(word in _MARKS for word in words_of_others) < _FEWEST:
        return False
    *_, last = words
    is_sentence = last.endswith(".") and last[:-1].islower() and len(last) > _LONGEST_ABBREVIATION + 1
    return is_sentence or any(_has_glued_mark(word) and not word.endswith((".", "…")) for word in words)
