"""The experiments of the paper "Additive Feature Hashing", for anyone to repeat.

`reproduce` runs them and writes results, figures and a report; `claims_of` compares results with
the paper's claims. `experiments` computes, `report` presents.
"""

from addhash.errors import MissingPackageError

try:
    import scipy as _scipy
    import sklearn as _sklearn
except ModuleNotFoundError as error:
    raise MissingPackageError.of("scikit-learn", "paper", "Repeating the experiments") from error

from addhash.paper.report.claims import claims_of
from addhash.paper.report.verdicts import Claim
from addhash.paper.reproduction import EXPERIMENTS, reproduce

__all__ = ["EXPERIMENTS", "Claim", "claims_of", "reproduce"]

_NEEDED = (_scipy, _sklearn)
