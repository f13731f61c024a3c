"""Near-duplicates among texts, or records, that come and go."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from addhash.arrays import Floats, Ids
from addhash.errors import IdError, MergeError, ParameterError
from addhash.files.parts import Parts, member, require
from addhash.files.saved_model import Arrays, SavedModel, values_of_file
from addhash.locks import exclusive
from addhash.parameters import DUPLICATES, Measure, UnitAnalyzer, check_values
from addhash.runtime import resolve_threads
from addhash.search.duplicates.comparison import TextComparison, compare
from addhash.search.duplicates.fields import Field, refuse, settled_fields
from addhash.search.duplicates.held import Held
from addhash.search.duplicates.held_records import HeldRecords
from addhash.search.duplicates.held_texts import HeldTexts
from addhash.search.duplicates.records import (
    LEAST_WEIGHT,
    RECORD_THRESHOLD,
    FieldShare,
    RecordSimilarity,
)
from addhash.search.duplicates.result import Pairs
from addhash.search.duplicates.similarity import TEXT_THRESHOLD, Similarity
from addhash.search.duplicates.token_sets import Cutting
from addhash.search.index_state import as_ids

KIND = "DuplicateIndex"


class SimilarTexts(NamedTuple):
    """The result of a query: pairs of a query's number and the id of a similar text or record."""

    queries: Ids
    ids: Ids
    similarity: Floats


