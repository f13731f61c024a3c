// Talking to the server. Nothing else leaves this page.

export class Refused extends Error {
  constructor(status, body) { super(body.detail ?? `Error ${status}`); this.status = status; this.body = body; }
}

function token() { return sessionStorage.getItem("addhash-token"); }

function askForToken() {
  const dialog = document.getElementById("token");
  const value = document.getElementById("token-value");
  value.value = "";
  dialog.showModal();
  return new Promise(resolve => dialog.addEventListener("close", () => {
    sessionStorage.setItem("addhash-token", value.value);
    resolve();
  }, {once: true}));
}

async function send(method, path, {body, type, signal} = {}) {
  const headers = {};
  if (token()) headers.Authorization = `Bearer ${token()}`;
  if (body !== undefined) headers["Content-Type"] = type ?? "application/json";
  const content = body === undefined || type ? body : JSON.stringify(body);
  // A change that is sent again because the answer got lost counts once.
  if (method !== "GET" && !type) headers["Idempotency-Key"] = key();
  for (let attempt = 0; ; attempt++) {
    let answer;
    try {
      answer = await fetch(path, {method, headers, body: content, signal, cache: "no-store"});
    } catch (error) {
      if (error.name === "AbortError" || attempt >= 3) throw error;
      await new Promise(resolve => setTimeout(resolve, 300 * 2 ** attempt));
      continue;
    }
    if (answer.status === 401) {
      await askForToken();
      headers.Authorization = `Bearer ${token()}`;
      continue;
    }
    if (answer.status === 503 && answer.headers.has("Retry-After") && attempt < 5) {
      await new Promise(resolve => setTimeout(resolve, 1000));
      continue;
    }
    if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
    return answer;
  }
}

function key() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
}

async function json(...values) { return (await send(...values)).json(); }

export const models = () => json("GET", "v1/models");
export const create = (name, method) => json("POST", "v1/models", {body: {name, method}});

/** Everything about one model. */
export function model(name) {
  const path = `v1/models/${encodeURIComponent(name)}`;
  const file = "application/octet-stream";
  return {
    name,
    info: () => json("GET", path),
    predict: (texts, top, signal) => json("POST", `${path}/predict`, {body: {texts, top}, signal}),
    explain: (text, signal) => json("POST", `${path}/explain`, {body: {text, tokens: 12}, signal}),
    similar: (texts, k, signal) => json("POST", `${path}/similar`, {body: {texts, k}, signal}),
    learn: (texts, labels) => json("POST", `${path}/examples`, {body: {texts, labels}}),
    forget: ids => json("DELETE", `${path}/examples`, {body: {ids}}),
    relabel: (id, label) => json("PATCH", `${path}/examples/${id}`, {body: {label}}),
    undo: () => json("POST", `${path}/undo`, {body: {}}),
    examples: query => json("GET", `${path}/examples?${new URLSearchParams(query)}`),
    evaluation: () => json("GET", `${path}/evaluation`),
    map: () => json("GET", `${path}/map`),
    merge: content => json("POST", `${path}/merge`, {body: content, type: file}),
    upload: content => json("PUT", `${path}/file`, {body: content, type: file}),
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
