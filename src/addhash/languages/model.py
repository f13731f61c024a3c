"""The model that comes with the detector."""

from functools import cache
from importlib.resources import as_file, files

from addhash.learning.text_classifier import TextClassifier


def load() -> TextClassifier:
    """Return the detector's model as a classifier of your own, to teach it more.

    Its classes are ISO 639-3 codes. It learns, forgets, explains and saves like any other
    TextClassifier; pass it to `detect` as the model. Its `metadata` says what it was made from.

    Returns
    -------
    classifier : TextClassifier

    Examples
    --------
    >>> from addhash import languages
    >>> classifier = languages.load()
    >>> _ = classifier.learn(["nuqneH, qaStaH nuq jay'"], ["tlh"])
    >>> languages.detect("qaStaH nuq", ["tlh", "eng"], model=classifier).code
    'tlh'
    """
    with as_file(files("addhash.languages").joinpath("model.safetensors")) as path:
        return TextClassifier.load(path)


@cache
def shared() -> TextClassifier:
    """Return the classifier that the detector itself uses; it is never changed."""
    return load()
