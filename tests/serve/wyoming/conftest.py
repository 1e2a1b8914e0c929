"""The library imports audioop, which Python 3.11 and 3.12 warn about."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import wyoming.audio  # noqa: F401
