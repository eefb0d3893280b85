"""Examples: sentences written for the demo."""

from __future__ import annotations

#: The examples of each tab: texts by the name of the box, by the name of the example.
EXAMPLES: dict[str, dict[str, dict[str, str]]] = {
    "try": {
        "English": {"reference": "the dog is on the boat", "prediction": "thedog is onthe boat"},
        "中文": {"reference": "我们 明天 去 北京 看 朋友", "prediction": "我们 明天去 北京 看 朋友"},
        "日本語": {"reference": "明日 は 雨 が 降る らしい", "prediction": "明日は 雨 が 降る らしい"},
        "ไทย": {"reference": "แมว นอน อยู่ บน เตียง", "prediction": "แมวนอน อยู่ บน เตียง"},
        "ខ្មែរ": {"reference": "ខ្ញុំ ចូលចិត្ត អាន សៀវភៅ", "prediction": "ខ្ញុំ ចូលចិត្ត អានសៀវភៅ"},
        "हिन्दी": {"reference": "मैं घर जा रहा हूँ", "prediction": "मैं घर जारहा हूँ"},
        "العربية": {"reference": "ذهب الولد الى المدرسة", "prediction": "ذهب الولد الىالمدرسة"},
    },
    "desk": {
        "English": {"reference": "the dog is on the boat\nlook at the little dog\ndo you want to sit down",
                    "prediction": "thedog is on the boat\nlook at the lit tle dog\ndoyou want to sitdown"},
        "中文": {"reference": "我们 明天 去 北京 看 朋友\n她 喜欢 喝 绿茶\n火车 晚点 了 半 个 小时",
               "prediction": "我们 明天 去 北京 看朋友\n她 喜欢 喝 绿 茶\n火车晚点 了 半个 小时"},
        "日本語": {"reference": "明日 は 雨 が 降る らしい\n図書館 で 本 を 読む\n電車 が 遅れ て いる",
                "prediction": "明日は 雨 が 降る らし い\n図書 館 で 本 を 読む\n電車 が 遅れて いる"},
        "ไทย": {"reference": "แมว นอน อยู่ บน เตียง\nวันนี้ ฝน ตก หนัก\nเขา ไป ตลาด ทุก เช้า",
                "prediction": "แมว นอน อยู่บน เตียง\nวัน นี้ ฝนตก หนัก\nเขา ไป ตลาด ทุกเช้า"},
        "Phonemes": {"reference": "ð ə WORD_BOUNDARY d ɔ g WORD_BOUNDARY b ɑ r k s\nl ʊ k WORD_BOUNDARY æ t WORD_BOUNDARY h ɪ m",
                     "prediction": "ð ə d ɔ g WORD_BOUNDARY b ɑ r k s\n"
                                   "l ʊ k WORD_BOUNDARY æ WORD_BOUNDARY t WORD_BOUNDARY h ɪ m"},
        "Three segmenters": {
            "reference": "the cat sat by the door\nwe go to the park today\nshe wants a red apple\nit is time for bed now\n"
                         "where did you put the ball\nhe can see a big bird\nlook at all the snow\nthey play in the garden\n"
                         "i like to read a book\ncan you find your shoes\nput the cup on the table\nthe baby wants more milk",
            "prediction.name": "unigram",
            "prediction": "thecat sat by thedoor\nwego to thepark today\nshe wants a red apple\nitis time for bed now\n"
                            "where didyou put theball\nhe cansee a big bird\nlookat all thesnow\nthey play inthe garden\n"
                            "i liketo read abook\ncanyou find your shoes\nput thecup onthe table\nthebaby wants more milk",
            "prediction_b.name": "bigram",
            "prediction_b": "the cat sat by the door\nwe go to thepark today\nshe wants a red apple\nitis time for bed now\n"
                            "where did you put the ball\nhe can see abig bird\nlook at all the snow\nthey play in the garden\n"
                            "i like to read abook\ncan you find your shoes\nput the cup onthe table\nthe baby wants more milk",
            "prediction_c.name": "syllables",
            "prediction_c": "the cat sat by the door\nwe go to the park to day\nshe wants a red ap ple\nit is time for bed now\n"
                            "where did you put the ball\nhe can see a big bird\nlook at all the snow\nthey play in the gar den\n"
                            "i like to read a book\ncan you find your shoes\nput the cup on the ta ble\n"
                            "the ba by wants more milk",
        },
    },
    "learn": {
        "English": {"reference": "the dog is on the boat", "prediction": "thedog is on the bo at"},
        "中文": {"reference": "我们 明天 去 北京 看 朋友", "prediction": "我们 明天 去北京 看 朋 友"},
    },
    "threshold": {
        "English": {"reference": "the dog is on the boat\nlook at the little dog\nshe sat down",
                    "scores": "0.05 0.31 0.42 0.08 0.12 0.88 0.21 0.92 0.15 0.71 0.09 0.11 0.84 0.18 0.27 0.06\n"
                              "0.02 0.11 0.09 0.81 0.33 0.77 0.04 0.19 0.93 0.07 0.13 0.61 0.16 0.22 0.74 0.12 0.08\n"
                              "0.14 0.05 0.86 0.09 0.28 0.64 0.35 0.10 0.03"},
    },
    "difficulty": {
        "English": {"reference": "the dog is on the boat\nlook at the little dog",
                    "prediction": "thedog is on the boat\nlook at the lit tle dog",
                    "committee": "the dog is on the boat\nlook at the lit tle dog\n---\nthedog is on theboat\n"
                                 "look at the little dog\n---\nthe dog ison the boat\nlookat the lit tle dog\n---\n"
                                 "thedog is on the boat\nlook at thelittle dog"},
    },
    "alignment": {
        "English": {"reference": "[0]:[0]\n[1]:[1,2]\n[2,3]:[3]", "prediction": "[0]:[0]\n[1]:[1]\n[2]:[2,3]\n[3]:[]",
                    "sources": "The train is late.\nIt rained all night, and the river is high.\nWe wait.\nWe read.",
                    "targets": "Der Zug hat Verspätung.\nEs hat die ganze Nacht geregnet.\nDer Fluss steht hoch.\n"
                               "Wir warten und lesen."},
    },
}  # fmt: skip
