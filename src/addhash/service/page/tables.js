// Dropped files: lines of text, or a table with a text column.

/** Return the rows of a table in CSV or TSV form (RFC 4180). */
export function parseTable(content, delimiter) {
  const rows = [];
  let row = [], field = "", isQuoted = false;
  for (let i = 0; i < content.length; i++) {
    const character = content[i];
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (content[i + 1] === '"') { field += '"'; i++; }
      else isQuoted = false;
    } else if (character === '"' && field === "") isQuoted = true;
    else if (character === delimiter) { row.push(field); field = ""; }
    else if (character === "\n") {
      row.push(field.endsWith("\r") ? field.slice(0, -1) : field);
      rows.push(row);
      row = []; field = "";
    } else field += character;
  }
  if (field !== "" || row.length) { row.push(field); rows.push(row); }
  return rows.filter(one => one.length > 1 || one[0] !== "");
}

const TEXT = ["text", "message", "sentence", "content", "document", "body"];
const LABEL = ["label", "class", "category", "target", "tag"];

/** Return [{text, label}] of a file; label is null if there is none. */
export function read(name, content) {
  content = content.replace(/^\uFEFF/, "");
  if (/\.jsonl$/i.test(name)) {
    return content.split("\n").filter(line => line.trim()).map(line => JSON.parse(line))
      .filter(one => typeof one.text === "string").map(one => ({text: one.text, label: one.label ?? null}));
  }
  if (!/\.(csv|tsv)$/i.test(name)) {
    return content.split("\n").map(line => line.replace(/\r$/, "")).filter(line => line.trim())
      .map(text => ({text, label: null}));
  }
  const first = content.slice(0, content.indexOf("\n") >>> 0);
  const delimiter = /\.tsv$/i.test(name) || first.includes("\t") ? "\t" : first.split(";").length > first.split(",").length ? ";" : ",";
  const rows = parseTable(content, delimiter);
  if (!rows.length) return [];
  const names = rows[0].map(one => one.trim().toLowerCase());
  let text = names.findIndex(one => TEXT.includes(one));
  const label = names.findIndex(one => LABEL.includes(one));
  const hasNames = text >= 0 || label >= 0;
  const body = hasNames ? rows.slice(1) : rows;
  if (text < 0) text = longest(body, label);
  return body.map(row => ({text: row[text] ?? "", label: label >= 0 && row[label] ? row[label] : null}))
    .filter(one => one.text.trim());
}

function longest(rows, except) {
  const sizes = [];
  for (const row of rows.slice(0, 100)) row.forEach((field, i) => { sizes[i] = (sizes[i] ?? 0) + field.length; });
  if (except >= 0) sizes[except] = -1;
  return sizes.indexOf(Math.max(...sizes));
}
