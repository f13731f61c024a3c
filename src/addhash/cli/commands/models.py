"""Models in files: loaded, changed by one process at a time, and saved whole."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from addhash.cli.errors import CommandError, UsageError, describe_os_error
from addhash.cli.output.targets import check_target, is_replaced
from addhash.cli.output.terminal import say
from addhash.errors import ModelFileError

__all__ = ["Waiting", "hold", "is_model", "load_classifier", "load_index", "save_model"]

LENGTH_BYTES = 8
MOST_HEADER = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """How long to wait for another process that changes the same model."""

    wait: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="How long to wait while another process changes the model.",
        ),
    ] = 60.0


def is_model(path: str) -> bool:
    """Return whether a file starts like a model: with the length of a JSON header and its brace."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            start = file.read(LENGTH_BYTES + 1)
    except OSError:
        return False
    length = int.from_bytes(start[:LENGTH_BYTES], "little")
    return start[LENGTH_BYTES:] == b"{" and length <= MOST_HEADER


def load_classifier(path: str, documents: str | None = None) -> Any:
    """Load a text classifier.

    Parameters
    ----------
    path : str
    documents : str, optional
        The next argument of the command, in case it is the model and the two were swapped.
    """
    is_other = os.path.exists(path) and not is_model(path)
    if documents is not None and is_other and is_model(documents):
        raise UsageError(f"{path} is not a model, but {documents} is one. Name the model first.")
    import addhash

    return _load(path, addhash.TextClassifier, "addhash fit TRAIN -o MODEL")


def load_index(path: str) -> Any:
    """Load an index of texts."""
    import addhash

    return _load(path, addhash.TextIndex, "addhash vectorize IN -o OUT.index")


def _load(path: str, kind: Any, command: str) -> Any:
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
        reason = str(error).partition(": ")[2] or str(error)
        raise CommandError(
            f"{path} is not a {kind.__name__} that addhash saved: {reason} Make one with: {command}"
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
def hold(path: str, waiting: Waiting) -> Iterator[None]:
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
