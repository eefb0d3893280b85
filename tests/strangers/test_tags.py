"""Words with tags as taggers write them: the tag is the part of speech, whichever columns a program and its dictionary have."""

from pathlib import Path

import pytest

import segscores
from segscores.apps.command.main import main

#: By program, and dictionary or option: the lines of a text of three words, the last of which has another part of speech than in
#: the text of the same program with `{}` filled by the second value. One of the three tags differs, and no other one.
TAGGERS: dict[str, tuple[str, str, str]] = {
    "MeCab 0.996, IPADIC": (
        "東京\t名詞,固有名詞,地域,一般,*,*,東京,トウキョウ,トーキョー\nに\t助詞,格助詞,一般,*,*,*,に,ニ,ニ\n"
        "住む\t{},自立,*,*,五段・マ行,基本形,住む,スム,スム\nEOS\n", "動詞", "名詞"),
    "MeCab 0.996, IPADIC -Ochasen": (
        "東京\tトウキョウ\t東京\t名詞-固有名詞-地域-一般\t\t\nに\tニ\tに\t助詞-格助詞-一般\t\t\n"
        "住む\tスム\t住む\t{}-自立\t五段・マ行\t基本形\nEOS\n", "動詞", "名詞"),
    "ChaSen 2.4.4": (
        "東京\tトウキョウ\t東京\t名詞-固有名詞-地域-一般\t\t\nに\tニ\tに\t助詞-格助詞-一般\t\t\n"
        "住む\tスム\t住む\t{}-自立\t五段・マ行\t基本形\nEOS\n", "動詞", "形容詞"),
    "MeCab 0.996, UniDic 2.1.2": (
        "東京\tトーキョー\tトウキョウ\tトウキョウ\t名詞-固有名詞-地名-一般\t\t\t0\nに\tニ\tニ\tに\t助詞-格助詞\t\t\t\n"
        "住む\tスム\tスム\t住む\t{}-一般\t五段-マ行\t終止形-一般\t1\nEOS\n", "動詞", "形状詞"),
    "MeCab 0.996, UniDic 3.1.0, features": (
        "東京\t名詞,固有名詞,地名,一般,*,*,トウキョウ,トウキョウ,東京,トーキョー,東京,トーキョー,固,\"*,*\",*,*\n"
        "に\t助詞,格助詞,*,*,*,*,ニ,に,に,ニ,に,ニ,和,*,*,*\n住む\t{},一般,*,*,五段-マ行,終止形-一般,スム,住む,住む,スム,住む,スム,和\nEOS\n",
        "動詞", "名詞"),
    "MeCab 0.996, JUMANDIC": (
        "東京\t名詞,地名,*,*,東京,とうきょう,代表表記:東京/とうきょう\nに\t助詞,格助詞,*,*,に,に,*\n"
        "住む\t{},*,子音動詞マ行,基本形,住む,すむ,代表表記:住む/すむ\nEOS\n", "動詞", "名詞"),
    "mecab-ko 0.9.2, ko-dic 2.1.1": (
        "서울\tNNP,지명,T,서울,*,*,*,*\n에\tJKB,*,F,에,*,*,*,*\n산다\t{},*,F,산다,Inflect,VV,EC,살/VV/*+ㄴ다/EC/*\nEOS\n",
        "VV+EC", "VV+EF"),
    "Kagome 2.9, IPADIC": (
        "東京\t名詞,固有名詞,地域,一般,*,*,東京,トウキョウ,トーキョー\nに\t助詞,格助詞,一般,*,*,*,に,ニ,ニ\n"
        "住む\t{},自立,*,*,五段・マ行,基本形,住む,スム,スム\nEOS\n", "動詞", "名詞"),
    "Sudachi 0.7, -a": (
        "東京\t名詞,固有名詞,地名,一般,*,*\t東京\t東京\tトウキョウ\t0\t[]\nに\t助詞,格助詞,*,*,*,*\tに\tに\tニ\t0\t[]\n"
        "住む\t{},一般,*,*,五段-マ行,終止形-一般\t住む\t住む\tスム\t0\t[]\nEOS\n", "動詞", "名詞"),
    "Sudachi 0.7": (
        "東京\t名詞,固有名詞,地名,一般,*,*\t東京\nに\t助詞,格助詞,*,*,*,*\tに\n住む\t{},一般,*,*,五段-マ行,終止形-一般\t住む\nEOS\n",
        "動詞", "名詞"),
    "Juman++ 2.0.0-rc3": (
        "東京 とうきょう 東京 名詞 6 地名 4 * 0 * 0 \"代表表記:東京/とうきょう\"\nに に に 助詞 9 格助詞 1 * 0 * 0 NIL\n"
        "\\  \\  \\  特殊 1 空白 6 * 0 * 0 \"元半角\"\n住む すむ 住む {} 2 * 0 子音動詞マ行 9 基本形 2 \"代表表記:住む/すむ\"\n"
        "@ 住む すむ 住む 名詞 6 普通名詞 1 * 0 * 0 NIL\nEOS\n", "動詞", "名詞"),
    "KNP 5.0, -tab": (
        "# S-ID:1 KNP:5.0\n* 1D <体言>\n+ 1D <体言>\n東京 とうきょう 東京 名詞 6 地名 4 * 0 * 0 \"代表表記:東京\" <名詞相当語>\n"
        "に に に 助詞 9 格助詞 1 * 0 * 0 NIL <付属>\n* -1D <用言:動>\n+ -1D <用言:動>\n"
        "住む すむ 住む {} 2 * 0 子音動詞マ行 9 基本形 2 \"代表表記:住む\" <自立>\nEOS\n", "動詞", "名詞"),
    "KyTea 0.4.7": ("東京/名詞/とうきょう に/助詞/に 住/{}/す\n", "動詞", "名詞"),
    "VLSP 2013": ("Việt_Nam/Np là/V đất_nước/{} ./.\n", "N", "Nc"),
    "People's Daily (PKU)": ("他/r 住/v 在/p 北京/{} 。/w 他/r\n", "ns", "n"),
}  # fmt: skip


