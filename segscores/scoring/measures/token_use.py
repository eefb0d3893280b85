"""Token use: how evenly a text uses the tokens of a vocabulary.

Conventions
-----------
- The tokens are those of the prediction: a tokenizer's ids, or where the prediction is text its words. n is how often a token
  occurs, N the sum of all n, V the number of distinct tokens that occur.
- The entropy of order α is H = log2(Σ (n / N)^α) / (1 − α), of order 1 Shannon's. Rényi efficiency is H / log2 V.
- Vocabulary use is V / size, for the size of the tokenizer's vocabulary, or `vocabulary_size`, which takes the place of V in the
  efficiency too.

These are no sums over utterances, but every n is. The jackknife has the scores without each utterance in time linear in the text:
without one, only the terms of its own tokens change.

The efficiency depends on V, and so on the length of the text: compare tokenizers on one text. It can rise while translation gets
worse (Cognetta et al. 2024).

Deviation: tokenization-scorer 1.1.8 has 0 for order 1.

Source
------
Zouhar, Meister, Gastaldi, Du, Sachan & Cotterell (2023), Tokenization and the Noiseless Channel, ACL, 5184-5207.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Floats, Positions, int64_array, last_of, numbers_of
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, as_score, divide
from ...kernel.incidence import Incidence, add_counts
from ...kernel.record import record
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.reading import Reading
from ..stored import check_keys, read_counts
from .group import UNBOUNDED, Key, ScoreGroup
from .statistic import SideName, Statistic, UtteranceStatistic

_COLUMNS = ("token_entropy", "token_capacity", "token_types", "token_vocabulary")
#: The distance of the order from 1 below which sums of powers are computed by their differences from sums of counts.
_NEAR_SHANNON = 0.1
#: The share of a sum below which a rest of it is not computed as a difference: its 16 digits are 10 then.
_LEAST_LEFT = 1e-6


@record
class TokenUseOfUtterances(UtteranceStatistic):
    """The tokens of each utterance, each with its count, int64."""

    incidence: Incidence
    use: TokenUse  #: the options and the size of the vocabulary, without counts

    @classmethod
    def of(cls, comparison: Comparison, **arguments: Any) -> TokenUseOfUtterances:
        """Count the tokens of each utterance."""
        predicted = tokens_of(comparison)
        utterance_count = len(predicted.counts)
        utterances = np.repeat(np.arange(utterance_count), predicted.counts)
        ones = np.ones(len(utterances), np.int64)
        # Each occurrence of a token counts 1, and the ones of a token in an utterance are added up.
        incidence = Incidence.of(names_of(predicted.tokens), utterances, ones, utterance_count, add_counts)
        return cls(incidence, TokenUse(**arguments, size=predicted.vocabulary_size))

    def with_incidence(self, incidence: Incidence) -> TokenUseOfUtterances:
        """Return the counts of tokens of other utterances."""
        return replace(self, incidence=incidence)

    def of_side(self, side: SideName) -> TokenUseOfUtterances:
        """Return the counts of a side; those of the reference are 0."""
        if side == "prediction":
            return self
        return self.with_incidence(replace(self.incidence, values=0 * self.incidence.values))

    def totals(self) -> dict[str, Any]:
        """Return the columns of the group, as `TokenUse.totals`."""
        # The columns do not depend on the names of tokens: their numbers serve as names.
        counts = Counter({str(token): count for token, count in enumerate(self._count_all().tolist()) if count > 0})
        return replace(self.use, counts=counts).totals()

    def by_utterance(self) -> Tallied:
        """Return the columns of the group for each utterance."""
        columns = []
        # A block has some neighbouring utterances: for each pair of an utterance and a token, how often the token occurs there.
        for block in self.incidence.slices():
            # Counts are in units of the largest one of their utterance, as in `TokenUse.totals`.
            largest = np.ones(len(block.ends))
            np.maximum.at(largest, block.utterances, block.values)
            sums = block.sum_pairs(self.use.terms(block.values / largest[block.utterances]))
            types = block.sum_pairs(block.values > 0)
            tokens = block.sum_pairs(block.values)
            columns.append(self.use.columns(sums, types, tokens / largest))
        return _joined(columns)

    def without_each(self) -> Tallied:
        """Return the columns of the group without each utterance."""
        counts_of_all = self._count_all()
        # Counts are in units of the largest one, as in `TokenUse.totals`.
        largest = counts_of_all.max(initial=1)
        sum_of_all = self.use.terms(counts_of_all / largest).sum()
        types_of_all = np.count_nonzero(counts_of_all)
        tokens_of_all = counts_of_all.sum()
        columns = []
        for block in self.incidence.slices():
            # Without an utterance, only the terms of its tokens change: a pair of an utterance and a token has the count of the
            # token in all utterances, and in the others.
            in_all = counts_of_all[block.ids]
            in_others = in_all - block.values
            sums = sum_of_all - block.sum_pairs(self.use.terms(in_all / largest) - self.use.terms(in_others / largest))
            types = types_of_all - block.sum_pairs((in_all > 0) & (in_others == 0))
            tokens = tokens_of_all - block.sum_pairs(in_all - in_others)
            largest_of_each = np.full(len(sums), float(largest))
            # A difference of which little is left has lost its digits, so that its sum is computed anew. Only few utterances can
            # each have nearly all of the sum.
            is_lost = sums < _LEAST_LEFT * sum_of_all
            for utterance in np.flatnonzero(is_lost & self.use.has_powers).tolist():
                others = counts_of_all - _counts_of(block, utterance)
                largest_of_each[utterance] = others.max(initial=1)
                sums[utterance] = self.use.terms(others / largest_of_each[utterance]).sum()
            columns.append(self.use.columns(sums, types, tokens / largest_of_each))
        return _joined(columns)

    def _count_all(self) -> Positions:
        """Count how often each token occurs in all utterances, int64 (n_tokens,)."""
        incidence = self.incidence
        return np.bincount(incidence.ids, incidence.values, len(incidence.things)).astype(np.int64)


def _counts_of(block: Incidence, utterance: int) -> Positions:
    """Return how often each token occurs in one utterance, int64 (n_tokens,)."""
    pairs = slice(last_of(block.ends[:utterance]), block.ends[utterance])
    counts = np.zeros(len(block.things), np.int64)
    counts[block.ids[pairs]] = block.values[pairs]
    return counts


def _joined(blocks: Sequence[Tallied]) -> Tallied:
    """Return the columns of consecutive utterances as one."""
    names, *_ = blocks
    return {name: np.concatenate([columns[name] for columns in blocks]) for name in names}


@dataclass
class TokenUse(Statistic):
    """The counts of tokens, which grow part by part."""

    fields: ClassVar = ("token_counts",)
    utterance_statistic: ClassVar = TokenUseOfUtterances

    renyi_order: float
    vocabulary_size: int | None
    size: int = 0  #: of the tokenizer's vocabulary; 0 if it is unknown
    #: how often each token occurs, by its name: the id of a tokenizer's token
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, comparison: Comparison, beside: Any = None, **settings: Any) -> TokenUse:  # noqa: ARG003
        """Count the tokens of all utterances together: the naive equivalent is `collections.Counter(tokens)`."""
        predicted = tokens_of(comparison)
        encoded = predicted.tokens.dictionary_encode()
        counts = np.bincount(numbers_of(encoded.indices), minlength=len(encoded.dictionary)).tolist()
        names = names_of(encoded.dictionary).cast(pa.large_string()).to_pylist()
        counts_by_name = Counter(dict(zip(names, counts, strict=True)))
        return cls(**settings, size=predicted.vocabulary_size, counts=counts_by_name)

    def of_side(self, side: SideName) -> TokenUse:
        """Return the counts of a side; the reference has none."""
        if side == "prediction":
            return self
        return replace(self, counts=Counter())

    def copy(self) -> TokenUse:
        """Return an independent statistic with the same counts."""
        return replace(self, counts=self.counts.copy())

    def stored(self) -> dict[str, Any]:
        """Return the size of the vocabulary, and the counts by the names of tokens."""
        return {"token_counts": {"size": self.size, "counts": dict(sorted(self.counts.items()))}}

    @classmethod
    def read(cls, values: Mapping[str, Any], options: Mapping[str, Any]) -> TokenUse:
        """Return the counts that `stored` gave."""
        stored = values["token_counts"]
        check_keys("token_counts", stored, ("size", "counts"))
        # The size is a count too, for its checks.
        size = read_counts({"size": stored["size"]}, ["size"])["size"]
        tokens = ["TOKEN"]  # for the error of counts that are no dict
        if isinstance(stored["counts"], Mapping):
            # A dict that is not from JSON may have names that are no strings.
            tokens = list(map(str, stored["counts"]))
        counts = Counter(read_counts(stored["counts"], tokens))
        return cls(
            renyi_order=options["renyi_order"], vocabulary_size=options["vocabulary_size"], size=size, counts=counts
        )

    def update(self, other: TokenUse) -> None:
        """Add the counts of another part of the corpus."""
        self.size = max(self.size, other.size)
        self.counts.update(other.counts)

    def totals(self) -> dict[str, Any]:
        """Return the columns of the group.

        >>> TokenUse(1.0, None, counts=Counter("aabb")).totals()
        {'token_entropy': 1.0, 'token_capacity': 1.0, 'token_types': 2, 'token_vocabulary': 0}
        """
        counts = np.array(sorted(self.counts.values()), np.float64)
        types = len(counts)
        if self.vocabulary_size is not None and self.vocabulary_size < types:
            problem = f": the text has {types} distinct tokens: expected the size of the whole vocabulary."
            raise OptionError(OPTIONS["vocabulary_size"].set(self.vocabulary_size), problem)
        # The entropy is the same with all counts in units of the largest one. The powers of a high order of counts are no floats,
        # and those of shares may all be 0. In this order and exactly rounded, the sum is the same however the corpus is cut.
        largest = counts.max(initial=1)
        sum_of_terms = math.fsum(self.terms(counts / largest).tolist())
        # One text.
        columns = self.columns(np.array([sum_of_terms]), np.array([float(types)]), np.array([counts.sum() / largest]))
        totals: dict[str, Any] = {column: value_of_text.item() for column, (value_of_text,) in columns.items()}
        for column in ("token_types", "token_vocabulary"):
            totals[column] = int(totals[column])
        return totals

    @property
    def has_powers(self) -> bool:
        """True if the terms are powers, of whose sum the entropy takes the logarithm."""
        return self.renyi_order != 1 and not self._is_near_shannon

    @property
    def _is_near_shannon(self) -> bool:
        """True if the order is so near 1 that Σ n^α and N^α are nearly equal, and their ratio loses digits."""
        return abs(self.renyi_order - 1) < _NEAR_SHANNON

    def terms(self, counts: npt.NDArray[Any]) -> Floats:
        """Return the terms of the sum in the entropy, from counts or shares; 0 for 0."""
        counts = counts.astype(np.float64)
        # A count of 0 has no logarithm, and its power of order 0 would be 1.
        safe = np.where(counts > 0, counts, 1)
        if self.renyi_order == 1:
            return counts * np.log2(safe)
        if self._is_near_shannon:
            return counts * np.expm1((self.renyi_order - 1) * np.log(safe))
        return np.where(counts > 0, safe**self.renyi_order, 0.0)

    def columns(self, sums: Floats, types: Floats, totals: Floats) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of several texts, from the sums of their `terms`, their distinct tokens and their tokens.

        All are arrays with a value for each text.
        """
        # A text without tokens has no logarithms: with 1 in place of 0 they are defined, and its entropy is 0.
        has_tokens = types > 0
        sums = np.where(has_tokens, sums, 1)
        totals = np.where(has_tokens, totals, 1)
        if self.renyi_order == 1:
            # The sums are Σ n log2 n: H = log2 N − Σ n log2 n / N.
            entropy = np.log2(totals) - sums / totals
        elif self._is_near_shannon:
            # The sums are S = Σ n (n^(α−1) − 1) = Σ n^α − N: H = log2 N − log2(1 + S / N) / (α − 1).
            entropy = np.log2(totals) - np.log1p(sums / totals) / np.log(2) / (self.renyi_order - 1)
        else:
            # The sums are Σ n^α: H = (log2 Σ n^α − α log2 N) / (1 − α).
            entropy = (np.log2(sums) - self.renyi_order * np.log2(totals)) / (1 - self.renyi_order)
        entropy = np.where(has_tokens, entropy, 0)
        # The option comes before the size of the tokenizer's vocabulary, and only the option changes the efficiency.
        size = np.full(len(types), self.vocabulary_size or self.size, np.float64)
        possible = size if self.vocabulary_size else types
        capacity = np.log2(np.maximum(possible, 1))
        return {
            # Rounding may leave a little more than the largest entropy, and a little less than 0.
            "token_entropy": np.clip(entropy, 0, capacity),
            "token_capacity": capacity,
            "token_types": types,
            "token_vocabulary": size,
        }


