// Teach: the most uncertain text first, with single keys; files; and how accurate the model is meanwhile.

import {newKey} from "./api.js";
import {confirmed, fail, h, legend, letters, percent, progress, say, short, shown, takesKeys, asLabel} from "./elements.js";
import {preview} from "./files.js";
import {picker} from "./labels.js";
import {plot} from "./plot.js";
import {choice, choose as keepChoice, claim, save} from "./store.js";

const BATCH = 128;
const RERANK = 10;
const UNDOABLE = 200;
const given = new Map();  // files for models, from the first screen
const kept = new Map();   // for each model: what is waiting, what was done, the curve
let learning = 0;         // files under way, in all models

export function give(name, file) { given.set(name, file); }

addEventListener("beforeunload", event => { if (learning) event.preventDefault(); });

async function memory(model) {
  if (!kept.has(model)) {
    const {name, found} = await claim(`teach-${model}`);
    const all = what => found.flatMap(one => one[what] ?? []);
    kept.set(model, {name, queue: all("queue"), done: all("done"), undone: all("undone"), files: all("files"), isLearning: false, labels: [...new Set(all("labels"))], curve: [], started: null, count: 0});
  }
  return kept.get(model);
}

export async function teach(box, page, left) {
  const {name} = page.model, model = page.model;
  const my = await memory(name);
  const keep = () => save(my.name, {queue: my.queue, done: my.done, undone: my.undone, files: my.files, labels: my.labels});
  const file = h("input", {type: "file", accept: ".txt,.csv,.tsv,.jsonl,.xlsx,.parquet", multiple: true, "aria-label": "Files of texts"});
  const pasted = h("input", {class: "grow", placeholder: "… or a text, and Enter", "aria-label": "A text to teach", dir: "auto", maxlength: page.limits.max_length});
  const drop = h("section", {class: "drop"},
    h("h2", {}, "Texts to teach"),
    h("p", {class: "small soft"}, "Drop a .csv, .tsv, .txt, .jsonl, .xlsx or .parquet file. Rows with a label are learnt at once; the others wait for you, most uncertain first."),
    h("div", {class: "row"}, file, pasted));
  const work = h("div");
  const card = h("section", {class: "card"});
  const figure = h("section", {class: "card"});
  box.append(h("h1", {}, "Teach"),
    h("p", {class: "lead"}, "A few examples are enough to start. What waits here stays, even if you close the page."),
    h("div", {class: "columns"}, h("div", {class: "stack"}, drop, work, card), h("div", {class: "stack"}, figure)));
  if (!page.isWritable) { drop.remove(); card.replaceChildren(h("p", {class: "soft"}, "This server accepts no changes.")); await judge(); return; }

  // Files.

  async function take(one) {
    const rows = await preview(work, one, page);
    if (!rows) return;
    const labelled = rows.filter(row => row.label !== null).map(row => ({text: row.text, label: asLabel(row.label, page.info.classes)}));
    my.queue.push(...rows.filter(row => row.label === null).map(row => ({text: row.text, margin: null, guess: null})));
    if (labelled.length) {
      my.files.push({name: one.name, key: newKey(), rows: labelled, place: 0, learnt: 0, known: 0, changes: []});
      await keep();
      await learnFiles();
    }
    await rank();
    await keep();
    await show();
  }

  async function learnFiles() {
    while (my.files.length && !my.isLearning) await learn(my.files[0]);
  }

  /** Learn the rest of a file. After a reload it goes on, and each batch counts once; known rows are not learnt again. */
  async function learn(upload) {
    my.isLearning = true;
    learning++;
    const bar = progress(`Learning ${upload.name} …`);
    work.append(bar.box);
    const total = upload.rows.length;
    try {
      while (upload.place < total) {
        const part = upload.rows.slice(upload.place, upload.place + BATCH);
        bar.at(upload.place / total, `Learning ${upload.name}: ${upload.place.toLocaleString("en")} of ${total.toLocaleString("en")}`);
        const found = await model.learn(part.map(row => row.text), part.map(row => row.label), {skip_known: true}, `${upload.key}-${upload.place}`);
        upload.place += part.length;
        upload.learnt += found.ids.length;
        upload.known += found.known;
        if (found.ids.length) upload.changes.push(found.change);
        await keep();
        if (!left.aborted && upload.place % (BATCH * 8) === BATCH) judge().catch(fail);
      }
      if (upload.changes.length) did({kind: "file", name: upload.name, change: upload.changes, count: upload.learnt});
      say(`${upload.learnt.toLocaleString("en")} learnt${upload.known ? `; ${upload.known.toLocaleString("en")} were known already` : ""}.`);
      work.append(note(`${upload.name}: ${upload.learnt.toLocaleString("en")} learnt, ${upload.known.toLocaleString("en")} known already.`));
      my.files.shift();
    } catch (error) {
      if (error.status) my.files.shift();  // refused: trying again would not help
      throw error;
    } finally {
      my.isLearning = false;
      learning--;
      bar.box.remove();
      await keep();
    }
    if (left.aborted) return;
    await page.changed();
    await show();
    await judge();
  }

  function note(text) { return h("p", {class: "note", role: "status"}, text); }

  // What is waiting.

  /** Ask the model about all waiting texts, and put those it is least sure of first. */
  async function rank() {
    if (!page.info.classes.length || !my.queue.length) return;
    const bar = my.queue.length > BATCH ? progress("Looking for the most uncertain …") : null;
    if (bar) work.append(bar.box);
    try {
      for (let i = 0; i < my.queue.length; i += BATCH) {
        const part = my.queue.slice(i, i + BATCH);
        const {predictions} = await model.predict(part.map(one => one.text), 0, left);
        part.forEach((one, j) => { one.margin = predictions[j].margin ?? 1; one.guess = predictions[j].label; });
        bar?.at(Math.min(1, (i + BATCH) / my.queue.length));
      }
    } finally {
      bar?.box.remove();
    }
    my.queue.sort((a, b) => (a.margin ?? -1) - (b.margin ?? -1));
  }

  // One text.

  let isBusy = false, choosing = null;
  async function show(focused = null) {
    const now = my.queue[0];
    choosing = null;
    if (!now) {
      card.replaceChildren(h("h2", {}, my.count ? "Done: nothing left to label" : "Nothing to label yet"),
        h("p", {class: "soft"}, "Drop a file above, or type a text."), tools());
      return;
    }
    const text = h("p", {class: "letters", id: "current", dir: "auto"}, short(now.text, 20000));
    const reason = h("div");
    choosing = picker(page, {choose: label => choose(label), suggested: now.guess, more: my.labels});
    card.replaceChildren(
      h("div", {class: "row small soft"}, h("span", {}, `${my.queue.length.toLocaleString("en")} waiting`),
        now.margin === null ? "" : h("span", {}, `· ${now.margin < 0.2 ? "the model is unsure" : `the model is ${percent(now.margin)} ahead with its guess`}`)),
      text, reason, choosing.box, tools());
    if (focused !== null) choosing.focus(focused);
    say(`Text: ${now.text.slice(0, 200)}. ${now.guess === null ? "" : `Guess: ${shown(now.guess)}`}`, false);
    if (!page.info.classes.length || now.text.length > 2000) return;
    const {predictions} = await model.predict([now.text], 0, left);
    const why = await model.explain(now.text, left);
    if (my.queue[0] !== now) return;
    now.guess = predictions[0].label;
    const field = card.querySelector("#new-label");
    if (!field?.value && !card.querySelector(".labels :focus")) choosing.suggest(now.guess);
    text.replaceChildren(...letters(now.text, why.characters));
    reason.replaceChildren(legend(why.label, why.runner_up));
  }

  function tools() {
    const last = my.done.at(-1), next = my.undone.at(-1);
    const what = one => one.kind === "file" ? one.name : `“${short(one.text, 24)}”`;
    const goal = choice("goal", 50);
    const minutes = my.started ? (Date.now() - my.started) / 60000 : 0;
    const rate = my.count > 2 && minutes > 0.05 ? ` · ${Math.round(my.count / minutes)} per minute` : "";
    return h("div", {class: "tools small soft"},
      h("p", {class: "row"},
        h("button", {class: "plain", onclick: () => undo(), disabled: !last}, h("kbd", {}, "U"), last ? ` undo ${what(last)}` : " undo"),
        next ? h("button", {class: "plain", onclick: () => redo()}, h("kbd", {}, "R"), ` redo ${what(next)}`) : "",
        my.queue.length ? h("button", {class: "plain", onclick: skip}, h("kbd", {}, "S"), " skip") : "",
        my.queue.length ? h("span", {}, h("kbd", {}, "1"), "–", h("kbd", {}, "9"), " choose, ", h("kbd", {}, "Enter"), " accepts the guess, ", h("kbd", {}, "/"), " filters") : ""),
      my.count || my.queue.length ? h("p", {class: "row"}, h("progress", {max: goal, value: Math.min(goal, my.count), "aria-label": "Labelled, of your goal"}),
        h("span", {}, `${my.count} of `), h("input", {type: "number", class: "goal", min: 1, max: 100000, value: goal, "aria-label": "Your goal",
          onchange: event => { keepChoice("goal", Math.max(1, Number(event.target.value) || 50)); show(); }}), h("span", {}, ` labelled${rate}`)) : "");
  }

  function did(entry) {
    my.done.push(entry);
    my.done.splice(0, my.done.length - UNDOABLE);
    my.undone = [];
  }

  async function choose(label) {
    const now = my.queue[0];
    if (!now || isBusy) return;
    isBusy = true;
    choosing?.press(label);
    const isInside = card.contains(document.activeElement) && document.activeElement.closest(".labels");
    try {
      const found = await model.learn([now.text], [label]);
      my.queue.splice(my.queue.indexOf(now), 1);
      my.started ??= Date.now();
      my.count++;
      did({kind: "text", text: now.text, label, change: found.change});
      if (!my.labels.includes(label)) my.labels.push(label);
      const isNew = !page.info.classes.includes(label);
      await keep();
      await page.changed();
      if (my.count % RERANK === 0 || isNew) await rank();
      say(`Learnt: ${shown(label)}`, false);
      judge().catch(fail);
    } catch (error) { fail(error, card); isBusy = false; return; }
    isBusy = false;
    await show(isInside ? label : null).catch(fail);
  }

  function skip() { if (my.queue.length > 1) { my.queue.push(my.queue.shift()); keep(); show().catch(fail); } }

  /** Undo what was done here last; what others taught stays. */
  async function undo() {
    const last = my.done.at(-1);
    if (isBusy || !last) return;
    if (last.kind === "file" && !await confirmed({title: `Forget the ${last.count.toLocaleString("en")} examples of ${last.name}?`, more: "You can redo this until the server stops.", yes: "Forget them"})) return;
    await step(my.done, my.undone, last);
    if (last.kind === "text") { my.queue.unshift({text: last.text, margin: null, guess: last.label}); my.count = Math.max(0, my.count - 1); }
    say("Undone");
    await after();
  }

  async function redo() {
    const next = my.undone.at(-1);
    if (isBusy || !next) return;
    await step(my.undone, my.done, next);
    if (next.kind === "text") { my.queue = my.queue.filter(one => one.text !== next.text); my.count++; }
    say("Redone");
    await after();
  }

  async function step(from, to, entry) {
    isBusy = true;
    try {
      const found = await model.undo(entry.change);
      from.pop();
      to.push({...entry, change: found.change});
    } catch (error) {
      if (error.status === 409) from.pop();  // someone has forgotten it meanwhile
      throw error;
    } finally { isBusy = false; await keep(); }
  }

  async function after() {
    await keep();
    await page.changed();
    judge().catch(fail);
    await show();
  }

  // How accurate it is.

  async function judge() {
    const found = await model.evaluation(left);
    if (found.accuracy !== null) {
      my.curve = my.curve.filter(one => one.x !== found.total);
      my.curve.push({x: found.total, y: found.accuracy});
    }
    if (!left.aborted) drawFigure(found);
  }

  function drawFigure(found) {
    figure.replaceChildren(
      h("h2", {}, "Accuracy"),
      h("p", {class: "figure", id: "accuracy"}, percent(found?.accuracy ?? null, 1)),
      plot(my.curve),
      h("p", {class: "small soft"}, found?.examples
        ? `Each of ${found.examples === found.total ? "the" : "the latest"} ${found.examples.toLocaleString("en")} examples, labelled by the model without it.`
        : "It appears here while you teach: each example is labelled by the model without it."),
      found?.mistakes.length ? h("p", {class: "small"}, h("a", {href: page.address(name, "mistakes")}, "Look at its mistakes")) : "");
  }

  // Input.

  async function takeAll(files) {
    for (const one of files) await take(one);
  }
  file.addEventListener("change", () => { const files = [...file.files]; file.value = ""; takeAll(files).catch(fail); });
  pasted.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !pasted.value.trim()) return;
    my.queue.unshift({text: pasted.value, margin: null, guess: null});
    pasted.value = "";
    pasted.blur();
    keep();
    show().catch(fail);
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, event => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop") takeAll([...event.dataTransfer.files]).catch(fail);
    });
  }
  function keys(event) {
    if (!takesKeys(event)) return;
    const label = choosing?.byKey(event.key);
    if (label !== undefined) choose(label);
    else if (event.key === "Enter" && !event.target.closest("button, a, summary") && my.queue[0]?.guess != null) choose(my.queue[0].guess);
    else if (event.key.toLowerCase() === "u") undo().catch(fail);
    else if (event.key.toLowerCase() === "r") redo().catch(fail);
    else if (event.key.toLowerCase() === "s") skip();
    else if (event.key === "/") card.querySelector("#new-label")?.focus();
    else return;
    event.preventDefault();
  }
  document.addEventListener("keydown", keys, {signal: left});

  drawFigure(null);
  await show();
  await judge();
  const first = given.get(name);
  given.delete(name);
  if (first) take(first).catch(fail);
  else if (my.files.length) learnFiles().catch(fail);
  else rank().then(() => show()).catch(fail);
}