class DuplicateIndex(SavedModel):
    """Texts or records with ids, whose near-duplicates are kept up to date.

    Adding texts one by one, in batches or in any order gives the same pairs as one run of
    `find_duplicates` over all of them. Texts themselves are not kept, only the hashes of their
    n-grams: 8 bytes each, and about as much again to find them. With `fields`, the same holds for
    records, whose compared values are kept; below, what is said of texts is true of them.

    A text joins the cluster of the representative it is most similar to, or starts a cluster, which
    gets its id. A cluster keeps its id as long as it has a text: when the representative is
    removed, the oldest remaining text takes its place, and only those that are not similar enough
    to it leave. Texts with the same n-grams are always in one cluster; equal records are two.

    Any number of threads can use an index; they take turns.

    The parameters are those of `find_duplicates`.

    Parameters
    ----------
    fields : dict of str to Field, optional
        Makes it an index of records. Each field has a kind and a weight, as those of a search:
        `find_duplicates(records, fields=...).fields`.
    threshold : float, optional
        By default 0.8, of records 0.6.
    measure : {"jaccard", "containment", "cosine"}, default="jaccard"
    analyzer : {"auto", "word", "char", "char_wb"}, default="auto"
    ngram_range : tuple (min_n, max_n), default=(3, 3)
    lowercase : bool, default=True
    least_weight : float, optional
    n_jobs : int or None, default=None

    Examples
    --------
    >>> from addhash import DuplicateIndex, Field
    >>> index = DuplicateIndex(threshold=0.7)
    >>> index.add(["The cat sat on the mat and looked at me", "It rains in Oslo"])
    array([0, 1])
    >>> index.add(["the cat sat on the mat and looked at you"])
    array([2])
    >>> index.pairs
    Pairs(left=array([0]), right=array([2]), similarity=array([0.77777778]))
    >>> index.query(["It rains in Oslo!"])
    SimilarTexts(queries=array([0]), ids=array([1]), similarity=array([1.]))
    >>> index = DuplicateIndex(fields={"name": Field("name", 2), "city": Field("name", 1)})
    >>> index.add([{"name": "Ann Lee", "city": "Oslo"}, {"name": "Bo Ek", "city": "Rome"}])
    array([0, 1])
    >>> index.query([{"name": "Anne Lee", "city": "Oslo"}]).ids
    array([0])
    """

    _kind = KIND

    def __init__(
        self,
        *,
        fields: Mapping[str, Field] | None = None,
        threshold: float | None = None,
        measure: Measure = "jaccard",
        analyzer: UnitAnalyzer = "auto",
        ngram_range: tuple[int, int] = (3, 3),
        lowercase: bool = True,
        least_weight: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        check_values(KIND, DUPLICATES, {"n_jobs": n_jobs})
        self.n_jobs = n_jobs
        self._held: Held
        if fields is None:
            refuse(KIND, {"least_weight": least_weight is not None}, "records", "texts")
            self._held = HeldTexts(
                Similarity.of(measure, TEXT_THRESHOLD if threshold is None else threshold, KIND),
                Cutting.of(analyzer, ngram_range, lowercase, KIND),
            )
            return
        given = {"measure": measure != "jaccard", "analyzer": analyzer != "auto"}
        given |= {"ngram_range": tuple(ngram_range) != (3, 3), "lowercase": lowercase is not True}
        refuse(KIND, given, "texts, and 'fields' is given", "records")
        least = LEAST_WEIGHT if least_weight is None else least_weight
        check_values(KIND, DUPLICATES, {"least_weight": least})
        self._held = HeldRecords(
            settled_fields(fields, KIND),
            RecordSimilarity.of(RECORD_THRESHOLD if threshold is None else threshold, KIND),
            float(least),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {"content": self._content(), "n_jobs": self.n_jobs, "metadata": self.metadata}

    def __setstate__(self, state: dict[str, Any]) -> None:
        settings, parts = state["content"]
        made = self._of_content(settings, Parts(parts), n_jobs=state["n_jobs"])
        self.__dict__.update(made.__dict__)
        self._metadata = state["metadata"]

    @property
    def threshold(self) -> float:
        """The lowest similarity of duplicates."""
        return self._held.threshold

    @property
    def measure(self) -> Measure | None:
        """How the similarity of texts is measured; None for records."""
        return self._held.similarity.measure if isinstance(self._held, HeldTexts) else None

    @property
    def fields(self) -> dict[str, Field] | None:
        """How records are compared: a kind and a weight for each field; None for texts."""
        return dict(self._held.fields) if isinstance(self._held, HeldRecords) else None

    def __len__(self) -> int:
        with exclusive(self):
            return len(self._held)

    def __repr__(self) -> str:
        measure = self.measure or "similarity"
        return (
            f"<DuplicateIndex of {len(self)} {self._held.noun}s, {measure} >= {self.threshold:g}>"
        )

    @property
    def nbytes(self) -> int:
        """The memory used by the index."""
        with exclusive(self):
            return self._held.nbytes

    @property
    def ids(self) -> Ids:
        """The ids in the order in which they were added."""
        with exclusive(self):
            return self._held.standing().ids

    @property
    def clusters(self) -> Ids:
        """For each text, in the order of `ids`, the id of its cluster."""
        with exclusive(self):
            return self._held.standing().clusters

    @property
    def representatives(self) -> Ids:
        """For each text, in the order of `ids`, the id of its representative."""
        with exclusive(self):
            return self._held.standing().representatives

    @property
    def keep(self) -> npt.NDArray[np.bool_]:
        """For each text, in the order of `ids`, whether it is its own representative."""
        with exclusive(self):
            ids, _, representatives, _ = self._held.standing()
        keep: npt.NDArray[np.bool_] = ids == representatives
        return keep

    @property
    def similarity(self) -> Floats:
        """For each text, in the order of `ids`, its similarity to its representative."""
        with exclusive(self):
            return self._held.standing().similarity

    @property
    def pairs(self) -> Pairs:
        """All pairs of similar texts by their ids, in order."""
        with exclusive(self):
            return self._held.pairs()

    def add(self, texts: Iterable[Any], ids: Any = None) -> Ids:
        """Add texts.

        Parameters
        ----------
        texts : iterable of str or bytes
            Or records: an Arrow, pandas or Polars table, a dict of columns, or dicts.
        ids : array-like of n integers, optional
            Their ids, all new. By default, numbering continues after the largest id ever used.

        Returns
        -------
        ids : ndarray of shape (n,)

        Examples
        --------
        >>> from addhash import DuplicateIndex
        >>> index = DuplicateIndex()
        >>> index.add(["one text", "another text"], ids=[7, 3])
        array([7, 3])
        >>> index.add(["One text."])
        array([8])
        >>> index.clusters
        array([7, 3, 7])
        """
        threads = resolve_threads(self.n_jobs)
        items = self._held.read(texts, threads)
        with exclusive(self):
            if ids is None:
                start = self._held.next_id
                if start + len(items) > np.iinfo(np.int64).max:
                    raise IdError("There are no larger ids left to assign; pass ids.")
                new = np.arange(start, start + len(items))
            else:
                new = as_ids(ids)
                self._check_count(new, len(items))
                self._check_new(new)
            self._held.change(_NONE, new, items, threads)
        return new

    def remove(self, ids: Any) -> None:
        """Remove texts.

        Parameters
        ----------
        ids : array-like of integers
            Ids in the index. If one is missing, nothing is removed.

        Examples
        --------
        >>> from addhash import DuplicateIndex
        >>> index = DuplicateIndex()
        >>> ids = index.add(["one text", "One text!", "another text"])
        >>> index.remove([0])
        >>> index.ids, index.clusters
        (array([1, 2]), array([0, 2]))
        """
        old = as_ids(ids)
        with exclusive(self):
            self._check_known(old, "nothing was removed")
            self._held.change(old, _NONE, None, 1)

    def update(self, ids: Any, texts: Iterable[Any]) -> None:
        """Replace texts, as if they were removed and new ones added with the same ids.

        Parameters
        ----------
        ids : array-like of n integers
            Ids in the index, each once. If one is missing, nothing is changed.
        texts : iterable of n str or bytes
            Or n records.

        Examples
        --------
        >>> from addhash import DuplicateIndex
        >>> index = DuplicateIndex()
        >>> ids = index.add(["one text", "another text"])
        >>> index.update([1], ["One text"])
        >>> index.pairs
        Pairs(left=array([0]), right=array([1]), similarity=array([1.]))
        """
        threads = resolve_threads(self.n_jobs)
        changed = as_ids(ids)
        items = self._held.read(texts, threads)
        self._check_count(changed, len(items))
        _check_unique(changed, "Nothing was changed.")
        with exclusive(self):
            self._check_known(changed, "nothing was changed")
            self._held.change(changed, changed, items, threads)

    def query(self, texts: Iterable[Any]) -> SimilarTexts:
        """Find the texts in the index that are similar to some texts, without adding these.

        Parameters
        ----------
        texts : iterable of str or bytes
            Or records.

        Returns
        -------
        similar : SimilarTexts
            In the order of the queries; for each, the most similar first, ties by lowest id.
        """
        threads = resolve_threads(self.n_jobs)
        items = self._held.read(texts, threads)
        with exclusive(self):
            queries, ids, values = self._held.query(items, threads)
        order = np.lexsort((ids, -values, queries))
        return SimilarTexts(queries[order], ids[order], values[order])

    def explain(self, left: int, right: int) -> list[FieldShare]:
        """Return what each field adds to the similarity of two records.

        Parameters
        ----------
        left : int
            The id of a record.
        right : int
            The id of another one.

        Returns
        -------
        shares : list of FieldShare
            As of `RecordDuplicates.explain`; dates are texts such as 2024-01-31.

        Examples
        --------
        >>> from addhash import DuplicateIndex, Field
        >>> index = DuplicateIndex(fields={"name": Field("name", 2), "city": Field("name", 1)})
        >>> ids = index.add({"name": ["Ann Lee", "Anne Lee"], "city": ["Oslo", "Oslo"]})
        >>> [(share.field, round(share.share, 2)) for share in index.explain(0, 1)]
        [('name', 0.52), ('city', 0.33)]
        """
        if not isinstance(self._held, HeldRecords):
            raise ParameterError(
                "An index of texts does not keep them. Compare two texts with compare(left, right)."
            )
        with exclusive(self):
            self._check_known(as_ids([left, right]), "nothing was compared")
            return self._held.shares(int(left), int(right))

    def compare(self, left: str, right: str) -> TextComparison:
        """Compare two texts, which need not be in the index.

        Parameters
        ----------
        left : str
        right : str

        Returns
        -------
        comparison : TextComparison

        Examples
        --------
        >>> from addhash import DuplicateIndex
        >>> found = DuplicateIndex().compare("Call me at noon, John", "Call me at noon, Mary")
        >>> found.similarity, found.is_similar
        (0.5, False)
        >>> found.left
        [Part(text='Call me at noon', is_shared=True), Part(text=', John', is_shared=False)]
        """
        if not isinstance(self._held, HeldTexts):
            raise ParameterError(
                "An index of records compares two that it has with explain(left, right), by their"
                " ids."
            )
        self._held.read([left, right], 1)  # refuses anything but texts
        return compare(self._held.cutting, self._held.similarity, left, right)

    def merge(self, other: "DuplicateIndex") -> None:
        """Add all texts of another index, with their ids.

        Parameters
        ----------
        other : DuplicateIndex
            Made with the same parameters, and without ids that are in this one.

        Examples
        --------
        >>> from addhash import DuplicateIndex
        >>> one, two = DuplicateIndex(), DuplicateIndex()
        >>> ids = one.add(["one text"]), two.add(["One text!"], ids=[7])
        >>> one.merge(two)
        >>> one.clusters
        array([0, 0])
        """
        if not isinstance(other, DuplicateIndex):
            raise MergeError(
                f"Expected a DuplicateIndex, got a {type(other).__name__}; nothing was merged."
            )
        ours, theirs = self._held.settings, other._held.settings
        if ours.keys() != theirs.keys():
            raise MergeError(
                f"One index is of {self._held.noun}s, the other one of {other._held.noun}s;"
                " nothing was merged."
            )
        for name in ours:
            if ours[name] != theirs[name]:
                raise MergeError(
                    f"The indexes differ in {name}: {ours[name]} here, {theirs[name]} there;"
                    " nothing was merged."
                )
        with exclusive(other):
            ids, items = other._held.items()
        with exclusive(self):
            self._check_new(ids)
            self._held.change(_NONE, ids, items, resolve_threads(self.n_jobs))

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        with exclusive(self):
            return self._held.settings | {"next_id": self._held.next_id}, self._held.parts()

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        kind: Any = HeldRecords if "fields" in settings else HeldTexts
        with values_of_file():
            index = cls(**kind.parameters(settings), **options)
        next_id = member(settings, "next_id", int)
        require(settings == index._held.settings | {"next_id": next_id}, "settings")
        index._held.restore(parts, next_id, resolve_threads(index.n_jobs))
        return index

    @classmethod
    def load(cls, path: Any, *, n_jobs: int | None = None) -> Self:
        """Load an index; its pairs are recomputed.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote. Anything else raises ModelFileError.
        n_jobs : int or None, default=None
            As for a new index.

        Returns
        -------
        index : DuplicateIndex
        """
        check_values(KIND, DUPLICATES, {"n_jobs": n_jobs})
        return cls._load(path, n_jobs=n_jobs)

    def _check_new(self, ids: Ids) -> None:
        _check_unique(ids, "Nothing was added.")
        taken = ids[self._held.has(ids)]
        if len(taken):
            raise IdError(f"The id {taken[0]} is taken; ids must be unique. Nothing was added.")

    def _check_count(self, ids: Ids, count: int) -> None:
        if len(ids) != count:
            raise IdError(
                f"Expected an id for each of {count} {self._held.noun}s, got {len(ids)} ids."
            )

    def _check_known(self, ids: Ids, so: str) -> None:
        unknown = ids[~self._held.has(ids)]
        if len(unknown):
            raise IdError(f"The index has no id {unknown[0]}; {so}.")


_NONE = np.empty(0, np.int64)


def _check_unique(ids: Ids, so: str) -> None:
    values, counts = np.unique(ids, return_counts=True)
    if len(values) < len(ids):
        raise IdError(f"The id {values[counts > 1][0]} is repeated; ids must be unique. {so}")
