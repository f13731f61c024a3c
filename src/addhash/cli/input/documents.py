"""Documents from files and standard input, as the options say."""

import io
import json
import os
import shlex
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Literal

from addhash import tables
from addhash.cli.errors import (
    CommandError,
    UsageError,
    check_text,
    describe_os_error,
    in_words,
    no_such_file,
)
from addhash.cli.input.sources import STANDARD_INPUT, standard_input
from addhash.cli.options.reading import DecodeOptions, LabelOptions, ReadOptions
from addhash.cli.output.terminal import note
from addhash.errors import TableChoiceError
from addhash.tables import Document, Kept, Kind, Source

__all__ = ["Document", "Documents", "given", "in_lots", "look_at", "read_text"]

LOT_DOCUMENTS = 16_384


class Documents(tables.Documents):
    """The documents of a source, in batches of whatever has arrived.

    Parameters
    ----------
    path : str or list of str
        A file, or "-" for standard input; or the texts themselves.
    reading : ReadOptions
    labelling : LabelOptions
    labels : {"needed", "wanted", "ignored"}
        Whether documents need labels; "wanted" takes them if there are any.
    keep : "all", list of str, or None
        The columns that go to the output with each document; None means all if the source has
        columns.
    usual : tuple of str
        The text columns to take by default, if the source has them.
    reports : bool
        Say at the end which rows could not be read and were skipped.
    """

    def __init__(
        self,
        path: str | list[str],
        reading: ReadOptions,
        labelling: LabelOptions | None = None,
        labels: Literal["needed", "wanted", "ignored"] = "ignored",
        keep: Kept | None = (),
        *,
        usual: tuple[str, ...] = (),
        reports: bool = True,
    ) -> None:
        self._reports = reports
        apart: dict[str, Any] = {}
        labelling = labelling or LabelOptions()
        if labelling.labels is not None and labels != "ignored":
            if labelling.labels == path == STANDARD_INPUT:
                raise UsageError("Texts and labels cannot both come from standard input.")
            lines, file = _named(labelling.labels, "txt")
            apart = {"lines": lines, "file": file}
        where = tables.Labelling(
            column=labelling.label_column, constant=labelling.constant, **apart
        )
        if isinstance(path, str):
            source, file = _named(path, reading.input_format)
        else:
            source, file = _texts(path)
        try:
            super().__init__(
                source,
                reading.settings(usual),
                labels=labels,
                labelling=where,
                keep=keep,
                file=file,
            )
        except OSError as error:
            raise describe_os_error(error, str(error.filename or source), "read") from error

    def __iter__(self) -> Iterator[list[Document]]:
        try:
            yield from super().__iter__()
        except OSError as error:
            raise describe_os_error(error, str(self.source), "read") from error
        if self._reports and self.skipped.count:
            note(_told(self.skipped, self))


def _told(skipped: tables.Skipped, documents: tables.Documents) -> str:
    noun = documents.places[-1]
    places = ", ".join(f"{line:,}" for line in skipped.lines)
    more = ", ..." if skipped.count > len(skipped.lines) else ""
    rows = "row" if skipped.count == 1 else "rows"
    nouns = noun if skipped.count == 1 else f"{noun}s"
    return (
        f"Skipped {skipped.count:,} {rows} of {documents.source} that could not be read: {nouns}"
        f" {places}{more}. The first of them: {in_words(skipped.first)}"
    )


def _texts(texts: list[str]) -> tuple[Source, BinaryIO]:
    """Return texts of the command line as a source."""
    for text in texts:
        check_text(text)
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    return Source("--text", "jsonl"), io.BytesIO(lines.encode())


def given(documents: str | None, texts: list[str] | None) -> str | list[str]:
    """Return the documents that a command was given: a file, or texts with --text."""
    if texts and documents is not None:
        raise UsageError(f"{documents} and --text both name the documents. Give only one of them.")
    if not texts and documents is None:
        raise UsageError("Name a file of documents, or give a text with --text.")
    if texts:
        return texts
    assert documents is not None
    if documents != STANDARD_INPUT and not os.path.exists(documents):
        raise no_such_file(
            documents,
            f" Check the name; or, if it is a text, did you mean --text {shlex.quote(documents)}?",
        )
    return documents


def _named(path: str, kind: Kind | None) -> tuple[Source, BinaryIO | None]:
    """Return what an argument names, and its bytes if they are open already."""
    if path == STANDARD_INPUT:
        return Source("standard input", kind or "txt"), standard_input()
    if os.path.isdir(path):
        raise CommandError(f"Cannot read {path}: it is a directory. Name a file.")
    if not os.path.exists(path):
        raise no_such_file(path)
    try:
        return Source.named(path, kind), None
    except TableChoiceError:
        from addhash.files import is_model

        if is_model(path):
            raise UsageError(f"{path} is a model. Name a file of documents.") from None
        raise


def look_at(path: str, reading: ReadOptions) -> tables.Preview:
    """Look at the beginning of a file or of standard input."""
    source, file = _named(path, reading.input_format)
    try:
        return tables.preview(source, reading.settings(), file=file)
    except OSError as error:
        raise describe_os_error(error, path, "read") from error


def in_lots(batches: Iterable[list[Document]]) -> Iterator[list[Document]]:
    """Join batches into lots that are worth the fixed cost of a call."""
    lot: list[Document] = []
    for batch in batches:
        lot += batch
        if len(lot) >= LOT_DOCUMENTS:
            yield lot
            lot = []
    if lot:
        yield lot


def read_text(path: str, decoding: DecodeOptions) -> str:
    """Return the whole of a file or of standard input as one text."""
    source, file = _named(path, "txt")
    try:
        return tables.read_text(source, decoding.decoding, file=file)
    except OSError as error:
        raise describe_os_error(error, path, "read") from error
