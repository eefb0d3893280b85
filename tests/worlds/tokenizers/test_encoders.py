"""A tokenizer cuts text at the offsets of its tokens: against a loop over the tokens of each text, by every library."""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import segscores
from segscores.kernel.segmentation import Segmentation
from segscores.reading.reading import Reading
from segscores.reading.sources.names import Tokenized
from segscores.worlds.tokenizers.encoders import reader_of

from ...optional import transformers
from ...trained_tokenizers import MAKERS, TEXTS, byte_level, sentence_piece, spans_of, tik_token, unigram, word_piece

LETTERS = "ab é狗🐕ﬁ½… \t　áผมاَน้"
SUBWORD = {"text_format": "words", "scores": "subword"}


def random_texts(count: int) -> list[str]:
    source = random.Random(1)
    return [*TEXTS, *("".join(source.choices(LETTERS, k=source.randrange(12))) for _ in range(count))]


def naive_pieces(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The pieces of words, which are joined again where a token has characters of both."""
    bare = [(start, text[start:end]) for start, end in spans if text[start:end].strip()]
    bare = [(start + len(token) - len(token.lstrip()), start + len(token.rstrip())) for start, token in bare]
    cuts = []
    for word in re.finditer(r"\S+", text):
        if not any(start < word.start() < end for start, end in bare):
            cuts.append(word.start())
        for start, _ in bare:
            reached = max((end for other, end in bare if other < start), default=0)
            if word.start() < start < word.end() and word.start() < reached <= start:
                cuts.append(start)
    cuts = sorted({*cuts, len(text)})
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    return ["".join(piece.split()) for piece in pieces]


def read_by(tokenizer: Any, texts: list[str]) -> Segmentation:
    """Return the segmentation of lines of words text by a tokenizer."""
    lines = "".join(text + "\n" for text in texts)
    return reader_of(Tokenized(tokenizer), Reading(text_format="words"))(lines.encode())


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_pieces_and_counts_equal_a_loop(make: Callable[[], Any]) -> None:
    tokenizer, texts = make(), random_texts(300)
    pieces = [naive_pieces(text, spans_of(tokenizer, text)) for text in texts]
    assert ["".join(words) for words in pieces] == ["".join(text.split()) for text in texts]
    read = read_by(tokenizer, texts)
    assert [word.decode() for word in read.words().to_pylist()] == [piece for words in pieces for piece in words]
    tokens = read.of_utterances["tokens"]
    assert tokens.count("tokens").tolist() == [len(spans_of(tokenizer, text)) for text in texts]
    assert tokens.count("characters").tolist() == list(map(len, texts))
    assert tokens.count("bytes").tolist() == [len(text.encode()) for text in texts]


def is_text(token: bytes) -> bool:
    """Return whether bytes are whole characters."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_partial_tokens_of_bytes_are_those_that_are_no_text() -> None:
    """Also in a space of several bytes, which has no units."""
    tokenizer, texts = tik_token(), random_texts(300)
    tokens_of_texts = [tokenizer.decode_tokens_bytes(tokenizer.encode_ordinary(text)) for text in texts]
    expected = [len(tokens) - sum(map(is_text, tokens)) for tokens in tokens_of_texts]
    assert read_by(tokenizer, texts).of_utterances["tokens"].count("partial").tolist() == expected


@pytest.mark.torch
def test_a_fast_tokenizer_of_transformers_reads_as_its_backend() -> None:
    backend = byte_level()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=backend)
    texts = random_texts(50)
    assert segscores.score(texts, fast, **SUBWORD) == segscores.score(texts, backend, **SUBWORD)
    slow = transformers.PreTrainedTokenizer
    with pytest.raises(TypeError, match="has no offsets: expected a fast tokenizer"):
        segscores.score(texts, type("Slow", (slow,), {"vocab_size": 0, "get_vocab": lambda self: {}})(), **SUBWORD)


@pytest.mark.parametrize("make", [unigram, word_piece, sentence_piece])
def test_unknown_tokens_are_a_share_of_the_tokens(make: Callable[[], Any]) -> None:
    tokenizer = make()
    shares = [segscores.score([text], tokenizer, **SUBWORD)["unknown_tokens"] for text in ("the dog", "the жжж")]
    assert shares[0] == 0
    # SentencePiece has a token for each byte.
    assert shares[1] == pytest.approx({unigram: 1 / 4, word_piece: 1 / 2, sentence_piece: 0}[make], abs=0.1)


def test_a_token_of_whitespace_shares_no_character_with_the_next_one() -> None:
    """A Unigram writes ▁ before a character that it does not know, at the place of the character."""
    counts = segscores.tally(["狗", "🐕b"], unigram(), **SUBWORD).counts()
    assert (counts["subword_tokens"], counts["subword_partial"]) == (5, 0)


