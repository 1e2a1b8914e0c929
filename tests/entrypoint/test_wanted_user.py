"""PUID and PGID are answered with what to set instead, where they ask for something that is not so."""

import pytest

from voxmatrix.ownership import Process
from voxmatrix_entrypoint.wanted_user import unheard_user

OURS = Process(user=1000, groups=frozenset({0}))


@pytest.mark.parametrize(
    ("environment", "start"),
    [
        ({"PUID": "99", "PGID": "100"}, "99:100"),
        ({"PUID": "99"}, "99:0"),
        ({"PGID": "100"}, "1000:100"),
        ({"PUID": "abc", "PGID": "100"}, "UID:GID"),
    ],
)
def test_another_user_is_asked_for(environment: dict[str, str], start: str) -> None:
    finding = unheard_user(environment, OURS)
    assert finding is not None and finding.severity == "warning"
    assert all(f"{name}={value}" in finding.problem for name, value in environment.items())
    assert f"start it with --user {start} " in finding.remedy
    assert f'user: "{start}"' in finding.remedy


@pytest.mark.parametrize(
    "environment",
    [{}, {"PUID": ""}, {"PUID": "1000"}, {"PUID": "1000", "PGID": "0"}, {"PGID": "0"}],
)
def test_who_has_what_he_asks_for_reads_nothing(environment: dict[str, str]) -> None:
    assert unheard_user(environment, OURS) is None


def test_in_a_rootless_container_the_user_outside_is_user_0() -> None:
    asked = {"PUID": "1000", "PGID": "1000"}
    finding = unheard_user(asked, Process(user=1234, groups=frozenset({0}), mapped=True))
    assert finding is not None and "--user 0:0 " in finding.remedy
    assert unheard_user(asked, Process(user=0, groups=frozenset({0}), mapped=True)) is None
