"""Put the committed results into the documents: python -m benchmarks.tables."""

import json
from pathlib import Path
from typing import Any

from addhash.paper import claims_of
from benchmarks.harness import RESULTS

ROOT = Path(__file__).resolve().parents[1]
PEER = "scikit-learn HashingVectorizer"


def load(stage: str) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((RESULTS / f"{stage}.json").read_text())
    return results


def markdown(rows: list[list[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: Any) -> str:
    """Show a measured value with three digits or more, or nothing where there is none."""
    if not isinstance(value, float | int):
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def about(results: dict[str, Any]) -> str:
    machine = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['instruction_set']},"
        f" Python {machine['python']}; {versions}."
    )


def speed() -> str:
    """The whole table of the vectorizers."""
    results = load("vectorize")
    rows = [["data", "analyzer", "class", "MB/s", f"ratio to {PEER}", "2 threads"]]
    rows += [
        [
            row["data"],
            row["analyzer"],
            f"`{row['class'].replace(' ', '` ')}" + ("" if " " in row["class"] else "`"),
            f"{row['MB/s, 1 thread']:.0f}",
            f"{row[f'ratio to {PEER}']:.1f}x",
            f"{row['2 threads / 1']:.2f}x",
        ]
        for row in results["rows"]
    ]
    return markdown(rows) + "\n\n" + about(results)


def claims() -> str:
    """The few figures of the README's first screen."""
    results = load("vectorize")
    ratios = {
        (row["data"], row["analyzer"], row["class"]): row[f"ratio to {PEER}"]
        for row in results["rows"]
    }
    rows = [["one thread, against scikit-learn's HashingVectorizer", "235 languages", "SMS"]]
    for label, analyzer, name in (
        ("`HashingVectorizer`, the same matrix, char 3-grams", "char (3, 3)", "HashingVectorizer"),
        ("`HashingVectorizer`, the same matrix, words", "word (1, 1)", "HashingVectorizer"),
        (
            "`AdditiveHashingVectorizer`, SHAKE-256, 2048 components, char 3-grams",
            "char (3, 3)",
            "AdditiveHashingVectorizer shake256",
        ),
        (
            "`AdditiveHashingVectorizer`, SipHash, 2048 components, char 3-grams",
            "char (3, 3)",
            "AdditiveHashingVectorizer siphash128",
        ),
    ):
        figures = [f"{ratios[data, analyzer, name]:.1f}x" for data in ("head-235", "sms")]
        rows.append([label, *figures])
    return markdown(rows)


def incremental() -> str:
    """Edits of documents against doing the work again."""
    rows = [["operation", "data", "µs", "against", "its µs", "ratio"]]
    rows += [
        [
            row["operation"],
            row["data"],
            number(row["microseconds"]),
            row["peer"],
            number(row["peer's microseconds"]),
            f"{number(row['ratio'])}x",
        ]
        for row in load("incremental")["rows"]
    ]
    return markdown(rows)


def search() -> str:
    """Exact search and classification against their peers."""
    rows = [["case", "peer", "addhash, ms", "peer, ms", "ratio", "goal"]]
    for row in load("search")["rows"]:
        times = [row.get(name) for name in ("addhash (ms)", "peer (ms)")]
        rows.append(
            [
                row["case"],
                row.get("peer", ""),
                *map(number, times),
                number(row["ratio"]),
                str(row["wanted"]),
            ]
        )
    return markdown(rows)


def languages() -> str:
    """The nearest neighbour on texts of the size of WiLI-2018."""
    rows = [["case", "text, MB", "seconds", "peak memory, MB", "ratio to NumPy"]]
    rows += [
        [
            row["case"],
            number(row["text (MB)"]),
            number(row["seconds"]),
            number(row["peak memory (MB)"]),
            f"{row['ratio']:.1f}x" if row["ratio"] else "",
        ]
        for row in load("languages")["rows"]
    ]
    return markdown(rows)


def paper() -> str:
    """Some of the paper's claims beside what came out."""
    path = ROOT / "docs" / "reproduction" / "results.json"
    claims = claims_of(json.loads(path.read_text(encoding="utf-8")))
    wanted = (
        ("Similarities of the three documents by additive", ""),
        ("AH and HT are equivalent for n = 3", ""),
        ("The accuracy of language recognition", "the learning curve"),
        ("Spam detection by AH, nearest neighbour, L = 4096", ""),
    )
    rows = [["claim", "paper", "here", "data"]]
    for statement, data in wanted:
        claim = next(c for c in claims if c.statement.startswith(statement) and data in c.data)
        rows.append([claim.statement, claim.paper, claim.ours, claim.data])
    return markdown(rows)


# Where each table stands, between "begin" and "end" comments with its name.
PLACES = {
    "claims": ("README.md", claims),
    "paper": ("README.md", paper),
    "speed": ("docs/benchmarks.md", speed),
    "incremental": ("docs/benchmarks.md", incremental),
    "search": ("docs/benchmarks.md", search),
    "languages": ("docs/benchmarks.md", languages),
}


def filled(name: str) -> tuple[Path, str, str]:
    """Return a document's path, its text, and its text with the table anew."""
    document, table = PLACES[name]
    path = ROOT / document
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    return path, text, before + begin + table() + "\n" + end + after


if __name__ == "__main__":
    for place in PLACES:
        target, _, content = filled(place)
        target.write_text(content, encoding="utf-8")
