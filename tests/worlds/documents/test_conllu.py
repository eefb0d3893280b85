"""The CoNLL-U reader returns the surface words of a parser in plain Python, and errors name bad lines."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores import score
from segscores.options.errors import UtteranceError
from segscores.reading.reading import Reading
from segscores.reading.sources.files import file_source
from segscores.reading.sources.names import sentence_format
from segscores.reading.sources.source import Side
from segscores.scoring.map_pieces import map_pieces
from segscores.scoring.piece import Piece
from segscores.worlds.documents.conllu import parse_conllu

from ...files import text
from ...naive import naive_scores
from ...tallies import words_of

CORPORA = ("en_ewt-ud-test.conllu", "zh_gsd-ud-test.conllu")
PART_SIZES = (1, 2, 7, 100, 5000, 1 << 20)


def naive_conllu(text: str) -> list[list[str]]:
    """The surface words of every sentence, line by line."""
    sentences: list[list[str]] = []
    words: list[str] = []
    covered = 0
    for line in [*text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), ""]:
        if not line:
            if words:
                sentences.append(words)
            words, covered = [], 0
        elif not line.startswith("#"):
            number, form = line.split("\t")[:2]
            if "-" in number:
                covered = int(number.split("-")[1])
                words.append("".join(form.split()))
            elif "." not in number and int(number) > covered:
                words.append("".join(form.split()))
    return sentences


def read_in_parts(folder: Path, data: bytes, piece_bytes: int) -> list[list[str]]:
    """The words of every sentence as the command reads them, in parts of this size."""

    def read(piece: Piece) -> list[list[str]]:
        words = words_of(piece.reference)
        assert len(words) == len(piece)
        return words

    (folder / "read.conllu").write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("segscores.reading.sources.source.PIECE_BYTES", piece_bytes)
        side = Side("references", (file_source(str(folder / "read.conllu")),), Reading.of())
        return [words for part in map_pieces([side], read, concludes=False) for words in part]


@pytest.mark.parametrize("name", CORPORA)
def test_real_corpora_are_parsed_as_in_plain_python(shared_data: Path, tmp_path: Path, name: str) -> None:
    data = (shared_data / "ud" / name).read_bytes()
    assert parse_conllu(data).to_pylist() == naive_conllu(data.decode())
    if name.startswith("en"):  # it has all special cases
        assert re.search(r"^\d+-\d+\t", data.decode(), re.MULTILINE)
        assert re.search(r"^\d+\.\d+\t", data.decode(), re.MULTILINE)
    # A word of spaces alone is none.
    some = data[: data.rindex(b"\n\n", 0, 200_000) + 2]
    expected = [[word for word in words if word] for words in naive_conllu(some.decode())]
    assert read_in_parts(tmp_path, some, 30_000) == expected


SENTENCES = {
    "words": ("1\tthe\n2\tdog\n", [["the", "dog"]]),
    "ten columns": ("1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\tSpaceAfter=No\n", [["the"]]),
    "comments": ("# newdoc\n# text = a-b\t1\n1\ta\n# 2\tno word\n2\tb\n", [["a", "b"]]),
    "a range": ("1-2\tvámonos\n1\tvamos\n2\tnos\n3\tal\n", [["vámonos", "al"]]),
    "a range of one": ("1-1\tab\n1\tx\n2\tc\n", [["ab", "c"]]),
    "numbers of several digits": ("9\ta\n10-11\tbc\n10\tb\n11\tc\n100\td\n", [["a", "bc", "d"]]),
    "empty nodes": ("0.1\tx\n1\ta\n1.1\ty\n1.10\tz\n2\tb\n", [["a", "b"]]),
    "an empty node in a range": ("1-2\tab\n1\ta\n1.1\tx\n2\tb\n3\tc\n", [["ab", "c"]]),
    "words with spaces": ("1\t10 000\n2\tà  la\n", [["10000", "àla"]]),
    "words that look like something else": ("1\t#\n2\t3-4\n3\t5.1\n4\t_\n", [["#", "3-4", "5.1", "_"]]),
    "two sentences": ("1\ta\n\n1\tb\n", [["a"], ["b"]]),
    "several blank lines": ("\n\n1\ta\n\n\n\n1\tb\n\n\n", [["a"], ["b"]]),
    "a comment of its own": ("# a\n\n1\ta\n\n# b\n\n# c\n1\tb\n\n# d\n", [["a"], ["b"]]),
    "a sentence of an empty node alone": ("1.1\tx\n\n1\ta\n", [["a"]]),
    "no sentence": ("# nothing\n\n", []),
    "no line": ("", []),
}
LINE_ENDS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "a final blank line": lambda text: f"{text}\n",
    "a final blank line with CRLF": lambda text: f"{text}\n".replace("\n", "\r\n"),
    "no final newline": lambda text: text.rstrip("\n"),
    "a byte-order mark": lambda text: f"\ufeff{text}",
}


@pytest.mark.parametrize("line_ends", LINE_ENDS)
@pytest.mark.parametrize("name", SENTENCES)
def test_files_are_read_whatever_ends_their_lines(tmp_path: Path, name: str, line_ends: str) -> None:
    text, expected = SENTENCES[name]
    assert parse_conllu(text.encode()).to_pylist() == naive_conllu(text) == expected
    data = LINE_ENDS[line_ends](text).encode()
    for size in (1, 2, 7, 1 << 20):
        assert read_in_parts(tmp_path, data, size) == expected, size


form_characters = st.one_of(
    st.sampled_from("ab狗é𠮷-.#_1 \u00a0\u3000"),
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0"),
)
forms = st.text(form_characters, min_size=1, max_size=4)
rests = st.sampled_from(["", "\t_", "\tx\t_\tNOUN\t1-2\t1.1", "\t"])


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """A sentence as a treebank has it: numbered from 1, with ranges, empty nodes and comments anywhere."""
    lines, number = draw(st.lists(st.sampled_from(["# text = a", "#", "# 1-2\tx"]), max_size=2)), 1
    if draw(st.booleans()):
        lines.append(f"0.1\t{draw(forms)}")
    for size in draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 3]), max_size=14)):
        if size:
            lines.append(f"{number}-{number + size - 1}\t{draw(forms)}{draw(rests)}")
        for _ in range(max(size, 1)):
            lines.append(f"{number}\t{draw(forms)}{draw(rests)}")
            if draw(st.sampled_from([False, False, True])):
                lines.append(f"{number}.1\t{draw(forms)}{draw(rests)}")
            number += 1
    return "".join(f"{line}\n" for line in lines)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Sentences with one or more blank lines between, before and after them."""
    blanks = st.sampled_from(["\n", "\n", "\n\n", "\n\n\n"])
    text = draw(st.sampled_from(["", "\n"]))
    text += "".join(draw(sentences()) + draw(blanks) for _ in range(draw(st.integers(0, 5))))
    return draw(st.sampled_from([text, text.rstrip("\n"), text.rstrip("\n") + "\n"]))


