// addhash in the browser: vectors, languages and classifiers, with the bits that Python gives.
//
//     import { open } from "./addhash.js";
//     const addhash = await open();
//     addhash.vector("John likes movies");
//     const model = await addhash.load("some.model");
//     model.predict(["a text"]);

import { explanation, orderOf, pairwiseSum, tokensWithCharacters } from "./explanation.js";
import { AddhashError, plain, readModel, writeModel } from "./model_file.js";
import { ANALYZERS, checkSettings, isInteger } from "./settings.js";

export { AddhashError };

const TYPES = { float32: 0, float64: 1, int16: 2, int32: 3, int64: 4 };
const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
};
const STATUS = { 5: "it has a lone surrogate, which has no UTF-8 form", 6: "one of its tokens is too long",
  7: "there are too many tokens", 8: "a component does not fit the integer type" };
const WORDS_OF_TEXT = 2; // lengths of word n-grams of the analyzer "text"
const MOST_NATS = 1e6, MOST_LATER = 5, MOST_CHARACTERS = 100_000;
// As Python begins: USUAL_SMOOTHING, usual_weights of the default analysis, PRIOR_WEIGHT.
const USUAL = { smoothing: 0.5, priorWeight: 0.5, weights: [0.14, 0.028, 0.001, 0.021, 0.096, 0, 0.016, 0, 0.1, 0.106, 0.121, 0.12, 0.145, 0.176] };
const PATTERN = "(?u)\\b\\w\\w+\\b";

/** Compile the core and return what answers. `source` is a URL, a Response or bytes. */
export async function open(source = new URL("addhash.wasm", import.meta.url)) {
  const { instance } = await WebAssembly.instantiate(await bytesOf(source), { wasi_snapshot_preview1: SYSTEM });
  memoryOf = () => instance.exports.memory;
  instance.exports._initialize();
  return new Addhash(new Core(instance.exports));
}

// The bytes of a URL, of a Response, or themselves.
async function bytesOf(source) {
  const answer = source instanceof URL || typeof source === "string" ? await fetch(source) : source;
  if (typeof Response === "undefined" || !(answer instanceof Response)) return answer;
  if (!answer.ok) throw new AddhashError(`Cannot load ${answer.url}: the server answered ${answer.status}.`);
  return answer.arrayBuffer();
}

// The core writes nothing, and asks for the time and for secret keys of its caches only.
let memoryOf;
const SYSTEM = {
  clock_time_get(_clock, _precision, out) {
    new DataView(memoryOf().buffer).setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  },
  random_get(at, size) {
    crypto.getRandomValues(new Uint8Array(memoryOf().buffer, at, size));
    return 0;
  },
  fd_close: () => 8, fd_seek: () => 8, fd_write: () => 8,
};

// Memory for one call at a time.
class Core {
  constructor(exports) {
    this.exports = exports;
    this.held = [];
  }

  room(bytes) {
    const at = this.exports.allocate(bytes);
    if (at === 0) throw new AddhashError(`There is no memory for ${bytes} bytes.`);
    this.held.push(at);
    return at;
  }

  copy(array) {
    const at = this.room(array.byteLength);
    const from = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    new Uint8Array(this.exports.memory.buffer, at, from.length).set(from);
    return at;
  }

  read(Kind, at, count) {
    return new Kind(this.exports.memory.buffer, at, count).slice();
  }

  // Calls work() and gives back the memory that it asked for.
  within(work) {
    const outer = this.held;
    this.held = [];
    try {
      return work(this.exports);
    } finally {
      this.held.forEach((at) => this.exports.release(at));
      this.held = outer;
    }
  }

