"""Put the committed results into the documents: python -m benchmarks.tables."""

import json
from pathlib import Path
from typing import Any

import addhash
from benchmarks.accuracy import earlier, report
from benchmarks.harness import RESULTS
from benchmarks.instructions import SETS
from benchmarks.spark_pays import breaks_even

ROOT = Path(__file__).resolve().parents[1]
PEER = "scikit-learn HashingVectorizer"
HARDEST = 40
# Of a cluster in which Spark may be faster than one process, in cores.
PAYS = {16: "Spark on 16 cores, from rows", 64: "on 64 cores"}
RECORDS_PEER = "scikit-learn FeatureHasher"


def load(stage: str, folder: str = "") -> dict[str, Any]:
    results: dict[str, Any] = json.loads((RESULTS / folder / f"{stage}.json").read_text())
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


def speed(folder: str = "") -> str:
    """The whole table of the vectorizers."""
    results = load("vectorize", folder)
    rows = [["data", "analyzer", "class", "MB/s", f"ratio to {PEER}", "cold", "2 threads"]]
    rows += [
        [
            row["data"],
            row["analyzer"],
            class_name(row),
            f"{row['MB/s, 1 thread']:.0f}",
            f"{row[f'ratio to {PEER}']:.1f}x",
            f"{row['cold ratio']:.1f}x" if "cold ratio" in row else "",
            f"{row['2 threads / 1']:.2f}x",
        ]
        for row in results["rows"]
    ]
    return markdown(rows) + "\n\n" + about(results)


def class_name(row: dict[str, Any]) -> str:
    """Return the class that a row is about, as code, and its randomizer."""
    name, _, randomizer = row["class"].partition(" ")
    return f"`{name}` {randomizer}".rstrip()


def stages() -> str:
    """How long each stage takes, and how long it would without waiting."""
    results = load("stages")
    rows = [["data", "class", "stage", "ns per token", "share", "alone, ns", "ratio"]]
    rows += [
        [
            row["data"],
            class_name(row),
            row["stage"],
            f"{row['ns per token']:.2f}",
            f"{row['share']:.0%}",
            f"{row['alone, ns per token']:.2f}",
            f"{row['ns per token'] / row['alone, ns per token']:.1f}",
        ]
        for row in results["rows"]
    ]
    return markdown(rows) + "\n\n" + about(results)


def records(folder: str = "") -> str:
    """Records against scikit-learn's FeatureHasher."""
    rows = [["records", "class", "records/s", f"ratio to {RECORDS_PEER}", "cold", "2 threads"]]
    for row in load("records", folder)["rows"]:
        gain = row.get("2 threads / 1")
        rows.append(
            [
                row["records"],
                f"`{row['class']}`",
                number(row["records/s"]),
                f"{row[f'ratio to {RECORDS_PEER}']:.1f}x",
                f"{row['cold ratio']:.1f}x",
                f"{gain:.2f}x" if gain else "",
            ]
        )
    return markdown(rows)


def text_options() -> str:
    """Every usual option of scikit-learn's text vectorizers, one thread."""
    sets = ("head-235", "sms", "reviews")
    table: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in load("text_options")["rows"]:
        for call in ("fit_transform", "fit_transform, then vocabulary_", "transform"):
            if call in row:
                key = (row["class"], row["options"], call)
                table.setdefault(key, {})[row["data"]] = row[call]
    rows = [["class", "options", "call", *sets]]
    rows += [
        [f"`{name}`", f"`{options}`" if options else "", f"`{call}`"]
        + [f"{found[data]:.1f}x" for data in sets]
        for (name, options, call), found in table.items()
    ]
    return markdown(rows)


