"""The ready-made model: where it is, and the classifier that it holds."""

from copy import copy
from functools import cache
from importlib.resources import as_file, files

from addhash.learning.text_classifier import TextClassifier

__all__ = ["load", "shared"]

FILE = "model.safetensors"


@cache
def shared() -> TextClassifier:
    """Return the classifier that all of a process asks, and nobody changes."""
    with as_file(files("addhash.languages").joinpath(FILE)) as path:
        return TextClassifier.load(path)


def load() -> TextClassifier:
    """Return the classifier of the detector: yours to ask, to teach and to save.

    Returns
    -------
    classifier : TextClassifier
        Its classes are ISO 639-3 codes; its `metadata` has its sources and their licences.

    Examples
    --------
    >>> from addhash import languages
    >>> classifier = languages.load()
    >>> classifier.predict(["Wer reitet so spät durch Nacht und Wind?"]).tolist()
    ['deu']
    """
    return copy(shared())
