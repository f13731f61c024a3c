// The frame of the page: which model, which part.

import * as api from "./api.js";
import {fail, h, setClasses} from "./elements.js";
import {ask} from "./ask.js";
import {teach} from "./teach.js";
import {examples} from "./examples.js";
import {model as modelPart, start} from "./model.js";
import {map} from "./map.js";

const PARTS = {ask, teach, examples, model: modelPart, map};
const content = document.getElementById("content");
const picker = document.getElementById("model");
const trouble = document.getElementById("trouble");
const NEW = "\u0000new";

const page = {
  list: [], limits: {}, model: null, info: null, left: new AbortController(),
  /** Read the models again; `name` is the one to show. */
  async refresh(name) {
    const answer = await api.models();
    page.list = answer.data;
    page.limits = answer.limits;
    page.isWritable = answer.is_writable;
    page.choose(name ?? page.model?.name);
  },
  choose(name) {
    page.info = page.list.find(one => one.id === name) ?? page.list[0] ?? null;
    page.model = page.info && api.model(page.info.id);
    setClasses(page.info?.classes ?? []);
    picker.replaceChildren(
      ...page.list.map(one => h("option", {value: one.id, selected: one.id === page.info?.id}, one.id)),
      h("option", {value: NEW}, page.list.length ? "New model …" : "No model yet"));
    showTrouble();
  },
  /** After a change: classes and counts may differ. */
  async changed() {
    const info = await page.model.info();
    page.info = info;
    page.list = page.list.map(one => one.id === info.id ? info : one);
    setClasses(info.classes);
    showTrouble();
  },
  show,
};

function showTrouble() {
  const problems = Object.values(page.info?.problems ?? {});
  trouble.hidden = problems.length === 0;
  trouble.textContent = problems.length ? `${page.info.id} (${page.info.condition}): ${problems.join(" ")}` : "";
}

async function show(part) {
  // Whatever the previous part listens to or waits for ends here.
  page.left.abort();
  page.left = new AbortController();
  const {signal} = page.left;
  const name = part in PARTS ? part : "ask";
  for (const link of document.querySelectorAll("#tabs a")) {
    const isHere = link.hash === `#${name}`;
    if (isHere) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  document.title = `${page.model ? `${page.model.name} · ` : ""}${name} · addhash`;
  const box = h("div", {class: "part", "data-part": name});
  content.replaceChildren(box);
  try {
    await (page.model ? PARTS[name] : start)(box, page, signal);
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
  box.dataset.ready = "";
}

picker.addEventListener("change", async () => {
  if (picker.value === NEW) { page.left.abort(); content.replaceChildren(); start(content, page); return; }
  page.choose(picker.value);
  await show(location.hash.slice(1));
});
addEventListener("hashchange", async () => {
  if (location.hash === "#content") return;
  await show(location.hash.slice(1));
  content.focus({preventScroll: true});
});
addEventListener("unhandledrejection", event => { event.preventDefault(); fail(event.reason); });

try {
  await page.refresh();
} catch (error) {
  fail(error);
}
await show(location.hash.slice(1));
