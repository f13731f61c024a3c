"""Models merged into one, and what keeps them from it."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, TypeVar

from addhash.conventions import same_setting
from addhash.errors import MergeError

Model = TypeVar("Model")


def merged(models: Iterable[Model]) -> Model:
    """Return one model of everything that some models have learnt.

    Counts and sums are exact: the result is the same in whatever order and grouping models are
    merged, and the same as a model that learnt all their examples itself.

    Parameters
    ----------
    models : iterable of models of one class with a `merge` method
        At least one. They are read one after the other and not changed.

    Returns
    -------
    model : a new model of the class

    Examples
    --------
    >>> from addhash import TextClassifier, merged
    >>> parts = [
    ...     TextClassifier().fit(["good morning"], ["en"]),
    ...     TextClassifier().fit(["bonjour"], ["fr"]),
    ... ]
    >>> merged(parts).digest() == merged(reversed(parts)).digest()
    True
    """
    whole: Any = None
    for position, model in enumerate(models):
        if not hasattr(model, "merge"):
            raise MergeError(
                f"Model {position} is {model!r:.80} of type {type(model).__name__}; expected one"
                " that has merge."
            )
        if whole is None:
            whole = deepcopy(model)
        else:
            whole.merge(model)
    if whole is None:
        raise MergeError("Expected at least one model to merge, got none.")
    result: Model = whole
    return result


def raise_difference(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], what: str = "models"
) -> None:
    """Raise a MergeError that names every difference between two configurations.

    Examples
    --------
    >>> from addhash.merging import raise_difference
    >>> raise_difference({"width": 8}, {"width": 16})
    Traceback (most recent call last):
    ...
    addhash.errors.MergeError: The models differ in width: 8 here, 16 there; nothing was merged.
    """
    differences = [
        f"{name}: {mine.get(name)!r:.80} here, {theirs.get(name)!r:.80} there"
        for name in {**mine, **theirs}
        if not same_setting(mine.get(name), theirs.get(name))
    ]
    if differences:
        raise MergeError(f"The {what} differ in {'; '.join(differences)}; nothing was merged.")
