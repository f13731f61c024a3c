// The model: classes, mistakes, files; and how to start one.

import * as api from "./api.js";
import {chip, fail, h, hueOf, percent, progress, say, shown} from "./elements.js";

const MOST_CLASSES = 40;

export async function model(box, page) {
  await page.changed();
  const {info} = page;
  const facts = h("dl", {class: "facts"});
  for (const [name, value] of [
    ["Method", info.method], ["Classes", String(info.classes.length)],
    ["Examples", String(info.counts.reduce((a, b) => a + b, 0))],
    ["Taught here", String(info.taught)], ["Changes", String(info.change)],
    ["Digest", h("code", {}, info.digest ?? "–")],
  ]) facts.append(h("dt", {}, name), h("dd", {}, value));
  const merged = h("input", {type: "file", accept: ".model,.safetensors", id: "merge", "aria-label": "A model to merge"});
  const work = h("div");
  const classes = h("section", {class: "card"});
  const confusion = h("section", {class: "card"}, h("h2", {}, "What is mistaken for what"), h("progress", {"aria-label": "Evaluating the model"}));
  box.append(h("h1", {}, info.id),
    h("p", {class: "lead"}, "Everything it learnt is in these counts, and nothing else is."),
    h("div", {class: "columns"},
      h("div", {class: "stack"}, classes, confusion),
      h("div", {class: "stack"},
        h("section", {class: "card"}, h("h2", {}, "Facts"), facts),
        h("section", {class: "card"}, h("h2", {}, "Files"),
          h("p", {}, h("button", {class: "main", onclick: () => api.download(page.model, "file", `${info.id}.model`).catch(fail)}, "Download the model")),
          h("label", {for: "merge"}, "Merge another model into it"), h("p", {}, merged), work,
          h("p", {class: "small soft"}, "Two models of the same kind become one that knows the examples of both.")))));

  merged.addEventListener("change", async () => {
    const bar = progress("Merging …");
    work.replaceChildren(bar.box);
    try {
      await page.model.merge(await merged.files[0].arrayBuffer());
      say("Merged");
      await page.refresh();
      await page.show("model");
    } catch (error) { fail(error); } finally { work.replaceChildren(); merged.value = ""; }
  });

  const most = Math.max(1, ...info.counts);
  function showClasses(reports) {
    const by = new Map(reports.map(one => [one.label, one]));
    classes.replaceChildren(h("h2", {}, "Classes"), h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Classes"},
      h("table", {}, h("thead", {}, h("tr", {}, ...["Class", "Examples", "Found", "Right"].map((name, i) =>
        h("th", {scope: "col", class: i ? "number" : "", title: ["", "", "how many of its examples get this label (recall)", "how many of the examples with this label are right (precision)"][i]}, name)))),
        h("tbody", {}, ...info.classes.map((label, i) => h("tr", {}, h("td", {}, chip(label),
          h("span", {class: "bar"}, h("i", {"--share": (info.counts[i] / most).toFixed(4), "--hue": hueOf(label)}))),
          h("td", {class: "number"}, String(info.counts[i])),
          h("td", {class: "number"}, percent(by.get(label)?.recall)),
          h("td", {class: "number"}, percent(by.get(label)?.precision))))))));
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
          h("thead", {}, h("tr", {}, h("td", {}), ...info.classes.map(label => h("th", {scope: "col"}, shown(label))))),
          h("tbody", {}, ...found.confusion.map((row, i) => h("tr", {}, h("th", {scope: "row"}, chip(info.classes[i])),
            ...row.map((count, j) => h("td", {class: i === j ? "right" : "wrong",
              "--share": (count ? 0.08 + 0.5 * count / largest : 0).toFixed(3)}, String(count)))))))));
  }
}

/** Start a model: a new one, or one from a file. */
export function start(box, page) {
  const name = h("input", {id: "name", required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}", placeholder: "mail", autocomplete: "off"});
  const method = h("select", {id: "method"},
    h("option", {value: "bayes"}, "bayes: counts of letter sequences, the most accurate"),
    h("option", {value: "nearest"}, "nearest: the most similar example, good with very few examples"),
    h("option", {value: "centroid"}, "centroid: one sum per class, the smallest"));
  const file = h("input", {type: "file", id: "file", accept: ".model,.safetensors"});
  const form = h("form", {class: "card stack", onsubmit: async event => {
    event.preventDefault();
    try {
      if (file.files.length) await api.model(name.value).upload(await file.files[0].arrayBuffer());
      else await api.create(name.value, method.value);
      await page.refresh(name.value);
      const next = file.files.length ? "ask" : "teach";
      if (location.hash === `#${next}`) await page.show(next); else location.hash = next;
      say(`${name.value} is ready`);
    } catch (error) { fail(error); }
  }},
    h("label", {}, "Name", h("br"), name), h("label", {}, "Method", h("br"), method),
    h("label", {}, "… or a model from a file", h("br"), file),
    h("p", {}, h("button", {class: "main"}, "Start")));
  box.append(h("h1", {}, "Start a model"),
    h("p", {class: "lead"}, "It learns one example at a time and forgets exactly."), form);
  name.focus();
}
