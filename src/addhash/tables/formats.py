"""Which reader a source needs."""

from addhash.errors import Parameter, TableChoiceError
from addhash.tables.delimited import CsvRecords, TsvRecords
from addhash.tables.json_lines import JsonRecords
from addhash.tables.lines import Lines
from addhash.tables.parquet import ParquetRecords
from addhash.tables.reading import Reading
from addhash.tables.records import Records, TextRecords
from addhash.tables.sources import Opened, Source
from addhash.tables.workbooks import WorkbookRecords


def open_records(opened: Opened, reading: Reading) -> Records:
    """Read an open source in the format of its kind."""
    kind = opened.source.kind
    _check_fits(opened.source, reading)
    if kind == "parquet":
        return ParquetRecords(opened)
    if kind == "xlsx":
        return WorkbookRecords(opened, reading.has_header, reading.sheet)
    lines = Lines(opened, reading)
    if kind == "txt":
        return TextRecords(opened, lines)
    if kind == "jsonl":
        return JsonRecords(opened, lines, reading.errors)
    if kind == "csv":
        return CsvRecords(opened, lines, reading.has_header, reading.delimiter)
    return TsvRecords(opened, lines, reading.has_header)


def _check_fits(source: Source, reading: Reading) -> None:
    """Refuse a parameter that is for other formats."""
    given: list[tuple[Parameter, bool, tuple[str, ...]]] = [
        (Parameter("has_header", False), not reading.has_header, ("csv", "tsv", "xlsx")),
        (Parameter("delimiter"), reading.delimiter is not None, ("csv",)),
        (Parameter("sheet"), reading.sheet is not None, ("xlsx",)),
    ]
    for parameter, is_given, kinds in given:
        if is_given and source.kind not in kinds:
            listed = " and ".join(f".{name}" for name in kinds)
            raise TableChoiceError(
                parameter,
                f" is for {listed}, but {source} is read as {source.kind}. Leave it out, or name"
                " another ",
                Parameter("kind"),
                ".",
            )
