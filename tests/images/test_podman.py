"""Podman without root, where whoever starts a container is user 0 in it: the lines of docs/images.md."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.images.rootless import Rootless, rootless

pytestmark = [pytest.mark.docker, pytest.mark.podman, pytest.mark.slow]

SPEAK = ("speak", "--text", "Hello", "--out", "/data/hello.wav")
CANNOT_WRITE = 8


@pytest.fixture(scope="module")
def podman(one_image: None, image: str) -> Iterator[Rootless]:
    with rootless() as made:
        made.load(image)
        yield made


@pytest.fixture
def data(podman: Rootless) -> Path:
    """A folder that only its owner may write, as everybody's home has them."""
    folder = podman.folder / "data"
    podman.call("podman", "unshare", "rm", "-rf", str(folder))
    podman.call("mkdir", "-m", "755", str(folder))
    return folder


def test_user_0_writes_what_belongs_to_the_person_outside(podman: Rootless, data: Path, image: str) -> None:
    podman.run(image, *SPEAK, flags=("--user", "0:0", "-v", f"{data}:/data:Z"))
    assert (data / "hello.wav").stat().st_uid == podman.user.pw_uid


@pytest.mark.parametrize("user", ["--user=1000:0", "--user=4321:0"])
def test_everybody_else_is_told_to_be_user_0(podman: Rootless, data: Path, image: str, user: str) -> None:
    done = podman.run(image, *SPEAK, flags=(user, "-v", f"{data}:/data"), expect=CANNOT_WRITE)
    assert "/data belongs to user 0, and this is user" in done.stderr and "of a rootless container" in done.stderr
    assert "→ add --user 0:0 (with Compose: VOXMATRIX_UID=0)" in done.stderr
    assert "chown" not in done.stderr and not any(data.iterdir())


def test_what_user_1000_of_a_container_wrote_is_given_back_as_the_message_says(
    podman: Rootless, data: Path, image: str
) -> None:
    podman.run(image, *SPEAK, flags=("--user", "1000:0", "-v", f"{data}:/data:U"))
    done = podman.run(image, *SPEAK, flags=("--user", "0:0", "-v", f"{data}:/data"), expect=CANNOT_WRITE)
    assert "add --user 1000:0" in done.stderr
    assert "or on the host run podman unshare chown -R 0:0 on that folder, and add --user 0:0" in done.stderr
    podman.run(image, *SPEAK, "--force", flags=("--user", "1000:0", "-v", f"{data}:/data"))
    podman.call("podman", "unshare", "chown", "-R", "0:0", str(data))
    podman.run(image, *SPEAK, "--force", flags=("--user", "0:0", "-v", f"{data}:/data"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a folder that is nobody's in the container")
def test_what_belongs_to_root_of_the_host_is_given_to_the_person_there(
    podman: Rootless, data: Path, image: str
) -> None:
    os.chown(data, 0, 0)
    done = podman.run(image, *SPEAK, flags=("--user", "0:0", "-v", f"{data}:/data"), expect=CANNOT_WRITE)
    assert "/data belongs to a user who is not in the container" in done.stderr
    assert 'on the host run sudo chown -R "$(id -u)" on that folder' in done.stderr


def test_puid_is_answered_with_user_0(podman: Rootless, data: Path, image: str) -> None:
    asked = ("-e", "PUID=1000", "-e", "PGID=1000", "-v", f"{data}:/data")
    done = podman.run(image, *SPEAK, flags=("--user", "1234:0", *asked), expect=CANNOT_WRITE)
    assert "do not use PUID=1000 and PGID=1000" in done.stderr and "--user 0:0" in done.stderr
    assert "PUID" not in podman.run(image, *SPEAK, flags=("--user", "0:0", *asked)).stderr


def test_doctor_knows_that_it_is_in_a_container_though_podman_leaves_no_file(
    podman: Rootless, data: Path, image: str
) -> None:
    flags = ("--user", "0:0", "-v", f"{data}:/data")
    podman.run(image, "doctor", "--no-smoke", "--device", "cpu", "--record", "/data/machine.json", flags=flags)
    assert '"container": true' in (data / "machine.json").read_text(encoding="utf-8")
