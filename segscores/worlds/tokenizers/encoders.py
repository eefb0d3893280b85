"""Tokenizers: the words of a text as a tokenizer cuts it, by the offsets of its tokens.

Conventions
-----------
- A tokenizer says where in the text each token begins and ends, in characters. So marks such as `Ġ` and `▁`, characters that it
  normalises, bytes, unknown tokens and special tokens need no rules of their own.
- The text is cut before the first character of a token, unless a token before it reaches that character: tokens that share a
  character are one piece. The text is also cut at whitespace, unless a token has characters on both sides of it.
- A character that no token has, such as an accent that was removed, belongs to the piece before it in its word, or else to the
  piece after it. A word of such characters alone is a piece without tokens.
- Whitespace is no unit. A token of whitespace alone makes no piece. The end of a line is no part of the text.
- No special tokens are added. Where the text has one, it is text.
- A text has the same tokens each time: dropout and sampling, which training uses, are errors or switched off.

A tokenizer is one of `tokenizers`, `transformers` (fast), `sentencepiece` or `tiktoken`, or a function: it gets a list of texts,
and returns for each text the list of the (start, end) of its tokens. None of these packages is imported here, but to open a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ...kernel.arrays import Bytes, Mask, Positions, last_of
from ...kernel.segmentation import Segmentation, begins_character
from ...options.errors import FileError, UtteranceError
from ...options.messages import OptionError
from ...options.optional import require
from ...options.quoting import described
from ...options.table import OPTIONS
from ...reading.formats.registry import FORMATS, PLAIN
from ...reading.inputs import TEXT_APART
from ...reading.readers import without_spaces
from ...reading.reading import Reading
from ...reading.sources.names import Tokenized
from ...reading.sources.opening import open_file
from .offsets import Encoded, from_offsets

#: Byte-level tokenizers write space, newline, carriage return, tab, and the bytes of wide spaces as letters.
_WRITTEN_SPACES = "Ġ▁ĊčĉŠ"


class Encoder(NamedTuple):
    """A tokenizer as a function, and what is known of its ids."""

    encode: Callable[[list[str]], Encoded]
    size: int = 0  #: the number of ids; 0 if there are none
    is_space: Mask | None = None  #: bool, by id, whether a token is whitespace alone
    unknown: int = -1  #: the id of the unknown token; −1 if there is none

    def read(self, block: bytes, to_plain_lines: Callable[[bytes], bytes], *, space: bool) -> Segmentation:
        """Read lines, whose text (`to_plain_lines`) the tokenizer cuts. With `space`, it sees a space before each line."""
        block = to_plain_lines(block.replace(b"\r\n", b"\n"))
        if space and block:
            # Whitespace is no unit: this changes what the tokenizer reads, and no position. A blank line has no text.
            block = re.sub(rb"(?m)^(?=.)", b" ", block)
        # The last line ends with a newline, too: what follows it is no line.
        encoded = self.encode(block.decode().split("\n")[:-1])
        is_space = None
        if self.is_space is not None and encoded.ids is not None:
            is_space = self.is_space[encoded.ids]
        return from_offsets(block, encoded, is_space, size=self.size, unknown=self.unknown)


def reader_of(tokenized: Tokenized, reading: Reading) -> Callable[[bytes], Segmentation]:
    """Return a reader that takes a block of lines, of references or of separate texts, and cuts their text with a tokenizer."""
    for name in ("normalize", "subword_marks", "documents", "ignore_index"):
        value = getattr(reading, name)
        is_given = value is not None and value is not False  # 0 is a value of `ignore_index`
        if is_given:
            problem = ": a tokenizer's offsets are of the text as it is, line by line: leave it out."
            raise OptionError(OPTIONS[name].set(value), problem)
    tokenizer = tokenized.tokenizer
    if isinstance(tokenizer, str):
        tokenizer = open_tokenizer(tokenizer)
    encoder = encoder_of(tokenizer)
    if tokenized.texts is None:
        # Lines of the references: words text, units text or another format, which has text in it.
        to_plain_lines = _text_reader(reading)
    else:
        # Separate texts are text already: `bytes` returns them as they are.
        to_plain_lines = bytes
    if tokenized.joined:
        # The tokenizer gets "thedog" for the words "the dog".
        to_plain_lines = partial(_joined_text, to_plain_lines=to_plain_lines)
    # With `space`, the tokenizer gets " the dog" for the line "the dog".
    return partial(encoder.read, to_plain_lines=to_plain_lines, space=tokenized.space)


def counter_of(tokenizer: Any) -> Callable[[list[str]], Positions]:
    """Return the function from texts to their numbers of tokens."""
    if isinstance(tokenizer, str):
        tokenizer = open_tokenizer(tokenizer)
    encoder = encoder_of(tokenizer)
    return lambda texts: encoder.encode(texts).counts


def _joined_text(block: bytes, *, to_plain_lines: Callable[[bytes], bytes]) -> bytes:
    """Return the text of lines without the spaces in it."""
    return without_spaces(to_plain_lines(block))


def _text_reader(reading: Reading) -> Callable[[bytes], bytes]:
    """Return the function from lines of references to lines of their text."""
    text_format = FORMATS[reading.text_format]
    to_plain_lines = text_format.text(reading)
    if to_plain_lines is None:
        question = (": a tokenizer reads plain text: did you mean ", PLAIN.setting, "?")
        raise OptionError(text_format.setting, *question, f" Utterances of this format {TEXT_APART}")
    return to_plain_lines


def encoder_of(tokenizer: Any) -> Encoder:
    """Return the encoder of a tokenizer, whose kind its attributes show."""
    # A tokenizer of tokenizers.
    if hasattr(tokenizer, "encode_batch") and hasattr(tokenizer, "get_vocab"):
        return _encoder_of_tokenizers(tokenizer)
    # A tokenizer of transformers.
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        if not getattr(tokenizer, "is_fast", False):
            remedy = "Pass the tokens of each text as lists of words, or a function that returns offsets."
            expected = f"{type(tokenizer).__name__} has no offsets: expected a fast tokenizer of transformers."
            raise TypeError(f"{expected} {remedy}")
        _check_not_random(tokenizer.backend_tokenizer.model, "set its backend_tokenizer.model.{} = None first")
        return _encoder_of(partial(_encode_transformers, tokenizer), tokenizer.get_vocab(), tokenizer.unk_token_id)
    # An encoding of tiktoken.
    if hasattr(tokenizer, "encode_ordinary_batch"):
        sizes, is_space = _table_of(tokenizer)
        return Encoder(partial(_encode_tiktoken, tokenizer, sizes), size=tokenizer.n_vocab, is_space=is_space)
    # A processor of sentencepiece.
    if hasattr(tokenizer, "serialized_model_proto"):
        ids = {tokenizer.id_to_piece(piece_id): piece_id for piece_id in range(tokenizer.get_piece_size())}
        return _encoder_of(partial(_encode_sentencepiece, tokenizer), ids, tokenizer.unk_id())
    # Anything else is a function.
    if not callable(tokenizer) or isinstance(tokenizer, type):
        raise TypeError(f"received {described(tokenizer)}; expected a tokenizer, or a function that returns offsets.")
    return Encoder(partial(_encode_function, tokenizer, Lock()))


def _encoder_of_tokenizers(tokenizer: Any) -> Encoder:
    """Return the encoder of a tokenizer of `tokenizers`, which has to read the whole text."""
    for name in ("truncation", "padding"):
        if getattr(tokenizer, name, None) is not None:
            raise ValueError(f"the tokenizer has {name}: call its no_{name}() first. Scores are of the whole text.")
    _check_not_random(tokenizer.model, "set its model.{} = None first")
    ids = tokenizer.get_vocab(with_added_tokens=True)
    if hasattr(tokenizer.model, "unk_token"):
        unknown = ids.get(tokenizer.model.unk_token)
    else:
        # A model of the kind Unigram shows the id of its unknown token only when it is written.
        match = re.search(rb'"unk_id":(\d+)', tokenizer.model.__getstate__())
        unknown = int(match[1]) if match else None
    return _encoder_of(partial(_encode_tokenizers, tokenizer), ids, unknown)


def _check_not_random(model: Any, remedy: str) -> None:
    """Check that a model of `tokenizers` has the same tokens each time; the setting's name goes into the remedy."""
    # BPE has dropout, and Unigram has alpha since 0.23. Models use both outside training too.
    for name in ("dropout", "alpha"):
        value = getattr(model, name, None)
        if value:
            raise ValueError(
                f"the tokenizer has {name} {value:.3g}, which draws tokens at random: {remedy.format(name)}."
            )


