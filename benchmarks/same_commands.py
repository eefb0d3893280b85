"""Requests of `same.py` that run the command."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Sequence
from typing import Any

from same_forms import DOCUMENTS, FORMS, LISTS, TIMES, Options
from same_inputs import (
    ANY,
    DAMAGED,
    RECORDINGS,
    RENDERINGS,
    Request,
    add_reading,
    add_resampling,
    add_scores,
    as_file,
    damage_data,
    damage_options,
    draw_bisegments,
    draw_form,
    draw_ids,
    draw_inputs,
    file_of,
    has_tokens,
)

#: Options of subcommands that take any of their values without others.
COMMAND_OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "score": {
        "--format": ("table", "json", "csv", "markdown", "latex", "html", "hub"), "--percent": ("",),
        "--systems": ("rows", "columns"), "--counts": ("",), "--min": ("token_fscore=0.5", "token_recall=1"),
        "--max": ("token_fscore=0.9", "token_recall=0"), "--worst": ("token_fscore",),
        "--per-utterance": ("out.csv", "out.jsonl"), "--on-error": ("skip", "error"), "--by": ("length", "every:2", "ids.txt"),
        "--baselines": ("",),
    },
    "compare": {
        "--format": RENDERINGS, "--percent": ("",), "--systems": ("rows", "columns"), "--trials": ("20", "50"),
        "--margin": ("0.01", "0.5"), "--primary": ("token_fscore", "token_recall"), "--fail-if-worse": ("",),
        "--per-utterance": ("out.csv", "out.jsonl"), "--baseline": ("new",),
    },
    "errors": {
        "--format": RENDERINGS, "--percent": ("",), "--top": ("0", "2", "5"), "--examples": ("0", "2"), "--context": ("0", "2"),
        "--table": ("classes", "errors", "words", "length", "frequency", "vocabulary"),
    },
    "report": {"--top": ("2",), "--utterances": ("0", "2"), "--trials": ("20",), "--primary": ("token_fscore",),
               "--worst": ("token_recall",), "--margin": ("0.1",)},
    "curve": {"--format": RENDERINGS, "--percent": ("",), "--systems": ("rows", "columns"), "--counts": ("",),
              "--on-error": ("skip", "error")},
    "identify": {"--format": RENDERINGS, "--top": ("1", "3")},
}  # fmt: skip
#: Flags that name a score of words.
_NAMING_TOKENS = ("--min", "--max", "--worst", "--primary")
NONSENSE = ("", "-1", "0", "1.5", "nan", "x", "a,b", "1e400", "٣", "missing.txt", "token", "r.txt", "=", "9" * 30)


def flags_of(source: random.Random, request: Request, options: Options, formats: Sequence[str]) -> list[str]:
    """Write options as flags, with the text formats of both sides; word lists become files of the request."""
    flags: list[str] = []
    if formats:
        flags += ["--text-format", ",".join(dict.fromkeys(formats))]
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if name in ANY and ANY[name].flag:
            flag = ANY[name].flag
        if name == "text_format":
            continue
        if value is True:
            flags.append(flag)
            continue
        for text in texts_of(request, name, value):
            if source.random() < 0.5 or text.startswith("-"):
                flags.append(f"{flag}={text}")
            else:
                flags += [flag, text]
    return flags


def texts_of(request: Request, name: str, value: Any) -> list[str]:
    """Write the value of an option, once for each time that its flag is given."""
    if isinstance(value, dict):
        # Values that JSON does not have, such as a set: see `same_forms.special`.
        value = value["value"]
    if not isinstance(value, list):
        return [str(value)]
    if name in ("vocabulary", "dictionary", "acceptable"):
        return [request.write(f"{name}.txt", "".join(f"{word}\n" for word in value))]
    if name in ("scores", "ignore_words", "tier"):
        return [",".join("" if each is None else str(each) for each in value)]
    return [str(each) for each in value]


def draw_flags(source: random.Random, subcommand: str, options: Options, most: int = 5) -> list[str]:
    """Draw options of a subcommand's own that go with the others."""
    flags: list[str] = []
    table = COMMAND_OPTIONS[subcommand]
    for flag in source.sample(list(table), min(len(table), source.randrange(most + 1))):
        value = source.choice(table[flag])
        if flag in _NAMING_TOKENS and not has_tokens(options):
            continue
        if flag == "--worst" and subcommand == "score":
            flags += ["--per-utterance", "worst.csv"]
        flags += [flag, value] if value else [flag]
    if flags.count("--per-utterance") > 1:
        return ["--per-utterance", "out.csv"]
    if not {"csv", "json", "hub"}.isdisjoint(flags):
        flags = [flag for flag in flags if flag != "--percent"]
    return flags


