// What tests ask of the module, in Node and in a browser alike. `read` returns the bytes of a file.

const hex = (array) => Array.from(new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
  (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

export function answersOf(addhash, read) {
  const models = new Map();
  const model = async (path, table) => {
    if (!models.has(path)) {
      models.set(path, await addhash.load(await read(path), table && new TextDecoder().decode(await read(table))));
    }
    return models.get(path);
  };
  return {
    digests: ({ tokens, bits, randomizer, keyBlock }) =>
      addhash.digests(tokens, bits, { randomizer, keyBlock: Uint8Array.from(keyBlock.match(/../g) ?? [], (byte) => parseInt(byte, 16)) }).map(hex),
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
    // Bytes of memory after many models that were closed, and what a closed one says.
    closed: async ({ path, times }) => {
      const bytes = await read(path);
      for (let i = 0; i < times; ++i) {
        const loaded = await addhash.load(bytes), taught = loaded.learn(["a text"], [`label ${i % 9}`]);
        loaded.close();
        taught.forget(["a text"], [`label ${i % 9}`]).close();
        taught.close();
        if (i === times - 1) {
          try {
            taught.predict(["a text"]);
          } catch (error) {
            return [addhash.core.exports.memory.buffer.byteLength, error.message];
          }
        }
      }
    },
    refusal: async ({ path }) => {
      try {
        return await model(path);
      } catch (error) {
        return error.message;
      }
    },
    fetched: async ({ data }) => {
      const bytes = bytesOf(data), url = `data:application/octet-stream;base64,${data}`;
      const found = [];
      for (const source of [url, new URL(url), new Response(bytes), bytes.buffer, new Response(null, { status: 404 })]) {
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
          found.push((await addhash.load(bytesOf(file))).predict(["a cat"]));
        } catch (error) {
          if (error.name !== "AddhashError") throw error;
          found.push(null);
        }
      }
      return found;
    },
  };
}
