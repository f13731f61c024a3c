// Snapshots of a model: keep its state under a name, compare with it, return to it.

import {download} from "./api.js";
import {confirmed, fail, h, say} from "./elements.js";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What a forgetting leaves behind: said at once, since only the person can decide about it. */
export function sayForgotten({snapshots = []}, place) {
  say("Forgotten, and erased from disk");
  if (snapshots.length) fail(new Error(`Forgotten. ${snapshots.length === 1 ? "The snapshot" : "The snapshots"} ${snapshots.join(", ")} still ${snapshots.length === 1 ? "holds" : "hold"} the text: delete ${snapshots.length === 1 ? "it" : "them"} in Model if it must be gone from there, too.`), place);
}

/** The card with all snapshots of the model. */
export async function snapshotsCard(page) {
  const {info, model} = page;
  const list = h("ul", {class: "snapshots", "aria-label": "Snapshots"});
  const others = page.list.filter(one => one.id !== info.id && one.condition !== "failed");
  const box = h("section", {class: "card", id: "snapshots"}, h("h2", {}, "Snapshots"),
    h("p", {class: "small soft"}, "A snapshot is this state of the model under a name. Rolling back first keeps the present state as a snapshot of its own."),
    page.isWritable ? h("p", {}, h("button", {onclick: () => keep().catch(fail)}, "Take a snapshot …")) : "", list,
    others.length ? h("p", {}, h("label", {}, "Compare with another model ", h("select", {id: "compare-with", onchange: event => page.go(info.id, "compare", {model: event.target.value})},
      h("option", {value: "", selected: true, disabled: true}, "Choose …"), ...others.map(one => h("option", {value: one.id}, one.id))))) : "");

  async function load() {
    const {snapshots} = await model.snapshots();
    list.replaceChildren(...snapshots.map(item));
    if (!snapshots.length) list.append(h("li", {class: "soft"}, "None yet."));
  }

  function item(one) {
    const when = new Date(one.created * 1000);
    return h("li", {"data-name": one.name}, h("b", {class: "cut", title: one.name}, one.name),
      h("span", {class: "small soft"}, `${one.examples.toLocaleString("en")} examples, change ${one.change.toLocaleString("en")}, `, h("time", {datetime: when.toISOString()}, when.toLocaleString())),
      h("span", {class: "row"},
        h("a", {class: "button", href: page.address(info.id, "compare", {snapshot: one.name})}, "Compare"),
        ...(page.isWritable ? [h("button", {onclick: () => rollBack(one).catch(fail)}, "Roll back …")] : []),
        h("button", {onclick: () => download(model, `snapshots/${encodeURIComponent(one.name)}`, `${info.id}-${one.name}.backup`).catch(fail)}, "Download"),
        ...(page.isWritable ? [h("button", {class: "plain", onclick: () => drop(one).catch(fail)}, "Delete …")] : [])));
  }

  async function keep() {
    const name = await confirmed({title: `Keep ${info.id} as it is now`, yes: "Keep", field: "Name", value: `change-${info.change}`});
    if (name === null) return;
    if (!NAME.test(name)) throw new Error("A name has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.");
    await model.keep(name);
    await load();
    say(`${name} is kept`);
  }

  async function rollBack(one) {
    const isSure = await confirmed({title: `Return ${info.id} to ${one.name}?`, more: `It will know the ${one.examples.toLocaleString("en")} examples it knew then. The present state is kept as a snapshot before that, so you can come back.`, yes: "Roll back"});
    if (!isSure) return;
    const done = await model.rollBack(one.name);
    await page.refresh();
    page.go(info.id, "model");
    say(`${info.id} is as in ${one.name}; the state before is kept as ${done.kept}`);
  }

  async function drop(one) {
    const isSure = await confirmed({title: `Delete the snapshot ${one.name} for good?`, more: "The model stays as it is.", yes: "Delete it"});
    if (!isSure) return;
    await model.drop(one.name);
    await load();
    say(`${one.name} is deleted`);
  }

  await load();
  return box;
}
