"""Random requests for `same.py`, each of which a seed and its number determine.

Most are valid. A part is damaged: an input, the value of an option, or an option that the input does not have.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from same_calls import (
    request_agreement,
    request_alignment,
    request_alternatives,
    request_baselines,
    request_compare,
    request_correlate,
    request_difficulty,
    request_documents,
    request_errors,
    request_identify,
    request_metric,
    request_mixed,
    request_recordings,
    request_score,
    request_stored,
    request_tables,
    request_thresholds,
    request_trainer,
    request_utterances,
)
from same_commands import request_files, request_other_files
from same_inputs import Request

#: Each kind of request, with its weight.
KINDS: dict[str, tuple[Callable[[random.Random], Request], float]] = {
    "score": (request_score, 32),
    "mixed": (request_mixed, 5),
    "documents": (request_documents, 4),
    "recordings": (request_recordings, 3),
    "compare": (request_compare, 5),
    "errors": (request_errors, 6),
    "utterances": (request_utterances, 6),
    "baselines": (request_baselines, 1.5),
    "identify": (request_identify, 0.7),
    "alternatives": (request_alternatives, 2),
    "difficulty": (request_difficulty, 3),
    "agreement": (request_agreement, 2),
    "alignment": (request_alignment, 2),
    "thresholds": (request_thresholds, 3),
    "correlate": (request_correlate, 1),
    "tables": (request_tables, 3),
    "stored": (request_stored, 3),
    "trainer": (request_trainer, 2),
    "metric": (request_metric, 1),
    "command files": (request_files, 10),
    "command others": (request_other_files, 13),
}


def note_scores(request: Request) -> None:
    """Note the scores that are asked for."""
    for call in request.calls:
        scores = call["options"].get("scores", ())
        names = [scores] if isinstance(scores, str) else scores if isinstance(scores, list) else []
        request.reached |= {f"scores {name}" for name in names}


def draw_request(seed: int, number: int, kinds: Sequence[str]) -> Request:
    """Draw a request, which the seed, the number and the kinds determine."""
    source = random.Random(f"{seed} {number}")
    kind = source.choices(kinds, [KINDS[kind][1] for kind in kinds])[0]
    request = KINDS[kind][0](source)
    note_scores(request)
    return request
