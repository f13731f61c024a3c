"""The tables of numbers in the report, one function for each experiment."""

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from addhash.paper.languages import OFFICIAL
from addhash.paper.markup import details, paragraph, table
from addhash.paper.steps import by_n

__all__ = ["TABLES", "shown"]

Results = dict[str, Any]
METHODS = {"ah": "AH", "ht": "HT"}
ALGORITHMS = {"1": "Algorithm 1", "2": "Algorithm 2", "additive": "Additive hashing"}
LANGUAGE_SETS = ("full", "subset-21", "head-235")
MEASURES = ("acc", "sc", "bh")


def shown(mean: float, error: float | None, digits: int = 2, sign: str = "") -> str:
    """Return a number with its standard error, if that is known.

    >>> shown(97.4321, 0.0321), shown(1.5, None)
    ('97.43 ± 0.03', '1.50')
    """
    text = f"{mean:{sign}.{digits}f}".replace("-", "−")
    return text if error is None else f"{text} ± {error:.{digits}f}"


def _example(found: Results) -> str:
    documents = found["documents"]
    names = [f"Document {i + 1}" for i in range(len(documents))]
    listed = "".join(f"<li>{escape(str(document))}</li>" for document in documents)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    similarities = table(
        "Similarities at L = 32",
        ["Documents", "HT", "AH"],
        [
            [f"{i + 1} and {j + 1}", shown(ht, None, 6), shown(ah, None, 6)]
            for (i, j), ht, ah in zip(pairs, found["ht"], found["ah"], strict=True)
        ],
    )
    matrix = table(
        "The matrix of equation (1)",
        ["", *map(str, found["vocabulary"])],
        [[name, *map(str, row)] for name, row in zip(names, found["matrix"], strict=True)],
    )
    vectors = table(
        "Vectors before scaling, L = 32",
        ["Method", "Document", "Components"],
        [
            [ALGORITHMS.get(method, method), str(i + 1), " ".join(map(str, vector))]
            for method, part in found["algorithms"].items()
            for i, vector in enumerate(part["vectors"])
        ],
        "vectors",
    )
    orthogonality = table(
        "Dot products of the vectors of different tokens",
        ["L", "Mean", "Standard deviation", "1/√L", "Pairs"],
        [
            [
                size, shown(part["mean"], None, 5), shown(part["std"], None, 5),
                shown(part["expected_std"], None, 5), f"{part['pairs']:,}",
            ]
            for size, part in found["orthogonality"].items()
        ],
    )  # fmt: skip
    return (
        f"<p>The documents:</p>\n<ol>{listed}</ol>\n{similarities}\n"
        + details("The bag of words", matrix)
        + details("The vectors of Algorithms 1 and 2 and of additive hashing", vectors)
        + details("Almost orthogonal vectors", orthogonality)
    )


def _synthetic(found: Results) -> str:
    parts = by_n(found)
    differences = table(
        "AH minus HT, difference of the means",
        ["n", "L", "Largest", "at p", "Interval, 95 %", "Farthest of all p", "1/√L"],
        [
            [
                str(n), size, shown(one["largest"], None, 4, "+"), f"{one['p']:g}",
                " to ".join(shown(end, None, 4, "+") for end in one["interval"]),
                shown(one["farthest"], None, 4), shown(int(size) ** -0.5, None, 4),
            ]
            for n, part in parts.items()
            for size, one in part["difference"].items()
        ],
    )  # fmt: skip
    text = details("Differences for every n and L", differences)
    for n, part in parts.items():
        text += details(f"Similarities for n = {n}", _similarities(n, part))
    return text


def _similarities(n: int, part: Results) -> str:
    curves = {
        f"{label}, L = {size}": curve
        for method, label in METHODS.items()
        for size, curve in part[method].items()
    }
    return table(
        f"Mean similarity ± standard deviation, n = {n}",
        ["p", "Bags of words", *curves],
        [
            [
                f"{p:g}",
                shown(mean, spread, 3),
                *(shown(c[i][1], c[i][2], 3) for c in curves.values()),
            ]
            for i, (p, mean, spread) in enumerate(part["exact"])
        ],
    )