  // Texts as CPython stores them: code points of 1, 2 or 4 bytes, the least that hold each.
  add(texts) {
    this.exports.texts_clear();
    for (const [i, text] of texts.entries()) {
      if (typeof text !== "string") throw new AddhashError(`Expected a string as text ${i}, got ${typeof text}.`);
      let highest = 0;
      for (let j = 0; j < text.length; ++j) highest |= text.charCodeAt(j);
      const units = highest > 0xff && /[\ud800-\udfff]/.test(text) ? Array.from(text, (c) => c.codePointAt(0)) : null;
      // Lone surrogates alone do not need 4 bytes.
      const isWide = units !== null && units.some((c) => c > 0xffff);
      const unit = highest <= 0xff ? 1 : isWide ? 4 : 2;
      const length = isWide ? units.length : text.length;
      const at = this.exports.text_add(length, unit);
      const out = new { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[unit](this.exports.memory.buffer, at, length);
      if (isWide) out.set(units);
      else for (let j = 0; j < length; ++j) out[j] = text.charCodeAt(j);
    }
  }

  // The characters of a text, what CPython's tables say of each, and where in the text it came from.
  letters(text, lowercase) {
    return this.within((exports) => {
      this.add([text]);
      let codes = Uint32Array.from(text, (c) => c.codePointAt(0)), origins = codes.map((_, i) => i);
      if (lowercase) {
        const at = [0, 0].map(() => this.room(8 * codes.length));
        const length = exports.lower_first(...at);
        [codes, origins] = at.map((place) => this.read(Uint32Array, place, length));
      }
      const flags = this.copy(codes);
      exports.character_flags(flags, codes.length);
      return { letters: Array.from(codes, (code) => String.fromCodePoint(code)), origins: Array.from(origins),
        flags: Array.from(this.read(Uint32Array, flags, codes.length)) };
    });
  }

  check(status) {
    if (status === 0) return;
    throw new AddhashError(`Text ${this.exports.position()} cannot be used: ${STATUS[status] ?? `status ${status}`}.`);
  }

  cut({ analyzer = "word", ngramRange = [1, 1], lowercase = true }) {
    if (!(analyzer in ANALYZERS)) {
      throw new AddhashError(`The analyzer must be one of ${Object.keys(ANALYZERS).join(", ")}. Got ${analyzer} instead.`);
    }
    const [least, most] = ngramRange;
    if (!(Number.isInteger(least) && Number.isInteger(most) && 1 <= least && least <= most && most <= 64)) {
      throw new AddhashError(`The ngramRange must be two integers from 1 to 64 that do not fall. Got ${ngramRange} instead.`);
    }
    return this.copy(new Uint32Array([ANALYZERS[analyzer], least, most, lowercase ? 1 : 0]));
  }
}

// What is behind the core's functions is freed when it is no longer reached.
const freed = new FinalizationRegistry((free) => free());

function giveUp(closed) {
  freed.unregister(closed);
  Object.defineProperty(closed, "handle", { get() { throw new AddhashError("This model was closed."); } });
}

class Addhash {
  constructor(core) {
    this.core = core;
  }

  /** The vector of a text: additive hashing with SHAKE-256, as AdditiveHashingVectorizer makes it. */
  vector(text, options) {
    return this.vectors([text], options)[0];
  }

  vectors(texts, options = {}) {
    const { nFeatures = 2048, norm = "l2", dtype = "float64", binary = false, alternateSign = true } = options;
    if (!(Number.isInteger(nFeatures) && nFeatures >= 8 && nFeatures <= 1 << 20 && nFeatures % 8 === 0)) {
      throw new AddhashError(`nFeatures must be a multiple of 8 from 8 to 1048576. Got ${nFeatures} instead.`);
    }
    if (!(dtype in TYPES)) throw new AddhashError(`The dtype must be one of ${Object.keys(TYPES).join(", ")}. Got ${dtype} instead.`);
    const norms = [null, "l1", "l2"];
    if (!norms.includes(norm) || (norm !== null && !dtype.startsWith("float"))) {
      throw new AddhashError(`The norm must be "l1", "l2" or null, and null for integers. Got ${norm} instead.`);
    }
    return this.core.within((exports) => {
      this.core.add(texts);
      const rowBytes = nFeatures * ARRAYS[dtype].BYTES_PER_ELEMENT;
      // The core stores whole registers before the first component.
      const slack = 64;
      const out = this.core.room(texts.length * rowBytes + 2 * slack + 64);
      const first = (out + slack + 63) & ~63;
      this.core.check(exports.vectorize(this.core.cut(options), this.#hash(nFeatures, options), +alternateSign,
        +binary, TYPES[dtype], norms.indexOf(norm), first, rowBytes));
      return texts.map((_, i) => this.core.read(ARRAYS[dtype], first + i * rowBytes, nFeatures));
    });
  }

