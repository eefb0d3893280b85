"""The likely encoding of text that is not UTF-8, with which iconv or an option reads the file."""

import re
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from segscores import open_source, score

# From article 1 of the Universal Declaration of Human Rights.
TEXTS = {
    "gb18030 gbk gb2312": "人人 生而自由 ， 在 尊严 和 权利 上 一律 平等 。\n"
    "他们 赋有 理性 和 良心 ， 并 应 以 兄弟 关系 的 精神 。\n",
    "cp950 big5 big5hkscs": "人人 生而自由 ， 在 尊嚴 和 權利 上 一律 平等 。\n"
    "他們 賦有 理性 和 良心 ， 並 應 以 兄弟 關係 的 精神 。\n",
    "cp932 shift_jis euc_jp": "すべて の 人間 は 、 生まれ ながら に して 自由 で あり 、\n"
    "尊厳 と 権利 と に ついて 平等 で ある 。\n",
    "euc_kr cp949": "모든 인간은 태어날 때부터 자유로우며\n그 존엄과 권리에 있어 동등하다 .\n",
    "cp874 tis-620": "มนุษย์ ทั้งหลาย เกิด มา มี อิสระ และ เสมอภาค กัน ใน เกียรติศักดิ์ และ สิทธิ\nต่าง มี เหตุผล และ มโนธรรม\n",
    "koi8-r cp1251": "Все люди рождаются свободными и равными в своем достоинстве и правах .\n"
    "Они наделены разумом и совестью .\n",
    "latin-1 cp1252": "Tous les êtres humains naissent libres et égaux en dignité et en droits . Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité . À cet égard , l' éducation "
    "préparée par l' État a été reconnue nécessaire à la liberté , à la sécurité et à la dignité de l' être humain .\n"
    "Où étaient les élèves hier ? Ils étaient à l' école , où l' été dernier ils ont mangé près de la forêt , très tôt .\n",
    "utf-16 utf-16-le utf-16-be": "人人 生而自由\nthe dog\n",
}  # fmt: skip
#: Earlier versions of chardet name wrong encodings, and are not asked.
names_encodings = pytest.mark.skipif(int(version("chardet").split(".")[0]) < 7, reason="chardet 7 names encodings")
CASES = [(encoding, text) for encodings, text in TEXTS.items() for encoding in encodings.split()]


@names_encodings
@pytest.mark.parametrize(("encoding", "text"), CASES, ids=[encoding for encoding, _ in CASES])
def test_the_remedies_of_the_message_read_the_file(error: Any, run: Any, encoding: str, text: str) -> None:
    message = error({"right.txt": text, "OLD": text.encode(encoding)})
    command = re.search(r"convert it with (iconv .* < OLD > NEW)\.?", message)
    assert command is not None, message
    subprocess.run(command[1].replace(", or", ""), shell=True, check=True)
    assert Path("NEW").read_text(encoding="utf-8") == text
    flags = re.search(r"add (--encoding \S+?),?\.?(?= |$)", message)
    assert flags is not None, message
    assert run("OLD", "right.txt", *flags[1].split(), "--scores", "token")[0] == 2  # the encoding is of both sides
    Path("p.txt").write_bytes(text.encode(encoding))
    assert run("OLD", "p.txt", *flags[1].split(), "--scores", "token", "--format", "json")[0] == 0
    assert score(open_source("OLD", encoding=encoding), Path("right.txt"), text_format="words", scores="exact") == {
        "utterance_accuracy": 1.0
    }


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("狗 叫\n", "gb18030"), ("房子 裏面\n", "cp950"), ("café au lait\n", "latin-1"), ("犬 が\n", "euc_jp"),
     # Repeated lines tell no more.
     ("Çocuk okula gitti\nağaç şöyle ışık\n" * 20, "cp1254"), ("佢 喺 度 嘅 啲 嘢\n佢 哋 冇 嚟\n" * 20, "big5hkscs"),
     ("これ は 犬 です\n猫 が いる\n" * 20, "shift_jis"), ("l’été “est” là\nça va très bien\n" * 20, "cp1252"),
     # In Mac Cyrillic the capitals stand elsewhere, and most small letters in the same place.
     ("Мама мыла раму .\nОн пошёл в школу утром .\n", "cp1251")],
)  # fmt: skip
def test_of_too_little_text_the_encoding_is_unknown(error: Any, text: str, encoding: str) -> None:
    message = error({"right.txt": text, "OLD": text.encode(encoding)})
    assert "the encoding is unknown: find out which one it is, and add --encoding." in message
    assert "iconv" not in message


