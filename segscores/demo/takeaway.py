"""Takeaway: the export of a tab: files to download, and code to copy that computes the same numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..analysis.drawing import STYLE
from ..options.requests import Request, command_line, python_call
from ..options.tasks import COMMANDS
from ..sources.names import is_json, unpacked_name
from ..sources.outputs import csv_cell
from .reading import Given, Sides, are_texts
from .templating import render

#: The longest texts that Python code contains literally, in characters; it reads longer ones from files.
_QUOTED = 400
_KINDS = {
    "json": "application/json",
    "csv": "text/csv",
    "svg": "image/svg+xml",
    "html": "text/html",
    "md": "text/markdown",
    "tex": "text/x-tex",
}


@dataclass(frozen=True)
class Takeaway:
    """The export of a tab.

    Attributes:
        no_command: the reason why no command computes the numbers; empty if `lines` has one.
        has_report: whether the visitor can download the report; otherwise, the results as the page shows them.
    """

    stem: str
    files: Mapping[str, str]
    lines: Mapping[str, str]
    no_command: str = ""
    has_report: bool = False

    def draw(self) -> str:
        """Links that contain the files themselves, so that the server keeps no data of visitors, and texts with buttons."""
        links = [
            {
                "name": f"{self.stem}.{ending}",
                "kind": ending.upper(),
                "address": f"data:{_KINDS[ending]};charset=utf-8,{quote(content)}",
            }
            for ending, content in self.files.items()
        ]
        return render(
            "takeaway.html",
            stem=self.stem,
            links=links,
            lines=self.lines,
            no_command=self.no_command,
            has_report=self.has_report,
        )


def record_of(**found: Any) -> str:
    """Results as JSON, with the version."""
    record = {"metric": "segmentation_scores", "version": __version__, **found}
    return json.dumps(record, indent=2, ensure_ascii=False)


def csv_of(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV. No cell is a formula: the name of a system may come from a link."""
    table = io.StringIO()
    csv.writer(table).writerows(map(csv_cell, row) for row in rows)
    return table.getvalue()


def chart(title: str, rows: Sequence[tuple[str, float, float | None, float | None]]) -> str:
    """Scores from 0 to 1 as bars, with intervals if they are known, as a self-contained SVG.

    Args:
        rows: the name, the value, and the ends of the interval (or None) of each score.
    """
    shown = [
        (
            name,
            value,
            *((None, None) if low is None or high is None or math.isnan(low) else (max(low, 0), min(high, 1))),
        )
        for name, value, low, high in rows
        if 0 <= value <= 1
    ]
    # The names end 10 pixels before the bars; a bar and its value take 390.
    left = max([250, *(18 + _pixels(name) for name, *_ in shown)])
    return render("chart.svg", title=title, rows=shown, left=left, width=max(left + 390, 16 + _pixels(title)))


def _pixels(text: str) -> int:
    """A width that has room for a text, in pixels; characters of East Asia are as wide as high."""
    return sum(13 if ord(character) > 0x10FF else 8 for character in text)


def standalone(drawing: str) -> str:
    """The picture in a drawing of the package, as a separate file with the style that it needs."""
    found = re.search(r"<svg\b.*</svg>", drawing, re.DOTALL)
    if not found:
        return ""
    style = f"<style>{STYLE} svg {{ background: #fff; }}</style>"
    picture = re.sub(r"^<svg\b", '<svg xmlns="http://www.w3.org/2000/svg" class="segscores"', found[0], count=1)
    # The rules name parts of `.segscores`; in the file the element itself is the root.
    style = style.replace(".segscores svg", "svg.segscores")
    picture = re.sub(r'(class="segscores"[^>]*?) class=curves', r'class="segscores curves"', picture, count=1)
    start = picture.index(">") + 1
    return _well_formed(picture[:start] + style + picture[start:])


def _well_formed(picture: str) -> str:
    """Add quotes to attributes that HTML allows without them, as XML requires."""
    return re.sub(r"(<[a-z][^<>]*?\s[a-z-]+)=([a-z0-9.#-]+)(?=[\s/>])", r'\1="\2"', picture)


def file_names(sides: Sides) -> dict[str, str]:
    """The name of the file of each box: that of the opened file, or the name to save the text under.

    An opened file has another name here if the command would take it for a file of another form, or for another box.
    """
    names: dict[str, str] = {}
    for box, given in sides.given.items():
        are_conllu = is_conllu(sides, box)
        ending = "conllu" if are_conllu else "jsonl" if given.chosen else "txt"
        fits = is_json(given.file) == bool(given.chosen) and unpacked_name(given.file).endswith(".conllu") <= are_conllu
        own = [given.file] if given.file and fits else []
        others = (f"{box}{suffix}.{ending}" for suffix in ("", *(f"_{number}" for number in range(2, len(names) + 3))))
        names[box] = next(name for name in (*own, *others) if name not in names.values())
    return names