  /** The bits of tokens: what is added. `keyBlock` is that of Python's make_randomizer. */
  digests(tokens, bits = 2048, options = {}) {
    return this.core.within((exports) => {
      this.core.add(tokens);
      const out = this.core.room((tokens.length * bits) / 8 + 64);
      this.core.check(exports.digests(this.#hash(bits, options), out));
      return tokens.map((_, i) => this.core.read(Uint8Array, out + (i * bits) / 8, bits / 8));
    });
  }

  /** Near-duplicates: for each text the number of the one to keep in its place, and how similar the two are. */
  duplicates(texts, { threshold = 0.8 } = {}) {
    const numerator = Math.round(threshold * 1e6);
    if (!(numerator >= 1 && numerator <= 1e6)) throw new AddhashError(`The threshold must be above 0 and at most 1. Got ${threshold} instead.`);
    return this.core.within((exports) => {
      this.core.add(texts);
      const representatives = this.core.room(4 * texts.length), similarity = this.core.room(8 * texts.length);
      const status = exports.duplicates(numerator, 1e6, representatives, similarity);
      if (status === 7 && exports.position() === texts.length) {
        throw new AddhashError("There are too many pairs of similar texts for a page. Raise the threshold, or use fewer texts.");
      }
      this.core.check(status);
      return { representatives: this.core.read(Uint32Array, representatives, texts.length),
        similarity: this.core.read(Float64Array, similarity, texts.length) };
    });
  }

  #hash(bits, { randomizer = "shake256", keyBlock = new Uint8Array() }) {
    const wanted = randomizer === "aes128" ? [80] : [0, 136];
    if (!["shake256", "aes128"].includes(randomizer) || !wanted.includes(keyBlock.length)) {
      throw new AddhashError(`Expected "shake256" with a key block of 0 or 136 bytes, or "aes128" with one of 80. Got ${randomizer} with ${keyBlock.length}.`);
    }
    const hash = new Uint8Array(12 + 136);
    new Uint32Array(hash.buffer, 0, 3).set([randomizer === "aes128" ? 1 : 0, bits, keyBlock.length]);
    hash.set(keyBlock, 12);
    return this.core.copy(hash);
  }

  /** A classifier that has learnt nothing, with the default settings of Python's TextClassifier. */
  classifier() {
    return Classifier.empty(this.core);
  }

  /** A model that Python saved: a Classifier, or Languages for one of the method "mixture". */
  async load(source, table = "") {
    const file = await readModel(await bytesOf(source), "TextClassifier");
    const { method } = file.settings;
    if (["bayes", "mixture"].includes(method)) checkSettings(file.raw.settings);
    if (method === "bayes") return Classifier.of(this.core, file);
    if (method === "mixture") return new Languages(this.core, file, table);
    throw new AddhashError(`A model of the method ${JSON.stringify(method)} cannot be used in a page; bayes and mixture can.`);
  }
}

function require(condition, what) {
  if (!condition) throw new AddhashError(`Cannot load the model: it has wrong ${what}.`);
}

// Classes of a file, sorted; strings by code point, as Python does. Numbers are whole, and exact in JavaScript.
function labelsOf(file, name) {
  const found = file.json(name);
  if (found === null) return null;
  require(Array.isArray(found), name);
  const labels = plain(found);
  const kinds = new Set(labels.map((label) => typeof label));
  require(kinds.size <= 1 && found.every((label) => ["string", "boolean"].includes(typeof label)
    || isInteger(label, Number.MIN_SAFE_INTEGER)), name);
  require(!labels.some(endsWithNul), name);
  require(labels.every((label, i) => i === 0 || compare(labels[i - 1], label) < 0), `order of ${name}`);
  return labels;
}

// NumPy would lose it.
const endsWithNul = (label) => typeof label === "string" && label.endsWith("\0");

function compare(a, b) {
  if (typeof a !== "string") return a - b;
  const x = Array.from(a), y = Array.from(b);
  for (let i = 0; i < Math.min(x.length, y.length); ++i) {
    const difference = x[i].codePointAt(0) - y[i].codePointAt(0);
    if (difference !== 0) return difference;
  }
  return x.length - y.length;
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0n);

function checkCounts(counts, what) {
  require(counts.every((count) => count >= 0n) && sum(counts) < 1n << 63n, what);
}

class Classifier {
  static empty(core) {
    const made = new Classifier();
    const vectorizer = {
      alternate_sign: true, analyzer: "text", binary: false, decode_error: "strict", dtype: "int32",
      encoding: "utf-8", input: "content", key_fingerprint: null, lowercase: true, n_features: 2048,
      ngram_range: [1, 5], norm: null, preprocessor: null, randomizer: "shake256", stop_words: null,
      strip_accents: null, token_pattern: PATTERN, tokenizer: null,
    };
    const settings = {
      fit_prior: true, keep_texts: false, method: "bayes", n_buckets: 1 << 20, n_neighbors: 1, reject_below: null,
      reject_margin: null, smoothing: "auto", vectorizer,
    };
    Object.assign(made, { core, settings, metadata: {}, labels: [], declared: null, counts: new BigInt64Array(0),
      tokens: new BigInt64Array(0), smoothing: USUAL.smoothing, weights: Float64Array.from(USUAL.weights),
      ownWeights: new Float64Array(0), biases: new Float64Array(0), crosses: new Float64Array(0), later: 0 });
    made.#hold(core.exports.bayes_new(made.smoothing));
    return made;
  }

