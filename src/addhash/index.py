"""An index of vectors that finds the most similar ones, exactly."""

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from addhash.core import resolve_threads
from addhash.encoded_rows import EncodedRows, GrowingRows
from addhash.errors import IdError
from addhash.model_arrays import Parts, checking, member, rows_to_arrays
from addhash.model_files import read_model, write_model
from addhash.parameters import INDEX, NEIGHBORS, check_values

__all__ = ["Index", "Matches"]

Ids = npt.NDArray[np.int64]


class Matches(NamedTuple):
    """What a search found: a row for each query, the best match first."""

    ids: Ids
    scores: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _State:
    """What a search reads: rows and ids that belong together."""

    rows: EncodedRows
    ids: Ids


class Index:
    """Vectors and their ids, searched by cosine without approximation.

    A score is ``dot / (norm_a * norm_b)`` in float64; it is 0 where a vector is all zeros. For
    integers whose products sum up to less than 2**53 the dot product is exact, as are additive
    hashing's; for others it is the float64 sum of 16 partial sums. Matches come in the order of
    their scores, equal scores in the order in which the vectors were added. Neither ids nor
    scores depend on the threads or on the instruction set.

    Vectors of small integers take one byte a component, integers up to 31,750 two, floats five
    (float32) or nine. Any number of threads may search at a time, also while another one adds or
    removes: a search sees all of a change or nothing of it.

    Parameters
    ----------
    n_features : int
        The number of components of every vector.
    n_jobs : int or None, default=None
        Threads for a search; None means all cores that the process may use.

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

    def __init__(self, n_features: int, *, n_jobs: int | None = None) -> None:
        check_values("Index", INDEX, {"n_features": n_features, "n_jobs": n_jobs})
        self.n_features = int(n_features)
        self.n_jobs = n_jobs
        self._start(_State(EncodedRows.empty(self.n_features), np.empty(0, np.int64)), 0)

    def _start(self, state: _State, next_id: int) -> None:
        self._growing = GrowingRows(state.rows)
        self._state = state
        self._next_id = next_id
        self._positions: dict[int, int] | None = None
        self._changing = Lock()

    def __getstate__(self) -> dict[str, Any]:
        state = self._state
        return {
            "n_features": self.n_features,
            "n_jobs": self.n_jobs,
            "rows": state.rows,
            "ids": state.ids,
            "next_id": self._next_id,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.n_features = state["n_features"]
        self.n_jobs = state["n_jobs"]
        self._start(_State(state["rows"], state["ids"]), state["next_id"])

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
        """The memory that the vectors take."""
        return self._state.rows.nbytes + self._state.ids.nbytes

    def add(self, vectors: Any, ids: Any = None) -> Ids:
        """Add vectors.

        Parameters
        ----------
        vectors : array-like of shape (n, n_features)
            Integers or floats, finite.
        ids : array-like of n integers, optional
            Their ids, all new. Without it they are numbered on from the largest id ever used.

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
        rows = EncodedRows.encode(vectors, self.n_features, resolve_threads(self.n_jobs))
        with self._changing:
            if ids is None:
                if self._next_id + len(rows) > np.iinfo(np.int64).max:
                    raise IdError("There are no larger ids left to give; pass ids.")
                new = np.arange(self._next_id, self._next_id + len(rows), dtype=np.int64)
            else:
                new = _as_ids(ids)
                self._check_new(new, len(rows))
            if len(new) == 0:
                return new
            known = self._known()
            self._growing.append(rows)
            start = len(self._state.ids)
            known.update(zip(new.tolist(), range(start, start + len(new)), strict=True))
            self._state = _State(self._growing.rows, np.concatenate([self._state.ids, new]))
            self._next_id = max(self._next_id, int(new.max()) + 1)
            return new.copy()

    def _known(self) -> dict[int, int]:
        """Return the position of every id."""
        if self._positions is None:
            self._positions = {known: i for i, known in enumerate(self._state.ids.tolist())}
        return self._positions

    def _check_new(self, ids: Ids, count: int) -> None:
        if len(ids) != count:
            raise IdError(f"Expected an id for each of {count} vectors, got {len(ids)} ids.")
        known = self._known()
        seen: set[int] = set()
        for new in ids.tolist():
            if new in known or new in seen:
                raise IdError(f"The id {new} is taken; ids must be unique. Nothing was added.")
            seen.add(new)

    def remove(self, ids: Any) -> None:
        """Remove vectors. It copies the others, so remove many at once rather than one by one.

        Parameters
        ----------
        ids : array-like of integers
            Ids in the index. If one is not there, nothing is removed.

        Examples
        --------
        >>> from addhash import Index
        >>> index = Index(n_features=2)
        >>> ids = index.add([[1, 0], [0, 1], [1, 1]])
        >>> index.remove(ids[:2])
        >>> index.ids
        array([2])
        """
        unwanted = _as_ids(ids)
        with self._changing:
            known = self._known()
            kept = np.ones(len(self._state.ids), bool)
            for old in unwanted.tolist():
                if old not in known:
                    raise IdError(f"The index has no id {old}; nothing was removed.")
                kept[known[old]] = False
            positions = np.flatnonzero(kept)
            rows = self._state.rows.take(positions)
            self._growing = GrowingRows(rows)
            self._state = _State(rows, self._state.ids[positions])
            self._positions = None

    def search(self, queries: Any, k: int = 10, *, n_jobs: int | None = None) -> Matches:
        """Find the vectors of the highest cosine with each query.

        Parameters
        ----------
        queries : array-like of shape (n, n_features)
            Integers or floats, finite.
        k : int, default=10
            How many to find; of a smaller index all.
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
        encoded = EncodedRows.encode(queries, self.n_features, threads, "queries")
        positions, scores = state.rows.nearest(encoded, int(k), threads)
        return Matches(state.ids[positions], scores)

    def batches(self, size: int = 1024) -> Iterator[tuple[Ids, npt.NDArray[Any]]]:
        """Go through ids and vectors as they are now, `size` at a time, in the order of adding.

        Vectors come exactly as they were added: as int64 where all of a batch are integers up
        to 31,750, else as float64.

        Parameters
        ----------
        size : int, default=1024
            The most vectors of a batch.

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
        state = self._state
        return _batches(state, int(size))

    def save(self, path: Any) -> None:
        """Write the index to a file; a crash leaves the old file or the new one.

        Parameters
        ----------
        path : str or path-like

        Examples
        --------
        >>> import tempfile
        >>> from addhash import Index
        >>> index = Index(n_features=2)
        >>> ids = index.add([[1, 0], [0, 1]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(f"{folder}/index.safetensors")
        ...     Index.load(f"{folder}/index.safetensors")
        <Index of 2 vectors, n_features=2>
        """
        with self._changing:
            state, next_id = self._state, self._next_id
        about = {"n_features": self.n_features, "next_id": next_id}
        write_model(
            path, "Index", about, rows_to_arrays(state.rows.canonical()) | {"ids": state.ids}
        )

    @classmethod
    def load(cls, path: Any, *, n_jobs: int | None = None) -> Self:
        """Load an index; its vectors are mapped into memory, not read.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote. Anything else is a ModelFileError.
        n_jobs : int or None, default=None
            As for a new index.

        Returns
        -------
        index : Index
        """
        about, arrays = read_model(path, "Index")
        with checking(path):
            parts = Parts(arrays)
            index = cls(1, n_jobs=n_jobs)
            index.n_features = member(about, "n_features", int)
            rows = parts.rows(index.n_features)
            ids = parts.take("ids", "<i8", len(rows))
            parts.finish()
            next_id = member(about, "next_id", int)
            if about.keys() != {"n_features", "next_id"}:
                raise ValueError("its description is not that of an index")
            if len(np.unique(ids)) != len(ids) or next_id <= ids.max(initial=-1):
                raise ValueError("its ids are not unique, or larger than the next one")
            index._start(_State(rows, ids), next_id)
        return index

    def __iter__(self) -> Iterator[tuple[Ids, npt.NDArray[Any]]]:
        return self.batches()


def _batches(state: _State, size: int) -> Iterator[tuple[Ids, npt.NDArray[Any]]]:
    for start in range(0, len(state.ids), size):
        positions = np.arange(start, min(start + size, len(state.ids)))
        yield state.ids[positions], state.rows.take(positions).decode()


def _as_ids(ids: Any) -> Ids:
    array = np.asarray(ids)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise IdError(
            f"Expected a list of integer ids, got an array of {array.dtype} and shape"
            f" {array.shape}."
        )
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise IdError(f"Expected ids below 2**63, got {array.max()}.")
    return array.astype(np.int64)