def test_the_end_of_a_line_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"the dog\r\nis on\r\n")
    assert segscores.score(path, tik_token(), **SUBWORD) == segscores.score(
        ["the dog", "is on"], tik_token(), **SUBWORD
    )


def test_a_space_before_each_text() -> None:
    """` the` is ` t`, `h` and `e`; `the` is `th` and `e`. A blank line has no text."""
    tokenizer = tik_token()
    spaced = [segscores.tokenized(tokenizer, space=space) for space in (False, True)]
    for texts in (["the", "the"], ["the", "", "the"]):
        assert [segscores.score(texts, tokenizer, **SUBWORD)["fertility"] for tokenizer in spaced] == [2, 3]
        tallies = [segscores.tally(texts, tokenizer, **SUBWORD) for tokenizer in spaced]
        assert [("|space:yes|" in part.signature()) for part in tallies] == [False, True]
        assert segscores.CorpusTally.from_json(tallies[1].to_json()) == tallies[1] != tallies[0]
        with pytest.raises(TypeError, match="mixed forms: one tally is of text and the other of spaced"):
            tallies[0] + tallies[1]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("the|dog|\n", {"text_format": "separated", "spaces": "drop"}),
        ("<NE>the</NE>|dog|\n", {"text_format": "separated", "spaces": "drop", "markup": "drop"}),
        ("thedog\tthe @@dog\t110\n", {"text_format": "sigmorphon"}),
        ("# text = thedog\n1\tthe\t_\n2\tdog\t_\n\n", {"text_format": "conllu"}),
    ],
)
def test_the_text_of_formats_whose_words_are_marked(tmp_path: Path, text: str, options: dict[str, str]) -> None:
    name = "gold.conllu" if options["text_format"] == "conllu" else "gold.txt"
    (tmp_path / name).write_text(text * 2, encoding="utf-8")
    whole = lambda texts: [[(0, 6)] if text == "thedog" else [] for text in texts]  # noqa: E731
    scores = segscores.score(tmp_path / name, whole, scores=["subword", "boundary_noedge"], **options)
    assert (scores["fertility"], scores["boundary_noedge_recall"], scores["characters_per_token"]) == (0.5, 0, 6)


@pytest.mark.parametrize("name", ["en_ewt-ud-test.conllu", "zh_gsd-ud-test.conllu"])
def test_conllu_has_the_text_of_its_comments(shared_data: Path, name: str) -> None:
    path = shared_data / "ud" / name
    texts = [line.split(" = ", 1)[1] for line in path.read_text().splitlines() if line.startswith("# text = ")]
    tokenizer = byte_level()
    tokens = sum(len(spans_of(tokenizer, text)) for text in texts)
    counts = segscores.tally(path, tokenizer, scores="subword").counts()
    assert (counts["subword_tokens"], counts["subword_characters"]) == (tokens, sum(map(len, texts)))


#: Morphemes and tokens of words. MorphScore v2 leaves out words of one token or one morpheme; Uzan et al. (2024) words that are
#: one token. Figures: MorphScore's recall, and the F-score of MeLeLBGU/tokenizers_intrinsic_benchmark (ccc84ea9).
RELATIONS = [
    (
        "walk ed/walk ed,walk ed/w alk ed,un happi ness/un happiness,un happi ness/un hap pi ness,lion s/li ons",
        "recall",
        0.7,
    ),
    ("walk ed/w alk ed,dog s/dog s,un happi ness/un happiness", "fscore", 0.75),
]


@pytest.mark.parametrize(("words", "score", "figure"), RELATIONS, ids=["MorphScore", "Uzan"])
def test_tokens_against_morphemes(words: str, score: str, figure: float) -> None:
    pairs = [[side.split() for side in word.split("/")] for word in words.split(",")]
    key, average = f"boundary_noedge_{score}", "macro" if score == "recall" else "micro"
    scores = segscores.score(*map(list, zip(*pairs, strict=True)), scores=key, average=average)
    assert scores[key] == pytest.approx(figure, abs=1e-12)


def one_token_each(texts: list[str]) -> list[list[tuple[int, int]]]:
    return [[(0, len(text))] for text in texts]


