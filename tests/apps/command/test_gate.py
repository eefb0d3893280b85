"""`compare --fail-if-worse`: the exit status, and a line for each system that fails; the same in Python."""

import pytest

import segscores

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

#: Forty utterances of two words, the predictions of which have so many without their boundary, or with a wrong one.
REFERENCE = ["ab cd"] * 40
SYSTEMS = {"none": 0, "one": 1, "twelve": 12, "thirty": 30}
PREDICTIONS = {name: ["abcd"] * wrong + REFERENCE[wrong:] for name, wrong in SYSTEMS.items()}
PREDICTIONS["again"] = PREDICTIONS["twelve"]
PREDICTIONS["others"] = PREDICTIONS["twelve"][::-1]
FILES = {"r": REFERENCE, **PREDICTIONS, "known": ["ab"], "all": ["ab", "cd"]}
TOKENS = {"scores": "token_recall"}


@pytest.mark.parametrize(
    ("systems", "options", "rejected"),
    [
        # The sign test over the utterances that differ: p = 2 / 2^12 and 2 / 2^18 are significant, 2 / 2 is not.
        ("none one", TOKENS, {}),
        ("none twelve", TOKENS, {"twelve": "token_recall, 0.7000 against 1.0000 for none, is significantly worse"}),
        ("twelve none one thirty", TOKENS, {"thirty": "0.2500 against 0.7000 for twelve"}),
        ("none twelve", {"scores": "word_error_rate"}, {"twelve": "is significantly worse"}),
        # What decides is not what else gets worse.
        ("none twelve", {"scores": "oov_rate,token_precision", "vocabulary": "known"}, {"twelve": "token_precision"}),
        # A margin of 0.5 is beyond what 12 of 40 may be; one of 0.01 is more than one of 40 shows.
        ("none twelve", TOKENS | {"margin": 0.6}, {}),
        ("none one", TOKENS | {"margin": 0.01}, {"one": "is not shown to be less than 0.01 worse: inconclusive"}),
        ("none thirty", TOKENS | {"margin": 0.01}, {"thirty": "worse: inferior"}),
        ("twelve again", TOKENS | {"margin": 0.01}, {}),
        ("twelve others", TOKENS | {"margin": 0.01}, {"others": "for twelve, is not shown to be less than 0.01 worse"}),
        # No word is out of vocabulary: 0/0 is no proof.
        ("none one", {"scores": "oov_recall", "vocabulary": "all"}, {"one": "oov_recall, 0.0000 against"}),
    ],
)
def test_a_system_is_rejected_if_it_is_worse_than_the_baseline(systems, options, rejected, run):
    given = {name: PREDICTIONS[name] for name in systems.split()}
    python = {name: FILES[value] if name == "vocabulary" else value for name, value in options.items()}
    python["scores"] = options["scores"].split(",")
    found = segscores.compare(REFERENCE, given, text_format="words", **python)
    assert list(found.worse_than_baseline()) == list(rejected)
    line = f"compare r {systems}" + "".join(f" --{name} {value}" for name, value in options.items())
    assert run(line)[0] == 0
    status, _, messages = run(f"{line} --fail-if-worse")
    told = [each for each in messages.splitlines() if " warning: " not in each]
    assert (status, len(told)) == (bool(rejected), len(rejected))
    for (name, text), each in zip(rejected.items(), told, strict=True):
        assert each.startswith(f"segscores: {name}: ")
        assert text in each


@pytest.mark.parametrize(
    ("systems", "is_said"),
    [
        ("new=none last=one", True),
        ("candidate=none old=one previous=twelve", True),
        ("crf=none baseline=one", True),
        ("crf-v2=none crf-v1=one", True),
        ("run10=none run9=one", True),
        ("2026-02=none 2026-01=one", True),
        ("main=none baseline=one", False),
        ("crf-v1=none crf-v2=one", False),
        ("crf-v2=none lstm-v1=one", False),
        ("bert7=none bert3=one", False),
        ("last=none new=one", False),
        ("new=none newer=one", False),
        ("new=none last=one --baseline new", False),
    ],
)
def test_a_baseline_that_is_newer_by_its_name_is_said(systems, is_said, run):
    for option in ("--fail-if-worse", ""):
        _, _, messages = run(f"compare r {systems} --scores token {option}")
        assert ("by their names they are swapped. If so, add --baseline" in messages) == (is_said and bool(option))
