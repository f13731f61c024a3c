"""`addhash inspect`: what is in a file."""

import json
import os
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

import typer

from addhash.cli.errors import CommandError, describe_os_error
from addhash.cli.input.documents import Documents, look_at
from addhash.cli.options.reading import LabelOptions, ReadOptions
from addhash.cli.options.writing import ShowOptions
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import open_output
from addhash.errors import ModelFileError, Parameter, ParameterError, TableError

MOST_NAMES = 12
LONGEST_EXAMPLE = 60
LONGEST_ROW = 300
ARRAYS = (".npy", ".npz")
# What is shown of a model's settings, under the names of the options.
SHOWN = {
    "method": "method",
    "n_buckets": "buckets",
    "smoothing": "smoothing",
    "fit_prior": "frequent classes are likelier",
    "n_neighbors": "neighbors",
    "reject_below": "reject below",
    "reject_margin": "reject margin",
    "keep_texts": "keep texts",
    "analyzer": "analyzer",
    "ngram_range": "n-grams",
    "lowercase": "lowercase",
    "n_features": "features",
    "randomizer": "randomizer",
    "key_fingerprint": "key's fingerprint",
}
# What a method does not use, though its settings have it.
UNUSED = {
    "bayes": {"n_neighbors", "keep_texts", "n_features", "randomizer"},
    "centroid": {"n_neighbors", "keep_texts", "n_buckets", "smoothing", "fit_prior"},
    "nearest": {"n_buckets", "smoothing", "fit_prior"},
}


def inspect(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A model, an index, vectors or documents.")
    ],
    *,
    showing: ShowOptions,
    labelling: LabelOptions,
    reading: ReadOptions,
) -> None:
    """Show what is in a file: a model's settings and classes, or a file's columns and labels.

    Models are read but not run; only the headers of arrays are read. Documents are counted, and
    memory does not grow with them.

    Example:

        addhash inspect languages.model
    """
    from addhash.files import is_model

    facts: dict[str, Any] = {"file": file}
    try:
        facts["bytes"] = os.stat(file).st_size
    except OSError as error:
        raise describe_os_error(error, file, "read") from error
    extension = os.path.splitext(file)[1].lower()
    if reading.input_format is None and is_model(file):
        facts |= _model(file)
    elif reading.input_format is None and extension in ARRAYS:
        facts |= _arrays(file)
    else:
        facts |= _decoded(file, reading, labelling)
    with open_output(showing.output_format, is_cut=False) as output:
        output.write([{"what": name, "value": _shown(value)} for name, value in facts.items()])


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _names(names: Any) -> str:
    listed = [str(name) for name in names]
    more = f", and {len(listed) - MOST_NAMES} more" if len(listed) > MOST_NAMES else ""
    return ", ".join(listed[:MOST_NAMES]) + more


def _counts(counts: Iterable[tuple[Any, int]]) -> dict[str, Any]:
    """Return a row for each class, the largest first."""
    ordered = sorted(counts, key=lambda pair: -pair[1])
    return {f"class {name}": count for name, count in ordered}


def _model(path: str) -> dict[str, Any]:
    from addhash import files

    try:
        summary = files.inspect(path)
    except ModelFileError as error:
        raise CommandError(f"{path} is not a model that can be used: {error.reason}") from error
    facts: dict[str, Any] = {"holds": summary.kind, "digest": summary.digest}
    facts["written by"] = f"addhash {summary.version}"
    facts |= {f"about: {name}": text for name, text in summary.metadata.items()}
    settings = summary.settings | summary.settings.get("vectorizer", {})
    if "ngram_range" in settings:
        settings["ngram_range"] = "-".join(map(str, settings["ngram_range"]))
    if settings.get("key_fingerprint") is None:
        settings.pop("key_fingerprint", None)
    unused = UNUSED.get(settings.get("method", ""), set())
    facts |= {
        name: settings[key] for key, name in SHOWN.items() if key in settings and key not in unused
    }
    ids = summary.arrays.get("ids")
    if ids is not None:
        facts["vectors" if summary.kind == "Index" else "texts"] = ids[1][0]
    return facts | (_classes(path) if summary.kind == "TextClassifier" else {})


