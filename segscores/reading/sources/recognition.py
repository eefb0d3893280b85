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
from dataclasses import replace
from functools import partial

from ...kernel.record import record
from ...options.errors import FileError, warn
from ...options.messages import Message, OptionError
from ...options.quoting import shortened
from ...options.table import OPTIONS
from ..boundary_tokens import likely_boundary
from ..formats.registry import FORMATS, PLAIN, UNITS, joins_units, recognise
from ..missing_boundaries import missing_boundaries
from ..readers import has_boundary, named_boundary
from ..reading import DEFAULT_WORD_BOUNDARY, Reading, check_distinct
from ..texts import TextForm, recognise_form, refuse_known_form
from .delimited import delimited_of, first_lines
from .likely_tables import doubtful_columns
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
    scores: Sequence[str] = (),
    is_trial: bool = False,
    wanted: str = "",
) -> list[Files]:
    """Return the sides with their forms; a format or boundary token that is None is recognised.

    A side that shows no format has the one that the scores want, `wanted`, or else the one of the first side that has any, if its
    lines fit. A tokenizer has the reference's form. A form that is known and not read is an error, except in a trial. `given` are
    the names of the user's options, and `scores` those of scores, if any are named.
    """
    if word_boundary is not None:
        check_distinct(word_boundary, ignored_tokens)
    # Only texts show a form.
    texts = [side for side in sides if side.tokenizer is None]
    formats_of_texts = [name for side, name in zip(sides, formats, strict=True) if side.tokenizer is None]
    inspected = _inspect(texts, formats_of_texts)
    for text in inspected:
        if not is_trial:
            text.refuse_known_forms(given, scores, reference=inspected[0])
        text.warn_of_missing_separators(separator)
    shown_forms = [text.form(word_boundary, ignored_tokens) for text in inspected]
    shown_forms = _with_fitting(inspected, shown_forms, wanted)
    for text, form in zip(inspected, shown_forms, strict=True):
        if not is_trial:
            text.warn_of_columns(form)
    forms = _with_default(shown_forms)
    if any(form.has_tokens for form in forms):
        forms = _with_tokens(inspected, forms, word_boundary)
    joined = joins_units([form.text_format for form in forms])
    recognised = [
        replace(side, form=form, joins_units=joins) for side, form, joins in zip(texts, forms, joined, strict=True)
    ]
    return _with_tokenizers(sides, recognised)


def _with_tokenizers(sides: Sequence[Files], recognised: Sequence[Files]) -> list[Files]:
    """Return the sides in order, of which the texts are recognised; tokenizers, which read the reference, have its form."""
    if len(recognised) == len(sides):
        return list(recognised)
    reference, *_ = recognised
    remaining_texts = list(recognised)
    ordered = []
    for side in sides:
        if side.tokenizer is None:
            ordered.append(remaining_texts.pop(0))
        else:
            ordered.append(replace(side, form=reference.form))
    return ordered


def _with_default(shown_forms: Sequence[TextForm | None]) -> list[TextForm]:
    """Return the forms; a side that shows none has the form of the first units text, or else is words text."""
    of_units = [form for form in filter(None, shown_forms) if form.has_tokens]
    default, *_ = [*of_units, TextForm(PLAIN.name)]
    return [form or default for form in shown_forms]


