"""DirectX 12 adapters: from the registry on Windows, /dev/dxg in WSL2."""

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from voxmatrix.machine.facts import Gpu, clean_text

#: The device class of display adapters.
_CLASS = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
_MIB = 1024 * 1024

#: One registry key per driver: name of the value → value.
Keys = Iterable[Mapping[str, object]]


def read_adapters(read_keys: Callable[[], Keys] | None = None) -> tuple[Gpu, ...]:
    """The adapters of this Windows computer."""
    return parse_adapters((read_keys or _registry)())


def read_wsl_adapter(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """The adapter that WSL2 passes through; its name and memory are not available there."""
    return (Gpu(index=0, kind="directml", name="DirectX adapter"),) if (root / "dev" / "dxg").exists() else ()


def parse_adapters(keys: Keys) -> tuple[Gpu, ...]:
    """The adapters on the PCI bus; Windows' software and remote adapters are not GPUs."""
    on_pci = [key for key in keys if str(key.get("MatchingDeviceId", "")).lower().startswith("pci\\")]
    return tuple(_adapter(index, key) for index, key in enumerate(on_pci))


def _adapter(index: int, key: Mapping[str, object]) -> Gpu:
    memory = key.get("HardwareInformation.qwMemorySize")
    return Gpu(
        index=index,
        kind="directml",
        name=_text(key.get("DriverDesc")),
        memory_mib=memory // _MIB if isinstance(memory, int) and memory > 0 else None,
        driver=_text(key.get("DriverVersion")),
    )


def _text(value: object) -> str | None:
    return clean_text(value) if isinstance(value, str) else None


def _registry() -> Keys:
    found: list[dict[str, object]] = []
    if sys.platform == "win32":
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _CLASS) as adapters:
            for index in range(winreg.QueryInfoKey(adapters)[0]):
                name = winreg.EnumKey(adapters, index)
                if not name.isdecimal():  # nobody may open "Properties"
                    continue
                with winreg.OpenKey(adapters, name) as key:
                    values = [winreg.EnumValue(key, number) for number in range(winreg.QueryInfoKey(key)[1])]
                found.append({value[0]: value[1] for value in values})
    return found
