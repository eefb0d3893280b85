"""Recognition of the forms of files from their first lines, if no option gives them.

Conventions
-----------
- Each side has its own form: the form of its first file whose name does not determine the format. A name that ends in `.conllu`
  always means CoNLL-U, whatever format is given, and a folder or a TextGrid means times. `reading.texts` recognises the others.
- Of input that can be read only once, such as standard input, the first lines are kept for its reader. If they show no form, it
  has the boundary token of the other sides, or is words text.
- Where some sides are units text and others are not, the units of a word are joined, so that units are characters on all sides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...options.errors import FileError, warn
from ...options.messages import Message, OptionError
from ...options.option import implied_format, likely_format
from ...options.quoting import shortened
from ...options.table import OPTIONS, with_implied
from ..formats.registry import FORMATS, PLAIN, UNITS, joins_units, recognise
from ..readers import has_boundary, named_boundary
from ..reading import DEFAULT_WORD_BOUNDARY, Reading, check_distinct
from ..texts import TextForm, recognise_form, refuse_known_form
from ..trouble import missing_boundaries
from .delimited import delimited_of, doubtful_columns, first_lines
from .names import Files, Held, format_of_folder, format_of_name, is_json, is_table, shown_name
from .opening import first_bytes
from .progress import is_once, is_pipe

#: The number of bytes of a file to inspect.
_HEAD_BYTES = 1 << 16


def recognise_formats(
    sides: Sequence[Files],
    formats: Sequence[str | None],
    *,
    word_boundary: str | None,
    ignored_tokens: Sequence[str],
    separator: str | None = None,
    given: Collection[str] = (),
    is_trial: bool = False,
    wanted: str = "",
) -> list[Files]:
    """Return the sides with their forms; a format or boundary token that is None is recognised.

    A side that shows no format has the one that the scores want, `wanted`, or else the one of the first side that has any, if its
    lines fit. A tokenizer has the reference's form. A form that is known and not read is an error, except in a trial. `given` are
    the names of the user's options.
    """
    texts = [number for number, side in enumerate(sides) if side.tokenizer is None]
    if len(texts) < len(sides):
        recognised = recognise_formats(
            [sides[number] for number in texts],
            [formats[number] for number in texts],
            word_boundary=word_boundary,
            ignored_tokens=ignored_tokens,
            separator=separator,
            given=given,
            is_trial=is_trial,
            wanted=wanted,
        )
        known = dict(zip(texts, recognised, strict=True))
        reference, *_ = recognised
        return [known.get(number) or replace(side, form=reference.form) for number, side in enumerate(sides)]
    if word_boundary is not None:
        check_distinct(word_boundary, ignored_tokens)
    inspected = _inspect(sides, formats)
    for one in inspected:
        if not is_trial:
            one.refuse_known_forms(given)
        one.warn_of_missing_separators(separator)
    known_forms = [one.form(word_boundary, ignored_tokens) for one in inspected]
    known_forms = _with_fitting(inspected, known_forms, wanted)
    for one, form in zip(inspected, known_forms, strict=True):
        if not is_trial:
            one.warn_of_columns(form)
    # The form of sides that show none: units text, if another side is, or else words text.
    default = TextForm(PLAIN.name)
    for form in known_forms:
        if form is not None and form.has_tokens:
            default = form
            break
    forms: Sequence[TextForm] = [form or default for form in known_forms]
    if any(form.has_tokens for form in forms):
        forms = _with_tokens(inspected, forms, word_boundary)
    joined = joins_units([form.text_format for form in forms])
    return [replace(side, form=form, joins_units=joins) for side, form, joins in zip(sides, forms, joined, strict=True)]


@dataclass(frozen=True)
class _Inspected:
    """A side, and what is known of it before its form is recognised."""

    files: Files
    path: str | Held  #: the file that has the form of the side
    text_format: str | None  #: by the name of the file, or by an option; None if it is to be recognised
    named_format: str  #: by an option; empty if no option names it
    #: the first lines, where they show the form or a boundary token; None if they can't be read
    head: str | None

    @property
    def label(self) -> str:
        return self.files.label

    def form(self, word_boundary: str | None, ignored_tokens: Sequence[str]) -> TextForm | None:
        """Return the form that the name, the option or the first lines show; None for the form of the other sides."""
        if self.text_format:
            return _form(self.text_format, word_boundary, ignored_tokens)
        if _is_named(self.path):
            return TextForm(PLAIN.name)
        if self.head is None:
            return None
        _, evidence = recognise(self.head)
        # What can be read only once, such as standard input, has the form of the other sides unless its lines show another.
        if is_once(self.path) and evidence is None and word_boundary is None:
            return None
        return _recognised(self.head, word_boundary, ignored_tokens)

    def refuse_known_forms(self, given: Collection[str]) -> None:
        """Raise an error, or warn, if a file has a form that is known and not read; `given` names the user's options."""
        if self.text_format and FORMATS[self.text_format].world_form:
            return  # a world refuses forms itself
        for path in self.files.paths:
            is_other_table = is_table(path) and not is_json(path)
            if format_of_name(path) is not None or is_other_table:
                continue
            head = read_head(path, self.files.encoding)
            if head is not None:
                refuse_known_form(
                    head, shown_name(path), text_format=self.named_format, given=given, is_json=is_json(path)
                )

    def shows_nothing(self, form: TextForm) -> bool:
        """Return whether the form is words text because nothing says otherwise."""
        is_named = bool(self.text_format or form.reason)
        return form.text_format == PLAIN.name and not is_named and bool(self.head)

    def warn_of_columns(self, form: TextForm | None) -> None:
        """Warn of words text whose lines look like the rows of a table."""
        if form is None or form.text_format != PLAIN.name or is_table(self.path):
            return
        head = first_lines(self.path, self.files.encoding)
        if head is None:
            return
        table = doubtful_columns(head.text, is_whole=head.is_whole)
        if table is None:
            return
        *_, last_column = table.names()
        warn(
            Message(
                f"{self.label}: each line has {table.width} cells between {table.separator!r}, as a table has, and all of "
                f"them are read as words. The columns are {table.shown()}. Read one with ",
                OPTIONS["columns"],
                f", such as {last_column}.",
            )
        )

    def warn_of_missing_separators(self, separator: str | None) -> None:
        """Warn if the format has a mark between words that the first lines do not have."""
        if not self.text_format or FORMATS[self.text_format].has_boundary_token:
            return
        mark_of = FORMATS[self.text_format].mark
        if mark_of is None:
            return
        mark = mark_of(Reading(text_format=self.text_format, separator=separator))
        head = _head_of(self.path, self.files)
        if head and mark not in head and _has_several_tokens(head):
            warn(missing_boundaries(mark, self.label, has_eword=False, has_esyll=False))