@record
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
        """The name of the side in messages."""
        return self.files.label

    def form(self, word_boundary: str | None, ignored_tokens: Sequence[str]) -> TextForm | None:
        """Return the form that the name, the option or the first lines show; None for the form of the other sides."""
        if self.text_format:
            return _form_of_format(self.text_format, word_boundary, ignored_tokens)
        if _has_name_of_form(self.path):
            # A format by its name is `text_format`. So this is a table of values, whose strings are words text.
            return TextForm(PLAIN.name)
        if self.head is None:
            return None
        # A side that can be read only once, such as standard input, has the form of the other sides, unless its lines show a form
        # or an option has the boundary token.
        _, evidence = recognise(self.head)
        has_form = evidence is not None or word_boundary is not None
        if is_once(self.path) and not has_form:
            return None
        return _recognised(self.head, word_boundary, ignored_tokens)

    def refuse_known_forms(self, given: Collection[str], scores: Sequence[str], *, reference: _Inspected) -> None:
        """Raise an error, or warn, if a file has a form that is known and not read.

        `given` are the names of the user's options, and `scores` those of scores.
        """
        read_reference = None
        if reference is not self:
            read_reference = partial(_head_of, reference.path, reference.files)
        if self.text_format and FORMATS[self.text_format].world_form:
            return  # a world refuses forms itself
        for path in self.files.paths:
            # Files that are named as JSON lines may be something else than tables; other tables may not.
            is_certainly_table = is_table(path) and not is_json(path)
            if format_of_name(path) is not None or is_certainly_table:
                continue
            head = read_head(path, self.files.encoding)
            if head is not None:
                refuse_known_form(
                    head,
                    shown_name(path),
                    text_format=self.named_format,
                    given=given,
                    scores=scores,
                    is_json=is_json(path),
                    read_reference=read_reference,
                )

    def is_words_by_default(self, form: TextForm) -> bool:
        """Return whether this form of the side is words text because no name, option or first line shows a form."""
        # A form has a reason if the first lines show it.
        is_shown = bool(self.text_format or form.reason)
        has_lines = bool(self.head)
        return form.text_format == PLAIN.name and not is_shown and has_lines

    def warn_of_columns(self, form: TextForm | None) -> None:
        """Warn of words text whose lines look like the rows of a table; a side that shows no form, None, may be anything."""
        if form is None or form.text_format != PLAIN.name or is_table(self.path):
            return
        head = first_lines(self.path, self.files.encoding)
        if head is None:
            return
        table = doubtful_columns(head.text, is_whole=head.is_whole)
        if table is None:
            return
        # The longest column is likely the text: the last one may be empty, as a separator may stand at the end of each line. The
        # first row may have the names of the columns, which are no text.
        _first_row, *rows = table.rows
        lengths = [sum(map(len, cells)) for cells in zip(*rows, strict=True)]
        longest_column = table.names()[lengths.index(max(lengths))]
        warn(
            Message(
                f"{self.label}: each line has {table.width} cells between {table.separator!r}, as a table has, and all of "
                f"them are read as words. The columns are {table.shown()}. Read one with ",
                OPTIONS["columns"],
                f", such as {longest_column}.",
            )
        )

    def warn_of_missing_separators(self, separator: str | None) -> None:
        """Warn if the format has a mark between words, such as the separator `|`, that the first lines do not have.

        Boundary tokens are marks too, of which `_warn_of_missing_boundaries` warns.
        """
        if not self.text_format or FORMATS[self.text_format].has_boundary_token:
            return
        mark_of = FORMATS[self.text_format].mark
        if mark_of is None:
            return
        mark = mark_of(Reading(text_format=self.text_format, separator=separator))
        head = _head_of(self.path, self.files)
        if head and mark not in head and _has_several_tokens(head):
            # The hints on the tokens ;eword and ;esyll are for formats with boundary tokens.
            warn(missing_boundaries(mark, self.label, has_eword=False, has_esyll=False))


def _first_unnamed(side: Files) -> str | Held:
    """Return the first file whose name does not say its format; the first of all if every name does."""
    for path in side.paths:
        if not _has_name_of_form(path):
            return path
    return side.paths[0]


def _inspect(sides: Sequence[Files], formats: Sequence[str | None]) -> list[_Inspected]:
    """Look at one file of each side: at its name, and at its first lines.

    The first lines are read if neither a name nor an option says the format, or if it is a format with a boundary token, which
    they may show.
    """
    paths = [_first_unnamed(side) for side in sides]
    known_formats = [_format_by_name(path, name) for path, name in zip(paths, formats, strict=True)]
    # Both sides are of one world, such as recordings, or of none. So if a side has a format of a world, a side whose format is
    # not known has this one too: its reader reads tables and JSON, whose names do not tell, and refuses other text.
    of_worlds = [name for name in filter(None, known_formats) if FORMATS[name].world_form]
    first_of_world = next(iter(of_worlds), None)
    inspected = []
    for side, path, known_format, named_format in zip(sides, paths, known_formats, formats, strict=True):
        text_format = known_format or first_of_world
        head = None
        if text_format is None or FORMATS[text_format].has_boundary_token:
            head = _head_of(path, side)
        inspected.append(_Inspected(side, path, text_format, named_format or "", head))
    return inspected


