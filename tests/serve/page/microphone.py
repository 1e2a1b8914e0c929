"""Chromium with a microphone that hears a sample."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import soundfile
import soxr

from tests.serve.page.conftest import PATIENCE_MS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SAMPLE = Path(__file__).parents[3] / "samples" / "en" / "wavs" / "en-01.flac"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Browser]":
    """With a microphone that hears a sentence again and again, in a quiet room, and may be used."""
    from playwright.sync_api import expect, sync_playwright

    samples, rate_hz = soundfile.read(SAMPLE)
    heard = tmp_path_factory.mktemp("microphone") / "heard.wav"
    room = np.random.default_rng(0).normal(0, 0.0005, 3 * 48_000)
    sentence = soxr.resample(samples, rate_hz, 48_000)
    room[: len(sentence)] += 0.7 * sentence
    soundfile.write(heard, room[: len(sentence)], 48_000)
    expect.set_options(timeout=PATIENCE_MS)
    fakes = ["device-for-media-stream", "ui-for-media-stream"]
    arguments = [
        "--no-sandbox",
        f"--use-file-for-fake-audio-capture={heard}",
        *(f"--use-fake-{what}" for what in fakes),
    ]
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=arguments, timeout=PATIENCE_MS)
        yield started
        started.close()
