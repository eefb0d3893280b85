"""Signs of what programs and terminals print beside a text: messages, prompts, and lines at its end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .format import Evidence
from .signs import Line, first_lines

_LOGGED = r"(DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:.*"
_LEVEL = r"[\[\d].*\s(DEBUG|INFO|WARN|WARNING|ERROR)\s.*"
_LEVEL_IN_BRACKETS = r"\[(DEBUG|INFO|WARN|WARNING|ERROR)\]\s.*"
_COUNTED = r"(documents|entries|examples|lines|records|rows|sentences|tokens|utterances|words)\b.*"
#: The marks in lines of messages, each with an expression that fits such a line. It is compiled where a line has the mark.
_MESSAGES = {
    # jieba, Kaldi, Python, and programs that load a model
    "Building prefix dict from ": r"Building prefix dict from .*",
    "Prefix dict has been built": r"Prefix dict has been built.*",
    "Loading model": r"Loading model.*",
    "Loading tokenizer": r"Loading tokenizer.*",
    "Loading the model": r"Loading the model.*",
    "%WER ": r"%WER .*",
    "Traceback (": r"Traceback \(most recent call last\).*",
    "DEBUG:": _LOGGED,
    "INFO:": _LOGGED,
    "WARNING:": _LOGGED,
    "ERROR:": _LOGGED,
    " DEBUG ": _LEVEL,
    " INFO ": _LEVEL,
    " WARN": _LEVEL,
    " ERROR ": _LEVEL,
    "[DEBUG] ": _LEVEL_IN_BRACKETS,
    "[INFO] ": _LEVEL_IN_BRACKETS,
    "[WARN": _LEVEL_IN_BRACKETS,
    "[ERROR] ": _LEVEL_IN_BRACKETS,
    "Warning: ": r"\S+\.py:\d+: \w*Warning: .*",
    ": I tensorflow/": r"\d.*: I tensorflow/.*",
    ": command not found": r"\S+: (line \d+: )?\S+: command not found\s*",
    "perl: warning: ": r"perl: warning: .*",
    "slurmstepd: ": r"slurmstepd: .*",
    "Script started on": r"Script (started|done) on \d.*",
    "Script done on": r"Script (started|done) on \d.*",
    "Token indices sequence": r"Token indices sequence length is longer than .*",
    "SLF4J: ": r"SLF4J: .*",
    "nohup: ": r"nohup: .*",
    "--- Log ": r"--- Log (opened|closed) .*",
    "Detecting language": r"Detecting language using up to .*",  # Whisper
    "Detected language": r"Detected language:? .*",
    "Using device": r"Using device:? *\S+\s*",
    "Downloading ": r"Downloading .*\d+%.*",
    "%|": r"(.*:)?\s*\d+%\|.*\|.*",  # the bar of tqdm
    "% Total ": r"\s*% Total .*",
    # terminals, notebooks and databases
    ">>> ": r">>> \S.*",
    "--More--": r"--More--.*",
    "Out[": r"Out ?\[\d+\]:.*",
    "In [": r"In ?\[\d+\]: .*",
    "$ ": r"(\S+@\S+:\S*)?\$ (awk|cat|cut|grep|head|less|python3?|sed|sort|tail|zcat)\s.*",
    " row": r"\(?\d+ rows?(\)| (affected|fetched|in set|returned|selected)\b.*)\s*|.*\d+ row\(s\).*",
}
#: The last sentences of language models, which are not tokenised. In untokenised text they are ordinary.
_SENTENCES_AT_END = frozenset({"I hope this", "Let me know if"})
_MEASURED = r"\W*(Accuracy|F-?1|F-?[Ss]core|Precision|Recall|WER|CER)( ?[:=] ?| )\d+([.,]\d+)?\s*%?\s*"
_MEASURES = r"\w+ ?[:=] ?\d*\.\d+%?([ ,;]+\w+ ?[:=] ?\d*\.\d+%?)+\s*"  # P=0.9 R=0.8 F=0.85
_WRITTEN = r"\w+( \w+)* (to|in|into) \S*[./\\]\S*\w\s*"
_TOOK = r"\w+( \w+)* in \d+([.,]\d+)? ?(s|ms|sec|seconds|min|minutes)\.?\s*"
_END = r"[-=*# ]*[-=*]{2,} ?(end( of \w+)?|END( OF .*)?) ?[-=*]{2,}[-=*# ]*"
#: The same of lines that ordinary text may have elsewhere, but rarely at its end.
_AT_END = {
    "--": _END,
    "==": _END,
    "**": _END,
    "</": r"\s*</\w+>\s*",
    "|>": r"\s*<\|\w+\|>\s*",
    "I hope this": r"I hope this .*\w[.!]\s*",
    "Let me know if": r"Let me know if .*\w[.!]\s*",
    "Note: I": r"Note: I .*\w[.!]\s*",
    "Sent from my ": r"Sent from my \w+\s*",
    # terminals, and what starts a program
    ":~": r"\S+@\S+:~\S*[$#%]\s*",
    "Process finished with": r"Process finished with exit code -?\d+\s*",
    "Segmentation fault": r"Segmentation fault.*",
    "otal": rf"[Tt]otal(:| \w+:)? *\d+( {_COUNTED})?\s*",
    " changed, ": r" ?\d+ files? changed, \d.*",
    "array([": r"array\(\[.*\)\s*",
    "Elapsed": r"Elapsed( time)?: *\d.*",
    "Time taken": r"Time taken: *\d.*",
    "real\t": r"real\t\d+m.*",  # of the command `time`
    ".txt": r"\s*(\d+\s+){1,3}\S+\.txt\s*|[0-9a-f]{32,} [ *]\S+\.txt\s*",  # of the commands `wc` and `md5sum`
    # scorers, and programs that say what they did
    "Accuracy": _MEASURED,
    "Precision": _MEASURED,
    "Recall": _MEASURED,
    "F1": _MEASURED,
    "F-": _MEASURED,
    "=0.": _MEASURES,
    ": 0.": _MEASURES,
    "WER": _MEASURED,
    "CER": _MEASURED,
    "Saved ": _WRITTEN,
    "Written ": _WRITTEN,
    "Finished ": _TOOK,
    "Done in ": _TOOK,
    "tagged ": r"\w+ tagged \d+ words .*",
    "Processed ": rf"Processed \d+ {_COUNTED}",
    "Wrote ": rf"Wrote \d+ {_COUNTED}",
    "Read ": rf"Read \d+ {_COUNTED}",
}
#: The number of what was read or written, as the whole last line.
_COUNT = re.compile(rf"\d+ {_COUNTED}")
#: Whole lines at the end of a text that are none of it.
_ENDS_OF_TEXT = frozenset(
    {"EOF", "<EOF>", "[EOF]", "<END>", "[END]", "[DONE]", "[...]", "[…]", "[truncated]", "(truncated)"}
)
_LAST_LINES = _ENDS_OF_TEXT | {
    *("# end", "# End", "# END", "# EOF", "#EOF"),
    *("END", "(END)", "EOS", "Done.", "done.", "Finished.", "100%"),
    *("Killed", "Terminated", "Aborted", "^C", "$", "~", ">>>", "\\."),
}  # fmt: skip
#: The number of lines at the end of a text that may be messages, and the most bytes that they have as a rule.
_FEW_LINES = 4
_BYTES_OF_END = 400
#: The bytes of ordinary lines. Without them a text is short, and a mark is its rare bytes: a capital, a sign or a number, as the
#: S of `Saved `. A text has the mark only if it has the rare bytes of the mark: to look for these first is quicker.
_ORDINARY_BYTES = b"abcdefghijklmnopqrstuvwxyz .,\n" + bytes(range(0x80, 0x100))
_EXPRESSIONS = _MESSAGES | _AT_END
#: The rare bytes of each mark.
_RARE_IN_MARKS = {mark: mark.encode().translate(None, _ORDINARY_BYTES) for mark in _EXPRESSIONS}
#: The same with marks as bytes.
_RARE_IN_BYTES = {mark.encode(): rare_in_mark for mark, rare_in_mark in _RARE_IN_MARKS.items()}
_LAST_LINES_AS_BYTES = frozenset(line.encode() for line in _LAST_LINES)


def find_messages(text: str) -> Evidence | None:
    """Find messages of programs before the last lines of a text, in which `message_at_end` finds them.

    >>> find_messages("Building prefix dict from the default dictionary ...\\n" + "the dog\\n" * 4).is_weak
    True
    >>> find_messages("2024-01-01 10:00 INFO the dog\\n" * 9) is None  # not a message, but the frame of each line
    True
    """
    marks = [mark for mark in _marks_in(text) if mark in _MESSAGES]
    lines = first_lines(text)
    messages = [line for line in lines if _is_message(line, marks)]
    numbers_at_end = [line.number for line in lines[-_FEW_LINES:]]
    before_end = [line for line in messages if line.number not in numbers_at_end]
    # A form that all lines have is that of frames around utterances, and no message.
    if not before_end or len(messages) == len(lines):
        return None
    return Evidence(before_end[0].sign, is_weak=True)


def _marks_in(text: str) -> list[str]:
    """Return the marks that a text has."""
    rare_bytes = text.encode(errors="replace").translate(None, _ORDINARY_BYTES)
    candidates = [mark for mark, rare_in_mark in _RARE_IN_MARKS.items() if rare_in_mark in rare_bytes]
    return [mark for mark in candidates if mark in text]


def _is_message(line: Line, marks: Sequence[str]) -> bool:
    """Return whether a line has the form of a message with one of these marks, or is an end of a text."""
    of_line = [mark for mark in marks if mark in line.text]
    return line.text.strip() in _ENDS_OF_TEXT or any(re.fullmatch(_MESSAGES[mark], line.text) for mark in of_line)


def last_lines(block: bytes) -> list[str]:
    """Return some of the last lines of a text, each of which ends with a newline; no line is cut."""
    *lines, _ = block[-_BYTES_OF_END:].decode(errors="replace").split("\n")
    return lines[1:] if len(block) > _BYTES_OF_END else lines


def may_end_with_message(block: bytes) -> bool:
    """Return whether the end of a text in any format needs a look: a mark of messages stands in it, or the last line may be one.

    >>> may_end_with_message(b"the dog\\nEOF\\n"), may_end_with_message(b"the dog\\nthe end\\n")
    (True, False)
    """
    end = block[-_BYTES_OF_END:]
    rare_bytes = end.translate(None, _ORDINARY_BYTES)
    if rare_bytes:
        for mark, rare_in_mark in _RARE_IN_BYTES.items():
            if rare_in_mark in rare_bytes and mark in end:
                return True
    # Blank lines may follow the last line, which need not have a newline.
    *_, last_line = end.rstrip().rsplit(b"\n", 1)
    begins_with_number = last_line[:1].isdigit()  # such as "2 rows"
    return last_line.strip() in _LAST_LINES_AS_BYTES or begins_with_number


def message_at_end(lines: Sequence[str]) -> str:
    """Return the first of the last lines that is a message; empty if none is.

    >>> message_at_end(["the dog", "a cat", "(2 rows)", ""]), message_at_end(["all is done .", "the end ."])
    ('(2 rows)', '')
    """
    lines_at_end = [line for line in lines[-_FEW_LINES:] if line.strip()]
    # Messages are short, and an expression takes time for the square of the length of a line such as `-----`.
    short_lines = [line for line in lines_at_end if len(line) <= _BYTES_OF_END]
    marks = _marks_in("\n".join(short_lines))
    if not _are_tokenised(short_lines[:-1]):
        marks = [mark for mark in marks if mark not in _SENTENCES_AT_END]
    for line in short_lines:
        for mark in marks:
            if mark in line and re.fullmatch(_EXPRESSIONS[mark], line):
                return line
    *_, last_line = ["", *lines_at_end]
    is_count = _COUNT.fullmatch(last_line) is not None
    return last_line if is_count or last_line.strip() in _LAST_LINES else ""


def _are_tokenised(lines: Sequence[str]) -> bool:
    """Return whether there are lines, and no mark stands at the last word of one."""
    return bool(lines) and not any(re.search(r"\w[.,!?]\s*$", line) for line in lines)
