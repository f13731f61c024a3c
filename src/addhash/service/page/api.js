// Talking to the server. Nothing else leaves this page.

export class Refused extends Error {
  constructor(status, body) { super(body.detail ?? `Error ${status}`); this.status = status; this.body = body; }
}

function token() { return sessionStorage.getItem("addhash-token"); }

/** Ask for a token; an error if none is given. */
function askForToken(why) {
  const dialog = document.getElementById("token"), value = document.getElementById("token-value");
  const reason = document.getElementById("token-why");
  reason.hidden = !why;
  reason.textContent = why;
  value.value = "";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve, reject) => dialog.addEventListener("close", () => {
    const given = value.value.trim();
    if (dialog.returnValue !== "use" || !given) reject(new Error("This needs a token; none was given."));
    else if (!/^[\x21-\x7e]+$/.test(given)) askForToken("A token has letters, digits and signs only, without spaces.").then(resolve, reject);
    else { sessionStorage.setItem("addhash-token", given); resolve(); }
  }, {once: true}));
}

// Whether the last request reached the server; the frame of the page shows it.
let isConnected = true;
function connection(isThere) {
  if (isThere === isConnected) return;
  isConnected = isThere;
  document.dispatchEvent(new CustomEvent("connection", {detail: isThere}));
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, {once: true});
  });
}

async function send(method, path, {body, type, signal, key} = {}) {
  const headers = {};
  if (token()) headers.Authorization = `Bearer ${token()}`;
  if (body !== undefined) headers["Content-Type"] = type ?? "application/json";
  const content = body === undefined || type ? body : written(body);
  // A change that is sent again because the answer got lost counts once.
  if (method !== "GET") headers["Idempotency-Key"] = key ?? newKey();
  for (let attempt = 0; ; attempt++) {
    let answer;
    try {
      answer = await fetch(path, {method, headers, body: content, signal, cache: "no-store"});
    } catch (error) {
      if (error.name === "AbortError") throw error;
      connection(false);
      await pause(Math.min(300 * 2 ** attempt, 4000), signal);
      continue;
    }
    connection(true);
    if (answer.status === 401) {
      await askForToken(token() ? "The server did not accept that token." : "");
      headers.Authorization = `Bearer ${token()}`;
      continue;
    }
    if (answer.status === 503 && answer.headers.has("Retry-After") && attempt < 5) {
      await pause(1000, signal);
      continue;
    }
    if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
    return answer;
  }
}

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
}

// Whole numbers beyond 2^53 stay exact: they come and go as BigInt.
const LARGE = /\d{16}/;
function parsed(text) {
  if (!LARGE.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value);
}
function written(value) {
  return JSON.stringify(value, (_, one) => typeof one === "bigint" ? JSON.rawJSON(String(one)) : one);
}

async function json(...values) { return parsed(await (await send(...values)).text()); }

const FILE = "application/octet-stream";
export const models = () => json("GET", "v1/models");
export const create = (name, method) => json("POST", "v1/models", {body: {name, method}});
export const detect = (texts, top, signal) => json("POST", "v1/detect", {body: {texts, top}, signal});
export const table = (content, query) => json("POST", `v1/tables?${new URLSearchParams(query)}`, {body: content, type: FILE});

/** Everything about one model. */
export function model(name) {
  const path = `v1/models/${encodeURIComponent(name)}`;
  return {
    name,
    info: () => json("GET", path),
    predict: (texts, top, signal) => json("POST", `${path}/predict`, {body: {texts, top}, signal}),
    explain: (text, signal) => json("POST", `${path}/explain`, {body: {text, count: 12}, signal}),
    similar: (texts, k, signal) => json("POST", `${path}/similar`, {body: {texts, k}, signal}),
    learn: (texts, labels, more, key) => json("POST", `${path}/examples`, {body: {texts, labels, ...more}, key}),
    forget: ids => json("DELETE", `${path}/examples`, {body: {ids}}),
    relabel: (id, label) => json("PATCH", `${path}/examples/${id}`, {body: {label}}),
    undo: change => json("POST", `${path}/undo`, {body: {change}}),
    examples: query => json("GET", `${path}/examples?${new URLSearchParams(query)}`),
    evaluation: signal => json("GET", `${path}/evaluation`, {signal}),
    mistakes: (query, signal) => json("GET", `${path}/mistakes?${new URLSearchParams(query)}`, {signal}),
    map: (isRefined, signal) => json("GET", `${path}/map${isRefined ? "?refined=1" : ""}`, {signal}),
    snapshots: () => json("GET", `${path}/snapshots`),
    keep: as => json("POST", `${path}/snapshots`, {body: {name: as}}),
    drop: snapshot => json("DELETE", `${path}/snapshots/${encodeURIComponent(snapshot)}`),
    rollBack: snapshot => json("POST", `${path}/rollback`, {body: {snapshot}}),
    compare: (body, signal) => json("POST", `${path}/compare`, {body, signal}),
    previewMerge: content => json("POST", `${path}/merge/preview`, {body: content, type: FILE}),
    merge: content => json("POST", `${path}/merge`, {body: content, type: FILE}),
    upload: content => json("PUT", `${path}/file`, {body: content, type: FILE}),
    restore: content => json("PUT", `${path}/backup`, {body: content, type: FILE}),
    rename: to => json("PATCH", path, {body: {name: to}}),
    copy: to => json("POST", "v1/models", {body: {name: to, copy_of: name}}),
    remove: () => json("DELETE", path, {body: {name}}),
    fetch: what => send("GET", `${path}/${what}`),
  };
}

/** Let the browser save an answer as a file. */
export async function download(model, what, name) {
  const answer = await model.fetch(what);
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
