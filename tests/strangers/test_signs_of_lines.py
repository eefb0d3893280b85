"""Tests of signs at the words of each line, which a person removes: labels, names, numbers, quotes, and cells between separators.

Both sides have the same signs, so that no mismatch of units tells of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import segscores

from ..command_runs import Run, write_files
from .writers import GOLD, PREDICTION, Writer, above, below, between, each, run_with

#: What a program writes, by a part of what is said, the program or habit.
FRAMES: dict[tuple[str, str], Writer] = {
    ("the same signs", "numbers in brackets"): each("({one}){words}"),
    ("the same signs", "a Chinese list"): each("{one}、{words}"),
    ("the same signs", "ids before a colon"): each("utt{one}:{words}"),
    ("the same signs", "ids before a comma"): each("utt{one},{words}"),
    ("the same signs", "lines of grep"): each("gold.txt:{one}:{words}"),
    ("the same signs", "paths and bars"): each("wavs/s{one}.wav|{words}"),
    ("the same signs", "logger"): each("INFO:root:{words}"),
    ("the same signs", "a prefix of two words"): each("segment words: {words}"),
    ("the same signs", "bold"): each("**{words}**"),
    ("the same signs", "line breaks of HTML"): each("{words}<br>"),
    ("the same signs", "a token of a model"): each("{words}[EOS]"),
    ("the same signs", "single quotes"): each("'{words}'"),
    ("the same signs", "curly quotes"): each("“{words}”"),
    ("the same signs", "bytes of Python"): each("b'{words}'"),
    ("the same signs", "backticks"): each("`{words}`"),
    ("the same signs", "a phonemic transcription"): each("/{words}/"),
    ("the same signs", "comments behind the text"): each("{words} # checked"),
    ("beside its segmentation", "hashtags"): each("#{text}: {words}"),
    ("beside its segmentation", "brackets around the text"): each("{words} ({text})"),
    ("beside its segmentation", "an arrow and quotes"): each("'{text}' → {words}"),
    ("beside its segmentation", "capitals"): lambda utterances: "".join(
        f"{words.replace(' ', '').upper()} / {words}\n" for words in utterances
    ),
    ("the same signs", "names of languages"): each("{words} // en"),
    ("begin with a mark", "dashes of a list"): lambda lines: each("— {words}")(lines).replace(" .\n", "\n"),
    ("the same signs", "a text and its words by turns"): each("原文：{text}\n分词：{words}"),
    ("the labels 0 and 1", "starts of words, without spaces"): "10010\n11010\n1000\n",
    ("control characters", "Hive"): each("{one}\x01{words}"),
    ("a message of a program", "the end of a file"): above("<EOF>\n"),
    ("a message of a program", "the last sentence of a language model"): above("I hope this helps!\n"),
    ("a message of a program", "a text that is cut"): above("[truncated]\n"),
    ("messages of a program", "a level in brackets"): below("[INFO] 3 lines\n"),
    ("lines of marks", "numbers of pages"): above("Page 1 of 2\n"),
    ("the same signs", "a script of a shell"): each('echo "{words}"'),
    ("the same signs", "numbers behind a name"): each("No. {one} {words}"),
    ("begin with a mark", "SALT"): each("C {words}"),
    ("the same signs", "left-to-right marks"): each("\u200e{words}"),
    ("messages of a program", "jieba"): below("Building prefix dict from the default dictionary ...\n"),
    ("a message of a program", "compute-wer"): above("%WER 3.20 [ 8 / 250, 1 ins, 2 del, 5 sub ]\n"),
    ("a message of a program", "the beginning of three lines"): "Loading model\nthe dog\na cat\n",
    ("a message of a program", "the fourth line from the end"): "it is\nTotal 3\nthe dog\na cat\nso\n",
    ("pages or chapters", "each second line"): "1\nthe dog\n2\na cat\n",
    ("the number of lines", "more than are seen"): (
        "100\n" + "".join(f"the dog {'so ' * number}\n" for number in range(51))
    ),
    ("a number or an id", "five letters without marks"): ("".join(f"{letter} the dog\n" for letter in "abcde")),
    ("lines of comments", "two lines in the text"): "the dog\n# it\nso it\n# so\n",
    ("the answer of a language model", "one utterance"): "Here is the segmented text:\nthe dog\n",
    ("as of a missing value", "pandas, astype(str)"): above("nan\n"),
    ("after a line about it", "a title"): below("Title: gold\n"),
    ("after a line about it", "a date"): below("2024-05-01\n"),
    ("lines of comments", "a program of a shell"): below("#!/bin/sh\n"),
    ("written otherwise", "the last sentence of a language model"): above("Hope this helps!\n"),
    ("written otherwise", "a capital where no mark is a word"): "Sure, so it is\nthe dog\na cat\nso it is\n",
    ("written otherwise", "a message in another script"): "loading model\n我们 去\n他们 在 家\n我 爱 你\n",
    ("written otherwise", "words of another script"): "the dog\na cat\nit is\n我们 去\n",
    ("written otherwise", "two lines of messages"): ("loading model\nfinish\n" + "我们 去\n他们 在 家\n我 爱 你\n" * 3),
    ("written otherwise", "a Chinese sentence"): "我们 去 。\n他们 在 家\n我 爱 你\n希望对你有帮助！\n",
    ("begin with their number", "each second line"): "1. the dog\na cat\n3. it is\nso it is\n5. a dog\n",
    ("begin with their number", "lines of one word between"): "the\n(2) a cat\n(3) it is\n(4) so it is\na\n",
    ("notes in brackets", "laughter"): each("{words} (laughs)"),
    ("notes in brackets", "laughter in Chinese"): each("{words} (笑)"),
    ("notes in brackets", "songs in subtitles"): "the dog\n♪ a cat ♪\n♪ it is\nso\n",
    ("written otherwise", "a name in brackets"): below("[Gold]\n"),
    ("written otherwise", "a title in bold"): below("**The gold text**\n"),
    ("written otherwise", "an end in brackets"): above("[the output was truncated]\n"),
    ("written otherwise", "a capital in many lines"): (
        "Segmented text\n" + "the dog\na cat\nit is\nso\nI see it\n" * 3
    ),
    ("written otherwise", "the only mark of many lines"): ("the dog\na cat\nit is\nso\nI see it\n" * 2 + "no more.\n"),
    ("written otherwise", "a word at the end"): "the dog\na cat\nit is\nso it is\nno it is\neof\n",
    ("written otherwise", "a program that is done"): "the dog\na cat\nit is\nso it is\nno it is\nDone\n",
    ("written otherwise", "a word before a text"): ("start\n" + "the dog is\na cat is\nit is\n" * 3),
    ("a column under its name", "a kind of data"): "hyp\nthe dog\na cat\nit is\n",
    ("marks alone", "what was left out"): ("the dog\n" * 5 + "...\n" + "a cat\n" * 5),
    ("a message of a program", "a count"): above("12 sentences processed\n"),
    ("a message of a program", "a total"): above("total 12\n"),
    ("a message of a program", "a prompt"): above("ann@host:~/data$\n"),
    ("a message of a program", "PyCharm"): above("Process finished with exit code 0\n"),
    ("a message of a program", "a telephone"): above("Sent from my phone\n"),
    ("the same mark", "a word in capitals"): each("{words} END"),
    ("the same signs", "added lines"): each("+{words}"),
    ("the same signs", "an apostrophe of a spreadsheet"): each("'{words}"),
    ("begin with a label or a name", "speakers of Chinese"): "mot 我们 去\nchi 他 去\nmot 我 去\nchi 你 去\n",
    ("beside its segmentation", "the same text twice"): each("{words} so it is | {words} so it is"),
    ("begin with their number", "each second line, without marks"): (
        "1 it is\na cat is\n" + "".join(f"{number} so{' so' * number}\nno{' no' * number}\n" for number in (3, 5, 7, 9))
    ),
    ("lines of marks", "rows that were left out"): "the dog\n-- Row 2 to 4 --\na cat\n",
    ("lines of marks", "a vertical ellipsis"): "the dog\n⋮\na cat\n",
    ("lines of marks", "what was left out of punctuated text"): ("it is so .\n" * 6 + "⋮\n" + "a cat !\n" * 3),
    ("lines of marks", "a conflict without names"): ("it is so .\n" * 6 + "=======\n" + "a cat !\n" * 3),
    ("begin with a mark", "a list of Markdown"): each("1. {words}"),
    ("a message of a program", "a comment at the end"): above("# end\n"),
    ("conflict of Git", "below the first lines"): (
        "the dog is\n" * 80 + "<<<<<<< ours\na cat\n=======\nacat\n>>>>>>> other\n"
    ),
    ("read as Latin-1", "Chinese"): ("我们 去 北京\n他们 来 了\n".encode("gbk").decode("latin-1")),
    ("read as Latin-1", "Russian"): ("мама мыла\nон ушёл\n".encode("cp1251").decode("latin-1")),
    ("read as Latin-1", "Japanese"): ("猫 が いる\n犬 も\n".encode("cp932").decode("latin-1")),
    ("end with a label", "two classes behind Chinese"): "我们 去 pos\n他 去 neg\n我 去 pos\n你 去 neg\n",
    ("end with a label", "one name behind Chinese"): "我们 去 x\n他 去 x\n我 去 x\n你 去 x\n",
    ("the same mark", "a missing value"): each("{words} None"),
    ("the same signs", "cat -E"): each("{words}$"),
    ("the same signs", "an editor"): each("{words}¶"),
    ("begin with a label or a name", "languages before Chinese"): "en 我们 去\nde 他 去\nen 我 去\nde 你 去\n",
    ("begin with a label or a name", "one name before Chinese"): "zh 我们 去\nzh 他 去\nzh 我 去\nzh 你 去\n",
    ("begin with a label or a name", "signs by turns"): "+ the dog\n* a cat\n+ it is\n* so it is\n+ no\n* a dog\n",
    ("a name and their number", "an arrow"): each("Sentence {one} -> {words}"),
    ("begin with a mark", "two bullets"): "• the dog\n• a cat\n",
    ("begin with a mark", "two items of LaTeX"): "\\item the dog\n\\item a cat\n",
    ("messages of a program", "a shell"): below("bash: jieba: command not found\n"),
    ("messages of a program", "the command script"): below("Script started on 2026-01-01 10:00\n"),
    ("messages of a program", "Slurm"): below("slurmstepd: error: *** JOB 1 ON n1 CANCELLED ***\n"),
    ("messages of a program", "Perl"): below("perl: warning: Setting locale failed.\n"),
    ("messages of a program", "a tokenizer"): below(
        "Token indices sequence length is longer than the specified maximum (600 > 512).\n"
    ),
    ("a message of a program", "git show --stat"): above(" 1 file changed, 3 insertions(+)\n"),
    ("a message of a program", "an array of NumPy"): above("array(['a'], dtype='<U1')\n"),
    ("a message of a program", "a script that is done"): above("done.\n"),
    ("lines of marks", "the command more"): below("::::::::::::::\na.txt\n::::::::::::::\n"),
    ("lines of marks", "columns of SQLite"): below("id  text\n--  --------\n"),
    ("a list in the code", "dput in R"): 'c("the dog", "a cat")\n',
    ("but for one line", "a title before a list"): between("My data\n", "- {words}", ""),
    ("but for one line", "a title before numbers"): between("My data\n\n", "{one}. {words}", ""),
    ("but for one line", "names of columns before ids"): between("id text\n", "u{one} {words}", ""),
    ("but for one line", "names of columns before bars"): between("text|id\n", "{words}|u{one}", ""),
    ("but for one line", "a line of a program among ids"): lambda utterances: (
        each("u{one} {words}")(utterances).replace("u4 ", "(silence)\nu4 ") + each("v{one} {words}")(utterances)
    ).replace("v", "u1"),
}


@pytest.mark.parametrize("row", FRAMES, ids=": ".join)
def test_signs_that_a_person_removes_are_said(row: tuple[str, str], in_folder: Path, run: Run) -> None:
    status, message = run_with(FRAMES[row], run, times=2)
    assert (status, row[0] in message) == (0, True), message


#: Utterances between signs, of one script and of another.
LANGUAGES = {
    "English": ["the dog is here", "a cat", "it is so", "we go on", "look at that", "no", "my dog is big"],
    "Chinese": ["我们 去 北京", "他们 在 家", "我 爱 你", "天气 很 好", "你 去 吗"],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_raises_the_doubts_of_an_array(language: str) -> None:
    """A short list gets a quick look first, an array does not: the quick look misses nothing that the longer one sees."""
    said: dict[tuple[str, str], list[set[str]]] = {}
    for row, write in FRAMES.items():
        text = write if isinstance(write, str) else write(LANGUAGES[language])
        lines = text.splitlines()
        said[row] = []
        for values in (lines, pa.array(lines)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                segscores.score(values, values, text_format="words")
            said[row].append({str(warning.message) for warning in caught})
    assert {row: both for row, both in said.items() if both[0] != both[1]} == {}


LABELLED = {
    "names": ["mot 我们 去", "chi 他 去", "mot 我 去", "chi 你 去"],
    "capitals": ["POS the dog", "NEG a cat", "POS it is"],
    "letters": ["a the dog", "b the cat", "c the dog is", "d it is", "e so it is"],
    "a sign": ["the dog $", "a cat $", "it is $"],
}


@pytest.mark.parametrize("kind", LABELLED)
def test_lists_of_words_raise_the_doubts_of_an_array(kind: str) -> None:
    lists = [line.split() for line in LABELLED[kind]]
    with pytest.warns(UserWarning, match=r"this looks like .* and each item of a list is read as a word"):
        assert segscores.score(lists, lists)["token_fscore"] == 1


#: The fewest lines that show their labels, and how a line is written.
MANY: dict[str, tuple[int, Callable[[int, str], str]]] = {
    "one word": (10, lambda number, words: f"o {words}"),
    "few words": (20, lambda number, words: f"{'ham' if number % 10 else 'spam'} {words}"),
    "class ids": (6, lambda number, words: f"{number * 7 % 3} {words}"),
    "signs": (6, lambda number, words: f"{'+-'[number % 2]}1 {words}"),
    "counts": (12, lambda number, words: f"{number * 7 % 19 + 1} {words}"),
}
#: The form of each kind that is none of labels.
FORMS_OF_MANY = {"counts": "begin with a number or an id"}


@pytest.mark.parametrize("are_enough", [True, False])
@pytest.mark.parametrize("kind", MANY)
def test_labels_of_many_lines_are_said(kind: str, are_enough: bool, in_folder: Path, run: Run) -> None:
    fewest, write = MANY[kind]
    sides = []
    for side in (GOLD, PREDICTION):
        utterances = [words + " so" * number for number, words in enumerate(side * 7)]
        lines = [write(number, words) for number, words in enumerate(utterances)]
        sides.append(lines[: fewest if are_enough else fewest - 1])
    write_files({"g": sides[0], "p": sides[1]})
    status, _, message = run("g", "p", "--scores", "token_fscore")
    is_said = FORMS_OF_MANY.get(kind, "begin with a label or a name") in message
    assert (status, is_said, message == "") == (0, are_enough, not are_enough), message


#: The lines of a file, and the separator of its cells; none if they are no rows.
ROWS_OF_CELLS = {
    "a table without the name of its index": ([",text", *[f"{number},{words}" for number, words in enumerate(GOLD)]], ","),
    "two lines of texts and their words": (["thedog\tthe dog", "acat\ta cat"], "\t"),
    "two lines with tabs between words": (["the\tdog\tbarks", "a\tcat\tsits"], ""),
    "two lines of phones with tabs between words": (["d u\tj u", "k a t\ts i t"], ""),
    "two lines with a semicolon without a space": (["no;it is", "yes;we do"], ""),
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS_OF_CELLS)
def test_cells_are_said(case: str, in_folder: Path, run: Run) -> None:
    lines, separator = ROWS_OF_CELLS[case]
    write_files({"g": lines, "p": lines})
    status, _, message = run("g", "p", "--scores", "token_fscore")
    said = f"2 cells between {separator!r}" if separator else "cells between"
    assert (status, said in message) == (0, bool(separator)), message


def test_a_line_that_is_repeated_has_no_label(in_folder: Path, run: Run) -> None:
    write_files({"g": ["the dog"] * 30, "p": ["thedog"] * 30})
    assert run("g", "p", "--scores", "token_fscore")[::2] == (0, "")
