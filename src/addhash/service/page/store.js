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

/** Small choices, the same in all tabs. */
export function choice(name, usual) {
  try { return JSON.parse(localStorage.getItem(`addhash-${name}`)) ?? usual; } catch { return usual; }
}
export function choose(name, value) {
  try { localStorage.setItem(`addhash-${name}`, JSON.stringify(value)); } catch { /* as above */ }
}
