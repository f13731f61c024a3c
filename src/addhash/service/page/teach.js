// Teach: the most uncertain text first, with single keys; and how accurate the model is meanwhile.

import {chip, fail, h, legend, letters, percent, progress, say, shown} from "./elements.js";
import {plot} from "./plot.js";
import {read} from "./tables.js";

const BATCH = 128;
const RERANK = 10;
const kept = new Map();  // for each model: what is waiting, and the curve

function memory(name) {
  if (!kept.has(name)) kept.set(name, {queue: [], done: [], curve: [], labels: []});
  return kept.get(name);
}

export async function teach(box, page, left) {
  const my = memory(page.model.name);
  const file = h("input", {type: "file", accept: ".txt,.csv,.tsv,.jsonl", "aria-label": "A file of texts"});
  const pasted = h("input", {class: "grow", placeholder: "… or type a text and press Enter", "aria-label": "A text to teach"});
  const drop = h("section", {class: "drop"},
    h("h2", {}, "Texts to teach"),
    h("p", {class: "small soft"}, "Drop a .txt (one text per line), .csv, .tsv or .jsonl file. Rows with a label are learnt at once; the others wait for you, most uncertain first."),
    h("div", {class: "row"}, file, pasted));
  const work = h("div", {"aria-live": "polite"});
  const card = h("section", {class: "card"});
  const figure = h("section", {class: "card"});
  box.append(h("h1", {}, "Teach"),
    h("p", {class: "lead"}, "A few examples are enough to start. Nothing you teach is ever lost."),
    h("div", {class: "columns"}, h("div", {class: "stack"}, drop, work, card), h("div", {class: "stack"}, figure)));

  // What is waiting.

  async function take(name, content) {
    const rows = read(name, content).filter(one => one.text.length <= page.limits.max_length);
    if (!rows.length) { say("No texts were found in the file."); return; }
    const labelled = rows.filter(one => one.label !== null);
    const plain = rows.filter(one => one.label === null);
    if (labelled.length) await learnAll(labelled);
    my.queue.push(...plain.map(one => ({text: one.text, margin: null, guess: null})));
    await rank();
    say(`${labelled.length} learnt, ${plain.length} waiting for you.`);
    show();
  }

  async function learnAll(rows) {
    const bar = progress("Learning …");
    work.append(bar.box);
    try {
      for (let i = 0; i < rows.length; i += BATCH) {
        const part = rows.slice(i, i + BATCH);
        await page.model.learn(part.map(one => one.text), part.map(one => asLabel(one.label)));
        bar.at(Math.min(1, (i + BATCH) / rows.length), `Learnt ${Math.min(i + BATCH, rows.length)} of ${rows.length}`);
        if (i % (BATCH * 4) === 0) await judge();
      }
    } finally {
      bar.box.remove();
    }
    await page.changed();
    await judge();
  }

  function asLabel(label) {
    const first = page.info.classes[0];
    return typeof first === "number" && /^-?\d+$/.test(label) ? Number(label) : label;
  }

  /** Ask the model about all waiting texts, and put those it is least sure of first. */
  async function rank() {
    if (!page.info.classes.length || !my.queue.length) return;
    const bar = my.queue.length > BATCH ? progress("Looking for the most uncertain …") : null;
    if (bar) work.append(bar.box);
    try {
      for (let i = 0; i < my.queue.length; i += BATCH) {
        const part = my.queue.slice(i, i + BATCH);
        const {predictions} = await page.model.predict(part.map(one => one.text), 0);
        part.forEach((one, j) => { one.margin = predictions[j].margin ?? 1; one.guess = predictions[j].label; });
        bar?.at(Math.min(1, (i + BATCH) / my.queue.length));
      }
    } finally {
      bar?.box.remove();
    }
    my.queue.sort((a, b) => (a.margin ?? -1) - (b.margin ?? -1));
  }

  // One text.

  let count = 0;
  let isBusy = false;
  function labels() {
    const known = page.info.classes.map(asLabel);
    return [...known, ...my.labels.filter(one => !known.includes(one))];
  }

  async function show() {
    const now = my.queue[0];
    if (!now) {
      card.replaceChildren(h("h2", {}, my.done.length ? "Done: nothing left to label" : "Nothing to label yet"),
        h("p", {class: "soft"}, "Drop a file above, or type a text."), tools());
      return;
    }
    const text = h("p", {class: "letters", id: "current"}, now.text);
    const buttons = h("div", {class: "labels", role: "group", "aria-label": "Labels"});
    const reason = h("div");
    const draw = () => buttons.replaceChildren(...labels().map((label, i) => h("button", {
      class: label === now.guess ? "suggested" : "", onclick: () => choose(label),
      "aria-keyshortcuts": i < 9 ? String(i + 1) : null,
    }, chip(label), i < 9 ? h("kbd", {"aria-hidden": "true"}, String(i + 1)) : "")));
    draw();
    const fresh = h("input", {class: "grow", id: "new-label", placeholder: "New label …", maxlength: 200, "aria-label": "New label"});
    const add = h("form", {class: "row", onsubmit: event => {
      event.preventDefault();
      const label = fresh.value.trim();
      if (label) choose(asLabel(label));
    }}, fresh, h("button", {}, "Add and choose"));
    card.replaceChildren(
      h("div", {class: "row small soft"}, h("span", {}, `${my.queue.length} waiting`),
        now.margin === null ? "" : h("span", {}, `· lead of the guess: ${percent(now.margin)}`)),
      text, reason, buttons, h("p", {}), add, tools());
    say(`Text: ${now.text.slice(0, 200)}. ${now.guess === null ? "" : `Guess: ${shown(now.guess)}`}`, false);
    if (!page.info.classes.length || now.text.length > 2000) return;
    try {
      const {predictions} = await page.model.predict([now.text], 0);
      const why = await page.model.explain(now.text);
      if (my.queue[0] !== now) return;
      now.guess = predictions[0].label;
      draw();
      text.replaceChildren(...letters(now.text, why.characters));
      reason.replaceChildren(legend(why.label, why.runner_up));
    } catch (error) { fail(error); }
  }

  function tools() {
    return h("p", {class: "row small soft"},
      h("button", {class: "plain", onclick: undo, disabled: !my.done.length && !page.info.taught}, h("kbd", {}, "U"), " undo"),
      my.queue.length ? h("button", {class: "plain", onclick: skip}, h("kbd", {}, "S"), " skip") : "",
      my.queue.length ? h("span", {}, h("kbd", {}, "1"), "–", h("kbd", {}, "9"), " choose, ", h("kbd", {}, "Enter"), " accepts the guess") : "");
  }

  async function choose(label) {
    const now = my.queue[0];
    if (!now || isBusy) return;
    isBusy = true;
    try {
      await page.model.learn([now.text], [label]);
      my.queue.shift();
      my.done.push(now);
      if (!my.labels.includes(label)) my.labels.push(label);
      const isNew = !page.info.classes.includes(label);
      await page.changed();
      if (++count % RERANK === 0 || isNew) await rank();
      say(`Learnt: ${shown(label)}`, false);
      judge().catch(fail);
    } catch (error) { fail(error); } finally { isBusy = false; }
    await show();
  }

  function skip() { if (my.queue.length > 1) { my.queue.push(my.queue.shift()); show(); } }

  async function undo() {
    if (isBusy) return;
    isBusy = true;
    try {
      await page.model.undo();
      const last = my.done.pop();
      if (last) my.queue.unshift(last);
      await page.changed();
      say("Undone");
      judge().catch(fail);
    } catch (error) { fail(error); } finally { isBusy = false; }
    await show();
  }

  // How accurate it is.

  async function judge() {
    const found = await page.model.evaluation();
    if (found.accuracy !== null) {
      my.curve = my.curve.filter(one => one.x !== found.total);
      my.curve.push({x: found.total, y: found.accuracy});
    }
    drawFigure(found);
  }

  function drawFigure(found) {
    figure.replaceChildren(
      h("h2", {}, "Accuracy"),
      h("p", {class: "figure", id: "accuracy"}, percent(found?.accuracy ?? null, 1)),
      plot(my.curve),
      h("p", {class: "small soft"}, found?.examples
        ? `Each of ${found.examples === found.total ? "the" : "the latest"} ${found.examples} examples, classified by the model without it.`
        : "It appears here while you teach: each example is classified by the model without it."));
  }

  // Input.

  file.addEventListener("change", async () => {
    for (const one of file.files) await take(one.name, await one.text()).catch(fail);
    file.value = "";
  });
  pasted.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !pasted.value.trim()) return;
    my.queue.unshift({text: pasted.value, margin: null, guess: null});
    pasted.value = "";
    pasted.blur();
    show();
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, event => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop") (async () => {
        for (const one of event.dataTransfer.files) await take(one.name, await one.text());
      })().catch(fail);
    });
  }
  function keys(event) {
    const isTyping = event.target.closest("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const label = labels()[Number(event.key) - 1];
    if (/^[1-9]$/.test(event.key) && label !== undefined) choose(label);
    else if (event.key === "Enter" && !event.target.closest("button, a") && my.queue[0]?.guess != null) choose(my.queue[0].guess);
    else if (event.key.toLowerCase() === "u") undo();
    else if (event.key.toLowerCase() === "s") skip();
    else return;
    event.preventDefault();
  }
  document.addEventListener("keydown", keys, {signal: left});

  drawFigure(null);
  await rank();
  await show();
  await judge();
}
