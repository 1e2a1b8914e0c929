"""docker/kernels.py reads what a file has code for, from headers made as nvcc makes them."""

import importlib.util
import struct
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tools import matrix

PTX, MACHINE_CODE = 1, 2
EXACTLY, FAMILY = 0x100000, 0x200000
Entry = tuple[int, int, int]  # kind, architecture, flags


def _kernels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernels", matrix.ROOT / "docker" / "kernels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KERNELS = _kernels()


def _fat_binary(entries: list[Entry]) -> bytes:
    body = b""
    for kind, architecture, flags in entries:
        code = b"\x7fcode of it " * 2
        code += bytes(-len(code) % 8)
        body += struct.pack("<HHIQIIHHIIIQ", kind, 0x101, 64, len(code), 0, 0, 7, 1, architecture, 0, 0, flags)
        body += bytes(64 - 48) + code
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def _elf(section: bytes, content: bytes) -> bytes:
    names = b"\0" + section + b"\0.shstrtab\0"
    at_names = 64 + len(content)
    table = at_names + len(names) + (-(at_names + len(names)) % 8)
    sections = [
        bytes(64),
        struct.pack("<IIQQQQIIQQ", 1, 1, 2, 0, 64, len(content), 0, 0, 8, 0),
        struct.pack("<IIQQQQIIQQ", 2 + len(section), 3, 0, 0, at_names, len(names), 0, 0, 1, 0),
    ]
    header = (
        b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 2)
    )
    body = header + content + names
    return body + bytes(table - len(body)) + b"".join(sections)


def _written(folder: Path, content: bytes) -> Path:
    path = folder / "lib.so"
    path.write_bytes(content)
    return path


def test_machine_code_and_ptx_of_every_fat_binary_are_named_in_order(tmp_path: Path) -> None:
    first = _fat_binary([(MACHINE_CODE, 90, 0x11), (MACHINE_CODE, 120, 0x11), (PTX, 120, 0x11)])
    second = _fat_binary([(MACHINE_CODE, 90, EXACTLY), (MACHINE_CODE, 100, FAMILY), (MACHINE_CODE, 75, 0)])
    path = _written(tmp_path, _elf(b".nv_fatbin", first + bytes(16) + second))
    assert KERNELS.architectures(path) == ["compute_120", "sm_75", "sm_90", "sm_90a", "sm_100f", "sm_120"]


def test_other_sections_and_other_kinds_of_entries_say_nothing(tmp_path: Path) -> None:
    assert KERNELS.architectures(_written(tmp_path, _elf(b".rodata", _fat_binary([(MACHINE_CODE, 90, 0)])))) == []
    assert KERNELS.architectures(_written(tmp_path, _elf(b".nv_fatbin", _fat_binary([(8, 90, 0)])))) == []


@pytest.mark.parametrize("content", [b"", b"short", b"\x7fELF\x01" + bytes(200), bytes(200)])
def test_other_files_have_no_kernels(tmp_path: Path, content: bytes) -> None:
    assert KERNELS.architectures(_written(tmp_path, content)) == []


@settings(max_examples=examples(200))
@given(cut=st.integers(64, 400), at=st.integers(64, 250), byte=st.integers(0, 255))
def test_a_damaged_fat_binary_ends_the_reading(
    tmp_path_factory: pytest.TempPathFactory, cut: int, at: int, byte: int
) -> None:
    whole = bytearray(_fat_binary([(MACHINE_CODE, 90, 0), (PTX, 120, 0)]) * 2)
    whole[at % len(whole)] = byte
    content = _elf(b".nv_fatbin", bytes(whole[:cut]))
    names = KERNELS.architectures(_written(tmp_path_factory.mktemp("damaged"), content))
    assert all(name.startswith(("sm_", "compute_")) for name in names)


def test_libraries_are_named_from_site_packages_on_and_links_are_not_counted_twice(tmp_path: Path) -> None:
    library = tmp_path / "torch" / "lib" / "libtorch_cuda.so.1"
    library.parent.mkdir(parents=True)
    library.write_bytes(_elf(b".nv_fatbin", _fat_binary([(MACHINE_CODE, 120, 0)])))
    (library.parent / "libtorch_cuda.so").symlink_to(library.name)
    (tmp_path / "plain.so").write_bytes(_elf(b".text", b"12345678"))
    assert list(KERNELS.libraries(tmp_path)) == [("torch/lib/libtorch_cuda.so.1", ["sm_120"])]
