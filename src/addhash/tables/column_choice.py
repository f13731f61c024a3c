"""Which columns hold the texts and the labels: named by the user, or detected if unambiguous."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from addhash.errors import Parameter, TableChoiceError, TableError

TEXT_NAMES = frozenset(
    ["body", "comment", "content", "document", "message", "review", "sentence", "sms", "text"]
)
LABEL_NAMES = frozenset(
    ["category", "class", "label", "lang", "language", "sentiment", "tag", "target"]
)


class Choice(NamedTuple):
    """The columns of a table that are read.

    Attributes
    ----------
    texts : tuple of str
        The text columns.
    label : str or None
        The label column.
    """

    texts: tuple[str, ...]
    label: str | None


class Columns:
    """The columns of a table.

    Parameters
    ----------
    source : str
        The table, for messages.
    names : list of str
        A name of its own for each column.
    header : sequence of str or None
        The names as they are written, which may occur more than once; None if there are none.
    """

    def __init__(
        self, source: str, names: Sequence[str], header: Sequence[str] | None = None
    ) -> None:
        self._source = source
        self._names = list(names)
        self._header = [name.strip() for name in header or ()]

    def named(self, wanted: str, parameter: str) -> str:
        """Return the name of a column that was asked for.

        Parameters
        ----------
        wanted : str
            Its name, or its number, such as "#2".
        parameter : str
            What asks for it, for messages.

        Examples
        --------
        >>> Columns("news.csv", ["id", "text"]).named("#2", "text_column")
        'text'
        """
        if wanted in self._names:
            self._check_single(wanted, parameter)
            return wanted
        number = re.fullmatch(r"#(\d{1,6})", wanted)
        if number is not None and 1 <= int(number[1]) <= len(self._names):
            return self._names[int(number[1]) - 1]
        said = f"{self._source} has no column {wanted!r}; it has {_listed(self._names)}."
        close = get_close_matches(wanted, self._names, 1)
        if close:
            raise TableChoiceError(f"{said} Did you mean {close[0]!r}?")
        raise TableChoiceError(f"{said} Name one of them with ", Parameter(parameter), ".")

    def _check_single(self, name: str, parameter: str) -> None:
        places = [i for i, written in enumerate(self._header, 1) if written == name]
        if len(places) > 1:
            raise TableChoiceError(
                f"{self._source} has {len(places)} columns named {name!r}: columns"
                f" {_joined(places)}. Name one by its number, such as ",
                Parameter(parameter, f"#{places[-1]}"),
                ".",
            )

    def choose(
        self,
        texts: Sequence[str] = (),
        label: str | None = None,
        *,
        needs_label: bool = False,
        usual: Sequence[str] = (),
    ) -> Choice:
        """Return the text columns and the label column.

        Parameters
        ----------
        texts : sequence of str
            The text columns that the user named.
        label : str or None
            The label column that the user named.
        needs_label : bool
            Whether it is an error if there are no labels.
        usual : sequence of str
            The text columns to take if the user named none and the table has them.

        Examples
        --------
        >>> Columns("news.csv", ["id", "Text", "label"]).choose(needs_label=True)
        Choice(texts=('Text',), label='label')
        >>> Columns("news.csv", ["headline", "label"]).choose(needs_label=True)
        Choice(texts=('headline',), label='label')
        """
        chosen = [self.named(name, "text_column") for name in texts] or self._usual(usual)
        repeated = next((name for name in chosen if chosen.count(name) > 1), None)
        if repeated is not None:
            raise TableChoiceError(
                Parameter("text_column"),
                f" names {repeated!r} twice. Name each column once.",
            )
        if label is not None:
            label = self.named(label, "label_column")
        names = self._names
        if not chosen:
            text = _only([n for n in names if n.lower() in TEXT_NAMES and n != label])
            chosen = [] if text is None else [text]
        if label is None:
            label = _only([n for n in names if n.lower() in LABEL_NAMES and n not in chosen])
            if label is not None and needs_label:
                self._check_single(label, "label_column")
        if not chosen:
            text = _only([name for name in names if name != label])
            if text is None:
                raise self._unclear("texts", "text_column")
            chosen = [text]
        if not texts:
            for name in chosen:
                self._check_single(name, "text_column")
        if label is None and needs_label:
            label = _only([name for name in names if name not in chosen])
            if label is None:
                raise self._unclear("labels", "label_column")
        if label in chosen:
            raise TableChoiceError(
                Parameter("text_column"),
                " and ",
                Parameter("label_column"),
                f" both name {label!r} in {self._source}. Name two columns.",
            )
        return Choice(tuple(chosen), label)

    def _usual(self, usual: Sequence[str]) -> list[str]:
        """Return the usual columns, if all are there; some of them are not enough."""
        there = [name for name in usual if name in self._names]
        if there and len(there) < len(usual):
            absent = _joined([repr(name) for name in usual if name not in there])
            raise TableChoiceError(
                f"The model reads the columns {_joined([repr(name) for name in usual])}, and"
                f" {self._source} has no {absent}. Name its columns with ",
                Parameter("text_column"),
                ".",
            )
        return there

    def _unclear(self, what: str, parameter: str) -> TableChoiceError:
        if self._names == ["text"] and what == "labels":
            return TableChoiceError(
                f"{self._source} contains texts but no labels. Give them in a separate file, one"
                " per line, with ",
                Parameter("labels", "FILE"),
                ". If it is a table, name its format, such as with ",
                Parameter("kind", "csv"),
                ".",
            )
        parts: list[str | Parameter] = [
            f"Cannot tell which column of {self._source} holds the {what}: it has"
            f" {_listed(self._names)}. Name one with ",
            Parameter(parameter),
            ".",
        ]
        if self._names != [str(i) for i in range(1, len(self._names) + 1)]:
            parts += [
                " If these are values rather than names, add ",
                Parameter("has_header", False),
                " and give a number, such as ",
                Parameter(parameter, "1"),
                ".",
            ]
        return TableChoiceError(*parts)


def check_unique(source: str, names: Sequence[str]) -> None:
    """Refuse names that occur more than once, where a column has nothing but its name."""
    for name in names:
        places = [i for i, other in enumerate(names, 1) if other == name]
        if len(places) > 1:
            raise TableError(
                f"{source} has {len(places)} columns named {name!r}: columns {_joined(places)}."
                " Rename them.",
            )


def _joined(items: Sequence[object]) -> str:
    """Join items as a sentence does.

    >>> _joined([1, 3, 5])
    '1, 3 and 5'
    """
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}" if most else last


def _only(candidates: list[str]) -> str | None:
    return candidates[0] if len(candidates) == 1 else None


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name[:40]) for name in names[:12])
    return shown + (", ..." if len(names) > 12 else "")
