"""`addhash inspect`: what a file holds."""

import json
import os
import zipfile
from collections import Counter
from typing import Annotated, Any

import typer

from addhash.cli.commands.models import is_model, load_classifier, load_index
from addhash.cli.errors import CommandError, describe_os_error
from addhash.cli.input.documents import Documents
from addhash.cli.input.reading import Labelling, Reading
from addhash.cli.output.progress import watched
from addhash.cli.output.rows import open_output
from addhash.cli.output.writing import Showing

__all__ = ["inspect"]

MOST_NAMES = 12
ARRAYS = (".npy", ".npz")


def inspect(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A model, an index, vectors or documents.")
    ],
    *,
    showing: Showing,
    labelling: Labelling,
    reading: Reading,
) -> None:
    """Show what a file holds: a model's settings and classes, or a file's columns and labels.

    A model is read, but not used; of arrays, only the headers. Documents are counted, and memory
    does not grow with them.

    Example:

        addhash inspect languages.model
    """
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
        facts |= _documents(file, reading, labelling)
    with open_output(showing.output_format) as output:
        output.write([{"what": name, "value": _shown(value)} for name, value in facts.items()])


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _names(names: Any) -> str:
    listed = [str(name) for name in names]
    more = f", and {len(listed) - MOST_NAMES} more" if len(listed) > MOST_NAMES else ""
    return ", ".join(listed[:MOST_NAMES]) + more


def _model(path: str) -> dict[str, Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as opened:
            about = json.loads((opened.metadata() or {}).get("addhash", "null"))
    except (SafetensorError, ValueError) as error:
        raise CommandError(f"{path} is a damaged model file: {error}. Save it again.") from error
    kind = about.get("kind") if isinstance(about, dict) else None
    if kind == "Index":
        index = load_index(path)
        return {"holds": "Index", "vectors": len(index), "components": index.n_features}
    if kind is not None and kind != "TextClassifier":
        return {"holds": kind}
    classifier = load_classifier(path)
    vectorizer = classifier.vectorizer
    return {
        "holds": "TextClassifier",
        "method": classifier.method,
        "classes": len(classifier.classes_),
        "labels": _names(classifier.classes_.tolist()),
        "reject below": classifier.reject_below,
        "keeps texts": classifier.keep_texts,
        "analyzer": vectorizer.analyzer if isinstance(vectorizer.analyzer, str) else "a function",
        "n-grams": "{}-{}".format(*vectorizer.ngram_range),
        "components": vectorizer.n_features,
        "lowercase": vectorizer.lowercase,
        "randomizer": vectorizer.randomizer,
    }


def _arrays(path: str) -> dict[str, Any]:
    """Return types and shapes, of which the headers of the arrays are enough."""
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
            f"{path} holds no arrays that can be loaded safely, or it is damaged. Make it again."
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


def _documents(path: str, reading: Reading, labelling: Labelling) -> dict[str, Any]:
    source = Documents(path, reading, labelling, "wanted")
    labels: Counter[str] = Counter()
    characters = 0
    for batch in watched(source, "Reading"):
        characters += sum(len(document.text) for document in batch)
        labels.update(document.label for document in batch if document.label is not None)
    facts: dict[str, Any] = {
        "holds": f"documents ({source.source.kind})",
        "columns": _names(source.columns),
    }
    if source.delimiter is not None:
        facts["delimiter"] = {"\t": "tab"}.get(source.delimiter, source.delimiter)
    facts |= {"documents": source.count, "characters": characters}
    if labels:
        counts = (f"{name} {count:,}" for name, count in labels.most_common())
        facts |= {"classes": len(labels), "labels": _names(counts)}
    return facts
