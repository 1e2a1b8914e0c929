"""Measure `prepare` on many recordings: the first run, a second run, and a run after changing one file.

Memory is the peak of the whole process tree.

python tools/bench/prepare_3000.py --samples samples/en --count 3000
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.bench.peak import run_with_peak

RUN = """
import json, sys, time
started = time.perf_counter()
from pathlib import Path
from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import PrepareSettings
settings = PrepareSettings(
    quality=sys.argv[3], language="en-us", phoneme_type=sys.argv[4], cache=Path(sys.argv[2]), workers=int(sys.argv[5])
)
steps = []
prepared = prepare(Path(sys.argv[1]), settings, lambda done, total: steps.append((done, total)))
made = len(steps) - 1
print(json.dumps({"seconds": time.perf_counter() - started, "clips": len(prepared.clips), "made": made,
                  "audio_seconds": prepared.seconds, "digest": prepared.digest}))
"""


def measure(samples: Path, count: int, quality: str, phoneme_type: str, workers: int) -> dict[str, Any]:
    """Make `count` altered copies of the samples, and prepare them three times; one file changes before the third."""
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        write_copies(samples, folder / "data", count)
        arguments = (folder / "data", folder / "cache", quality, phoneme_type, workers)
        first = _timed_run(*arguments)
        second = _timed_run(*arguments)
        alter(sorted((folder / "data" / "wavs").iterdir())[0], count + 1)
        changed = _timed_run(*arguments)
    return {
        "recordings": count,
        "audio_seconds": round(first["audio_seconds"]),
        "first": first,
        "second": second,
        "changed": changed,
        "second_to_first": round(second["seconds"] / first["seconds"], 4),
        "second_to_first_with_start": round(second["process_seconds"] / first["process_seconds"], 4),
        "peak_mib": max(run["peak_mib"] for run in (first, second, changed)),
    }


def write_copies(samples: Path, out: Path, count: int) -> None:
    """Write `count` different recordings, in the layout of metadata.csv."""
    import soundfile

    from voxmatrix.dataset.find import find

    recordings, _ = find(samples)
    sources = [(soundfile.read(one.path, dtype="int16"), one.text) for one in recordings]
    (out / "wavs").mkdir(parents=True)
    lines = []
    for number in range(count):
        (sound, rate_hz), text = sources[number % len(sources)]
        path = out / "wavs" / f"{number:05}.wav"
        soundfile.write(path, sound, rate_hz)
        alter(path, number)
        lines.append(f"{path.stem}|{text}\n")
    (out / "metadata.csv").write_text("".join(lines), encoding="utf-8")


def alter(path: Path, number: int) -> None:
    """Change the loudness and add a little noise, so that the content of the file differs."""
    import numpy as np
    import soundfile

    sound, rate_hz = soundfile.read(path, dtype="int16")
    noise = np.random.default_rng(number).integers(-8, 9, len(sound))
    altered = np.clip(sound * (0.8 + 0.001 * (number % 200)) + noise, -32768, 32767)
    soundfile.write(path, altered.astype(np.int16), rate_hz)


def _timed_run(data: Path, cache: Path, quality: str, phoneme_type: str, workers: int) -> dict[str, Any]:
    command = [sys.executable, "-c", RUN, str(data), str(cache), quality, phoneme_type, str(workers)]
    run = run_with_peak(command)
    return {**json.loads(run.output), "process_seconds": run.seconds, "peak_mib": round(run.peak_mib)}


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=Path, default=Path("samples/en"))
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--quality", default="medium")
    parser.add_argument("--phoneme-type", default="espeak", choices=("espeak", "text"))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    figures = measure(args.samples, args.count, args.quality, args.phoneme_type, args.workers)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
