"""Additive hashing for text: the paper's method."""

from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import _VectorizerMixin

from addhash.documents.document_hash import DocumentHash
from addhash.documents.texts import document_of_text, edit_document
from addhash.estimators.additive import StatelessTransformer
from addhash.estimators.hooks import analysis_of
from addhash.hashing.frequencies import DocumentFrequencies
from addhash.hashing.vectorizer import TextVectorizer
from addhash.hashing.weights import TokenWeights
from addhash.parameters import (
    DEFAULT_TOKEN_PATTERN,
    Analyzer,
    DecodeError,
    Input,
    NormName,
    RandomizerName,
)
from addhash.runtime import resolve_threads
from addhash.text.analysis import Analysis
from addhash.text.reading import check_iterable

__all__ = ["AdditiveHashingVectorizer"]


class AdditiveHashingVectorizer(_VectorizerMixin, StatelessTransformer, TextVectorizer):
    """Turn texts into dense vectors by adding the hashes of their tokens.

    Every token has a vector of `n_features` components, each +1 or -1: the bits of its hash. A
    text's vector is the sum of its tokens' vectors, scaled to unit length: texts that share tokens
    point the same way, others are almost orthogonal. Nothing is learnt: `fit` only checks the
    parameters, and a text's vector never depends on other texts.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, \
token_pattern, ngram_range, analyzer
        How texts are read and tokenized, as in scikit-learn's ``HashingVectorizer``.
    n_features : int, default=2048
        The number of components, a multiple of 8 from 8 to 2**20. Before scaling, the vector for a
        smaller number is the tail of the vector for a larger one.
    binary : bool, default=False
        Count each token of a text once.
    norm : {"l1", "l2"} or None, default="l2"
        How vectors are scaled; None leaves the exact sums.
    alternate_sign : bool, default=True
        A bit counts +1 or -1. With False it counts 1 or 0: no component is negative.
    dtype : dtype or "bits", default=np.float32
        float64, float32 or float16; with ``norm=None`` also int64, int32 or int16, for which a sum
        that does not fit is an error. "bits" packs the signs of the components, 1 for positive,
        eight to a byte in NumPy's bit order: a SimHash.
    randomizer : {"shake256", "aes128"}, default="shake256"
        The hash function: the paper's SHAKE-256, or the faster AES-CMAC, expanded in counter mode.
    key : bytes or None, default=None
        A secret of 1 to 128 bytes, at least 16 for real secrecy. Without it, no one can compute the
        vector of a token.
    weights : DocumentFrequencies, TokenWeights or None, default=None
        Token weights; None gives all tokens the same weight. Frequencies are frozen into weights,
        so whatever they learn later does not matter here; they must come from texts tokenized the
        same way. Weights are integers, and so are the sums with ``norm=None``.
    sublinear_tf : bool, default=False
        A token that occurs n times in a text counts 1 + ln(n) times instead of n times, multiplied
        by its weight (or by 16 without weights) and rounded to three significant bits.
    n_jobs : int or None, default=None
        Threads to use; None means every core available to the process. The result does not depend
        on it.

    Examples
    --------
    The paper's example:

    >>> import numpy as np
    >>> from addhash import AdditiveHashingVectorizer
    >>> vectorizer = AdditiveHashingVectorizer(
    ...     n_features=32, lowercase=False, token_pattern=r"[^ ]+", dtype=np.float64
    ... )
    >>> v = vectorizer.transform(
    ...     ["John likes to watch movies", "Mary also likes to watch movies", "Jane makes popcorn"]
    ... )
    >>> print(f"{v[0] @ v[1]:.4f} {v[0] @ v[2]:.4f} {v[1] @ v[2]:.4f}")
    0.7778 -0.1737 -0.2583
    """

    def __init__(
        self,
        *,
        input: Input = "content",
        encoding: str = "utf-8",
        decode_error: DecodeError = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Analyzer | Callable[[Any], Iterable[Any]] = "word",
        n_features: int = 2048,
        binary: bool = False,
        norm: NormName | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float32,
        randomizer: RandomizerName = "shake256",
        key: bytes | None = None,
        weights: DocumentFrequencies | TokenWeights | None = None,
        sublinear_tf: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        TextVectorizer.__init__(
            self,
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            n_features=n_features,
            binary=binary,
            norm=norm,
            alternate_sign=alternate_sign,
            dtype=dtype,
            randomizer=randomizer,
            key=key,
            weights=weights,
            sublinear_tf=sublinear_tf,
            n_jobs=n_jobs,
        )

    def check(self) -> None:
        """Raise a ParameterError for the first parameter with an invalid value."""
        TextVectorizer.check(self)

    def analysis(self) -> Analysis:
        """Return how texts are tokenized."""
        return analysis_of(self)

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; nothing is learnt.

        Parameters
        ----------
        X, y : ignored

        Returns
        -------
        self
        """
        check_iterable(X)
        self.check()
        self._warn_for_unused_params()
        return self

    def transform(self, X: Iterable[Any], *, out: Any = None) -> npt.NDArray[Any]:
        """Turn texts into vectors.

        Parameters
        ----------
        X : iterable of str or bytes
            The texts, or files or file names if `input` says so. A generator is read in batches.
        out : ndarray or None, default=None
            An array of the right shape and dtype to write the vectors to, so that a loop over
            batches allocates nothing. If the call fails, its contents are undefined.

        Returns
        -------
        vectors : ndarray of shape (n_samples, n_features), or (n_samples, n_features // 8) bytes
        """
        check_iterable(X)
        hashing = self.hashing()
        return hashing.of_texts(self.analysis(), X, resolve_threads(self.n_jobs), out)

    def document(self, text: Any) -> DocumentHash:
        """Return one text as a document that can be edited.

        Its `vector`, with this vectorizer's norm and dtype, is what `transform` returns.

        Parameters
        ----------
        text : str or bytes
            The text, or a file or a file name if `input` says so.

        Returns
        -------
        document : DocumentHash
            With this vectorizer's `n_features`, `randomizer` and `key`.

        Examples
        --------
        >>> from addhash import AdditiveHashingVectorizer
        >>> vectorizer = AdditiveHashingVectorizer()
        >>> document = vectorizer.document("the old text of a long page")
        >>> vectorizer.edit(document, "the old text of a long page", "the new text of a long page")
        DocumentHash(n_features=2048, randomizer='shake256', count=6)
        >>> document == vectorizer.document("the new text of a long page")
        True
        """
        return document_of_text(self.analysis(), self.hashing(), text)

    def edit(self, document: DocumentHash, old_text: Any, new_text: Any) -> DocumentHash:
        """Update a document from one text to another, hashing only the tokens that differ.

        Only the part of the texts between their common start and end is tokenized; finding that
        part is one fast comparison of the texts. With a custom analyzer, both texts are tokenized
        in full.

        Parameters
        ----------
        document : DocumentHash
            A document that contains the tokens of `old_text`, perhaps among others. It is changed
            in place, or left as it was if something is refused.
        old_text, new_text : str or bytes
            The texts, or files or file names if `input` says so.

        Returns
        -------
        document : DocumentHash
            The same one.
        """
        return edit_document(self.analysis(), self.hashing(), document, old_text, new_text)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags
