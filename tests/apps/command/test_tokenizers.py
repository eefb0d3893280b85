"""Tokenizers on the command line: the same numbers as in Python."""

import json
import os
import re
from pathlib import Path

import pytest

import segscores

from ...command_runs import write_files
from ...trained_tokenizers import TEXTS, byte_level, sentence_piece

FILES = {"text.txt": "the dog\nthe cat\n"}


def test_a_model_of_sentencepiece_and_a_space_before_words(run) -> None:
    write_files({"text.txt": TEXTS, "small.model": sentence_piece().serialized_model_proto()})
    byte_level().save("tokenizer.json")
    # Text beside tokenizers is read as it is.
    line = (
        "score text.txt small.model tokenizer.json same=./text.txt --text-format words --scores subword --format json"
    )
    for space, flag in ((False, ""), (True, " --space")):
        result = json.loads(run(line + flag)[1])
        *of_tokenizers, same = result["predictions"]
        assert same["scores"] == segscores.score(list(TEXTS), list(TEXTS), text_format="words", scores="subword")
        for tokenizer, system in zip((sentence_piece(), byte_level()), of_tokenizers, strict=True):
            prediction = segscores.tokenized(tokenizer, space=space)
            expected = segscores.score(list(TEXTS), prediction, text_format="words", scores="subword")
            assert system["scores"] == pytest.approx(expected)
        assert ("|space:yes|" in result["signature"]) is space


@pytest.mark.parametrize("text", ["joined", "raw.txt"])
def test_a_tokenizer_reads_chinese_without_the_spaces_between_words(run, text) -> None:
    lines = ["我们 在 上海 学习", "他们　在 北京"]
    texts = ["我们在上海学习", "他们在北京"]
    write_files({"words.txt": lines, "raw.txt": texts})
    tokenizer = byte_level(texts * 9, size=290)
    tokenizer.save("tokenizer.json")
    line = "score words.txt tokenizer.json --scores subword,boundary_noedge --format json"
    _, output, problem = run(f"{line} --text {text}")
    expected = segscores.score(
        [line.split() for line in lines], segscores.tokenized(tokenizer, texts), scores=["subword", "boundary_noedge"]
    )
    assert json.loads(output)["predictions"][0]["scores"] == expected
    assert "reads the spaces" not in problem
    assert "--text joined" in run(line)[2]
    assert "no prediction is one" in run(f"score words.txt words.txt --text {text}")[2]


def test_a_tokenizer_of_any_name_or_in_a_folder_reads_the_whole_text(run, folder) -> None:
    texts, tokenizer = ["the dog is", "on the boat"], byte_level()
    expected = segscores.score(texts, tokenizer, text_format="words", scores="subword")
    write_files({"text.txt": texts})
    Path("saved").mkdir()
    tokenizer.save("indented.json")
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding()
    tokenizer.save("saved/tokenizer.json", pretty=False)
    _, output, problem = run("score text.txt indented.json saved --text-format words --scores subword --format json")
    assert [system["scores"] for system in json.loads(output)["predictions"]] == [expected] * 2, problem
    assert segscores.score(folder / "text.txt", folder / "saved", text_format="words", scores="subword") == expected


@pytest.mark.parametrize("task", ["compare", "errors", "curve", "report"])
def test_other_subcommands_take_tokenizers(run, task) -> None:
    texts, tokenizers = ["the dog", "is on", "the boat"], {size: byte_level(size=256 + 9 * int(size)) for size in "23"}
    write_files({"text.txt": texts})
    for name, tokenizer in tokenizers.items():
        Path(name).mkdir()
        tokenizer.save(f"{name}/tokenizer.json")
    sides = "2=2/tokenizer.json 3=3/tokenizer.json" if task in ("compare", "curve") else "2/tokenizer.json"
    options = {"compare": "--scores tokenizer --format json", "report": "-o page.html"}.get(task, "")
    status, output, problem = run(f"{task} text.txt {sides} --text-format words {options}")
    assert status == 0, problem
    if task == "compare":
        expected = segscores.compare(texts, tokenizers, text_format="words", scores="tokenizer")
        assert json.loads(output)["systems"] == json.loads(expected.to_json())["systems"]


