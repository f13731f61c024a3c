"""Input documents written unchanged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from addhash.cli.errors import CommandError, UsageError
from addhash.cli.input.documents import Documents
from addhash.cli.output.rows import EXTENSIONS, Output, file_format, open_file
from addhash.cli.output.targets import check_target, extension_of, open_target


def check_outputs(given: Mapping[str, str], inputs: Iterable[str], documents: str | None) -> None:
    """Refuse outputs of unknown formats, and those that would replace an input or each other.

    Parameters
    ----------
    given : mapping of str to str
        Files by the options that name them.
    inputs : iterable of str
    documents : str or None
        The option whose file takes rows of the input; the others take tables.
    """
    for option, path in given.items():
        if option == documents:
            _format(path)
        else:
            file_format(path, None)
        check_target(path, [*inputs, *(p for name, p in given.items() if name != option)])


def _format(path: str) -> str:
    """Return the format of a file for documents, by its extension."""
    return extension_of(path, (".txt", *EXTENSIONS))[1:]


@contextmanager
def open_documents(path: str, like: Documents, encoding: str) -> Iterator[Output]:
    """Open a file for rows of the input; it appears once it is complete.

    Parameters
    ----------
    path : str
    like : Documents
        The input: layout and types are taken from it if they fit.
    encoding : str
        Of text files.
    """
    if _format(path) == "txt":
        if len(like.text_columns) > 1:
            raise UsageError("A .txt file holds one column of texts. Write a .csv file.")
        with open_target(path) as file:
            yield _Texts(file, like.text_columns[0], encoding)
    else:
        with open_file(path, None, None, like, encoding=encoding) as output:
            yield output


class _Texts:
    """One text per line."""

    def __init__(self, file: BinaryIO, column: str, encoding: str) -> None:
        self._file = file
        self._column = column
        self._encoding = encoding

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add the texts of these rows."""
        for row in rows:
            text = row[self._column]
            if "\n" in text:
                raise CommandError(
                    "A text has several lines, which a .txt file cannot represent. Write a .csv"
                    " file."
                )
            self._file.write((text + "\n").encode(self._encoding))
