// Type or paste: the answer as you type, with reasons.

import {chip, fail, h, hueOf, legend, letters, percent, say, settled, shown} from "./elements.js";

const EXPLAINED = 5000;
let kept = "";

export function ask(box, page, left) {
  const text = h("textarea", {id: "text", placeholder: "Type or paste a text …",
    "aria-label": "Text to label", spellcheck: "false", maxlength: page.limits.max_length});
  text.value = kept;
  const answer = h("div", {class: "answer"});
  const bars = h("ul", {class: "bars", "aria-label": "Classes and their shares"});
  const why = h("p", {class: "letters", "aria-hidden": "true"});
  const whyLegend = h("div");
  const tokens = h("details", {}, h("summary", {}, "The strongest pieces"));
  const near = h("ul", {class: "near"});
  const correct = h("div", {class: "row"});
  const whyCard = h("section", {hidden: true, "aria-label": "Why: every letter by its share"}, why, whyLegend, tokens);
  const barCard = h("section", {class: "card", hidden: true}, h("h2", {}, "How sure"), bars);
  const nearCard = h("section", {class: "card", hidden: true}, h("h2", {}, "Nearest examples"), near);
  box.append(
    h("h1", {}, "Ask"),
    h("p", {class: "lead"}, page.info.classes.length
      ? "The answer comes as you type."
      : "This model knows nothing yet. Teach it a few examples first."),
    h("div", {class: "columns"},
      h("section", {class: "card"}, text, answer, whyCard, correct),
      h("div", {class: "stack"}, barCard, nearCard)));

  let running = null;
  async function look() {
    kept = text.value;
    running?.abort();
    const value = text.value;
    if (!value.trim() || !page.info.classes.length) {
      for (const part of [answer, bars, correct, why]) part.replaceChildren();
      whyCard.hidden = nearCard.hidden = barCard.hidden = true;
      return;
    }
    const {signal} = running = new AbortController();
    const similar = page.model.similar([value], 5, signal).then(showNear);
    const explained = value.length <= EXPLAINED
      ? page.model.explain(value, signal).then(found => showWhy(value, found))
      : Promise.resolve(whyCard.hidden = true);
    showAnswer((await page.model.predict([value], 6, signal)).predictions[0]);
    await Promise.all([similar, explained]);
  }

  function showAnswer(found) {
    const first = found.classes[0];
    barCard.hidden = false;
    answer.replaceChildren(chip(found.label), h("span", {class: "soft"},
      `${percent(first.share, first.share > 0.99 ? 1 : 0)}${found.runner_up === null ? "" : `, before ${shown(found.runner_up)}`}`));
    bars.replaceChildren(...found.classes.map(one => h("li", {},
      chip(one.label), h("span", {class: "bar"}, h("i", {"--share": one.share.toFixed(4), "--hue": hueOf(one.label)})),
      h("span", {class: "number small"}, percent(one.share, 1)))));
    if (page.isWritable) correct.replaceChildren(
      h("span", {class: "small soft"}, "Teach it:"),
      ...found.classes.slice(0, 4).map(one => h("button", {onclick: () => learn(one.label)}, chip(one.label))));
    correct.classList.add("teach-it");
    say(`${shown(found.label)}, ${percent(first.share)}`, false);
  }

  async function learn(label) {
    await page.model.learn([text.value], [label]);
    await page.changed();
    say(`Learnt: ${shown(label)}`);
    await look();
  }

  function showWhy(value, found) {
    whyCard.hidden = false;
    why.replaceChildren(...letters(value, found.characters));
    whyLegend.replaceChildren(legend(found.label, found.runner_up));
    const unit = page.info.method === "bayes" ? "bits" : "cosine";
    tokens.replaceChildren(h("summary", {}, "The strongest pieces"),
      h("table", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "piece"),
        h("th", {scope: "col", class: "number"}, `for ${shown(found.label)}, ${unit}`))),
        h("tbody", {}, ...found.tokens.map(one => h("tr", {}, h("td", {class: "mono"}, `“${one.token}”`),
          h("td", {class: "number"}, (one.margin ?? one.score).toFixed(page.info.method === "bayes" ? 1 : 4)))))));
  }

  function showNear(found) {
    const rows = found.similar[0];
    nearCard.hidden = rows.length === 0;
    near.replaceChildren(...rows.map(one => h("li", {},
      h("span", {class: "head"}, chip(one.label), h("span", {class: "soft"}, one.score.toFixed(2))),
      h("p", {}, one.text.length > 300 ? `${one.text.slice(0, 300)} …` : one.text))));
  }

  const soon = settled(70, () => look().catch(fail));
  text.addEventListener("input", soon);
  text.focus();
  look().catch(fail);
  left.addEventListener("abort", () => running?.abort());
}
