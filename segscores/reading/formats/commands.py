"""Commands that make a text of a form that is known into one that is read. `tests/strangers` runs them."""

from __future__ import annotations

TO_LINES = "python3 -c 'import json, sys; [print(json.dumps(row)) for row in json.load(sys.stdin)]'"
YAML_TO_LINES = "python3 -c 'import json, sys, yaml; [print(json.dumps(row)) for row in yaml.safe_load(sys.stdin)]'"
# A word of a list may have spaces, as words of Vietnamese have between syllables.
LISTS_TO_WORDS = (
    """python3 -c 'import ast, sys; [print(*("".join(w.split()) for w in ast.literal_eval(x))) for x in sys.stdin]'"""
)
TEI_WORDS = (
    """python3 -c 'import sys, xml.etree.ElementTree as E; [print(*["".join(w.itertext()).strip() """
    """for w in s.iterfind(".//{*}w")]) for s in E.parse(sys.stdin).iterfind(".//{*}s")]'"""
)
FIRST_COLUMN = (
    """awk '!/^#|^-DOCSTART-/ {if (NF) {line = line sep $1; sep = " "} else if (line) {print line; line = sep = ""}} """
    """END {if (line) print line}'"""
)
TREE_LEAVES = (
    r"""awk '{t = t " " $0; o += gsub(/\(/, "("); c += gsub(/\)/, ")"); if (o && o == c) """
    r"""{gsub(/\(-NONE- [^()]*\)/, "", t); gsub(/\([^ ()]*/, "", t); gsub(/\)/, "", t); print t; t = ""; o = c = 0}}'"""
)
CHAT_LINES = (
    r"""awk -F'\t' '/^\*/ {if (u) print u; u = $2; next} /^\t/ {if (u) u = u " " $2; next} """
    """{if (u) print u; u = ""} END {if (u) print u}'"""
)
SENTENCES = (
    r"""awk -F'\t' '/^<\/?(s|S)[ >]/ {if (l) print l; l = ""; next} /^</ {next} """
    """{l = l (l ? " " : "") $1} END {if (l) print l}'"""
)
TOPICS = (
    """awk '/^=====/ {if (n) mark = "WORD_BOUNDARY "; next} {printf "%ss ", mark; mark = ""; n++} END {print ""}'"""
)
SUBTITLES = r"awk '/-->|^[0-9:.]+,[0-9:.]+[ \r]*$/ {t = 1; next} /^[ \t\r]*$/ {t = 0} t'"
DIALOGUE = r"""awk '/^Dialogue:/ {for (i = 0; i < 9; i++) sub(/^[^,]*,/, ""); print}'"""
COLUMN_OF_SENTENCES = (
    """awk '/^#/ {{next}} NF {{line = line sep ${column}; sep = " "; next}} line {{print line; line = sep = ""}} """
    """END {{if (line) print line}}'"""
)
NEGRA = r"""awk '/^#BOS/ {l = ""; next} /^#EOS/ {print l; next} /^[^#%]/ {l = l (l ? " " : "") $1}'"""
COHORTS = r"""awk '/^"</ {gsub(/^"<|>"[ \t\r]*$/, ""); printf "%s%s", s, $0; s = " "} END {print ""}'"""
UNIGRAMS = r"""awk '/^\\/ {f = /^\\1-grams:/; next} f && NF > 1 {print $2}'"""
HYPOTHESES = (
    r"""awk -F'\t' '/^H-/ {i = substr($1, 3) + 0; h[i] = $3; if (i > n) n = i} """
    """END {for (i = 0; i <= n; i++) print h[i]}'"""
)
LITERALS_TO_LINES = (
    "python3 -c 'import ast, json, sys; [print(json.dumps(ast.literal_eval(line))) for line in sys.stdin]'"
)
PAIRS_TO_WORDS = (
    r"""python3 -c 'import re, sys; [print(*re.findall(r"\(.(.+?).,\s*.[^()]*\)", line)) for line in sys.stdin]'"""
)
LABELS_TO_COLUMNS = (
    r"""awk '{for (i = 1; i <= NF; i++) {w = t = $i; sub(/[\/_][^\/_]*$/, "", w); sub(/.*[\/_]/, "", t); print w "\t" t} """
    """print ""}'"""
)
MORPHEMES = (
    r"""awk -F'\t' 'NF > 1 {gsub(/ \+ /, " ", $NF); l = l (l ? " " : "") $NF; next} l {print l; l = ""} """
    """END {if (l) print l}'"""
)
ORCHID = (
    r"""awk '/^[#%]/ {next} /^\/\/[ \r]*$/ {if (l) print l; l = ""; next} """
    r"""sub(/\/[A-Z@<>_]+\/\/.*/, "") {l = l (l ? " " : "") $0}'"""
)
BRAT = r"""awk -F'\t' '/^T/ {printf "%s%s", s, $3; s = " "} END {print ""}'"""
LABELS_TO_LINES = """sed -E 's/[^01]//g; s/./&, /g; s/, $//; s/.*/{"reference": [&], "prediction": [&]}/'"""
ENDS_OF_SENTENCES = """awk 'NF {print; f = 1; next} f {print "EOS"; f = 0} END {if (f) print "EOS"}'"""
TAGS_TO_LINES = (
    r"""awk '{gsub(/[ \r]/, ""); gsub(/./, "\"&\", "); sub(/, $/, ""); """
    r"""print "{\"reference\": [" $0 "], \"prediction\": [" $0 "]}"}'"""
)

