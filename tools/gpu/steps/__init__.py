"""The steps of the check: each module has a function `measure`, whose result is JSON."""
