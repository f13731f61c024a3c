"""Models in files: loaded, changed by one process at a time, and saved whole."""

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from addhash.cli.errors import CommandError, UsageError, describe_os_error
from addhash.cli.options.waiting import WaitOptions
from addhash.cli.output.targets import check_target, is_replaced
from addhash.cli.output.terminal import say
from addhash.errors import ModelFileError

# Where a model records the columns whose texts were joined.
TEXT_COLUMNS = "text columns"


def text_columns_record(columns: Sequence[str]) -> dict[str, str]:
    """Return what to record about a model whose texts come from these columns.

    >>> text_columns_record(["title", "body"])
    {'text columns': '["title", "body"]'}
    >>> text_columns_record(["text"])
    {}
    """
    is_joined = len(columns) > 1
    return {TEXT_COLUMNS: json.dumps(list(columns), ensure_ascii=False)} if is_joined else {}


def text_columns_of(model: Any) -> tuple[str, ...]:
    """Return the columns whose texts were joined for a model; none if there was one."""
    try:
        columns = json.loads(model.metadata.get(TEXT_COLUMNS, "[]"))
    except ValueError:  # its user wrote something else there
        return ()
    return tuple(map(str, columns)) if isinstance(columns, list) else ()


def load_classifier(path: str, documents: str | None = None) -> Any:
    """Load a text classifier.

    Parameters
    ----------
    path : str
    documents : str, optional
        The next argument of the command, in case it is the model and the two were swapped.
    """
    import addhash
    from addhash.files import is_model

    is_other = os.path.exists(path) and not is_model(path)
    if documents is not None and is_other and is_model(documents):
        raise UsageError(f"{path} is not a model, but {documents} is one. Name the model first.")
    return _load(path, addhash.TextClassifier, "addhash fit TRAIN -o MODEL")


def load_index(path: str) -> Any:
    """Load an index of texts."""
    import addhash

    return _load(path, addhash.TextIndex, "addhash vectorize IN -o OUT.index")


def _load(path: str, kind: Any, command: str) -> Any:
    from addhash.files import is_model

    try:
        if os.path.isdir(path):
            raise CommandError(f"Cannot read {path}: it is a directory. Name a file.")
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise CommandError(f"Cannot read {path}: a model must be a regular file.")
        if not is_model(path):
            raise CommandError(
                f"{path} is not a {kind.__name__} that addhash saved. Make one with: {command}"
            )
        return kind.load(path)
    except OSError as error:
        raise describe_os_error(error, path, "read") from error
    except ModelFileError as error:
        raise CommandError(
            f"{path} is not a {kind.__name__} that addhash saved: {error.reason} Make one with:"
            f" {command}"
        ) from error


def save_model(model: Any, path: str, metadata: dict[str, str] | None = None) -> None:
    """Save a model; whatever happens, the file is the old one or the new one.

    Parameters
    ----------
    model : TextClassifier or TextIndex
    path : str
    metadata : dict of str to str, optional
        What to record about it; by default, its metadata stays.
    """
    check_target(path)
    try:
        model.save(path, metadata=metadata)
    except OSError as error:
        raise describe_os_error(error, path, "write") from error


@contextmanager
def hold(path: str, waiting: WaitOptions) -> Iterator[None]:
    """Keep other processes from changing a model between reading and writing it."""
    if not is_replaced(path):
        yield
        return
    from addhash.files import locked

    try:
        with locked(
            path, waiting.wait, lambda: say(f"Waiting for another process to finish with {path}.")
        ):
            yield
    except TimeoutError as error:
        raise CommandError(
            f"Another process has been changing {path} for {waiting.wait:g} seconds, so nothing"
            " was changed. Try again later, or wait longer with --wait."
        ) from error
