// Answers texts, a list in JSON in the first line, whenever another line comes, and writes how many seconds that took.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { open } from "../web/addhash.js";

const addhash = await open(await readFile(process.argv[2]));
const model = await addhash.load(await readFile(process.argv[3]));
let texts;
for await (const line of createInterface({ input: process.stdin })) {
  if (texts === undefined) {
    texts = JSON.parse(line);
    continue;
  }
  const start = performance.now();
  if (model.detect) model.detect(texts);
  else model.predict(texts);
  process.stdout.write(`${(performance.now() - start) / 1000}\n`);
}
