"""An index of vectors that finds the most similar ones, exactly."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from addhash.arrays import Ids
from addhash.files.parts import Parts, member, require
from addhash.files.saved_model import Arrays, SavedModel, values_of_file
from addhash.locks import exclusive
from addhash.parameters import INDEX, NEIGHBORS, check_values
from addhash.runtime import resolve_threads
from addhash.search.encoded_vectors import EncodedVectors
from addhash.search.index_state import IndexState


class Matches(NamedTuple):
    """The result of a search: one row per query, best match first."""

    ids: Ids
    scores: npt.NDArray[np.float64]


class Index(SavedModel):
    """Vectors and their ids, searched by cosine without approximation.

    A score is ``dot / (norm_a * norm_b)`` in float64; it is 0 if a vector is all zeros. For
    integers whose products sum to less than 2**53, such as those of additive hashing, the dot
    product is exact; otherwise it is the float64 sum of 16 partial sums. Matches are sorted by
    score, ties in the order in which the vectors were added. Neither ids nor scores depend on the
    number of threads or the instruction set.

    Vectors of small integers take one byte per component, integers up to 31,750 two, floats five
    (float32) or nine. Any number of threads can search at a time, even while others add or remove:
    a search sees all of a change or none of it, and a change that fails or is interrupted leaves
    the index as it was.

    Parameters
    ----------
    n_features : int
        The number of components of every vector.
    n_jobs : int or None, default=None
        Threads for a search; None means every core available to the process.

    Examples
    --------
    >>> import numpy as np
    >>> from addhash import AdditiveHashingVectorizer, Index
    >>> vectorizer = AdditiveHashingVectorizer(norm=None, dtype=np.int16)
    >>> texts = ["John likes movies", "Mary likes music", "It rains in Oslo"]
    >>> index = Index(n_features=2048)
    >>> index.add(vectorizer.transform(texts))
    array([0, 1, 2])
    >>> found = index.search(vectorizer.transform(["movies that John likes"]), k=2)
    >>> [texts[i] for i in found.ids[0]]
    ['John likes movies', 'Mary likes music']
    """

    _kind = "Index"

    def __init__(self, n_features: int, *, n_jobs: int | None = None) -> None:
        check_values("Index", INDEX, {"n_features": n_features, "n_jobs": n_jobs})
        self.n_features = int(n_features)
        self.n_jobs = n_jobs
        self._state = IndexState.empty(self.n_features)

    def __len__(self) -> int:
        return len(self._state.ids)

    def __repr__(self) -> str:
        return f"<Index of {len(self)} vectors, n_features={self.n_features}>"

    @property
    def ids(self) -> Ids:
        """The ids in the order in which they were added."""
        return self._state.ids.copy()

    @property
    def nbytes(self) -> int:
        """The memory used by the vectors."""
        return self._state.rows.nbytes + self._state.ids.nbytes

    def add(self, vectors: Any, ids: Any = None) -> Ids:
        """Add vectors.

        Parameters
        ----------
        vectors : array-like of shape (n, n_features)
            Integers or floats, finite.
        ids : array-like of n integers, optional
            Their ids, all new. By default, numbering continues after the largest id ever used.

        Returns
        -------
        ids : ndarray of shape (n,)

        Examples
        --------
        >>> from addhash import Index
        >>> index = Index(n_features=2)
        >>> index.add([[1, 0], [0, 1]], ids=[10, 20])
        array([10, 20])
        >>> index.add([[1, 1]])
        array([21])
        """
        rows = EncodedVectors.encode(vectors, self.n_features, resolve_threads(self.n_jobs))
        with exclusive(self):
            self._state, new = self._state.added(rows, ids)
        return new

    def remove(self, ids: Any) -> None:
        """Remove vectors. It copies the others, so remove many at once rather than one by one.

        Parameters
        ----------
        ids : array-like of integers
            Ids in the index. If one is missing, nothing is removed.

        Examples
        --------
        >>> from addhash import Index
        >>> index = Index(n_features=2)
        >>> ids = index.add([[1, 0], [0, 1], [1, 1]])
        >>> index.remove(ids[:2])
        >>> index.ids
        array([2])
        """
        with exclusive(self):
            self._state = self._state.removed(ids)

    def search(self, queries: Any, k: int = 10, *, n_jobs: int | None = None) -> Matches:
        """Find the vectors with the highest cosine to each query.

        Parameters
        ----------
        queries : array-like of shape (n, n_features)
            Integers or floats, finite.
        k : int, default=10
            How many to find; all if the index has fewer.
        n_jobs : int or None, default=None
            Threads to use; None means what the index was made with.

        Returns
        -------
        matches : Matches
            `ids` and `scores`, of shape (n, k), or (n, len(index)) if that is smaller.

        Examples
        --------
        >>> from addhash import Index
        >>> index = Index(n_features=2)
        >>> ids = index.add([[1, 0], [0, 1], [2, 2]])
        >>> index.search([[3, 4]], k=2)
        Matches(ids=array([[2, 1]]), scores=array([[0.98994949, 0.8       ]]))
        """
        check_values("Index.search", NEIGHBORS, {"k": k, "n_jobs": n_jobs})
        threads = resolve_threads(self.n_jobs if n_jobs is None else n_jobs)
        state = self._state
        encoded = EncodedVectors.encode(queries, self.n_features, threads, "queries")
        positions, scores = state.rows.nearest(encoded, int(k), threads)
        return Matches(state.ids[positions], scores)

    def batches(self, size: int = 1024) -> Iterator[tuple[Ids, npt.NDArray[Any]]]:
        """Iterate over ids and vectors as they are now, `size` at a time, in insertion order.

        Vectors come back exactly as they were added: as int64 if all of a batch are integers up to
        31,750, otherwise as float64.

        Parameters
        ----------
        size : int, default=1024
            The most vectors per batch.

        Yields
        ------
        ids, vectors : ndarrays

        Examples
        --------
        >>> from addhash import Index
        >>> index = Index(n_features=2)
        >>> ids = index.add([[1, 0], [0, 1], [2, 2]])
        >>> for ids, vectors in index.batches(2):
        ...     print(ids, vectors.tolist())
        [0 1] [[1, 0], [0, 1]]
        [2] [[2, 2]]
        """
        check_values("Index.batches", NEIGHBORS, {"size": size})
        return self._state.batches(int(size))

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        state = self._state
        return {"n_features": self.n_features, "next_id": state.next_id}, state.parts()

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        require(settings.keys() == {"n_features", "next_id"}, "settings")
        n_features = member(settings, "n_features", int)
        with values_of_file():
            index = cls(n_features, **options)
        index._state = IndexState.from_parts(parts, settings, n_features)
        return index

    @classmethod
    def load(cls, path: Any, *, n_jobs: int | None = None) -> Self:
        """Load an index that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote. Anything else raises ModelFileError.
        n_jobs : int or None, default=None
            As for a new index.

        Returns
        -------
        index : Index
        """
        check_values("Index.load", INDEX, {"n_jobs": n_jobs})
        return cls._load(path, n_jobs=n_jobs)

    def __iter__(self) -> Iterator[tuple[Ids, npt.NDArray[Any]]]:
        return self.batches()
