"""Labels of recordings that do not mean what they seem to mean: what is said about them, and that nothing is said else."""

from collections.abc import Iterable
from typing import Any

import pytest

import segscores

TIMES = [(0.4, 0.55), (0.55, 0.95), (1.2, 1.75), (1.75, 2.4)]
WORDS = ["the", "dog", "barks", "loudly"]


def labelled(labels: list[str]) -> list[tuple[float, float, str]]:
    return [(*times, label) for times, label in zip(TIMES, labels, strict=True)]


def with_silence(label: str) -> list[tuple[float, float, str]]:
    """The words, with this label before and between them."""
    return sorted([*labelled(WORDS), (0, 0.4, label), (0.95, 1.2, label)])


def letters(labels: Iterable[str]) -> list[tuple[float, float, str]]:
    """An interval of a second for each label."""
    return [(at, at + 1, label) for at, label in enumerate(labels)]


def between_silence(label: str) -> list[tuple[float, float, str]]:
    """The words, with this label before and behind them and between."""
    return [*with_silence(label), (2.4, 2.9, label)]


PLAIN = labelled(WORDS)
SIDES = ("labelled_token_fscore", "timing_words")

#: A reference, a prediction, and what is said about their labels.
SAID: dict[str, tuple[Any, Any, str]] = {
    "silence of a program": (PLAIN, with_silence("pau"), r"predictions: the label 'pau' .*references has silence.*\[\"pau\"\]"),
    "a sign for silence": (with_silence("#"), PLAIN, r"references: the label '#' .*predictions has silence"),
    "a name in brackets on both sides": (with_silence("[SIL]"), with_silence("[SIL]"), r"'\[SIL\]' counts as a word: .*silence="),
    "noise in brackets": (with_silence("<noise>"), with_silence("<noise>"), "'<noise>' counts as a word: "),
    "what is no speech": (with_silence("non-speech"), with_silence("non-speech"), "'non-speech' counts as a word: "),
    "what is no speech at both ends": (
        between_silence("nonspeech"), between_silence("nonspeech"), "'nonspeech' counts as a word, and is likely none"),
    "a pause of Verbmobil": (with_silence("<P>"), with_silence("<P>"), "'<P>' counts as a word: "),
    "a breath of NeMo": (with_silence("<b>"), with_silence("<b>"), "'<b>' counts as a word: "),
    "noise of Switchboard": (with_silence("[vocalized-noise]"), PLAIN, r"'\[vocalized-noise\]' counts as a word: "),
    "silence in Chinese": (between_silence("静音"), between_silence("静音"), "'静音' counts as a word, and is likely none"),
    "silence in Spanish": (between_silence("Silencio"),) * 2 + ("'Silencio' counts as a word, and is likely none",),
    "ends of models": (with_silence("<s>"), with_silence("<s>"), "'<s>' counts as a word: "),
    "ends of HTK": (with_silence("!ENTER"), with_silence("!ENTER"), "'!ENTER' counts as a word: "),
    "the blank of a model": (with_silence("<blank>"), with_silence("<blank>"), "'<blank>' counts as a word: "),
    "silence of Kaldi": (with_silence("SIL_S"), with_silence("SIL_S"), "'SIL_S' counts as a word: "),
    "noise of Sphinx": (with_silence("+NOISE+"), with_silence("+NOISE+"), r"'\+NOISE\+' counts as a word: "),
    "a mark before the name": (with_silence("!SIL"), with_silence("!SIL"), "'!SIL' counts as a word: "),
    "a sign at both ends": (between_silence("#"), between_silence("#"), r"'#' counts as a word, and is likely none"),
    "a sign between words": (letters("a#b#c"), letters("a#b#c"), r"'#' counts as a word, and is likely none"),
    "a name between words": (with_silence("pause"), with_silence("pause"), "'pause' counts as a word, and is likely none"),
    "missing values": (with_silence("nan"), with_silence("nan"), "'nan' counts as a word, and is likely none"),
    "a twentieth of the words": (
        letters(["noise", *"a" * 19, "noise", *"b" * 19]),) * 2 + ("'noise' counts as a word, and is likely none",),
    "lengths of pauses": (letters(["a", "(0.3)", "b"]),) * 2 + (r"'\(0.3\)' counts as a word: ",),
    "braces at both ends": (between_silence("{SL}"), between_silence("{SL}"), r"'{SL}' counts as a word, and is likely none"),
    "a name at both ends": (between_silence("SILENCE"), between_silence("SILENCE"), "'SILENCE' counts as a word, and is"),
    "silence of two kinds": (PLAIN, sorted([*with_silence("_"), (2.4, 2.5, "sp")]), r'silence=\["sp", "_"\]'),
    "utterances": (PLAIN, [(0.4, 2.4, "the dog barks loudly")], "most labels have several words, as 'the dog"),
    "punctuation": (PLAIN, labelled(["the", "dog,", "barks", "loudly."]), "differ in signs, as 'dog' and 'dog,'"),
    "a decomposed letter": (labelled(["é", "dog", "x", "y"]), labelled(["e\u0301", "dog", "x", "y"]), "differ in signs"),
    "a letter without width": (PLAIN, labelled([f"{word}\u200b" for word in WORDS]), "differ in signs"),
    "a capital": (PLAIN, labelled(["The", *WORDS[1:]]), r'case, as \'The\', .*label_map="lower"'),
    "capitals and punctuation": (PLAIN, labelled(["The", "dog.", *WORDS[2:]]), "differ in signs, as 'dog' and 'dog.'"),
    "scores in place of labels": (PLAIN, labelled(["0.9", "0.8", "0.7", "0.6"]), "no label is on both sides.* 'barks' and '0.6'"),
    # The silence of PLAIN is from 0 to .4 and from .95 to 1.2 s: .65 s, of which half are .325 s.
    "half of the silence": (PLAIN, sorted([*PLAIN, (0, 0.2, "uh"), (0.95, 1.075, "uh")]), "the label 'uh' counts"),
    "a label that is a fifth within words": (
        PLAIN, [(0, 0.5625, "uh"), (0.5625, 0.95, "dog"), (0.95, 1.2, "uh"), *PLAIN[2:]], "the label 'uh' counts"),
    "one comma in nine words": (letters("abcdefghi"), letters(["a,", *"bcdefghi"]), "differ in signs, as 'a' and 'a,'"),
    "two phrases and a word": (PLAIN, [(0.4, 0.55, "the dog"), (0.55, 0.95, "it is"), PLAIN[2]], "most labels have several"),
    "phrases and a phrase in ten labels": (letters(["a b", *"cdefghijk"]), letters(["c d", "e f", "c"]), "most labels have"),
    "no labels": (PLAIN, TIMES, "predictions: no interval has a label"),
    "no labels of the references": (TIMES, PLAIN, "references: no interval has a label"),
}  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "said"), SAID.values(), ids=SAID)
def test_labels_that_do_not_pair_are_said(reference: Any, prediction: Any, said: str) -> None:
    with pytest.warns(UserWarning, match=said):
        segscores.score([reference], [prediction], text_format="times", scores=SIDES)


