"""The metric: `evaluate.load` finds the class here. Input features, card texts, and options passed on to a call; nothing else.

`evaluate.load` copies this file and those siblings that it imports directly, so it imports every module of the kernel itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import datasets
import evaluate
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .alignment import score_alignment
from .comparison import Comparison
from .dictionary import Dictionary
from .difficulty import rate_difficulty, recovered_by_decile, score_difficulty
from .errors import UtteranceError
from .formulas import divide
from .inputs import BLANKS, LABELS, TEXT, WORDS, Column, form_name, read_pair
from .lexicon import Lexicon
from .scores import DEFAULT_SCORES, GROUPS, VERSION
from .scoring import DEFAULT_WORD_BOUNDARY, Options, check_form, refuse_unknown, score_tally, tally_columns
from .segmentation import Segmentation
from .sweep import sweep
from .tally import Tally

# Some stand here only so that `evaluate` copies their modules.
__all__ = [
    "Comparison",
    "Dictionary",
    "Lexicon",
    "Segmentation",
    "SegmentationScores",
    "Tally",
    "UtteranceError",
    "divide",
]

_DESCRIPTION = """\
Scores for word segmentation: how well the boundaries, the word tokens and the word types of a predicted segmentation agree
with those of a reference, over the same units (characters, phones). Precision, recall and F-score of boundaries with and
without an utterance's edges, of word tokens and of word types, and the true negative rate of word tokens.
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: one segmented utterance each: strings, lists of words, or lists of labels (one a unit).
    references: the same, in the same form, with the same units.
    scores: a score group's name or several, of "boundary_all", "boundary_noedge", "token", "type" and "tnr" (together the
        default), or "recall", the four recalls alone; or "dictionary".
    text_format: how strings are read. "units" (default): units separated by spaces, with `word_boundary` tokens between
        words. "words": words separated by whitespace, every character a unit.
    word_boundary: the token between words in "units" text. Default "WORD_BOUNDARY".
    ignored_tokens: tokens of "units" text to drop, such as ";esyll".
    label_scheme: how labels are read: "start" (1 starts a word), "end" (1 ends one), "BI" or "BMES" tags.
    zero_division: the value of an undefined score, 0/0: a number in [0, 1] or nan. Default 0.0.
    dictionary: segments that could be words, for the scores "dictionary", which then join the default ones.
    acceptable: segments that are no negatives of those scores.

Returns:
    A dict of plain floats in [0, 1], higher is better: `{boundary_all,boundary_noedge,token,type}_{precision,recall,fscore}`
    and `token_tnr`, as far as `scores` asks for them; `dictionary_{tpr,ppv,tnr,npv}` with a
    dictionary. Labels do not say what the words are, so they give no type scores.

Raises:
    TypeError: inputs of no known form, of mixed forms, or missing; an unknown option.
    ValueError: different numbers of predictions and references, or different units in a pair; a bad value of an option.
        The message names the utterance.

Examples:

    >>> metric = evaluate.load("segmentation_scores.py")
    >>> scores = metric.compute(
    ...     references=["the dog is on the boat"], predictions=["thedog is on the boat"], text_format="words"
    ... )
    >>> {key: round(value, 2) for key, value in scores.items() if key.startswith("token")}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73, 'token_tnr': 0.99}
