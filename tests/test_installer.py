"""install.sh, run by the system's sh with stand-ins for `uname`, `nvidia-smi` and the engines of containers."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tools.images.rows import ROOT
from voxmatrix.machine.facts import Capability, Gpu, Machine
from voxmatrix.machine.record import read_machine
from voxmatrix.plan.image_advice import best_image

INSTALLER = ROOT / "install.sh"
MACHINES = sorted((ROOT / "tests" / "machines").glob("*.json"))
REGISTRY = "registry.example.com/me/voxmatrix"
#: What install.sh calls and every system has.
SYSTEM = ("sh", "dirname", "awk", "tr", "sort", "id", "mktemp", "cat")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A PATH without nvidia-smi and container engines."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in SYSTEM:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    put(folder, "uname", "case $1 in -m) echo x86_64 ;; -s) echo Linux ;; *) echo 6.1.0 ;; esac")
    put(folder, "cat", "exit 1")  # what it would list of this computer's devices
    return folder


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).unlink(missing_ok=True)  # it may be a link to the program itself
    (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


def install(
    programs: Path, *words: str, environment: Mapping[str, str] | None = None, script: Path = INSTALLER
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["/bin/sh", str(script), *words], env={"PATH": str(programs), **(environment or {})}, capture_output=True,
        text=True, check=False, cwd=programs.parent,
    )  # fmt: skip


def described() -> Iterator[tuple[str, Machine]]:
    """The described computers of Linux whose GPUs are NVIDIA's and known, and newer and older drivers of each."""
    for path in MACHINES:
        machine = read_machine(path)
        known = [gpu for gpu in machine.gpus if gpu.kind == "cuda" and gpu.capability is not None]
        if machine.platform == "linux" and known and len(known) == len(machine.gpus):
            yield path.stem, machine


@pytest.mark.slow
def test_it_chooses_for_every_described_computer_what_recommend_chooses(programs: Path) -> None:
    put(programs, "uname", 'case $1 in -m) echo "$MACHINE" ;; -s) echo Linux ;; *) echo "$KERNEL" ;; esac')
    put(programs, "nvidia-smi", 'printf "%s\\n" "$CARDS"')
    wrong = {}
    for name, machine in described():
        right = {best_image(gpu, machine).name for gpu in machine.gpus}
        right = right - {"cpu"} or right  # a GPU without an image stays idle in that of another
        done = install(
            programs, "--print",
            environment={
                "MACHINE": machine.architecture or "x86_64",
                "KERNEL": "5.15.0-microsoft-standard-WSL2" if machine.wsl else "6.1.0",
                "CARDS": "\n".join(f"{gpu.capability}, {gpu.driver or '[N/A]'}" for gpu in machine.gpus),
            },
        )  # fmt: skip
        if (done.stdout.strip() or None) != (right.pop() if len(right) == 1 else None):
            wrong[name] = done.stdout + done.stderr
    assert not wrong


@pytest.mark.parametrize("driver", ["524.99", "525.60.13", "570.9", "570.26", "580.1.2", "1000", "[N/A]"])
def test_versions_of_drivers_are_numbers(programs: Path, driver: str) -> None:
    gpu = Gpu(index=0, kind="cuda", capability=Capability(8, 6), driver=None if driver == "[N/A]" else driver)
    here = Machine(platform="linux", architecture="x86_64", cpus=1, gpus=(gpu,))
    put(programs, "nvidia-smi", f"echo '8.6, {driver}'")
    assert install(programs, "--print").stdout == f"{best_image(gpu, here).name}\n"


def test_a_driver_that_is_too_old_is_named_with_the_one_to_install(programs: Path) -> None:
    put(programs, "nvidia-smi", "echo '12.0, 550.54'")
    done = install(programs, "--print")
    assert done.stdout == "cpu\n"
    assert "driver is 550.54: install driver 570.26 or newer for the image blackwell" in done.stderr


