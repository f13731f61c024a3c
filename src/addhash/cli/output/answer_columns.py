"""The columns that a command adds to its input's."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from addhash.cli.errors import UsageError
from addhash.cli.input.documents import Document, Documents
from addhash.cli.options.reading import ReadOptions
from addhash.cli.options.writing import Format, WriteOptions
from addhash.cli.output.lines import values_of
from addhash.cli.output.rows import Output, file_format, open_file, open_output
from addhash.cli.output.sheet_columns import SheetColumns
from addhash.cli.output.targets import open_target
from addhash.cli.output.terminal import is_watched
from addhash.tables import Kept

RENAME = "Name the new ones with --name."


def free_names(
    added: Sequence[str],
    source: Documents,
    keep: Kept | None,
    prefix: str,
    name: str | None = None,
    advice: str = "Rename it.",
) -> dict[str, str]:
    """Return names for new columns that the input does not have, in small letters or capitals.

    They get a prefix if it has any of them. A name that the user gave is that of the first column,
    and the beginning of the others.
    """
    there = {column.lower() for column in kept_names(source, keep)}
    ways = [{column: f"{start}{column}" for column in added} for start in ("", prefix)]
    if name:
        ways = [{column: f"{name}_{column}" for column in added} | {added[0]: name}]
    for names in ways:
        used = [new for new in names.values() if new.lower() in there]
        if not used:
            return names
    source.close()
    raise UsageError(
        f"The input already has a column {used[0]!r}, which is the name of a new one. {advice}"
    )


def kept_names(source: Documents, keep: Any) -> Sequence[str]:
    """Return the names of the columns that are kept."""
    if keep is None:
        return source.columns if source.has_columns else ()
    return source.columns if keep == "all" else keep


def shows_texts(writing: WriteOptions) -> bool:
    """Return whether results are a table for a person, with the text instead of all columns."""
    is_usual = writing.output is None and writing.keep_columns is None
    return is_usual and is_watched(writing.output_format)


class Answers(Protocol):
    """Takes the answers to documents, batch by batch."""

    def write(self, answers: Iterable[tuple[Document, Mapping[str, Any]]]) -> None:
        """Write the documents with their answers now."""


@contextmanager
def opened_beside(
    writing: WriteOptions,
    source: Documents,
    reading: ReadOptions,
    rounded: list[str],
    *,
    keep: Kept | None = None,
    in_place: bool = False,
    encoding: str | None = None,
    is_one_each: bool = True,
) -> Iterator[Answers]:
    """Open the output for the documents of an input with columns added.

    Parameters
    ----------
    writing : WriteOptions
    source : Documents
    reading : ReadOptions
    rounded : list of str
        The added columns of scores.
    keep : "all", list of str, or None
        The columns of the input that are kept.
    in_place : bool
        The output is the input.
    encoding : str, optional
        Of a file of text; UTF-8 if it is not given, or the input's if it is in place.
    is_one_each : bool
        Each document gets one answer.
    """
    if writing.output is None:
        is_table = is_watched(writing.output_format)
        with open_output(writing.output_format, writing, rounded=rounded) as output:
            yield _Beside(output, is_table, shows_texts(writing))
        return
    kind: Format = file_format(writing.output, writing.output_format, is_copy=True)
    is_whole = not reading.where and keep in (None, "all") and is_one_each
    if kind == source.source.kind == "xlsx" and is_whole:
        with _opened_sheet(writing.output, source) as sheet:
            yield sheet
        return
    details: dict[str, Any] = {"rounded": rounded}
    if encoding is not None:
        details["encoding"] = encoding
    if in_place:
        details |= {"encoding": reading.encoding, "has_names": not reading.no_header}
    with open_file(writing.output, writing.output_format, writing, source, **details) as output:
        yield _Beside(output, False, False)


class _Beside:
    """The kept columns of a document and the answer, which comes first in a table."""

    def __init__(self, output: Output, is_table: bool, shows_text: bool) -> None:
        self._output = output
        self._is_table = is_table
        self._shows_text = shows_text

    def write(self, answers: Iterable[tuple[Document, Mapping[str, Any]]]) -> None:
        self._output.write([self._row(document, answer) for document, answer in answers])

    def _row(self, document: Document, answer: Mapping[str, Any]) -> dict[str, Any]:
        if self._shows_text:
            return {**answer, "text": document.text}
        return {**answer, **document.kept} if self._is_table else {**document.kept, **answer}


@contextmanager
def _opened_sheet(path: str, source: Documents) -> Iterator[Answers]:
    """Open a copy of a workbook; its answers are kept until all are there."""
    sheet = source.sheet
    # The documents close their file when they have been read.
    with os.fdopen(os.dup(sheet.data.fileno()), "rb") as data, open_target(path) as file:
        columns = SheetColumns(data, sheet.sheet, len(source.columns), str(source.source), path)
        columns.check()
        answers = _SheetAnswers(sheet.header_row)
        yield answers
        columns.write(file, answers.rows, sheet.header_row)


class _SheetAnswers:
    """The new cells of a sheet by row."""

    def __init__(self, header_row: int | None) -> None:
        self.rows: dict[int, list[Any]] = {}
        self._header_row = header_row
        self._names: list[str] | None = None

    def write(self, answers: Iterable[tuple[Document, Mapping[str, Any]]]) -> None:
        for document, answer in answers:
            if self._names is None:
                self._names = list(answer)
                if self._header_row is not None:
                    self.rows[self._header_row] = list(self._names)
            self.rows[document.line] = values_of(answer, self._names)
