"""Messages of the command speak of flags, and say where counting starts."""

import re
import shlex
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from segscores.apps.command.cli import subcommand_parsers
from segscores.apps.command.main import main
from segscores.options.table import OPTIONS
from segscores.options.tasks import COMMANDS, flag_of

from ...command_runs import write_files
from ...misprints import misprints

FILES = {
    "r.txt": "the dog\nis on\n", "p.txt": "thedog\nis on\n", "q.txt": "the d og\nis on\n", "s.txt": "the do g\nis on\n",
    "one.txt": "the dog\n", "long.txt": "the dog\nis on\na\n", "blank.txt": "\n\n", "ids": "\nx\n", "same.txt": "x\nx\n",
    "words.csv": "the\n", "p.svg": "thedog\nis on\n", "one.conllu": "1\tthe\n2\tdog\n\n1\tis\n2\ton\n\n", "a.txt": "[0]:[0]\n",
    "units.txt": "a b WORD_BOUNDARY c\n", "wordseg.txt": "a ;esyll b ;eword\nc ;eword\n", "plain.txt": "a b\nc\n",
    "composed.txt": "caf\u00e9\n", "decomposed.txt": "cafe\u0301\n",
    "rows.jsonl": '{"reference": "a b", "prediction": "a b", "a": "a b", "b": "a b"}\n',
    "tags.jsonl": '{"reference": [1, 0], "prediction": [1, 0]}\n',
    "large.jsonl": '{"text": "a b", "id": 1}\n{"text": "a b", "id": 18446744073709551616}\n',
    "deep/in/p.txt": "thedog\nis on\n", "gaps.jsonl": "[0, 0, 0.5, 0, 0]\n[0, 1, 0]\n", "d.jsonl": "[0.5, 0.5]\n[0.5, 0.5]\n",
    "t.csv": "name,x,token_fscore\na,1,1\nb,2,2\nc,3,1\n",
    "forms.jsonl": '{"text": "a b", "words": ["a", "b"], "labels": [1, 1]}\n{"text": "c", "words": ["c"], "labels": [1]}\n',
    "two/0.jsonl": '{"words": ["a", "b"]}\n', "two/1.jsonl": '{"words": [1]}\n', "four.txt": "a\nc\na\nc\n",
    "gold/a.csv": "start,end,label\n0,1,a\n", "system/in/b.csv": "start,end,label\n0,1,a\n", "gold/x.lab": "0 1 a\n",
    "system/x.lab": "0 1 a\n", "mixed/0.txt": "a\nc\n", "mixed/1.jsonl": '{"words": ["a"]}\n{"words": ["c"]}\n',
}  # fmt: skip


def write_more() -> None:
    """Write a folder, and links to nothing but each other."""
    Path("folder.csv").mkdir()
    Path("link.txt").symlink_to("r.txt")
    for name in ("loop", "loop.csv", "loop.parquet", "loop.jsonl"):
        Path(name).symlink_to("_" + name)
        Path("_" + name).symlink_to(name)


