"""The tables of numbers in the report, one function per experiment."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from addhash.paper.experiments.languages import OFFICIAL
from addhash.paper.experiments.ngrams import by_n
from addhash.paper.report.markdown import plain, table
from addhash.paper.report.numbers import number, with_error
from addhash.paper.report.verdicts import Results


def _titled(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return f"### {title}\n\n{table(columns, rows)}"


METHODS = {"ah": "AH", "ht": "HT"}
ALGORITHMS = {"1": "Algorithm 1", "2": "Algorithm 2", "additive": "Additive hashing"}
LANGUAGE_SETS = ("full", "subset-21", "head-235")
MEASURES = ("acc", "sc", "bh")


def _example(found: Results) -> str:
    documents = found["documents"]
    names = [f"Document {i + 1}" for i in range(len(documents))]
    listed = "\n".join(f"{i}. {plain(str(one))}" for i, one in enumerate(documents, 1))
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    similarities = _titled(
        "Similarities at L = 32",
        ["Documents", "HT", "AH"],
        [
            [f"{i + 1} and {j + 1}", number(ht, 6), number(ah, 6)]
            for (i, j), ht, ah in zip(pairs, found["ht"], found["ah"], strict=True)
        ],
    )
    matrix = _titled(
        "The matrix of equation (1)",
        ["", *map(str, found["vocabulary"])],
        [[name, *map(str, row)] for name, row in zip(names, found["matrix"], strict=True)],
    )
    vectors = _titled(
        "Vectors before normalisation, L = 32",
        ["Method", "Document", "Components"],
        [
            [ALGORITHMS.get(method, method), str(i + 1), " ".join(number(one, 0) for one in vector)]
            for method, part in found["algorithms"].items()
            for i, vector in enumerate(part["vectors"])
        ],
    )
    orthogonality = _titled(
        "Dot products of the vectors of different tokens",
        ["L", "Mean", "Standard deviation", "1/√L", "Pairs"],
        [
            [
                size, number(part["mean"], 5), number(part["std"], 5),
                number(part["expected_std"], 5), f"{part['pairs']:,}",
            ]
            for size, part in found["orthogonality"].items()
        ],
    )  # fmt: skip
    return "\n\n".join(
        [f"The documents:\n\n{listed}", similarities, matrix, vectors, orthogonality]
    )


def _synthetic(found: Results) -> str:
    parts = by_n(found)
    differences = _titled(
        "Difference of means, AH minus HT",
        ["n", "L", "Largest", "at p", "Interval, 95 %", "Farthest for any p", "1/√L"],
        [
            [
                str(n), size, number(one["largest"], 4, "+"), f"{one['p']:g}",
                " to ".join(number(end, 4, "+") for end in one["interval"]),
                number(one["farthest"], 4), number(int(size) ** -0.5, 4),
            ]
            for n, part in parts.items()
            for size, one in part["difference"].items()
        ],
    )  # fmt: skip
    return "\n\n".join([differences, *(_similarities(n, part) for n, part in parts.items())])


def _similarities(n: int, part: Results) -> str:
    curves = {
        f"{label}, L = {size}": curve
        for method, label in METHODS.items()
        for size, curve in part[method].items()
    }
    return _titled(
        f"Mean similarity ± standard deviation, n = {n}",
        ["p", "Bags of words", *curves],
        [
            [
                f"{p:g}",
                with_error(mean, spread, 3),
                *(with_error(c[i][1], c[i][2], 3) for c in curves.values()),
            ]
            for i, (p, mean, spread) in enumerate(part["exact"])
        ],
    )


def _languages(found: Results) -> str:
    parts = {name: found[name] for name in LANGUAGE_SETS if name in found}
    tables = [_accuracies(name, part) for name, part in parts.items() if by_n(part)]
    curves = {name: part["curve"] for name, part in parts.items() if "curve" in part}
    if curves:
        tables.append(_curves(curves))
    networks = {name: part["network"] for name, part in parts.items() if "network" in part}
    if networks:
        tables.append(_networks(networks))
    return "\n\n".join(tables)


def _accuracies(name: str, part: Results) -> str:
    return _titled(
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
    return with_error(one["accuracy"], one["se"], 2, sign)


def _curves(curves: dict[str, Results]) -> str:
    def rows() -> Iterator[list[str]]:
        for name, curve in curves.items():
            for method, label in METHODS.items():
                part = curve[method]
                for point in part["points"].values():
                    yield [name, label, f"{point['count']:.3g}", _accuracy(point), "measured"]
                yield [name, label, str(OFFICIAL), _accuracy(part["at_500"]), "power law"]
                if "measured" in part:
                    yield [name, label, str(OFFICIAL), number(part["measured"]), "measured"]

    return _titled(
        "Accuracy in percent ± standard error by training paragraphs per language",
        ["Data", "Method", "Paragraphs", "Accuracy", "Source"],
        rows(),
    )


def _networks(networks: dict[str, Results]) -> str:
    return _titled(
        "Accuracy of the neural network of reference [11], trained here, in percent",
        ["Data", "Accuracy", "tf-idf features", "Epochs", "Learning rate", "Splits"],
        [
            [
                name, _accuracy(one), f"{one['features']:,}", str(one["epochs"]),
                f"{one['rate']:g}", str(one["repeats"]),
            ]
            for name, one in networks.items()
        ],
    )  # fmt: skip


def _sms(found: Results) -> str:
    tables = []
    if "ah" in found:
        tables.append(_halves("All", found))
    if "unique" in found:
        tables.append(_halves("Without", found["unique"]))
    if "reference" in found:
        tables.append(_reference(found))
    return "\n\n".join(tables)


def _measures(part: Results) -> list[str]:
    errors = part.get("se", {})
    cells = [with_error(part[name], errors.get(name)) for name in MEASURES]
    return [*cells, with_error(part["mcc"], errors.get("mcc"), 4)]


def _halves(which: str, part: Results) -> str:
    duplicates = "" if which == "All" else " without duplicates"
    return _titled(
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
    return _titled(
        "The support vector machine of reference [12] and AH, both trained on the same 30 % of the"
        " messages, the first or random ones, and tested on the other 70 %, ± standard error; ACC,"
        " SC and BH in percent",
        ["Method", "Trained on", "ACC", "SC", "BH", "MCC"],
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
