"""Checks of names that users give (options, groups, keys), and the nearest known name for a suggestion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .quoting import described, shortened


def nearest(name: object, known: Iterable[str]) -> list[str]:
    """The known names that a user probably meant, the likeliest first; at most three.

    Case, hyphens and underscores are ignored. A name that is equal but for those is suggested alone.

    >>> nearest("textformat", ["text_format", "word_boundary"]), nearest("x", ["text_format"])
    (['text_format'], [])
    """
    import difflib  # noqa: PLC0415 - only an error needs it

    plain = {_plain(each): each for each in known}
    wanted = _plain(str(name))
    if wanted in plain:
        return [plain[wanted]]
    begins = [each for key, each in plain.items() if wanted and key.startswith(wanted)]
    close = [plain[key] for key in difflib.get_close_matches(wanted, plain, n=3, cutoff=0.6)]
    return list(dict.fromkeys([*begins, *close]))[:3]


def suggestion(name: object, known: Iterable[str]) -> str:
    """` Did you mean …?`, to end a message; empty where no known name is near.

    >>> suggestion("boundary", ["boundary_all", "boundary_noedge", "token"])
    " Did you mean 'boundary_all' or 'boundary_noedge'?"
    """
    names = nearest(name, known)
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""


def check_names(options: Iterable[str], known: Sequence[str]) -> None:
    """Reject unknown options.

    >>> check_names({"textformat": "words"}, ["scores", "text_format"])
    Traceback (most recent call last):
    ...
    TypeError: unknown option 'textformat'. Did you mean 'text_format'? The options are scores, text_format.
    """
    for option in options:
        if option not in known:
            raise TypeError(
                f"unknown option {option!r}.{suggestion(option, known)} The options are {', '.join(known)}."
            )


def check_choice(option: str, value: object, choices: Iterable[str | None]) -> None:
    """Check an option whose value is one of several names.

    >>> check_choice("text_format", "word", ["units", "words"])
    Traceback (most recent call last):
    ...
    ValueError: unknown text_format 'word': expected 'units' or 'words'. Did you mean 'words'?
    """
    known = tuple(choices)
    if (value is None or isinstance(value, str)) and value in known:
        return
    *others, last = map(repr, known)
    expected = f"expected {', '.join(others)} or {last}"
    if not isinstance(value, str):
        raise TypeError(f"{option}: {expected}, received {described(value)}.")
    raise ValueError(f"unknown {option} {shortened(value)}: {expected}.{suggestion(value, filter(None, known))}")


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
