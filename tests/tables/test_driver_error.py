"""Every row says what is wrong and what to do, and any error has a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.tables import rows
from voxmatrix.tables.driver_error import driver_error

TABLE = rows.read("driver_errors.toml")


@pytest.mark.parametrize("name", [f"{library} {code}" for library, codes in TABLE.items() for code in codes])
def test_a_row_is_a_sentence_and_something_to_type(name: str) -> None:
    error = driver_error(name)
    assert not error.problem.endswith(".")
    assert len(error.remedy) > 20


@given(library=st.sampled_from(["nvml", "cuda"]), code=st.integers(0, 100_000))
def test_any_code_is_shown(library: str, code: int) -> None:
    assert driver_error(f"{library} {code}").problem.endswith(f"({library.upper()} error {code})")
