"""Forms that are known and not read: a text that has one is refused by its name, with the way out.

A row is the form's title, its signs, the remedy and an example. The remedy is tried by `tests/strangers`, on a file as the
program writes it. A form whose signs words text may have too leads to a warning alone (`is_weak`).
"""

from __future__ import annotations

from functools import partial

from ...options.messages import Message
from ...options.table import OPTIONS
from .format import Format
from .signs import (
    Signs,
    find_entities,
    find_factors,
    find_json_object,
    find_masses,
    find_most_tags,
    find_numbers,
    find_objects,
    find_praat_object,
    find_slashes,
    find_subwords,
    find_tags_in_columns,
    find_token_ids,
    find_token_lines,
    find_topics,
    find_underscored_tags,
    find_vectors,
    find_words_beside_tags,
)

_TO_LINES = "python3 -c 'import json, sys; [print(json.dumps(row)) for row in json.load(sys.stdin)]'"
_LISTS_TO_WORDS = "python3 -c 'import ast, sys; [print(*ast.literal_eval(line)) for line in sys.stdin]'"
_TEI_WORDS = (
    """python3 -c 'import sys, xml.etree.ElementTree as E; [print(*["".join(w.itertext()).strip() """
    """for w in s.iterfind(".//{*}w")]) for s in E.parse(sys.stdin).iterfind(".//{*}s")]'"""
)
_FIRST_COLUMN = (
    """awk '!/^#|^-DOCSTART-/ {if (NF) {line = line sep $1; sep = " "} else if (line) {print line; line = sep = ""}} """
    """END {if (line) print line}'"""
)
_TREE_LEAVES = (
    r"""awk '{t = t " " $0; o += gsub(/\(/, "("); c += gsub(/\)/, ")"); if (o && o == c) """
    r"""{gsub(/\(-NONE- [^()]*\)/, "", t); gsub(/\([^ ()]*/, "", t); gsub(/\)/, "", t); print t; t = ""; o = c = 0}}'"""
)
_CHAT_LINES = (
    r"""awk -F'\t' '/^\*/ {if (u) print u; u = $2; next} /^\t/ {if (u) u = u " " $2; next} """
    """{if (u) print u; u = ""} END {if (u) print u}'"""
)
_SENTENCES = (
    r"""awk -F'\t' '/^<\/?(s|S)[ >]/ {if (l) print l; l = ""; next} /^</ {next} """
    """{l = l (l ? " " : "") $1} END {if (l) print l}'"""
)
_TOPICS = (
    """awk '/^=====/ {if (n) mark = "WORD_BOUNDARY "; next} {printf "%ss ", mark; mark = ""; n++} END {print ""}'"""
)
#: The forms of lines in RTTM.
_RTTM = (
    r"(SPEAKER|LEXEME|NON-LEX|NON-SPEECH|SEGMENT|SPKR-INFO|NOSCORE|NO_RT_METADATA|EDIT|FILLER|SU|A/P|CB|IP)"
    r"\s+\S+\s+\S+(\s+(\d+(\.\d+)?|<NA>)){2}(\s+\S+){3,}\s*"
)


def _by(command: str, after: str = ".") -> str:
    """Return the remedy of a command that converts a file."""
    return f"convert it with {command} < OLD > NEW{after}"


_TEXT_FORMAT = OPTIONS["text_format"]
_AS_TIMES = Message("to score its times add ", _TEXT_FORMAT.set("times"), ".")
_OR_TIMES = Message("; ", _AS_TIMES)

