"""Objects with parameters, following the conventions of scikit-learn's estimators."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from operator import is_
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from addhash.errors import ParameterError

P = ParamSpec("P")
Owner = TypeVar("Owner")
Init = Callable[Concatenate[Owner, P], None]
Made = TypeVar("Made")
_kept: "WeakKeyDictionary[Any, tuple[tuple[Any, ...], Any]]" = WeakKeyDictionary()


class Parametrized:
    """Parameters that are read, set and shown by their names in `__init__`."""

    @classmethod
    def parameter_names(cls) -> list[str]:
        """Return the names of the parameters."""
        return list(signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, also nested ones: ``a__b``."""
        found = {name: getattr(self, name) for name in self.parameter_names()}
        if deep:
            for name in list(found):
                inner = self.parameter(name)
                if hasattr(inner, "get_params"):
                    found |= {f"{name}__{key}": v for key, v in inner.get_params().items()}
        return found

    def parameter(self, name: str) -> Any:
        """Return what a parameter stands for, such as the default that None means."""
        return getattr(self, name)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; ``a__b`` is the parameter b of the parameter a."""
        names = self.parameter_names()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            head, _, tail = name.partition("__")
            if head not in names:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}. It has {', '.join(names)}."
                )
            if tail:
                nested.setdefault(head, {})[tail] = value
            else:
                setattr(self, name, value)
        for head, values in nested.items():
            setattr(self, head, self.parameter(head).set_params(**values))
        return self

    def __repr__(self) -> str:
        usual = {name: p.default for name, p in signature(type(self)).parameters.items()}
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if not same_setting(value, usual[name])
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def same_objects(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Return whether two tuples hold the same objects: equal ones may still differ in type."""
    return len(a) == len(b) and all(map(is_, a, b))


def kept_for(
    owner: Any, make: Callable[[], tuple[Made, bool]], values: tuple[Any, ...] | None = None
) -> Made:
    """Return what follows from an object's attributes, made anew only when one of them changed.

    Parameters
    ----------
    owner : object
        It is not changed: what is kept is kept elsewhere, and goes with it.
    make : callable
        Returns what follows from the attributes, and whether it may be kept: not if it refers to
        the owner, nor if it depends on what can change inside of an attribute.
    values : tuple, optional
        The attributes that matter, which are kept as well; by default, all.
    """
    if values is None:
        values = tuple(vars(owner).values())
    known = _kept.get(owner)
    if known is not None and same_objects(values, known[0]):
        found: Made = known[1]
        return found
    made, is_lasting = make()
    if is_lasting:
        _kept[owner] = values, made
    return made


def same_setting(a: Any, b: Any) -> bool:
    """Return whether two values of a parameter mean the same."""
    if a is b:
        return True
    try:
        return bool(np.all(a == b))
    except (TypeError, ValueError):
        return False


def hinting(name: str, inner: type[Parametrized]) -> Callable[[Init[Owner, P]], Init[Owner, P]]:
    """Make an `__init__` say where a parameter belongs that is one of its parameter's own.

    Examples
    --------
    >>> from addhash import TextClassifier
    >>> TextClassifier(analyzer="word")
    Traceback (most recent call last):
    ...
    addhash.errors.ParameterError: TextClassifier has no parameter 'analyzer': it is one of its
    vectorizer. Write TextClassifier().set_params(vectorizer__analyzer='word').
    """

    def decorated(init: Init[Owner, P]) -> Init[Owner, P]:
        known = set(signature(init).parameters)

        @wraps(init)
        def checked(self: Owner, *args: P.args, **kwargs: P.kwargs) -> None:
            misplaced = {k: v for k, v in kwargs.items() if k not in known}
            if misplaced and set(misplaced) <= set(inner.parameter_names()):
                owner = type(self).__name__
                nested = ", ".join(f"{name}__{k}={v!r}" for k, v in misplaced.items())
                raise ParameterError(
                    f"{owner} has no parameter {next(iter(misplaced))!r}: it is one of its {name}."
                    f" Write {owner}().set_params({nested})."
                )
            init(self, *args, **kwargs)

        return cast("Init[Owner, P]", checked)

    return decorated
