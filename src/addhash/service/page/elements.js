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

export function chip(label, text = shown(label)) {
  return h("span", {class: "chip", "--hue": hueOf(label), title: text}, h("span", {dir: "auto"}, text));
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
    ...[["for", label], ["against", other]].map(([kind, one]) => h("span", {}, h("b", {class: kind}, "speaks for"), " ",
      h("span", {class: "cut", title: shown(one), dir: "auto"}, shown(one)))));
}

/** A progress bar for long work; returns a function that takes the share done. */
export function progress(label) {
  const bar = h("progress", {max: 1, value: 0, "aria-label": label});
  const note = h("span", {class: "small soft"}, label);
  const box = h("div", {class: "working"}, note, bar);
  return {box, at(share, text) { bar.value = share; if (text) note.textContent = text; }};
}

/** Say what went wrong, beside what it is about, until it is dismissed; an aborted request is not an error. */
export function fail(error, place = document.querySelector(".part") ?? document.getElementById("content")) {
  if (error.name === "AbortError") return;
  const old = place.querySelector(":scope > .error");
  const box = h("div", {class: "error", role: "alert"}, h("p", {}, plain(error)),
    h("button", {class: "plain", "aria-label": "Dismiss this message", onclick: () => box.remove()}, "✕"));
  if (old) old.replaceWith(box); else place.prepend(box);
}

/** The server's words for programs, in words for people. */
function plain(error) {
  const long = /Expected `str` of length <= (\d+)/.exec(error.message);
  if (long) return `A label may have at most ${long[1]} characters.`;
  if (error.status === 403) return "This token may ask, but not teach.";
  return error.message;
}

let unanswered = null;

/** Ask before something that cannot be taken back; with `field`, its value must be typed. */
export function confirmed({title, more = "", yes, field, value = "", must}) {
  const dialog = document.getElementById("question"), input = document.getElementById("question-value");
  const button = document.getElementById("question-yes");
  document.getElementById("question-title").textContent = title;
  document.getElementById("question-more").textContent = more;
  document.getElementById("question-field").hidden = !field;
  document.querySelector("#question-field span").textContent = field ?? "";
  button.textContent = yes;
  input.value = value;
  const check = () => { button.disabled = must !== undefined && input.value !== must; };
  check();
  input.oninput = check;
  dialog.returnValue = "";
  dialog.showModal();
  if (field) input.focus();
  // The browser tells of a closed dialog a moment later, when it may ask the next question already.
  unanswered?.(null);
  return new Promise(resolve => {
    unanswered = resolve;
    dialog.onclose = () => {
      if (!dialog.open) resolve(dialog.returnValue !== "yes" || button.disabled ? null : field ? input.value.trim() : true);
    };
  });
}

/** A label as the model has them: its whole numbers stay numbers. */
export function asLabel(text, classes) {
  const first = classes[0];
  if ((typeof first !== "number" && typeof first !== "bigint") || !/^-?\d+$/.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}

/** Whether single keys are shortcuts now: not while typing, nor if they are switched off. */
export function takesKeys(event) {
  return document.getElementById("keys").checked && !event.ctrlKey && !event.metaKey && !event.altKey
    && !event.target.closest("input:not([type=checkbox]), textarea, select, dialog[open]");
}

export function short(text, most = 300) { return text.length > most ? `${text.slice(0, most)} …` : text; }
