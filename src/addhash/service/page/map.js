// A map of the examples: similar texts are close together.

import {chip, h, hueOf, s, say, shown} from "./elements.js";

const EDGE = 14;

export async function map(box, page) {
  const figure = h("section", {class: "card map"}, h("progress", {"aria-label": "Drawing the map"}), h("p", {class: "soft"}, "Drawing the map …"));
  const lead = h("p", {class: "lead"}, "Every dot is an example; similar texts are close together.");
  box.append(h("h1", {}, "Map"), lead, figure);
  const found = await page.model.map();
  const points = found.points.map(([id, label, x, y, text]) => ({id, label, x, y, text}));
  if (points.length < 2) {
    figure.replaceChildren(h("p", {class: "soft"}, "Teach it at least two examples to see a map."));
    return;
  }
  if (points.length < found.total) lead.append(` The latest ${points.length} of ${found.total} are shown.`);
  // One unit per pixel, so that dots are just as large on a phone.
  const width = figure.clientWidth - 40, height = Math.min(innerHeight * 0.7, 640);
  const tip = h("div", {class: "tip", hidden: true});
  const svg = s("svg", {viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "application",
    "aria-roledescription": "map", "aria-label": `Map of ${points.length} examples. The arrow keys move to the next one in that direction.`});
  const size = Math.max(4, Math.min(11, Math.sqrt(width * height / points.length) / 5));
  for (const point of points) {
    point.dot = s("circle", {cx: EDGE + point.x * (width - 2 * EDGE), cy: EDGE + point.y * (height - 2 * EDGE), r: size, "--hue": hueOf(point.label)});
    point.dot.addEventListener("pointerenter", () => choose(point));
    point.dot.addEventListener("click", () => choose(point));
    svg.append(point.dot);
  }
  svg.addEventListener("pointerleave", () => choose(null));

  // Which classes are seen.
  const off = new Set();
  const labels = [...new Set(points.map(point => point.label))].sort();
  const keys = h("ul", {class: "keys", "aria-label": "Classes"}, ...labels.slice(0, 60).map(label => {
    const button = h("button", {"aria-pressed": "true", onclick: () => {
      if (off.has(label)) off.delete(label); else off.add(label);
      button.setAttribute("aria-pressed", String(!off.has(label)));
      for (const point of points) point.dot.classList.toggle("faded", off.has(point.label));
    }}, chip(label));
    return h("li", {}, button);
  }));

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
    tip.replaceChildren(chip(point.label), h("p", {class: "small"}, point.text.length > 180 ? `${point.text.slice(0, 180)} …` : point.text));
    say(`${shown(point.label)}: ${point.text}`, false);
  }

  const WAYS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
  svg.addEventListener("keydown", event => {
    if (event.key === "Escape") { choose(null); return; }
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
