// Model files, read and written as Python's files/model_file.py does: safetensors with a description
// in the header, and a digest of everything.

const FORMAT = 2;
const LENGTH_BYTES = 8;
const MAX_HEADER = 1 << 20;
const MAX_DEPTH = 100;
const MOST_BYTES = 2 ** 48;
const VERSION = "0.2.0";
// In the order of safetensors, which writes the last ones first; the types of NumPy for the digest.
const KINDS = { U8: [Uint8Array, "|u1"], I8: [Int8Array, "|i1"], I32: [Int32Array, "<i4"], F32: [Float32Array, "<f4"],
  F64: [Float64Array, "<f8"], I64: [BigInt64Array, "<i8"] };

export class AddhashError extends Error {
  name = "AddhashError";
}

const refuse = (why) => {
  throw new AddhashError(`Cannot load the model: ${why}.`);
};

// JSON that keeps each number as it was written, since a digest is of the text that Python writes.
export class Numeral {
  constructor(text) {
    this.text = text;
  }
}

function parse(text) {
  const token = /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/y;
  const next = () => {
    const found = token.exec(text);
    if (found === null) refuse("its header is not valid JSON");
    return found;
  };
  const value = ([, sign, string, number, word], depth) => {
    if (depth > MAX_DEPTH) refuse("its header is nested too deeply");
    if (string !== undefined) return JSON.parse(string);
    if (number !== undefined) return new Numeral(number);
    if (word !== undefined) return { true: true, false: false, null: null }[word];
    if (sign === "[" || sign === "{") return members(sign, depth + 1);
    return refuse("its header is not valid JSON");
  };
  const members = (sign, depth) => {
    const list = [], map = new Map(), end = sign === "[" ? "]" : "}";
    let found = next();
    while (found[1] !== end) {
      if (sign === "[") {
        list.push(value(found, depth));
      } else {
        if (found[2] === undefined) refuse("its header is not valid JSON");
        const name = JSON.parse(found[2]);
        if (map.has(name)) refuse("a name occurs twice in its header");
        if (next()[1] !== ":") refuse("its header is not valid JSON");
        map.set(name, value(next(), depth));
      }
      found = next();
      if (found[1] === ",") {
        found = next();
        if (found[1] === end) refuse("its header is not valid JSON");
      } else if (found[1] !== end) refuse("its header is not valid JSON");
    }
    return sign === "[" ? list : map;
  };
  const result = value(next(), 0);
  if (/[^ \t\n\r]/.test(text.slice(token.lastIndex))) refuse("its header is not valid JSON");
  return result;
}

/** What was parsed as plain values. */
export function plain(value) {
  if (value instanceof Numeral) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, own]) => [name, plain(own)]));
  return value;
}

const byCodePoints = (a, b) => {
  const x = Array.from(a, (c) => c.codePointAt(0)), y = Array.from(b, (c) => c.codePointAt(0));
  const i = x.findIndex((c, place) => c !== y[place]);
  return i < 0 ? x.length - y.length : x[i] - (y[i] ?? -1);
};

// As json.dumps of Python, with sorted names; both kinds of values.
function dumps(value, [comma, colon] = [", ", ": "]) {
  const own = (inner) => dumps(inner, [comma, colon]);
  if (value instanceof Numeral) return value.text;
  if (Array.isArray(value)) return `[${value.map(own).join(comma)}]`;
  if (value !== null && typeof value === "object") {
    const pairs = value instanceof Map ? [...value] : Object.entries(value);
    pairs.sort(([a], [b]) => byCodePoints(a, b));
    return `{${pairs.map(([name, inner]) => own(name) + colon + own(inner)).join(comma)}}`;
  }
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

async function digestOf(about, arrays) {
  const rest = new Map([...about].filter(([name]) => name !== "digest"));
  const shapes = Object.fromEntries(Object.entries(arrays).map(([name, { kind, shape }]) => [name, [KINDS[kind][1], shape]]));
  const head = new TextEncoder().encode(dumps([rest, shapes]));
  const names = Object.keys(arrays).sort(byCodePoints);
  const all = new Uint8Array(head.length + names.reduce((size, name) => size + arrays[name].bytes.length, 0));
  all.set(head);
  let at = head.length;
  for (const name of names) {
    all.set(arrays[name].bytes, at);
    at += arrays[name].bytes.length;
  }
  if (!globalThis.crypto?.subtle) throw new AddhashError("Checking a model needs a secure context: https, or localhost.");
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Read a model file of a class, given as bytes, with every byte checked. */
export async function readModel(source, kind) {
  const data = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  if (data.length <= LENGTH_BYTES || data[LENGTH_BYTES] !== 0x7b) refuse("it is not an addhash model file");
  const length = new DataView(data.buffer, data.byteOffset).getBigUint64(0, true);
  if (length > MAX_HEADER) refuse("it is not an addhash model file");
  const start = LENGTH_BYTES + Number(length);
  if (start > data.length) refuse(`it was truncated: it has ${data.length} bytes, and its header alone takes ${start}`);
  const text = decode(data.subarray(LENGTH_BYTES, start));
  const header = parse(text);
  if (!(header instanceof Map)) refuse("its header is not a JSON object");
  const about = description(header);
  const arrays = arraysOf(header, data, start);
  if ((await digestOf(about, arrays)) !== about.get("digest")) refuse("its content does not match its digest: it was damaged or altered");
  if (about.get("kind") !== kind) refuse(`it holds a ${JSON.stringify(about.get("kind"))}, not a ${JSON.stringify(kind)}`);
  return new ModelFile(about, arrays);
}

function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("it has text that is not UTF-8");
  }
}

