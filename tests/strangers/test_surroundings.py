"""Tests of what programs write around utterances: no token of it counts as a word in silence, and the remedies take it away.

Both sides have the same ids, comments and marks, so that no mismatch of units tells of them.
"""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias
from uuid import NAMESPACE_DNS, uuid5

import numpy as np
import pyarrow as pa
import pytest

import segscores

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


def alternating(first: str, second: str, utterances: list[str]) -> str:
    """Lines with two templates by turns."""
    templates = [first, second] * len(utterances)
    return "".join(f"{template.format(words)}\n" for template, words in zip(templates, utterances, strict=False))


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
    ("special tokens", "capitals"): each("<BOS> {words} <EOS>"),
    ("special tokens", "EOS at the end of the line"): each("{words} EOS"),
}
ERRORS |= {
    ("subtitles (MicroDVD)", "frames"): each("{{{zero}0}}{{{one}0}}{words}"),
    ("subtitles (MicroDVD)", "a frame rate"): between(
        "{DEFAULT}{C:$0000FF}\n{1}{1}25.0\n", "{{9}}{{{one}0}}{words}", ""
    ),
    ("subtitles (MPL2)", "tenths of seconds"): each("[{zero}0][{one}0] {words}"),
    ("subtitles (TMPlayer)", "seconds"): each("00:00:0{one}:{words}"),
    ("ATF", "lines of a tablet"): between("#atf: lang akk\n@tablet\n", "{one}. {words}", "$ rest broken\n"),
    ("TRN", "comments of sclite"): between(";; gold\n", "{words} (f_{one})", ""),
    ("STM of NIST", "a turn at the beginning"): each("rec 1 ann {zero} {one}.5 {words}"),
    ("STM of NIST", "a recording that is a number"): each("2347 A 2347-A {zero}.1 {one} <o,f0> {words}"),
    ("special tokens", "T5, between words"): lambda utterances: "".join(
        f"{words.replace(' ', ' <pad> ', 1)}\n" for words in utterances
    ),
    ("a tag of markup", "HTML"): each("<p>{words}</p>"),
    ("a tag of markup", "attributes"): each('<s id="{one}">{words}</s>'),
    ("a tag of markup", "captions"): each('<p begin="00:00:0{zero}.000" end="00:00:0{one}.000">{words}</p>'),
    ("a tag of markup", "speakers of WebVTT"): each("<v Bob>{words}</v>"),
    ("colours of a terminal", "grep --color"): each("\x1b[31m{words}\x1b[0m"),
    ("Standard Format Markers", "Toolbox"): each("\\ref {one}\n\\tx {words}\n\\ft a translation\n"),
    ("Standard Format Markers", "a header of Toolbox"): between(
        "\\_sh v3.0  400  Text\n\\_DateStampHasFourDigitYear\n\n",
        "\\ref {one}\n\\ELANBegin 0{one}\n\\rs-i so\n\\tx {words}\n",
        "",
    ),
    ("a list of utterances", "json.dump"): json.dumps,
    ("a list of utterances", "json.dump with indent"): lambda utterances: json.dumps(utterances, indent=1),
    ("a list of utterances", "print"): lambda utterances: f"{utterances}\n",
    ("a list with a list of words", "json.dump"): lambda utterances: json.dumps(
        [words.split() for words in utterances]
    ),
    ("a list with a list of words", "json.dump with indent"): lambda utterances: json.dumps(
        [words.split() for words in utterances], indent=1
    ),
    ("arrays of words", "print"): lambda utterances: "".join(f"{np.array(words.split())}\n" for words in utterances),
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
    ("an id and | before", "times and speakers"): each("0.{one}|1.{one}|ann|{words}"),
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
    ("a number or an id", "uniq -c"): each("      2 {words}"),
    ("a number or an id", "letters"): lambda utterances: "".join(
        f"{letter}) {words}\n" for letter, words in zip("abc", utterances, strict=True)
    ),
    ("a number or an id", "Roman numbers"): lambda utterances: "".join(
        f"{number} {words}\n" for number, words in zip(("i.", "ii.", "iii."), utterances, strict=True)
    ),
    ("a number or an id", "circled numbers"): lambda utterances: "".join(
        f"{number} {words}\n" for number, words in zip("①②③", utterances, strict=True)
    ),
    ("such as a score, at the end", "ids after the text"): each("{words} utt{one}"),
    ("such as a score, at the end", "numbers after the text"): each("{words} {one}"),
    ("such as a score, at the end", "numbers after a hash"): each("{words} #{one}"),
    ("such as a score, at the end", "dates after the text"): each("{words} 2026-11-2{one}"),
    ("begin with a mark", "check marks"): each("✅ {words}"),
    ("begin with a mark", "arrows"): each("→ {words}"),
    ("strings in the code", "JavaScript"): between("const gold = [\n", "  '{words}',", "];\n"),
    ("strings in the code", "MATLAB"): between("gold = {{\n".format(), "  '{words}';", "};\n"),
    ("strings in the code", "R, from the first line on"): lambda utterances: (
        "gold <- c(" + ",\n  ".join(map(repr, utterances)) + ")\n"
    ),
    ("strings in the code", "a name for each"): each("s{one} = '{words}'"),
    ("strings in the code", "JavaScript, an object"): between(
        "module.exports = {{\n  gold: [\n".format(), "  `{words}`,", "]};\n"
    ),
    ("a list in the code", "Python"): lambda utterances: f"gold = {utterances}\n",
    ("a list in the code", "R, with the other quotes"): lambda utterances: (
        "gold <- c(" + ", ".join(map('"{}"'.format, utterances)) + ")\n"
    ),
    ("strings in the code", "R"): between("gold <- c(\n", '  "{words}",', ")\n"),
    ("strings in the code", "PHP"): between("array(\n", "  '{words}',", ");\n"),
    ("lines of comments", "comments of Lisp and INI"): between("; gold of ann\n", "{words}", ""),
    ("lines of comments", "comments of sclite"): between(";; gold of ann\n", "{words}", ""),
    ("lines of comments", "a comment of HTML"): between("<!-- gold of ann -->\n", "{words}", ""),
    ("lines of comments", "a comment of CSS"): between("/* gold of ann */\n", "{words}", ""),
    ("lines of comments", "documents"): between("##doc1\n", "{words}", ""),
    ("lines of comments", "a key and a value"): between("#annotator: ann\n", "{words}", ""),
    ("begin with a mark", "a level of a log"): each("[INFO] {words}"),
    ("begin with a mark", "the logger of Python"): each("INFO:root: {words}"),
    ("begin with a mark", "the language for a model"): each(">>deu<< {words}"),
    ("begin with a mark", "a label of fastText"): each("__label__x {words}"),
    ("begin with a mark", "a prompt of Python"): each(">>> {words}"),
    ("begin with a mark", "a speaker in brackets"): each("[Bob] {words}"),
    ("begin with a mark", "a prefix of T5"): each("segment: {words}"),
    ("begin with a mark", "bullets"): each("● {words}"),
    ("end with the same mark", "the end of a line, as cat -A shows it"): each("{words} $"),
    ("lines of marks", "names of files, as of head"): between("==> a.txt <==\n", "{words}", "==> b.txt <==\n"),
    ("lines of marks", "headings"): between("=== doc 1 ===\n", "{words}", ""),
    ("lines of marks", "stars"): each("{words}\n* * *"),
    ("lines of marks", "names of documents"): between("[doc1]\n", "{words}", ""),
    ("the report of OpenNMT", "-verbose"): each("SENT {one}: {text}\nPRED {one}: {words}\nPRED SCORE: -0.5\n"),
    ("glossed examples", "linguists"): each("{words}\n     DET N V\n     'a translation'\n"),
    ("lines of times", "a transcript of a video"): each("0:0{zero}\n{words}"),
    ("lines of times", "numbers of speakers"): each("Speaker {one}\n{words}"),
    ("a header of names", "metadata"): between("Title: gold\nAuthor: ann\n\n", "{words}", ""),
    ("the answer of a language model", "a sentence before the text"): between(
        "Here is the segmented text:\n", "{words}", ""
    ),
    (r"with \n in place of", "at the ends of lines"): each(r"{words}\n"),
    ("a number or an id", "the first digits of hashes"): lambda utterances: "".join(
        f"{hash_} {words}\n" for hash_, words in zip(("a3f9c1", "552012", "b27e04"), utterances, strict=True)
    ),
    ("a number or an id", "UUIDs"): lambda utterances: "".join(
        f"{uuid5(NAMESPACE_DNS, str(number))} {words}\n" for number, words in enumerate(utterances)
    ),
    ("under its name", "pandas, to_string(index=False)"): lambda utterances: "".join(
        f"{line:>30}\n" for line in ("text", *utterances)
    ),
    ("under its name", "a column of gold words"): between("gold\n", "{words}", ""),
    ("under its name", "a column in Chinese"): between("句子\n", "{words}", ""),
    ("a line that introduces it", "a language model"): between("**Output:**\n", "{words}", ""),
    ("a line that introduces it", "a model that answers in Chinese"): between("分词结果：\n", "{words}", ""),
    ("end with the same mark", "check marks"): each("{words} ✓"),
    ("the times of CHAT", "CLAN"): each("{words} \x15{zero}00_{one}00\x15"),
    ("a line that is written otherwise", "a language model"): between("Certainly! Here is the text\n", "{words}", ""),
    ("a line that is written otherwise", "a sentence"): between("This is the gold standard.\n", "{words}", ""),
    ("begin with a mark", "triangular bullets"): each("‣ {words}"),
    ("begin with a mark", "guillemets"): each("» {words}"),
    ("begin with a mark", "reference marks"): each("※ {words}"),
    ("end with the same mark", "pilcrows"): each("{words} ¶"),
    ("lines of comments", "comments of C without a space"): between("//gold\n", "{words}", ""),
    ("lines of comments", "cells of MATLAB"): between("%% gold\n", "{words}", ""),
    ("a label or a name", "fastText"): lambda utterances: alternating("__label__a {}", "__label__b {}", utterances),
    ("a label or a name", "classes in capitals"): lambda utterances: alternating("POS {}", "NEG {}", utterances),
    ("a label or a name", "SALT without a header"): lambda utterances: alternating("C {}", "E {}", utterances),
    ("a label or a name", "questions and answers"): lambda utterances: alternating("Q. {}", "A. {}", utterances),
    ("a label or a name", "names in small letters"): lambda utterances: alternating("ann: {}", "bob: {}", utterances),
    ("a label or a name", "names in brackets"): lambda utterances: alternating("(ann) {}", "(bob) {}", utterances),
    ("a label or a name", "names of IRC"): lambda utterances: alternating("<ann> {}", "<bob> {}", utterances),
    ("a label or a name", "names with a dash"): lambda utterances: alternating("Ann - {}", "Bob - {}", utterances),
    ("a label or a name", "five classes"): lambda utterances: "".join(
        f"{name} {words}\n" for name, words in zip(("AB", "CD", "EF", "GH", "IJ", "AB"), utterances * 2, strict=True)
    ),
    ("a label or a name", "Vowpal Wabbit"): lambda utterances: alternating("1 | {}", "-1 | {}", utterances),
    ("two numbers", "TIMIT"): each("0 4{one}000 {words}"),
    ("or with a place", "verses"): each("Gen 1:{one} {words}"),
    ("pages or chapters", "numbers of pages"): lambda utterances: "".join(
        f"{words}\n{words}\n{number}\n" for number, words in enumerate(utterances, 1)
    ),
    ("the number of lines", "a count"): between("3\n", "{words}", ""),
    ("the name of a file", "a name"): between("gold.txt\n", "{words}", ""),
    ("lines of times", "Slack"): each("Ann Lee  10:1{zero} AM\n{words}"),
    ("lines of times", "Telegram"): each("Ann, [01.01.24 10:1{zero}]\n{words}\n"),
    ("a header of names", "a mailbox"): between(
        "From ann@host Mon Jan  1\nFrom: ann\nSubject: gold\n\n", "{words}", ""
    ),
    ("lines of marks", "WikiText"): between(" = Gold = \n", "{words}", ""),
    ("notes in brackets", "captions"): each("[MUSIC {one}]\n{words}"),
    ("with lines of + and -", "Spark"): between("+-----+\n", "| {words} |", "+-----+\n"),
    ("a name and their number", "OpenNMT, the predictions"): each("PRED {one}: {words}"),
    ("a name and their number", "a dash apart"): each("Line {zero} - {words}"),
    ("a number or an id", "names of files"): lambda utterances: "".join(
        f"{name}.wav {words}\n" for name, words in zip(("cat", "dog", "frog"), utterances, strict=True)
    ),
    ("TRN", "scores behind ids, of Sphinx"): each("{words} (utt{one} -2{one}34)"),
    ("line separators of Unicode", "U+2028"): "\u2028".join,
    ("line separators of Unicode", "U+0085"): "\x85".join,
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
    ("labels of entities or chunks", "chunks alone"): lambda _: "we PRP B-NP\nsaw VBD B-VP\n\nit PRP B-NP\nrains VBZ B-VP\n",
    ("LaTeX", "rows of a table"): each("{one} & {words} \\\\"),
    ("LaTeX", "a table"): between("\\begin{{tabular}}{{ll}}\n".format(), "{one} & {words} \\\\", "\\end{tabular}\n"),
    ("words with a tag after /", "the Brown corpus"): lambda _: (
        "\tThe/at Jury/nn-tl said/vbd ``/`` it/pps bez*/bez* ''/'' ,/, that/cs no/at evidence/nn was/bedz there/rb ./.\n" * 2
    ),
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
    ("a transcript of SALT", "SALT 20"): between("$ Child, Examiner\n+ Gender: M\n- 0:00\n", "C {words}", "- 3:00\n"),
    ("interlinear text of ELAN", "export"): each("ref@SP  00{one}\ntx@SP   {words}\nft@SP   x\n"),
    ("subtitles (SRT", "SubViewer"): each("00:00:0{zero}.00,00:00:0{one}.00\n{words}\n"),
    ("lines of text after times in brackets", "LRC"): between("[ar:Ann]\n[ti:Gold]\n", "[00:0{zero}.00]{words}", ""),
    ("lists of tokens", "kuromoji"): lambda utterances: "".join(
        json.dumps([{"surface_form": word, "pos": "名詞"} for word in words.split()], ensure_ascii=False) + "\n"
        for words in utterances
    ),
    ("lists of tokens", "other keys"): lambda _: '[{"word": "the"}, {"word": "dog"}]\n[{"word": "a"}]\n',
    ("a list of JSON", "utterances"): lambda _: '[{"text": "the dog"}, {"text": "a cat"}]\n',
    ("interlinear text of ELAN", "two lines"): lambda _: "ref@SP  001\ntx@SP   the dog\n",
    ("records of references", "two lines"): lambda _: "TY  - JOUR\nTI  - the dog\n",
    ("on one line", "pandas, to_json"): lambda utterances: json.dumps(
        {"text": {str(number): words for number, words in enumerate(utterances * 400)}}
    ),
    ("on one line", "a dict"): lambda utterances: repr({"text": utterances * 400}),
    ("in place of the file", "a server"): lambda _: "404: Not Found\n",
    ("in place of the file", "Hugging Face"): lambda _: "Entry not found\n",
    ("the log of Git", "git log"): between(f"commit {'0a' * 20}\nAuthor: Ann <a@b.c>\n\n", "    {words}", ""),
    ("a dump of a database", "mysqldump"): between("INSERT INTO `gold` VALUES\n", "({one},'{words}'),", ""),
    ("a dump of a database", "pg_dump"): between("COPY gold (id, text) FROM stdin;\n", "{one}\t{words}", "\\.\n"),
    ("an object of JSON", "JavaScript"): between("{\n", '  s{one}: "{words}",', "}\n"),
    ("a table of Markdown", "without bars at the ends"): between("text | n\n--- | ---\n", "{words} | {one}", ""),
    ("records of references", "RIS"): each("TY  - JOUR\nTI  - {words}\nER  - "),
    ("BibTeX", "Zotero"): each("@article{{ann{one},\n  title = {{{words}}}\n}}"),
    ("a data frame as R", "print"): between("       text\n", "{one}  {words}", ""),
    ("a vector as Julia", "the REPL"): between("3-element Vector{String}:\n", ' "{words}"', ""),
    ("strings as R prints them", "print"): each('[1] "{words}"'),
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


#: Files with signs at the words themselves, which a person removes. Both sides have them, so that no mismatch tells of them.
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
    ("begin with a mark", "dashes of a list"): lambda utterances: each("— {words}")(
        [words.removesuffix(" .") for words in utterances]
    ),
    ("the same signs", "a text and its words by turns"): each("原文：{text}\n分词：{words}"),
    ("the labels 0 and 1", "starts of words, without spaces"): lambda _: "10010\n11010\n1000\n",
    ("control characters", "Hive"): each("{one}\x01{words}"),
    ("a message of a program", "the end of a file"): between("", "{words}", "<EOF>\n"),
    ("a message of a program", "the last sentence of a language model"): between("", "{words}", "I hope this helps!\n"),
    ("a message of a program", "a text that is cut"): between("", "{words}", "[truncated]\n"),
    ("messages of a program", "a level in brackets"): between("[INFO] 3 lines\n", "{words}", ""),
    ("lines of marks", "numbers of pages"): between("", "{words}", "Page 1 of 2\n"),
    ("the same signs", "a script of a shell"): each('echo "{words}"'),
    ("the same signs", "numbers behind a name"): each("No. {one} {words}"),
    ("begin with a mark", "SALT"): each("C {words}"),
    ("the same signs", "left-to-right marks"): each("\u200e{words}"),
    ("messages of a program", "jieba"): between(
        "Building prefix dict from the default dictionary ...\n", "{words}", ""
    ),
    ("a message of a program", "compute-wer"): between("", "{words}", "%WER 3.20 [ 8 / 250, 1 ins, 2 del, 5 sub ]\n"),
    ("a message of a program", "the beginning of three lines"): lambda _: "Loading model\nthe dog\na cat\n",
    ("a message of a program", "the fourth line from the end"): lambda _: "it is\nTotal 3\nthe dog\na cat\nso\n",
    ("pages or chapters", "each second line"): lambda _: "1\nthe dog\n2\na cat\n",
    ("the number of lines", "more than are seen"): lambda _: (
        "100\n" + "".join(f"the dog {'so ' * number}\n" for number in range(51))
    ),
    ("a number or an id", "five letters without marks"): lambda _: "".join(f"{letter} the dog\n" for letter in "abcde"),
    ("lines of comments", "two lines in the text"): lambda _: "the dog\n# it\nso it\n# so\n",
    ("the answer of a language model", "one utterance"): lambda _: "Here is the segmented text:\nthe dog\n",
    ("as of a missing value", "pandas, astype(str)"): between("", "{words}", "nan\n"),
    ("after a line about it", "a title"): between("Title: gold\n", "{words}", ""),
    ("after a line about it", "a date"): between("2024-05-01\n", "{words}", ""),
    ("lines of comments", "a program of a shell"): between("#!/bin/sh\n", "{words}", ""),
    ("written otherwise", "the last sentence of a language model"): between("", "{words}", "Hope this helps!\n"),
    ("written otherwise", "a capital where no mark is a word"): lambda _: "Sure, so it is\nthe dog\na cat\nso it is\n",
    ("written otherwise", "a message in another script"): lambda _: "loading model\n我们 去\n他们 在 家\n我 爱 你\n",
    ("written otherwise", "words of another script"): lambda _: "the dog\na cat\nit is\n我们 去\n",
    ("written otherwise", "two lines of messages"): lambda _: (
        "loading model\nfinish\n" + "我们 去\n他们 在 家\n我 爱 你\n" * 3
    ),
    ("written otherwise", "a Chinese sentence"): lambda _: "我们 去 。\n他们 在 家\n我 爱 你\n希望对你有帮助！\n",
    ("begin with their number", "each second line"): lambda _: "1. the dog\na cat\n3. it is\nso it is\n5. a dog\n",
    ("begin with their number", "lines of one word between"): lambda _: "the\n(2) a cat\n(3) it is\n(4) so it is\na\n",
    ("notes in brackets", "laughter"): each("{words} (laughs)"),
    ("notes in brackets", "laughter in Chinese"): each("{words} (笑)"),
    ("notes in brackets", "songs in subtitles"): lambda _: "the dog\n♪ a cat ♪\n♪ it is\nso\n",
    ("written otherwise", "a name in brackets"): between("[Gold]\n", "{words}", ""),
    ("written otherwise", "a title in bold"): between("**The gold text**\n", "{words}", ""),
    ("written otherwise", "an end in brackets"): between("", "{words}", "[the output was truncated]\n"),
    ("written otherwise", "a capital in many lines"): lambda _: (
        "Segmented text\n" + "the dog\na cat\nit is\nso\nI see it\n" * 3
    ),
    ("written otherwise", "the only mark of many lines"): lambda _: (
        "the dog\na cat\nit is\nso\nI see it\n" * 2 + "no more.\n"
    ),
    ("written otherwise", "a word at the end"): lambda _: "the dog\na cat\nit is\nso it is\nno it is\neof\n",
    ("written otherwise", "a program that is done"): lambda _: "the dog\na cat\nit is\nso it is\nno it is\nDone\n",
    ("written otherwise", "a word before a text"): lambda _: "start\n" + "the dog is\na cat is\nit is\n" * 3,
    ("a column under its name", "a kind of data"): lambda _: "hyp\nthe dog\na cat\nit is\n",
    ("marks alone", "what was left out"): lambda _: "the dog\n" * 5 + "...\n" + "a cat\n" * 5,
    ("a message of a program", "a count"): between("", "{words}", "12 sentences processed\n"),
    ("a message of a program", "a total"): between("", "{words}", "total 12\n"),
    ("a message of a program", "a prompt"): between("", "{words}", "ann@host:~/data$\n"),
    ("a message of a program", "PyCharm"): between("", "{words}", "Process finished with exit code 0\n"),
    ("a message of a program", "a telephone"): between("", "{words}", "Sent from my phone\n"),
    ("the same mark", "a word in capitals"): each("{words} END"),
    ("the same signs", "added lines"): each("+{words}"),
    ("the same signs", "an apostrophe of a spreadsheet"): each("'{words}"),
    ("begin with a label or a name", "speakers of Chinese"): lambda _: "mot 我们 去\nchi 他 去\nmot 我 去\nchi 你 去\n",
    ("beside its segmentation", "the same text twice"): each("{words} so it is | {words} so it is"),
    ("begin with their number", "each second line, without marks"): lambda _: (
        "1 it is\na cat is\n" + "".join(f"{number} so{' so' * number}\nno{' no' * number}\n" for number in (3, 5, 7, 9))
    ),
    ("lines of marks", "rows that were left out"): lambda _: "the dog\n-- Row 2 to 4 --\na cat\n",
    ("lines of marks", "a vertical ellipsis"): lambda _: "the dog\n⋮\na cat\n",
    ("lines of marks", "what was left out of punctuated text"): lambda _: "it is so .\n" * 6 + "⋮\n" + "a cat !\n" * 3,
    ("lines of marks", "a conflict without names"): lambda _: "it is so .\n" * 6 + "=======\n" + "a cat !\n" * 3,
    ("begin with a mark", "a list of Markdown"): each("1. {words}"),
    ("a message of a program", "a comment at the end"): between("", "{words}", "# end\n"),
    ("conflict of Git", "below the first lines"): lambda _: (
        "the dog is\n" * 80 + "<<<<<<< ours\na cat\n=======\nacat\n>>>>>>> other\n"
    ),
    ("read as Latin-1", "Chinese"): lambda _: "我们 去 北京\n他们 来 了\n".encode("gbk").decode("latin-1"),
    ("read as Latin-1", "Russian"): lambda _: "мама мыла\nон ушёл\n".encode("cp1251").decode("latin-1"),
    ("read as Latin-1", "Japanese"): lambda _: "猫 が いる\n犬 も\n".encode("cp932").decode("latin-1"),
    ("end with a label", "two classes behind Chinese"): lambda _: "我们 去 pos\n他 去 neg\n我 去 pos\n你 去 neg\n",
    ("end with a label", "one name behind Chinese"): lambda _: "我们 去 x\n他 去 x\n我 去 x\n你 去 x\n",
    ("the same mark", "a missing value"): each("{words} None"),
    ("the same signs", "cat -E"): each("{words}$"),
    ("the same signs", "an editor"): each("{words}¶"),
    ("begin with a label or a name", "languages before Chinese"): lambda _: (
        "en 我们 去\nde 他 去\nen 我 去\nde 你 去\n"
    ),
    ("begin with a label or a name", "one name before Chinese"): lambda _: "zh 我们 去\nzh 他 去\nzh 我 去\nzh 你 去\n",
    ("begin with a label or a name", "signs by turns"): lambda _: (
        "+ the dog\n* a cat\n+ it is\n* so it is\n+ no\n* a dog\n"
    ),
    ("a name and their number", "an arrow"): each("Sentence {one} -> {words}"),
    ("begin with a mark", "two bullets"): lambda _: "• the dog\n• a cat\n",
    ("begin with a mark", "two items of LaTeX"): lambda _: "\\item the dog\n\\item a cat\n",
    ("messages of a program", "a shell"): between("bash: jieba: command not found\n", "{words}", ""),
    ("messages of a program", "the command script"): between("Script started on 2026-01-01 10:00\n", "{words}", ""),
    ("messages of a program", "Slurm"): between("slurmstepd: error: *** JOB 1 ON n1 CANCELLED ***\n", "{words}", ""),
    ("messages of a program", "Perl"): between("perl: warning: Setting locale failed.\n", "{words}", ""),
    ("messages of a program", "a tokenizer"): between(
        "Token indices sequence length is longer than the specified maximum (600 > 512).\n", "{words}", ""
    ),
    ("a message of a program", "git show --stat"): between("", "{words}", " 1 file changed, 3 insertions(+)\n"),
    ("a message of a program", "an array of NumPy"): between("", "{words}", "array(['a'], dtype='<U1')\n"),
    ("a message of a program", "a script that is done"): between("", "{words}", "done.\n"),
    ("lines of marks", "the command more"): between("::::::::::::::\na.txt\n::::::::::::::\n", "{words}", ""),
    ("lines of marks", "columns of SQLite"): between("id  text\n--  --------\n", "{words}", ""),
    ("a list in the code", "dput in R"): lambda _: 'c("the dog", "a cat")\n',
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
    write_files({"g": FRAMES[row](GOLD * 2), "p": FRAMES[row](PREDICTION * 2)})
    status, _, message = run("g", "p", "--scores", "token_fscore")
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
        lines = write(LANGUAGES[language]).splitlines()
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
