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

import polars as pl

import addhash.languages
from addhash import vector_column
from addhash.errors import ParameterError

__all__ = ["AddhashExpressions"]

# By the kind of the labels' NumPy type.
LABELS: dict[str, Any] = {
    "U": pl.String,
    "O": pl.String,
    "i": pl.Int64,
    "f": pl.Float64,
    "b": pl.Boolean,
}


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
        dtype = LABELS[model.classes_.dtype.kind]
        return self._map(lambda texts: pl.Series(model.predict(texts).tolist(), dtype=dtype), dtype)

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

        def answers_of(texts: pl.Series) -> pl.Series:
            if texts.null_count() == 0:
                return answer(texts).alias(texts.name)
            present = texts.is_not_null()
            places = present.cum_sum() - 1
            answers = answer(texts.filter(present))
            # Nulls take no space.
            chosen = pl.select(pl.when(present).then(places)).to_series()
            return answers.gather(chosen).alias(texts.name)

        return self._texts.cast(pl.String).map_batches(
            answers_of, return_dtype=dtype, is_elementwise=True
        )