@pytest.mark.parametrize(
    ("processor", "kernel", "listed", "said"),
    [
        ("x86_64", "5.15.0-microsoft-standard-WSL2", "7.5, 516.94", "527.41 or newer in Windows"),
        ("aarch64", "5.15.148-tegra", "8.7, 540.4.0", "JetPack 7.2"),
    ],
)
def test_a_driver_is_installed_where_it_comes_from(
    programs: Path, processor: str, kernel: str, listed: str, said: str
) -> None:
    put(programs, "uname", f"case $1 in -m) echo {processor} ;; -s) echo Linux ;; *) echo {kernel} ;; esac")
    put(programs, "nvidia-smi", f"echo '{listed}'")
    done = install(programs, "--print")
    assert (done.stdout, said in done.stderr) == ("cpu\n", True)


def test_gpus_that_need_different_images_are_the_users_choice(programs: Path) -> None:
    put(programs, "nvidia-smi", "printf '6.1, 590\\n12.0, 590\\n'")
    done = install(programs, "--print")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--image" in done.stderr and "cuda\ncuda13" in done.stderr


def test_a_gpu_that_no_image_can_use_stays_idle_beside_another(programs: Path) -> None:
    put(programs, "nvidia-smi", "printf '14.0, 590\n12.0, 590\n'")
    done = install(programs, "--print")
    assert (done.returncode, done.stdout) == (0, "cuda13\n")
    assert "no image has kernels for an NVIDIA GPU of capability 14.0 on x86_64: it stays idle" in done.stderr


def test_a_driver_that_fails_is_said(programs: Path) -> None:
    put(programs, "nvidia-smi", "exit 9")
    done = install(programs, "--print")
    assert done.stdout == "cpu\n"
    assert "nvidia-smi fails" in done.stderr


def test_another_processor_is_refused(programs: Path) -> None:
    put(programs, "uname", "case $1 in -m) echo riscv64 ;; *) echo Linux ;; esac")
    done = install(programs)
    assert (done.returncode, "riscv64" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("processor", "kernel", "bits", "said"),
    [
        ("armv7l", "Linux", "32", "Raspberry Pi 3, 4 or 5"),
        ("i686", "Linux", "32", "a system with 64 bits"),
        ("aarch64", "Linux", "32", "though its kernel has 64"),  # Raspberry Pi OS of 32 bits
        ("x86_64", "MINGW64_NT-10.0-22631", "64", "WSL2"),  # Git Bash
        ("amd64", "FreeBSD", "64", "virtual machine with Linux"),
        ("ppc64le", "Linux", "64", "ppc64le: docs/installation.md"),
    ],
)
def test_a_system_without_an_image_is_refused_with_what_helps(
    programs: Path, processor: str, kernel: str, bits: str, said: str
) -> None:
    put(programs, "uname", f"case $1 in -m) echo {processor} ;; -s) echo {kernel} ;; *) echo 6.1.0 ;; esac")
    put(programs, "getconf", f"echo {bits}")
    done = install(programs, "--print")
    assert (done.returncode, done.stdout, said in done.stderr) == (2, "", True)


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("DRIVER=nouveau\\nPCI_CLASS=30000\\nPCI_ID=10DE:1C03", True),
        ("DRIVER=snd_hda_intel\\nPCI_CLASS=40300\\nPCI_ID=10DE:10F1", False),  # only its sound
        ("DRIVER=amdgpu\\nPCI_CLASS=30000\\nPCI_ID=1002:164E", False),
    ],
)
def test_an_nvidia_gpu_without_its_driver_is_said(programs: Path, listed: str, said: bool) -> None:
    put(programs, "cat", f"printf '{listed}\\n'")
    done = install(programs, "--print")
    assert (done.stdout, "not NVIDIA's driver" in done.stderr) == ("cpu\n", said)


def test_a_gpu_without_an_image_stays_idle_in_that_of_another(programs: Path) -> None:
    put(programs, "nvidia-smi", "printf '3.7, 550.54\\n8.6, 550.54\\n'")
    assert install(programs, "--print").stdout == "cuda\n"


