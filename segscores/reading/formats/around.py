"""Forms of text with something around its utterances: a text that has one is read, with a warning.

The rows are as those of `known`. They are looked for last, and in this order: of several forms of a text the first one is named.
"""

from __future__ import annotations

from ...options.messages import Message
from ...options.table import OPTIONS
from .all_but_one import find_all_but_one
from .between import find_boundary_tokens, find_pluses, find_separators
from .commands import (
    COMMENTS_REMOVED,
    FIRST_LINE_REMOVED,
    FIRST_TOKENS_REMOVED,
    LAST_TOKENS_REMOVED,
    RULES_REMOVED,
    STRINGS_TO_LINES,
    by,
)
from .first_tokens import find_classes, find_classes_at_ends, find_two_numbers
from .format import Format
from .frames import (
    find_count,
    find_end_marks,
    find_frame,
    find_glosses,
    find_header,
    find_introduction,
    find_line_about_text,
    find_lines_between,
    find_named_column,
    find_notes,
    find_numbers_between,
    find_rules,
)
from .messages import find_messages
from .mojibake import find_other_encoding
from .numbering import find_numbered_names
from .odd_lines import find_lines_of_marks, find_odd_first_line
from .signs import Signs
from .surroundings import (
    find_comments,
    find_ids,
    find_marks,
    find_numbers_of_some,
    find_scores,
    find_texts_beside_words,
)

#: A text with several line separators of Unicode, or next lines, on one line.
_SEPARATED = "[^\u2028\u2029\x85]*\\S ?[\u2028\u2029\x85] ?\\S[^\u2028\u2029\x85]*[\u2028\u2029\x85]"
#: The name of a file of text, of a table or of a sound.
_FILE_NAME = r"\S+\.(txt|csv|tsv|json|conllu|wav|mp3|xml)\s*$"
#: The beginning of a list in code: `gold = [`, `gold <- c(`, `gold = {`; and of the code of a string: `gold = `.
_OPENING = r"([\w $.=<:'(-]*[\[({]|\w[\w $.]* ?(=|<-|:=))"
#: Strings with commas between them.
_STRING = r"(?P<quote>['\"`]).*(?P=quote)"
#: The words that language models say before a text.
_ANSWER = (
    r"(?i)(sure|certainly|of course|okay|here(['’]s| is| are)|below (is|are))\b.*"
    r"(segment|word|sentence|token|text|output|result).*:\s*$"
)

