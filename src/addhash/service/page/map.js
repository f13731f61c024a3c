// A map of the examples: similar texts are close together.

import {chip, fail, h, hueOf, s, say, short, shown} from "./elements.js";

const EDGE = 14, LOOK_MILLISECONDS = 3000;

/** Move dots that lie on each other to a spiral around their place, so that each can be reached. */
function apart(points) {
  const taken = new Map();
  const inside = value => value < 0 ? -value : value > 1 ? 2 - value : value;
  for (const point of points) {
    const place = `${point.x} ${point.y}`, before = taken.get(place) ?? 0;
    taken.set(place, before + 1);
    const away = 0.006 * Math.sqrt(before), turn = before * 2.39996;
    point.x = inside(point.x + away * Math.cos(turn));
    point.y = inside(point.y + away * Math.sin(turn));
  }
  return points;
}

export async function map(box, page, left) {
  const figure = h("section", {class: "card map"}, h("progress", {"aria-label": "Drawing the map"}), h("p", {class: "soft"}, "Drawing the map …"));
  const note = h("p", {class: "small soft", role: "status"});
  const keys = h("ul", {class: "keys", "aria-label": "Classes"});
  const tip = h("div", {class: "tip", hidden: true});
  const svg = s("svg", {tabindex: 0, role: "application", "aria-roledescription": "map"});
  const dots = new Map();  // by the id of an example
  const off = new Set();   // classes that are not to be seen
  let points = [], chosen = null, change = null;
  box.append(h("h1", {}, "Map"), h("p", {class: "lead"}, "Every dot is an example; similar texts are close together. Click one to open it."), figure, note);

  /** The quick picture shows at once; the one that keeps neighbours together takes its place. */
  async function update() {
    const found = await page.model.map(false, left);
    draw(found);
    if (!found.is_refined && points.length) {
      note.textContent = "Sharpening the picture …";
      page.model.map(true, left).then(draw).catch(fail);
    }
  }

  function draw(answer) {
    if (left.aborted) return;
    change = answer.change;
    points = answer.points.length < 2 ? [] : apart(answer.points.map(([id, label, x, y, text]) => ({id, label, x, y, text})));
    note.textContent = points.length < answer.total ? `The latest ${points.length.toLocaleString("en")} of ${answer.total.toLocaleString("en")} examples.` : "";
    if (!points.length) {
      note.textContent = "";
      figure.replaceChildren(h("p", {class: "soft"}, "Teach it at least two examples to see a map."));
      return;
    }
    if (!svg.isConnected) figure.replaceChildren(keys, svg, tip);
    // One unit per pixel, so that dots are just as large on a phone.
    const width = figure.clientWidth - 40, height = Math.min(innerHeight * 0.7, 640);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `Map of ${points.length} examples. The arrow keys move to the next one in that direction, Enter opens it.`);
    const size = Math.max(3, Math.min(11, Math.sqrt(width * height / points.length) / 5));
    // Dots that were there before move to their new places.
    const old = new Map(dots);
    dots.clear();
    for (const point of points) {
      const dot = point.dot = old.get(point.id) ?? s("circle", {onpointerenter: () => choose(dot.point), onclick: () => open(dot.point)});
      old.delete(point.id);
      dots.set(point.id, dot);
      dot.point = point;
      for (const [name, value] of [["cx", EDGE + point.x * (width - 2 * EDGE)], ["cy", EDGE + point.y * (height - 2 * EDGE)], ["r", size]]) dot.setAttribute(name, value);
      dot.style.setProperty("--hue", hueOf(point.label));
      if (!dot.isConnected) svg.append(dot);
    }
    for (const dot of old.values()) dot.remove();
    if (chosen) choose(dots.get(chosen.id)?.point ?? null);
    drawKeys();
  }

  /** Which classes are seen. */
  function drawKeys() {
    const labels = [...new Set(points.map(point => point.label))].sort((a, b) => shown(a).localeCompare(shown(b), "en", {numeric: true})).slice(0, 60);
    const isSame = labels.length === keys.children.length && labels.every((label, i) => keys.children[i].label === label);
    if (!isSame) keys.replaceChildren(...labels.map(label => Object.assign(h("li", {}, h("button", {"aria-pressed": String(!off.has(label)), onclick: event => {
      if (!off.delete(label)) off.add(label);
      event.currentTarget.setAttribute("aria-pressed", String(!off.has(label)));
      fade();
    }}, chip(label))), {label})));
    fade();
  }
  function fade() { for (const point of points) point.dot.classList.toggle("faded", off.has(point.label)); }

  // To its mistake, if the model contradicts its label; otherwise to the example.
  async function open(point) {
    choose(point);
    const wrong = await page.model.mistakes({id: point.id}, left);
    if (wrong.mistakes.length) page.go(page.model.name, "mistakes", {id: point.id});
    else page.go(page.model.name, "examples", {q: point.text.slice(0, 80)});
  }

  function choose(point) {
    chosen?.dot.classList.remove("chosen");
    const isNew = point?.id !== chosen?.id;
    chosen = point;
    tip.hidden = point === null;
    if (point === null) return;
    point.dot.classList.add("chosen");
    if (isNew) svg.append(point.dot);
    const frame = svg.getBoundingClientRect(), around = figure.getBoundingClientRect(), dot = point.dot.getBoundingClientRect();
    tip.className = `tip${point.x < 0.25 ? " left" : point.x > 0.75 ? " right" : ""}${dot.y - frame.y > frame.height * 0.6 ? " low" : ""}`;
    tip.style.setProperty("--x", (dot.x + dot.width / 2 - around.x) / around.width * 100);
    tip.style.setProperty("--y", (dot.y + dot.height / 2 - around.y) / around.height * 100);
    tip.replaceChildren(chip(point.label), h("p", {class: "small", dir: "auto"}, short(point.text, 180)));
    if (isNew) say(`${shown(point.label)}: ${point.text}`, false);
  }
  svg.addEventListener("pointerleave", () => choose(null));

  const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
  svg.addEventListener("keydown", event => {
    if (event.key === "Escape") { choose(null); return; }
    if (event.key === "Enter" && chosen) { open(chosen).catch(fail); return; }
    const way = WAYS[event.key];
    if (!way) return;
    event.preventDefault();
    const seen = points.filter(point => !off.has(point.label) && point !== chosen);
    if (!chosen) { if (seen.length) choose(seen[0]); return; }
    let best = null, least = Infinity;
    for (const point of seen) {
      const dx = point.x - chosen.x, dy = point.y - chosen.y;
      const along = dx * way[0] + dy * way[1], aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (along > 1e-6 && along + 2 * aside < least) { least = along + 2 * aside; best = point; }
    }
    if (best) choose(best);
  });

  // It follows what is taught meanwhile, here or elsewhere.
  let isLooking = false;
  async function look() {
    if (isLooking || document.hidden) return;
    isLooking = true;
    try {
      await page.changed();
      if (!left.aborted && page.info.change !== change) await update();
    } finally { isLooking = false; }
  }
  const timer = setInterval(() => look().catch(fail), LOOK_MILLISECONDS);
  left.addEventListener("abort", () => clearInterval(timer));
  await update();
}
