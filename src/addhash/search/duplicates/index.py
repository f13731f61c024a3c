"""Near-duplicates among texts that come and go."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from addhash.errors import IdError, MergeError
from addhash.files.parts import Parts, member, require
from addhash.files.saved_model import Arrays, SavedModel, values_of_file
from addhash.locks import exclusive
from addhash.parameters import DUPLICATES, Measure, UnitAnalyzer, check_values
from addhash.runtime import native, resolve_threads
from addhash.search.duplicates.comparison import TextComparison, compare
from addhash.search.duplicates.result import Pairs
from addhash.search.duplicates.similarity import Similarity
from addhash.search.duplicates.token_sets import Cutting
from addhash.search.index_state import as_ids

__all__ = ["DuplicateIndex", "SimilarTexts"]

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

KIND = "DuplicateIndex"


class SimilarTexts(NamedTuple):
    """The result of a query: pairs of a query's number and the id of a similar text."""

    queries: Ids
    ids: Ids
    similarity: Floats


class DuplicateIndex(SavedModel):
    """Texts with ids, whose near-duplicates are kept up to date.

    Adding texts one by one, in batches or in any order gives the same pairs as one run of
    `find_duplicates` over all of them. Texts themselves are not kept, only the hashes of their
    n-grams: 8 bytes each, and about as much again to find them.

    A text joins the cluster of the representative it is most similar to, or starts a cluster, which
    gets its id. A cluster keeps its id as long as it has a text: when the representative is
    removed, the oldest remaining text takes its place, and only those that are not similar enough
    to it leave. Texts with the same n-grams are always in one cluster.

    Any number of threads can use an index; they take turns.

    The parameters are those of `find_duplicates`.

    Parameters
    ----------
    threshold : float, default=0.8
    measure : {"jaccard", "containment", "cosine"}, default="jaccard"
    analyzer : {"auto", "word", "char", "char_wb"}, default="auto"
    ngram_range : tuple (min_n, max_n), default=(3, 3)
    lowercase : bool, default=True
    n_jobs : int or None, default=None

    Examples
    --------
    >>> from addhash import DuplicateIndex
    >>> index = DuplicateIndex(threshold=0.7)
    >>> index.add(["The cat sat on the mat and looked at me", "It rains in Oslo"])
    array([0, 1])
    >>> index.add(["the cat sat on the mat and looked at you"])
    array([2])
    >>> index.pairs
    Pairs(left=array([0]), right=array([2]), similarity=array([0.77777778]))
    >>> index.query(["It rains in Oslo!"])
    SimilarTexts(queries=array([0]), ids=array([1]), similarity=array([1.]))
    """

    _kind = KIND

    def __init__(
        self,
        *,
        threshold: float = 0.8,
        measure: Measure = "jaccard",
        analyzer: UnitAnalyzer = "auto",
        ngram_range: tuple[int, int] = (3, 3),
        lowercase: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self._similarity = Similarity.of(measure, threshold, KIND)
        self._cutting = Cutting.of(analyzer, ngram_range, lowercase, KIND)
        check_values(KIND, DUPLICATES, {"n_jobs": n_jobs})
        self.n_jobs = n_jobs
        self._texts = native.Collection(**self._similarity.native_options)

    def __getstate__(self) -> dict[str, Any]:
        with exclusive(self):
            held = self._texts.state()
        return self.__dict__ | {"_texts": held}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._texts = native.Collection(**self._similarity.native_options)
        if not self._texts.restore(*state["_texts"], threads=resolve_threads(self.n_jobs)):
            raise ValueError("This is not the state of a DuplicateIndex.")

    @property
    def threshold(self) -> float:
        """The lowest similarity of duplicates."""
        return float(self._similarity.fraction)

    @property
    def measure(self) -> Measure:
        """How similarity is measured."""
        return self._similarity.measure

    def __len__(self) -> int:
        with exclusive(self):
            return len(self._texts)

    def __repr__(self) -> str:
        return f"<DuplicateIndex of {len(self)} texts, {self.measure} >= {self.threshold:g}>"

    @property
    def nbytes(self) -> int:
        """The memory used by the index."""
        with exclusive(self):
            return self._texts.nbytes

    @property
    def ids(self) -> Ids:
        """The ids in the order in which they were added."""
        with exclusive(self):
            return _plain(self._texts.placed()[0])

    @property
    def clusters(self) -> Ids:
        """For each text, in the order of `ids`, the id of its cluster."""
        with exclusive(self):
            return _plain(self._texts.placed()[1])

    @property
    def representatives(self) -> Ids:
        """For each text, in the order of `ids`, the id of its representative."""
        with exclusive(self):
            return _plain(self._texts.placed()[2])

    @property
    def keep(self) -> npt.NDArray[np.bool_]:
        """For each text, in the order of `ids`, whether it is its own representative."""
        with exclusive(self):
            ids, _, representatives, *_ = self._texts.placed()
        keep: npt.NDArray[np.bool_] = ids == representatives
        return keep

    @property
    def similarity(self) -> Floats:
        """For each text, in the order of `ids`, its similarity to its representative."""
        with exclusive(self):
            *_, shared, sizes, others = self._texts.placed()
        return self._similarity.values(shared, sizes, others)

    @property
    def pairs(self) -> Pairs:
        """All pairs of similar texts by their ids, in order."""
        with exclusive(self):
            left, right, shared, *sizes = self._texts.pairs()
        return Pairs(_plain(left), _plain(right), self._similarity.values(shared, *sizes))

    def add(self, texts: Iterable[Any], ids: Any = None) -> Ids:
        """Add texts.

        Parameters
        ----------
        texts : iterable of str or bytes
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
        sets = self._cutting.sets(texts, threads)
        with exclusive(self):
            if ids is None:
                start = self._texts.next_id
                if start + len(sets) > np.iinfo(np.int64).max:
                    raise IdError("There are no larger ids left to assign; pass ids.")
                new = np.arange(start, start + len(sets))
            else:
                new = as_ids(ids)
                _check_count(new, len(sets))
                self._check_new(new)
            self._texts.change(remove=_NONE, add=new, sets=sets, threads=threads)
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
            self._texts.change(remove=old, add=_NONE, sets=native.TokenSets(), threads=1)

    def update(self, ids: Any, texts: Iterable[Any]) -> None:
        """Replace texts, as if they were removed and new ones added with the same ids.

        Parameters
        ----------
        ids : array-like of n integers
            Ids in the index, each once. If one is missing, nothing is changed.
        texts : iterable of n str or bytes

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
        sets = self._cutting.sets(texts, threads)
        _check_count(changed, len(sets))
        _check_unique(changed, "Nothing was changed.")
        with exclusive(self):
            self._check_known(changed, "nothing was changed")
            self._texts.change(remove=changed, add=changed, sets=sets, threads=threads)

    def query(self, texts: Iterable[Any]) -> SimilarTexts:
        """Find the texts in the index that are similar to some texts, without adding these.

        Parameters
        ----------
        texts : iterable of str or bytes

        Returns
        -------
        similar : SimilarTexts
            In the order of the queries; for each, the most similar first, ties by lowest id.
        """
        threads = resolve_threads(self.n_jobs)
        sets = self._cutting.sets(texts, threads)
        with exclusive(self):
            queries, found, shared, sizes = self._texts.query(sets, threads=threads)
        ids = _plain(found)
        values = self._similarity.values(shared, sets.sizes(0, len(sets))[queries], sizes)
        order = np.lexsort((ids, -values, queries))
        return SimilarTexts(queries[order].astype(np.int64), ids[order], values[order])

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
        self._cutting.sets([left, right], 1)  # refuses anything but texts
        return compare(self._cutting, self._similarity, left, right)

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
        ours, theirs = self._settings(), other._settings()
        for name in ours:
            if ours[name] != theirs[name]:
                raise MergeError(
                    f"The indexes differ in {name}: {ours[name]} here, {theirs[name]} there;"
                    " nothing was merged."
                )
        with exclusive(other):
            ids, numbers, sizes, hashes, *_ = other._texts.state()
        ends = np.cumsum(sizes, dtype=np.int64)
        sets = native.TokenSets()
        wanted = sizes[numbers]
        places = np.repeat(ends[numbers] - np.cumsum(wanted, dtype=np.int64), wanted)
        sets.add_arrays(wanted, hashes[places + np.arange(len(places))])
        with exclusive(self):
            self._check_new(ids)
            threads = resolve_threads(self.n_jobs)
            self._texts.change(remove=_NONE, add=ids, sets=sets, threads=threads)

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        with exclusive(self):
            ids, sets, sizes, hashes, leaders, clusters, next_id = self._texts.state()
        return self._settings() | {"next_id": next_id}, {
            "ids": ids,
            "sets": sets.astype(np.int64),
            "sizes": sizes.astype(np.int64),
            "hashes": hashes.view(np.int64),
            "leaders": leaders.astype(np.int64),
            "clusters": clusters,
        }

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        threshold = member(settings, "threshold", list)
        require(
            len(threshold) == 2 and all(type(n) is int and 0 < n < 2**31 for n in threshold),
            "threshold",
        )
        with values_of_file():
            index = cls(
                threshold=threshold[0] / threshold[1],
                measure=member(settings, "measure", str),
                analyzer=member(settings, "analyzer", str),
                ngram_range=tuple(member(settings, "ngram_range", list)),
                lowercase=member(settings, "lowercase", bool),
                **options,
            )
        next_id = member(settings, "next_id", int)
        require(settings == index._settings() | {"next_id": next_id}, "settings")
        ids, clusters = (parts.take(name, "<i8", None) for name in ("ids", "clusters"))
        sets, sizes, leaders = (
            _unsigned(parts.take(name, "<i8", None), name) for name in ("sets", "sizes", "leaders")
        )
        hashes = parts.take("hashes", "<i8", None).view(np.uint64)
        parts.finish()
        threads = resolve_threads(index.n_jobs)
        if not -(2**63) <= next_id < 2**63 or not index._texts.restore(
            ids, sets, sizes, hashes, leaders, clusters, next_id, threads=threads
        ):
            raise ValueError("its texts and clusters do not fit together")
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

    def _settings(self) -> dict[str, Any]:
        return {
            "threshold": list(self._similarity.fraction.as_integer_ratio()),
            "measure": self._similarity.measure,
            "analyzer": self._cutting.analyzer,
            "ngram_range": list(self._cutting.ngram_range),
            "lowercase": self._cutting.lowercase,
        }

    def _check_new(self, ids: Ids) -> None:
        _check_unique(ids, "Nothing was added.")
        taken = ids[self._texts.has(ids)]
        if len(taken):
            raise IdError(f"The id {taken[0]} is taken; ids must be unique. Nothing was added.")

    def _check_known(self, ids: Ids, so: str) -> None:
        unknown = ids[~self._texts.has(ids)]
        if len(unknown):
            raise IdError(f"The index has no id {unknown[0]}; {so}.")


_NONE = np.empty(0, np.int64)


def _plain(ids: Ids) -> Ids:
    """Return 64-bit integers as the type that NumPy displays without a dtype."""
    return ids.view(np.int64)


def _unsigned(values: Ids, name: str) -> npt.NDArray[np.uint32]:
    if len(values) and not (values.min() >= 0 and values.max() < 2**32):
        raise ValueError(f"it has wrong {name}")
    return values.astype(np.uint32)


def _check_count(ids: Ids, count: int) -> None:
    if len(ids) != count:
        raise IdError(f"Expected an id for each of {count} texts, got {len(ids)} ids.")


def _check_unique(ids: Ids, so: str) -> None:
    values, counts = np.unique(ids, return_counts=True)
    if len(values) < len(ids):
        raise IdError(f"The id {values[counts > 1][0]} is repeated; ids must be unique. {so}")
