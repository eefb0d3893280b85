"""Recognition of the forms of files from their first lines, if no option gives them.

Conventions
-----------
- Each side has its own form: the form of its first file whose name does not determine the format. A name that ends in `.conllu`
  always means CoNLL-U, whatever format is given, and a folder or a TextGrid means times. `reading.texts` recognises the others.
- Input that can be read only once, such as standard input, is not inspected: it has the form of the other sides.
- Where some sides are units text and others are not, the units of a word are joined, so that units are characters on all sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...options.errors import FileError, warn
from ...options.messages import Message, OptionError
from ...options.option import implied_format
from ...options.table import OPTIONS, with_implied
from ..formats.registry import FORMATS, PLAIN, SENTENCE_FORMATS, TIMES, UNITS, joins_units
from ..reading import DEFAULT_WORD_BOUNDARY, Reading, check_tokens
from ..texts import TextForm, recognise_form
from ..trouble import missing_boundaries
from .names import Files, Held, format_of_name, is_table, is_timed
from .opening import open_file
from .progress import is_pipe

#: The number of bytes of a file to inspect.
_HEAD_BYTES = 1 << 16


def recognise_formats(
    sides: Sequence[Files],
    formats: Sequence[str | None],
    *,
    word_boundary: str | None,
    ignored_tokens: Sequence[str],
    separator: str | None = None,
) -> list[Files]:
    """Return the sides with their forms; a format or boundary token that is None is recognised.

    A tokenizer has the reference's form.
    """
    if any(side.tokenizer is not None for side in sides):
        texts = [at for at, side in enumerate(sides) if side.tokenizer is None]
        tokens: dict[str, Any] = {"word_boundary": word_boundary, "ignored_tokens": ignored_tokens}
        of_texts = [sides[at] for at in texts], [formats[at] for at in texts]
        recognised = recognise_formats(*of_texts, **tokens, separator=separator)
        known = dict(zip(texts, recognised, strict=True))
        return [known.get(at) or replace(side, form=recognised[0].form) for at, side in enumerate(sides)]
    if word_boundary is not None:
        check_tokens(word_boundary, ignored_tokens)
    paths = [next((path for path in side.paths if not _is_named(path)), side.paths[0]) for side in sides]
    formats = [_format_by_name(path, name) for path, name in zip(paths, formats, strict=True)]
    timed = next((name for name in formats if name and FORMATS[name].has_times), None)
    # Files whose names do not tell, such as tables and JSON, have times if another side has.
    formats = [name or timed for name in formats]
    heads = [
        _read_head(path) if not name or _takes_tokens(name) else None for path, name in zip(paths, formats, strict=True)
    ]
    for side, path, name in zip(sides, paths, formats, strict=True):
        if name and not _takes_tokens(name):
            mark = FORMATS[name].mark(Reading(text_format=name, separator=separator))
            if mark:
                _warn_of_missing_separators(side.label, _read_head(path), mark)
    known_forms: list[TextForm | None] = []
    for path, name, head in zip(paths, formats, heads, strict=True):
        if name:
            known_forms.append(_form(name, word_boundary, ignored_tokens))
        elif _is_named(path):
            known_forms.append(TextForm(PLAIN.name))
        else:
            known_forms.append(None if head is None else _recognised(head, word_boundary, ignored_tokens))
    default = next((form for form in known_forms if form is not None), TextForm(PLAIN.name))
    forms = [default if form is None else form for form in known_forms]
    units_form = next((form for form in forms if form.has_tokens and form.reason), None)
    if units_form is not None and word_boundary is None:
        for at, (name, head) in enumerate(zip(formats, heads, strict=True)):
            if name and head and recognise_form(head).text_format == PLAIN.name:
                forms[at] = replace(units_form, reason="")
    is_alone = any(form.word_boundary in (head or "") for form, head in zip(forms, heads, strict=True))
    for side, name, head, form in zip(sides, formats, heads, forms, strict=True):
        if name and head:
            _warn_of_missing_boundaries(side.label, head, form.word_boundary, is_alone=is_alone)
    of_units = next((at for at, form in enumerate(forms) if form.has_tokens), 0)
    units_head = heads[of_units] if forms[of_units].has_tokens and not formats[of_units] else None
    for side, name, head, form in zip(sides, formats, heads, forms, strict=True):
        if units_head and head and not name and form.text_format == PLAIN.name:
            _check_distinguishable(side, head, sides[of_units], units_head, forms[of_units])
    if word_boundary is not None:
        _check_occurs(word_boundary, sides, forms)
    joined = joins_units([form.text_format for form in forms])
    return [replace(side, form=form, joins_units=joins) for side, form, joins in zip(sides, forms, joined, strict=True)]


def recognise_by_options(sides: Sequence[Files], options: Mapping[str, Any], references: int = 1) -> list[Files]:
    """Return the sides with their forms, by the user's options; the first `references` sides are references."""
    every = with_implied(options)
    formats = options.get("text_format") or (implied_format(every) or None,)
    return recognise_formats(
        sides,
        [formats[0]] * references + [formats[-1]] * (len(sides) - references),
        word_boundary=options.get("word_boundary"),
        ignored_tokens=options.get("ignored_tokens") or (),
        separator=every.get("separator"),
    )