def _first_unnamed(side: Files) -> str | Held:
    """Return the first file whose name does not say its format; the first of all if every name does."""
    for path in side.paths:
        if not _is_named(path):
            return path
    return side.paths[0]


def _inspect(sides: Sequence[Files], formats: Sequence[str | None]) -> list[_Inspected]:
    """Look at one file of each side: at its name, and at its first lines if neither the name nor an option says the format."""
    paths = [_first_unnamed(side) for side in sides]
    known = [_format_by_name(path, name) for path, name in zip(paths, formats, strict=True)]
    # Files whose names do not tell, such as tables and JSON, are of the world of another side.
    of_world = None
    for name in known:
        if name and FORMATS[name].world_form:
            of_world = name
            break
    inspected = []
    for side, path, name, given in zip(sides, paths, known, formats, strict=True):
        text_format = name or of_world
        head = None
        if text_format is None or FORMATS[text_format].has_boundary_token:
            head = _head_of(path, side)
        inspected.append(_Inspected(side, path, text_format, given or "", head))
    return inspected


def _with_tokens(
    inspected: Sequence[_Inspected], forms: Sequence[TextForm], word_boundary: str | None
) -> Sequence[TextForm]:
    """Return the forms, of which some are units text, with the boundary tokens of the first lines, after a check of these."""
    if word_boundary is None:
        forms = _with_recognised_tokens(inspected, forms)
    _warn_of_missing_boundaries(inspected, forms)
    _check_distinguishable(inspected, forms)
    if word_boundary is not None:
        _check_occurs(word_boundary, inspected, forms)
    return forms


