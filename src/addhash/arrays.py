"""What arrays hold, for the types of parameters and results."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int64]
