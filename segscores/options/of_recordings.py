"""Options of recordings: rows of the table of options that only the format `times` has."""

from __future__ import annotations

from .kinds import Choice, ListOf, Number, PerSide, Text
from .option import Option

#: The largest number of samples per second.
_MOST_SAMPLES = 1_000_000_000

OF_RECORDINGS = (
    Option("tier", PerSide(Text("the name or the number of a tier, as a text", "TIER"), "TIER[,TIER]", most=2), "the tier of "
           "TextGrids, ELAN or tables, or the list of JSON, that has the segments; REFERENCE,PREDICTION, in Python a list of "
           "two, if the sides differ", default_help="the only one, or words", section="input", is_rare=True,
           formats=("times",), topic="reading"),
    Option("silence", ListOf(Text("a label", "LABEL", refused=())), "the labels of silence in recordings, which is no word; "
           "blank labels always are silence", default_help="sil, sp, spn, <sil>, <eps> and <p:>, in any case; of TIMIT also "
           "h#, pau and epi", section="input", is_rare=True, formats=("times",), topic="reading"),
    Option("sample_rate", Number(f"a number of samples per second from 1 to {_MOST_SAMPLES}", 1, _MOST_SAMPLES),
           "samples, or frames, per second, where times are whole numbers", default_help="16000", section="input", is_rare=True,
           formats=("times",), topic="reading"),
    Option("time_unit", PerSide(Choice("s", "ms", "us", "100ns", "samples"), "UNIT[,UNIT]", most=2), "the unit of times in "
           "files that do not name it; REFERENCE,PREDICTION, in Python a list of two, if the sides differ",
           default_help="seconds; of whole numbers by evidence, which is said", section="input", is_rare=True,
           formats=("times",), signature="unit", topic="reading"),
    Option("label_map", Text("lower, or the name of a file", "lower|FILE"), "labels of recordings are compared in lower case "
           "or by their classes in a file: a label and its class on each line, or a JSON object; other labels stay, and a "
           "label whose class is blank is silence", section="input", is_rare=True, formats=("times",), signature="map",
           topic="reading"),
    Option("missing", Choice("error", "empty"), "a recording that a side lacks is an error, or is empty on this "
           "side", default="error", section="input", is_rare=True, formats=("times",), signature="lacking",
           topic="reading"),
    Option("overlap", Choice("error", "cut"), "an interval that begins over 10 ms before the end of the one before it is an "
           "error, or begins at that end", default="error", section="input", is_rare=True, formats=("times",), topic="reading"),
)  # fmt: skip
