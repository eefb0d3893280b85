"""Boundary tokens: what may stand between words whose units have spaces between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

#: The characters with which a token between words may begin, if it is no word: `#`, `|`, `</w>`, `;eword`.
_BEGIN_BOUNDARIES = frozenset("#|/\\+=~^*&%@_-$<>[{;·‖¦│｜§¶•→")
#: Other tokens between words, in small letters.
_NAMES_OF_BOUNDARIES = frozenset({"space", "word_boundary", "wb", "▁"})
_TWO_SPACES = "  "


def may_have_boundaries(text: str) -> bool:
    """Return whether some token of a text may stand between words: to look for signs is quicker than at each token.

    >>> may_have_boundaries("the # dog"), may_have_boundaries("the WB dog"), may_have_boundaries("the dog")
    (True, True, False)
    """
    lower_text = text.lower()
    return any(sign in lower_text for sign in (*_BEGIN_BOUNDARIES, *_NAMES_OF_BOUNDARIES))


def may_be_boundary(token: str) -> bool:
    """Return whether a string may be the token between words; a word of a list may have whitespace, which no token has.

    >>> [may_be_boundary(token) for token in ("#", "WB", "#1", "#a1", "# #", "dog")]
    [True, True, False, False, False, False]
    """
    is_number = token[-1:].isdigit()
    may_be_mark = token[:1] in _BEGIN_BOUNDARIES and token.split() == [token] and not is_number
    return may_be_mark or token.lower() in _NAMES_OF_BOUNDARIES


def likely_boundary(lines: Sequence[str]) -> str:
    """Return what likely stands between words in most lines of several tokens: a token, or two spaces; empty if nothing does.

    >>> likely_boundary(["d uː # j uː", "k æ t", "ɪ t # s"]), likely_boundary(["d uː  j uː"]), likely_boundary(["d uː"])
    ('#', '  ', '')
    >>> likely_boundary(["d uː # j uː", "k æ t", "ɪ t"])
    ''
    """
    several = [line.strip() for line in lines if len(line.split()) > 1]
    counts: Counter[str] = Counter()
    for line in several:
        counts.update(token for token in set(line.split()) if may_be_boundary(token))
    # The most frequent token, with its count of lines; none if no token may be a boundary.
    candidates = counts.most_common(1)
    candidates.append((_TWO_SPACES, sum(_TWO_SPACES in line for line in several)))
    return next((boundary for boundary, count in candidates if 2 * count > len(several)), "")
