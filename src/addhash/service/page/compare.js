// Compare: what a model and another one, or a snapshot of it, label differently.

import {chip, h, percent, short} from "./elements.js";

export async function compare(box, page, left) {
  const {info, model} = page;
  const what = page.query.has("snapshot") ? {snapshot: page.query.get("snapshot")} : {model: page.query.get("model") ?? ""};
  const other = what.snapshot ?? what.model;
  const status = h("p", {class: "soft", role: "status"}, "Labelling every example by both …");
  const result = h("div", {class: "stack"});
  box.append(h("h1", {}, `${info.id} and ${other}`),
    h("p", {class: "lead"}, what.snapshot ? "The model now, and the snapshot, on the examples taught here. Each is labelled as if it had never been learnt." : "Both models on the examples taught to the first. Each is labelled as if it had never been learnt."),
    h("p", {}, h("a", {href: page.address(info.id, "model")}, "Back to the model")), status, result);
  const found = await model.compare(what, left);
  if (!found.texts) { status.textContent = "Nothing has been taught here yet."; return; }
  status.textContent = found.different ? `${found.different.toLocaleString("en")} of ${found.texts.toLocaleString("en")} examples get another label.` : `All ${found.texts.toLocaleString("en")} examples get the same label.`;
  result.append(h("section", {class: "card"}, h("h2", {}, "Right answers"),
    h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Right answers"}, h("table", {},
      h("thead", {}, h("tr", {}, ...["Class", "Examples", info.id, other].map((name, i) => h("th", {scope: "col", class: i ? "number" : ""}, h("span", {class: "cut", title: name}, name))))),
      h("tbody", {}, row("All", found.texts, found.accuracy, found.other_accuracy),
        ...found.classes.map(one => row(chip(one.label), one.texts, one.right / one.texts, one.other_right / one.texts)))))));
  if (found.differences.length) result.append(h("section", {class: "card"}, h("h2", {}, found.differences.length < found.different ? `The first ${found.differences.length} that differ` : "Those that differ"),
    h("ul", {class: "near differences", "aria-label": "Examples that differ"}, ...found.differences.map(one => h("li", {},
      h("p", {dir: "auto"}, short(one.text)),
      h("p", {class: "row small"}, h("span", {class: "soft"}, "labelled"), chip(one.label), h("span", {class: "soft"}, "now"), chip(one.answer), h("span", {class: "soft"}, other), chip(one.other_answer)))))));

  function row(name, texts, mine, theirs) {
    return h("tr", {}, h("td", {}, name), h("td", {class: "number"}, texts.toLocaleString("en")), h("td", {class: "number"}, percent(mine, 1)), h("td", {class: "number"}, percent(theirs, 1)));
  }
}
