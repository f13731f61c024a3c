// The page: asks the worker, and shows what it answers.
const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
const element = (id) => document.getElementById(id);
const MOST_CLUSTERS = 100, MOST_MEMBERS = 20, SHADE_BITS = 5;

worker.onmessage = ({ data: { id, answer, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(answer);
  else reject(new Error(error));
};
worker.onerror = (event) => tell(event.message || "The core stopped. Load the page anew.", true);

let asked = 0;
function ask(what, rest = {}) {
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ id: asked, what, ...rest });
  });
}

function tell(text, isBad = false) {
  element("state").textContent = text;
  element("state").classList.toggle("bad", isBad);
}

function make(tag, text = "", name = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

// Runs work() whenever asked, but never twice at a time, and the last time with the last state.
function latest(work) {
  let isRunning = false, isAsked = false;
  return async () => {
    isAsked = true;
    if (isRunning) return;
    isRunning = true;
    while (isAsked) {
      isAsked = false;
      try {
        await work();
      } catch (error) {
        tell(error.message, true);
      }
    }
    isRunning = false;
  };
}

const percent = (share) => `${(100 * share).toFixed(share > 0.995 && share < 1 ? 1 : 0)} %`;
const chip = (name, share) => make("span", `${name} ${percent(share)}`);

// Language.

const showLanguage = latest(async () => {
  const text = element("text").value;
  const found = await ask("detect", { text });
  const nothing = make("span", "No words to tell a language by");
  element("languages").replaceChildren(...(found?.rows.map(({ name, probability }) => chip(name, probability)) ?? [nothing]));
  element("segments").replaceChildren(...(found?.segments ?? []).map(({ start, end, name }) => {
    const part = make("span", text.slice(start, end), "segment");
    part.append(" ", make("small", name));
    return part;
  }));
  showReasons(text, found?.reasons);
});

function showReasons(text, reasons) {
  element("reasons-of").textContent = reasons ? `Letters that speak for ${reasons.best.name} (blue) or ${reasons.other.name} (orange):` : "";
  const letters = Array.from(text);
  element("reasons").replaceChildren(...(reasons ? letters : []).map((letter, i) => {
    const made = make("span", letter), bits = reasons.bits[i] ?? 0;
    const share = Math.round(100 * Math.min(Math.abs(bits) / SHADE_BITS, 1));
    made.style.background = `color-mix(in srgb, var(--${bits > 0 ? "for" : "against"}) ${share}%, transparent)`;
    made.title = `${bits.toFixed(1)} bits`;
    return made;
  }));
}

// Classifier.

const LESSON = [
  ["rain and wind in Oslo", "weather"], ["sunny with some clouds in the afternoon", "weather"],
  ["the striker scored twice in the second half", "sport"], ["she won the final in three sets", "sport"],
];

const showAnswer = latest(async () => {
  const text = element("question").value, isAsked = text.trim() !== "";
  const found = isAsked ? await ask("predict", { text }) : [];
  const nothing = make("span", isAsked ? "Teach it something first" : "Ask it something");
  element("answer").replaceChildren(...(found.length ? found.map(({ label, probability }) => chip(label, probability)) : [nothing]));
});

function showExample(text, label) {
  const row = make("li"), forget = make("button", "Forget");
  forget.type = "button";
  forget.setAttribute("aria-label", `Forget: ${text}`);
  forget.onclick = async () => {
    forget.disabled = true;
    await ask("forget", { text, label });
    row.remove();
    showAnswer();
  };
  row.append(make("span", text), make("b", label), forget);
  element("examples").append(row);
}

async function learn(examples) {
  await ask("learn", { texts: examples.map(([text]) => text), labels: examples.map(([, label]) => label) });
  for (const [text, label] of examples) showExample(text, label);
  showAnswer();
}

element("teach").onsubmit = async (event) => {
  event.preventDefault();
  const example = element("example"), label = element("label");
  label.value = label.value.trim();
  if (!label.reportValidity()) return;
  try {
    await learn([[example.value, label.value]]);
    example.value = "";
    example.focus();
  } catch (error) {
    tell(error.message, true);
  }
};

element("download").onclick = async () => {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([await ask("save")]));
  link.download = "taught.model";
  link.click();
  URL.revokeObjectURL(link.href);
};

// Near-duplicates.

let lines = [], fileName = "";

const showDuplicates = latest(async () => {
  const threshold = Number(element("threshold").value);
  element("threshold-value").value = threshold;
  if (lines.length === 0) return;
  element("found").textContent = `Comparing ${lines.length} lines …`;
  const { representatives, similarity } = await ask("duplicates", { texts: lines, threshold });
  const clusters = new Map();
  representatives.forEach((kept, i) => {
    if (kept !== i) clusters.set(kept, [...(clusters.get(kept) ?? []), i]);
  });
  const dropped = representatives.reduce((count, kept, i) => count + (kept !== i), 0);
  const first = clusters.size > MOST_CLUSTERS ? `; the first ${MOST_CLUSTERS} clusters` : "";
  element("found").textContent = `${fileName}: ${dropped} of ${lines.length} lines are near-duplicates of an earlier one${first}`;
  element("clusters").replaceChildren(...[...clusters].slice(0, MOST_CLUSTERS).map(([kept, members]) => {
    const cluster = make("li", lines[kept]), others = make("ul");
    const shown = members.slice(0, MOST_MEMBERS).map((i) => make("li", `${similarity[i].toFixed(2)}  ${lines[i]}`));
    if (members.length > MOST_MEMBERS) shown.push(make("li", `and ${members.length - MOST_MEMBERS} more`));
    others.append(...shown);
    cluster.append(others);
    return cluster;
  }));
});

async function read(file) {
  if (!file) return;
  try {
    const bytes = new Uint8Array(await file.arrayBuffer()), mark = `${bytes.slice(0, 2)}`;
    const encoding = { "255,254": "utf-16le", "254,255": "utf-16be" }[mark] ?? "utf-8";
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    fileName = file.name;
    if (lines.length === 0) element("found").textContent = `${fileName} has no lines.`;
    element("clusters").replaceChildren();
    showDuplicates();
  } catch (error) {
    element("found").textContent = error instanceof TypeError ? `${file.name} is not a text file in UTF-8 or UTF-16.` : error.message;
  }
}

element("file").onchange = (event) => read(event.target.files[0]);
const drop = element("drop");
drop.ondragover = (event) => {
  event.preventDefault();
  drop.classList.add("over");
};
drop.ondragleave = () => drop.classList.remove("over");
drop.ondrop = (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  read(event.dataTransfer.files[0]);
};

element("text").oninput = showLanguage;
element("question").oninput = showAnswer;
element("threshold").oninput = showDuplicates;

try {
  showLanguage();
  await learn(LESSON);
  await ask("ready");
  tell("Ready.");
  document.body.dataset.ready = "";
} catch (error) {
  tell(error.message, true);
}
