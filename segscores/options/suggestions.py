"""Checks of names that users give (options, groups, keys), and the nearest known name for a suggestion."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: object, names: Iterable[str]) -> list[str]:
    """Return the known names that a user probably meant, the likeliest first; at most three.

    Case, hyphens and underscores are ignored. A name that is equal without them is suggested alone.

    >>> nearest("textformat", ["text_format", "word_boundary"]), nearest("x", ["text_format"])
    (['text_format'], [])
    """
    import difflib

    # {"textformat": "text_format"}
    known = {_plain(known_name): known_name for known_name in names}
    wanted = _plain(str(name))
    if wanted in known:
        return [known[wanted]]
    # Users write token_f1 for token_fscore: take the name without the digit, tokenf, for the beginning of a known name.
    beginning = wanted.removesuffix("1")
    with_beginning = [known_name for plain, known_name in known.items() if plain.startswith(beginning)]
    # An empty beginning, of "" or "1", would be that of every name.
    if beginning and with_beginning:
        return with_beginning[:3]
    return [known[plain] for plain in difflib.get_close_matches(wanted, known, n=3, cutoff=0.6)]


def suggestion(name: object, names: Iterable[str]) -> str:
    """Return a question that ends a message, ` Did you mean …?`; empty if no known name is near.

    >>> suggestion("boundary", ["boundary_all", "boundary_noedge", "token"])
    " Did you mean 'boundary_all' or 'boundary_noedge'?"
    """
    likely = nearest(name, names)
    return f" Did you mean {' or '.join(map(repr, likely))}?" if likely else ""


def _plain(name: str) -> str:
    """Return a name in lower case, without hyphens and underscores."""
    return name.lower().replace("_", "").replace("-", "")