@given(documents(), st.sampled_from(list(LINE_ENDS)), st.sampled_from(PART_SIZES))
def test_any_file_is_read_in_parts_as_in_plain_python(
    tmp_path_factory: pytest.TempPathFactory, text: str, line_ends: str, piece_bytes: int
) -> None:
    data = LINE_ENDS[line_ends](text).encode()
    # A word of spaces alone is none.
    expected = [[word for word in words if word] for words in naive_conllu(data.decode())]
    assert read_in_parts(tmp_path_factory.getbasetemp(), data, piece_bytes) == expected


def test_a_file_is_conllu_by_its_name_or_by_the_option() -> None:
    files = [("a.conllu", "words"), ("A.CONLLU", "units"), ("a.txt", "conllu"), ("-", "conllu")]
    others = [("a.txt", "words"), ("a.conllu.txt", "words"), ("conllu", "words"), ("-", "words")]
    assert [file for file in files + others if sentence_format(*file) == "conllu"] == files


def conllu(*sentences: list[str]) -> str:
    return "".join("".join(f"{i}\t{word}\t_\n" for i, word in enumerate(words, 1)) + "\n" for words in sentences)


REFERENCE = [["New York", "is"], ["10\u00a0000", "狗", "a\u3000b"], ["the", "dog"]]


