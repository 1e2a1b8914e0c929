"""docs/server.md: its curl lines run as written, and the tests that it names exist."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serve.conftest import Serve

PAGE = Path(__file__).parents[2] / "docs" / "server.md"
TEXT = PAGE.read_text(encoding="utf-8")
CURL = re.findall(r"^    (curl .+)$", TEXT, re.MULTILINE)


@pytest.mark.espeak
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_curl_line_runs_as_written(serve: Serve, tmp_path: Path) -> None:
    server = serve(voice=Path("en_US-slt-fast_x_low"))
    assert len(CURL) >= 4
    for line in CURL:
        command = line.replace("127.0.0.1:3000", f"127.0.0.1:{server.port}").replace("curl -s", "curl -sS --fail")
        subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    for sound in ("hello.mp3", "hello.wav", "piper.wav"):
        assert (tmp_path / sound).stat().st_size > 5000


def test_every_test_that_the_page_names_exists() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", TEXT)
    assert named
    for name in named:
        assert f"def {name}(" in tests