def _languages(found: Results) -> str:
    parts = {name: found[name] for name in LANGUAGE_SETS if name in found}
    text = "".join(
        details(f"Accuracy on {name}", _accuracies(name, part))
        for name, part in parts.items()
        if by_n(part)
    )
    curves = {name: part["curve"] for name, part in parts.items() if "curve" in part}
    if curves:
        text += details("Learning curves", _curves(curves))
    networks = {name: part["network"] for name, part in parts.items() if "network" in part}
    if networks:
        text += details("The neural network of reference [11], trained here", _networks(networks))
    return text


def _accuracies(name: str, part: Results) -> str:
    return table(
        f"Accuracy in percent ± standard error, {name}",
        ["n", "L", "AH", "HT", "AH minus HT"],
        [
            [
                str(n), size, *(_accuracy(one[method][size]) for method in METHODS),
                _accuracy(one["difference"][size], "+"),
            ]
            for n, one in by_n(part).items()
            for size in one["ah"]
        ],
    )  # fmt: skip


def _accuracy(one: Results, sign: str = "") -> str:
    return shown(one["accuracy"], one["se"], 2, sign)


def _curves(curves: dict[str, Results]) -> str:
    def rows() -> Iterator[list[str]]:
        for name, curve in curves.items():
            for method, label in METHODS.items():
                part = curve[method]
                for point in part["points"].values():
                    yield [name, label, f"{point['count']:.3g}", _accuracy(point), "measured"]
                yield [name, label, str(OFFICIAL), _accuracy(part["at_500"]), "power law"]
                if "measured" in part:
                    yield [name, label, str(OFFICIAL), shown(part["measured"], None), "measured"]

    return table(
        "Accuracy in percent ± standard error by paragraphs known of each language",
        ["Data", "Method", "Paragraphs", "Accuracy", "How"],
        rows(),
    )


def _networks(networks: dict[str, Results]) -> str:
    return table(
        "Accuracy of the network in percent",
        ["Data", "Accuracy", "tf-idf features", "Epochs", "Rate", "Splits"],
        [
            [
                name, _accuracy(one), f"{one['features']:,}", str(one["epochs"]),
                f"{one['rate']:g}", str(one["repeats"]),
            ]
            for name, one in networks.items()
        ],
    )  # fmt: skip


def _sms(found: Results) -> str:
    text = ""
    if "ah" in found:
        text += details("All messages", _halves("All", found))
    if "unique" in found:
        text += details("Without duplicate messages", _halves("Without", found["unique"]))
    if "reference" in found:
        text += details("The support vector machine of reference [12]", _reference(found))
    return text


def _measures(part: Results) -> list[str]:
    errors = part.get("se", {})
    cells = [shown(part[name], errors.get(name)) for name in MEASURES]
    return [*cells, shown(part["mcc"], errors.get("mcc"), 4)]


def _halves(which: str, part: Results) -> str:
    duplicates = "" if which == "All" else ", duplicates left out"
    return table(
        f"Means of {part['repeats']} random halves of {part['messages']:,} messages{duplicates},"
        " ± standard error; ACC, SC and BH in percent",
        ["L", "Method", "ACC", "SC", "BH", "MCC"],
        [
            [size, label, *_measures(part[method][size])]
            for size in part["ah"]
            for method, label in METHODS.items()
        ],
    )


def _reference(found: Results) -> str:
    names = {"svm": "Support vector machine", "ah": "AH, L = 4096"}
    ways = {"first": "the first 30 %", "random": "random 30 %"}
    return paragraph(
        "Both know the same 30 percent of the messages, the first or random ones, and are asked the"
        " other 70 percent."
    ) + table(
        "30 % known, 70 % asked, ± standard error; ACC, SC and BH in percent",
        ["Method", "Known", "ACC", "SC", "BH", "MCC"],
        [
            [name, way, *_measures(found["reference"][method][key])]
            for key, way in ways.items()
            for method, name in names.items()
        ],
    )


TABLES: dict[str, Callable[[Results], str]] = {
    "example": _example,
    "synthetic": _synthetic,
    "languages": _languages,
    "sms": _sms,
}
