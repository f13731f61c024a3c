"""Make docs/reproduction.md from the committed results: python -m docs.make_reproduction."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, get_args

from addhash.paper import claims_of
from addhash.paper.claims import Verdict
from addhash.paper.figures import draw
from benchmarks.tables import load, markdown

PAGE = Path(__file__).parent / "reproduction.md"
FOLDER = Path(__file__).parent / "reproduction"

INTRODUCTION = """# The paper, reproduced

Every example, figure and table of "Additive Feature Hashing" (M. Andrecut), run again with this
library. One command does it, and writes a page with figures that reads on any screen:

```
pip install 'addhash[paper]'
addhash reproduce all --out reproduction
```

or, in Python, `addhash.paper.reproduce("all", out="reproduction")`. In the folder are then
`report.html`, `figures/` and `results.json`, which grows as results come: a run that was stopped
goes on where it was. `--quick` takes less than a minute, with fewer repeats; `--seed` begins the
random choices elsewhere; `example`, `synthetic`, `languages` or `sms` instead of `all` runs one
experiment.

`--data` names a folder with the data sets: the SMS Spam Collection (UCI data set 228) and WiLI-2018
(Zenodo record 841984), unpacked or as the zip files they come in. Without it they are looked for in
the folder that `ADDHASH_DATA` names, or in `../shared/data`, and what is not there is downloaded.
Every file is checked against its sha256 before anything is run.

This page is made from [results.json](reproduction/results.json) of such a run.
"""

EXPERIMENTS = {
    "example": (
        "Sections 2 and 3: three documents",
        "The paper's own example, number by number.",
    ),
    "synthetic": (
        "Figure 1: altered strings",
        "Random strings of 100 lower-case letters, each changed with probability p to another"
        " printable ASCII character; the similarity of a string and its copy by n-grams of"
        " characters. Both methods see the same strings, so that they are compared in pairs.",
    ),
    "languages": (
        "Figure 2: languages",
        "The language of a paragraph of Wikipedia is that of the nearest known paragraph, by the"
        " cosine of character n-grams, case as it is. ± is the standard error: over the paragraphs"
        " of an official split, over the splits of random ones.",
    ),
    "sms": (
        "Figure 3: spam",
        "A message is spam if the nearest known message is, by the cosine of its lower-cased"
        " character 3-grams. ACC is the accuracy, SC the spam that is caught, BH the ham that is"
        " blocked, in percent; ± is the standard error over random halves.",
    ),
}

# What each figure shows.
FIGURES = {
    "synthetic": "Similarity against the share of changed letters, for four L",
    "synthetic-difference": "The largest difference of AH and HT for each n and L, with intervals",
    "languages": "Accuracy against L on subset-21 and head-235",
    "languages-ngrams": "Accuracy against the length of the n-grams",
    "languages-curve": "Accuracy against the paragraphs known, extrapolated to 500",
    "sms": "Accuracy, spam caught and blocked hams against L",
}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _table(claims: list[Any]) -> str:
    rows = [["where", "claim", "paper", "here", "data", "verdict", "why"]]
    rows += [
        [c.where, c.statement, c.paper, c.ours, c.data, f"**{c.verdict}**", c.why] for c in claims
    ]
    return markdown([[_cell(text) for text in row] for row in rows])


def _summary(claims: list[Any]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    listed = ", ".join(f"{counts[verdict]} **{verdict}**" for verdict in get_args(Verdict))
    differing = "\n".join(
        f"- {claim.statement} ({claim.where}; {claim.data.partition(':')[0]})"
        for claim in claims
        if claim.verdict in ("differs", "undecided")
    )
    return f"Of {len(claims)} comparisons: {listed}. What differs:\n\n{differing}"


def _full_set() -> str:
    one, all_sizes = load("languages")["rows"]

    def taken(row: dict[str, Any]) -> str:
        return f"{row['seconds']:.0f} seconds and {row['peak memory (MB)'] / 1000:.1f} GB of memory"

    return (
        "## What could not be run here\n\n"
        "WiLI-2018 in full (117,500 paragraphs to learn from, 117,500 to ask about) could not be"
        " had where this page was made; only the two parts could. With the full set in reach, this"
        " runs it, downloads included:\n\n"
        "```\naddhash reproduce languages --out reproduction\n```\n\n"
        "What it takes was measured on as many made-up paragraphs of the same size"
        f" ({one['text (MB)']:.0f} MB; `python -m benchmarks languages`), on two cores, hashing and"
        f" texts included: the nearest neighbours at L = 2048 took {taken(one)}, those at every L"
        f" from 16 to 4096 in one pass {taken(all_sizes)}. The command does the latter for both"
        " methods and five lengths of n-grams, and trains the network on all paragraphs."
    )


def page() -> str:
    """Return the page as it should be."""
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    claims = claims_of(results)
    about = results["about"]
    machine = about["machine"]
    seconds = sum(results["finished"].values())
    parts = [
        INTRODUCTION.strip(),
        f"The run: addhash {about['addhash']}, seed {about['seed']}, {seconds / 60:.0f} minutes on"
        f" {machine['cores']} cores ({machine['instruction_set']}), Python {machine['python']},"
        f" scikit-learn {machine['versions']['scikit-learn']}.",
        "## In short",
        _summary(claims),
    ]
    for name, (title, text) in EXPERIMENTS.items():
        mine = [claim for claim in claims if claim.experiment == name]
        parts += [f"## {title}", text, _table(mine)]
        parts += [
            f"![{shown}](reproduction/{figure}.svg)"
            for figure, shown in FIGURES.items()
            if figure.partition("-")[0] == name
        ]
    return "\n\n".join([*parts, _full_set()]) + "\n"


if __name__ == "__main__":
    committed = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    draw(committed, FOLDER)
    for picture in FOLDER.glob("*.png"):
        picture.unlink()
    PAGE.write_text(page(), encoding="utf-8")
