import stat
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).with_name("data")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a Python program in the place of the process that loads espeak-ng, for this test alone."""

    def place(source: str) -> Path:
        path = tmp_path / "bin" / "python"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(sys, "executable", str(path))
        return path

    return place


@pytest.fixture(params=["en-us", "sv"])
def voice(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def texts(voice: str) -> list[str]:
    """A hundred sentences with numbers, abbreviations and every kind of punctuation."""
    return (DATA / f"{voice[:2]}.txt").read_text(encoding="utf-8").splitlines()