function description(header) {
  const metadata = header.get("__metadata__");
  header.delete("__metadata__");
  if (!(metadata instanceof Map) || metadata.size !== 1 || typeof metadata.get("addhash") !== "string") {
    refuse("it is a safetensors file, but not one written by addhash");
  }
  const about = parse(metadata.get("addhash"));
  const isMap = (value) => value instanceof Map, isText = (value) => typeof value === "string";
  const wanted = { version: isText, kind: isText, settings: isMap, digest: isText,
    metadata: (value) => isMap(value) && [...value.values()].every(isText),
    format: (value) => value instanceof Numeral && /^-?\d+$/.test(value.text) };
  if (!isMap(about) || about.size !== 6 || !Object.entries(wanted).every(([name, fits]) => fits(about.get(name)))) {
    refuse("its description is incomplete");
  }
  if (about.get("format").text !== String(FORMAT)) refuse(`it has format ${about.get("format").text}, and this version reads format ${FORMAT}`);
  return about;
}

// The arrays must fill the file without gaps or overlaps.
function arraysOf(header, data, start) {
  const arrays = {}, spans = [];
  for (const [name, raw] of header) {
    const entry = plain(raw);
    const isCount = (value) => value instanceof Numeral && /^\d+$/.test(value.text) && Number(value.text) < MOST_BYTES;
    const areCounts = (name) => Array.isArray(raw.get(name)) && raw.get(name).every(isCount);
    const { dtype, shape, data_offsets: offsets } = raw instanceof Map ? entry : {};
    if (!Object.hasOwn(KINDS, dtype ?? "") || !areCounts("shape") || shape.length > 3
      || !areCounts("data_offsets") || offsets.length !== 2 || Object.keys(entry).length !== 3) {
      refuse(`its entry of ${JSON.stringify(name)} is wrong`);
    }
    const [begin, end] = offsets;
    const size = shape.reduce((a, b) => a * b, KINDS[dtype][0].BYTES_PER_ELEMENT);
    if (end < begin || end - begin !== size || end > data.length - start) refuse(`the array ${JSON.stringify(name)} has the wrong size`);
    spans.push(offsets);
    Object.defineProperty(arrays, name, { enumerable: true, value: { kind: dtype, shape, bytes: data.subarray(start + begin, start + end) } });
  }
  let at = 0;
  for (const [begin, end] of spans.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (begin !== at) refuse("its arrays leave gaps or overlap");
    at = end;
  }
  if (at !== data.length - start) refuse("it has bytes that belong to no array");
  return arrays;
}

class ModelFile {
  #left;

  constructor(about, arrays) {
    this.raw = { settings: about.get("settings"), metadata: about.get("metadata") };
    this.settings = plain(about.get("settings"));
    this.metadata = plain(about.get("metadata"));
    this.#left = new Map(Object.entries(arrays));
  }

  /** An array of this type and shape, as its own copy; null means any length. */
  take(name, kind, shape) {
    const found = this.#left.get(name);
    this.#left.delete(name);
    if (found === undefined) refuse(`it has wrong arrays: ${name} is missing`);
    if (found.kind !== kind || found.shape.length !== shape.length || !shape.every((n, i) => n === null || n === found.shape[i])) {
      refuse(`it has wrong type or shape of ${name}`);
    }
    return new KINDS[kind][0](found.bytes.slice().buffer);
  }

  /** What an array says in JSON: numbers as Numeral, objects as Map. */
  json(name) {
    return parse(decode(this.take(name, "U8", [null])));
  }

  finish() {
    if (this.#left.size) refuse(`it has wrong arrays: ${[...this.#left.keys()].join(", ").slice(0, 80)} have no meaning`);
  }
}

/** The bytes of a model file. An array is [values, shape]; anything else is written as JSON. */
export async function writeModel(kind, settings, metadata, parts) {
  const arrays = {};
  for (const [name, part] of Object.entries(parts)) {
    const isArray = Array.isArray(part) && ArrayBuffer.isView(part[0]);
    const [values, shape] = isArray ? part : [new TextEncoder().encode(dumps(part))];
    const own = Object.keys(KINDS).find((name) => values instanceof KINDS[name][0]);
    arrays[name] = { kind: own, shape: shape ?? [values.length], bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) };
  }
  const about = new Map(Object.entries({ format: FORMAT, version: VERSION, kind, settings, metadata }));
  about.set("digest", await digestOf(about, arrays));
  const order = Object.keys(KINDS);
  const names = Object.keys(arrays).sort((a, b) => order.indexOf(arrays[b].kind) - order.indexOf(arrays[a].kind) || byCodePoints(a, b));
  const header = { __metadata__: { addhash: dumps(about, [",", ":"]) } };
  let end = 0;
  for (const name of names) {
    const start = end;
    end += arrays[name].bytes.length;
    header[name] = { dtype: arrays[name].kind, shape: arrays[name].shape, data_offsets: [start, end] };
  }
  let text = JSON.stringify(header);
  text += " ".repeat((LENGTH_BYTES - (text.length % LENGTH_BYTES)) % LENGTH_BYTES);
  const file = new Uint8Array(LENGTH_BYTES + text.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(new TextEncoder().encode(text), LENGTH_BYTES);
  let at = LENGTH_BYTES + text.length;
  for (const name of names) {
    file.set(arrays[name].bytes, at);
    at += arrays[name].bytes.length;
  }
  return file;
}
