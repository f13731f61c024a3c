"""The ready-made model: its file and its classifier."""

from copy import copy
from functools import cache
from importlib.resources import as_file, files

from addhash.learning.text_classifier import TextClassifier

__all__ = ["load", "shared"]

FILE = "model.safetensors"


@cache
def shared() -> TextClassifier:
    """Return the classifier shared by the whole process, which must not be changed."""
    with as_file(files("addhash.languages").joinpath(FILE)) as path:
        return TextClassifier.load(path)


def load() -> TextClassifier:
    """Return a copy of the detector's classifier, to ask, teach and save.

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
