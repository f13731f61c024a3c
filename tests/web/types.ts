// How a program in TypeScript uses the module: `tsc` checks that its types fit.
import { AddhashError, open, type Classifier, type Explanation, type Languages } from "../../web/addhash.js";

export async function use(): Promise<string[]> {
  const addhash = await open(new URL("addhash.wasm", import.meta.url));
  const doubles: Float64Array = addhash.vector("a text");
  const integers: BigInt64Array[] = addhash.vectors(["a", "b"], { norm: null, dtype: "int64", ngramRange: [1, 2] });
  const bits: Uint8Array[] = addhash.digests(["token"], 256, { randomizer: "aes128", keyBlock: new Uint8Array(80) });
  const { representatives, similarity } = addhash.duplicates(["a", "a"], { threshold: 0.5 });

  const taught: Classifier = addhash.classifier().learn(["a text"], ["label"]).forget(["a text"], ["label"]);
  const shares: Float64Array[] = taught.probabilities(["a"]);
  const why: Explanation = taught.explain("a");
  const file: Uint8Array = await taught.save();
  const loaded: Classifier | Languages = await addhash.load("some.model");
  if ("detect" in loaded) {
    const found = loaded.detect(["a"], { top: 2, languages: ["eng"] })[0];
    return [found?.[0]?.name ?? "none", ...loaded.segments("a").map(({ start, end, code }) => `${start} ${end} ${code}`)];
  }
  // @ts-expect-error: texts come in lists
  loaded.predict("a text");
  // @ts-expect-error: there is no such type
  addhash.vector("a", { dtype: "int8" });
  const failure: Error = new AddhashError("why");
  const rest = [doubles, integers, bits, representatives, similarity, shares, why.prior, file, failure];
  return [...loaded.predict(["a"]).map(String), ...why.words.map(({ text }) => text), String(rest.length)];
}
