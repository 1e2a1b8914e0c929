"""The pitch that the page shows, of sounds whose pitch is known, and beside the program's own."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxmatrix.audio.pitch import pitch

PITCH = Path("app/voxmatrix/serve/page/static/js/sound/pitch.js").resolve()
_SCRIPT = """
import {{ readFileSync }} from "node:fs";
import {{ pitchOf }} from "{module}";
const bytes = readFileSync("{samples}");
const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
console.log(JSON.stringify(pitchOf({{ samples, rateHz: {rate} }}, 0, samples.length / {rate})));
"""
pytestmark = pytest.mark.node


def shown(folder: Path, samples: np.ndarray, rate_hz: int) -> tuple[np.ndarray, np.ndarray]:
    """Times in seconds and pitches in Hz; 0 where there is none."""
    (folder / "samples").write_bytes((samples * 32767).astype("<i2").tobytes())
    module = shutil.copy(PITCH, folder / "pitch.mjs")
    script = folder / "run.mjs"
    script.write_text(_SCRIPT.format(module=module, samples=folder / "samples", rate=rate_hz), encoding="utf-8")
    node = shutil.which("node") or "node"
    said = subprocess.run([node, script], capture_output=True, text=True, check=True, timeout=300)
    frames = json.loads(said.stdout)
    return np.array([each["time"] for each in frames]), np.array([each["hz"] for each in frames])


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100])
@pytest.mark.parametrize(("first_hz", "last_hz"), [(80.0, 160.0), (400.0, 180.0)])
def test_a_glide_of_many_harmonics(tmp_path: Path, rate_hz: int, first_hz: float, last_hz: float) -> None:
    seconds = 1.0
    time = np.arange(int(seconds * rate_hz)) / rate_hz
    turns = first_hz * time + (last_hz - first_hz) * time**2 / 2 / seconds
    sound = sum(np.sin(2 * np.pi * turns * number) / number for number in range(1, 8))
    sound = np.where(time < 0.8, 0.3 * sound, 0)
    times, found = shown(tmp_path, sound, rate_hz)
    inside = times < 0.74
    expected = first_hz + (last_hz - first_hz) * times[inside]
    cents = 1200 * np.abs(np.log2(found[inside] / expected))
    assert np.median(cents) < 20 and cents.max() < 80
    assert not found[times > 0.86].any()


def test_noise_has_no_pitch(tmp_path: Path) -> None:
    _, found = shown(tmp_path, 0.1 * np.random.default_rng(1).standard_normal(16_000), 16_000)
    assert np.mean(found > 0) < 0.05


def test_a_person_has_the_pitch_that_the_program_finds(tmp_path: Path) -> None:
    samples, rate_hz = soundfile.read(next(Path("samples/en/wavs").glob("*.flac")), dtype="float32")
    times, found = shown(tmp_path, samples, rate_hz)
    own = pitch(samples, rate_hz).hz
    centre = 1.5 / 60  # of the windows of the program
    there = own[np.clip(np.round((times - centre) * 100).astype(int), 0, len(own) - 1)]
    both = (found > 0) & (there > 0)
    assert both.mean() > 0.2 and both.sum() / (there > 0).sum() > 0.7
    cents = 1200 * np.abs(np.log2(found[both] / there[both]))
    assert np.median(cents) < 25 and np.mean(cents > 300) < 0.03
