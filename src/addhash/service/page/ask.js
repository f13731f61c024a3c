// Type or paste: the answer as you type, with reasons.

import {chip, fail, h, hueOf, legend, letters, percent, say, settled, short, shown} from "./elements.js";
import {picker} from "./labels.js";
import {useIt} from "./use.js";

const EXPLAINED = 5000;
let kept = "";

const partName = one => one.what === "others" ? "all others" : one.what === "prior" ? "prior and bias" : `“${one.text}”`;

export function ask(box, page, left) {
  const text = h("textarea", {id: "text", placeholder: "Type or paste a text …", "aria-label": "Text to label",
    dir: "auto", spellcheck: "false", maxlength: page.limits.max_length});
  text.value = page.query.get("text") ?? kept;
  const answer = h("div", {class: "answer"});
  const bars = h("ul", {class: "bars", "aria-label": "Classes and their shares"});
  const why = h("p", {class: "letters", "aria-hidden": "true", dir: "auto"});
  const whyLegend = h("div");
  const tokens = h("details", {}, h("summary", {}, "The strongest words"));
  const near = h("ul", {class: "near"});
  const correct = h("div", {class: "row teach-it"});
  const whyCard = h("section", {hidden: true, "aria-label": "Why: every letter by its share"}, why, whyLegend, tokens);
  const barCard = h("section", {class: "card", hidden: true}, h("h2", {}, "How sure"), bars);
  const nearCard = h("section", {class: "card", hidden: true}, h("h2", {}, "Nearest examples"), near);
  const use = useIt(`v1/models/${encodeURIComponent(page.model.name)}/predict`, () => ({texts: [text.value || "a text"], top: 3}));
  box.append(
    h("h1", {}, "Ask"),
    page.info.classes.length ? h("p", {class: "lead"}, "The answer comes as you type.")
      : h("p", {class: "lead"}, "This model knows nothing yet. ", h("a", {href: page.address(page.model.name, "teach")}, "Teach it a few examples"), " first."),
    h("div", {class: "columns"},
      h("section", {class: "card"}, text, answer, whyCard, correct, use.box),
      h("div", {class: "stack"}, barCard, nearCard)));

  // An old answer is never shown as that of a new text.
  function stale(isOld) { for (const part of [answer, whyCard, barCard, nearCard, correct]) part.classList.toggle("stale", isOld); }

  let running = null;
  async function look() {
    kept = text.value;
    running?.abort();
    use.draw();
    const value = text.value;
    if (!value.trim() || !page.info.classes.length) {
      for (const part of [answer, bars, correct, why]) part.replaceChildren();
      whyCard.hidden = nearCard.hidden = barCard.hidden = true;
      return;
    }
    stale(true);
    const {signal} = running = new AbortController();
    const similar = page.model.similar([value], 5, signal);
    const explained = value.length <= EXPLAINED ? page.model.explain(value, signal) : Promise.resolve(null);
    similar.catch(() => {});
    explained.catch(() => {});
    const found = (await page.model.predict([value], 6, signal)).predictions[0];
    const reasons = await explained, neighbours = await similar;
    if (signal.aborted) return;
    showAnswer(found);
    whyCard.hidden = reasons === null;
    if (reasons) showWhy(value, reasons);
    showNear(neighbours);
    stale(false);
  }

  function showAnswer(found) {
    const first = found.classes[0];
    barCard.hidden = false;
    answer.replaceChildren(chip(found.label), h("span", {class: "soft"},
      `${percent(first.share, first.share > 0.99 ? 1 : 0)}${found.runner_up === null ? "" : `, then ${short(shown(found.runner_up), 40)}`}`));
    bars.replaceChildren(...found.classes.map(one => h("li", {},
      chip(one.label), h("span", {class: "bar"}, h("i", {"--share": one.share.toFixed(4), "--hue": hueOf(one.label)})),
      h("span", {class: "number small"}, percent(one.share, 1)))));
    if (page.isWritable) correct.replaceChildren(
      h("span", {class: "small soft"}, "Teach it:"),
      ...found.classes.slice(0, 4).map(one => h("button", {onclick: () => learn(one.label).catch(fail)}, chip(one.label))),
      h("button", {class: "plain", onclick: event => other(event.currentTarget)}, "another label …"));
    say(`${shown(found.label)}, ${percent(first.share)}`, false);
  }

  function other(button) {
    const choosing = picker(page, {choose: label => learn(label).catch(fail), hasKeys: false});
    button.replaceWith(choosing.box);
    choosing.focus(undefined);
  }

  async function learn(label) {
    const learnt = await page.model.learn([text.value], [label]);
    await page.changed();
    say(learnt.known ? `Learnt again: ${shown(label)}; it knew this text already` : `Learnt: ${shown(label)}`);
    await look();
  }

  function showWhy(value, found) {
    why.replaceChildren(...letters(value, found.characters));
    whyLegend.replaceChildren(legend(found.label, found.runner_up));
    tokens.replaceChildren(h("summary", {}, "The strongest words"),
      h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "The strongest words"},
        h("table", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "word"),
          h("th", {scope: "col", class: "number"}, "strength for ", chip(found.label)))),
          h("tbody", {}, ...found.rows.map(one => h("tr", {}, h("td", {class: "mono", dir: "auto"}, partName(one)),
            h("td", {class: "number"}, (one.evidence_margin ?? one.evidence).toFixed(page.info.method === "bayes" ? 1 : 4))))))));
  }

  function showNear(found) {
    const rows = found.similar[0];
    nearCard.hidden = rows.length === 0;
    near.replaceChildren(...rows.map(one => h("li", {},
      h("span", {class: "head"}, chip(one.label), h("span", {class: "soft"}, one.score.toFixed(2).replace(/^-0\.00$/, "0.00"))),
      h("p", {dir: "auto"}, short(one.text)))));
  }

  text.addEventListener("input", () => stale(true));
  text.addEventListener("input", settled(70, () => look().catch(fail)));
  text.focus();
  left.addEventListener("abort", () => running?.abort());
  return look();
}
