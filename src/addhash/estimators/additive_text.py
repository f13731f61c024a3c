"""Additive hashing for text: the paper's method."""

from typing import Any, Self

from sklearn.feature_extraction.text import _VectorizerMixin

from addhash.documents.document_hash import DocumentHash
from addhash.documents.from_text import document_of_text, edit_document
from addhash.estimators.hooks import analysis_of
from addhash.estimators.stateless import StatelessTransformer
from addhash.hashing.vectorizer import TextVectorizer
from addhash.text.analysis import Analysis
from addhash.text.reading import check_iterable


class AdditiveHashingVectorizer(_VectorizerMixin, StatelessTransformer, TextVectorizer):
    """Turn texts into dense vectors by adding the hashes of their tokens.

    Every token has a vector of `n_features` components, each +1 or -1: the bits of its hash. A
    text's vector is the sum of its tokens' vectors, scaled to unit length: texts that share tokens
    point the same way, others are almost orthogonal. Nothing is learnt: `fit` only checks the
    parameters, and a text's vector never depends on other texts.

    The first parameters, up to `analyzer`, say how texts are read and tokenized, as in
    scikit-learn's ``HashingVectorizer``.

    Parameters
    ----------
    input : {"content", "filename", "file"}, default="content"
    encoding : str, default="utf-8"
    decode_error : {"strict", "ignore", "replace"}, default="strict"
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
    lowercase : bool, default=True
    preprocessor : callable or None, default=None
    tokenizer : callable or None, default=None
    stop_words : "english", list of str or None, default=None
    token_pattern : str or None
        By default, words of two or more letters, digits or underscores.
    ngram_range : tuple (min_n, max_n), default=(1, 1)
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
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

    check = TextVectorizer.check
    """Raise a ParameterError for the first parameter with an invalid value."""
    # scikit-learn wraps what it finds in the class itself.
    transform = TextVectorizer.transform
    """Turn texts into vectors: see `TextVectorizer.transform`."""

    def analysis(self) -> Analysis:
        """Return how texts are tokenized."""
        return analysis_of(self)

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; nothing is learnt.

        Parameters
        ----------
        X : ignored
        y : ignored

        Returns
        -------
        self
        """
        check_iterable(X)
        self.check()
        self._warn_for_unused_params()
        return self

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
        old_text : str or bytes
            A text, or a file or a file name if `input` says so.
        new_text : str or bytes
            The text in its place.

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