def damage_arguments(source: random.Random, arguments: list[str]) -> list[str]:
    """Damage a command line."""
    damaged = [*arguments]
    at = source.randrange(len(damaged))
    way = source.choice(["value", "value", "less", "unknown", "twice", "misspelt"])
    if way == "value":
        damaged[at] = source.choice(NONSENSE)
    elif way == "less":
        del damaged[at]
    elif way == "unknown":
        damaged.insert(at, source.choice(["--nothing", "--tolerence=1", "--text-format", "-x"]))
    elif way == "twice":
        damaged.insert(at, damaged[at])
    else:
        damaged[0] = damaged[0][:-1]
    return damaged


def request_files(source: random.Random) -> Request:
    """A subcommand that compares files of two sides."""
    subcommand = source.choices(["score", "compare", "errors", "report", "curve"], [50, 14, 18, 8, 8])[0]
    form = draw_form(source, FORMS)
    sides = {"score": source.choice([2, 2, 3]), "errors": source.choice([2, 2, 2, 3])}.get(subcommand, 3)
    request = Request("command files", reached={f"format {form.text_format}"})
    inputs = draw_inputs(source, form, sides, (2, 4, 8))
    damage = source.choice(["input", "options", "arguments"]) if source.random() < DAMAGED else ""
    at = source.randrange(sides)
    names = []
    for place, items in enumerate(inputs.written()):
        is_damaged = damage == "input" and place == at
        names.append(as_file(source, request, "rpqs"[place], form, items, damaged=is_damaged))
    request.write("ids.txt", "".join(f"{each}\n" for each in draw_ids(source, inputs.count)))
    options = dict(form.options)
    add_reading(source, options, form)
    for name in ("documents", "ignore_index"):
        options.pop(name, None)
    if subcommand == "errors":
        options |= {"vocabulary": ["a", "ab"]} if source.random() < 0.2 else {}
    else:
        if source.random() < 0.7:
            add_scores(source, options, form)
        add_resampling(source, options, form, inputs.count)
    if subcommand in ("compare", "report") and options.get("average") == "macro":
        del options["average"]
    if form.text_format == "words" and "scores" not in options and source.random() < 0.3:
        options |= {"dictionary": ["a", "ab", "b"], "acceptable": ["ab"]}
    if "clusters" in options:
        options["clusters"] = source.choice(["ids.txt", "every:2"])
    if damage == "options":
        damage_options(source, options)
    flags = flags_of(source, request, options, [form.text_format] if source.random() < 0.9 else [])
    own = draw_flags(source, subcommand, options)
    if subcommand == "score" and source.random() < 0.12:
        own = ["--format", "json"]
    if subcommand == "errors" and sides > 2:
        own = ["--format", source.choice(RENDERINGS)]
    flags += own
    if subcommand == "report":
        flags += ["--output", "page.html"]
    if subcommand == "curve":
        names[1:] = [f"{size}={name}" for size, name in zip((10, 20), names[1:], strict=True)]
    elif source.random() < 0.2 or "new" in flags:
        names[-1] = f"new={names[-1]}"
    arguments = [subcommand, *names, *flags]
    if damage == "arguments":
        arguments = damage_arguments(source, arguments)
    request.run(*arguments)
    if arguments[0] == "score" and "json" in arguments and not damage:
        request.commands[0]["output_file"] = "record.json"
        request.run("verify", "record.json")
    return request


def request_other_files(source: random.Random) -> Request:
    """A subcommand that reads tables, documents, recordings or standard input, or files of other kinds."""
    ways = {
        table_command: 1.5, documents_command: 5, times_command: 2.5, input_command: 0.7, sweep_command: 3,
        difficulty_command: 3.5, alignment_command: 1.3, correlate_command: 2.5, list_command: 5, second_command: 2.5,
        tokenizer_command: 1.3,
    }  # fmt: skip
    request = Request("command others")
    draw = source.choices(list(ways), list(ways.values()))[0]
    arguments, stdin = draw(source, request)
    if source.random() < DAMAGED / 2:
        name = source.choice([*request.files, ""])
        if name:
            request.write(name, damage_data(source, base64.b64decode(request.files[name])))
    elif source.random() < DAMAGED / 2:
        arguments = damage_arguments(source, arguments)
    request.run(*arguments, stdin=stdin)
    return request


def words_pair(source: random.Random, counts: Sequence[int] = (2, 4, 8)) -> list[list[str]]:
    """Draw a reference and a prediction in words text."""
    return draw_inputs(source, FORMS["words"], counts=counts).written()