def test_a_table_has_an_encoding(run: Any) -> None:
    table = "référence,prévision\nl' été,l'été\n"
    files = {"t.csv": table.encode("utf-16")}
    flags = "--columns référence,prévision --encoding utf-16 --scores token_recall --max token_recall=0"
    assert run(files, *flags.split())[0] == 0
    rows = '{"reference": "é à", "prediction": "é à"}\n'
    flags = "--encoding latin-1 --scores token_recall --min token_recall=1"
    assert run({"t.jsonl": rows.encode("latin-1")}, *flags.split())[0] == 0


@names_encodings
def test_the_line_stands_in_the_message_as_it_reads(error: Any) -> None:
    message = error({"OLD": TEXTS["euc_kr cp949"].encode("cp949")}, "OLD", "OLD")
    assert re.search(
        "is likely (euc_kr|cp949), in which the line reads '모든 인간은 태어날 때부터 자유로우며'", message
    )


def test_a_byte_that_a_named_encoding_lacks_is_an_error_of_its_line(error: Any, run: Any) -> None:
    text = "すべて の\n".encode("euc_jp") + b"\xff\xfe a\n" + "人間 は\n".encode("euc_jp")
    files = {"r": text, "p": text}
    assert "r, line 2: the byte 0xff" in error(files, "--encoding", "euc_jp")
    status, _, message = run(
        files, "--encoding", "euc_jp", "--scores", "exact", "--on-error", "skip", "--min", "utterance_accuracy=1"
    )
    assert status == 0
    assert "1 of 3 utterances could not be scored" in message


#: What a file has that cannot be text of an encoding, and what is said: Python's words differ between versions.
OF_NO_ENCODING = {
    "utf-16": (b"the dog\n", r"the file can't be read as utf-16 \((UTF-16 s|S)tream does not start with BOM\)"),
    "utf-7": (b"a +2AA- b\n", "line 1: the byte 0xff at offset 2"),
    "unicode_escape": (rb"a \ud800 b", "line 1: the byte 0xff at offset 2"),
}


@pytest.mark.parametrize("encoding", OF_NO_ENCODING)
def test_what_an_encoding_cannot_be_is_said_of_the_file(error: Any, encoding: str) -> None:
    content, problem = OF_NO_ENCODING[encoding]
    assert re.search(f"r[:,] {problem}", error({"r": content, "p": content}, "--encoding", encoding))
    files = {"g": "the dog\n".encode(encoding), "v": content + b"\xff"}  # not UTF-8: then it is in the named encoding
    message = error(files, "g", "g", "--vocabulary", "v", "--scores", "oov", "--encoding", encoding)
    assert re.search(f"v[:,] {problem}", message)


@pytest.mark.parametrize("encoding", ["idna", "punycode"])
def test_encodings_that_mark_no_damage_are_refused(error: Any, encoding: str) -> None:
    assert "--encoding: expected the name of an encoding" in error({"r": "a\n", "p": "a\n"}, "--encoding", encoding)


def test_an_encoding_is_for_text(error: Any) -> None:
    both_sides = pa.table({"reference": ["the dog"], "prediction": ["the dog"]})
    parquet.write_table(both_sides, "both.parquet")
    assert "--encoding: it is for text, CSV and JSON lines, and no file is one." in error(
        "both.parquet", "--encoding", "cp950"
    )
    for name in ("base64", "idna"):
        assert "expected the name of an encoding, such as cp950" in error({"r": "a\n", "p": "a\n"}, "--encoding", name)
    message = error(
        {"r": "a\n", "p": "a\n", "v": "é\n".encode("latin-1")}, "r", "p", "--vocabulary", "v", "--scores", "oov"
    )
    assert "v, line 1: the byte 0xe9" in message
    assert "add --encoding" in message


def test_utf8_is_not_read_in_another_encoding_in_silence(run: Any, error: Any) -> None:
    error({"r": "thé a\n", "p": "thé a\n", "ascii": "a b\n"}, "r", "p", "--encoding", "ascii")
    for file, is_warned in {"r": True, "ascii": False}.items():
        message = run(file, file, "--encoding", "cp1252", "--scores", "token")[2]
        assert (f"{file}: this is valid UTF-8, and is read as --encoding cp1252" in message) == is_warned


def test_a_damaged_line_of_utf8_is_not_taken_for_another_encoding(error: Any) -> None:
    message = error({"OLD": TEXTS["gb18030 gbk gb2312"].encode() + b"a\xff\n"}, "OLD", "OLD")
    assert "OLD, line 3: the byte 0xff" in message
    assert "mend it, leave it out with --on-error skip, or drop the bytes that are not UTF-8 with iconv -c" in message


def test_bytes_that_are_no_text_are_not_converted(error: Any) -> None:
    message = error({"image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}, "image", "image")
    assert "image: this is a picture (PNG), and no text" in message
    assert "iconv" not in message
