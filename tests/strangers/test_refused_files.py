"""Tests of files of other programs for which no command is a remedy: each is refused by its name."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from ..command_runs import Run, write_files
from .writers import GOLD, Writer, between, each, run_with

#: What a program writes, by a part of the title of the form, the program or habit.
REFUSED: dict[tuple[str, str], Writer] = {
    ("labels of entities or chunks", "chunks alone"): "we PRP B-NP\nsaw VBD B-VP\n\nit PRP B-NP\nrains VBZ B-VP\n",
    ("LaTeX", "rows of a table"): each("{one} & {words} \\\\"),
    ("LaTeX", "a table"): between("\\begin{tabular}{ll}\n", "{one} & {words} \\\\", "\\end{tabular}\n"),
    ("words with a tag after /", "the Brown corpus"): (
        "\tThe/at Jury/nn-tl said/vbd ``/`` it/pps bez*/bez* ''/'' ,/, that/cs no/at evidence/nn was/bedz there/rb ./.\n" * 2
    ),
    ("settings", "TOML"): between("text = [\n", '  "{words}",', "]\n"),
    ("settings", "INI"): between("[sentences]\n", "s{one} = {words}", ""),
    ("pandas", "a series"): between("", "{zero}    {words}", "Name: text, dtype: object\n"),
    ("pandas", "a table of a column"): between("                text\n", "{zero}    {words}", ""),
    ("the differences of two files", "a part"): between("@@ -1,3 +1,3 @@\n", " {words}", ""),
    ("UTF-8 that was taken for Latin-1", "Latin-1"): lambda lines: each("é {words}")(lines).encode().decode("latin-1"),
    ("UTF-8 that was taken for Latin-1", "Windows-1252"): lambda lines: each("“éé {words}…")(lines).encode().decode("cp1252"),
    ("a transcript of SALT", "SALT 20"): between("$ Child, Examiner\n+ Gender: M\n- 0:00\n", "C {words}", "- 3:00\n"),
    ("interlinear text of ELAN", "export"): each("ref@SP  00{one}\ntx@SP   {words}\nft@SP   x\n"),
    ("subtitles (SRT", "SubViewer"): each("00:00:0{zero}.00,00:00:0{one}.00\n{words}\n"),
    ("lines of text after times in brackets", "LRC"): between("[ar:Ann]\n[ti:Gold]\n", "[00:0{zero}.00]{words}", ""),
    ("lists of tokens", "kuromoji"): lambda utterances: "".join(
        json.dumps([{"surface_form": word, "pos": "名詞"} for word in words.split()], ensure_ascii=False) + "\n"
        for words in utterances
    ),
    ("lists of tokens", "other keys"): '[{"word": "the"}, {"word": "dog"}]\n[{"word": "a"}]\n',
    ("a list of JSON", "utterances"): '[{"text": "the dog"}, {"text": "a cat"}]\n',
    ("interlinear text of ELAN", "two lines"): "ref@SP  001\ntx@SP   the dog\n",
    ("records of references", "two lines"): "TY  - JOUR\nTI  - the dog\n",
    ("on one line", "pandas, to_json"): lambda utterances: json.dumps(
        {"text": {str(number): words for number, words in enumerate(utterances * 400)}}
    ),
    ("on one line", "a dict"): lambda utterances: repr({"text": utterances * 400}),
    ("in place of the file", "a server"): "404: Not Found\n",
    ("in place of the file", "Hugging Face"): "Entry not found\n",
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
    ("lines of labels", "B, I and spaces"): "B I B\nB I\nB B I\n",
    ("lines of labels", "B, M, E, S without spaces"): "BESBME\nSBE\nBME\n",
}  # fmt: skip


@pytest.mark.parametrize("row", REFUSED, ids=": ".join)
def test_files_of_other_programs_are_refused(row: tuple[str, str], in_folder: Path, run: Run) -> None:
    status, message = run_with(REFUSED[row], run)
    assert (status, row[0] in message) == (2, True), message


@pytest.mark.parametrize("protocol", [0, 1])
@pytest.mark.parametrize("value", [GOLD, {"gold": GOLD}], ids=["list", "dict"])
def test_pickles_of_old_protocols_are_refused(protocol: int, value: Any, in_folder: Path, run: Run) -> None:
    write_files({"g": pickle.dumps(value, protocol), "p": pickle.dumps(value, protocol)})
    status, _, message = run("g", "p", "--scores", "token_fscore")
    assert (status, "g: this is a pickle of Python" in message) == (2, True), message
