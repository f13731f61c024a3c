// Answers questions in JSON from a file, one program for all tests: node answers.mjs WASM QUESTIONS
import { readFile } from "node:fs/promises";
import { open } from "../../web/addhash.js";

const [wasm, questions] = process.argv.slice(2);
const addhash = await open(await readFile(wasm));
const hex = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("hex");
const models = new Map();

async function model(path, table) {
  if (!models.has(path)) models.set(path, await addhash.load(await readFile(path), table && (await readFile(table, "utf8"))));
  return models.get(path);
}

const answer = {
  digests: ({ tokens, bits, randomizer, keyBlock }) =>
    addhash.digests(tokens, bits, { randomizer, keyBlock: Buffer.from(keyBlock, "hex") }).map(hex),
  vectors: ({ texts, options }) => addhash.vectors(texts, options).map(hex),
  duplicates: ({ texts, options }) => {
    const { representatives, similarity } = addhash.duplicates(texts, options);
    return [Array.from(representatives), hex(similarity)];
  },
  segments: async ({ path, table, texts, options }) => {
    const detector = await model(path, table);
    return texts.map((text) => detector.segments(text, options).map(({ start, end, code, probability }) =>
      [text.slice(start, end), code, hex(Float64Array.of(probability))]));
  },
  detect: async ({ path, table, texts, options }) => {
    const numbers = (d) => ({ ...d, probability: hex(Float64Array.of(d.probability)), groupProbability: hex(Float64Array.of(d.groupProbability)) });
    return (await model(path, table)).detect(texts, options).map((row) => row && row.map(numbers));
  },
  predict: async ({ path, texts }) => (await model(path)).predict(texts),
  probabilities: async ({ path, texts }) => (await model(path)).probabilities(texts).map(hex),
  explain: async ({ path, texts }) => {
    const found = await model(path);
    const bits = (key, value) => {
      if (value instanceof Float64Array) return hex(value);
      return typeof value === "number" && key !== "occurrences" ? hex(Float64Array.of(value)) : value;
    };
    return texts.map((text) => JSON.parse(JSON.stringify(found.explain(text), bits)));
  },
  saved: async ({ path }) => hex(await (await model(path)).save()),
  taught: async ({ path, learn, forget }) => {
    let made = path ? await model(path) : addhash.classifier();
    for (const [texts, labels] of learn) made = made.learn(texts, labels);
    for (const [texts, labels] of forget) made = made.forget(texts, labels);
    return hex(await made.save());
  },
  refusal: async ({ path }) => {
    try {
      return await model(path);
    } catch (error) {
      return error.message;
    }
  },
  fetched: async ({ data }) => {
    const bytes = Buffer.from(data, "base64"), url = `data:application/octet-stream;base64,${data}`;
    const found = [];
    for (const source of [url, new URL(url), new Response(bytes), bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), new Response(null, { status: 404 })]) {
      try {
        found.push((await addhash.load(source)).predict(["a cat"]));
      } catch (error) {
        found.push(error.message);
      }
    }
    return found;
  },
  // Which of many files are refused, and what those that are not predict.
  loads: async ({ files }) => {
    const found = [];
    for (const file of files) {
      try {
        found.push((await addhash.load(Buffer.from(file, "base64"))).predict(["a cat"]));
      } catch (error) {
        if (error.name !== "AddhashError") throw error;
        found.push(null);
      }
    }
    return found;
  },
};

const found = [];
for (const { what, ...rest } of JSON.parse(await readFile(questions, "utf8"))) found.push(await answer[what](rest));
process.stdout.write(JSON.stringify(found));
