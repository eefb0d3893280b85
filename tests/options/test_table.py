"""The table of options: every surface checks, reads and writes the same values, and describes them alike."""

import inspect
import math
import pickle
import re
import shlex
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscores
from segscores.apps.command.cli import command_parser, subcommand_parsers
from segscores.apps.command.flags import Flags
from segscores.options import class_kinds, file_kinds, keywords, kinds
from segscores.options.encodings import Encoding
from segscores.options.option import Need, Option
from segscores.options.table import (
    GROUP_OPTIONS,
    OPTION_SETS,
    OPTIONS,
    SELECTIONS,
    options_in,
    options_of_set,
    with_implied,
)
from segscores.options.tasks import COMMANDS, Request, Task, command_line, flag_of, python_call
from segscores.scoring.measures.registry import GROUPS
from segscores.scoring.plan import Plan

INPUTS = {"references": ["a b"], "predictions": ["ab"]}

#: Bad values, with the words of the error in Python.
BAD: list[tuple[str, Any, type[Exception], str]] = [
    ("text_format", "word", ValueError, "\"conllu\", \"conll\" or \"mecab\", received 'word'. Did you mean 'words'?"),
    ("text_format", 3, TypeError, '"conllu", "conll" or "mecab", received 3 (int).'),
    ("word_boundary", "a b", ValueError, "expected a token without whitespace, two spaces or a tab, received 'a b'."),
    ("word_boundary", "a\0", ValueError, "It has a NUL character (U+0000), which no text has."),
    ("ignored_tokens", [";esyll", "\ud800"], ValueError, "It has a lone surrogate, which no text has."),
    ("ignored_tokens", ["x", 3], TypeError, "expected a token without whitespace, received 3 (int)."),
    ("scores", np.array("token"), TypeError, "received array('token', dtype='<U5') (ndarray)."),
    ("ignore_words", np.array("a"), TypeError, "or a list of words, received array('a', dtype='<U1') (ndarray)."),
    ("ignore_words", ["\ud800"], ValueError, "received '\\ud800'. It has a lone surrogate (U+D800), which is not text."),
    ("ignore_words", ["a", 3], TypeError, "or a list of words, received ['a', 3] (list)."),
    ("ignore_words", "latins", ValueError, "received 'latins'. Did you mean 'latin'?"),
    ("tier", {"words"}, TypeError, "expected the name or the number of a tier, as a text, received {'words'} (set)."),
    ("tier", {"references": "words"}, TypeError, "as a text, received {'references': 'words'} (dict)."),
    ("time_unit", b"ms", TypeError, "\"100ns\" or \"samples\", received b'ms' (bytes)."),
    ("label_scheme", "bi", ValueError, "received 'bi'. Did you mean 'BI'?"),
    ("normalize", "nfc", ValueError, "received 'nfc'. Did you mean 'NFC'?"),
    ("ignore_index", 0.5, TypeError, "expected an integer from -9223372036854775808 to 9223372036854775807, received 0.5"),
    ("zero_division", "0", TypeError, "expected a number in [0, 1] or nan, received '0' (str)."),
    ("zero_division", 1j, TypeError, "expected a number in [0, 1] or nan, received 1j (complex)."),
    ("zero_division", 10**400, ValueError, "expected a number in [0, 1] or nan, received an integer of 1329 bits."),
    ("sample_rate", 0.5, ValueError, "expected a number of samples per second from 1 to 1000000000, received 0.5."),
    ("renyi_order", 200, ValueError, "expected a number above 0 and below 100, such as 2.5, received 200."),
    ("tolerance", -1, ValueError, "expected a whole number of units from 0 to 1000000000, or of seconds for times, received -1."),
    ("window_size", "utterances", ValueError, "Did you mean 'utterance'?"),
    ("window_size", 0, ValueError, 'expected a whole number from 1 to 1000000000, or "utterance", received 0.'),
    ("on_mismatch", "drop", ValueError, "expected \"error\" or \"align\", received 'drop'."),
    ("confidence", 95, ValueError, "expected a number between 0 and 1, such as 0.95, received 95. Did you mean 0.95?"),
    ("n_resamples", 0, ValueError, "expected an integer from 1 to 1000000, received 0."),
    ("seed", 1 << 64, ValueError, "expected an integer from 0 to 18446744073709551615, received 18446744073709551616."),
    ("confidence", math.nan, ValueError, "expected a number between 0 and 1"),
    ("interval_method", "Jackknife", ValueError, 'expected "jackknife" or "percentile", received \'Jackknife\'.'),
    ("average", "mean", ValueError, 'expected "micro", "macro" or "cluster", received \'mean\'.'),
]  # fmt: skip


