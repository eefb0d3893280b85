"""Texts: recognition of their form, and units text as words text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from ..options.errors import FileError, warn
from ..options.messages import Message, NamedOption, Setting, Settings
from ..options.table import OPTIONS
from .formats.format import Evidence, Format
from .formats.registry import FORMATS, PLAIN, recognise
from .proposals import goes_with_some, with_other_scores
from .quick_look import LINES_OF_FORM
from .readers import has_boundary, named_boundary
from .reading import DEFAULT_WORD_BOUNDARY, check_distinct


@dataclass(frozen=True)
class TextForm:
    """The form in which to read a text."""

    text_format: str
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: tuple[str, ...] = ()
    reason: str = ""  #: how the form was recognised; empty if the user gave it

    def __post_init__(self) -> None:
        check_distinct(self.word_boundary, self.ignored_tokens)

    @property
    def has_tokens(self) -> bool:
        """Return whether the boundary token separates the words."""
        return FORMATS[self.text_format].has_boundary_token

    def __str__(self) -> str:
        described = FORMATS[self.text_format].meaning.replace("{word_boundary}", named_boundary(self.word_boundary))
        if self.ignored_tokens:
            described += f", without {' and '.join(self.ignored_tokens)}"
        if self.reason:
            described += f" ({self.reason})"
        return described


def recognise_form(text: str) -> TextForm:
    """Recognise the form of a text by its first lines; a form that is known and not read is words text here.

    >>> str(recognise_form("ð ə WORD_BOUNDARY d ɔ g"))
    'units separated by spaces, WORD_BOUNDARY between words (recognised by WORD_BOUNDARY)'
    """
    shown_format, evidence = recognise(text)
    # A format that is known and not read has a remedy: what to do with such a file.
    if shown_format.remedy:
        return TextForm(PLAIN.name)
    if evidence is None:
        return TextForm(shown_format.name)
    return TextForm(
        shown_format.name, evidence.word_boundary, evidence.ignored_tokens, f"recognised by {evidence.sign}"
    )


def refuse_known_form(
    text: str,
    name: str,
    *,
    text_format: str = "",
    given: Collection[str] = (),
    scores: Sequence[str] = (),
    is_json: bool = False,
    may_be_weak: bool = True,
    read_reference: Callable[[], str | None] | None = None,
) -> None:
    """Raise an error if the first lines of a file show a form that is known and not read; warn if they likely show another form.

    There is an error only if the user names no `text_format`, and the evidence is not weak. Weak evidence counts for words text
    alone, and if `may_be_weak`. It does not count if one of the options `given` by the user is the remedy, if all `scores` refuse
    the remedy, or if a reference with the same letters shows no form. `read_reference` returns the first lines of the reference,
    if the text is a prediction.

    >>> refuse_known_form("@UTF8\\n@Begin\\n*MOT:\\tlook .\\n", "a.cha")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    segscores.options.errors.FileError: a.cha: this is CHAT, ... (line 1 is '@UTF8'), which is not read as it is: convert it ...
    """
    shown_form, evidence = recognise(text, is_json=is_json)
    if evidence is None:
        return
    if text_format and not FORMATS[text_format].takes_any_line:
        return  # the reader of that format refuses lines that do not fit
    is_read = not shown_form.remedy  # a form that is known and not read has a remedy
    if not is_read and not text_format and not evidence.is_weak:
        received = f"{name}: this is {shown_form.title} ({evidence.sign}), which is not read as it is: "
        raise FileError(received, shown_form.remedy)
    if evidence.is_weak:
        is_words_text = text_format in ("", PLAIN.name)
        counts_though_weak = may_be_weak and is_words_text
        if not counts_though_weak or not _is_remedy_new(shown_form.remedy, given, scores):
            return
        reference = read_reference() if read_reference is not None else None
        if reference is not None and shows_no_form_but_in_spaces(text, reference):
            return
    read_as = f"is read as {text_format or PLAIN.name}: "
    # Lines of sentences, and times of recordings, are no utterances of any format of lines.
    has_other_lines = shown_form.sentences is not None or shown_form.world_form is not None
    if not is_read:
        received = f"{name}: this looks like {shown_form.title} ({evidence.sign}), and {read_as}"
        warn(Message(received, with_other_scores(shown_form.remedy, scores)))
    elif text_format and has_other_lines:
        form = TextForm(shown_form.name, evidence.word_boundary, reason=f"recognised by {evidence.sign}")
        warn(Message(f"{name}: this looks like {form}, and {read_as}", remedy_of_read_format(shown_form, evidence)))


def _is_remedy_new(remedy: str, given: Collection[str], scores: Sequence[str]) -> bool:
    """Return whether a remedy names no option that the user has given, and goes with some of the scores.

    The format of the text is no such option: the user may have named words text without a thought of what stands around words.
    """
    options = set(given) - {OPTIONS["text_format"].name}
    return not _has_option(remedy, options) and goes_with_some(remedy, scores)


def shows_no_form_but_in_spaces(text: str, reference: str) -> bool:
    """Return whether a prediction shows a form by its spaces alone: a reference with the same letters shows none.

    A segmenter may join a mark to the last word of the first line alone, which looks like a line that is not tokenised.

    >>> shows_no_form_but_in_spaces("- a\\n-b\\n- c", "-a\\n-b\\n-c"), shows_no_form_but_in_spaces("- a\\n- b", "- b\\n- a")
    (True, False)
    """
    first_lines = text.split("\n")[:LINES_OF_FORM]
    lines_of_reference = reference.split("\n")[:LINES_OF_FORM]
    have_same_letters = "".join("".join(first_lines).split()) == "".join("".join(lines_of_reference).split())
    if not have_same_letters:
        return False
    _, evidence_of_reference = recognise(reference)
    return evidence_of_reference is None


def remedy_of_read_format(shown_form: Format, evidence: Evidence) -> Message:
    """Return the options that read text in the format that it shows."""
    settings = [shown_form.setting]
    if evidence.word_boundary != DEFAULT_WORD_BOUNDARY:
        settings.append(OPTIONS["word_boundary"].set(evidence.word_boundary))
    return Message("if that is wrong, add ", Settings(settings), ".")


def _has_option(remedy: str, given: Collection[str]) -> bool:
    """Return whether a remedy names one of the options, with a value or without."""
    fragments = remedy.fragments if isinstance(remedy, Message) else ()
    options = [fragment.option if isinstance(fragment, Setting) else fragment for fragment in fragments]
    return any(isinstance(option, NamedOption) and option.name in given for option in options)


def joined_segment(units: str, ignored_tokens: Collection[str], separator: str = "") -> str:
    """Join units that are separated by spaces to one string, without ignored tokens."""
    return separator.join(token for token in units.split() if token not in ignored_tokens)


def joined_words(lines: Sequence[str], word_boundary: str, ignored_tokens: Collection[str]) -> list[str]:
    """Convert lines of units text, or words written in units, to words text.

    >>> joined_words(["ð ə | d ɔ g", "ɪ z"], "|", ())
    ['ðə dɔg', 'ɪz']
    """
    words_of_lines = [_words_of(line, word_boundary, set(ignored_tokens)) for line in lines]
    has_boundaries = any(has_boundary(line, word_boundary) for line in lines)
    has_words_of_several_units = any(len(units) > 1 for units in chain.from_iterable(words_of_lines))
    if has_words_of_several_units and not has_boundaries:
        boundary = named_boundary(word_boundary)
        raise ValueError(
            f"the reference is units text, joined into words text, and there is no {boundary} here: a line could be several "
            f"words, or the units of one word. Write {boundary} after each word, or each word without spaces on its line."
        )
    return [" ".join("".join(units) for units in words) for words in words_of_lines]


def _words_of(line: str, word_boundary: str, ignored_tokens: Collection[str]) -> list[list[str]]:
    """Return the units of each word of a line of units text."""
    if word_boundary.isspace():
        parts = [part.split() for part in line.split(word_boundary)]
    else:
        # Runs of boundary tokens, and of other tokens, which are the units of a word: a b | c has the runs a b, | and c.
        runs = groupby(line.split(), key=lambda token: token == word_boundary)
        parts = [list(units) for are_boundaries, units in runs if not are_boundaries]
    words = [[unit for unit in part if unit not in ignored_tokens] for part in parts]
    return [units for units in words if units]