MESSAGES = {
    # Options that need others, or have no use without them.
    "score r.txt p.txt --scores token --dictionary r.txt": "--dictionary: it needs --scores dictionary, received --scores token.",
    "compare r.txt p.txt q.txt --transposition-span 3": "it needs --scores similarity or --scores agreement,",
    "score r.txt p.txt --scores dictionary": "--dictionary: --scores dictionary needs it",
    "score r.txt p.txt --acceptable r.txt": "--acceptable: it goes with --dictionary, segments that could be words",
    "score r.txt p.txt --resamples 5": "--resamples: it is for percentile intervals: add --interval-method percentile.",
    "score r.txt p.txt --clusters every:3": "--clusters: it is for intervals and means over clusters: add --confidence 0.95",
    "score r.txt p.txt --worst token_fscore": "--worst: it orders the scores of utterances: add --per-utterance FILE.csv",
    "report r.txt p.txt -o x.html --confidence none --seed 1": "it is for intervals",
    "errors r.txt p.txt --table vocabulary": "needs the known words: add --vocabulary FILE",
    "errors r.txt p.txt --format csv": "--format csv takes one table: add --table with one of classes",
    "errors r.txt p.txt --format csv --table errors --table words": "csv takes one table",
    "errors r.txt p.txt --format json --table errors": "json has all tables: leave --table out",
    "sweep r.txt gaps.jsonl --types":
        "--types: type scores are computed one point at a time: add --ratios 0:1:0.05 or --thresholds.",
    "curve r.txt 1=p.txt --scores word_insertions --plot c.png":
        "--plot: no score of word_insertions is a share: their scales differ.",
    "alignment a.txt a.txt --sources r.txt": "--sources: it goes with --targets, the target segments",
    "alignment a.txt a.txt --scores word": "--scores word needs the texts of the segments",
    "difficulty r.txt --committee p.txt x.txt p.txt": "p.txt is named twice: expected every member of the committee once.",
    "difficulty r.txt --committee p.txt --members 3": "--members: it is for training a committee",
    "difficulty r.txt --committee p.txt --seed 3": " a committee: add --train FILE",
    "difficulty r.txt --difficulties d.jsonl": "--difficulties: it alone has no output: add --score PREDICTION or --html.",
    "difficulty r.txt --difficulties d.jsonl -o copy.jsonl --html x.html": "--output does not go with --difficulties: that",
    "difficulty r.txt --committee p.txt -o - --score p.txt": "would both print to standard output",
    "difficulty r.txt --committee p.txt --counts": "--counts: it shows the results of predictions: add --score",
    "difficulty r.txt --committee p.txt --plot x.png": "--plot: it shows the results of predictions: add --score",
    "difficulty r.txt": "one of the arguments --train --committee --difficulties is required",
    "difficulty r.txt --train r.txt --difficulties d.jsonl": "argument --difficulties: not allowed with argument --train",
    "score tags.jsonl": "without --id2label, which says what they mean",
    "score tags.jsonl --label-scheme start --scores type": "--scores type needs the words, which labels do not contain",
    "score tags.jsonl --label-scheme start --scores oov --vocabulary r.txt": "--vocabulary: it needs the text, which labels do ",
    "score rows.jsonl --label-scheme BI": "--label-scheme BI is for lists of labels",
    "score r.txt random=p.txt --baselines": "predictions: 'random' is the name of a baseline; give ",
    "score r.txt 'second reference=p.txt' --baselines --second-reference q.txt": "'second reference' is the name of a baseline; ",
    "score r.txt p.txt --second-reference q.txt": "--second-reference: it is a row of the baselines: add --baselines.",
    "score r.txt p.txt --baselines --second-reference -": "--baselines: the files are read again, and standard input (-)",
    "score r.txt p.txt --value token_fscore --format json": "--value does not go with --format: it prints a number alone.",
    "score r.txt p.txt --value token_fscore --percent": "--value does not go with --percent",
    "score r.txt p.txt --value token_fscore_low": "--value token_fscore_low: it needs --confidence 0.95.",
    "score r.txt p.txt --value token_fscore --scores type": "--value: token_fscore is of the group token, which is not scored",
    "compare r.txt p.txt q.txt --by file": "--by file: r.txt is one file; expected a pattern of several, such as",
    "compare r.txt p.txt q.txt --by label": "--by label: it divides words, and a comparison is of whole utterances; score has",
    "compare r.txt p.txt q.txt --by every:1": "--by, subset 0: an interval needs at least two utterances, received 1",
    "score r.txt p.txt q.txt --format hub": "--format hub: its file belongs to the repository of one model; expected one ",
    "score r.txt p.txt --format hub --percent": "--percent is for tables that people read",
    "score r.txt p.txt --bands 12": "--bands: it divides the numbers of utterances: add --by FILE:COLUMN.",
    "score r.txt p.txt --by length --bands 18,12": "--bands 18,12: expected numbers in rising order, such as 12,18,24.",
    "compare r.txt p.txt q.txt --by every:1 --bands x": "--bands: expected a number such as 12, received 'x'.",
    # Values.
    "score r.txt p.txt --tolerance one": "from 0 to 1000000000, or of seconds for times, received 'one'.",
    "score r.txt p.txt --zero-division none": "--zero-division: expected a number in [0, 1] or nan, received 'none'.",
    "score r.txt p.txt --confidence 95": "a number between 0 and 1, such as 0.95, or none, received 95. Did you mean 0.95",
    f"curve r.txt 1=p.txt --confidence 0.9 --resamples {'9' * 30}": "--resamples: expected an integer from 1 to 1000000, ",
    "compare r.txt p.txt r.txt --confidence none": "received 'none'. The tests need a level: leave it out for 0.95.",
    "compare r.txt long.txt r.txt --vocabulary r.txt --primary oov_rate":
        "--primary oov_rate: it depends on the reference alone, so all systems have the same value: expected another score",
    "compare r.txt p.txt r.txt --margin 0": "--margin: expected a positive number such as 0.005, received 0.",
    "compare r.txt p.txt q.txt --baseline best": "unknown baseline 'best': the systems are 'p.txt', 'q.txt'",
    "score r.txt p.txt --window-size 0": "--window-size: expected a whole number from 1 to 1000000000, or utterance, received",
    "score r.txt p.txt --on-mismatch drop": "--on-mismatch: expected error or align, received 'drop'.",
    "score r.txt p.txt --format yaml": "--format: expected table, json, csv, markdown, latex, html, hub or hub-card,",
    "score r.txt p.txt --format badge": "received 'badge'. badge was removed: the guide docs/how-to/ci.md has",
    "score r.txt p.txt --scores ''": "unknown score group ''",
    "score r.txt p.txt --scores segeval,nltk": "--scores segeval,nltk: one of them implies --window-convention segeval and "
    "another --window-convention nltk_units: add the one that you mean.",
    "score r.txt p.txt --text-format words,,words": "as FORM[,FORM], received 'words,,words'.",
    "alignment a.txt a.txt --scores token": "unknown level 'token': the levels are alignment, sentence",
    "score r.txt p.txt --per-utterance u.csv --worst oov_recall": "oov_recall is of the group oov, which is not",
    "score r.txt p.txt --per-utterance u.csv --vocabulary r.txt --worst oov_rate": "no value of oov_rate is worse than another",
    "report r.txt p.txt -o x.html --worst recall": "worst: there is no score 'recall'",
    "report r.txt p.txt -o x.html --primary pk": "--primary is for the comparison of several predictions: leave it out",
    "sweep r.txt gaps.jsonl --ratios 0:2:0.5": "expected shares in [0, 1], received 1.5",
    "sweep r.txt gaps.jsonl --ratios 0:1:1e-9": "that is more than a million points",
    "sweep r.txt gaps.jsonl --thresholds 1:0:0.1": "received '1:0:0.1': a range goes up from its start by its step.",
    "curve r.txt 200=p.txt 2e2=q.txt": "the size 2e2 is given twice",
    "score r.txt p.txt --min token_f1=0.9": "--min: there is no score 'token_f1'. Did you mean 'token_fscore'?",
    # Without its 1 this name is empty: it is no beginning of a name.
    "score r.txt p.txt --min 1=0.9": "--min: there is no score '1'. The scores are boundary_all_precision, ",
    "score r.txt p.txt --min token_fscore": "--min: expected SCORE=VALUE, such as token_fscore=0.9, received 'token_fscore'.",
    "score r.txt p.txt --min token_fscore=high": "received 'token_fscore=high'.",
    "score r.txt p.txt --min oov_recall=0.5": "oov, which is not scored: add oov to --scores with --vocabulary.",
    "score r.txt p.txt --max token_fscore=90":
        "--max: expected a value of token_fscore from 0 to 1, received 90. Did you mean 0.9?",
    "score r.txt p.txt --max token_fscore=100": "from 0 to 1, received 100. Did you mean 1?",
    "score r.txt p.txt --min token_fscore=-0.5": "--min: expected a value of token_fscore from 0 to 1, received -0.5.",
    # Names of outputs that promise a format.
    "score r.txt p.txt -o out.xlsx": "--output: out.xlsx ends as a file of another format; expected one of .txt, .json, .csv, ",
    "score r.txt p.txt -o out.TSV": "or any name with --format.",
    "alignment a.txt a.txt -o out.yml": "--output: out.yml ends as a file of another format",
    # Tokens of units text.
    "score r.txt p.txt --text-format units, --ignored-tokens=": "--ignored-tokens: expected a token without whitespace, "
    "received nothing.",
    "score r.txt p.txt --text-format units, --word-boundary=": "--word-boundary: expected a token without whitespace, "
    "two spaces or a tab, received nothing.",
    "score r.txt p.txt --text-format units --word-boundary 'a b'": "two spaces or a tab, received 'a b'",
    "score r.txt p.txt --text-format units, --ignored-tokens # --word-boundary #": "'#' is both --word-boundary and one of "
    "--ignored-tokens: it can't be dropped.",
    "score units.txt r.txt --text-format words": "units.txt has 1 line and r.txt has 2 lines: expected equal numbers.",
    "score wordseg.txt plain.txt --text-format units": "did you mean --word-boundary ';eword' and --ignored-tokens ';esyll'?",
    "score one.conllu one.conllu --word-boundary #": "--word-boundary '#': it is for --text-format units: leave it out.",
    "score units.txt units.txt --word-boundary #": "--word-boundary: # does not occur near the beginning of units.txt, where ",
    # Clusters.
    "compare r.txt p.txt q.txt --clusters every:0": "column:NAME or every:N, received 'every:0'",
    f"compare r.txt p.txt q.txt --clusters every:{'9' * 25}": "needs at least two clusters, received 1",
    "compare r.txt p.txt q.txt --clusters ids": "ids, line 1: there is no id",
    "compare r.txt p.txt q.txt --clusters newdoc": "r.txt: this is not CoNLL-U, which marks",
    "compare one.conllu p.txt q.txt --clusters newdoc": "one.conllu: no comment '# newdoc' divides",
    "report one.conllu p.txt -o x.html --clusters newdoc": "one.conllu: no comment '# newdoc' divides",
    "compare r.txt p.txt q.txt --clusters column:doc": "--clusters column:doc: r.txt is not a table",
    "score rows.jsonl --confidence 0.9 --clusters column:docs": "there is no column 'docs'",
    "score large.jsonl --columns text,text --confidence 0.9 --clusters column:id": "an integer of 64 bits under 'id'.",
    "score one.conllu p.txt --documents --confidence 0.9 --clusters newdoc": "with --documents an utterance is a document:",
    # Subsets.
    "score r.txt p.txt --by one.txt": "one.txt: 1 ids for 2 utterances",
    "score r.txt p.txt --by long.txt": "3 ids for 2 utterances; expected one line for each. Is its first line a header?",
    "score r.txt p.txt --by ids": "ids, line 1: there is no id",
    "score r.txt p.txt --by column:age": "--by column:age: r.txt is not a table",
    "score r.txt p.txt --by t.csv:age": "t.csv: there is no column 'age'; the columns are name, x, token_fscore.",
    "score r.txt p.txt --by one.txt:age": "one.txt: it is no table of delimited text, whose column age could be read.",
    "score one.conllu p.txt --by newdoc": "no comment '# newdoc' divides a file into documents; pass --by FILE with",
    "score r.txt p.txt --by every:x": "--by: expected the name of a file, newdoc, speaker, length, category, label, file, "
    "column:NAME or every:N, received 'every:x'. A file of such a name is ./NAME.",
    "score r.txt p.txt --plot p.pdf": "--plot: it draws scores of subsets: add --by FILE.",
    # Predictions and other files.
    "compare r.txt p.txt": "expected at least two, or a table with both sides and --columns REFERENCE,A,B, received 1",
    "errors r.txt p.txt q.txt s.txt": "error: PREDICTION: expected one, or two to compare, received 3.",
    "errors r.txt p.txt q.txt --examples 2": "--context show the errors of one prediction: leave them out, or name one.",
    "errors r.txt p.txt q.txt --table errors": "--table errors, --examples and --context show the errors of one",
    "score r.txt p.txt --scores token type": "type: --scores takes one list with commas and without spaces: --scores token,type.",
    "score r.txt p.txt --scores token, type tnr": "--scores token,type,tnr.",
    "score r.txt p.txt --scores token q.txt": "q.txt: name every [NAME=]PREDICTION side by side, all before or all after the",
    "score r.txt a=p.txt a=q.txt": "two predictions are called a",
    "difficulty r.txt --committee p.txt --score a=p.txt a=q.txt": "two predictions are called a",
    "compare r.txt p.txt ./p.txt": "two predictions are called p.txt",
    "compare one.txt one.txt b=./one.txt": "needs at least two utterances, received 1",
    "difficulty r.txt --difficulties d.jsonl --score p.txt long.txt": "r.txt has 2 lines and long.txt has 3 lines",
    "difficulty r.txt --train blank.txt": "blank.txt: no text to train on",
    "difficulty [rp].txt --difficulties d.jsonl --html x": "[rp].txt has 4 lines and d.jsonl has 2 lines",
    "score r.txt p.txt --vocabulary /dev/null": "--vocabulary: it has no word; expected at least one",
    "score r.txt p.txt --dictionary /dev/null": "--dictionary: it is empty",
    "score none.parquet": "none.parquet: there is no such file.",
    # Columns, and forms of them.
    "score r.txt r.txt --label-scheme BI": "--label-scheme is for tables, whose names end in",
    "errors rows.jsonl rows.jsonl --columns ,a,b": "--columns names one column for every PREDICTION; several names are",
    "score rows.jsonl --columns a,,b": "--columns: expected the name of a column, as REFERENCE[,PREDICTION…], received 'a,,b'.",
    "errors rows.jsonl --columns ''": "--columns: expected the name of a column, as REFERENCE[,",
    "errors rows.jsonl '' --columns ,a": "received an empty name: expected the name of a file",
    "report tags.jsonl --label-scheme start -o x.html": "--label-scheme: a report shows words, which labels do not contain",
    "errors tags.jsonl --label-scheme start --vocabulary r.txt": "--label-scheme does not go with --vocabulary: labels do",
    "errors tags.jsonl --label-scheme start --table words": "labels do not contain the words: --table classes is the only",
    "difficulty tags.jsonl --train tags.jsonl --label-scheme start": "--label-scheme does not go with --train: labels do not",
    "difficulty tags.jsonl --committee --html x.html --label-scheme start": "--label-scheme does not go with --html: labels do",
    "difficulty rows.jsonl --committee rows.jsonl --committee-column a --committee-column b":
        "--committee-column names one column for every FILE; several names are for a table with both sides, without FILE.",
    "difficulty rows.jsonl --committee --columns ,a": "--columns names predictions, which --score reads",
    "difficulty rows.jsonl --difficulties d.jsonl --committee-column a --html x": "--committee-column: it goes with --committee,",
    "difficulty r.txt --difficulties d.jsonl --score": "--score: expected a FILE after it, or a table with both sides",
    "difficulty r.txt --committee": "--committee: expected a FILE after it, or a table with both sides",
    "curve rows.jsonl": "expected SIZE=PREDICTION after REFERENCE, or a table with both sides and",
    "compare rows.jsonl --columns ,a,a": "a is named twice: expected every prediction once.",
    "score forms.jsonl --columns text,words --text-format units": "forms.jsonl, column text and forms.jsonl, column words, line "
    "1: the reference is read in units of one token, the prediction in units of one character",
    "sweep rows.jsonl r.txt": "rows.jsonl: this is a table, by its name; expected text: sweep reads no tables.",
    # Files that would be written.
    "score r.txt p.txt --per-utterance u.txt": "--per-utterance: expected a name that ends in .csv or .jsonl, received",
    "report r.txt p.txt -o -": "--output: expected the name of a file, such as page.html, received '-'",
    "report r.txt p.txt -o /dev/null": "/dev/null: this is not a regular file",
    "difficulty r.txt --committee p.txt -o x.html --html ./x.html": "name the same file: expected two",
    # Options of other subcommands.
    "compare r.txt p.txt q.txt --min token_fscore=0.9": "--min is an option of segscores score.",
    "errors r.txt p.txt --max token_fscore=0.9": "--max is an option of segscores score.",
    "score r.txt p.txt --score token": "Did you mean --scores? --score is an option of segscores difficulty.",
    # Arguments.
    "score r.txt p.txt --quiet": "unrecognized arguments: --quiet. See segscores score --help.",
    "score r.txt p.txt --tolerance": "argument --tolerance: expected one argument. See segscores score --help.",
    "sweep r.txt gaps.jsonl --thresholds -2,-0.5": "expected one argument. A value that begins with - stands after =: "
    "--thresholds=-2,-0.5. See segscores sweep --help.",
    "sweep r.txt gaps.jsonl -o --thresholds -.5:0:.1": "argument -o/--output: expected one argument. See",
    "score r.txt p.txt --textformat units": "Did you mean --text-format?",
    "score r.txt p.txt --text units": "--text: it is for tokenizers, and no prediction is one.",
    "scor r.txt p.txt": "Did you mean score?",
    "score": "the following arguments are required: REFERENCE.",
    "": "COMMAND",
    "halves r.txt p.txt q.txt": "halves: it was removed, and the guide docs/how-to/compare-systems.md has",
    "groups --counts": "--counts",
    "cite tokn": "unknown score group 'tokn'. Did you mean 'token'",
    "completion fish": "SHELL: expected bash, zsh or tcsh, received 'fish'.",
    "score r.txt p.txt -o r.txt": "r.txt: this is an input too, and would be overwritten.",
    "correlate t.csv --criterion f -o t.csv": "t.csv: this is an input too, and would be overwritten.",
    "sweep r.txt d.jsonl -o d.jsonl": "d.jsonl: this is an input too, and would be overwritten.",
    "difficulty r.txt --train q.txt -o q.txt": "q.txt: this is an input too, and would be overwritten.",
    "alignment a.txt a.txt -o a.txt": "a.txt: this is an input too, and would be overwritten.",
    "groups -o none/scores.json": "none/scores.json: expected a file in a folder that exists.",
    "identify r.txt p.txt 0.5 0.6": "expected one VALUE, received also 0.6.",
    "verify none.json": "none.json: there is no such file",
    "verify .": ".: this is a folder",
    "conform": "expected the COMMAND of a scorer, such as \"scorer {reference} {prediction}\", or --export vectors.json.",
    "conform scorer --export v.json": "--export runs no program, received 'scorer': leave one of them out.",
    "conform --export v.json --write units": "--export does not go with --write: it runs no program.",
}  # fmt: skip
#: What errors and score answer alike, score with and without --on-error skip.
ALIKE = {
    "two/* forms.jsonl --columns words,words": "two/1.jsonl, column words: received lists of integers without --id2label",
    "forms.jsonl --columns labels,text --label-scheme start": "forms.jsonl, column text: --label-scheme start is for "
    "lists of labels, one list per utterance and one label per unit, such as [[0, 1]]; received strings. To score text, "
    "leave --label-scheme out.",
    "forms.jsonl p.txt --columns labels --label-scheme start": "error: p.txt: --label-scheme start is for lists of ",
    "forms.jsonl --columns words,words --text-format units --word-boundary #":
        "--word-boundary '#': it is for --text-format units; received lists of words: leave it out.",
    "plain.txt forms.jsonl --columns ,words --text-format units": "plain.txt and forms.jsonl, column words, line 1: the "
    "reference is read in units of one token, the prediction in units of one character: expected the same form on both",
    "four.txt mixed/* --columns ,words --text-format units":
        "four.txt, line 3 and mixed/1.jsonl, column words, line 1: the reference is read in units of one token",
}  # fmt: skip
#: What several command lines are answered with.
ANSWERS = {
    "standard input (-) can be read only once": (
        "score - -", "score r.txt - p.txt -", "score r.txt p.txt --vocabulary - --dictionary -", "compare - p.txt -",
        "compare - p.txt q.txt --clusters -", "errors - p.txt --vocabulary -", "sweep - -", "curve - 1=-",
        "alignment - -",
        "alignment - a.txt --sources - --targets r.txt",
        "report - - -o x.html", "difficulty r.txt --committee - --score -", "identify - p.txt 0.5", "identify r.txt - 0.5",
    ),
    "missing: there is no such file": (
        "score r.txt p.txt missing", "score r.txt p.txt --vocabulary missing", "errors r.txt p.txt --vocabulary missing",
        "sweep r.txt missing", "curve r.txt 1=missing", "alignment a.txt missing",
        "difficulty r.txt --difficulties missing --html x",
        "difficulty r.txt --committee p.txt --score missing --html page.html -o ratings.jsonl",
    ),
    # Links that lead in a circle.
    "error: loop": (
        "report loop p.txt -o page.html", "report r.txt loop -o page.html", "report r.txt p.txt -o loop",
        "report r.txt p.txt -o loop/page.html", "score r.txt loop",
        "score r.txt p.txt --scores dictionary --dictionary loop", "score r.txt p.txt --per-utterance loop.csv",
        "difficulty r.txt --committee p.txt -o loop", "score loop.parquet", "score loop.jsonl", "score loop* p.txt",
    ),
    "p.txt is named twice: expected every prediction once": (
        "compare r.txt p.txt p.txt", "score r.txt p.txt q.txt p.txt",
        "curve r.txt 1=p.txt 2=p.txt", "report r.txt a=p.txt b=p.txt -o x.html",
        "difficulty r.txt --committee q.txt --score p.txt --score p.txt",
    ),
    "an input too, and would be overwritten": (
        "score r.txt p.txt --vocabulary words.csv --per-utterance words.csv", "report r.txt p.txt -o r.txt",
        "difficulty r.txt --committee p.txt -o p.txt", "curve r.txt 1=p.svg --plot p.svg",
        "report link.txt p.txt -o folder.csv/../r.txt", "report [r].txt r.txt -o ./r.txt",
        "score gold system --per-utterance gold/a.csv", "score gold system --per-utterance system/in/b.csv",
        "compare gold system gold/a.csv --per-utterance gold/../gold/a.csv", "score gold/*.csv system --per-utterance gold/a.csv",
        "score r.txt p.txt --baselines --second-reference words.csv --per-utterance words.csv",
        "score gold gold/a.csv --baselines --second-reference system --per-utterance system/in/b.csv",
        "score r.txt p.txt --confidence 0.9 --clusters words.csv --per-utterance words.csv",
        "report gold system -o gold/a.csv", "difficulty r.txt --train p.txt -o p.txt",
        "difficulty r.txt --difficulties d.jsonl --html d.jsonl",
    ),
    "the next run would read it as an input": (
        "score gold system --per-utterance gold/rows.csv", "score gold system --per-utterance system/in/rows.csv",
        "score *.csv words.csv --per-utterance rows.csv", "report r.t?t p.txt -o r.tut",
        "difficulty r.txt --committee p*.txt -o pages.txt", "difficulty r.txt --committee deep/** -o deep/in/pages.txt",
    ),
    "error: none of the 2 utterances can be scored. The first problem: r.txt and same.txt, line 1: the units differ": tuple(
        f"{line} --on-error skip" for line in (
            "score r.txt p.txt same.txt", "score r.txt same.txt --per-utterance u.csv", "errors r.txt same.txt",
            "compare r.txt p.txt same.txt", "curve r.txt 1=p.txt 2=same.txt", "report r.txt p.txt same.txt -o page.html")
    ),
    "no file matches this pattern": ("errors r.txt none-*.txt", "score none-*.txt r.txt"),
    "expected a PREDICTION after it, or a table with both sides": ("score r.txt", "compare r.*"),
    "--columns is for tables": ("score r.txt r.txt --columns x", "errors r.txt r.txt --columns ,x"),
    "r.txt is not a table": (
        "errors rows.jsonl r.txt --columns ,x", "score r.txt rows.jsonl --columns x", "curve rows.jsonl 1=r.txt --columns ,1=a",
        "difficulty rows.jsonl --committee r.txt --committee-column x",
    ),
    "expected a file in a folder that exists": (
        "score r.txt p.txt --per-utterance none/u.csv", "score r.txt p.txt --per-utterance folder.csv",
        "report r.txt p.txt -o none/r.html", "report r.txt p.txt -o .", "sweep r.txt gaps.jsonl --plot none/x.png",
        "curve r.txt 1=p.txt --plot none/x.svg", "conform --export none/v.json",
    ),
    "--plot: expected a name that ends in .png, .svg or .pdf, received 'x.gif'": (
        "sweep r.txt gaps.jsonl --plot x.gif", "curve r.txt 1=p.txt --plot x.gif",
        "difficulty r.txt --committee p.txt --score p.txt --plot x.gif",
    ),
    "'#': it is for --text-format units: leave it out.": (
        "score r.txt p.txt --word-boundary #", "compare r.txt p.txt q.txt --ignored-tokens #",
        "errors r.txt p.txt --word-boundary #", "sweep r.txt gaps.jsonl --word-boundary #",
        "curve r.txt 1=p.txt --ignored-tokens #",
        "difficulty r.txt --committee p.txt --word-boundary #",
    ),
    "--thresholds: expected numbers such as": tuple(
        f"sweep r.txt gaps.jsonl --thresholds={points}"
        for points in ("0:inf:1", "nan:1:1", "snan:1:1", "0:1e400:1e399", "0:1:0", "0:1:1e-400", "1:0:1", "0:1")
    ),
    "expected SIZE=PREDICTION, such as 200=out200.txt, received": tuple(
        f"curve {size}" for size in ("r.txt p.txt", "r.txt =p.txt", "r.txt 200=", "r.txt x=p.txt", "r.txt nan=p.txt",
                                     "r.txt inf=p.txt", "rows.jsonl --columns ,a")
    ),
}  # fmt: skip
for answer, lines in ANSWERS.items():
    MESSAGES |= dict.fromkeys(lines, answer)