#: For each option of numbers the least and the greatest value, and the nearest ones that are none.
ENDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "zero_division": ((0, 1), (-1e-9, 1 + 1e-9)),
    "confidence": ((1e-9, 1 - 1e-9), (0, 1, 100)),
    "tolerance": ((0, 10**9), (-1, 10**9 + 1)),
    "transposition_span": ((1, 10**9), (0, 10**9 + 1)),
    "n_resamples": ((1, 10**6), (0, 10**6 + 1)),
    "n_trials": ((1, 10**6), (0, 10**6 + 1)),
    "seed": ((0, 2**64 - 1), (-1, 2**64)),
    "ignore_index": ((-(2**63), 2**63 - 1), (-(2**63) - 1, 2**63)),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends_of_a_range_belong_to_it(name: str) -> None:
    option = OPTIONS[name]
    good, bad = ENDS[name]
    assert [option.check(value) for value in good] == [*good]
    for value in bad:
        with pytest.raises(ValueError, match=rf"^{name}: expected .*, received {re.escape(str(value))}\.$"):
            option.check(value)


@pytest.mark.parametrize(
    ("name", "value", "kind", "message"), BAD, ids=[f"{name} {value!r:.20}" for name, value, *_ in BAD]
)
def test_a_bad_value_is_the_same_error_in_every_function(
    name: str, value: Any, kind: type[Exception], message: str
) -> None:
    calls = [
        lambda **options: segscores.score(["a b"], ["ab"], **options),
        lambda **options: segscores.signature(["a b"], **options),
        lambda **options: segscores.score_dataset(None, **options),
        lambda **options: segscores.load().compute(**INPUTS, **options),
        segscores.load,
    ]
    if name in keywords.CompareOptions.__annotations__:
        calls.append(lambda **options: segscores.compare(["a b"], {"x": ["ab"], "y": ["ab"]}, **options))
    for call in calls:
        with pytest.raises(kind, match=f"^{name}: .*{re.escape(message)}"):
            call(**{name: value})


@pytest.mark.parametrize("written", [r"\u200b", r"\u200B", "\u200b"])
def test_a_token_may_be_written_as_its_code(written: str) -> None:
    assert OPTIONS["separator"].parse(written) == OPTIONS["word_boundary"].parse(written) == "\u200b"


def test_the_hint_for_a_word_of_the_command_is_its_value_in_python() -> None:
    """`--confidence none` is None in Python, where the string is no value."""
    confidence = COMMANDS["score"].options["confidence"]
    assert confidence.check(None) is None
    with pytest.raises(ValueError, match=r"^confidence: .*, or None, received 'none'\. Did you mean None\?$"):
        confidence.check("none")


def test_every_option_of_the_table_is_taken() -> None:
    functions = [each for each in map(partial(getattr, segscores), segscores.__all__) if inspect.isfunction(each)]
    taken = {name for function in functions for name in inspect.signature(function).parameters}
    taken |= {name for task in COMMANDS.values() for name in task.options}
    missing = OPTIONS.keys() - taken
    assert not missing, (
        f'No function and no subcommand takes {", ".join(missing)}. Say in the table what the option is about: topic="reading" '
        f'if it says how text is read, "scores" if what is scored. An option of few functions stands in OPTION_SETS '
        f"(segscores/options/table.py), one of the command alone in its subcommands (segscores/options/tasks.py)."
    )
    missing = GROUP_OPTIONS.keys() - options_in(keywords.ScoringOptions).keys()
    assert not missing, f'{", ".join(missing)}: the options of groups have topic="scores" (segscores/options/table.py)'


