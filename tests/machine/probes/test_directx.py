"""Adapters of Windows from pretended keys of its registry, and the one of WSL2."""

from pathlib import Path

from tests.machine.pretended import pretend
from voxmatrix.machine.probes.directx import parse_adapters, read_wsl_adapter

RADEON = {
    "DriverDesc": "AMD Radeon RX 6600",
    "DriverVersion": "31.0.21921.1000",
    "HardwareInformation.qwMemorySize": 8573157376,
    "MatchingDeviceId": "PCI\\VEN_1002&DEV_73FF",
}
UHD = {"DriverDesc": "Intel(R) UHD Graphics 750", "DriverVersion": "31.0.101.2125", "MatchingDeviceId": "PCI\\VEN_8086"}
REMOTE = {"DriverDesc": "Microsoft Remote Display Adapter", "MatchingDeviceId": "TS_USB_HUB"}


def test_adapters_have_name_memory_and_driver_and_software_is_none() -> None:
    uhd, radeon = parse_adapters([UHD, REMOTE, RADEON, {}])
    assert (uhd.index, uhd.name, uhd.memory_mib, uhd.driver) == (0, "Intel(R) UHD Graphics 750", None, "31.0.101.2125")
    assert (radeon.index, radeon.kind, radeon.memory_mib) == (1, "directml", 8176)


def test_values_of_another_type_are_unknown() -> None:
    (odd,) = parse_adapters(
        [{**RADEON, "DriverDesc": 5, "HardwareInformation.qwMemorySize": b"\0", "DriverVersion": ""}]
    )
    assert (odd.name, odd.memory_mib, odd.driver) == (None, None, None)


def test_wsl2_passes_one_adapter_through(tmp_path: Path) -> None:
    assert read_wsl_adapter(tmp_path) == ()
    (adapter,) = read_wsl_adapter(pretend(tmp_path, {"dev/dxg": ""}))
    assert adapter.kind == "directml"
