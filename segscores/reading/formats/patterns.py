"""Patterns of forms that are known and not read: the regular expressions of `known` that are long, or stand in several rows."""

from __future__ import annotations

#: A word and its part of speech in Korean, as of the Sejong corpus.
MORPHEME = r"[^\s+]*\S/[A-Z]{1,4}"
#: A phone of English in ARPABET, with the stress of a vowel.
ARPABET = "[A-Z]{1,2}[0-2]?"
#: A line of a dictionary of MFA: a word that is no number, a probability or four numbers, and phones of few characters. Rows of
#: times have two numbers, or begin with one.
PRONUNCIATION_OF_MFA = r"(?!\d+(\.\d+)?\t)\S+\t\d+\.\d+((\t\d+\.\d+){3})?\t\S{1,4}( \S{1,4})*\s*"
#: A label of a unit, and a unit with it.
UNIT_LABEL = r"\S[/_][BMIES]"
#: The forms of lines in RTTM.
RTTM = (
    r"(SPEAKER|LEXEME|NON-LEX|NON-SPEECH|SEGMENT|SPKR-INFO|NOSCORE|NO_RT_METADATA|EDIT|FILLER|SU|A/P|CB|IP)"
    r"\s+\S+\s+\S+(\s+(\d+(\.\d+)?|<NA>)){2}(\s+\S+){3,}\s*"
)
#: A line of STM: a recording, a channel, a speaker, who is no number, a start, an end, and perhaps labels and words.
STM = r";;.*|\S+\s+\S+\s+(?!\d+\.\d+\s)\S+(\s+\d+(\.\d+)?){2}(\s.*)?"
TIMES_OF_STM = r"(\S+\s+){3}(\d+\.\d+\s+\d|\d+\s+\d+\.\d)"
#: A line that begins with a time in brackets, as `[00:01.20]`, or with two, as `[0.00s --> 1.20s]`; or a tag of LRC, `[ar:Ann]`.
AFTER_TIMES = (
    r"\[[\d:.,]*[:.]\d+"
    r"(s?\s*(-->|-|–)\s*[\d:.,]+s?)?"  # and a second time
    r"\].*"
    r"|\[[a-z]+:[^]]*\]\s*"
)
TEXT_AFTER_TIME = r"\[\d[\d:.,]*[:.]\d.*\]\s*\S"
#: The beginning of XML.
BEGINNING_OF_XML = (
    r"\s*<(\?xml\b"
    r"|!DOCTYPE\b"
    r"|[A-Za-z][\w:.-]*\s([^<>]*\s)?xmlns(:\w+)?="  # an element with a namespace: <corpus xmlns="
    r"|[A-Za-z][\w:.-]*>\s*<[A-Za-z])"  # an element in another: <corpus><s
)
#: The beginning of a tree of the Penn Treebank: a bracket, and a second one, a name of the root, or any label with a bracket.
BEGINNING_OF_TREE = r"\s*\(\s*(\(|ROOT|TOP|S1?[ \-=(]|[A-Z]+[A-Z0-9=-]* \()"
#: A line of labels, with spaces between or without; but not one label behind spaces.
LABELS = r"(?! +\S\s*$)[BMIES ]+\s*"
#: A line of settings.
SETTING = (
    r"\[[\w. -]+\]\s*"  # the name of a section
    r"|[#;].*"  # a comment
    r"|[\w.-]+ *= *\S.*"
    r"|\s+\S.*"  # an item of a list that begins on a line before
    r"|\]\s*"  # the end of the list
)
#: A line of a series or a table as pandas prints it.
LINE_OF_PANDAS = (
    r"\s*\d+ {2,}\S.*"  # a row with its number
    r"|.*dtype: \w+\s*"
    r"| +[A-Za-z_]\S*( +\S+)*\s*"  # the names of the columns
    r"|\.\.\..*"  # rows that are left out
    r"|\[\d+ rows x .*"
)
#: A line of an array of words as NumPy prints it: words in quotes, and brackets where the array begins and ends.
LINE_OF_ARRAY = r"""\s*\[?\s*((['"]).*\2\s*)?\]?\s*"""
#: The first two words of an array, between which is no comma.
WORDS_WITHOUT_COMMA = r"""\s*\[\s*('[^',]*'\s+'|"[^",]*"\s+["'])"""
#: A word, `_` and its tag.
UNDERSCORED = (
    r"(\S*\S)_([A-Z]{1,5}\$?"  # NN, PRP$
    r"|-?[A-Z]+-"  # -LRB-
    r"|[^\w\s]{1,3}"  # the tag of a punctuation mark
    r"|(?<=[^\x00-\u0dff]_)[a-z]{1,5})"  # v, behind a word of an eastern script
)
