// Answers a question in JSON from a file: node answers.mjs WASM QUESTION
import { readFile } from "node:fs/promises";
import { open } from "../../web/addhash.js";
import { answersOf } from "./questions.js";

const [wasm, question] = process.argv.slice(2);
const answers = answersOf(await open(await readFile(wasm)), readFile);
const { what, ...rest } = JSON.parse(await readFile(question, "utf8"));
process.stdout.write(JSON.stringify(await answers[what](rest)));
