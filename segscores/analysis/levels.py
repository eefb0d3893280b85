"""Levels: several segmentations in one text, such as words and syllables, each scored separately.

Conventions
-----------
- Units text has one boundary token per level. The levels are ordered, the coarsest first. A boundary of a level is also
  a boundary of every finer level, because the end of a word ends its last syllable. So wordseg's `;esyll ;eword` is
  equivalent to `;eword` alone.
- At a level the boundary tokens of finer levels are dropped, and the "words" are the spans between its boundaries:
  words at the level of words, syllables at the level of syllables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ..options.errors import FileError, UtteranceError
from ..options.keywords import LevelOptions, Unpack
from ..options.messages import Message
from ..options.option import check_options
from ..reading.inputs import TEXT, form_name
from ..reading.readers import Reading, from_units_text
from ..reading.segmentation import Segmentation
from ..reading.sources.sides import open_inputs
from ..reading.sources.source import Side
from ..scoring.functions import options_of, with_options
from ..scoring.passes import form_of, sum_tallies, with_window_size
from ..scoring.plan import Plan
from ..scoring.tally import Tally, score_tally

WORDSEG_LEVELS = {"word": ";eword", "syllable": ";esyll"}


@with_options
def score_levels(
    references: Any, predictions: Any, *, levels: Mapping[str, str] | None = None, **options: Unpack[LevelOptions]
) -> dict[str, dict[str, float]]:
    """Score each level of a text that has several levels.

    Args:
        references, predictions: utterances as units text, or files of it.
        levels: the boundary token of each level by its name, the coarsest first; WORDSEG_LEVELS if None.
        **options: those of `LevelOptions`.

    Returns:
        The scores of each level by key, by the name of the level.

    Raises:
        TypeError: the utterances are not text, or an unknown option.
        UtteranceError: an utterance that cannot be scored, with the level's name.
        ValueError: two levels with one token, or as `segscores.score`.

    The naive equivalent replaces coarser tokens by the token of the level, in both texts and in `vocabulary`. It then
    calls `segscores.score` with that token as `word_boundary` and the finer tokens as `ignored_tokens`, which `vocabulary`
    and `dictionary` may have too.

    >>> scores = score_levels(["b a ;esyll b y ;eword"], ["b a b y ;eword"], scores="token")
    >>> scores["word"]["token_recall"], scores["syllable"]["token_recall"]
    (1.0, 0.0)
    """
    levels = WORDSEG_LEVELS if levels is None else levels
    given = check_options(options, options_of(score_levels))
    if not isinstance(levels, Mapping) or not levels:
        raise ValueError(f"levels: expected a dict from names to boundary tokens, received {levels!r}.")
    tokens = list(levels.values())
    if len(set(map(repr, tokens))) < len(tokens):
        raise ValueError(
            f"levels: expected another boundary token for each level, received {', '.join(map(repr, tokens))}."
        )
    reading = Reading.of(word_boundary=tokens[0], ignored_tokens=given.get("ignored_tokens", ()))
    sides = open_inputs(reading, references, predictions)
    for side in sides:
        if form_of(side) not in (TEXT, pa.null()):
            raise TypeError(f"levels are marked by tokens of units text; received {form_name(form_of(side))}.")
    scores = {}
    for index, (name, token) in enumerate(levels.items()):
        of_level: dict[str, Any] = {
            **given,
            "ignored_tokens": [*reading.ignored_tokens, *tokens[index + 1 :]],
            "word_boundary": token,
            "vocabulary": _with_boundaries(given.get("vocabulary"), token, tokens[:index]),
        }
        try:
            plan = Plan.of(**of_level)
            scores[name] = score_tally(_tally_level(sides, plan, tokens[:index]), plan)
        except FileError as error:
            raise FileError(f"level {name!r}: ", error.plain, counting=error.counting) from None
        except UtteranceError as error:
            raise error.but(problem=Message(f"level {name!r}: ", error.problem)) from None
    return scores


def _with_boundaries(vocabulary: Any, word_boundary: str, coarser: list[str]) -> Any:
    """A vocabulary with the boundary token of a level in place of those of coarser levels."""
    if isinstance(vocabulary, (pa.Array, pa.ChunkedArray)):
        vocabulary = vocabulary.to_pylist()
    # The check of the options rejects what is no list.
    if isinstance(vocabulary, (str, bytes, Mapping)) or not isinstance(vocabulary, Iterable):
        return vocabulary
    return [
        " ".join(word_boundary if token in coarser else token for token in line.split())
        if isinstance(line, str)
        else line
        for line in vocabulary
    ]


def _tally_level(sides: Sequence[Side], plan: Plan, coarser: list[str]) -> Tally:
    def read(block: bytes) -> Segmentation:
        return from_units_text(block, plan.reading.word_boundary, plan.reading.ignored_tokens, coarser)

    sides = [replace(side, reading=plan.reading, reader=read) for side in sides]
    plan, _ = with_window_size(sides[0], plan)
    (total,), _ = sum_tallies(sides, plan)
    return total
