"""`--value`: the bare number of a score, for shells and other programs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...options.messages import OptionError
from ...options.table import OPTIONS
from .printing import print_out

if TYPE_CHECKING:
    from ...results.scored import Scored

#: The ends of an interval, in the names of values.
_ENDS = ("_low", "_high")


def limit_scores_to_value(arguments: argparse.Namespace) -> None:
    """Change the arguments so that the score of `--value` is the only one, where no other option names scores."""
    # `--min` and `--max` need their scores too.
    names_others = "scores" in arguments.explicit or arguments.min or arguments.max
    if arguments.value is not None and not names_others:
        arguments.explicit["scores"] = (_key_of(arguments.value),)


def check_value(arguments: argparse.Namespace, keys: Sequence[str]) -> None:
    """Check, before any file is read, that the value of `--value` will be computed."""
    from ...scoring.measures.registry import check_scored

    if arguments.value is None:
        return
    key = _key_of(arguments.value)
    check_scored(OPTIONS["value"], key, keys)
    if key != arguments.value and arguments.confidence is None:
        raise OptionError(OPTIONS["value"].set(arguments.value), ": it needs ", OPTIONS["confidence"].set(0.95), ".")


def print_values(scored: Sequence[Scored], name: str) -> None:
    """Print the value of each prediction on a line of its own, with every digit."""
    for prediction in scored:
        print_out(repr(prediction.with_ends()[name]))


def _key_of(value: str) -> str:
    """Return the score of a value, which may be an end of its interval.

    >>> _key_of("token_fscore_low"), _key_of("token_fscore")
    ('token_fscore', 'token_fscore')
    """
    for end in _ENDS:
        value = value.removesuffix(end)
    return value
