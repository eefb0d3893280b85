"""The table of options: every option once, with its kind, meaning and default.

A task with another default, or with other values, has a variant of an option. None as a default means absent, computed or
recognised.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from .class_kinds import LABEL_SCHEME, ClassesOrWords, ClassNames
from .encodings import Encoding
from .file_kinds import FileOrWord, Ids, InputFile, OutputFile, Words
from .kinds import BoundaryToken, Choice, Kind, ListOf, Number, OrWord, PerSide, Switch, Text, Token, Whole
from .messages import OptionError
from .of_outputs import OF_OUTPUTS
from .of_recordings import OF_RECORDINGS
from .option import Changes, Need, Option, OptionSet, Selection

#: The largest distance or size in units. Sums of distances still fit into 63 bits: 2 ** 31 units in 2 GB of text, each at most
#: this far off.
LARGEST_DISTANCE = 1_000_000_000

#: The formats whose utterances are no text but of a world of their own, a folder of `worlds`, and the noun of the utterances.
WORLDS = {"times": "recordings"}
#: The formats of text, and of recordings: what each is, and an example, for help. A row in `reading.formats` says how to read it.
FORMATS: dict[str, tuple[str, str]] = {
    "units": ("units separated by spaces, with a boundary token between words", "ð ə WORD_BOUNDARY d ɔ g"),
    "words": ("words separated by whitespace; a unit is a character", "the dog"),
    "separated": ("words with | or another separator between, as in Thai corpora; a unit is a character, a space too",
                  "ผม|ไม่|ชอบ|กิน|ผัก"),
    "syllables": ("syllables separated by spaces, or within words by _ or another joiner, as in Vietnamese; syllables are units",
                  "Việt_Nam là một nước"),
    "tagged": ("words with tags; a word ends at its last slash, and brackets around several words are dropped",
               "迈向/v [中央/n 电视台/n]nt"),
    "vlsp": ("Vietnamese words with tags; _ between syllables is dropped, and a unit is a character", "Việt_Nam/Np là/V"),
    "kytea": ("KyTea's words with tags; a word ends at its first slash", "東京/名詞/とうきょう に/助詞/に"),
    "sigmorphon": ("a text, a tab, and its morphs, with @@ before each that continues a word; the morphs are the words, and "
                   "spell the text", "played\tplay @@ed"),
    "times": ("intervals in recordings: files of Praat (TextGrid), NIST (CTM), TIMIT, ZeroSpeech, HTK and Audacity, tables and "
              "JSON, as their names end", "0.00 0.31 the\n0.31 0.70 dog\n"),
    "alternatives": ("a word and its analyses with commas; the morphs of the first are the words", "walked walk ed"),
    "conllu": ("a file of CoNLL-U: the surface tokens", "1\t他\t_\t_\t_\t_\t_\t_\t_\t_\n\n"),
    "conll": ("a file with a unit and its label on a line (B, I or M, E and S), and a blank line after each utterance",
              "北\tB\n京\tE\n很\tS\n\n"),
    "mecab": ("a file of MeCab's, JUMAN's or KNP's output, with EOS after each utterance", "東京\t名詞\nに\t助詞\nEOS\n"),
}  # fmt: skip


def _prf(*groups: str) -> tuple[str, ...]:
    """Return the keys of precision, recall and F-score of each group."""
    keys: list[str] = []
    for group in groups:
        keys += [f"{group}_precision", f"{group}_recall", f"{group}_fscore"]
    return tuple(keys)


#: Selections of scores by name. The name of a tool selects what it prints.
SELECTIONS: dict[str, Selection] = {
    "recall": Selection(("boundary_all_recall", "boundary_noedge_recall", "token_recall", "type_recall")),
    "wordseg": Selection(_prf("token", "type", "boundary_all", "boundary_noedge")),
    "sighan": Selection(("word_insertions", "word_deletions", "word_substitutions", "token_recall", "token_precision",
                         "token_fscore", "oov_rate", "oov_recall", "iv_recall")),
    "nlpcc": Selection(_prf("token")),
    "pythainlp": Selection(("boundary_start_precision", "boundary_start_recall", "token_precision", "token_recall"),
                           {"separator": "|", "spaces": "drop", "markup": "drop"}),
    "nltk": Selection(("window_diff", "pk"), {"window_convention": "nltk_units"}),
    "segeval": Selection(("boundary_similarity", "segmentation_similarity", "boundary_edit_distance", "pk", "window_diff"),
                         {"window_convention": "segeval", "transposition_span": 2}),
    "wtpsplit": Selection(("boundary_end_fscore", "boundary_end_recall", "boundary_end_precision", "utterance_accuracy"),
                          {"zero_division": 0.0}),
    "mecab": Selection(_prf("token")),
    "tokenizer": Selection(("fertility", "continued_words", "single_token_words", "characters_per_token", "bytes_per_token",
                            "partial_tokens", "unknown_tokens", *_prf("boundary_noedge"))),
    "sigmorphon": Selection((*_prf("morpheme"), "morpheme_distance"), {"text_format": "sigmorphon"}),
    "morfessor": Selection(_prf("bpr")),
    "toklens": Selection(("fertility", "characters_per_token", "bytes_per_token", "single_token_words")),
    # The table of the UD evaluation: tokens, sentences and words.
    "ud": Selection(_prf("token", "sentence", "syntactic_word")),
}  # fmt: skip
#: The format, and options that belong to it. A selection implies none of them where the user gives a format.
_HOW_TEXT_IS_READ = {"text_format", "separator", "spaces", "markup"}

#: Stands for lists of words among the formats that an option is for.
LISTS = "lists"

_FORMATS = Choice(*FORMATS)
_COUNT = Whole(0, LARGEST_DISTANCE)
#: A larger number would not change any printed digit.
_TIMES = Whole(1, 1_000_000, "an integer")
#: Seeds have 64 bits, as in other libraries.
_SEED = Whole(0, (1 << 64) - 1, "an integer")
_COLUMN = Text("the name of a column")
_FILE = Text("the name of a file", "FILE")
_INPUT = InputFile("the name of a file", "FILE")
_SCORE = Text("the name of a score", "SCORE")
#: The name of a page, but not `-`: a page is not written to standard output.
PAGE = OutputFile("the name of a file, such as page.html", "FILE", refused=("", "-"))
#: The empty name is refused later, by the message that lists all groups.
_GROUP = Text("the name of a group or a list of names", refused=())
_FOR_TRAINING = Need("train", "it is for training a committee", "FILE")
_FOR_INTERVALS = Need("confidence", "it is for intervals", 0.95)
_FOR_CLUSTERS = Need("confidence", "it is for intervals and means over clusters", 0.95, or_value={"average": "cluster"})
_FOR_PERCENTILES = Need("interval_method", "it is for percentile intervals", "percentile", is_exact=True)

#: The largest number that a float holds: an edge of a band is finite.
_LARGEST = sys.float_info.max

_TESTS = "intervals and tests"

#: Every option, in the order in which functions and the command's help show them.
OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        # Reading.
        Option("scores", ListOf(_GROUP, "GROUP[,GROUP]", separator=","), "score groups or single scores, by name",
               default=("boundary_all", "boundary_noedge", "token", "type", "tnr"), topic="scores"),
        Option("text_format", _FORMATS, "words: words separated by whitespace, whose characters are the units; units: units "
               "separated by spaces, with a boundary token between words; conllu: the surface tokens of a file of CoNLL-U; the "
               "command segscores formats shows all", default="units",
               default_help="separated with separator, syllables with joiner, else units", section="input", signature="text",
               topic="text"),
        Option("reference_format", _FORMATS, "the format of the references, if the sides differ: the units of units text are "
               "then joined", default_help="text_format", section="input", flag="--text-format", flag_value="{},",
               signature="text", topic="reading"),
        Option("prediction_format", _FORMATS, "the format of the predictions, if the sides differ", default_help="text_format",
               section="input", flag="--text-format", flag_value=",{}", signature="text", topic="reading"),
        Option("word_boundary", BoundaryToken(), "the token between words in units text; or two spaces, or a tab (\\t)",
               default="WORD_BOUNDARY", section="input", is_rare=True, formats=("units",), signature="wb", topic="text"),
        Option("ignored_tokens", ListOf(Token()), "tokens of units text to drop, also from the vocabulary and the dictionary, "
               "such as ;esyll", default=(), section="input", is_rare=True, formats=("units",), signature="ign", topic="text"),
        Option("separator", Token(), "the string between words of separated text, or between a word and its tag in tagged text",
               default_help="| and /", section="input", is_rare=True, formats=("separated", "tagged"), signature="sep",
               topic="reading"),
        Option("joiner", Token(), "the string between the syllables of a word; with text_format words it is dropped, and a "
               "unit is a character", default_help="_ in the format syllables", section="input", is_rare=True,
               formats=("syllables", "words"), signature="join", topic="reading"),
        Option("spaces", Choice("units", "drop"), "whether a space within a word of separated text, of a list of words or of "
               "the format mecab is a unit, or dropped", default="units", section="input", is_rare=True,
               formats=("separated", "mecab", LISTS), topic="reading"),
        Option("markup", Choice("units", "drop"), "whether the characters of tags such as <NE> and </NE> in separated text are "
               "units, or dropped", default="units", section="input", is_rare=True, formats=("separated",), topic="reading"),
        Option("label_scheme", LABEL_SCHEME, "the meaning of labels, one per unit: start (1 starts a word), end (1 ends one), or "
               "tags, in upper or lower case, and with types (B-NOUN); O is a word of one unit. Other names of BIO are IOB, IOB1 "
               "and IOB2; of IOE, IOE1 and IOE2; of BIOES, IOBES; of BILOU, BILUO and BIOUL",
               default_help="the input has no labels, or id2label has their tags", section="input", is_rare=True,
               signature="text", topic="text"),
        Option("id2label", ClassNames(), "the tags of class ids, where the input is lists of class ids, one per unit: a dict, a "
               "list, or a model's config. Tags are B and I; B, M (or I), E and S; B, I, L and U; with a label_scheme also "
               "others, or 0 and 1. The type after a hyphen, as in B-X, is dropped. The references have ignore_index, -100 "
               "unless it is given, at positions that are not units", section="input", is_rare=True, signature="text",
               topic="reading"),
        Option("normalize", Choice("NFC", "NFD", "NFKC", "NFKD"), "the Unicode normalisation form to which both sides are "
               "converted, and the vocabulary and the dictionary", section="input", is_rare=True, signature="norm",
               topic="reading"),
        Option("subword_marks", Choice("strip", "Ġ", "▁", "##", "@@", "</w>"), "the marks of a tokenizer's subwords to remove "
               "on both sides, and from the vocabulary and the dictionary: strip for Ġ, ▁, ##, @@ and </w>, or one of them. Each "
               "subword is then a word; Ġ or ▁ alone is a space, not a word", section="input", is_rare=True, signature="marks",
               refused_by=("token_use", "renyi_efficiency", "distinct_tokens", "vocabulary_use", "all"), topic="reading"),
        Option("ignore_index", Whole(-(1 << 63), (1 << 63) - 1, "an integer"), "the label that marks positions of the "
               "references to ignore, such as -100; they are dropped on both sides", section="input", is_rare=True,
               signature="ignore", topic="reading"),
        *OF_RECORDINGS,
        Option("documents", Switch(), "each utterance is a document, whose lines are sentences", default=False, section="input",
               signature="docs", topic="reading"),
        Option("whole_files", Switch(), "each file is one document; otherwise blank lines, and # newdoc of CoNLL-U, separate "
               "documents", default=False, section="input", is_rare=True,
               need=Need("documents", "it is for documents", True, is_exact=True), signature="docs", topic="reading"),
        Option("zero_division", Number("a number in [0, 1] or nan", 0, 1, nan=True), "the value of an undefined score, 0/0",
               default=0.0, is_rare=True, signature="zero", topic="scores"),
        # A Trainer's arrays.
        Option("units", Choice("labels", "input_ids", "text"), "labels: units have no names, and there are no scores that need "
               'words; input_ids: a unit is an input id, for which the Trainer needs include_for_metrics=["inputs"]; text: '
               "predictions and labels are ids of text (predict_with_generate=True), which is decoded and read as text_format",
               default="labels", topic="training"),
        Option("processing_class", Kind(), "the tokenizer, which text requires. With input_ids it names the units: a name is "
               "the token without the mark ##, ▁ or Ġ, followed by the masked pieces after it, up to the next special token. "
               "Special tokens are not units, whatever their labels; the unknown token is a unit", topic="training"),
        Option("tokens", Kind(), "the tokens of each example of the evaluated dataset, in its order, such as "
               'eval_dataset["tokens"]: one for each label that is not masked. They say what the words are, for scores of '
               "types and of words out of the vocabulary", topic="training"),
        # Scores.
        Option("dictionary", Words(), "segments that could be words", groups=("dictionary",), adds=True, signature="dict",
               topic="scores"),
        Option("acceptable", Words(), "segments of the dictionary that never count as negatives", default=(),
               groups=("dictionary",), signature="acc", need=Need("dictionary"), is_rare=True, topic="scores"),
        Option("vocabulary", Words(), "the training words, as a word list or a segmented corpus", groups=("oov",), adds=True,
               signature="vocab", takes_corpus=True, topic="scores"),
        # One meaning: the distance up to which two boundaries match, in the measure of positions. Text and labels have units,
        # recordings have seconds. So the default is a number of each, and signatures write seconds with an s.
        Option("tolerance", Number(f"a whole number of units from 0 to {LARGEST_DISTANCE}, or of seconds for times", 0,
               LARGEST_DISTANCE, keeps_whole=True), "how far a matching boundary may be off, in units; for all scores of times, "
               "in seconds", default_help="1 unit; 0.02 seconds", groups=("tolerance",), signature="tol", none_is=1, is_rare=True,
               of_worlds=("times",), topic="scores"),
        Option("rates_tolerance", Whole(1, LARGEST_DISTANCE, "a whole number of units"), "how far a boundary that rates count as "
               "right may be off, in units", default_help="boundaries at the same position", groups=("rates",),
               signature="rtol", is_rare=True, topic="scores"),
        Option("window_size", OrWord(Whole(1, LARGEST_DISTANCE), "utterance"), "the length k of windows in gaps, or the "
               "word utterance: half the mean word length of each utterance by itself", groups=("windows",),
               default_help="half the mean word length", signature="win", is_rare=True,
               from_reference='a number of gaps, or "utterance" for half the mean word length of each utterance',
               topic="scores"),
        Option("window_convention", Choice("segeval", "nltk", "nltk_units"), "the tool whose rules apply to the placement and "
               "the default size of windows", default="segeval", groups=("windows",), signature="win", is_rare=True,
               topic="scores"),
        Option("transposition_span", Whole(1, LARGEST_DISTANCE, "a whole number of gaps"),
               "a boundary that is off by fewer than this many gaps counts as a near miss (a transposition)", default=2,
               groups=("similarity", "agreement"), signature="span", is_rare=True, topic="scores"),
        Option("renyi_order", Number("a number above 0 and below 100, such as 2.5", 0, 100, is_open=True),
               "the order of the entropy; 1 is Shannon's", default=2.5, groups=("token_use",), signature="alpha", is_rare=True,
               topic="scores"),
        Option("vocabulary_size", Whole(1, LARGEST_DISTANCE), "the number of tokens in the vocabulary, also for the efficiency",
               default_help="the size of the tokenizer; for the efficiency the distinct tokens", groups=("token_use",),
               signature="vocab_size", is_rare=True, topic="scores"),
        Option("tags", Choice("upos", "xpos"), "the column of CoNLL-U with the tags; words of other formats have one tag",
               default="upos", groups=("tagged_token",), is_rare=True, formats=("conllu",), topic="scores"),
        Option("on_mismatch", Choice("error", "align", old=("skip",)), "error: utterances whose units differ cannot be scored; "
               "align: their units are aligned", default="error", signature="mismatch", topic="scores"),
        Option("on_error", Choice("error", "skip"), "error: utterances that cannot be scored are an error; skip: they are left "
               "out and counted", default="error", section="input", signature="skipped", topic="scores"),
        Option("ignore_words", ClassesOrWords(), "reference words that are not counted, nor predicted words in their place: "
               "words of these classes of characters alone (punctuation, symbols, digits, latin), or of a list",
               is_rare=True, signature="without", topic="scores"),
        Option("average", Choice("micro", "macro", "cluster"), "micro: scores of the corpus; macro: their mean over utterances; "
               "cluster: over clusters, such as children", default="micro", signature="avg",
               need=Need("clusters", "they are averaged", when=("cluster",)), topic="resampling"),
        # Intervals and tests.
        Option("confidence", Number("a number between 0 and 1, such as 0.95", 0, 1, is_open=True),
               "the confidence level of intervals, such as 0.95; adds the keys KEY_low and KEY_high",
               default_help="no intervals", section=_TESTS, signature="ci", topic="resampling"),
        Option("n_resamples", _TIMES, "the number of times that the utterances are resampled", default=1000, flag="--resamples",
               section=_TESTS, is_rare=True, need=_FOR_PERCENTILES, signature="ci", topic="resampling"),
        Option("seed", _SEED, "the seed of the random numbers", default=0, section=_TESTS, is_rare=True,
               need=_FOR_PERCENTILES, signature="ci", topic="resampling"),
        Option("interval_method", Choice("jackknife", "percentile"), "the kind of interval: jackknife, from the scores without "
               "each utterance, or percentile, of the bootstrap", default="jackknife", section=_TESTS, is_rare=True,
               need=_FOR_INTERVALS, signature="ci", topic="resampling"),
        Option("clusters", Ids(), "the id of each utterance's document, speaker or session, which stays together",
               default_help="each utterance separately", section=_TESTS, need=_FOR_CLUSTERS, topic="resampling"),
        Option("by", Ids("length", "category", "label", "file"), "the value of each utterance, such as its child or age: adds "
               "the scores of each value; length: bands of units, or of seconds; category: column 3 of sigmorphon; speaker: the "
               "speakers that the tiers of recordings name; label: the words of recordings with each label; file: the files of "
               "a pattern"),
        Option("bands", ListOf(Number("a number such as 12", -_LARGEST, _LARGEST, keeps_whole=True), "NUMBER[,NUMBER…]",
               separator=","), "the edges of bands of the numbers of --by, such as 12,18,24 for <12, 12-17, 18-23 and 24+",
               default=(), is_rare=True, need=Need("by", "it divides the numbers of utterances", "FILE:COLUMN")),
        Option("baseline", Text("the name of a system"), "the system that the others are compared with",
               default_help="the first", section=_TESTS),
        Option("primary", _SCORE, "the primary score, which alone has verdicts, and p-values corrected for several "
               "systems", default_help="token_fscore if it is computed, or the F-score of the first group, or the first score",
               section=_TESTS),
        Option("n_trials", _TIMES, "the number of random exchanges; if there are no more possible exchanges than that, each is "
               "tried once", default=10_000, flag="--trials", section=_TESTS, is_rare=True),
        Option("margin", Number("a positive number such as 0.005", 0, math.inf, is_open=True),
               "the largest difference that does not matter, such as 0.005: reports which systems are equivalent or not "
               "inferior", section=_TESTS),
        # Files.
        Option("reference_column", _COLUMN, "the column of the table with the reference", default="reference", section="input"),
        Option("prediction_column", _COLUMN, "the column of the table with the prediction", default="prediction",
               section="input"),
        Option("columns", PerSide(_COLUMN, "REFERENCE[,PREDICTION…]"), "the columns of tables: one for the reference, "
               "and one for the predictions, or several in one table; an empty name is the default",
               default_help="reference,prediction", section="input", is_flag=True),
        Option("encoding", Encoding(), "the encoding of both sides, if they are text, CSV or JSON lines, and of word "
               "lists and ids that are not UTF-8", default_help="UTF-8",
               section="input", is_rare=True, is_flag=True),
        Option("space", Switch(), "put a space before each text that a tokenizer reads, as before the words of a list that stand "
               "within a sentence", default=False, is_rare=True, is_flag=True),
        Option("text", FileOrWord(), "the text for tokenizers: a file, or the words joined", is_rare=True, is_flag=True),
        Option("batch_size", Whole(1, LARGEST_DISTANCE, "a number of rows"), "the number of rows to read at a time; small "
               "batches are joined before they are scored", default=1000, section="input"),
        *OF_OUTPUTS,
        # Errors and the report.
        Option("top", _COUNT, "the number of errors and of words to print", default=10, section="output"),
        Option("utterances", _COUNT, "the number of utterances to show of each prediction, the worst first", default=2000,
               section="output"),
        Option("table", ListOf(Choice("classes", "errors", "words", "length", "frequency", "vocabulary")),
               "print only this table. CSV prints one table, JSON all of them", default=(), section="output"),
        # Another scorer.
        Option("pattern", Text("a regular expression", "REGEX"), "finds a number in the output of the program; a group value is "
               "the number, a group name its name", default=r"\d*\.\d+", section="input"),
        Option("write", Choice("words", "separated", "units", "conllu"), "the format of the files for the program",
               default="words", section="input"),
        Option("export", OutputFile("the name of a file", "FILE"), "write the test vectors of the definitions to this file, such "
               "as vectors.json, and run no program", section="output",
               excludes=dict.fromkeys(("pattern", "write", "format"), "it runs no program")),
        # Boundary scores.
        Option("ratios", Text("numbers", "A,B,…|START:STOP:STEP"), "the ratios to evaluate, such as 0:1:0.05; STOP is included"),
        Option("thresholds", Text("numbers", "A,B,…|START:STOP:STEP"), "the thresholds to evaluate; if the first is negative, "
               "write --thresholds=-1,0", excludes={"ratios": "both choose the points"}),
        Option("types", Switch(), "compute type scores too", default=False,
               need=Need("ratios", "type scores are computed one point at a time", "0:1:0.05", alternatives=("thresholds",))),
        # Difficulty.
        Option("train", _FILE, "train a committee of character CRFs on this file (extra: committee)", section="input"),
        Option("committee", ListOf(_FILE, takes_several=True), "the outputs of the committee, a file for each segmenter; without "
               "files, columns of the reference's table", section="input", is_flag=True),
        Option("difficulties", _INPUT, "a file of difficulties that -o wrote, or of numbers separated by spaces",
               section="input", need=Need("score", "it alone has no output", ("PREDICTION",), alternatives=("html",))),
        Option("members", Whole(1, 100_000), "the number of segmenters to train", default=50, need=_FOR_TRAINING),
        Option("processes", Whole(1, 100_000), "the number of segmenters to train at a time", default_help="all cores",
               need=_FOR_TRAINING),
        Option("html", PAGE, "write an HTML page of the reference with its words coloured by difficulty", section="output"),
        Option("score", ListOf(_FILE, "PREDICTION", takes_several=True), "score these files: prints the balanced scores, and the "
               "share of words recovered in each tenth of difficulty; without files, scores columns of the reference's table"),
        Option("committee_column", ListOf(_COLUMN), "the column with the output of a committee member, or several if --committee "
               "has no files", default_help="prediction", section="input", is_flag=True, need=Need("committee")),
        # The alignment of two texts.
        Option("sources", _INPUT, "the source segments, one per line; needed for the levels word and character",
               section="input", need=Need("targets")),
        Option("targets", _INPUT, "the target segments, one per line", section="input", need=Need("sources")),
        # The methods of a paper.
        Option("signature", Text("a signature", "SIGNATURE"), "print the paragraph on methods for scores with this signature"),
        # Parity of languages.
        Option("tokenizers", ListOf(_FILE, "[NAME=]TOKENIZER", takes_several=True), "the tokenizers to compare", is_required=True,
               section="input"),
        Option("pivot", Text("the name of a language"), "the language that the others are compared with",
               default_help="the first"),
        # Correlation with a criterion.
        Option("criterion", Text("the name of a column", "COLUMN"), "the column with the criterion", is_required=True,
               section="input"),
        Option("against", _SCORE, "the score that Williams' test compares the others with, such as token_fscore; choose it "
               "before you see the correlations", section=_TESTS),
        # Annotators.
        Option("similarity", Choice("boundary_similarity", "segmentation_similarity"), "the similarity of two annotators",
               default="boundary_similarity"),
        Option("expected", Choice("pooled", "mean"), "the computation of chance agreement: pooled, from sums "
               "over the utterances, or mean, from the mean over utterances", default="pooled"),
        # Errors.
        Option("examples", _COUNT, "the largest number of examples of each error", default=3, section="output"),
        Option("context", _COUNT, "the largest number of words of an example on each side", default=3, section="output"),
    )
}  # fmt: skip

#: The options of score groups.
GROUP_OPTIONS: dict[str, Option] = {name: option for name, option in OPTIONS.items() if option.groups}

#: For error analysis: a word whose units are aligned may be another word, which is in none of its classes.
NOT_ALIGNED: Changes = {"kind": Choice("error", old=("skip",)), "help": "utterances whose units differ cannot be scored",
                        "is_rare": True}  # fmt: skip
SEED_OF_TRIALS: Changes = {"need": _FOR_INTERVALS}
LEVEL_OF_TESTS = Number("a number between 0 and 1, such as 0.95", 0, 1, is_open=True)
LEVEL_OF_TESTS.none_hint = " The tests need a level: leave it out for 0.95."
_OF_ERRORS: dict[str, Changes] = {"vocabulary": {"groups": (), "adds": False}, "on_mismatch": NOT_ALIGNED,
                                  "tolerance": {"groups": ()}}  # fmt: skip
_OF_READING = ("text", "reading")
_OF_SCORING = (*_OF_READING, "scores")
#: The options of error analysis, which compares words, beside those of reading.
_OF_WORDS = ("zero_division", "vocabulary", "on_mismatch", "on_error", "tolerance")
#: The options of functions, by the name of the class of `keywords` that tells type checkers of them.
OPTION_SETS: dict[str, OptionSet] = {
    "TextOptions": OptionSet("Options on reading strings, lists or labels.", ("text",)),
    "ReadingOptions": OptionSet(
        "Options on reading utterances of two sides, each of which may have a format.", _OF_READING
    ),
    "ScoringOptions": OptionSet("Options on what is scored, and on reading.", _OF_SCORING),
    "ResamplingOptions": OptionSet("Averages and intervals.", ("resampling",)),
    "ComputeOptions": OptionSet(
        "Scores, averages and intervals: the options of `score`.", (*_OF_SCORING, "resampling")
    ),
    "DifficultyOptions": OptionSet("The options of the difficulty metric.", _OF_READING, ("zero_division",)),
    "WordErrorOptions": OptionSet("The options of `compare_errors`.", _OF_READING, _OF_WORDS, changes=_OF_ERRORS),
    "ErrorOptions": OptionSet(
        "The options of `analyse_errors`.", _OF_READING, (*_OF_WORDS, "examples", "context"), changes=_OF_ERRORS
    ),
    "TrainerOptions": OptionSet(
        "The options of `as_compute_metrics`.",
        ("text", "resampling", "training"),
        ("id2label", "ignore_index", "scores", "zero_division", "vocabulary", "normalize"),
        without=("clusters",),
        changes={
            "text_format": {"default": "words", "default_help": ""},
            "id2label": {
                "help": "the tag of every class id: a dict, a list, or a model's config. Tags are B and I; B, M (or I), E and "
                "S; with a label_scheme also others, or 0 and 1. The type after a hyphen, as in B-X, is dropped"
            },
            "label_scheme": {
                "help": "the meaning of class ids, which may be left out if id2label has tags; without id2label, start and "
                "end read the ids 0 and 1",
                "default_help": "that of the tags of id2label",
            },
            "ignore_index": {
                "default": -100,
                "help": "the label of positions that are not units: special tokens, padding, later pieces of a unit",
            },
            "average": {
                "kind": Choice("micro", "macro"),
                "need": None,
                "help": "micro: scores of the corpus; macro: their mean over utterances",
            },
            "vocabulary": {
                "help": "the training words, as a word list or a segmented corpus, for text, and for input_ids with a "
                "processing_class: a word is the names of its units, joined"
            },
        },
    ),
    "AlignmentOptions": OptionSet(
        "The options of the alignment metric.",
        names=("scores", "zero_division", "confidence"),
        changes={"scores": {"default": None, "default_help": "every level that can be scored"}},
    ),
    "CompareOptions": OptionSet(
        "The options of `compare`, whose intervals can't be left out.",
        (*_OF_SCORING, "resampling"),
        ("baseline", "primary", "n_trials", "margin"),
        changes={"confidence": {"kind": LEVEL_OF_TESTS, "default": 0.95, "default_help": ""}, "seed": SEED_OF_TRIALS},
    ),
    "SignatureOptions": OptionSet(
        "The options of `signature`: of `score`, and the trials of `compare`.",
        (*_OF_SCORING, "resampling"),
        ("n_trials",),
        changes={
            "n_trials": {
                "default": None,
                "default_help": "none, as of `score`",
                "need": Need("confidence", "a comparison has intervals", 0.95),
            },
            "seed": SEED_OF_TRIALS,
        },
    ),
    "DatasetOptions": OptionSet(
        "The options of `score_dataset`, where `clusters` is the name of a column.",
        (*_OF_SCORING, "resampling"),
        ("reference_column", "prediction_column", "batch_size"),
        changes={
            "clusters": {
                "kind": _COLUMN,
                "help": "the column with the id of the document, speaker or session of each row; rows with the same id stay "
                "together",
            }
        },
    ),
}


def with_implied(values: Mapping[str, Any], names: Collection[str] | None = None) -> dict[str, Any]:
    """Add to the values of options those that their selections of scores imply: of the options `names`, or of all for None.

    >>> with_implied({"scores": "nltk"})
    {'window_convention': 'nltk_units', 'scores': 'nltk'}
    """
    scores = values.get("scores", ())
    score_names = (scores,) if isinstance(scores, str) else scores
    selections = [SELECTIONS[name] for name in score_names if name in SELECTIONS]
    implied: dict[str, Any] = {}
    for selection in selections:
        for name, value in selection.implied.items():
            if name in values:
                continue  # the user's own value decides
            if implied.setdefault(name, value) != value:
                raise OptionError(
                    OPTIONS["scores"].set(scores),
                    ": one of them implies ",
                    OPTIONS[name].set(implied[name]),
                    " and another ",
                    OPTIONS[name].set(value),
                    ": add the one that you mean.",
                )
    allowed = set(OPTIONS if names is None else names)
    if any(name in values for name in ("text_format", "reference_format", "prediction_format")):
        # "sigmorphon" implies a format, and "pythainlp" the separator of one: the format that the user gives takes their place.
        allowed -= _HOW_TEXT_IS_READ
    return {name: value for name, value in implied.items() if name in allowed} | dict(values)


@cache
def options_of_set(name: str) -> dict[str, Option]:
    """Return the options of a set as it has them, in the order of the table."""
    chosen = OPTION_SETS[name]
    return {option.name: chosen.variant(option) for option in OPTIONS.values() if chosen.has(option)}


@cache
def options_in(keywords: type) -> dict[str, Option]:
    """Return the options of the set that has the name of a class of `keywords`."""
    return options_of_set(keywords.__name__)


def check_formats(values: Mapping[str, Any], formats: Collection[str], received: str = "") -> None:
    """Check that options that only some formats have are for one of these; the message has `received`, as "; received lists"."""
    for name, value in values.items():
        option = OPTIONS[name]
        if set(option.formats).isdisjoint(formats):
            raise OptionError(option.set(value), ": it is for ", *_listed_formats(option), received, ": leave it out.")


def _listed_formats(option: Option) -> list[object]:
    """Return the fragments of a message that list the formats of an option, as in "A, B or lists of words"."""
    fragments: list[object] = []
    for number, name in enumerate(option.formats, 1):
        is_last = number == len(option.formats)
        if number > 1:
            fragments.append(" or " if is_last else ", ")
        fragments.append("lists of words" if name == LISTS else OPTIONS["text_format"].set(name))
    return fragments
