"""Recordings, trainings and other jobs, made without the page."""

import io
import zipfile
from pathlib import Path
from typing import Any

import httpx
import soundfile

from tests.serve.conftest import eventually
from tests.serve.page.conftest import Server

SAMPLES = Path(__file__).parents[3] / "samples" / "en"
#: The smallest steps that there are.
SMALL = {"quality": "tiny", "language": "en-US", "device": "cpu", "batch_size": 1, "accumulation": 1, "force": True}


def record(server: Server, name: str, count: int) -> dict[str, str]:
    """A list of prompts with takes, as the tab Record makes it."""
    rows = [row.split("|") for row in (SAMPLES / "metadata.csv").read_text(encoding="utf-8").splitlines()[:count]]
    body = {"profile": "Åsa", "name": name, "language": "en-US", "prompts": [text for _, text in rows]}
    assert httpx.post(f"{server.url}v1/recordings", json=body, timeout=300).status_code == 201
    for number, (file, _) in enumerate(rows, start=1):
        samples, rate_hz = soundfile.read(SAMPLES / "wavs" / f"{file}.flac")
        wav = io.BytesIO()
        soundfile.write(wav, samples, rate_hz, format="WAV", subtype="PCM_16")
        where = f"{server.url}v1/recordings/Åsa/{name}/{number}"
        saved = httpx.put(where, content=wav.getvalue(), headers={"Content-Type": "audio/wav"}, timeout=300)
        assert saved.status_code == 200, saved.text
    return {"profile": "Åsa", "list": name}


def packed(count: int) -> bytes:
    """A ZIP of some of the bundled recordings, with their texts."""
    rows = (SAMPLES / "metadata.csv").read_text(encoding="utf-8").splitlines()[:count]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("mine/metadata.csv", "\n".join(rows) + "\n")
        for name in (f"{row.split('|')[0]}.flac" for row in rows):
            archive.write(SAMPLES / "wavs" / name, f"mine/wavs/{name}")
    return content.getvalue()


def submit(server: Server, **body: Any) -> str:
    """Queue a job, and return its id."""
    answer = httpx.post(f"{server.url}v1/jobs", json=body, timeout=300)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def read(server: Server, job: str) -> dict[str, Any]:
    return dict(httpx.get(f"{server.url}v1/jobs/{job}", timeout=300).json())


def wait_for(server: Server, job: str, *states: str) -> dict[str, Any]:
    eventually(lambda: read(server, job)["state"] in states, seconds=600)
    return read(server, job)


def fake(number: int, **more: Any) -> dict[str, Any]:
    """A job as the server tells of it."""
    return {
        "id": f"{number:032x}", "kind": "speech", "title": f"job {number}", "state": "done", "progress": 1.0,
        "seconds_left": None, "error": None, "result": None, "created": number, "started": number,
        "ended": number + 3, "request": {"kind": "speech"}, **more,
    }  # fmt: skip
