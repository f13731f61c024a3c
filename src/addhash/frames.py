"""Results as data frames, for those who have pandas, and as tables of a notebook."""

from collections.abc import Iterable, Mapping
from html import escape
from importlib import import_module
from typing import Any, ClassVar, TypeVar

Item = TypeVar("Item")


def data_frame(columns: Mapping[str, Any]) -> Any:
    """Return a pandas DataFrame of columns.

    Examples
    --------
    >>> from addhash.frames import data_frame
    >>> data_frame({"label": ["ham", "spam"], "texts": [3, 1]}).shape
    (2, 2)
    """
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas, which is not installed: pip install pandas. to_dict returns"
            " the same columns as lists, for any other library."
        ) from error
    return pandas.DataFrame(dict(columns))


def html_table(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table for a notebook.

    >>> html_table(["class", "texts"], [["<b>", 2]])
    '<table><tr><th>class</th><th>texts</th></tr><tr><td>&lt;b&gt;</td><td>2</td></tr></table>'
    """
    lines = ["".join(f"<th>{name}</th>" for name in names)]
    lines += ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


class Rows(list[Item]):
    """A list of results that can become a data frame.

    Examples
    --------
    >>> from addhash import languages
    >>> languages.known().to_frame().set_index("code").loc["deu", "name"]
    'German'
    """

    columns: ClassVar[tuple[str, ...]]  # the attributes of each result that are shown

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the results as columns.

        Returns
        -------
        columns : dict of str to list
        """
        return {name: [getattr(item, name) for item in self] for name in self.columns}

    def to_frame(self) -> Any:
        """Return the results as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
        """
        return data_frame(self.to_dict())
