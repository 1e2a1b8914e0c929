"""What an error of NVIDIA's driver means and what to do about it, read from driver_errors.toml."""

from dataclasses import dataclass
from functools import cache

from voxmatrix.tables import rows

_LIBRARIES = {"nvml": "NVML", "cuda": "CUDA"}


@dataclass(frozen=True, kw_only=True)
class DriverError:
    """A row: a sentence without a full stop, and what to type."""

    problem: str
    remedy: str


@cache
def _table() -> dict[str, dict[str, DriverError]]:
    return {
        library: {code: DriverError(**row) for code, row in table.items()}
        for library, table in rows.read("driver_errors.toml").items()
    }


def driver_error(name: str) -> DriverError:
    """The row for an error such as "nvml 18", "cuda 802" or "cuda missing"; its problem ends with the code.

    Raises:
        KeyError: the library is neither nvml nor cuda.
    """
    library, _, code = name.partition(" ")
    row = _table()[library].get(code) or _table()[library]["other"]
    number = f" ({_LIBRARIES[library]} error {code})" if code.isdecimal() else ""
    return DriverError(problem=f"{row.problem}{number}", remedy=row.remedy)