def test_the_options_of_groups_equal_the_table() -> None:
    unknown = {group for option in GROUP_OPTIONS.values() for group in option.groups} - GROUPS.keys()
    assert not unknown, f"no score group {', '.join(unknown)}: add it to segscores/scoring/measures/registry.py"


def test_a_hint_at_the_value_of_another_option_says_why() -> None:
    assert all(option.need.say for option in OPTIONS.values() if option.need and option.need.add is not None)


#: Options that have another default where these take them, with the reason.
OTHER_DEFAULTS = {
    ("scores", "AlignmentOptions identify"): "all that the input allows",
    ("text_format", "TrainerOptions"): "a model predicts words text",
    ("ignore_index", "TrainerOptions"): "a Trainer masks positions with -100",
    ("confidence", "CompareOptions compare report correlate parity"): "comparisons have intervals",
    (
        "text_format word_boundary",
        "score compare errors report sweep curve difficulty halves identify",
    ): "files show both",
    ("n_trials", "SignatureOptions"): "scores alone have no trials",
    ("top", "report"): "a page has more room than a terminal",
    ("examples", "errors"): "a terminal has less room than a list",
}


def test_an_option_has_one_default_whatever_takes_it() -> None:
    """An option of two defaults would give two numbers one signature."""
    takers = {name: options_of_set(name) for name in OPTION_SETS}
    takers |= {task.name: dict(task.options) for task in COMMANDS.values()}
    other = {
        (name, taker)
        for taker, options in takers.items()
        for name, option in options.items()
        if option.default != OPTIONS[name].default
    }
    allowed = {pair for names, some in OTHER_DEFAULTS for pair in product(names.split(), some.split())}
    assert other <= allowed, "give the variant the default of the table, or an option of its own"


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_default_that_is_another_value_is_not_described_as_that_of_the_table(name: str) -> None:
    described_alike = [
        option.name
        for option in options_of_set(name).values()
        if option.default != OPTIONS[option.name].default
        and option.default_help == OPTIONS[option.name].default_help != ""
    ]
    assert described_alike == []


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_the_default_is_a_value_and_numbers_of_numpy_are_plain(option: Option) -> None:
    if option.default is not None:
        assert option.check(option.default) == option.default
    if isinstance(option.default, (int, float)) and not isinstance(option.default, bool):
        found = option.check(np.asarray(option.default)[()])
        assert (found, type(found)) == (option.default, type(option.default))


def test_an_error_survives_another_process() -> None:
    with pytest.raises(ValueError, match="confidence: expected") as caught:
        OPTIONS["confidence"].check(95)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert again.message.shown(Flags()).startswith("--confidence: expected a number between 0 and 1")
    assert caught.value.args == (str(caught.value),)


def test_a_field_of_the_page_says_yes_or_no_to_a_switch() -> None:
    assert [OPTIONS["documents"].parse(text) for text in ("yes", "no")] == [True, False]
    with pytest.raises(ValueError, match=r"^documents: expected yes or no, received 'true'\.$"):
        OPTIONS["documents"].parse("true")


