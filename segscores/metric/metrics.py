"""The metric and its configurations: card texts, input features, and options passed on to a call; nothing else.

`evaluate.load` makes `SegmentationScores`, the first class here, which hands over to that of the configuration asked for.

`evaluate.load` copies this file and those siblings that it imports directly, so it imports every module of the kernel itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import datasets
import evaluate
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..analysis.alternatives import score_alternatives
from ..analysis.annotators import score_agreement, score_constituents
from ..analysis.differences import Difference, find_differences
from ..analysis.difficulty import (
    DIFFICULTIES,
    check_rated_counts,
    rate_difficulty,
    read_difficulties,
    recovered_by_decile,
    score_difficulty,
)
from ..analysis.drawing import STYLE, draw_curves, draw_differences, draw_difficulties, draw_links, draw_scores
from ..analysis.error_analysis import ErrorAnalysis, analyse_errors
from ..analysis.levels import score_levels
from ..analysis.thresholds import segment_at, sweep
from ..bitext.alignment import LEVELS, score_alignment, select_levels
from ..bitext.bitexts import BISEGMENTS, bitexts_to_arrow, parse_bisegments
from ..kernel.comparison import Comparison
from ..kernel.errors import UtteranceError
from ..kernel.formulas import check_zero_division
from ..kernel.lexicon import Lexicon
from ..kernel.names import check_names
from ..kernel.segmentation import Segmentation
from ..kernel.unit_alignment import compare_mismatched
from ..measures.agreement import tally_agreement
from ..measures.constituent import tally_constituent
from ..measures.dictionary import Dictionary
from ..measures.exact import tally_exact
from ..measures.oov import Vocabulary
from ..measures.rand import tally_rand
from ..measures.rates import tally_rates
from ..measures.registry import GROUPS
from ..measures.similarity import tally_similarity
from ..measures.tolerance import tally_tolerance
from ..measures.windows import tally_windows
from ..measures.word_error import tally_word_error
from ..reading.boundary_scores import BoundaryScores
from ..reading.conllu import parse_conllu
from ..reading.inputs import WORDS, Column, read_pair
from ..reading.normalization import normalize_units
from ..reading.options import Reading
from ..reading.parts import check_form
from ..reading.readers import DEFAULT_WORD_BOUNDARY
from ..reading.texts import TextForm, Utterances, parse_numbers, read_texts, recognise_form
from ..scale.dataset_scores import score_dataset, tally_dataset
from ..scale.spilling_lexicon import SpillingLexicon
from ..scoring.corpus_tally import CorpusTally, tally
from ..scoring.options import Plan
from ..scoring.skipping import LeftOut
from ..scoring.tally import Tally
from ..statistics.corpus_scores import ComputeOptions, score, score_columns, split_options
from ..statistics.resampling import intervals
from ..statistics.significance import compare_systems
from ..statistics.signing import sign_scoring
from ..statistics.system_comparison import SystemComparison, compare_predictions
from ..statistics.utterance_scores import Resampling, per_utterance
from ..training.compute_metrics import ComputeMetrics, as_compute_metrics, preprocess_logits_for_metrics
from ..training.distributed import gather_tally
from .cards import (
    ALIGNMENT_DESCRIPTION,
    ALIGNMENT_INPUTS_DESCRIPTION,
    CITATION,
    DESCRIPTION,
    DIFFICULTY_DESCRIPTION,
    DIFFICULTY_INPUTS_DESCRIPTION,
    INPUTS_DESCRIPTION,
    REFERENCE_URLS,
)
from .storing import PairStoringMetric, StoringMetric, features_of_pairs

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Some stand here only so that `evaluate` copies their modules.
__all__ = [
    "AlignmentScores",
    "BoundaryScores",
    "Comparison",
    "CorpusTally",
    "Dictionary",
    "DifficultyScores",
    "LeftOut",
    "Lexicon",
    "Segmentation",
    "SegmentationScores",
    "SpillingLexicon",
    "Tally",
    "UtteranceError",
    "Vocabulary",
    "compare_mismatched",
    "compare_systems",
    "intervals",
    "normalize_units",
    "parse_conllu",
    "tally_agreement",
    "tally_constituent",
    "tally_exact",
    "tally_rand",
    "tally_rates",
    "tally_similarity",
    "tally_tolerance",
    "tally_windows",
    "tally_word_error",
]

_DIFFICULTY_OPTIONS = ("text_format", "word_boundary", "ignored_tokens", "label_scheme", "zero_division")


def _card(description: str, inputs_description: str, features: list[datasets.Features]) -> evaluate.MetricInfo:
    return evaluate.MetricInfo(
        description=description,
        citation=CITATION,
        inputs_description=inputs_description,
        features=features,
        reference_urls=REFERENCE_URLS,
        license="Apache-2.0",
    )


def _describe(kinds: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    names = ("title", "definition", "formula", "source", "keys", "columns")
    return {name: {field: getattr(kind, field) for field in names} for name, kind in kinds.items()}


class SegmentationScores(PairStoringMetric):
    """Scores for word segmentation.

    Inputs given to one `compute` call are scored where they are. What `add` and `add_batch` bring is checked at once and
    stored (see `storing`).
    """

    def __new__(cls, config_name: str | None = None, **options: Any) -> Any:
        """The metric of a configuration; `evaluate.load` makes the one class that it finds here."""
        if cls is SegmentationScores and config_name is not None and config_name in CONFIGURATIONS:
            return CONFIGURATIONS[config_name](config_name=config_name, **options)
        return super().__new__(cls)

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name != "default":
            raise ValueError(
                f"there is no configuration {self.config_name!r}: load the metric without one, or one of "
                f"{', '.join(CONFIGURATIONS)}."
            )
        return _card(DESCRIPTION, INPUTS_DESCRIPTION, features_of_pairs())

    def score_groups(self) -> dict[str, dict[str, object]]:
        """What each score group is, by name: title, definition, formula, source, keys, and the counts that it reads."""
        return _describe(GROUPS)

    def tally(self, *, references: Any, predictions: Any, **options: Any) -> CorpusTally:
        """Tally a part of a corpus, to be summed, kept or sent: see `corpus_tally.tally`. Options are those of `compute`."""
        return tally(references, predictions, **options)

    def gather(self, tally: CorpusTally) -> CorpusTally:
        """Sum the tallies of all processes of a torch.distributed run, on each of them: see `distributed.gather_tally`."""
        return gather_tally(tally)

    def as_compute_metrics(self, **options: Any) -> ComputeMetrics:
        """Make a callable for `Trainer(compute_metrics=…)`: see `training.ComputeMetrics` for the options."""
        return as_compute_metrics(**options)

    @staticmethod
    def preprocess_logits_for_metrics(logits: Any, labels: Any = None) -> Any:
        """Keep class ids alone, for the Trainer's argument of this name: see `training.preprocess_logits_for_metrics`."""
        return preprocess_logits_for_metrics(logits, labels)

    def differences(self, *, references: Any, predictions: Any, **options: Any) -> list[Difference]:
        """The utterances as both sides cut them, to be looked at: see `differences.find_differences`."""
        return find_differences(references, predictions, **options)

    def recognise_form(self, *texts: str) -> TextForm:
        """In which form texts are: see `texts.recognise_form`."""
        return recognise_form(*texts)

    def read_texts(self, texts: Sequence[str], form: TextForm) -> list[Utterances]:
        """The utterances of texts: see `texts.read_texts`."""
        return read_texts(texts, form)

    def alignment_levels(self) -> dict[str, dict[str, object]]:
        """What each level of `alignment` is, by name, as `score_groups` says it of the groups."""
        return _describe(LEVELS)

    def errors(self, *, references: Any, predictions: Any, **options: Any) -> ErrorAnalysis:
        """What went wrong, by class, by word and by chunk: see `error_analysis.analyse_errors`."""
        return analyse_errors(references, predictions, **options)

    def compare(
        self, *, references: Any, systems: Mapping[str, Any], baseline: str | None = None, **options: Any
    ) -> SystemComparison:
        """Compare systems on one reference, with intervals and tests: see `system_comparison.compare_predictions`."""
        return compare_predictions(references, systems, baseline=baseline, **options)

    def per_utterance(self, *, references: Any, predictions: Any, **options: Any) -> list[dict[str, float]]:
        """The scores of each utterance: see `utterance_scores.per_utterance`."""
        return per_utterance(references, predictions, **options)

    def signature(self, *, references: Any, **options: Any) -> str:
        """How scores of these references come about, in one line: see `signature.sign_scoring`."""
        return sign_scoring(references, **options)

    def score_levels(self, *, references: Any, predictions: Any, **options: Any) -> dict[str, dict[str, float]]:
        """Score each level of a text that has several, such as words and syllables: see `levels.score_levels`."""
        return score_levels(references, predictions, **options)

    def score_dataset(self, dataset: Any, **options: Any) -> dict[str, float]:
        """Score two columns of a dataset where it is, in constant memory: see `dataset_scores.score_dataset`."""
        return score_dataset(dataset, **options)

    def tally_dataset(self, dataset: Any, **options: Any) -> CorpusTally:
        """Tally two columns of a shard of a dataset: see `dataset_scores.tally_dataset`."""
        return tally_dataset(dataset, **options)

    def score_alternatives(self, *, references: Sequence[Any], predictions: Any, **options: Any) -> dict[str, float]:
        """Score against several acceptable references: see `alternatives.score_alternatives`."""
        return score_alternatives(references, predictions, **options)

    def constituents(self, *, references: Any, morphemes: Any, predictions: Any, **options: Any) -> dict[str, float]:
        """Score against words and the morphemes inside them: see `further_references.score_constituents`."""
        return score_constituents(references, morphemes, predictions, **options)

    def agreement(self, *, annotators: Sequence[Any], **options: Any) -> dict[str, float]:
        """The agreement of two or more annotators: see `further_references.score_agreement`."""
        return score_agreement(annotators, **options)

    def segment_at(self, *, references: Any, boundary_scores: Any, **options: Any) -> list[str] | list[list[str]]:
        """The prediction at one threshold on boundary scores: see `sweep.segment_at`."""
        return segment_at(references, boundary_scores, **options)

    parse_bisegments = staticmethod(parse_bisegments)
    parse_numbers = staticmethod(parse_numbers)

    #: What draws, see `drawing`.
    drawing_style = STYLE
    draw_curves = staticmethod(draw_curves)
    draw_differences = staticmethod(draw_differences)
    draw_difficulties = staticmethod(draw_difficulties)
    draw_links = staticmethod(draw_links)
    draw_scores = staticmethod(draw_scores)

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
        self._store_pair(*read_pair([reference], [prediction]), one_by_one=True)

    def add_batch(self, *, predictions: Any = None, references: Any = None) -> None:
        """Add predictions and their references.

        Args:
            predictions, references: utterances, in any form that `compute` takes.

        Raises:
            TypeError, ValueError: as `compute`, or the form is not that of the batches before. Nothing is added then.
        """
        self._store_pair(*read_pair(references, predictions))

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Unpack[ComputeOptions]
    ) -> dict[str, float] | None:
        """Score predictions against references, those passed here and those added before.

        In a distributed run (`num_process` > 1) the first process returns the scores of all, the others return None.
        After an error in an option everything added before is still there; after an error in an utterance it is dropped,
        and the metric starts anew.
        """
        plan, resampling = split_options(**options)
        given = self._check_something_given(predictions, references)
        columns = read_pair(references, predictions) if given else (pa.chunked_array([pa.nulls(0)]),) * 2
        for form in (columns[0].type, self._stored_form):
            check_form(form, plan.reading)
        if self._scores_at_once:
            return self._score(*columns, plan, resampling)
        self._store_pair(*columns)
        return self._score_stored(lambda: self._score(*read_pair(*self._stored_pair()), plan, resampling))

    def _compute(self, **options: Any) -> dict[str, float]:
        """Score one call's inputs; `evaluate` asks every module for this method."""
        return score(**options)

    def _score(self, references: Column, predictions: Column, plan: Plan, resampling: Resampling) -> dict[str, float]:
        with evaluate.module.temp_seed(self.seed):
            return score_columns(references, predictions, plan, resampling)


