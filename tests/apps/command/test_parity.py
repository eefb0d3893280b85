"""`segscores parity`: files in place of lists, and names of files that are no tokenizers."""

import segscores

from ...command_runs import write_files
from ...trained_tokenizers import byte_level

TEXTS = {"en": ["the dog", "the cat", "it"], "de": ["der Hund", "die Katze", "es"]}


def test_the_command_counts_what_the_function_counts(found, message):
    tokenizer = byte_level(["the dog", "the cat"], size=260)
    tokenizer.save("tokenizer.json")
    write_files({f"{language}.txt": lines for language, lines in TEXTS.items()})
    expected = segscores.parity(TEXTS, {"bpe": tokenizer}, pivot="de")
    rows = found("parity en.txt de.txt --tokenizers bpe=tokenizer.json --pivot de")
    for shown, row in zip(rows, expected, strict=True):
        assert (shown["language"], shown["tokens"], shown["parity"]) == (row.language, row.tokens, row.parity)
        assert shown["bytes_per_second"] > 0
    assert "--tokenizers: en.txt is no tokenizer" in message("parity en.txt de.txt --tokenizers en.txt")
    overwrites = message("parity en.txt de.txt --tokenizers tokenizer.json -o de.txt")
    assert "de.txt: this is an input too" in overwrites
    assert "--pivot: expected one of en, de" in message("parity en.txt de.txt --tokenizers tokenizer.json --pivot fr")
    assert "two are called en: expected a name" in message("parity en.txt en.txt --tokenizers tokenizer.json")
    write_files({"fr.txt": ["@UTF8", "@Begin", "*MOT:\tle chien ."]})
    assert "fr.txt: this is CHAT" in message("parity en.txt fr.txt --tokenizers tokenizer.json")
