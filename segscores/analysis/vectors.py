"""Test vectors: inputs with the values that every scorer must give by the specification (docs/reference/specification.md).

Conventions
-----------
- `vector_cases` declares the inputs and options. The values come from the package as it is when the vectors are written. The file
  in the documentation has the vectors of the version; a test compares it with what the package writes.
- A vector has the scores and the digest of the references, or the rule that the input breaks.
- JSON has no nan: null stands for it as a value, and "nan" as an option. Values have twelve digits.
"""

from __future__ import annotations

import json
import math
import warnings
from typing import Any

from .. import DEFINITIONS_VERSION
from ..options.errors import UtteranceError
from ..reading.sources.sides import open_inputs
from ..scoring.passes import concatenate_tallies, with_reference
from ..scoring.signature import show_digest
from ..statistics.resampling import split_options
from ..statistics.utterance_scores import score_utterances
from .vector_cases import VectorCase, cases

#: Rises when vectors are added to a version of the definitions.
_REVISION = 1
#: The largest difference of values that agree. Sums in another order, and other quantiles of Student's t, differ by less.
_TOLERANCE = 1e-9


def conformance_vectors() -> dict[str, Any]:
    """Return the test vectors of the definitions, as `segscores conform --export` writes them: values that JSON can hold.

    Returns:
        The fields that docs/reference/vectors.schema.json describes. `vectors` is a list; each has references, predictions and
        options, and the scores by key or the rule of the specification that the input breaks.

    >>> vectors = conformance_vectors()
    >>> vectors["definitions"], vectors["vectors"][0]["scores"]["token_recall"]
    (1, 0.0)
    """
    return {
        "title": f"segscores definitions, version {DEFINITIONS_VERSION}: test vectors",
        "definitions": DEFINITIONS_VERSION,
        "revision": _REVISION,
        "tolerance": _TOLERANCE,
        "vectors": [_vector(case) for case in cases()],
    }


def written_vectors() -> str:
    """Return the vectors as text: a line for each, so that a change of one is easily seen."""
    record = conformance_vectors()
    vectors = record.pop("vectors")
    head = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in record.items()]
    lines = ",\n".join(f"    {json.dumps(vector, ensure_ascii=True, allow_nan=False)}" for vector in vectors)
    return "\n".join(["{", *head, '  "vectors": [', lines, "  ]", "}", ""])


def _vector(case: VectorCase) -> dict[str, Any]:
    """Return a case with its values, or with the error that it causes."""
    vector: dict[str, Any] = {
        "name": case.name,
        "rules": list(case.rules),
        "references": case.references,
        "predictions": case.predictions,
        "options": dict(case.options),
    }
    if not case.is_error:
        scores, ref = _scores_and_ref(case)
        values = {key: _rounded(value) for key, value in scores.items()}
        return {**vector, "scores": values, "ref": ref}
    try:
        _scores_and_ref(case)
    except ValueError as error:
        # Errors about a side as a whole name no utterance.
        utterance = error.utterance if isinstance(error, UtteranceError) else None
        broken_rule, *_ = case.rules
        return {**vector, "error": {"rule": broken_rule, "utterance": utterance}}
    raise AssertionError(f"the vector {case.name!r} breaks no rule.")


def _rounded(value: float) -> float | None:
    """Return a value with twelve digits, as other versions of numpy and scipy give it too; None for nan.

    >>> _rounded(2 / 3), _rounded(math.nan)
    (0.666666666667, None)
    """
    return None if math.isnan(value) else float(f"{value:.12g}")


def _scores_and_ref(case: VectorCase) -> tuple[dict[str, float], str]:
    """Return the scores, and the digest of the references as a signature shows it."""
    options = dict(case.options)
    # JSON has no nan.
    if options.get("zero_division") == "nan":
        options["zero_division"] = math.nan
    plan, resampling, _values = split_options(options)
    reference, prediction = open_inputs(plan.reading, case.references, case.predictions)
    with warnings.catch_warnings():
        # The vectors have small samples, and scores without a value, on purpose.
        warnings.simplefilter("ignore", UserWarning)
        # Some options, such as the size of windows, have their defaults from the reference.
        plan, _observed_for_defaults = with_reference(reference, plan)
        (tally,), observed = concatenate_tallies([reference, prediction], plan, with_digest=True)
        scores = score_utterances(tally, plan, resampling)
    assert observed.digest is not None, "the pass was asked for it"
    return scores, show_digest(observed.digest)
