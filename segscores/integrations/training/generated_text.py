"""Generated text: token ids of both sides, decoded by a tokenizer and read as utterances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from ...reading.reading import Reading
from ...reading.sources.source import Batch, Rows, Side, Source
from .evaluation_arrays import Ids

BATCH_ROWS = 1 << 10


def generated_sides(generated: Ids, labels: Ids, tokenizer: Any, ignore_index: int, reading: Reading) -> list[Side]:
    """Return both sides of a batch of generated ids and labels, which a tokenizer decodes when they are read."""
    are_matrices = generated.ndim == labels.ndim == 2
    # Empty arrays may have any number of dimensions.
    are_empty = generated.size == labels.size == 0
    have_as_many_rows = generated.shape[:1] == labels.shape[:1]
    if not have_as_many_rows or not (are_matrices or are_empty):
        raise ValueError(
            f"predictions have shape {generated.shape}, label_ids have shape {labels.shape}: expected generated ids (N, L) and "
            f"labels (N, M)."
        )

    def decode(ids: Ids) -> pa.LargeStringArray:
        """Return the text of each row of ids."""
        # Masked positions become padding, which the tokenizer skips.
        filled = np.where((ids < 0) | (ids == ignore_index), tokenizer.pad_token_id, ids)
        # Spaces separate words, so the tokenizer must not clean them up.
        texts = tokenizer.batch_decode(filled.tolist(), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        # Text in Arrow has no half of a surrogate pair, which becomes "?", and text here has no NUL, which separates words.
        strings = [text.encode(errors="replace").decode().replace("\0", "\ufffd") for text in texts]
        return pa.array(strings, pa.large_string())

    def batches() -> Iterator[Batch]:
        """Yield batches with a column for each side."""
        for start in range(0, len(labels), BATCH_ROWS):
            rows = slice(start, start + BATCH_ROWS)
            # `decode` returns valid text without NUL, which readers need not check again.
            yield Rows((decode(labels[rows]), decode(generated[rows])), is_checked=True)

    source = Source("generated text", batches)
    # Both sides are columns of the same batches.
    return [Side("references", (source,), reading, column=0), Side("predictions", (source,), reading, column=1)]
