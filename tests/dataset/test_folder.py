import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.dataset.folder import Folder, OutsideError
from voxmatrix.transcripts.lines import identity


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("wavs/a.wav", "wavs/b.FLAC", "c.mp3", "wavs/d.mp3", "wavs/d.wav", "clips/deep/e.wav", "x.y.wav"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a", "wavs/a.wav"),
        ("a.wav", "wavs/a.wav"),
        ("wavs/a.wav", "wavs/a.wav"),
        ("./wavs//a.wav", "wavs/a.wav"),
        ("wavs\\a.wav", "wavs/a.wav"),
        ("b", "wavs/b.FLAC"),
        ("c", "c.mp3"),
        ("d", "wavs/d.wav"),
        ("d.mp3", "wavs/d.mp3"),
        ("deep/e", "clips/deep/e.wav"),
        ("x.y", "x.y.wav"),
        ("wavs/../c.mp3", "c.mp3"),
    ],
)
def test_a_recording_is_found_by_what_transcripts_call_it(root: Path, name: str, found: str) -> None:
    assert Folder(root).find(name) == root / found


@pytest.mark.parametrize("name", ["a.flac", "nothing", "", ".", "wavs", "a.wav/b", "deep/e/f", "\0"])
def test_what_is_not_there_is_not_found(root: Path, name: str) -> None:
    assert Folder(root).find(name) is None


@pytest.mark.parametrize(
    "name", ["..", "../c.mp3", "wavs/../../x", "/etc/passwd", "C:/x.wav", "C:\\x.wav", "\\\\host\\x", "/"]
)
def test_nothing_outside_is_found(root: Path, name: str) -> None:
    with pytest.raises(OutsideError):
        Folder(root).find(name)


def test_an_absolute_name_inside_is_inside(root: Path) -> None:
    assert Folder(root).find(str(root / "wavs" / "a.wav")) == root / "wavs" / "a.wav"
    with pytest.raises(OutsideError):
        Folder(root).find(str(root) + "-other/a.wav")


def test_composed_and_decomposed_names_are_the_same(tmp_path: Path) -> None:
    (tmp_path / unicodedata.normalize("NFD", "höst.wav")).touch()
    (tmp_path / unicodedata.normalize("NFC", "vår.wav")).touch()
    folder = Folder(tmp_path)
    for name in ("höst", "vår"):
        for form in ("NFC", "NFD"):
            found = folder.find(unicodedata.normalize(form, name))
            assert found is not None
            assert found.exists()


def test_what_was_perhaps_meant_is_named(root: Path) -> None:
    assert Folder(root).similar("a.mp3") == "wavs/a.wav"
    assert Folder(root).similar("C.mp3") == "c.mp3"
    assert Folder(root).similar("WAVS/a") == "wavs/a.wav"
    assert Folder(root).similar("Deep/E.wav") == "clips/deep/e.wav"
    assert Folder(root).similar("nothing.wav") is None
    (root / "wavs").rename(root / "Wavs")
    assert Folder(root).similar("wavs/a.wav") == Folder(root).similar("a") == "Wavs/a.wav"


def test_an_id_is_the_name_without_the_ending_of_a_sound() -> None:
    assert [identity(name) for name in ("a.wav", "a/b.FLAC", "LJ001.0001", "a")] == ["a", "a/b", "LJ001.0001", "a"]


@given(st.text(alphabet="ab./\\:~\0C", max_size=20))
def test_whatever_is_found_lies_inside(name: str) -> None:
    folder = Folder(Path(__file__).parent)
    try:
        found = folder.find(name)
    except OutsideError:
        return
    if found:
        assert os.path.commonpath([found.absolute(), folder.root.absolute()]) == str(folder.root.absolute())