class DifficultyScores(PairStoringMetric):
    """Scores of a segmentation balanced by the difficulty of the reference's words: the configuration "difficulty"."""

    stored_columns: ClassVar[dict[str, pa.DataType]] = {
        **PairStoringMetric.stored_columns,
        "difficulties": DIFFICULTIES,
    }

    def _info(self) -> evaluate.MetricInfo:
        features = features_of_pairs(difficulties=DIFFICULTIES)
        return _card(DIFFICULTY_DESCRIPTION, DIFFICULTY_INPUTS_DESCRIPTION, features)

    def difficulty(self, *, references: Any, committee: Any, **options: Any) -> list[npt.NDArray[np.float64]]:
        """Rate each reference word by the share of a committee that misses it: see `difficulty.rate_difficulty`."""
        return rate_difficulty(references, committee, **options)

    def recovered_by_decile(
        self, *, references: Any, predictions: Any, difficulties: Any, **options: Any
    ) -> list[dict[str, float]]:
        """Count the words recovered in each tenth of the range of difficulty: see `difficulty.recovered_by_decile`."""
        return [asdict(decile) for decile in recovered_by_decile(references, predictions, difficulties, **options)]

    def add(
        self,
        *,
        prediction: Any = None,
        reference: Any = None,
        predictions: Any = None,
        references: Any = None,
        difficulties: Any = None,
    ) -> None:
        """Add one prediction, its reference and the difficulties of the reference's words.

        Args:
            prediction, reference: an utterance, in any form that `compute` takes.
            predictions, references: other names of the same two, under which `evaluate.combine` passes them.
            difficulties: a number in [0, 1] for each word of the reference.

        Raises:
            TypeError, ValueError: as `compute`. Nothing is added then.
        """
        prediction = predictions if prediction is None else prediction
        reference = references if reference is None else reference
        self._store_rated([reference], [prediction], [difficulties], one_by_one=True)

    def add_batch(self, *, predictions: Any = None, references: Any = None, difficulties: Any = None) -> None:
        """Add predictions, their references and the difficulties of the references' words.

        Args:
            predictions, references: utterances, in any form that `compute` takes.
            difficulties: an utterance each, a number in [0, 1] for each word of the reference.

        Raises:
            TypeError, ValueError: as `compute`, or the form is not that of the batches before. Nothing is added then.
        """
        self._store_rated(references, predictions, difficulties)

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        difficulties: Any = None,
        text_format: str = "units",
        word_boundary: str = DEFAULT_WORD_BOUNDARY,
        ignored_tokens: Sequence[str] = (),
        label_scheme: str | None = None,
        zero_division: float = 0.0,
        **unknown: Any,
    ) -> dict[str, float] | None:
        """Score predictions against references, those passed here and those added before.

        As in the metric without a configuration, the first process of a distributed run returns the scores of all.
        """
        check_names(unknown, _DIFFICULTY_OPTIONS)
        options: dict[str, Any] = {
            "text_format": text_format,
            "word_boundary": word_boundary,
            "ignored_tokens": ignored_tokens,
            "label_scheme": label_scheme,
            "zero_division": zero_division,
        }
        check_zero_division(zero_division)
        checked = Reading.of(**{name: value for name, value in options.items() if name != "zero_division"})
        given = self._check_something_given(predictions, references, difficulties)
        check_form(self._stored_form, checked)
        if given and self._scores_at_once:
            return self._compute(predictions=predictions, references=references, difficulties=difficulties, **options)
        if given:
            check_form(read_pair(references, predictions)[0].type, checked)
        nothing: list[Any] = []
        self._store_rated(*((references, predictions, difficulties) if given else (nothing,) * 3))
        return self._score_stored(
            lambda: score_difficulty(*self._stored_pair(), self._stored_column("difficulties"), **options)
        )

    def _compute(
        self,
        *,
        predictions: Any,
        references: Any,
        difficulties: Any,
        text_format: str = "units",
        word_boundary: str = DEFAULT_WORD_BOUNDARY,
        ignored_tokens: Sequence[str] = (),
        label_scheme: str | None = None,
        zero_division: float = 0.0,
    ) -> dict[str, float]:
        """Score one call's inputs; `evaluate` asks every module for this method."""
        return score_difficulty(
            references,
            predictions,
            difficulties,
            text_format=text_format,
            word_boundary=word_boundary,
            ignored_tokens=ignored_tokens,
            label_scheme=label_scheme,
            zero_division=zero_division,
        )

    def _store_rated(self, references: Any, predictions: Any, difficulties: Any, *, one_by_one: bool = False) -> None:
        columns = read_pair(references, predictions)
        rated = read_difficulties(difficulties)
        check_rated_counts(rated, len(columns[0]))
        self._store_pair(*columns, difficulties=rated.to_arrow(), one_by_one=one_by_one)


