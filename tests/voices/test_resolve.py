"""Who names no voice gets their own, else the one that comes along; nobody gets a guess."""

from pathlib import Path

import pytest

from voxmatrix import config
from voxmatrix.errors import BadInputError
from voxmatrix.piper.files import find_checkpoint
from voxmatrix.voices.resolve import locate, make_default


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A person's folder, a clone's and an installation's: none is there yet."""
    found = [tmp_path / name / "voices" for name in ("home", "clone", "installed")]
    monkeypatch.setattr("voxmatrix.voices.resolve.voice_folders", lambda: tuple(found))
    return found


def put(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch()


def test_without_any_voice_the_places_are_named(folders: list[Path]) -> None:
    put(folders[1], "README.md")

    with pytest.raises(BadInputError, match="no voice was given") as caught:
        locate()[1]

    assert all(str(folder) in caught.value.problem for folder in folders)


def test_a_voice_that_is_added_is_not_the_default_by_itself(folders: list[Path]) -> None:
    put(folders[0], "z.onnx", "a.onnx", "a.onnx.json")
    assert locate()[1] == folders[0] / "a.onnx"  # nothing else is there
    put(folders[2], "c.onnx")
    assert locate()[1].name == "c.onnx"
    put(folders[1], "b.onnx")
    assert locate()[1].name == "b.onnx"
    make_default("z")
    assert locate()[1] == folders[0] / "z.onnx"


def test_the_home_is_asked_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path))

    assert config.voice_folders()[0] == tmp_path / "voices"


def test_a_name_finds_a_voice_in_the_home_and_the_bundled_one(folders: list[Path]) -> None:
    put(folders[0], "mine.onnx", "both.onnx")
    put(folders[1], "bundled.onnx", "both.onnx")
    assert locate("mine")[1] == locate("mine.onnx")[1] == folders[0] / "mine.onnx"
    assert locate("bundled")[1] == folders[1] / "bundled.onnx"
    assert locate("both")[1] == folders[0] / "both.onnx"


def test_a_file_here_comes_before_a_name(folders: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folders[0], "mine.onnx")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.onnx").touch()
    assert locate("mine.onnx")[1] == Path("mine.onnx")


@pytest.mark.parametrize("path", ["theirs", "elsewhere/mine", "mine.ckpt"])
def test_an_unknown_name_lists_the_voices_there_are(folders: list[Path], path: str) -> None:
    put(folders[0], "mine.onnx")
    with pytest.raises(BadInputError, match=path) as caught:
        locate(path)
    assert "voices list" in caught.value.remedy and "mine" in caught.value.remedy


@pytest.mark.parametrize("path", ["theirs", "mine", "folder"])
def test_what_is_to_be_exported_is_a_checkpoint_or_a_run(folders: list[Path], tmp_path: Path, path: str) -> None:
    put(folders[0], "mine.onnx")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInputError) as caught:
        find_checkpoint(tmp_path / path if path == "folder" else Path(path))
    assert caught.value.remedy == "choose a checkpoint (.ckpt) or the folder of a training run"
