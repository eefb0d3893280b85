"""Map over chunks: the one loop over utterances, an ordered map in threads.

Conventions
-----------
- The calling thread reads batches, and cuts them into chunks: the same utterances of every side, at most about CHUNK_BYTES of
  each. Threads run `work` on the chunks. Results come in order.
- Sides of the same sources are columns of one stream. Sides with equal numbers of files pair file by file.
- A line that is missing on one side shows as a difference between lines later on. So after a difference both sides are read to
  their ends, and if their numbers differ, that is the error.
- With `skips`, utterances that can't be scored are left out by `Chunk.compare`.
- What a chunk records beside its result goes into `Observations`, in order.
- The first error is that of the first utterance with which `work` fails, whatever the chunks and the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TypeVar

from ..options.errors import UtteranceError
from ..reading.doubts import FormDoubts
from ..reading.sources import source
from ..reading.sources.source import Side
from .chunk import Chunk
from .chunk_errors import Explain, Failed, first_error
from .observations import Observations, conclude
from .parallel import map_in_order
from .streams import Pairing, pairings_of

Result = TypeVar("Result")


def map_chunks(
    sides: Sequence[Side],
    work: Callable[[Chunk], Result],
    *,
    skips: bool = False,
    ids: Sequence[Side] = (),
    observed: Observations | None = None,
    concludes: bool = True,
    chunk_bytes: int | None = None,
    workers: int | None = None,
    explain: Explain = lambda error, _: error,
) -> Iterator[Result]:
    """The results of `work` for the chunks of several sides, in order.

    Args:
        sides: the reference, then the predictions.
        skips: whether utterances that can't be scored are left out.
        ids: further sides, with ids of utterances.
        observed: what the pass records; by default its own.
        concludes: whether to check at the end that something was scored, and to warn.
        chunk_bytes: about how many bytes of one side a chunk has.
        workers: the number of threads; one per core if None. With 1 the calling thread does the work.
        explain: makes the error for the user of that of an utterance, and a chunk of only this utterance.

    Raises:
        UtteranceError: an utterance of a collection can't be scored; it has its index.
        FileError: a file can't be read, or an utterance of it can't be scored, or the sides have different numbers of utterances.
        TypeError, ValueError: the form of the input does not fit the options, or there is nothing to score.
    """
    observed = Observations() if observed is None else observed
    doubts = observed.doubts = FormDoubts(sides[0].reading)
    every = [*sides, *ids]
    pairings = pairings_of(every, chunk_bytes or source.CHUNK_BYTES)
    run = partial(_run, partial(_with_ids, work, len(sides)) if ids else work, explain)
    try:
        with closing(map_in_order(run, _chunks(pairings, skips=skips), workers)) as results:
            for of_chunk, result in results:
                observed.update(of_chunk, every)
                yield result
    except Failed as failed:
        raise failed.explained(every, observed) from None
    except Exception:
        doubts.reject_tags()
        raise
    finally:
        for pairing in pairings:
            pairing.close()
    doubts.reject_tags()
    observed.extents = [extent for pairing in pairings for extent in pairing.extents()]
    if concludes:
        conclude(sides, observed)


def _chunks(pairings: Sequence[Pairing], *, skips: bool) -> Iterator[Chunk]:
    first = 0
    for pairing in pairings:
        pairing.first = first
        try:
            for batches, count in pairing.cuts():
                observed = Observations(count, doubts=FormDoubts(pairing.sides[0].reading))
                yield Chunk(pairing, batches, first, skips, observed)
                first += count
        except Exception as error:
            raise Failed(pairing, error) from None


def _run(work: Callable[[Chunk], Result], explain: Explain, chunk: Chunk) -> tuple[Observations, Result]:
    """Return the observations of a chunk, and its result; not the chunk, so that results that wait hold no text."""
    try:
        result = work(chunk)
    except (TypeError, ValueError) as error:
        raise first_error(work, explain, chunk, error) from None
    except Exception as error:
        raise Failed(chunk.pairing, error, (chunk.observed,)) from None
    return chunk.observed, result


def _with_ids(work: Callable[[Chunk], Result], first_number: int, chunk: Chunk) -> Result:
    result, columns = work(chunk), []
    for number, side in enumerate(chunk.sides[first_number:], first_number):
        ids = chunk.raw(number)
        if side.is_file and ids.null_count:
            row = ids.is_null().to_pylist().index(True)
            problem = "there is no id; expected one for each utterance."
            raise UtteranceError(row, problem, side=side.role).but(prediction=number)
        columns.append(ids)
    chunk.observed.ids.append(columns)
    return result