FUNCTIONS = (
    "score", "score_by", "compare_errors", "tally", "compare", "per_utterance", "signature", "score_dataset",
    "analyse_errors", "as_compute_metrics",
)  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_and_docstring_name_the_same_arguments(name: str) -> None:
    function = getattr(segscores, name)
    parameters = inspect.signature(function).parameters
    assert not [each for each in parameters.values() if each.kind is inspect.Parameter.VAR_KEYWORD]
    arguments = (inspect.getdoc(function) or "").split("Args:")[1].split("\n\n")[0]
    described = ", ".join(re.findall(r"^    (\w[\w, ]*):", arguments, re.MULTILINE)).split(", ")
    assert sorted(described) == sorted(parameters)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: segscores.score(["a b"], ["ab"], "words"),
         r"^score\(references, predictions\) received 3 .* pass options by name\.$"),
        (lambda: segscores.compare(["a b"], ["ab"], ["a b"]),
         r"^compare\(references, systems\) received 3 .*predictions as one dict: systems="),
        (lambda: segscores.score(["a b"], text_format="words"),
         r"^score\(references, predictions\) received no predictions: pass all"),
        (lambda: segscores.score(["a b"], hypotheses=["ab"], text_format="words"),
         r"received no predictions, but hypotheses: pass"),
        (lambda: segscores.sweep(["a b"], [[0.5]], [0.5]), r"^sweep\(references, boundary_scores\) received 3 .* by name\.$"),
        (lambda: segscores.score_alignment([], [], source=[]), "^unknown option 'source'. Did you mean 'sources'"),
        (lambda: segscores.open_source("r.jsonl", "text"), r"^open_source\(path\) received 2 arguments without names: pass opt"),
        (lambda: segscores.load().compute(["a b"]), r"^compute\(\) received 1 argument without names: pass inputs and opt"),
    ],
)  # fmt: skip
def test_an_input_too_many_is_an_error_that_names_the_function(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("task", COMMANDS.values(), ids=lambda task: task.name)
def test_help_has_every_option_with_its_default(task: Task) -> None:
    text = " ".join(subcommand_parsers()[task.name].format_help().split())
    for option in task.options.values():
        assert Flags().name(option) in text
        if option.default_help:
            assert f"(default: {option.default_help})".replace("-", "") in text.replace("- ", "").replace("-", "")


#: The inputs of subcommands that have others than a reference and predictions.
POSITIONAL: dict[str, tuple[str, ...]] = {
    "sweep": ("reference", "scores"), "difficulty": ("reference",), "correlate": ("table",), "groups": ("names",),
    "cite": ("names",), "parity": ("texts",), "completion": ("shell",),
    "formats": (), "verify": ("record",), "conform": ("scorer",), "identify": ("reference", "prediction", "value"),
}  # fmt: skip


def values_of(kind: kinds.Kind) -> st.SearchStrategy[Any]:
    """Values of a kind, as a command line may have them."""
    texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=",:"), min_size=1, max_size=5)
    if isinstance(kind, kinds.Choice):
        return st.sampled_from(kind.choices)
    if isinstance(kind, kinds.Whole):
        return st.integers(int(kind.low), int(kind.high))
    if isinstance(kind, kinds.Number):
        most = min(kind.high, 1e9)
        return st.floats(kind.low, most, exclude_min=kind.is_open, exclude_max=kind.is_open)
    if isinstance(kind, kinds.OrWord):
        return st.just(kind.value) | values_of(kind.other)
    if isinstance(kind, kinds.Switch):
        return st.just(True)
    if isinstance(kind, kinds.PerSide) and kind.most == 1:
        return st.tuples(values_of(kind.item_kind))
    if isinstance(kind, kinds.PerSide):
        parts = st.lists(st.none() | values_of(kind.item_kind), min_size=1, max_size=2).filter(any)
        several = st.lists(values_of(kind.item_kind), min_size=3, max_size=4)
        return (parts if kind.most == 2 else parts.filter(lambda found: None not in found[1:]) | several).map(tuple)
    if isinstance(kind, kinds.ListOf):
        items = (
            values_of(kind.item_kind).filter(lambda item: str(item) == str(item).strip())
            if kind.separator
            else values_of(kind.item_kind)
        )
        return st.lists(items, min_size=1, max_size=3).map(tuple)
    if isinstance(kind, kinds.Text):
        names = st.builds(str.__add__, texts, st.sampled_from(kind.endings))
        words = st.just(file_kinds.JOINED) if isinstance(kind, file_kinds.FileOrWord) else st.nothing()
        return words | (names.map(file_kinds.File) if isinstance(kind, file_kinds.InputFile) else names)
    if isinstance(kind, Encoding):
        return st.sampled_from(["cp950", "euc_jp", "gb18030", "utf-16-le"])
    if isinstance(kind, kinds.Token):
        blanks = st.sampled_from(["  ", "\t"]) if isinstance(kind, kinds.BoundaryToken) else st.nothing()
        return blanks | texts.filter(lambda text: text.split() == [text])
    if isinstance(kind, file_kinds.Words):
        return texts.map(file_kinds.File)
    if isinstance(kind, class_kinds.ClassesOrWords):
        names = sorted(class_kinds.WORD_CLASSES)
        return st.just((*names,)) | st.sets(st.sampled_from(names), min_size=1).map(lambda some: tuple(sorted(some)))
    if isinstance(kind, class_kinds.ClassNames):
        return st.lists(st.sampled_from(["B", "I-X", "0"]), min_size=1, max_size=3).map(tuple)
    if isinstance(kind, file_kinds.Ids):
        words = {word: st.just("") for word in kind.words}
        rules = {**words, "column": texts, "every": st.integers(1, 10**9).map(str)}
        files = texts.map(file_kinds.File).filter(lambda file: file not in words)
        return st.one_of(files, *(st.builds(file_kinds.IdRule, st.just(form), given) for form, given in rules.items()))
    return texts


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
@given(data=st.data())
def test_an_option_reads_what_it_writes(option: Option, data: Any) -> None:
    value = data.draw(values_of(option.kind))
    parts = [option.parse(text) for text in option.kind.write(value)]
    found = tuple(chain.from_iterable(parts)) if option.kind.is_repeatable else parts[0]
    assert found == value
    assert isinstance(found, file_kinds.File) == isinstance(value, file_kinds.File)