  static of(core, file) {
    const made = new Classifier();
    const { settings } = file;
    Object.assign(made, { core, settings, raw: file.raw, metadata: file.metadata });
    const orders = made.orders, labels = labelsOf(file, "classes") ?? [];
    require(labels.length <= 1 << 16, "number of classes");
    made.labels = labels;
    made.declared = labelsOf(file, "declared");
    made.counts = file.take("counts", "I64", [labels.length]);
    checkCounts(made.counts, "number of examples of a class");
    made.tokens = file.take("tokens", "I64", [labels.length, orders]);
    checkCounts(made.tokens, "numbers of tokens");
    // The smoothing, the bias of later classes, the weights of views, what each class adds to them, the
    // biases, and what views of classes with a bias add to each other's scores.
    const views = 2 * orders, weightsAt = 2, biasesAt = weightsAt + views + views * labels.length, crossesAt = biasesAt + labels.length;
    const scale = file.take("scale", "F64", [null]);
    require(scale.length >= crossesAt, "number of weights");
    made.smoothing = scale[0];
    made.later = scale[1];
    made.weights = scale.slice(weightsAt, weightsAt + views);
    made.ownWeights = scale.slice(weightsAt + views, biasesAt);
    made.biases = scale.slice(biasesAt, crossesAt);
    made.crosses = scale.slice(crossesAt);
    const crossed = made.biases.filter((bias) => !Number.isNaN(bias)).length;
    require([0, views * crossed ** 2].includes(made.crosses.length), "number of weights");
    require(made.crosses.every((weight) => Math.abs(weight) <= MOST_NATS), "weights between classes");
    require(made.smoothing >= 1e-6 && made.smoothing <= 1e6, "smoothing");
    require(Math.abs(made.later) <= MOST_LATER, "bias of later classes");
    require(made.weights.every((weight) => Math.abs(weight) <= MOST_NATS), "weights");
    require(made.ownWeights.every((weight) => Math.abs(weight) <= MOST_NATS), "weights of classes");
    require(made.biases.every((bias) => Number.isNaN(bias) || Math.abs(bias) <= MOST_NATS), "biases");
    const coded = file.take("buckets", "U8", [null]);
    file.finish();
    core.within((exports) => {
      const sums = core.room(8 * labels.length);
      const handle = exports.bayes_read(core.copy(coded), coded.length, settings.n_buckets, labels.length, made.smoothing, sums);
      require(handle !== 0, "counts of buckets: they are damaged");
      made.#hold(handle);
      const found = core.read(BigInt64Array, sums, labels.length);
      labels.forEach((_, c) => {
        const own = sum(made.tokens.subarray(c * orders, (c + 1) * orders));
        require(own === found[c], "counts: those of buckets do not add up to those of tokens");
        require(made.counts[c] > 0n || own === 0n, "tokens of a class without examples");
      });
    });
    return made;
  }

  get orders() {
    const [least, most] = this.settings.vectorizer.ngram_range;
    return most - least + 1 + (this.settings.vectorizer.analyzer === "text" ? WORDS_OF_TEXT : 0);
  }

  #hold(handle) {
    this.handle = handle;
    this.prepared = false;
    const { exports } = this.core;
    freed.register(this, () => exports.bayes_free(handle), this);
  }

  /** Gives its memory back at once, not when the browser notices; it cannot be used any more. */
  close() {
    this.core.exports.bayes_free(this.handle);
    giveUp(this);
  }

  get #cut() {
    const { analyzer, ngram_range: ngramRange, lowercase } = this.settings.vectorizer;
    return this.core.cut({ analyzer, ngramRange, lowercase });
  }

