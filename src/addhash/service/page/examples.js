// Examples: search, relabel, forget, export.

import {download} from "./api.js";
import {asLabel, chip, fail, h, say, settled, short, shown} from "./elements.js";
import {sayForgotten} from "./snapshots.js";

const PAGE = 50;

export async function examples(box, page) {
  const search = h("input", {type: "search", placeholder: "Search in the texts …", "aria-label": "Search in the texts"});
  search.value = page.query.get("q") ?? "";
  const filter = h("select", {"aria-label": "Label"}, h("option", {}, "All labels"),
    ...page.info.classes.map(label => h("option", {}, shown(label))));
  const total = h("p", {class: "soft", role: "status"});
  const rows = h("tbody");
  const more = h("button", {hidden: true, onclick: () => load(false).catch(fail)}, "Show more");
  box.append(h("h1", {}, "Examples"), total,
    h("section", {class: "card"},
      h("div", {class: "row"}, search, filter,
        h("button", {onclick: () => take("examples.csv?spreadsheet=1", "csv")}, "Export for a spreadsheet"),
        h("button", {onclick: () => take("examples.jsonl", "jsonl")}, "Export .jsonl")),
      h("table", {class: "examples"},
        h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Text"), h("th", {scope: "col"}, "Label"),
          h("th", {scope: "col"}, h("span", {class: "hidden"}, "Forget")))),
        rows),
      more));

  let next = null;
  async function load(isFresh) {
    const query = {limit: PAGE};
    if (search.value) query.q = search.value;
    if (filter.selectedIndex > 0) query.label = String(page.info.classes[filter.selectedIndex - 1]);
    if (!isFresh && next) query.before = next;
    const found = await page.model.examples(query);
    next = found.next;
    more.hidden = next === null;
    count(found.matching, found.total);
    const made = found.examples.map(row);
    if (isFresh) rows.replaceChildren(...made); else rows.append(...made);
    if (isFresh && !made.length) rows.append(h("tr", {}, h("td", {colspan: 3, class: "soft"},
      search.value || filter.selectedIndex ? "No example matches." : "Nothing has been taught yet.")));
  }

  function count(matching, all) {
    total.textContent = matching === all ? (all === 1 ? "One example was taught." : `${all.toLocaleString("en")} examples were taught.`)
      : `${matching.toLocaleString("en")} of ${all.toLocaleString("en")} examples match.`;
  }

  function row(example) {
    const labels = page.info.classes.includes(example.label) ? page.info.classes : [...page.info.classes, example.label];
    // By keyboard, each arrow key changes the choice: it counts once it is confirmed or left.
    let isByKeyboard = false, isBusy = false;
    const back = () => { select.selectedIndex = labels.indexOf(example.label); };
    const apply = async label => {
      if (label === example.label || isBusy) return;
      isBusy = true;
      select.disabled = true;
      try {
        const {ids} = await page.model.relabel(example.id, label);
        await page.changed();
        say(`Now ${shown(label)}`);
        const fresh = row({...example, id: ids[0], label});
        line.replaceWith(fresh);
        fresh.querySelector("select").focus();
      } catch (error) { isBusy = select.disabled = false; back(); fail(error); }
    };
    const commit = () => {
      const label = labels[select.selectedIndex];
      if (label !== undefined) return apply(label);
      const input = h("input", {"aria-label": "The new label", placeholder: "The new label, and Enter", maxlength: 200, dir: "auto"});
      input.addEventListener("keydown", event => {
        if (event.key === "Escape") { input.replaceWith(select); back(); select.focus(); }
        if (event.key !== "Enter" || !input.value.trim()) return;
        const wanted = asLabel(input.value.trim(), page.info.classes);
        input.replaceWith(select);
        back();
        apply(wanted);
      });
      select.replaceWith(input);
      input.focus();
    };
    const select = h("select", {"aria-label": "Label of this example", disabled: !page.isWritable, dir: "auto",
      onpointerdown: () => { isByKeyboard = false; },
      onkeydown: event => {
        isByKeyboard = true;
        if (event.key === "Enter") { event.preventDefault(); commit(); }
        if (event.key === "Escape") back();
      },
      onchange: () => { if (!isByKeyboard) commit(); },
      onblur: () => { if (isByKeyboard && labels[select.selectedIndex] !== undefined) commit(); else if (isByKeyboard) back(); }},
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
        const done = await page.model.forget([example.id]);
        await page.changed();
        const after = line.nextElementSibling ?? line.previousElementSibling;
        line.remove();
        after?.querySelector("button")?.focus();
        sayForgotten(done);
        count(page.info.taught, page.info.taught);
      } catch (error) { fail(error); }
    }}, "Forget");
    const line = h("tr", {"data-id": example.id},
      h("td", {class: "text", dir: "auto"}, short(example.text, 600)),
      h("td", {}, h("span", {class: "row"}, dot(example.label), select)),
      h("td", {class: "tools"}, forget));
    return line;
  }

  function dot(label) { const found = chip(label); found.replaceChildren(); return found; }

  async function take(what, kind) {
    await download(page.model, what, `${page.model.name}.${kind}`).catch(fail);
  }

  const soon = settled(150, () => load(true).catch(fail));
  search.addEventListener("input", soon);
  filter.addEventListener("change", soon);
  await load(true);
}
