"""`addhash inspect`: what a file holds."""

import json
import os
from collections import Counter
from typing import Annotated, Any

import typer

from addhash.cli import options as use
from addhash.cli.errors import CommandError, describe_os_error
from addhash.cli.models import load_classifier, load_index
from addhash.cli.progress import watched
from addhash.cli.reading import Documents, Reading
from addhash.cli.writing import open_output

__all__ = ["inspect"]

MOST_NAMES = 12
ARRAYS = (".npy", ".npz")


def inspect(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A model, an index, vectors or documents.")
    ],
    output_format: use.OutputFormat = None,
    text_column: use.TextColumn = None,
    label_column: use.LabelColumn = None,
    input_format: use.InputFormat = None,
    header: use.Header = True,
    encoding: use.Encoding = "utf-8",
    errors: use.Handling = "strict",
) -> None:
    """Show what a file holds: a model's settings and classes, or a file's columns and labels.

    Example:

        addhash inspect languages.model
    """
    facts: dict[str, Any] = {"file": file}
    try:
        with open(file, "rb") as opened:
            facts["bytes"] = os.fstat(opened.fileno()).st_size
            start = opened.read(9)
    except OSError as error:
        raise describe_os_error(error, file, "read") from error
    extension = os.path.splitext(file)[1].lower()
    # A safetensors file starts with the length of its header, which is a JSON object.
    if input_format is None and start[8:9] == b"{" and start[5:8] == b"\0\0\0":
        facts |= _model(file)
    elif input_format is None and extension in ARRAYS:
        facts |= _arrays(file)
    else:
        reading = use.reading_of(
            text_column, label_column, None, input_format, header, encoding, errors
        )
        facts |= _documents(file, reading)
    with open_output(None, output_format) as output:
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
    import numpy as np

    try:
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"holds": "array", "shape": list(loaded.shape), "dtype": str(loaded.dtype)}
        with loaded:
            shapes = {name: [str(a.dtype), *a.shape] for name, a in loaded.items()}
    except (OSError, ValueError, EOFError) as error:
        raise CommandError(
            f"{path} holds no arrays that can be loaded safely, or it is damaged. Make it again."
        ) from error
    return {"holds": "arrays"} | shapes


def _documents(path: str, reading: Reading) -> dict[str, Any]:
    source = Documents(path, reading, "wanted")
    labels: Counter[str] = Counter()
    characters = 0
    for batch in watched(source, "Reading"):
        characters += sum(len(document.text) for document in batch)
        labels.update(str(document.label) for document in batch if document.label is not None)
    facts: dict[str, Any] = {
        "holds": f"documents ({source.source.kind})",
        "columns": _names(source.columns),
        "documents": source.count,
        "characters": characters,
    }
    if labels:
        counts = (f"{name} {count:,}" for name, count in labels.most_common())
        facts |= {"classes": len(labels), "labels": _names(counts)}
    return facts
