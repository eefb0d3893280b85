"""Map over pieces: the one loop over utterances, an ordered map in threads.

Conventions
-----------
- The calling thread reads batches, and cuts them into pieces: the same utterances of every side, at most about PIECE_BYTES of
  each. Threads run `work` on the pieces. Results come in order.
- Sides of the same sources are columns of one stream. Sides with equal numbers of files pair file by file.
- A line that is missing on one side shows as a difference between lines later on. So after a difference both sides are read to
  their ends, and if their numbers differ, that is the error.
- The error is the one of the first utterance with which `work` fails, whatever the pieces and the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from typing import TypeVar

from ..options.errors import UtteranceError
from ..reading.sources import source
from ..reading.sources.source import Side
from ..reading.trouble import Trouble
from .digest import NO_UTTERANCES, digest_of_reference
from .observations import Observations
from .parallel import map_in_order
from .piece import Piece
from .piece_errors import Explain, Failed, first_error
from .streams import REFERENCE, Pairing, pairings_of

Result = TypeVar("Result")


def map_pieces(
    sides: Sequence[Side],
    work: Callable[[Piece], Result],
    *,
    ids: Sequence[Side] = (),
    observed: Observations | None = None,
    concludes: bool = True,
    piece_bytes: int | None = None,
    workers: int | None = None,
    explain: Explain = lambda error, _: error,
) -> Iterator[Result]:
    """Return the results of `work` for the pieces of several sides, the reference first, in order.

    Args:
        ids: further sides, with ids of utterances.
        observed: the record of the pass beside its results.
        concludes: whether to check at the end that something was scored, and to warn.
        piece_bytes: about how many bytes of one side a piece has.
        workers: the number of threads; one per core if None. With 1 the calling thread does the work.
        explain: makes the error for the user from an utterance's error and a piece of only this utterance.
    """
    if observed is None:
        observed = Observations()
    # `trouble` depends on how the reference is read, which the caller that made the record need not know.
    trouble = Trouble(sides[REFERENCE].reading)
    observed.trouble = trouble
    all_sides = [*sides, *ids]
    pairings = pairings_of(all_sides, piece_bytes or source.PIECE_BYTES)
    if ids:
        # The ids are sides too, which follow the others.
        work = partial(_with_ids, work, len(sides))
    run = partial(_run, work, explain)
    try:
        # Closing the results ends the work of the threads, also where the caller wants no more of them.
        with closing(map_in_order(run, _pieces(pairings, observed), workers)) as results:
            for observed_in_piece, result in results:
                observed.update(observed_in_piece, all_sides)
                yield result
    except Failed as failed:
        # The error of an utterance or a file; `explained` rejects tags too.
        raise failed.explained(all_sides, observed) from None
    except Exception:
        # If lists of words look like the tags of units, such as B and I, that is the likely cause of any other error.
        trouble.item_signs.reject_tags()
        raise
    finally:
        for pairing in pairings:
            pairing.close()
    # Such tags are an error even if all utterances were read: nobody means them as words.
    trouble.item_signs.reject_tags()
    observed.extents = [*chain.from_iterable(pairing.extents() for pairing in pairings)]
    if concludes:
        trouble.conclude(sides, observed.utterances)


def _pieces(pairings: Sequence[Pairing], observed_in_pass: Observations) -> Iterator[Piece]:
    """Yield the pieces of pairings in order, each with a record of its own."""
    utterances_before = 0
    for pairing in pairings:
        pairing.utterances_before = utterances_before
        try:
            for batches, count in pairing.cuts():
                reference_side, *_ = pairing.sides
                observed = Observations(count, trouble=Trouble(reference_side.reading))
                # Pieces have a digest if the pass has one.
                if observed_in_pass.digest is not None:
                    observed.digest = NO_UTTERANCES
                yield Piece(pairing, batches, utterances_before, observed)
                utterances_before += count
        except Exception as error:
            raise Failed(pairing, error) from None


def _run(work: Callable[[Piece], Result], explain: Explain, piece: Piece) -> tuple[Observations, Result]:
    """Return the observations of a piece, and its result; not the piece, so that results that wait hold no text."""
    try:
        result = work(piece)
        if piece.observed.digest is not None:
            piece.observed.digest = digest_of_reference(piece.reference, piece.sides[REFERENCE].reading)
    except (TypeError, ValueError) as error:
        raise first_error(work, explain, piece, error) from None
    except Exception as error:
        raise Failed(piece.pairing, error, (piece.observed,)) from None
    return piece.observed, result


def _with_ids(work: Callable[[Piece], Result], first_number: int, piece: Piece) -> Result:
    """Return the result of a piece, and note its ids: the ids are sides too, and have the numbers from `first_number` on."""
    result = work(piece)
    columns = []
    for side_number, side in enumerate(piece.sides[first_number:], start=first_number):
        ids = piece.raw(side_number)
        # Ids that are values are checked later, all at once.
        if side.is_file and ids.null_count:
            row = ids.is_null().to_pylist().index(True)
            problem = "there is no id; expected one for each utterance."
            # The error finds its file by the number of the side, which it calls the prediction.
            raise UtteranceError(row, problem, side=side.role).but(prediction=side_number)
        columns.append(ids)
    piece.observed.ids.append(columns)
    return result
