// A scorer of word segmentation, written from docs/reference/specification.md alone, and a program that runs it over test vectors:
//
//     segscores conform --export vectors.json
//     node scorer.mjs vectors.json
//
// It needs node and no package. The comments name the rules of the specification.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The definitions that this scorer follows. */
export const DEFINITIONS = 1;

const DEFAULT_GROUPS = ["boundary_all", "boundary_noedge", "token", "type", "tnr"];

/** An error in the input: the rule that is broken, and the number of the pair, or null. */
export class RuleError extends Error {
  constructor(rule, utterance, message) {
    super(message);
    this.rule = rule;
    this.utterance = utterance;
  }
}

// Text: an utterance is { units, ends, bytes }; `ends` are the positions at which words end. Units of labels are all "".

const WHITESPACE = /[\u0009-\u000d\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u; // T4
const NO_TEXT = /[\u0000\ud800-\udfff]/u; // T9; with the flag u, a pair of surrogates is one code point

const splitAtWhitespace = (text) => text.split(WHITESPACE).filter((token) => token !== "");

function utteranceOfWords(words, separator) {
  const utterance = { units: [], ends: [], bytes: [] };
  for (const word of words.filter((units) => units.length > 0)) {
    utterance.units.push(...word);
    utterance.ends.push(utterance.units.length);
    utterance.bytes.push(...Buffer.from(word.map((unit) => unit + separator).join(""), "utf-8"));
    utterance.bytes[utterance.bytes.length - 1] += 256; // R1
  }
  return utterance;
}

/** T6: the words of units text, each a list of units. */
function wordsOfUnitsText(text, options) {
  const boundary = options.word_boundary ?? "WORD_BOUNDARY";
  const ignored = new Set(options.ignored_tokens ?? []);
  const words = [[]];
  for (const token of splitAtWhitespace(text)) {
    if (token === boundary) words.push([]);
    else if (!ignored.has(token)) words[words.length - 1].push(token);
  }
  return words;
}

function read(value, options, at) {
  if (options.label_scheme !== undefined) {
    if (value.some((label) => label !== 0 && label !== 1)) throw new RuleError("T9", at, "a label is neither 0 nor 1");
    const isEnd = value.map((label, index) => {
      if (index === value.length - 1) return true;
      return options.label_scheme === "end" ? label === 1 : value[index + 1] === 1; // T8
    });
    return {
      units: value.map(() => ""),
      ends: isEnd.flatMap((ends, index) => (ends ? [index + 1] : [])),
      bytes: isEnd.map((ends) => (ends ? 256 : 0)),
    };
  }
  const strings = Array.isArray(value) ? value : [value];
  if (strings.some((text) => NO_TEXT.test(text))) throw new RuleError("T9", at, "a string is no text");
  if (Array.isArray(value)) return utteranceOfWords(value.map((word) => [...word]), ""); // T7
  if (options.text_format === "words") return utteranceOfWords(splitAtWhitespace(value).map((word) => [...word]), ""); // T5
  return utteranceOfWords(wordsOfUnitsText(value, options), " ");
}

/** P1 to P5: the pairs that are scored, each with its cluster, and every reference that can be read. */
function pair(references, predictions, options) {
  if (references.length !== predictions.length) throw new RuleError("P1", null, "different numbers of utterances");
  if (references.length === 0) throw new RuleError("P1", null, "no utterances");
  const pairs = [];
  const readable = [];
  references.forEach((value, at) => {
    try {
      const reference = read(value, options, at);
      readable.push(reference);
      const prediction = read(predictions[at], options, at);
      const blank = [reference, prediction].filter((side) => side.units.length === 0).length;
      if (blank === 1) throw new RuleError("P2", at, "one side is blank");
      const same = reference.units.length === prediction.units.length
        && reference.units.every((unit, index) => unit === prediction.units[index]);
      if (!same) throw new RuleError("P3", at, "the units differ");
      pairs.push({ reference, prediction, cluster: options.clusters?.[at] });
    } catch (error) {
      if (!(error instanceof RuleError) || options.on_error !== "skip") throw error;
    }
  });
  if (pairs.length === 0) throw new RuleError("P5", null, "no pair is left");
  return { pairs, readable };
}

// What is counted in an utterance.

const spansOf = ({ ends }) => ends.map((end, index) => [index === 0 ? 0 : ends[index - 1], end]);
const keysOf = (spans) => spans.map(([start, end]) => `${start} ${end}`);
const innerBoundaries = ({ ends }) => ends.slice(0, -1);
const allBoundaries = ({ ends }) => (ends.length === 0 ? [] : [0, ...ends]);
const typeOf = (units) => JSON.stringify(units);
const typesOf = (utterance) => spansOf(utterance).map(([start, end]) => typeOf(utterance.units.slice(start, end)));
const sum = (values) => values.reduce((total, value) => total + value, 0);
const pairsOf = (count) => (count * (count - 1)) / 2;

function countSets(group, reference, prediction) {
  const right = new Set(prediction);
  return {
    [`${group}_matched`]: reference.filter((item) => right.has(item)).length,
    [`${group}_predicted`]: prediction.length,
    [`${group}_reference`]: reference.length,
  };
}

/** S20: a largest matching of sorted positions; taking the first that is near enough, from the left, is one. */
function matchWithin(reference, prediction, tolerance) {
  let matched = 0;
  let next = 0;
  for (const position of reference) {
    while (next < prediction.length && prediction[next] < position - tolerance) next += 1;
    if (next < prediction.length && prediction[next] <= position + tolerance) {
      matched += 1;
      next += 1;
    }
  }
  return matched;
}

/** S19: of the largest matchings the nearest, and the earliest, as pairs of indices. */
function matchNearest(reference, prediction, tolerance) {
  const best = reference.map(() => []).concat([[]]);
  const at = (i, j) => (i < reference.length && j < prediction.length ? best[i][j] : { size: 0, distance: 0 });
  const isBetter = (one, other) => one.size > other.size || (one.size === other.size && one.distance < other.distance);
  for (let i = reference.length - 1; i >= 0; i -= 1) {
    for (let j = prediction.length - 1; j >= 0; j -= 1) {
      const distance = Math.abs(reference[i] - prediction[j]);
      const after = at(i + 1, j + 1);
      // Of equals, a partner for this boundary is better than none, and this one better than a later one.
      let chosen = { ...at(i + 1, j), step: [1, 0] };
      if (!isBetter(chosen, at(i, j + 1))) chosen = { ...at(i, j + 1), step: [0, 1] };
      const paired = { size: after.size + 1, distance: after.distance + distance, step: [1, 1] };
      if (distance <= tolerance && !isBetter(chosen, paired)) chosen = paired;
      best[i][j] = chosen;
    }
  }
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < reference.length && j < prediction.length) {
    const [down, right] = best[i][j].step;
    if (down + right === 2) pairs.push([i, j]);
    [i, j] = [i + down, j + right];
  }
  return pairs;
}

