// The model: classes, mistakes, files; and how to start one.

import * as api from "./api.js";
import {snapshotsCard} from "./snapshots.js";
import {chip, confirmed, fail, h, hueOf, percent, progress, say, shown} from "./elements.js";

const MOST_CLASSES = 40, MOST_ROWS = 100;

export async function model(box, page) {
  await page.changed();
  const {info} = page;
  const facts = h("dl", {class: "facts"});
  for (const [name, value] of [
    ["Method", info.method ?? "–"], ["Classes", info.classes.length.toLocaleString("en")],
    ["Examples", info.counts.reduce((a, b) => a + Number(b), 0).toLocaleString("en")],
    ["Taught here", info.taught.toLocaleString("en")], ["Times changed", info.change.toLocaleString("en")],
    ["Fingerprint", h("code", {title: "Equal if and only if two models have learnt the same"}, info.digest ?? "–")],
  ]) facts.append(h("dt", {}, name), h("dd", {}, value));
  const merged = h("input", {type: "file", accept: ".model,.safetensors", id: "merge", "aria-label": "A model to merge"});
  const work = h("div");
  const classes = h("section", {class: "card"});
  const snapshots = h("section", {class: "card"}, h("h2", {}, "Snapshots"));
  const confusion = h("section", {class: "card"}, h("h2", {}, "What is mistaken for what"), h("progress", {"aria-label": "Evaluating the model"}));
  box.append(h("h1", {}, info.id),
    h("p", {class: "lead"}, "What it knows, how good it is, and its files."),
    h("div", {class: "columns"},
      h("div", {class: "stack"}, classes, confusion),
      h("div", {class: "stack"},
        h("section", {class: "card"}, h("h2", {}, "Facts"), facts),
        h("section", {class: "card"}, h("h2", {}, "Files"),
          h("p", {}, h("button", {class: "main", onclick: () => api.download(page.model, "file", `${info.id}.model`).catch(fail)}, "Download the model")),
          h("p", {}, h("button", {onclick: () => api.download(page.model, "backup", `${info.id}.backup`).catch(fail)}, "Download a backup"),
            h("span", {class: "small soft"}, " with all examples")),
          page.isWritable ? h("label", {for: "merge"}, "Merge another model into it") : "", page.isWritable ? h("p", {}, merged) : "", work,
          h("p", {class: "small soft"}, "Two models of the same kind become one that knows the examples of both.")),
        snapshots,
        page.isWritable ? manage(page) : "")));
  snapshotsCard(page).then(card => snapshots.replaceWith(card)).catch(fail);

  merged.addEventListener("change", async () => {
    const [file] = merged.files;
    const bar = progress("Reading …");
    work.replaceChildren(bar.box);
    try {
      const content = await file.arrayBuffer();
      const would = await page.model.previewMerge(content);
      if (would.problem) throw new Error(`${file.name} cannot be merged: ${would.problem}`);
      if (!await confirmed({title: `Merge ${file.name} into ${info.id}?`, more: inWords(would), yes: "Merge"})) return;
      bar.at(0, "Merging …");
      const kept = await page.model.keep(`before-merge-${info.change}`);
      await page.model.merge(content);
      say(`Merged; the state before is kept as ${kept.name}`);
      await page.refresh();
      page.go(info.id, "model");
    } catch (error) { fail(error); } finally { work.replaceChildren(); merged.value = ""; }
  });

  const most = Math.max(1, ...info.counts);
  let rows = MOST_ROWS;
  function showClasses(reports) {
    const by = new Map(reports.map(one => [one.label, one]));
    classes.replaceChildren(h("h2", {}, "Classes"), h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Classes"},
      h("table", {}, h("thead", {}, h("tr", {}, ...["Class", "Examples", "Recall", "Precision"].map((name, i) =>
        h("th", {scope: "col", class: i ? "number" : "", title: ["", "", "how many of its examples get this label", "how many of the examples that get this label have it"][i]}, name)))),
        h("tbody", {}, ...info.classes.slice(0, rows).map((label, i) => h("tr", {}, h("td", {}, chip(label),
          h("span", {class: "bar"}, h("i", {"--share": (info.counts[i] / most).toFixed(4), "--hue": hueOf(label)}))),
          h("td", {class: "number"}, info.counts[i].toLocaleString("en")),
          h("td", {class: "number"}, percent(by.get(label)?.recall)),
          h("td", {class: "number"}, percent(by.get(label)?.precision))))))));
    if (info.classes.length > rows) classes.append(h("button", {onclick: () => { rows = Infinity; showClasses(reports); }}, `Show all ${info.classes.length.toLocaleString("en")}`));
    if (!info.classes.length) classes.append(h("p", {class: "soft"}, "None yet."));
  }
  showClasses([]);

  const found = await page.model.evaluation();
  showClasses(found.classes);
  if (!found.examples) {
    confusion.replaceChildren(h("h2", {}, "What is mistaken for what"), h("p", {class: "soft"}, "Only examples that were taught here can be evaluated, and there are none."));
  } else if (info.classes.length > MOST_CLASSES) {
    confusion.replaceChildren(h("h2", {}, "What is mistaken for what"), h("p", {class: "soft"}, `${percent(found.accuracy, 1)} of ${found.examples} examples are labelled correctly; a table of ${info.classes.length} classes would be too large.`));
  } else {
    const largest = Math.max(1, ...found.confusion.flat());
    confusion.replaceChildren(h("h2", {}, "What is mistaken for what"),
      h("p", {class: "small soft"}, `${percent(found.accuracy, 1)} of ${found.examples} examples are labelled correctly, each by the model that never saw it. Rows: the true label; columns: the predicted one.`),
      h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "What is mistaken for what"},
        h("table", {class: "confusion"},
          h("thead", {}, h("tr", {}, h("td", {}), ...info.classes.map(label => h("th", {scope: "col"}, h("span", {class: "cut", title: shown(label), dir: "auto"}, shown(label)))))),
          h("tbody", {}, ...found.confusion.map((row, i) => h("tr", {}, h("th", {scope: "row"}, chip(info.classes[i])),
            ...row.map((count, j) => h("td", {class: i === j ? "right" : "wrong",
              "--share": (count ? 0.08 + 0.3 * count / largest : 0).toFixed(3)}, count && i !== j
                ? h("a", {href: page.address(info.id, "mistakes", {label: String(info.classes[i]), predicted: String(info.classes[j])}), title: `Look at the ${count}`}, String(count)) : String(count)))))))));
  }
}

