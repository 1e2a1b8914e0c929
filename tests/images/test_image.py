"""What the image is: its size, its words, its user, what is in it and what is not."""

import json
import re
from typing import Any

import pytest

from tests.images.containers import docker
from tools import matrix
from tools.locks import pins

pytestmark = pytest.mark.docker

#: Three voices, the page, how nine languages are read and the signs of 88 more, who speaks in three, readers of ten
#: formats of books and of eighteen layouts of recordings, and what is wrong with recordings.
MAX_APP_LAYER = 12_250_000


def _python(image: str, code: str, *flags: str) -> str:
    out: str = docker("run", "--rm", "--network", "none", *flags, image, "python3", "-c", code).stdout
    return out.strip()


def test_it_is_within_its_budget(row: matrix.Row, facts: dict[str, Any]) -> None:
    if not row.size_mb:
        pytest.skip("its size is not known: it was never built")
    assert facts["Size"] <= row.size_mb * 1_000_000


def test_only_the_last_small_layer_is_the_apps(image: str) -> None:
    layers = docker("history", "--no-trunc", "--human=false", "--format", "{{.Size}} {{.CreatedBy}}", image).stdout
    sizes = [int(line.split(" ", 1)[0]) for line in layers.splitlines()]
    last = next(size for size in sizes if size)
    assert last <= MAX_APP_LAYER
    assert "/wheels" in next(line for line in layers.splitlines() if not line.startswith("0 "))


def test_its_configuration_is_what_engines_expect(row: matrix.Row, facts: dict[str, Any]) -> None:
    config = facts["Config"]
    assert config["User"] == "1000:0"
    assert config["Entrypoint"] == ["tini", "--", "python3", "-m", "voxmatrix_entrypoint"]
    assert config["StopSignal"] == "SIGTERM"
    assert config["Healthcheck"]["Test"][0] == "CMD"
    assert list(config["ExposedPorts"]) == ["3000/tcp"]
    assert config["Labels"]["voxmatrix.row"] == row.name
    assert {
        f"org.opencontainers.image.{name}" for name in ("title", "version", "revision", "created", "licenses")
    } <= set(config["Labels"])


def test_gpus_are_reached_without_a_word_of_the_user(row: matrix.Row, facts: dict[str, Any]) -> None:
    environment = dict(line.split("=", 1) for line in facts["Config"]["Env"])
    assert environment["VOXMATRIX_IMAGE"] == row.name
    wanted = {
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
        "TORCH_CUDA_ARCH_LIST": row.torch_arch_list,
    }
    assert {name: environment.get(name) for name in wanted} == (
        wanted if row.cuda or row.torch_build else dict.fromkeys(wanted)
    )
    # Set by images of NVIDIA's, it would keep the container from starting on drivers that are new enough.
    assert "NVIDIA_REQUIRE_CUDA" not in environment


def test_no_word_or_help_explains_itself_without_any_network(image: str) -> None:
    for words in ((), ("--help",)):
        assert "train" in docker("run", "--rm", "--network", "none", image, *words).stdout


def test_it_says_its_version_label(image: str, facts: dict[str, Any]) -> None:
    version = facts["Config"]["Labels"]["org.opencontainers.image.version"]
    assert version in docker("run", "--rm", image, "--version").stdout


def test_a_foreign_command_takes_the_place_of_the_app(image: str) -> None:
    assert docker("run", "--rm", image, "bash", "-c", "echo $((6 * 7))").stdout == "42\n"
    docker("run", "--rm", image, "bash", "-c", "exit 5", expect=5)


def test_an_unknown_word_is_a_mistake_in_usage(image: str) -> None:
    assert "nonsense" in docker("run", "--rm", image, "nonsense", expect=2).stderr


def test_exactly_what_is_locked_is_installed(image: str, row: matrix.Row) -> None:
    code = "import importlib.metadata as m, json; print(json.dumps([[d.name, d.version] for d in m.distributions()]))"
    seen = json.loads(_python(image, code))
    installed = {re.sub(r"[-_.]+", "-", name).lower(): version.partition("+")[0] for name, version in seen}
    installed.pop("voxmatrix")
    locked = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    assert installed == {pin.name: pin.version for pin in locked.values()}