for line, answer in ALIKE.items():
    MESSAGES |= dict.fromkeys([f"errors {line}", f"score {line}", f"score {line} --on-error skip"], answer)


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("line", MESSAGES)
def test_options_are_called_as_on_the_command_line(line, message):
    text = message(line)
    assert MESSAGES[line] in text
    # No option of Python: neither a name with an underscore, nor name=value.
    names = "|".join(name for name in OPTIONS if "_" in name)
    assert not re.search(rf"\b({names})\b|\b[a-z_]+=['\"\[]", text), text
    assert misprints(line) == []


WORDSEG = "did you mean --word-boundary ';eword' and --ignored-tokens ';esyll'?"


@pytest.mark.parametrize(
    ("line", "hint"), [("", WORDSEG), ("--word-boundary ';eword'", "did you mean --ignored-tokens ';esyll'?")]
)
@pytest.mark.parametrize("ends", ["", " ;eword"])
def test_the_tokens_of_wordseg_are_not_taken_for_tags(line, hint, ends, run):
    write_files({"gold.txt": f"y u ;esyll ;eword w a n t ;esyll{ends}\n", "words.txt": "yu want\n"})
    line = f"score gold.txt words.txt --text-format units, {line}"
    status, _, messages = run(line)
    error = next(text for text in messages.splitlines() if "error:" in text)
    assert (status, hint in error, "have tags" in error) == (2, True, False)
    followed = hint.removeprefix("did you mean ").rstrip("?").replace(" and ", " ")
    assert run(f"{line} {followed}")[0] == 0


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("score plain.txt p.txt", "(Lines count from 1, offsets from 0.)"),
        ("score nul.txt nul.txt", "(Lines count from 1, offsets from 0.)"),
        ("score bad.parquet", "(Rows count from 0, offsets from 0.)"),
        ("score a.conllu b.conllu", "(Sentences count from 1, offsets from 0.)"),
        # Of a missing file only the error is said.
        ("score r.txt missing.txt", "segscores: error: missing.txt: there is no such file."),
        ("score wordseg.txt missing.txt", "segscores: error: missing.txt: there is no such file."),
    ],
)
def test_messages_say_where_counting_starts(line, end, message):
    write_files({"nul.txt": b"a\nb\xff\n", "a.conllu": "1\ta\n\n", "b.conllu": "1\tb\n\n"})
    parquet.write_table(pa.table({"reference": ["a b", "c"], "prediction": ["a b", "d"]}), "bad.parquet")
    text = message(line)
    assert text.endswith(end)
    assert ("count from" in text) is ("count from" in end)


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("ab/v cd/a e/u", "--text-format 'tagged,'"),
        ("ab_VV cd_VV e_DEG", "--text-format 'tagged,' and --separator _"),
        ("ab|cd|e", "--text-format 'separated,' and --separator '|'"),
        ("ab/cd/e/", "--text-format 'separated,' and --separator /"),
        ("\u2581ab\u2581cd\u2581e", "--text-format 'separated,' and --separator '\u2581'"),
        ("a_b c_d e", "--text-format words and --joiner _"),
        ("ab_cde", "--joiner _"),
    ],
    ids=["slash tags", "underscore tags", "bars", "slashes", "sentencepiece", "joiners", "syllables"],
)  # fmt: skip
@pytest.mark.parametrize(("line", "side"), [("score a b", "'{},'"), ("score b a", ",{}")])
def test_tags_and_other_separators_are_recognised(reference, hint, line, side, message):
    write_files({"a": f"\n{reference}\n", "b": "\nab cde\n"})
    hint = re.sub(r"'(separated|tagged),'", lambda found: side.format(found[1]), hint)
    assert f"did you mean {hint}?" in message(line)
    # The sides are the same text, so that the hint works.
    assert main(shlex.split(f"{line} {hint.replace(' and', '')}")) == 0


