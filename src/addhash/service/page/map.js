// A map of the examples: similar texts are close together.

import {chip, fail, h, hueOf, s, say, shown} from "./elements.js";

const EDGE = 14;

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
  const lead = h("p", {class: "lead"}, "Every dot is an example; similar texts are close together. Click one to open it.");
  const note = h("p", {class: "small soft", role: "status"});
  box.append(h("h1", {}, "Map"), lead, figure, note);
  const found = await page.model.map(false, left);
  if (found.points.length < 2) {
    figure.replaceChildren(h("p", {class: "soft"}, "Teach it at least two examples to see a map."));
    return;
  }
  draw(found);
  // The quick picture shows at once; the one that keeps neighbours together takes its place.
  note.textContent = "Sharpening the picture …";
  page.model.map(true, left).then(better => {
    if (left.aborted) return;
    draw(better);
    note.textContent = better.points.length < better.total ? `The latest ${better.points.length} of ${better.total.toLocaleString("en")} examples.` : "";
  }).catch(fail);

  function draw(answer) {
  const points = apart(answer.points.map(([id, label, x, y, text]) => ({id, label, x, y, text})));
  // One unit per pixel, so that dots are just as large on a phone.
  const width = figure.clientWidth - 40, height = Math.min(innerHeight * 0.7, 640);
  const tip = h("div", {class: "tip", hidden: true});
  const svg = s("svg", {viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "application",
    "aria-roledescription": "map", "aria-label": `Map of ${points.length} examples. The arrow keys move to the next one in that direction, Enter opens it.`});
  const size = Math.max(4, Math.min(11, Math.sqrt(width * height / points.length) / 5));
  for (const point of points) {
    point.dot = s("circle", {cx: EDGE + point.x * (width - 2 * EDGE), cy: EDGE + point.y * (height - 2 * EDGE), r: size, "--hue": hueOf(point.label)});
    point.dot.addEventListener("pointerenter", () => choose(point));
    point.dot.addEventListener("click", () => open(point));
    svg.append(point.dot);
  }
  svg.addEventListener("pointerleave", () => choose(null));

  // Which classes are seen.
  const off = new Set();
  const labels = [...new Set(points.map(point => point.label))].sort((a, b) => shown(a).localeCompare(shown(b), "en", {numeric: true}));
  const keys = h("ul", {class: "keys", "aria-label": "Classes"}, ...labels.slice(0, 60).map(label => {
    const button = h("button", {"aria-pressed": "true", onclick: () => {
      if (off.has(label)) off.delete(label); else off.add(label);
      button.setAttribute("aria-pressed", String(!off.has(label)));
      for (const point of points) point.dot.classList.toggle("faded", off.has(point.label));
    }}, chip(label));
    return h("li", {}, button);
  }));

  // To its mistake, if the model contradicts its label; otherwise to the example.
  async function open(point) {
    choose(point);
    const wrong = await page.model.mistakes({id: point.id}, left);
    if (wrong.mistakes.length) page.go(page.model.name, "mistakes", {id: point.id});
    else page.go(page.model.name, "examples", {q: point.text.slice(0, 80)});
  }

  let chosen = null;
  function choose(point) {
    chosen?.dot.classList.remove("chosen");
    chosen = point;
    tip.hidden = point === null;
    if (point === null) return;
    point.dot.classList.add("chosen");
    svg.append(point.dot);
    const frame = svg.getBoundingClientRect(), around = figure.getBoundingClientRect(), dot = point.dot.getBoundingClientRect();
    tip.className = `tip${point.x < 0.25 ? " left" : point.x > 0.75 ? " right" : ""}${dot.y - frame.y > frame.height * 0.6 ? " low" : ""}`;
    tip.style.setProperty("--x", (dot.x + dot.width / 2 - around.x) / around.width * 100);
    tip.style.setProperty("--y", (dot.y + dot.height / 2 - around.y) / around.height * 100);
    tip.replaceChildren(chip(point.label), h("p", {class: "small", dir: "auto"}, point.text.length > 180 ? `${point.text.slice(0, 180)} …` : point.text));
    say(`${shown(point.label)}: ${point.text}`, false);
  }

  const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
  svg.addEventListener("keydown", event => {
    if (event.key === "Escape") { choose(null); return; }
    if (event.key === "Enter" && chosen) { open(chosen); return; }
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
  figure.replaceChildren(keys, svg, tip);
  }
}
