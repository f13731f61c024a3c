// Answers the page: { id, what, ...rest } comes in, { id, answer } or { id, error } goes out.
import { open } from "./addhash.js";

const RUNNERS_UP = 2;

async function detector() {
  const [addhash, model, table] = await Promise.all([
    core, fetch("languages.model").then((answer) => answer.arrayBuffer()), fetch("languages.tsv").then((answer) => answer.text()),
  ]);
  return addhash.load(model, table);
}

const core = open();
const languages = detector();
let taught = core.then((addhash) => addhash.classifier());

async function replace(change) {
  const before = await taught;
  taught = change(before);
  before.close();
}

// What each letter says for the best language against the next one, in bits.
function reasons(found, text, [best, other]) {
  if (other === undefined) return null;
  const against = found.letters(text, other.code);
  return { best, other, bits: found.letters(text, best.code).map((bits, i) => bits - against[i]) };
}

const answers = {
  ready: async () => {
    await languages;
  },
  detect: async ({ text }) => {
    const found = await languages;
    const [rows] = found.detect([text], { top: 1 + RUNNERS_UP });
    if (rows === null) return null;
    return { rows, segments: found.segments(text), reasons: reasons(found, text, rows.filter(({ code }) => code !== "und")) };
  },
  learn: async ({ texts, labels }) => {
    await replace((model) => model.learn(texts, labels));
  },
  forget: async ({ text, label }) => {
    await replace((model) => model.forget([text], [label]));
  },
  predict: async ({ text }) => {
    const model = await taught;
    if (model.labels.length === 0) return [];
    const [shares] = model.probabilities([text]);
    return model.labels.map((label, i) => ({ label, probability: shares[i] })).sort((a, b) => b.probability - a.probability);
  },
  save: async () => (await taught).save(),
  duplicates: async ({ texts, threshold }) => (await core).duplicates(texts, { threshold }),
};

// One question after the other, so that what is taught is taught in order.
let last = Promise.resolve();
self.onmessage = ({ data: { id, what, ...rest } }) => {
  last = last.then(async () => {
    try {
      self.postMessage({ id, answer: await answers[what](rest) });
    } catch (error) {
      self.postMessage({ id, error: error.message });
    }
  });
};
