// Types of addhash.js.

export class AddhashError extends Error {}

export type Label = string | number | boolean;

export interface Cut {
  analyzer?: "word" | "char" | "char_wb" | "text";
  /** The least and the greatest length of n-grams, from 1 to 64. */
  ngramRange?: [number, number];
  lowercase?: boolean;
}

export interface Randomizer {
  randomizer?: "shake256" | "aes128";
  /** That of Python's make_randomizer: empty or 136 bytes for shake256, 80 bytes for aes128. */
  keyBlock?: Uint8Array;
}

/** Components by dtype. */
export interface Components {
  float32: Float32Array;
  float64: Float64Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
}

export interface VectorOptions<T extends keyof Components = "float64"> extends Cut, Randomizer {
  /** A multiple of 8 up to 1048576; 2048 by default. */
  nFeatures?: number;
  /** "l2" by default; integers need null. */
  norm?: "l1" | "l2" | null;
  dtype?: T;
  binary?: boolean;
  alternateSign?: boolean;
}

export interface DetectOptions {
  /** How many languages to return at most; 1 by default. */
  top?: number;
  /** Below this probability the first is "und"; 0.1 by default. */
  threshold?: number;
  /** ISO 639-3 codes to choose from; null for all. */
  languages?: string[] | null;
}

export interface Detection {
  /** ISO 639-3, or "und". */
  code: string;
  /** ISO 639-1. */
  short: string | null;
  name: string;
  ownName: string | null;
  probability: number;
  script: string | null;
  group: string;
  groupProbability: number;
}

export interface Segment extends Detection {
  /** Where it is, as in text.slice(start, end). */
  start: number;
  end: number;
}

/** Compile the core and return what answers. By default, addhash.wasm beside the module is fetched. */
export function open(source?: Source): Promise<Addhash>;

/** An address, the answer of fetch, or bytes. */
export type Source = string | URL | Response | BufferSource;

export interface Addhash {
  /** The vector of a text: additive hashing with SHAKE-256, as AdditiveHashingVectorizer makes it. */
  vector<T extends keyof Components = "float64">(text: string, options?: VectorOptions<T>): Components[T];
  vectors<T extends keyof Components = "float64">(texts: string[], options?: VectorOptions<T>): Components[T][];
  /** The bits of tokens: what is added. */
  digests(tokens: string[], bits?: number, options?: Randomizer): Uint8Array[];
  /** Near-duplicates, as find_duplicates finds them: jaccard of triples of words, the first of a cluster is kept. */
  duplicates(texts: string[], options?: { threshold?: number }): Duplicates;
  /** A classifier that has learnt nothing, with the default settings of Python's TextClassifier. */
  classifier(): Classifier;
  /** A model that Python saved, from a URL or as bytes; `table` is the text of the detector's table.tsv, with the names of languages. */
  load(source: Source, table?: string): Promise<Classifier | Languages>;
}

export interface Duplicates {
  /** For each text the number of the one to keep in its place; its own if it is kept. */
  representatives: Uint32Array;
  /** How similar the two are, from the threshold to 1. */
  similarity: Float64Array;
}

/** A word or a token of a text, and its share of the evidence. */
export interface Share {
  text: string;
  occurrences: number;
  evidence: number;
  /** By how much more it speaks for the label than for the runner-up; null without a runner-up. */
  evidenceMargin: number | null;
}

/** Why a text got its label; evidence is in nats and adds up: the prior and all words, or all tokens. */
export interface Explanation {
  text: string;
  label: Label;
  /** The probability of the label, and its lead over the runner-up's. */
  score: number;
  runnerUp: Label | null;
  margin: number | null;
  evidence: number;
  evidenceMargin: number | null;
  words: Share[];
  tokens: Share[];
  /** The share of each character, by code point. */
  characters: Float64Array;
  characterMargins: Float64Array | null;
  /** What belongs to no character. */
  unplaced: number;
  unplacedMargin: number;
  /** What belongs to no token: how frequent the class is, and its bias. */
  prior: number;
  priorMargin: number;
}

export interface Classifier {
  readonly labels: readonly Label[];
  /** The label of each text. */
  predict(texts: string[]): (Label | null)[];
  /** The probability of each of the `labels`, a row for each text. */
  probabilities(texts: string[]): Float64Array[];
  /** What makes up the evidence for the label of a text: the parts that Python's explain gives. */
  explain(text: string): Explanation;
  /** A classifier that has learnt more examples; this one stays as it is. */
  learn(texts: string[], labels: string[]): Classifier;
  /** A classifier without some examples, as if they had never been learnt. */
  forget(texts: string[], labels: Label[]): Classifier;
  /** The bytes of the file that Python's save writes. */
  save(): Promise<Uint8Array>;
  /** Gives its memory back at once, not when the browser notices; it cannot be used any more. */
  close(): void;
}

export interface Languages {
  readonly labels: readonly string[];
  /** The likeliest languages of each text, best first; null for a text without letters. */
  detect(texts: string[], options?: DetectOptions): (Detection[] | null)[];
  /** The parts of a text by language; none if the text has no words. */
  segments(text: string, options?: Omit<DetectOptions, "top">): Segment[];
  /** What each character of a text (by code point) adds to the evidence for a language, in bits. */
  letters(text: string, code: string): Float64Array;
  /** Gives its memory back at once, not when the browser notices; it cannot be used any more. */
  close(): void;
}
