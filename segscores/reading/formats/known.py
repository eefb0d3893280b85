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
    find_objects,
    find_praat_object,
    find_slashes,
    find_speakers,
    find_subwords,
    find_tags,
    find_tags_in_columns,
    find_token_ids,
    find_token_lines,
    find_topics,
    find_vectors,
    find_words_beside_tags,
    find_yaml,
)
from .surroundings import (
    SPECIAL_TOKENS,
    find_comments,
    find_ends_of_sentences,
    find_ids,
    find_ids_at_ends,
    find_json_strings,
    find_marks,
    find_mojibake,
    find_pairs_in_lines,
    find_pairs_of_lines,
    find_scores,
    find_special_tokens,
)

_TO_LINES = "python3 -c 'import json, sys; [print(json.dumps(row)) for row in json.load(sys.stdin)]'"
_YAML_TO_LINES = "python3 -c 'import json, sys, yaml; [print(json.dumps(row)) for row in yaml.safe_load(sys.stdin)]'"
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
_SUBTITLES = r"awk '/-->|^[0-9:.]+,[0-9:.]+[ \r]*$/ {t = 1; next} /^[ \t\r]*$/ {t = 0} t'"
_DIALOGUE = r"""awk '/^Dialogue:/ {for (i = 0; i < 9; i++) sub(/^[^,]*,/, ""); print}'"""
_COLUMN_OF_SENTENCES = (
    """awk '/^#/ {{next}} NF {{line = line sep ${column}; sep = " "; next}} line {{print line; line = sep = ""}} """
    """END {{if (line) print line}}'"""
)
_NEGRA = r"""awk '/^#BOS/ {l = ""; next} /^#EOS/ {print l; next} /^[^#%]/ {l = l (l ? " " : "") $1}'"""
_COHORTS = r"""awk '/^"</ {gsub(/^"<|>"[ \t\r]*$/, ""); printf "%s%s", s, $0; s = " "} END {print ""}'"""
_UNIGRAMS = r"""awk '/^\\/ {f = /^\\1-grams:/; next} f && NF > 1 {print $2}'"""
_HYPOTHESES = (
    r"""awk -F'\t' '/^H-/ {i = substr($1, 3) + 0; h[i] = $3; if (i > n) n = i} """
    """END {for (i = 0; i <= n; i++) print h[i]}'"""
)
_LITERALS_TO_LINES = (
    "python3 -c 'import ast, json, sys; [print(json.dumps(ast.literal_eval(line))) for line in sys.stdin]'"
)
_PAIRS_TO_WORDS = (
    r"""python3 -c 'import re, sys; [print(*re.findall(r"\(.(.+?).,\s*.[^()]*\)", line)) for line in sys.stdin]'"""
)
_LABELS_TO_COLUMNS = (
    r"""awk '{for (i = 1; i <= NF; i++) {w = t = $i; sub(/[\/_][^\/_]*$/, "", w); sub(/.*[\/_]/, "", t); print w "\t" t} """
    """print ""}'"""
)
_MORPHEMES = (
    r"""awk -F'\t' 'NF > 1 {gsub(/ \+ /, " ", $NF); l = l (l ? " " : "") $NF; next} l {print l; l = ""} """
    """END {if (l) print l}'"""
)
_ORCHID = (
    r"""awk '/^[#%]/ {next} /^\/\/[ \r]*$/ {if (l) print l; l = ""; next} """
    r"""sub(/\/[A-Z@<>_]+\/\/.*/, "") {l = l (l ? " " : "") $0}'"""
)
_BRAT = r"""awk -F'\t' '/^T/ {printf "%s%s", s, $3; s = " "} END {print ""}'"""
_LABELS_TO_LINES = """sed -E 's/ +/, /g; s/.*/{"reference": [&], "prediction": [&]}/'"""
_ENDS_OF_SENTENCES = """awk 'NF {print; f = 1; next} f {print "EOS"; f = 0} END {if (f) print "EOS"}'"""
_TAGS_TO_LINES = (
    r"""awk '{gsub(/[ \r]/, ""); gsub(/./, "\"&\", "); sub(/, $/, ""); """
    r"""print "{\"reference\": [" $0 "], \"prediction\": [" $0 "]}"}'"""
)
#: A line of marks, such as `---` between parts, or a fence of code.
_RULE = r"([-*_~+]{3,}|`{3}[a-z]*)\s*$"
#: Names of columns of text.
_NAMES = (
    "text|utterance|utt|sentence|words?|tokens?|segmented|segmentation|reference|prediction|hypothesis|transcript(ion)?"
)
#: A word and its part of speech in Korean, as of the Sejong corpus.
_MORPHEME = r"[^\s+]*\S/[A-Z]{1,4}"
#: A phone of English in ARPABET, with the stress of a vowel.
_ARPABET = "[A-Z]{1,2}[0-2]?"
#: A label of a unit, and a unit with it.
_UNIT_LABEL = r"\S[/_][BMIES]"
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
    Format("iso2022_kr", title="text in ISO-2022-KR", evidence=Signs(some=r".*\x1b\$\)C").find,
        remedy=Message("add ", OPTIONS["encoding"].set("iso2022_kr"), ", or ", _by("iconv -f ISO-2022-KR -t UTF-8")),
        example="\x1b$)C\x0e3*\x0f \x0eGP13\x0f \x0e?!\x0f\n"),
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
    Format("srt", title="subtitles (SRT, WebVTT or SBV)",
        evidence=Signs(some=r"(\d+:)?\d+:\d\d[.,]\d{3}( --> |,(\d+:)?\d+:\d\d\.\d{3}\s*$)").find,
        remedy=Message(_by(_SUBTITLES, ", which keeps the lines of text"), _OR_TIMES),
        example="1\n00:00:00,400 --> 00:00:00,700\nthe dog\n\n2\n00:00:00,700 --> 00:00:01,200\nbarks\n"),
    Format("ass", title="subtitles (ASS or SSA)", evidence=Signs(first=r"\[Script Info\]").find,
        remedy=_by(_DIALOGUE, ", which keeps the lines of text."),
        example="[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, "
        "Text\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,the dog\n"),
    Format("bracketed_times", title="lines of text after times in brackets (Whisper, LRC)",
        evidence=Signs(fewest=2, every=r"\[[\d:.,]*[:.]\d+(s?\s*(-->|-|–)\s*[\d:.,]+s?)?\].*", some=r".*\]\s*\S").find,
        remedy=_by(r"sed -E 's/^\[[^]]*\][[:space:]]*//'"),
        example="[00:00.000 --> 00:01.200]  the dog\n[00:01.200 --> 00:02.000]  a cat\n"),
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
    Format("xml", title="XML",
        evidence=Signs(first=r"\s*<(\?xml\b|!DOCTYPE\b|[A-Za-z][\w:.-]*\s([^<>]*\s)?xmlns(:\w+)?=|[A-Za-z][\w:.-]*>\s*<[A-Za-z])").find,
        remedy="take the text out of its elements: an utterance a line, and spaces between words.",
        example='<?xml version="1.0"?>\n<corpus><s>the dog</s></corpus>\n'),
    Format("sgml", title="text with tags of SGML on lines of their own, as in the Chinese Treebank",
        evidence=Signs(first=r"<[A-Za-z][^<>]*>\s*$", also=r"</[A-Za-z]+>\s*$").find, remedy=_by("grep -v '^<'"),
        example="<DOC>\n<S ID=1>\nthe dog\n</S>\n</DOC>\n"),
    Format("conll2012", title="columns of CoNLL-2012 (OntoNotes)",
        evidence=Signs(some=r"#begin document|\S+/\S+ +\d+ +\d+ +\S+ +\S+ ",
                       every=r"#.*|\S+ +\d+ +\d+ +\S+ +\S+ .*").find,
        remedy=_by(_COLUMN_OF_SENTENCES.format(column=4)),
        example="#begin document (bc/cctv/00/cctv_0001); part 000\nbc/cctv/00/cctv_0001   0   0    The   DT  (TOP(S(NP*    -  -\n"
        "bc/cctv/00/cctv_0001   0   1    dog   NN   *))   -  -\n\n#end document\n"),
    Format("conllx_spaces", title="CoNLL-X with spaces between its columns",
        evidence=Signs(fewest=2, first=r"1\s", every=r"\d+( +\S+){5} +(\d+|_)( +\S+){1,3}\s*").find,
        remedy=_by(r"awk '{$1 = $1} 1' OFS='\t'", ".conllu."),
        example="1 the _ DET DT _ 2 det _ _\n2 dog _ NOUN NN _ 0 root _ _\n\n"),
    Format("negra", title="the export format of NEGRA", evidence=Signs(some=r"#BOS \d", also=r"#EOS \d|[^#\s]+\t").find,
        remedy=_by(_NEGRA),
        example="#BOS 1 0 0 0\nthe\tthe\tDT\t--\tNK\t500\ndog\tdog\tNN\t--\tNK\t500\n#500\t--\tNP\t--\t--\t0\n#EOS 1\n"),
    Format("cohorts", title="cohorts of Constraint Grammar", evidence=Signs(first=r'"<[^<>]+>"', also=r'\s+"[^"]*" ').find,
        remedy=_by(_COHORTS, ", which makes one utterance of all."), example='"<the>"\n\t"the" DET\n"<dog>"\n\t"dog" N\n'),
    Format("apertium", title="the stream format of Apertium", evidence=Signs(every=r"(\S*\^[^/^$]+/[^^$]+\$\S*\s*)+").find,
        remedy=_by(r"sed -E 's/\^([^/$]*)\/[^$]*\$/\1/g'"), example="^the/the<det>$ ^dog/dog<n>$\n"),
    Format("giza", title="alignments of GIZA++", evidence=Signs(first=r"# Sentence pair \(\d+\)").find,
        remedy=_by("awk 'NR % 3 == 2'", ", which keeps the text of one side."),
        example="# Sentence pair (1) source length 3 target length 2 alignment score : 0.1\nthe dog\n"
        "NULL ({ }) der ({ 1 }) Hund ({ 2 })\n"),
    Format("bisegments", title="an alignment of two texts (vecalign)",
        evidence=Signs(every=r"\s*\[[\d, ]*\]\s*:\s*\[[\d, ]*\]\s*(:.*)?").find, remedy="score it with segscores alignment.",
        example="[0]:[0]:0.156006\n[1]:[1, 2]:0.212891\n"),
    Format("links", title="word alignments (Moses, fast_align)",
        evidence=Signs(some=r"\d+-\d+ \d+-\d+", every=r"\d+-\d+( \d+-\d+)*\s*").find,
        remedy="score it with segscores alignment, as docs/how-to/text-alignment.md says.", example="0-0 1-1\n0-0 1-2 2-1\n"),
    Format("po", title="a catalogue of messages (gettext)", evidence=Signs(some='msgid "', also='msgstr(\\[0\\])? "').find,
        remedy=_by(r"""sed -n 's/^msgstr "\(..*\)"$/\1/p'"""), example='msgid "der Hund"\nmsgstr "the dog"\n'),
    Format("latex", title="LaTeX", evidence=Signs(some=r"\\(documentclass|begin\{\w+\})|.*\S\s*\\\\\s*$").find,
        remedy="take the text out of it, as with pandoc -t plain.",
        example="\\documentclass{article}\n\\begin{document}\nthe dog\n\\end{document}\n"),
    Format("markdown", title="a table of Markdown",
        evidence=Signs(every=r"\s*\|.*\|\s*", some=r"\s*\|([\s:-]*-[\s:-]*\|)+\s*$").find,
        remedy=_by(r"sed -E '/^[-| :]+$/d; s/^ *\| *//; s/ *\| *$//; s/ *\| */\t/g'", ".tsv."),
        example="| reference | prediction |\n|---|---|\n| the dog | thedog |\n"),
    Format("difference", title="the differences of two files (diff)",
        evidence=Signs(first="(diff --git |--- |@@ -)", some=r"(\+\+\+ |@@ -)", also="@@ -").find,
        remedy="name the two files that it compares.", example="--- a\n+++ b\n@@ -1 +1 @@\n-the dog\n+thedog\n"),
    Format("brat", title="annotations of brat",
        evidence=Signs(some=r"T\d+\t", every=r"(T\d+\t\S+ \d+ \d+(;\d+ \d+)*\t|[REAMN#*]\d*\t).*").find,
        remedy=_by(_BRAT, ", which makes one utterance of all."),
        example="T1\tWord 0 3\tthe\nT2\tWord 4 7\tdog\n"),
    Format("arpa", title="a language model (ARPA)", evidence=Signs(first=r"\\data\\").find,
        remedy=_by(_UNIGRAMS, ", which keeps the words, a vocabulary."),
        example="\\data\\\nngram 1=2\n\n\\1-grams:\n-1.0\tthe\n-1.2\tdog\n\n\\end\\\n"),
    Format("fairseq", title="the output of fairseq-generate", evidence=Signs(some=r"H-\d+\t", also=r"[ST]-\d+\t").find,
        remedy=_by(_HYPOTHESES, ", which keeps the hypotheses in their order."),
        example="S-1\tein Hund\nT-1\ta dog\nH-1\t-0.3\ta dog\nP-1\t-0.1\nS-0\tdas\nT-0\tit\nH-0\t-0.2\tit is\n"),
    Format("orchid", title="the corpus ORCHID",
        evidence=Signs(some=r"\S+/[A-Z]{4}//\s*$", every=r"[#%].*|.*(//|\\\\|/)\s*").find,
        remedy=_by(_ORCHID), example="%Title: x\n#1\n#1\nการประชุม//\nการ/FIXN//\nประชุม/VACT//\n//\n"),
    Format("morphemes", title="words with their morphemes and tags in columns (Sejong corpus, Khaiii)",
        evidence=Signs(every=rf"<.*>|(\S+\t)?\S+\t{_MORPHEME}(( \+ |\+){_MORPHEME})*\s*", some=r".*\S/[A-Z]{1,4} \+ \S").find,
        remedy=Message(_by(_MORPHEMES, ", and add "), _TEXT_FORMAT.set("tagged"), ", in which each morpheme is a word."),
        example="나는\t나/NP + 는/JX\n학교에\t학교/NNG + 에/JKB\n\n가\t가/VV\n"),
    Format("joined_morphemes", title="morphemes with tags, and + between those of a word (Korean)",
        evidence=Signs(every=rf"(\s*{_MORPHEME}(\+{_MORPHEME})*)+\s*", some=rf"(.*\s)?{_MORPHEME}\+[^\s/]").find,
        remedy=Message(_by(r"sed -E 's:(/[A-Z]+)\+:\1 :g'", ", and add "), _TEXT_FORMAT.set("tagged"),
                       ", in which each morpheme is a word."),
        example="나/NP+는/JX 학교/NNG+에/JKB 가/VV+다/EF\n"),
    Format("labelled_units", title="units with labels of their places in words (B, M or I, E, S)",
        evidence=Signs(every=rf"(\s*{_UNIT_LABEL}(?!\S)){{2,}}\s*", some=r".*[/_]B(\s|$)").find,
        remedy=Message(_by(_LABELS_TO_COLUMNS, ", and add "), _TEXT_FORMAT.set("conll"), "."),
        example="北/B 京/E 很/S 大/S\n我/S 爱/S 你/S\n"),
    Format("tagged_lines", title="a word with its tag on each line (as of a loop over jieba.posseg)",
        evidence=Signs(fewest=4, every=r"\S+/[A-Za-z]{1,5}\s*").find,
        remedy=_by("awk 'NF {l = l s $1; s = \" \"; next} {print l; l = s = \"\"} END {if (l) print l}'",
                   ", in which a blank line ends an utterance."),
        example="我/r\n爱/v\n北京/ns\n天安门/ns\n"),
    Format("label_lines", title="lines of labels (B, M or I, E, S)",
        evidence=Signs(fewest=2, first=".*B", every=r"(?=.*\S\S|.*\S +\S|\S\s*$)[BMIES ]+\s*").find,
        remedy=Message(_by(_TAGS_TO_LINES, ".jsonl, and add "), OPTIONS["label_scheme"].set("BMES"),
                       ", or another scheme that the labels follow."),
        example="B E S B M E\nS B E\n"),
    Format("settings", title="settings (TOML, INI)",
        evidence=Signs(some=r"[\w.-]+ *= *(\[\s*$|\S)", every=r"\[[\w. -]+\]\s*|[#;].*|[\w.-]+ *= *\S.*|\s+\S.*|\]\s*",
                       also=r"\[[\w. -]+\]\s*$|\]\s*$").find,
        remedy="write an utterance a line, as text or as JSON lines (.jsonl).",
        example='[sentences]\ns0 = "the dog"\ns1 = "a cat"\n'),
    Format("pandas", title="a series or table as pandas prints it",
        evidence=Signs(fewest=2, some=r".*dtype: \w+\s*$| {3,}[A-Za-z_]\S*\s*$", also=r"0 {2,}\S",
                       every=r"\s*\d+ {2,}\S.*|.*dtype: \w+\s*| +[A-Za-z_]\S*( +\S+)*\s*|\.\.\..*|\[\d+ rows x .*").find,
        remedy='in Python, write the column with to_csv("text.csv"), and name that file.',
        example="0    the dog\n1      a cat\nName: text, dtype: object\n"),
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
        evidence=Signs(first=r"\s*\(\s*(\(|ROOT|TOP|S1?[ \-=(]|[A-Z]+[A-Z0-9=-]* \()",
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
    Format("pronunciations", title="a dictionary of pronunciations (CMUdict)",
        evidence=Signs(fewest=2, some=rf"[A-Za-z'.-]{{3,}}(\(\d+\))?\s+({_ARPABET} )*[A-Z]{{2}}[0-2]\b",
                       every=rf";;;.*|\S+\s+{_ARPABET}( {_ARPABET})*( #.*)?\s*").find,
        remedy=_by(r"sed -E '/^;;;/d; s/[[:space:]].*//; s/\([0-9]+\)$//'", ", which keeps the words, a vocabulary."),
        example=";;; CMUdict\nDOG  D AO1 G\nDOGS  D AO1 G Z\nREAD(1)  R IY1 D\n"),
    Format("r_table", title="a table as R writes it, with the names of rows",
        evidence=Signs(fewest=2, first=r'"[^"]*"( "[^"]*")*\s*$', also=r'"\d+" ',
                       every=r'"[^"]*"( ("[^"]*"|-?[\d.]+|NA|TRUE|FALSE))*\s*').find,
        remedy='in R, write a column with writeLines(), or a table with write.table(…, sep="\\t", quote=FALSE, row.names=FALSE).',
        example='"reference" "prediction"\n"1" "the dog" "thedog"\n"2" "a cat" "a cat"\n'),
    Format("analyses", title="analyses of words by a transducer (hfst, foma)",
        evidence=Signs(fewest=2, every=r"[^\t]+\t[^\t]*\+([A-Z][^\t]*|\?)(\t(inf|\d+([.,]\d+)?))?\s*").find,
        remedy="an analysis is no segmentation: expected words, or words with the morphemes that spell them.",
        example="kissat\tkissa+N+Pl+Nom\t0.000000\n\ntalo\ttalo+N+Sg+Nom\t0.000000\n\nxyz\txyz+?\tinf\n\n"),
    Format("json_list", title="a list of JSON", evidence=Signs(first=r"\s*\[\s*(\{|$)").find, is_json=True,
        remedy=_by(_TO_LINES, ".jsonl, a row a line."),
        example='[\n  {"reference": "the dog", "prediction": "thedog"}\n]\n'),
    Format("json_object", title="an object of JSON", is_json=True,
        evidence=Signs(first=r"\s*\{\s*$", also=r'\s*"[^"]*"\s*:').find,
        remedy="write an utterance a line, as text or as JSON lines (.jsonl).",
        example='{\n  "sentences": ["the dog", "a cat"]\n}\n'),
    Format("yaml", title="YAML", evidence=find_yaml,
        remedy=_by(_YAML_TO_LINES, ".jsonl, which needs PyYAML and a list with a row for each utterance."),
        example="- reference: the dog\n  prediction: thedog\n"),
    Format("json_lines", title="JSON lines in a file whose name does not end in .jsonl", evidence=find_objects,
        remedy="give it a name that ends in .jsonl.", example='{"reference": "the dog", "prediction": "thedog"}\n'),
    Format("dicts", title="dicts, as Python writes them", evidence=Signs(every=r"\s*\{'.*\}\s*").find,
        remedy=_by(_LITERALS_TO_LINES, ".jsonl."), example="{'reference': 'the dog', 'prediction': 'thedog'}\n"),
    Format("pairs", title="lists of words and tags, as Python writes them",
        evidence=Signs(every=r"\s*\[\s*((pair)?\(\s*['\"].*\)\s*)?\]\s*", some=r"\s*\[\s*(pair)?\(").find,
        remedy=_by(_PAIRS_TO_WORDS, ", which keeps the words."),
        example="[('the', 'DT'), ('dog', 'NN')]\n[pair('a', 'x'), pair('cat', 'n')]\n"),
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
    Format("nbest", title="lists of the n best (Moses)", evidence=Signs(every=r"\d+ \|\|\| .*\|\|\|.*").find,
        remedy=_by(r"awk -F ' [|][|][|] ' 'NR == 1 || $1 != p {print $2} {p = $1}'", ", which keeps the first of each."),
        example="0 ||| the dog ||| LM: -1 ||| -3\n0 ||| thedog ||| LM: -2 ||| -4\n1 ||| a cat ||| LM: -1 ||| -3\n"),
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
    Format("ends_of_sentences", title="words with lines of EOS between the utterances (MeCab)", evidence=find_ends_of_sentences,
        remedy=_by("""awk '/^EOS[ \\r]*$/ {print l; l = ""; next} {l = l (l ? " " : "") $0}'"""),
        example="東京 に 住む\nEOS\n私 は 学生\nEOS\n"),
    Format("pairs_of_lines", title="each text twice, on a line without spaces and on a line of words",
        evidence=find_pairs_of_lines,
        remedy=_by("awk 'NF {if (++n % 2) {l = $0; w = NF} else print (NF < w ? l : $0)}'", ", which keeps the lines of words."),
        example="thedog\nthe dog\nacat\na cat\n"),
    Format("pairs_in_lines", title="a word or text and its segmentation on each line", evidence=find_pairs_in_lines,
        remedy=_by("sed -E 's/^ *[^ ]+ +((->|=>|→|⇒|[:=|]) +)?//'", ", which keeps the segmentation."),
        example="dogs dog s\ncat cat\nplayed play ed\n"),
    Format("special_tokens", title="text with the special tokens of a model", evidence=find_special_tokens,
        remedy=_by(f"sed -E 's/{SPECIAL_TOKENS.replace('/', chr(92) + '/')}| EOS *$//g'"),
        example="<s> the dog </s>\n<s> a cat </s>\n"),
    Format("mojibake", title="UTF-8 that was taken for Latin-1 or Windows-1252", evidence=find_mojibake,
        remedy=_by("iconv -f UTF-8 -t WINDOWS-1252", ", or -t LATIN1."), example="cafÃ© a\nthÃ© b\n"),
    Format("json_strings", title="strings of JSON", evidence=find_json_strings,
        remedy=_by("""python3 -c 'import json, sys; [print(json.loads(line.strip().rstrip(","))) for line in sys.stdin]'"""),
        example='"caf\\u00e9 a"\n"th\\u00e9 b"\n'),
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
        evidence=find_ids_at_ends,
        remedy=_by("sed 's/ *([^()]*) *$//'"),
        example="the dog (ann-001)\na cat (ann-002)\n"),
    Format("mecab_lines", title="MeCab's columns without EOS after each utterance (Janome, kuromoji)",
        evidence=Signs(every=r"[^\t]+\t[^\t,]+(,[^\t,]*){4,}").find,
        remedy=Message(_by(_ENDS_OF_SENTENCES, " if blank lines end its utterances, and add "), _TEXT_FORMAT.set("mecab"), "."),
        example="東京\t名詞,固有名詞,地域,一般,*,*,東京,トウキョウ,トーキョー\n\n住む\t動詞,自立,*,*,五段・マ行,基本形,住む,スム,スム\n"),
    Format("underscored", title="words with a tag after _ (Chinese Treebank, THULAC, Stanford's tagger)",
        evidence=partial(find_tags, token=r"(\S*\S)_([A-Z]{1,5}\$?|-?[A-Z]+-|[^\w\s]{1,3}|(?<=[^\x00-\u0dff]_)[a-z]{1,5})"),
        remedy=Message("add ", _TEXT_FORMAT.set("tagged"), " and ", OPTIONS["separator"].set("_"), "."),
        example="上海_NR 浦东_NR 开发_NN 与_CC 法制_NN 建设_NN\n"),
    Format("hashed", title="words with a tag after # (Stanford's tagger)",
        evidence=partial(find_tags, token=r"(\S*\S)#([A-Z]{1,5})"),
        remedy=Message("add ", _TEXT_FORMAT.set("tagged"), " and ", OPTIONS["separator"].set("#"), "."),
        example="上海#NR 浦东#NR 开发#NN 与#CC 法制#NN 建设#NN\n"),
    Format("parenthesised", title="words with a tag in brackets (CKIP)",
        evidence=partial(find_tags, token=r"(\S+)\(([A-Za-z_]+)\)"),
        remedy=_by(r"sed -E 's/\([A-Za-z_]+\)//g'"), example="我(Nh)　愛(VL)　台北(Nc)\n他(Nh)　去(VCL)　學校(Nc)\n"),
    Format("listed_tags", title="lists of words with a tag after / (HanLP)",
        evidence=Signs(every=r"\s*\[[^\s\[\],]+/[A-Za-z]+(, \S+/[A-Za-z]+)*\]\s*").find,
        remedy=Message(_by("sed -E 's/^\\[//; s/\\]$//; s/, / /g'", ", and add "), _TEXT_FORMAT.set("tagged"), "."),
        example="[我/PN, 爱/VV, 北京/NR]\n[他/PN, 去/VV]\n"),
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
    Format("slashes", title="words with / between them, as jieba's command and its examples write",
        evidence=find_slashes, remedy=_by("sed -E 's: */ *: :g'"), example="我们 / 在 / 上海 / 学习\n"),
    Format("subwords", title="subwords with the marks of a tokenizer", evidence=find_subwords,
        remedy=Message("to score the subwords as words, add ", OPTIONS["subword_marks"].set("strip"), "."),
        example="▁the ▁do g ▁bark s\n▁a ▁c at\n"),
    Format("speakers", title="lines with the name of a speaker", evidence=find_speakers,
        remedy=_by("sed -E 's/^([*<]?[[:alnum:]_. -]+[:>])[[:space:]]*//'"), example="*MOT: look at the dog\n*CHI: dog\n"),
    Format("zero_width", title="words with zero-width spaces between them",
        evidence=Signs(most=".*\\S\u200b\\S.*", is_weak=True).find,
        remedy=_by("""python3 -c 'import sys; [print(*line.replace(chr(8203), " ").split()) for line in sys.stdin]'"""),
        example="ខ្ញុំ\u200bទៅ\u200bផ្ទះ\nគាត់\u200bញ៉ាំ\n"),
    Format("piped_ids", title="lines with an id and | before their text (LJ Speech)",
        evidence=Signs(fewest=2, every=r"[A-Za-z0-9_-]*\d\|[^|]+(\|[^|]*)?", is_weak=True).find,
        remedy=_by("cut -d '|' -f 2"), example="LJ001-0001|the dog|the dog\nLJ001-0002|a cat|a cat\n"),
    Format("integers", title="lines of numbers, such as ids of tokens, or labels",
        evidence=Signs(fewest=2, every=r"\s*\d+(\s+\d+)+\s*", is_weak=True).find,
        remedy=Message("ids of tokens are no text; if they are labels, ", _by(_LABELS_TO_LINES, ".jsonl, and add "),
                       OPTIONS["label_scheme"].set("start"), " if 1 starts a word."),
        example="1 0 0 1\n1 1 0\n"),
    Format("comments", title="text with lines of comments", evidence=find_comments, remedy=_by("sed -E '/^(#|%|\\/\\/) /d'"),
        example="# gold of ann\nthe dog\na cat\n"),
    Format("rules", title="utterances with lines of marks between them",
        evidence=Signs(some=_RULE, also=rf"(?!{_RULE})", is_weak=True).find,
        remedy=_by("sed -E '/^([-*_~+]{3,}|`{3}[a-z]*)[[:space:]]*$/d'"), example="the dog\n---\na cat\n---\n"),
    Format("marks", title="a list whose lines begin with a mark", evidence=find_marks,
        remedy=_by("sed -E 's/^[[:space:]]*[^[:space:]]+[[:space:]]+//'"), example="- the dog\n- a cat\n- it is\n"),
    Format("scores", title="lines with a number, such as a score, at the end", evidence=find_scores,
        remedy=_by("sed -E 's/[[:space:]]+[^[:space:]]+[[:space:]]*$//'"), example="the dog -1.5\na cat -2.25\nit is -0.5\n"),
    Format("named_column", title="a column under its name",
        evidence=Signs(fewest=3, first=rf"(?i)([a-z]+_)?({_NAMES})(_[a-z]+)?\s*$", also=r"\S+\s+\S", is_weak=True).find,
        remedy=_by("tail -n +2"), example="text\nthe dog\na cat\n"),
    Format("numbered", title="lines that begin with a number or an id", evidence=find_ids,
        remedy=_by("sed -E 's/^[[:space:]]*[^[:space:]]+[[:space:]]+//'"), example="1 the dog\n2 a cat\n3 it is\n"),
)  # fmt: skip
