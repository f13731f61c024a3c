"""Models as bytes: the file that `save` writes, without a file."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from addhash.errors import ParameterError

__all__ = ["ModelBytes", "SavedAsBytes"]


@dataclass
class ModelBytes:
    """Stands for the path of a file whose content is held in memory."""

    content: bytes = b""

    def __str__(self) -> str:
        return f"{len(self.content)} bytes"


class SavedAsBytes:
    """Gives a class with `save` and `load` the same in memory."""

    @abstractmethod
    def save(self, path: Any) -> None:
        """Write the model to a file."""

    @classmethod
    @abstractmethod
    def load(cls, path: Any) -> Self:
        """Load a model that `save` wrote."""

    def to_bytes(self) -> bytes:
        """Return the bytes of the file that `save` writes."""
        held = ModelBytes()
        self.save(held)
        return held.content

    @classmethod
    def from_bytes(cls, data: bytes, **options: Any) -> Self:
        """Load a model from what `to_bytes` returned, with the options of `load`.

        Parameters
        ----------
        data : bytes
            Anything but the bytes of a model of this class raises ModelFileError.
        **options
            As for `load`.

        Examples
        --------
        >>> from addhash import TextClassifier
        >>> classifier = TextClassifier().fit(["good morning", "bonjour"], ["en", "fr"])
        >>> TextClassifier.from_bytes(classifier.to_bytes()).predict(["good"]).tolist()
        ['en']
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise ParameterError(
                f"Expected the bytes of {cls.__name__}.to_bytes, got a {type(data).__name__}."
            )
        return cls.load(ModelBytes(bytes(data)), **options)