#: References, predictions, options, and the message.
BAD: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "a text too few": (["the"], lambda _: [], {}, r"tokens of 0 texts for 1"),
    "bytes": (["é"], lambda _: [[(0, 2)]], {}, r"utterance 0: .*offsets 0 to 2 in a text of 1 characters.*not bytes"),
    "order": (["the"], lambda _: [[(1, 3), (0, 1)]], {}, r"utterance 0: .*not in the order of the text.*Sort"),
    "numbers": (["the"], lambda _: [[1, 2]], {}, r"expected for each text a list of \(start, end\)"),
    "fractions": (["the"], lambda _: [[(0, 2.5)]], {}, r"expected for each text a list of \(start, end\)"),
    # A string of two digits unpacks as a pair.
    "tokens that are digits": (
        ["1234"],
        lambda _: [["01", "13"]],
        {},
        r"expected for each text a list of \(start, end\)",
    ),
    "a huge number": (["the"], lambda _: [[(0, 10**30)]], {}, r"expected for each text a list of \(start, end\)"),
    "None": (["the"], lambda _: None, {}, r"expected for each text a list of \(start, end\)"),
    "the wrong way round": (one_token_each, ["the"], {}, "references: a tokenizer is no reference: name the text"),
    "lists": ([["the"]], one_token_each, {}, r"lists of words .*pass segscores\.tokenized\(tokenizer, texts\)"),
    "units": (["the"], one_token_each, {"text_format": "units"}, 'did you mean text_format="words"'),
    "spaces": (["a|b"], one_token_each, {"text_format": "separated"}, 'add spaces="drop"'),
    "marks": (["the"], one_token_each, {"subword_marks": "strip"}, 'subword_marks="strip": a tokenizer.* leave it out'),
    "normalisation": (["the"], one_token_each, {"normalize": "NFC"}, 'normalize="NFC": a tokenizer.* leave it out'),
    "documents": (["the"], one_token_each, {"documents": True}, "documents=True: a tokenizer.* leave it out"),
    "another number": ([["the"]], segscores.tokenized(one_token_each, []), {}, "1 references and 0 predictions"),
    "no tokenizer": (["the"], segscores.tokenized(3), {}, "received 3 .*expected a tokenizer, or a function"),
}


@pytest.mark.parametrize(("references", "tokenizer", "options", "message"), BAD.values(), ids=BAD)
def test_errors(references: Any, tokenizer: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        segscores.score(references, tokenizer, **{"text_format": "words", **options})


def test_truncation_is_an_error() -> None:
    tokenizer = byte_level()
    tokenizer.enable_truncation(2)
    with pytest.raises(ValueError, match=r"has truncation: call its no_truncation\(\) first"):
        segscores.score(["the dog"], tokenizer, **SUBWORD)


def with_dropout() -> Any:
    tokenizer = byte_level()
    tokenizer.model.dropout = 0.5
    return tokenizer


def with_sampling() -> Any:
    tokenizer = unigram()
    if not hasattr(tokenizer.model, "alpha"):
        pytest.skip("this version of tokenizers has no sampling")
    tokenizer.model.alpha = 0.1
    return tokenizer


def of_transformers() -> Any:
    return transformers.PreTrainedTokenizerFast(tokenizer_object=with_dropout())


@pytest.mark.parametrize(
    ("make", "setting"),
    [
        (with_dropout, "model.dropout"),
        (with_sampling, "model.alpha"),
        pytest.param(of_transformers, "backend_tokenizer.model.dropout", marks=pytest.mark.torch),
    ],
)
def test_tokens_at_random_are_an_error_with_a_remedy_that_works(make: Callable[[], Any], setting: str) -> None:
    tokenizer = make()
    with pytest.raises(ValueError, match=f"at random: set its {setting} = None first"):
        segscores.score(["the dog"], tokenizer, **SUBWORD)
    *names, last = setting.split(".")
    setattr(reduce(getattr, names, tokenizer), last, None)
    assert segscores.score(["the dog"], tokenizer, **SUBWORD)["characters_per_token"] > 0


def test_settings_of_sentencepiece_change_no_tokens() -> None:
    """Sampling has other tokens each time, and the other settings have tokens that no text has."""
    plain, texts = sentence_piece(), ["the dog is on the boat"] * 9
    expected = segscores.score(texts, plain, **SUBWORD)
    for settings in ({"enable_sampling": True, "alpha": 0.5}, {"add_bos": True, "add_eos": True}, {"reverse": True}):
        other = type(plain)(model_proto=plain.serialized_model_proto(), **settings)
        assert segscores.score(texts, other, **SUBWORD) == expected


def test_a_sentence_without_its_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text("# text = the\n1\tthe\t_\n\n# id\n1\tdog\t_\n\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"gold.conllu, line 5: no comment '# text ='.*Name a file with a sentence"):
        segscores.score(path, one_token_each, scores="subword")


def test_a_score_without_tokenizers_loads_no_reader_of_them() -> None:
    code = "import segscores, sys; segscores.score(['a'], ['a']); sys.exit('segscores.worlds.tokenizers.encoders' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
