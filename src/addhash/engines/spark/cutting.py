"""How texts are tokenized and hashed: the parameters that Spark stages share."""

from typing import Any, Self

from pyspark.ml.param import Param, Params, TypeConverters


class HasCutting(Params):
    """The tokenizing parameters of ``addhash.AdditiveHashingVectorizer``, and its width."""

    def __init__(self) -> None:
        super().__init__()
        self.analyzer = Param(self, "analyzer", "word, char or char_wb", TypeConverters.toString)
        self.ngramRange = Param(
            self, "ngramRange", "shortest and longest n-gram", TypeConverters.toListInt
        )
        self.lowercase = Param(
            self, "lowercase", "whether case is dropped", TypeConverters.toBoolean
        )
        self.nFeatures = Param(self, "nFeatures", "components of vectors", TypeConverters.toInt)

    def setParams(self, **parameters: Any) -> Self:  # noqa: N802
        """Set any parameters."""
        self._set(**parameters)
        return self
