"""Train and run VITS voices on any GPU. Importing a module of this package only defines names."""

__version__ = "0.1.0"
