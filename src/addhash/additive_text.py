"""Additive hashing for text: the paper's method."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import _VectorizerMixin

from addhash.additive import AdditiveEstimator
from addhash.core import native
from addhash.documents import check_iterable, decode_batch
from addhash.parameters import ADDITIVE, TEXT
from addhash.tokens import analyzes_natively, retry_in_python, text_options, token_batch

__all__ = ["AdditiveHashingVectorizer"]


class AdditiveHashingVectorizer(_VectorizerMixin, AdditiveEstimator):
    """Turn texts into dense vectors by adding the hashes of their tokens.

    Every token has a vector of `n_features` components that are +1 or -1, the bits of its hash.
    A text's vector is the sum of its tokens' vectors, scaled to unit length: texts that share
    tokens point the same way, others are almost orthogonal. Nothing is learnt: `fit` only checks
    the parameters, and the vector of a text never depends on other texts.

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, \
token_pattern, ngram_range, analyzer
        How texts are read and cut into tokens, as in scikit-learn's ``HashingVectorizer``.
    n_features : int, default=2048
        The number of components, a multiple of 8 from 8 to 2**20. The vector of a smaller
        number is the tail of the vector of a larger one, before scaling.
    binary : bool, default=False
        Count each token of a text once.
    norm : {"l1", "l2"} or None, default="l2"
        How vectors are scaled; None leaves the exact sums.
    alternate_sign : bool, default=True
        A bit counts +1 or -1. With False it counts 1 or 0: no component is negative.
    dtype : dtype or "bits", default=np.float32
        float64, float32 or float16; with ``norm=None`` also int64, int32 or int16, where a sum
        that does not fit is an error. "bits" packs the signs of the components, 1 for positive,
        eight to a byte in NumPy's bit order: a SimHash.
    randomizer : {"shake256", "siphash128"}, default="shake256"
        What hashes the tokens: the paper's SHAKE-256, or the faster SipHash with 128 bits of
        output, expanded in counter mode.
    key : bytes or None, default=None
        A secret of 1 to 128 bytes, 16 or more for real secrecy. Without it nobody can compute
        the vector of a token.
    n_jobs : int or None, default=None
        Threads to use; None means all cores that the process may use. The result does not
        depend on it.

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

    _rules = TEXT | ADDITIVE
    _noun = "Document"

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = r"(?u)\b\w\w+\b",
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        n_features: int = 2048,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float32,
        randomizer: str = "shake256",
        key: bytes | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.dtype = dtype
        self.randomizer = randomizer
        self.key = key
        self.n_jobs = n_jobs

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
        self._check()
        self._warn_for_unused_params()
        return self

    def transform(self, X: Iterable[Any]) -> npt.NDArray[Any]:
        """Turn texts into vectors.

        Parameters
        ----------
        X : iterable of str or bytes
            The texts, or files or file names if `input` says so. A generator is read in batches.

        Returns
        -------
        vectors : ndarray of shape (n_samples, n_features), or (n_samples, n_features // 8) bytes
        """
        check_iterable(X)
        self._check()
        options = self._options()
        natively = analyzes_natively(self)

        def vectorize(
            batch: list[Any], start: int, out: npt.NDArray[Any]
        ) -> tuple[str, int] | None:
            if natively:
                texts = decode_batch(self, batch, start)
                failure = native.vectorize_texts(texts, **text_options(self), **options, out=out)
                if failure is None or failure[0] not in ("surrogate", "too_long"):
                    return failure
                tokens = retry_in_python(self, failure, texts, start)
            else:
                tokens = token_batch(self, batch, start)
            return native.vectorize_tokens(tokens, **options, out=out)

        return self._transform(X, vectorize)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags
