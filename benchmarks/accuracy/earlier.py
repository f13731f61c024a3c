"""The tables of what version 0.2 measured; its own scripts made the results."""

import json
from math import sqrt
from typing import Any

from benchmarks.accuracy.names import OURS
from benchmarks.harness import RESULTS

Row = dict[str, Any]
Table = list[list[str]]

# Whether a model learns more, forgets, is merged, and says why.
ABILITIES = {
    **dict.fromkeys(OURS, (True, True, True, True)),
    "LinearSVC": (False, False, False, True),
    "LogisticRegression": (False, False, False, True),
    "MultinomialNB": (True, False, False, True),
    "NearestCentroid": (False, False, False, False),
    "fastText": (False, False, False, False),
}
LANGUAGES = {
    "head-235": "235 languages",
    "subset-21": "21 languages",
    "few": "21, few examples",
    "udhr": "446 languages",
}


def results() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / "accuracy_0_2.json").read_text())
    return found


def section(name: str) -> list[Row]:
    """Return the rows of a section, none if it was not measured yet."""
    rows: list[Row] = results()["sections"].get(name, [])
    return rows


def figure(row: Row, name: str = "accuracy", digits: int = 2) -> str:
    """Show a figure with its standard error: over splits, or for one split over its texts."""
    value = row[name]
    error = row.get(f"{name}, standard error")
    if error is None and name == "accuracy":
        error = sqrt(value * (100 - value) / row["asked"])
    return f"{value:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")


def _marked(rows: list[Row], name: str = "accuracy", is_least: bool = False) -> dict[str, str]:
    """Return the figures of all methods, the best one in bold."""
    best = (min if is_least else max)((row[name] for row in rows), default=0)
    digits = 3 if name == "MCC" else 2
    return {
        row["method"]: f"**{figure(row, name, digits)}**"
        if row[name] == best
        else figure(row, name, digits)
        for row in rows
    }


def languages() -> Table:
    """Accuracy on languages."""
    columns = {name: _marked(section(name)) for name in LANGUAGES}
    splits = {(name, row["method"]): row["splits"] for name in LANGUAGES for row in section(name)}
    most = {name: max((row["splits"] for row in section(name)), default=0) for name in LANGUAGES}
    table = [["method", *LANGUAGES.values()]]
    for method in ABILITIES:
        cells = []
        for name in LANGUAGES:
            done = splits.get((name, method), 0)
            fewer = f" ({done} of {most[name]} splits)" if 0 < done < most[name] else ""
            cells.append(columns[name].get(method, "") + fewer)
        table.append([method, *cells])
    return table


def spam() -> Table:
    """Figures on spam."""
    rows = section("sms")
    names = ("accuracy", "spam caught", "blocked ham", "MCC")
    columns = {name: _marked(rows, name, name == "blocked ham") for name in names}
    table = [["method", *(name if name == "MCC" else f"{name}, %" for name in names)]]
    return table + [[m, *(columns[name].get(m, "") for name in names)] for m in ABILITIES]


def costs() -> Table:
    """Time, size and abilities."""
    head = ["method", "fit, s", "texts per second", "model, MB"]
    table = [[*head, "learns", "forgets", "merges", "explains"]]
    for row in section("speed"):
        able = ["yes" if can else "" for can in ABILITIES[row["method"]]]
        numbers = [
            f"{row['fit (s)']:.1f}",
            f"{row['texts per second']:,.0f}",
            f"{row['model (bytes)'] / 1e6:.1f}",
        ]
        table.append([row["method"], *numbers, *able])
    return table


def labels() -> Table:
    """The speed from texts to labels."""
    rows = section("labels")
    table = [["what", "texts per second", "bayes is"]]
    for row in rows:
        ratio = rows[0]["texts per second"] / row["texts per second"]
        told = "" if row is rows[0] else f"{ratio:.1f} times as fast"
        table.append([row["method"], f"{row['texts per second']:,.0f}", told])
    return table


def weighing() -> Table:
    """The speed of weighed vectors beside that of plain ones."""
    table = [["hash", "plain, texts per second", "weighed", "ratio"]]
    for row in section("weights"):
        numbers = [f"{row[f'{kind} (texts per second)']:,.0f}" for kind in ("plain", "weighed")]
        table.append([row["data"], *numbers, f"{row['ratio']:.2f}"])
    return table


def picture(name: str, alternative: str) -> str:
    """Return the tags of a chart, nothing where there is nothing to draw."""
    if not section({"speed": "speed", "examples": "curve"}[name]):
        return ""
    return (
        "<picture>\n"
        '  <source media="(prefers-color-scheme: dark)"'
        f' srcset="pictures/accuracy-{name}-dark.svg">\n'
        f'  <img alt="{alternative}" src="pictures/accuracy-{name}-light.svg">\n'
        "</picture>"
    )


def speed_chart() -> str:
    """The chart of accuracy against speed."""
    return picture("speed", "Accuracy on 21 languages against texts per second for each method.")


def examples_chart() -> str:
    """The chart of accuracy against the number of examples."""
    return picture("examples", "Accuracy on 21 languages against the number of examples of each.")


def gain() -> str:
    """Return what the best method gains over the paper's, on the paper's two tasks."""
    lines = []
    names = {"head-235": "235 languages", "subset-21": "21 languages", "sms": "spam"}
    for row in section("paper"):
        data = row["data"]
        found = {r["method"]: r for r in section(data)}
        methods = {"nearest + idf": "with idf and more n-grams", "bayes": "by naive Bayes"}
        shown = [f"{figure(row)} % by the paper's method"]
        shown += [f"{figure(found[m])} % {how}" for m, how in methods.items() if m in found]
        lines.append(f"- {names[data]}: {', '.join(shown)};")
    return "\n".join(lines).removesuffix(";") + "."
