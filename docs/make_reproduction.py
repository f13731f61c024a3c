"""Make docs/reproduction.md from the committed results: python -m docs.make_reproduction."""

import json
from pathlib import Path
from typing import Any

from addhash.paper import claims_of
from addhash.paper.report.figures import Figure, draw
from addhash.paper.report.page import TITLES, section, summary
from benchmarks.accuracy.earlier import gain
from benchmarks.tables import load

PAGE = Path(__file__).parent / "reproduction.md"
FOLDER = Path(__file__).parent / "reproduction"

INTRODUCTION = """# The paper, reproduced

Every example, figure and table of [Additive Feature Hashing](https://arxiv.org/abs/2102.03943)
(M. Andrecut, arXiv:2102.03943), repeated with this library. One command does it, and writes a
report with figures:

```
pip install 'addhash[paper]'
addhash reproduce all --out reproduction
```

In Python, it is `addhash.paper.reproduce("all", out="reproduction")`. The folder then contains
`report.md`, `figures/` and `results.json`. Results are written as they come in, so that an
interrupted run resumes where it stopped. `--quick` takes less than a minute, with fewer repeats and
less certain verdicts; `--seed` changes the random choices; `example`, `synthetic`, `languages` or
`sms` instead of `all` runs a single experiment.

`--data` names a folder with the data sets, unpacked or as the zip files they come in: the
[SMS Spam Collection](https://archive.ics.uci.edu/dataset/228/sms+spam+collection) and
[WiLI-2018](https://zenodo.org/records/841984). The default is the folder that `ADDHASH_DATA` names,
and what is missing is downloaded. Every file is checked against its SHA-256 before anything runs.
"""

# The alternative texts of the figures.
FIGURES = [
    Figure(name, name.partition("-")[0], "", "", alt)
    for name, alt in {
        "synthetic": "Similarity against the fraction of changed letters, for four L",
        "synthetic-difference": "Largest difference between AH and HT for each n and L, with"
        " intervals",
        "languages": "Accuracy against L on subset-21 and head-235",
        "languages-ngrams": "Accuracy against the length of the n-grams",
        "languages-curve": "Accuracy against training paragraphs, extrapolated to 500",
        "sms": "Accuracy, spam caught and blocked hams against L",
    }.items()
]


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
    parts = [INTRODUCTION.strip(), _run(results), "## In short", summary(claims)]
    for name in TITLES:
        parts.append(section(name, claims, FIGURES, "reproduction"))
        if name == "sms":
            parts.append(_duplicates())
    return "\n\n".join([*parts, _gain(), _full_set()]) + "\n"


if __name__ == "__main__":
    committed = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    draw(committed, FOLDER)
    for picture in FOLDER.glob("*.png"):
        picture.unlink()
    PAGE.write_text(page(), encoding="utf-8")
