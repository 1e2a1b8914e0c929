"""The command `train` with its defaults for 45 s, then SIGTERM: what validation, samples and files cost."""

import json
import shutil
import signal
import statistics
import subprocess
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from tools.gpu.check import Check, rows_of
from tools.gpu.measuring import Utilisation
from tools.gpu.programs import kill, start

_SECONDS, _STOP_SECONDS = 45.0, 40.0


def measure(check: Check) -> dict[str, Any]:
    """Train, and compare the speed that is shown with that of the clock."""
    out = check.work / "run-command"
    shutil.rmtree(out, ignore_errors=True)
    command = check.command(out.name)
    if check.cpu:
        command += ["--batch-size", "2", "--accumulation", "1", "--validate-every", "2", "--max-steps", "3"]
    began = time.monotonic()
    with (check.out / "train_command.log").open("w") as log, Utilisation() as utilisation:
        process = start(command, stdout=log, stderr=log)
        with suppress(subprocess.TimeoutExpired):
            process.wait(240 if check.cpu else _SECONDS)
        stopped = time.monotonic()
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_SECONDS)
        kill(process)
    found = {
        "exit": process.poll(),
        "seconds": round(stopped - began, 1),
        "seconds_to_stop": round(time.monotonic() - stopped, 2),
        **utilisation.figures(),
        **_of_metrics(out),
        **_of_telemetry(out),
        "files_mib": {path.name: path.stat().st_size >> 20 for path in sorted(out.glob("*.ckpt"))},
    }
    for name in ("metrics.csv", "telemetry.jsonl"):
        with suppress(OSError):
            shutil.copy(out / name, check.out / name)
    return found


def _of_metrics(out: Path) -> dict[str, Any]:
    rows = rows_of(out / "metrics.csv")
    speeds = [float(row["steps_per_second"]) for row in rows if row["steps_per_second"]]
    mels = [float(row["mel"]) for row in rows if row["mel"]]
    return {
        "steps": int(rows[-1]["step"]) if rows else 0,
        "last_speed_shown": speeds[-1] if speeds else None,
        "median_speed_shown": statistics.median(speeds) if speeds else None,
        "mel_first_last": [*mels[:1], *mels[-1:]],
        "validations": sum(bool(row["validation_mel"]) for row in rows),
    }


def _of_telemetry(out: Path) -> dict[str, Any]:
    path = out / "telemetry.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    if len(rows) <= 1:
        return {}
    first, last = (datetime.fromisoformat(row["time"]) for row in (rows[0], rows[-1]))
    seconds = (last - first).total_seconds()
    steps = rows[-1]["step"] - rows[0]["step"]
    return {"steps_per_second_by_the_clock": round(steps / seconds, 2) if seconds else None, "telemetry": rows[-1]}
