"""Parts of the pages that come from the code: scores, options, the command, the public names, extras and folders.

A page holds a part as plain Markdown between `<!-- generated: scores -->` and `<!-- end of generated part -->`, so it can be read
without the site. `python -m tests.docs.pages` writes the parts from the registry, the command's parser and docstrings, and a test
compares them with the pages. Only the site has the docstrings themselves, at `<!-- docstrings -->`, the changelog, and the
order of the pages, from `<!-- pages: NAME … -->`.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import segscores
from segscores.apps.command.cli import subcommand_parsers
from segscores.apps.command.groups import format_groups, format_range
from segscores.options.keywords import ComputeOptions, ScoringOptions
from segscores.options.messages import literal
from segscores.options.table import options_in
from segscores.options.tasks import CODE, COMMANDS, flag_of
from segscores.reading.formats import known
from segscores.reading.formats.binary import BINARIES
from segscores.scoring import signature
from segscores.scoring.functions import describe
from segscores.scoring.measures.bisegments import LEVELS
from segscores.scoring.measures.registry import GROUPS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from segscores.scoring.measures.group import ScoreGroup

ROOT = Path(__file__).resolve().parents[2]

#: The public names without a docstring; the page of Python describes them.
CONSTANTS = {"__version__", "DEFINITIONS_VERSION"}
#: The utterance that every group scores as its example, and the options that a group needs.
REFERENCE, PREDICTION = "the dog is on the boat", "thedog is on the bo at"
#: The recording that groups of recordings score, which writes these times as well.
TIMES = (
    [(0.1, 0.3, "the"), (0.3, 0.7, "dog"), (0.7, 1.0, "barks")],
    [(0.11, 0.29, "the"), (0.29, 0.74, "dog"), (0.74, 1.0, "bark")],
)
#: The words with tags that groups of tags score.
TAGGED = "the/DET dog/NOUN is/AUX on/ADP the/DET boat/NOUN", "thedog/NOUN is/VERB on/ADP the/DET bo/X at/ADP"
EXAMPLE_OPTIONS: dict[str, dict[str, Any]] = {
    "dictionary": {"dictionary": ["the", "dog", "is", "on", "boat", "thedog", "bo", "at"]},
    "oov": {"vocabulary": ["the dog is on"]},
    "unit_error": {"on_mismatch": "align"},
}


def scores() -> str:
    """A section for each group: what it counts, its formulas, its scores, and an example."""
    return "\n\n".join(_group(name) for name in GROUPS)


def _group(name: str) -> str:
    group = GROUPS[name]
    counted, found = _example(name)
    rows = [
        [
            f"`{key}`",
            format_range(*group.keys[key].range),
            group.keys[key].better,
            f"{found[key]:.4f}".replace("-", "−"),
        ]
        for key in group.keys
    ]
    facts = {
        "Source": group.source,
        "Equal to": group.equal_to,
        "Options": ", ".join(f"[`{getattr(option, 'name', option)}`](options.md)" for option in group.options),
    }
    parts = [
        f"## `{name}`: {group.title}",
        group.definition,
        f"```text\n{_lines(group)}\n```",
        _table(["score", "range", "better", "example"], rows),
        counted,
        " · ".join(f"**{title}**: {text}" for title, text in facts.items() if text),
    ]
    return "\n\n".join(part for part in parts if part)


def _lines(group: ScoreGroup) -> str:
    """The formulas of a group, which it has in one line, with a line for each score."""
    first, *others = group.formula.split(", ")
    lines = [first]
    for part in others:
        name = part.split(" ")[0]
        starts = name.startswith("…") or any(key == name or key.endswith(f"_{name}") for key in group.keys)
        lines = [*lines, part] if starts else [*lines[:-1], f"{lines[-1]}, {part}"]
    return "\n".join(lines)


def _example(name: str) -> tuple[str, dict[str, float]]:
    """Return what the group counts in the pair of utterances, in words, and the scores."""
    options = {**EXAMPLE_OPTIONS.get(name, {}), **({"documents": True} if "documents" in GROUPS[name].needs else {})}
    needed = {"window_size": "utterance"} if name == "windows" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_times = "times" in GROUPS[name].needs
        sides: Any = TAGGED if "tags" in GROUPS[name].needs else TIMES if of_times else (REFERENCE, PREDICTION)
        text_format = "tagged" if "tags" in GROUPS[name].needs else "times" if of_times else "words"
        pair: Any = ([side] for side in sides)
        tally = segscores.tally(*pair, text_format=text_format, scores=name, **options, **needed)
    # The columns of bins are many.
    counts = {
        key: value for key, value in tally.counts().items() if key not in ("utterances", "units") and "_bin_" not in key
    }
    keywords = "".join(f", {option}={value!r}" for option, value in options.items())
    listed = ", ".join(f"`{column}` {value:,}" for column, value in counts.items())
    return f"The example, `scores={name!r}{keywords}`, counts {listed}.", tally.scores()


def score_groups() -> str:
    """The table that `segscores groups --format markdown` prints."""
    return format_groups()


def example_pair() -> str:
    """The two utterances of the examples."""
    written = "\n".join(
        f"{side:13}{', '.join(map(str, rows))}" for side, rows in zip(("reference", "prediction"), TIMES, strict=True)
    )
    tagged = f"```text\nreference    {TAGGED[0]}\nprediction   {TAGGED[1]}\n```"
    words = f"```text\nreference    {REFERENCE}\nprediction   {PREDICTION}\n```"
    return f"{words}\n\nOf words with tags:\n\n{tagged}\n\nOf times:\n\n```text\n{written}\n```"


def alignment_levels() -> str:
    """The levels of the scores of an alignment."""
    rows = [
        [f"`{name}`", level.definition, level.formula, ", ".join(f"`{key}`" for key in level.keys)]
        for name, level in LEVELS.items()
    ]
    return _table(["level", "what is counted", "formula", "scores"], rows)


def options() -> str:
    """Every option of `score`: its meaning, its default, the command's flag, its field in the signature."""
    flags = {name: flag_of(option) for name, option in COMMANDS["score"].options.items()}
    rows = []
    for name, option in options_in(ComputeOptions).items():
        value = "the first five groups" if name == "scores" else f"`{literal(option.default)}`"
        flag = f"`{flags[name]}`" if name in flags else ""
        if option.flag_value != "{}":
            flag = f"`{option.flag} {option.flag_value.format('FORM')}`"
        rows.append(
            [
                f"`{name}`",
                re.sub(r" Default:? .*\.$", "", describe(option)),
                option.default_help or value,
                flag,
                "" if name == "scores" else f"`{option.field}`",
            ]
        )
    return _table(["option", "meaning", "default", "flag", "signature"], rows)


