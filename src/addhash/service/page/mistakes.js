// Mistakes: examples that the model would label otherwise, had it never seen them. Wrong labels are found here.

import {chip, fail, h, percent, say, shown, takesKeys} from "./elements.js";
import {picker} from "./labels.js";
import {sayForgotten} from "./snapshots.js";
import {choice, choose as keepChoice} from "./store.js";

export async function mistakes(box, page, left) {
  const {model} = page;
  const query = Object.fromEntries(["label", "predicted", "id"].filter(one => page.query.has(one)).map(one => [one, page.query.get(one)]));
  const name = `right-${model.name}`;
  const right = new Set(choice(name, []));  // examples that someone said are right as they are
  const lead = h("p", {class: "lead"}, "Examples that the model, without them, would label otherwise; the surest first. Some of their labels are wrong.");
  const list = h("ol", {class: "mistakes", "aria-label": "Mistakes"});
  const status = h("p", {class: "soft", role: "status"}, "Labelling every example by the model without it …");
  const undoing = h("p", {class: "row small soft"});
  box.append(h("h1", {}, "Mistakes"), lead,
    Object.keys(query).length ? h("p", {class: "row"}, ...("label" in query ? [h("span", {}, "labelled "), chip(query.label)] : []),
      ...("predicted" in query ? [h("span", {}, " but looks like "), chip(query.predicted)] : []),
      h("a", {href: page.address(model.name, "mistakes")}, "Show all")) : "",
    status, undoing, list);
  const done = [];  // numbers of changes made here
  let rows = [];

  async function load() {
    const found = await model.mistakes(query, left);
    rows = found.mistakes.filter(one => !right.has(one.id));
    const count = found.matching - (found.mistakes.length - rows.length);
    const shown = count > rows.length ? `; the surest ${rows.length} are shown` : "";
    status.textContent = found.examples === 0 ? "Nothing has been taught here yet."
      : rows.length ? `${count.toLocaleString("en")} of ${found.examples.toLocaleString("en")} examples${shown}` : "No mistakes: every example gets its own label.";
    list.replaceChildren(...rows.map(item));
    drawUndo();
    list.querySelector("li")?.focus();
  }

  function drawUndo() {
    undoing.replaceChildren(...(page.isWritable && rows.length ? [h("span", {}, h("kbd", {}, "↑"), h("kbd", {}, "↓"), " move, ", h("kbd", {}, "Enter"), " relabel, ", h("kbd", {}, "K"), " right as it is, ", h("kbd", {}, "F"), " twice: forget")] : []),
      ...(done.length ? [h("button", {class: "plain", onclick: () => undo().catch(fail)}, h("kbd", {}, "U"), " undo")] : []));
  }

  function item(one) {
    const tools = h("div", {class: "row"});
    const line = h("li", {class: "card", tabindex: -1, "data-id": one.id},
      h("p", {class: "text", dir: "auto"}, one.text.length > 600 ? `${one.text.slice(0, 600)} …` : one.text),
      h("p", {class: "row small"}, h("span", {class: "soft"}, "labelled"), chip(one.label), h("span", {class: "soft"}, "but looks like"), chip(one.predicted),
        one.margin === null ? "" : h("span", {class: "soft"}, `${percent(one.margin)} ahead`)),
      tools);
    if (page.isWritable) tools.append(
      h("button", {class: "main", onclick: () => act(line, one, "relabel")}, "Relabel as ", h("span", {class: "cut", title: shown(one.predicted)}, shown(one.predicted))),
      h("button", {onclick: () => act(line, one, "keep")}, "Right as it is"),
      h("button", {onclick: event => other(event.currentTarget, line, one)}, "Another label …"),
      h("button", {class: "forget", onclick: () => forget(line, one)}, "Forget"));
    return line;
  }

  function other(button, line, one) {
    const choosing = picker(page, {choose: label => act(line, one, "relabel", label), hasKeys: false});
    button.replaceWith(choosing.box);
    choosing.focus(undefined);
  }

  function forget(line, one) {
    const button = line.querySelector(".forget");
    if (button.classList.contains("danger")) return act(line, one, "forget");
    button.classList.add("danger");
    button.textContent = "Forget for good";
    setTimeout(() => { button.classList.remove("danger"); button.textContent = "Forget"; }, 4000);
  }

  async function act(line, one, what, label = one.predicted) {
    if (line.dataset.busy || list.hasAttribute("aria-busy")) return;
    line.dataset.busy = "1";
    try {
      if (what === "relabel") { done.push((await model.relabel(one.id, label)).change); say(`Now ${shown(label)}`); }
      if (what === "forget") sayForgotten(await model.forget([one.id]));
      if (what === "keep") { right.add(one.id); keepChoice(name, [...right]); say("Kept as it is"); }
    } catch (error) { delete line.dataset.busy; fail(error, line); return; }
    const next = line.nextElementSibling ?? line.previousElementSibling;
    line.remove();
    next?.focus();
    rows = rows.filter(each => each !== one);
    status.textContent = rows.length ? `${rows.length} left` : "None left.";
    drawUndo();
    if (what !== "keep") await page.changed();
    if (!rows.length) status.append(" ", h("button", {onclick: () => load().catch(fail)}, "Look again"));
  }

  async function undo() {
    if (!done.length || list.hasAttribute("aria-busy")) return;
    list.setAttribute("aria-busy", "true");  // until it is read anew
    try {
      await model.undo(done.pop());
      say("Undone");
      await page.changed();
      await load();
    } finally { list.removeAttribute("aria-busy"); }
  }

  document.addEventListener("keydown", event => {
    if (!takesKeys(event) || !page.isWritable) return;
    const line = event.target.closest?.(".mistakes li") ?? list.querySelector("li:focus, li:focus-within");
    const one = line && rows.find(each => String(each.id) === line.dataset.id);
    const key = event.key.toLowerCase();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = line ? (event.key === "ArrowDown" ? line.nextElementSibling : line.previousElementSibling) : list.querySelector("li");
      next?.focus();
    } else if (key === "u") undo().catch(fail);
    else if (!one || event.target.closest("button, a")) return;
    else if (event.key === "Enter") act(line, one, "relabel");
    else if (key === "k") act(line, one, "keep");
    else if (key === "f") forget(line, one);
    else return;
    event.preventDefault();
  }, {signal: left});

  await load();
}
