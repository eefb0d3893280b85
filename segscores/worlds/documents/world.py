"""The layer of documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from ...kernel.segmentation import Segmentation
from ...reading.form import STRINGS, Form
from ...reading.layers import Layer
from ...reading.reading import Reading
from .reader import from_documents


def _reader(form: Form, reading: Reading) -> Callable[[pa.Array], Segmentation] | None:
    """Return the reader of strings, which are documents; None for other forms."""
    if form == STRINGS:
        return partial(from_documents, reading=reading)
    return None


LAYER = Layer(reader=_reader)
