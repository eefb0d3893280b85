"""Vocabularies and dictionaries in files: against the columns of CoNLL-U that Python splits."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from segscores.options.errors import FileError
from segscores.reading.sources.lists import read_segments, read_vocabulary

from ...naive import naive_oov_scores

CONLLU = """# sent_id = 1
# text = Das ist im Haus
1\tDas\tder\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tist\tsein\tAUX\t_\t_\t0\troot\t_\t_
3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_
3\tin\tin\tADP\t_\t_\t4\tcase\t_\t_
4\tdem\tder\tDET\t_\t_\t5\tdet\t_\t_
4.1\tgroßen\t_\tADJ\t_\t_\t_\t_\t_\t_
5\tHaus\tHaus\tNOUN\t_\t_\t2\tobl\t_\t_

# sent_id = 2
1\tDas\tdas\tDET\t_\t_\t2\tdet\t_\t_
2\tHaus\tHaus\tNOUN\t_\t_\t0\troot\t_\t_

"""
SENTENCES = [["Das", "ist", "im", "Haus"], ["Das", "Haus"]]

REFERENCE = ["das PRON in", "im Haus", "1 Das"]
PREDICTION = ["das PRON in", "i m Haus", "1Das"]


@pytest.fixture(autouse=True)
def _files(in_folder: Path) -> None:
    Path("reference.txt").write_text("\n".join(REFERENCE) + "\n")
    Path("prediction.txt").write_text("\n".join(PREDICTION) + "\n")
    Path("train.conllu").write_text(CONLLU, encoding="utf-8")
    Path("train.conllu.gz").write_bytes(gzip.compress(CONLLU.encode()))


def corpus(lines: list[str]) -> list[list[tuple[str, ...]]]:
    return [[tuple(word) for word in line.split()] for line in lines]


GIVEN = ("reference.txt", "prediction.txt", "--text-format", "words", "--zero-division", "0")


@pytest.mark.parametrize("path", ["train.conllu", "train.conllu.gz"])
def test_words_of_conllu_are_its_surface_words(path: str) -> None:
    assert read_vocabulary(path) == SENTENCES
    assert read_segments(path) == ["Das", "ist", "im", "Haus"]


def test_other_files_are_lines() -> None:
    Path("train.txt").write_text("Das ist\nHaus\n\n")
    assert read_vocabulary("train.txt") == read_segments("train.txt") == ["Das ist", "Haus"]


@pytest.mark.filterwarnings("ignore:.*of the reference words are outside the vocabulary:UserWarning")
def test_a_vocabulary_in_conllu_has_no_tags_or_numbers(skipping: Any) -> None:
    found = skipping(*GIVEN, "--scores", "oov", "--vocabulary", "train.conllu")[0]["scores"]
    words = [tuple(word) for sentence in SENTENCES for word in sentence]
    assert found == naive_oov_scores(corpus(REFERENCE), corpus(PREDICTION), words)
    # Known are im, Haus and Das; as raw text all seven words but one would be.
    assert found["oov_rate"] == 4 / 7


def test_a_file_that_is_not_conllu_as_its_name_says_is_an_error() -> None:
    Path("bad.conllu").write_text("Das Haus\n")
    message = "bad.conllu, line 1: this is not a CoNLL-U line.*its name should not end in .conllu"
    for read in (read_vocabulary, read_segments):
        with pytest.raises(FileError, match=message):
            read("bad.conllu")


def test_a_word_list_in_utf16_is_named_as_such() -> None:
    Path("words.txt").write_bytes("the\ndog\n".encode("utf-16"))
    with pytest.raises(FileError, match=r"^words\.txt: the file is UTF-16; expected UTF-8: .*iconv -f UTF-16"):
        read_vocabulary("words.txt")
