"""Forms of files that programs export, and that are not read: transcripts, records, dumps of databases, and what programs print.

The rows are as those of `known`.
"""

from __future__ import annotations

from .commands import OBJECTS_TO_WORDS, by
from .format import Format
from .json_signs import find_long_object, find_objects_in_lists
from .signs import Signs

#: The endings of files of text, of tables, of times and of sound.
_ENDINGS = "txt|csv|tsv|jsonl?|parquet|arrow|conllu?|xml|html?|TextGrid|ctm|rttm|lab|srt|vtt|eaf|wav|flac|mp3|ogg"

EXPORTS: tuple[Format, ...] = (
    Format("salt", title="a transcript of SALT",
        evidence=Signs(has="$", first=r"\$ *[A-Z][\w-]*(, *[A-Z][\w-]*)+\s*$", every=r"[$+=;:-].*|[A-Z] .*", some=r"[A-Z] ").find,
        remedy=by("sed -n -E 's/^[A-Z] +//p'", ", which keeps the lines of all speakers, and the codes within them."),
        example="$ Child, Examiner\n+ Language: English\n- 0:00\nE the dog\nC a cat\n"),
    Format("interlinear", title="interlinear text of ELAN",
        evidence=Signs(has="@", fewest=2, every=r"[A-Za-z][\w-]*@\S+\s+\S.*", some=r"(tx|t|text|utt|ref)@").find,
        remedy=by(r"sed -n -E 's/^(tx|t|text|utt)@[^[:space:]]+[[:space:]]+//p'", ", which keeps the lines of text."),
        example="ref@SP  001\ntx@SP   the dog\nft@SP   der Hund\n\nref@SP  002\ntx@SP   a cat\n"),
    Format("scc", title="subtitles (SCC)", evidence=Signs(has="Scenarist_SCC", first="Scenarist_SCC").find,
        remedy="in the program, export them as SubRip (.srt).",
        example="Scenarist_SCC V1.0\n\n00:00:01:00\t9420 9420 94ad\n"),
    Format("token_lists", title="lists of tokens with their features, as of kuromoji and Sudachi", is_json=True,
        evidence=find_objects_in_lists,
        remedy=by(OBJECTS_TO_WORDS, ", which keeps the words."),
        example='[{"surface_form": "東京", "pos": "名詞"}, {"surface_form": "に", "pos": "助詞"}]\n'
        '[{"surface_form": "犬", "pos": "名詞"}]\n'),
    Format("long_object", title="an object of JSON, or a dict of Python, on one line", evidence=find_long_object,
        remedy="write an utterance a line, as text or as JSON lines (.jsonl).",
        example='{"text": {"0": "the dog", "1": "a cat"}}\n'.replace("}}", ', "2": "' + "it is " * 1500 + '"}}')),
    Format("sql", title="a dump of a database (SQL)",
        evidence=Signs(some=r"(?i)insert into .*\bvalues\b|copy .* from stdin;\s*$").find,
        remedy="export the table as CSV, into a file whose name ends in .csv.",
        example="INSERT INTO gold VALUES\n(1,'the dog'),\n(2,'a cat');\n"),
    Format("ris", title="records of references (RIS, PubMed)",
        evidence=Signs(has="- ", fewest=2, every=r"[A-Z][A-Z0-9]{1,3} {0,2}- .*|[A-Z][A-Z0-9]{1,3} {0,2}-\s*|\s+\S.*",
                       some=r"(TY|PMID) {0,2}- ").find,
        remedy=by(r"sed -n -E 's/^(TI|AB) +- +//p'", ", which keeps titles and abstracts."),
        example="TY  - JOUR\nTI  - the dog\nER  - \n\nTY  - JOUR\nTI  - a cat\nER  - \n"),
    Format("arff", title="ARFF", evidence=Signs(has="@", first=r"(?i)@relation\b", also=r"(?i)@attribute\b").find,
        remedy=by("sed -E '/^([@%]|[[:space:]]*$)/d'", ".csv, and name the columns."),
        example="@relation gold\n@attribute text string\n@data\n'the dog'\n'a cat'\n"),
    Format("bibtex", title="BibTeX", evidence=Signs(has="@", first=r"@[A-Za-z]+\s*\{[^,\s]+,\s*$").find,
        remedy="take the text out of its fields: an utterance a line.", example="@article{a,\n  title = {the dog}\n}\n"),
    Format("r_frame", title="a data frame as R prints it",
        evidence=Signs(has="1 ", first=r" {3,}[A-Za-z][\w.]*\s*$", also=r"\s*1 +\S",
                       every=r"\s{3,}[\w.]+\s*|\s*\d+ +\S.*").find,
        remedy="in R, write the lines with writeLines().", example="     text\n1 the dog\n2   a cat\n"),
    Format("file_names", title="names of files",
        evidence=Signs(has=".", every=rf"\s*[^\s|]*[\w)-]\.({_ENDINGS})\s*").find,
        remedy="name the files themselves; in Python, pass each as a pathlib.Path.",
        example="data/gold1.txt\ndata/gold2.txt\n"),
    Format("julia", title="a vector as Julia prints it",
        evidence=Signs(has="-element ", first=r"\d+-element .*:\s*$", also=r'\s*"').find,
        remedy='in Julia, write the lines with foreach(println, …).',
        example='2-element Vector{String}:\n "the dog"\n "a cat"\n'),
)  # fmt: skip
