// Files of texts: the server reads them; here are the preview and the choice of columns.

import * as api from "./api.js";
import {chip, fail, h, short} from "./elements.js";

const ENCODINGS = {"utf-8": "UTF-8", "windows-1252": "Western (Windows)", "iso-8859-1": "Western (ISO)", "utf-16": "UTF-16"};
const LONGEST_LABEL = 200;

/** Show what is in a file; returns the rows to take, or null. */
export function preview(box, file, page) {
  const card = h("section", {class: "card preview", "aria-label": `Preview of ${file.name}`});
  box.append(card);
  const chosen = {name: file.name};
  return new Promise(resolve => {
    const end = rows => { card.remove(); resolve(rows); };
    async function look() {
      card.classList.add("stale");
      let found;
      try {
        found = await api.table(await file.arrayBuffer(), chosen);
      } catch (error) {
        if (error.status === 413) error.message = `${file.name} is larger than the ${Math.floor(page.limits.max_body / 1e6)} MB that this server takes. Split it.`;
        found = {columns: [], text_column: null, label_column: null, rows: [], problem: error.message};
      }
      card.classList.remove("stale");
      draw(found);
    }
    function draw(found) {
      const {rows, counts} = sorted(found.rows, page.limits.max_length);
      const select = (label, value, names, change) => h("label", {}, label, " ", h("select", {onchange: event => change(event.target.value)},
        ...names.map(([key, text]) => h("option", {value: key, selected: key === value}, text))));
      const pairs = found.columns.map(one => [one, one]);
      const text = select("Texts", chosen.text ?? found.text_column ?? "", [...(found.text_column ? [] : [["", "choose …"]]), ...pairs], value => { chosen.text = value; look(); });
      const label = select("Labels", chosen.label ?? found.label_column ?? "", [["", "none: I will label them"], ...pairs], value => { chosen.label = value; look(); });
      const encoding = select("Encoding", chosen.encoding ?? "utf-8", Object.entries(ENCODINGS), value => { chosen.encoding = value; look(); });
      const header = h("label", {}, h("input", {type: "checkbox", checked: chosen.header !== "0", onchange: event => {
        if (event.target.checked) delete chosen.header; else chosen.header = "0";
        delete chosen.text; delete chosen.label;
        look();
      }}), " the first row has the names");
      const isTable = /\.(csv|tsv|xlsx)$/i.test(file.name);
      card.replaceChildren(h("h2", {}, file.name),
        found.problem ? h("p", {class: "error", role: "alert"}, plain(found.problem)) : "",
        h("div", {class: "row choices"}, ...(found.columns.length > 1 ? [text, label] : []), /\.(parquet|xlsx)$/i.test(file.name) ? "" : encoding, isTable ? header : ""),
        rows.length ? h("ol", {class: "near", "aria-label": "The first rows"}, ...rows.slice(0, 5).map(one => h("li", {},
          one.label === null ? "" : chip(one.label), h("p", {dir: "auto"}, short(one.text, 160))))) : "",
        h("p", {class: "small", role: "status"}, counts),
        h("p", {class: "row"},
          h("button", {class: "main", disabled: !rows.length, onclick: () => end(rows)}, action(rows)),
          h("button", {onclick: () => end(null)}, "Cancel")));
    }
    look().catch(error => { fail(error, box); end(null); });
  });
}

function action(rows) {
  const labelled = rows.filter(one => one.label !== null).length;
  if (!labelled) return `Label ${rows.length.toLocaleString("en")} texts`;
  return labelled === rows.length ? `Learn ${labelled.toLocaleString("en")} examples` : `Learn ${labelled.toLocaleString("en")}, label the other ${(rows.length - labelled).toLocaleString("en")}`;
}

/** Leave out what cannot be learnt, and say how many. */
function sorted(found, longest) {
  const all = found.map(([text, label]) => ({text, label}));
  const filled = all.filter(one => one.text.trim());
  const fitting = filled.filter(one => one.text.length <= longest && (one.label === null || one.label.length <= LONGEST_LABEL));
  const said = [`${all.length.toLocaleString("en")} rows`];
  if (filled.length < all.length) said.push(`${all.length - filled.length} without a text are left out`);
  if (fitting.length < filled.length) said.push(`${filled.length - fitting.length} with a text over ${longest.toLocaleString("en")} or a label over ${LONGEST_LABEL} characters are left out`);
  return {rows: fitting, counts: all.length ? `${said.join("; ")}.` : ""};
}

/** The reader's words name the parameters of a program. */
function plain(text) {
  return text.replace(/ Name one with text_column\..*$/, " Choose it here.").replace(/ Name the file's encoding.*$/, " Choose its encoding here.")
    .replace(/ Name its format with kind\.$/, "");
}
