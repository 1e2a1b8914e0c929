"""Numbers of the layers of Piper's networks, in a module without torch: what writes their ONNX graphs has them too."""

import math

#: Attention: the largest distance, in symbols, with an embedding.
WINDOW = 4
#: Normalisation: added to the variance.
EPSILON = 1e-5
#: Splines: bins, and where they begin and end.
BINS, TAIL = 10, 5.0
#: Minimum width, height and slope of a bin.
MINIMUM = 1e-3
#: softplus of this is 1 - MINIMUM: the slope at the outer edges is 1, as in the tails.
EDGE_SLOPE = math.log(math.expm1(1.0 - MINIMUM))
