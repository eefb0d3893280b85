"""The likely encoding of text that is not UTF-8: iconv converts the file back."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

# From article 1 of the Universal Declaration of Human Rights.
TEXTS = {
    "GB18030": "人人 生而自由 ， 在 尊严 和 权利 上 一律 平等 。\n他们 赋有 理性 和 良心 ， 并 应 以 兄弟 关系 的 精神 。\n",
    "BIG5": "人人 生而自由 ， 在 尊嚴 和 權利 上 一律 平等 。\n他們 賦有 理性 和 良心 ， 並 應 以 兄弟 關係 的 精神 。\n",
    "SHIFT_JIS": "すべて の 人間 は 、 生まれ ながら に して 自由 で あり 、\n尊厳 と 権利 と に ついて 平等 で ある 。\n",
    "EUC-KR": "모든 인간은 태어날 때부터 자유로우며\n그 존엄과 권리에 있어 동등하다 .\n",
    "ISO-8859-1": "Tous les êtres humains naissent libres et égaux en dignité\nAlle Menschen sind frei und gleich an Würde\n",
}  # fmt: skip


@pytest.mark.parametrize("encoding", TEXTS)
@pytest.mark.parametrize("lines", [1, 2])
def test_the_command_in_the_message_converts_the_file(error: Any, run: Any, encoding: str, lines: int) -> None:
    text = "".join(TEXTS[encoding].splitlines(keepends=True)[:lines])
    message = error({"right.txt": text, "OLD": text.encode(encoding)})
    command = re.search(r"convert it with (iconv .* < OLD > NEW)\.", message)
    assert command is not None
    assert f"-f {encoding} " in command[1]
    subprocess.run(command[1], shell=True, check=True)
    assert Path("NEW").read_text(encoding="utf-8") == text
    assert run("right.txt", "NEW")[0] == 0


def test_a_damaged_line_of_utf8_is_not_taken_for_another_encoding(error: Any) -> None:
    message = error({"OLD": TEXTS["GB18030"].encode() + b"a\xff\n"}, "OLD", "OLD")
    assert "OLD, line 3: the byte 0xff" in message
    assert (
        "mend this line, or drop the bytes that are not UTF-8 with iconv -c -f UTF-8 -t UTF-8 < OLD > NEW." in message
    )


def test_bytes_that_are_no_text_are_not_converted(error: Any) -> None:
    message = error({"image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}, "image", "image")
    assert "is the file binary?" in message
    assert "iconv" not in message