"""

_CITATION = """\
@article{brent1999efficient,
  title={An efficient, probabilistically sound algorithm for segmentation and word discovery},
  author={Brent, Michael R.}, journal={Machine Learning}, volume={34}, pages={71--105}, year={1999}
}
@article{goldwater2009bayesian,
  title={A {B}ayesian framework for word segmentation: Exploring the effects of context},
  author={Goldwater, Sharon and Griffiths, Thomas L. and Johnson, Mark},
  journal={Cognition}, volume={112}, number={1}, pages={21--54}, year={2009}
}
@inproceedings{shao2017recall,
  title={Recall is the Proper Evaluation Metric for Word Segmentation},
  author={Shao, Yan and Hardmeier, Christian and Nivre, Joakim}, booktitle={Proceedings of IJCNLP}, year={2017}
}
@inproceedings{jiang2011evaluation,
  title={Evaluation via Negativa of {C}hinese Word Segmentation for Information Retrieval},
  author={Jiang, Mike Tian-Jian and Shih, Cheng-Wei and Tsai, Richard Tzong-Han and Hsu, Wen-Lian},
  booktitle={Proceedings of PACLIC}, year={2011}
}
@inproceedings{qian2016psychometric,
  title={A New Psychometric-inspired Evaluation Metric for {C}hinese Word Segmentation},
  author={Qian, Peng and Qiu, Xipeng and Huang, Xuanjing}, booktitle={Proceedings of ACL}, pages={2185--2194}, year={2016}
}
@techreport{arcade1999,
  title={{ARCADE}: Sentence track metrics},
  note={After Isabelle, P. and Simard, M. (1996), Propositions pour la repr{\\'e}sentation et l'{\\'e}valuation des
        alignements de textes parall{\\`e}les}
}
"""

_REFERENCE_URLS = [
    "https://aclanthology.org/I17-2015/",
    "https://aclanthology.org/P16-1206/",
    "https://aclanthology.org/Y11-1011/",
    "https://huggingface.co/spaces/transformersegmentation/segmentation_scores",
    "https://github.com/bootphon/wordseg",
]

#: The forms of an utterance, and the columns in which they are stored.
_FORMS = {"text": TEXT, "words": WORDS, "labels": LABELS}
_STORED = pa.schema(
    [(f"{side}_{name}", form) for side in ("references", "predictions") for name, form in _FORMS.items()]
)


def _features(form: pa.DataType) -> datasets.Features:
    """The features of a pair of columns of one of the canonical types."""
    return datasets.Features.from_arrow_schema(pa.schema([("predictions", form), ("references", form)]))


class SegmentationScores(evaluate.Metric):
    """Scores for word segmentation.

    Inputs given to one `compute` call are scored where they are. What `add` and `add_batch` bring is checked at once and kept
    as `evaluate` keeps it, in an Arrow file of the cache (or in memory), that other processes can share.
    """

    # The base class's own, which it leaves untyped.
    writer: Any
    buf_writer: Any
    data: Any
    selected_feature_format: Any
    cache_file_name: Any
    file_paths: Any
    filelock: Any
    filelocks: Any

    #: The form of what was added, null where nothing was.
    _stored_form: pa.DataType = pa.null()

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name != "default":
            raise ValueError(f"there is no configuration {self.config_name!r}: load the metric without one.")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS_DESCRIPTION,
            features=[_features(form) for form in _FORMS.values()],
            reference_urls=_REFERENCE_URLS,
            license="Apache-2.0",
        )

    @property
    def version(self) -> str:
        """The version of the scorer, to be reported with the scores."""
        return VERSION

    def score_groups(self) -> dict[str, dict[str, object]]:
        """What each score group is, by name: title, definition, formula, source and keys."""
        names = ("title", "definition", "formula", "source", "keys")
        return {group.name: {name: getattr(group, name) for name in names} for group in GROUPS.values()}

    def sweep(self, *, references: Any, boundary_scores: Any, **options: Any) -> dict[str, Any]:
        """Score a segmenter's boundary scores at every threshold, or at those given: see `sweep.sweep`."""
        return sweep(references, boundary_scores, **options)

    def difficulty(self, *, references: Any, committee: Any, **options: Any) -> list[npt.NDArray[np.float64]]:
        """Rate each reference word by the share of a committee that misses it: see `difficulty.rate_difficulty`."""
        return rate_difficulty(references, committee, **options)

    def balanced(self, *, references: Any, predictions: Any, difficulties: Any, **options: Any) -> dict[str, float]:
        """Score balanced by difficulty (Qian et al. 2016): see `difficulty.score_difficulty`."""
        return score_difficulty(references, predictions, difficulties, **options)

    def recovered_by_decile(
        self, *, references: Any, predictions: Any, difficulties: Any, **options: Any
    ) -> list[dict[str, float]]:
        """Count the words recovered in each tenth of the range of difficulty: see `difficulty.recovered_by_decile`."""
        return [asdict(decile) for decile in recovered_by_decile(references, predictions, difficulties, **options)]

    def alignment(self, *, references: Any, predictions: Any, **options: Any) -> dict[str, float]:
        """Score alignments of bitexts (ARCADE): see `alignment.score_alignment`."""
        return score_alignment(references, predictions, **options)

    def add(
        self, *, prediction: Any = None, reference: Any = None, predictions: Any = None, references: Any = None
    ) -> None:
        """Add one prediction and its reference.

        Args:
            prediction, reference: an utterance, in any form that `compute` takes.
            predictions, references: other names of the same two, under which `evaluate.combine` passes them.

        Raises:
            TypeError, ValueError: as `compute`. Nothing is added then.
        """
        prediction = predictions if prediction is None else prediction
        reference = references if reference is None else reference
        self._store(*read_pair([reference], [prediction]), one_by_one=True)

    def add_batch(self, *, predictions: Any = None, references: Any = None) -> None:
        """Add predictions and their references.

        Args:
            predictions, references: utterances, in any form that `compute` takes.

        Raises:
            TypeError, ValueError: as `compute`, or the form is not that of the batches before. Nothing is added then.
        """
        self._store(*read_pair(references, predictions))

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        scores: str | Sequence[str] = DEFAULT_SCORES,
        text_format: str = "units",
        word_boundary: str = DEFAULT_WORD_BOUNDARY,
        ignored_tokens: Sequence[str] = (),
        label_scheme: str | None = None,
        zero_division: float = 0.0,
        dictionary: Iterable[str] | None = None,
        acceptable: Iterable[str] = (),
        **unknown: Any,
    ) -> dict[str, float] | None:
        """Score predictions against references, those passed here and those added before.

        In a distributed run (`num_process` > 1) the first process returns the scores of all, the others return None.
        After an error in an option everything added before is still there; after an error in an utterance it is dropped,
        and the metric starts anew.
        """
        refuse_unknown(unknown)
        options = Options(
            scores=scores,
            text_format=text_format,
            word_boundary=word_boundary,
            ignored_tokens=ignored_tokens,
            label_scheme=label_scheme,
            zero_division=zero_division,
            dictionary=dictionary,
            acceptable=acceptable,
        )
        given = predictions is not None or references is not None
        if not given and self.writer is None and self.num_process == 1:
            raise ValueError("there is nothing to score: pass predictions and references, or add some before.")
        columns = read_pair(references, predictions) if given else (pa.chunked_array([pa.nulls(0)]),) * 2
        for form in (columns[0].type, self._stored_form):
            check_form(form, options)
        if self.writer is None and self.num_process == 1:
            return self._score(*columns, options)
        self._store(*columns)
        return self._score_stored(options)

    def _compute(
        self,
        *,
        predictions: Any,
        references: Any,
        scores: str | Sequence[str] = DEFAULT_SCORES,
        text_format: str = "units",
        word_boundary: str = DEFAULT_WORD_BOUNDARY,
        ignored_tokens: Sequence[str] = (),
        label_scheme: str | None = None,
        zero_division: float = 0.0,
        dictionary: Iterable[str] | None = None,
        acceptable: Iterable[str] = (),
    ) -> dict[str, float]:
        """Score one call's inputs; `evaluate` asks every module for this method."""
        options = Options(
            scores=scores,
            text_format=text_format,
            word_boundary=word_boundary,
            ignored_tokens=ignored_tokens,
            label_scheme=label_scheme,
            zero_division=zero_division,
            dictionary=dictionary,
            acceptable=acceptable,
        )
        columns = read_pair(references, predictions)
        check_form(columns[0].type, options)
        return self._score(*columns, options)

    def _score(self, references: Column, predictions: Column, options: Options) -> dict[str, float]:
        with evaluate.module.temp_seed(self.seed):
            return score_tally(tally_columns(references, predictions, options), options)

    def _store(self, references: Column, predictions: Column, *, one_by_one: bool = False) -> None:
        """Hand utterances to `evaluate`'s writer; one by one, it gathers them to batches first.

        Every form has a column of its own, null where an utterance has another form, or is a blank list and so of none:
        then the files of all processes fit together, whatever each of them was given.
        """
        form = references.type
        if len(references):
            self._check_stored_form(form)
        if self.writer is None:
            if not len(references) and self.num_process == 1:
                return
            self.selected_feature_format = datasets.Features.from_arrow_schema(_STORED)
            self._init_writer()
        columns = {
            f"{side}_{name}": column if kind == form else pa.chunked_array([pa.nulls(len(column), kind)])
            for side, column in (("references", references), ("predictions", predictions))
            for name, kind in _FORMS.items()
        }
        if one_by_one:
            self.writer.write({name: column[0].as_py() for name, column in columns.items()})
        elif len(references):
            self.writer.write_examples_on_file()
            self.writer.write_table(pa.table(columns))

    def _check_stored_form(self, form: pa.DataType) -> None:
        """Check a batch's form against those before, and note it.

        Raises:
            TypeError: they are mixed.
        """
        kept = self._stored_form
        if kept == pa.null() or (kept == BLANKS and form != TEXT):
            self._stored_form = form
        elif form != kept and (form != BLANKS or kept == TEXT):
            raise TypeError(
                f"mixed forms: this batch has {form_name(form)} and the ones before have {form_name(kept)}; expected the "
                f"same form in every batch."
            )

    def _score_stored(self, options: Options) -> dict[str, float] | None:
        """Score what was added, here and in the other processes, and forget it.

        The base class would turn the stored columns into Python lists first; here they stay in Arrow.
        """
        try:
            self._finalize()
            if self.process_id != 0:
                return None
            columns = read_pair(*(self._stored_column(side) for side in ("references", "predictions")))
            check_form(columns[0].type, options)
            return self._score(*columns, options)
        finally:
            self._forget()

    def _stored_column(self, side: str) -> Column:
        """One side of what was added by all processes, in its one form.

        Raises:
            TypeError: the processes have mixed forms.
        """
        columns = {name: self.data.data.column(f"{side}_{name}") for name in _FORMS}
        used = [name for name, column in columns.items() if column.null_count < len(column)]
        if not used:
            return pa.chunked_array([pa.array([[]] * len(self.data), BLANKS)])
        if len(used) > 1 or (used == ["text"] and columns["text"].null_count):
            kinds = " and ".join(form_name(form) for form in [*(_FORMS[name] for name in used), BLANKS][:2])
            raise TypeError(f"mixed forms: the processes have {kinds}; expected the same form in all.")
        column = columns[used[0]]
        if used == ["text"]:
            return column
        # A null is a blank utterance: its list is empty already, only the mark goes.
        return pa.chunked_array(
            [pa.LargeListArray.from_arrays(chunk.offsets, chunk.values) for chunk in column.chunks], column.type
        )

    def _forget(self) -> None:
        """Drop what was stored, with its cache files, and let go of their locks."""
        self.data = self.writer = self.buf_writer = None
        self.selected_feature_format = None
        self._stored_form = pa.null()
        if self.process_id == 0:
            locks = self.filelocks or ([self.filelock] if self.filelock else [])
            paths = self.file_paths or ([self.cache_file_name] if self.cache_file_name else [])
            for path in paths:
                Path(path).unlink(missing_ok=True)
            for lock in reversed(locks):
                lock.release()
        self.cache_file_name = self.filelock = self.filelocks = self.file_paths = None
