// Why a text got its label, as addhash/learning/explanation.py and addhash/text/spans.py tell it.

const BEFORE = "\x02", AFTER = "\x03", WORD = "\x1f";
const IS_SPACE = 1, IS_WORD = 2, IS_MARK = 16;
const ROUNDING = 1e-9;
// Kana, Han, and the scripts of Thai, Lao, Burmese and Khmer: each character is a word.
const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
const JOINING = ["'", "\u2019", "-"];

// As NumPy adds the numbers of a row, so that the last bit is the same.
export function pairwiseSum(values) {
  const n = values.length;
  if (n < 8) return values.reduce((a, b) => a + b, n ? -0 : 0);
  if (n <= 128) {
    const r = values.slice(0, 8);
    let i = 8;
    for (; i < n - (n % 8); i += 8) for (let j = 0; j < 8; ++j) r[j] += values[i + j];
    let result = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
    for (; i < n; ++i) result += values[i];
    return result;
  }
  const half = n / 2 - ((n / 2) % 8) | 0;
  return pairwiseSum(values.subarray(0, half)) + pairwiseSum(values.subarray(half));
}

/** The order of a token: which of the lengths of n-grams it has. */
export function orderOf(token, analyzer, [low, high]) {
  const count = (mark) => token.split(mark).length - 1;
  if (analyzer === "word") return count(" ") + 1 - low;
  if (analyzer === "text" && token[0] === WORD) return high - low + count(WORD);
  return Math.max(Array.from(token).length - low, 0); // a short word may be a token of char_wb
}

/** The tokens of a text, each with the places of its characters. */
export function tokensWithCharacters({ letters, origins, flags }, analyzer, [low, high]) {
  const all = letters.map((letter, i) => ({ letter, origin: origins[i], flags: flags[i] }));
  const token = (some) => [some.map(({ letter }) => letter).join(""), some.map(({ origin }) => origin)];
  const ngrams = (some, n) => Array.from({ length: Math.max(some.length - n + 1, 0) }, (_, i) => some.slice(i, i + n));
  const lengths = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  if (analyzer === "word") {
    const words = runs(all, IS_WORD).filter((word) => word.length > 1);
    return lengths.flatMap((n) => ngrams(words, n)).map((some) =>
      [some.map((word) => token(word)[0]).join(" "), some.flatMap((word) => token(word)[1])]);
  }
  const single = singleSpaces(all);
  if (analyzer === "char") return lengths.flatMap((n) => ngrams(single, n)).map(token);
  if (analyzer === "char_wb") {
    return runs(single, 0).flatMap((word) => {
      // The space before counts for the first letter, the one after for the last.
      const padded = [{ ...word[0], letter: " " }, ...word, { ...word.at(-1), letter: " " }];
      // A short word counts once.
      const most = lengths.findIndex((n) => n >= padded.length);
      return lengths.slice(0, most < 0 ? undefined : most + 1).flatMap((n) =>
        n > padded.length ? [padded] : ngrams(padded, n)).map(token);
    });
  }
  // The mark before the text counts for the first character, the one after for the last.
  const mark = (letter, near) => [{ letter, origin: near?.origin }];
  const begin = mark(BEFORE, all[0]), end = mark(AFTER, all.at(-1));
  const words = [begin, ...pieces(all), end].map((word) => [{ letter: WORD }, ...word]);
  const found = [...lengths.flatMap((n) => ngrams([...begin, ...single, ...end], n)),
    ...words, ...words.slice(1).map((word, i) => [...words[i], ...word])];
  return found.map(token).map(([own, places]) => [own, places.filter((place) => place !== undefined)]);
}

// Runs of characters with a flag, or of those that are not white space.
function runs(all, flag) {
  const found = [];
  let isOpen = false;
  for (const one of all) {
    const isIn = flag === 0 ? !(one.flags & IS_SPACE) : one.flags & flag;
    if (isIn && isOpen) found.at(-1).push(one);
    else if (isIn) found.push([one]);
    isOpen = isIn;
  }
  return found;
}

