"""Names of columns: the usual words in them, by which the column of a side is found.

A usual word may be the whole name of a column or a part of it, as in `gold_text`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain


def _set_of(words: str) -> frozenset[str]:
    """Return the words of a string as a set."""
    return frozenset(words.split())


# Usual words are in English and in languages of our guides.
#: The usual words for the text of each side.
OF_SIDES = {
    "reference": _set_of(
        "reference references ref gold truth target correct true referenz référence referencia riferimento referência эталон "
        "参考 标准 標準 正解 答案 정답"
    ),
    "prediction": _set_of(
        "prediction predictions predicted pred hypothesis hyp system output guess vorhersage prédiction predicción predizione "
        "predição предсказание прогноз 预测 預測 予測 예측"
    ),
}
#: For text that may be of either side.
OF_TEXT = _set_of(
    "text utterance utterances utt sentence sentences words segmented segmentation tokens transcript transcription"
)
#: For the text that a segmenter reads.
OF_INPUT = _set_of("raw input source src original unsegmented eingabe entrée entrada 原文 原句 輸入 输入 入力 원문")
#: For what is no text.
_OF_IDS = _set_of(
    "id ids index file filename speaker child age session document doc line language lang corpus cluster category nummer datei "
    "sprecher alter kind numéro fichier locuteur enfant âge número archivo hablante edad niño номер файл 编号 序号 番号 번호"
)
#: For what has scored the same utterances several times.
_OF_RUNS = _set_of(
    "model models system systems method run runs seed epoch step checkpoint fold annotator 模型 系统 モデル システム"
)
#: For the rows that sum up others.
OF_SUMMARIES = _set_of(
    "all summary total totals sum sums mean means average averages avg median std stdev sd overall gesamt summe mittelwert "
    "durchschnitt moyenne suma promedio media totale somma soma média итого сумма среднее 合计 总计 平均 平均值 合計 "
    "총계 합계 평균"
)
_USUAL = OF_SIDES["reference"] | OF_SIDES["prediction"] | OF_TEXT | _OF_IDS


def _parts_of(name: str) -> list[str]:
    """Return the words of the name of a column, in small letters.

    >>> _parts_of("Gold segmentation"), _parts_of("y_true"), _parts_of("goldText")
    (['gold', 'segmentation'], ['y', 'true'], ['gold', 'text'])
    """
    return re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def is_of(name: str, usual: frozenset[str]) -> bool:
    """Return whether a name has one of the usual words."""
    if not usual.isdisjoint(_parts_of(name)):
        return True
    # Words of scripts without spaces, from Hangul on, stand within a name: 参考 in 参考分词.
    first_of_hangul = "\u1100"
    return any(word in name for word in usual if word >= first_of_hangul)


def is_of_ids(name: str) -> bool:
    """Return whether a name ends in a word of ids: `utt_id` does, and `file text` does not."""
    parts = _parts_of(name)
    return bool(parts) and parts[-1] in _OF_IDS


def is_of_runs(name: str) -> bool:
    """Return whether a name ends in a word of models, or of runs of one: `best_seed` does."""
    parts = _parts_of(name)
    return bool(parts) and parts[-1] in _OF_RUNS


def are_names(cells: Sequence[str]) -> bool:
    """Return whether the first cells of columns are names. A usual word beside others in a cell is no sign: text has some too."""
    # A usual word is the whole cell, as `gold`.
    if not _USUAL.isdisjoint(cell.lower() for cell in cells):
        return True
    # A usual word is part of an identifier, as in `gold_text`.
    if any("_" in cell and " " not in cell and is_of(cell, _USUAL) for cell in cells):
        return True
    # There are words of both sides, as in `my gold` and `my system`.
    return all(any(is_of(cell, usual) for cell in cells) for usual in OF_SIDES.values())


def may_be_utterance(name: str, cells: Sequence[str]) -> bool:
    """Return whether the name of a column has no usual word, and at least half of its words are words of the cells below it.

    >>> [may_be_utterance(name, ["a dog", "it is"]) for name in ("the dog", "gold dog", "Satz")]
    [True, False, False]
    """
    words = name.split()
    has_usual_word = any(is_of(name, usual) for usual in (_USUAL, OF_INPUT))
    words_below = set(chain.from_iterable(cell.split() for cell in cells))
    occurring = [word for word in words if word in words_below]
    return bool(words) and not has_usual_word and 2 * len(occurring) >= len(words)
