"""Write the files of the guide "From files to the table and the figure of a paper": a test set, and the outputs of segmenters.

The test set has 300 utterances of English words, of children of 24 to 48 months. A segmenter misses each boundary with a
probability of its own, which for `new` depends on the age. So the differences between the segmenters are known.
"""

from __future__ import annotations

import random
from pathlib import Path

WORDS = "the a dog cat ball boat is on in where did you want to sit down look at that this go we can see it now"
AGES = (24, 30, 36, 42, 48)
#: The probability that a segmenter misses a boundary, at the youngest and at the oldest age.
MISSES = {
    "old": (0.30, 0.30),
    "new": (0.35, 0.10),
    "size100": (0.70, 0.70),
    "size1000": (0.45, 0.45),
    "size10000": (0.25, 0.25),
}


def main() -> None:
    """Write the files into the working directory."""
    choose = random.Random(1)
    vocabulary = WORDS.split()
    ages = [age for age in AGES for _ in range(60)]
    gold = [[choose.choice(vocabulary) for _ in range(choose.randint(3, 8))] for _ in ages]
    files = {"gold": [" ".join(words) for words in gold], "age": list(map(str, ages))}
    for name, (youngest, oldest) in MISSES.items():
        files[name] = []
        for words, age in zip(gold, ages, strict=True):
            miss = youngest + (oldest - youngest) * (age - AGES[0]) / (AGES[-1] - AGES[0])
            gaps = ["" if choose.random() < miss else " " for _ in words[1:]]
            files[name].append("".join(word + gap for word, gap in zip(words, [*gaps, ""], strict=True)))
    for name, lines in files.items():
        Path(f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print("wrote", ", ".join(f"{name}.txt" for name in files))


if __name__ == "__main__":
    main()