def _with_tokens(inspected: Sequence[_Inspected], forms: list[TextForm], word_boundary: str | None) -> list[TextForm]:
    """Return the forms, of which some are units text, with the boundary tokens that the first lines show, and check these.

    A boundary token of the options must occur in the first lines of some side.
    """
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
    # The reason of each likely format; the wanted one is the first, then come those of the sides in their order.
    reasons: dict[str, str] = {}
    if wanted:
        reasons[wanted] = "as its scores want"
    for side, form in zip(inspected, forms, strict=True):
        is_likely = form is not None and form.text_format != PLAIN.name
        if form is not None and is_likely and form.text_format not in reasons:
            reasons[form.text_format] = f"like {side.label}"
    fitting_forms = [_fitting(side, form, reasons) for side, form in zip(inspected, forms, strict=True)]
    for side, form in zip(inspected, fitting_forms, strict=True):
        if form is not None and side.is_words_by_default(form):
            _check_pairs(side, inspected, fitting_forms)
    return fitting_forms


def _fitting(side: _Inspected, form: TextForm | None, reasons: Mapping[str, str]) -> TextForm | None:
    """Return the first likely format, with its reason, that the lines of a side fit; else the form that the side has, or None.

    `reasons` has the likely formats, each with its reason, such as {"units": "like gold.txt"}.
    """
    if form is None or not side.head or not side.is_words_by_default(form):
        return form
    text = side.head.replace("\r\n", "\n")
    for name, reason in reasons.items():
        if FORMATS[name].fits(text):
            return TextForm(name, reason=reason)
    return form


def _check_pairs(words_side: _Inspected, inspected: Sequence[_Inspected], forms: Sequence[TextForm | None]) -> None:
    """Check that no other side has a format which, by mistake, words text would be scored against in silence.

    An error is "crf.txt, line 2: received 'dogs'; expected the form of gold.txt, which is sigmorphon. If it is another form, …".
    """
    for other, form in zip(inspected, forms, strict=True):
        if form is None or FORMATS[form.text_format].pairs_with_words:
            continue
        number, line = _first_unfitting(words_side.head or "", form.text_format)
        received = f"{words_side.label}, line {number}: received {shortened(line)}"
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
    """Return the forms; of units text by option, whose lines show no token, with the tokens that another side shows."""
    # A form has a reason if the first lines show it.
    shown = [form for form in forms if form.reason]
    with_shown_tokens = [form for form in shown if form.has_tokens]
    if not with_shown_tokens:
        return list(forms)
    first_shown, *_ = with_shown_tokens
    changed = []
    for side, form in zip(inspected, forms, strict=True):
        is_by_option = bool(side.text_format and side.head)
        if is_by_option and _is_recognised_as_words(side.head or ""):
            changed.append(replace(first_shown, reason=""))  # its own lines do not show the form
        else:
            changed.append(form)
    return changed


def _is_recognised_as_words(head: str) -> bool:
    """Return whether the first lines of a file show neither a boundary token nor a format."""
    return recognise_form(head).text_format == PLAIN.name


def _warn_of_missing_boundaries(inspected: Sequence[_Inspected], forms: Sequence[TextForm]) -> None:
    """Warn of units text by option without its boundary token, so that every utterance is one word."""
    pairs = list(zip(inspected, forms, strict=True))
    # If some side has the token, that side is units text: then the remedy is a format for each side, and else words text for all.
    has_token_somewhere = any(form.word_boundary in (side.head or "") for side, form in pairs)
    remedy = Message("say so with ", OPTIONS["text_format"]) if has_token_somewhere else ""
    for side, form in pairs:
        if not side.text_format or not side.head:
            continue
        tokens = set(side.head.split())
        is_missing = not has_boundary(side.head, form.word_boundary)
        if is_missing and _has_several_tokens(side.head):
            warn(
                missing_boundaries(
                    form.word_boundary,
                    side.label,
                    has_eword=";eword" in tokens,
                    has_esyll=";esyll" in tokens,
                    remedy=remedy,
                    likely="" if has_token_somewhere else likely_boundary(side.head.splitlines()),
                )
            )