class AlignmentScores(StoringMetric):
    """Scores of the alignment of two texts: the configuration "alignment"."""

    stored_columns: ClassVar[dict[str, pa.DataType]] = {
        "references": BISEGMENTS,
        "predictions": BISEGMENTS,
        "sources": WORDS,
        "targets": WORDS,
    }

    #: Whether what was added has the texts of the segments, None where nothing was added.
    _stored_texts: bool | None = None

    def _info(self) -> evaluate.MetricInfo:
        features = [datasets.Features.from_arrow_schema(pa.schema(self.stored_columns))]
        return _card(ALIGNMENT_DESCRIPTION, ALIGNMENT_INPUTS_DESCRIPTION, features)

    def levels(self) -> dict[str, dict[str, object]]:
        """What each level of the option `scores` is, by name, as `SegmentationScores.score_groups` says it of the groups."""
        return _describe(LEVELS)

    def add(
        self,
        *,
        prediction: Any = None,
        reference: Any = None,
        source: Any = None,
        target: Any = None,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
        targets: Any = None,
    ) -> None:
        """Add the predicted alignment of one bitext and its reference.

        Args:
            prediction, reference: a list of bisegments.
            source, target: lists of strings, the texts of the segments.
            predictions, references, sources, targets: other names of the same, under which `evaluate.combine` passes them.

        Raises:
            TypeError, ValueError: as `compute`. Nothing is added then.
        """
        single = (
            references if reference is None else reference,
            predictions if prediction is None else prediction,
            sources if source is None else source,
            targets if target is None else target,
        )
        self._store_bitexts(*(None if values is None else [values] for values in single), one_by_one=True)

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, targets: Any = None
    ) -> None:
        """Add the predicted alignments of bitexts and their references.

        Args:
            predictions, references: for every bitext a list of bisegments.
            sources, targets: for every bitext a list of strings, the texts of its segments.

        Raises:
            TypeError, ValueError: as `compute`, or texts are given with some batches only. Nothing is added then.
        """
        self._store_bitexts(references, predictions, sources, targets)

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
        targets: Any = None,
        scores: str | Sequence[str] | None = None,
        zero_division: float = 0.0,
        **unknown: Any,
    ) -> dict[str, float] | None:
        """Score predicted alignments against references, those passed here and those added before.

        As in the metric without a configuration, the first process of a distributed run returns the scores of all.
        """
        check_names(unknown, ("scores", "zero_division"))
        given = self._check_something_given(predictions, references, sources, targets)
        check_zero_division(zero_division)
        # What other processes have is known when all have come together.
        here = self._stored_texts if self._stored_texts is not None else sources is not None if given else True
        select_levels(scores, texts_known=here)
        if given and self._scores_at_once:
            return self._compute(
                predictions=predictions,
                references=references,
                sources=sources,
                targets=targets,
                scores=scores,
                zero_division=zero_division,
            )
        if given:
            self._store_bitexts(references, predictions, sources, targets)
        elif self.writer is None:
            self._store_rows({name: pa.chunked_array([], kind) for name, kind in self.stored_columns.items()})
        return self._score_stored(
            lambda: self._compute(**self._stored_bitexts(), scores=scores, zero_division=zero_division)
        )

    def _compute(
        self,
        *,
        predictions: Any,
        references: Any,
        sources: Any = None,
        targets: Any = None,
        scores: str | Sequence[str] | None = None,
        zero_division: float = 0.0,
    ) -> dict[str, float]:
        """Score one call's inputs; `evaluate` asks every module for this method."""
        return score_alignment(
            references, predictions, sources=sources, targets=targets, scores=scores, zero_division=zero_division
        )

    def _store_bitexts(
        self, references: Any, predictions: Any, sources: Any, targets: Any, *, one_by_one: bool = False
    ) -> None:
        columns = bitexts_to_arrow(references, predictions, sources, targets)
        given = sources is not None
        if self._stored_texts not in (None, given):
            before, now = ("with", "without") if self._stored_texts else ("without", "with")
            raise ValueError(
                f"this batch comes {now} sources and targets and the ones before {before}: pass them always or never."
            )
        self._stored_texts = given
        self._store_rows(columns, one_by_one=one_by_one)

    def _stored_bitexts(self) -> dict[str, Any]:
        """What was added by all processes, as `compute` takes it."""
        columns = {name: self._stored_column(name) for name in self.stored_columns}
        missing = columns["sources"].null_count
        if missing == len(columns["sources"]):
            return columns | {"sources": None, "targets": None}
        if missing:
            raise ValueError("some processes have sources and targets and some have not: pass them always or never.")
        return columns

    def _forget(self) -> None:
        super()._forget()
        self._stored_texts = None


#: The configurations, by the name that `evaluate.load` takes as its second argument.
CONFIGURATIONS: dict[str, type[StoringMetric]] = {"difficulty": DifficultyScores, "alignment": AlignmentScores}
