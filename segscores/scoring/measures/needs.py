"""Needs: what utterances must have for a group to count them, and what to say of utterances that lack it.

Conventions
-----------
- Text has units, words, morphemes, and tags if its form has them. Labels have units. What utterances of a world have goes by the
  name of the world, and they have no units.
- Morphemes are lists of words that an utterance may be cut into. Labels have one such list for each utterance, without its text.
- Both sides have equal units, unless units that differ are aligned by edits (`on_mismatch="align"`).
- Every utterance has words that end somewhere, within a duration or a number of units. Groups that count these need nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...options.messages import OptionError
from ...options.table import OPTIONS, WORLDS
from ...reading.formats.registry import FORMATS
from ...reading.reading import Reading
from ...reading.world import World, world_of, worlds_in

Needs = frozenset[str]

#: The part of utterances with morphemes that is read only if a measure needs it.
UNITS = "units"
#: The parts that lines of text have.
GIVEN_BY_TEXT: Needs = frozenset({UNITS, "words"})
#: The parts that utterances have only where their form is one of a few: a group that needs it is scored only if it is named.
NAMED: Needs = frozenset[str]().union(*(row.gives for row in FORMATS.values()))
#: The need of a measure that has no meaning where units are aligned by edits.
EQUAL_UNITS = "equal_units"
#: The option that gives what a group needs.
OPTION_THAT_GIVES = {"documents": "documents", **dict.fromkeys(WORLDS, "text_format")}


def given_by(reading: Reading, *, aligns: bool = False) -> Needs:
    """Return what utterances have for measures, if they are read so; `aligns` says whether their units are aligned by edits."""
    gives = gives_of(world_of(reading), has_text=reading.words_known, has_documents=reading.documents)
    if reading.words_known:
        # A group may count what one format gives, such as tags, only if the other side has it too.
        reference_format, prediction_format = reading.formats
        gives |= FORMATS[reference_format].gives & FORMATS[prediction_format].gives
    if aligns:
        gives -= {EQUAL_UNITS}
    return gives


def gives_of(world: World | None, *, has_text: bool, has_documents: bool) -> Needs:
    """Return what utterances have for measures: those of a world, if there is one, or else text or labels."""
    if world is not None:
        return world.gives
    gives = {"units", "morphs", EQUAL_UNITS}
    # Labels do not say what the words are. Words of any text may have a tag.
    if has_text:
        gives |= {"words", "tags"}
    if has_documents:
        gives.add("documents")
    return frozenset(gives)


def error_of(name: str, lacking: Needs, gives: Needs, fitting: Iterable[str]) -> OptionError:
    """Return the error for a score that needs what utterances lack: `scores="token" needs the words, which labels ...`.

    `name` is the score or its group. `gives` is what the utterances have, and `fitting` the groups that can be scored of them.
    """
    setting = OPTIONS["scores"].set(name)
    needed_worlds = worlds_in(lacking)
    if needed_worlds:
        # A score is of one world.
        needed, *_ = needed_worlds
        form = OPTIONS["text_format"].set(needed.name)
        return OptionError(setting, f" needs {needed.name}: pass {needed.noun}, and ", form, ".")
    if UNITS in lacking:
        # Only the utterances of a world have no units.
        world, *_ = worlds_in(gives)
        lacks_words_too = lacking >= GIVEN_BY_TEXT
        counts = "it needs words in text" if lacks_words_too else "it counts units"
        there_are = f"For {world.name} there are {', '.join(fitting)}."
        return OptionError(setting, f": {counts}, which {world.noun} do not have. {there_are}")
    if "words" in lacking:
        remedy = f": pass strings or lists of words, or leave {name!r} out."
        return OptionError(setting, " needs the words, which labels do not contain", remedy)
    if "tags" in lacking:
        return OptionError(setting, " needs words with tags, which labels do not contain: pass text or lists of pairs.")
    if "documents" in lacking:
        return OptionError(setting, " needs documents: add ", OPTIONS["documents"].set(True), ".")
    # Only some formats give what is left, such as morphemes.
    formats = ", ".join(text_format.name for text_format in FORMATS.values() if lacking & text_format.gives)
    needs = " and ".join(sorted(lacking))
    problem = f" needs {needs}, which these utterances do not have; the formats with {needs} are {formats}."
    return OptionError(setting, problem)
