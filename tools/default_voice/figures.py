"""Judge a voice on sentences that it did not learn from, beside its teacher.

    python -m tools.default_voice.figures VOICE.onnx --environment default-voice/hibari

Words wrong (Whisper, `pip install faster-whisper`; other spellings of a word are no errors: voxmatrix.judge), DistilMOS
(`pip install distillmos`), CPU seconds per second of speech on one thread, sentence by sentence in turn with the
teacher. `frame_rate_db`: how far multiples of the frame rate stand out of the spectrum. `melody`: the correlation of
the logarithms of both pitches in a sentence, and `in_tune`: the share of frames within 50 cents of the teacher, each
beside the frame of it that sounds most alike, in order (dynamic time warping, `pip install librosa`). Prints one JSON
object.
"""

import argparse
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxmatrix_entrypoint import patches

patches.install()

from voxmatrix.audio.pitch import pitch  # noqa: E402
from voxmatrix.audio.waves import Samples  # noqa: E402
from voxmatrix.compute.libraries import import_onnxruntime  # noqa: E402
from voxmatrix.distil.student.corpus import HOP, RATE_HZ  # noqa: E402
from voxmatrix.judge.hearing import word_errors  # noqa: E402
from voxmatrix.piper.config import VoiceConfig  # noqa: E402
from voxmatrix.piper.files import config_path  # noqa: E402

HERE = Path(__file__).resolve().parent
_RATE_HZ = 16_000
_CENTS = 50
#: In octaves: what is farther from the middle is an octave that the estimator was wrong by.
_RANGE = 0.75
#: The width of the bins in which lines are looked for, and the highest one.
_SPECTRUM_HZ, _HIGHEST_HZ = 4, 10_000
#: Says each line that it is given, and answers with its CPU time and samples.
_TEACHER = """
import json, sys, time
from hibari import Hibari
voice = Hibari()
voice("Warm up.")
for line in sys.stdin:
    began = time.process_time()
    wave = voice(line.strip(), seed=0)
    print(json.dumps([time.process_time() - began, wave.astype("<f4").tobytes().hex()]), flush=True)
"""
#: Says a text: CPU seconds and samples.
Say = Callable[[str], tuple[float, Samples]]


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voice", type=Path)
    parser.add_argument("--environment", type=Path, help="that of the teacher, to judge it as well")
    parser.add_argument("--texts", type=Path, default=HERE / "unseen.txt")
    parser.add_argument("--whisper", default="base", help="a model of faster-whisper, or its folder (default: base)")
    args = parser.parse_args()
    # First of all, so that what is not installed is missed at once.
    language = VoiceConfig.read(config_path(args.voice)).espeak_voice
    hear, rate = _whisper(args.whisper, language.partition("-")[0]), _distilmos()
    pitches = _pitches() if args.environment else None
    texts = args.texts.read_text(encoding="utf-8").splitlines()
    speakers: dict[str, tuple[Say, int]] = {args.voice.stem: _piper(args.voice)}
    if args.environment:
        speakers["hibari"] = _hibari(args.environment)
    said: dict[str, list[tuple[float, Samples]]] = {name: [] for name in speakers}
    for text in texts:
        for name, (say, _) in speakers.items():
            said[name].append(say(text))
    found = {"sentences": len(texts), "bytes": args.voice.stat().st_size}
    for name, (_, rate_hz) in speakers.items():
        waves = [_resampled(wave, rate_hz) for _, wave in said[name]]
        errors = [word_errors(text, hear(wave), language) for text, wave in zip(texts, waves, strict=True)]
        seconds = sum(len(wave) for wave in waves) / _RATE_HZ
        found[name] = {
            "words_wrong": round(sum(one for one, _ in errors) / sum(count for _, count in errors), 4),
            "distilmos": round(float(np.mean([rate(wave) for wave in waves])), 2),
            "cpu_seconds_per_second": round(sum(spent for spent, _ in said[name]) / seconds, 5),
            "frame_rate_db": round(_frame_rate_db([wave for _, wave in said[name]], rate_hz), 2),
        }
    if pitches:
        pairs = zip(*([wave for _, wave in said[name]] for name in speakers), strict=True)
        both = [np.log2([*zip(*found_pair, strict=True)]) for pair in pairs if len(found_pair := pitches(*pair)) > 1]
        near = np.concatenate([np.abs(1200 * (ours - theirs)) <= _CENTS for ours, theirs in both])
        found["in_tune"] = round(float(np.mean(near)), 3)
        found["melody"] = round(float(np.mean([_correlation(one) for one in both])), 3)
    print(json.dumps(found, indent=2))