def open_tokenizer(path: str) -> Any:
    """Open the tokenizer of a file: JSON of `tokenizers`, for the whole text, or the model of SentencePiece."""
    is_json = path.lower().endswith(".json")
    require("tokenizers" if is_json else "sentencepiece", f"{path}: a tokenizer")
    # Read the file here, because the library would read a device without end.
    with open_file(path) as file:
        content = file.read()
    with _failures_as(lambda problem: FileError(f"{path}: this is no tokenizer: {problem}.")):
        tokenizer = _load_json(content) if is_json else _load_sentencepiece(content)
    if is_json:
        try:
            _check_not_random(tokenizer.model, "in Python, set its model.{} = None, and save it")
        except ValueError as error:
            raise FileError(f"{path}: {error}") from None
    return tokenizer


def _load_json(content: bytes) -> Any:
    """Return the tokenizer of `tokenizers` that JSON describes, for the whole text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _load_sentencepiece(content: bytes) -> Any:
    """Return the processor of a model of SentencePiece."""
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor()
    processor.LoadFromSerializedProto(content)
    return processor


@contextmanager
def _failures_as(error_of: Callable[[str], Exception]) -> Iterator[None]:
    """Raise, in place of any error of a tokenizer's library, the error that `error_of` makes of its message."""
    try:
        yield
    except BaseException as error:
        # A panic of a library in Rust is no Exception, and has this name.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        # A message may have several lines, or be empty.
        problem = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise error_of(problem) from None


