"""The tables of kernels, drivers and images: read whole, each row with its source, wrong rows refused."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables.checks import check_architecture, check_floor, check_image, check_target
from voxmatrix.tables import rows
from voxmatrix.tables.gpus import (
    Floor,
    Target,
    architecture,
    architectures,
    compatibility,
    driver_error,
    drivers,
    parse_kernel,
)
from voxmatrix.tables.image import Image, images

DRIVER_ERRORS = rows.read("driver_errors.toml")
MATRIX = Path(__file__).parents[2] / "docker" / "images.toml"


@pytest.mark.parametrize("name", ["compatibility.toml", "drivers.toml", "images.toml"])
def test_every_row_names_its_source(name: str) -> None:
    for table in rows.read(name).values():
        for row in table if isinstance(table, list) else [table]:
            assert row["source"]


def test_the_rows_are_those_of_the_matrix_without_its_nightlies() -> None:
    matrix = tomllib.loads(MATRIX.read_text(encoding="utf-8"))
    stable = {name: row for name, row in matrix.items() if row["channel"] != "nightly"}
    assert set(images()) == set(stable)
    for name, row in stable.items():
        ours = images()[name]
        assert ours.build == row.get("torch_build", "")
        assert (ours.torch, ours.cuda, ours.oldest_driver) == (row["torch"], row["cuda"], row["oldest_driver"])


@pytest.mark.parametrize(
    ("kernel", "gpu", "runs"),
    [
        ("sm_86", (8, 9), True),
        ("sm_86", (8, 0), False),
        ("sm_90", (12, 0), False),
        ("sm_90a", (9, 0), True),
        ("sm_100a", (10, 3), False),
        ("sm_100f", (10, 3), True),
        ("compute_90", (12, 0), True),
        ("compute_90a", (10, 0), False),
        ("compute_100f", (12, 0), False),
        ("sm_101", (11, 0), True),
        ("sm_87", (8, 9), False),
        ("compute_80", (8, 7), True),
    ],
)
def test_a_kernel_runs_where_its_target_reaches(kernel: str, gpu: tuple[int, int], runs: bool) -> None:
    parsed = parse_kernel(kernel)
    assert parsed is not None
    assert str(parsed) == kernel
    assert compatibility().runs(parsed, gpu, "12.8") is runs


def test_code_for_servers_runs_on_jetson_from_cuda_13_2_on() -> None:
    kernel = parse_kernel("sm_80")
    assert kernel is not None
    assert [compatibility().runs(kernel, (8, 7), cuda) for cuda in (None, "12.8", "13.0", "13.2", "13.4")] == [
        False,
        False,
        False,
        True,
        True,
    ]


def test_other_names_are_no_kernels() -> None:
    assert [parse_kernel(text) for text in ("gfx942", "sm_", "sm_9", "compute_90b", "")] == [None] * 5


def test_the_oldest_driver_is_the_newest_that_something_asks_for() -> None:
    assert drivers().oldest("12.8", (8, 6), windows=False) == "525.60.13"
    assert drivers().oldest("12.8", (12, 0), windows=False) == "570"
    assert drivers().oldest_for_ptx("12.8", (8, 6), windows=False) == "570.26"
    assert drivers().oldest("99.0", (8, 6), windows=True) is None


def test_wrong_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="sm_XYz"):
        check_target(Target(form="sm", suffix="z", major="same", minor="same", source=""))
    with pytest.raises(ValueError, match="not a version"):
        check_floor(Floor(linux="new", windows="1", source=""))
    with pytest.raises(ValueError, match="not a compute capability"):
        rows.capability("12")
    wrong = Image(
        name="x",
        torch="2.6.0",
        cuda="",
        build="",
        kinds=("cuda",),
        architectures=("x86_64",),
        kernels={},
        targets={},
        oldest_driver="",
        from_capability=None,
        source="",
    )
    with pytest.raises(ValueError, match="kind cuda needs"):
        check_image(wrong)


def test_every_row_can_be_true() -> None:
    for target in compatibility().targets.values():
        check_target(target)
    found = drivers()
    for floors in (found.minor_compatible, found.toolkits, found.capabilities):
        for floor in floors.values():
            check_floor(floor)
    for image in images().values():
        check_image(image)


@pytest.mark.parametrize(
    ("capability", "name", "product"),
    [
        ((5, 0), "Maxwell", "GTX 750 Ti"),
        ((6, 1), "Pascal", "GTX 1080 Ti"),
        ((7, 0), "Volta", "V100"),
        ((7, 5), "Turing", "T4"),
        ((8, 6), "Ampere", "RTX 3050"),
        ((8, 9), "Ada Lovelace", "RTX 6000 Ada"),
        ((9, 0), "Hopper", "H100"),
        ((10, 0), "Blackwell", "B200"),
        ((10, 3), "Blackwell Ultra", "B300"),
        ((11, 0), "Blackwell (Tegra)", "Thor"),
        ((12, 0), "Blackwell", "RTX PRO 6000 Blackwell"),
        ((12, 1), "Blackwell", "GB10"),
    ],
)
def test_a_card_is_called_by_its_right_name(capability: tuple[int, int], name: str, product: str) -> None:
    row = architecture(capability)
    assert row is not None
    assert row.architecture == name
    assert any(product in known for known in row.products)


def test_bf16_and_tf32_begin_with_8_0() -> None:
    for capability, row in architectures().items():
        assert (row.bf16, row.tf32) == (capability >= (8, 0),) * 2


def test_a_capability_newer_than_the_table_has_no_row() -> None:
    assert architecture((13, 0)) is None


@pytest.mark.parametrize(
    ("change", "said"), [({"bf16": 1}, "12.0: bf16 is 1"), ({"advice": ()}, "12.0: advice"), ({"source": ""}, "12.0")]
)
def test_a_wrong_architecture_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_architecture(replace(architectures()[12, 0], **change))


def test_every_architecture_can_be_true() -> None:
    for row in architectures().values():
        check_architecture(row)


@pytest.mark.parametrize("name", [f"{library} {code}" for library, codes in DRIVER_ERRORS.items() for code in codes])
def test_an_error_of_the_driver_is_a_sentence_and_something_to_type(name: str) -> None:
    error = driver_error(name)
    assert not error.problem.endswith(".")
    assert len(error.remedy) > 20


@given(library=st.sampled_from(["nvml", "cuda"]), code=st.integers(0, 100_000))
def test_any_error_code_of_the_driver_is_shown(library: str, code: int) -> None:
    assert driver_error(f"{library} {code}").problem.endswith(f"({library.upper()} error {code})")