def _with_fitting(
    inspected: Sequence[_Inspected], forms: Sequence[TextForm | None], wanted: str
) -> list[TextForm | None]:
    """Return the forms, where words text whose lines fit a wanted format, or the format of another side, has that format."""
    pairs = list(zip(inspected, forms, strict=True))
    # The reason of each likely format; the wanted one is the first, then come those of the sides in their order.
    likely: dict[str, str] = {}
    if wanted:
        likely[wanted] = "as its scores want"
    for one, form in pairs:
        if form is None or form.text_format == PLAIN.name or form.text_format in likely:
            continue
        likely[form.text_format] = f"like {one.label}"
    fitting = [_fitting(one, form, likely) for one, form in pairs]
    for one, form in zip(inspected, fitting, strict=True):
        if form is not None and one.shows_nothing(form):
            _check_pairs(one, inspected, fitting)
    return fitting


def _fitting(one: _Inspected, form: TextForm | None, likely: Mapping[str, str]) -> TextForm | None:
    """Return the first likely format, with its reason, that the lines of a side fit; else the form that it has.

    `likely` has the reasons by format, such as {"units": "like gold.txt"}.
    """
    if form is None or not one.head or not one.shows_nothing(form):
        return form
    text = one.head.replace("\r\n", "\n")
    for name, reason in likely.items():
        if FORMATS[name].fits(text):
            return TextForm(name, reason=reason)
    return form


def _check_pairs(one: _Inspected, inspected: Sequence[_Inspected], forms: Sequence[TextForm | None]) -> None:
    """Check that no other side has a format which, by mistake, words text would be scored against in silence."""
    for other, form in zip(inspected, forms, strict=True):
        if form is None or FORMATS[form.text_format].pairs_with_words:
            continue
        number, line = _first_unfitting(one.head or "", form.text_format)
        received = f"{one.label}, line {number}: received {shortened(line)}"
        raise OptionError(
            f"{received}; expected the form of {other.label}, which is {form}. If it is another form, name both with ",
            OPTIONS["text_format"],
            f" {form.text_format},{PLAIN.name}.",
        )


def _first_unfitting(head: str, text_format: str) -> tuple[int, str]:
    """Return the number, from 1, of the first line that does not fit a format, and the line; the first line if each fits."""
    lines = head.split("\n")
    for number, line in enumerate(lines, 1):
        if not FORMATS[text_format].fits(line):
            return number, line
    return 1, lines[0]


def _with_recognised_tokens(inspected: Sequence[_Inspected], forms: Sequence[TextForm]) -> list[TextForm]:
    """Return the forms; units text by option, in which no token is recognised, has the tokens of a side that shows them."""
    with_tokens = [form for form in forms if form.has_tokens]
    # A form has a reason if the first lines show it.
    shown = [form for form in with_tokens if form.reason]
    if not shown:
        return list(forms)
    first_shown, *_ = shown
    changed = []
    for one, form in zip(inspected, forms, strict=True):
        shows_no_tokens = bool(one.text_format and one.head) and _is_recognised_as_words(one.head or "")
        if shows_no_tokens:
            changed.append(replace(first_shown, reason=""))
        else:
            changed.append(form)
    return changed


def _is_recognised_as_words(head: str) -> bool:
    return recognise_form(head).text_format == PLAIN.name