def table_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that reads a table."""
    form = source.choice([FORMS["words"], LISTS["start"], LISTS["BMES"], LISTS["lists"]])
    sides = draw_inputs(source, form, 3).written()
    columns = source.choice([["reference", "prediction", "other"], ["gold", "old", "new"]])
    rows = [
        dict(zip([*columns, "age"], [*row, at % 2], strict=True)) for at, row in enumerate(zip(*sides, strict=True))
    ]
    request.write("t.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    arguments = [source.choice(["score", "errors"]), "t.jsonl"]
    if columns[0] == "gold":
        arguments += ["--columns", source.choice(["gold,new", "gold,old,new", "gold"])]
    if "label_scheme" in form.options:
        arguments += ["--label-scheme", form.options["label_scheme"]]
    if form is FORMS["words"]:
        arguments += ["--text-format", "words"]
    if arguments[0] == "score" and source.random() < 0.4:
        arguments += source.choice([["--by", "column:age"], ["--clusters", "column:age", "--confidence", "0.9"]])
    return arguments, ""


def documents_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that reads documents."""
    name = source.choice((*DOCUMENTS, "conllu"))
    form = FORMS[name]
    for side, items in zip("rp", draw_inputs(source, form, counts=(4, 8)).written(), strict=True):
        lines = [item for item in items if item]
        if form.end:
            lines.insert(2, "")
        else:
            lines = [
                "# newdoc\n" + lines[0],
                *lines[1:2],
                *(["# newdoc\n" + lines[2]] if lines[2:] else []),
                *lines[3:],
            ]
        request.write(f"{side}{form.suffix}", file_of(form, lines))
    arguments = [source.choice(["score", "score", "errors"]), f"r{form.suffix}", f"p{form.suffix}"]
    arguments += ["--text-format", form.text_format, "--documents"]
    if arguments[0] == "score" and source.random() < 0.2 and name == "conllu":
        return [*arguments[:-1], "--by=newdoc"], ""
    if arguments[0] == "score" and source.random() < (0.7 if form.end else 0.4):
        arguments += [
            "--scores",
            source.choice(["sentence", "ud", "all", "token,syntactic_word", "sentence_boundary_end"]),
        ]
    elif name == "conllu" and arguments[0] == "score":
        arguments += ["--tags", source.choice(["upos", "xpos"]), "--scores", "tagged_token"]
    if source.random() < 0.5:
        arguments += ["--whole-files"]
    return arguments, ""


def times_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that reads recordings."""
    names = []
    for side, recordings in zip("rp", draw_inputs(source, TIMES, counts=(1,)).written(), strict=True):
        rows: list[Any] = []
        for recording in recordings:
            rows += recording["value"]
        suffix = source.choice(list(RECORDINGS))
        names.append(request.write(f"{side}{suffix}", RECORDINGS[suffix](rows)))
        request.reached.add(f"recording {suffix}")
    options: Options = {}
    add_scores(source, options, TIMES)
    if source.random() < 0.5:
        options["silence"] = source.choice([["a"], ["_", "b"]])
    if source.random() < 0.5:
        options |= source.choice([{"sample_rate": 8000}, {"sample_rate": 16000}, {"tier": "words"}, {"tier": "1"}])
    request.reached.add("format times")
    return [
        "score",
        *names,
        *flags_of(source, request, options, ["times"]),
        *source.choice([[], ["--counts"], ["--by", "length"]]),
    ], ""


def input_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that reads standard input."""
    reference, prediction = words_pair(source)
    request.write("r.txt", file_of(FORMS["words"], reference))
    arguments = [
        source.choice(["score", "errors"]),
        "r.txt",
        "-",
        "--text-format",
        source.choice(["words", "words,units"]),
    ]
    return arguments, file_of(FORMS["words"], prediction)


def sweep_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line of thresholds."""
    reference, _ = words_pair(source)
    request.write("r.txt", file_of(FORMS["words"], reference))
    lines = []
    for text in reference:
        size = max(0, len(text.replace(" ", "")) - 1)
        lines.append(json.dumps([source.choice([0.0, 0.3, 0.7]) for _ in range(size)]))
    request.write("s.jsonl", "".join(f"{line}\n" for line in lines))
    arguments = ["sweep", "r.txt", "s.jsonl", "--text-format", "words", "--format", source.choice(RENDERINGS)]
    arguments += source.choice(
        [[], ["--ratios", "0:1:0.25"], ["--thresholds", "0.1,0.5"], ["--thresholds=0.2", "--types"]]
    )
    return arguments, ""


def difficulty_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line about difficulties."""
    form = FORMS[source.choice(["words", "units", "conllu"])]
    inputs = draw_inputs(source, form, 4)
    names = [
        as_file(source, request, "rpqs"[at], form, side, damaged=False) for at, side in enumerate(inputs.written())
    ]
    arguments = ["difficulty", names[0], "--text-format", form.text_format]
    if source.random() < 0.45 and form.end:
        sides = zip(*(form.write(side) for side in inputs.corpora[:3]), strict=True)
        rows = [dict(zip(("reference", "old", "new"), row, strict=True)) for row in sides]
        request.write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        arguments[1:2] = ["t.jsonl", "--committee", "--committee-column=old", "--committee-column=new"]
        return arguments, ""
    if source.random() < 0.5:
        arguments += ["--committee", *names[2:]]
    else:
        lines = [json.dumps([source.choice([0.0, 0.5, 1.0]) for _ in words]) for words in inputs.corpora[0]]
        arguments += ["--difficulties", request.write("d.jsonl", "".join(f"{line}\n" for line in lines))]
    if source.random() < 0.6:
        arguments += ["--score", names[1], "--format", source.choice(RENDERINGS), *source.choice([[], ["--counts"]])]
    else:
        arguments += source.choice([["--output", "out.jsonl"], ["--html", "page.html"], ["--html", "page.html"], []])
    return arguments, ""


