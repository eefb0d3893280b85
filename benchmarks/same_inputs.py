"""The parts of requests of `same.py`: forms of input, options with valid and bad values, files, and damage.

What JSON has not is written `{"$": FORM, "value": …}`, which `same_worker.py` reads.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from same_forms import FORMS, SELECTIONS, SINGLE_SCORES, TIMES, Form, Options, special

from tests import corpora
from tests.corpora import Corpus

#: The share of requests that are damaged, beside those that are wrong by chance.
DAMAGED = 0.2
UNITS = ("ab", "abcd", "abåéе狗叫", "ab狗。，3!a", "กิaệb", corpora.CHARACTERS)
RENDERINGS = ("table", "json", "csv", "markdown", "latex", "html")


@dataclass
class Request:
    """A request that both checkouts answer.

    Attributes:
        kind: a key of KINDS.
        calls: public functions with their arguments and options.
        commands: command lines, with their standard input, and the file that keeps their output.
        files: the content of each file, in base64.
        reached: the functions, options, groups, formats, flags and subcommands that it uses, such as `option tolerance`.
    """

    kind: str
    calls: list[dict[str, Any]] = field(default_factory=list)
    commands: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)

    def call(self, function: str, *arguments: Any, form: str = "table", **options: Any) -> None:
        """Add a call of a function."""
        call = {"function": function, "arguments": arguments, "options": options, "form": form}
        self.calls.append(call)
        self.reached.add(f"function {function}")
        self.reached |= {f"option {name}" for name in options}

    def run(self, *arguments: str, stdin: str = "", output_file: str = "") -> None:
        """Add a run of the command."""
        self.commands.append({"arguments": arguments, "stdin": stdin, "output_file": output_file})
        self.reached |= {f"subcommand {argument}" for argument in arguments[:1]}
        flags = [argument.split("=")[0] for argument in arguments if argument.startswith("--")]
        self.reached |= {f"flag {flag}" for flag in flags}

    def to_json(self) -> str:
        """Return what a process needs to answer."""
        return json.dumps({"calls": self.calls, "commands": self.commands, "files": self.files})

    def write(self, name: str, content: str | bytes) -> str:
        """Add a file, and return its name."""
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        self.files[name] = base64.b64encode(data).decode()
        return name


# Options.


@dataclass(frozen=True)
class OptionValues:
    """Values of an option.

    Attributes:
        good: values that are valid.
        bad: values that are not.
        forms: the formats that it is for; all if it is empty.
        needs: options that it is given with.
        flag: its flag, if that is not its name; empty if it is, and "-" if the command has none.
    """

    good: tuple[Any, ...]
    bad: tuple[Any, ...]
    forms: tuple[str, ...] = ()
    needs: Options = field(default_factory=dict)
    flag: str = ""


_MARKS = ("strip", "Ġ", "▁", "##", "@@", "</w>")
_PERCENTILES = {"confidence": 0.9, "interval_method": "percentile"}
_SCALES = (-1, 0, 1.5, "3", True)

READING: dict[str, OptionValues] = {
    "word_boundary": OptionValues(("#", "WORD_BOUNDARY", "</w>"), ("", "a b", 3, None), ("units",)),
    "ignored_tokens": OptionValues((["a"], [";esyll", "b"], "a"), ([""], ["a b"], 5, [None]), ("units",)),
    "separator": OptionValues(("|", "/"), ("", "a b", 3), ("separated", "tagged")),
    "joiner": OptionValues(("_", "~"), ("", " ", 3), ("syllables", "words")),
    "spaces": OptionValues(("units", "drop"), ("keep", None, 1), ("separated", "mecab", "lists")),
    "markup": OptionValues(("units", "drop"), ("keep", None), ("separated",)),
    "normalize": OptionValues(("NFC", "NFD", "NFKC", "NFKD"), ("nfc", "NFX", 1)),
    "subword_marks": OptionValues(_MARKS, ("x", 1, "")),
    "ignore_index": OptionValues((-100, 0), ("a", 1.5, True), ("-",), flag="-"),
    "tier": OptionValues(("words", ["words", None]), (1, ""), ("times",)),
    "silence": OptionValues((["_"], ["a", "b"], "a"), (3, [1]), ("times",)),
    "sample_rate": OptionValues((8000.0, 16000), (0, -1, "x"), ("times",)),
    "time_unit": OptionValues((["s"], ["ms", "s"], "samples"), (3, "minutes"), ("times",)),
    "label_map": OptionValues(("lower",), ("no_such_file", 3), ("times",)),
    "missing": OptionValues(("empty", "error"), ("skip", 3), ("times",)),
    "overlap": OptionValues(("cut", "error"), ("skip", 3), ("times",)),
    "documents": OptionValues((False,), ("yes", 1), flag="-"),
    "whole_files": OptionValues((True,), ("yes", 1), ("-",), {"documents": True}),
    "label_scheme": OptionValues((), ("IO", "start", "BMES", 1, ""), ("-",)),
    "reference_format": OptionValues((), ("wrods", 1, "conllu"), ("-",), flag="-"),
    "prediction_format": OptionValues((), ("wrods", 1, "times"), ("-",), flag="-"),
    "text_format": OptionValues((), ("wrods", "", None, 3, "times", "conllu", "separated", "units"), ("-",)),
}
ZERO: dict[str, OptionValues] = {
    "zero_division": OptionValues((0.0, 1, 0.5, float("nan")), (2, -0.1, "x", None, "warn"))
}
SCORING: dict[str, OptionValues] = {
    "scores": OptionValues(
        (), ("tokn", [], "", ["token", "token_f"], 3, "lenient", "sentence", "tagged_token", "oov", "dictionary", "ud")
    ),
    "on_mismatch": OptionValues(("error", "skip", "align"), ("raise", None, "Skip")),
    "ignore_words": OptionValues(
        ("punctuation", ["digits", "latin"], "symbols", ["a", "ab"], special("set", ["a"])), ("words", 3, [], [1])
    ),
    "vocabulary": OptionValues(
        (["a", "ab"], ["ab", "b", "狗"], special("iterator", ["a"]), special("set", ["a"])),
        ("a", 3, [1], []),
        (
            "words",
            "lists",
            "separated",
            "tagged",
            "kytea",
            "mecab",
            "conllu",
            "sigmorphon",
            "alternatives",
            "units",
            "syllables",
        ),
    ),
    "dictionary": OptionValues(
        (["a", "ab"], ["ab", "ba", "abc"], special("tuple", ["a"])),
        ("a", 3, [1], []),
        ("words", "lists", "separated", "tagged"),
    ),
    "acceptable": OptionValues((["ab"], ["b"]), ("a", 3), ("words", "lists"), {"dictionary": ["a", "ab", "b"]}),
    "tolerance": OptionValues((0, 1, 2, 3), (-1, 1.5, "1", float("nan"))),
    "window_size": OptionValues((1, 2, 3, "utterance"), (0, -1, 1.5, "word")),
    "window_convention": OptionValues(("segeval", "nltk", "nltk_units"), ("NLTK", None)),
    "transposition_span": OptionValues((1, 2, 3), _SCALES),
    "renyi_order": OptionValues((1, 2.5, 0.5), (0, -1, "x")),
    "vocabulary_size": OptionValues((10, 100), _SCALES),
    "tags": OptionValues(("upos", "xpos"), ("feats", 1), ("conllu",)),
}
#: The groups that read each option of a group; without one of them it is an error.
GROUPS_OF: dict[str, tuple[str, ...]] = {
    "tolerance": ("tolerance",), "window_size": ("windows",), "window_convention": ("windows",),
    "transposition_span": ("similarity", "agreement"), "renyi_order": ("token_use",), "vocabulary_size": ("token_use",),
    "tags": ("tagged_token",),
}  # fmt: skip
RESAMPLING: dict[str, OptionValues] = {
    "confidence": OptionValues((0.95, 0.5, 0.9), (0, 1, 95, "0.95", True)),
    "n_resamples": OptionValues((10, 40), _SCALES, needs=_PERCENTILES, flag="--resamples"),
    "seed": OptionValues((1, 7), (-1, 1.5, "x"), needs=_PERCENTILES),
    "interval_method": OptionValues(("jackknife", "percentile"), ("bootstrap", None), needs={"confidence": 0.95}),
    "average": OptionValues(("micro", "macro"), ("mean", "cluster", None)),
}
ANY = READING | ZERO | SCORING | RESAMPLING


# Drawing.


@dataclass(frozen=True)
class Inputs:
    """The sides of a request.

    Attributes:
        form: how they are written.
        corpora: the reference, and the predictions; all have the same units unless they are damaged.
        options: with which they are read.
    """

    form: Form
    corpora: list[Corpus]
    options: Options

    @property
    def count(self) -> int:
        """The number of utterances of the reference."""
        return len(self.corpora[0])

    def written(self) -> list[list[Any]]:
        """Write each side, an item per utterance."""
        return [self.form.write(side) for side in self.corpora]


def recut(source: random.Random, corpus: Corpus) -> Corpus:
    """Segment the same units in another way."""
    share = source.choice([0.1, 0.4, 0.8])
    utterances = []
    for words in corpus:
        units: list[str] = []
        for word in words:
            units += word
        utterances.append(corpora.cut(units, [source.random() < share for _ in units]))
    return utterances


def draw_inputs(source: random.Random, form: Form, sides: int = 2, counts: Sequence[int] = (1, 2, 4, 8, 15)) -> Inputs:
    """Draw sides of the same units; sides beyond the second are segmented in other ways."""
    units = source.choice(UNITS).replace("\ufeff", "a").replace("\u0345", "b")
    reference, prediction = corpora.random_corpus_pair(
        source.choice(counts), source.randrange(1 << 30), units, source.choice([3, 8, 12])
    )
    if not form.has_blanks:
        kept = [index for index, words in enumerate(reference) if words]
        reference = [reference[index] for index in kept]
        prediction = [prediction[index] for index in kept]
    if not any(reference):
        # A corpus of blank utterances alone has nothing to score.
        reference = [[tuple("ab"), tuple("a")]]
        prediction = [[tuple("a"), tuple("ba")]]
    others = [recut(source, reference) for _ in range(2, sides)]
    options = {"text_format": form.text_format, **form.options}
    if form.text_format in ("", "lists"):
        del options["text_format"]
    return Inputs(form, [reference, prediction, *others], options)


def draw_form(source: random.Random, *groups: dict[str, Form]) -> Form:
    """Draw a form; words text is the most frequent."""
    if source.random() < 0.2:
        return FORMS["words"]
    forms: dict[str, Form] = {}
    for group in groups:
        forms |= group
    return source.choice(list(forms.values()))


def add_options(
    source: random.Random, options: Options, form: Form, table: dict[str, OptionValues], most: int = 3
) -> None:
    """Add valid values of some options that fit, and what they need."""
    fitting = [name for name, option in table.items() if option.good and form.fits(option) and name not in options]
    for name in source.sample(fitting, min(len(fitting), source.randrange(most + 1))):
        option = table[name]
        options[name] = source.choice(option.good)
        for needed, value in option.needs.items():
            options.setdefault(needed, value)


#: The scores that can leave out words.
IGNORABLE = {
    "boundary_all", "boundary_noedge", "token", "type", "boundary_start", "boundary_end", "oov", "exact", "tagged_token",
    "word_error", "token_fscore", "token_precision", "boundary_noedge_recall", "boundary_all_fscore", "utterance_accuracy",
}  # fmt: skip
#: The scores that count tokens with their marks, and those that are of more than words and have no alignment.
_OF_TOKENS = {"subword", "token_use", "tokenizer", "toklens"}
_NOT_ALIGNED = {"bpr", "morpheme", "morfessor", "sigmorphon"}


def drop_conflicts(source: random.Random, options: Options, form: Form) -> None:
    """Drop most options that the form or the scores do not have: the message of each is compared often enough."""
    if source.random() < 0.05:
        return
    scores = options.get("scores", ["token"])
    names = {scores} if isinstance(scores, str) else set(scores)
    names = set(form.groups) if "all" in names else names
    has_default_scores = "scores" not in options or scores == "all"
    conflicts: set[str] = set()
    if not form.has_words:
        conflicts |= {"normalize", "subword_marks", "ignore_words", "vocabulary", "dictionary", "acceptable"}
    if form is TIMES:
        conflicts.add("on_mismatch")
    if options.get("on_mismatch") == "align" and (not form.has_words or names & _NOT_ALIGNED):
        options["on_mismatch"] = "skip"
    if not names <= IGNORABLE or options.get("on_mismatch") == "align":
        conflicts.add("ignore_words")
    if names & _OF_TOKENS:
        conflicts.add("subword_marks")
    if not has_default_scores and not names & {"oov", "sighan"}:
        conflicts.add("vocabulary")
    if not has_default_scores and "dictionary" not in names:
        conflicts |= {"dictionary", "acceptable"}
    for name in conflicts & options.keys():
        if name not in form.options:
            del options[name]


def add_scores(source: random.Random, options: Options, form: Form) -> None:
    """Add a selection of scores, and options of its groups; drop what does not go with it."""
    draw_scores(source, options, form)
    drop_conflicts(source, options, form)


def draw_scores(source: random.Random, options: Options, form: Form) -> None:
    """Add a selection of scores, and options of its groups."""
    way = source.choices(["default", "one", "several", "all", "single", "named"], [15, 26, 23, 9, 7, 20])[0]
    groups: list[str] = []
    if way == "one":
        groups = [source.choice(form.groups)]
        options["scores"] = groups[0]
    elif way == "several":
        groups = sorted(set(source.choices(form.groups, k=3)))
        options["scores"] = groups
    elif way == "all":
        groups = [*form.groups]
        options["scores"] = "all"
    elif way == "single":
        known = [name for name in SINGLE_SCORES if form is not TIMES or name not in ("token_tnr", "pk")]
        options["scores"] = source.choice(known)
    elif way == "named" and form.has_words:
        options["scores"] = source.choice(list(SELECTIONS))
        options |= SELECTIONS[options["scores"]]
    for name, readers in GROUPS_OF.items():
        is_read = not set(readers).isdisjoint(groups) or (form is TIMES and name == "tolerance")
        if is_read and form.fits(SCORING[name]) and source.random() < 0.4:
            options[name] = source.choice((0.02, 0.05, 0.1) if form is TIMES else SCORING[name].good)
    if "oov" in groups and way != "all":
        options.setdefault("vocabulary", ["a", "ab", "狗"])
    if "dictionary" in groups and way != "all":
        options.setdefault("dictionary", ["a", "ab", "ba"])
        if source.random() < 0.5:
            options["acceptable"] = ["ab"]
    own = (*GROUPS_OF, "vocabulary", "dictionary", "acceptable", "scores")
    add_options(source, options, form, {name: value for name, value in (SCORING | ZERO).items() if name not in own}, 1)
    if form.has_words and source.random() < 0.25:
        words = {name: SCORING[name] for name in ("vocabulary", "dictionary", "acceptable")}
        add_options(source, options, form, words, 1)


def add_reading(source: random.Random, options: Options, form: Form) -> None:
    """Add options of reading; most often none, because the form has those that it needs."""
    if source.random() < 0.3:
        table = {
            name: option for name, option in READING.items() if name not in ("word_boundary", "separator", "documents")
        }
        add_options(source, options, form, table, 2)
        options |= form.options
        drop_conflicts(source, options, form)


def add_resampling(source: random.Random, options: Options, form: Form, count: int) -> None:
    """Add averages, intervals and clusters."""
    if source.random() < (0.25 if count > 1 else 0.02):
        add_options(source, options, form, RESAMPLING, 2)
        if options.get("interval_method") == "percentile":
            options.setdefault("n_resamples", 20)
        if source.random() < 0.3:
            options["clusters"] = draw_ids(source, count)
            options.setdefault("confidence", 0.9)
            options["average"] = source.choice(["micro", "cluster"])


def draw_ids(source: random.Random, count: int) -> list[Any]:
    """Draw an id for each utterance."""
    ids: list[Any] = source.choice([["x", "y", "z"], [1, 2, 3]])
    # The first two differ, because an interval needs two clusters.
    return [*ids[:2], *(source.choice(ids) for _ in range(count - 2))][:count]


def damage_options(source: random.Random, options: Options) -> None:
    """Give a random option a bad value, or a value though the input may not have the option; or add an unknown option."""
    if source.random() < 0.1:
        options[source.choice(["text_fromat", "toleranse", "group", "skip"])] = 1
        return
    name = source.choice(list(ANY))
    option = ANY[name]
    options[name] = source.choice(option.bad if source.random() < 0.7 else (*option.good, *option.bad))


def damage_items(source: random.Random, items: list[Any]) -> Any:
    """Damage a side that is a list of utterances: another list, or something that is no list of utterances."""
    at = source.randrange(len(items))
    way = source.choice(
        ["less", "more", "none", "blank", "number", "mixed", "changed", "nul", "string", "empty", "label"]
    )
    if way == "string":
        return "a b"
    if way == "empty":
        return []
    changed = [*items]
    if way == "less":
        del changed[at]
    elif way == "more":
        changed.append(items[at])
    else:
        changed[at] = {
            "none": None, "blank": "" if isinstance(items[at], str) else [], "number": 3, "mixed": ["a", 1],
            "changed": change_units(source, items[at]), "nul": "a\0b", "label": [0, 2, 1],
        }[way]  # fmt: skip
    return changed


def change_units(source: random.Random, item: Any) -> Any:
    """Change a unit of an utterance."""
    if isinstance(item, str):
        place = source.randrange(len(item) + 1)
        return item[:place] + source.choice(["b", "x", "狗"]) + item[place + source.randrange(2) :]
    if isinstance(item, list) and item:
        return [*item[:-1], *source.choice([[], [item[-1], item[-1]]])]
    return ["x"]


def damage_data(source: random.Random, data: bytes) -> bytes:
    """Damage a file."""
    place = source.randrange(len(data) + 1)
    way = source.choice(
        ["cut", "byte", "empty", "blank line", "CR", "NUL", "mark", "last line", "first line", "changed"]
    )
    lines = data.splitlines(keepends=True)
    damaged = {
        "cut": data[:place],
        "byte": data[:place] + b"\xff" + data[place:],
        "empty": b"",
        "blank line": b"\n" + data,
        "CR": data.replace(b"\n", b"\r"),
        "NUL": data[:place] + b"\0" + data[place:],
        "mark": b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
        "last line": data + (lines[-1] if lines else b"x\n"),
        "first line": b"".join(lines[1:]),
        "changed": data[:place] + b"x" + data[place:],
    }
    return damaged[way]


def as_kinds(source: random.Random, items: Any, form: Form) -> Any:
    """Pass a list of utterances as another kind of collection, now and then; damaged sides stay as they are."""
    if not isinstance(items, list):
        return items
    kind = source.choices(["list", "tuple", "iterator", "arrow"], [8, 1, 1, 1])[0]
    if kind == "arrow" and (form is TIMES or any(not isinstance(item, type(items[0])) for item in items)):
        return items
    if kind == "arrow" and form.text_format != "lists" and any(isinstance(item, list) for item in items):
        return items
    return items if kind == "list" else special(kind, items)


def file_of(form: Form, items: Sequence[Any]) -> str:
    """Return the content of a file of text."""
    return "".join(f"{item}{form.end}" for item in items)


def as_file(source: random.Random, request: Request, name: str, form: Form, items: list[Any], *, damaged: bool) -> str:
    """Write a side as a file, of text, compressed, or a table, and return its name."""
    kind = "text"
    if form.end and not any(isinstance(item, list) for item in items):
        kind = source.choices(["text", "gz", "bz2", "jsonl"], [8, 1, 1, 1])[0]
    data = file_of(form, items).encode()
    suffix = form.suffix
    if kind == "jsonl":
        role = "reference" if name == "r" else "prediction"
        data = "".join(json.dumps({role: item}, ensure_ascii=False) + "\n" for item in items).encode()
        suffix = ".jsonl"
    if damaged:
        data = damage_data(source, data)
    if kind == "gz":
        # The time of compression would be in the file.
        data = gzip.compress(data, mtime=0)
        suffix += ".gz"
    if kind == "bz2":
        data = bz2.compress(data)
        suffix += ".bz2"
    return request.write(f"{name}{suffix}", data)


def textgrid(rows: Sequence[Sequence[Any]]) -> str:
    """Write a short TextGrid of one tier, without gaps."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", str(rows[-1][1]), "<exists>", "1",
             '"IntervalTier"', '"words"', "0", str(rows[-1][1]), str(len(rows))]  # fmt: skip
    for start, end, label in rows:
        lines += [str(start), str(end), f'"{label}"']
    return "\n".join([*lines, ""])