def without_spaces(corpus: list[list[str]]) -> list[list[str]]:
    return [["".join(word.split()) for word in words] for words in corpus]


@pytest.mark.usefixtures("in_folder")
def test_spaces_in_words_are_no_units(scores: Any) -> None:
    """As with the scorer of the CoNLL 2018 shared task: a prediction may cut a word at its space."""
    prediction = [["New", " York is"], ["10\u00a0", "000狗", "a\u3000", "b"], ["thedog"]]
    found = scores({"r.conllu": conllu(*REFERENCE), "p.conllu": conllu(*prediction)})
    assert found == naive_scores(without_spaces(REFERENCE), without_spaces(prediction))
    words = [["NewYork", "is"], ["10", "000狗", "ab"], ["thedog"]]
    found = scores({"r.txt": text(words), "p.conllu": conllu(*REFERENCE)})
    assert found == naive_scores(words, without_spaces(REFERENCE))


FINE = "# a comment\n1\tfine\t_\n2\ttoo\t_\n\n"
BAD_LINES = {
    "words text": ("the dog is", "the dog is"),
    "no number": ("\tdog", "dog"),
    "a blank of spaces": ("  ", "  "),
    "a word for a number": ("a\tdog", "a"),
    "a range that covers too little": ("3-5\tdog\n3\tdo\n4\tg", "3-5"),
    "a range of other words": ("3-4\tdog\n5\tdo\n6\tg", "3-4"),
    "a range that runs backwards": ("4-3\tdog\n3\tdo\n4\tg", "4-3"),
    "a range whose words a blank line divides": ("3-4\tdog\n3\td\n\n4\tog\n\n1\ta", "3-4"),
    "a range of three numbers": ("3-4-5\tdog\n3\td\n4\to\n5\tg", "3-4-5"),
    "a range beyond 64 bits": (f"{10**20}-{10**20}\tdog", str(10**20)),
    "the same range twice": ("3-4\tdog\n3-4\tdog\n3\tdo\n4\tg", "3-4"),
    "ranges that overlap": ("3-4\tdog\n3\td\n4-5\tog\n4\to\n5\tg", "4-5"),
    "an empty word": ("3\t", "3"),
    "a sentence without a blank line before": ("1\tdog\n2\tcat", "1"),
    "a sentence that begins with a range, without a blank line before": ("1-2\tdog\n1\tdo\n2\tg", "1-2"),
    "the same ID twice": ("2\tdog", "2"),
}


@pytest.mark.parametrize(
    ("ranges", "before", "piece_bytes"),
    [(False, 0, 1 << 20), (True, 0, 30), (False, 12, 30), (True, 50, 1 << 20)],
    indirect=["piece_bytes"],
    ids=["first", "behind a range", "behind 12 sentences", "behind 50 sentences with ranges"],
)
@pytest.mark.parametrize("name", BAD_LINES)
@pytest.mark.usefixtures("in_folder", "piece_bytes")
def test_the_error_names_a_bad_line(error: Any, name: str, ranges: bool, before: int) -> None:
    lines, shown = BAD_LINES[name]
    sentence = FINE.replace("1\tfine", "1-2\tfinetoo\t_\n1\tfine") if ranges else FINE
    text = sentence * before + sentence.rstrip("\n") + f"\n{lines}\n"
    first = text[: text.rindex(f"\n{lines}\n") + 1].count("\n") + 1
    message = error({"bad.conllu": text, "p.conllu": text})
    place = re.search(r"error: bad\.conllu, line (\d+): ", message)
    assert place, message
    # Where one of two lines is wrong, either may be named.
    assert first <= int(place[1]) <= first + lines.count("\n")
    assert shown in message


