// "Use it": the request behind what is on screen, to copy.

import {h, say} from "./elements.js";

const LANGUAGES = {curl: curl, Python: python, JavaScript: javascript};

function curl(address, body) {
  return `curl ${address} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
}

function python(address, body) {
  return `import json\nimport urllib.request\n\nbody = ${JSON.stringify(body).replaceAll("true", "True")}\nrequest = urllib.request.Request(\n    "${address}",\n    json.dumps(body).encode(),\n    {"Content-Type": "application/json"},\n)\nprint(json.load(urllib.request.urlopen(request)))`;
}

function javascript(address, body) {
  return `const answer = await fetch("${address}", {\n  method: "POST",\n  headers: {"Content-Type": "application/json"},\n  body: JSON.stringify(${JSON.stringify(body)}),\n});\nconsole.log(await answer.json());`;
}

/** A panel for a POST request; `body` returns what to send now. */
export function useIt(path, body) {
  let language = "curl";
  const code = h("pre", {tabindex: 0, "aria-label": "The request"});
  const tabs = Object.keys(LANGUAGES).map(name => h("button", {type: "button", "aria-pressed": String(name === language), onclick: () => {
    language = name;
    for (const one of tabs) one.setAttribute("aria-pressed", String(one.textContent === name));
    draw();
  }}, name));
  const copy = h("button", {type: "button", onclick: async () => { await navigator.clipboard.writeText(code.textContent); say("Copied"); }}, "Copy");
  function draw() { code.textContent = LANGUAGES[language](new URL(path, document.baseURI).href.split("#")[0], body()); }
  const box = h("details", {class: "use"}, h("summary", {}, "Use it in a program"),
    h("div", {class: "row"}, ...tabs, copy), code,
    h("p", {class: "small soft"}, "If the server has a token, add the header Authorization: Bearer TOKEN. ", h("a", {href: "docs"}, "All requests")));
  draw();
  return {box, draw};
}