#: A label of silence on both sides, the option, and the remedy: the option names labels that no recording has.
NAMED_OTHERWISE: dict[str, tuple[str, str, str]] = {
    "another label": ("SIL", "pau", r'silence=\["pau", "SIL"\]'),
    "another case": ("SIL", "sil", r'silence=\["sil", "SIL"\]'),
    "a sign": ("spn", "#", r'silence=\["#", "spn"\]'),
}


@pytest.mark.parametrize(("label", "named", "remedy"), NAMED_OTHERWISE.values(), ids=NAMED_OTHERWISE)
def test_silence_that_is_named_otherwise_is_said(label: str, named: str, remedy: str) -> None:
    with pytest.warns(
        UserWarning, match=f"the label '{label}' counts as a word, as the option names other .* add {remedy}"
    ):
        segscores.score(
            [with_silence(label)], [with_silence(label)], text_format="times", scores="token", silence=named
        )


def test_silence_is_said_behind_a_recording_of_speech() -> None:
    speech = [(0, 3, "so")]
    with pytest.warns(UserWarning, match="the label 'pau' counts as a word"):
        segscores.score([speech, PLAIN], [speech, with_silence("pau")], text_format="times", scores="token")


#: A reference, a prediction, and options, of which nothing is said.
NOT_SAID: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "silence that an option names": (PLAIN, with_silence("pau"), {"silence": "pau"}),
    "silence as it always is": (PLAIN, with_silence("sil"), {}),
    "a default label beside one that an option names": (
        ([*with_silence("SIL"), (2.4, 2.5, "spn")],) * 2 + ({"silence": "SIL"},)),
    "the same in the case in which labels are compared": (
        ([*with_silence("SIL"), (2.4, 2.5, "spn")],) * 2 + ({"silence": "SIL", "label_map": "lower"},)),
    "no silence, as an option says": (with_silence("SIL"), with_silence("SIL"), {"silence": []}),
    "one further word in silence": (PLAIN, sorted([*PLAIN, (0.95, 1.2, "uh")]), {}),
    "a word that both sides have": (with_silence("so"), with_silence("so"), {}),
    "a silence that is spoken": (labelled(["'silence'", "…", "pause,", "silence."]),) * 2 + ({},),
    "letters of phones": (letters("pbpb"), letters("pbpb"), {}),
    "an unknown word": (with_silence("<unk>"), with_silence("<unk>"), {}),
    "a phone of Kaldi": (with_silence("S_B"), with_silence("S_B"), {}),
    "an exit": (with_silence("exit."), with_silence("exit."), {}),
    "a note of music": (with_silence("+b+"), with_silence("+b+"), {}),
    "a noise with a hyphen": (with_silence("noise-"), with_silence("noise-"), {}),
    "a word at both ends": (between_silence("so"), between_silence("so"), {}),
    "a consonant at both ends": (between_silence("b"), between_silence("b"), {}),
    "a vowel of SAMPA at both ends": (between_silence("{"), between_silence("{"), {}),
    "a sign behind itself": (letters(["#", "a", "#", "#", "b"]),) * 2 + ({},),
    "a short word": (with_silence("sta"), with_silence("sta"), {}),
    "one sign": (letters("a#b"), letters("a#b"), {}),
    "a mark of text": (letters("a.b.c"), letters("a.b.c"), {}),
    "a noise that is rarely said": (letters(["noise", *"a" * 19, "noise", *"b" * 20]),) * 2 + ({},),
    "a sign alone": ([(0, 2.9, "#")], [(0, 2.9, "#")], {}),
    "a sign that an option leaves a word": ([*between_silence("#"), (2.9, 3, "x")],) * 2 + ({"silence": "x"},),
    "one noise in two intervals": (PLAIN, [(0, 0.2, "uh"), (0.2, 0.4, "uh"), *PLAIN], {}),
    "less than half of the silence": (PLAIN, sorted([*PLAIN, (0, 0.2, "uh"), (0.95, 1.07, "uh")]), {}),
    "a label that is more than a fifth within words": (
        PLAIN, [(0, 0.57, "uh"), (0.57, 0.95, "dog"), (0.95, 1.2, "uh"), *PLAIN[2:]], {}),
    "a label of silence and of words": (PLAIN, [(0, 0.55, "uh"), PLAIN[1], (0.95, 1.75, "uh"), PLAIN[3]], {}),
    "words in silence beside noise": (
        PLAIN, [(0, 0.3, "uh"), (0.3, 0.9, "the"), (0.95, 1.05, "uh"), (1.05, 1.2, "dog")], {}),
    "words beyond the last one beside noise": (
        PLAIN, [(0, 0.5625, "uh"), (0.5625, 0.95, "dog"), (0.95, 1.2, "uh"), (2.4, 2.7, "so")], {}),
    "noise alone": (PLAIN, [(0, 0.4, "uh"), (0.4, 0.95, "sil"), (0.95, 1.2, "uh")], {"scores": "token_fscore"}),
    "a word of the other side in silence": (
        labelled(["so", *WORDS[1:]]), sorted([*labelled(["so", *WORDS[1:]]), (0, 0.4, "so"), (0.95, 1.2, "so")]), {}),
    "silence where an option names another": (PLAIN, [*with_silence("pau"), (2.4, 2.5, "x")], {"silence": "x"}),
    "one comma in ten words": (letters("abcdefghij"), letters(["a,", *"bcdefghij"]), {}),
    "one phrase and one word": (PLAIN, [(0.4, 0.95, "the dog"), (1.2, 2.4, "barks")], {}),
    "phrases and a phrase in nine labels": (letters(["a b", *"cdefghij"]), letters(["c d", "e f", "c"]), {}),
    "words of another recogniser": (PLAIN, labelled(["a", "dog", "bakes", "loudly"]), {}),
    "one wrong word": (PLAIN[:1], [(0.4, 0.55, "a")], {}),
    "one wrong word of several": (PLAIN, [(0.4, 0.55, "a")], {}),
    "several wrong words of one": (PLAIN[:1], letters("ab"), {}),
    "labels of neither side": (TIMES, TIMES, {}),
    "nothing heard": (PLAIN, [], {}),
    "phrases on both sides": ([(0, 1, "the dog")], [(0, 1, "the dog")], {}),
}  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "options"), NOT_SAID.values(), ids=NOT_SAID)
def test_labels_that_pair_or_are_wrong_need_no_word(
    reference: Any, prediction: Any, options: dict[str, Any], recwarn: pytest.WarningsRecorder
) -> None:
    options = {"text_format": "times", "scores": SIDES, "zero_division": 0, **options}
    segscores.score([reference], [prediction], **options)
    assert not [str(warning.message) for warning in recwarn]