const countToken = ({ reference, prediction }) =>
  countSets("token", keysOf(spansOf(reference)), keysOf(spansOf(prediction)));
const countInner = ({ reference, prediction }) =>
  countSets("boundary_noedge", innerBoundaries(reference), innerBoundaries(prediction));

function countDictionary({ reference, prediction }, options) {
  const segment = (text) => typeOf(options.text_format === "words" ? [...text] : splitAtWhitespace(text));
  const known = new Set(options.dictionary.map(segment));
  const acceptable = new Set((options.acceptable ?? []).map(segment));
  const { units } = reference;
  const candidates = [];
  for (let start = 0; start < units.length; start += 1) {
    for (let end = start + 1; end <= units.length; end += 1) {
      const type = typeOf(units.slice(start, end));
      if (known.has(type)) candidates.push({ key: `${start} ${end}`, isAcceptable: acceptable.has(type) });
    }
  }
  const [ofReference, ofPrediction] = [reference, prediction].map((side) => {
    const words = new Set(keysOf(spansOf(side)));
    return {
      positive: candidates.filter(({ key }) => words.has(key)).map(({ key }) => key),
      negative: candidates.filter(({ key, isAcceptable }) => !words.has(key) && !isAcceptable).map(({ key }) => key),
    };
  });
  return {
    ...countSets("positive", ofReference.positive, ofPrediction.positive),
    ...countSets("negative", ofReference.negative, ofPrediction.negative),
  };
}

