"""The type of sound in memory."""

import numpy as np
from numpy.typing import NDArray

#: (n,) or (n, channels), in -1..1.
Samples = NDArray[np.float32]