def test_a_remedy_keeps_the_silence_that_an_option_names() -> None:
    with pytest.warns(UserWarning, match=r'silence=\["x", "\[SIL\]"\]'):
        segscores.score([PLAIN], [with_silence("[SIL]")], text_format="times", scores=SIDES, silence="x")


def test_scores_of_times_need_no_labels(recwarn: pytest.WarningsRecorder) -> None:
    for prediction in (TIMES, labelled(["0.9", "0.8", "0.7", "0.6"])):
        scores = segscores.score([PLAIN], [prediction], text_format="times", scores="token_fscore")
        assert scores == {"token_fscore": 1.0}
    assert not recwarn.list


def test_silence_at_the_end_of_a_recording_may_begin_the_next_one() -> None:
    recordings = [letters("a#"), letters("#b")]
    with pytest.warns(UserWarning, match="'#' counts as a word, and is likely none"):
        segscores.score(recordings, recordings, text_format="times", scores="token_fscore")


@pytest.mark.parametrize(
    ("length", "count", "is_said"), [(0.009, 5, True), (0.01, 5, False), (0.009, 4, False), (0, 5, False)]
)
def test_words_that_are_too_short_for_seconds_are_doubted(
    length: float, count: int, is_said: bool, recwarn: pytest.WarningsRecorder
) -> None:
    recording = [(at, at + length, "word") for at in range(count)]
    segscores.score([recording], [recording], text_format="times", scores="token_fscore", zero_division=0)
    assert ["last less than 0.01 seconds" in str(warning.message) for warning in recwarn] == [True] * (2 * is_said)


