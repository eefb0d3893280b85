"""Sources and sides: named streams of utterances, and what of them is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..reading.options import Reading
from ..reading.parts import Reader
from .batches import Batch


@dataclass(eq=False)
class Source:
    """A table, a collection or a dataset: a stream of batches that can be opened for several passes.

    Attributes:
        name: for messages.
        batches: begins a pass; what it opens it closes, at its end or when it is closed.
        noun: the name of an utterance.
        is_once: whether a second pass finds nothing, as with a reader of another library.
        whole: its only batch, which is not empty; None if there are others, or if a pass has to find out.
    """

    name: str
    batches: Callable[[], Iterator[Batch]]
    noun: str = "utterance"
    is_once: bool = False
    whole: Batch | None = None


@dataclass(eq=False)
class Side:
    """The reference, or a prediction: a column of a source. Sides of the same source are read in one pass over it.

    Attributes:
        role: `"references"` or `"predictions"`, in messages about utterances.
        source: where it is.
        reading: how its utterances are read.
        at: the number of its column.
        name: of one of several systems; empty where the role says which side it is.
        reader: of its values, in place of the one for their form.
    """

    role: str
    source: Source
    reading: Reading
    at: int = 0
    name: str = ""
    reader: Reader | None = None
