"""Each side is read in the form of its first lines, or in the given one, and sides may have different forms."""

import gzip
import json
import math
import re
import shlex
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from segscores.apps.command.main import main

from ...command_runs import Run, write_files
from ...corpora import random_corpus_pair, units_text, words_text, wordseg_text
from ...files import conllu, json_lines
from ...files import lines as as_bytes
from ...naive import naive_dictionary_scores, naive_oov_scores, naive_scores

#: Utterances of several words each, so that every form has its tokens.
REFERENCE, PREDICTION = (
    [words for words in corpus if sum(map(len, words)) > 3]
    for corpus in random_corpus_pair(60, seed=3, units=[*"abåé狗𠮷"], max_units=9)
)


WRITE: dict[str, Callable[[Any], list[str]]] = {
    "words": words_text,
    "units": units_text,
    "wordseg": wordseg_text,
    "conllu": lambda corpus: conllu(corpus).decode().splitlines(),
}


Scored = Callable[..., tuple[list[dict[str, float]], str]]
EXPECTED = pytest.approx(naive_scores(REFERENCE, PREDICTION), rel=1e-12)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Any subcommand."""

    def run_command(*arguments: str) -> tuple[int, str, str]:
        return main(list(arguments)), *capsys.readouterr()

    return run_command


@pytest.fixture
def scored(run: Run) -> Scored:
    """The scores of each prediction, and the messages, of a run of `score` that goes well."""

    def score(*arguments: str) -> tuple[list[dict[str, float]], str]:
        status, output, message = run("score", *arguments, "--format", "json")
        assert status == 0, message
        return [entry["scores"] for entry in json.loads(output)["predictions"]], message

    return score


@pytest.mark.parametrize(("left", "right"), list(product(WRITE, WRITE)))
@pytest.mark.parametrize("packed", [False, True])
def test_sides_of_any_two_forms_are_compared(scored: Scored, left: str, right: str, packed: bool) -> None:
    pack = gzip.compress if packed else bytes
    write_files({"r.txt": pack(as_bytes(WRITE[left](REFERENCE))), "p.txt": WRITE[right](PREDICTION)})
    found, message = scored("r.txt", "p.txt")
    assert found == [EXPECTED]
    told = {
        "units": "units separated by spaces, WORD_BOUNDARY between words (recognised by WORD_BOUNDARY)",
        "wordseg": "units separated by spaces, ;eword between words, without ;esyll (recognised by ;eword)",
        "conllu": "CoNLL-U (recognised by lines of ten columns)",
    }
    of_units = [form in ("units", "wordseg") for form in (left, right)]
    joined = ", joined into words text" if any(of_units) and not all(of_units) else ""
    assert message.splitlines() == [
        f"segscores: {name}: read as {told[form]}{joined if is_units else ''}."
        for name, form, is_units in zip(("r.txt", "p.txt"), (left, right), of_units, strict=True)
        if form in told
    ]


@pytest.mark.parametrize("command", ["compare", "errors", "report", "curve"])
def test_every_subcommand_that_compares_recognises(run: Run, command: str) -> None:
    words = words_text(PREDICTION)
    write_files({"r.txt": wordseg_text(REFERENCE), "p.txt": words, "q.txt": words, "s.txt": words_text(REFERENCE)})
    systems = ["p.txt", "q.txt", "s.txt"]
    predictions = {"compare": systems, "curve": ["1=p.txt"], "report": ["p.txt", "-o", "page.html"]}
    status, _, message = run(command, "r.txt", *predictions.get(command, ["p.txt"]))
    assert status == 0, message
    assert "r.txt: read as units separated by spaces, ;eword between words" in message


def test_predictions_with_and_without_the_units_of_the_reference_are_not_scored_together(
    run: Run, scored: Scored
) -> None:
    """The second would turn the units of the first into characters, so that its scores depended on what else is scored."""
    write_files({"r.txt": units_text(REFERENCE), "p.txt": units_text(PREDICTION), "q.txt": words_text(PREDICTION)})
    status, output, message = run("score", "r.txt", "p.txt", "q.txt")
    assert (status, output) == (2, "")
    assert "p.txt has the units of r.txt, and q.txt has words without units" in message
    # Both remedies of the message work.
    assert [run("score", "r.txt", name)[0] for name in ("p.txt", "q.txt")] == [0, 0]
    assert (
        "write a copy of r.txt as words text, with nothing between the units of a word and a space between" in message
    )
    lines = [line.split("WORD_BOUNDARY") for line in units_text(REFERENCE)]
    write_files({"w.txt": [" ".join("".join(word.split()) for word in line) for line in lines]})
    assert scored("w.txt", "p.txt", "q.txt")[0] == [EXPECTED] * 2


def test_several_files_are_read_as_one_is(scored: Scored) -> None:
    for number, part in enumerate((slice(0, 20), slice(20, None))):
        sides = wordseg_text(REFERENCE[part]), words_text(PREDICTION[part])
        write_files({f"{name}{number}.txt": side for name, side in zip("rp", sides, strict=True)})
    write_files({"p.txt": words_text(PREDICTION)})
    for prediction in ("p?.txt", "p.txt"):
        assert scored("r?.txt", prediction)[0] == [EXPECTED]


def hinted(message: str, given: dict[str, str]) -> dict[str, str]:
    """The options after the hint of an error is followed."""
    left_out = re.search(
        r"Leave (.*) out, for|error: (--word-boundary|--ignored-tokens).*eave (?:it|the option) out", message
    )
    added = re.search(r"(?:did you mean|Then use) (.*?)[?.] \(", message)
    assert left_out or added, message
    if left_out:
        return {option: value for option, value in given.items() if option not in (left_out[1] or left_out[2])}
    assert added
    words = [word for word in shlex.split(added[1]) if word != "and"]
    return given | dict(zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize(("left", "right"), list(product(["words", "units", "wordseg", "conllu"], repeat=2)))
@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ("--text-format words", ".txt"),
        ("--text-format units", ".txt"),
        ("--text-format units", ".jsonl"),
        ("--text-format conllu", ".txt"),
        ("--text-format words,", ".txt"),
        ("--text-format words,", ".jsonl"),
        ("--text-format ,units", ".txt"),
        ("--text-format units --word-boundary ;eword", ".txt"),
        ("--text-format units, --word-boundary ;eword --ignored-tokens ;esyll", ".txt"),
    ],
)
def test_hints_on_forms_end_when_they_are_followed(run: Run, left: str, right: str, options: str, ending: str) -> None:
    names = [f"{name}{'.conllu' if form == 'conllu' else ending}" for name, form in (("r", left), ("p", right))]
    for name, form in zip(names, (left, right), strict=True):
        lines = WRITE[form]([["the", "dog"], ["is", "big"], ["a"]])
        if name.endswith(".jsonl"):
            Path(name).write_bytes(json_lines({"reference": lines, "prediction": lines}))
        else:
            write_files({name: lines})
    words = options.split()
    given = dict(zip(words[::2], words[1::2], strict=True))
    tried: list[dict[str, str]] = []
    while (found := run("score", *names, *(word for each in given.items() for word in each)))[0]:
        if "write the same boundary token on both sides" in found[2] and {left, right} == {"units", "wordseg"}:
            break  # no option gives each side its own token
        tried.append(given)
        given = hinted(found[2], given)
        assert given not in tried, found[2]


@pytest.mark.parametrize("write_units", [units_text, wordseg_text])
def test_both_answers_to_whether_a_text_is_of_units_work(
    run: Run, scored: Scored, write_units: Callable[[Any], list[str]]
) -> None:
    write_files({"r.txt": write_units([["the", "dog"], ["is"]]), "p.txt": ["t h e d o g", "i s"]})
    assert "Say which it is with" in run("score", "r.txt", "p.txt")[2]
    for form, recall in (("words", 0.0), ("units", 1 / 3)):
        found, message = scored("r.txt", "p.txt", "--text-format", f",{form}")
        assert found[0]["token_recall"] == pytest.approx(recall)
    assert "Then say so with --text-format." in message


def test_formats_that_are_given_hold(scored: Scored) -> None:
    # Tokens of wordseg as they are: words of words text.
    write_files({"r.txt": ["a ;eword b", "c ;eword"], "p.txt": ["a;eword b", "c;eword"]})
    expected = naive_scores([["a", ";eword", "b"], ["c", ";eword"]], [["a;eword", "b"], ["c;eword"]])
    assert scored("r.txt", "p.txt", "--text-format", "words") == ([pytest.approx(expected)], "")


def test_a_boundary_that_is_given_is_looked_for(scored: Scored) -> None:
    write_files({"r.txt": ["a b | c d", "e | f g"], "p.txt": ["ab cd", "e fg"]})
    found, message = scored("r.txt", "p.txt", "--word-boundary", "|")
    assert "r.txt: read as units separated by spaces, | between words (recognised by |), joined" in message
    assert "is read as words" not in message
    assert found[0]["token_fscore"] == 1.0


def test_standard_input_has_the_form_of_the_others(scored: Scored, stdin: Any) -> None:
    write_files({"p.txt": units_text(PREDICTION)})
    stdin(as_bytes(units_text(REFERENCE)))
    assert scored("-", "p.txt")[0] == [EXPECTED]


@pytest.mark.parametrize("corpus", [REFERENCE[:20], [[word] for word in REFERENCE[0]]], ids=["corpus", "word list"])
def test_the_vocabulary_of_joined_units_is_in_the_format_of_the_reference(
    run: Run, scored: Scored, corpus: Any
) -> None:
    write_files({"r.txt": wordseg_text(REFERENCE), "p.txt": words_text(PREDICTION), "v.txt": wordseg_text(corpus)})
    expected = naive_oov_scores(REFERENCE, PREDICTION, {word for words in corpus for word in words}, math.nan)
    (found,), _ = scored("r.txt", "p.txt", "--vocabulary", "v.txt", "--scores", "oov", "--zero-division", "nan")
    assert found == {key: None if math.isnan(value) else pytest.approx(value) for key, value in expected.items()}
    _, output, _ = run("errors", "r.txt", "p.txt", "--vocabulary", "v.txt", "--format", "json")
    out = next(row for row in json.loads(output)["by_vocabulary"] if row["name"] == "out")
    assert out["words"] == sum(word not in {w for ws in corpus for w in ws} for words in REFERENCE for word in words)


def test_a_vocabulary_of_words_or_units_is_not_guessed_at(run: Run, scored: Scored) -> None:
    write_files({"r.txt": ["a b WORD_BOUNDARY c"], "p.txt": ["ab c"], "v.txt": ["a b", "c"]})
    line = ("r.txt", "p.txt", "--vocabulary", "v.txt", "--scores", "oov_rate")
    status, output, message = run("score", *line)
    assert (status, output) == (2, "")
    problem = "the reference is units text, joined into words text, and there is no WORD_BOUNDARY here"
    assert f"error: --vocabulary: {problem}" in message
    for remedy in (["a b WORD_BOUNDARY", "c WORD_BOUNDARY"], ["ab", "c"]):
        write_files({"v.txt": remedy})
        assert scored(*line)[0] == [{"oov_rate": 0.0}]


def test_the_dictionary_of_joined_units_is_in_the_format_of_the_reference(scored: Scored) -> None:
    write_files({"r.txt": ["a ;esyll b ;eword c ;eword"], "p.txt": ["ab c"], "d.txt": ["a ;esyll b", "b c", "c"]})
    corpus, segments = [[("a", "b"), ("c",)]], {("a", "b"), ("b", "c"), ("c",)}
    expected = pytest.approx(naive_dictionary_scores(corpus, corpus, segments))
    assert scored("r.txt", "p.txt", "--dictionary", "d.txt", "--scores", "dictionary")[0] == [expected]


@pytest.mark.parametrize("names", [("r.txt", "p.conllu"), ("r.conllu", "p.txt"), ("r.conllu", "p.conllu")])
@pytest.mark.parametrize("given", [(), ("--text-format", "units,"), ("--text-format", ",units")])
def test_a_name_of_conllu_holds_beside_any_given_format(
    scored: Scored, names: tuple[str, str], given: tuple[str, ...]
) -> None:
    for name, corpus in zip(names, (REFERENCE, PREDICTION), strict=True):
        write_files({name: WRITE["units" if name.endswith("txt") else "conllu"](corpus)})
    found, message = scored(*names, *(given or ("--text-format", "units")))
    assert found == [EXPECTED]
    assert "never occurs" not in message