def signature_fields() -> str:
    """Every field of a signature, with those of options in their place."""
    rows = []
    for field, value in re.findall(r"^\| (.*?) \| (.*?) \|$", signature.__doc__ or "", flags=re.M)[1:]:
        if not field.startswith("of an option"):
            rows.append([field, value])
            continue
        known = {name for cell, _ in rows for name in re.findall("`(.*?)`", cell)} | {
            "scores",
            "zero",
            "docs",
            "wb",
            "ign",
            "skipped",
        }
        of_groups = "of a group" in field
        fields: dict[str, list[str]] = {}
        for name, option in options_in(ScoringOptions).items():
            if bool(option.groups) is of_groups and option.field not in known and name != "scores":
                fields.setdefault(option.field, []).append(f"`{name}`")
        rows += [[f"`{short}`", f"{' and '.join(names)}: {value}"] for short, names in fields.items()]
    return _table(["field", "value"], rows)


def command_reference() -> str:
    """A section for each subcommand: usage, description, arguments."""
    sections = []
    for name, parser in subcommand_parsers().items():
        rows = [
            [_invocation(action), _help(parser, action) or "see above"]
            for action in parser._actions
            if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)
        ]
        positional = [_positional(action) for action in parser._actions if not action.option_strings]
        usage = " ".join(["segscores", name, "[OPTION …]", *positional])
        parts = [
            f"## {name}",
            f"```text\n{usage}\n```",
            _plain(parser.description or ""),
            _table(["argument", "meaning"], rows) if rows else "",
            _plain(parser.epilog or ""),
        ]
        sections.append("\n\n".join(part for part in parts if part))
    return "\n\n".join(sections)