FIRST_LINE_REMOVED = "tail -n +2"
FIRST_TOKENS_REMOVED = "sed -E 's/^[[:space:]]*[^[:space:]]+[[:space:]]+//'"
LAST_TOKENS_REMOVED = "sed -E 's/[[:space:]]+[^[:space:]]+[[:space:]]*$//'"
COMMENTS_REMOVED = r"sed -E '/^(#|%|;+) |^\/\/|^#[#!]|^%%|^#[A-Za-z0-9_.-]+ ?[:=]|^\/\*.*\*\/|^<!--.*-->/d'"
RULES_REMOVED = (
    r"sed -E '/^([-*_~+=]{3,}|([-*] ){2,}[-*]|`{3}[a-z]*"
    r"| ?=+ .* =+|\*{3} .* \*{3}|==> .* <==|-- .* --|⋮|\[[A-Za-z_-]+[0-9]+\]|Page [0-9]+( of [0-9]+)?)[[:space:]]*$/d'"
)
STRINGS_TO_LINES = (
    r"""python3 -c 'import re, sys; [print(s[1]) for s in re.findall(r"([\x22\x27\x60])(.*?)\1", sys.stdin.read())]'"""
)
ROWS_TO_LINES = """python3 -c 'import ast, sys; print(*ast.literal_eval(sys.stdin.read()), sep="\\n")'"""
LISTS_OF_LISTS_TO_LINES = (
    "python3 -c 'import ast, sys; lists = ast.literal_eval(sys.stdin.read()); "
    """[print(*("".join(w.split()) for w in words)) for words in lists]'"""
)
OBJECTS_TO_WORDS = (
    """python3 -c 'import ast, sys; keys = ("surface_form", "surface", "text", "word", "token", "form"); """
    """[print(*[next(t[k] for k in keys if k in t) for t in ast.literal_eval(line)]) for line in sys.stdin]'"""
)
ARRAYS_TO_WORDS = (
    """python3 -c 'import sys; [print(*(word[1:-1] for word in row.strip().strip("[]").split())) """
    """for row in sys.stdin.read().rstrip().split("]\\n")]'"""
)
UNESCAPED = (
    r"""python3 -c 'import re, sys; [print(re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), line), end="") """
    """for line in sys.stdin]'"""
)


def by(command: str, after: str = ".") -> str:
    """Return the remedy of a command that converts a file.

    `after` follows the name of the new file, of which it may be the ending.

    >>> by("cut -f 2", ".tsv.")
    'convert it with cut -f 2 < OLD > NEW.tsv.'
    """
    return f"convert it with {command} < OLD > NEW{after}"
