"""`voxmatrix distil kokoro/…`: a student of a voice that gives nothing but samples."""

import json
from pathlib import Path

import pytest

from voxmatrix.cli.main import run
from voxmatrix.distil.student import align, training
from voxmatrix.text.prompts import sentence_list

pytestmark = [pytest.mark.espeak, pytest.mark.usefixtures("kokoro")]


def test_it_writes_a_voice_that_speaks_and_names_its_teacher(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(align, "_SEEN", 0)
    monkeypatch.setattr(training, "FRAMES", 40)  # this Kokoro speaks fast
    text, out = tmp_path / "text.txt", tmp_path / "student.onnx"
    text.write_text("\n\n".join(sentence_list("harvard")[:30]), encoding="utf-8")
    words = ["distil", "kokoro/af_heart", "--out", str(out), "--text", str(text), "--steps", "2", "--force", "--json"]

    assert run(words) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])

    assert result["out"] == str(out) and result["steps"] == 2 and result["times_as_fast"] > 0
    made_by = json.loads(out.with_name("student.onnx.json").read_text(encoding="utf-8"))["voxmatrix"]
    assert made_by["teacher"] == "kokoro/af_heart" and made_by["teacher_license"] == "Apache-2.0"
    assert made_by["started_from"] == "en_US-heart-student"
    assert run(["speak", "--voice", str(out), "--text", "Hello.", "--out", str(tmp_path / "hello.wav")]) == 0