  #ask(texts, work) {
    if (!this.counts.some((count) => count > 0n)) throw new AddhashError("This classifier has no examples. Call learn first.");
    return this.core.within((exports) => {
      if (!this.prepared) {
        const chosen = this.biases.some((bias) => !Number.isNaN(bias));
        const withPriors = this.settings.fit_prior;
        const biases = withPriors ? this.biases : this.biases.map((bias) => (Number.isNaN(bias) ? NaN : 0));
        const prior = withPriors && !chosen ? USUAL.priorWeight : 0;
        const views = this.weights.length, classes = this.labels.length;
        const weights = new Float64Array(views * classes).map((_, i) => {
          const view = Math.floor(i / classes), c = i % classes;
          return this.weights[view] + this.ownWeights[c * views + view];
        });
        exports.bayes_prepare(this.handle, this.labels.length, this.orders, this.core.copy(this.counts),
          this.core.copy(this.tokens), this.core.copy(weights), this.core.copy(biases), prior, this.smoothing,
          this.core.copy(this.crosses), this.crosses.length, this.later);
        this.prepared = true;
      }
      this.core.add(texts);
      return work(exports);
    });
  }

  /** The label of each text. */
  predict(texts) {
    return this.#ask(texts, (exports) => {
      const [winners] = this.#best(exports, texts.length);
      return winners.map((winner) => this.labels[winner] ?? null);
    });
  }

  // The winner, its score and probability, and those of the runner-up, of each of the texts.
  #best(exports, count) {
    const at = Array.from({ length: 6 }, () => this.core.room(8 * count));
    this.core.check(exports.bayes_best(this.handle, this.#cut, this.settings.n_buckets, ...at));
    const kinds = [BigInt64Array, Float64Array, Float64Array, BigInt64Array, Float64Array, Float64Array];
    return kinds.map((Kind, i) => Array.from(this.core.read(Kind, at[i], count), Number));
  }

  /**What makes up the evidence for the label of a text: the parts that Python's explain gives. */
  explain(text) {
    const size = Array.from(String(text)).length;
    if (size > MOST_CHARACTERS) {
      throw new AddhashError(`Expected at most ${MOST_CHARACTERS} characters to explain, got ${size}. Explain a part of the text.`);
    }
    const [[winner], [evidence], [score], [other], [otherEvidence], [otherScore]] = this.#ask([text], (exports) => this.#best(exports, 1));
    const { analyzer, ngram_range: range, lowercase } = this.settings.vectorizer;
    const placed = tokensWithCharacters(this.core.letters(text, lowercase), analyzer, range);
    const counts = new Map();
    for (const [token] of placed) counts.set(token, (counts.get(token) ?? 0) + 1);
    const tokens = [...counts.keys()], rows = other < 0 ? [winner] : [winner, other];
    const [shares, others] = this.core.within((exports) => {
      this.core.add(tokens);
      const orders = this.core.copy(Uint32Array.from(tokens, (token) => orderOf(token, analyzer, range)));
      const times = this.core.copy(BigInt64Array.from(counts.values(), BigInt)), out = this.core.room(8 * tokens.length);
      return rows.map((row) => {
        this.core.check(exports.bayes_explain(this.handle, this.settings.n_buckets, orders, times, row, out));
        return this.core.read(Float64Array, out, tokens.length);
      });
    });
    const [prior, otherPrior] = rows.map((row) => this.core.exports.bayes_start(this.handle, row));
    const named = { label: this.labels[winner], score, runnerUp: this.labels[other] ?? null, margin: other < 0 ? null : score - otherScore };
    return { text, ...named, ...explanation(this.core.letters(text, false), placed, counts, { shares, others, prior, otherPrior, evidence, otherEvidence }) };
  }

  /** The probability of each of the `labels`, a row for each text. */
  probabilities(texts) {
    return this.#ask(texts, (exports) => {
      const classes = this.labels.length;
      const at = this.core.room(8 * texts.length * classes);
      this.core.check(exports.bayes_scores(this.handle, this.#cut, this.settings.n_buckets, at));
      return texts.map((_, i) => {
        const row = new Float64Array(exports.memory.buffer, at + 8 * i * classes, classes);
        const best = row.reduce((a, b) => Math.max(a, b), -Infinity);
        row.forEach((score, c) => (row[c] = score - best));
        exports.exponentials(row.byteOffset, classes);
        const total = pairwiseSum(row);
        return row.map((share) => share / total);
      });
    });
  }

  /** A classifier that has learnt more examples; this one stays as it is. */
  learn(texts, labels) {
    if (labels.some((label) => typeof label !== "string")) throw new AddhashError("Expected strings as labels.");
    if (labels.some(endsWithNul)) throw new AddhashError("A label must not end with a NUL character.");
    if (this.labels.some((label) => typeof label !== "string")) throw new AddhashError("The labels of this model are numbers; it cannot learn more in a page.");
    if (this.declared !== null && labels.some((label) => !this.declared.includes(label))) {
      throw new AddhashError(`Expected labels of the declared classes ${this.declared.join(", ")}.`);
    }
    const all = [...new Set([...this.labels, ...labels])].sort(compare);
    return this.#replaced(this.#arranged(all), (arranged) => arranged.#changed(texts, labels, false));
  }

  /** A classifier without some examples, as if they had never been learnt. */
  forget(texts, labels) {
    const unknown = labels.find((label) => !this.labels.includes(label));
    if (unknown !== undefined) throw new AddhashError(`No example of the label ${JSON.stringify(unknown)} was learnt.`);
    const made = this.#changed(texts, labels, true);
    const known = made.labels.filter((label, c) => made.counts[c] > 0n || made.declared?.includes(label));
    return this.#replaced(made, () => made.#arranged(known));
  }

  // Calls work() with a step on the way, which is not needed any more then.
  #replaced(step, work) {
    let made = null;
    try {
      made = work(step);
      return made;
    } finally {
      if (step !== this && step !== made) step.close();
    }
  }

  #with(changes) {
    return Object.assign(new Classifier(), this, changes);
  }

  // The same for other classes; counts of classes that are not among them are lost.
  #arranged(labels) {
    if (labels.length === this.labels.length && labels.every((label, i) => label === this.labels[i])) return this;
    const { orders } = this, views = 2 * orders;
    const places = this.labels.map((label) => labels.indexOf(label));
    // Of the classes with a bias, those that stay.
    const left = places.filter((_, c) => !Number.isNaN(this.biases[c])).map((place) => place >= 0);
    const kept = (_, i) => left[i % left.length] && left[Math.floor(i / left.length) % left.length];
    const made = this.#with({ labels, crosses: this.crosses.filter(kept), counts: new BigInt64Array(labels.length),
      tokens: new BigInt64Array(labels.length * orders), ownWeights: new Float64Array(labels.length * views), biases: new Float64Array(labels.length).fill(NaN) });
    places.forEach((place, c) => {
      if (place < 0) return;
      made.counts[place] = this.counts[c];
      made.biases[place] = this.biases[c];
      made.ownWeights.set(this.ownWeights.subarray(c * views, (c + 1) * views), place * views);
      made.tokens.set(this.tokens.subarray(c * orders, (c + 1) * orders), place * orders);
    });
    const numbers = Uint32Array.from(places, (place) => (place < 0 ? 0xffffffff : place));
    made.#hold(this.core.within((exports) => exports.bayes_renumber(this.handle, this.core.copy(numbers), numbers.length)));
    return made;
  }

  #changed(texts, labels, isForgetting) {
    if (texts.length !== labels.length) throw new AddhashError(`Expected a label for each of ${texts.length} texts, got ${labels.length} labels.`);
    const { orders } = this, sign = isForgetting ? -1n : 1n;
    const codes = Uint32Array.from(labels, (label) => this.labels.indexOf(label));
    return this.core.within((exports) => {
      this.core.add(texts);
      const lengths = this.core.room(8 * texts.length * orders), status = this.core.room(4);
      const handle = exports.bayes_change(this.handle, this.#cut, this.settings.n_buckets, this.core.copy(codes),
        +isForgetting, orders, lengths, status);
      const [failure] = this.core.read(Int32Array, status, 1);
      if (isForgetting && failure === 13) throw notLearnt(this.labels[exports.position()]);
      this.core.check(failure);
      const found = this.core.read(BigInt64Array, lengths, texts.length * orders);
      const made = this.#with({ counts: this.counts.slice(), tokens: this.tokens.slice() });
      made.#hold(handle);
      codes.forEach((code, i) => {
        made.counts[code] += sign;
        for (let k = 0; k < orders; ++k) made.tokens[code * orders + k] += sign * found[i * orders + k];
      });
      made.labels.forEach((label, c) => {
        const own = made.tokens.subarray(c * orders, (c + 1) * orders);
        const isWrong = made.counts[c] < 0n || own.some((count) => count < 0n) || (made.counts[c] === 0n && own.some((count) => count !== 0n));
        if (isWrong) throw notLearnt(label);
      });
      return made;
    });
  }

  /** The bytes of the file that Python's save writes. */
  async save() {
    const coded = this.core.within((exports) => {
      const size = this.core.room(4);
      const at = exports.bayes_coded(this.handle, size);
      const [length] = this.core.read(Uint32Array, size, 1);
      const bytes = this.core.read(Uint8Array, at, length);
      exports.release(at);
      return bytes;
    });
    const scale = Float64Array.from([[this.smoothing, this.later], this.weights, this.ownWeights, this.biases, this.crosses].flatMap((part) => Array.from(part)));
    return writeModel("TextClassifier", this.raw?.settings ?? this.settings, this.raw?.metadata ?? this.metadata, {
      buckets: [coded, [coded.length]],
      tokens: [this.tokens, [this.labels.length, this.orders]],
      counts: [this.counts, [this.labels.length]],
      scale: [scale, [scale.length]],
      classes: this.labels,
      declared: this.declared,
    });
  }
}

