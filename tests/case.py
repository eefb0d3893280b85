"""Case: a call, and what every surface makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

Scores = dict[str, float]


class Setting(NamedTuple):
    """An option in the words of an error, with a value or alone. Each surface writes it as its users do."""

    name: str
    value: Any = None


@dataclass(frozen=True)
class Case:
    """A call, and what it gives.

    Attributes:
        scores: the scores; for an error, none.
        messages: words of the warnings.
        error: the type of the error in Python; the others print a message.
        words: what stands in its message, in any order.
        utterance, side: the place that the message names, if it has one.
        left_out: surfaces on which the case is not run, each with the reason.
    """

    references: Any
    predictions: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, float] | None = None
    messages: Sequence[str] = ()
    error: type[Exception] | None = None
    words: Sequence[str | Setting] = ()
    utterance: int | None = None
    side: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Return what the utterances are: text, lists, labels, times, or nothing of these."""
        sides = (self.references, self.predictions)
        if self.options.get("text_format") == "times":
            return "times"
        if not all(isinstance(side, list) for side in sides):
            return "other"
        utterances = list(chain(*sides))
        if all(isinstance(utterance, str) for utterance in utterances):
            return "text"
        if not all(isinstance(utterance, list) for utterance in utterances):
            return "other"
        kinds = {type(item) for item in chain(*utterances)}
        if kinds == {str}:
            return "tags" if "label_scheme" in self.options else "lists"
        return "labels" if kinds == {int} else "other"
