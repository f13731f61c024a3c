"""Results as data frames, for those who have pandas."""

from collections.abc import Mapping
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
