"""How fast each device of this computer is, measured: matrices, speaking, training."""
