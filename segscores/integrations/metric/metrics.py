"""The metric that `evaluate.load` and `segscores.load` return.

`evaluate` instantiates the only class that it finds in the script, `SegmentationScores`, which returns an instance of
the requested configuration's class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import evaluate

from ...options.keywords import ComputeOptions, Unpack
from ...options.messages import OptionError
from ...options.option import check_needs
from ...options.table import OPTIONS, options_in
from ...reading.form import read_pair
from ...reading.inputs import Column
from ...reading.labels import drop_ignored
from ...reading.world import world_of
from ...scores import score_columns
from ...scoring.functions import with_options
from ...scoring.measures.deprecated import with_on_error
from ...scoring.plan import Plan, useful_defaults
from ...statistics.resampling import split_options
from .alignment import AlignmentScores
from .cards import DESCRIPTION, card
from .difficulty import DifficultyScores
from .storing import PairStoringMetric, StoringMetric, features_of_pairs


class SegmentationScores(PairStoringMetric):
    """Scores for word segmentation.

    `compute` scores its arguments and all examples that `add` and `add_batch` stored before. Options given at loading are the
    defaults of `compute`. The other tasks are functions of the package `segscores`.
    """

    def __new__(cls, config_name: str | None = None, **options: Any) -> Any:
        """Make an instance of the configuration's class; `evaluate.load` instantiates only this class."""
        if cls is SegmentationScores and config_name is not None and config_name in CONFIGURATIONS:
            return CONFIGURATIONS[config_name](config_name=config_name, **options)
        return super().__new__(cls)

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        super().__init__(config_name, **options)
        # The base class takes the argument `seed` as its own and does nothing with it. Here it is the option of this name.
        if options.get("seed") is not None:
            self.defaults["seed"] = options["seed"]
            self._check_options(self.defaults)

    def _info(self) -> evaluate.MetricInfo:
        """Return the card of the metric."""
        if self.config_name != "default":
            raise ValueError(
                f"there is no configuration {self.config_name!r}: load the metric without one, or one of "
                f"{', '.join(CONFIGURATIONS)}."
            )
        return card(DESCRIPTION, type(self).compute, *features_of_pairs())

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Raise an error for bad options at loading, and for the seed that `evaluate` took for itself."""
        # An option that the scores of loading do not have is no error, because a call may select other scores.
        plan, _resampling, _values = split_options(useful_defaults(options, {}))
        _refuse_worlds(plan)

    def add_batch(self, *, predictions: Any = None, references: Any = None, ignore_index: int | None = None) -> None:
        """Add predictions and their references.

        Args:
            predictions, references: utterances, in any form that `compute` takes.
            ignore_index: the label that marks positions of the references to ignore, such as -100: they are dropped on
                both sides. Utterances with different numbers of labels are an error, unless the metric was loaded with
                `on_error="skip"`.

        Raises:
            TypeError: an utterance has no known form, or another form than the utterances before.
            ValueError: different numbers of predictions and references. Nothing is added after an error.
        """
        pair: Sequence[Column] = read_pair(references, predictions)
        if ignore_index is not None:
            # `with_on_error` also reads the option's deprecated name.
            skips = with_on_error(self.defaults).get("on_error") == "skip"
            pair = drop_ignored(pair, ignore_index, may_differ=skips)
        self._store_pair(*pair)

    @with_options
    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Unpack[ComputeOptions]
    ) -> dict[str, float] | None:
        """Score predictions against references: the arguments, and the examples added before.

        In a distributed run (`num_process` > 1) the first process returns the scores of all, and the others return
        None. After an error all added examples remain: call `compute` again, or `reset`.

        Args:
            predictions: segmented utterances: strings, lists of words, or lists of labels (one per unit).
            references: the same, in the same form, with the same units.
            **options: those of scoring, reading and intervals.

        Returns:
            A dict of plain floats, in [0, 1] and higher is better unless the group says otherwise:
            `{boundary_all,boundary_noedge,token,type}_{precision,recall,fscore}` and `token_tnr`, as selected by
            `scores`; `dictionary_{tpr,ppv,tnr,npv}` with a dictionary. Labels do not say what the words are, so there
            are no type scores for labels.

        Raises:
            TypeError: an input is missing or has no known form; mixed forms; an unknown option.
            ValueError: the format of recordings, which `segscores.score` takes;
                different numbers of predictions and references, or different units in a pair; a bad value of an option.
                The message names the utterance.

        Examples:
            >>> metric = evaluate.load("segmentation_scores.py")
            >>> scores = metric.compute(
            ...     references=["the dog is on the boat"], predictions=["thedog is on the boat"], text_format="words"
            ... )
            >>> {key: round(value, 2) for key, value in scores.items() if key.startswith("token")}
            {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73, 'token_tnr': 0.99}
        """
        merged = {**useful_defaults(self.defaults, options), **options}
        plan, resampling, _values = split_options(merged)
        _refuse_worlds(plan)
        check_needs(options, options_in(ComputeOptions), values=merged)
        has_inputs = predictions is not None or references is not None
        pair = read_pair(references, predictions) if has_inputs else None
        return self._score_pair(pair, plan.reading, lambda left, right: score_columns(left, right, plan, resampling))


def _refuse_worlds(plan: Plan) -> None:
    """Raise an error for utterances that the metric cannot store: those of worlds, such as recordings."""
    world = world_of(plan.reading)
    # Text and labels, which are stored, have no world.
    if world is not None:
        problem = (
            f": the metric stores text and labels, and no {world.noun}: use segscores.score with the same options."
        )
        raise OptionError(OPTIONS["text_format"].set(world.name), problem)


#: The configurations, by the name that `evaluate.load` takes as its second argument.
CONFIGURATIONS: dict[str, type[StoringMetric]] = {"difficulty": DifficultyScores, "alignment": AlignmentScores}
