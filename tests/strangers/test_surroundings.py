"""Tests of what programs write around utterances: no token of it counts as a word in silence, and the remedies take it away.

Both sides have the same ids, comments and marks, so that no mismatch of units tells of them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

import numpy as np
import pytest

from ..command_runs import Run
from .writers import Writer, below, between, each, run_with

#: 14 words of the reference, 13 of the prediction, 10 of both.
FSCORE = 20 / 27

#: What a program writes, by a part of the title of the form, the program or habit.
ERRORS: dict[tuple[str, str], Writer] = {
    ("lines of EOS", "MeCab -F '%m ' -E 'EOS\\n'"): each("{words} \nEOS"),
    ("lines of EOS", "MeCab -F '%m\\n'"): lambda lines: each("{words}\nEOS")(lines).replace(" ", "\n"),
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
    ("special tokens", "T5, between words"): lambda lines: "".join(
        f"{line.replace(' ', ' <pad> ', 1)}\n" for line in lines
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
    ("a list of utterances", "json.dump with indent"): lambda lines: json.dumps(lines, indent=1),
    ("a list of utterances", "print"): lambda lines: f"{lines}\n",
    ("a list with a list of words", "json.dump"): lambda lines: json.dumps([line.split() for line in lines]),
    ("a list with a list of words", "json.dump with indent"): lambda lines: json.dumps(
        [line.split() for line in lines], indent=1
    ),
    ("arrays of words", "print"): lambda lines: "".join(f"{np.array(line.split())}\n" for line in lines),
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
    ("a number or an id", "only some of the numbers"): lambda lines: each("{name} {words}", (3, 7, 12, 20, 21, 40))(
        lines * 2
    ),
    ("such as a score, at the end", "scores after the text"): each("{words} -{one}.53"),
    ("TRN", "ids without parts"): each("{words} (s{one})"),
    ("an id and | before", "times and speakers"): each("0.{one}|1.{one}|ann|{words}"),
    ("TRN", "ids without digits"): each("{words} (spk_{name})", "abc"),
    ("lines of comments", "a comment at the beginning"): below("# gold of ann\n"),
    ("lines of comments", "ids in comments"): each("# sent_id = {one}\n{words}"),
    ("lines of comments", "comments of LaTeX"): each("% {one}\n{words}"),
    ("lines of comments", "comments of C"): below("// gold\n"),
    ("begin with a mark", "a list of Markdown"): each("- {words}"),
    ("begin with a mark", "a list with stars"): each("* {words}"),
    ("begin with a mark", "a quotation of mail"): each("> {words}"),
    ("lines of marks", "rules between utterances"): each("{words}\n---"),
    ("lines of marks", "a fence of Markdown"): between("```text\n", "{words}", "```\n"),
    ("under its name", "pandas, a column"): below("text\n"),
    ("under its name", "a name of two words"): below("segmented_text\n"),
    ("a number or an id", "uniq -c"): each("      2 {words}"),
    ("a number or an id", "letters"): each("{name}) {words}", "abc"),
    ("a number or an id", "Roman numbers"): each("{name} {words}", ("i.", "ii.", "iii.")),
    ("a number or an id", "circled numbers"): each("{name} {words}", "①②③"),
    ("such as a score, at the end", "ids after the text"): each("{words} utt{one}"),
    ("such as a score, at the end", "numbers after the text"): each("{words} {one}"),
    ("such as a score, at the end", "numbers after a hash"): each("{words} #{one}"),
    ("such as a score, at the end", "dates after the text"): each("{words} 2026-11-2{one}"),
    ("begin with a mark", "check marks"): each("✅ {words}"),
    ("begin with a mark", "arrows"): each("→ {words}"),
    ("strings in the code", "JavaScript"): between("const gold = [\n", "  '{words}',", "];\n"),
    ("strings in the code", "MATLAB"): between("gold = {\n", "  '{words}';", "};\n"),
    ("strings in the code", "R, from the first line on"): lambda lines: (
        "gold <- c(" + ",\n  ".join(map(repr, lines)) + ")\n"
    ),
    ("strings in the code", "a name for each"): each("s{one} = '{words}'"),
    ("strings in the code", "JavaScript, an object"): between(
        "module.exports = {\n  gold: [\n", "  `{words}`,", "]};\n"
    ),
    ("a list in the code", "Python"): lambda lines: f"gold = {lines}\n",
    ("a list in the code", "R, with the other quotes"): lambda lines: 'gold <- c("' + '", "'.join(lines) + '")\n',
    ("strings in the code", "R"): between("gold <- c(\n", '  "{words}",', ")\n"),
    ("strings in the code", "PHP"): between("array(\n", "  '{words}',", ");\n"),
    ("lines of comments", "comments of Lisp and INI"): below("; gold of ann\n"),
    ("lines of comments", "comments of sclite"): below(";; gold of ann\n"),
    ("lines of comments", "a comment of HTML"): below("<!-- gold of ann -->\n"),
    ("lines of comments", "a comment of CSS"): below("/* gold of ann */\n"),
    ("lines of comments", "documents"): below("##doc1\n"),
    ("lines of comments", "a key and a value"): below("#annotator: ann\n"),
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
    ("lines of marks", "headings"): below("=== doc 1 ===\n"),
    ("lines of marks", "stars"): each("{words}\n* * *"),
    ("lines of marks", "names of documents"): below("[doc1]\n"),
    ("the report of OpenNMT", "-verbose"): each("SENT {one}: {text}\nPRED {one}: {words}\nPRED SCORE: -0.5\n"),
    ("glossed examples", "linguists"): each("{words}\n     DET N V\n     'a translation'\n"),
    ("lines of times", "a transcript of a video"): each("0:0{zero}\n{words}"),
    ("lines of times", "numbers of speakers"): each("Speaker {one}\n{words}"),
    ("a header of names", "metadata"): below("Title: gold\nAuthor: ann\n\n"),
    ("the answer of a language model", "a sentence before the text"): below("Here is the segmented text:\n"),
    (r"with \n in place of", "at the ends of lines"): each(r"{words}\n"),
    ("a number or an id", "the first digits of hashes"): each("{name} {words}", ("a3f9c1", "552012", "b27e04")),
    ("a number or an id", "UUIDs"): each("{name} {words}", [uuid5(NAMESPACE_DNS, number) for number in "012"]),
    ("under its name", "pandas, to_string(index=False)"): between(f"{'text':>30}\n", "{words:>30}", ""),
    ("under its name", "a column of gold words"): below("gold\n"),
    ("under its name", "a column in Chinese"): below("句子\n"),
    ("a line that introduces it", "a language model"): below("**Output:**\n"),
    ("a line that introduces it", "a model that answers in Chinese"): below("分词结果：\n"),
    ("end with the same mark", "check marks"): each("{words} ✓"),
    ("the times of CHAT", "CLAN"): each("{words} \x15{zero}00_{one}00\x15"),
    ("a line that is written otherwise", "a language model"): below("Certainly! Here is the text\n"),
    ("a line that is written otherwise", "a sentence"): below("This is the gold standard.\n"),
    ("begin with a mark", "triangular bullets"): each("‣ {words}"),
    ("begin with a mark", "guillemets"): each("» {words}"),
    ("begin with a mark", "reference marks"): each("※ {words}"),
    ("end with the same mark", "pilcrows"): each("{words} ¶"),
    ("lines of comments", "comments of C without a space"): below("//gold\n"),
    ("lines of comments", "cells of MATLAB"): below("%% gold\n"),
    ("a label or a name", "fastText"): each("__label__{name} {words}", "ab"),
    ("a label or a name", "classes in capitals"): each("{name} {words}", ("POS", "NEG")),
    ("a label or a name", "SALT without a header"): each("{name} {words}", "CE"),
    ("a label or a name", "questions and answers"): each("{name}. {words}", "QA"),
    ("a label or a name", "names in small letters"): each("{name}: {words}", ("ann", "bob")),
    ("a label or a name", "names in brackets"): each("({name}) {words}", ("ann", "bob")),
    ("a label or a name", "names of IRC"): each("<{name}> {words}", ("ann", "bob")),
    ("a label or a name", "names with a dash"): each("{name} - {words}", ("Ann", "Bob")),
    ("a label or a name", "five classes"): lambda lines: each("{name} {words}", ("AB", "CD", "EF", "GH", "IJ", "AB"))(
        lines * 2
    ),
    ("a label or a name", "Vowpal Wabbit"): each("{name}1 | {words}", ("", "-")),
    ("two numbers", "TIMIT"): each("0 4{one}000 {words}"),
    ("or with a place", "verses"): each("Gen 1:{one} {words}"),
    ("pages or chapters", "numbers of pages"): each("{words}\n{words}\n{one}"),
    ("the number of lines", "a count"): below("3\n"),
    ("the name of a file", "a name"): below("gold.txt\n"),
    ("lines of times", "Slack"): each("Ann Lee  10:1{zero} AM\n{words}"),
    ("lines of times", "Telegram"): each("Ann, [01.01.24 10:1{zero}]\n{words}\n"),
    ("a header of names", "a mailbox"): below("From ann@host Mon Jan  1\nFrom: ann\nSubject: gold\n\n"),
    ("lines of marks", "WikiText"): below(" = Gold = \n"),
    ("notes in brackets", "captions"): each("[MUSIC {one}]\n{words}"),
    ("with lines of + and -", "Spark"): between("+-----+\n", "| {words} |", "+-----+\n"),
    ("a name and their number", "OpenNMT, the predictions"): each("PRED {one}: {words}"),
    ("a name and their number", "a dash apart"): each("Line {zero} - {words}"),
    ("a number or an id", "names of files"): each("{name}.wav {words}", ("cat", "dog", "frog")),
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


def check(run: Run, writer: Writer, title: str, status: int) -> None:
    """Check that the form is named, and that what its remedy makes of both sides has the right value."""
    found, message = run_with(writer, run)
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
