"""What programs write around utterances: no token of it may count as a word in silence, and the remedy of each takes it away.

Both sides have the same ids, comments and marks, so that no mismatch of units tells of them.
"""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from ..command_runs import Run, write_files

Writer: TypeAlias = Callable[[list[str]], str]

GOLD = ["the dog barks .", "a cat sees it .", "they saw the cat ."]
PREDICTION = ["thedog barks .", "a cat sees it .", "they saw thec at ."]
#: 14 words of the reference, 13 of the prediction, 10 of both.
FSCORE = 20 / 27


def each(template: str) -> Writer:
    """The writer of a line for each utterance, with its words, its text and its number from 1 or 0."""

    def write(utterances: list[str]) -> str:
        lines = [
            template.format(words=words, text=words.replace(" ", ""), one=number + 1, zero=number)
            for number, words in enumerate(utterances)
        ]
        return "\n".join(lines) + "\n"

    return write


def between(first: str, template: str, last: str) -> Writer:
    """The same between two lines."""
    return lambda utterances: first + each(template)(utterances) + last


#: What a program writes, by a part of the title of the form, the program or habit.
ERRORS: dict[tuple[str, str], Writer] = {
    ("lines of EOS", "MeCab -F '%m ' -E 'EOS\\n'"): each("{words} \nEOS"),
    ("lines of EOS", "MeCab -F '%m\\n'"): lambda utterances: "".join(
        f"{words}\nEOS\n".replace(" ", "\n") for words in utterances
    ),
    ("each text twice", "text and words on two lines"): each("{text}\n{words}"),
    ("each text twice", "with a blank line after them"): each("{text}\n{words}\n"),
    ("each text twice", "words before the text"): each("{words}\n{text}"),
    ("its segmentation", "an arrow"): each("{text} -> {words}"),
    ("its segmentation", "a double arrow"): each("{text} => {words}"),
    ("its segmentation", "a colon"): each("{text}: {words}"),
    ("its segmentation", "a space"): each("{text} {words}"),
    ("special tokens", "SRILM, KenLM"): each("<s> {words} </s>"),
    ("special tokens", "BERT"): each("[CLS] {words} [SEP]"),
    ("special tokens", "T5"): each("{words} </s>"),
    ("special tokens", "GPT-2"): each("{words} <|endoftext|>"),
    ("special tokens", "a decoder"): each("<bos> {words} <eos>"),
    ("special tokens", "EOS at the end of the line"): each("{words} EOS"),
}
WARNINGS: dict[tuple[str, str], Writer] = {
    ("a number or an id", "Kaldi"): each("utt{one} {words}"),
    ("a number or an id", "AISHELL"): each("BAC009S0002W0{one}22 {words}"),
    ("a number or an id", "ESPnet"): each("A{one:03d}_utt {words}"),
    ("a number or an id", "a list in brackets"): each("[{one}] {words}"),
    ("a number or an id", "a numbered list"): each("{one}. {words}"),
    ("a number or an id", "numbers in round brackets"): each("({one}) {words}"),
    ("a number or an id", "pandas without a header"): each("{zero}    {words}"),
    ("a number or an id", "scores before the text"): each("-{one}.53 {words}"),
    ("a number or an id", "times of a log"): each("10:15:0{zero} {words}"),
    ("a number or an id", "only some of the numbers"): lambda utterances: "".join(
        f"{number} {words}\n" for number, words in zip((3, 7, 12, 20, 21, 40), utterances + utterances, strict=True)
    ),
    ("such as a score, at the end", "scores after the text"): each("{words} -{one}.53"),
    ("TRN", "ids without parts"): each("{words} (s{one})"),
    ("TRN", "ids without digits"): lambda utterances: "".join(
        f"{words} (spk_{name})\n" for words, name in zip(utterances, "abc", strict=True)
    ),
    ("lines of comments", "a comment at the beginning"): between("# gold of ann\n", "{words}", ""),
    ("lines of comments", "ids in comments"): each("# sent_id = {one}\n{words}"),
    ("lines of comments", "comments of LaTeX"): each("% {one}\n{words}"),
    ("lines of comments", "comments of C"): between("// gold\n", "{words}", ""),
    ("begin with a mark", "a list of Markdown"): each("- {words}"),
    ("begin with a mark", "a list with stars"): each("* {words}"),
    ("begin with a mark", "a quotation of mail"): each("> {words}"),
    ("lines of marks", "rules between utterances"): each("{words}\n---"),
    ("lines of marks", "a fence of Markdown"): between("```text\n", "{words}", "```\n"),
    ("under its name", "pandas, a column"): between("text\n", "{words}", ""),
    ("under its name", "a name of two words"): between("segmented_text\n", "{words}", ""),
    ("strings of JSON", "jq"): each('"{words}"'),
    ("strings of JSON", "a part of a list"): each('  "{words}",'),
}


def written(command: str, file: str) -> str:
    """The name of the file that the command of a remedy makes of another one."""
    python = command.replace("python3", sys.executable)
    subprocess.run(f"{python} < {file} > new-{file}", shell=True, check=True)
    return f"new-{file}"


