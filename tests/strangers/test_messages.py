"""Lines that programs and terminals print in the file of a text: none counts as an utterance in silence."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import segscores

from ..command_runs import Run, write_files

GOLD = ["the dog barks .", "a cat sees it .", "they saw the cat ."]
PREDICTION = ["thedog barks .", "a cat sees it .", "they saw thec at ."]

#: Lines before a text, by the program that prints them.
FIRST = {
    "jieba": "Building prefix dict from the default dictionary ...",
    "Python, a warning": "/usr/lib/python3/site-packages/x.py:12: UserWarning: no such file",
    "Python, the logger": "WARNING:root:no GPU",
    "Python, a prompt": ">>> for line in gold: print(line)",
    "Stanford's segmenter": "[main] INFO edu.stanford.nlp.ie.AbstractSequenceClassifier - Loading classifier",
    "TensorFlow": "2024-01-01 10:00:00.123456: I tensorflow/core/platform/cpu_feature_guard.cc:142] This binary",
    "SLF4J": 'SLF4J: Failed to load class "org.slf4j.impl.StaticLoggerBinder".',
    "nohup": "nohup: ignoring input",
    "torch": "Using device: cuda",
    "huggingface_hub": "Downloading model.safetensors: 100%",
    "tqdm": "100%|██████████| 120/120 [00:00<00:00, 1234.56it/s]",
    "tqdm, two states": "  0%|          | 0/9 [00:00<?, ?it/s]\r100%|██████████| 9/9 [00:00<00:00, 1.56it/s]",
    "curl": "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current",
    "a shell": "$ cat gold.txt",
    "a shell with a name": "ann@host:~$ python3 segment.py",
    "Jupyter": "Out[1]:",
    "more": "--More--(50%)",
    "Jupyter, a command": "In [1]: print(gold)",
    "Whisper": "Detecting language using up to the first 30 seconds. Use `--language` to specify the language",
    "faster-whisper": "Detected language: English",
}
#: Lines after a text, which may be long.
LAST = {
    "psql": "(120 rows)",
    "mysql": "120 rows in set (0.00 sec)",
    "MySQL Workbench": "120 row(s) returned",
    "SQL*Plus": "120 rows selected.",
    "sqlcmd": "(120 rows affected)",
    "hive": "Time taken: 0.1 seconds, Fetched: 120 row(s)",
    "a dump of PostgreSQL": "\\.",
    "a total": "Total: 120 lines",
    "a total of lines": "Total lines: 120",
    "what was done": "Processed 120 lines.",
    "the time": "Elapsed: 0.12 s",
    "the command time": "real\t0m0.123s\nuser\t0m0.100s\nsys\t0m0.010s",
    "wc": "  120 gold.txt",
    "Stanford's segmenter": "CRFClassifier tagged 120 words in 3 documents at 1000.00 words per second.",
    "nohup": "nohup: ignoring input",
    "Gutenberg": "*** END OF THE PROJECT GUTENBERG EBOOK ALICE ***",
    "an end with dashes": "-- end --",
    "an end with stars": "*** end ***",
    "an end with signs of equality": "== end ==",
    "an end in capitals": "--- END ---",
    "END": "END",
    "EOF": "EOF",
    "MeCab": "EOS",
    "less": "(END)",
    "vim": "~\n~",
    "a prompt": "$",
    "Ctrl-C": "^C",
    "a program that was killed": "Killed",
    "a program that crashed": "Segmentation fault (core dumped)",
    "a program that is done": "Done.",
    "a scorer": "F1 = 0.93",
    "a scorer of three scores": "P=0.91 R=0.82, F=0.85",
    "a scorer with colons": "precision: 0.91 recall: 0.82",
    "a server that streams": "[DONE]",
    "a language model": "<|im_end|>",
    "a scorer with percent": "Accuracy: 93 %",
    "what was written": "Saved to out.txt",
    "the time of all": "Finished in 0.32 s",
    "wc with words": "  120   720  4000 gold.txt",
    "md5sum": "d41d8cd98f00b204e9800998ecf8427e  gold.txt",
    "Python, a prompt": ">>>",
    "an error of Python": 'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\nValueError: x',
}
#: Ends of ordinary texts.
ORDINARY = (
    "the end .",
    "all is done .",
    "I have 3 rows",
    "in total 12",
    "END OF story",
    "(so it is)",
    "in 5 rows of trees",
    "F1 is a race",
    "x=0.5 is so",
    "from a: 0.5 to b: 0.7",
    "In [ the ] house",
    "Recall 3 things",
    "Saved to be eaten .",
    "http://a.b/c",
)


def message_of(run: Run, sides: list[list[str]]) -> str:
    write_files({"g": sides[0], "p": sides[1]})
    return run("g", "p", "--scores", "token_fscore")[2]


@pytest.mark.parametrize("program", FIRST)
def test_messages_before_a_text_are_said_once(program: str, in_folder: Path, run: Run) -> None:
    message = message_of(run, [[FIRST[program], *side * 2] for side in (GOLD, PREDICTION)])
    assert message.count("text with messages of a program") == 2, message  # of each side


@pytest.mark.parametrize("times", [1, 40])
@pytest.mark.parametrize("program", LAST)
def test_messages_after_a_text_are_said(program: str, times: int, in_folder: Path, run: Run) -> None:
    message = message_of(run, [[*side * times, *LAST[program].split("\n")] for side in (GOLD, PREDICTION)])
    first_word, *_ = LAST[program].split()
    assert repr(first_word)[:-1] in message, message


@pytest.mark.parametrize("program", LAST)
def test_messages_after_strings_are_said(program: str) -> None:
    sides = [[*side * 20, *LAST[program].split("\n")] for side in (GOLD, PREDICTION)]
    with pytest.warns(UserWarning, match="looks like a message of a program"):
        segscores.score(*sides, text_format="words", scores="token")


@pytest.mark.parametrize("times", [1, 40, 400])
@pytest.mark.parametrize("as_files", [False, True])
def test_messages_after_a_text_are_said_in_python(times: int, as_files: bool, in_folder: Path) -> None:
    sides: list[object] = [[*side * times, "(120 rows)"] for side in (GOLD, PREDICTION)]
    if as_files:
        write_files({"g": sides[0], "p": sides[1]})
        sides = [Path("g"), Path("p")]
    with pytest.warns(UserWarning, match=r"\(120 rows\)") as warned:
        segscores.score(*sides, text_format="words", scores="token")
    assert len(warned) == 1


@pytest.mark.parametrize("end", ["EOF", "EOF\n\n", "EOF\n \n"])
@pytest.mark.parametrize("as_files", [False, True])
def test_blank_lines_may_follow_a_message(end: str, as_files: bool, in_folder: Path) -> None:
    texts = ["\n".join([*side, end]) for side in (GOLD, PREDICTION)]
    sides: list[object] = [text.split("\n") for text in texts]
    if as_files:
        Path("g").write_text(texts[0])
        Path("p").write_text(texts[1])
        sides = [Path("g"), Path("p")]
    with pytest.warns(UserWarning, match="'EOF'"):
        segscores.score(*sides, text_format="words", scores="token")


@pytest.mark.parametrize(("text_format", "mark"), [("syllables", ""), ("units", " WORD_BOUNDARY "), ("separated", "|")])
@pytest.mark.parametrize("as_files", [False, True])
def test_messages_after_text_of_any_format_are_said(
    text_format: str, mark: str, as_files: bool, in_folder: Path
) -> None:
    side: object = [f"a{mark}b", f"c{mark}d", "(2 rows)"]
    if as_files:
        write_files({"g": side})
        side = Path("g")
    with pytest.warns(UserWarning, match=r"\(2 rows\)"):
        segscores.score(side, side, text_format=text_format, scores="token")


def test_strings_of_syllables_of_another_form_are_said() -> None:
    with pytest.warns(UserWarning, match="this looks like CHAT"):
        segscores.score(["@UTF8", "@Begin"], ["@UTF8", "@Begin"], text_format="syllables", scores="token")


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_ends_are_read_without_a_word(line: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        segscores.score([*GOLD, line], [*PREDICTION, line], text_format="words", scores="token")