function countOov(both, options) {
  const words = (text) => (options.text_format === "words"
    ? splitAtWhitespace(text).map((word) => [...word])
    : wordsOfUnitsText(text, options));
  const known = new Set(options.vocabulary.flatMap(words).map(typeOf));
  const isOut = (side) => ([start, end]) => !known.has(typeOf(side.units.slice(start, end)));
  const [reference, prediction] = [both.reference, both.prediction].map((side) => keysOf(spansOf(side).filter(isOut(side))));
  return { ...countToken(both), ...countSets("oov", reference, prediction) };
}

function countWordErrors({ reference, prediction }) {
  const [left, right] = [reference, prediction].map((side) => keysOf(spansOf(side)));
  const ofRight = new Set(right);
  const counts = { insertions: 0, deletions: 0, substitutions: 0, token_reference: left.length };
  let [leftStart, rightStart] = [0, 0];
  const addRun = (leftEnd, rightEnd) => {
    const [r, p] = [leftEnd - leftStart, rightEnd - rightStart];
    counts.substitutions += Math.min(r, p);
    counts.insertions += Math.max(p - r, 0);
    counts.deletions += Math.max(r - p, 0);
    [leftStart, rightStart] = [leftEnd + 1, rightEnd + 1];
  };
  left.forEach((key, index) => {
    if (ofRight.has(key)) addRun(index, right.indexOf(key));
  });
  addRun(left.length, right.length);
  return counts;
}

function countRand({ reference, prediction }) {
  const pairsIn = (spans) => sum(spans.map(([start, end]) => pairsOf(end - start)));
  const either = [...new Set([...reference.ends, ...prediction.ends])].sort((left, right) => left - right);
  return {
    both: pairsIn(spansOf({ ends: either })),
    reference: pairsIn(spansOf(reference)),
    predicted: pairsIn(spansOf(prediction)),
    units: reference.units.length,
  };
}

function countRates(both, options) {
  const [left, right] = [both.reference, both.prediction].map(innerBoundaries);
  const matching = matchNearest(left, right, options.rates_tolerance ?? 0);
  const counts = { matched: matching.length, predicted: right.length, reference: left.length };
  Object.assign(counts, { over: 0, under: 0, mis: 0, words: both.reference.ends.length });
  if (counts.words === 0) return counts;
  // A chunk ends with the word before each boundary of a pair, and with the last word: the numbers of words before its end.
  let [wordsBefore, predictedBefore] = [0, 0];
  for (const [i, j] of [...matching, [left.length, right.length]]) {
    const [r, p] = [i + 1 - wordsBefore, j + 1 - predictedBefore];
    if (r === 1 && p > 1) counts.over += r;
    if (r > 1 && p === 1) counts.under += r;
    if (r > 1 && p > 1) counts.mis += r;
    [wordsBefore, predictedBefore] = [i + 1, j + 1];
  }
  return counts;
}

