"""The scikit-learn interface to hashing and learning."""

from addhash.errors import MissingPackageError

try:
    import scipy as _scipy
    import sklearn as _sklearn
except ModuleNotFoundError as error:
    raise MissingPackageError.of("scikit-learn", "sklearn", "This estimator") from error

_NEEDED = (_scipy, _sklearn)
