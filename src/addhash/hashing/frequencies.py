"""In how many documents each token occurs: idf without a vocabulary."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from addhash.arrays import Integers
from addhash.errors import ExampleError, ParameterError
from addhash.files.parts import Parts, member, require
from addhash.files.saved_model import Arrays, SavedModel, values_of_file
from addhash.hashing.trick import BucketHashing
from addhash.hashing.vectorizer import TextVectorizer
from addhash.hashing.weights import TokenWeights, idf_weights
from addhash.locks import exclusive
from addhash.merging import raise_difference
from addhash.parameters import FREQUENCIES, check_values
from addhash.runtime import native, resolve_threads
from addhash.text.analysis import check_functions
from addhash.text.reading import check_iterable


class _State(NamedTuple):
    n_documents: int
    counts: Integers  # of each bucket; never changed


class DocumentFrequencies(SavedModel):
    """How many texts contain each token, counted exactly, in buckets.

    Tokens that occur in few texts say more about a text than those that occur in all. Passed as the
    `weights` of an `AdditiveHashingVectorizer`, the counts become token weights:
    4 ln((1 + n) / (1 + d)) for a token that occurs in d of n texts, rounded to three significant
    bits, and at least 1. They are frozen there. They are integers, so that sums stay exact, and
    part of a model's settings, so that models with different weights cannot be mixed.

    The counts depend neither on order nor on threads. Texts can be forgotten, and the counts of
    other texts merged. Two tokens share a bucket with probability 1 / `n_buckets`; they are then
    counted as one.

    Any number of threads can use it at the same time.

    Parameters
    ----------
    vectorizer : AdditiveHashingVectorizer or None, default=None
        How texts are tokenized; by default into words. Its weights and hashes do not matter.
    n_buckets : int, default=2**20
        From 1 to 2**24.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process.

    Attributes
    ----------
    n_documents : int

    Examples
    --------
    >>> from addhash import AdditiveHashingVectorizer, DocumentFrequencies
    >>> vectorizer = AdditiveHashingVectorizer()
    >>> frequencies = DocumentFrequencies(vectorizer)
    >>> frequencies.learn(["the cat sat", "the dog ran", "the cat ran"])
    <DocumentFrequencies of 3 documents>
    >>> frequencies.counts(["the", "cat", "bird"]).tolist()
    [3, 2, 0]
    >>> weighted = vectorizer.set_params(weights=frequencies, sublinear_tf=True)
    >>> a, b, c = weighted.transform(["the cat", "the bird", "a cat"])
    >>> bool(a @ c > a @ b)
    True
    """

    _kind = "DocumentFrequencies"

    def __init__(
        self,
        vectorizer: TextVectorizer | None = None,
        *,
        n_buckets: int = 2**20,
        n_jobs: int | None = None,
    ) -> None:
        values = {"n_buckets": n_buckets, "n_jobs": n_jobs}
        check_values("DocumentFrequencies", FREQUENCIES, values)
        if vectorizer is None:
            vectorizer = TextVectorizer()
        if not isinstance(vectorizer, TextVectorizer):
            raise ParameterError.of(
                "DocumentFrequencies",
                "vectorizer",
                f"must be an AdditiveHashingVectorizer or None. Got {vectorizer!r:.200} instead.",
            )
        self.n_buckets = int(n_buckets)
        self.n_jobs = n_jobs
        vectorizer.check()
        # Later changes to the vectorizer do not affect the counts.
        self._cut = vectorizer.cut_settings()
        self._analysis = vectorizer.analysis()
        self._hashing = BucketHashing(self.n_buckets, alternate_sign=False, single=True)
        self._state = _State(0, np.zeros(self.n_buckets, np.int64))

    @property
    def n_documents(self) -> int:
        """How many documents were learnt."""
        return self._state.n_documents

    def __repr__(self) -> str:
        return f"<DocumentFrequencies of {self.n_documents} documents>"

    def __eq__(self, other: object) -> bool:
        """Return whether both counted the same texts the same way."""
        if not isinstance(other, DocumentFrequencies):
            return NotImplemented
        mine, theirs = self._state, other._state
        return (
            self._cut == other._cut
            and mine.n_documents == theirs.n_documents
            and np.array_equal(mine.counts, theirs.counts)
        )

    __hash__ = None  # type: ignore[assignment]  # counts change

    def learn(self, texts: Iterable[Any]) -> Self:
        """Count the tokens of more texts.

        Parameters
        ----------
        texts : iterable of str or bytes
            A generator is read in batches. If a text is refused, nothing is learnt.

        Returns
        -------
        self
        """
        n_documents, counts = self._counted(texts)
        with exclusive(self):
            old = self._state
            self._state = _State(old.n_documents + n_documents, old.counts + counts)
        return self

    def forget(self, texts: Iterable[Any]) -> Self:
        """Forget texts that were learnt; the inverse of `learn`.

        Parameters
        ----------
        texts : iterable of str or bytes
            If the counts cannot contain one of them, nothing is forgotten.

        Returns
        -------
        self
        """
        n_documents, counts = self._counted(texts)
        with exclusive(self):
            old = self._state
            left = old.counts - counts
            if n_documents > old.n_documents or bool((left < 0).any()):
                raise ExampleError(
                    f"Cannot forget {n_documents} texts: the counts of {old.n_documents}"
                    " documents do not contain them. Forget only what was learnt; nothing was"
                    " forgotten."
                )
            left_documents = old.n_documents - n_documents
            if bool((left > left_documents).any()):
                raise ExampleError(
                    f"Cannot forget {n_documents} texts: {left_documents} documents would be left,"
                    " and a token would be in more of them. Forget only what was learnt; nothing"
                    " was forgotten."
                )
            self._state = _State(left_documents, left)
        return self

    def merge(self, other: "DocumentFrequencies") -> Self:
        """Add the counts of other texts.

        Parameters
        ----------
        other : DocumentFrequencies
            With the same number of buckets, from texts tokenized the same way. It is not changed.

        Returns
        -------
        self
        """
        if not isinstance(other, DocumentFrequencies):
            raise ParameterError(
                f"Expected DocumentFrequencies to merge, got {other!r:.80} of type"
                f" {type(other).__name__}."
            )
        mine = self._cut | {"n_buckets": self.n_buckets}
        theirs = other._cut | {"n_buckets": other.n_buckets}
        raise_difference(mine, theirs, "frequencies")
        added = other._state
        with exclusive(self):
            old = self._state
            self._state = _State(old.n_documents + added.n_documents, old.counts + added.counts)
        return self

    def counts(self, tokens: Iterable[str | bytes]) -> Integers:
        """Return in how many documents each token occurs.

        Parameters
        ----------
        tokens : iterable of str or bytes

        Returns
        -------
        counts : ndarray of int64
        """
        batch = native.TokenBatch()
        batch.append_strings(tokens)
        options = native.BucketOptions(self.n_buckets, alternate_sign=False)
        _, buckets, _ = native.place_tokens(batch, options)
        return self._state.counts[buckets]

    def weights(self) -> TokenWeights:
        """Return token weights by the current counts; later changes do not affect them."""
        state = self._state
        return TokenWeights(idf_weights(state.n_documents, state.counts), self._cut)

    def digest(self) -> str:
        """Return a SHA-256 of the counts and of how texts are tokenized."""
        state = self._state
        digest = hashlib.sha256(f"{sorted(self._cut.items())} {state.n_documents} ".encode())
        digest.update(state.counts.astype("<i8").tobytes())
        return digest.hexdigest()

    def _content(self) -> tuple[dict[str, Any], Arrays]:
        state = self._state
        used = np.flatnonzero(state.counts)
        settings = {
            "n_documents": state.n_documents,
            "n_buckets": self.n_buckets,
            "cut": self._cut,
        }
        return settings, {
            "buckets": used.astype("<i4"),
            "counts": state.counts[used].astype("<i8"),
        }

    @classmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        require(settings.keys() == {"n_documents", "n_buckets", "cut"}, "settings")
        n_documents = member(settings, "n_documents", int)
        n_buckets = member(settings, "n_buckets", int)
        vectorizer = TextVectorizer.from_cut_settings(settings["cut"], options["functions"])
        with values_of_file():
            frequencies = cls(vectorizer, n_buckets=n_buckets, n_jobs=options["n_jobs"])
        buckets = parts.take("buckets", "<i4", None)
        counts = parts.take("counts", "<i8", len(buckets))
        require(
            bool((np.diff(buckets, prepend=-1) > 0).all())
            and (not len(buckets) or int(buckets[-1]) < n_buckets),
            "buckets",
        )
        require(bool(((counts > 0) & (counts <= n_documents)).all()), "counts")
        require(0 <= n_documents < 2**62, "n_documents")
        dense = np.zeros(n_buckets, np.int64)
        dense[buckets] = counts
        frequencies._state = _State(n_documents, dense)
        return frequencies

    @classmethod
    def load(cls, path: Any, *, n_jobs: int | None = None, **functions: Any) -> Self:
        """Load counts that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            Anything but a file of DocumentFrequencies raises ModelFileError.
        n_jobs : int or None, default=None
            As for new counts.
        **functions : callables
            The vectorizer's `analyzer`, `preprocessor`, `strip_accents` or `tokenizer`, if it was a
            function.

        Returns
        -------
        frequencies : DocumentFrequencies
        """
        check_values("DocumentFrequencies.load", FREQUENCIES, {"n_jobs": n_jobs})
        check_functions("DocumentFrequencies.load", functions)
        return cls._load(path, n_jobs=n_jobs, functions=functions)

    def _counted(self, texts: Iterable[Any]) -> tuple[int, Integers]:
        """Return the number of texts, and how many of them have a token in each bucket."""
        check_iterable(texts)
        counts = np.zeros(self.n_buckets, np.int64)
        n_documents = 0
        for starts, buckets, _ in self._hashing.of_texts(
            self._analysis, texts, resolve_threads(self.n_jobs)
        ):
            counts += np.bincount(buckets, minlength=self.n_buckets)
            n_documents += len(starts) - 1
        return n_documents, counts