def text_pipelines() -> str:
    """Memory and a grid search with vectorizers that have a vocabulary, in CPU time."""
    rows = [["measure", "data", "scikit-learn", "addhash", "ratio"]]
    rows += [
        [
            row["measure"],
            row["data"],
            f"{number(row['scikit-learn'])} {row['unit']}",
            f"{number(row['addhash'])} {row['unit']}",
            f"{row['ratio']:.1f}x",
        ]
        for row in load("text_pipelines")["rows"]
        if row["unit"] != "s"
    ]
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
    rows = [["case", "peer", "addhash, ms", "peer, ms", "ratio"]]
    for row in load("search")["rows"]:
        times = [row.get(name) for name in ("addhash (ms)", "peer (ms)")]
        rows.append(
            [
                row["case"],
                row.get("peer", ""),
                *map(number, times),
                number(row["ratio"]),
            ]
        )
    return markdown(rows)


def single() -> str:
    """One text, one example, one query, one command at a time."""
    measured = load("single")["rows"]
    # The earlier version beside which this one was measured, if there was one.
    before = [name for name in measured[0] if name[0].isdigit()]
    rows = [["case", "µs", *before, "peer", "peer, µs"]]
    rows += [
        [
            row["case"],
            number(row["µs"]),
            *(number(row[name]) for name in before),
            row["peer"],
            number(row["peer, µs"]),
        ]
        for row in measured
    ]
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


def duplicates() -> str:
    """Near-duplicates: speed, and which pairs each tool finds."""
    columns = ["documents", "tool", "seconds", "recall", "precision", "peak memory, MB"]
    rows = [[*columns, "bytes per document", "addhash is faster by"]]
    rows += [
        [
            f"{row['documents']:,}",
            row["tool"],
            number(row["seconds"]),
            f"{row['recall']:.3f}",
            f"{row['precision']:.3f}",
            number(row["peak memory (MB)"]),
            number(row["bytes per document"]),
            f"{number(row['addhash is faster by'])}x" if row["tool"] != "addhash" else "",
        ]
        for row in load("duplicates")["rows"]
    ]
    return markdown(rows)


def duplicates_on_disk() -> str:
    """Near-duplicates within a limit of memory."""
    rows = [["texts", "input, MB", "limit, MB", "run", "peak memory, MB", "seconds", "same bytes"]]
    rows += [
        [
            f"{row['texts']:,}",
            number(row["input (MB)"]),
            number(row["limit (MB)"]),
            row["run"],
            number(row["peak memory (MB)"]),
            number(row["seconds"]),
            "yes" if row["same bytes"] else "no",
        ]
        for row in load("duplicates_on_disk")["rows"]
    ]
    return markdown(rows)


def sms_duplicates() -> str:
    """What near-duplicates do to the paper's figures for spam."""
    names = {
        "as it is": "all messages",
        "other half out": "near-duplicates of the other half not known",
        "distinct": "near-duplicates removed from the collection",
    }
    measured = ("accuracy", "spam caught", "blocked hams")
    rows = [["what is known", "", *(f"{name}, %" for name in measured)]]
    for row in load("sms_duplicates")["rows"]:
        figures = [
            f"{row[f'{name} (%)']:.2f} ± {row[f'{name}, standard error']:.2f}" for name in measured
        ]
        rows.append([names[row["messages"]], row["what"], *figures])
    return markdown(rows)


def percent(share: Any) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def detectors() -> str:
    """Languages beside other detectors."""
    rows = [
        ["texts", "choice", "peer", "languages", "asked", "addhash, %", "peer, %", "F1",
         "peer's F1", "false alarms, %", "peer's, %"]
    ]  # fmt: skip
    for row in load("detectors")["rows"]:
        shares = ("addhash, false alarms", "peer's false alarms")
        rows.append(
            [
                *(str(row[name]) for name in ("data", "choice", "peer", "languages")),
                f"{row['texts']:,}",
                percent(row["addhash"]),
                percent(row["peer's"]),
                *(f"{row[name]:.3f}" for name in ("addhash, macro F1", "peer's macro F1")),
                *(percent(row[name]) for name in shares),
            ]
        )
    return markdown(rows)


def detectors_by_length() -> str:
    """The detector alone, and how sure the answers are."""
    rows = [["texts", "asked", "correct, %", "sure, %", "correct when sure, %"]]
    rows += [
        [
            row["data"],
            f"{row['texts']:,}",
            *map(percent, (row["right"], row["probability above 0.9"], row["right of these"])),
        ]
        for row in load("detectors_by_language")["rows"]
        if row["language"] == "all"
    ]
    return markdown(rows)