def unfit(**parts: object) -> str:
    """A tokenizer without its unknown token."""
    model = {"type": "WordLevel", "vocab": {"the": 0, "dog": 1}, "unk_token": "[UNK]"}
    common = {"version": "1.0", "truncation": None, "pre_tokenizer": {"type": "Whitespace"}, "model": model}
    return json.dumps(common | parts)


#: The last two make the library panic: where it opens them, and where they read text.
UNFIT = {
    "unknown/tokenizer.json": unfit(),
    "closed/tokenizer.json": unfit(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
    "panics/tokenizer.json": unfit(normalizer={"type": "Precompiled", "precompiled_charsmap": "CAAAAP////8AAAAA"}),
}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("tokenizer.json text.txt", "tokenizer.json: a tokenizer is no reference: name the text or the gold words"),
        ("text.txt none/tokenizer.json", "none/tokenizer.json: there is no such file"),
        ("text.txt bad.tokenizer.json", "bad.tokenizer.json: this is no tokenizer: "),
        ("text.txt bad.model", "bad.model: this is no tokenizer: "),
        ("text.txt random.json", "random.json: the tokenizer has dropout 0.5.*set its model.dropout = None, and save"),
        ("text.txt '*.tokenizer.json'", "2 tokenizers match this pattern; expected one: name each of them"),
        ("text.txt '[bt]*[lt]'", r"2 files match .*bad.model is a tokenizer; .*: name bad.model, or the other files"),
        ("text.txt tokenizer.json --text-format units", "--text-format units: .*did you mean --text-format words"),
        ("text.txt tokenizer.json --subword-marks strip", "--subword-marks strip: a tokenizer.*leave it out"),
        ("text.txt text.txt --space", "--space: it is for tokenizers"),
        ("text.txt unknown/tokenizer.json", r"text.txt, line 2: the tokenizer can't read the text: .*\[UNK\]"),
        ("text.txt closed/tokenizer.json", "closed/tokenizer.json: this is no tokenizer: .*precompiled_charsmap"),
        ("text.txt panics/tokenizer.json", "text.txt, line 1: the tokenizer can't read the text: "),
        ("text.txt panics/tokenizer.json --on-error skip", "none of the 2 utterances can be scored.*line 1: the tok"),
    ],
)  # fmt: skip
def test_a_tokenizer_that_cannot_be_used_is_named(run, line, problem) -> None:
    write_files(UNFIT | dict.fromkeys(("bad.tokenizer.json", "other.tokenizer.json", "bad.model"), "{}\n"))
    tokenizer = byte_level()
    tokenizer.save("tokenizer.json")
    tokenizer.model.dropout = 0.5
    tokenizer.save("random.json")
    status, output, said = run(f"score {line}")
    assert (status, output, "Traceback" in said) == (2, "", False)
    assert re.search(problem, said), said


def test_utterances_that_a_tokenizer_cannot_read_are_left_out(run) -> None:
    write_files(UNFIT)
    status, output, problem = run("score text.txt unknown --scores subword --on-error skip --format json")
    (system,) = json.loads(output)["predictions"]
    assert (status, system["counts"]) == (0, {"skipped_utterances": 1, "left_out": 1})
    assert "text.txt, line 2" in problem


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="the test needs a device without end")
@pytest.mark.parametrize("name", ["endless.model", "endless.tokenizer.json", "endless.conllu"])
def test_a_device_without_end_is_not_read(run, name: str) -> None:
    Path(name).symlink_to("/dev/zero")
    status, output, problem = run(f"score text.txt {name}")
    assert (status, output) == (2, "")
    assert f"{name}: this is a device, which may have no end" in problem
