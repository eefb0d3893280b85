"""A doubt is said where a number is likely not what a person means, and never where the text is ordinary."""

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import segscores

from .corpora import FORMS, random_corpus_pair

WORDS = {"text_format": "words"}
CHINESE = ["我们 在 上海 学习 自然 语言 处理", "他们 在 北京 工作"]
THAI = ["ผม ไม่ ชอบ กิน ผัก ครับ", "เขา ไป โรงเรียน"]
TOKENISED = ["the dog barks .", "a cat is here .", "no one saw him .", "it is so ."]


def characters(texts: list[str]) -> list[list[tuple[int, int]]]:
    """A tokenizer whose tokens are the characters."""
    return [[(at, at + 1) for at in range(len(text))] for text in texts]


class Sides(NamedTuple):
    """References, and predictions or a tokenizer."""

    references: Sequence[str]
    predictions: Any


def joined(*texts: str) -> Sides:
    """Sides of which the predictions join `the dog`."""
    return Sides([*texts], [text.replace("the dog", "thedog") for text in texts])


def same(*utterances: Any) -> Sides:
    """Sides that are the same."""
    return Sides([*utterances], [*utterances])


DOUBTFUL = {
    "two spaces between words of phones": (
        Sides(["d uː  j uː", "k æ t  s ɪ t"], ["d  uː j uː", "k æ  t s ɪ t"]), "two spaces"),
    "two spaces between words of letters": (
        same("a b  c d  e f", "g h  i j  k l", "a c  e g  i k", "b d  f h  j l"), "two spaces"),
    "a tab between words of phones": (Sides(["d uː\tj uː", "k æ t\ts ɪ t"], ["d\tuː j uː", "k æ\tt s ɪ t"]), "a tab"),
    "two spaces in one utterance": (Sides(["d uː  j uː"], ["d  uː j uː"]), "two spaces"),
    "two spaces on one side": (Sides(["d uː  j uː", "k æ t  s ɪ t", "h ə  l oʊ"], ["d uː j uː", "k æ t s ɪ t", "h ə l oʊ"]),
        "two spaces"),
    "two spaces in the predictions": (
        Sides(["the dog is here", "a cat sat down", "no one saw"], ["the dog  is here", "a cat  sat down", "no one  saw"]),
        "two spaces"),
    "text before its words": (same("我们去 → 我们 去", "他在家 → 他 在家", "我爱你 → 我 爱 你"), "and its segmentation"),
    "a tokenizer of Chinese words": (Sides(CHINESE, characters), "reads the spaces"),
    "a tokenizer of Thai words": (Sides(THAI, characters), "reads the spaces"),
    "labels that both sides have": (Sides(["B E S B E", "S B E", "B E S"], ["B E S B E", "S B E", "B E S"]), "labels"),
    "Chinese without spaces": (Sides(["我们在上海学习自然语言处理"], ["我们 在 上海 学习 自然 语言 处理"]), "no space"),
    "Chinese with few spaces": (
        Sides([*["我们在上海学习自然语言处理"] * 9, "我们 在"], [*[CHINESE[0]] * 9, "我们 在"]), "or few"),
    "zero-width spaces beside others": (same("ខ្ញុំ\u200bទៅ ផ្ទះ ធំ", "គាត់\u200bញ៉ាំ បាយ", "នាង\u200bទៅ សាលា រៀន"), "zero-width"),
    "a column under its name in Chinese": (same("句子", "我们 去 北京", "他们 在 家", "我 爱 你"), "under its name"),
    "a column under its name, with a first line of one word": (same("text", "dogs", "a cat"), "under its name"),
    "the number of lines before words": (same("3", "dogs", "cats", "it"), "the number of lines"),
    "a sign between the words of a line": (same("we + are + here", "it + is + so"), "a sign between"),
    "a name at the end, and lines of one word on one side": (
        Sides(["the dog", "a cat", "it is", "so it is", "no it is", "finished"],
              ["thedog", "a cat", "it is", "so it is", "no it is", "finished"]), "written otherwise"),
    "a sentence at the end, and marks at words on one side": (
        Sides(["我们 去 。", "他们 在 家", "我 爱 你", "希望对你有帮助！"],
              ["我们 去。", "他们 在 家", "我 爱 你", "希望对你有帮助！"]), "written otherwise"),
    "a sentence at the end, with other spaces on one side": (
        Sides(["the dog", "a cat", "it is", "Hope this helps!"], ["the dog", "a cat", "it is", "Hopethis helps!"]),
        "written otherwise"),
    "a word in capitals behind each line": (
        same("I see END", "so do I END", "the dog END", "a cat END", "it is END"), "the same mark"),
    "a message in place of the text": (same("Entry not found"), "in place of the file"),
    "special tokens in lists": (
        Sides([["[CLS]", "a", "dog", "[SEP]"], ["[CLS]", "is", "[SEP]"]], [["[CLS]", "adog", "[SEP]"], ["[CLS]", "is", "[SEP]"]]),
        "special tokens"),
    "padding in lists": (
        Sides([["the", "dog", "<pad>"], ["is", "<pad>", "<pad>"]], [["thedog", "<pad>"], ["is", "<pad>", "<pad>"]]),
        "special tokens"),
    "ids in lists": (same(["u1", "the", "dog"], ["u2", "it"], ["u3", "is", "so"]), "begin with a number or an id"),
    "ids in two lists": (same(["u1", "the", "dog"], ["u2", "it"]), "begin with a number or an id"),
    "ids at the ends of lists": (same(["the", "dog", "u1"], ["it", "u2"], ["is", "so", "u3"]), "such as a score, at the end"),
    "a name at the ends of lists": (same(*[["the", *["dog"] * number, "END"] for number in range(5)]), "end with the same mark"),
    "pairs of utterances": (
        same(["the dog", "thedog"], ["it is", "it is"], *[["a cat is", "acat is"]] * 3), "items of the first 5"),
    "rows of a table with ids": (
        same(["id", "text"], *[[f"u{number}", "the dog is here"] for number in range(4)]), "as 'the dog is here', and are read"),
    "signs between words that are no words": (same(*["the~dog", "a~cat"] * 10), "none of the first utterances has several words"),
    "tags in lists": (Sides([["我/PN", "爱/VV", "北京/NR"]], [["我/PN", "爱/VV北京/NR"]]), "text format tagged"),
    "boundary tokens in lists": (Sides([["a", "b", "WORD_BOUNDARY", "c"]], [["a", "b", "WORD_BOUNDARY", "c"]]), "format units"),
    "missing values": (Sides(["the dog", "nan"], ["thedog", "nan"]), "utterance 1 is 'nan'"),
    "missing values among many": (Sides(["the dog"] * 5000 + ["<NA>"] * 2, ["thedog"] * 5000 + ["<NA>"] * 2),
        "utterance 5000 is '<NA>', as of a missing value, and 1 more"),
    "missing values of spreadsheets": (Sides(["the dog", "#N/A"], ["thedog", "#N/A"]), "utterance 1 is '#N/A', as of a missing"),
    "a cell of a spreadsheet that was deleted": (same("the dog", "#REF!"), "utterance 1 is '#REF!', as of a missing"),
    "missing values at both ends of many": (same("nan", *["the dog"] * 30_000, "None"), "utterance 0 is 'nan', as of a missing"),
    "a missing value behind single words": (
        same(*["the dog"] * 30_000, *["banana"] * 40_000, "nan"), "utterance 70000 is 'nan', as of a missing value"),
    "missing values in lists": (Sides([["the", "dog"], ["None"]], [["thedog"], ["None"]]), "utterance 1 is 'None'"),
    "numbers before strings": (joined("1 the dog", "2 a cat", "3 it is"), "a number or an id"),
    "ids before strings": (joined("u1 the dog", "u2 a cat", "u3 so"), "a number or an id"),
    "two ids before strings": (joined("u1 the dog", "u2 so"), "a number or an id"),
    "two ids of several parts": (joined("fadg0_si1279 the dog", "mbpm0_sx317 so"), "a number or an id"),
    "two ids without marks": (joined("BAC009S0002W0122 the dog", "BAC009S0002W0124 so"), "a number or an id"),
    "two ids of digits": (joined("1089-134686-0000 the dog", "1089-134686-0007 so"), "a number or an id"),
    "two numbers with marks": (joined("1. the dog", "2. so"), "a number or an id"),
    "two times of a log": (joined("10:00:00.123 the dog", "10:00:05.456 so"), "a number or an id"),
    "two dates of a log": (joined("[2024-01-01 the dog", "[2024-01-01 so"), "a number or an id"),
    "two spans that follow each other": (joined("0 8000 the dog", "8000 9000 so"), "two numbers"),
    "two numbers behind names": (joined("Sentence 1: the dog", "Sentence 2: so"), "a name and their number"),
    "bullets before strings": (joined("- the dog", "- a cat", "- it is"), "begin with a mark"),
    "classes before strings": (joined("POS the dog", "NEG a cat", "POS so"), "a label"),
    "numbers behind strings": (joined("the dog -1.5", "a cat -2.5", "so -0.5"), "a score"),
    "the name of a column": (joined("text", "the dog", "a cat"), "under its name"),
    "a comment": (joined("# gold", "the dog", "a cat"), "lines of comments"),
    "the characters of a string": (Sides([*"the dog"], [*"the dog"]), "one character"),
    "the characters of a Chinese string": (Sides([*"我们在上海学习"], [*"我们在上海学习"]), "one character"),
    "the characters of a long string": (same(*[*"abcdefghij"] * 20_000), "each of the 200000 utterances is one character"),
    "the characters of long texts": (same(*["a b c d e", "f g h i j"] * 20_000), "each of the 200000 words is one character"),
    "the characters of words": (same([*"thedogbarks"], [*"acatseesit"]), "each of the 21 words"),
    "twenty words of ten letters": (same([*"abcdefghij"] * 2), "each of the 20 words"),
    "units without a mark between words": (same("t h e d o g b a r k s", "a c a t s e e s i t"), "each of the 21 words"),
    "rows of a cell": (same(["the dog barks"], ["a cat"]), "items of the first 2 lists"),
    "rows of both sides": (same(("the dog", "the do g"), ("a cat", "ac at")), "as 'the dog', and are read as one word"),
    "whole texts": (joined("the dog\na cat\nit is\n"), "the first one has 3"),
    "labels without spaces": (same("BMES", "BEBE"), "labels (B, M or I, E, S)"),
    "boundary tokens in words text": (same("a b WORD_BOUNDARY c", "d e"), "by spaces, WORD_BOUNDARY between words (recognised"),
    "boundary tokens of wordseg in words text": (same("a b ;eword c ;eword", "d e ;eword"), 'word_boundary=";eword"'),
    "bars between Thai words": (same("ผม|ไม่|ชอบ", "เขา|ไป"), "(recognised by | between letters)"),
    "tags after slashes": (same("我/PN 爱/VV 北京/NR", "他/PN 去/VV"), "tag after each word"),
    "bars with spaces": (same("我们 | 在 | 上海", "他们 | 在 | 北京"), "a sign between them"),
    "six signs in four utterances": (same("a = b = c", "c = d", "d = e = f", "f = a"), "a sign between them"),
    "words of eight letters between signs": (same(*["abcdefgh-abcdefgh-abcdefgh"] * 2), "a sign between them"),
    "tildes between words": (same("我们~在~上海", "他们~在~北京"), "a sign between them"),
    "names between words": (same("我们 <sep> 在 <sep> 上海", "他们 <sep> 在 <sep> 北京"), "a sign between them"),
    "names between long words": (same("because<sep>anything<sep>wonders", "nobody<sep>nothing<sep>between"), "a sign between"),
    "plus signs between morphs": (joined("the dog bark + s", "cat + s play + ed", "so it is"), "+ between their morphs"),
    "a full stop at a word of five letters": (same(*TOKENISED, "the cat can sleep."), "is written otherwise"),
    "an answer behind many lines": (
        joined(*["the dog is at the house", "a cat sits so long"] * 400, "Hope this helps!"), "is written otherwise"),
    "cells between commas": (joined("0,the dog", "1,a cat", "2,it is"), "2 cells between ','"),
    "subwords of GPT-2 in lists": (Sides([["the", "Ġdog", "Ġbarks"]], [["the", "Ġdog", "Ġbar", "ks"]]), "marks of a tokenizer"),
    "spaces between words of lists": (same(["我们", " ", "在"], ["上海"]), "the item ' ' of a list is whitespace"),
    "line ends in lists": (Sides([["the", "dog", "\n"]], [["thedog", "\n"]]), "of a list is whitespace"),
    "bytes in lists": (same(["<0xE6>", "<0x88>"], ["the", "dog"]), "the special tokens of a model"),
    "padding in one list": (same(["the", "dog", "[PAD]"], ["a", "cat", "sits"]), "is a special token of a model"),
    "subwords of SentencePiece": (same("▁the ▁dog ▁bar ks", "▁a ▁cat"), "marks of a tokenizer"),
    "Chinese of ten characters": (same("我们在上海学习自然语"), "no space"),
    "English without spaces": (same("whereismyredballnow?", "putthecuponthetable.", "itisinthecupofthecat"), "no space"),
    "raw text beside words": (
        Sides(["whereisit?", "thedogbarks", "seethecat.", "itissobig.", "onthetable"],
              ["where is it ?", "the dog barks", "see the cat .", "it is so big .", "on the table"]), "no space"),
    "a tokenizer of Chinese without spaces": (Sides(["我们在上海学习自然语言处理"], characters), "no space"),
}  # fmt: skip
#: Signs of doubts that are about the whitespace of text, however long it is.
OF_ANY_LENGTH = ("two spaces", "a tab", "no space", "or few", "labels")
ORDINARY = {
    "two spaces between all words": Sides(["我们  在  上海", "他们  在  北京"], ["我们  在上  海", "他们  在北  京"]),
    "two spaces on one side, one on the other": Sides(["我们  在  上海"], ["我们 在 上海"]),
    "two spaces between sentences": Sides(["It is.  Go on.  So be it."] * 4, ["It is.  Go on.  So be it."] * 4),
    "some double spaces": Sides(["a  b c", "d e f", "g h i", "j k l"], ["a b c", "d e f", "g h i", "j k l"]),
    "spaces at the ends": Sides(["  the dog  ", "is on  "], ["the dog", "is on"]),
    "tabs between all words": Sides(["the\tdog\tis"], ["thedog\tis"]),
    "words with double spaces": Sides(["there  was another dog"] * 4, ["there  was another dog"] * 4),
    "a tokenizer of English": Sides(["the dog is", "on the boat"], characters),
    "a tokenizer of Korean": Sides(["나는 학교에 갔다"], characters),
    "a tokenizer of single Chinese words": Sides(["我们", "上海"], characters),
    "single Chinese words": Sides(["我们", "上海"], ["我 们", "上海"]),
    "a side of one segment": Sides(CHINESE, ["我们在上海学习自然语言处理", "他们在北京工作"]),
    "Chinese of nine characters": same("我们在上海学习自然"),
    "exons of DNA": same(*["ATGGCCATTGTAATGGGCCGCTGA AAGGGTGCCCGATAGTTGAACCGT"] * 3),
    "long words that are cut": Sides(
        ["playground", "everything", "typewriter", "watermelon", "basketball"],
        ["play ground", "every thing", "type writ er", "water melon", "basket ball"]),
    "short words that are cut": Sides(["thedog", "isonit", "asocat", "itisso", "onehas"],
                                      ["the d og", "is on it", "a so cat", "it is so", "one h as"]),
    "four raw lines": Sides(["whereisit?", "thedogbarks", "seethecat.", "itissobig."],
                            ["where is it ?", "the dog barks", "see the cat .", "it is so big ."]),
    "words of nineteen letters": same("whereismyredballnow", "putthecuponthetable", "itisinthecupofacat"),
    "a full stop at a word of four letters": same(*TOKENISED, "the cat is asst."),
    "a missing word": Sides(["none", "nan", "nono"], ["no ne", "nan", "nono"]),
    "characters behind many words": same(*["the dog"] * 30_000, *[*"abcdefghij"] * 10_000),
    "a missing word behind many": same(*["banana"] * 30_000, "nan", "nono"),
    "a word like a missing value": Sides(["the nan", "no none", "nun"], ["thenan", "no none", "nun"]),
    "six characters": same(*"thedog"),
    "nineteen words of ten letters": same([*"abcdefghij", *"abcdefghi"]),
    "twenty words of nine letters": same([*"abcdefghii"] * 2),
    "words that make a missing value": Sides(["na n", "the dog is"], ["nan", "the dog is"]),
    "characters and words": Sides(["a", "b", "c", "d", "ef"], ["a", "b", "c", "d", "e f"]),
    "marks in lists": Sides([["either", "/", "or"], ["[", "so", "]"], ["<", "3"]], [["either/", "or"], ["[", "so", "]"], ["<3"]]),
    "marks behind the first line": Sides(["the dog", "---", "a cat", "---"], ["thedog", "---", "a cat", "---"]),
    "capitals": Sides(["I SEE A DOG", "THE CAT IS ON", "THE DOG"], ["I SEEA DOG", "THE CAT IS ON", "THE DOG"]),
    "numbers": Sides(["3 dogs bark", "12 cats sit", "5 so it is"], ["3 dogsbark", "12 cats sit", "5 so it is"]),
    "numbers in lists": same(["3", "dogs"], ["the", "cat"], ["5", "cats"]),
    "numbers in some lists": same(["3", "dogs"], ["5", "cats"], ["it", "is"], ["so", "it"]),
    "capitals at the ends of lists": same(*[["it", *["is"] * number, "OK"] for number in range(4)]),
    "equally long lists with spaces": same(["New York", "is"], ["San Juan", "is"], ["so", "it"], ["a", "b"], ["c", "d"]),
    "single words": same(*["the", "dog"] * 30),
    "few words with signs": same(*["it~is"] * 19),
    "single words that one side divides": Sides(["the-dog"] * 20, ["the- dog"] * 20),
    "syllables of Vietnamese lists": same(["Việt Nam", "là"], ["đất nước"]),
    "one list of names": same(["New York", "San Juan"]),
    "words of several syllables": same(["Việt Nam", "đất nước"], ["sinh viên"]),
    "a line end in one utterance": Sides(["the dog\nis", "a cat"], ["thedog is", "a cat"]),
    "lines of a file": Sides(["the dog\n", "a cat\n"], ["thedog\n", "a cat\n"]),
    "letters as words": same(*[["a", "b", "c"]] * 9),
    "equations": same("x = a", "y = b", "z = c", "x = b"),
    "five signs in four utterances": same("a = b = c", "c = d", "d = e", "f = a"),
    "several signs between words": same("a + b - c", "d = e + f"),
    "lists that begin with a mark": same(["[so]", "the", "dog"], ["[so]", "a", "cat"], ["[so]", "it", "is"]),
    "signs in one utterance": same("a + b + c + d + e"),
    "words of nine letters between signs": same(*["abcdefgh-abcdefgh-abcdefghi"] * 2),
    "two plus signs": joined("the dog bark + s", "play + ed", "so"),
    "sums": Sides(["3 + 4 is 7", "x + y is z", "C + + is so"], ["3 + 4 is7", "x + y is z", "C + + is so"]),
    "sums without spaces": same("a+1+b-c-d", "x+2+y-z-w"),
    "three signs in two utterances": same("a + b + c", "d + e"),
    "a sign that is a word too": same("a + + + b", "a + b + c"),
    "long compounds": same("extraordinary-circumstances-notwithstanding", "internationally-recognizable-organizations"),
    "ranges": same("12-34-56", "78-90-12"),
    "words with hyphens": same("mother-in-law", "well-known", "so-so"),
    "long English words": Sides(["incomprehensibilities"], ["incomprehensi bilities"]),
}  # fmt: skip


