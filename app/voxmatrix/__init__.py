"""One voice app, every GPU. Importing any module of this package defines names and does nothing else."""

__version__ = "0.1.0"