#: Forms that are recognised before the formats that are read.
EARLY: tuple[Format, ...] = (
    Format("git_lfs", title="a pointer of Git LFS, in place of the file",
        evidence=Signs(first=r"version https://git-lfs\.github\.com/spec/").find,
        remedy="fetch the file itself with git lfs pull.",
        example="version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"),
    Format("git_annex", title="a pointer of git-annex, in place of the file",
        evidence=Signs(first=r"(\.\./)*(\.git)?/annex/objects/\S+\s*$").find,
        remedy="fetch the file itself with git annex get.", example="/annex/objects/MD5E-s12345--0cc175b9c0f1b6a8.txt\n"),
    Format("conflict", title="a file with an unresolved conflict of Git", evidence=Signs(some="<{7} ", also="={7}$").find,
        remedy="resolve the conflict, and remove its marks.",
        example="<<<<<<< HEAD\nthe dog\n=======\nthedog\n>>>>>>> other\n"),
    Format("iso2022", title="text in ISO-2022-JP", evidence=Signs(some=r".*\x1b(\$[@B]|\([BJ])").find,
        remedy=Message("add ", OPTIONS["encoding"].set("iso2022_jp"), ", or ", _by("iconv -f ISO-2022-JP -t UTF-8")),
        example="\x1b$B$3$l\x1b(B \x1b$B$O\x1b(B \x1b$B8$\x1b(B\n"),
    Format("hz", title="text in HZ", evidence=Signs(some=r".*~\{([!-w][!-~])+~\}").find,
        remedy=Message("add ", OPTIONS["encoding"].set("hz"), "."), example="~{NRCG~} ~{TZ~} ~{IO:#~}\n"),
    Format("html", title="a page of HTML", evidence=Signs(first=r"(?i)\s*<(!doctype html|html|head|body)[ >]").find,
        remedy="is it the page of an error, or of a download? Name the file of text itself.",
        example="<!DOCTYPE html>\n<html><body>404: Not Found</body></html>\n"),
    Format("rtf", title="RTF", evidence=Signs(first=r"\{\\rtf").find, remedy="save it as plain text in UTF-8.",
        example="{\\rtf1\\ansi the dog}\n"),
    Format("postscript", title="PostScript", evidence=Signs(first="%!PS").find, remedy="expected the text itself.",
        example="%!PS-Adobe-3.0\n"),
    Format("chat", title="CHAT, the format of CHILDES and TalkBank",
        evidence=Signs(some=r"@UTF8\s*$|@Begin\s*$|@Languages:|\*[A-Z0-9]{2,8}:\t",
                       every=r"(\*[A-Z0-9]{1,8}:|%[a-z]+:|@[A-Z]|\t).*").find,
        remedy=_by(_CHAT_LINES, ", which keeps the lines of all speakers, and the codes within them; flo of CLAN removes codes."),
        example="@UTF8\n@Begin\n*MOT:\tlook at the dog .\n%mor:\tv|look\n@End\n"),
    Format("srt", title="subtitles (SRT or WebVTT)", evidence=Signs(some=r"(\d+:)?\d\d:\d\d[.,]\d{3} --> ").find,
        remedy=Message(_by(r"awk '/-->/ {t = 1; next} /^[ \t\r]*$/ {t = 0} t'", ", which keeps the lines of text"), _OR_TIMES),
        example="1\n00:00:00,400 --> 00:00:00,700\nthe dog\n\n2\n00:00:00,700 --> 00:00:01,200\nbarks\n"),
    Format("rttm", title="RTTM of NIST", evidence=Signs(some="[A-Z]", every=rf";;.*|{_RTTM}").find,
        remedy=_AS_TIMES,
        example="SPEAKER rec 1 0.40 0.30 <NA> <NA> s1 <NA> <NA>\n"),
    Format("stm", title="STM of NIST",
        evidence=Signs(fewest=2, every=r";;.*|\S+\s+\S+\s+\S+\s+\d+\.\d+\s+\d+\.\d+\s+\S.*", some=r"[^;]").find,
        remedy=_by(r"sed -E '/^;;/d; s/^([^[:space:]]+[[:space:]]+){5}(<[^>]*>[[:space:]]*)?//'", ", which keeps the words."),
        example=";; comment\nrec 1 ann 0.40 1.20 <o,f0,female> the dog\nrec 1 bob 1.20 2.00 <o,f0,male> a cat\n"),
    Format("esps", title="a label file of ESPS (xwaves, Buckeye)",
        evidence=Signs(some=r"#\s*$", also=r"\s*\d+\.\d+\s+\d+\s+\S").find,
        remedy=_AS_TIMES,
        example="signal rec\ntype 0\ncolor 121\nseparator ;\n#\n    0.400000  121 the; dh ah; DT\n"
        "    0.700000  121 dog; d ao g; NN\n"),
    Format("praat", title="a file of Praat that is no TextGrid",
        evidence=find_praat_object, remedy="in Praat, save the TextGrid as a text file.",
        example='File type = "ooTextFile"\nObject class = "PitchTier"\n\nxmin = 0\n'),
    Format("eaf", title="ELAN", evidence=Signs(some=r".*<ANNOTATION_DOCUMENT\b").find,
        remedy=Message("in ELAN, export it as text (File, Export As)", _OR_TIMES),
        example='<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT AUTHOR="">\n<TIER TIER_ID="words"/>\n'
        "</ANNOTATION_DOCUMENT>\n"),
    Format("transcriber", title="a transcription in XML (Transcriber, EXMARaLDA)",
        evidence=Signs(some=r".*<(Trans|basic-transcription|annotation-document)\b").find,
        remedy="in the program, export it as a Praat TextGrid, or as plain text.",
        example='<?xml version="1.0"?>\n<!DOCTYPE Trans SYSTEM "trans-14.dtd">\n<Trans scribe="ann"><Episode/></Trans>\n'),
    Format("tei", title="TEI", evidence=Signs(some=r".*<(TEI|teiCorpus)(\.\d)?[ >]").find,
        remedy=_by(_TEI_WORDS, ", if it marks sentences (s) and words (w)."),
        example='<?xml version="1.0"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0">\n'
        "<text><s><w>the</w> <w>dog</w></s></text></TEI>\n"),
    Format("vertical", title="vertical text with tags of structure (Sketch Engine, Corpus Workbench)",
        evidence=Signs(some=r"<(s|p|doc|text|file|corpus)( [^<>]*)?>\s*$", also=r"[^<\t]+\t\S",
                       every=r"<.*>\s*|[^\t]+(\t.*)?").find,
        remedy=_by(_SENTENCES, ", which makes a line of each <s>."),
        example='<doc id="1">\n<s>\nthe\tDT\ndog\tNN\n</s>\n<s>\nbarks\tVBZ\n</s>\n</doc>\n'),
    Format("xml", title="XML", evidence=Signs(first=r"\s*<(\?xml|!DOCTYPE)\b").find,
        remedy="take the text out of its elements: an utterance a line, and spaces between words.",
        example='<?xml version="1.0"?>\n<corpus><s>the dog</s></corpus>\n'),
    Format("sgml", title="text with tags of SGML on lines of their own, as in the Chinese Treebank",
        evidence=Signs(first=r"<[A-Za-z][^<>]*>\s*$", also=r"</[A-Za-z]+>\s*$").find, remedy=_by("grep -v '^<'"),
        example="<DOC>\n<S ID=1>\nthe dog\n</S>\n</DOC>\n"),
    Format("conllu_plus", title="CoNLL-U Plus whose first columns are not ID and FORM",
        evidence=Signs(first=r"# global\.columns = (?!ID FORM( |$))").find,
        remedy="write the columns ID and FORM first, with tabs between columns, in a file whose name ends in .conllu.",
        example="# global.columns = FORM UPOS\nthe\tDET\ndog\tNOUN\n\n"),
    Format("mecab_dump", title="MeCab's output format dump", evidence=Signs(first=r"\d+ BOS BOS/EOS,").find,
        remedy="run MeCab without -Odump.",
        example="0 BOS BOS/EOS,*,*,*,*,*,*,*,* 0 0 0 0 0 0 2 1 0.0 0.0 0.0 0\n"),
    Format("dependency_tree", title="the drawing of a tree by CaboCha or KNP",
        evidence=Signs(some=r"EOS\s*$", also=r".*(-D|[─┤┐])\s*$").find,
        remedy="run CaboCha with -f1, and KNP with -tab.", example="  太郎は---D\n  走った\nEOS\n"),
    Format("trees", title="trees with brackets, as in the Penn Treebank",
        evidence=Signs(first=r"\s*\(\s*(\(|ROOT|TOP|S1?[ \-=(]|[A-Z]+ \()",
                       some=r".*\([^()\s]+ [^()\s]+\)", every=r"\s*[()].*|\s+\S.*").find,
        remedy=_by(_TREE_LEAVES, ", which keeps the leaves, a tree a line."),
        example="(S (NP (DT The) (NN dog)) (VP (VBZ barks)))\n"),
    Format("masses", title="segeval's masses of segments", evidence=find_masses, is_json=True,
        remedy=Message("write a label for each unit, 1 where a segment begins, as [1, 0, 1, 0, 0] for the masses [2, 3], in JSON "
                       'lines such as {"reference": [1, 0, 1, 0, 0], "prediction": [1, 0, 0, 1, 0]}, in a file whose name ends '
                       "in .jsonl, and add ", OPTIONS["label_scheme"].set("start"), "."),
        example='{"items": {"text": {"ann": [2, 3], "bob": [3, 2]}}, "segmentation_type": "linear"}\n'),
    Format("tokenizer", title="the file of a tokenizer (tokenizer.json)", is_json=True,
        evidence=partial(find_json_object, pattern=r'\A\s*\{\s*"version":\s*"[^"]*",\s*"truncation":'),
        remedy="name it as a prediction, after the reference.",
        example='{"version": "1.0", "truncation": null, "padding": null, "model": {"type": "BPE"}}\n'),
    Format("token_ids", title="the vocabulary of a tokenizer (vocab.json)", evidence=find_token_ids, is_json=True,
        remedy="its tokens are no words. As a prediction name the file tokenizer.json, which save_pretrained() writes; as a "
        "vocabulary name the words of the training text.", example='{"<unk>": 0, "the": 1, "do": 2, "g": 3}\n'),
    Format("merges", title="the merges of a tokenizer (merges.txt)", evidence=Signs(first="#version: ").find,
        remedy="name the file tokenizer.json, which save_pretrained() writes, as a prediction.",
        example="#version: 0.2\nt h\nth e\n"),
    Format("pieces", title="the vocabulary of SentencePiece (.vocab)", evidence=Signs(first=r"<unk>\t-?[\d.]+\s*$").find,
        remedy="its pieces are no words. Name the file .model as a prediction.", example="<unk>\t0\n<s>\t0\n▁the\t-3.1\n"),
    Format("vectors", title="vectors of words (word2vec, fastText)", evidence=find_vectors,
        remedy=_by("sed -e 1d -e 's/ .*//'", ", which keeps the words."),
        example=f"2 10\nthe{' 0.1' * 10}\ndog{' -0.2' * 10}\n"),
    Format("hunspell", title="a dictionary of Hunspell", evidence=Signs(first=r"\d+\s*$", also=r"[^\s/]+/[A-Z][A-Za-z]*\s*$",
        every=r"[^\s/]+(/\S*)?\s*", fewest=3).find, remedy=_by("sed -e 1d -e 's:/.*::'"),
        example="3\ndog/S\nthe\nbark/DGS\n"),
    Format("json_list", title="a list of JSON", evidence=Signs(first=r"\s*\[\s*(\{|$)").find, is_json=True,
        remedy=_by(_TO_LINES, ".jsonl, a row a line."),
        example='[\n  {"reference": "the dog", "prediction": "thedog"}\n]\n'),
    Format("json_object", title="an object of JSON", is_json=True,
        evidence=Signs(first=r"\s*\{\s*$", also=r'\s*"[^"]*"\s*:').find,
        remedy="write an utterance a line, as text or as JSON lines (.jsonl).",
        example='{\n  "sentences": ["the dog", "a cat"]\n}\n'),
    Format("json_lines", title="JSON lines in a file whose name does not end in .jsonl", evidence=find_objects,
        remedy="give it a name that ends in .jsonl.", example='{"reference": "the dog", "prediction": "thedog"}\n'),
    Format("lists", title="lists of words, as Python or JSON writes them",
        evidence=Signs(every=r"""\s*\[\s*(['"].*['"]\s*)?\]\s*""", some=r"""\s*\[\s*['"]""").find,
        remedy=_by(_LISTS_TO_WORDS), example="['the', 'dog']\n['a', 'cat']\n"),
    Format("labels", title="lists of labels",
        evidence=Signs(every=r"\s*\[(\s*-?\d+\s*(,\s*-?\d+\s*)*)?\]\s*", some=r"\s*\[\s*[-\d]").find,
        remedy=Message("""convert it with sed 's/.*/{"reference": &, "prediction": &}/' < OLD > NEW.jsonl, and add """,
                       OPTIONS["label_scheme"].set("start"), " if 1 starts a word."),
        example="[1, 0, 0, 1]\n[1, 1]\n"),
    Format("topics", title="text with lines of ===== between segments (Choi)", evidence=find_topics,
        remedy=Message(_by(_TOPICS, ", in which a sentence is a unit, and add "), _TEXT_FORMAT.set("units"), "."),
        example="==========\nThe dog barks .\nIt is loud .\n==========\nA cat sleeps .\n==========\n"),
    Format("bitext", title="two texts with ||| between them", evidence=Signs(every=r".*\s\|\|\|\s.*", some=r".*\S").find,
        remedy=_by(r"awk -F ' [|][|][|] ' '{print $1}'", ", and with $2 for the other text."),
        example="the dog ||| der Hund\na cat ||| eine Katze\n"),
    Format("useg", title="Universal Segmentations (.useg)",
        evidence=Signs(every=r"[^\t]*\t[^\t]*\t[^\t]*\t[^\t]*\t\{.*\}\s*").find,
        remedy=_by(r"""awk -F'\t' '{gsub(/ \+ /, " ", $4); print $4}'"""),
        example='dogs\tdog\tNOUN\tdog + s\t{"segmentation": []}\n'),
    Format("morfessor", title="Morfessor's segmentations",
        evidence=Signs(some=r".* \+ ", every=r"#.*|\d+ \S+( \+ \S+)*\s*").find,
        remedy=_by(r"sed -E '/^#/d; s/^[0-9]+ //; s/ [+] / /g'"),
        example="# Output from Morfessor Baseline 2.0.6\n12 dog + s\n3 the\n"),
)  # fmt: skip