def _warn_of_missing_boundaries(inspected: Sequence[_Inspected], forms: Sequence[TextForm]) -> None:
    """Warn of units text by option without its boundary token, so that every utterance is one word."""
    pairs = list(zip(inspected, forms, strict=True))
    # If another side has the token, the format is right for that side: name it for each side, in place of words for all.
    has_token_somewhere = any(form.word_boundary in (one.head or "") for one, form in pairs)
    remedy = Message("say so with ", OPTIONS["text_format"]) if has_token_somewhere else ""
    for one, form in pairs:
        if not one.text_format or not one.head:
            continue
        tokens = set(one.head.split())
        is_missing = not has_boundary(one.head, form.word_boundary)
        if is_missing and _has_several_tokens(one.head):
            warn(
                missing_boundaries(
                    form.word_boundary,
                    one.label,
                    has_eword=";eword" in tokens,
                    has_esyll=";esyll" in tokens,
                    remedy=remedy,
                )
            )


def _has_several_tokens(head: str) -> bool:
    """Return whether some line has several tokens."""
    return any(len(line.split()) > 1 for line in head.splitlines())


def recognise_by_options(sides: Sequence[Files], options: Mapping[str, Any], references: int = 1) -> list[Files]:
    """Return the sides with their forms, by the user's options; the first `references` sides are references."""
    every = with_implied(options)
    # One format is of all sides; of two, the first is of the references.
    formats = options.get("text_format") or ()
    wanted = ""
    if not formats:
        wanted = likely_format(options)
        formats = (implied_format(every) or None,)
    reference_format = formats[0]
    prediction_format = formats[-1]
    return recognise_formats(
        sides,
        [reference_format] * references + [prediction_format] * (len(sides) - references),
        word_boundary=options.get("word_boundary"),
        ignored_tokens=options.get("ignored_tokens") or (),
        separator=every.get("separator"),
        given=[name for name, value in options.items() if value is not None],
        wanted=wanted,
    )


def forms_as_options(sides: Sequence[Files], references: int = 1) -> dict[str, Any]:
    """Return the options with which functions read sides of known forms: their formats, and the tokens of units text.

    The first `references` sides are references.
    """
    forms = [side.form for side in sides if side.form is not None]
    if not forms:
        return {"text_format": PLAIN.name}
    formats = [form.text_format for form in forms]
    reference_format, *_ = formats
    options: dict[str, Any] = {"text_format": reference_format}
    if len(set(formats)) > 1:
        prediction_format = reference_format
        rows = [FORMATS[name] for name in formats[references:]]
        if rows:
            # If predictions have several formats, name units text, which has options, rather than others, and formats with a line
            # per utterance rather than those with several.
            first_row = min(rows, key=lambda row: (not row.has_boundary_token, row.sentences is not None))
            prediction_format = first_row.name
        options = {"reference_format": reference_format, "prediction_format": prediction_format}
    # The tokens of the first side whose format is named and has tokens.
    for form in forms:
        if form.has_tokens and form.text_format in options.values():
            if form.word_boundary != DEFAULT_WORD_BOUNDARY:
                options["word_boundary"] = form.word_boundary
            if form.ignored_tokens:
                options["ignored_tokens"] = list(form.ignored_tokens)
            break
    return options


def _check_occurs(word_boundary: str, inspected: Sequence[_Inspected], forms: Sequence[TextForm]) -> None:
    """Check that the boundary token occurs in some units text, if any side is units text."""
    of_units = [(side, form.word_boundary) for side, form in zip(inspected, forms, strict=True) if form.has_tokens]
    if not of_units or any(boundary == word_boundary for _, boundary in of_units):
        return
    (side, boundary), *_ = of_units
    problem = f": {word_boundary} does not occur near the beginning of {side.label}, where {boundary} separates words: "
    raise OptionError(
        OPTIONS["word_boundary"],
        f"{problem}leave the option out, or add ",
        UNITS.setting,
        f" to read it with {word_boundary} nevertheless.",
    )