const notLearnt = (label) =>
  new AddhashError(`The examples to forget of the label ${JSON.stringify(label)} are not those that were learnt; nothing was forgotten.`);

// As Python splits texts by language (addhash/languages/segmentation.py), whose white space is not JavaScript's.
const CHANGE = 135, OTHER_SCRIPT = 40, UNITS_AT_ONCE = 256;
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const UNSPACED = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u2e80-\\ud7ff\\uf900-\\ufaff\\uff00-\\uffef\\u{1b000}-\\u{1b2ff}\\u{20000}-\\u{3ffff}";
const UNIT = new RegExp(`[${SPACE}]*(?:[${UNSPACED}]{1,8}|[^${SPACE}${UNSPACED}]{1,64})[${SPACE}]*|[${SPACE}]+`, "gu");
const SENTENCE_END = new RegExp(`[.!?:;。！？।؟։።\\n]["'”’»)\\]]*[${SPACE}]*$`, "u");
const AROUND = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu");

/** The language detector: `languages.detect(text)`. */
class Languages {
  constructor(core, file, table) {
    this.core = core;
    this.labels = (labelsOf(file, "classes") ?? []).map(String);
    const size = this.labels.length;
    labelsOf(file, "declared");
    checkCounts(file.take("counts", "I64", [size]), "number of examples of a class");
    const ngrams = file.take("ngrams", "U8", [null]);
    require(size <= 2048, "number of classes");
    const scripts = core.exports.script_count();
    this.scripts = Array.from({ length: scripts }, (_, i) => textAt(core, core.exports.script_name(i)));
    const totals = new BigInt64Array(size * scripts);
    const listed = file.json("totals");
    require(Array.isArray(listed), "totals");
    for (const row of listed) {
      require(Array.isArray(row) && row.length === 3, "totals");
      const place = this.scripts.indexOf(row[1]);
      require(isInteger(row[0], 0, size - 1) && place >= 0 && isInteger(row[2], 1), "totals");
      totals[plain(row[0]) * scripts + place] = BigInt(row[2].text);
    }
    this.totals = totals;
    const { rule, traits } = plain(file.json("scale")) ?? {};
    require(Array.isArray(rule) && rule.length === 5 && rule.every((number) => number >= 0 && number < 1e9)
      && Math.min(rule[1], rule[2], rule[3]) > 0, "scale");
    this.rule = Float64Array.from(rule);
    require(traits !== null && typeof traits === "object" && !Array.isArray(traits), "scale");
    require(Object.values(traits).every((trait) => Array.isArray(trait) && trait.length === 3), "scale");
    for (const [prior, isRare, group] of Object.values(traits)) {
      require(prior >= -1000 && prior <= 0 && typeof isRare === "boolean" && (group === null || typeof group === "string"), "scale");
    }
    this.traits = this.labels.map((label) => (Object.hasOwn(traits, label) ? traits[label] : [-4, false, null]));
    file.finish();
    const names = this.traits.map(([, , group], i) => group ?? this.labels[i]);
    this.groups = names;
    this.table = new Map(table.trimEnd().split("\n").slice(1).map((line) => line.split("\t")).map((row) => [row[0], row]));
    core.within((exports) => {
      this.handle = exports.languages_read(core.copy(ngrams), ngrams.length, size);
      require(this.handle !== 0, "counts of n-grams: they are damaged");
      exports.languages_prepare(this.handle, size, core.copy(totals), core.copy(Uint8Array.from(this.traits, (t) => +t[1])),
        core.copy(Float64Array.from(this.traits, (t) => t[0])), core.copy(Uint16Array.from(names, (name) => names.indexOf(name))));
    });
    const { handle } = this;
    freed.register(this, () => core.exports.languages_free(handle), this);
  }