// Words, and all other characters that are not white space.
function pieces(all) {
  const found = [];
  let isOpen = false;
  for (const one of all) {
    const isWord = one.flags & IS_WORD;
    if (isWord && isOpen) found.at(-1).push(one);
    else if (!(one.flags & IS_SPACE)) found.push([one]);
    isOpen = isWord;
  }
  return found;
}

// Two or more characters of white space become one space.
function singleSpaces(all) {
  const isSpace = (one) => one !== undefined && one.flags & IS_SPACE;
  return all.flatMap((one, i) => {
    if (!isSpace(one) || !(isSpace(all[i - 1]) || isSpace(all[i + 1]))) return [one];
    return isSpace(all[i - 1]) ? [] : [{ ...one, letter: " " }];
  });
}

/** The words of a text for reading, each with its first place and the one after its last. */
function wordsWithCharacters({ letters, flags }) {
  const kinds = letters.map((letter, i) => {
    if (flags[i] & IS_SPACE) return "space";
    return WITHOUT_SPACES.test(letter) ? "alone" : flags[i] & IS_MARK ? "mark" : "letter";
  });
  const words = [];
  for (let start = 0, end; start < letters.length; start = end) {
    end = start + 1;
    if (kinds[start] === "letter") {
      while (kinds[end] === "letter" || (JOINING.includes(letters[end]) && kinds[end] === "mark" && kinds[end + 1] === "letter")) ++end;
    }
    if (kinds[start] !== "space") words.push([letters.slice(start, end).join(""), start, end]);
  }
  return words;
}

/** What adds up to the evidence: prior, tokens, words and characters. */
export function explanation(letters, placed, counts, { shares, others, prior, otherPrior, evidence, otherEvidence }) {
  const tokens = [...counts.keys()], size = letters.letters.length;
  const margins = others?.map((share, i) => shares[i] - share) ?? null;
  // More than that if the text was learnt word for word, or its class came later than others.
  const settled = (usual, all, own) => (Math.abs(all - pairwiseSum(own) - usual) > ROUNDING ? all - pairwiseSum(own) : usual);
  prior = settled(prior, evidence, shares);
  if (others) otherPrior = settled(otherPrior, otherEvidence, others);
  const priorMargin = margins === null ? 0 : prior - otherPrior;
  const [characters, unplaced] = spread(placed, tokens, counts, shares, size);
  const [characterMargins, unplacedMargin] = margins === null ? [null, 0] : spread(placed, tokens, counts, margins, size);
  return {
    evidence: prior + pairwiseSum(shares),
    evidenceMargin: margins === null ? null : priorMargin + pairwiseSum(margins),
    words: wordShares(letters, characters, characterMargins),
    tokens: tokens.map((token, i) => ({ text: token, occurrences: counts.get(token), evidence: shares[i], evidenceMargin: margins?.[i] ?? null })),
    characters, characterMargins, unplaced: unplaced + prior, unplacedMargin: unplacedMargin + priorMargin, prior, priorMargin,
  };
}

function spread(placed, tokens, counts, shares, size) {
  const characters = new Float64Array(size), of = new Map(tokens.map((token, i) => [token, shares[i]]));
  let unplaced = 0;
  for (const [token, places] of placed) {
    const share = of.get(token) / counts.get(token);
    if (places.length === 0) unplaced += share;
    for (const place of places) characters[place] += share / places.length;
  }
  return [characters, unplaced];
}

// White space belongs to the word after it.
function wordShares(letters, characters, margins) {
  const found = wordsWithCharacters(letters), words = new Map();
  // As np.add.reduceat adds.
  const total = (values, start, end) => values[start] + pairwiseSum(values.subarray(start + 1, end));
  found.forEach(([text], i) => {
    const start = i === 0 ? 0 : found[i - 1][2], end = i === found.length - 1 ? characters.length : found[i][2];
    const word = words.get(text) ?? { text, occurrences: 0, evidence: 0, evidenceMargin: margins === null ? null : 0 };
    word.occurrences += 1;
    word.evidence += total(characters, start, end);
    if (margins !== null) word.evidenceMargin += total(margins, start, end);
    words.set(text, word);
  });
  return [...words.values()];
}
