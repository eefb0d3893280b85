"""The layer of morphs."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ...kernel.segmentation import Segmentation
from ...reading.form import NESTED_LISTS, Form
from ...reading.layers import Layer
from ...reading.reading import Reading
from .alternatives import from_analyses


def _reader(form: Form, _: Reading) -> Callable[[pa.Array], Segmentation] | None:
    """Return the reader of nested lists, which are analyses of words; None for other forms."""
    if form == NESTED_LISTS:
        return from_analyses
    return None


LAYER = Layer(nested="analyses of words", scores=("bpr", "morpheme"), reader=_reader)