@pytest.mark.parametrize(
    ("text", "line"), [("1\ta\n2\tb\n1\tc\n2\td\n\n", 3), ("1\ta\n# text = bc\n1-2\tbc\n1\tb\n2\tc\n\n", 3)]
)
@pytest.mark.usefixtures("in_folder")
def test_ids_that_begin_anew_are_an_error_that_asks_for_a_blank_line(text: str, line: int) -> None:
    """They were one sentence, and the scores of the sentences and of the edges of utterances were wrong."""
    lines = text.splitlines(keepends=True)
    Path("a.conllu").write_text(text)
    with pytest.raises(ValueError, match=rf"^a\.conllu, line {line}: received .*: add one before this line, or before"):
        score(Path("a.conllu"), Path("a.conllu"))
    with pytest.raises(UtteranceError, match=rf"utterance 0: line {line} of the document: received .*: add one before"):
        score([text], [text], text_format="conllu", documents=True)
    at = line - 2 if "# text" in text else line - 1
    Path("a.conllu").write_text("".join([*lines[:at], "\n", *lines[at:]]))
    assert score(Path("a.conllu"), Path("a.conllu"), scores="exact") == {"utterance_accuracy": 1.0}


GOOD = [["a", "b"]] * 20
PLAIN = {"r.conllu": conllu(*GOOD, ["x"]), "p.conllu": conllu(*GOOD, ["x"])}
WITH = {"r.conllu": conllu(*GOOD, ["the", "dog"]), "p.txt": "ab\n" * 20 + "the cat\n"}
NONE = r"r\.conllu: .*(empty|no sentence).*expected at least one"
#: Files, options, and what is said, as patterns.
BAD: dict[str, tuple[dict[str, str | bytes], list[str], list[str]]] = {
    "a byte": (
        PLAIN | {"r.conllu": conllu(*GOOD).encode() + b"1\tfine\n2\tba\xffd\n\n"}, [],
        ["r.conllu, line 62: the byte 0xff at offset 4 is not valid UTF-8"]),
    "a character cut short": (
        PLAIN | {"p.conllu": conllu(*GOOD).encode() + b"# fine\n1\tb\xe7\x8b\n2\tfine\n\n"}, [],
        ["p.conllu, line 62: the byte 0xe7 at offset 3 is not valid UTF-8"]),
    "NUL": (PLAIN | {"r.conllu": conllu(*GOOD, ["x\0"])}, [], ["r.conllu, sentence 21: there is a NUL"]),
    "other words of text": (WITH, [], ["r.conllu, sentence 21 and p.txt, line 21: .*offset 3 .*'d' .*'c' "]),
    "other words of sentences": (
        dict(reversed(WITH.items())), [], ["p.txt, line 21 and r.conllu, sentence 21: .*offset 3 .*'c' .*'d' "]),
    "more in the reference": (
        PLAIN | {"r.conllu": conllu(*[["a", "b"]] * 23)}, [], ["r.conllu has 23 sentences", "p.conllu has 21 sentences"]),
    "more in the prediction": (
        PLAIN | {"p.conllu": conllu(*GOOD)}, [], ["r.conllu has 21 sentences", "p.conllu has 20 sentences: .* --documents"]),
    "sentences and lines": (
        {"r.conllu": conllu(["a"], ["b"], ["c"]), "p.txt": "a\nb\n"}, [], ["r.conllu has 3 sentences", "p.txt has 2 lines"]),
    **{
        f"no sentence {empty!r}": ({"r.conllu": empty, "p.conllu": empty}, [], [NONE])
        for empty in ("", "\n", "\n\n\n", "# a comment\n", "# a\n\n# b\n\n", "1.1\tx\n\n", "\ufeff")
    },
    "the root of a tree": (
        {"r.conllu": conllu(["a"]), "p.conllu": conllu(["a"]) + "0\t<root>\n1\ta\n\n"}, [], ["p.conllu, line 3: .* root "]),
    "text by its name": ({"r.conllu": "the dog\n", "p.txt": "the dog\n"}, [], ["end in .conllu"]),
    "text by the option": (
        {"r.txt": "the dog\n", "p.txt": "the dog\n"}, ["--text-format", "conllu"], ["use --text-format 'words,'"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
@pytest.mark.usefixtures("in_folder", "piece_bytes")
def test_bad_files_are_refused(error: Any, name: str) -> None:
    contents, options, problems = BAD[name]
    message = error(contents, *options)
    for problem in problems:
        assert re.search(problem, message), message
