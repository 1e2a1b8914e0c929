"""A processor without the instructions of numpy and torch is refused before either is imported."""

from pathlib import Path

import pytest

from voxmatrix.errors import MissingProgramError
from voxmatrix_entrypoint.processor import check_processor

_KVM64 = "fpu de pse tsc msr pae mce cx8 apic mmx fxsr sse sse2 ht syscall nx lm pni cx16 x2apic hypervisor lahf_lm"
_V2 = f"{_KVM64} ssse3 sse4_1 sse4_2 popcnt"


def cpuinfo(folder: Path, text: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "flags", "missing"),
    [
        ("Common KVM processor", _KVM64, "ssse3, sse4_1, sse4_2, popcnt"),  # Proxmox' kvm64, numpy's reports of 2026
        ("Intel(R) Core(TM)2 Duo CPU E6550", f"{_KVM64} ssse3", "sse4_1, sse4_2, popcnt"),
        ("AMD Turion(tm) II Neo N54L", f"{_KVM64} popcnt sse4a", "ssse3, sse4_1, sse4_2"),  # pytorch #116623
        ("Intel(R) Atom(TM) CPU D525", f"{_KVM64} ssse3", "sse4_1, sse4_2, popcnt"),
    ],
)
def test_one_that_is_too_old_or_a_virtual_one_is_refused_with_what_helps(
    tmp_path: Path, name: str, flags: str, missing: str
) -> None:
    with pytest.raises(MissingProgramError) as refused:
        check_processor(cpuinfo(tmp_path, f"processor\t: 0\nmodel name\t: {name}\nflags\t\t: {flags}\n"))
    assert f"has no {missing}," in refused.value.problem
    assert "-cpu host" in refused.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        f"model name\t: Intel(R) Celeron(R) N4020\nflags\t\t: {_V2}\n",  # without AVX
        f"model name\t: Intel(R) Atom(TM) x5-Z8350\nflags\t\t: {_V2} movbe aes rdrand\n",
        "processor\t: 0\nFeatures\t: fp asimd evtstrm crc32 cpuid\nCPU implementer\t: 0x41\n",  # Raspberry Pi 4
        "processor\t: 0\nisa\t\t: rv64imafdc\n",
        "",
    ],
)
def test_one_that_has_them_or_does_not_list_any_is_accepted(tmp_path: Path, text: str) -> None:
    check_processor(cpuinfo(tmp_path, text))


def test_a_system_without_the_list_is_accepted(tmp_path: Path) -> None:
    check_processor(tmp_path / "missing")