@pytest.mark.parametrize("program", TAGGERS)
def test_one_tag_of_the_words_differs(program: str, tmp_path: Path) -> None:
    text, reference, prediction = TAGGERS[program]
    paths = [tmp_path / "r.txt", tmp_path / "p.txt"]
    for path, tag in zip(paths, (reference, prediction), strict=True):
        path.write_text(text.format(tag), encoding="utf-8")
    counts = segscores.tally(*paths, text_format=_format(program), scores=("tagged_token", "token")).counts()
    words = counts["token_reference"]
    assert (counts["token_matched"], counts["tagged_token_matched"]) == (words, words - 1)
    assert words == {"People's Daily (PKU)": 6, "VLSP 2013": 4}.get(program, 3)


@pytest.mark.parametrize("one", ["MeCab 0.996, IPADIC", "MeCab 0.996, IPADIC -Ochasen", "MeCab 0.996, UniDic 2.1.2"])
@pytest.mark.parametrize("other", ["ChaSen 2.4.4", "Sudachi 0.7, -a", "Juman++ 2.0.0-rc3", "MeCab 0.996, JUMANDIC"])
def test_programs_with_the_same_part_of_speech_agree(one: str, other: str, tmp_path: Path) -> None:
    paths = [tmp_path / "r.txt", tmp_path / "p.txt"]
    for path, program in zip(paths, (one, other), strict=True):
        path.write_text(TAGGERS[program][0].format("動詞"), encoding="utf-8")
    assert segscores.score(*paths, text_format="mecab", scores="tagged_token")["tagged_token_fscore"] == 1


def test_joiners_of_vlsp_are_recognised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two words of three, and of four, are right: one is cut at its joiner."""
    (tmp_path / "r").write_text("Việt_Nam/Np là/V đất_nước/N ./.\n", encoding="utf-8")
    (tmp_path / "p").write_text("Việt_Nam/Np là/V đất/N nước/N ./.\n", encoding="utf-8")
    main(["score", str(tmp_path / "r"), str(tmp_path / "p"), "--scores", "token,tagged_token", "--format", "csv"])
    scores = dict(line.split(",")[:2] for line in capsys.readouterr().out.splitlines()[1:])
    assert float(scores["token_fscore"]) == float(scores["tagged_token_fscore"]) == pytest.approx(6 / 9)


def _format(program: str) -> str:
    return {"KyTea 0.4.7": "kytea", "VLSP 2013": "vlsp", "People's Daily (PKU)": "tagged"}.get(program, "mecab")