def _format_by_name(path: str | Held, text_format: str | None) -> str | None:
    """Return the format that the name of a file or folder determines, or else the one that the user gave."""
    row = format_of_name(path) or format_of_folder(path)
    if row is not None:
        return row.name
    return text_format


def _is_named(path: str | Held) -> bool:
    """Return whether the name of a file determines its format."""
    is_table_of_values = is_table(path) and delimited_of(path) is None
    return is_table_of_values or format_of_name(path) is not None


def _form(text_format: str, word_boundary: str | None, ignored_tokens: Sequence[str], reason: str = "") -> TextForm:
    """Return the form of a format, with the tokens of the options if it has tokens; `reason` is as in `TextForm`."""
    if not FORMATS[text_format].has_boundary_token:
        return TextForm(text_format)
    boundary = DEFAULT_WORD_BOUNDARY if word_boundary is None else word_boundary
    return TextForm(text_format, boundary, tuple(ignored_tokens), reason)


def _recognised(head: str, word_boundary: str | None, ignored_tokens: Sequence[str]) -> TextForm:
    """Return the form that the first lines show, with the tokens of the options."""
    if word_boundary and has_boundary(head, word_boundary):
        return _form(UNITS.name, word_boundary, ignored_tokens, f"recognised by {named_boundary(word_boundary)}")
    form = recognise_form(head)
    if form.has_tokens and ignored_tokens:
        return replace(form, ignored_tokens=tuple(ignored_tokens))
    return form


def _head_of(path: str | Held, files: Files) -> str | None:
    """Return the first whole lines of a file, or of a column of delimited text; None for another table."""
    table = delimited_of(path)
    if table is None:
        return None if is_table(path) else read_head(path, files.encoding)
    column = table.column(files.column, [files.column])
    if column is None:
        return None
    return "\n".join(table.cells(column, [files.column]))


def read_head(path: str | Held, encoding: str) -> str | None:
    """Return the first whole lines of a file; None if it can't be read, or is a pipe with a name of its own.

    Such a pipe waits for a program that opens its other end; an option may yet be refused without it.
    """
    if is_pipe(path) and not str(path).startswith("/dev/"):
        return None
    try:
        head = first_bytes(path, _HEAD_BYTES, encoding)
    except FileError:
        return None
    if len(head) == _HEAD_BYTES:
        # The last line may be cut: leave it out, unless it is the only one.
        head = head[: head.rfind(b"\n") + 1] or head
    return head.decode(errors="replace")


def _check_distinguishable(inspected: Sequence[_Inspected], forms: Sequence[TextForm]) -> None:
    """Check that a side is words text, and not units text without any boundary, if another side is recognised as units text."""
    pairs = list(zip(inspected, forms, strict=True))
    of_units = [(one, form) for one, form in pairs if form.has_tokens]
    if not of_units:
        return
    (units, units_form), *_ = of_units
    if units.text_format or not units.head:
        return
    dropped = {units_form.word_boundary, *units_form.ignored_tokens}
    units_lines = [[token for token in line.split() if token not in dropped] for line in units.head.splitlines()]
    for one, form in pairs:
        if not one.head or one.text_format or form.text_format != PLAIN.name:
            continue
        lines = [line.split() for line in one.head.splitlines()]
        # The first lines of two files need not be equally many. A line of one unit shows nothing.
        with_several = [(left, right) for left, right in zip(units_lines, lines, strict=False) if len(left) > 1]
        if with_several and all(left == right for left, right in with_several):
            raise OptionError(
                f"{one.label}: it has the units of {units.label}, separated by spaces, but no {units_form.word_boundary}: it "
                f"could be units text with one word a line, or words text with one unit a word. Say which it is with ",
                OPTIONS["text_format"],
                " REFERENCE,PREDICTION: units or words.",
            )