/** What a merge would do. */
function inWords({classes, texts, different, accuracy, accuracy_after}) {
  const count = key => classes.reduce((sum, one) => sum + Number(one[key]), 0).toLocaleString("en");
  const fresh = classes.filter(one => Number(one.here) === 0).map(one => shown(one.label));
  const news = fresh.length ? ` New classes: ${fresh.slice(0, 5).join(", ")}${fresh.length > 5 ? ` and ${fresh.length - 5} more` : ""}.` : "";
  const effect = texts ? ` Of the examples taught here, ${different.toLocaleString("en")} would get another label; ${percent(accuracy, 1)} are labelled correctly now, ${percent(accuracy_after, 1)} after.` : "";
  return `It adds ${count("added")} examples to the ${count("here")} here.${news}${effect} The state before is kept as a snapshot.`;
}

/** Rename, copy, delete. */
function manage(page) {
  const {info, model} = page;
  const to = async (name, part, said) => { await page.refresh(); page.go(name, part); say(said); };
  const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
  async function named(title, yes, value) {
    const name = await confirmed({title, yes, field: "Name", value});
    if (name !== null && !pattern.test(name)) throw new Error("A name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.");
    return name;
  }
  async function rename() {
    const name = await named(`Rename ${info.id}`, "Rename", info.id);
    if (name && name !== info.id) { await model.rename(name); await to(name, "model", `It is now ${name}`); }
  }
  async function copy() {
    const name = await named(`Copy ${info.id}`, "Copy", `${info.id}-copy`);
    if (name) { await model.copy(name); await to(name, "model", `${name} is a copy`); }
  }
  async function remove() {
    const sure = await confirmed({title: `Delete ${info.id} for good?`, more: `Its ${info.taught.toLocaleString("en")} examples and all it has learnt are removed from disk.`, yes: "Delete it", field: `Type ${info.id} to confirm:`, must: info.id});
    if (sure !== null) { await model.remove(); await to(null, "", `${info.id} is deleted`); }
  }
  return h("section", {class: "card"}, h("h2", {}, "Manage"), h("div", {class: "row"},
    h("button", {onclick: () => rename().catch(fail)}, "Rename"), h("button", {onclick: () => copy().catch(fail)}, "Copy"),
    h("button", {class: "danger", onclick: () => remove().catch(fail)}, "Delete …")));
}

/** Start a model: a new one, or one from a file. */
export function start(box, page) {
  const name = h("input", {id: "name", required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}", placeholder: "mail", autocomplete: "off"});
  const method = h("select", {id: "method"},
    h("option", {value: "bayes"}, "bayes: counts pieces of words; the most accurate with more than a few examples"),
    h("option", {value: "nearest"}, "nearest: the most similar example; good with very few"),
    h("option", {value: "centroid"}, "centroid: one sum per class; the smallest"));
  const file = h("input", {type: "file", id: "file", accept: ".model,.safetensors,.backup"});
  const form = h("form", {class: "card stack", onsubmit: async event => {
    event.preventDefault();
    try {
      const [given] = file.files;
      const model = api.model(name.value);
      if (given?.name.endsWith(".backup")) await model.restore(await given.arrayBuffer());
      else if (given) await model.upload(await given.arrayBuffer());
      else await api.create(name.value, method.value);
      await page.refresh();
      page.go(name.value, given ? "ask" : "teach");
      say(`${name.value} is ready`);
    } catch (error) { fail(error, form); }
  }},
    h("label", {}, "Name", h("br"), name), h("label", {}, "Method", h("br"), method),
    h("label", {}, "… or a model or a backup from a file", h("br"), file),
    h("p", {}, h("button", {class: "main"}, "Start")));
  box.append(h("h1", {}, "Start a model"),
    h("p", {class: "lead"}, "It learns one example at a time and forgets exactly."), form);
  name.focus();
}
