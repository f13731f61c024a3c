// The frame of the page: which model and which part, as the address says: #model/part?query.

import * as api from "./api.js";
import {choice, choose} from "./store.js";
import {fail, h, setClasses} from "./elements.js";
import {home} from "./home.js";
import {ask} from "./ask.js";
import {teach} from "./teach.js";
import {mistakes} from "./mistakes.js";
import {examples} from "./examples.js";
import {model as modelPart, start} from "./model.js";
import {map} from "./map.js";
import {compare} from "./compare.js";

const PARTS = {ask, teach, mistakes, examples, model: modelPart, map, compare};
const NAMES = {ask: "Ask", teach: "Teach", mistakes: "Mistakes", examples: "Examples", model: "Model", map: "Map"};
const content = document.getElementById("content"), picker = document.getElementById("picker");
const trouble = document.getElementById("trouble"), tabs = document.getElementById("tabs");
const NEW = "#/new";

export function address(model, part, query = {}) {
  const search = new URLSearchParams(query).toString();
  return `#${encodeURIComponent(model)}/${part}${search ? `?${search}` : ""}`;
}

const page = {
  list: [], limits: {}, model: null, info: null, query: new URLSearchParams(), left: new AbortController(),
  async refresh() {
    const answer = await api.models();
    Object.assign(page, {list: answer.models, limits: answer.limits, isWritable: answer.is_writable, hasLanguages: answer.has_languages});
  },
  /** After a change: classes and counts may differ. */
  async changed() {
    const {model} = page, info = await model.info();
    if (page.model !== model) return;  // another one was chosen meanwhile
    page.info = info;
    page.list = page.list.map(one => one.id === info.id ? info : one);
    setClasses(info.classes);
    showTrouble();
  },
  address,
  /** Go to a part; the same one is shown anew. */
  go(model, part, query) {
    const to = model === null ? "#" : address(model, part, query);
    if (location.hash === to || (to === "#" && !location.hash)) return show();
    location.hash = to;
  },
};

function showTrouble() {
  const problems = Object.values(page.info?.problems ?? {});
  trouble.hidden = problems.length === 0;
  trouble.textContent = problems.length ? `${page.info.id} (${page.info.condition}): ${problems.join(" ")}` : "";
}

/** Read the address: the model, the part, and what the part is asked for. */
function route() {
  const [path, search = ""] = location.hash.slice(1).split("?");
  const [first = "", second = ""] = path.split("/").map(decodeURIComponent);
  page.query = new URLSearchParams(search);
  if (path === "/new") return {view: "new"};
  // An address of 0.2 names only the part.
  if (!second && first in PARTS && !page.list.some(one => one.id === first)) return {view: first, name: page.model?.name ?? page.list[0]?.id};
  return {view: first ? (second in PARTS ? second : "ask") : "home", name: first};
}

async function show() {
  // Whatever the previous part listens to or waits for ends here.
  page.left.abort();
  page.left = new AbortController();
  const {signal} = page.left;
  const {view, name} = route();
  const known = page.list.find(one => one.id === name) ?? null;
  page.info = known;
  page.model = known && api.model(known.id);
  setClasses(known?.classes ?? []);
  showTrouble();
  const isHome = view === "home" || view === "new" || !known;
  picker.replaceChildren(
    ...(isHome ? [h("option", {value: "#", selected: view !== "new"}, "Choose a model …")] : []),
    ...page.list.map(one => h("option", {value: address(one.id, isHome ? "ask" : view === "compare" ? "model" : view), selected: one === known}, one.id)),
    h("option", {value: NEW, selected: view === "new"}, "New model …"));
  tabs.replaceChildren(...(isHome ? [] : Object.entries(NAMES).map(([part, text]) => h("li", {},
    h("a", {href: address(known.id, part), "aria-current": part === (view === "compare" ? "model" : view) ? "page" : null}, text)))));
  document.title = `${isHome ? "" : `${known.id} · ${view} · `}addhash`;
  const box = h("div", {class: "part", "data-part": isHome ? (view === "new" ? "new" : "home") : view});
  content.replaceChildren(box);
  try {
    if (view === "new") start(box, page);
    else if (isHome) {
      await home(box, page, signal);
      if (name && !known) fail(new Error(`There is no model ${name} on this server.`));
    } else await PARTS[view](box, page, signal);
  } catch (error) {
    if (!signal.aborted) fail(error, box);
  }
  box.dataset.ready = "";
}

picker.addEventListener("change", () => { location.hash = picker.value; });
document.querySelector(".skip").addEventListener("click", event => { event.preventDefault(); content.focus(); });
addEventListener("hashchange", async () => {
  await show();
  if (document.activeElement === document.body || tabs.contains(document.activeElement)) content.focus({preventScroll: true});
});
addEventListener("unhandledrejection", event => { event.preventDefault(); fail(event.reason); });
document.addEventListener("connection", event => {
  document.getElementById("connection").hidden = event.detail;
  document.body.classList.toggle("offline", !event.detail);
});
const keys = document.getElementById("keys");
keys.checked = choice("keys", true);
keys.addEventListener("change", () => choose("keys", keys.checked));

try {
  await page.refresh();
} catch (error) {
  fail(error);
}
await show();
