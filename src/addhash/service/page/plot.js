// A curve of accuracy over the number of examples.

import {percent, s} from "./elements.js";

const WIDTH = 360, HEIGHT = 180, LEFT = 44, BOTTOM = 24, TOP = 10, RIGHT = 12;

export function plot(points) {
  const svg = s("svg", {class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": points.length
      ? `Accuracy ${percent(points.at(-1).y, 1)} with ${points.at(-1).x.toLocaleString("en")} examples`
      : "No examples yet"});
  const sorted = [...points].sort((a, b) => a.x - b.x);
  const most = Math.max(10, ...sorted.map(one => one.x));
  const least = Math.min(sorted[0]?.x ?? 0, most - 10);
  const x = value => LEFT + (value - least) / (most - least) * (WIDTH - LEFT - RIGHT);
  const y = value => TOP + (1 - value) * (HEIGHT - TOP - BOTTOM);
  for (const share of [0, 0.5, 1]) {
    svg.append(s("line", {class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share)}),
      s("text", {x: LEFT - 6, y: y(share) + 4, "text-anchor": "end"}, percent(share)));
  }
  svg.append(s("text", {x: LEFT, y: HEIGHT - 6}, least.toLocaleString("en")));
  svg.append(s("text", {x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end"}, `${most.toLocaleString("en")} examples`));
  if (!sorted.length) return svg;
  const line = sorted.map(one => `${x(one.x).toFixed(1)},${y(one.y).toFixed(1)}`).join(" ");
  svg.append(
    s("polygon", {class: "area", points: `${x(sorted[0].x)},${y(0)} ${line} ${x(sorted.at(-1).x)},${y(0)}`}),
    s("polyline", {class: "curve", points: line}),
    s("circle", {class: "now", cx: x(sorted.at(-1).x), cy: y(sorted.at(-1).y), r: 5}));
  return svg;
}
