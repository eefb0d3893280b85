"""Words with tags: figures of udtools and of mecab-system-eval, cases by hand, and the definition."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest
from pyarrow import parquet

import segscores
from segscores import score, tally

from ...corpora import Corpus, random_corpus_pair
from ...naive import prf, spans
from ...naive_groups import with_tags
from ...universal_dependencies import conllu as treebank_of
from ...universal_dependencies import official_counts_of_tags, perturbed, random_pair, read_conllu

PAIRS = [[("他", "PN"), ("爱", "VV"), ("小狗", "NN")]], [[("他", "PN"), ("爱", "NN"), ("小", "JJ"), ("狗", "NN")]]
#: One of three and four words.
EXPECTED = dict(
    zip(("tagged_token_precision", "tagged_token_recall", "tagged_token_fscore"), (1 / 4, 1 / 3, 2 / 7), strict=True)
)
TAGGED: dict[str, Any] = {"scores": "tagged_token"}
DOCUMENTS: dict[str, Any] = {"text_format": "conllu", "documents": True}


def counts_of(references: Any, predictions: Any, group: str = "tagged_token", **options: Any) -> tuple[int, ...]:
    """The matched, predicted and reference words."""
    counts = tally(references, predictions, scores=group, **options).counts()
    return tuple(counts[f"{group}_{kind}"] for kind in ("matched", "predicted", "reference"))


def naive_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """Return the scores of the tags of `with_tags`, by sets of spans with a tag each."""
    counts: Counter[str] = Counter()
    for utterances in zip(references, predictions, strict=True):
        tagged = [
            {(*span, tag) for span, (_, tag) in zip(sorted(spans(words)), *with_tags([words]), strict=True)}
            for words in utterances
        ]
        counts.update(matched=len(tagged[0] & tagged[1]), predicted=len(tagged[1]), reference=len(tagged[0]))
    return prf("tagged_token", counts["matched"], counts["predicted"], counts["reference"], zero_division)


def conllu(sentences: Any) -> str:
    """Sentences of words with UPOS, and perhaps XPOS, as trees that the official evaluation reads."""
    lines = []
    for sentence in sentences:
        for number, (word, *tags) in enumerate(sentence, 1):
            head = "0\troot" if number == 1 else "1\tdep"
            lines.append("\t".join([str(number), word, "_", *tags, *"__"[len(tags) :], "_", head, "_", "_"]))
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


#: By format what an utterance is in it, with the line that ends it.
WRITERS: dict[str, Any] = {
    "tagged": lambda pairs: " ".join(f"{word}/{tag}" for word, tag in pairs),
    "kytea": lambda pairs: " ".join(f"{word}/{tag}/x/y" for word, tag in pairs),
    "mecab": lambda pairs: "".join(f"{word}\t{tag},x,*\n" for word, tag in pairs) + "EOS",
    "mecab of JUMAN": lambda pairs: "".join(f"{word} x x {tag} 6 * 0\n" for word, tag in pairs) + "EOS",
    "conllu": lambda pairs: conllu([pairs]).removesuffix("\n"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_one_of_three_words_has_its_span_and_tag_in_every_format(name: str, tmp_path: Path) -> None:
    paths = [tmp_path / side for side in ("r.txt", "p.txt")]
    texts = [WRITERS[name](side[0]) for side in PAIRS]
    for path, written in zip(paths, texts, strict=True):
        path.write_text(f"{written}\n", encoding="utf-8")
    options = {**TAGGED, "text_format": name.partition(" ")[0]}
    assert score(*paths, **options) == EXPECTED
    if name == "conllu":
        assert score(*([f"{written}\n"] for written in texts), **options, documents=True) == EXPECTED
    elif "mecab" not in name:
        assert score(*(["", written] for written in texts), **options) == EXPECTED


def test_pairs_in_every_function(tmp_path: Path) -> None:
    left, right = PAIRS
    for sides in (PAIRS, map(tuple, PAIRS), ([[], *left], [[], *right]), (left, [WRITERS["tagged"](right[0])])):
        assert score(*sides, **TAGGED, text_format="tagged") == EXPECTED
    table = pa.table({"reference": left, "prediction": right})
    assert all(segscores.score_dataset(rows, **TAGGED) == EXPECTED for rows in (table, datasets.Dataset(table)))
    parquet.write_table(table, tmp_path / "t.parquet")
    assert score(*[tmp_path / "t.parquet"] * 2, **TAGGED) == EXPECTED
    assert segscores.load().compute(references=left, predictions=right, **TAGGED) == EXPECTED
    parts = segscores.CorpusTally.from_json(tally(left, right, **TAGGED).to_json())
    assert (parts + parts).scores() == EXPECTED
    assert segscores.score_by(left * 2, right * 2, ["a", "b"], **TAGGED).scores["prediction"]["a"] == EXPECTED
    comparison = segscores.compare(left * 9, {"one": right * 9, "other": left * 9}, **TAGGED)
    assert comparison.scores["one"] == pytest.approx(EXPECTED)
    assert comparison.primary == "tagged_token_fscore"


def test_figures_of_mecab_system_eval(tmp_path: Path) -> None:
    """The figures of taku910/mecab 61b90ba6: LEVEL 0 20.0000(2/5) … LEVEL 1 20.0000(1/5) 16.6667(1/6)."""
    system = "the\tDET,a\ndogs\tNOUN,b\nrun\tVERB,c\nEOS\nab\tX,1\nc\tY,2\nEOS\n"
    answer = "the\tDET,a\ndog\tNOUN,b\ns\tSFX,b\nrun\tNOUN,c\nEOS\na\tX,1\nbc\tY,2\nEOS\n"
    sides = tmp_path / "answer", tmp_path / "system"
    for path, written in zip(sides, (answer, system), strict=True):
        path.write_text(written)
    assert counts_of(*sides, text_format="mecab") == (1, 5, 6)
    assert counts_of(*sides, "token", text_format="mecab") == (2, 5, 6)


def test_a_word_without_its_column_of_tags_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "juman.txt"
    path.write_text("京都 x x 名詞 6 * 0\n東京 名詞\nEOS\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"juman\.txt, line 2: received '東京 名詞'; expected a word and its features"):
        counts_of(path, path, text_format="mecab")


def check_counts_of_udtools(*sentences: Any) -> None:
    sides = [conllu(side) for side in sentences]
    for column, official in official_counts_of_tags(*sides).items():
        assert counts_of(*([side] for side in sides), **DOCUMENTS, tags=column) == official


def test_random_treebanks_have_the_counts_of_udtools() -> None:
    source = random.Random(50)
    corpora = random_corpus_pair(200, seed=50, units="ab狗")
    check_counts_of_udtools(
        *(
            [[("".join(word), source.choice("XY"), source.choice("xy")) for word in words] for words in side if words]
            for side in corpora
        )
    )


def test_multiword_tokens_of_random_treebanks_have_the_counts_of_udtools(shared_data: Path) -> None:
    """English sentences that are cut and joined at random, and short texts whose multiword tokens overlap."""
    source = random.Random(59)
    sentences = read_conllu((shared_data / "ud" / "en_ewt-ud-test.conllu").read_text(encoding="utf-8"))
    pairs = [random_pair(source) for _ in range(12)]
    for share in (0.2, 0.9):
        first = source.randrange(len(sentences) - 30)
        chosen = sentences[first : first + 30]
        pairs.append((chosen, perturbed(chosen, source, share)))
    for pair in pairs:
        texts = [with_random_tags(treebank_of(side), source) for side in pair]
        for column, official in official_counts_of_tags(*texts).items():
            assert counts_of(*([text] for text in texts), **DOCUMENTS, tags=column) == official


def with_random_tags(treebank: str, source: random.Random) -> str:
    rows = [line.split("\t") for line in treebank.split("\n")]
    for row in rows:
        if row[0].isdigit():
            row[3:5] = source.choice("XY"), source.choice(["a", "a+b"])
    return "\n".join(map("\t".join, rows))


def test_a_file_of_sentences_has_the_words_of_multiword_tokens(tmp_path: Path) -> None:
    paths = [tmp_path / "r.conllu", tmp_path / "p.conllu"]
    for path, text in zip(paths, (DU * 2, DU.replace("DET", "PRON") + DU), strict=True):
        path.write_text(text, encoding="utf-8")
    assert counts_of(*paths, text_format="conllu") == (5, 6, 6)
    assert counts_of(*paths, text_format="conllu", tags="xpos") == (6, 6, 6)


def test_a_segmented_treebank_has_the_counts_of_udtools(shared_data: Path) -> None:
    """The output of a segmenter, with the last tags of its words in the treebank."""
    gold: list[list[tuple[str, str, str]]] = [[]]
    for line in (shared_data / "ud" / "zh_gsd-ud-test.conllu").read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[0].isdigit():
            gold[-1].append((cells[1], cells[3], cells[4]))
        elif not line:
            gold.append([])
    tags = {word: (upos, xpos) for sentence in gold for word, upos, xpos in sentence}
    lines = (shared_data / "ud" / "zh_gsd_test_jieba.txt").read_text(encoding="utf-8").splitlines()
    check_counts_of_udtools(
        gold[:-1], [[(word, *tags.get(word, ("NOUN", "NN"))) for word in line.split()] for line in lines]
    )


REST = "\t_" * 5
DU = f"1-2\tdu\t_\t_\t_{REST}\n1\tde\tde\tADP\tP{REST}\n2\tle\tle\tDET\tD{REST}\n3\tpain\tpain\tNOUN\tN{REST}\n\n"
#: The pieces of the multiword token as tokens, of which the first has another form than the word.
DU_CUT = f"1\td\tde\tADP\tP{REST}\n2\tu\tle\tDET\tD{REST}\n3\tpain\tpain\tNOUN\tN{REST}\n\n"
#: Two sides, options, and the matched, predicted and reference words.
COUNTED: dict[str, tuple[list[Any], list[Any], dict[str, Any], tuple[int, int, int]]] = {
    "utterances left out": (["a/X b/Y", "c/X"], ["a/X b/Z", "d/X"], {"on_error": "skip"}, (1, 2, 2)),
    "aligned": (["the/D dog/N", "a/X"], ["the/D dogs/N", "a/Y"], {"on_mismatch": "align"}, (1, 3, 3)),
    "a joined mark": (["é/N a/X"], ["e/M \u0301/N a/X"], {"normalize": "NFC"}, (2, 2, 2)),
    "marks of subwords": (
        [[("▁play", "V"), ("▁", "S"), ("ing", "X")]], [[("play", "V"), ("ing", "Y")]], {"subword_marks": "strip"}, (1, 2, 2),
    ),
    "ignored words": (["a/X 。/P b/Y"], ["a/X 。/P b/Z"], {"ignore_words": "punctuation"}, (1, 2, 2)),
    "spaces": ([[("New York", "N"), (" ", "S")]], [[("NewYork", "N")]], {"spaces": "drop"}, (1, 1, 1)),
    "brackets": (["[中央/n 电视台/n]nt"], ["中央/n 电视台/v"], {}, (1, 2, 2)),
    "the last separator": (["1_2_m _/_x"], ["1_2_m _/_y"], {"separator": "_"}, (1, 2, 2)),
    "escapes": (["1\\/2/数 \\ /空//x"], ["1\\/2/数/x \\ /白"], {"text_format": "kytea"}, (1, 2, 2)),
    "lines of documents": (["a/X b/Y\nc/Z"], ["a/X b/Y c/Z"], {"documents": True}, (3, 3, 3)),
    "multiword tokens": ([DU * 2], [DU.replace("DET", "PRON") * 2], DOCUMENTS, (4, 6, 6)),
    "XPOS of multiword tokens": ([DU * 2], [DU.replace("DET", "PRON") * 2], {**DOCUMENTS, "tags": "xpos"}, (6, 6, 6)),
    "a multiword token that is cut": ([DU], [DU_CUT], DOCUMENTS, (1, 3, 3)),
    "a multiword token beside an ignored word": ([DU], [DU_CUT], {**DOCUMENTS, "ignore_words": ["pain"]}, (0, 2, 1)),
    "blank": (["", "a/X"], ["", "a/X"], {}, (1, 1, 1)),
}  # fmt: skip


@pytest.mark.parametrize(("references", "predictions", "options", "expected"), COUNTED.values(), ids=COUNTED)
@pytest.mark.filterwarnings("ignore:.*were left out")
def test_counts_by_hand(references: Any, predictions: Any, options: dict[str, Any], expected: tuple[int, ...]) -> None:
    assert counts_of(references, predictions, **{"text_format": "tagged", **options}) == expected


def test_identify_reads_tags() -> None:
    lines = [[WRITERS["tagged"](side[0])] for side in PAIRS]
    (row,) = segscores.identify(*lines, "0.286", text_format="tagged", top=1)
    assert (row.score, row.options, row.agrees) == ("tagged_token_fscore", {"tags": "upos"}, True)


BAD: dict[str, tuple[Any, Any, dict[str, Any], tuple[str, ...]]] = {
    "lists of words": (PAIRS[0], [["他"]], {}, ("predictions: the words have no tags", 'text_format="conllu"', "('爱', 'VV')")),
    "words text": (["a b"], ["a b"], {"text_format": "words"}, ("references: the words have no tags",)),
    "labels": ([[1]], [[1]], {"label_scheme": "start"}, ('scores="tagged_token"', "labels do not contain")),
    "times": ([], [], {"text_format": "times"}, ('scores="tagged_token"', "labelled_token")),
    "pairs without the score": (*PAIRS, {"scores": "token"}, ("lists of lists of words", 'scores="tagged_token"')),
    "a missing tag": ([[("a", "X"), ("b", "")]], [[("ab", "X")]], {}, ("references, utterance 0: the word 'b' has no tag",)),
    "no pair": ([[]], [[("a", "X"), ("b", "X", "Y")]], {}, ("predictions, utterance 0: item 1 is ['b', 'X', 'Y']; expected a",)),
    "a tag that is no string": ([[("a", "X"), ("b", None)]], [[("ab", "X")]], {},
                                ("references, utterance 0: item 1 is ('b', None) (tuple); expected a word and its tag",)),
    "an empty item": ([[[]]], [[[]]], {}, ("references, utterance 0: item 0 is []; expected a word and its tag",)),
    "a word alone": (["a/X", "a b/X"], ["a/X", "a/X b/X"], {"text_format": "tagged"}, ("references, utterance 1: received 'a'",)),
    # The columns of VnCoreNLP: the third has the tag, and the fourth names.
    "six columns": (["1\tÔng\tNc\tO\t4\tsub\n2\tLâm\tNp\tB-PER\t1\tnmod\n\n"], [DU], DOCUMENTS,
                    ("references, utterance 0: ", "received 6 columns; expected the 10 of CoNLL-U", "third column")),
    "a column": (*PAIRS, {"tags": "xpos"}, ('tags="xpos"', 'text_format="conllu"')),
    "a column for other scores": ([DU], [DU], {"scores": "token", "tags": "xpos"}, ("tags", 'needs scores="tagged_token"')),
}  # fmt: skip


@pytest.mark.parametrize(("references", "predictions", "options", "words"), BAD.values(), ids=BAD)
def test_errors(references: Any, predictions: Any, options: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        score(references, predictions, **{**TAGGED, **options})
    assert all(word in str(caught.value) for word in words), str(caught.value)