def _has_several_tokens(head: str) -> bool:
    """Return whether some line has several tokens."""
    return any(len(line.split()) > 1 for line in head.splitlines())


def _check_occurs(word_boundary: str, inspected: Sequence[_Inspected], forms: Sequence[TextForm]) -> None:
    """Check that the boundary token occurs in some units text, if any side is units text."""
    of_units = [(side, form.word_boundary) for side, form in zip(inspected, forms, strict=True) if form.has_tokens]
    # A side without the token of the options has the token that its first lines show.
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
    """Return the format that the name of a file or folder determines, or else the one that the user gave, None for none."""
    row = format_of_name(path) or format_of_folder(path)
    if row is not None:
        return row.name
    return text_format


def _has_name_of_form(path: str | Held) -> bool:
    """Return whether the name of a file says how to read it: by a format, or as a table of values, such as Parquet."""
    is_table_of_values = is_table(path) and delimited_of(path) is None
    return is_table_of_values or format_of_name(path) is not None


def _form_of_format(text_format: str, word_boundary: str | None, ignored_tokens: Sequence[str]) -> TextForm:
    """Return the form of a format, with the tokens of the options if it has tokens; None stands for the default boundary."""
    if not FORMATS[text_format].has_boundary_token:
        return TextForm(text_format)
    boundary = DEFAULT_WORD_BOUNDARY if word_boundary is None else word_boundary
    return TextForm(text_format, boundary, tuple(ignored_tokens))


def _recognised(head: str, word_boundary: str | None, ignored_tokens: Sequence[str]) -> TextForm:
    """Return the form that the first lines show, with the tokens of the options; `word_boundary` is None if none is given."""
    if word_boundary and has_boundary(head, word_boundary):
        by_option = _form_of_format(UNITS.name, word_boundary, ignored_tokens)
        return replace(by_option, reason=f"recognised by {named_boundary(word_boundary)}")
    form = recognise_form(head)
    if form.has_tokens and ignored_tokens:
        return replace(form, ignored_tokens=tuple(ignored_tokens))
    return form


def _head_of(path: str | Held, files: Files) -> str | None:
    """Return the first whole lines of a file, or of a column of delimited text; None for another table."""
    table = delimited_of(path)
    if table is None:
        return None if is_table(path) else read_head(path, files.encoding)
    # The first row is a header if it has the name of the column.
    asked = [files.column]
    column = table.column(files.column, asked)
    if column is None:
        return None
    return "\n".join(table.cells(column, asked))


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
    of_units = [(side, form) for side, form in pairs if form.has_tokens]
    if not of_units:
        return
    (units_side, units_form), *_ = of_units
    if units_side.text_format or not units_side.head:
        return  # an option says what it is, or nothing shows it
    dropped = {units_form.word_boundary, *units_form.ignored_tokens}
    units_of_lines = [
        [token for token in line.split() if token not in dropped] for line in units_side.head.splitlines()
    ]
    for side, form in pairs:
        if not side.head or side.text_format or form.text_format != PLAIN.name:
            continue
        words_of_lines = [line.split() for line in side.head.splitlines()]
        if _are_equal_lines(units_of_lines, words_of_lines):
            raise OptionError(
                f"{side.label}: it has the units of {units_side.label}, separated by spaces, but no {units_form.word_boundary}: "
                f"it could be units text with one word a line, or words text with one unit a word. Say which it is with ",
                OPTIONS["text_format"],
                " REFERENCE,PREDICTION: units or words.",
            )


def _are_equal_lines(units_of_lines: Sequence[list[str]], words_of_lines: Sequence[list[str]]) -> bool:
    """Return whether the lines with several units have the same tokens on both sides; a line of one unit shows nothing."""
    # The first lines of two files need not be equally many.
    pairs = zip(units_of_lines, words_of_lines, strict=False)
    with_several = [(units, words) for units, words in pairs if len(units) > 1]
    return bool(with_several) and all(units == words for units, words in with_several)
