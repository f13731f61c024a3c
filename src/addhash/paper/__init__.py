"""The experiments of the paper "Additive Feature Hashing", to be run again by anybody.

`reproduce` runs them and writes results, figures and a report; `claims_of` sets results beside
what the paper claims.
"""

from addhash.paper.claims import Claim, claims_of
from addhash.paper.reproduction import EXPERIMENTS, reproduce

__all__ = ["EXPERIMENTS", "Claim", "claims_of", "reproduce"]
