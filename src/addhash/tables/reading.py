"""How a table is read."""

import re
from dataclasses import dataclass
from typing import Literal

from addhash.errors import Parameter, TableChoiceError

Kind = Literal["txt", "csv", "tsv", "jsonl", "xlsx", "parquet"]

ENCODING = "utf-8"
MAX_SIZE = "64M"
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How bytes become text.

    Parameters
    ----------
    encoding : str
        The encoding of text files.
    errors : {"strict", "replace", "ignore"}
        What to do with bytes that are not valid in that encoding.
    max_size : str
        The most that a record may take, such as "64M"; "0" means no limit. A compressed file that
        unpacks to more than this and to over 250 times its own size is refused.
    """

    encoding: str = ENCODING
    errors: Literal["strict", "replace", "ignore"] = "strict"
    max_size: str = MAX_SIZE

    @property
    def limit(self) -> int | None:
        """The most that a record may take, in bytes; None if there is no limit.

        Examples
        --------
        >>> Decoding(max_size="2K").limit
        2048
        """
        match = re.fullmatch(r"(\d{1,12})([KMG]?)B?", self.max_size.strip().upper())
        if match is None:
            raise TableChoiceError(
                Parameter("max_size"),
                f" must be a number such as 500M or 2G. Got {self.max_size!r} instead.",
            )
        return int(match[1]) * UNITS[match[2]] or None


@dataclass(frozen=True, kw_only=True)
class Reading(Decoding):
    """Which documents of a table are read, and how.

    Parameters
    ----------
    text_columns : tuple of str
        The text column; the texts of several are joined by a space, without those that are empty.
        A column is named, or numbered from 1 as in "#2". None means that it is to be detected.
    usual_text_columns : tuple of str
        The columns to take by default, if the table has them.
    where : tuple of str
        Conditions such as "language=English". Rows must match one for each column that occurs.
    kind : {"txt", "csv", "tsv", "jsonl", "xlsx", "parquet"} or None
        The format; None goes by the file's name.
    has_header : bool
        Whether the first row of .csv, .tsv and .xlsx has the names of the columns; otherwise they
        are numbered from 1.
    delimiter : str or None
        The field separator of .csv, a character or "tab"; None if it is to be detected.
    sheet : str or None
        The sheet of an .xlsx file; None means the first.
    on_bad_rows : {"stop", "skip"}
        What to do with a row that cannot be read, such as one with too few fields.
    """

    text_columns: tuple[str, ...] = ()
    usual_text_columns: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    kind: Kind | None = None
    has_header: bool = True
    delimiter: str | None = None
    sheet: str | None = None
    on_bad_rows: Literal["stop", "skip"] = "stop"
