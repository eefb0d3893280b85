"""Words of the reference that are left out: punctuation, digits, or a list."""

import re

import pytest

from segscores import score, tally
from segscores.options.messages import OptionError
from segscores.reading.sources.sides import open_inputs
from segscores.scoring.passes import sum_tallies
from segscores.scoring.plan import Plan
from segscores.scoring.tally import score_tally

from ..corpora import random_corpus_pair, units_text, words_text
from ..naive import naive_scores_without

pytestmark = pytest.mark.filterwarnings("ignore:.*(outside the vocabulary|undefined|leaves out|this looks like)")
PAIR = random_corpus_pair(60, seed=11, units="ab,。3")
WORDS = {"text_format": "words"}


@pytest.mark.parametrize(
    "groups", [["boundary_all", "boundary_noedge", "boundary_start", "boundary_end", "token", "type"]]
)
@pytest.mark.parametrize("form", [units_text, words_text])
def test_words_that_are_left_out_and_their_boundaries_are_not_counted(form, groups):
    options = {"text_format": "words"} if form is words_text else {}
    found = score(*map(form, PAIR), scores=groups, ignore_words=["punctuation", "digits"], **options)
    assert found == pytest.approx(naive_scores_without(",。3", *PAIR))


def test_several_predictions_count_as_each_alone():
    references, predictions = map(words_text, PAIR)
    plan = Plan.of(scores=("token", "type"), ignore_words=["punctuation", "digits"], **WORDS)
    sides = open_inputs(plan.reading, references, predictions, references)
    of_prediction, of_itself = [score_tally(tally, plan) for tally in sum_tallies(sides, plan, piece_bytes=60)[0]]
    naive = naive_scores_without(",。3", *PAIR)
    assert of_prediction == pytest.approx({key: naive[key] for key in plan.keys})
    assert of_itself == dict.fromkeys(plan.keys, 1.0)


@pytest.mark.parametrize(
    ("classes", "ignored"),
    [("punctuation", {"。", "%", "——", "\xa0?", "! !"}), ("symbols", {"+", "￥"}), ("digits", {"１９", "7"}),
     ("latin", {"Ｕ", "é"}), (["digits", "punctuation"], {"。", "%", "——", "\xa0?", "! !", "１９", "7", "3.5"})],
)  # fmt: skip
def test_classes_are_those_of_unicode(classes, ignored):
    words = ["。", "%", "——", "+", "￥", "１９", "7", "3.5", "Ｕ", "é", "狗", "五", "狗。", "A3", "\xa0?", "! !"]
    counts = tally([words], [words], scores="token", ignore_words=classes).counts()
    assert counts["token_reference"] == len(words) - len(ignored)
    for word in words:
        counts = tally([[word, "狗"]], [[word, "狗"]], scores="token", ignore_words=classes).counts()
        assert counts["token_reference"] == 2 - (word in ignored), word


@pytest.mark.parametrize(
    ("reference", "prediction", "word", "options"),
    [
        ("fin de", "fin de", "ﬁn", {"normalize": "NFKC", **WORDS}),
        ("ð ə | d", "ðə d", "ð ə", {"reference_format": "units", "prediction_format": "words", "word_boundary": "|"}),
        ("ð ; ə | d", "ð ə | d", "ð ; ə", {"word_boundary": "|", "ignored_tokens": [";"]}),
        (["New York", "a"], ["NewYork", "a"], "New York", {"spaces": "drop"}),
    ],
)
def test_a_list_is_prepared_as_the_text_is(reference, prediction, word, options):
    counts = tally([reference], [prediction], ignore_words=[word], scores="token", **options).counts()
    assert counts["token_reference"] == counts["token_matched"] == 1


def test_counts_of_parts_add_up_and_the_signature_names_the_words():
    sides = [*map(words_text, PAIR)]
    options = {"ignore_words": ["punctuation"], "scores": ["token", "type"], **WORDS}
    parts = [tally(*(side[at] for side in sides), **options) for at in (slice(30), slice(30, None))]
    whole = type(parts[0]).from_json(tally(*sides, **options).to_json())
    assert sum(parts) == whole
    assert "|without:punctuation|" in whole.signature()
    classes = ("digits", "latin", "punctuation", "symbols")
    for words, expected in ((classes, ",".join(classes)), ([",", "。"], "[0-9a-f]{8}")):
        assert re.search(rf"\|without:{expected}\|", tally(*sides, **{**options, "ignore_words": words}).signature())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scores": "windows"}, ["windows", "token"]),
        ({"scores": ["token", "tnr"]}, ["tnr", "word_error"]),
        ({"on_mismatch": "align"}, ["align", "skip"]),
        ({"label_scheme": "BI"}, ["labels", "words"]),
    ],
)
def test_what_has_no_words_to_leave_out_says_so(options, words):
    with pytest.raises(OptionError, match="ignore_words") as caught:
        score(["a ."], ["a ."], ignore_words="punctuation", **{**WORDS, **options})
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize("value", ["punctuations", "", [], [1], 3, [" "]])
def test_another_value_is_an_error(value):
    with pytest.raises((TypeError, ValueError), match=r"^ignore_words: expected punctuation, symbols"):
        score(["a ."], ["a ."], ignore_words=value, **WORDS)


@pytest.mark.parametrize(
    ("names", "counted", "said"),
    [
        # Words that look like classes.
        (["punctuatio"], 2, "'punctuatio' is read as a word.*Did you mean 'punctuation'"),
        (["Digit", "symbol"], 2, "'Digit' is read as a word.*Did you mean 'digits'"),
        (["punctuation", "。"], 1, "'punctuation' is read as a word.*expected classes alone"),
        # Lines that are no words.
        (["。 17", "b 3"], 1, "2 of 2 lines have a word and a frequency"),
        (["。\tPU", "b\tNN"], 2, "tNN' has spaces"),
        (["。 b"], 2, "ignore_words: '。 b' has spaces"),
        (["。  | a mark"], 2, "has spaces"),
    ],
)
def test_a_list_that_is_likely_not_of_words_is_warned_of(names, counted, said):
    with pytest.warns(UserWarning, match=said):
        found = tally(["a 。"], ["a 。"], ignore_words=names, scores="token", **WORDS).counts()
    assert found["token_reference"] == counted


@pytest.mark.parametrize(
    ("text", "words", "options"), [("ð ə|a", ["ð ə"], {"word_boundary": "|"}), (["New York", "a"], ["New York"], {})]
)
def test_words_with_spaces_may_be_words_elsewhere(text, words, options):
    tally([text], [text], ignore_words=words, scores="token", **options)


@pytest.mark.parametrize("names", [["The", "A"], ['"the"'], ["\u2581the"], ["it,the"], ["ＴＨＥ"]])
def test_words_that_the_reference_has_in_another_form_are_warned_of(names):
    with pytest.warns(UserWarning, match="the reference has 'the': write the words as the text has them"):
        score(["the dog"], ["thedog"], ignore_words=names, scores="token", **WORDS)


def test_words_that_a_later_part_of_the_text_has_are_not_warned_of():
    text = ["The dog", *["a cat"] * 200_000, "see the dog"]
    score(text, text, ignore_words=["the"], scores="token", **WORDS)
    tally(text[:1], text[:1], ignore_words=["the"], scores="token", **WORDS)


@pytest.mark.parametrize(
    "names", [["。"], ["a", "A"], ["b"], ["..."], ["a", "digit"], ["digits"], "digits", ["digits", "punctuation"]]
)
def test_words_and_classes_are_not_warned_of(names):
    score(["a 。"], ["a 。"], ignore_words=names, scores="token", **WORDS)
