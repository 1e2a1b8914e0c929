"""What the device did: written down, shown, warned of."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.train.conftest import Fit
from tests.train.runs import Notes, assert_bit_equal
from voxmatrix.errors import UnreachableError
from voxmatrix.machine.sensors.reading import Reading
from voxmatrix.plan.pressure import PressureMonitor
from voxmatrix.train.monitor import telemetry
from voxmatrix.train.monitor.telemetry import JsonLines, Telemetry

GPU = Reading(
    device="cuda:0",
    seconds=1.0,
    used_mib=11469,
    total_mib=12288,
    needed_mib=6000,
    others_mib=None,
    utilisation=0.93000001,
    temperature_c=71.0,
    throttle_c=90.0,
    power_w=170.512345,
)
FULL = Reading(device="cuda:0", seconds=3.0, used_mib=12200, total_mib=12288, needed_mib=12000)


class Looks:
    """In place of the thread: one reading at each report."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = list(readings)
        self.last: Reading | None = None
        self.closed = 0

    def new(self) -> list[Reading]:
        self.last = self.readings.pop(0) if self.readings else self.last
        return [self.last] if self.last else []

    def latest(self) -> Reading | None:
        return self.last

    def close(self) -> None:
        self.closed += 1


class Curves:
    def __init__(self) -> None:
        self.points: list[tuple[dict[str, float | int], int]] = []

    def numbers(self, row: dict[str, float | int], step: int) -> None:
        self.points.append((dict(row), step))


def make(folder: Path, looks: Looks, warnings: list[str] | None = None, curves: Curves | None = None) -> Telemetry:
    return Telemetry(
        device="cuda:0",
        sampling=looks,  # type: ignore[arg-type]
        lines=JsonLines(folder / telemetry.FILE, 0),
        board=curves or Curves(),  # type: ignore[arg-type]
        pressure=PressureMonitor("type --batch-size 4"),
        warn=(warnings if warnings is not None else []).append,
        now=lambda: datetime(2026, 11, 21, 14, 0, 5, 123456, UTC),
    )


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / telemetry.FILE).read_text(encoding="utf-8").splitlines()]


def test_a_report_is_a_line_with_time_step_device_and_figures(tmp_path: Path) -> None:
    told = make(tmp_path, Looks(GPU))
    assert told.report(10, 1.23456789) == GPU
    told.close()
    assert rows(tmp_path) == [
        {
            "time": "2026-11-21T14:00:05.123+00:00",
            "step": 10,
            "device": "cuda:0",
            "used_mib": 11469,
            "total_mib": 12288,
            "utilisation": 0.93,
            "temperature_c": 71.0,
            "power_w": 170.512,
            "steps_per_second": 1.23457,
        }
    ]


def test_what_is_unknown_is_null_in_the_line_and_no_point_on_a_curve(tmp_path: Path) -> None:
    curves = Curves()
    told = make(tmp_path, Looks(), curves=curves)
    assert told.report(10, float("inf")) is None
    told.close()
    (row,) = rows(tmp_path)
    assert (row["device"], row["step"]) == ("cuda:0", 10)
    assert [row[name] for name in ("used_mib", "utilisation", "power_w", "steps_per_second")] == [None] * 4
    assert curves.points == [({}, 10)]


def test_curves_stand_below_telemetry(tmp_path: Path) -> None:
    curves = Curves()
    told = make(tmp_path, Looks(GPU), curves=curves)
    told.report(7, 1.0)
    told.close()
    assert curves.points == [
        (
            {
                "telemetry/used_mib": 11469,
                "telemetry/total_mib": 12288,
                "telemetry/utilisation": 0.93,
                "telemetry/temperature_c": 71.0,
                "telemetry/power_w": 170.512,
            },
            7,
        )
    ]


def test_memory_that_runs_out_is_warned_of_once_with_what_to_type(tmp_path: Path) -> None:
    warnings: list[str] = []
    told = make(tmp_path, Looks(GPU, FULL, FULL), warnings)
    for step in (10, 20, 30):
        told.report(step, 1.0)
    told.close()
    assert warnings == [
        "the memory of cuda:0 is nearly full: 11.7 of 12.0 GiB are in use\n  → type --batch-size 4",
    ]


def test_closing_ends_the_looks(tmp_path: Path) -> None:
    looks = Looks()
    make(tmp_path, looks).close()
    assert looks.closed == 1


def test_a_training_writes_shows_and_warns(run: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(GPU, FULL)
    monkeypatch.setattr(telemetry, "BackgroundSensor", lambda gauge: looks)
    notes = Notes()
    result = run(max_steps=4, log_every=2, progress=notes)

    assert [report.reading for report in notes.reports] == [GPU, FULL]
    assert [(row["step"], row["used_mib"]) for row in rows(result.out)] == [(2, 11469), (4, 12200)]
    (warning,) = notes.warnings
    assert f"`from={result.out}/last.ckpt` `max_batch_seconds=60`" in warning
    assert looks.closed == 1


def test_a_training_that_goes_on_has_every_step_once(run: Fit) -> None:
    out = run(max_steps=6, log_every=1, checkpoint_every=3).out
    (out / "last.ckpt").unlink()
    (out / "best.ckpt").unlink()
    (out / "step-000000006.ckpt").unlink()  # killed after the sixth step, the third is what is saved
    with (out / telemetry.FILE).open("a") as file:
        file.write('{"time": "2026-')
    run(max_steps=8, log_every=1)
    assert [row["step"] for row in rows(out)] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {row["device"] for row in rows(out)} == {"cpu"}


def test_a_disk_that_is_full_for_the_figures_ends_the_training_with_what_is_saved(
    run: Fit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    whole = run(out=tmp_path / "whole", max_steps=6)
    real = JsonLines.write

    def full_at_step_4(self: JsonLines, row: dict[str, Any]) -> None:
        if row["step"] == 4:
            self._file.close()
            self._file = Path("/dev/full").open("ab", buffering=0)  # noqa: SIM115
        real(self, row)

    with monkeypatch.context() as patched, pytest.raises(UnreachableError, match="No space left") as caught:
        patched.setattr(telemetry.JsonLines, "write", full_at_step_4)
        run(max_steps=6, checkpoint_every=2, log_every=1)
    last = tmp_path / "run" / "last.ckpt"
    assert f"at step 4; the last good checkpoint is {last}" in caught.value.problem
    assert "free some space" in caught.value.remedy
    assert_bit_equal(run(max_steps=6, checkpoint_every=2).last, whole.last)


def test_what_the_device_does_changes_nothing_that_is_learned(
    run: Fit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = run(out=tmp_path / "seen", log_every=1)
    monkeypatch.setattr(telemetry, "BackgroundSensor", lambda gauge: Looks())
    unseen = run(out=tmp_path / "unseen", log_every=1)
    assert_bit_equal(seen.last, unseen.last)