@pytest.mark.parametrize("texts", ["the/dog thecat", "a/b\u3000c abd", "a-b ab-", "x/y xz"])
def test_other_differences_have_no_such_hint(texts, message):
    write_files(dict(zip("ab", texts.split(" "), strict=True)))
    assert not re.search("tags|between words", message("score a b"))


@pytest.mark.parametrize(
    ("line", "file"),
    [
        *((f"{line} --text-format units", "plain.txt") for line in
          ("score plain.txt plain.txt", "score plain.txt wordseg.txt --word-boundary ';eword' --ignored-tokens ';esyll'",
           "errors plain.txt plain.txt", "difficulty plain.txt --committee plain.txt -o out", "sweep plain.txt scores.jsonl")),
        ("score wordseg.txt wordseg.txt --text-format units", "wordseg.txt"),
        ("score hashes.txt hashes.txt --text-format units", "hashes.txt"),
        ("score plain.txt plain.txt --text-format separated", "plain.txt"),
        *((f"score {line}", "") for line in
          ("units.txt units.txt --text-format units", "plain.txt plain.txt --text-format words", "plain.txt plain.txt",
           "single.txt single.txt --text-format units")),
    ],
)  # fmt: skip
def test_units_text_without_boundaries_is_warned_of(line, file, run):
    write_files({"scores.jsonl": "[0.5]\n[]\n", "single.txt": "a\nb\n", "hashes.txt": "a b # c\n"})
    status, _, messages = run(line)
    assert (status, messages.count("never occurs")) == (0, bool(file))
    if file:
        marks = {"word-boundary": ";eword", "separated": "|"}
        token = next((mark for word, mark in marks.items() if word in line), "WORD_BOUNDARY")
        assert (
            f"warning: the boundary token '{token}' never occurs in {file}, so that every utterance is one" in messages
        )
        say = "say so with --text-format" if "wordseg" in line else "pass --text-format words"
        known = {
            "wordseg.txt": f" The text has the format of wordseg: {WORDSEG}",
            "hashes.txt": " Do words end at #? Then pass --word-boundary '#'.",
        }
        assert known.get(file, f"Then {say}.") in messages


