"""Speaking reports nothing to anybody."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

#: Their telemetry keeps files in the home folder before it sends anything, and is off in CI.
_SWITCHES = ("CI", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "XDG_DATA_HOME")


def left_at_home(home: Path, program: str, *arguments: str) -> list[Path]:
    environment = {name: value for name, value in os.environ.items() if name not in _SWITCHES}
    command = [sys.executable, "-c", program, *arguments]
    subprocess.run(command, env={**environment, "HOME": str(home)}, timeout=120, check=True)
    return sorted(home.rglob("*"))


def test_onnxruntime_keeps_no_identifier_and_sends_no_report(tmp_path: Path, make_onnx: Any) -> None:
    program = """if True:
        import sys
        from pathlib import Path
        from voxmatrix.piper.engines.base import SynthesisOptions
        from voxmatrix.piper.engines.onnx import open_onnx
        [segment() for segment in open_onnx(Path(sys.argv[1]), 1).begin([1, 2, 3], SynthesisOptions())]
    """

    assert left_at_home(tmp_path, program, str(make_onnx("x_low", 1, "text"))) == []


@pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="OpenVINO is not installed")
def test_openvino_keeps_no_identifier_and_sends_no_report(tmp_path: Path) -> None:
    program = """if True:
        import sys
        from voxmatrix.piper.engines.libraries import import_openvino
        for _ in range(2):
            core = import_openvino().Core()
        assert core.available_devices
        reporting = [name for name in sys.modules if name.startswith("openvino_telemetry")]
        assert not reporting, reporting
    """

    assert left_at_home(tmp_path, program) == []
