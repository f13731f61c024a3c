"""The report: a page of Markdown that compares the results with the paper's claims."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from addhash.files import whole_file
from addhash.paper.catalogue import SMS, WILI, Archive
from addhash.paper.report.claims import claims_of
from addhash.paper.report.figures import Figure
from addhash.paper.report.markdown import anchor, plain, table
from addhash.paper.report.numbers import counted, in_words
from addhash.paper.report.stated import PAPER_URL
from addhash.paper.report.tables import TABLES
from addhash.paper.report.verdicts import Claim, Results, Verdict

TITLES = {
    "example": "Sections 2 and 3: three documents",
    "synthetic": "Figure 1: altered strings",
    "languages": "Figure 2: languages",
    "sms": "Figure 3: spam",
}
ABOUT = {
    "example": "The paper's own example, number by number.",
    "synthetic": (
        "Random strings of 100 lowercase letters and copies of them in which each letter is changed"
        " with probability p to another printable ASCII character; the similarity of a string and"
        " its copy by character n-grams. Both methods see the same strings, so they are compared in"
        " pairs."
    ),
    "languages": (
        "A Wikipedia paragraph gets the language of the nearest training paragraph, by the"
        " cosine of character n-grams, without changing case. ± is the standard error: over the"
        " paragraphs for an official split, over the splits for random ones."
    ),
    "sms": (
        "A message counts as spam if the nearest training message is spam, by the cosine of its"
        " lowercased character 3-grams. ACC is the accuracy, SC the percentage of spam caught, BH"
        " the percentage of ham blocked; ± is the standard error over random halves."
    ),
}
# For each verdict, words for a count of one and of more.
VERDICTS: dict[Verdict, tuple[str, str]] = {
    "agrees": ("agrees with the paper", "agree with the paper"),
    "differs": ("differs from the paper", "differ from the paper"),
    "undecided": ("is undecided", "are undecided"),
    "on other data": ("is on other data", "are on other data"),
    "not run": ("was not run", "were not run"),
}
# The data sets that an experiment uses.
ARCHIVES: dict[str, Archive] = {"sms": SMS.archive, "languages": WILI["x_train.txt"].archive}
COLUMNS = ("where", "claim", "paper", "here", "data", "verdict", "why")
QUICK = (
    "**This was a quick run.** With fewer repeats the errors are larger, so that a claim can agree"
    " here that a full run contradicts; the lengths n other than 3 and the neural network are left"
    " out. For verdicts to rely on, run `addhash reproduce all --out DIR`."
)


def write(results: Results, figures: Sequence[Figure], path: Path) -> None:
    """Write the report.

    Parameters
    ----------
    results : dict
        What `reproduce` returns, for any of the experiments.
    figures : sequence of Figure
        What `draw` wrote to the folder `figures` beside the report.
    path : Path
        The file to write, beside `results.json`.
    """
    claims = claims_of(results)
    present = [name for name in TITLES if name in results]
    parts = ["# Additive Feature Hashing, reproduced", _made(results, present)]
    if results["about"].get("quick"):
        parts.append(QUICK)
    parts += ["## In short", summary(claims)]
    for name in present:
        parts.append(section(name, claims, figures, "figures"))
        parts += [_not_run(name, results), TABLES[name](results[name])]
    parts += ["## The run", _run(results)]
    with whole_file(path) as file:
        file.write(("\n\n".join(filter(None, parts)) + "\n").encode())


def summary(claims: Sequence[Claim]) -> str:
    """Return how many claims have which verdict, and those that differ."""
    if not claims:
        return "Nothing has been compared yet."
    counts = Counter(claim.verdict for claim in claims)
    listed = in_words(
        [counted(counts[verdict], *words) for verdict, words in VERDICTS.items() if counts[verdict]]
    )
    text = f"Of {counted(len(claims), 'comparison', 'comparisons')}, {listed}."
    differing = "\n".join(
        f"- [{plain(claim.statement)}](#{anchor(TITLES[claim.experiment])})"
        f" ({plain(claim.where)}; {plain(claim.data).partition(':')[0]}"
        f"{'; undecided' if claim.verdict == 'undecided' else ''})"
        for claim in claims
        if claim.verdict in ("differs", "undecided")
    )
    return f"{text} What differs:\n\n{differing}" if differing else text


def section(name: str, claims: Sequence[Claim], figures: Sequence[Figure], folder: str) -> str:
    """Return the section of one experiment: what it does, its figures, its claims."""
    drawn = [
        f"![{plain(one.alt)}]({folder}/{one.name}.svg)"
        + (f"\n\n*{plain(one.title)}.* {plain(one.caption)}" if one.caption else "")
        for one in figures
        if one.experiment == name
    ]
    rows = [
        [c.where, c.statement, c.paper, c.ours, c.data, f"**{c.verdict}**", c.why]
        for c in claims
        if c.experiment == name
    ]
    parts = [f"## {TITLES[name]}", ABOUT[name], *drawn, table(COLUMNS, rows) if rows else ""]
    return "\n\n".join(filter(None, parts))


def _made(results: Results, present: Sequence[str]) -> str:
    about = results["about"]
    date = f" on {about['date']}" if "date" in about else ""
    options = " --quick" if about.get("quick") else ""
    options += f" --seed {about['seed']}" if about.get("seed") else ""
    which = ["all"] if len(present) == len(TITLES) else present
    commands = in_words([f"`addhash reproduce {name} --out DIR{options}`" for name in which])
    data = " and ".join(
        f"[{one.title}]({one.page})" for name, one in ARCHIVES.items() if name in present
    )
    return (
        f"[The paper]({PAPER_URL}) (M. Andrecut), repeated{date} with addhash"
        f" {plain(str(about.get('addhash')))}"
        f" by {commands}. All numbers are in [results.json](results.json)"
        f"{f'; the data is {data}' if data else ''}."
    )


def _not_run(name: str, results: Results) -> str:
    """Say what was not run, and why."""
    part, about = results[name], results["about"]
    what, why = "This experiment", part.get("not_run")
    if not why and name == "languages" and "ah" not in part.get("full", {}):
        usual = "Quick runs leave it out." if about.get("quick") else "It is not finished."
        what, why = "The full data set", part.get("full", {}).get("not_run", usual)
    if not why:
        return ""
    command = f"`addhash reproduce {name} --out DIR`"
    return f"**{what} was not run.** {plain(str(why))} To run it: {command}."


def _run(results: Results) -> str:
    about = results["about"]
    machine = about.get("machine", {})
    versions = ", ".join(f"{name} {number}" for name, number in machine.get("versions", {}).items())
    rows = [
        ["Date", str(about.get("date", "unknown"))],
        ["addhash", str(about.get("addhash"))],
        ["Kind of run", "quick: fewer repeats" if about.get("quick") else "full"],
        ["Seed", str(about.get("seed"))],
        ["Computing time", f"{sum(results['finished'].values()):,.0f} seconds"],
        [
            "Machine",
            f"{machine.get('cores')} cores, instruction set {machine.get('instruction_set')}",
        ],
        ["Software", f"Python {machine.get('python')}, {versions}"],
    ]
    return table(["what", "value"], rows)