class PredictedTokens(NamedTuple):
    """The tokens of a prediction."""

    tokens: pa.Array  #: ids of a tokenizer, or words
    counts: Positions  #: int64 (n_utterances,), the number of tokens in each utterance
    vocabulary_size: int  #: 0 if it is unknown


def tokens_of(comparison: Comparison) -> PredictedTokens:
    """Return the tokens of the prediction: those of its tokenizer, or the words of text."""
    # A prediction whose units were aligned has the original beside it.
    prediction = getattr(comparison.prediction, "original", comparison.prediction)
    tokens = prediction.of_utterances.get("tokens")
    if tokens is None:
        return PredictedTokens(prediction.words(), comparison.utterance_prediction, vocabulary_size=0)
    if tokens.ids is None:
        raise ValueError("the function returns offsets and no ids, which token_use counts: pass a tokenizer.")
    return PredictedTokens(int64_array(tokens.ids), tokens.count("tokens"), tokens.size)


def names_of(tokens: pa.Array) -> pa.LargeBinaryArray:
    """Return the names of tokens: words, or ids as text."""
    if pa.types.is_large_binary(tokens.type):
        return tokens
    return pc.cast(tokens, pa.large_string()).cast(pa.large_binary())


def token_use_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute the efficiency, the distinct tokens, and their share of the vocabulary (Zouhar et al. 2023)."""
    entropy, capacity, types, size = (counts[column] for column in _COLUMNS)
    return {
        "renyi_efficiency": divide(entropy, capacity, zero_division),
        "distinct_tokens": as_score(types),
        # Where the size is unknown, so is the share: 0/0.
        "vocabulary_use": divide(types * (size > 0), size, zero_division),
    }


class _TokenUseGroup(ScoreGroup):
    def arguments(self, values: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
        """Return the options; tokens without their marks are an error."""
        if reading.subword_marks is not None:
            marks = OPTIONS["subword_marks"].set(reading.subword_marks)
            scores = OPTIONS["scores"].set(self.name)
            remedy = ": leave one of them out, or score the marked text as its own reference."
            raise OptionError(marks, " does not go with ", scores, ", which counts tokens with their marks", remedy)
        return values


GROUP = _TokenUseGroup(
    name="token_use",
    title="use of a vocabulary",
    definition="How often each token occurs: V distinct tokens, whose shares have the entropy H of order α (`renyi_order`).",
    formula="renyi_efficiency H / log2 V, distinct_tokens V, vocabulary_use V / size of the vocabulary",
    source="Zouhar et al. (2023)",
    columns=_COLUMNS,
    keys={
        "renyi_efficiency": Key("Rényi efficiency"),
        "distinct_tokens": Key(range=UNBOUNDED, is_share=False),
        "vocabulary_use": Key(),
    },
    tally=lambda comparison, **settings: {},  # the statistic counts
    statistic=TokenUse,
    formulas=token_use_scores,
    needs=frozenset({"units", "words"}),
    equal_to="tokenization-scorer's renyi, where the order is not 1",
)
