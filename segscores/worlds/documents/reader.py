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

from ...kernel.arrays import Positions, bytes_of, lengths_of, offsets_of, start_of, sum_by_utterance
from ...kernel.segmentation import NEWLINE, Segmentation, concatenate
from ...options.errors import UtteranceError
from ...options.messages import Message
from ...reading.formats.registry import FORMATS, text_reader
from ...reading.reading import Reading

#: The size of a piece, which fits in the cache of a processor.
_PIECE_BYTES = 1 << 18


def from_documents(documents: pa.LargeStringArray, reading: Reading) -> Segmentation:
    """Read documents, each of which becomes an utterance of several sentences; an error names the line, from 1.

    The naive equivalent reads every sentence by itself, and adds up the lengths.

    >>> read = from_documents(pa.array(["the dog\\nis on", "a\\n"], pa.large_string()), Reading(text_format="words"))
    >>> read.word_ends, read.utterance_ends, read.of_words["ends_sentence"]
    (array([ 3,  6,  8, 10, 11]), array([10, 11]), array([False,  True, False,  True,  True]))
    """
    read, end = _sentence_reader(reading)
    block, stops = _joined_texts(documents, end)
    sentence_counts = np.zeros(len(documents), np.int64)
    sentences: list[Segmentation] = []
    start = 0
    while start < len(block):
        piece = _next_piece(block, start, end)
        try:
            sentences.append(read(piece))
        except UtteranceError as error:
            raise _in_document(error, block, start, stops) from None
        # Sentences of the documents 1 1 2: the documents from 1 to 2 have 2 and 1 sentences in the piece, and may have more in
        # other pieces.
        documents_of_sentences = np.searchsorted(stops, start + _sentence_ends(piece, end), side="right")
        first_document = int(documents_of_sentences[0])
        last_document = int(documents_of_sentences[-1])
        sentence_counts[first_document : last_document + 1] += np.bincount(documents_of_sentences - first_document)
        start += len(piece)
    return join_utterances(concatenate(sentences), sentence_counts)


def _joined_texts(documents: pa.LargeStringArray, end: bytes) -> tuple[memoryview, Positions]:
    """Return the text of all documents, in which each ends as a sentence does, and the place behind each document."""
    data = memoryview(bytes_of(documents))
    offsets = offsets_of(documents).tolist()
    texts = [data[start:stop] for start, stop in pairwise(offsets)]
    if all(text[-len(end) :] == end for text in texts):
        # Nothing is copied.
        return data[offsets[0] : offsets[-1]], np.cumsum([len(text) for text in texts])
    # Where a text has an end already, the second one ends a blank sentence, which does not count.
    block = memoryview(end.join([*texts, b""]))
    return block, np.cumsum([len(text) + len(end) for text in texts])


def _next_piece(block: memoryview, start: int, end: bytes) -> bytes:
    """Return whole sentences from a place on, as many as fit into a piece; one if it is longer."""
    size = _PIECE_BYTES
    last_end = bytes(block[start : start + size]).rfind(end)
    while last_end < 0:
        size *= 2
        last_end = bytes(block[start : start + size]).rfind(end)
    return bytes(block[start : start + last_end + len(end)])


def _sentence_ends(piece: bytes, end: bytes) -> Positions:
    """Return the place of each newline that ends a sentence; of `end`, two newlines, it is the second one."""
    is_end = np.frombuffer(piece, np.uint8) == NEWLINE
    if end == b"\n\n":
        is_end[1:] &= is_end[:-1].copy()
    return np.flatnonzero(is_end)


def _sentence_reader(reading: Reading) -> tuple[Callable[[bytes], Segmentation], bytes]:
    """Return the reader of blocks of sentences, and what ends a sentence."""
    sentences = FORMATS[reading.text_format].sentences
    if sentences is None or sentences.read_documents is None:
        # A line is a sentence.
        return text_reader(reading), b"\n"
    read = sentences.read_documents
    return lambda block: read(block, reading.tags), sentences.end


def _in_document(error: UtteranceError, block: memoryview, start: int, stops: Positions) -> UtteranceError:
    """Return the error of a line of the piece from `start` on, with the document and its line; documents end at `stops`."""
    # Documents "a\nb\n" and "c\nd\n": line_ends 1, 3, 5, 7; stops 4, 8; 2 lines are before document 1
    line_ends = np.flatnonzero(np.frombuffer(block, np.uint8) == NEWLINE)
    line = int(np.searchsorted(line_ends, start)) + error.utterance
    document = int(np.searchsorted(stops, line_ends[line], side="right"))
    lines_before = int(np.searchsorted(line_ends, start_of(stops, document)))
    problem = Message(f"line {line - lines_before + 1} of the document: ", error.problem)
    return error.but(utterance=document, problem=problem)


def join_utterances(segmentation: Segmentation, counts: Positions) -> Segmentation:
    """Join consecutive utterances, `counts[i]` for document i, which become the sentences of documents.

    The column `ends_sentence` of words, bool, says which words end a sentence.

    >>> from segscores.reading.readers import from_words_text
    >>> document = join_utterances(from_words_text(b"the dog\\n\\nis on\\n"), np.array([3]))
    >>> document.utterance_ends, document.of_words["ends_sentence"]
    (array([10]), array([False,  True, False,  True]))
    """
    # A blank utterance is no sentence.
    sentence_ends = segmentation.utterance_ends[lengths_of(segmentation.utterance_ends) > 0]
    ends_sentence = np.zeros(len(segmentation.word_ends), bool)
    ends_sentence[np.searchsorted(segmentation.word_ends, sentence_ends)] = True
    # Documents of 2 and 1 utterances, which end at 5 8 11: after 2 and 3 utterances the documents end, at 8 and 11. After no
    # utterance, as with an empty first document, this is at 0.
    document_ends = np.concatenate(([0], segmentation.utterance_ends))[np.cumsum(counts)]
    joined = replace(
        segmentation,
        utterance_ends=document_ends,
        utterance_units=sum_by_utterance(segmentation.utterance_units, counts),
    )
    return joined.with_word_columns(ends_sentence=ends_sentence)
