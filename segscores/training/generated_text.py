"""Generated text: token ids of both sides, decoded by a tokenizer and read as utterances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..kernel.mismatch import find_mismatches
from ..kernel.segmentation import Segmentation
from ..reading.inputs import TEXT
from ..reading.options import Reading
from ..reading.parts import reader_for
from .evaluation_arrays import Ids
from .evaluation_tally import EvaluationTally

PART_ROWS = 1 << 10


@dataclass(frozen=True)
class GeneratedText:
    """The reader of generated ids."""

    tokenizer: Any
    ignore_index: int
    reading: Reading

    def tally(self, generated: Ids, labels: Ids, total: EvaluationTally) -> None:
        """Add the counts of generated ids and labels."""
        if generated.ndim != 2 or labels.ndim != 2 or len(generated) != len(labels):
            if generated.size or labels.size:
                raise ValueError(
                    f"predictions have shape {generated.shape}, label_ids have shape {labels.shape}: expected generated ids "
                    f"(N, L) and labels (N, M)."
                )
            return
        for start in range(0, len(labels), PART_ROWS):
            texts = [self._decode(ids[start : start + PART_ROWS]) for ids in (labels, generated)]
            same = ~find_mismatches(*map(self._read, texts))
            total.add(*(self._read(side.filter(pa.array(same))) for side in texts))
            if not same.all():
                reference, prediction = (self._read(side.filter(pa.array(~same))) for side in texts)
                total.add_mismatched(reference, prediction, ~same)

    def _decode(self, ids: Ids) -> pa.LargeStringArray:
        """The text of every row, without special tokens; a NUL, which no text has, is replaced."""
        masked = (ids < 0) | (ids == self.ignore_index)
        filled = np.where(masked, self.tokenizer.pad_token_id, ids)
        # Spaces separate words, so no spaces may be cleaned up.
        texts = self.tokenizer.batch_decode(
            filled.tolist(), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        strings = [text.encode(errors="replace").decode().replace("\0", "\ufffd") for text in texts]
        return pa.array(strings, pa.large_string())

    def _read(self, texts: pa.LargeStringArray) -> Segmentation:
        return reader_for(TEXT, self.reading)(texts)
