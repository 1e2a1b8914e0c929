"""Profiles come back as they were; a damaged one costs a warning; what somebody sends is refused by what is wrong."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.machine.measured import RTX_3060, computer, measurement, profiles
from voxmatrix.errors import BadInputError, UnreachableError, UsageError
from voxmatrix.machine.json_file import MAX_BYTES
from voxmatrix.machine.profile import Profile, ProfiledCpu
from voxmatrix.machine.profile_store import (
    all_profiles,
    find,
    folder,
    keep,
    place,
    profile_of,
    read_profile,
    remove,
    write_profile,
)

PROFILE = Profile(device=RTX_3060, measurements=(measurement(),))
same_home = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(profiles())
@same_home
def test_what_is_written_is_read_again(tmp_path: Path, profile: Profile) -> None:
    write_profile(profile, tmp_path / "profile.json")
    assert read_profile(tmp_path / "profile.json") == profile


@given(profiles())
@same_home
def test_what_is_kept_lies_in_the_folder_and_is_found_by_its_name(profile: Profile) -> None:
    path = place(profile.key)
    path.unlink(missing_ok=True)
    keep(profile)
    assert path.parent == folder()
    assert find(profile.key) == profile


def test_measurements_gather_in_one_file_for_each_kind_of_device() -> None:
    keep(PROFILE)
    keep(Profile(device=RTX_3060, measurements=(measurement(precision="bf16"),)))
    keep(Profile(device=ProfiledCpu(name="AMD EPYC", cpus=2), measurements=(measurement(),)))
    assert sorted(path.name for path in folder().iterdir()) == [
        "amd-epyc-2cpus.json",
        "nvidia-geforce-rtx-3060-12gib.json",
    ]
    kept = profile_of(*computer())
    assert kept.one is not None
    assert [each.precision for each in kept.one.measurements] == ["bf16", "fp32"]
    assert len(all_profiles().profiles) == 2


def test_where_nothing_was_measured_there_is_nothing_and_no_warning() -> None:
    assert profile_of(*computer()).one is None
    assert all_profiles().findings == ()


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"\xff" * 99, b"[" * 100_000, b" " * (MAX_BYTES + 1)])
def test_a_damaged_profile_is_a_warning_and_the_next_measurement_mends_it(content: bytes) -> None:
    keep(PROFILE)
    place(PROFILE.key).write_bytes(content)

    kept = profile_of(*computer())
    assert kept.one is None
    (finding,) = kept.findings
    assert finding.severity == "warning"
    assert str(place(PROFILE.key)) in finding.problem
    assert "--tune" in finding.remedy
    keep(PROFILE)
    assert profile_of(*computer()).one == PROFILE


def test_a_profile_under_the_name_of_another_is_not_used() -> None:
    keep(PROFILE)
    place(PROFILE.key).rename(place("nvidia-a100-80gib"))
    (finding,) = all_profiles().findings
    assert PROFILE.key in finding.problem
    with pytest.raises(BadInputError):
        find("nvidia-a100-80gib")


def test_a_folder_in_its_place_is_a_warning() -> None:
    place(PROFILE.key).mkdir(parents=True)
    assert len(all_profiles().findings) == 1
    assert profile_of(*computer()).one is None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_nothing_to_end_for() -> None:
    keep(PROFILE)
    folder().chmod(0)
    try:
        assert profile_of(*computer()).one is None
    finally:
        folder().chmod(0o700)


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "file"))
    assert profile_of(*computer()).one is None
    with pytest.raises(UnreachableError):
        keep(PROFILE)


def changed(**keys: Any) -> bytes:
    return json.dumps(PROFILE.to_json() | keys).encode()


def with_measurement(**keys: Any) -> bytes:
    return changed(measurements=[PROFILE.to_json()["measurements"][0] | keys])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (changed()[:-9], "not JSON"),
        (b"[]", "the content is []"),
        (b" " * (MAX_BYTES + 1), "larger than 1024 KiB"),
        (changed(format=2), "format is 2"),
        (changed(colour="red"), "unknown key: colour"),
        (changed(gpu=None), "must have exactly one of gpu and cpu"),
        (changed(cpu={"cpus": 4}), "must have exactly one of gpu and cpu"),
        (changed(gpu={"name": "\x1b[2Jboo"}), "gpu.name is '\\x1b[2Jboo'"),
        (changed(gpu={"name": "a" * 500}), "gpu.name is"),
        (changed(gpu={"memory_mib": -1}), "gpu.memory_mib is -1"),
        (changed(gpu={"memory_mib": "12288"}), "gpu.memory_mib is '12288'"),
        (changed(gpu={"path": "../x"}), "unknown key: gpu.path"),
        (changed(measurements={}), "measurements is {}"),
        (changed(measurements=[PROFILE.to_json()["measurements"][0]] * 201), "measurements is"),
        (with_measurement(quality="../medium"), "quality is '../medium'"),
        (with_measurement(precision="int4"), "precision is 'int4'"),
        (with_measurement(seconds=0), "seconds is 0"),
        (with_measurement(seconds=1e400), "seconds is inf"),
        (with_measurement(date="21.11.2026"), "date is '21.11.2026'"),
        (with_measurement(date="2026-13-45"), "date is '2026-13-45'"),
        (with_measurement(largest_batch=3), "largest_batch of 3"),
        (with_measurement(sizes=PROFILE.to_json()["measurements"][0]["sizes"][::-1]), "sizes in ascending order"),
        (with_measurement(sizes=[{"batch_size": 0, "peak_mib": 1.0, "step_seconds": 1.0}]), "batch_size is 0"),
        (with_measurement(sizes=[{"batch_size": 1, "peak_mib": 0.0, "step_seconds": 1.0}]), "peak_mib is 0.0"),
    ],
)
def test_a_wrong_file_is_refused_with_the_key_and_the_value(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "profile.json"
    path.write_bytes(content)
    with pytest.raises(BadInputError) as caught:
        read_profile(path)
    assert said in caught.value.problem
    assert str(path) in caught.value.problem
    assert "profiles export" in caught.value.remedy


@given(st.binary(max_size=200))
@same_home
def test_any_bytes_are_refused_and_nothing_else_happens(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "profile.json"
    path.write_bytes(content)
    with pytest.raises(BadInputError):
        read_profile(path)


def test_the_same_measurement_twice_in_a_file_counts_once(tmp_path: Path) -> None:
    one = PROFILE.to_json()["measurements"][0]
    (tmp_path / "profile.json").write_bytes(changed(measurements=[one, one]))
    assert read_profile(tmp_path / "profile.json") == PROFILE


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../settings", "/etc/passwd", "a\x00b", "nvidia-geforce-rtx-3060-12gib.json"]
)
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    keep(PROFILE)
    (folder().parent / "settings.json").write_text("{}")
    for act in (find, remove):
        with pytest.raises(UsageError, match="there is no profile") as caught:
            act(name)
        assert PROFILE.key in caught.value.remedy
    assert (folder().parent / "settings.json").is_file()


def test_what_is_removed_is_gone_also_when_it_is_damaged() -> None:
    keep(PROFILE)
    place(PROFILE.key).write_text("{")
    assert remove(PROFILE.key) == place(PROFILE.key)
    assert all_profiles().profiles == ()
    with pytest.raises(UsageError) as caught:
        remove(PROFILE.key)
    assert "--tune" in caught.value.remedy
