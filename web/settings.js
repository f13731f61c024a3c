// The settings that a page can follow, as files have them; Python's parameters.py has the others.
import { AddhashError, plain, Numeral } from "./model_file.js";

/** Analyzers by the number that the core knows them by. */
export const ANALYZERS = { word: 0, char: 1, char_wb: 2, text: 3 };
const MOST_LENGTHS = 64;

const isBoolean = (value) => typeof value === "boolean";
const oneOf = (...allowed) => (value) => allowed.includes(value);
const number = (value) => (value instanceof Numeral ? Number(value.text) : NaN);
/** Whether a value of JSON is an integer in a range, written as one. */
export const isInteger = (value, least, most = Number.MAX_SAFE_INTEGER) =>
  value instanceof Numeral && /^-?\d+$/.test(value.text) && number(value) >= least && number(value) <= most;

const VECTORIZER = {
  alternate_sign: isBoolean,
  analyzer: oneOf(...Object.keys(ANALYZERS)),
  binary: oneOf(false),
  decode_error: oneOf("strict"),
  dtype: oneOf("float64", "float32", "float16", "int64", "int32", "int16", "bits"),
  encoding: oneOf("utf-8"),
  input: oneOf("content"),
  key_fingerprint: oneOf(null),
  lowercase: isBoolean,
  n_features: (value) => isInteger(value, 8, 2 ** 20) && number(value) % 8 === 0,
  ngram_range: (value) => Array.isArray(value) && value.length === 2 && isInteger(value[0], 1)
    && isInteger(value[1], number(value[0]), number(value[0]) + MOST_LENGTHS - 1),
  norm: oneOf("l1", "l2", null),
  preprocessor: oneOf(null),
  randomizer: oneOf("shake256", "aes128"),
  stop_words: oneOf(null),
  strip_accents: oneOf(null),
  token_pattern: oneOf("(?u)\\b\\w\\w+\\b"),
  tokenizer: oneOf(null),
};
const COMMON = {
  keep_texts: oneOf(false),
  method: oneOf("bayes", "mixture"),
  n_neighbors: (value) => isInteger(value, 1, 1),
  reject_below: oneOf(null),
  reject_margin: oneOf(null),
  vectorizer: (value) => value instanceof Map,
};
const BAYES = {
  ...COMMON,
  fit_prior: isBoolean,
  n_buckets: (value) => isInteger(value, 1, 2 ** 31 - 1),
  smoothing: (value) => value === "auto" || (number(value) >= 1e-6 && number(value) <= 1e6),
};

/** Refuse the settings of a classifier that a page would not follow. */
export function checkSettings(settings) {
  const rules = settings.get("method") === "bayes" ? BAYES : COMMON;
  check(settings, rules);
  check(settings.get("vectorizer"), VECTORIZER);
}

function check(settings, rules) {
  const wrong = Object.keys(rules).find((name) => !settings.has(name) || !rules[name](settings.get(name)))
    ?? [...settings.keys()].find((name) => !Object.hasOwn(rules, name));
  if (wrong === undefined) return;
  const value = JSON.stringify(plain(settings.get(wrong)))?.slice(0, 80);
  throw new AddhashError(`A model whose ${wrong} is ${value ?? "missing"} cannot be used in a page.`);
}
