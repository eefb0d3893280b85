"""Requests of `same.py` that call public functions."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from same_forms import DOCUMENTS, FORMS, LISTS, OF_DOCUMENTS, STRINGS, TIMES, Form, Options, special
from same_inputs import (
    DAMAGED,
    READING,
    RECORDINGS,
    RENDERINGS,
    Inputs,
    Request,
    add_options,
    add_reading,
    add_resampling,
    add_scores,
    as_file,
    as_kinds,
    change_units,
    damage_data,
    damage_items,
    damage_options,
    draw_bisegments,
    draw_form,
    draw_ids,
    draw_inputs,
    drop_conflicts,
    has_tokens,
)


@dataclass
class Draft:
    """A request in Python that is being drawn: its sides as they are passed, and their options.

    Attributes:
        request: the request.
        inputs: the sides as they were drawn.
        sides: the sides as they are passed: the reference first.
        options: options of reading.
        damaged: whether options are still to be damaged.
    """

    request: Request
    inputs: Inputs
    sides: list[Any]
    options: Options
    damaged: bool

    def call(self, source: random.Random, function: str, *arguments: Any, **options: Any) -> None:
        """Call a function with the options of reading and others, one of which may be damaged."""
        values = self.options | options
        if self.damaged:
            damage_options(source, values)
        self.request.call(function, *arguments, form=source.choice(RENDERINGS), **values)


def draw_draft(
    source: random.Random, kind: str, form: Form, sides: int = 2, counts: Sequence[int] = (1, 2, 4, 8)
) -> Draft:
    """Draw the sides of a request in Python, as lists or as files."""
    request = Request(kind)
    inputs = draw_inputs(source, form, sides, counts)
    names = [name for name, each in (FORMS | LISTS | {"times": TIMES}).items() if each is form]
    request.reached |= {f"form {name}" for name in names} | {f"format {form.text_format or 'labels'}"}
    written = inputs.written()
    options = dict(inputs.options)
    # The damaged part, if there is one; of inputs, the side with this number.
    damage = source.choice(["input", "options"]) if source.random() < DAMAGED else ""
    at = source.randrange(len(written))
    if damage == "" and source.random() < 0.12 and form is not TIMES and written[1]:
        # Units that differ are no error for who skips or aligns.
        row = source.randrange(len(written[1]))
        written[1][row] = change_units(source, written[1][row])
        options["on_mismatch"] = source.choice(["skip", "align"])
    passed: list[Any]
    if form.suffix and (not form.end or source.random() < 0.15):
        passed = []
        for place, items in enumerate(written):
            is_damaged = damage == "input" and place == at
            name = as_file(
                source, request, "rpqs"[place] if place < 4 else f"p{place}", form, items, damaged=is_damaged
            )
            passed.append(special("path", name))
        if damage == "input" and source.random() < 0.1:
            passed[at] = special("path", "missing.txt")
    else:
        if damage == "input":
            written[at] = damage_items(source, written[at])
        passed = [as_kinds(source, items, form) for items in written]
    add_reading(source, options, form)
    drop_conflicts(source, options, form)
    return Draft(request, inputs, passed, options, damage == "options")


def any_form(source: random.Random) -> Form:
    """Draw any form of utterances, or recordings."""
    return TIMES if source.random() < 0.1 else draw_form(source, FORMS, LISTS)


def request_score(source: random.Random) -> Request:
    """Scores, the signature, and the tally as it is stored."""
    form = any_form(source)
    draft = draw_draft(source, "score", form, counts=(1, 2, 4, 8, 15))
    add_scores(source, draft.options, form)
    sums = dict(draft.options)
    if "windows" in str(sums.get("scores")) or sums.get("scores") in ("all", "nltk", "segeval", "pk"):
        sums.setdefault("window_size", 2)
    add_resampling(source, draft.options, form, draft.inputs.count)
    if draft.damaged:
        damage_options(source, draft.options)
        draft.damaged = False
    draft.request.call("score", *draft.sides, **draft.options)
    if source.random() < 0.5:
        draft.request.call("signature", draft.sides[0], **draft.options)
    if source.random() < 0.5:
        draft.request.call("tally", *draft.sides, **sums)
    return draft.request


def request_mixed(source: random.Random) -> Request:
    """Scores of two sides with different formats, of a tokenizer, or with masked labels."""
    way = source.choice(["formats", "formats", "tokenizer", "masked"])
    request = Request("mixed")
    if way == "masked":
        inputs = draw_inputs(source, LISTS["start"])
        mask = source.choice([-100, 9])
        sides = [
            [[mask, *labels, mask] for labels in inputs.written()[0]],
            [[0, *labels, 0] for labels in inputs.written()[1]],
        ]
        request.call("score", *sides, label_scheme="start", ignore_index=mask)
        return request
    if way == "tokenizer":
        inputs = draw_inputs(source, source.choice([FORMS["words"], LISTS["lists"]]))
        options = {
            "scores": source.choice(["tokenizer", "subword", "token", ["token_use", "toklens"]]),
            **inputs.options,
        }
        if "token_use" in options["scores"]:
            options["vocabulary_size"] = source.choice([50, 0])
        request.call("score", inputs.written()[0], special("tokenized", source.choice([1, 2, 5])), **options)
        request.reached |= {"function tokenized"}
        return request
    forms = [source.choice([name for name in STRINGS if "markup" not in name]) for _ in range(2)]
    inputs = draw_inputs(source, FORMS["words"])
    options = {}
    for side, name in zip(("reference_format", "prediction_format"), forms, strict=True):
        options[side] = FORMS[name].text_format
        options |= FORMS[name].options
        request.reached.add(f"format {FORMS[name].text_format}")
    add_scores(source, options, FORMS["words"])
    sides = [FORMS[name].write(side) for name, side in zip(forms, inputs.corpora, strict=True)]
    request.call("score", *sides, **options)
    return request


def request_documents(source: random.Random) -> Request:
    """Scores of documents, as strings or files."""
    name = source.choice(DOCUMENTS)
    form = FORMS[name]
    request = Request("documents", reached={f"format {form.text_format}"})
    inputs = draw_inputs(source, form, counts=(4, 8, 12))
    options = {**inputs.options, "documents": True}
    sides = []
    for items in inputs.written():
        lines = [item for item in items if item]
        size = source.choice([2, 3, len(lines)])
        joint = "" if name == "conllu" else "\n"
        sides.append([joint.join(lines[start : start + size]) for start in range(0, len(lines), size)])
    if source.random() < 0.8:
        # The last document takes all of what the shorter side lacks.
        least = min(len(side) for side in sides)
        joint = "" if name == "conllu" else "\n"
        sides = [[joint.join(side)] for side in sides] if least != max(len(side) for side in sides) else sides
    if source.random() < 0.3:
        options["whole_files"] = True
    way = source.random()
    if way < 0.4:
        options["scores"] = sorted(set(source.choices(OF_DOCUMENTS, k=3)))
    elif way < 0.6:
        options["scores"] = source.choice(["all", "ud", "sentence", "syntactic_word"])
    if name == "conllu" and source.random() < 0.3:
        options["scores"] = ["tagged_token", "token"]
        options["tags"] = source.choice(["upos", "xpos"])
    if source.random() < DAMAGED:
        damage_options(source, options)
    request.call("score", *sides, **options)
    return request


def request_recordings(source: random.Random) -> Request:
    """Scores of files of recordings."""
    request = Request("recordings", reached={"format times"})
    inputs = draw_inputs(source, TIMES, counts=(1,))
    rows = [[row for recording in side for row in recording["value"]] for side in inputs.written()]
    sides: list[Any] = []
    for name, each in zip("rp", rows, strict=True):
        suffix = source.choice(list(RECORDINGS))
        data = RECORDINGS[suffix](each).encode()
        if source.random() < DAMAGED / 2:
            data = damage_data(source, data)
        sides.append(special("path", request.write(f"{name}{suffix}", data)))
        request.reached.add(f"recording {suffix}")
    options: Options = {"text_format": "times"}
    add_scores(source, options, TIMES)
    add_options(source, options, TIMES, {name: READING[name] for name in ("tier", "silence", "sample_rate")}, 2)
    if source.random() < DAMAGED / 2:
        damage_options(source, options)
    request.call("score", *sides, **options)
    return request


def request_compare(source: random.Random) -> Request:
    """A comparison of systems."""
    form = any_form(source)
    draft = draw_draft(source, "compare", form, source.choice([3, 3, 4]), (2, 5, 9))
    draft.options.pop("ignore_index", None)
    add_scores(source, draft.options, form)
    if draft.options.get("scores") == "all":
        draft.options["scores"] = ["token", "boundary_noedge"]
    add_resampling(source, draft.options, form, draft.inputs.count)
    if draft.options.get("average") == "macro":
        draft.options.pop("average")
    options: Options = {"n_trials": source.choice([10, 50])}
    choices: dict[str, list[Any]] = {"baseline": ["a", "b", "b", "a", "c"], "margin": [0.005, 0.5, 0.05, 0.1, -1]}
    if has_tokens(draft.options):
        choices["primary"] = ["token_fscore", "token_recall", "token_precision", "token"]
    for name, values in choices.items():
        if source.random() < 0.25:
            options[name] = source.choice(values)
    systems = dict(zip("abc", draft.sides[1:], strict=False))
    if source.random() < 0.1:
        systems["runs"] = special("runs", draft.sides[1:3])
        draft.request.reached.add("function runs")
    draft.call(source, "compare", draft.sides[0], systems, **options)
    return draft.request


def request_errors(source: random.Random) -> Request:
    """An analysis of errors, a comparison of errors, or differences."""
    form = draw_form(source, FORMS, LISTS)
    way = source.choice(["analyse_errors", "analyse_errors", "compare_errors", "differences"])
    draft = draw_draft(source, "errors", form, 3 if way == "compare_errors" else 2)
    if draft.options.get("on_mismatch") == "align":
        draft.options["on_mismatch"] = "skip"
    if way == "differences":
        draft.options.pop("on_mismatch", None)
        draft.call(source, way, *draft.sides)
        return draft.request
    options: Options = {}
    if source.random() < 0.3 and form.has_words:
        options["vocabulary"] = ["a", "ab"]
    if way == "compare_errors":
        draft.call(source, way, draft.sides[0], dict(zip("ab", draft.sides[1:], strict=True)), **options)
        return draft.request
    for name in ("examples", "context"):
        if source.random() < 0.3:
            options[name] = source.choice([0, 1, 1, 2, 5, -1])
    draft.call(source, way, *draft.sides, **options)
    return draft.request


def request_utterances(source: random.Random) -> Request:
    """Scores of each utterance, or of subsets."""
    form = any_form(source)
    draft = draw_draft(source, "utterances", form)
    add_scores(source, draft.options, form)
    if source.random() < 0.5:
        options: Options = {}
        if source.random() < 0.3 and has_tokens(draft.options):
            options["worst"] = source.choice(["token_fscore", "token_recall", "pk"])
        if source.random() < 0.3 and "worst" in options:
            options["first"] = source.choice([0, 1, 3])
        draft.call(source, "per_utterance", *draft.sides, **options)
        return draft.request
    add_resampling(source, draft.options, form, draft.inputs.count)
    by: Any = source.choices([draw_ids(source, draft.inputs.count), "length", ["x"]], [12, 6, 1])[0]
    if form is FORMS["sigmorphon"] and all(draft.inputs.corpora[0]):
        by = "category"
    draft.call(source, "score_by", *draft.sides, by)
    return draft.request


def request_baselines(source: random.Random) -> Request:
    """Baselines."""
    form = draw_form(source, FORMS, LISTS)
    draft = draw_draft(source, "baselines", form, 4, (2, 4))
    draft.options.pop("on_mismatch", None)
    draft.options["scores"] = source.choice(["token", "boundary_noedge", ["token", "exact"]])
    options: Options = {"second_reference": draft.sides[2]} if source.random() < 0.4 else {}
    draft.call(source, "baselines", draft.sides[0], draft.sides[1], **options)
    return draft.request


def request_identify(source: random.Random) -> Request:
    """Definitions that give a number."""
    draft = draw_draft(source, "identify", draw_form(source, STRINGS), counts=(2,))
    draft.options["scores"] = source.choice(["token", "pk", ["boundary_noedge"]])
    value = source.choice(["0.5", "0.667", "33.3%", "1.0", "0.4", "x", 0.25])
    draft.call(source, "identify", *draft.sides, value, top=source.choice([1, 3]))
    return draft.request


def request_alternatives(source: random.Random) -> Request:
    """Scores against several references."""
    draft = draw_draft(source, "alternatives", draw_form(source, FORMS, LISTS), 4)
    add_scores(source, draft.options, draft.inputs.form)
    options: Options = (
        {"primary": source.choice(["token_fscore", "token_recall", "pk"])} if has_tokens(draft.options) else {}
    )
    draft.call(source, "score_alternatives", [draft.sides[0], *draft.sides[2:]], draft.sides[1], **options)
    return draft.request


def request_difficulty(source: random.Random) -> Request:
    """Difficulties by a committee, and scores with difficulties."""
    form = draw_form(source, FORMS, LISTS)
    draft = draw_draft(source, "difficulty", form, 4)
    draft.options.pop("on_mismatch", None)
    if source.random() < 0.4:
        draft.call(source, "rate_difficulty", draft.sides[0], draft.sides[2:])
        return draft.request
    difficulties = [[source.choice([0.0, 0.1, 0.5, 0.95, 1.0]) for _ in words] for words in draft.inputs.corpora[0]]
    if source.random() < 0.1:
        difficulties[-1] = source.choice([[], [2.0], [0.5] * 9])
    function = source.choice(["score_difficulty", "recovered_by_decile"])
    options: Options = {"zero_division": source.choice([0, 1, 0.5])} if source.random() < 0.3 else {}
    draft.call(source, function, *draft.sides[:2], difficulties, **options)
    return draft.request


def request_agreement(source: random.Random) -> Request:
    """Agreement of annotators, or constituents."""
    names = ["words", "units", "units with other tokens", "separated", "syllables"]
    form = draw_form(source, {name: FORMS[name] for name in names}, LISTS)
    draft = draw_draft(source, "agreement", form, source.choice([3, 4]))
    read = ("text_format", "word_boundary", "ignored_tokens", "label_scheme")
    draft.options = {name: value for name, value in draft.options.items() if name in read}
    options: Options = {"zero_division": source.choice([0, 1, 0.5])} if source.random() < 0.3 else {}
    if source.random() < 0.4:
        # Words are made of whole morphemes, if each unit is one.
        morphemes = [[(unit,) for word in words for unit in word] for words in draft.inputs.corpora[0]]
        draft.sides[1] = form.write(source.choice([morphemes, morphemes, morphemes, draft.inputs.corpora[1]]))
        draft.call(source, "score_constituents", *draft.sides[:3], **options)
        return draft.request
    choices: dict[str, list[Any]] = {
        "similarity": ["boundary_similarity", "segmentation_similarity", "segmentation_similarity", "other"],
        "expected": ["pooled", "mean"],
        "transposition_span": [1, 3, 2, 0],
    }
    for name, values in choices.items():
        if source.random() < 0.3:
            options[name] = source.choice(values)
    draft.call(source, "score_agreement", draft.sides, **options)
    return draft.request


def request_alignment(source: random.Random) -> Request:
    """Scores of alignments of two texts."""
    request = Request("alignment")
    count = source.choice([1, 2, 3])
    sides = [[draw_bisegments(source) for _ in range(count)] for _ in range(2)]
    options: Options = {}
    levels = ["alignment", "sentence", "strict", "lax"]
    if source.random() < 0.4:
        options |= {name: [["a b", "c", "d e"]] * count for name in ("sources", "targets")}
        levels += ["word", "character"]
    if source.random() < 0.5:
        options["scores"] = source.choice([*levels, *levels, source.sample(levels, 2), "words"])
    if source.random() < 0.3:
        options["zero_division"] = source.choice([0, 1, 0.5, 3])
    if source.random() < DAMAGED:
        sides[1] = damage_items(source, sides[1])
    request.call("score_alignment", *sides, **options)
    return request


def request_thresholds(source: random.Random) -> Request:
    """Boundary scores at thresholds."""
    form = draw_form(source, {name: FORMS[name] for name in ("words", "units")}, LISTS)
    draft = draw_draft(source, "thresholds", form)
    read = ("text_format", "word_boundary", "ignored_tokens")
    is_labelled = "label_scheme" in draft.options
    draft.options = {name: value for name, value in draft.options.items() if name in read}
    sizes = [sum(map(len, words)) for words in draft.inputs.corpora[0]]
    by_unit = source.random() < 0.3
    values = [0.0, 0.25, 0.5, 0.9, 1.0]
    scores = [[source.choice(values) for _ in range(size if by_unit else max(0, size - 1))] for size in sizes]
    if source.random() < 0.1:
        scores[-1] = source.choice([[], [float("nan")], [0.1] * 30])
    options: Options = {"label_scheme": "end"} if by_unit else {}
    if source.random() < 0.4:
        point = {source.choice(["threshold", "ratio"]): source.choice([0.5, 0.2, 1, 2])}
        draft.call(source, "segment_at", draft.sides[0], scores, **options, **point)
        return draft.request
    if is_labelled:
        options["reference_label_scheme"] = draft.inputs.form.options["label_scheme"]
    if source.random() < 0.4:
        options[source.choice(["thresholds", "ratios"])] = source.choice([[0.2, 0.5], [0.0, 1.0], [0.5], [3.0]])
        if source.random() < 0.4 and form.has_words:
            options["types"] = True
    draft.call(source, "sweep", draft.sides[0], scores, **options)
    return draft.request


def request_correlate(source: random.Random) -> Request:
    """Correlations with a criterion."""
    request = Request("correlate")
    size = source.choice([2, 4, 5, 9, 12])
    columns = {name: [source.randrange(10) / 10 for _ in range(size)] for name in "abc"}
    options: Options = {}
    if source.random() < 0.4:
        options["against"] = source.choice(["a", "b", "c", "x"])
    if source.random() < 0.4:
        options["confidence"] = source.choice([0.9, 0.5, 0.99, 2])
    request.call("correlate", columns, [source.randrange(9) for _ in range(size)], form="table", **options)
    return request


def request_tables(source: random.Random) -> Request:
    """Scores of a data set, or of a column of a file."""
    form = source.choice([STRINGS["words"], STRINGS["units"], STRINGS["separated"], LISTS["lists"], LISTS["start"]])
    inputs = draw_inputs(source, form)
    request = Request("tables")
    options = dict(inputs.options)
    add_scores(source, options, form)
    sides = inputs.written()
    if source.random() < 0.3:
        sides[1][0] = change_units(source, sides[1][0])
    names = source.choice([["reference", "prediction"], ["gold", "system"]])
    rows = {**dict(zip(names, sides, strict=True)), "speaker": draw_ids(source, inputs.count)}
    if form.suffix and source.random() < 0.3:
        lines = [json.dumps(dict(zip(rows, row, strict=True)), ensure_ascii=False) + "\n"
                 for row in zip(*rows.values(), strict=True)]  # fmt: skip
        name = request.write("table.jsonl", "".join(lines))
        request.call("score", *(special("source", [name, column]) for column in names), **options)
        request.reached.add("function open_source")
        return request
    if names[0] == "gold":
        options |= {"reference_column": "gold", "prediction_column": "system"}
    if source.random() < 0.4:
        options["on_error"] = source.choice(["skip", "skip", "skip", "error", "drop"])
    if source.random() < 0.3:
        options["batch_size"] = source.choice([1, 2, 100, 10, 0])
    if source.random() < 0.2:
        options |= {"clusters": "speaker", "confidence": 0.9}
    request.call("score_dataset", special("table", rows), **options)
    return request


def request_stored(source: random.Random) -> Request:
    """Tallies that are stored, read and added."""
    form = draw_form(source, STRINGS, LISTS)
    request = Request("stored")
    inputs = [draw_inputs(source, form) for _ in range(2)]
    options = dict(inputs[0].options)
    add_scores(source, options, form)
    if "windows" in str(options.get("scores")) or options.get("scores") in ("all", "nltk", "segeval", "pk"):
        options.setdefault("window_size", 2)
    if source.random() < DAMAGED:
        damage_options(source, options)
    request.call("add_tallies", [each.written() for each in inputs], **options)
    return request


def request_trainer(source: random.Random) -> Request:
    """Scores of the arrays of a Trainer."""
    request = Request("trainer")
    count = source.choice([1, 2, 5])
    length = source.choice([2, 6])
    labels = [[source.choice([0, 1, 1, -100]) for _ in range(length)] for _ in range(count)]
    logits = [[source.choice([[0.0, 1.0], [1.0, 0.0]]) for _ in range(length)] for _ in range(count)]
    options: Options = {"id2label": source.choice([["B", "I"], ["B", "I"], ["I", "B"], ["b", "i"], {"0": "X"}])}
    scores = ["token", "exact", ["token", "boundary_noedge"], "windows", "agreement", "rates", "boundary_all"]
    options["scores"] = source.choice([*scores, "type", "tokn"])
    if source.random() < 0.3:
        options["confidence"] = 0.9
    if source.random() < 0.2:
        options = {"label_scheme": source.choice(["start", "end"]), "scores": options["scores"]}
    if source.random() < 0.2:
        options["average"] = source.choice(["micro", "macro", "macro", "cluster"])
    if source.random() < 0.2:
        options["ignore_index"] = source.choice([-100, -1])
    request.call("train", special("array", logits), special("array", labels), **options)
    request.reached.add("function as_compute_metrics")
    request.call("preprocess_logits_for_metrics", special("array", logits))
    return request


def request_metric(source: random.Random) -> Request:
    """Scores by the metric of Hugging Face evaluate."""
    request = Request("metric", reached={"function load"})
    form = source.choice([FORMS["words"], FORMS["units"], LISTS["lists"], LISTS["start"]])
    inputs = draw_inputs(source, form, counts=(2, 4))
    options = dict(inputs.options)
    add_scores(source, options, form)
    for name in ("vocabulary", "ignore_words"):
        options.pop(name, None)
    if source.random() < DAMAGED:
        damage_options(source, options)
    written = inputs.written()
    request.call("load_and_compute", None, {"references": written[0], "predictions": written[1]}, **options)
    return request
