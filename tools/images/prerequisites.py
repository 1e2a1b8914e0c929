"""Whether this computer can build and run images: Docker, its engine, buildx, the base, a torch. Standard library only.

Each problem is one sentence and a line with what to type, reported before anything is downloaded.
"""

import shutil
import subprocess

from tools.images.building import BASE_BY_TAG, INDEX, Build, base
from tools.images.engine import is_built
from tools.images.rows import ROOT, Row

_ENGINE = "tools/docker-engine.sh (as root; Debian and Ubuntu) installs and starts one"
_PULL_SECONDS = 600


class NotReadyError(Exception):
    """Something is missing on this computer; the message says what, and what to type."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}\n  → {remedy}")


def check_docker() -> None:
    """Check that Docker is installed and its engine answers.

    Raises:
        NotReadyError: it is not.
    """
    if shutil.which("docker") is None:
        raise NotReadyError("there is no program `docker` on this computer", f"install Docker: {_ENGINE}")
    done = _docker("version", "--format", "{{.Server.Version}}")
    if done.returncode == 0:
        return
    reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    if "permission denied" in reason:
        raise NotReadyError(
            f"Docker refuses this user: {reason}", "run sudo usermod -aG docker $USER, and log in again"
        )
    raise NotReadyError(f"no Docker engine answers: {reason}", f"start the engine: {_ENGINE}")


def check_build(row: Row, build: Build) -> None:
    """Check what a build needs; pulls the base image if necessary.

    Raises:
        NotReadyError: something is missing.
    """
    check_locked(row)
    check_torch(row, build)
    check_docker()
    if _docker("buildx", "version").returncode:
        raise NotReadyError(
            "Docker has no buildx, which builds the images",
            "install docker-buildx (Debian, Ubuntu) or docker-buildx-plugin (Docker's own packages)",
        )
    reference = base(row, build)
    if not is_built(reference) and _docker("pull", "--quiet", reference).returncode:
        by_tag = "" if reference == row.base else f", and set {BASE_BY_TAG}=1"
        raise NotReadyError(
            f"the base image {reference} is not here and cannot be pulled",
            f"run tools/debian-base.sh {row.base} (as root), which builds it from Debian's packages{by_tag}",
        )


def check_locked(row: Row) -> None:
    """Check that the row has pins.

    Raises:
        NotReadyError: it has none.
    """
    if (ROOT / row.pins).is_file():
        return
    if row.torch_build:
        raise NotReadyError(
            f"{row.name} is not locked: torch {row.torch}+{row.torch_build} is only on torch's own index, "
            f"in the folder {row.torch_build}, which could not be reached when this row was written",
            f"run export {row.index_variable}=https://…/{row.torch_build} && ./run lock -- {row.name} && "
            f"./run build-{row.name} (the address is under 'Get started' on torch's site)",
        )
    also = f", or use the stable row: ./run build-{row.instead}" if row.instead else ""
    raise NotReadyError(f"{row.name} is not locked", f"run ./run lock -- {row.name}{also}")


def check_torch(row: Row, build: Build) -> None:
    """Check that pip in the build can find the row's torch: its default index has only CUDA builds for Linux.

    Raises:
        NotReadyError: neither local wheels nor an index are set.
    """
    on_pypi = row.cuda and not row.torch_build
    if on_pypi or row.index or build.wheelhouse or build.torch_index:
        return
    if row.torch_build:
        raise NotReadyError(
            f"{row.image} needs torch {row.torch}+{row.torch_build}, which pip's default index does not have",
            f"run {row.index_variable}=https://…/{row.torch_build} ./run build-{row.name} with torch's index of these "
            f"builds (see 'Get started' on its site), or the same with ./run wheelhouse-{row.name} first",
        )
    raise NotReadyError(
        f"{row.image} needs a CPU build of torch {row.torch}, which pip's default index does not have",
        f"run {INDEX}=https://… ./run build-{row.name} with torch's index of CPU builds (see 'Get started' on its "
        f"site), or, if pip is configured here, ./run wheelhouse-{row.name} first",
    )


def _docker(*args: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(["docker", *args], capture_output=True, text=True, check=False, timeout=_PULL_SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(args, 1, "", "no answer")
