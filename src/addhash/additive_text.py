"""Additive hashing for text: the paper's method."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import _VectorizerMixin

from addhash.additive import AdditiveEstimator
from addhash.configuration import HashConfiguration, check_alike, configure
from addhash.core import native
from addhash.document_hash import DocumentHash
from addhash.documents import check_iterable, decode_batch
from addhash.errors import ParameterError
from addhash.parameters import ADDITIVE, TEXT
from addhash.text_edits import changed_parts
from addhash.token_sums import as_bytes
from addhash.tokens import (
    analyzes_natively,
    retry_in_python,
    text_options,
    token_batch,
    tokens_of,
)

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

    def document(self, text: Any) -> DocumentHash:
        """Return one text as a document that can be edited.

        Its `vector`, given this vectorizer's norm and dtype, is what `transform` gives.

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
        self._check_editable()
        text = self._decoded(text)
        configuration = self._configuration()
        if analyzes_natively(self):
            count = native.token_count(text, **text_options(self))
            if isinstance(count, int):
                sums = np.empty((1, configuration.n_features), np.int64)
                options = self._options() | {"norm": "none", "as_bits": False}
                native.vectorize_texts([text], **text_options(self), **options, out=sums)
                return DocumentHash._make(configuration, sums[0], count)
        document = DocumentHash(self.n_features, randomizer=self.randomizer, key=self.key)
        return document.update(tokens_of(self, text))

    def edit(self, document: DocumentHash, old_text: Any, new_text: Any) -> DocumentHash:
        """Change a document from one text's to another's, hashing only tokens that differ.

        Of native analysis, too, only the part of the texts is cut into tokens that lies between
        what they begin and end with alike; finding that part is one fast comparison of the
        texts. With an analyzer of your own, both texts are cut whole.

        Parameters
        ----------
        document : DocumentHash
            A document that holds the tokens of `old_text`, perhaps among others. It is changed,
            or left as it was if something is refused.
        old_text, new_text : str or bytes
            The texts, or files or file names if `input` says so.

        Returns
        -------
        document : DocumentHash
            The same one.
        """
        self._check_editable()
        if not isinstance(document, DocumentHash):
            raise ParameterError(
                f"Expected a DocumentHash to edit, got {document!r:.80} of type"
                f" {type(document).__name__}."
            )
        check_alike(document.configuration, self._configuration(), with_modulus=False)
        old, new = self._decoded(old_text), self._decoded(new_text)
        if analyzes_natively(self):
            old, new = changed_parts(
                old,
                new,
                analyzer=self.analyzer,
                max_n=int(self.ngram_range[1]),
                lowercase=bool(self.lowercase),
            )
        before = Counter(map(as_bytes, tokens_of(self, old)))
        after = Counter(map(as_bytes, tokens_of(self, new)))
        return document.edit((before - after).elements(), (after - before).elements())

    def _check_editable(self) -> None:
        """Refuse what sums of hashes cannot follow an edit of."""
        self._check()
        if self.binary:
            raise ParameterError(
                "The 'binary' parameter of AdditiveHashingVectorizer must be False for documents:"
                " removing a token must not depend on how often it is there. Got True instead."
            )
        if not self.alternate_sign:
            raise ParameterError(
                "The 'alternate_sign' parameter of AdditiveHashingVectorizer must be True for"
                " documents, whose components are +1 and -1. Got False instead."
            )

    def _configuration(self) -> HashConfiguration:
        return configure(type(self).__name__, self.n_features, self.randomizer, self.key)

    def _decoded(self, text: Any) -> Any:
        """Return a text as str where the analysis is native; else the analyzer decodes it."""
        return decode_batch(self, [text], 0)[0] if analyzes_natively(self) else text

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags
