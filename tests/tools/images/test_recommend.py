"""The image for a computer, and why not the others."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import matrix
from tools.images import recommend
from voxmatrix.doctor.report import assessments_of
from voxmatrix.machine.record import read_machine
from voxmatrix.tables.image import images

MACHINES = sorted((matrix.ROOT / "tests" / "machines").glob("*.json"))


def _json(*words: str) -> dict[str, object]:
    said = subprocess.run(
        [sys.executable, "-S", str(matrix.ROOT / "tools" / "matrix.py"), "recommend", "--json", *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    answer: dict[str, object] = json.loads(said.stdout)
    return answer


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_doctor_advises_the_same_image(path: Path) -> None:
    machine = read_machine(path)
    advised = recommend.recommend(recommend.read_machine(path))
    assessment = [judgement.image for judgement in assessments_of(machine)] or ["cpu"]
    assert [one.image for one in advised] == assessment
    for one in advised:
        assert set(one.rejected) == set(images()) - {one.image}
        assert all(one.rejected.values())


@pytest.mark.parametrize(
    ("words", "image", "why_not"),
    [
        (("--capability", "12.0", "--driver", "570.86"), "blackwell", {"cuda": "none of which", "cuda13": "580"}),
        (("--capability", "12.0", "--driver", "580.65"), "cuda13", {"blackwell": "newer torch", "cpu": "idle"}),
        (("--capability", "12.0", "--driver", "550.54"), "cpu", {"cuda": "none of which", "blackwell": "570"}),
        (("--capability", "6.1", "--driver", "580.65"), "cuda", {"blackwell": "none of which", "cuda13": "none of"}),
        (
            ("--capability", "7.0", "--driver", "580.65"),
            "cuda",
            {"blackwell": "recommended only from capability 7.5 on"},
        ),
        (
            ("--capability", "8.6", "--driver", "535.54"),
            "cuda",
            {"blackwell": "recommended only from driver 570.26 on"},
        ),
        (("--capability", "8.6"), "cuda", {"blackwell": "the driver is not known"}),
        (("--capability", "13.0", "--driver", "600"), "cpu", {"cuda13": "newer than any image"}),
        (("--capability", "11.0", "--driver", "580.65"), "cuda13", {"cuda": "architecture aarch64"}),
        (("--capability", "7.2", "--architecture", "aarch64"), "cpu", {"cuda": "architecture aarch64"}),
        (("--capability", "9.0", "--driver", "580.65", "--architecture", "arm64"), "cuda13", {"blackwell": "arm64"}),
    ],
)
def test_a_gpu_is_served_and_the_others_are_rejected_for_a_reason(
    words: tuple[str, ...], image: str, why_not: dict[str, str]
) -> None:
    answer = _json(*words)
    assert answer["image"] == image
    gpus = answer["gpus"]
    assert isinstance(gpus, list)
    for name, part in why_not.items():
        assert part in gpus[0]["rejected"][name]


def test_a_gpu_of_a_newer_family_member_is_not_newer_than_its_image() -> None:
    path = next(path for path in MACHINES if path.stem == "gb10-null-memory")
    (advised,) = recommend.recommend(recommend.read_machine(path))
    assert advised.image == "cuda13"
    assert not any("newer than any image" in why for why in advised.rejected.values())


def test_no_image_is_recommended_for_a_processor_that_none_exists_for() -> None:
    program = [sys.executable, "-S", str(matrix.ROOT / "tools" / "matrix.py"), "recommend", "--architecture", "riscv64"]
    said = subprocess.run(program, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert "no image for the architecture riscv64: torch has no packages for it" in said.stderr


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_a_recommended_image_exists_for_the_processor(path: Path) -> None:
    machine = recommend.read_machine(path)
    for one in recommend.recommend(machine):
        assert images()[one.image].is_for(machine.architecture)


def test_nvidia_smi_is_asked_where_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "nvidia-smi"
    row = "00000000:01:00.0, GPU-1, NVIDIA GeForce RTX 5090, 12.0, 32607, 31000, 570.86.10, [N/A]"
    program.write_text(f"#!/bin/sh\necho '{row}'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    answer = _json()
    assert answer["image"] == "blackwell"
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert recommend.recommend(recommend.Machine(platform="linux", cpus=1))[0].image == "cpu"


def test_gpus_that_want_different_images_have_no_common_one() -> None:
    different = matrix.ROOT / "tests" / "machines" / "two-different-gpus.json"
    answer = _json("--machine", str(different))
    assert answer["image"] is None
    gpus = answer["gpus"]
    assert isinstance(gpus, list)
    assert [gpu["image"] for gpu in gpus] == ["blackwell", "cuda"]


def test_graphics_that_no_image_can_use_stay_idle_beside_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    both = str(matrix.ROOT / "tests" / "machines" / "nvidia-and-intel.json")
    assert _json("--machine", both)["image"] == "blackwell"
    assert matrix.main(["recommend", "--machine", both]) == 0
    said = capsys.readouterr().out
    assert "Intel GPU 0x4680: stays idle (no other image can use it)\n  → leave it idle: no image supports" in said
    assert "build-cpu" not in said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--capability", "twelve"], "'twelve' is not a compute capability such as 12.0"),
        (["--driver", "570"], "which GPU is it?"),
        (["--capability", "12.0", "--driver", "new"], "not a version such as 570.86"),
        (["--machine", "/nowhere/at/all.json"], "No such file"),
        (["--machine", "x.json", "--capability", "9.0"], "--machine cannot be combined with --capability"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert matrix.main(["recommend", *words]) == 2
    assert complaint in capsys.readouterr().err


@given(
    st.one_of(
        st.binary(max_size=60),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["platform", "gpus", "kind"]), inner),
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_any_file_is_read_or_refused(content: bytes) -> None:
    path = matrix.ROOT / ".nox" / f"described-{os.getpid()}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    try:
        recommend.read_machine(path)
    except recommend.UsageError as error:
        assert path.name in str(error)
    finally:
        path.unlink()


def test_in_words_it_ends_with_the_line_to_type(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["recommend", "--capability", "12.0", "--driver", "570.86"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "use the image blackwell" in said[0]
    assert said[-1].endswith("./run build-blackwell && docker run --rm --gpus all voxmatrix:blackwell doctor")


def test_a_driver_that_fails_is_the_reason_and_not_that_there_is_no_gpu(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({"platform": "linux", "cpus": 8, "driver_error": "nvml 9"}), encoding="utf-8")
    (one,) = recommend.recommend(recommend.read_machine(path))
    assert (one.image, "not loaded" in one.reason, "modprobe nvidia" in one.remedy) == ("cpu", True, True)
    path.write_text(json.dumps({"platform": "linux", "cpus": 8, "driver_error": "none"}), encoding="utf-8")
    with pytest.raises(recommend.UsageError, match="driver_error"):
        recommend.read_machine(path)


@pytest.mark.parametrize(
    ("driver", "wsl", "said"),
    [
        (
            "470.256.02",
            False,
            "install NVIDIA driver 525.60.13 or newer, ",
        ),  # nvidia-smi gives no capability before 510
        ("472.12", True, "install NVIDIA driver 527.41 or newer in Windows, "),
        ("580.95.05", False, "check whether `nvidia-smi` works"),
    ],
)
def test_a_driver_too_old_to_say_the_capability_is_the_problem_and_not_the_gpu(
    driver: str, wsl: bool, said: str
) -> None:
    one = recommend.Gpu(index=0, kind="cuda", name="GeForce RTX 3080", driver=driver)
    (found,) = recommend.recommend(recommend.Machine(platform="linux", cpus=1, wsl=wsl, gpus=(one,)))
    assert (found.image, said in found.remedy) == ("cpu", True)