@pytest.mark.parametrize("version", ["", "0.1.0"])
def test_a_published_image_is_pulled_gets_its_short_name_and_its_lines(programs: Path, version: str) -> None:
    put(programs, "docker", f'echo "$*" >> {programs}/calls')
    put(programs, "nvidia-smi", "echo '9.0, 590'")
    done = install(programs, environment={"VOXMATRIX_REGISTRY": REGISTRY, "VOXMATRIX_VERSION": version})
    reference = f"{REGISTRY}:{version}-cuda13" if version else f"{REGISTRY}:cuda13"
    calls = (programs / "calls").read_text(encoding="utf-8").splitlines()
    assert calls == [f"pull {reference}", f"tag {reference} voxmatrix:cuda13"]
    start = 'docker run --rm --gpus all --user "$(id -u):0" -v "$PWD/data:/data"'
    assert f"    {start} voxmatrix:cuda13 doctor\n" in done.stdout
    assert f"    {start} -p 127.0.0.1:3000:3000 voxmatrix:cuda13 serve\n" in done.stdout


def test_podman_pulls_where_there_is_no_docker(programs: Path) -> None:
    put(programs, "podman", f'echo "$*" >> {programs}/calls')
    put(programs, "id", "echo 1000")
    done = install(programs, "--image", "cuda", environment={"VOXMATRIX_REGISTRY": REGISTRY})
    assert "podman run --rm --device nvidia.com/gpu=all --user 0:0 -v" in done.stdout
    assert (programs / "calls").read_text(encoding="utf-8").startswith(f"pull {REGISTRY}:cuda\n")


def test_an_image_that_cannot_be_pulled_says_what_to_look_at(programs: Path) -> None:
    put(programs, "docker", "exit 1")
    done = install(programs, "--image", "cpu", environment={"VOXMATRIX_REGISTRY": REGISTRY})
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{REGISTRY}:cpu cannot be pulled" in done.stderr and "docker login" in done.stderr


def test_without_an_engine_nothing_is_tried(programs: Path) -> None:
    done = install(programs, environment={"VOXMATRIX_REGISTRY": REGISTRY})
    assert (done.returncode, "neither docker nor podman" in done.stderr) == (2, True)


def test_in_the_source_the_image_is_built(programs: Path, tmp_path: Path) -> None:
    source = tmp_path / "the source"
    (source / "docker").mkdir(parents=True)
    shutil.copy(INSTALLER, source)
    (source / "docker" / "images.toml").touch()
    put(source, "run", f'echo "$*" > {programs}/built')
    done = install(programs, script=source / INSTALLER.name)
    assert (programs / "built").read_text(encoding="utf-8") == "build-cpu\n"
    assert "voxmatrix:cpu doctor" in done.stdout and "--gpus" not in done.stdout


def test_piped_into_a_shell_without_a_registry_it_says_what_is_missing(programs: Path) -> None:
    done = subprocess.run(
        ["/bin/sh"], input=INSTALLER.read_text(encoding="utf-8"), env={"PATH": str(programs)}, capture_output=True,
        text=True, check=False, cwd=programs,
    )  # fmt: skip
    assert (done.returncode, "set VOXMATRIX_REGISTRY=HOST/PATH" in done.stderr) == (2, True)


@pytest.mark.parametrize("words", [["--imag", "cpu"], ["--image"], ["--image", "a b"], ["cpu"]])
def test_what_is_not_understood_is_refused_before_anything_is_done(programs: Path, words: list[str]) -> None:
    put(programs, "docker", f"touch {programs}/called")
    done = install(programs, *words, environment={"VOXMATRIX_REGISTRY": REGISTRY})
    assert done.returncode == 2 and not (programs / "called").exists()


def test_half_a_download_does_nothing(programs: Path) -> None:
    put(programs, "docker", f"touch {programs}/called")
    text = INSTALLER.read_text(encoding="utf-8").removesuffix('main "$@"\n')
    done = subprocess.run(
        ["/bin/sh"], input=text, env={"PATH": str(programs), "VOXMATRIX_REGISTRY": REGISTRY}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "") and not (programs / "called").exists()