def detectors_held_back() -> str:
    """The detector on texts held back from its model."""
    rows = [["held back", "asked", "correct, %", "sure, %", "correct when sure, %"]]
    for row in load("detectors_held_back")["rows"]:
        shares = (row["right"], row["probability above 0.9"], row["right of these"])
        rows.append([row["data"], f"{row['texts']:,}", *map(percent, shares)])
    return markdown(rows)


def detectors_segments() -> str:
    """How well a change of language is found."""
    rows = [
        ["choice", "words of each part", "texts", "border found, %", "and no other, %",
         "both languages right, %", "one language", "split, %"]
    ]  # fmt: skip
    for row in load("detectors_segments")["rows"]:
        shares = ("border found", "and no other", "both languages right")
        rows.append(
            [
                "18 languages" if row["data"].endswith("languages") else "all",
                str(row["words of each part"] or "sentence"),
                str(row["texts"]),
                *(percent(row[name]) for name in shares),
                str(row["one language"]),
                percent(row["split"]),
            ]
        )
    return markdown(rows)


def detectors_by_language() -> str:
    """The languages of the news and of Wikipedia that are mistaken most often."""
    names = {known.code: known.name for known in addhash.languages.known()}
    rows = [["texts", "language", "asked", "correct, %", "mistaken for"]]
    found = [row for row in load("detectors_by_language")["rows"] if row["language"] != "all"]
    for data in dict.fromkeys(row["data"] for row in found):
        own = [row for row in found if row["data"] == data]
        for row in sorted(own, key=lambda row: (row["right"], row["language"]))[: HARDEST // 2]:
            mistakes = ", ".join(f"`{code}`" for code in row["mistaken for"].split())
            name = f"{names[row['language']]} (`{row['language']}`)"
            rows.append([data, name, str(row["texts"]), percent(row["right"]), mistakes])
    return markdown(rows)


def detectors_speed() -> str:
    """How fast languages are told."""
    rows = [["case", "addhash", "peer", "peer's", "ratio"]]
    for row in load("detectors_speed")["rows"]:
        ratio = f"{number(row['ratio'])}x" if row["ratio"] else ""
        rows.append(
            [row["case"], number(row["addhash"]), row["peer"], number(row["peer's"]), ratio]
        )
    return markdown(rows) + "\n\n" + about(load("detectors_speed"))


def tables_in() -> str:
    """Columns and tables against lists and dicts."""
    rows = [["data", "what", "list", "pyarrow", "Polars", "pyarrow, and the list made of it"]]
    for row in load("tables_in")["rows"]:
        ratios = ("pyarrow / list", "Polars / list", "pyarrow / list made of it")
        rows.append(
            [
                row["data"],
                row["what"],
                f"{number(row['list, ms'])} ms",
                *(f"{row[name]:.2f}x" if name in row else "" for name in ratios),
            ]
        )
    return markdown(rows)


def spark() -> str:
    """addhash beside Spark's own, and the driver's memory."""
    results = load("spark")
    rows = [["data", "what", "accuracy, %", "fit", "predict"]]
    rows += [
        [
            row["data"],
            row["what"],
            f"{100 * row['accuracy']:.2f}",
            f"{number(row['fit, s'])} s",
            f"{number(row['predict, s'])} s",
        ]
        for row in results["rows"]
        if "accuracy" in row
    ]
    few, many = (row for row in results["rows"] if "rows/s" in row)
    peaks = [number(row["peak after, MB"]) for row in (few, many)]
    memory = (
        f"The driver's Python process takes at most {peaks[0]} MB while learning {few['data']}, and"
        f" {peaks[1]} MB while learning {many['data']}."
    )
    return "\n\n".join([markdown(rows), memory, about(results)])


def spark_pays() -> str:
    """From which size Spark is faster than one process."""
    results = load("spark_pays")
    rows = [["what", "rows", "one process", "Spark, the same cores", *PAYS.values()]]
    for few, many in zip(results["rows"][::2], results["rows"][1::2], strict=True):
        sizes = [breaks_even(few, many, cores) for cores in PAYS]
        rows.append(
            [
                many["what"],
                f"{many['rows']:,}",
                f"{number(many['one process, s'])} s",
                f"{number(many['Spark, s'])} s",
                *map(_size, sizes),
            ]
        )
    return "\n\n".join([markdown(rows), about(results)])


def _size(rows: float | None) -> str:
    if rows is None:
        return "never"
    return "any number" if rows < 1000 else f"{float(f'{rows:.1g}'):,.0f}"


def cluster() -> str:
    """What rates measured here make of many documents on many cores."""
    results = load("spark")["rows"]
    measured = next(row for row in reversed(results) if "rows/s" in row)
    model = next(row for row in results if "read and merge, s" in row)
    rate, size = measured["rows/s"] / 2, measured["bytes of a row"]
    rows = [
        ["documents", "text", "cores", "learning", "partitions", "models moved", "merging, depth 3"]
    ]
    for documents, cores in ((10**9, 16), (10**9, 256), (10**11, 256), (10**11, 4096)):
        partitions = max(cores, round(documents * size / 128e6))
        moved = (partitions + 256 + 16) * model["model, MB"] / 1024
        merges = -(-partitions // 256) + 16 + 16
        rows.append(
            [
                f"{documents:.0e}".replace("e+", "e"),
                f"{documents * size / 1e12:.3g} TB",
                str(cores),
                f"{number(documents / rate / cores / 60)} min",
                f"{partitions:,}",
                f"{number(moved)} GiB",
                f"{number(merges * model['read and merge, s'])} s",
            ]
        )
    return (
        f"At {number(rate)} documents of {number(size)} bytes per second per core, with a model of"
        f" {number(model['model, MB'])} MiB ({model['data'].split(',')[0]}) that takes"
        f" {model['read and merge, s']:.2g} s to read and merge.\n\n" + markdown(rows)
    )


def accuracy_costs() -> str:
    """Time, size and abilities of the classifiers, and where they were measured."""
    return markdown(earlier.costs()) + "\n\n" + about(earlier.results())


def service() -> str:
    """The server under load."""
    rows = [["case", "addhash serve", "beside", "", "ratio"]]
    rows += [
        [
            row["case"],
            number(row["value"]),
            row["peer"],
            number(row["peer_value"] or None),
            f"{row['ratio']:.2f}" if row["ratio"] else "",
        ]
        for row in load("service")["rows"]
    ]
    first, *_, last = load("service_memory")["rows"]
    case, peer = (f"after {one['requests']:,} requests" for one in (last, first))
    ratio = f"{last['MiB'] / first['MiB']:.2f}"
    rows.append([f"memory {case}, MiB", number(last["MiB"]), peer, number(first["MiB"]), ratio])
    return markdown(rows)


def instructions() -> str:
    """How many instructions each kernel takes."""
    results = load("instructions")["rows"]
    sets = [f"{family} {name}" for family, names in SETS.items() for name in names]
    rows = [["instructions", *(f"`{name.split()[1]}` ({name.split()[0]})" for name in sets)]]
    rows += [[row["instructions"], *(number(row[name]) for name in sets)] for row in results]
    return markdown(rows)


# Where each table stands, between "begin" and "end" comments with its name.
def web() -> str:
    """The core as WebAssembly beside the native one."""
    results = load("web")
    module, *speeds, page = results["rows"]
    native, other = "native, texts/s", "WebAssembly, texts/s"
    rows = [["", native, other, "ratio"]]
    rows += [
        [row["what"], number(row[native]), number(row[other]), f"{row['ratio']:.2f}"]
        for row in speeds
    ]
    size, packed = module["bytes"], module["bytes, gzip"]
    return (
        f"{markdown(rows)}\n\nThe module has {size:,} bytes, {packed:,} with gzip. The page,"
        f" from a local server to its first answer: {page['Chromium']:.2f} s. {about(results)}"
        f" Node {speeds[0]['Node']}."
    )


def web_hostile() -> str:
    """What became of changed model files."""
    counts = {row["what"]: row["count"] for row in load("web_hostile")["rows"]}
    memory = counts.pop("most bytes of memory of the core")
    rows = [["changed files", "count"], *([what, f"{count:,}"] for what, count in counts.items())]
    return f"{markdown(rows)}\n\nThe core never held more than {memory / 1e6:.0f} MB."


PLACES = {
    "web": ("docs/platforms.md", web),
    "web_hostile": ("docs/platforms.md", web_hostile),
    "speed": ("docs/benchmarks.md", speed),
    "speed_avx2": ("docs/benchmarks.md", lambda: speed("avx2")),
    "text_options": ("docs/from-scikit-learn.md", text_options),
    "text_pipelines": ("docs/from-scikit-learn.md", text_pipelines),
    "stages": ("docs/benchmarks.md", stages),
    "records": ("docs/benchmarks.md", records),
    "records_avx2": ("docs/benchmarks.md", lambda: records("avx2")),
    "incremental": ("docs/benchmarks.md", incremental),
    "search": ("docs/benchmarks.md", search),
    "single": ("docs/benchmarks.md", single),
    "languages": ("docs/benchmarks.md", languages),
    "instructions": ("docs/benchmarks.md", instructions),
    "tables_in": ("docs/tables.md", tables_in),
    "spark": ("docs/tables.md", spark),
    "spark_pays": ("docs/tables.md", spark_pays),
    "cluster": ("docs/tables.md", cluster),
    "duplicates": ("docs/duplicates.md", duplicates),
    "duplicates_on_disk": ("docs/duplicates.md", duplicates_on_disk),
    "sms_duplicates": ("docs/duplicates.md", sms_duplicates),
    "detectors": ("docs/languages.md", detectors),
    "detectors_by_length": ("docs/languages.md", detectors_by_length),
    "detectors_by_language": ("docs/languages.md", detectors_by_language),
    "detectors_speed": ("docs/languages.md", detectors_speed),
    "detectors_held_back": ("docs/languages.md", detectors_held_back),
    "detectors_segments": ("docs/languages.md", detectors_segments),
    "accuracy_topics": ("docs/accuracy.md", lambda: markdown(report.topics())),
    "accuracy_runs_languages": (
        "docs/accuracy.md",
        lambda: markdown(report.languages()) + "\n\n" + about(report.results()),
    ),
    "accuracy_summary": ("docs/accuracy.md", report.summary),
    "accuracy_calibration": ("docs/accuracy.md", lambda: markdown(report.calibration())),
    "accuracy_learnt": ("docs/accuracy.md", lambda: markdown(report.learnt())),
    "accuracy_lessons": ("docs/accuracy.md", lambda: markdown(report.lessons())),
    "accuracy_runs_costs": ("docs/accuracy.md", lambda: markdown(report.costs())),
    "accuracy_few": ("docs/accuracy.md", lambda: markdown(report.few_examples())),
    "accuracy_which": ("docs/which.md", report.summary),
    "label_errors": ("docs/classifiers.md", lambda: markdown(report.label_errors())),
    "accuracy_languages": ("docs/accuracy.md", lambda: markdown(earlier.languages())),
    "accuracy_spam": ("docs/accuracy.md", lambda: markdown(earlier.spam())),
    "accuracy_costs": ("docs/accuracy.md", accuracy_costs),
    "accuracy_labels": ("docs/accuracy.md", lambda: markdown(earlier.labels())),
    "accuracy_chart_speed": ("docs/accuracy.md", earlier.speed_chart),
    "accuracy_chart_examples": ("docs/accuracy.md", earlier.examples_chart),
    "weighing": ("docs/vectorizers.md", lambda: markdown(earlier.weighing())),
    "choice": ("docs/classifiers.md", lambda: markdown(report.choice())),
    "service": ("docs/service.md", service),
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
