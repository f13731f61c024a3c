// What survives a reload: texts that wait for a label, files that are being learnt, what can be undone.

const NAME = "addhash", TABLE = "kept";

let opened = null;
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

function run(mode, call) {
  return database().then(found => new Promise((resolve, reject) => {
    const request = call(found.transaction(TABLE, mode).objectStore(TABLE));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  }));
}

/** Return what was kept under a name, or the usual value; private windows may keep nothing. */
export async function load(name, usual) {
  try { return (await run("readonly", table => table.get(name))) ?? usual; } catch { return usual; }
}

export async function save(name, value) {
  try { await run("readwrite", table => table.put(value, name)); } catch { /* it lasts as long as the page */ }
}

const TABS = 16;

/** Take a lock until the returned function is called or the tab is closed; null if another tab has it. */
function lock(name, options) {
  return new Promise(resolve => navigator.locks.request(name, options, taken => {
    if (!taken) { resolve(null); return null; }
    return new Promise(release => resolve(release));
  }).catch(() => resolve(null)));
}

/**
 * Give this tab a name of its own to keep something under, and what tabs that are closed now have kept:
 * tabs that are open do not write over each other.
 */
export async function claim(kind) {
  if (!navigator.locks) return {name: kind, found: [await load(kind, {})]};  // without https
  const done = await lock(`${kind} claim`, {});
  const mine = sessionStorage.getItem(kind), found = [];
  let name = null;
  for (const one of Array.from({length: TABS}, (_, i) => `${kind} ${i}`)) {
    // After a reload, its own is free in a moment.
    const release = await lock(one, one === mine ? {signal: AbortSignal.timeout(2000)} : {ifAvailable: true});
    if (!release) continue;
    const kept = await load(one, null);
    if (kept) found.push(kept);
    if (name === null) { name = one; continue; }
    await save(one, null);
    release();
  }
  sessionStorage.setItem(kind, name ?? "");
  done?.();
  return {name, found};
}

/** Small choices, the same in all tabs. */
export function choice(name, usual) {
  try { return JSON.parse(localStorage.getItem(`addhash-${name}`)) ?? usual; } catch { return usual; }
}
export function choose(name, value) {
  try { localStorage.setItem(`addhash-${name}`, JSON.stringify(value)); } catch { /* as above */ }
}