def forms_as_options(sides: Sequence[Files], references: int = 1) -> dict[str, Any]:
    """Return the options with which functions read sides of known forms: their formats, and the tokens of units text."""
    forms = [side.form for side in sides if side.form is not None]
    formats = [form.text_format for form in forms]
    options: dict[str, Any] = {"text_format": next(iter(formats), PLAIN.name)}
    if len(set(formats)) > 1:
        # If predictions have several formats, name units text, which has options, rather than others.
        predictions = sorted(formats[references:], key=lambda name: (not _takes_tokens(name), name in SENTENCE_FORMATS))
        options = {"reference_format": formats[0], "prediction_format": next(iter(predictions), formats[0])}
    units = next((form for form in forms if form.has_tokens and form.text_format in options.values()), None)
    if units and units.word_boundary != DEFAULT_WORD_BOUNDARY:
        options["word_boundary"] = units.word_boundary
    if units and units.ignored_tokens:
        options["ignored_tokens"] = list(units.ignored_tokens)
    return options


def _check_occurs(word_boundary: str, sides: Sequence[Files], forms: Sequence[TextForm]) -> None:
    """Check that the boundary token occurs in some units text, if any side is units text."""
    pairs = zip(sides, forms, strict=True)
    of_units = [(form.word_boundary, side) for side, form in pairs if form.has_tokens]
    if of_units and all(other != word_boundary for other, _ in of_units):
        other, side = of_units[0]
        place = f": {word_boundary} does not occur near the beginning of {side.label}, where {other} separates words: "
        remedy = UNITS.setting, f" to read it with {word_boundary} nevertheless."
        raise OptionError(OPTIONS["word_boundary"], f"{place}leave the option out, or add ", *remedy)


def _format_by_name(path: str | Held, text_format: str | None) -> str | None:
    """Return the format that the name of a file or folder determines, or else the one that the user gave."""
    row = format_of_name(path)
    if row is not None:
        return row.name
    return TIMES.name if is_timed(path) else text_format


def _takes_tokens(text_format: str) -> bool:
    """Return whether a boundary token separates the words of a format."""
    return FORMATS[text_format].takes("word_boundary")


def _is_named(path: str | Held) -> bool:
    """Return whether the name of a file determines its format."""
    return is_table(path) or format_of_name(path) is not None


def _warn_of_missing_boundaries(name: str, head: str, word_boundary: str, *, is_alone: bool) -> None:
    tokens = set(head.split())
    if word_boundary not in tokens and any(len(line.split()) > 1 for line in head.splitlines()):
        remedy = Message("say so with ", OPTIONS["text_format"]) if is_alone else ""
        eword, esyll = (mark in tokens for mark in (";eword", ";esyll"))
        warn(missing_boundaries(word_boundary, name, has_eword=eword, has_esyll=esyll, remedy=remedy))


def _warn_of_missing_separators(name: str, head: str | None, separator: str) -> None:
    if head and separator not in head and any(len(line.split()) > 1 for line in head.splitlines()):
        warn(missing_boundaries(separator, name, has_eword=False, has_esyll=False))


def _form(text_format: str, word_boundary: str | None, ignored_tokens: Sequence[str], reason: str = "") -> TextForm:
    if not _takes_tokens(text_format):
        return TextForm(text_format)
    boundary = DEFAULT_WORD_BOUNDARY if word_boundary is None else word_boundary
    return TextForm(text_format, boundary, tuple(ignored_tokens), reason)


def _recognised(head: str, word_boundary: str | None, ignored_tokens: Sequence[str]) -> TextForm:
    if word_boundary and word_boundary in head.split():
        return _form(UNITS.name, word_boundary, ignored_tokens, f"recognised by {word_boundary}")
    form = recognise_form(head)
    if form.has_tokens and ignored_tokens:
        return replace(form, ignored_tokens=tuple(ignored_tokens))
    return form


def _read_head(path: str | Held) -> str | None:
    """Return the first whole lines of a file; None if it is a table, can be read only once, or can't be read."""
    if path == "-" or is_table(path) or is_pipe(path):
        return None
    try:
        with open_file(path) as file:
            head = file.read(_HEAD_BYTES)
    except FileError:
        return None
    if len(head) == _HEAD_BYTES:
        head = head[: head.rfind(b"\n") + 1] or head
    return head.decode(errors="replace")


def _check_distinguishable(side: Files, head: str, units_side: Files, units_head: str, form: TextForm) -> None:
    """Check that a side is words text, and not units text without any boundary."""
    dropped = {form.word_boundary, *form.ignored_tokens}
    pairs = [
        ([token for token in left.split() if token not in dropped], right.split())
        for left, right in zip(units_head.splitlines(), head.splitlines(), strict=False)
    ]
    pairs = [(left, right) for left, right in pairs if len(left) > 1]
    if pairs and all(left == right for left, right in pairs):
        raise OptionError(
            f"{side.label}: it has the units of {units_side.label}, separated by spaces, but no {form.word_boundary}: it could "
            f"be units text with one word a line, or words text with one unit a word. Say which it is with ",
            OPTIONS["text_format"],
            " REFERENCE,PREDICTION: units or words.",
        )