def halves(labels: Iterable[str]) -> list[tuple[float, float, str]]:
    """An interval of half a second for each label."""
    return [(at / 2, (at + 1) / 2, label) for at, label in enumerate(labels)]


#: Ten words, and twenty phones of which no two are alike.
TEN_WORDS = [f"{letter}{letter}" for letter in "abcdefghij"]
PHONES = [f"{letter}h0" for letter in "abcdefghijklmnopqrst"]

#: A reference, a prediction, and whether boundaries of words beside those of phones are said.
LEVELS: dict[str, tuple[Any, Any, bool]] = {
    "phones in the prediction": (letters(TEN_WORDS), halves(PHONES), True),
    "phones in the reference": (halves(PHONES), letters(TEN_WORDS), True),
    "silence between them": ([*letters(TEN_WORDS), (10, 11, "sil")], halves(PHONES), True),
    "nine words": (letters(TEN_WORDS[:9]), halves(PHONES), False),
    "fewer than twice as many": (letters(TEN_WORDS), halves(PHONES[:19]), False),
    "one label in ten on both sides": (letters(TEN_WORDS), halves([*PHONES[:19], "aa"]), True),
    "two labels on both sides": (letters(TEN_WORDS), halves([*PHONES[:18], "aa", "bb"]), False),
    "numbers of units": (letters(TEN_WORDS), halves([f"u{unit}" for unit in range(20)]), False),
    "half of them numbers": (letters(TEN_WORDS), halves([*PHONES[:10], *map(str, range(10))]), False),
    "no labels": (letters(TEN_WORDS), [interval[:2] for interval in halves(PHONES)], False),
}


