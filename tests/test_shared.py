"""What tests share is made once, and whole."""

from pathlib import Path

import pytest

from tests.shared import once


def test_it_is_made_once_for_each_key(tmp_path_factory: pytest.TempPathFactory) -> None:
    made: list[Path] = []
    folders = [once(tmp_path_factory, f"once-{key}", made.append) for key in "aab"]
    assert folders[0] == folders[1] != folders[2]
    assert made == [folders[0], folders[2]]


def test_what_was_not_made_to_the_end_is_made_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        once(tmp_path_factory, "half-made", fail)
    assert (once(tmp_path_factory, "half-made", lambda folder: (folder / "whole").touch()) / "whole").exists()
