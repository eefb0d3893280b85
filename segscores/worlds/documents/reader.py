"""Documents: texts of several sentences that are one utterance, so that their line breaks may differ.

Conventions
-----------
- A document is a string of lines. In words text and units text a line is a sentence, in CoNLL-U a blank line ends one. A blank
  line is no sentence.
- A sentence ends a word. Whitespace, and so the line breaks, are not units.
- Long documents are read in pieces, which fit in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from ...kernel.arrays import Positions, lengths_of, offsets_of, start_of, sum_by_utterance
from ...kernel.segmentation import NEWLINE, Segmentation, concatenate
from ...options.errors import UtteranceError
from ...options.messages import Message
from ...reading.formats.registry import FORMATS, text_reader
from ...reading.reading import Reading

_PIECE_BYTES = 1 << 18


def from_documents(documents: pa.LargeStringArray, reading: Reading) -> Segmentation:
    """Read documents, each of which becomes an utterance of several sentences; an error names the line, from 1.

    The naive equivalent reads every sentence by itself, and adds up the lengths.

    >>> read = from_documents(pa.array(["the dog\\nis on", "a\\n"], pa.large_string()), Reading(text_format="words"))
    >>> read.word_ends, read.utterance_ends, read.of_words["ends_sentence"]
    (array([ 3,  6,  8, 10, 11]), array([10, 11]), array([False,  True, False,  True,  True]))
    """
    read, end = _sentence_reader(reading)
    data = memoryview(documents.buffers()[2] or b"")
    offsets = offsets_of(documents).tolist()
    texts = [data[start:stop] for start, stop in pairwise(offsets)]
    lengths = [len(text) for text in texts]
    block = data[offsets[0] : offsets[-1]]
    if not all(text[-len(end) :] == end for text in texts):
        block = memoryview(end.join([*texts, b""]))
        lengths = [length + len(end) for length in lengths]
    stops = np.cumsum(lengths)
    counts = np.zeros(len(texts), np.int64)
    sentences: list[Segmentation] = []
    start = 0
    while start < len(block):
        size = _PIECE_BYTES
        while (cut := bytes(block[start : start + size]).rfind(end)) < 0:
            size *= 2
        piece = bytes(block[start : start + cut + len(end)])
        try:
            sentences.append(read(piece))
        except UtteranceError as error:
            raise _in_document(error, block, start, stops) from None
        is_newline = np.frombuffer(piece, np.uint8) == NEWLINE
        if end == b"\n\n":
            is_newline[1:] &= is_newline[:-1].copy()
        of_sentences = np.searchsorted(stops, start + np.flatnonzero(is_newline), side="right")
        first, last = of_sentences[[0, -1]].tolist()
        counts[first : last + 1] += np.bincount(of_sentences - first)
        start += len(piece)
    return join_utterances(concatenate(sentences), counts)


def _sentence_reader(reading: Reading) -> tuple[Callable[[bytes], Segmentation], bytes]:
    """Return the reader of blocks of sentences, and what ends a sentence."""
    sentences = FORMATS[reading.text_format].sentences
    if sentences is None or sentences.read_documents is None:
        return text_reader(reading), b"\n"
    read = sentences.read_documents
    return lambda block: read(block, reading.tags), sentences.end


def _in_document(error: UtteranceError, block: memoryview, start: int, stops: Positions) -> UtteranceError:
    """Return the error of a line of a piece, with the document and its line."""
    line_ends = np.flatnonzero(np.frombuffer(block, np.uint8) == NEWLINE)
    line = int(np.searchsorted(line_ends, start)) + error.utterance
    document = int(np.searchsorted(stops, line_ends[line], side="right"))
    # Documents "a\nb\n" and "c\nd\n": line_ends 1, 3, 5, 7; stops 4, 8; 2 lines are before document 1
    before = int(np.searchsorted(line_ends, start_of(stops, document)))
    problem = Message(f"line {line - before + 1} of the document: ", error.problem)
    return error.but(utterance=document, problem=problem)


def join_utterances(segmentation: Segmentation, counts: Positions) -> Segmentation:
    """Join consecutive utterances, `counts[i]` for document i, which become the sentences of documents.

    The column `ends_sentence` of words, bool, says which words end a sentence.

    >>> from segscores.reading.readers import from_words_text
    >>> document = join_utterances(from_words_text(b"the dog\\n\\nis on\\n"), np.array([3]))
    >>> document.utterance_ends, document.of_words["ends_sentence"]
    (array([10]), array([False,  True, False,  True]))
    """
    sentence_ends = segmentation.utterance_ends[lengths_of(segmentation.utterance_ends) > 0]
    ends_sentence = np.zeros(len(segmentation.word_ends), bool)
    ends_sentence[np.searchsorted(segmentation.word_ends, sentence_ends)] = True
    joined = replace(
        segmentation,
        utterance_ends=np.concatenate(([0], segmentation.utterance_ends))[np.cumsum(counts)],
        utterance_units=sum_by_utterance(segmentation.utterance_units, counts),
    )
    return joined.with_word_columns(ends_sentence=ends_sentence)