def _piper(path: Path) -> tuple[Say, int]:
    """The real piper-tts, on one thread."""
    from piper import PiperVoice, SynthesisConfig
    from piper.config import PiperConfig

    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    config = PiperConfig.from_dict(json.loads(config_path(path).read_text(encoding="utf-8")))
    voice = PiperVoice(onnxruntime.InferenceSession(str(path), options), config)
    as_it_is = SynthesisConfig(normalize_audio=False)

    def say(text: str) -> tuple[float, Samples]:
        began = time.process_time()
        wave = np.concatenate([chunk.audio_float_array for chunk in voice.synthesize(text, as_it_is)])
        return time.process_time() - began, wave

    say("Warm up.")
    return say, config.sample_rate


def _hibari(environment: Path) -> tuple[Say, int]:
    program = [str(environment / "bin" / "python"), "-c", _TEACHER]
    process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin and process.stdout
    lines, answers = process.stdin, process.stdout

    def say(text: str) -> tuple[float, Samples]:
        print(text, file=lines, flush=True)
        spent, wave = json.loads(answers.readline())
        return spent, np.frombuffer(bytes.fromhex(wave), "<f4")

    return say, 24_000


def _whisper(model: str, language: str) -> Callable[[Samples], str]:
    from faster_whisper import WhisperModel

    whisper = WhisperModel(model, device="cpu", compute_type="int8", cpu_threads=1)

    def hear(wave: Samples) -> str:
        parts, _ = whisper.transcribe(wave, language=language, beam_size=5, condition_on_previous_text=False)
        return "".join(part.text for part in parts)

    return hear


def _distilmos() -> Callable[[Samples], float]:
    import torch
    from distillmos import ConvTransformerSQAModel  # type: ignore[import-not-found]

    judge: Any = ConvTransformerSQAModel().eval()

    def rate(wave: Samples) -> float:
        with torch.inference_mode():
            return float(judge(torch.from_numpy(wave.copy())[None]))

    return rate


def _frame_rate_db(waves: list[Samples], rate_hz: int) -> float:
    """The mean level of multiples of the frame rate above what is beside them."""
    size = rate_hz // _SPECTRUM_HZ
    power = np.zeros(size // 2 + 1)
    for wave in waves:
        for start in range(0, len(wave) - size, size // 2):
            power += np.abs(np.fft.rfft(wave[start : start + size] * np.hanning(size))) ** 2
    db = 10 * np.log10(power + 1e-12)
    frame_rate = RATE_HZ / HOP
    places = np.round(np.arange(frame_rate, _HIGHEST_HZ, frame_rate) / _SPECTRUM_HZ).astype(int)
    return float(np.mean([db[k] - np.median(db[[*range(k - 8, k - 2), *range(k + 3, k + 9)]]) for k in places]))


def _pitches() -> Callable[[Samples, Samples], list[tuple[float, float]]]:
    from librosa.feature import melspectrogram  # type: ignore[import-not-found, unused-ignore]
    from librosa.sequence import dtw  # type: ignore[import-not-found, unused-ignore]

    def mel(wave: Samples) -> NDArray[np.float32]:
        power = melspectrogram(y=wave, sr=RATE_HZ, n_fft=1024, hop_length=RATE_HZ // 100, n_mels=40)
        return np.asarray(np.log(power + 1e-4), np.float32)

    def pitches(wave: Samples, teacher: Samples) -> list[tuple[float, float]]:
        """Hertz of the frames of the teacher and of those beside them, where both have a pitch: ours, theirs."""
        ours, theirs = (pitch(one, RATE_HZ).hz for one in (wave, teacher))
        path = dtw(mel(wave), mel(teacher))[1]  # from the end, so that of equal frames the first one stays
        beside = {other: one for one, other in path if one < len(ours) and other < len(theirs)}
        return [(ours[one], theirs[other]) for other, one in sorted(beside.items()) if ours[one] and theirs[other]]

    return pitches


def _correlation(both: NDArray[np.float64]) -> float:
    """Of two rows of octaves, where both are in the range of a voice: within 900 cents of their medians."""
    near = np.logical_and.reduce([np.abs(row - np.median(row)) < _RANGE for row in both])
    ours, theirs = both[:, near] - both[:, near].mean(1, keepdims=True)
    return float(ours @ theirs / np.sqrt((ours @ ours) * (theirs @ theirs)))


def _resampled(wave: Samples, rate_hz: int) -> Samples:
    import soxr

    return np.asarray(soxr.resample(wave, rate_hz, _RATE_HZ), np.float32)


if __name__ == "__main__":
    main()
