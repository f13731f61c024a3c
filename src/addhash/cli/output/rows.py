"""Rows of results: a table for people, lines for programs, a file of either kind."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO, Protocol, cast

from addhash.cli.errors import ReaderGoneError, UsageError, describe_os_error
from addhash.cli.input.documents import Documents
from addhash.cli.options.writing import ColumnOptions, Format
from addhash.cli.output.lines import LineOutput, LineStyle
from addhash.cli.output.parquet import ParquetOutput
from addhash.cli.output.sheet_columns import MACROS
from addhash.cli.output.tables import TableOutput
from addhash.cli.output.targets import extension_of, open_target
from addhash.cli.output.terminal import is_watched
from addhash.cli.output.workbooks import WorkbookOutput

BATCH = 4096
EXTENSIONS = (".csv", ".tsv", ".jsonl", ".xlsx", ".parquet")


class Output(Protocol):
    """Takes rows of results, batch by batch."""

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Show these rows now."""


def write_all(output: Output, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write any number of rows, a few at a time."""
    rows = iter(rows)
    while batch := list(islice(rows, BATCH)):
        output.write(batch)


def file_format(path: str, output_format: Format | None, *, is_copy: bool = False) -> Format:
    """Return the format of an output file: as the user says, or by its extension.

    Parameters
    ----------
    path : str
    output_format : {"table", "tsv", "csv", "jsonl", "xlsx", "parquet"} or None
    is_copy : bool
        It may be a copy of a workbook with macros; a new workbook has none.
    """
    if output_format is not None:
        return "tsv" if output_format == "table" else output_format
    if is_copy and path.lower().endswith(MACROS):
        return "xlsx"
    return cast(Format, extension_of(path, EXTENSIONS)[1:])


@contextmanager
def open_output(
    output_format: Format | None,
    keeping: ColumnOptions | None = None,
    *,
    is_cut: bool = True,
    **details: Any,
) -> Iterator[Output]:
    """Open standard output for rows of results.

    Parameters
    ----------
    output_format : {"table", "tsv", "csv", "jsonl"} or None
        None means a table on a terminal and TSV anywhere else.
    keeping : ColumnOptions, optional
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
    if kind in ("xlsx", "parquet"):
        raise UsageError(f"--format {kind} needs a file: name it with --output.")
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
    keeping: ColumnOptions | None = None,
    like: Documents | None = None,
    **details: Any,
) -> Iterator[Output]:
    """Open a file for rows of results; it appears once it is complete.

    Parameters
    ----------
    path : str
    output_format : {"tsv", "csv", "jsonl", "xlsx", "parquet"} or None
        None goes by the extension.
    keeping : ColumnOptions, optional
    like : Documents, optional
        The input, if its columns are written: the output is laid out like it as far as it fits.
    **details
        What else differs from the usual style of a file of lines.
    """
    kind = file_format(path, output_format)
    with open_target(path) as file:
        if kind == "xlsx":
            workbook = WorkbookOutput(file, _numeric(like))
            try:
                yield workbook
            except BaseException:
                workbook.abandon()
                raise
            workbook.finish()
        elif kind == "parquet":
            schema = None if like is None else like.schema
            table = ParquetOutput(file, schema, details.get("rounded") or ())
            yield table
            table.finish()
        else:
            yield LineOutput(file, replace(_style(kind, keeping, like), **details))


def _numeric(like: Documents | None) -> list[str]:
    """Return the columns of texts that may be numbers."""
    if like is None or like.source.kind not in ("csv", "tsv"):
        return []
    return [name for name in like.columns if name not in like.text_columns]


def _style(kind: Format, keeping: ColumnOptions | None, like: Documents | None = None) -> LineStyle:
    assert kind in ("tsv", "csv", "jsonl")
    keeping = keeping or ColumnOptions()
    given = {
        "--bom": keeping.bom,
        "--decimal-comma": keeping.decimal_comma,
        "--spreadsheet": keeping.spreadsheet,
    }
    if kind == "jsonl" and any(given.values()):
        option = next(name for name, is_given in given.items() if is_given)
        raise UsageError(f"{option} is for .csv and .tsv, not for {kind}. Leave it out.")
    style = LineStyle(
        cast(Any, kind),
        has_names=True,
        has_mark=keeping.bom,
        marks_formulas=keeping.spreadsheet,
        decimal_mark="," if keeping.decimal_comma else ".",
    )
    if like is None:
        return style
    # Backslashes of a .tsv file are as they are.
    style = replace(style, is_escaped=like.source.kind != "tsv")
    if like.source.kind != kind:
        return style
    layout = like.layout
    return replace(
        style,
        has_mark=keeping.bom or (layout.has_mark and kind != "jsonl"),
        delimiter=layout.delimiter or ",",
        line_end=layout.line_end,
        header=dict(zip(like.columns, layout.header or like.columns, strict=True)),
    )