def _classes(path: str) -> dict[str, Any]:
    from addhash import TextClassifier

    try:
        classifier = TextClassifier.load(path)
    except ParameterError:  # it needs a key or functions, which files do not contain
        return {}
    names, counts = classifier.classes_.tolist(), classifier.class_counts_.tolist()
    facts: dict[str, Any] = {"examples": sum(counts), "classes": len(counts)}
    # Without the weights of single classes, which are too many to read.
    facts |= {
        name: round(number, 4)
        for name, number in classifier.chosen_.items()
        if not (name.startswith("weight of ") and " for " in name)
    }
    return facts | _counts(zip(names, counts, strict=True))


def _arrays(path: str) -> dict[str, Any]:
    """Return types and shapes, for which the headers of the arrays are enough."""
    try:
        if not zipfile.is_zipfile(path):
            with open(path, "rb") as file:
                kind, shape = _header(file)
            return {"holds": "array", "shape": shape, "dtype": kind}
        found: dict[str, Any] = {"holds": "arrays"}
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as file:
                    kind, shape = _header(file)
                found[entry.filename.removesuffix(".npy")] = [kind, *shape]
        return found
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        raise CommandError(
            f"{path} is damaged, or contains no arrays that can be loaded safely. Create it again."
        ) from error


def _header(file: Any) -> tuple[str, list[int]]:
    from numpy.lib import format as layout

    readers = {(1, 0): layout.read_array_header_1_0, (2, 0): layout.read_array_header_2_0}
    version = layout.read_magic(file)
    if version not in readers:
        raise ValueError(f"version {version} of the format is unknown")
    shape, _, dtype = readers[version](file)
    if dtype.hasobject:
        raise ValueError("the array holds Python objects")
    return str(dtype), list(shape)


def _decoded(path: str, reading: ReadOptions, labelling: LabelOptions) -> dict[str, Any]:
    """Return what is in documents, in the encoding that they seem to have if none was named."""
    try:
        return _documents(path, reading, labelling)
    except TableError as error:
        guess = [part.value for part in error.parts
                 if isinstance(part, Parameter) and part.name == "encoding"]  # fmt: skip
        if not guess or reading.encoding != ReadOptions().encoding:
            raise
        try:
            facts = _documents(path, replace(reading, encoding=str(guess[0])), labelling)
        except TableError:
            raise error from None
        return {"encoding": f"{guess[0]}, it seems: name it with --encoding"} | facts


def _documents(path: str, reading: ReadOptions, labelling: LabelOptions) -> dict[str, Any]:
    """Return the columns, their types and the first rows, and counts if the texts are known."""
    found = look_at(path, reading)
    facts: dict[str, Any] = {"holds": f"documents ({found.source.kind})"}
    if found.layout.delimiter is not None:
        facts["delimiter"] = {"\t": "tab"}.get(found.layout.delimiter, found.layout.delimiter)
    if found.layout.sheets:
        facts["sheet"], *others = found.layout.sheets
        facts |= {"other sheets": _names(others)} if others else {}
    facts["columns"] = _names(column.name for column in found.columns)
    for column in found.columns[:MOST_NAMES]:
        example = "" if column.example is None else f", such as {_short(column.example)}"
        facts[f"column {column.name}"] = column.type + example
    facts["text column"] = _names(found.text_columns) or "not clear: name it with --text-column"
    for number, row in enumerate(found.rows, 1):
        facts[f"row {number}"] = _short(dict(row), LONGEST_ROW)
    if not found.rows:
        return facts | {"documents": 0}
    return facts | (_counted(path, reading, labelling) if found.text_columns else {})


def _counted(path: str, reading: ReadOptions, labelling: LabelOptions) -> dict[str, Any]:
    source = Documents(
        path, replace(reading, on_bad_rows="skip"), labelling, "wanted", reports=False
    )
    labels: Counter[str] = Counter()
    characters = 0
    for batch in watched(source, "Reading"):
        characters += sum(len(document.text) for document in batch)
        labels.update(document.label for document in batch if document.label is not None)
    facts: dict[str, Any] = {"documents": source.count, "characters": characters}
    if source.skipped.count:
        facts["rows that cannot be read"] = source.skipped.count
        facts["the first of them"] = str(source.skipped.first)
    if labels:
        if source.label_column is not None:
            facts["label column"] = source.label_column
        facts |= {"classes": len(labels)} | _counts(labels.items())
    return facts


def _short(value: Any, most: int = LONGEST_EXAMPLE) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= most else text[: most - 1] + "…"
