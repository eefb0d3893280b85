"""Files that a subcommand cannot read: the message names the file and the place."""

import gzip
import re

import pytest

from ...command_runs import write_files
from ...misprints import misprints

FILES = {
    "ref": "[0]:[0]\n[1]:[1, 2]\n", "pred": "[0]:[0]\n", "sources": "a\nb\n", "targets": "a\nb\nc\n",
    "words": "ab c\n\nde\n", "r.txt": "a\nb c\n",
}  # fmt: skip

TABLE = "system,f,p,map,note\nCRF,1,4,0.1,old\n2,2,3,0.2,\njieba,4,2,0.3,new\nrules,3,1,0.4,\n"
NOT_FINITE = "expected a finite number"
OUT_OF_RANGE = r"the target segment 3 is out of range: expected numbers from 0 to 2\. Are they counted from 1\?"
SAME_SYSTEM = r"rows 1 and 2: both are of the system .*; expected a row per system\."


def utterances(names: str) -> str:
    rows = "".join(f"{names},{line},0.{line}\n" for line in range(1, 4))
    return "system" + ",note" * names.count(",") + ",line,map\n" + rows


TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 1
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 1
            text = "a"
"""


def record(command: str, digests: str = "{}") -> str:
    """A record in JSON, of a command and digests in JSON."""
    return f'{{"record": {{"command": {command}, "digests": {digests}}}}}'


SLOTS = '<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1"/></TIME_ORDER>'
ANNOTATED = (
    f'<ANNOTATION_DOCUMENT>{SLOTS}<TIER TIER_ID="w"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" '
    'TIME_SLOT_REF2="t1"><ANNOTATION_VALUE>a</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>'
    "</ANNOTATION_DOCUMENT>"
)


#: By command line and file: what stands in the file, and what the message says.
BAD = {
    ("alignment ref pred", "pred"): [
        (f"[0]:[0]\n{line}\n[1]:[1]\n", "pred, line 2: received .*; expected source and target segments")
        for line in ("", "0:0", "[0]", "[0]:", "[0][0]", "[a]:[0]", "[0 1]:[0]", "[0.0]:[0]", "[0]\t[0]", "[²]:[0]",
                     ":[0]", "[0,,1]:[0]", "[[0]]:[0]")
    ] + [("", r"pred: the file is empty; expected at least one line, such as \[0\]:\[0,1\]")],
    **{
        ("alignment ref pred --sources sources --targets targets", name): [
            ("[0]:[0]\n[0]:[3]\n", f"{name}, line 2: {OUT_OF_RANGE}"),
            ("[0]:[0]\n[-1]:[0]\n", f"{name}, line 2: the source has the segment number -1; expected numbers from 0"),
        ]
        for name in ("ref", "pred")
    },
    ("correlate t.csv --criterion ndcg", "t.csv"): [(TABLE, "no column 'ndcg': the columns of numbers are f, p, map")],
    ("correlate t.csv --criterion note", "t.csv"): [(TABLE, "the column 'note' does not consist of numbers")],
    ("correlate t.jsonl --criterion map", "t.jsonl"): [
        ("\n" + "[" * 100_000 + "\n", r"line 2: .*nested too deeply; expected one JSON object"),
        ('{"map": 1}\nnull\n', "line 2: expected one JSON object on the line"),
        ('{"map": 1}\n{"map": 1, "map": 2}\n', "line 2: .*the key 'map' occurs twice"),
        ('{"map": 1, "f": 1}\n{"map": 2, "f": "x"}\n', "no table with a header and equal rows"),
        *(
            (f'{{"map": 1, "f": 1}}\n{{"map": 2, "f": {value}}}\n', "row 2: .* in the column 'f'; expected a number or a text")
            for value in ("true", "[2]", '{"a": 2}')
        ),
    ],
    ("correlate t.csv --criterion x", "t.csv"): [("s,f\na,b\nc,d\n", "no column 'x': no column has numbers")],
    ("correlate t.csv --criterion map", "t.csv"): [
        ("", "the table is empty"),
        ("system,f,map\n", "the table has a header only"),
        ("system,f,map\na,x,1\nb,2,2\nc,y,3\n", "row 2: '2' in the column 'f', whose other cells are names"),
        ("system,map\na,1\nb,2\n", "nothing to correlate"),
        ("system,f,map\na,1,2\nb,2,3\n", "2 systems: expected at least 3"),
        ("s,f,map\na,1,2\n\nb,3\nc,1,2\n", "Row #3: Expected 3 columns, got 2"),
        ("s,f,map\na,1,2\nb,3,3\nc,nan,2\n", f"row 3: nan in the column 'f'; {NOT_FINITE}"),
        ("s,map,map\na,1,2\n", "two columns are called 'map'"),
        ("s,f, f,map\na,1,2,3\n", "two columns are called 'f'"),
        ("s,,map\na,1,2\n", "column 2 has no name"),
        (TABLE.replace("\n", "\r"), "its lines end in CR alone, as on old Macs"),
        ("system,f,map\na,1,1\nb,2\r3,2\n", "Row #3: Expected 3 columns, got 2"),
        # A quotation mark that nothing closes would hold the rest of the file.
        ('f,map,s\n1,2,a\n2,3,"b\n3,1,c\n4,5,d\n5,4,e\n', "a quotation mark is not closed"),
        # Rows of utterances are not systems.
        *((utterances(names), SAME_SYSTEM) for names in ("a", "a,old", ",")),
    ],
    ("sweep words s.jsonl", "s.jsonl"): [
        ("[0.1, 0.8]\n[]\n[0.5, 1, 2]\n", r"s\.jsonl, line 3: received 3 boundary scores; expected 1"),
        ("[0.1, 0.8]\n[]\n[0.5, 1]\n", r"line 3: received 2 .*--label-scheme"),
        ("[0.1, 0.8]\n[]\n[NaN]\n", r"s\.jsonl, line 3: the score of gap 0 is nan"),
        ("0.1 0.8\n\n0,5 x\n", r"s\.jsonl, line 3: received '0,5 x'.*; expected .* separated by spaces"),
        ("[0.1, 0.8]\n[]\n", "3 references and 2 lists of boundary scores"),
        (b"[0.1, 0.8]\n\xff", r"s\.jsonl, line 2: the byte 0xff"),
    ],
    ("score x.conllu x.conllu --scores tagged_token", "x.conllu"): [
        ("1\ta\n\n", r"x\.conllu, line 1: received 2 columns; expected the 10 of CoNLL-U"),
        ("1\ta" + 8 * "\t" + "\n\n", r"x\.conllu, sentence 1: the word 'a' has no tag; expected one for each word"),
    ],
    ("score x.conllu x.conllu", "x.conllu"): [
        ("the dog\n", r"received 'the dog', expected an ID .* Is it words text\? Then its name should not end in \.conllu"),
    ],
    ("score r.txt r.txt --text-format conllu", "r.txt"): [
        ("the dog\n", r"line 1: this is not a CoNLL-U line: .* Is it words text\? Then use --text-format 'words,'"),
    ],
    ("score r.txt r.txt --vocabulary v", "v"): [
        ("東京\t名詞\nに\t助詞\nEOS\n", r"v: these are sentences of .*\(recognised by the lines EOS\); expected words"),
        (TEXTGRID, r"v: these are recordings .*; expected words on each line"),
    ],
    ("score r.txt r.txt --dictionary v", "v"): [(TEXTGRID, r"v: these are recordings .*; expected a segment on each line")],
    **{
        (f"score r.txt r.txt --vocabulary {name}", name): [
            ('{"text": "a b"}\n', rf"{name}: this is the name of a table; expected a file of text, whose lines are read\."),
        ]
        for name in ("v.jsonl", "v.parquet")
    },
    ("alignment ref pred --sources v --targets targets", "v"): [("@UTF8\n@Begin\n*MOT:\tlook .\n", "v: this is CHAT")],
    ("score x.txt x.txt", "x.txt"): [
        (b"a\xff\0b\n", r"line 1: the byte 0xff at offset 1 .* Expected UTF-8 text: is the file binary\?"),
    ],
    ("score t.csv --columns x,y", "t.csv"): [
        ("a,b\na b,ab\n", "there is no column 'x'; the columns are 1 .'a'., 2 .'b'.. Name the column with --columns"),
    ],
    ("score t.csv --columns reference,prediction", "t.csv"): [
        # A form feed ends no line.
        ("reference,prediction\na\fb,ab\nc,c,d\n", r"t.csv, row 3: 3 cells between ',', and row 1 has 2\..* is doubled\.$"),
    ],
    ("score t.csv.gz t.csv.gz", "t.csv.gz"): [
        (gzip.compress(b"a,b\nc,d,e\nf,g\n", mtime=0), r"If its lines are utterances, its name should not end in \.csv\."),
    ],
    ("score a.TextGrid a.TextGrid", "a.TextGrid"): [
        (TEXTGRID.replace("xmin = 0\n            xmax", 'xmin = "0"\n            xmax'), "expected a tier after words"),
        (TEXTGRID.replace("xmin = 0\n        xmax", 'xmin = "0"\n        xmax'), "tier 'words': .*its beginning.* a string"),
        (TEXTGRID.replace("intervals: size = 1", 'intervals: size = "1"'), "tier 'words': .*number of its intervals.* a string"),
    ],
    ("score a.eaf a.eaf", "a.eaf"): [
        ("<ANNOTATION_DOCUMENT><TIER", r"ELAN with broken XML .* Is the file cut short\?"),
        (ANNOTATED, r"the annotation a1 \('a'\) has no time; expected time slots with times"),
    ],
    ("score a.xml a.xml --text-format times", "a.xml"): [
        ("<x></x>", "this is XML, with the root x; of XML only ELAN's is read. Save the times as a TextGrid, CTM or table"),
    ],
    ("score t.csv t.csv --text-format times", "t.csv"): [
        ("start,end,label\n0,1,oh,\n1,2,oh, no\n", "line 3: 4 cells, and the header has 3. A cell with a separator in it"),
    ],
    ("score a.json a.json --text-format times", "a.json"): [
        (
            '{"words": [{"word": "a", "start": 0, "end": 0.5}, {"word": "b", "startMs": 500, "endMs": 900}]}',
            "the names of times in words are without a unit and in ms; expected times of one unit",
        ),
    ],
    ("verify v.json", "v.json"): [
        *(
            (text, r"v\.json: this is no record; expected what score or compare prints with --format json")
            for text in ("", "[]", "[" * 100_000, "{}", '{"record": {}}', record("null"), record("5"), record("[]"),
                         record('"segscores score r p"', '"x"'), record('"segscores score r p"', '[[5, "x"]]'))
        ),
        *(
            (record(f'"{command}"'), f"v.json: received the command {command}; expected score or compare")
            for command in ("segscores sweep r.txt", "score r.txt r.txt", "segscores", "segscores report r p -o page.html")
        ),
        *(
            (record(f'"segscores {command}"'), f"v.json: the command segscores {command} scores nothing")
            for command in ("score --help", "compare --help-all r p")
        ),
    ],
    ("score x.txt r.txt --scores tagged_token", "x.txt"): [
        ("a\nb c\n", r"x\.txt: the words have no tags, which --scores tagged_token compares; expected --text-format conllu"),
    ],
    ("difficulty r.txt --difficulties d.jsonl --score r.txt", "d.jsonl"): [
        *(
            (f"[0.5]\n{line}\n", f"d.jsonl, line 2: {words}")
            for line, words in (
                ("0.5 x", "received '0.5 x'; expected a JSON list"),
                ("[0.5, 2]", r"word 1 has the difficulty 2\.0; expected a number in \[0, 1\]"),
                ("[0.5, NaN]", "word 1 has the difficulty nan; .*missing value"),
                ("[0.5, null]", r"received '\[0\.5, null\]'; expected a JSON list"),
                *((line, "received .*; expected a JSON list") for line in ('"0.5"', "[0.5, true]", "[[0.5, 0.5]]")),
                *((line, "received .*, which is not JSON") for line in ("[" * 100_000, f"[0.5, {'1' * 5000}]")),
                (f"[0.5, {10**400}]", "received an integer that is too large for a float"),
                ("[0.5]", "received 1 difficulties, expected 2"),
            )
        ),
        # Blank lines at the end of a file are none.
        ("[0.5]\n\n[1]\n", "r.txt has 2 lines and d.jsonl has 3 lines"),
        ("[0.5]\n[0.5, 0.5]\n[1]\n", "has 2 lines and d.jsonl has 3 lines: expected a list of difficulties for each"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "name", "content", "words"),
    [(*where, *row) for where, rows in BAD.items() for row in rows],
    ids=lambda value: repr(value)[:40],
)
def test_a_bad_file_is_named_with_the_place(message, line, name, content, words) -> None:
    write_files({name: content})
    text = message(line)
    assert re.search(f"{name}: .*{words}" if line.startswith("correlate") else words, text), text
    assert misprints(line) == []