#: Forms that are recognised after the formats that are read: their signs are signs of those too.
LATE: tuple[Format, ...] = (
    Format("token_lines", title="words with an id on each line, as in CoNLL-U", evidence=find_token_lines,
        remedy=Message("add ", _TEXT_FORMAT.set("conllu"), ", or give it a name that ends in .conllu."),
        example="1\tthe\tDET\n2\tdog\tNOUN\n\n1\tit\tPRON\n\n"),
    Format("entities", title="words in columns with labels of entities or chunks (CoNLL-2003)",
        evidence=find_entities, remedy=_by(_FIRST_COLUMN),
        example="EU NNP B-ORG\nrejects VBZ O\ncalls NNS O\n\nPeter NNP B-PER\n\n"),
    Format("word_lines", title="a word and its tag on each line (TreeTagger)", evidence=find_tags_in_columns,
        remedy=_by(_FIRST_COLUMN),
        example="The\tDT\ndog\tNN\n.\t.\n\nA\tDT\ncat\tNN\n.\t.\n"),
    Format("trn", title="TRN of NIST, with an id at the end of each line",
        evidence=Signs(every=r".*\([^()\s]*\d[^()\s]*\)\s*", fewest=2, some=r".*\([^()\s]*[-_][^()\s]*\)").find,
        remedy=_by("sed 's/ *([^()]*) *$//'"),
        example="the dog (ann-001)\na cat (ann-002)\n"),
    Format("underscored", title="words with a tag after _ (Chinese Treebank, Stanford's tagger)", evidence=find_underscored_tags,
        remedy=Message("add ", _TEXT_FORMAT.set("tagged"), " and ", OPTIONS["separator"].set("_"), "."),
        example="上海_NR 浦东_NR 开发_NN 与_CC 法制_NN 建设_NN\n"),
    Format("mostly_tagged", title="words with a tag after /, but for a few", evidence=partial(find_most_tags, separator="/"),
        remedy=Message("add ", _TEXT_FORMAT.set("tagged"), ", and mend the line without a tag, which the error then names."),
        example="the/dt dog/nn sees/vb a/dt cat/nn and/cc\nthe/dt cat/nn sees/vb a/dt dog/nn .\n"),
    Format("piped", title="words with a tag after |", evidence=partial(find_most_tags, separator="|"),
        remedy=Message("add ", _TEXT_FORMAT.set("tagged"), " and ", OPTIONS["separator"].set("|"), "."),
        example="the|dt dog|nn sees|vb a|dt cat|nn and|cc\nthe|dt cat|nn sees|vb a|dt dog|nn .|punc\n"),
    Format("lower_underscored", title="words with a tag after _", evidence=partial(find_most_tags, separator="_"),
        remedy=Message("add ", _TEXT_FORMAT.set("tagged"), " and ", OPTIONS["separator"].set("_"), "."),
        example="the_dt dog_nn sees_vb a_dt cat_nn and_cc\nthe_dt cat_nn sees_vb a_dt dog_nn ._punc\n"),
    Format("words_beside_tags", title="a word and its tag on each line", evidence=find_words_beside_tags,
        remedy=_by(_FIRST_COLUMN),
        example="the dt\ndog nn\nsees vb\n\n" * 7),
    Format("factors", title="words with factors (Moses)", evidence=find_factors, remedy=_by(r"sed -E 's/[|][^ ]*//g'"),
        example="the|the|DT dog|dog|NN barks|bark|VBZ .|.|.\n"),
    Format("slashes", title="words with / between them, as jieba's command writes", evidence=find_slashes,
        remedy=_by("sed 's: / : :g'"), example="我们 / 在 / 上海 / 学习\n"),
    Format("subwords", title="subwords with the marks of a tokenizer", evidence=find_subwords,
        remedy=Message("to score the subwords as words, add ", OPTIONS["subword_marks"].set("strip"), "."),
        example="▁the ▁do g ▁bark s\n▁a ▁c at\n"),
    Format("speakers", title="lines with the name of a speaker",
        evidence=Signs(most=r"\*[A-Z0-9]{2,8}:\s.*", fewest=2, is_weak=True).find,
        remedy=_by("sed -E 's/^[*][A-Z0-9]+:[[:space:]]*//'"), example="*MOT: look at the dog\n*CHI: dog\n"),
    Format("numbered", title="lines that begin with a number or an id", evidence=find_numbers,
        remedy=_by("sed -E 's/^[^[:space:]]+[[:space:]]+//'"), example="1 the dog\n2 a cat\n3 it is\n"),
)  # fmt: skip
