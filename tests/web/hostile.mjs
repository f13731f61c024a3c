// Loads many model files, one a line, and asks each some texts: node hostile.mjs WASM TEXTS <FILES
// Writes what each answers, null if it is refused, and last the bytes of memory of the core.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { open } from "../../web/addhash.js";

const [wasm, texts] = [await readFile(process.argv[2]), JSON.parse(process.argv[3])];
const addhash = await open(wasm);
const hex = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("hex");

async function answer(file) {
  try {
    const model = await addhash.load(file);
    if (model.detect) {
      model.detect(texts);
      return "languages";
    }
    return [model.predict(texts), model.probabilities(texts).map(hex)];
  } catch (error) {
    if (error.name === "AddhashError") return null;
    return { fault: String(error.stack).slice(0, 600) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(Buffer.from(line, "base64")))}\n`);
}
process.stdout.write(`${addhash.core.exports.memory.buffer.byteLength}\n`);