@pytest.mark.parametrize(("reference", "prediction", "is_said"), LEVELS.values(), ids=LEVELS)
def test_boundaries_of_words_beside_those_of_phones_are_said(
    reference: Any, prediction: Any, is_said: bool, recwarn: pytest.WarningsRecorder
) -> None:
    segscores.score([reference], [prediction], text_format="times", scores="boundary_noedge")
    said = ["words on one side and phones on the other" in str(warning.message) for warning in recwarn]
    assert said == [True] * is_said


#: Twelve words, and the same ones at other times.
TWELVE_WORDS = [f"{letter}{letter}" for letter in "abcdefghijkl"]
LATER = [*TWELVE_WORDS[-1:], *TWELVE_WORDS[:-1]]
OTHERS = PHONES[:6]

#: A reference, a prediction, and whether labels at other times are said.
RECORDINGS: dict[str, tuple[Any, Any, bool]] = {
    "other words at each time": (letters(TWELVE_WORDS), letters(LATER), True),
    "a word beside silence": ([*letters(TWELVE_WORDS), (20, 21, "so")], [*letters(LATER), (20, 21, "sil")], True),
    "eleven words": (letters(TWELVE_WORDS[:11]), letters(LATER[:11]), False),
    "eleven words at one time": ([*letters(TWELVE_WORDS[:11]), (20, 21, "ll")], letters(LATER), False),
    "one word in twelve at its time": (letters(TWELVE_WORDS), letters(["aa", "ll", *TWELVE_WORDS[1:11]]), True),
    "two words in twelve at their time": (
        letters(TWELVE_WORDS),
        letters(["aa", "bb", "ll", *TWELVE_WORDS[2:11]]),
        False,
    ),
    "half of the labels": (letters(TWELVE_WORDS), letters([*LATER[:6], *OTHERS]), True),
    "less than half": (letters(TWELVE_WORDS), letters([*LATER[:6], *OTHERS, "so"]), False),
    "five labels": (letters("abcde" * 3), letters("bcdea" * 3), False),
    "other labels in silence": (
        [(at, at + 0.4, label) for at, label in enumerate(TWELVE_WORDS)],
        letters(LATER),
        False,
    ),
}


@pytest.mark.parametrize(("reference", "prediction", "is_said"), RECORDINGS.values(), ids=RECORDINGS)
def test_labels_at_other_times_are_said(
    reference: Any, prediction: Any, is_said: bool, recwarn: pytest.WarningsRecorder
) -> None:
    segscores.score([reference], [prediction], text_format="times", scores="boundary_noedge")
    said = ["are they of the same recordings" in str(warning.message) for warning in recwarn]
    assert said == [True] * is_said


def test_a_unit_that_makes_words_too_short_is_doubted_by_its_option() -> None:
    recording = [(at, at + 0.5, "word") for at in range(5)]
    with pytest.warns(UserWarning, match="is the unit right that time_unit names, ms") as warned:
        segscores.score([recording], [recording], text_format="times", scores="token", time_unit="ms")
    assert not any("minutes" in str(warning.message) for warning in warned)
