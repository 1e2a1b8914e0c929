"""Benchmarks of every device of this computer: matrix products, speaking, training."""
