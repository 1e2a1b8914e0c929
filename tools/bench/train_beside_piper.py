"""Compare the training speed, in audio seconds per second, with Piper's: same files and batch, interleaved A B A B.

Each run is a separate process whose first batches are a warm-up. Prints one JSON object. `ratio` compares the audio
trained on: voxmatrix trims the silence at both ends, a tenth of these samples, while Piper trains on it.
`recordings_ratio` compares recordings, of which a step has the same number in both.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import soundfile

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main() -> None:
    """Run both alternately and print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    # An epoch of the samples: with fewer steps, one trainer might get shorter clips by chance.
    parser.add_argument("--steps", type=int, default=19)
    parser.add_argument("--batch-size", type=int, default=4)
    args = parser.parse_args()
    runs: dict[str, list[dict[str, Any]]] = {"our": [], "piper": []}
    with tempfile.TemporaryDirectory() as folder:
        data = _wave_copy(ROOT / "samples" / "en", Path(folder))
        for _ in range(args.rounds):
            for name, done in runs.items():
                done.append(_run(name, data, args.steps, args.batch_size))
    speeds = {
        name: statistics.median(run["audio_seconds"] / run["seconds"] for run in done) for name, done in runs.items()
    }
    print(
        json.dumps(
            {
                "setting": f"medium, batch {args.batch_size}, fp32, CPU, 2 threads, {args.steps} steps per run",
                "ours_audio_seconds_per_second": round(speeds["our"], 3),
                "piper_audio_seconds_per_second": round(speeds["piper"], 3),
                "ratio": round(speeds["our"] / speeds["piper"], 3),
                "recordings_ratio": round(_step_seconds(runs["piper"]) / _step_seconds(runs["our"]), 3),
                "wanted": "at least 1.3, recordings at least 1.6",
                "each_round": [
                    round((a["audio_seconds"] / a["seconds"]) / (b["audio_seconds"] / b["seconds"]), 3)
                    for a, b in zip(runs["our"], runs["piper"], strict=True)
                ],
            }
        )
    )


def _step_seconds(done: list[dict[str, Any]]) -> float:
    return float(statistics.median(run["seconds"] / run["steps"] for run in done))


def _wave_copy(samples: Path, folder: Path) -> Path:
    """Write the samples as WAV files next to metadata.csv, the layout that Piper's trainer reads."""
    with (samples / "metadata.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE) if row]
    for name, *_ in rows:
        wave, rate = soundfile.read(next(samples.rglob(f"{name}.flac")), dtype="int16")
        soundfile.write(folder / f"{name}.wav", wave, rate)
    lines = ["|".join(row) for row in rows]
    (folder / "metadata.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _run(name: str, data: Path, steps: int, batch_size: int) -> dict[str, Any]:
    command = [sys.executable, str(HERE / f"{name}_trainer.py"), str(data)]
    command += ["--steps", str(steps), "--batch-size", str(batch_size)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}_trainer.py ended with {done.returncode}:\n{done.stderr[-3000:]}")
    print(f"  {name}: {done.stdout.splitlines()[-1]}", file=sys.stderr, flush=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


if __name__ == "__main__":
    main()