def warnings_of(sides: Sides, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        segscores.score(*sides, scores="token", **options)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_doubt_is_said_once(name: str) -> None:
    sides, sign = DOUBTFUL[name]
    (warning,) = warnings_of(sides, **WORDS)
    assert sign in warning
    assert warning.startswith(("the references", "the predictions"))


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_text_raises_no_doubt(name: str) -> None:
    assert warnings_of(ORDINARY[name], **WORDS) == []


@pytest.mark.parametrize("name", FORMS)
def test_no_form_raises_a_doubt(name: str) -> None:
    form = FORMS[name]
    sides = Sides(*map(form.write, random_corpus_pair(40, seed=3)))
    assert warnings_of(sides, **form.options) == []


@pytest.mark.parametrize("name", [name for name, (_, sign) in DOUBTFUL.items() if sign in OF_ANY_LENGTH])
def test_a_hundred_times_the_text_raises_the_same_doubt(name: str) -> None:
    sides, _ = DOUBTFUL[name]
    long = Sides(*(side if callable(side) else side * 100 for side in sides))
    assert warnings_of(long, **WORDS) == warnings_of(sides, **WORDS)


def test_files_and_long_lists_raise_the_same_doubt(tmp_path: Path) -> None:
    sides, _ = DOUBTFUL["two spaces between words of phones"]
    (doubt,) = warnings_of(sides, **WORDS)
    assert warnings_of(Sides(*(side * 1000 for side in sides)), **WORDS) == [doubt]
    paths = [tmp_path / name for name in ("r.txt", "p.txt")]
    for path, side in zip(paths, sides, strict=True):
        path.write_text("".join(f"{line}\n" for line in side), encoding="utf-8")
    (of_files,) = warnings_of(Sides(*paths), **WORDS)
    assert of_files.partition(" differ")[2] == doubt.partition(" differ")[2]
    assert str(paths[0]) in of_files


@pytest.mark.parametrize("shift", range(3))
def test_an_utterance_that_is_longer_than_the_text_that_is_looked_at_raises_a_doubt(shift: int, tmp_path: Path) -> None:
    """The bytes of its beginning may end within a character."""
    line = "a" * shift + "我们在上海学习" * 2000
    path = tmp_path / "r.txt"
    path.write_text(f"{line}\n", encoding="utf-8")
    for sides in (Sides([line], [line]), Sides(path, path)):
        (warning,) = warnings_of(sides, **WORDS)
        assert "most lines have no space" in warning


def test_a_long_line_of_marks_takes_no_time() -> None:
    began = time.process_time()
    assert warnings_of(same("the dog", "*" * 40_000), **WORDS) == []
    assert time.process_time() - began < 5


def test_numbers_in_the_predictions_are_said_where_texts_are_aligned() -> None:
    sides = Sides(["the dog", "a cat", "it is"], ["1. the dog", "2. a cat", "3. it is"])
    (warning,) = warnings_of(sides, **WORDS, on_mismatch="align")
    assert warning.startswith("the predictions: this looks like lines that begin with a number or an id")


def test_ids_of_tagged_text_are_said() -> None:
    lines = [f"19980101-01-001-00{number}/m 我们/r 在/p 上海/ns" for number in (1, 2, 3)]
    (warning,) = warnings_of(Sides(lines, lines), text_format="tagged")
    assert "begin with a number or an id (line 1 is '19980101-01-001-001 我们 在 上海' without tags)" in warning


def test_marks_that_an_option_removes_are_no_doubt() -> None:
    lists = [["the", "Ġdog", "Ġbar", "ks"]]
    assert warnings_of(Sides(lists, lists), subword_marks="strip") == []
    assert warnings_of(same(["the", " ", "dog"]), spaces="drop") == []


def test_blank_strings_are_no_characters() -> None:
    assert warnings_of(same(*[""] * 9), **WORDS, zero_division=0) == []


def test_following_the_doubt_of_a_tokenizer_ends_it() -> None:
    joined = segscores.tokenized(characters, joined=True)
    assert warnings_of(Sides(CHINESE, joined), **WORDS) == []
    apart = segscores.tokenized(characters, ["".join(line.split()) for line in CHINESE])
    asked = {"scores": "subword", **WORDS}
    assert segscores.score(CHINESE, joined, **asked) == segscores.score(CHINESE, apart, **asked)
    with pytest.raises(ValueError, match="joined: it is for the text of the references"):
        segscores.tokenized(characters, CHINESE, joined=True)


NUMBERED = {
    "the predictions from 1": ([([0], [0]), ([1], [1]), ([2], [2])], [([1], [1]), ([2], [2]), ([3], [3])], "predictions count"),
    "the references from 1": ([([1], [1]), ([2], [2, 3])], [([0], [0]), ([1], [1, 2])], "references count"),
    "with other orders of numbers": ([([1], [1]), ([2], [3, 2])], [([0], [0]), ([1], [1, 2, 1])], "2 if both count from 0"),
    "both from 1": ([([1], [1]), ([2], [2])], [([1], [1]), ([2], [2])], ""),
    "the first segment left out": ([([0], [0]), ([1], [1]), ([2], [2])], [([1], [1]), ([2], [2])], ""),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERED)
def test_segments_that_one_side_counts_from_1_raise_a_doubt(name: str) -> None:
    references, predictions, sign = NUMBERED[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        segscores.score_alignment([references], [predictions])
    assert [sign in str(warning.message) for warning in caught] == [True] * bool(sign)


def test_a_line_in_chinese_that_introduces_a_text_is_said() -> None:
    texts = [
        "分词结果：",
        "狗 在 这里 叫 了 一 下",
        "一 只 猫 跑 过 去 了",
        "它 是 好 的 朋友 吗",
        "他们 说 这 是 对 的",
    ]
    with pytest.warns(UserWarning, match="a line that introduces it .line 1 is '分词结果：'"):
        segscores.score(texts, texts, text_format="words", scores="token")
