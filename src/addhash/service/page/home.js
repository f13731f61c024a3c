// The first screen: the language detector to try, and a model of one's own from a file.

import * as api from "./api.js";
import {fail, h, percent, say, settled} from "./elements.js";
import {useIt} from "./use.js";
import {give} from "./teach.js";

const SENTENCES = [
  "Where is the nearest train station?", "¿Dónde está la biblioteca?", "Wer reitet so spät durch Nacht und Wind?",
  "Tous les hommes naissent libres.", "خرج الولد إلى الحديقة.", "今日はいい天気ですね。", "Je hebt een pakketje.", "Ужин в семь часов?"];
const SURE = 0.5;
let kept = "";

export async function home(box, page, left) {
  const own = ownCard(page);
  const models = h("section", {class: "card"}, h("h2", {}, "Models on this server"),
    page.list.length ? h("ul", {class: "models"}, ...page.list.map(one => h("li", {},
      h("a", {href: page.address(one.id, "ask")}, h("b", {dir: "auto"}, one.id)),
      h("span", {class: "small soft"}, one.condition === "ready"
        ? `${one.classes.length.toLocaleString("en")} classes, ${one.counts.reduce((a, b) => a + Number(b), 0).toLocaleString("en")} examples`
        : one.condition)))) : h("p", {class: "soft"}, "None yet."),
    page.isWritable ? h("p", {}, h("a", {href: "#/new"}, "New model …")) : "");
  if (!page.hasLanguages) {
    box.append(h("h1", {}, "Teach a computer to label texts"),
      h("p", {class: "lead"}, "Give it a file of texts with labels. It learns in a second, says why it answers as it does, and forgets whatever you take back."),
      h("div", {class: "columns"}, h("div", {class: "stack"}, own), h("div", {class: "stack"}, models)));
    return;
  }
  const text = h("textarea", {id: "text", placeholder: "Type or paste a text in any language …", "aria-label": "A text in any language",
    dir: "auto", spellcheck: "false", maxlength: page.limits.max_length});
  text.value = kept;
  const answer = h("div", {class: "answer", "aria-live": "polite"});
  const bars = h("ul", {class: "bars", "aria-label": "Languages and their probabilities"});
  const use = useIt("v1/detect", () => ({texts: [text.value || SENTENCES[0]], top: 5}));
  box.append(h("h1", {}, "What language is this?"),
    h("p", {class: "lead"}, "Type, or click a sentence. Then teach it to tell apart whatever you like."),
    h("div", {class: "columns"},
      h("section", {class: "card"}, text,
        h("div", {class: "row sentences"}, ...SENTENCES.map(one => h("button", {dir: "auto", onclick: () => { text.value = one; look().catch(fail); }}, one))),
        answer, bars, use.box),
      h("div", {class: "stack"}, own, models)));

  let running = null;
  async function look() {
    kept = text.value;
    running?.abort();
    use.draw();
    if (!text.value.trim()) { answer.replaceChildren(); bars.replaceChildren(); return; }
    stale(true);
    const {signal} = running = new AbortController();
    const [found] = (await api.detect([text.value], 5, signal)).languages;
    stale(false);
    if (!found.length) { answer.replaceChildren(h("span", {class: "soft"}, "There are no letters in it.")); bars.replaceChildren(); return; }
    const [first] = found;
    answer.replaceChildren(h("b", {class: "big"}, first.code === "und" ? "Unknown" : first.name),
      first.own_name && first.own_name !== first.name ? h("span", {class: "soft", dir: "auto"}, first.own_name) : "",
      h("span", {class: "soft"}, first.code === "und" ? "no language is likely" : first.probability < SURE ? `not sure: ${percent(first.probability)}` : percent(first.probability, first.probability > 0.99 ? 1 : 0)));
    bars.replaceChildren(...found.filter(one => one.code !== "und").map((one, i) => h("li", {},
      h("span", {class: "name", title: `${one.name} (${one.code})`}, one.name), h("span", {class: "bar"}, h("i", {"--share": one.probability.toFixed(4), "--hue": (265 + i * 137.508) % 360})),
      h("span", {class: "number small"}, percent(one.probability, 1)))));
    say(`${first.name}, ${percent(first.probability)}`, false);
  }
  function stale(isOld) { for (const part of [answer, bars]) part.classList.toggle("stale", isOld); }
  text.addEventListener("input", () => stale(true));
  text.addEventListener("input", settled(70, () => look().catch(fail)));
  left.addEventListener("abort", () => running?.abort());
  if (text.value) await look();
}

function ownCard(page) {
  const file = h("input", {type: "file", id: "own-file", accept: ".csv,.tsv,.txt,.jsonl,.xlsx,.parquet", "aria-label": "A file of texts and labels"});
  const card = h("section", {class: "card own"}, h("h2", {}, "Make your own"));
  if (!page.isWritable) { card.append(h("p", {class: "soft"}, "This server accepts no changes.")); return card; }
  card.append(h("p", {}, "A file with a column of texts and a column of labels is enough: mail and its folder, reviews and stars, tickets and teams."),
    h("p", {}, file),
    h("p", {class: "small soft"}, ".csv, .tsv, .txt, .jsonl, .xlsx or .parquet"),
    h("p", {}, h("button", {class: "main", id: "sample", onclick: () => sample(page).catch(fail)}, "Try a sample: 150 messages, spam or ham")));
  file.addEventListener("change", () => begin(page, file.files[0]).catch(fail));
  return card;
}

/** Start a model named after a file, and let Teach read the file. */
async function begin(page, file) {
  const stem = file.name.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[._-]+/, "").slice(0, 60) || "model";
  let name = stem;
  for (let i = 2; page.list.some(one => one.id === name); i++) name = `${stem}-${i}`;
  await api.create(name, "bayes");
  await page.refresh();
  give(name, file);
  page.go(name, "teach");
}

async function sample(page) {
  const answer = await fetch("page/messages.csv");
  await begin(page, new File([await answer.blob()], "messages.csv"));
}