@pytest.mark.parametrize("user", ["12345:0", "65534:65534"])
def test_everything_imports_for_any_user_with_nothing_writable_but_tmp(image: str, user: str) -> None:
    code = """
from voxmatrix_entrypoint import patches
patches.install()
from numpy import *
import getpass, torch, torchaudio, lightning, matplotlib.pyplot, onnxruntime, soundfile, voxmatrix
print(getpass.getuser())
"""
    restricted = ("--user", user, "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL")
    assert _python(image, code, *restricted) == "voxmatrix"


def test_a_program_of_the_users_does_not_make_onnxruntime_report_to_its_maker(image: str) -> None:
    code = "import onnxruntime, pathlib; print([str(path) for path in pathlib.Path('/').glob('tmp/**/.onnxruntime')])"
    assert _python(image, code, "--read-only", "--tmpfs", "/tmp") == "[]"


def test_no_program_has_a_setuid_bit_and_login_shells_find_voxmatrix(image: str) -> None:
    find = "find / -xdev -type f -perm /6000; command -v voxmatrix"
    words = ("--user", "0", "--entrypoint", "bash", image, "--login", "-c", find)
    assert docker("run", "--rm", *words).stdout == "/opt/venv/bin/voxmatrix\n"


def test_nothing_names_a_library_that_was_removed(image: str) -> None:
    """cuSOLVER for several GPUs, and the alternative compiler of NVRTC (docker/slim.sh)."""
    names = "-e libcusolverMg -e libnvrtc.alt -e libnvrtc-builtins.alt"
    search = f"grep -lrsaF {names} --include=*.so* /opt/venv/lib; true"
    assert docker("run", "--rm", image, "bash", "-c", search).stdout == ""


def test_nothing_that_builds_is_left_in_it(image: str) -> None:
    asked = "for tool in pip pip3 gcc cc make git curl wget; do command -v $tool; done; true"
    assert docker("run", "--rm", image, "bash", "-c", asked).stdout == ""


def test_the_programs_that_the_app_calls_are_there(image: str) -> None:
    assert docker("run", "--rm", image, "bash", "-c", "command -v tini ffmpeg voxmatrix").stdout.count("\n") == 3


def test_no_secret_and_no_certificate_of_the_builder_stays_behind(image: str) -> None:
    found = docker(
        "run", "--rm", "--user", "0", image, "bash", "-c", "ls -A /run/secrets /root 2>/dev/null; env"
    ).stdout
    assert "PIP_CERT" not in found
    assert "ca" not in found.splitlines()


def test_licence_files_are_kept(image: str) -> None:
    code = """
import importlib.metadata as m
files = [file for found in m.distributions() for file in found.files or () if "licen" in file.name.lower()]
print(sum(file.locate().exists() for file in files))
"""
    assert int(_python(image, code)) > 30


def test_programs_under_the_gpl_are_named_with_their_source(image: str, facts: dict[str, Any]) -> None:
    both = "cat /usr/share/doc/voxmatrix/THIRD-PARTY; test -s /usr/share/common-licenses/GPL-3"
    notice = docker("run", "--rm", image, "bash", "-c", both).stdout
    listed = json.loads(docker("run", "--rm", image, "cat", "/opt/voxmatrix/sbom.cdx.json").stdout)["components"]
    for name in ("ffmpeg", "espeak-ng"):
        (found,) = [one for one in listed if one["name"] == name]
        assert found["version"] in notice
        assert found["licenses"] == [{"expression": "GPL-3.0-or-later"}]
    assert "GPL-3.0-or-later" in facts["Config"]["Labels"]["org.opencontainers.image.licenses"]
    silent = {one["name"] for one in listed if not one.get("licenses")}
    assert silent <= {"espeakng-loader", "cuda-toolkit"}  # the second has no files: it requires NVIDIA's others
