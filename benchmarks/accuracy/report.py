"""The tables of docs/accuracy.md, from the committed results."""

import json
from functools import cache
from math import sqrt
from typing import Any

import numpy as np

from benchmarks.accuracy.names import CURVES, LESSON_PEER, NAMES, OURS, PEERS
from benchmarks.harness import RESULTS

Row = dict[str, Any]
Table = list[list[str]]

TOPICS = {
    "trec": "trec, 6",
    "trec-50": "trec, 50",
    "subj": "subj",
    "polarity": "polarity",
    "reviews": "reviews",
    "names": "names",
    "afri": "afri",
    "pcmnews": "pcmnews",
    "sms": "spam",
}
LANGUAGES = {
    "subset-21": "21 languages",
    "few": "21, few examples",
    "head-235": "235 languages",
    "udhr": "446 languages",
}
COSTS_OF = "subset-21"  # whose speed and size are shown
SVC = [name for name in PEERS if name.startswith("LinearSVC")]


@cache
def results() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / "accuracy.json").read_text())
    return found


def section(name: str) -> list[Row]:
    """Return the rows of a section, none if it was not measured yet."""
    rows: list[Row] = results()["sections"].get(name, [])
    return rows


@cache
def runs(data: str, method: str, examples: int | None = None) -> tuple[Row, ...]:
    """Return the runs of a method on whole splits, or on samples of so many examples per class."""
    return tuple(
        row
        for row in results()["runs"]
        if (row["data"], row["method"], row.get("examples")) == (data, method, examples)
    )


def mean(rows: tuple[Row, ...], name: str = "accuracy") -> float | None:
    """Return the mean over runs; None if there are none, or if they lack the figure."""
    values = [row[name] for row in rows if name in row]
    return float(np.mean(values)) if values else None


def error(rows: tuple[Row, ...], name: str = "accuracy") -> float | None:
    """Return the standard error: over splits, or for one split over its texts."""
    values = [row[name] for row in rows if name in row]
    if len(values) > 1:
        return float(np.std(values, ddof=1) / np.sqrt(len(values)))
    if name == "accuracy" and values:
        return sqrt(values[0] * (100 - values[0]) / rows[0]["asked"])
    return None


def figure(rows: tuple[Row, ...], name: str = "accuracy", digits: int = 1) -> str:
    """Show a mean with its standard error; empty where nothing was measured."""
    value, spread = mean(rows, name), error(rows, name)
    if value is None:
        return ""
    return f"{value:.{digits}f}" + ("" if spread is None else f" ± {spread:.{digits}f}")


def _column(data: str, name: str = "accuracy", least: bool = False, digits: int = 1) -> list[str]:
    """Return the figures of all methods on a set, the best one in bold."""
    values = {method: mean(runs(data, method), name) for method in NAMES}
    known = [value for value in values.values() if value is not None]
    best = (min if least else max)(known, default=None)
    most = max(len(runs(data, method)) for method in NAMES)
    cells = []
    for method in NAMES:
        shown = figure(runs(data, method), name, digits)
        if values[method] is not None and values[method] == best:
            shown = f"**{shown}**"
        done = len(runs(data, method))
        cells.append(shown + (f" ({done} of {most} splits)" if 0 < done < most else ""))
    return cells


def _accuracy(sets: dict[str, str]) -> Table:
    columns = [_column(data) for data in sets]
    table = [["method", *sets.values()]]
    return table + [
        [m, *row] for m, *row in zip(NAMES, *columns, strict=True) if any(cell for cell in row)
    ]


def topics() -> Table:
    """Accuracy on topics, questions, sentiment, names and spam."""
    return _accuracy(TOPICS)


def languages() -> Table:
    """Accuracy on languages."""
    return _accuracy(LANGUAGES)


def _common() -> list[str]:
    """Return the sets on which bayes and all of LinearSVC were measured."""
    return [
        data
        for data in (*TOPICS, *LANGUAGES)
        if all(runs(data, method) for method in ("bayes", *SVC))
    ]


def summary() -> str:
    """Say who is ahead of the best LinearSVC, and by how much in the mean."""
    sets = _common()
    if not sets:
        return ""
    ours = [mean(runs(data, "bayes")) or 0.0 for data in sets]
    means = {m: np.mean([mean(runs(data, m)) or 0.0 for data in sets]) for m in SVC}
    name = max(means, key=lambda method: means[method])
    theirs = [mean(runs(data, name)) or 0.0 for data in sets]
    ahead = [data for data, a, b in zip(sets, ours, theirs, strict=True) if a > b]
    behind = [data for data, a, b in zip(sets, ours, theirs, strict=True) if a < b]
    worst = max(zip(theirs, ours, sets, strict=True), key=lambda row: row[0] - row[1])
    titles = TOPICS | LANGUAGES
    lines = [
        f"In the mean of the {len(sets)} sets on which all were measured, `TextClassifier()` has"
        f" {np.mean(ours):.1f} %, and the best LinearSVC ({name.split(', ')[1]})"
        f" {means[name]:.1f} %."
        f" `TextClassifier()` is ahead on {len(ahead)}"
        f" ({', '.join(titles[data] for data in ahead) or 'none'}) and behind on {len(behind)}"
        f" ({', '.join(titles[data] for data in behind) or 'none'})."
    ]
    if worst[0] > worst[1]:
        lines.append(
            f"Its largest loss is {worst[0] - worst[1]:.1f} points, on {titles[worst[2]]}."
        )
    return "\n".join(lines)


