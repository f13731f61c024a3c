"""How results are written: the options that commands with rows of results share."""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from addhash.cli.errors import UsageError
from addhash.cli.options.arguments import output_option
from addhash.tables import Kept

Format = Literal["table", "tsv", "csv", "jsonl", "xlsx", "parquet"]


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """How results are shown on standard output."""

    panel = "Writing"
    output_format: Annotated[
        Literal["table", "tsv", "csv", "jsonl"] | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Write the results as a table, tsv, csv or jsonl.",
            show_default="table on a terminal, else tsv",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """Which input columns are written with the results, and how."""

    panel = "Writing"
    keep_columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The input columns to write before the results: all, none, or names separated"
            " by commas.",
            show_default="all if the input has columns",
        ),
    ] = None
    bom: Annotated[
        bool,
        typer.Option(
            help="Start .csv and .tsv with a byte order mark, which tells Excel that they are"
            " UTF-8."
        ),
    ] = False
    decimal_comma: Annotated[
        bool,
        typer.Option(
            help="In .csv and .tsv, write 0,5 instead of 0.5 in the added columns, as spreadsheets"
            " in many countries read it."
        ),
    ] = False
    spreadsheet: Annotated[
        bool,
        typer.Option(
            help="In .csv and .tsv, put a ' in front of texts that a spreadsheet would run as"
            " formulas."
        ),
    ] = False

    @property
    def kept(self) -> Kept | None:
        """The columns to keep; None if the user did not say.

        >>> ColumnOptions(keep_columns="id, date").kept
        ['id', 'date']
        """
        if self.keep_columns is None:
            return None
        if self.keep_columns in ("all", "none"):
            return "all" if self.keep_columns == "all" else ()
        names = [name.strip() for name in self.keep_columns.split(",")]
        if not all(names):
            raise UsageError(
                "--keep-columns must be all, none, or names separated by commas. Got"
                f" {self.keep_columns!r} instead."
            )
        return names


@dataclass(frozen=True, kw_only=True)
class WriteOptions(ColumnOptions):
    """Where rows of results are written, and how."""

    panel = "Writing"
    output: Annotated[
        str | None,
        output_option(
            "Write to a .csv, .tsv, .jsonl, .xlsx or .parquet file instead; the first three"
            " also compressed, as .gz or .zst."
        ),
    ] = None
    output_format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Write the results as a table, tsv, csv, jsonl, xlsx or parquet.",
            show_default="table on a terminal, tsv in a pipe, by extension in a file",
        ),
    ] = None
