"""Weights of examples: whole numbers, which say how often each one is learnt."""

from typing import Any

import numpy as np
import numpy.typing as npt

from addhash.errors import ParameterError


def repetitions(sample_weight: Any, count: int) -> npt.NDArray[np.int64]:
    """Return the positions of examples, each as often as its weight says.

    What is learnt is exact integers, so a weight of 2 is exactly the example learnt twice, and a
    weight of 0 an example that is left out.

    Examples
    --------
    >>> from addhash.learning.sample_weight import repetitions
    >>> repetitions([2, 0, 1], 3).tolist()
    [0, 0, 2]
    """
    try:
        weights = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"Expected numbers as sample_weight: {error}.") from error
    if weights.shape != (count,):
        raise ParameterError(
            f"Sample weights must be 1D, one for each of {count} examples. Got an array of shape"
            f" {weights.shape}."
        )
    wrong = np.flatnonzero(~((weights >= 0) & (weights == np.rint(weights)) & (weights < 2**31)))
    if len(wrong):
        i = int(wrong[0])
        raise ParameterError(
            f"sample_weight[{i}] is {weights[i]}; expected a whole number of at least 0: how often"
            " the example is learnt. Multiply fractions by a common factor and round them."
        )
    if count and not weights.any():
        raise ParameterError("All values of sample_weight are zero: no example would be learnt.")
    return np.repeat(np.arange(count), weights.astype(np.int64))
