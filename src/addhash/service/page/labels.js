// Choosing a label: keys that never move, a filter for many classes, and new labels.

import {asLabel, chip, h, shown} from "./elements.js";
import {choice, choose as keep} from "./store.js";

const SHOWN = 60;

/** The labels of a model in the order in which they first came: the keys 1 to 9 stay where they are, in every tab. */
export function ordered(page, more = []) {
  const name = `labels-${page.model.name}`;
  const known = choice(name, []);
  const all = new Map([...page.info.classes, ...more].map(label => [String(label), label]));
  const order = [...known.filter(text => all.has(text)), ...[...all.keys()].filter(text => !known.includes(text))];
  // Labels that are gone keep their place: they may come back.
  keep(name, [...known, ...order.filter(text => !known.includes(text))]);
  return order.map(text => all.get(text));
}

/** A field and buttons for all labels; `choose` gets the label. */
export function picker(page, {choose, suggested = null, more = [], placeholder = "Filter, or a new label …", hasKeys = true}) {
  const buttons = h("div", {class: "labels", role: "group", "aria-label": "Labels"});
  const field = h("input", {class: "grow", id: "new-label", placeholder, maxlength: 200, "aria-label": "Filter the labels, or type a new one", autocomplete: "off", dir: "auto"});
  const add = h("button", {hidden: true}, "Add and choose");
  const form = h("form", {class: "row", onsubmit: event => { event.preventDefault(); enter(); }}, field, add);
  let guess = suggested;

  function labels() { return ordered(page, more); }
  function matching() {
    const wanted = field.value.trim().toLowerCase();
    const all = labels().map((label, i) => ({label, key: i < 9 ? String(i + 1) : null}));
    return wanted ? all.filter(one => shown(one.label).toLowerCase().includes(wanted)) : all;
  }
  function exact() {
    const wanted = field.value.trim();
    return labels().find(label => String(label) === wanted);
  }
  function enter() {
    const wanted = field.value.trim();
    if (!wanted) return;
    const found = matching();
    if (exact() !== undefined) choose(exact());
    else if (found.length) choose(found[0].label);
    else choose(asLabel(wanted, page.info.classes));
  }
  add.addEventListener("click", event => {
    event.preventDefault();
    if (field.value.trim()) choose(exact() ?? asLabel(field.value.trim(), page.info.classes));
  });
  function draw() {
    const found = matching();
    buttons.replaceChildren(...found.slice(0, SHOWN).map(({label, key}) => h("button", {
      class: label === guess ? "suggested" : "", type: "button", "data-label": shown(label), onclick: event => { event.currentTarget.classList.add("pressed"); choose(label); },
      "aria-keyshortcuts": hasKeys ? key : null,
    }, chip(label), hasKeys && key ? h("kbd", {"aria-hidden": "true"}, key) : "")));
    if (found.length > SHOWN) buttons.append(h("span", {class: "small soft"}, `and ${found.length - SHOWN} more: type to filter`));
    add.hidden = !field.value.trim() || exact() !== undefined;
    add.textContent = `Add “${field.value.trim().slice(0, 40)}”`;
  }
  field.addEventListener("input", draw);
  draw();
  return {
    box: h("div", {class: "choosing"}, buttons, form),
    suggest(label) { guess = label; draw(); },
    /** The label of a key, if it has one. */
    byKey(key) { return /^[1-9]$/.test(key) ? labels()[Number(key) - 1] : undefined; },
    press(label) { [...buttons.children].find(one => one.dataset.label === shown(label))?.classList.add("pressed"); },
    focus(label) { ([...buttons.children].find(one => one.dataset.label === shown(label)) ?? field).focus(); },
  };
}