@st.composite
def requests(draw: Any) -> Request:
    """Requests whose options go together: what an option needs is given too."""
    task = COMMANDS[draw(st.sampled_from(list(COMMANDS)))]
    required = [name for name, option in task.options.items() if option.is_required]
    one = {draw(st.sampled_from(task.one_of))} if task.one_of else set()
    names = {
        *required,
        *one,
        *draw(st.lists(st.sampled_from(list(task.options) or [None]), max_size=6 * bool(task.options))),
    }
    others = {*task.one_of} - one
    names = {name for name in names - others if not ((need := task.options[name].need) and need.other in others)}
    needs: list[Need] = []
    for _ in range(2):  # what an option needs may need another
        needs = [need for name in names if (need := task.options[name].need) and need.other in task.options]
        names |= {need.other for need in needs}
    names = {name for name in names if names.isdisjoint(task.options[name].excludes)}
    given = {name: draw(values_of(option.kind)) for name, option in task.options.items() if name in names}
    for need in needs:
        given[need.other] = need.add if need.is_exact or given[need.other] is None else given[need.other]
    if given.get("format") in ("csv", "json"):
        given = {name: value for name, value in given.items() if name not in ("percent", "systems")}
    path = st.text("abc- =é'\"", min_size=1, max_size=5)
    some = st.lists(path, min_size=1, max_size=2)
    inputs = POSITIONAL.get(task.name, ("reference", "predictions"))
    return Request(
        task, {name: draw(some if name in ("predictions", "names", "texts") else path) for name in inputs}, given
    )


@given(requests())
def test_a_command_line_asks_for_what_the_request_asks(request_: Request) -> None:
    words = shlex.split(command_line(request_))
    assert words[0] == "segscores"
    read = command_parser().parse_args(words[1:])
    assert read.explicit == request_.values
    assert read.task is request_.task
    for name, expected in request_.inputs.items():
        found, paths = getattr(read, name), expected if isinstance(expected, list) else [expected]
        assert [each.removeprefix("./") for each in (found if isinstance(found, list) else [found])] == [
            path.removeprefix("./") for path in paths
        ]


