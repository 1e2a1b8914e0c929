"""Ids become names that stay in their folder on every system."""

import ntpath
import sys
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.speak.batch.filenames import MAX_BYTES, safe_name, same_file


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("0001", "0001"),
        ("Hej då", "Hej då"),
        ("wavs/0001", "wavs_0001"),
        ("../../etc/passwd", "_._.._etc_passwd"),
        ("C:\\Windows\\x", "C__Windows_x"),
        ("a\x00b\nc", "a_b_c"),
        ("what? *now*", "what_ _now_"),
        (".hidden", "_hidden"),
        ("end. ", "end"),
        ("..", ""),
        ("", ""),
        ("CON", "_CON"),
        ("com7.old", "_com7.old"),
        ("Lpt¹", "_Lpt¹"),
        ("console", "console"),
        ("e\u0301", "\u00e9"),
        ("half \ud800", "half _"),
    ],
)
def test_an_id_becomes_a_name(id: str, name: str) -> None:
    assert safe_name(id) == name


def is_reserved(name: str) -> bool:
    """Whether Windows reserves the name of a file."""
    return ntpath.isreserved(name) if sys.version_info >= (3, 13) else PureWindowsPath(name).is_reserved()


@given(st.text(st.characters(), max_size=300) | st.text("./\\:. conNUL1\x00", max_size=20))
def test_no_id_leaves_its_folder_or_names_a_device(id: str) -> None:
    name = safe_name(id)

    assert safe_name(name) == name
    if name:
        for pure in (PurePosixPath(name + ".wav"), PureWindowsPath(name + ".wav")):
            assert pure.parts == (name + ".wav",) and not pure.is_absolute()
        assert not is_reserved(name + ".wav")
        assert len(name.encode()) <= MAX_BYTES and not name.endswith((" ", ".")) and not name.startswith(".")


def test_small_and_capital_letters_are_one_file() -> None:
    assert same_file("Straße") == same_file("STRASSE") and same_file("a") != same_file("b")