def calibration() -> Table:
    """The expected calibration error of the methods that have probabilities."""
    sets = TOPICS | LANGUAGES
    table = [["method", *sets.values(), "mean"]]
    for method in NAMES:
        values = [mean(runs(data, method), "ECE") for data in sets]
        known = [value for value in values if value is not None]
        if known:
            cells = ["" if value is None else f"{value:.3f}" for value in values]
            table.append([method, *cells, f"{np.mean(known):.3f}"])
    return table


def learnt() -> Table:
    """The calibration error, and the accuracy, after `learn` alone."""
    found = {row["data"]: row for row in section("learnt")}
    sets = {data: title for data, title in (TOPICS | LANGUAGES).items() if data in found}
    errors = [found[data]["ECE"] for data in sets]
    accuracies = [found[data]["accuracy"] for data in sets]
    return [
        ["after `learn` alone", *sets.values(), "mean"],
        ["calibration error", *(f"{v:.3f}" for v in (*errors, np.mean(errors)))],
        ["accuracy, %", *(f"{v:.1f}" for v in (*accuracies, np.mean(accuracies)))],
    ]


def lessons() -> Table:
    """What a class that comes later gains, and what the others lose."""
    names = ["taught texts right", "further texts right", "others before", "others after"]
    head = ["data", "examples", *names, f"{LESSON_PEER}: further texts right"]
    names.append(LESSON_PEER)
    return [head] + [
        [(TOPICS | LANGUAGES)[row["data"]], row["method"], *(f"{row[n]:.1f}" for n in names)]
        for row in section("lessons")
    ]


def few_examples() -> Table:
    """Accuracy by the number of examples of each class."""
    rows = [row for row in results()["runs"] if "examples" in row]
    counts = sorted({row["examples"] for row in rows})
    sets = [data for data in (*TOPICS, *LANGUAGES) if any(row["data"] == data for row in rows)]
    table = [["data", "method", *(f"{count} per class" for count in counts)]]
    for data in sets:
        for method in CURVES:
            cells = [figure(runs(data, method, count)) for count in counts]
            if any(cells):
                table.append([(TOPICS | LANGUAGES)[data], method, *cells])
    return table


def choice() -> Table:
    """The methods of addhash side by side, to choose from, on the sets that all have."""
    titles = TOPICS | LANGUAGES
    sets = [data for data in titles if all(runs(data, method) for method in OURS)]
    costs = {row["method"]: row for row in section("speed") if row["data"] == COSTS_OF}
    head = ["method", *(titles[data] for data in sets), "texts per second", "model, MB"]
    table = [head]
    for method in OURS:
        accuracies = [mean(runs(data, method)) or 0.0 for data in sets]
        cells = [f"{value:.1f}" for value in accuracies]
        cost = costs[method]
        cells += [f"{cost['texts per second']:,.0f}", f"{cost['model (bytes)'] / 1e6:.1f}"]
        table.append([method, *cells])
    return table


def costs() -> Table:
    """Fit, answers and size beside a linear model, with how many times as long that takes."""
    titles = TOPICS | LANGUAGES
    head = ["data", "method", "fit, s", "texts per second", "model, MB"]
    table = [[*head, "LinearSVC's time to fit", "and to answer"]]
    for data in dict.fromkeys(row["data"] for row in section("speed")):
        rows = {row["method"]: row for row in section("speed") if row["data"] == data}
        peer = rows["LinearSVC, both"]
        for method, row in rows.items():
            fit, speed = row["fit (s)"], row["texts per second"]
            numbers = [f"{fit:.1f}", f"{speed:,.0f}", f"{row['model (bytes)'] / 1e6:.1f}"]
            ratios = [f"{peer['fit (s)'] / fit:.1f}", f"{speed / peer['texts per second']:.1f}"]
            table.append([titles[data], method, *numbers, *ratios])
    return table


def label_errors() -> Table:
    """How many of the first suspects are planted errors."""
    rows = json.loads((RESULTS / "label_errors.json").read_text())["rows"]
    table = [["data", "examples", "planted", "first 50", "first 200", "found among as many"]]
    for row in rows:
        shares = [f"{100 * row[name]:.0f} %" for name in ("first 50", "first 200", "found")]
        table.append([row["data"], f"{row['examples']:,}", f"{row['planted']:,}", *shares])
    return table