def check(run: Run, write: Writer, title: str, status: int) -> None:
    """Check that the form is named, and that what its remedy makes of both sides has the right value."""
    write_files({"g": write(GOLD), "p": write(PREDICTION)})
    found, _, message = run("g", "p", "--scores", "token_fscore")
    assert (found, title in message.partition("(line")[0]) == (status, True), message
    commands = re.findall(r"convert it with (.*?) < OLD > NEW", message)
    files = [written(commands[0], file) for file in ("g", "p")]
    found, out, message = run(*files, "--scores", "token_fscore", "--format", "json")
    assert (found, message) == (0, "")
    assert json.loads(out)["predictions"][0]["scores"] == {"token_fscore": pytest.approx(FSCORE)}


@pytest.mark.parametrize("row", ERRORS, ids=": ".join)
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are of POSIX")
def test_what_only_another_form_has_is_refused(row: tuple[str, str], in_folder: Path, run: Run) -> None:
    check(run, ERRORS[row], row[0], 2)


@pytest.mark.parametrize("row", WARNINGS, ids=": ".join)
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are of POSIX")
def test_what_text_may_have_too_is_said(row: tuple[str, str], in_folder: Path, run: Run) -> None:
    check(run, WARNINGS[row], row[0], 0)


#: Files of which a remedy is no command.
REFUSED: dict[tuple[str, str], Writer] = {
    ("LaTeX", "rows of a table"): each("{one} & {words} \\\\"),
    ("LaTeX", "a table"): between("\\begin{{tabular}}{{ll}}\n".format(), "{one} & {words} \\\\", "\\end{tabular}\n"),
    ("settings", "TOML"): between("text = [\n", '  "{words}",', "]\n"),
    ("settings", "INI"): between("[sentences]\n", "s{one} = {words}", ""),
    ("pandas", "a series"): between("", "{zero}    {words}", "Name: text, dtype: object\n"),
    ("pandas", "a table of a column"): between("                text\n", "{zero}    {words}", ""),
    ("the differences of two files", "a part"): between("@@ -1,3 +1,3 @@\n", " {words}", ""),
    ("UTF-8 that was taken for Latin-1", "Latin-1"): lambda utterances: each("é {words}")(utterances)
    .encode()
    .decode("latin-1"),
    ("UTF-8 that was taken for Latin-1", "Windows-1252"): lambda utterances: each("“é” {words}…")(utterances)
    .replace("”", "é")
    .encode()
    .decode("cp1252"),
    ("lines of labels", "B, I and spaces"): lambda _: "B I B\nB I\nB B I\n",
    ("lines of labels", "B, M, E, S without spaces"): lambda _: "BESBME\nSBE\nBME\n",
}  # fmt: skip


@pytest.mark.parametrize("row", REFUSED, ids=": ".join)
def test_files_of_other_programs_are_refused(row: tuple[str, str], in_folder: Path, run: Run) -> None:
    write_files({"g": REFUSED[row](GOLD), "p": REFUSED[row](PREDICTION)})
    status, _, message = run("g", "p", "--scores", "token_fscore")
    assert (status, f"g: this is {row[0]}" in message or row[0] in message) == (2, True), message


@pytest.mark.parametrize("protocol", [0, 1])
@pytest.mark.parametrize("value", [GOLD, {"gold": GOLD}], ids=["list", "dict"])
def test_pickles_of_old_protocols_are_refused(protocol: int, value: Any, in_folder: Path, run: Run) -> None:
    write_files({"g": pickle.dumps(value, protocol), "p": pickle.dumps(value, protocol)})
    status, _, message = run("g", "p", "--scores", "token_fscore")
    assert (status, "g: this is a pickle of Python" in message) == (2, True), message


#: Ordinary text that has some of the signs.
ORDINARY = {
    "a number once": "3 dogs bark\nthe cat\n5 cats sit\n",
    "numbers that do not grow": "3 dogs bark\n12 cats sit\n5 dogs bark\n",
    "the same line twice": "no\nno\nyes\nyes\nthe dog\nthe dog\n",
    "a word EOS": "the dog\nthe cat\nEOS\nthe text\n",
    "two segmentations of one text": "the dog\nthedog\nthe dog\nthedog\n",
    "decimals within": "3.5 dogs\nthe cat\nit is 2.5\n",
    "a dash of one speaker": "- the dog\na cat\n- it is\n",
    "accents": "café Ã a\nthé é b\n",
    "hash tags": "#love it\nthe dog\n#fun we have\n",
    "brackets once": "the dog (barks)\na cat\nit is (so)\n",
    "a title": "Text\nThe Dog\n",
}


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_text_is_read_without_a_word(kind: str, in_folder: Path, run: Run) -> None:
    write_files({"g": ORDINARY[kind], "p": ORDINARY[kind].replace(" ", "", 1)})
    status, _, message = run("g", "p", "--scores", "token_fscore")
    assert (status, message) == (0, "")