def lab(rows: Sequence[Sequence[Any]]) -> str:
    """Write a line for each interval."""
    return "".join(f"{start} {end} {label}\n" for start, end, label in rows)


#: Files of recordings, by how their names end.
RECORDINGS: dict[str, Callable[[Sequence[Sequence[Any]]], str]] = {
    ".TextGrid": textgrid,
    ".ctm": lambda rows: "".join(f"r 1 {start} {end - start:.3f} {label}\n" for start, end, label in rows),
    ".lab": lab,
    ".txt": lab,
    ".wrd": lambda rows: "".join(f"{start * 16000:.0f} {end * 16000:.0f} {label}\n" for start, end, label in rows),
    ".csv": lambda rows: "start,end,label\n" + "".join(f"{start},{end},{label}\n" for start, end, label in rows),
    ".json": lambda rows: json.dumps(
        {"words": [dict(zip(("start", "end", "word"), row, strict=True)) for row in rows]}
    ),
}


def draw_bisegments(source: random.Random) -> list[Any]:
    """Draw a bitext's alignment."""
    return [{"source": source.sample(range(3), source.randrange(3)), "target": [at] if source.random() < 0.8 else []}
            for at in range(3)]  # fmt: skip


def has_tokens(options: Options) -> bool:
    """Return whether the scores of words are among those that are asked for."""
    scores = options.get("scores", "token")
    return scores in ("token", "all") or (isinstance(scores, list) and "token" in scores)
