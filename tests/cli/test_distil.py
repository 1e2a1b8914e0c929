"""`voxmatrix distil`: what it writes, what it refuses, and that nothing is lost when it is interrupted."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401 (fixtures)
from voxmatrix.cli.main import run
from voxmatrix.distil.decoder.run import DistilSettings, distil
from voxmatrix.distil.result import GatesError
from voxmatrix.distil.trainer import Limits
from voxmatrix.errors import UnreachableError
from voxmatrix.piper.files import config_path
from voxmatrix.progress import Activity

pytestmark = pytest.mark.usefixtures("forked_programs")

ROOT = Path(__file__).resolve().parent.parent.parent
VOICE = ROOT / "tests" / "distil" / "voices" / "en_US-slt-tiny.onnx"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    lines = (ROOT / "app/voxmatrix/text/prompts/harvard.txt").read_text(encoding="utf-8").splitlines()[:40]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.espeak
def test_it_writes_a_voice_that_speaks_and_a_page(
    tmp_path: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, report = tmp_path / "fast.onnx", tmp_path / "report.html"
    words = ["distil", str(VOICE), "--out", str(out), "--steps", "2", "--text", str(text), "--report", str(report)]

    code = run(words)
    refused = capsys.readouterr()

    assert code == 3 and not out.exists()
    assert "still does not sound like its original" in refused.err and "--force" in refused.err
    assert "✗" not in refused.out
    page = report.read_text(encoding="utf-8")
    assert page.count("<audio") == page.count("<img") == 16 and "://" not in page

    assert run([*words, "--force", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["out"] == str(out) and result["steps"] == 2 and result["times_as_fast"] > 0
    assert {"name", "value", "wanted", "ok"} == set(result["gates"][0])
    made_by = json.loads(config_path(out).read_text(encoding="utf-8"))["voxmatrix"]
    assert made_by["distilled_from"] == VOICE.name and made_by["distilled_steps"] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fast.onnx", "fast.onnx.json", "report.html"]
    assert run(["speak", "--voice", str(out), "--text", "Hello there.", "--out", str(tmp_path / "hello.wav")]) == 0
    assert run(words) == 2  # it exists now


@pytest.mark.espeak
@pytest.mark.peers
@pytest.mark.slow
def test_after_a_hundred_steps_piper_speaks_it_much_like_its_original(
    tmp_path: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from piper import PiperVoice

    out = tmp_path / "fast.onnx"
    words = ["distil", str(VOICE), "--out", str(out), "--steps", "100", "--text", str(text), "--force", "--json"]
    words += ["--threads", "1"]  # two would wait for each other whenever another test uses a core

    assert run(words) == 0

    gates = {gate["name"]: gate["value"] for gate in json.loads(capsys.readouterr().out.splitlines()[-1])["gates"]}
    assert gates["largest difference in length, in samples"] == 0
    assert gates["distance of mel bands"] < 1  # 3.0 after two steps
    loudness = []
    for voice in (VOICE, out):
        speech = np.concatenate([one.audio_float_array for one in PiperVoice.load(voice).synthesize("Hello there.")])
        loudness.append(np.sqrt(np.mean(speech**2)))
    assert loudness[1] == pytest.approx(loudness[0], rel=0.5)


@pytest.mark.espeak
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_after_a_kill_the_same_command_goes_on(tmp_path: Path, text: Path, how: signal.Signals) -> None:
    out = tmp_path / "fast.onnx"
    command = [sys.executable, "-m", "voxmatrix_entrypoint", "distil", str(VOICE), "--out", str(out)]
    command += ["--steps", "8", "--text", str(text), "--force", "--threads", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "app"), str(ROOT / "entrypoint")))}
    started = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    folder = tmp_path / "fast.distil"
    while not any(folder.glob("000*.npz")):
        assert started.poll() is None
        time.sleep(0.05)
    time.sleep(1)
    started.send_signal(how)
    _, shown = started.communicate(timeout=120)
    assert started.returncode == (130 if how != signal.SIGKILL else -9), shown
    kept = {path.name: path.read_bytes() for path in folder.glob("*.npz")}

    settings = DistilSettings(voice=VOICE, out=out, text=text, limits=Limits(steps=8), force=True)
    distilled = distil(settings, _quiet)

    assert distilled.steps == 8 and out.exists()
    assert kept and not folder.exists()


@pytest.mark.espeak
def test_a_checkpoint_with_several_speakers_is_distilled(
    tmp_path: Path,
    text: Path,
    make_checkpoint: object,  # noqa: F811
) -> None:
    checkpoint = make_checkpoint("tiny", 3, "text")  # type: ignore[operator]
    settings = DistilSettings(voice=checkpoint, out=tmp_path / "fast.onnx", text=text, limits=Limits(steps=1))

    with pytest.raises(GatesError):
        distil(settings, _quiet)

    assert (tmp_path / "fast.distil" / "state.ckpt").exists()
    with pytest.raises(GatesError) as again:  # without `force` it learns further
        distil(settings, _quiet)
    assert again.value.distilled.steps == 2


@pytest.mark.espeak
@pytest.mark.mount
def test_on_a_full_disk_it_says_so_and_goes_on_when_there_is_space(tmp_path: Path, text: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    settings = DistilSettings(voice=VOICE, out=disk / "fast.onnx", text=text, limits=Limits(steps=2), force=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], check=True)
    try:
        with pytest.raises(UnreachableError, match="No space left on device") as full:
            distil(settings, _quiet)
        assert full.value.exit_code == 8
        spoken = {path.name: path.read_bytes() for path in disk.rglob("*.npz")}
        assert spoken and not list(disk.rglob("*.part"))
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)

        assert distil(settings, _quiet).steps == 2
        assert (disk / "fast.onnx").exists()
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["absent.onnx", "--out", "fast.onnx"], 3, "there is no voice"),
        ([str(VOICE), "--out", "fast.mp3"], 2, "ends in .onnx"),
        ([str(VOICE), "--out", "fast.onnx", "--text", "absent.txt"], 3, "absent.txt"),
        (["cut.onnx", "--out", "fast.onnx"], 9, "cut.onnx"),
        (["other.onnx", "--out", "fast.onnx"], 3, "not a Piper voice"),
        (["cut.onnx", "--out", "./cut.onnx", "--force"], 2, "is the voice itself"),
        ([str(VOICE), "--out", "fast.onnx", "--cluster", "redis://127.0.0.1:1/0"], 2, "omit --cluster"),
        ([str(VOICE), "--out", "fast.onnx", "--language", "de"], 2, "omit --language"),
    ],
)
def test_what_cannot_be_used_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    says: str,
) -> None:
    import onnx
    from onnx import TensorProto, helper

    monkeypatch.chdir(tmp_path)
    (tmp_path / "cut.onnx").write_bytes(VOICE.read_bytes()[:100_000])
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "ab"]
    graph = helper.make_graph([helper.make_node("Neg", ["a"], ["b"])], "other", tensors[:1], tensors[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), "other.onnx")
    for name in ("cut.onnx.json", "other.onnx.json"):
        (tmp_path / name).write_bytes(config_path(VOICE).read_bytes())

    assert run(["distil", *words]) == code
    assert says in capsys.readouterr().err
    assert not list(tmp_path.glob("fast*")) and (tmp_path / "cut.onnx").stat().st_size == 100_000


def test_a_folder_of_another_voice_is_not_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "fast.distil"
    folder.mkdir()
    (folder / "source.json").write_text('{"voice": "another", "text": ""}', encoding="utf-8")

    assert run(["distil", str(VOICE), "--out", str(tmp_path / "fast.onnx")]) == 2
    assert "--fresh" in capsys.readouterr().err


def _quiet(activity: Activity, title: str, note: object, begun: int) -> object:
    from voxmatrix.cli.terminal.progress import progress

    return progress(activity, title, quiet=True)
