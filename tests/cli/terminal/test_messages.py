"""A warning goes beside the output, with what mends it, and messages name settings by their flags."""

import json
import re
import warnings
from pathlib import Path

import pytest

from voxmatrix.cli.terminal import messages
from voxmatrix.cli.terminal.messages import print_json, showing_warnings, warn, with_flags
from voxmatrix.config import IMAGE_VARIABLE, MESSAGES_VARIABLE
from voxmatrix.errors import Finding, ProgramWarning

PAGE = Path(__file__).parents[3] / "docs" / "images.md"


def test_a_finding_is_said_on_standard_error_with_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    warn(Finding(problem="the GPU is busy ☃", remedy="wait for it", severity="warning"))
    said = capsys.readouterr()
    assert said.out == "" and said.err == "warning: the GPU is busy ☃\n  → wait for it\n"


def test_what_a_program_complains_of_is_a_warning_without_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    with showing_warnings():
        warnings.simplefilter("always")
        warnings.warn("ffmpeg wrote a.m4b, and says: no", ProgramWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: ffmpeg wrote a.m4b, and says: no\n"


def test_control_characters_are_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    warn(Finding(problem="in \x1b[2Jbook\x07:\n\tåäö", remedy="look at \x9b0m", severity="warning"))
    assert capsys.readouterr().err == "warning: in \\x1b[2Jbook\\x07:\n\tåäö\n  → look at \\x9b0m\n"


@pytest.mark.parametrize("path", sorted(Path(messages.__file__).parents[1].rglob("*.py")), ids=lambda path: path.stem)
def test_every_command_prints_by_the_function_that_escapes(path: Path) -> None:
    """Tables of rich take text by `printable`: their tests are beside them."""
    if path != Path(messages.__file__):
        assert not re.search(
            r"typer\.s?echo\(|sys\.std(out|err)\.write\(|(?<!\.)\bprint\(", path.read_text(encoding="utf-8")
        )


def test_settings_are_named_by_their_flags() -> None:
    said = with_flags("`noise_w` is 3: set `device=cpu` or auto, or `tf32=off`")
    assert said == "--noise-w is 3: set --device cpu or auto, or --tf32 off"


def test_an_image_has_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_flags("pip install openvino") == "pip install openvino"
    monkeypatch.setenv(IMAGE_VARIABLE, "cpu")
    assert "Extending" in PAGE.read_text(encoding="utf-8")
    assert with_flags("faster with openvino (pip install openvino)") == (
        "faster with openvino (build an image with it, see docs/images.md#extending-an-image: pip install openvino)"
    )


def test_for_readers_who_type_no_flags_settings_keep_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MESSAGES_VARIABLE, "plain")
    assert with_flags("`noise_w` is 3: set `device=cpu` or auto") == "noise_w is 3: set device = cpu or auto"


def test_json_has_flags_in_its_messages_only(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"title": "`speed`", "findings": [{"problem": "`speed` is 0", "remedy": "set `speed=1`"}], "seconds": 1})
    findings = [{"problem": "--speed is 0", "remedy": "set --speed 1"}]
    assert json.loads(capsys.readouterr().out) == {"title": "`speed`", "findings": findings, "seconds": 1}
