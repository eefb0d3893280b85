"""The layer of tags."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from ...kernel.segmentation import Segmentation
from ...reading.form import NESTED_LISTS, Form
from ...reading.layers import Layer
from ...reading.reading import Reading
from .pairs import check_tags, from_pairs


def _reader(form: Form, reading: Reading) -> Callable[[pa.Array], Segmentation] | None:
    """Return the reader of nested lists, which are pairs of words and tags; None for other forms."""
    if form == NESTED_LISTS:
        return partial(from_pairs, keeps_spaces=reading.keeps_spaces)
    return None


LAYER = Layer(nested="pairs of words and tags", scores=("tagged_token",), reader=_reader, check=check_tags)
