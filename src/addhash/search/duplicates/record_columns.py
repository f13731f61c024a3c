"""The columns of tables of records: Arrow, pandas, Polars, dicts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from addhash.errors import DocumentError


def columns_of(records: Any, names: Sequence[str], owner: str = "records") -> dict[str, list[Any]]:
    """Return the values of columns, None where one is missing: None, NaN or blank.

    Examples
    --------
    >>> from addhash.search.duplicates.record_columns import columns_of
    >>> columns_of([{"name": "Ann", "age": 3}, {"name": " "}], ["name", "age"])
    {'name': ['Ann', None], 'age': [3, None]}
    """
    columns = _table_columns(records, names, owner)
    if columns is None:
        columns = _row_columns(records, names, owner)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DocumentError(f"The columns of the {owner} differ in length: {lengths}.")
    return {name: [_present(value) for value in values] for name, values in columns.items()}


def _table_columns(records: Any, names: Sequence[str], owner: str) -> dict[str, list[Any]] | None:
    """Return the columns of a table: what has column names, and columns under these names."""
    known = getattr(records, "column_names", None)  # pyarrow
    if known is None:
        known = list(records) if isinstance(records, Mapping) else getattr(records, "columns", None)
    if known is None:
        return None
    known = list(known)
    for name in names:
        if known.count(name) != 1:
            fault = "several columns" if name in known else "no column"
            raise DocumentError(
                f"The {owner} have {fault} {name!r}. There are"
                f" {', '.join(map(str, known)) or 'none'}."
            )
    return {name: _values(records[name]) for name in names}


def _values(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _row_columns(records: Any, names: Sequence[str], owner: str) -> dict[str, list[Any]]:
    if isinstance(records, (str, bytes)) or not isinstance(records, Iterable):
        raise DocumentError(
            f"The {owner} must be a table (Arrow, pandas, Polars, a dict of columns) or dicts. Got"
            f" {type(records).__name__}."
        )
    columns: dict[str, list[Any]] = {name: [] for name in names}
    seen: set[str] = set()
    for position, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise DocumentError(
                f"Record {position} of the {owner} is {record!r:.60} of type"
                f" {type(record).__name__}; expected a dict."
            )
        seen.update(record)
        for name, values in columns.items():
            values.append(record.get(name))
    unknown = [name for name in names if name not in seen]
    if seen and unknown:
        raise DocumentError(
            f"No record of the {owner} has a field {unknown[0]!r}. There are"
            f" {', '.join(sorted(map(str, seen)))}."
        )
    return columns


def _present(value: Any) -> Any:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas
        return None
    return None if isinstance(value, float) and value != value else value