def _positional(action: argparse.Action) -> str:
    metavar = str(action.metavar or action.dest.upper())
    return {"+": f"{metavar} [{metavar} …]", "*": f"[{metavar} …]", "?": f"[{metavar}]"}.get(str(action.nargs), metavar)


def _invocation(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{action.metavar or action.dest.upper()}`"
    if action.nargs == 0:
        return ", ".join(f"`{option}`" for option in action.option_strings)
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    if isinstance(value, tuple):
        value = " ".join(value)
    return ", ".join(f"`{option} {value}`" for option in action.option_strings)


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return _plain((action.help or "") % {**vars(action), "prog": parser.prog})


def _plain(text: str) -> str:
    """Text of the command as Markdown: nothing in it is markup."""
    return re.sub(r"([*_<\[\]`])", r"\\\1", re.sub(r"\s+", " ", text).strip())


def public_names() -> str:
    """Return what `segscores` exports, with the first sentence of each docstring."""
    rows = []
    for name in sorted((name for name in segscores.__all__ if name not in CONSTANTS), key=str.lower):
        first = (inspect.getdoc(getattr(segscores, name)) or "").partition("\n\n")[0]
        rows.append([f'<a href="#segscores.{name}"><code>{name}</code></a>', re.sub(r"\s+", " ", first)])
    return _table(["name", "what it is"], rows)


def docstrings() -> str:
    """Directives for the docstrings of what `segscores` exports."""
    functions, classes = [], []
    for name in segscores.__all__:
        value = getattr(segscores, name)
        if inspect.isclass(value):
            classes.append(f".. autoclass:: segscores.{name}\n   :members:\n   :exclude-members: __init__, __new__\n")
        elif callable(value):
            functions.append(f".. autofunction:: segscores.{name}\n")
    metric = (
        ".. autoclass:: segscores.integrations.metric.SegmentationScores\n"
        "   :members:\n   :exclude-members: __init__, __new__\n"
    )
    parts = [("Functions", functions), ("The metric", [metric]), ("Results and errors", classes)]
    sections = [f"## {title}\n\n```{{eval-rst}}\n{chr(10).join(lines)}```" for title, lines in parts]
    return "\n\n".join(["```{eval-rst}\n.. currentmodule:: segscores\n```", *sections])


def json_schema() -> str:
    """The fields of the JSON that the command prints, from its schema."""
    path = ROOT / "segscores/apps/command/output.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    rows = [[f"`{name}`", _kind(field), _plain(field.get("description", ""))] for name, field in _fields(schema)]
    return _table(["field", "type", "meaning"], rows)


def _fields(schema: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, field in schema.get("properties", {}).items():
        yield prefix + name, field
        yield from _fields(field, f"{prefix}{name}.")
        if "items" in field:
            yield from _fields(field["items"], f"{prefix}{name}[].")
        if isinstance(field.get("additionalProperties"), dict):
            yield from _fields(field["additionalProperties"], f"{prefix}{name}.*.")


def _kind(field: dict[str, Any]) -> str:
    kind = field.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind or field.get("const", ""))


