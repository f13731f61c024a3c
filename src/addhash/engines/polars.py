"""addhash in Polars: an expression namespace for lazy, eager and streaming queries.

Examples
--------
>>> import polars as pl
>>> import addhash.engines.polars
>>> from addhash import TextClassifier
>>> model = TextClassifier().fit(["good morning", "bonjour"], ["en", "fr"])
>>> frame = pl.LazyFrame({"text": ["good", None]})
>>> frame.select(pl.col("text").addhash.predict(model)).collect()["text"].to_list()
['en', None]
"""

from collections.abc import Callable, Sequence
from typing import Any

import addhash.languages
from addhash import vector_column
from addhash.engines.label_types import label_type
from addhash.errors import DocumentError, MissingPackageError, ParameterError

try:
    import polars as pl
except ModuleNotFoundError as error:
    raise MissingPackageError.of("polars", "polars", "addhash.engines.polars") from error

__all__ = ["AddhashExpressions"]


@pl.api.register_expr_namespace("addhash")
class AddhashExpressions:
    """What ``pl.col(...).addhash`` offers for a column of texts; a null stays null."""

    def __init__(self, texts: pl.Expr) -> None:
        self._texts = texts

    def predict(self, model: Any) -> pl.Expr:
        """Return the label that a model gives each text.

        Parameters
        ----------
        model : TextClassifier
            A fitted one.

        Returns
        -------
        labels : Expr
            With the type of the labels; null for rejected answers.
        """
        dtype = getattr(pl, label_type(model).polars)
        return self._map(lambda texts: pl.Series(model.predict(texts).tolist(), dtype=dtype), dtype)

    def predict_proba(self, model: Any) -> pl.Expr:
        """Return the probability of each class for each text.

        Parameters
        ----------
        model : TextClassifier
            A fitted one.

        Returns
        -------
        probabilities : Expr
            Arrays with one number per class, in the order of ``model.classes_``.
        """
        dtype = pl.Array(pl.Float64, len(model.classes_))

        def shares_of(texts: pl.Series) -> pl.Series:
            return pl.Series(vector_column(model.predict_proba(texts)), dtype=dtype)

        return self._map(shares_of, dtype)

    def score(self, model: Any) -> pl.Expr:
        """Return the probability of the label that `predict` gives each text.

        Parameters
        ----------
        model : TextClassifier
            A fitted one.

        Returns
        -------
        scores : Expr
            Numbers from 0 to 1, to filter by: ``pl.col("text").addhash.score(model) > 0.9``.
        """

        def best_of(texts: pl.Series) -> pl.Series:
            return pl.Series(model.predict_proba(texts).max(axis=1), dtype=pl.Float64)

        return self._map(best_of, pl.Float64)

    def detect(self, languages: Sequence[str] | None = None) -> pl.Expr:
        """Return the ISO 639-3 code of the language of each text.

        Parameters
        ----------
        languages : sequence of str, optional
            Codes or names of the languages to choose from; all by default.

        Returns
        -------
        codes : Expr
            Null for a text without letters.
        """

        def codes_of(texts: pl.Series) -> pl.Series:
            found = addhash.languages.detect(texts.to_list(), languages=languages)
            return pl.Series([each and each.code for each in found], dtype=pl.String)

        return self._map(codes_of, pl.String)

    def vector(self, vectorizer: Any) -> pl.Expr:
        """Return the vector of each text.

        Parameters
        ----------
        vectorizer : AdditiveHashingVectorizer

        Returns
        -------
        vectors : Expr
            Arrays of `n_features` numbers.
        """
        example = vectorizer.transform(["a text"])
        if not hasattr(example, "__array_interface__"):
            raise ParameterError(
                "The vectorizer of .addhash.vector() must return dense vectors, like an"
                f" AdditiveHashingVectorizer. Got a {type(vectorizer).__name__} instead."
            )

        def vectors_of(texts: pl.Series) -> pl.Series:
            return pl.Series(vector_column(vectorizer.transform(texts)))

        return self._map(vectors_of, pl.Series(vector_column(example)).dtype)

    def _map(self, answer: Callable[[pl.Series], pl.Series], dtype: Any) -> pl.Expr:
        """Return an expression for the answers to the non-null texts."""

        def answers_of(given: pl.Series) -> pl.Series:
            texts = _as_texts(given)
            if texts.null_count() == 0 and len(texts):
                return answer(texts).alias(texts.name)
            if texts.null_count() == len(texts):
                return pl.Series(texts.name, [None] * len(texts), dtype=dtype)
            present = texts.is_not_null()
            places = present.cum_sum() - 1
            answers = answer(texts.filter(present))
            # Nulls take no space.
            chosen = pl.select(pl.when(present).then(places)).to_series()
            return answers.gather(chosen).alias(texts.name)

        return self._texts.map_batches(answers_of, return_dtype=dtype, is_elementwise=True)


def _as_texts(column: pl.Series) -> pl.Series:
    """Return a column as strings; numbers, dates and structures are not texts."""
    kind = column.dtype
    if kind not in (pl.String, pl.Binary, pl.Null) and not isinstance(
        kind, pl.Categorical | pl.Enum
    ):
        raise DocumentError(
            f"Expected a column of texts, got the column {column.name!r} of type {kind}. Cast it"
            " if its values are meant as texts: .cast(pl.String)."
        )
    return column.cast(pl.String)
