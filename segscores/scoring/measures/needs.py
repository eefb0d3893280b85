"""Needs: what utterances must have for a group to count them, and what to say of utterances that lack it.

Conventions
-----------
- Text has units, words, morphemes, and tags if its form has them. Labels have units. Recordings have times, and no units.
- Morphemes are lists of words that an utterance may be cut into. Labels have one such list for each utterance, without its text.
- Every utterance has words that end somewhere, within a duration or a number of units. Groups that count these need nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.reading import Reading

Needs = frozenset[str]

#: What groups may need, in any order.
EVERYTHING: Needs = frozenset({"units", "words", "morphs", "tags", "documents", "times"})
#: What lines of text have.
PLAIN: Needs = frozenset({"units", "words"})
#: What utterances have only where their form is one of a few: a group that needs it is scored only if it is named.
NAMED: Needs = frozenset({"morphs", "tags"})
#: The option that gives what a group needs.
OPTION_THAT_GIVES = {"documents": "documents", "times": "text_format"}

#: What to say after the name of a score, by what the utterances lack: the first row of which they lack everything. A row takes
#: the name of the score and the groups that the utterances have.
_SENTENCES: tuple[tuple[Needs, Callable[[str, str], tuple[object, ...]]], ...] = (
    (
        frozenset({"units", "words"}),
        lambda _, fitting: (f": it needs words in text, which recordings do not have. For times there are {fitting}.",),
    ),
    (
        frozenset({"units"}),
        lambda _, fitting: (f": it counts units, which recordings do not have. For times there are {fitting}.",),
    ),
    (
        frozenset({"words"}),
        lambda name, _: (
            " needs the words, which labels do not contain: pass strings or lists of words, or leave ",
            f"{name!r} out.",
        ),
    ),
    (
        frozenset({"tags"}),
        lambda *_: (" needs words with tags, which labels do not contain: pass text or lists of pairs.",),
    ),
    (frozenset({"documents"}), lambda *_: (" needs documents: add ", OPTIONS["documents"].set(True), ".")),
    (
        frozenset({"times"}),
        lambda *_: (" needs times: pass recordings, and ", OPTIONS["text_format"].set("times"), "."),
    ),
)


def given_by(reading: Reading) -> Needs:
    """Return what utterances have that are read so."""
    return gives_of(is_timed=reading.is_timed, has_text=reading.words_known, has_documents=reading.documents)


def gives_of(*, is_timed: bool, has_text: bool, has_documents: bool) -> Needs:
    """Return what recordings, labels or text have."""
    if is_timed:
        return frozenset({"times"})
    gives = {"units", "morphs"}
    if has_text:
        gives |= {"words", "tags"}
    if has_documents:
        gives.add("documents")
    return frozenset(gives)


def error_of(name: str, lacking: Needs, fitting: Iterable[str]) -> OptionError:
    """Return the error for a score, by its name, that needs what the utterances lack; `fitting` are the groups that they have."""
    sentence = next(sentence for needs, sentence in _SENTENCES if needs <= lacking)
    return OptionError(OPTIONS["scores"].set(name), *sentence(name, ", ".join(fitting)))