function roundHalfToEven(value) {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** S24: the default size for so many units and words, in so many utterances that are not blank. */
function windowSize(units, words, utterances, convention) {
  if (convention === "nltk") return roundHalfToEven((units - utterances) / (2 * Math.max(words - utterances, 1)));
  const size = roundHalfToEven(words === 0 ? 0 : units / (2 * words));
  return convention === "segeval" ? Math.max(size, 2) : size;
}

/** S24: the least cost of turning one sorted list of positions into another. */
function hammingCost(reference, prediction) {
  let row = reference.map((_, index) => 2 * (index + 1));
  row.unshift(0);
  prediction.forEach((position) => {
    const above = row;
    row = [above[0] + 2];
    reference.forEach((other, index) => {
      row.push(Math.min(above[index + 1] + 2, row[index] + 2, above[index] + Math.abs(position - other)));
    });
  });
  return row[row.length - 1];
}

function countWindows({ reference, prediction }, options) {
  const convention = options.window_convention ?? "segeval";
  const units = reference.units.length;
  const counts = { windows: 0, pk: 0, different: 0, weighted: 0, cost: 0, utterances: 0 };
  if (units === 0) return counts;
  const k = options.window_size === "utterance" ? windowSize(units, reference.ends.length, 1, convention) : options.window_size;
  const withEnd = convention === "nltk_units";
  const [left, right] = [reference, prediction].map((side) => (withEnd ? side.ends : innerBoundaries(side)));
  counts.windows = Math.max(units - k + (withEnd ? 1 : 0), 0);
  for (let start = 0; start < counts.windows; start += 1) {
    const [r, p] = [left, right].map((side) => side.filter((at) => start < at && at <= start + k).length);
    if ((r === 0) !== (p === 0)) counts.pk += 1;
    if (r !== p) counts.different += 1;
    counts.weighted += Math.abs(r - p);
  }
  counts.cost = hammingCost(innerBoundaries(reference), innerBoundaries(prediction));
  counts.utterances = 1;
  return counts;
}

function countEdits({ reference, prediction }, options) {
  const span = options.transposition_span ?? 2;
  const [left, right] = [reference, prediction].map((side) => new Set(innerBoundaries(side)));
  const matches = [...left].filter((at) => right.has(at)).length;
  const missed = new Map();
  for (const at of left) if (!right.has(at)) missed.set(at, "reference");
  for (const at of right) if (!left.has(at)) missed.set(at, "prediction");
  const counts = { matches, insertions: 0, deletions: 0, transpositions: 0, distance: 0 };
  for (let d = 1; d < span; d += 1) {
    for (const at of [...missed.keys()].sort((one, other) => one - other)) {
      const other = missed.get(at + d);
      if (missed.has(at) && other !== undefined && other !== missed.get(at)) {
        missed.delete(at);
        missed.delete(at + d);
        counts.transpositions += 1;
        counts.distance += d;
      }
    }
  }
  for (const side of missed.values()) counts[side === "prediction" ? "insertions" : "deletions"] += 1;
  counts.gaps = Math.max(reference.units.length - 1, 0);
  counts.of_reference = left.size;
  counts.of_prediction = right.size;
  return counts;
}

// Formulas: NaN is an undefined score, which gets the value of zero_division later.

const divide = (top, bottom) => (bottom === 0 ? NaN : top / bottom);

function precisionRecallFscore(group) {
  return (counts) => {
    const [matched, predicted, reference] = ["matched", "predicted", "reference"].map((name) => counts[`${group}_${name}`]);
    return {
      [`${group}_precision`]: divide(matched, predicted),
      [`${group}_recall`]: divide(matched, reference),
      [`${group}_fscore`]: divide(2 * matched, predicted + reference),
    };
  };
}

function ratesScores({ matched, predicted, reference, over, under, mis, words }) {
  const rate = divide(predicted, reference) - 1;
  const hits = divide(matched, reference);
  return {
    over_segmentation: rate,
    r_value: 1 - (Math.sqrt((1 - hits) ** 2 + rate ** 2) + Math.abs(hits - 1 - rate) / Math.SQRT2) / 2,
    over_segmented: divide(over, words),
    under_segmented: divide(under, words),
    mis_segmented: divide(mis, words),
  };
}

function wordErrorScores({ insertions, deletions, substitutions, token_reference: words }) {
  const errors = insertions + deletions + substitutions;
  return {
    word_error_rate: words === 0 && errors > 0 ? errors : divide(errors, words),
    word_insertions: insertions,
    word_deletions: deletions,
    word_substitutions: substitutions,
  };
}

function randScores({ both, reference, predicted, units }) {
  const total = pairsOf(units);
  const expected = total === 0 ? 0 : (reference * predicted) / total;
  return { adjusted_rand_index: divide(both - expected, (reference + predicted) / 2 - expected) };
}

function editsOf(counts, options) {
  const distance = counts.insertions + counts.deletions + counts.distance / (options.transposition_span ?? 2);
  const boundaries = counts.matches + counts.insertions + counts.deletions + counts.transpositions;
  return { distance, similarity: divide(boundaries - distance, boundaries) };
}

function similarityScores(counts, options) {
  const { distance, similarity } = editsOf(counts, options);
  return {
    segmentation_similarity: divide(counts.gaps - distance, counts.gaps),
    boundary_similarity: similarity,
    boundary_edit_distance: distance,
    boundary_matches: counts.matches,
    boundary_insertions: counts.insertions,
    boundary_deletions: counts.deletions,
    boundary_transpositions: counts.transpositions,
  };
}

function agreementScores(counts, options) {
  const { similarity } = editsOf(counts, options);
  const [p, q] = [counts.of_reference, counts.of_prediction].map((count) => (counts.gaps === 0 ? 0 : count / counts.gaps));
  const pooled = ((p + q) / 2) ** 2;
  return {
    agreement_actual: similarity,
    agreement_pi: divide(similarity - pooled, 1 - pooled),
    agreement_kappa: divide(similarity - p * q, 1 - p * q),
    agreement_bias: counts.gaps === 0 ? NaN : pooled - p * q,
  };
}

/** The score groups: the counts of a pair, which add up, and the formulas of their sums. `type` has no counts of pairs. */
const GROUPS = {
  boundary_all: {
    count: ({ reference, prediction }) => countSets("boundary_all", allBoundaries(reference), allBoundaries(prediction)),
    formulas: precisionRecallFscore("boundary_all"),
  },
  boundary_noedge: { count: countInner, formulas: precisionRecallFscore("boundary_noedge") },
  token: { count: countToken, formulas: precisionRecallFscore("token") },
  type: { formulas: precisionRecallFscore("type") },
  tnr: {
    count: (both) => ({ ...countToken(both), spans: (both.reference.units.length * (both.reference.units.length + 1)) / 2 }),
    formulas: ({ spans, token_reference: reference, token_predicted: predicted, token_matched: matched }) => ({
      token_tnr: divide(spans - reference - (predicted - matched), spans - reference),
    }),
  },
  boundary_start: {
    count: ({ reference, prediction }) =>
      countSets("boundary_start", ...[reference, prediction].map((side) => allBoundaries(side).slice(0, -1))),
    formulas: precisionRecallFscore("boundary_start"),
  },
  boundary_end: {
    count: ({ reference, prediction }) => countSets("boundary_end", reference.ends, prediction.ends),
    formulas: precisionRecallFscore("boundary_end"),
  },
  boundary_accuracy: {
    count: (both) => {
      const { boundary_noedge_matched: matched, boundary_noedge_predicted: predicted, boundary_noedge_reference: reference } =
        countInner(both);
      const gaps = Math.max(both.reference.units.length - 1, 0);
      return { gaps, right: gaps - (predicted - matched) - (reference - matched) };
    },
    formulas: ({ right, gaps }) => ({ boundary_accuracy: divide(right, gaps) }),
  },
  dictionary: {
    count: countDictionary,
    formulas: (counts) => ({
      dictionary_tpr: divide(counts.positive_matched, counts.positive_reference),
      dictionary_ppv: divide(counts.positive_matched, counts.positive_predicted),
      dictionary_tnr: divide(counts.negative_matched, counts.negative_reference),
      dictionary_npv: divide(counts.negative_matched, counts.negative_predicted),
    }),
  },
  oov: {
    count: countOov,
    formulas: (counts) => ({
      oov_recall: divide(counts.oov_matched, counts.oov_reference),
      iv_recall: divide(counts.token_matched - counts.oov_matched, counts.token_reference - counts.oov_reference),
      oov_rate: divide(counts.oov_reference, counts.token_reference),
      oov_precision: divide(counts.oov_matched, counts.oov_predicted),
      oov_fscore: divide(2 * counts.oov_matched, counts.oov_predicted + counts.oov_reference),
    }),
  },
  exact: {
    count: ({ reference, prediction }) => ({
      pairs: reference.units.length > 0 ? 1 : 0,
      right: reference.units.length > 0 && reference.ends.join() === prediction.ends.join() ? 1 : 0,
    }),
    formulas: ({ right, pairs }) => ({ utterance_accuracy: divide(right, pairs) }),
  },
  word_error: { count: countWordErrors, formulas: wordErrorScores },
  rand: { count: countRand, formulas: randScores },
  rates: { count: countRates, formulas: ratesScores },
  tolerance: {
    count: ({ reference, prediction }, options) => {
      const [left, right] = [reference, prediction].map(innerBoundaries);
      return {
        tolerance_matched: matchWithin(left, right, options.tolerance ?? 1),
        tolerance_predicted: right.length,
        tolerance_reference: left.length,
      };
    },
    formulas: precisionRecallFscore("tolerance"),
  },
  windows: {
    count: countWindows,
    formulas: ({ windows, pk, different, weighted, cost, utterances }) => ({
      pk: divide(pk, windows),
      window_diff: divide(different, windows),
      window_diff_weighted: divide(weighted, windows),
      generalized_hamming: divide(cost, utterances),
    }),
  },
  similarity: { count: countEdits, formulas: similarityScores },
  agreement: { count: countEdits, formulas: agreementScores },
};

/** The sums of a group's counts over pairs; of types, the sizes of the lexicons (S4). */
function total(group, pairs, options) {
  if (group === "type") {
    const lexicons = ["reference", "prediction"].map((side) => [...new Set(pairs.flatMap((both) => typesOf(both[side])))]);
    return countSets("type", ...lexicons);
  }
  const sums = {};
  for (const both of pairs) {
    for (const [name, count] of Object.entries(both.counts[group])) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

const scoresOf = (group, pairs, options) => GROUPS[group].formulas(total(group, pairs, options), options);

// Averages and intervals. A sampled unit is a list of pairs (I1).

function clustersOf(pairs) {
  const clusters = new Map();
  for (const both of pairs) clusters.set(both.cluster, [...(clusters.get(both.cluster) ?? []), both]);
  return [...clusters.values()];
}

const isBlank = (pairs) => pairs.every(({ reference }) => reference.units.length === 0);
const meanOf = (values) => divide(sum(values), values.length);

/** A1 to A3: the scores of a group, and for each sampled unit the scores without it, and its weight. */
function average(group, sampled, options) {
  const pairs = sampled.flat();
  const without = options.confidence === undefined ? [] : sampled;
  if ((options.average ?? "micro") === "micro") {
    const { type_predicted: predicted, type_reference: reference } = group === "type" ? total(group, pairs, options) : {};
    return {
      types: group === "type" ? Math.min(predicted, reference) : undefined,
      scores: scoresOf(group, pairs, options),
      without: without.map((unit) => scoresOf(group, pairs.filter((both) => !unit.includes(both)), options)),
      weights: () => sampled.map((unit) => (group === "type" ? 1 : Math.max(...Object.values(total(group, unit, options))))), // I5
    };
  }
  const rows = options.average === "cluster" ? clustersOf(pairs) : pairs.map((both) => [both]);
  const zero = typeof options.zero_division === "number" ? options.zero_division : NaN;
  const values = rows.filter((row) => !isBlank(row)).map((row) => ({ row, scores: scoresOf(group, row, options) }));
  const means = {};
  const meansWithout = without.map(() => ({}));
  const weights = {};
  for (const key of Object.keys(scoresOf(group, pairs, options))) {
    const defined = values
      .map(({ row, scores }) => ({ row, value: Number.isNaN(scores[key]) ? zero : scores[key] }))
      .filter(({ value }) => !Number.isNaN(value));
    means[key] = meanOf(defined.map(({ value }) => value));
    without.forEach((unit, index) => {
      meansWithout[index][key] = meanOf(defined.filter(({ row }) => !unit.includes(row[0])).map(({ value }) => value));
    });
    weights[key] = sampled.map((unit) => defined.filter(({ row }) => unit.includes(row[0])).length);
  }
  return { scores: means, without: meansWithout, weights: (key) => weights[key] };
}

/** The logarithm of the gamma function, by the series of Lanczos. */
function logGamma(x) {
  const series = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const shifted = x - 1;
  const base = shifted + 7.5;
  const value = series.slice(1).reduce((partial, term, index) => partial + term / (shifted + index + 1), series[0]);
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(value);
}

/** The regularised incomplete beta function, by a continued fraction (Lentz). */
function incompleteBeta(x, a, b) {
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log(1 - x) + logGamma(a + b) - logGamma(a) - logGamma(b)) / a;
  let [fraction, c, d] = [1, 1, 0];
  for (let step = 0; step < 1000; step += 1) {
    const m = Math.floor(step / 2);
    let term = 1;
    if (step > 0 && step % 2 === 0) term = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    if (step % 2 === 1) term = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + term * d);
    c = 1 + term / c;
    fraction *= c * d;
    if (Math.abs(1 - c * d) < 1e-16) break;
  }
  return front * (fraction - 1);
}

/** The quantile of Student's t distribution, by bisection. */
function studentQuantile(probability, freedom) {
  const tail = (t) => incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  let [low, high] = [0, 1];
  while (tail(high) > 1 - probability) high *= 2;
  for (let step = 0; step < 200; step += 1) {
    const middle = (low + high) / 2;
    if (tail(middle) > 1 - probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** I2 to I5: the interval of a score in [0, 1]; `types` is the size of the smaller lexicon, undefined for scores of sums. */
function interval(score, { without, weights, types }, confidence) {
  if (without.some(Number.isNaN)) return [NaN, NaN];
  const n = without.length;
  const isAtEnd = Math.abs(score) <= 1e-12 || Math.abs(score - 1) <= 1e-12;
  if (isAtEnd || Math.max(...without) - Math.min(...without) <= 1e-12) {
    const effective = sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2));
    const m = isAtEnd || types === undefined ? effective : types;
    const bound = m > 0 ? 1 - ((1 - confidence) / 2) ** (1 / m) : 1;
    return [Math.max(0, score - bound), Math.min(1, score + bound)];
  }
  const mean = sum(without) / n;
  const squares = without.map((value) => (value - mean) ** 2);
  const totalSquares = sum(squares);
  const spread = sum(squares.map((square) => square ** 2)) - totalSquares ** 2 / n;
  const freedom = spread <= 1e-12 * totalSquares ** 2 ? n - 1 : Math.min(n - 1, (2 * totalSquares ** 2) / spread);
  const error = Math.sqrt(((n - 1) / n) * totalSquares);
  const reach = studentQuantile((1 + confidence) / 2, freedom) * error;
  const factor = Math.exp(Math.min(700, reach / (score * (1 - score))));
  return [score / (score + (1 - score) * factor), (score * factor) / (score * factor + 1 - score)];
}

/** R1: the first digits of the digest of references. */
function digestOf(utterances) {
  const MASK = (1n << 64n) - 1n;
  let digest = 0n;
  for (const { bytes } of utterances) {
    let hash = 0n;
    let power = 1n;
    for (const byte of bytes) {
      hash = (hash + BigInt(byte) * power) & 0xffffffffn;
      power = (power * 747796405n) & 0xffffffffn;
    }
    let x = (hash + BigInt(bytes.length + 1) * 0x9e3779b97f4a7c15n) & MASK;
    x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & MASK;
    digest = (digest + (x ^ (x >> 31n))) & MASK;
  }
  return digest.toString(16).padStart(16, "0").slice(0, 8);
}

/** The scores of predictions by key, in order, and the digest of the references. Raises a RuleError. */
export function score(references, predictions, given = {}) {
  const options = { ...given };
  const { pairs, readable } = pair(references, predictions, options);
  const withoutTypes = options.label_scheme === undefined ? DEFAULT_GROUPS : DEFAULT_GROUPS.filter((name) => name !== "type");
  const keys = [];
  const groups = new Set();
  for (const name of options.scores ?? withoutTypes) {
    const ofName = Object.keys(GROUPS).find((group) => group === name || group === groupOf(name));
    if (ofName === undefined) throw new RangeError(`this scorer has no score ${name}`);
    groups.add(ofName);
    keys.push(...(name in GROUPS ? keysOfGroup(ofName) : [name]));
  }
  if (groups.has("windows") && options.window_size === undefined) {
    // S24: of all references; those that are no text have no units.
    const filled = readable.filter(({ units }) => units.length > 0);
    options.window_size = windowSize(sum(filled.map(({ units }) => units.length)), sum(filled.map(({ ends }) => ends.length)),
      filled.length, options.window_convention ?? "segeval");
  }
  const sampled = options.clusters === undefined ? pairs.map((both) => [both]) : clustersOf(pairs);
  if (options.confidence !== undefined && sampled.length < 2) throw new RuleError("I1", null, "fewer than two sampled units");
  for (const both of pairs) {
    both.counts = {};
    for (const group of groups) both.counts[group] = GROUPS[group].count?.(both, options);
  }
  const averages = new Map([...groups].map((group) => [group, average(group, sampled, options)]));
  const zero = options.zero_division === "nan" ? NaN : options.zero_division ?? 0; // Z1
  const scores = {};
  for (const key of keys) {
    const { scores: ofGroup, without, weights, types } = averages.get(groupOf(key));
    scores[key] = Number.isNaN(ofGroup[key]) ? zero : ofGroup[key];
    if (options.confidence !== undefined) {
      const values = { without: without.map((row) => row[key]), weights: weights(key), types };
      const ends = interval(ofGroup[key], values, options.confidence);
      [scores[`${key}_low`], scores[`${key}_high`]] = ends;
    }
  }
  return { scores, ref: digestOf(readable) };
}

const keysOfGroup = (group) => Object.keys(GROUPS[group].formulas({}, {}));
const groupOf = (key) => Object.keys(GROUPS).find((group) => keysOfGroup(group).includes(key));

// The vectors.

/** What differs from a vector, in words; empty if nothing does. */
function differences(vector, tolerance) {
  let found;
  try {
    found = score(vector.references, vector.predictions, vector.options);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    const expected = vector.error;
    if (expected === undefined) return [`${error.rule}: ${error.message}, expected scores`];
    const isSame = error.rule === expected.rule && error.utterance === expected.utterance;
    return isSame ? [] : [`${error.rule} of pair ${error.utterance}, expected ${expected.rule} of ${expected.utterance}`];
  }
  if (vector.error !== undefined) return [`no error, expected ${vector.error.rule}`];
  const lines = [];
  const names = [Object.keys(found.scores), Object.keys(vector.scores)].map((keys) => keys.join(" "));
  if (names[0] !== names[1]) lines.push(`the scores ${names[0]}, expected ${names[1]}`);
  for (const [key, expected] of Object.entries(vector.scores)) {
    const value = found.scores[key];
    const agrees = expected === null ? Number.isNaN(value) : Math.abs(value - expected) <= tolerance;
    if (!agrees) lines.push(`${key} ${value}, expected ${expected}`);
  }
  if (found.ref !== vector.ref) lines.push(`ref ${found.ref}, expected ${vector.ref}`);
  return lines;
}

function main(path) {
  const { definitions, tolerance, vectors } = JSON.parse(readFileSync(path, "utf-8"));
  if (definitions !== DEFINITIONS) throw new RangeError(`vectors of the definitions ${definitions}, expected ${DEFINITIONS}`);
  let count = 0;
  for (const vector of vectors) {
    const lines = differences(vector, tolerance);
    if (lines.length > 0) count += 1;
    for (const line of lines) console.log(`${vector.name} (${vector.rules.join(", ")}): ${line}`);
  }
  console.log(`${vectors.length} vectors, ${count} with differences`);
  return count === 0 ? 0 : 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = main(process.argv[2]);
}