def is_conllu(sides: Sides, box: str) -> bool:
    """Whether the text of a box was read as CoNLL-U."""
    form = sides.given[box].form
    return sides.form.text_format == "conllu" and form is not None and form.text_format == "conllu"


def command_of(sides: Sides, name: str, inputs: Mapping[str, str | Sequence[str]], **options: Any) -> str:
    """The subcommand that reads and scores as the page does.

    Args:
        name: of the subcommand.
        inputs: the names of its files, by the names of its arguments.
    """
    form = sides.form
    recognised = {each.form.text_format for each in sides.given.values() if each.form is not None}
    is_recognised = form.text_format == "conllu" or (form.text_format == "words" and recognised <= {"words"})
    given: dict[str, Any] = {} if is_recognised else {"text_format": (form.text_format,)}
    given |= {
        option: sides.reading[option] for option in ("word_boundary", "ignored_tokens") if option in sides.reading
    }
    named = _columns_by_kind(sides)
    # None stands for the default.
    reference = next((name for name in named.get("reference", []) if name != "reference"), None)
    predictions, committee = (
        tuple(names) if names != ["prediction"] else ()
        for names in (named.get("prediction", []), named.get("committee", []))
    )
    given |= {"columns": (reference, *predictions)} if reference or predictions else {}
    given |= {"committee_column": committee} if committee else {}
    return command_line(Request(COMMANDS[name], inputs, given | options))


def missing_command(sides: Sides) -> str:
    """The reason why no command reads the boxes; empty if one does."""
    for kind, columns in _columns_by_kind(sides).items():
        if len(columns) > 1:
            return (
                f"No single command reads these files: it takes one column for each {kind}, and theirs are "
                f"{', '.join(columns)}. Give the columns one name, or use the Python code."
            )
    return ""


def _columns_by_kind(sides: Sides) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for number, (box, given) in enumerate(sides.given.items()):
        kind = "committee" if box.startswith("member_") else "prediction" if number else "reference"
        named = columns.setdefault(kind, [])
        named += [given.chosen] if given.chosen and given.chosen not in named else []
    return columns


def python_of(
    sides: Sides,
    call: str,
    passed: Mapping[str, Sequence[str]],
    options: Mapping[str, Any],
    names: Mapping[str, str] | None = None,
) -> str:
    """Python code that calls a function of the package with the contents of the boxes.

    Args:
        passed: the boxes that each argument takes: one, or several by name.
    """
    utterances = sides.utterances.values()
    is_short = sum(len(json.dumps(each, ensure_ascii=False)) for each in utterances) <= _QUOTED
    names = names or file_names(sides)
    values = {
        box: json.dumps(sides.utterances[box], ensure_ascii=False)
        if is_short
        else _read_in_python(given, names[box], sides)
        for box, given in sides.given.items()
    }
    inputs: dict[str, str] = {}
    for argument, boxes in passed.items():
        if isinstance(boxes, Mapping):
            systems = "".join(f"        {name!r}: {values[box]},\n" for name, box in boxes.items())
            inputs[argument] = f"{{\n{systems}    }}"
        else:
            inputs[argument] = values[boxes[0]]
    code = python_call(call, inputs, options)
    read = "".join(inputs.values())
    imports = ["segscores", *(name for name in ("json", "pathlib", "pyarrow") if f"{name}." in read)]
    head = "\n".join(f"import {name}" for name in sorted(imports))
    if "read_texts(" in read:
        head += "\nfrom segscores.reading.texts import TextForm, read_texts"
    return f"{head}\n\nfound = {code}\nprint(found)"


def _read_in_python(given: Given, name: str, sides: Sides) -> str:
    # Beside lists of words, texts are split into words.
    as_lists = sides.form.text_format == "conllu"
    is_packed = name.lower().endswith((".gz", ".zst", ".bz2"))
    read = f"pyarrow.input_stream({name!r}).read()" if is_packed else f"pathlib.Path({name!r}).read_bytes()"
    text = f'{read}.decode("utf-8-sig")'
    if is_conllu(sides, given.box):
        return f'read_texts([{text}], TextForm("conllu"))[0]'
    lines = f'{text}.removesuffix("\\n").split("\\n")'
    if given.chosen:
        split = ".split()" if as_lists and are_texts(given.rows) else ""
        return f"[json.loads(line)[{given.chosen!r}]{split} for line in {lines}]"
    return f"[line.split() for line in {lines}]" if as_lists else lines
