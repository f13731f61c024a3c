"""Objects with parameters, following the conventions of scikit-learn's estimators."""

from inspect import signature
from typing import Any, Self

import numpy as np

from addhash.errors import ParameterError

__all__ = ["Parametrized", "same_setting"]


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


def same_setting(a: Any, b: Any) -> bool:
    """Return whether two values of a parameter mean the same."""
    if a is b:
        return True
    try:
        return bool(np.all(a == b))
    except (TypeError, ValueError):
        return False
