// Small pieces that every part of the page is made of.

/** Make an element: h("p", {class: "x", onclick: f}, "text", child). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

/** The same for drawings. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

// A class keeps its hue as long as it keeps its position among the classes.
let classes = [];
export function setClasses(labels) { classes = labels; }
export function hueOf(label) {
  const place = Math.max(0, classes.indexOf(label));
  return (265 + place * 137.508) % 360;
}

export function chip(label) {
  return h("span", {class: "chip", "--hue": hueOf(label)}, h("span", {}, shown(label)));
}

export function shown(label) {
  return label === null ? "(rejected)" : String(label) === "" ? "(empty)" : String(label);
}

export function percent(share, digits = 0) {
  return share === null || share === undefined ? "–" : `${(share * 100).toFixed(digits)} %`;
}

/** Tell people who see the page and people who hear it. */
export function say(text, isSeen = true) {
  document.getElementById("said").textContent = text;
  if (!isSeen) return;
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => toast.classList.remove("shown"), 2500);
}

/** Call a function once nothing has happened for some time; later calls replace earlier ones. */
export function settled(milliseconds, call) {
  let timer;
  return (...values) => { clearTimeout(timer); timer = setTimeout(() => call(...values), milliseconds); };
}

/** A text with every letter coloured by its share: green for the label, red for the runner-up. */
export function letters(text, shares) {
  const characters = Array.from(text);
  const most = Math.max(1e-9, ...shares.map(Math.abs));
  return characters.map((character, i) => {
    const share = shares[i] ?? 0;
    return h("span", {
      class: share >= 0 ? "for" : "against",
      "--share": (Math.abs(share) / most * 0.75).toFixed(3),
      title: `${share >= 0 ? "+" : "−"}${Math.abs(share).toFixed(2)}`,
    }, character);
  });
}

export function legend(label, other) {
  if (other === null || other === undefined) return h("p", {class: "legend"});
  return h("p", {class: "legend"},
    h("span", {}, h("b", {class: "for"}, "speaks for"), " ", shown(label)),
    h("span", {}, h("b", {class: "against"}, "speaks for"), " ", shown(other)));
}

/** A progress bar for long work; returns a function that takes the share done. */
export function progress(label) {
  const bar = h("progress", {max: 1, value: 0, "aria-label": label});
  const note = h("span", {class: "small soft"}, label);
  const box = h("div", {class: "working"}, note, bar);
  return {box, at(share, text) { bar.value = share; if (text) note.textContent = text; }};
}

/** Say what went wrong; an aborted request is not an error. */
export function fail(error) {
  if (error.name !== "AbortError") say(error.message);
}
