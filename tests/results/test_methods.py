"""The paragraph on methods: what a signature says, in words."""

import re

import pytest

import segscores

WORDS = {"text_format": "words"}
LINES = ["the dog", "a cat", "is it"] * 12


def test_a_comparison_says_its_average_intervals_and_tests() -> None:
    options = {
        "clusters": [*range(12)] * 3,
        "interval_method": "percentile",
        "n_resamples": 500,
        "n_trials": 99,
        "average": "cluster",
    }
    systems = {"a": LINES, "b": ["thedog", "a cat", "is it"] * 12}
    compared = segscores.compare(LINES, systems, **WORDS, **options, scores=["token", "windows"], zero_division=0.0)
    text = segscores.methods(["token_fscore", "pk"], compared.signature)
    assert (
        "We report the word F-score and the Pk \\citep{brent1999efficient,goldwater2009bayesian,beeferman1999statistical,"
        in text
    )
    assert "Scores are means over clusters." in text
    assert "the adjusted Rand index, the Rényi efficiency, " in segscores.methods(
        ["rand", "renyi_efficiency", "agreement_kappa", "oov_rate"], compared.signature
    )
    assert "Intervals are at 95\\,\\%, percentiles of 500 bootstrap resamples of 12 clusters of utterances." in text
    assert "paired randomisation with 99 trials" in text
    assert segscores.methods(["token_fscore", "pk"], f"signature: {compared.signature}\n") == text
    entries = segscores.cite(["token_fscore", "pk"])
    cited = re.findall(r"\\citep\{([^}]*)\}", text)
    assert len(cited) == 2
    for key in ",".join(cited).split(","):
        assert f"{{{key}," in entries
    signature = text.partition(r"\texttt{")[2].removesuffix("}.")
    assert signature.replace(r"\textbar{}", "|") == compared.signature


@pytest.mark.parametrize(
    ("signature", "error"),
    [
        ("", ValueError),
        ("sacrebleu|v:2", ValueError),
        ("segscores|n:1", ValueError),
        ("segscores|v:", ValueError),
        ("segscores|ci:95|v:0.4.0", ValueError),
        ("segscores|ci:95-percentile|v:0.4.0", ValueError),
        ("segscores|trials:|v:0.4.0", ValueError),
        (3, TypeError),
    ],
)
def test_what_is_no_signature_is_refused(signature: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^signature: "):
        segscores.methods("token", signature)  # type: ignore[arg-type]