AROUND: tuple[Format, ...] = (
    Format("texts_beside_words", title="a text beside its segmentation on each line", evidence=find_texts_beside_words,
        remedy="keep the segmentation alone.",
        example="#iloveit: I love it\n#bestday: best day\n#fun: fun\n"),
    Format("signs_between", title="words with a sign between them", evidence=find_separators,
        remedy=Message("add ", OPTIONS["text_format"].set("separated"), ", and name the sign by ", OPTIONS["separator"],
                       "; where spaces are beside it, add ", OPTIONS["spaces"].set("drop"), " too."),
        example="我们 + 在 + 上海\n他们 + 在 + 北京\n"),
    Format("bullets", title="text with the times of CHAT",
        evidence=Signs(has="\x15", some=r".*\x15 ?\d+_\d+ ?\x15", is_weak=True).find,
        remedy=by(r"""awk '{gsub(/ *\025[^\025]*\025/, ""); print}'"""),
        example="the dog . \x150_1200\x15\na cat . \x151200_1900\x15\n"),
    Format("controls", title="text with control characters",
        evidence=Signs(fewest=2, every=r".*[\x01-\x08\x0e-\x1a].*", is_weak=True).find,
        remedy=by(r"tr '\001-\010\016-\032' ' '", ", which makes them spaces, and remove what stands beside them."),
        example="1\x01the dog\n2\x01a cat\n"),
    Format("joiners", title="tokens with the joiner of OpenNMT", evidence=Signs(has="￭", some=".*￭", is_weak=True).find,
        remedy=by("sed 's/￭//g'"), example="the dog￭ s bark ￭.\na cat ￭, so\n"),
    Format("pluses", title="words with + between their morphs (Morfessor)", evidence=find_pluses,
        remedy=by("sed -E 's/ [+] / /g'"), example="the dog bark + s\nplay + er + s sing\n"),
    Format("opennmt", title="the report of OpenNMT",
        evidence=Signs(has="PRED ", some=r"PRED \d+: ", also=r"SENT \d+: ", is_weak=True).find,
        remedy=by("sed -n -E 's/^PRED [0-9]+: //p'", ", which keeps the predictions."),
        example="SENT 1: thedog\nPRED 1: the dog\nPRED SCORE: -0.5\n\nSENT 2: acat\nPRED 2: a cat\nPRED SCORE: -0.2\n"),
    Format("per_utterance", title="the errors of each utterance, as Kaldi writes them",
        evidence=Signs(has=" #csid ", some=r"\S+ #csid \d", is_weak=True).find,
        remedy=by("""awk '$2 == "hyp" {$1 = $2 = ""; print}'""", ", which keeps the hypotheses, and with ref the references."),
        example="u1 ref  the dog\nu1 hyp  thedog\nu1 op   S D\nu1 #csid 0 1 0 1\n"),
    Format("boxes", title="a table with lines around its cells",
        evidence=Signs(has="│", some=r"\s*│", every="\\s*│.*│\\s*|[\u2500-\u257f ]+|shape: .*", is_weak=True).find,
        remedy=by(r"sed -E '/^shape: |[┌├└╭╰╞]/d; s/^ *│ *//; s/ *│ *$//; s/ *│ */\t/g'", ".tsv."),
        example="┌─────────┬────────┐\n│ gold    │ crf    │\n├─────────┼────────┤\n│ the dog │ thedog │\n└─────────┴────────┘\n"),
    Format("plus_boxes", title="a table with lines of + and - around its cells",
        evidence=Signs(has="+-", some=r"\s*\+-[-+]*\+\s*$", also=r"\s*(\d+\. )?\|.*\|",
                       every=r"\s*[+|]-[-+|]*[+|]\s*|\s*(\d+\. )?\|.*\|\s*|.*\brows?\b.*", is_weak=True).find,
        remedy=by(r"sed -E '/^ *[+|]-/d; s/^[^|]*[|] *//; s/ *[|] *$//; s/ *[|] */\t/g'", ".tsv."),
        example="+---------+--------+\n| gold    | crf    |\n+---------+--------+\n| the dog | thedog |\n+---------+--------+\n"),
    Format("code", title="strings in the code of a program",
        evidence=Signs(first=_OPENING, every=rf"\s*({_OPENING}\s*)?({_STRING}\s*)?[,;]?\s*[\])}}]*[,;]?\s*",
                       some=f".*{_STRING}", fewest=2, is_weak=True).find,
        remedy=by(STRINGS_TO_LINES, ", which keeps the strings."), example='gold <- c(\n  "the dog",\n  "a cat"\n)\n'),
    Format("code_line", title="a list in the code of a program",
        evidence=Signs(first=rf"(\w[\w $.]*(=|<-|:=)[\w .]*|c|list)[\[({{]\s*{_STRING}\s*[\])}}]+;?\s*$", is_weak=True).find,
        remedy=by(STRINGS_TO_LINES, ", which keeps the strings."), example='gold <- c("the dog", "a cat")\n'),
    Format("glosses", title="glossed examples, each with its translation", evidence=find_glosses,
        remedy=by("awk 'NF && ++n % 3 == 1'", ", which keeps the first of three lines."),
        example="der Hund\nthe dog\n'the dog'\n\nes ist\nit is\n'it is'\n"),
    Format("header", title="text after a header of names and values", evidence=find_header,
        remedy=by("sed '1,/^[[:space:]]*$/d'"), example="Title: gold\nAuthor: ann\n\nthe dog\na cat\n"),
    Format("about_text", title="text after a line about it", evidence=find_line_about_text, remedy=by(FIRST_LINE_REMOVED),
        example="Corpus: brent\nthe dog\na cat\nit is\n"),
    Format("answer", title="the answer of a language model, with words of its own",
        evidence=Signs(has=":", first=_ANSWER, fewest=2, is_weak=True).find,
        remedy=by("sed 1d", ", and remove what follows the text too."),
        example="Sure! Here are the segmented sentences:\nthe dog\na cat\n"),
    Format("messages", title="text with messages of a program", evidence=find_messages,
        remedy="write the messages elsewhere, as by 2> LOG, and remove those that the file has.",
        example="Building prefix dict from the default dictionary ...\nthe dog\na cat\nit is\nso\n"),
    Format("introduction", title="text after a line that introduces it", evidence=find_introduction,
        remedy=by("sed 1d"), example="Segmented text:\nthe dog\na cat\nit is\n"),
    Format("line_ends", title=r"text with \n in place of line ends",
        evidence=Signs(has="\\n", some=r"[^\\]*((\\r)?\\n[^\\]*){2,}$|[^\\]*(\\r)?\\n\s*$", is_weak=True).find,
        remedy=by(r"""awk '{gsub(/(\\r)?\\n/, "\n"); print}'"""),
        example="the dog\\na cat\\nit is\n"),
    Format("line_separators", title="text with line separators of Unicode in place of line ends",
        evidence=Signs(has_some_of="\u2028\u2029\x85", some=_SEPARATED, is_weak=True).find,
        remedy=by("""python3 -c 'import sys; [print(*line.split()) for line in sys.stdin.read().splitlines()]'"""),
        example="the dog\u2028a cat\u2028it is\n"),
    Format("comments", title="text with lines of comments", evidence=find_comments, remedy=by(COMMENTS_REMOVED),
        example="# gold of ann\nthe dog\na cat\n"),
    Format("rules", title="utterances with lines of marks between them",
        evidence=find_rules, remedy=by(RULES_REMOVED), example="the dog\n---\na cat\n---\n"),
    Format("lines_of_marks", title="lines of marks alone in text without marks", evidence=find_lines_of_marks,
        remedy="if these are no utterances, remove them from both sides.",
        example="the dog\na cat\nit is\nso\nno cat\n...\nmy dog\nis it\na dog\nso it is\nno\nit is so\n"),
    Format("notes", title="notes in brackets, or of music, among the words", evidence=find_notes,
        remedy=by(r"sed -E 's/(\[[^]]*\]|\([^)]*\)|♪)[[:space:]]*//g; /^[[:space:]]*$/d'"),
        example="[MUSIC]\nthe dog\n[slow music]\na cat\n"),
    Format("lines_between", title="lines of times or numbers between the utterances", evidence=find_lines_between,
        remedy=by("awk 'NF && ++n % 2 == 0'"), example="0:01\nthe dog\n0:05\na cat\n0:09\nit is\n"),
    Format("pages", title="lines of pages or chapters between the utterances", evidence=find_numbers_between,
        remedy=by(r"awk '!/^[^[:alnum:]]*[[:alpha:]]*[^[:alnum:]]*[0-9]+[^[:alnum:]]*$/'"),
        example="the dog\n1\na cat\nit is\n2\nso\n"),
    Format("count", title="the number of lines before the text", evidence=find_count, remedy=by(FIRST_LINE_REMOVED),
        example="3\nthe dog\na cat\nit is\n"),
    Format("other_encoding", title="text of another script that was read as Latin-1 or Windows-1252",
        evidence=find_other_encoding, remedy="name the encoding in which it was written, or write it again in UTF-8.",
        example="ÎÒÃÇ È¥ ±±¾©\nËûÃÇ À´ ÁË\n"),
    Format("lost_letters", title="text whose letters were lost, with ? in place of each",
        evidence=Signs(has="??", fewest=2, every=r"[\s\d.,:;!?()'\"-]+", some=r".*\?\?+ +\?").find,
        remedy="write it again in UTF-8.", example="?? ??? ? ??\n??? ??\n"),
    Format("file_name", title="the name of a file before the text",
        evidence=Signs(has=".", fewest=3, first=_FILE_NAME, also=r"\S+\s+\S", is_weak=True).find,
        remedy=by(FIRST_LINE_REMOVED), example="gold.txt\nthe dog\na cat\n"),
    Format("marks", title="a list whose lines begin with a mark", evidence=find_marks,
        remedy=by(FIRST_TOKENS_REMOVED), example="- the dog\n- a cat\n- it is\n"),
    Format("end_marks", title="lines that end with the same mark", is_at_ends=True, evidence=find_end_marks,
        remedy=by(LAST_TOKENS_REMOVED), example="the dog $\na cat $\nit is $\n"),
    Format("scores", title="lines with a number or an id, such as a score, at the end", is_at_ends=True, evidence=find_scores,
        remedy=by(LAST_TOKENS_REMOVED), example="the dog -1.5\na cat -2.25\nit is -0.5\n"),
    Format("named_column", title="a column under its name", evidence=find_named_column,
        remedy=by(FIRST_LINE_REMOVED), example="text\nthe dog\na cat\n"),
    Format("numbered", title="lines that begin with a number or an id", is_at_ends=True, evidence=find_ids,
        remedy=by(FIRST_TOKENS_REMOVED), example="1 the dog\n2 a cat\n3 it is\n"),
    Format("numbered_names", title="lines that begin with a name and their number", evidence=find_numbered_names,
        remedy=by("sed -E 's/^[^0-9]*[0-9]+ ?[^[:alnum:][:space:]]+[[:space:]]*//'"),
        example="Sentence 1: the dog\nSentence 2: a cat\n"),
    Format("two_numbers", title="lines that begin with two numbers, or with a place", evidence=find_two_numbers,
        remedy=by("sed -E 's/^[[:space:]]*([^[:space:]]+[[:space:]]+){2}//'"),
        example="0 40 the dog\n41 70 a cat\n71 90 it is\n"),
    Format("classes", title="lines that begin with a label or a name", is_at_ends=True, evidence=find_classes,
        remedy=by("sed -E 's/^[[:space:]]*[^[:space:]]+[[:space:]]+([-–—:|>][[:space:]]+)?//'"),
        example="POS the dog\nNEG a cat\nPOS it is\n"),
    Format("classes_at_ends", title="lines that end with a label", is_at_ends=True, evidence=find_classes_at_ends,
        remedy=by(LAST_TOKENS_REMOVED),
        example="我们 去 pos\n他们 在 neg\n我 爱 pos\n你 好 neg\n"),
    Format("frame", title="lines with the same signs at their first or last words", evidence=find_frame,
        remedy="if they are no part of the text, remove them from each line, as by sed -E 's/^SIGNS//; s/SIGNS$//'.",
        example="u1:the dog\nu2:a cat\nu3:it is\nu4:so\nu5:no\n"),
    Format("all_but_one", title="lines with the same signs, ids or scores, but for one line", evidence=find_all_but_one,
        remedy="if they are no part of the text, remove them, and the line without them.",
        example="My data\n- the dog\n- a cat\n- it is\n- so\n- no it is\n"),
    Format("half_numbered", title="lines of which many begin with their number", evidence=find_numbers_of_some,
        remedy=by("sed -E 's/^[[:space:]]*[^[:alnum:]]?[0-9]+[^[:alnum:][:space:]]+[[:space:]]+//'"),
        example="1. the dog\na cat\n3. it is\nso\n5. so it is\n"),
    Format("odd_line", title="text after a line that is written otherwise", evidence=find_odd_first_line,
        remedy=by(FIRST_LINE_REMOVED), example="Certainly! Here it is\nthe dog\na cat\nit is\n"),
    Format("boundary_tokens", title="units with a token between words", evidence=find_boundary_tokens,
        remedy=Message("add ", OPTIONS["text_format"].set("units"), ", and name the token by ", OPTIONS["word_boundary"], "."),
        example="dh ax </unk> d ao g </unk> b aa r k s\nih t </unk> ih z\n"),
)  # fmt: skip
