"""VOXMATRIX_PATCHES names the patches that may be applied; whatever stands there, it is understood or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import UsageError
from voxmatrix_entrypoint.allowed_patches import allowed_patches

KNOWN = ("torchaudio-cpu", "torchaudio-load", "b")


@pytest.mark.parametrize("text", ["", "  ", "on", "ALL", "auto"])
def test_nothing_and_on_allow_all(text: str) -> None:
    assert allowed_patches(text, KNOWN) == set(KNOWN)


@pytest.mark.parametrize("text", ["off", " OFF ", "none", "0", "no"])
def test_off_allows_none(text: str) -> None:
    assert allowed_patches(text, KNOWN) == frozenset()


def test_ids_with_commas_allow_these_only() -> None:
    assert allowed_patches(" b , torchaudio-cpu,, B", KNOWN) == {"b", "torchaudio-cpu"}


def test_a_slip_of_the_finger_is_refused_with_what_was_meant() -> None:
    with pytest.raises(UsageError) as refused:
        allowed_patches("torchaudio-lod", KNOWN)
    assert "did you mean torchaudio-load?" in refused.value.problem
    assert refused.value.remedy == "set it to b, torchaudio-cpu, torchaudio-load or off"


@given(st.text())
def test_any_text_is_understood_or_refused(text: str) -> None:
    try:
        assert allowed_patches(text, KNOWN) <= set(KNOWN)
    except UsageError as error:
        assert "\n" not in error.problem
        assert len(error.problem) < 1000


@given(st.sets(st.sampled_from(KNOWN), min_size=1), st.sampled_from([",", " , ", ",,", ",\n"]))
def test_what_is_named_is_what_is_allowed(ids: set[str], between: str) -> None:
    assert allowed_patches(between.join(sorted(ids)), KNOWN) == ids
