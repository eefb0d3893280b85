"""Text as programs write it: lines with signs around the words, of the reference and of a prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import cycle
from typing import TypeAlias

from ..command_runs import Run, write_files

#: What a program writes: a text, or a function of the utterances.
Writer: TypeAlias = str | Callable[[list[str]], str]

GOLD = ["the dog barks .", "a cat sees it .", "they saw the cat ."]
PREDICTION = ["thedog barks .", "a cat sees it .", "they saw thec at ."]


def each(template: str, names: Iterable[object] = ("",)) -> Callable[[list[str]], str]:
    """The writer of a line for each utterance: its words, its text, its number from 1 or 0, and the names by turns."""

    def write(utterances: list[str]) -> str:
        lines = [
            template.format(words=words, text=words.replace(" ", ""), one=number + 1, zero=number, name=name)
            for number, (words, name) in enumerate(zip(utterances, cycle(names), strict=False))
        ]
        return "\n".join(lines) + "\n"

    return write


def between(first: str, template: str, last: str) -> Writer:
    """The same between two lines."""
    return lambda utterances: first + each(template)(utterances) + last


def below(first: str) -> Writer:
    """The writer of the words below a line."""
    return between(first, "{words}", "")


def above(last: str) -> Writer:
    """The writer of the words above a line."""
    return between("", "{words}", last)


def run_with(writer: Writer, run: Run, times: int = 1) -> tuple[int, str]:
    """Score the prediction as a program writes both sides, so many times. Return the status and the messages."""
    sides = {"g": GOLD * times, "p": PREDICTION * times}
    write_files({name: writer if isinstance(writer, str) else writer(side) for name, side in sides.items()})
    status, _, message = run("g", "p", "--scores", "token_fscore")
    return status, message