def _unreadable(problem: str) -> UtteranceError:
    """Return the error of texts that a tokenizer cannot read; the search for the first bad utterance finds which one it is."""
    return UtteranceError(0, f"the tokenizer can't read the text: {problem}.")


def _encoder_of(encode: Callable[[list[str]], Encoded], ids: dict[str, int], unknown: int | None) -> Encoder:
    """Return an encoder that knows, by the names of tokens, which ids are nothing but space.

    `ids` has the id of each token, and `unknown` is that of the unknown token; None if there is none.
    """
    is_space = np.zeros(max(ids.values(), default=-1) + 1, bool)
    for token, token_id in ids.items():
        # A library may write a space as another character, such as ▁ or Ġ. An empty token is no space.
        is_blank = not token.strip(_WRITTEN_SPACES).strip()
        if token and is_blank:
            is_space[token_id] = True
    return Encoder(encode, size=len(ids), is_space=is_space, unknown=-1 if unknown is None else unknown)


def _from_spans(spans: Sequence[Sequence[tuple[int, int]]], ids: Iterable[Sequence[int]] | None = None) -> Encoded:
    """Return tokens from the (start, end) of the tokens of each text, and their ids; None if they have none."""
    counts = np.fromiter(map(len, spans), np.int64, len(spans))
    total = int(counts.sum())
    # The spans (0, 2) and (2, 5) are 0 2 2 5: starts and ends in turn.
    limits = np.fromiter(chain.from_iterable(chain.from_iterable(spans)), np.int64, 2 * total)
    token_ids = None if ids is None else np.fromiter(chain.from_iterable(ids), np.int64, total)
    return Encoded(counts, starts=limits[::2], ends=limits[1::2], ids=token_ids)


def _encode_tokenizers(tokenizer: Any, texts: list[str]) -> Encoded:
    """Return the tokens of texts, as a tokenizer of `tokenizers` cuts them."""
    with _failures_as(_unreadable):
        encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return _from_spans([encoding.offsets for encoding in encodings], [encoding.ids for encoding in encodings])


def _encode_transformers(tokenizer: Any, texts: list[str]) -> Encoded:
    """Return the tokens of texts, as a fast tokenizer of `transformers` cuts them."""
    if not texts:
        return _from_spans(spans=[], ids=[])  # the tokenizer takes no empty list
    flags = dict.fromkeys(("add_special_tokens", "return_attention_mask", "truncation", "padding", "verbose"), False)
    with _failures_as(_unreadable):
        batch = tokenizer(texts, return_offsets_mapping=True, **flags)
    return _from_spans(batch["offset_mapping"], batch["input_ids"])


