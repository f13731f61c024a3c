"""Make docs/reproduction.md from the committed results: python -m docs.make_reproduction."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from addhash.paper import Claim, claims_of
from addhash.paper.report.figures import draw
from addhash.paper.report.numbers import counted, in_words
from addhash.paper.report.sections import VERDICTS
from benchmarks.accuracy.report import gain
from benchmarks.tables import load, markdown

PAGE = Path(__file__).parent / "reproduction.md"
FOLDER = Path(__file__).parent / "reproduction"

INTRODUCTION = """# The paper, reproduced

Every example, figure and table of [Additive Feature Hashing](https://arxiv.org/abs/2102.03943)
(M. Andrecut, arXiv:2102.03943), repeated with this library. One command does it, and writes a
report with figures:

```
pip install '.[paper]'
addhash reproduce all --out reproduction
```

In Python, it is `addhash.paper.reproduce("all", out="reproduction")`. The folder then contains
`report.html`, `figures/` and `results.json`. Results are written as they come in, so that an
interrupted run resumes where it stopped. `--quick` takes less than a minute, with fewer repeats and
less certain verdicts; `--seed` changes the random choices; `example`, `synthetic`, `languages` or
`sms` instead of `all` runs a single experiment.

`--data` names a folder with the data sets, unpacked or as the zip files they come in: the
[SMS Spam Collection](https://archive.ics.uci.edu/dataset/228/sms+spam+collection) and
[WiLI-2018](https://zenodo.org/records/841984). The default is the folder that `ADDHASH_DATA` names,
and what is missing is downloaded. Every file is checked against its SHA-256 before anything runs.
"""

EXPERIMENTS = {
    "example": (
        "Sections 2 and 3: three documents",
        "The paper's own example, number by number.",
    ),
    "synthetic": (
        "Figure 1: altered strings",
        "Random strings of 100 lowercase letters and copies of them in which each letter is changed"
        " with probability p to another printable ASCII character; the similarity of a string and"
        " its copy by character n-grams. Both methods see the same strings, so they are compared in"
        " pairs.",
    ),
    "languages": (
        "Figure 2: languages",
        "A Wikipedia paragraph gets the language of the nearest training paragraph, by the"
        " cosine of character n-grams, without changing case. ± is the standard error: over the"
        " paragraphs for an official split, over the splits for random ones.",
    ),
    "sms": (
        "Figure 3: spam",
        "A message counts as spam if the nearest training message is spam, by the cosine of its"
        " lowercased character 3-grams. ACC is the accuracy, SC the percentage of spam caught, BH"
        " the percentage of ham blocked; ± is the standard error over random halves.",
    ),
}

# The alternative texts of the figures.
FIGURES = {
    "synthetic": "Similarity against the fraction of changed letters, for four L",
    "synthetic-difference": "Largest difference between AH and HT for each n and L, with intervals",
    "languages": "Accuracy against L on subset-21 and head-235",
    "languages-ngrams": "Accuracy against the length of the n-grams",
    "languages-curve": "Accuracy against training paragraphs, extrapolated to 500",
    "sms": "Accuracy, spam caught and blocked hams against L",
}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _anchor(heading: str) -> str:
    """Return the anchor that Markdown viewers give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _table(claims: list[Claim]) -> str:
    rows = [["where", "claim", "paper", "here", "data", "verdict", "why"]]
    rows += [
        [c.where, c.statement, c.paper, c.ours, c.data, f"**{c.verdict}**", c.why] for c in claims
    ]
    return markdown([[_cell(text) for text in row] for row in rows])


def _summary(claims: list[Claim]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    listed = in_words(
        [
            counted(counts[verdict], one, many)
            for verdict, (_, one, many, _) in VERDICTS.items()
            if counts[verdict]
        ]
    )
    differing = "\n".join(
        f"- [{claim.statement}](#{_anchor(EXPERIMENTS[claim.experiment][0])})"
        f" ({claim.where}; {claim.data.partition(':')[0]}"
        f"{'; undecided' if claim.verdict == 'undecided' else ''})"
        for claim in claims
        if claim.verdict in ("differs", "undecided")
    )
    return f"Of {len(claims)} comparisons, {listed}. What differs:\n\n{differing}"


def _duplicates() -> str:
    whole, without, _ = load("sms_duplicates")["rows"]

    def shown(row: dict[str, Any], name: str) -> str:
        return f"{row[f'{name} (%)']:.2f} ± {row[f'{name}, standard error']:.2f} %"

    return (
        f"**These results depend on near-duplicates.** The set has {whole['what']};"
        " if those of the tested half are removed from the training half"
        f" ({without['what']}), accuracy falls from {shown(whole, 'accuracy')} to"
        f" {shown(without, 'accuracy')} and spam caught from {shown(whole, 'spam caught')} to"
        f" {shown(without, 'spam caught')} (AH, L = 4096, 20 halves;"
        " `python -m benchmarks sms_duplicates`)."
    )


def _gain() -> str:
    return (
        "## Better than the paper's method\n\n"
        "On the paper's two tasks, other methods of this library, just as exact and incremental,"
        " are more accurate than the nearest neighbour by 3-grams (L = 4096;"
        " [how this was measured](accuracy.md)):\n\n" + gain()
    )


def _full_set() -> str:
    one, all_sizes = load("languages")["rows"]

    def taken(row: dict[str, Any]) -> str:
        return f"{row['seconds']:.0f} seconds and {row['peak memory (MB)'] / 1000:.1f} GB of memory"

    return (
        "## What could not be run here\n\n"
        "All of WiLI-2018 (117,500 paragraphs for training, 117,500 for testing) was not available"
        " where this page was generated; only two parts of it were. This command runs it, and"
        " downloads the data if necessary:\n\n"
        "```\naddhash reproduce languages --out reproduction\n```\n\n"
        "Its cost was measured on synthetic paragraphs of the same number and size"
        f" ({one['text (MB)']:.0f} MB; `python -m benchmarks languages`), on two cores, including"
        f" hashing and the texts: the nearest neighbours at L = 2048 took {taken(one)}, those at"
        f" every L from 16 to 4096 in one pass {taken(all_sizes)}. The command does the latter for"
        " both methods and five lengths of n-grams, and trains the network on all paragraphs."
    )


def _run(results: dict[str, Any]) -> str:
    about = results["about"]
    machine = about["machine"]
    date = f" on {about['date']}" if "date" in about else ""
    minutes = sum(results["finished"].values()) / 60
    return (
        "This page is generated from [results.json](reproduction/results.json), the results of a"
        f" run{date} with addhash {about['addhash']} and seed {about['seed']}, which took"
        f" {minutes:.0f} minutes on {machine['cores']} cores ({machine['instruction_set']}) with"
        f" Python {machine['python']} and scikit-learn {machine['versions']['scikit-learn']}."
    )


def page() -> str:
    """Return the page as it should be."""
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    claims = claims_of(results)
    parts = [INTRODUCTION.strip(), _run(results), "## In short", _summary(claims)]
    for name, (title, text) in EXPERIMENTS.items():
        mine = [claim for claim in claims if claim.experiment == name]
        figures = [
            f"![{shown}](reproduction/{figure}.svg)"
            for figure, shown in FIGURES.items()
            if figure.partition("-")[0] == name
        ]
        parts += [f"## {title}", text, *figures, _table(mine)]
        if name == "sms":
            parts.append(_duplicates())
    return "\n\n".join([*parts, _gain(), _full_set()]) + "\n"


if __name__ == "__main__":
    committed = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    draw(committed, FOLDER)
    for picture in FOLDER.glob("*.png"):
        picture.unlink()
    PAGE.write_text(page(), encoding="utf-8")
