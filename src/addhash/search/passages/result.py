"""The result of a search for passages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from addhash.arrays import Ids
from addhash.errors import DocumentError
from addhash.frames import data_frame
from addhash.parameters import PASSAGES, check_values
from addhash.runtime import native
from addhash.text.reading import as_strings, batches

Keep = Literal["first", "all"]


class Places(NamedTuple):
    """Where passages stand: the text, the first character and the one after the last.

    In the order of the texts. `passage` is a number in the table of passages.
    """

    document: Ids
    start: Ids
    end: Ids
    passage: Ids


class PassageTable(NamedTuple):
    """Each passage: its words, in how many texts it stands, and its first place.

    A passage also stands within longer ones, so it may stand in more texts than it has places.
    """

    words: Ids
    documents: Ids
    first_document: Ids
    first_start: Ids


class Cuts(NamedTuple):
    """What to cut: the text, the first character and the one after the last."""

    document: Ids
    start: Ids
    end: Ids


@dataclass(frozen=True)
class Groups:
    """The group of each text, and how many texts each group has."""

    numbers: npt.NDArray[np.uint32]
    sizes: Ids

    @classmethod
    def of(cls, by: Iterable[Any]) -> "Groups":
        """Return the groups, numbered as they come."""
        seen: dict[Any, int] = {}
        numbers = np.fromiter((seen.setdefault(group, len(seen)) for group in by), np.uint32)
        return cls(numbers, np.bincount(numbers, minlength=len(seen)))

    @property
    def digest(self) -> str:
        """What tells these groups from others."""
        return blake2b(self.numbers.tobytes(), digest_size=16).hexdigest()


class Passages:
    """Passages and their places.

    `len` is the number of passages.

    Attributes
    ----------
    places : Places
        Every place where a passage cannot be extended.
    table : PassageTable
        The passages themselves.
    n_documents : int
        How many texts were searched.
    """

    def __init__(
        self, finder: native.PassageFinder, n_documents: int, groups: Groups | None
    ) -> None:
        self._finder = finder
        self._groups = groups
        self.n_documents = n_documents
        self.places = Places(*(column.astype(np.int64) for column in finder.places()))
        self.table = PassageTable(*(column.astype(np.int64) for column in finder.passages()))

    def __len__(self) -> int:
        return len(self.table.words)

    def __repr__(self) -> str:
        return f"<Passages: {self}>"

    def __str__(self) -> str:
        affected = int(np.count_nonzero(np.diff(self.places.document, prepend=-1)))
        return (
            f"{len(self):,} in {affected:,} of {self.n_documents:,} texts; places:"
            f" {len(self.places.document):,}"
        )

    def to_frame(self) -> Any:
        """Return the places as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns of `places` and, for the passage of each, those of `table`.
        """
        columns = {name: column[self.places.passage] for name, column in self._table_columns()}
        return data_frame({**self.places._asdict(), **columns})

    def _table_columns(self) -> Iterable[tuple[str, Ids]]:
        return self.table._asdict().items()

    def cuts(self, *, keep: Keep = "first", above: float | None = None) -> Cuts:
        """Return what to cut from the texts.

        A word is cut if it lies in a run of `min_words` words that is to be cut. A cut reaches to
        the next word, so that no punctuation is left behind.

        Parameters
        ----------
        keep : {"first", "all"}, default="first"
            "first": cut a run if it stood before, in an earlier text or earlier in the same one.
        above : float, optional
            Cut a run everywhere, also where it stands first, if it stands in more than this share
            of the texts, or of those of its group.

        Returns
        -------
        cuts : Cuts
            In order, and apart from each other.
        """
        check_values("cuts", PASSAGES, {"keep": keep, "above": above})
        groups = np.empty(0, np.uint32) if self._groups is None else self._groups.numbers
        most = np.empty(0, np.uint32)
        if above is not None:
            sizes = [self.n_documents] if self._groups is None else self._groups.sizes
            most = (np.floor(np.asarray(sizes) * float(above)) + 1).astype(np.uint32)
        found = self._finder.cuts(repeats=keep == "first", most=most, groups=groups)
        return Cuts(*(column.astype(np.int64) for column in found))

    def clean(
        self,
        texts: Iterable[Any],
        *,
        keep: Keep = "first",
        above: float | None = None,
        mark: str = "",
    ) -> Iterator[str]:
        """Yield the texts without what is to be cut.

        Parameters
        ----------
        texts : iterable of str or bytes
            Those that were searched, in the same order.
        keep : {"first", "all"}, default="first"
        above : float, optional
            Both as in `cuts`.
        mark : str, default=""
            What to put where something was cut.

        Yields
        ------
        text : str
        """
        check_values("clean", PASSAGES, {"keep": keep, "above": above, "mark": mark})
        return self._cleaned(texts, self.cuts(keep=keep, above=above), mark)

    def _cleaned(self, texts: Iterable[Any], cuts: Cuts, mark: str) -> Iterator[str]:
        bounds = np.searchsorted(cuts.document, np.arange(self.n_documents + 1)).tolist()
        number = 0
        for batch in batches(texts):
            for text in as_strings(batch, number):
                if number == self.n_documents:
                    raise self._other_texts()
                span = slice(bounds[number], bounds[number + 1])
                yield _without(
                    text if isinstance(text, str) else text.decode(),
                    cuts.start[span].tolist(),
                    cuts.end[span].tolist(),
                    mark,
                )
                number += 1
        if number != self.n_documents:
            raise self._other_texts()

    def _other_texts(self) -> DocumentError:
        return DocumentError(
            f"{self.n_documents} texts were searched, and others are to be cleaned. Pass the same"
            " texts."
        )


def _without(text: str, starts: list[int], ends: list[int], mark: str) -> str:
    if not starts:
        return text
    parts = [text[after:start] for after, start in zip([0, *ends], starts, strict=False)]
    return mark.join([*parts, text[ends[-1] :]])
