"""Which reader a source needs."""

from addhash.cli.errors import UsageError
from addhash.cli.input.json_lines import JsonRecords
from addhash.cli.input.lines import Lines
from addhash.cli.input.parquet import ParquetRecords
from addhash.cli.input.reading import Reading
from addhash.cli.input.records import Records, TextRecords
from addhash.cli.input.sources import Opened
from addhash.cli.input.tables import CsvRecords, TsvRecords
from addhash.cli.input.workbooks import WorkbookRecords

__all__ = ["open_records"]

# The formats that an option is for.
_OPTIONS = {
    "--no-header": ("csv", "tsv", "xlsx"),
    "--delimiter": ("csv",),
    "--sheet": ("xlsx",),
}


def open_records(opened: Opened, reading: Reading) -> Records:
    """Read an open source in the format of its kind."""
    kind = opened.source.kind
    given = {
        "--no-header": reading.no_header,
        "--delimiter": reading.delimiter is not None,
        "--sheet": reading.sheet is not None,
    }
    for option, kinds in _OPTIONS.items():
        if given[option] and kind not in kinds:
            listed = " and ".join(f".{name}" for name in kinds)
            raise UsageError(
                f"{option} is for {listed}, but {opened.source} is read as {kind}. Leave it out,"
                " or name another --input-format."
            )
    if kind == "parquet":
        return ParquetRecords(opened)
    if kind == "xlsx":
        return WorkbookRecords(opened, not reading.no_header, reading.sheet)
    lines = Lines(opened, reading)
    if kind == "txt":
        return TextRecords(opened, lines)
    if kind == "jsonl":
        return JsonRecords(opened, lines, reading.errors)
    if kind == "csv":
        return CsvRecords(opened, lines, not reading.no_header, reading.delimiter)
    return TsvRecords(opened, lines, not reading.no_header)
