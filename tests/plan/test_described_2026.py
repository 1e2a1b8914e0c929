"""The computers of described_2026.toml: which image they get, what is said, and in which precision they train."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.plan.computers import gpu, machine
from tests.plan.wheels import WHEELS
from tools.images.recommend import for_all, recommend
from voxmatrix.machine.facts import Gpu, Machine, TorchBuild
from voxmatrix.plan.plan import Overrides, make_plan
from voxmatrix.plan.verdict import assess

COMPUTERS = tomllib.loads(Path(__file__).with_name("described_2026.toml").read_text(encoding="utf-8"))
CPU_BUILD = TorchBuild(version="2.13.0+cpu")
#: The wheel of each image, on x86_64.
OF_IMAGE = {"cuda": "a", "blackwell": "b", "cuda13": "c"}


def around(row: Mapping[str, Any], *gpus: Gpu) -> Machine:
    facts = {key: row[key] for key in ("platform", "architecture", "wsl") if key in row}
    return replace(machine(*gpus, **{"architecture": "x86_64", **facts}), torch=CPU_BUILD)


@pytest.mark.parametrize("row", COMPUTERS["nvidia"], ids=lambda row: row["name"])
def test_nvidia(row: dict[str, Any]) -> None:
    one = gpu(row["name"], row["capability"], 8192, driver=row["driver"], mig=row.get("mig", False))
    there = around(row, one)
    found = assess(one, there)
    assert found.image == row["image"]
    assert row.get("says", f"use the image {row['image']} ") in found.remedy
    wheel = "c-arm" if there.architecture == "aarch64" else OF_IMAGE.get(row["image"], "a")
    inside = replace(there, torch=WHEELS[wheel])
    assert (assess(one, inside).verdict == "native") == ("precision" in row)
    if "precision" in row:
        assert make_plan(inside, "medium", Overrides()).precision.value == row["precision"]


@pytest.mark.parametrize("row", COMPUTERS["other"], ids=lambda row: row["name"])
def test_others(row: dict[str, Any]) -> None:
    one = gpu(row["name"], None, 8192, kind=row["kind"], target=row.get("target"))
    found = assess(one, around(row, one))
    assert found.image == row["image"]
    assert row["says"] in found.remedy


@pytest.mark.parametrize("row", COMPUTERS["several"], ids=lambda row: row["name"])
def test_several_gpus_get_one_image_if_one_serves_all_that_have_any(row: dict[str, Any]) -> None:
    found = []
    for number, text in enumerate(row["gpus"]):
        kind, *known = text.split()
        facts = {"capability": known[0], "driver": known[1]} if kind == "cuda" else {"capability": None}
        target = known[0] if kind != "cuda" and known else None
        capability = facts.pop("capability")
        found.append(gpu(f"GPU {number}", capability, 8192, index=number, kind=kind, target=target, **facts))
    assert for_all(recommend(around(row, *found))) == (row["image"] or None)


def test_an_amd_processor_with_little_memory_of_its_own_trains_with_the_computers() -> None:
    """512 MiB of its own: torch sees half of the computer's memory (unsloth PR #7960). 96 GiB were set on purpose."""
    there = {
        own: machine(
            gpu("Radeon 8060S", None, own, kind="rocm", target="gfx1151"),
            torch=TorchBuild(version="2.11.0+rocm7.2", hip="7.2.1", kernels=("gfx1151",)),
            available_mib=90_000,
        )
        for own in (512, 98_304)
    }
    reasons = {own: make_plan(computer, "medium", Overrides()).batch_size.reason for own, computer in there.items()}
    assert "50% of 90000 MiB available: the GPU shares" in reasons[512]
    assert "of 98304 MiB free on the GPU" in reasons[98_304]