def extras() -> str:
    """The optional parts of the package, with the comments above them in pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    rows = []
    for comment, name, packages in re.findall(r"((?:^# [^\n]*\n)*)^([\w-]+) = (\[.*?\])$", section, flags=re.M | re.S):
        says = " ".join(line.removeprefix("# ") for line in comment.splitlines())
        names = [re.split(r"[<>=!;]", package)[0].strip() for package in ast.literal_eval(packages)]
        listed = ", ".join(f"`{package}`" for package in names) if len(names) <= 4 else f"{len(names)} packages"
        rows.append([f"`{name}`", _plain(says), listed])
    return _table(["extra", "for", "packages"], rows)


def folders() -> str:
    """The folders of the package, with what their docstrings say that they hold and may import."""
    rows = []
    for path in sorted((ROOT / "segscores").glob("*/__init__.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        holds, says, imports = re.sub(r"\s+", " ", docstring).partition("It may import")
        rows.append([f"`{path.parent.name}/`", holds.strip(), says + imports or "–"])
    return _table(["folder", "holds", "imports"], rows)


def known_forms() -> str:
    """The forms that are known and not read: the sign in the example of each, what happens, and the way out."""
    rows = []
    for row in (*known.EARLY, *known.LATE):
        evidence = row.evidence(row.example)
        assert evidence is not None
        number, _, sign = evidence.sign.partition(" is ")
        outcome = "a warning" if evidence.is_weak else "refused"
        remedy = re.sub(r"with (\S.* < OLD > NEW(\.jsonl)?)", r"with `\1`", row.remedy)
        rows.append([row.title.replace("<", "\\<"), f"{number}: `{ast.literal_eval(sign)}`", outcome, remedy])
    rows += [[binary.title, "its first bytes", "refused", binary.remedy] for binary in BINARIES]
    return _table(["form", "a sign", "what comes out", "the way out"], rows)


def _table(headers: list[str], rows: list[list[str]]) -> str:
    lines = [headers, ["---"] * len(headers), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


#: The parts by the names that pages give them.
PARTS: dict[str, Callable[[], str]] = {
    part.__name__.replace("_", "-"): part
    for part in (
        scores,
        score_groups,
        example_pair,
        alignment_levels,
        options,
        signature_fields,
        command_reference,
        json_schema,
        public_names,
        extras,
        folders,
        known_forms,
    )
}

_PART = re.compile(rf"^<!-- generated: ({'|'.join(PARTS)}) -->\n.*?^<!-- end of generated part -->$", flags=re.M | re.S)

_CHANGELOG = "```{include} ../../CHANGELOG.md\n:relative-docs: docs/\n:start-line: 2\n```"
_PAGES = re.compile(r"^<!-- pages: ([^>]*) -->$", flags=re.M)


def fill(text: str) -> str:
    """A page's text with its generated parts brought up to date."""
    return _PART.sub(
        lambda match: f"<!-- generated: {match[1]} -->\n\n{PARTS[match[1]]()}\n\n<!-- end of generated part -->", text
    )


def llms_txt() -> str:
    """The list of pages for language models (llmstxt.org): each with its address as Markdown, and its first sentence."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    lines = ["# segscores", "", f"> {_first_sentence(index)}", ""]
    folders = {"Start": "", "How-to": "how-to", "Reference": "reference", "Explanation": "explanation"}
    for title, folder in folders.items():
        lines += [f"## {title}", ""]
        for page in sorted((ROOT / "docs" / folder).glob("*.md")):
            if page.stem != "index":
                text = page.read_text(encoding="utf-8")
                name = text.partition("\n")[0].removeprefix("# ").replace("`", "")
                address = f"{CODE}/raw/main/{page.relative_to(ROOT).as_posix()}"
                lines.append(f"- [{name}]({address}): {_first_sentence(text)}")
        lines.append("")
    return "\n".join(lines)


def _first_sentence(text: str) -> str:
    """The first sentence of a page as plain text."""
    paragraphs = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S).split("\n\n")
    is_prose = re.compile(r"[A-Z`*\[](?!.*\|$)", flags=re.M)
    paragraph = next(each for each in paragraphs[1:] if is_prose.match(each))
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"[`*]|</?sub>", "", paragraph))
    sentence = re.match(r".*?[.:?](?= [A-Z]|$)", re.sub(r"\s+", " ", plain))
    return sentence[0] if sentence else plain


def _read_source(app: Sphinx, name: str, source: list[str]) -> None:
    text = source[0].replace("<!-- docstrings -->", docstrings()).replace("<!-- changelog -->", _CHANGELOG)
    source[0] = _PAGES.sub(lambda match: "\n".join(["```{toctree}", ":hidden:", "", *match[1].split(), "```"]), text)


def _escape_markup(app: Sphinx, what: str, name: str, value: object, settings: object, lines: list[str]) -> None:
    """Take `|…|` and `**` outside code as what they are in plain text."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", ":", "..")):
            parts = re.split(r"(`[^`]*`)", line)
            parts[::2] = [
                re.sub(r"(?<!\\)\|", r"\\|", re.sub(r"(?<![*\\])\*\*(?=\w+[ ,.])", r"\\*\\*", part))
                for part in parts[::2]
            ]
            lines[number] = "".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("source-read", _read_source)
    app.connect("autodoc-process-docstring", _escape_markup, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
