"""What a person sees."""

import io
from pathlib import Path

import pytest

from voxmatrix.machine.sensors.reading import Reading, describe_load
from voxmatrix.train.monitor.progress import (
    BarProgress,
    LineProgress,
    QuietProgress,
    RunSummary,
    StepReport,
    Validation,
    clock,
    describe,
    figures,
    make_progress,
)

START = RunSummary(
    out=Path("voice"),
    quality="tiny",
    device="cpu",
    precision="32",
    clips=60,
    validation_clips=3,
    audio_seconds=180.0,
    batch_size=8,
    accumulation=2,
    steps_per_epoch=4,
    workers=0,
    workers_reason="this process may use 1 CPU",
    threads=2,
    step=20,
    total_steps=300,
    came_from="resuming from last.ckpt, step 20",
)


READING = Reading(device="cpu", seconds=0.0, used_mib=1434, total_mib=23962, utilisation=0.97)


def report(step: int, reading: Reading | None = None) -> StepReport:
    return StepReport(
        step=step,
        epoch=5,
        losses={"mel": 1.25, "kl": 2.0},
        learning_rate=2e-4,
        steps_per_second=1.5,
        audio_seconds_per_second=30.0,
        seconds_left=725.0,
        reading=reading,
    )


def test_the_settings_are_told_before_the_first_step_with_their_reason() -> None:
    told = "\n".join(describe(START))
    for words in ("tiny", "voice", "resuming from last.ckpt", "60 clips (3.0 min)", "batch 8 × 2", "may use 1 CPU"):
        assert words in told


def test_a_line_has_speed_losses_and_time_left() -> None:
    line = figures(report(30))
    for words in ("mel 1.250", "1.50 steps/s", "30.0 s audio/s", "12:05 left"):
        assert words in line


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (65.4, "1:05"), (3725, "1:02:05"), (-3, "0:00")])
def test_a_clock_is_read_as_clocks_are(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_elsewhere_than_on_a_terminal_lines_come_now_and_then_and_the_last_one_always() -> None:
    stream = io.StringIO()
    progress = LineProgress(stream, every_seconds=1000)
    progress.started(START)
    for step in (30, 40, 300):
        progress.stepped(step)
        progress.reported(report(step))
    progress.validated(Validation(step=300, mel=0.5, best=True, best_step=300))
    progress.validated(Validation(step=310, mel=0.6, best=False, best_step=300, words_wrong=0.125))
    progress.saved(Path("voice/last.ckpt"), 300)
    progress.warned("the disk is nearly full")
    progress.ended()
    said = stream.getvalue()
    assert "step 30/300" in said
    assert "step 40/300" not in said
    assert "step 300/300" in said
    assert "validation mel 0.500, the best so far\n" in said
    assert "validation mel 0.600, no better since step 300, 12 % of the words wrong\n" in said
    assert "saved voice/last.ckpt" in said
    assert "warning: the disk" in said


def test_on_a_terminal_there_is_a_bar_and_brackets_in_names_are_no_markup() -> None:
    stream = io.StringIO()
    progress = BarProgress(stream)
    progress.started(START)
    progress.stepped(21)
    progress.reported(report(21))
    progress.warned("[bold]file[/bold]")
    progress.ended()
    assert "[bold]file[/bold]" in stream.getvalue()
    for words in ("21/300", "12:05 left", "kl 2.000"):
        assert words in stream.getvalue()


def test_what_the_device_does_stands_at_the_end_of_a_line_and_below_a_bar() -> None:
    assert figures(report(30, READING)).endswith("12:05 left  CPU 97 %  1.4/23.4 GiB")
    assert figures(report(30)).endswith("12:05 left")
    stream = io.StringIO()
    progress = BarProgress(stream)
    progress.started(START)
    progress.reported(report(21, READING))
    progress.ended()
    assert "CPU 97 %  1.4/23.4 GiB" in stream.getvalue()


def test_a_report_is_due_at_once_and_then_only_after_a_while() -> None:
    progress = LineProgress(io.StringIO(), every_seconds=1000)
    assert progress.due()
    progress.reported(report(2))
    assert not progress.due()
    assert not QuietProgress().due()


def test_the_stream_decides_which_it_is() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert type(make_progress(io.StringIO())) is LineProgress
    assert type(make_progress(Terminal())) is BarProgress


def test_quiet_says_only_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    progress = QuietProgress()
    progress.started(START)
    progress.stepped(1)
    progress.reported(report(1))
    progress.validated(Validation(step=1, mel=1.0, best=True, best_step=1))
    progress.saved(Path("x"), 1)
    progress.warned("mind the gap")
    progress.ended()
    assert capsys.readouterr().err == "warning: mind the gap\n"


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (
            Reading(device="cuda:0", seconds=0, used_mib=11469, total_mib=12288, utilisation=0.93, temperature_c=71.4),
            "GPU 93 %  11.2/12.0 GiB  71 °C",
        ),
        (Reading(device="cpu", seconds=0, used_mib=1434, total_mib=23962, utilisation=0.97), "CPU 97 %  1.4/23.4 GiB"),
        (Reading(device="cuda:1", seconds=0, utilisation=0.0), "GPU 0 %"),
        (Reading(device="cuda:1", seconds=0, used_mib=5, power_w=5.0), ""),
        (Reading(device="cpu", seconds=0), ""),
        (None, ""),
    ],
)
def test_what_is_known_is_shown_and_nothing_else(reading: Reading | None, words: str) -> None:
    assert describe_load(reading) == words
