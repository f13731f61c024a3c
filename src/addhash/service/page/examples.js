// Examples: search, relabel, forget, export.

import {download} from "./api.js";
import {chip, fail, h, say, settled, shown} from "./elements.js";

const PAGE = 50;

export async function examples(box, page) {
  const search = h("input", {type: "search", placeholder: "Search in the texts …", "aria-label": "Search in the texts"});
  const filter = h("select", {"aria-label": "Label"}, h("option", {value: ""}, "All labels"),
    ...page.info.classes.map(label => h("option", {value: label}, shown(label))));
  const total = h("p", {class: "soft", role: "status"});
  const rows = h("tbody");
  const more = h("button", {hidden: true, onclick: () => load(false).catch(fail)}, "Show more");
  box.append(h("h1", {}, "Examples"), total,
    h("section", {class: "card"},
      h("div", {class: "row"}, search, filter,
        h("button", {onclick: () => take("csv")}, "Export .csv"),
        h("button", {onclick: () => take("jsonl")}, "Export .jsonl")),
      h("table", {class: "examples"},
        h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Text"), h("th", {scope: "col"}, "Label"),
          h("th", {scope: "col"}, h("span", {class: "hidden"}, "Forget")))),
        rows),
      more));

  let next = null;
  async function load(isFresh) {
    const query = {limit: PAGE};
    if (search.value) query.q = search.value;
    if (filter.value) query.label = filter.value;
    if (!isFresh && next) query.before = next;
    const found = await page.model.examples(query);
    next = found.next;
    more.hidden = next === null;
    total.textContent = found.total === 1 ? "One example was taught." : `${found.total} examples were taught.`;
    const made = found.examples.map(row);
    if (isFresh) rows.replaceChildren(...made); else rows.append(...made);
    if (isFresh && !made.length) rows.append(h("tr", {}, h("td", {colspan: 3, class: "soft"},
      search.value || filter.value ? "No example matches." : "Nothing has been taught yet.")));
  }

  function row(example) {
    const labels = page.info.classes.includes(example.label) ? page.info.classes : [...page.info.classes, example.label];
    const select = h("select", {"aria-label": "Label of this example", disabled: !page.isWritable,
      onchange: async () => {
        let label = labels[select.selectedIndex];
        if (label === undefined) {
          label = prompt("The new label")?.trim();
          if (!label) { select.selectedIndex = labels.indexOf(example.label); return; }
        }
        try {
          const {ids} = await page.model.relabel(example.id, label);
          await page.changed();
          say(`Now ${shown(label)}`);
          const fresh = row({...example, id: ids[0], label});
          line.replaceWith(fresh);
          fresh.querySelector("select").focus();
        } catch (error) { fail(error); }
      }},
      ...labels.map(label => h("option", {selected: label === example.label}, shown(label))),
      h("option", {}, "Another …"));
    const forget = h("button", {disabled: !page.isWritable, "aria-label": "Forget this example", onclick: async () => {
      if (!forget.classList.contains("danger")) {
        forget.classList.add("danger");
        forget.textContent = "Forget for good";
        forget.removeAttribute("aria-label");
        setTimeout(() => { forget.classList.remove("danger"); forget.textContent = "Forget"; }, 4000);
        return;
      }
      try {
        await page.model.forget([example.id]);
        await page.changed();
        const after = line.nextElementSibling ?? line.previousElementSibling;
        line.remove();
        after?.querySelector("button")?.focus();
        say("Forgotten, and erased from disk");
        total.textContent = `${page.info.taught} examples were taught.`;
      } catch (error) { fail(error); }
    }}, "Forget");
    const line = h("tr", {"data-id": example.id},
      h("td", {class: "text"}, example.text.length > 600 ? `${example.text.slice(0, 600)} …` : example.text),
      h("td", {}, h("span", {class: "row"}, dot(example.label), select)),
      h("td", {class: "tools"}, forget));
    return line;
  }

  function dot(label) { const found = chip(label); found.replaceChildren(); return found; }

  async function take(kind) {
    await download(page.model, `examples.${kind}`, `${page.model.name}.${kind}`).catch(fail);
  }

  const soon = settled(150, () => load(true).catch(fail));
  search.addEventListener("input", soon);
  filter.addEventListener("change", soon);
  await load(true);
}
