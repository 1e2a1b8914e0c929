"""Names of profiles and lists."""

import unicodedata

import pytest

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.recordings.store import checked_name, is_name


@pytest.mark.parametrize("name", ["Anna", "Åsa Öberg", "山田 太郎", "list.v2", "a", "x" * 120, "it's"])
def test_a_name_that_every_system_can_have_is_kept(name: str) -> None:
    assert checked_name(name, "profile") == name
    assert is_name(name)


def test_a_name_has_one_form() -> None:
    apart = unicodedata.normalize("NFD", "Åsa")
    assert checked_name(f"  {apart} ", "profile") == "Åsa"
    assert not is_name(apart)


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "../x", "a/b", "a\\b", "/etc", "C:", ".hidden", "-x", "a.", "a\0b", "a\nb", "a?", 'a"b', "a*",
     "<a>", "con", "LPT1.txt", "x" * 121, "å" * 61, "a\ud800", "a\u202eb", "\ufeff"],
)  # fmt: skip
def test_a_name_that_could_lead_elsewhere_or_nowhere_is_refused(name: str) -> None:
    with pytest.raises(ApiError) as caught:
        checked_name(name, "profile")
    assert (caught.value.status_code, caught.value.param) == (400, "profile")
    assert caught.value.message.startswith("profile ")
    assert not is_name(name)