def alignment_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that scores alignments of two texts."""
    for name in "rp":
        lines = [f"{each['source']}:{each['target']}\n" for each in draw_bisegments(source)]
        request.write(f"{name}.txt", "".join(lines))
    arguments = ["alignment", "r.txt", "p.txt", "--format", source.choice(RENDERINGS)]
    if source.random() < 0.6:
        request.write("s.txt", "a b\nc\nd e\n")
        arguments += ["--sources", "s.txt", "--targets", "s.txt"]
    arguments += source.choice(
        [[], ["--counts"], ["--scores", "sentence,lax"], ["--scores=strict"], ["--zero-division", "1"]]
    )
    return arguments, ""


def correlate_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that correlates scores with a criterion."""
    rows = ["system,quality,token_fscore,pk"]
    rows += [
        f"s{at},{source.randrange(9)},{source.random():.3f},{source.random():.3f}"
        for at in range(source.choice([3, 9]))
    ]
    request.write("t.csv", "\n".join([*rows, ""]))
    arguments = ["correlate", "t.csv", "--criterion", "quality", "--format", source.choice(RENDERINGS)]
    arguments += source.choice([[], ["--against", "pk"], ["--confidence", "0.9"], ["--against", "token_fscore"]])
    return arguments, ""


#: Command lines that print lists and help.
LISTING = (
    ["groups"], ["groups", "token"], ["groups", "windows", "pk"], ["groups", "tokn"], ["groups", "--format", "markdown"],
    ["formats"], ["formats"], ["formats"], ["formats", "--format", "markdown"],
    ["score", "--help"], ["score", "--help-all"], ["compare", "--help-all"],
    ["errors", "--help-all"], ["difficulty", "--help-all"], ["sweep", "--help-all"], ["curve", "--help-all"],
    ["report", "--help-all"], ["identify", "--help"], ["alignment", "--help"], ["correlate", "--help"],
    ["verify", "--help"], ["conform", "--help"], ["conform", "--help"], ["--version", ""], ["--help", ""],
    ["conform", "cat {reference}"], ["verify", "missing.json"],
)  # fmt: skip


def list_command(source: random.Random, _: Request) -> tuple[list[str], str]:
    """Draw a command line that prints a list or help."""
    return [argument for argument in source.choice(LISTING) if argument], ""


def second_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that identifies a score, or has baselines."""
    form = FORMS[source.choice(["words", "units", "separated"])]
    names = [as_file(source, request, "rpq"[at], form, side, damaged=False)
             for at, side in enumerate(draw_inputs(source, form, 3, (2,)).written())]  # fmt: skip
    formats = ["--text-format", form.text_format]
    if source.random() < 0.3:
        return ["identify", *names[:2], "0.5", "--scores", "token", *formats], ""
    baselines = [
        "--baselines",
        "--second-reference",
        names[2],
        "--scores",
        "token",
        "--format",
        source.choice(RENDERINGS),
    ]
    return ["score", *names[:2], *baselines, *formats], ""


def tokenizer_command(source: random.Random, request: Request) -> tuple[list[str], str]:
    """Draw a command line that scores a tokenizer."""
    reference, _ = words_pair(source)
    request.write("r.txt", file_of(FORMS["words"], reference))
    vocabulary = {token: at for at, token in enumerate(["[UNK]", "a", "b", "##a", "##b", "ab", "##ab", "d", "c"])}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
             "vocab": vocabulary}  # fmt: skip
    parts: dict[str, Any] = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    tokenizer = {
        "version": "1.0",
        **parts,
        "added_tokens": [],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": model,
    }
    request.write("tokenizer.json", json.dumps(tokenizer))
    scores = ["--scores", source.choice(["tokenizer", "subword", "token_use", "token", "toklens"])]
    return ["score", "r.txt", "tokenizer.json", "--text-format=words", *scores, *source.choice([[], ["--space"]])], ""
