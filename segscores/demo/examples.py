"""Examples: sentences written for the demo."""

from __future__ import annotations

#: A reference and a prediction for each language.
PAIRS: dict[str, tuple[str, str]] = {
    "English": (
        "the dog is on the boat\nlook at the little dog\ndo you want to sit down",
        "thedog is on the boat\nlook at the lit tle dog\ndoyou want to sitdown",
    ),
    "中文": (
        "我们 明天 去 北京 看 朋友\n她 喜欢 喝 绿茶\n火车 晚点 了 半 个 小时",
        "我们 明天 去 北京 看朋友\n她 喜欢 喝 绿 茶\n火车晚点 了 半个 小时",
    ),
    "日本語": (
        "明日 は 雨 が 降る らしい\n図書館 で 本 を 読む\n電車 が 遅れ て いる",
        "明日は 雨 が 降る らし い\n図書 館 で 本 を 読む\n電車 が 遅れて いる",
    ),
    "ไทย": (
        "แมว นอน อยู่ บน เตียง\nวันนี้ ฝน ตก หนัก\nเขา ไป ตลาด ทุก เช้า",
        "แมว นอน อยู่บน เตียง\nวัน นี้ ฝนตก หนัก\nเขา ไป ตลาด ทุกเช้า",
    ),
    "Phonemes": (
        "ð ə WORD_BOUNDARY d ɔ g WORD_BOUNDARY b ɑ r k s\nl ʊ k WORD_BOUNDARY æ t WORD_BOUNDARY h ɪ m",
        "ð ə d ɔ g WORD_BOUNDARY b ɑ r k s\nl ʊ k WORD_BOUNDARY æ WORD_BOUNDARY t WORD_BOUNDARY h ɪ m",
    ),
}

#: A reference, and a boundary score for each of its inner gaps.
BOUNDARY_SCORES = (
    "the dog is on the boat\nlook at the little dog\nshe sat down",
    "0.05 0.31 0.42 0.08 0.12 0.88 0.21 0.92 0.15 0.71 0.09 0.11 0.84 0.18 0.27 0.06\n"
    "0.02 0.11 0.09 0.81 0.33 0.77 0.04 0.19 0.93 0.07 0.13 0.61 0.16 0.22 0.74 0.12 0.08\n"
    "0.14 0.05 0.86 0.09 0.28 0.64 0.35 0.10 0.03",
)

#: A reference, a prediction, and the segmentations of the same text by several segmenters, separated by ---.
COMMITTEE = (
    "the dog is on the boat\nlook at the little dog",
    "thedog is on the boat\nlook at the lit tle dog",
    "the dog is on the boat\nlook at the lit tle dog\n---\nthedog is on theboat\nlook at the little dog\n---\n"
    "the dog ison the boat\nlookat the lit tle dog\n---\nthedog is on the boat\nlook at thelittle dog",
)

#: The reference and the predicted alignment of a text and its translation, and their sentences.
BITEXT = (
    "[0]:[0]\n[1]:[1,2]\n[2,3]:[3]",
    "[0]:[0]\n[1]:[1]\n[2]:[2,3]\n[3]:[]",
    "The train is late.\nIt rained all night, and the river is high.\nWe wait.\nWe read.",
    "Der Zug hat Verspätung.\nEs hat die ganze Nacht geregnet.\nDer Fluss steht hoch.\nWir warten und lesen.",
)

#: A reference, and its segmentations by three segmenters, by name.
SYSTEMS: tuple[str, dict[str, str]] = (
    "the cat sat by the door\nwe go to the park today\nshe wants a red apple\nit is time for bed now\n"
    "where did you put the ball\nhe can see a big bird\nlook at all the snow\nthey play in the garden\n"
    "i like to read a book\ncan you find your shoes\nput the cup on the table\nthe baby wants more milk",
    {
        "unigram": (
            "thecat sat by thedoor\nwego to thepark today\nshe wants a red apple\nitis time for bed now\n"
            "where didyou put theball\nhe cansee a big bird\nlookat all thesnow\nthey play inthe garden\n"
            "i liketo read abook\ncanyou find your shoes\nput thecup onthe table\nthebaby wants more milk"
        ),
        "bigram": (
            "the cat sat by the door\nwe go to thepark today\nshe wants a red apple\nitis time for bed now\n"
            "where did you put the ball\nhe can see abig bird\nlook at all the snow\nthey play in the garden\n"
            "i like to read abook\ncan you find your shoes\nput the cup onthe table\nthe baby wants more milk"
        ),
        "syllables": (
            "the cat sat by the door\nwe go to the park to day\nshe wants a red ap ple\nit is time for bed now\n"
            "where did you put the ball\nhe can see a big bird\nlook at all the snow\nthey play in the gar den\n"
            "i like to read a book\ncan you find your shoes\nput the cup on the ta ble\nthe ba by wants more milk"
        ),
    },
)

_SIDES = ("reference", "prediction")
#: The examples of each tab: texts by the name of the box, by the name of the example.
EXAMPLES: dict[str, dict[str, dict[str, str]]] = {
    "score": {name: dict(zip(_SIDES, pair, strict=True)) for name, pair in PAIRS.items()},
    "compare": {"Three segmenters": {"reference": SYSTEMS[0]} | {
        field: value for letter, (name, text) in zip("abc", SYSTEMS[1].items(), strict=True)
        for field, value in ((f"prediction_{letter}", text), (f"prediction_{letter}.name", name))}},
    "learn": {
        "English": {"reference": "the dog is on the boat", "prediction": "thedog is on the bo at"},
        "中文": {"reference": "我们 明天 去 北京 看 朋友", "prediction": "我们 明天 去北京 看 朋 友"},
    },
    "threshold": {"English": dict(zip(("reference", "scores"), BOUNDARY_SCORES, strict=True))},
    "difficulty": {"English": dict(zip((*_SIDES, "committee"), COMMITTEE, strict=True))},
    "alignment": {"English": dict(zip((*_SIDES, "sources", "targets"), BITEXT, strict=True))},
}  # fmt: skip
