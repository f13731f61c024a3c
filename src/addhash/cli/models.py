"""Models in files: loaded and saved with errors that a person can act on."""

import os
from collections.abc import Iterable, Iterator
from typing import Any

import addhash
from addhash.cli.errors import CommandError, describe_os_error
from addhash.cli.reading import Document
from addhash.cli.targets import check_target
from addhash.errors import ModelFileError

__all__ = ["in_lots", "load_classifier", "load_index", "save_model"]

LOT_DOCUMENTS = 16_384


def load_classifier(path: str) -> Any:
    """Load a text classifier."""
    return _load(path, addhash.TextClassifier, "addhash fit TRAIN -o MODEL")


def load_index(path: str) -> Any:
    """Load an index of vectors."""
    return _load(path, addhash.Index, "addhash vectorize IN -o OUT.index")


def _load(path: str, kind: Any, command: str) -> Any:
    try:
        return kind.load(path)
    except OSError as error:
        raise describe_os_error(error, path, "read") from error
    except ModelFileError as error:
        reason = str(error).partition(": ")[2] or str(error)
        raise CommandError(
            f"{path} is no {kind.__name__} that addhash saved: {reason} Make one with: {command}"
        ) from error


def save_model(model: Any, path: str) -> None:
    """Save a model; whatever happens, the file is the old one or the new one."""
    check_target(path)
    try:
        # A link stays a link.
        model.save(os.path.realpath(path))
    except OSError as error:
        raise describe_os_error(error, path, "write") from error


def in_lots(batches: Iterable[list[Document]]) -> Iterator[list[Document]]:
    """Join batches to lots that are worth the fixed cost of learning."""
    lot: list[Document] = []
    for batch in batches:
        lot += batch
        if len(lot) >= LOT_DOCUMENTS:
            yield lot
            lot = []
    if lot:
        yield lot
