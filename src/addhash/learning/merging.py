"""Many models merged into one."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, TypeVar

from addhash.errors import MergeError

__all__ = ["merged"]

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
