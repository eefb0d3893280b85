"""Errors name their utterance, wherever they are caught, and distinguish characters."""

import copy
import pickle
from functools import partial
from typing import Any

import pytest

from segscores.options.errors import UtteranceError, describe_character

ERRORS = {
    "predictions, utterance 3: it is odd. Make it even.": UtteranceError(
        3, "it is odd.", hint="Make it even.", side="predictions"
    ),
    "references, utterance 3: it is odd.": UtteranceError(3, "it is odd.", side="references"),
    "utterance 3: it is odd. Make it even.": UtteranceError(3, "it is odd.", hint="Make it even."),
    "utterance 0: it is odd.": UtteranceError(0, "it is odd."),
}


def attributes(error: UtteranceError) -> tuple[int, str, str, str]:
    return error.utterance, error.problem, error.hint, error.side


@pytest.mark.parametrize("message", ERRORS)
def test_the_message_has_the_place_the_problem_and_the_hint(message: str) -> None:
    assert str(ERRORS[message]) == f"{message} (Utterances count from 0.)"


def repickled(protocol: int, error: UtteranceError) -> Any:
    """As a process pool and `multiprocessing` send what their workers raise."""
    return pickle.loads(pickle.dumps(error, protocol))


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize(
    "sent",
    [*(partial(repickled, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)), copy.copy, copy.deepcopy],
)
def test_it_survives_pickling_and_copying(name: str, sent: Any) -> None:
    error, restored = ERRORS[name], sent(ERRORS[name])
    assert type(restored) is UtteranceError
    assert (attributes(restored), str(restored)) == (attributes(error), str(error))


@pytest.mark.parametrize(
    ("character", "description"),
    [
        ("p", "'p' (U+0070 LATIN SMALL LETTER P)"), ("р", "'р' (U+0440 CYRILLIC SMALL LETTER ER)"),
        ("\u0301", "'\u0301' (U+0301 COMBINING ACUTE ACCENT)"), ("\u200b", "'\\u200b' (U+200B ZERO WIDTH SPACE)"),
        ("\u00a0", "'\\xa0' (U+00A0 NO-BREAK SPACE)"), ("𠮷", "'𠮷' (U+20BB7 CJK UNIFIED IDEOGRAPH-20BB7)"),
        ("'", '"\'" (U+0027 APOSTROPHE)'), ("\x07", "'\\x07' (U+0007 no name)"),
        ("\ue000", "'\\ue000' (U+E000 no name)"), ("\U0010ffff", "'\\U0010ffff' (U+10FFFF no name)"),
    ],
)  # fmt: skip
def test_a_character_is_shown_with_its_code_point_and_name(character: str, description: str) -> None:
    assert describe_character(character) == description