def _encode_sentencepiece(tokenizer: Any, texts: list[str]) -> Encoded:
    """Return the tokens of texts, as a processor of `sentencepiece` cuts them."""
    # The processor's own settings are defaults of each call. Sampling would draw other tokens each time.
    names = ("enable_sampling", "add_bos", "add_eos", "reverse", "emit_unk_piece")
    flags: dict[str, Any] = dict.fromkeys(names, False)
    if hasattr(tokenizer, "encode_as_offset_mapping"):
        with _failures_as(_unreadable):
            mappings = [tokenizer.encode_as_offset_mapping(text, **flags) for text in texts]
        return _from_spans([mapping["offsets"] for mapping in mappings], [mapping["ids"] for mapping in mappings])
    # Without this method, as in older versions, each piece has its offsets.
    with _failures_as(_unreadable):
        pieces_of_texts = [tokenizer.encode(text, out_type="immutable_proto", **flags).pieces for text in texts]
    spans = []
    ids = []
    for pieces in pieces_of_texts:
        spans.append([(piece.begin, piece.end) for piece in pieces])
        ids.append([piece.id for piece in pieces])
    return _from_spans(spans, ids)


def _encode_function(function: Callable[[list[str]], Any], lock: Lock, texts: list[str]) -> Encoded:
    """Return the tokens of texts, as a function cuts them, which one thread calls at a time."""
    # Pieces of a text are read in several threads.
    with lock:
        spans = function(texts)
    try:
        return _from_spans([[(_offset(start), _offset(end)) for start, end in row] for row in spans])
    except (TypeError, ValueError, OverflowError):
        expected = "expected for each text a list of (start, end), in characters."
        raise TypeError(f"the tokenizer returned {described(spans)}: {expected}") from None


def _offset(value: Any) -> int:
    """Return a whole number as an integer; raise a ValueError for 2.5, and for texts such as "2"."""
    offset = int(value)
    if offset != value:
        raise ValueError
    return offset


@lru_cache(maxsize=8)
def _table_of(tokenizer: Any) -> tuple[Positions, Mask]:
    """Return by id how many bytes a token of tiktoken has, and whether it is whitespace alone."""
    sizes = np.zeros(tokenizer.n_vocab, np.int64)
    is_space = np.zeros(tokenizer.n_vocab, bool)
    # Two kinds of ids occur in no text, and keep the size 0: those of special tokens, since `_encode_tiktoken` reads
    # `<|endoftext|>` as ordinary text, and those without a token.
    special = {tokenizer.encode_single_token(token) for token in tokenizer.special_tokens_set}
    for number in range(tokenizer.n_vocab):
        if number in special:
            continue
        try:
            token = tokenizer.decode_single_token_bytes(number)
        except KeyError:  # an id without a token
            continue
        sizes[number] = len(token)
        is_space[number] = token.decode(errors="replace").isspace()
    return sizes, is_space


def _encode_tiktoken(tokenizer: Any, sizes: Positions, texts: list[str]) -> Encoded:
    """Return the tokens of texts, as an encoding of `tiktoken` cuts them; `sizes` are the bytes of each token, by its id."""
    with _failures_as(_unreadable):
        rows = [tokenizer.encode_to_numpy(text, allowed_special=set(), disallowed_special=()) for text in texts]
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    ids = np.concatenate(rows).astype(np.int64) if rows else np.zeros(0, np.int64)
    codes: Bytes = np.frombuffer("".join(texts).encode(), np.uint8)
    # The bytes of all texts at which tokens begin and stop: tiktoken gives no offsets, but its tokens are all bytes of a text.
    byte_stops = np.cumsum(sizes[ids])
    byte_begins = byte_stops - sizes[ids]
    if last_of(byte_stops) != len(codes):
        problem = "the tokens of the tokenizer do not have the bytes of the text"
        raise ValueError(f"{problem}: expected a tiktoken.Encoding that keeps all.")
    # The place behind the last byte, at which the last token stops, counts as one at which a character begins.
    is_lead = np.append(begins_character(codes), True)
    # The number of characters that begin before each byte.
    begun = np.concatenate(([0], np.cumsum(is_lead[:-1])))
    begins_inside = ~is_lead[byte_begins]
    stops_inside = ~is_lead[byte_stops]
    # Text "aé", of bytes 61 C3 A9, in tokens of one byte: byte_begins 0, 1, 2; begun 0, 1, 2, 2; starts 0, 1, 1; ends 1, 2, 2
    starts = np.where(begins_inside, begun[byte_begins] - 1, begun[byte_begins])
    ends = begun[byte_stops]
    # From characters of all texts to those of each text.
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    characters_before = np.repeat(np.cumsum(lengths) - lengths, counts)
    return Encoded(
        counts, starts - characters_before, ends - characters_before, ids, partial=begins_inside | stops_inside
    )