  /** Gives its memory back at once, not when the browser notices; it cannot be used any more. */
  close() {
    this.core.exports.languages_free(this.handle);
    giveUp(this);
  }

  /** The likeliest languages of each text, best first; null for a text without letters. */
  detect(texts, { top = 1, threshold = 0.1, languages = null } = {}) {
    if (!(Number.isInteger(top) && top >= 1)) throw new AddhashError(`top must be at least 1. Got ${top} instead.`);
    const count = Math.min(top, this.labels.length);
    let candidates = null, rule = this.rule;
    if (languages !== null) {
      this.#check(languages);
      candidates = Uint8Array.from(this.labels, (label) => +languages.includes(label));
      rule = rule.with?.(0, 0) ?? Float64Array.of(0, ...rule.slice(1));
    }
    return this.core.within((exports) => {
      this.core.add(texts);
      const size = texts.length * count, room = (bytes) => this.core.room(bytes);
      const at = [room(4 * size), room(8 * size), room(8 * size), room(texts.length), room(texts.length)];
      exports.languages_detect(this.handle, this.core.copy(rule), candidates === null ? 0 : this.core.copy(candidates), count, ...at);
      const [labels, shares, sums] = [Int32Array, Float64Array, Float64Array].map((Kind, i) => this.core.read(Kind, at[i], size));
      const scripts = this.core.read(Uint8Array, at[3], texts.length), kinds = this.core.read(Uint8Array, at[4], texts.length);
      return texts.map((_, i) => {
        if (kinds[i] === 0) return null;
        const row = [];
        for (let j = i * count; j < (i + 1) * count; ++j) {
          if (labels[j] >= 0) row.push(this.#named(labels[j], shares[j], sums[j], scripts[i]));
        }
        if (row.length === 0) return [this.#unknown(0)];
        if (threshold > 0 && (kinds[i] === 1 || row[0].groupProbability < threshold)) row.unshift(this.#unknown(row[0].probability));
        return row.slice(0, top);
      });
    });
  }

  #check(languages) {
    const wrong = languages.find((code) => !this.labels.includes(code) || this.traits[this.labels.indexOf(code)][1]);
    if (wrong !== undefined) throw new AddhashError(`Expected ISO 639-3 codes of languages that are not rare. Got ${wrong} instead.`);
  }

  /** The parts of a text by language: each from `start` to before `end`, as in text.slice, and its detection. */
  segments(text, { threshold = 0.1, languages = null } = {}) {
    const answer = (part) => this.detect([part], { threshold, languages })[0]?.[0];
    if (answer(text) === undefined) return [];
    const units = text.match(UNIT), places = this.#places(units, languages);
    const borders = [0];
    let at = 0;
    units.forEach((unit, i) => {
      if (i > 0 && places[i] !== places[i - 1]) borders.push(at);
      at += unit.length;
    });
    borders.push(text.length);
    const result = [];
    for (let i = 1; i < borders.length; ++i) {
      let start = borders[i - 1];
      const end = borders[i];
      let found = answer(text.slice(start, end)) ?? this.#unknown(0);
      if (result.at(-1)?.code === found.code) { // one language after all
        ({ start } = result.pop());
        found = answer(text.slice(start, end)) ?? found;
      }
      result.push({ start, end, ...found });
    }
    return result;
  }

  // The best language of each unit, by the Viterbi algorithm.
  #places(units, languages) {
    const columns = [...this.labels.keys()].filter((i) => (languages === null ? !this.traits[i][1] : languages.includes(this.labels[i])));
    const hasPrior = languages === null && this.rule[0] !== 0;
    const entry = Float64Array.from(columns, (i) => (hasPrior ? this.traits[i][0] : 0));
    const best = (values) => values.indexOf(values.reduce((a, b) => Math.max(a, b), -Infinity));
    let scores = entry.slice(), cost = 0;
    const stays = [], leaders = [];
    for (let first = 0; first < units.length; first += UNITS_AT_ONCE) {
      const some = units.slice(first, first + UNITS_AT_ONCE);
      this.#evidence(some, columns).forEach((evidence, i) => {
        const leader = best(scores), from = scores[leader] - cost;
        // Ties change late: a number belongs to what precedes it.
        const stay = Uint8Array.from(scores, (score, c) => +(score > from + entry[c]));
        scores = scores.map((score, c) => (stay[c] ? score : from + entry[c]) + evidence[c]);
        const most = scores[best(scores)];
        scores = scores.map((score) => score - most);
        stays.push(stay);
        leaders.push(leader);
        cost = SENTENCE_END.test(some[i]) ? CHANGE / 2 : CHANGE;
      });
    }
    const places = [];
    let place = best(scores);
    for (let i = units.length - 1; i >= 0; --i) {
      places[i] = place;
      if (!stays[i][place]) place = leaders[i];
    }
    return places;
  }

  // The evidence of each unit for the classes of `columns`, in bits; those without words have none.
  #evidence(units, columns) {
    const size = this.labels.length, scripts = this.scripts.length;
    return this.core.within((exports) => {
      this.core.add(units.map((unit) => unit.replace(AROUND, "")));
      const at = [8 * size, 4, 1].map((bytes) => this.core.room(bytes * units.length));
      exports.languages_evidence(this.handle, ...at);
      const [evidence, ngrams, script] = [Float64Array, Uint32Array, Uint8Array].map((Kind, i) =>
        this.core.read(Kind, at[i], units.length * (i === 0 ? size : 1)));
      return units.map((_, i) => Float64Array.from(columns, (c) => {
        if (ngrams[i] === 0) return 0;
        const isWritten = script[i] === 0 || this.totals[c * scripts + script[i]] > 0n;
        return evidence[i * size + c] - (isWritten ? 0 : OTHER_SCRIPT);
      }));
    });
  }

  /** What each character of a text (by code point) adds to the evidence for a language, in bits. */
  letters(text, code) {
    const label = this.labels.indexOf(code);
    if (label < 0) throw new AddhashError(`Expected the code of a language of the model. Got ${code} instead.`);
    return this.core.within((exports) => {
      this.core.add([text]);
      const out = this.core.room(8 * text.length + 8);
      exports.languages_letters(this.handle, label, out);
      const isWide = /[\u{10000}-\u{10ffff}]/u.test(text);
      return this.core.read(Float64Array, out, isWide ? Array.from(text).length : text.length);
    });
  }

  #named(label, probability, groupProbability, script) {
    const code = this.labels[label], row = this.table.get(code);
    return { code, short: row?.[1] || null, name: row?.[2] ?? code, ownName: row?.[3] || null, probability,
      script: script === 0 ? null : this.scripts[script], group: this.groups[label], groupProbability };
  }

  #unknown(probability) {
    return { code: "und", short: null, name: "Undetermined", ownName: null, probability, script: null, group: "und", groupProbability: probability };
  }
}

function textAt(core, at) {
  const bytes = new Uint8Array(core.exports.memory.buffer, at);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

