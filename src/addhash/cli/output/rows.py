"""Rows of results: a table for people, lines for programs, a file of either kind."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, Protocol, cast

from addhash.cli.errors import (
    ReaderGoneError,
    UsageError,
    describe_os_error,
)
from addhash.cli.output.lines import LineOutput, LineStyle
from addhash.cli.output.tables import TableOutput
from addhash.cli.output.targets import extension_of, open_target
from addhash.cli.output.terminal import is_watched
from addhash.cli.output.workbooks import WorkbookOutput
from addhash.cli.output.writing import Format, Keeping

__all__ = ["EXTENSIONS", "Output", "file_format", "open_file", "open_output"]

EXTENSIONS = (".csv", ".tsv", ".jsonl", ".xlsx")


class Output(Protocol):
    """Takes rows of results, batch by batch."""

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Show these rows now."""


def file_format(path: str, output_format: Format | None) -> Format:
    """Return the format of an output file: as the user says, or by its extension."""
    if output_format is not None:
        return "tsv" if output_format == "table" else output_format
    return cast(Format, extension_of(path, EXTENSIONS)[1:])


@contextmanager
def open_output(
    output_format: Format | None,
    keeping: Keeping | None = None,
    *,
    is_cut: bool = True,
    **details: Any,
) -> Iterator[Output]:
    """Open standard output for rows of results.

    Parameters
    ----------
    output_format : {"table", "tsv", "csv", "jsonl"} or None
        None means a table on a terminal and TSV anywhere else.
    keeping : Keeping, optional
        The options on byte order marks and spreadsheets.
    is_cut : bool
        Whether table rows are truncated to the terminal's width.
    **details
        What else differs from the usual style of lines.
    """
    if is_watched(output_format):
        yield TableOutput(is_cut)
        return
    kind = output_format or "tsv"
    if kind == "xlsx":
        raise UsageError("--format xlsx needs a file: name it with --output.")
    style = _style(kind, keeping)
    # Without a header, TSV lines are easy to cut and count.
    style = replace(style, has_names=kind == "csv", is_clean=sys.stdout.isatty(), **details)
    try:
        yield LineOutput(cast(BinaryIO, sys.stdout.buffer), style)
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise ReaderGoneError from error
    except OSError as error:
        if error.filename is None:
            raise describe_os_error(error, "standard output", "write") from error
        raise


@contextmanager
def open_file(
    path: str,
    output_format: Format | None,
    keeping: Keeping | None = None,
    **details: Any,
) -> Iterator[Output]:
    """Open a file for rows of results; it appears once it is complete.

    Parameters
    ----------
    path : str
    output_format : {"tsv", "csv", "jsonl", "xlsx"} or None
        None goes by the extension.
    keeping : Keeping, optional
    **details
        What else differs from the usual style of a file of lines.
    """
    kind = file_format(path, output_format)
    with open_target(path) as file:
        if kind == "xlsx":
            workbook = WorkbookOutput(file)
            try:
                yield workbook
            except BaseException:
                workbook.abandon()
                raise
            workbook.finish()
        else:
            yield LineOutput(file, replace(_style(kind, keeping), **details))


def _style(kind: Format, keeping: Keeping | None) -> LineStyle:
    assert kind in ("tsv", "csv", "jsonl")
    keeping = keeping or Keeping()
    if kind == "jsonl" and (keeping.bom or keeping.spreadsheet):
        option = "--bom" if keeping.bom else "--spreadsheet"
        raise UsageError(f"{option} is for .csv and .tsv, not for {kind}. Leave it out.")
    return LineStyle(
        cast(Any, kind), has_names=True, has_mark=keeping.bom, marks_formulas=keeping.spreadsheet
    )