@pytest.mark.parametrize(
    ("options", "intervals"),
    [
        ("", "by the jackknife over lines"),
        ("--clusters every:3", "by the jackknife over clusters of lines"),
        (
            "--clusters every:3 --interval-method percentile",
            "by resampling clusters of lines; for type scores, the jackknife",
        ),
    ],
)
def test_the_resampled_and_the_exchanged_values_are_named(options, intervals, printed):
    four = ["the dog", "is on", "thedog", "ison"]
    r, p, q = ([four[at] for at in order] * 50 for order in ((0, 1, 0, 1), (2, 1, 0, 3), (0, 3, 2, 1)))
    write_files({"r": r, "p": p, "q": q})
    printed(f"report r p -o page.html {options}")
    assert f"95 %, {intervals}</dd>" in Path("page.html").read_text(encoding="utf-8")
    trials = "10,000 trials over clusters" if options else "10,000 trials"
    assert f"paired randomisation ({trials})" in printed(f"compare r p q --scores token {options}")


@pytest.mark.parametrize(
    "line", ["difficulty composed.txt --committee decomposed.txt", "score t.jsonl --on-error skip"]
)
def test_no_flag_is_named_that_the_subcommand_lacks(line, message):
    """No other subcommand than `difficulty` has a --committee-column."""
    write_files({"t.jsonl": '{"x": "a b"}\n'})
    text = message(line)
    known = COMMANDS[line.split(maxsplit=1)[0]].options.values()
    assert set(re.findall(r"--[a-z][a-z-]*", text)) <= {flag_of(option) for option in known}
    assert (
        "normalise them, by --normalize NFC." in text or "Name the column with --columns REFERENCE,PREDICTION." in text
    )


