"""What every model that has a file shares: metadata, saving, loading, bytes."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy.typing as npt

from addhash.errors import ParameterError
from addhash.files.model_file import ModelBytes, check_metadata, read_model, write_model
from addhash.files.parts import Parts, checking
from addhash.logs import timed

Arrays = dict[str, npt.NDArray[Any]]


class SavedModel(ABC):
    """A model that is saved as its settings, which are JSON, and its parts, which are arrays.

    A class says what they are at one moment (`_content`) and makes a model of them
    (`_of_content`); its `load` checks its own options and calls `_load`.
    """

    _kind: ClassVar[str]  # what its files are called
    _metadata: Mapping[str, str] = {}

    @abstractmethod
    def _content(self) -> tuple[dict[str, Any], Arrays]:
        """Return settings and parts, both of the same moment."""

    @classmethod
    @abstractmethod
    def _of_content(cls, settings: Mapping[str, Any], parts: Parts, **options: Any) -> Self:
        """Return the model of some settings and parts; anything wrong is a ValueError."""

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata recorded by `save` or read from the file."""
        return dict(self._metadata)

    def save(self, path: Any, *, metadata: Mapping[str, str] | None = None) -> None:
        """Write the model to a file; a crash leaves either the old file or the new one.

        The file depends on what the model contains, not on how it came to contain it. It has
        neither functions nor a key: both must be passed again on loading.

        Parameters
        ----------
        path : str or path-like
        metadata : dict of str to str, optional
            Metadata to record, such as the model's source and license; None keeps what it has.

        Examples
        --------
        >>> import tempfile
        >>> from addhash import TextIndex
        >>> index = TextIndex()
        >>> ids = index.add(["John likes movies", "Mary likes music"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(f"{folder}/likes.index", metadata={"license": "CC0"})
        ...     loaded = TextIndex.load(f"{folder}/likes.index")
        >>> loaded.search(["music"], k=1)[0][0].text, loaded.metadata
        ('Mary likes music', {'license': 'CC0'})
        """
        settings, parts = self._content()
        kept = self.metadata if metadata is None else check_metadata(metadata)
        write_model(path, self._kind, settings, parts, kept)
        self._metadata = kept

    @classmethod
    @abstractmethod
    def load(cls, path: Any) -> Self:
        """Load a model that `save` wrote."""

    @classmethod
    def _load(cls, path: Any, **options: Any) -> Self:
        with timed("load %s from %s", cls._kind, path):
            file = read_model(path, cls._kind)
            with checking(path):
                parts = Parts(file.arrays)
                model = cls._of_content(file.settings, parts, **options)
                parts.finish()
                if file.metadata:
                    model._metadata = file.metadata
        return model

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


@contextmanager
def values_of_file() -> Iterator[None]:
    """Turn errors in parameters, which came from a file, into errors of the file."""
    try:
        yield
    except ParameterError as error:
        raise ValueError(str(error)) from error
