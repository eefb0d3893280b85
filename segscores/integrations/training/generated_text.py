"""Generated text: token ids of both sides, decoded by a tokenizer and read as utterances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ...reading.readers import Reading
from ...reading.sources.source import Batch, Rows, Side, Source
from .evaluation_arrays import Ids

BATCH_ROWS = 1 << 10


@dataclass(frozen=True)
class GeneratedText:
    """The reader of generated ids."""

    tokenizer: Any
    ignore_index: int
    reading: Reading

    def sides(self, generated: Ids, labels: Ids) -> list[Side]:
        """Return both sides of a batch, which are decoded when they are read."""
        are_matrices = generated.ndim == labels.ndim == 2
        if generated.shape[:1] != labels.shape[:1] or not (are_matrices or generated.size == labels.size == 0):
            raise ValueError(
                f"predictions have shape {generated.shape}, label_ids have shape {labels.shape}: expected generated ids "
                f"(N, L) and labels (N, M)."
            )

        def batches() -> Iterator[Batch]:
            for start in range(0, len(labels), BATCH_ROWS):
                yield Rows(
                    tuple(self._decode(ids[start : start + BATCH_ROWS]) for ids in (labels, generated)), is_checked=True
                )

        source = Source("generated text", batches)
        return [Side(role, (source,), self.reading, at) for at, role in enumerate(("references", "predictions"))]

    def _decode(self, ids: Ids) -> pa.LargeStringArray:
        """Decode every row to text without special tokens; replace a NUL, which no text has."""
        masked = (ids < 0) | (ids == self.ignore_index)
        filled = np.where(masked, self.tokenizer.pad_token_id, ids)
        # Spaces separate words, so the tokenizer must not clean them up.
        texts = self.tokenizer.batch_decode(
            filled.tolist(), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        strings = [text.encode(errors="replace").decode().replace("\0", "\ufffd") for text in texts]
        return pa.array(strings, pa.large_string())