def test_what_begins_with_a_hyphen_is_no_flag_and_a_hyphen_is_standard_input() -> None:
    sweep = Request(COMMANDS["sweep"], {"reference": "-r", "scores": "-"}, {"thresholds": "-1,0"})
    assert command_line(sweep) == "segscores sweep ./-r - --thresholds=-1,0"
    assert command_parser().parse_args(command_line(sweep).split()[1:]).explicit == sweep.values


@given(st.data())
def test_python_code_asks_for_what_the_request_asks(data: Any) -> None:
    classes = [each for name, each in vars(keywords).items() if name.endswith("Options")]
    options = options_in(data.draw(st.sampled_from(classes)))
    plain = [
        name for name, option in options.items() if not isinstance(option.kind, (file_kinds.Words, file_kinds.Ids))
    ]
    names = data.draw(st.lists(st.sampled_from(plain), unique=True))
    given_ = {name: data.draw(values_of(options[name].kind)) for name in names}
    code = python_call("score", {"references": "[1]", "predictions": "[2]"}, given_)

    class Recorder:
        @staticmethod
        def score(**arguments: Any) -> dict[str, Any]:
            return arguments

    found = eval(code, {"segscores": Recorder})
    assert (found.pop("references"), found.pop("predictions")) == ([1], [2])
    assert {name: options[name].check(value) for name, value in found.items()} == given_


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_screen_and_names_every_option_and_help_all_describes_it(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rare = {flag_of(option) for option in COMMANDS[name].options.values() if option.is_rare}
    shown = {}
    for flag in ["--help", *(["--help-all"] if rare else [])]:
        with pytest.raises(SystemExit, match="0"):
            command_parser().parse_args([name, flag])
        shown[flag] = capsys.readouterr().out
    assert shown["--help"].count("\n") <= 110
    described = {
        flag: set(re.findall(r"^ +(?:-\w[^,]*, )?(--[\w-]+)(?: |$)", out.partition("\nmore options")[0], re.MULTILINE))
        for flag, out in shown.items()
    }
    for flag in map(flag_of, COMMANDS[name].options.values()):
        assert flag in described["--help-all" if flag in rare else "--help"]
        assert flag in shown["--help"]  # and no line ends within it
    assert not rare & described["--help"]


#: By scores, the options that the user gives beside them, and the options that matter: those that are implied.
IMPLIED: list[tuple[str, dict[str, Any], Any, dict[str, Any]]] = [
    ("segeval", {}, None, {"window_convention": "segeval", "transposition_span": 2}),
    ("segeval", {}, ("transposition_span", "seed"), {"transposition_span": 2}),
    ("segeval", {}, (), {}),
    ("sigmorphon", {}, None, {"text_format": "sigmorphon"}),
    ("sigmorphon", {"prediction_format": "words"}, None, {}),
]


@pytest.mark.parametrize(("scores", "given_options", "names", "implied"), IMPLIED)
def test_selections_imply_options_of_those_that_matter(
    scores: str, given_options: dict[str, Any], names: Any, implied: dict[str, Any]
) -> None:
    values = {"scores": scores, **given_options}
    assert with_implied(values, names) == values | implied


@pytest.mark.parametrize(
    "option", [option for option in OPTIONS.values() if option.refused_by], ids=lambda option: option.name
)
def test_the_scores_that_refuse_an_option_are_those_with_which_it_is_an_error(option: Option) -> None:
    refusing = set()
    for name in [*GROUPS, *chain.from_iterable(group.keys for group in GROUPS.values()), *SELECTIONS, "all"]:
        try:
            Plan.of(scores=name, text_format="words")
        except ValueError:
            continue  # it needs another option, or another format
        try:
            Plan.of(scores=name, text_format="words", **{option.name: "strip"})
        except ValueError:
            refusing.add(name)
    assert refusing == set(option.refused_by)
