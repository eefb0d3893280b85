"""Tokenizers of the libraries that are installed, trained on a few lines."""

import io
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

TEXTS = (
    *("the dog is on the boat", "naïve ﬁne ½ … café", "司马 懿　狗 🐕‍🦺 ok", " Ünïcode  two  spaces ", "\ttab á é"),
    *("ผมไม่ชอบกินผัก ครับ", "السَّلامُ عليكم", "नमस्ते दुनिया", "", "  "),
)


def byte_level(texts: Sequence[str] = TEXTS * 3, size: int = 300, *, normalised: bool = False) -> Any:
    """A byte-level BPE of tokenizers; `normalised` with NFKC, a prefix of a space, and offsets without it."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    level = tokenizers.pre_tokenizers.ByteLevel
    tokenizer.pre_tokenizer = level(add_prefix_space=normalised)
    if normalised:
        tokenizer.normalizer = tokenizers.normalizers.NFKC()
        tokenizer.post_processor = tokenizers.processors.ByteLevel(trim_offsets=True)
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=size, show_progress=False, initial_alphabet=level.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def unigram(texts: Sequence[str] = TEXTS, size: int = 90) -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram())
    tokenizer.normalizer, tokenizer.pre_tokenizer = (
        tokenizers.normalizers.NFKC(),
        tokenizers.pre_tokenizers.Metaspace(),
    )
    options = {"show_progress": False, "special_tokens": ["<unk>"], "unk_token": "<unk>"}
    tokenizer.train_from_iterator(texts, tokenizers.trainers.UnigramTrainer(vocab_size=size, **options))
    return tokenizer


@cache
def word_piece() -> Any:
    """WordPiece with BERT's normalisation, which drops accents; of the first text alone, so that others have unknown tokens."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=60, show_progress=False, special_tokens=["[UNK]"])
    tokenizer.train_from_iterator(TEXTS[:1] * 3, trainer)
    return tokenizer


@cache
def sentence_piece() -> Any:
    sentencepiece = pytest.importorskip("sentencepiece")
    model = io.BytesIO()
    options = {"model_type": "bpe", "byte_fallback": True, "minloglevel": 2, "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 9), model_writer=model, vocab_size=400, **options
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


@cache
def tik_token() -> Any:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {b" t": 256, b"th": 257, "狗".encode()[:2]: 258, b" \xe7": 259, b"ab": 260}
    return tiktoken.Encoding(
        "small", pat_str=r"\s?\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|end|>": len(ranks)}
    )


MAKERS: dict[str, Callable[[], Any]] = {
    "byte level": byte_level,
    "byte level with NFKC": lambda: byte_level(normalised=True),
    "Unigram": unigram,
    "WordPiece": word_piece,
    "SentencePiece": sentence_piece,
    "tiktoken": tik_token,
}


def spans_of(tokenizer: Any, text: str) -> list[tuple[int, int]]:
    """The offsets of a text's tokens in characters, by each library's own way for one text."""
    if hasattr(tokenizer, "encode_as_offset_mapping"):
        return list(tokenizer.encode_as_offset_mapping(text)["offsets"])
    if not hasattr(tokenizer, "encode_ordinary"):
        return list(tokenizer.encode(text, add_special_tokens=False).offsets)
    spans, start = [], 0
    for number in tokenizer.encode_ordinary(text):
        end = start + len(tokenizer.decode_single_token_bytes(number))
        before, after = (text.encode()[:at] for at in (start, end))
        last = len(after.decode(errors="ignore"))
        spans.append((len(before.decode(errors="ignore")), last + (len(after) > len(text[:last].encode()))))
        start = end
    return spans
