// The API for people, made from its description.

import {h} from "./elements.js";

const found = await (await fetch("openapi.json")).json();
const main = document.getElementById("content");

for (const tag of found.tags) {
  const section = h("section", {class: "stack api"}, h("h2", {}, tag.description));
  for (const [path, methods] of Object.entries(found.paths)) {
    for (const [method, one] of Object.entries(methods)) {
      if (one.tags[0] === tag.name) section.append(operation(method.toUpperCase(), path, one));
    }
  }
  main.append(section);
}

function operation(method, path, one) {
  const [[type, body] = []] = Object.entries(one.requestBody?.content ?? {});
  const shownPath = path.replace("{model}", "mail").replace("{id}", "1").replace("{file}", "main.js");
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${new URL(`.${shownPath}`, location.href.replace(/docs.*$/, "")).href}`];
  if (type) lines.push(`-H 'Content-Type: ${type}'`, body.example ? `-d '${JSON.stringify(body.example)}'` : "--data-binary @FILE");
  return h("details", {class: "card"}, h("summary", {}, h("b", {class: "mono"}, `${method} ${path}`), h("span", {class: "soft"}, ` ${one.summary}`)),
    h("pre", {tabindex: 0, "aria-label": "Example"}, lines.join(" \\\n  ")),
    one.parameters.length ? h("ul", {}, ...one.parameters.map(each => h("li", {}, h("code", {}, each.name), ` (${each.in}, ${each.schema.type}${each.required ? ", required" : ""}) ${each.description ?? ""}`))) : "",
    body?.schema?.$ref ? schema("Request", body.schema.$ref) : "",
    ...Object.entries(one.responses).filter(([status]) => status < "300").flatMap(([, answer]) => Object.values(answer.content))
      .filter(each => each.schema?.$ref).map(each => schema("Answer", each.schema.$ref)),
    h("p", {class: "small soft"}, Object.entries(one.responses).map(([status, answer]) => `${status}: ${answer.description}`).join(" ")));
}

function schema(title, reference) {
  const type = found.components.schemas[reference.split("/").pop()];
  return h("div", {}, h("p", {}, h("b", {}, `${title}. `), type.description ?? ""),
    h("ul", {}, ...Object.entries(type.properties ?? {}).map(([name, one]) => h("li", {}, h("code", {}, name), ` ${kind(one)}${type.required?.includes(name) ? "" : ", optional"}`))));
}

function kind(one) {
  if (one.$ref) return one.$ref.split("/").pop();
  if (one.anyOf) return one.anyOf.map(kind).join(" or ");
  if (one.enum) return one.enum.map(each => JSON.stringify(each)).join(" or ");
  if (one.type === "array") return `array of ${kind(one.items ?? {})}`;
  return one.type ?? "anything";
}