#: The options of every subcommand, each with whether it takes a value, and what else it needs.
FLAGGED = {
    command: {
        action.option_strings[-1]: action.nargs != 0
        for action in subparser._actions
        if action.option_strings and not action.dest.startswith("help")
    }
    for command, subparser in subcommand_parsers().items()
}
#: Those that may be given several times.
REPEATABLE = {
    "--silence", "--scores", "--ignored-tokens", "--min", "--max", "--table", "--committee", "--score", "--committee-column",
    "--bands", "--tokenizers",
}  # fmt: skip
OTHERS = {
    "correlate": "t.csv --criterion x", "difficulty": "r.txt --committee p.txt", "curve": "r.txt 1=p.txt",
    "sweep": "r.txt gaps.jsonl", "report": "r.txt p.txt -o page.html", "groups": "", "formats": "", "conform": "scorer",
    "cite": "token", "completion": "bash",
    "parity": "r.txt p.txt --tokenizers t.json",
}  # fmt: skip


@pytest.mark.parametrize("command", FLAGGED)
def test_two_dashes_are_a_value_and_a_bad_one(run, command):
    for option in (option for option, has_value in FLAGGED[command].items() if has_value):
        value = f"{option}=--" if option.startswith("--") else f"{option}--"
        status, output, messages = run(f"{command} {OTHERS.get(command, 'r.txt p.txt')} {value}")
        if status == 0:
            # What names things may be called so: a token, or a file that is written. Of several files argparse drops it
            # before Python 3.13.
            named = option in ("--word-boundary", "--ignored-tokens", "--committee", "--score")
            assert Path("--").exists() or named, output
        else:
            assert (status, messages.count("\n"), messages[:9]) == (2, 1, "segscores"), option
        Path("--").unlink(missing_ok=True)


@pytest.mark.parametrize("command", FLAGGED)
def test_a_flag_of_one_value_is_given_once(message, run, command):
    for option, has_value in FLAGGED[command].items():
        inputs = "r.txt" if option in ("--train", "--difficulties") else OTHERS.get(command, "r.txt p.txt")
        line = f"{command} {inputs} "
        line += f"{option}=one {option}=two" if has_value else f"{option} {option}"
        if option in REPEATABLE:
            assert "once" not in run(line)[2]
            continue
        # Before them stands what the subcommand needs.
        received = r"('[^']*' and )?'one' and 'two'" if has_value else "it 2 times"
        assert re.search(f"{option}: expected it once, received {received}: leave out all but one", message(line))


def test_a_file_may_be_called_two_dashes(printed):
    write_files({"--": "thedog\nthe dog\n"})
    assert "dictionary_tpr" in printed("score r.txt p.txt --scores=dictionary --dictionary=--")
